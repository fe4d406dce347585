//! `/copy`, `/copy-context`: put the last reply, or what a model elsewhere needs to know, on the clipboard.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Copied;
use crate::terminal::Event;
use crate::terminal::SURELY_TAKEN;
use crate::tokens;

pub(super) const COMMAND: Command = Command {
    name: "copy",
    aliases: &[],
    arguments: "",
    summary: "copy the last reply to the clipboard, also over ssh, where the terminal allows it (OSC 52)",
    completes: Completes::Nothing,
    run: copy_reply,
};

pub(super) const CONTEXT: Command = Command {
    name: "copy-context",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "copy the files of the chat, the map and MESSAGE to the clipboard, for a model in a browser; `codriver apply` takes its \
              answer",
    completes: Completes::Nothing,
    run: copy_context,
};

fn copy_reply(session: &mut Session, _: &str) -> Result<After> {
    match session.last_reply() {
        None => session
            .ui()
            .show(Event::Note("There is no reply to copy yet.".to_owned())),
        Some(reply) => {
            let n_lines = reply.lines().count();
            copy(session, &format!("The last reply ({n_lines} lines)"), &reply);
        }
    }
    Ok(After::Prompt)
}

fn copy_context(session: &mut Session, arguments: &str) -> Result<After> {
    let text = session.context_text(arguments.trim())?;
    copy(
        session,
        &format!("The context ({} tokens)", tokens::count(&text)),
        &text,
    );
    Ok(After::Prompt)
}

/// Copies and says where the text has gone.
fn copy(session: &mut Session, what: &str, text: &str) {
    let event = match session.ui().copy(text) {
        Copied::Clipboard => Event::Note(format!("{what} is on the clipboard.")),
        Copied::Terminal if text.len() > SURELY_TAKEN => Event::Warning(format!(
            "{what} was handed to the terminal's clipboard; many terminals do not take that much ({} bytes).",
            text.len()
        )),
        Copied::Terminal => Event::Note(format!("{what} was handed to the terminal's clipboard.")),
        Copied::Nowhere => Event::Error {
            message: "there is no clipboard".to_owned(),
            hint: Some("a terminal has one, and a desktop where `wl-copy`, `xclip` or `xsel` is installed".to_owned()),
        },
    };
    session.ui().show(event);
}
