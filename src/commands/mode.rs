//! `/ask` and `/code`: change the mode, or send one message in it.

use anyhow::Context;
use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::chat::modes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const ASK: Command = Command {
    name: "ask",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "ask about the code without changing it: one message, or from now on without an argument",
    completes: Completes::Paths,
    run: |session, arguments| run(session, arguments, "ask"),
};

pub(super) const CODE: Command = Command {
    name: "code",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "let the model change files: one message, or from now on without an argument",
    completes: Completes::Paths,
    run: |session, arguments| run(session, arguments, "code"),
};

fn run(session: &mut Session, arguments: &str, name: &str) -> Result<After> {
    let mode = modes::by_name(name).context("the mode has a row in MODES")?;
    let text = arguments.trim();
    if text.is_empty() {
        session.set_mode(mode);
        session
            .ui()
            .show(Event::Note(format!("Mode: {}, which {}.", mode.name, mode.summary)));
        return Ok(After::Prompt);
    }
    Ok(After::Send {
        text: text.to_owned(),
        mode: Some(mode),
    })
}
