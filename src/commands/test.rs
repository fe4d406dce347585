//! `/test`: runs the tests and hands failures to the model until they are green.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;

pub(super) const COMMAND: Command = Command {
    name: "test",
    aliases: &[],
    arguments: "[COMMAND]",
    summary: "run the tests (`--test-cmd`, or COMMAND) and let the model repair what fails until they are green",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let command = Some(arguments.trim()).filter(|command| !command.is_empty());
    Ok(After::Turned(session.test(command)?))
}
