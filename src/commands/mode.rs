//! `/ask`, `/code`, `/architect`, `/context`, `/chat-mode`: change the mode, or send one message in it.

use anyhow::Context;
use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::chat::modes;
use crate::chat::modes::MODES;
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

pub(super) const ARCHITECT: Command = Command {
    name: "architect",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "let the model plan a change, which the editor model carries out when you agree: one message, or from now on",
    completes: Completes::Paths,
    run: |session, arguments| run(session, arguments, "architect"),
};

pub(super) const CONTEXT: Command = Command {
    name: "context",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "let the model choose the files that MESSAGE needs and then carry it out; without an argument messages only \
              choose files from now on",
    completes: Completes::Paths,
    run: |session, arguments| match arguments.trim() {
        "" => switch(session, "context"),
        message => Ok(After::Turned(session.choose_and_change(message))),
    },
};

pub(super) const CHAT_MODE: Command = Command {
    name: "chat-mode",
    aliases: &[],
    arguments: "[MODE]",
    summary: "show the modes, or change the mode or the edit format from now on",
    completes: Completes::Nothing,
    run: chat_mode,
};

pub(super) const OK: Command = Command {
    name: "ok",
    aliases: &[],
    arguments: "[MESSAGE]",
    summary: "have the plan carried out that was put aside, or let the model make the change it proposed",
    completes: Completes::Nothing,
    run: ok,
};

fn run(session: &mut Session, arguments: &str, name: &str) -> Result<After> {
    let text = arguments.trim();
    if text.is_empty() {
        return switch(session, name);
    }
    Ok(After::Send {
        text: text.to_owned(),
        mode: Some(modes::by_name(name).context("the mode has a row in MODES")?),
    })
}

fn switch(session: &mut Session, name: &str) -> Result<After> {
    let mode = modes::by_name(name).context("the mode has a row in MODES")?;
    session.set_mode(mode);
    session
        .ui()
        .show(Event::Note(format!("Mode: {}, which {}.", mode.name, mode.summary)));
    Ok(After::Prompt)
}

fn chat_mode(session: &mut Session, arguments: &str) -> Result<After> {
    let name = arguments.trim();
    if modes::by_name(name).is_some() {
        return switch(session, name);
    }
    if session.set_format(name) {
        session
            .ui()
            .show(Event::Note(format!("Edits are written as `{name}` from now on.")));
        return Ok(After::Prompt);
    }
    let mut text = String::new();
    for mode in MODES {
        let mark = if mode == session.mode() { '*' } else { ' ' };
        text.push_str(&format!("{mark} {:9}  {}\n", mode.name, mode.summary));
    }
    session.ui().show(match name {
        "" => Event::Print(text),
        _ => Event::Error {
            message: format!("there is no mode and no edit format `{name}`"),
            hint: Some("`/chat-mode` lists the modes".to_owned()),
        },
    });
    Ok(After::Prompt)
}

fn ok(session: &mut Session, arguments: &str) -> Result<After> {
    let more = arguments.trim();
    if more.is_empty()
        && let Some(end) = session.carry_out_waiting_plan()
    {
        return Ok(After::Turned(end));
    }
    if session.is_fresh() {
        session.ui().show(Event::Error {
            message: "nothing was proposed yet".to_owned(),
            hint: Some("say what to change, or `/architect MESSAGE` for a plan".to_owned()),
        });
        return Ok(After::Prompt);
    }
    Ok(After::Send {
        text: format!("Go ahead: make the change as you have proposed it. {more}")
            .trim_end()
            .to_owned(),
        mode: modes::by_name("code"),
    })
}
