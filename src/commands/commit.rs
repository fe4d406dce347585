//! `/commit`: commits the user's own changes.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "commit",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "commit all changes to tracked files and to files of the chat; the model writes the message when none is given",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let message = Some(arguments.trim()).filter(|message| !message.is_empty());
    session.commit_all(message)?;
    Ok(After::Prompt)
}
