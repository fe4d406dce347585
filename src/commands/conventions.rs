//! `/conventions`: shows the rules that the model works by, and settles whether the project's own count.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;
use crate::tokens;

pub(super) const COMMAND: Command = Command {
    name: "conventions",
    aliases: &[],
    arguments: "[on/off]",
    summary: "show the rules that the model follows (`AGENTS.md`), or follow the project's own from now on, or never",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    match arguments.trim() {
        "" => {}
        "on" => session.trust_project(true)?,
        "off" => session.trust_project(false)?,
        other => {
            session.ui().show(Event::Error {
                message: format!("`/conventions` takes `on` or `off`, not `{other}`"),
                hint: None,
            });
            return Ok(After::Prompt);
        }
    }
    let trusted = session.trusts_project();
    let mut text = String::new();
    for file in session.rule_files() {
        let state = if trusted || !file.from_project {
            "followed"
        } else {
            "not followed: the project is not trusted (`/conventions on`)"
        };
        text.push_str(&format!(
            "  {}  {} tokens, {state}\n",
            file.name,
            tokens::count(&file.text)
        ));
    }
    let text = if text.is_empty() {
        "There are no rules. `AGENTS.md` in the project is looked for, from its top down to the files of the chat.\n"
            .to_owned()
    } else {
        format!("Rules for the model, the later the stronger:\n{text}")
    };
    session.ui().show(Event::Print(text));
    Ok(After::Prompt)
}
