//! `/tokens`: shows what the next request would hold.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "tokens",
    aliases: &[],
    arguments: "",
    summary: "show how many tokens each part of the next request has, and what the session has used",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    session.show_tokens()?;
    Ok(After::Prompt)
}
