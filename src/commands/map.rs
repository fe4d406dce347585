//! `/map`: shows the repository map as the model would see it.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "map",
    aliases: &[],
    arguments: "[WORDS]",
    summary: "show the repository map that would go with the next message (with WORDS as that message)",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    session.show_map(arguments.trim())?;
    Ok(After::Prompt)
}
