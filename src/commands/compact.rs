//! `/compact`: makes the conversation shorter.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "compact",
    aliases: &[],
    arguments: "[WHAT TO KEEP]",
    summary: "put a summary in place of all turns but the newest, and show it; what you name is kept above all",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    session.compact(arguments.trim())?;
    Ok(After::Prompt)
}
