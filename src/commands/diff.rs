//! `/diff`: shows what changed.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "diff",
    aliases: &[],
    arguments: "",
    summary: "show what the last turn changed, and what is uncommitted",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    session.show_diff()?;
    Ok(After::Prompt)
}
