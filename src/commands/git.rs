//! `/git`: runs git for the user.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "git",
    aliases: &[],
    arguments: "ARGUMENTS",
    summary: "run git (`/run git ARGUMENTS` is the same)",
    completes: Completes::Paths,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    match arguments.trim() {
        "" => session.ui().show(Event::Error {
            message: "`/git` needs arguments, such as `status`".to_owned(),
            hint: None,
        }),
        arguments => session.run_command(&format!("git {arguments}"))?,
    }
    Ok(After::Prompt)
}
