//! `/undo`: takes the last turn back.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "undo",
    aliases: &[],
    arguments: "",
    summary: "take the last turn back: its files byte for byte, and its commit where nobody else has it",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    session.undo()?;
    Ok(After::Prompt)
}
