//! `/copy`: puts the last reply on the clipboard.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "copy",
    aliases: &[],
    arguments: "",
    summary: "copy the last reply to the clipboard, also over ssh, where the terminal allows it (OSC 52)",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, _: &str) -> Result<After> {
    let note = match session.last_reply() {
        None => "There is no reply to copy yet.".to_owned(),
        Some(reply) if session.ui().copy(&reply) => {
            let n_lines = reply.lines().count();
            format!("The last reply ({n_lines} lines) was handed to the terminal's clipboard.")
        }
        Some(_) => "Only a terminal has a clipboard.".to_owned(),
    };
    session.ui().show(Event::Note(note));
    Ok(After::Prompt)
}
