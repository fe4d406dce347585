//! `/help`: lists the commands, tells about one, answers a question from the documentation.

use anyhow::Result;

use super::After;
use super::COMMANDS;
use super::Command;
use super::Completes;
use super::by_name;
use crate::chat::documentation;
use crate::chat::modes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "help",
    aliases: &["?"],
    arguments: "[COMMAND or QUESTION]",
    summary: "list the commands, tell about one, or answer a question about codriver from its documentation",
    completes: Completes::Commands,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let text = arguments.trim();
    if text.is_empty() {
        session.ui().show(Event::Print(all()));
        return Ok(After::Prompt);
    }
    let name = text.trim_start_matches('/');
    if let Some(command) = by_name(name).or_else(|| only_beginning(name)) {
        session
            .ui()
            .show(Event::Print(format!("{}\n    {}.\n", usage(command), command.summary)));
        return Ok(After::Prompt);
    }
    let one_word = !text.contains(char::is_whitespace);
    let near = super::nearest(name);
    if one_word && (text.starts_with('/') || !near.is_empty()) {
        let near: Vec<String> = near.iter().map(|name| format!("`/{name}`")).collect();
        session.ui().show(Event::Error {
            message: format!("there is no command `/{name}`"),
            hint: Some(match near.as_slice() {
                [] => "`/help` lists them".to_owned(),
                near => format!("did you mean {}?", near.join(" or ")),
            }),
        });
        return Ok(After::Prompt);
    }
    if session.main_settings().is_none() {
        let event = found_in_documentation(session, text);
        session.ui().show(event);
        return Ok(After::Prompt);
    }
    Ok(After::Send {
        text: text.to_owned(),
        mode: modes::by_name("help"),
    })
}

/// The one command whose name begins so.
fn only_beginning(name: &str) -> Option<&'static Command> {
    let mut found = COMMANDS.iter().filter(|command| command.name.starts_with(name));
    found.next().filter(|_| found.next().is_none())
}

/// Without a model: the section that fits best.
fn found_in_documentation(session: &Session, question: &str) -> Event {
    let found = documentation::about(&session.options().documentation, question);
    match found.as_slice() {
        [] => Event::Error {
            message: "the documentation says nothing about that".to_owned(),
            hint: Some("`/help` lists the commands, `codriver --help` the flags".to_owned()),
        },
        [best, others @ ..] => {
            let mut text = format!("{}\n", best.text);
            let also: Vec<&str> = others.iter().take(3).map(|section| section.title).collect();
            if !also.is_empty() {
                text.push_str(&format!("\nSee also: {}.\n", also.join("; ")));
            }
            Event::Print(text)
        }
    }
}

/// Every command with its summary, as shown by `/help`.
pub(super) fn all() -> String {
    let width = COMMANDS
        .iter()
        .map(|command| usage(command).chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for command in COMMANDS {
        text.push_str(&format!("{:width$}  {}\n", usage(command), command.summary));
    }
    text.push_str(
        "\nAnything else is a message to the model. Ctrl-C stops a reply, Ctrl-D leaves. `/help QUESTION` answers from the \
         documentation.\n",
    );
    text
}

fn usage(command: &Command) -> String {
    format!("/{} {}", command.name, command.arguments).trim_end().to_owned()
}
