//! `/model`: shows or changes the model.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "model",
    aliases: &[],
    arguments: "[NAME]",
    summary: "show the model, or change it; the chat goes on",
    completes: Completes::Models,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    match arguments.trim() {
        "" => session.announce(),
        name => session.change_model(name),
    }
    Ok(After::Prompt)
}
