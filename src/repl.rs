//! One line of the user: a command, a shell command, or a message for the model; and the loop that reads them.

use std::path::Path;

use anyhow::Result;

use crate::commands;
use crate::commands::After;
use crate::commands::COMMANDS;
use crate::commands::Command;
use crate::session::Session;
use crate::session::TurnEnd;
use crate::terminal::Event;

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input<'a> {
    Empty,
    Command {
        name: &'static str,
        arguments: &'a str,
    },
    /// A single word with a slash that is no command, with the names it may have meant.
    Unknown {
        word: &'a str,
        meant: Vec<&'static str>,
    },
    Message(&'a str),
}

/// Where a line came from decides nothing: commands work the same in the REPL, from a file and from `-m`.
/// `is_path` tells whether something stands at a path: `/tmp` is a message where there is a `/tmp`.
pub fn read<'a>(line: &'a str, is_path: &dyn Fn(&str) -> bool) -> Input<'a> {
    let line = line.trim();
    if line.is_empty() {
        return Input::Empty;
    }
    if let Some(script) = line.strip_prefix('!') {
        return Input::Command {
            name: "run",
            arguments: script.trim(),
        };
    }
    let Some(rest) = line.strip_prefix('/') else {
        return Input::Message(line);
    };
    let (word, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let meant = candidates(word);
    match meant.as_slice() {
        [only] => Input::Command {
            name: only.name,
            arguments: arguments.trim(),
        },
        // A text that merely begins with a path: `/etc/hosts is wrong`, `/usr/bin/env`.
        _ if word.is_empty() || word.contains('/') || word.contains('.') => Input::Message(line),
        [] if is_path(&format!("/{word}")) => Input::Message(line),
        [] if !arguments.trim().is_empty() && commands::nearest(word).is_empty() => Input::Message(line),
        [] => Input::Unknown {
            word,
            meant: commands::nearest(word),
        },
        several => Input::Unknown {
            word,
            meant: several.iter().map(|command| command.name).collect(),
        },
    }
}

/// The command of that name or alias, or those whose names begin so.
fn candidates(word: &str) -> Vec<&'static Command> {
    if let Some(command) = commands::by_name(word) {
        return vec![command];
    }
    if word.is_empty() {
        return Vec::new();
    }
    COMMANDS
        .iter()
        .filter(|command| command.name.starts_with(word))
        .collect()
}

/// How a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obeyed {
    /// Nothing was asked of the model.
    Command,
    Turn(TurnEnd),
    /// The line was no command that exists.
    Unknown,
    Quit,
}

/// Does what a line says. An error of a command is shown; it never ends the session.
pub fn obey(session: &mut Session, line: &str) -> Obeyed {
    session.begin();
    obey_within(session, line, 0)
}

/// `depth` counts the files of lines that led here.
fn obey_within(session: &mut Session, line: &str, depth: usize) -> Obeyed {
    match read(line, &|path| Path::new(path).exists()) {
        Input::Empty => Obeyed::Command,
        Input::Message(text) => Obeyed::Turn(session.turn(text)),
        Input::Unknown { word, meant } => {
            let names = meant
                .iter()
                .map(|name| format!("`/{name}`"))
                .collect::<Vec<_>>()
                .join(" or ");
            let hint = if meant.is_empty() {
                "`/help` lists the commands".to_owned()
            } else {
                format!("did you mean {names}?")
            };
            session.ui().show(Event::Error {
                message: format!("there is no command `/{word}`"),
                hint: Some(hint),
            });
            Obeyed::Unknown
        }
        Input::Command { name, arguments } => match run(session, name, arguments, depth) {
            Ok(obeyed) => obeyed,
            Err(error) => {
                session.ui().show(Event::Error {
                    message: format!("`/{name}` failed: {error:#}"),
                    hint: None,
                });
                Obeyed::Command
            }
        },
    }
}

/// What stands on the line again when a message got no answer: the line as it was typed; what `/editor` brought stands
/// nowhere else, so it is the message itself.
pub fn again<'a>(line: &'a str, message: &'a str) -> &'a str {
    match read(line, &|_| false) {
        Input::Command { name: "editor", .. } => message,
        _ => line,
    }
}

fn run(session: &mut Session, name: &str, arguments: &str, depth: usize) -> Result<Obeyed> {
    let Some(command) = commands::by_name(name) else {
        return Ok(Obeyed::Unknown);
    };
    Ok(match (command.run)(session, arguments)? {
        After::Prompt => Obeyed::Command,
        After::Quit => Obeyed::Quit,
        After::Turned(end) => Obeyed::Turn(end),
        After::Lines(lines) => obey_all(session, &lines, depth + 1)?,
        After::Send { text, mode: None } => Obeyed::Turn(session.turn(&text)),
        After::Send { text, mode: Some(mode) } => {
            let before = session.mode();
            session.set_mode(mode);
            let end = session.turn(&text);
            session.set_mode(before);
            Obeyed::Turn(end)
        }
    })
}

/// Lines of a file, one after the other, until one leaves or the user stops.
fn obey_all(session: &mut Session, lines: &[String], depth: usize) -> Result<Obeyed> {
    /// A file that loads itself is a mistake.
    const DEEPEST: usize = 8;
    if depth > DEEPEST {
        anyhow::bail!("files load each other more than {DEEPEST} deep");
    }
    let mut last = Obeyed::Command;
    for line in lines {
        session.ui().show(Event::Note(format!("> {line}")));
        last = obey_within(session, line, depth);
        if last == Obeyed::Quit || last == Obeyed::Turn(TurnEnd::Interrupted) {
            break;
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str) -> bool {
        false
    }

    fn command(line: &str) -> Option<(&'static str, &str)> {
        match read(line, &nothing) {
            Input::Command { name, arguments } => Some((name, arguments)),
            _ => None,
        }
    }

    #[test]
    fn an_unanswered_message_is_on_the_line_again() {
        assert_eq!(again("/ask why", "why"), "/ask why");
        assert_eq!(again("mend it", "mend it"), "mend it");
        assert_eq!(again("/editor be", "be brief"), "be brief");
    }

    #[test]
    fn a_command_is_its_name_an_alias_or_the_beginning_of_one_name() {
        assert_eq!(command("/add a b"), Some(("add", "a b")));
        assert_eq!(command("/quit"), Some(("exit", "")));
        assert_eq!(command("/tok"), Some(("tokens", "")));
        assert_eq!(command("!ls -l"), Some(("run", "ls -l")));
        assert_eq!(command("  /undo  "), Some(("undo", "")));
    }

    #[test]
    fn a_text_that_begins_with_a_path_is_a_message() {
        for line in [
            "/etc/hosts is wrong",
            "/usr/bin/env",
            "/tmp",
            "/ is full",
            "/home.txt",
            "/srv holds the data",
        ] {
            let read = read(line, &|path| path == "/tmp");
            assert!(matches!(read, Input::Message(_)), "{line}: {read:?}");
        }
    }

    #[test]
    fn a_misspelt_command_is_told_with_its_neighbours() {
        assert_eq!(
            read("/unod", &nothing),
            Input::Unknown {
                word: "unod",
                meant: vec!["undo"]
            }
        );
        let Input::Unknown { meant, .. } = read("/re", &nothing) else {
            panic!()
        };
        assert!(meant.contains(&"redo") && meant.contains(&"reset"), "{meant:?}");
        assert_eq!(
            read("/frobnicate", &nothing),
            Input::Unknown {
                word: "frobnicate",
                meant: Vec::new()
            }
        );
    }

    #[test]
    fn an_empty_line_is_nothing() {
        assert_eq!(read("  \n", &nothing), Input::Empty);
    }
}
