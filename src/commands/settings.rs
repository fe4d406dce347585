//! `/settings`: shows the settings in force.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "settings",
    aliases: &[],
    arguments: "[TEXT]",
    summary: "show the settings of this session's start and where each came from (those whose name holds TEXT)",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let wanted = arguments.trim();
    let lines = session.options().settings.lines();
    let text: String = lines
        .filter(|line| line.contains(wanted))
        .map(|line| format!("{line}\n"))
        .collect();
    session.ui().show(match text.as_str() {
        "" => Event::Error {
            message: format!("there is no setting with `{wanted}` in it"),
            hint: None,
        },
        _ => Event::Print(text),
    });
    Ok(After::Prompt)
}
