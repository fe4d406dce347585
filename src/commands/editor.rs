//! `/editor`: writes a message in the user's own editor.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "editor",
    aliases: &["edit"],
    arguments: "[TEXT]",
    summary: "write a message in your editor (beginning with TEXT) and send it",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, text: &str) -> Result<After> {
    let written = session.ui().edit(text).filter(|text| !text.trim().is_empty());
    Ok(match written {
        Some(text) => After::Send { text, mode: None },
        None => {
            session
                .ui()
                .show(Event::Note("Nothing was written, so nothing is sent.".to_owned()));
            After::Prompt
        }
    })
}
