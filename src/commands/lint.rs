//! `/lint`: checks files and hands findings to the model.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use super::words::split;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "lint",
    aliases: &[],
    arguments: "[FILE...]",
    summary: "check the files of the chat (or the named ones) with the lint commands and for syntax, and let the model repair what is found",
    completes: Completes::ChatFiles,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    Ok(After::Turned(session.lint(&split(arguments))?))
}
