//! `/read-only`: shows files to the model without letting it edit them.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use super::add::tell;
use super::words::split;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "read-only",
    aliases: &["read"],
    arguments: "FILE...",
    summary: "show files to the model that it may not edit; they may stand outside the project",
    completes: Completes::Paths,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let words = split(arguments);
    if words.is_empty() {
        session.ui().show(Event::Error {
            message: "`/read-only` needs a file".to_owned(),
            hint: None,
        });
    }
    for word in words {
        let added = session.add_read_only(&word)?;
        tell(session, added);
    }
    Ok(After::Prompt)
}
