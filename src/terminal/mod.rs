//! Everything that is shown to the user or asked of them. Only this module prints.
//!
//! A session speaks in [`Event`]s to a [`Ui`]. [`console`] shows them to a person, [`json`] prints one object a line,
//! [`scripted`] records them and plays answers. [`input`] reads what the user types.

use std::io::{self, Write};
use std::time::Duration;

use crate::edit_format::{Progress, UnderWay};

mod answers;
mod clipboard;
pub mod completion;
pub mod console;
pub mod figures;
pub mod input;
pub mod json;
mod keys;
mod line_helper;
pub mod markdown;
mod multiline;
mod reply;
mod screen;
pub mod scripted;
pub mod style;
pub mod tty;

pub use clipboard::Copied;
pub use clipboard::SURELY_TAKEN;
pub use keys::EnterKey;
pub use keys::Keys;

/// The seam between a session and whoever watches it.
pub trait Ui: Send {
    fn show(&mut self, event: Event);

    /// How far a longer piece of work is, for a line that the next event takes away again. Nothing is recorded of it.
    fn progress(&mut self, doing: &str, done: usize, total: usize) {
        let _ = (doing, done, total);
    }

    /// Asks a question. EOF, a closed terminal and Ctrl-C are [`Answer::No`].
    fn ask(&mut self, question: &Question) -> Answer;

    /// Whether the answer to the last question was Ctrl-C.
    fn was_stopped(&self) -> bool {
        false
    }

    /// Lets the user edit a longer text in their own editor. None when there is nobody or nothing was saved.
    fn edit(&mut self, text: &str) -> Option<String> {
        let _ = text;
        None
    }

    /// Puts a text on the user's clipboard.
    fn copy(&mut self, text: &str) -> Copied {
        let _ = text;
        Copied::Nowhere
    }

    /// What Enter does at the prompt; None where nobody types.
    fn enter_key(&self) -> Option<EnterKey> {
        None
    }
}

/// Something that happened. Front ends choose how to show it; nothing is hidden.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A session began: what it works with.
    Session {
        version: String,
        root: String,
        model: Option<String>,
        edit_format: String,
        files: Vec<String>,
        git: bool,
    },
    /// The repository map that goes with the request.
    Map {
        text: String,
        tokens: usize,
        files: usize,
    },
    /// A request is about to be sent. `number` counts the requests of this turn, from 1.
    Request {
        number: usize,
        model: String,
        tokens: usize,
        parts: Vec<(String, usize)>,
    },
    /// A piece of a reply in which no edits are looked for.
    Text(String),
    /// A piece of a reply that is read for edits as it comes: what its complete lines are, and the line behind them.
    Reply {
        text: String,
        lines: Vec<Progress>,
        under_way: UnderWay,
    },
    Reasoning(String),
    /// The reply is complete (or stopped).
    ReplyEnd {
        finish: String,
    },
    /// An edit of the plan: `state` is `applied`, `staged`, `failed` or `rejected`.
    Edit {
        path: String,
        kind: String,
        state: String,
        strategy: String,
        line: Option<usize>,
        detail: String,
    },
    /// A unified diff for the user.
    Diff(String),
    /// A program is started for `purpose` (`lint`, `test`, `run`).
    Command {
        purpose: String,
        command: String,
        dir: String,
    },
    /// Output of that program, as it comes.
    Output(String),
    Lint {
        path: String,
        passed: bool,
        output: String,
    },
    Test {
        passed: bool,
        exit_code: Option<i32>,
        summary: String,
        output: String,
    },
    Commit {
        id: String,
        message: String,
        paths: Vec<String>,
    },
    Undo {
        text: String,
    },
    Usage {
        input: u64,
        output: u64,
        cached: u64,
        /// Dollars; None when a price is not known.
        cost: Option<f64>,
        /// Dollars that the provider's cache saved; negative where filling it cost more.
        saved: Option<f64>,
        session_cost: Option<f64>,
        estimated: bool,
    },
    Waiting {
        reason: String,
        wait: Duration,
    },
    /// A line for the user: neutral, a warning, an error with its way out.
    Note(String),
    Warning(String),
    Error {
        message: String,
        hint: Option<String>,
    },
    /// Plain text that a command prints (`/ls`, `/tokens`, `/help`).
    Print(String),
    /// The end of a turn or of the program, with the exit code it would give.
    Done {
        exit_code: u8,
        requests: usize,
        reflections: usize,
        summary: String,
        /// Edits of the session by the matcher that placed them, and those that were `refused`.
        edits: Vec<(String, u64)>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// A sentence that ends with a question mark.
    pub text: String,
    /// Shown above the question when not empty (a diff, a script).
    pub detail: String,
    /// The answer when the user just presses Enter.
    pub default: Answer,
    /// `--yes-always` may answer this one. False for commands, the network and whatever cannot be taken back.
    pub yes_always_applies: bool,
    /// Choices beyond yes and no, as (key, label).
    pub choices: Vec<(char, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// One of the question's choices.
    Choice(char),
}

/// The answer when nobody can be asked (no terminal, `--json`): yes only where `--yes-always` may say so, else no.
pub fn unattended_answer(question: &Question, yes_always: bool) -> Answer {
    if yes_always && question.yes_always_applies {
        Answer::Yes
    } else {
        Answer::No
    }
}

/// Prints to standard output as it is. A reader that has gone away (`codriver map | head`) is no error.
pub fn print(text: &str) -> io::Result<()> {
    quiet_about_closed_pipes(io::stdout().lock().write_all(text.as_bytes()))?;
    quiet_about_closed_pipes(io::stdout().lock().flush())
}

/// Prints a line to standard error.
pub fn print_error(text: &str) {
    // When standard error is gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn quiet_about_closed_pipes(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
