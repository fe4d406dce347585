//! `/redo`: brings the turn back that was undone last.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "redo",
    aliases: &[],
    arguments: "",
    summary: "bring the turn back that was undone last",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    session.redo()?;
    Ok(After::Prompt)
}
