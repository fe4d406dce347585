//! `/multiline-mode`: swaps what Enter and Alt-Enter do.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "multiline-mode",
    aliases: &[],
    arguments: "",
    summary: "swap Enter and Alt-Enter: one sends, the other begins a new line (`--multiline` starts so)",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    let note = match session.ui().enter_key().map(|key| key.swap()) {
        Some(true) => "Enter begins a new line from now on, Alt-Enter sends; a command is carried out with Enter.",
        Some(false) => "Enter sends from now on, Alt-Enter begins a new line.",
        None => "Nobody sits at the keyboard here.",
    };
    session.ui().show(Event::Note(note.to_owned()));
    Ok(After::Prompt)
}
