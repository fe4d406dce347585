//! `/add`: takes files into the chat, to be seen and edited.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use super::words::split;
use crate::session::Added;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "add",
    aliases: &[],
    arguments: "FILE...",
    summary: "take files into the chat, to be seen and edited (names, folders, patterns; `FILE:NAME` or `FILE:120-260` for a part of a long one; a name that is not there can become a new file)",
    completes: Completes::Paths,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let words = split(arguments);
    if words.is_empty() {
        session.ui().show(Event::Error {
            message: "`/add` needs a file".to_owned(),
            hint: Some("`/add src/main.rs`, `/add src/*.rs`; Tab completes".to_owned()),
        });
    }
    for word in words {
        let added = session.add(&word)?;
        tell(session, added);
    }
    Ok(After::Prompt)
}

/// Says what became of each word.
pub(super) fn tell(session: &mut Session, added: Vec<Added>) {
    for one in added {
        let event = match one {
            Added::Editable(path) => Event::Note(format!("Added `{path}`.")),
            Added::ReadOnly(name) => Event::Note(format!("Added `{name}`, read-only.")),
            Added::Part { name, lines, n_lines } => Event::Note(format!(
                "Added `{name}`, {lines} of {n_lines}; `/add {name}` shows all of it."
            )),
            Added::New(path) => Event::Note(format!("`{path}` is in the chat; the first edit makes it.")),
            Added::Already(name) => Event::Note(format!("`{name}` is in the chat already.")),
            Added::Refused { name, why, hint } => Event::Error {
                message: format!("`{name}` {why}"),
                hint,
            },
        };
        session.ui().show(event);
    }
}
