//! `/drop`: takes files out of the chat.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use super::words::split;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "drop",
    aliases: &[],
    arguments: "[FILE...]",
    summary: "take files out of the chat; all of them without an argument",
    completes: Completes::ChatFiles,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let words = split(arguments);
    if words.is_empty() {
        session.drop_all_files();
        session.ui().show(Event::Note("No file is in the chat now.".to_owned()));
    }
    for word in words {
        let dropped = session.drop_files(&word);
        let event = if dropped.is_empty() {
            Event::Error {
                message: format!("`{word}` is not in the chat"),
                hint: Some("`/ls` lists what is".to_owned()),
            }
        } else {
            Event::Note(format!(
                "Dropped {}.",
                dropped
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ))
        };
        session.ui().show(event);
    }
    Ok(After::Prompt)
}
