//! The slash commands: one file and one row in [`COMMANDS`] each. Help, completion and the README's list come from the
//! row. A command speaks to the session and its ui only.

use anyhow::Result;

use crate::chat::modes::Mode;
use crate::session::Session;
use crate::session::TurnEnd;

mod add;
mod clear;
mod commit;
mod compact;
mod conventions;
mod copy;
mod diff;
mod drop;
mod editor;
mod exit;
mod git;
mod help;
mod lint;
mod load;
mod ls;
mod map;
mod mode;
mod model;
mod multiline_mode;
mod read_only;
mod redo;
mod reset;
mod run;
mod settings;
mod test;
mod tokens;
mod turns;
mod undo;
mod web;
pub mod words;

/// One slash command.
pub struct Command {
    /// Without the slash.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// Its arguments as shown in help; empty when it takes none.
    pub arguments: &'static str,
    /// One sentence without a full stop.
    pub summary: &'static str,
    pub completes: Completes,
    pub run: fn(&mut Session, &str) -> Result<After>,
}

/// What Tab offers as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completes {
    Nothing,
    /// Files and folders of the project.
    Paths,
    /// Files of the chat.
    ChatFiles,
    Models,
    Commands,
}

/// What the REPL does after a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Shows the next prompt.
    Prompt,
    /// Sends a message, in another mode for this once when one is named.
    Send {
        text: String,
        mode: Option<&'static Mode>,
    },
    /// Does what these lines say, as if they were typed.
    Lines(Vec<String>),
    /// A turn was run by the command itself.
    Turned(TurnEnd),
    Quit,
}

/// Every command, in the order of `/help`.
pub static COMMANDS: &[Command] = &[
    add::COMMAND,
    read_only::COMMAND,
    drop::COMMAND,
    ls::COMMAND,
    diff::COMMAND,
    undo::COMMAND,
    redo::COMMAND,
    commit::COMMAND,
    test::COMMAND,
    lint::COMMAND,
    run::COMMAND,
    git::COMMAND,
    editor::COMMAND,
    copy::COMMAND,
    copy::CONTEXT,
    web::COMMAND,
    map::COMMAND,
    tokens::COMMAND,
    turns::COMMAND,
    compact::COMMAND,
    clear::COMMAND,
    reset::COMMAND,
    model::COMMAND,
    model::EDITOR,
    model::WEAK,
    model::EFFORT,
    model::THINK_TOKENS,
    conventions::COMMAND,
    mode::ASK,
    mode::CODE,
    mode::ARCHITECT,
    mode::OK,
    mode::CONTEXT,
    mode::CHAT_MODE,
    multiline_mode::COMMAND,
    load::SAVE,
    load::LOAD,
    settings::COMMAND,
    help::COMMAND,
    exit::COMMAND,
];

/// The command of that name or alias.
pub fn by_name(name: &str) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| command.name == name || command.aliases.contains(&name))
}

/// Commands that are spelt almost like `word`.
pub fn nearest(word: &str) -> Vec<&'static str> {
    /// 1.0 is the same; below this it is another word.
    const ALIKE: f64 = 0.8;
    COMMANDS
        .iter()
        .map(|command| command.name)
        .filter(|name| strsim::jaro_winkler(name, word) >= ALIKE)
        .collect()
}
