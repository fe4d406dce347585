//! `/run`: runs a command and offers its output to the model.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "run",
    aliases: &["!"],
    arguments: "COMMAND",
    summary: "run a command where you started and offer its output to the model (`!COMMAND` does the same)",
    completes: Completes::Paths,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let command = arguments.trim();
    if command.is_empty() {
        session.ui().show(Event::Error {
            message: "`/run` needs a command".to_owned(),
            hint: None,
        });
        return Ok(After::Prompt);
    }
    session.run_command(command)?;
    Ok(After::Prompt)
}
