//! `/clear`: forgets the conversation.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "clear",
    aliases: &[],
    arguments: "",
    summary: "forget the conversation; the files stay in the chat",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    session.clear_history();
    session
        .ui()
        .show(Event::Note("The conversation is empty now.".to_owned()));
    Ok(After::Prompt)
}
