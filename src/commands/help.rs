//! `/help`: lists the commands.

use anyhow::Result;

use super::After;
use super::COMMANDS;
use super::Command;
use super::Completes;
use super::by_name;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "help",
    aliases: &["?"],
    arguments: "[COMMAND]",
    summary: "list the commands, or tell about one",
    completes: Completes::Commands,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let name = arguments.trim().trim_start_matches('/');
    let event = match (name, by_name(name)) {
        ("", _) => Event::Print(all()),
        (_, Some(command)) => Event::Print(format!("{}\n    {}.\n", usage(command), command.summary)),
        (_, None) => Event::Error {
            message: format!("there is no command `/{name}`"),
            hint: Some("`/help` lists them".to_owned()),
        },
    };
    session.ui().show(event);
    Ok(After::Prompt)
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
    text.push_str("\nAnything else is a message to the model. Ctrl-C stops a reply, Ctrl-D leaves.\n");
    text
}

fn usage(command: &Command) -> String {
    format!("/{} {}", command.name, command.arguments).trim_end().to_owned()
}
