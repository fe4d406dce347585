//! `/reset`: forgets the conversation and drops all files.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "reset",
    aliases: &[],
    arguments: "",
    summary: "forget the conversation and take all files out of the chat",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    session.clear_history();
    session.drop_all_files();
    session.ui().show(Event::Note(
        "The conversation is empty and no file is in the chat.".to_owned(),
    ));
    Ok(After::Prompt)
}
