//! `/load` and `/save`: lines that set a chat up, from a file and into one.

use std::path::Path;

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use super::words::as_typed;
use super::words::split;
use crate::files;
use crate::files::Found;
use crate::session::Session;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

pub(super) const LOAD: Command = Command {
    name: "load",
    aliases: &[],
    arguments: "FILE",
    summary: "do what the lines of a file say, as if they were typed (commands and messages; `#` begins a comment)",
    completes: Completes::Paths,
    run: load,
};

pub(super) const SAVE: Command = Command {
    name: "save",
    aliases: &[],
    arguments: "FILE",
    summary: "write the commands that bring the files and the mode of this chat back, for `/load`",
    completes: Completes::Paths,
    run: save,
};

fn load(session: &mut Session, arguments: &str) -> Result<After> {
    let Some(file) = one_file(session, arguments, "load") else {
        return Ok(After::Prompt);
    };
    let path = session.cwd().join(&file);
    let found = match files::read_anywhere(&path)? {
        Found::Text(found) => found,
        other => {
            let message = match other {
                Found::Absent => format!("there is no file `{file}`"),
                _ => format!("`{file}` is no text file"),
            };
            session.ui().show(Event::Error { message, hint: None });
            return Ok(After::Prompt);
        }
    };
    let lines = found.text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(After::Lines(lines.map(str::to_owned).collect()))
}

fn save(session: &mut Session, arguments: &str) -> Result<After> {
    let Some(file) = one_file(session, arguments, "save") else {
        return Ok(After::Prompt);
    };
    let path = session.cwd().join(&file);
    let text = script(session);
    if path.exists() {
        let answer = session.ui().ask(&Question {
            text: format!("`{file}` exists. Replace it?"),
            detail: String::new(),
            default: Answer::No,
            yes_always_applies: false,
            choices: Vec::new(),
        });
        if answer != Answer::Yes {
            return Ok(After::Prompt);
        }
    }
    files::save(&path, &text)?;
    session.ui().show(Event::Note(format!(
        "Written; `/load {file}` brings the chat's files back."
    )));
    Ok(After::Prompt)
}

/// The commands that lead to the chat's files and its mode.
fn script(session: &Session) -> String {
    let from_here = |name: &str| {
        let path = session.root().join(name);
        let shown = path.strip_prefix(session.cwd()).unwrap_or(&path);
        as_typed(&shown.display().to_string())
    };
    let mut text = String::from("/drop\n");
    let files = session.files();
    let mut take = |command: &str, name: &str| match files.parts(name).as_slice() {
        [] => text.push_str(&format!("/{command} {}\n", from_here(name))),
        parts => parts
            .iter()
            .for_each(|part| text.push_str(&format!("/{command} {}\n", from_here(&format!("{name}:{part}"))))),
    };
    files.editable().iter().for_each(|name| take("add", name));
    files.read_only().iter().for_each(|file| take("read-only", &file.name));
    text.push_str(&format!("/chat-mode {}\n", session.mode().name));
    text
}

/// The one file that is named; an error is shown when it is none or several.
fn one_file(session: &mut Session, arguments: &str, command: &str) -> Option<String> {
    // A name with blanks needs no quotes where it is the only one and there.
    if Path::new(&session.cwd().join(arguments.trim())).is_file() {
        return Some(arguments.trim().to_owned());
    }
    match split(arguments).as_slice() {
        [one] => Some(one.clone()),
        _ => {
            session.ui().show(Event::Error {
                message: format!("`/{command}` needs one file"),
                hint: None,
            });
            None
        }
    }
}
