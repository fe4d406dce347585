//! Reads what the user types: messages and commands with rustyline where there is a terminal, lines otherwise, and
//! answers to questions.
//!
//! Pasted text is one message. With brackets around it (every terminal of today) rustyline sees to that. Without, lines
//! come in faster than anybody types: an Enter that follows the key before it within [`TYPED_GAP`] is not taken for
//! the user's, and what else has arrived is put into the same text, which then waits for a real Enter.

use std::io::{self, BufRead, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustyline::config::BellStyle;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, EditMode, Editor};

use super::completion::{CommandRow, Words};
use super::keys::{Keys, Typing, bind};
use super::line_helper::LineHelper;
use super::multiline;
use super::style::{Palette, Tint, sanitize, width};
use super::tty::{self, NonBlocking};

/// A paste without brackets may pause for so long.
const BURST_PAUSE: Duration = Duration::from_millis(10);

/// Entries of the history, in memory and in its file.
const MAX_HISTORY: usize = 1000;

/// Longer texts (pasted logs) are not kept in the history.
const MAX_HISTORY_ENTRY: usize = 64 * 1024;

/// What came of reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Text(String),
    /// Ctrl-D, the end of the input, or Ctrl-C twice on an empty line.
    Leave,
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the history is kept; None keeps it in memory.
    pub history: Option<PathBuf>,
    pub keys: Keys,
    pub colour: bool,
    /// The user's editor, by `--editor`; else `$VISUAL` and `$EDITOR`.
    pub editor: Option<String>,
    /// `$TERM`.
    pub term: Option<String>,
    /// Hides what must not be kept (keys) in a text of the history.
    pub mask: Option<fn(&str) -> String>,
}

/// The lists that Tab completes from, shared with the thread that fills them.
pub type SharedWords = Arc<Mutex<Words>>;

pub struct Input {
    options: Options,
    /// None without a terminal.
    editor: Option<Editor<LineHelper, FileHistory>>,
    typing: Arc<Mutex<Typing>>,
    /// Put into the next line, to be edited.
    prepared: String,
}

/// How one call of the line editor ended.
enum Edited {
    Text(String),
    Interrupted(String),
    /// Nothing more was there to read (only while reading does not block).
    Pending(String),
    Leave,
}

impl Input {
    pub fn new(options: Options, commands: Vec<CommandRow>, words: SharedWords) -> io::Result<Self> {
        let typing = Arc::new(Mutex::new(Typing::default()));
        let editor = if tty::can_edit(options.term.as_deref()) {
            Some(line_editor(&options, commands, words, &typing).map_err(io::Error::other)?)
        } else {
            None
        };
        Ok(Self {
            options,
            editor,
            typing,
            prepared: String::new(),
        })
    }

    /// Whether a person sits at a terminal.
    pub fn is_interactive(&self) -> bool {
        self.editor.is_some()
    }

    /// Text that the next line begins with.
    pub fn prepare(&mut self, text: &str) {
        self.prepared = text.to_string();
    }

    /// Reads the next message or command. `mode` is shown before the prompt when it is not empty (`ask> `).
    pub fn read(&mut self, mode: &str) -> io::Result<Line> {
        let prompt = format!("{mode}> ");
        if self.editor.is_some() {
            return self.read_at_terminal(&prompt);
        }
        let echo = !io::IsTerminal::is_terminal(&io::stdin());
        match read_plain(&mut io::stdin().lock(), &mut io::stdout(), &prompt, echo)? {
            None => Ok(Line::Leave),
            Some(text) => Ok(Line::Text(text)),
        }
    }

    fn read_at_terminal(&mut self, prompt: &str) -> io::Result<Line> {
        let mut leaving = false;
        let mut initial = std::mem::take(&mut self.prepared);
        initial.push_str(&std::mem::take(&mut *typed_ahead()));
        loop {
            match self.edit(prompt, &initial)? {
                Edited::Text(text) if self.typing().enter_in_burst => {
                    match self.rest_of_paste(prompt, text)? {
                        Ok(text) => return Ok(self.done(text)),
                        Err(paste) => initial = paste,
                    }
                    continue;
                }
                Edited::Text(text) => return Ok(self.done(text)),
                Edited::Leave => return Ok(Line::Leave),
                Edited::Interrupted(text) if std::mem::take(&mut self.typing().wants_editor) => {
                    initial = match edit_externally(self.options.editor.as_deref(), &text) {
                        Ok(text) => text,
                        Err(error) => {
                            super::print_error(&format!("error: failed to run the editor: {error}"));
                            text
                        }
                    };
                    continue;
                }
                Edited::Interrupted(text) if text.trim().is_empty() => {
                    if leaving {
                        return Ok(Line::Leave);
                    }
                    leaving = true;
                    super::print("press Ctrl-C again or Ctrl-D to leave\n")?;
                }
                Edited::Interrupted(text) => {
                    leaving = false;
                    self.keep(&text);
                }
                Edited::Pending(_) => {}
            }
            initial.clear();
        }
    }

    fn done(&mut self, text: String) -> Line {
        self.keep(&text);
        Line::Text(multiline::unwrapped(&text))
    }

    /// Adds to the history, here and in its file.
    fn keep(&mut self, text: &str) {
        let Some(editor) = self.editor.as_mut() else { return };
        let masked = self.options.mask.map(|mask| mask(text));
        let text = masked.as_deref().unwrap_or(text);
        if text.len() > MAX_HISTORY_ENTRY || !editor.add_history_entry(text).unwrap_or(false) {
            return;
        }
        let Some(path) = self.options.history.clone() else {
            return;
        };
        if let Err(error) = editor.append_history(&path) {
            super::print_error(&format!("warning: `{}` cannot be written: {error}", path.display()));
            self.options.history = None;
        }
    }

    fn typing(&self) -> std::sync::MutexGuard<'_, Typing> {
        self.typing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One call of the line editor.
    fn edit(&mut self, prompt: &str, initial: &str) -> io::Result<Edited> {
        self.typing().begin(initial);
        let Some(editor) = self.editor.as_mut() else {
            return Ok(Edited::Leave);
        };
        let palette = Palette {
            colour: self.options.colour,
        };
        let prompt = (prompt.to_string(), palette.paint(Tint::Prompt, prompt));
        let read = editor.readline_with_initial(&prompt, (initial, ""));
        let typed = self.typing().text.clone();
        match read {
            Ok(text) => Ok(Edited::Text(text)),
            Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Ok(Edited::Interrupted(typed)),
            Err(ReadlineError::Eof) => Ok(Edited::Leave),
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(Edited::Pending(typed)),
            // The screen was too slow while nothing may block.
            Err(ReadlineError::Errno(error)) if io::Error::from(error).kind() == ErrorKind::WouldBlock => {
                Ok(Edited::Pending(typed))
            }
            // The terminal has gone away.
            Err(ReadlineError::Io(error)) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => {
                Ok(Edited::Leave)
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// After an Enter that nobody pressed: reads what else has arrived. `Ok` is a line that came alone and counts as
    /// entered, `Err` a paste that waits in the editor for the user.
    fn rest_of_paste(&mut self, prompt: &str, first: String) -> io::Result<Result<String, String>> {
        let columns = tty::columns();
        let mut rows = rows_of(width(prompt), &first, columns);
        let mut text = first.clone();
        let mut line_is_over = true;
        let non_blocking = NonBlocking::enter()?;
        loop {
            let edited = self.edit("", "")?;
            let (piece, is_line) = match edited {
                Edited::Text(piece) => (piece, true),
                Edited::Pending(piece) | Edited::Interrupted(piece) => (piece, false),
                Edited::Leave => break,
            };
            rows += rows_of(0, &piece, columns);
            if is_line || !piece.is_empty() {
                if line_is_over {
                    text.push('\n');
                }
                text.push_str(&piece);
                line_is_over = is_line;
            }
            if !is_line && !tty::has_input(BURST_PAUSE) {
                break;
            }
        }
        drop(non_blocking);
        let is_paste = text != first;
        // A line that came alone is on the screen as it should be, but for the empty row under it.
        let up = if is_paste { rows } else { 1 };
        super::print(&format!("\x1b[{up}A\r\x1b[J"))?;
        Ok(if is_paste { Err(text) } else { Ok(text) })
    }
}

fn line_editor(
    options: &Options,
    commands: Vec<CommandRow>,
    words: SharedWords,
    typing: &Arc<Mutex<Typing>>,
) -> rustyline::Result<Editor<LineHelper, FileHistory>> {
    let config = Config::builder()
        .max_history_size(MAX_HISTORY)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .bell_style(BellStyle::None)
        .edit_mode(if options.keys.vi { EditMode::Vi } else { EditMode::Emacs })
        .bracketed_paste(true)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(LineHelper {
        commands,
        words,
        typing: Arc::clone(typing),
    }));
    bind(&mut editor, &options.keys, typing);
    if let Some(path) = &options.history {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        match editor.load_history(path) {
            Ok(()) => {}
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => super::print_error(&format!("warning: `{}` cannot be read: {error}", path.display())),
        }
    }
    Ok(editor)
}

/// Rows that a text takes on the screen.
fn rows_of(indent: usize, text: &str, columns: usize) -> usize {
    let mut indent = indent;
    text.split('\n')
        .map(|line| (std::mem::take(&mut indent) + width(line)) / columns.max(1) + 1)
        .sum()
}

/// Opens `text` in the user's editor and returns what was saved. Without an editor of their choice it is `vi`.
pub fn edit_externally(command: Option<&str>, text: &str) -> io::Result<String> {
    let from_environment = || {
        ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
    };
    let command = command.map(str::to_string).or_else(from_environment);
    let command = command.unwrap_or_else(|| "vi".to_string());
    let words = shell_words::split(&command).map_err(|error| io::Error::other(format!("`{command}`: {error}")))?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::Error::other("no editor is set"));
    };
    let mut file = tempfile::Builder::new().prefix("codriver-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let status = std::process::Command::new(program)
        .args(arguments)
        .arg(file.path())
        .status()
        .map_err(|error| io::Error::other(format!("`{command}`: {error}")))?;
    if !status.success() {
        return Err(io::Error::other(format!("`{command}` ended with {status}")));
    }
    // Editors that save by renaming leave the handle behind, so the path is read.
    let saved = std::fs::read_to_string(file.path())?;
    Ok(saved.trim_end_matches(['\n', '\r']).to_string())
}

/// Reads a line without an editor; `{` to `}` and a backslash at the end go on over lines. None at the end of input.
/// `echo` shows what was read, for a script whose output is kept.
fn read_plain(input: &mut impl BufRead, out: &mut impl Write, prompt: &str, echo: bool) -> io::Result<Option<String>> {
    if !echo {
        out.write_all(prompt.as_bytes())?;
        out.flush()?;
    }
    let mut text = String::new();
    loop {
        let mut bytes = Vec::new();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            if text.is_empty() {
                return Ok(None);
            }
            break;
        }
        text.push_str(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        if multiline::is_complete(&text) {
            break;
        }
        text.push('\n');
    }
    let text = multiline::unwrapped(&text);
    if echo {
        // A reader that has gone away does not want the rest.
        let _ = writeln!(out, "{prompt}{}", sanitize(&text));
    }
    Ok(Some(text))
}

/// What was typed while there was no prompt, and was met by a question.
fn typed_ahead() -> MutexGuard<'static, String> {
    static TYPED_AHEAD: Mutex<String> = Mutex::new(String::new());
    TYPED_AHEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    Text(String),
    /// Ctrl-C.
    Stopped,
    /// Ctrl-D, or the end of the input.
    Ended,
}

/// Reads the answer to a question at the terminal.
pub fn read_answer(prompt: &str, colour: bool) -> Answered {
    let term = std::env::var("TERM").ok();
    let options = Options {
        colour,
        term,
        ..Options::default()
    };
    let Ok(mut input) = Input::new(options, Vec::new(), SharedWords::default()) else {
        return Answered::Ended;
    };
    if !input.is_interactive() {
        let read = read_plain(&mut io::stdin().lock(), &mut io::stdout(), prompt, false);
        return match read.ok().flatten() {
            Some(text) => Answered::Text(text),
            None => {
                // What follows begins on a line of its own; a reader that has gone away does not want it.
                let _ = super::print("\n");
                Answered::Ended
            }
        };
    }
    // What was typed before the question was there is no answer to it: the next prompt begins with it.
    typed_ahead().push_str(&tty::take_typed_ahead());
    match input.edit(prompt, "") {
        Ok(Edited::Text(text)) => Answered::Text(text),
        Ok(Edited::Interrupted(_)) => Answered::Stopped,
        Ok(Edited::Pending(_) | Edited::Leave) | Err(_) => Answered::Ended,
    }
}

/// Asks for a line that is not shown while it is typed.
pub fn read_secret(question: &str) -> io::Result<String> {
    io::stderr().lock().write_all(question.as_bytes())?;
    let hidden = tty::NoEcho::enter()?;
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    drop(hidden);
    // The Enter was not shown either.
    super::print_error("");
    read.map(|_| line)
}

/// Reads all of standard input, for `-m -`.
pub fn read_everything() -> io::Result<String> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where the input history of a project is kept.
pub fn history_file(state: &Path) -> PathBuf {
    state.join("input-history")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> (Vec<String>, String) {
        let mut input = io::Cursor::new(text.as_bytes());
        let mut out = Vec::new();
        let mut lines = Vec::new();
        while let Some(line) = read_plain(&mut input, &mut out, "> ", true).unwrap() {
            lines.push(line);
        }
        (lines, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_script_is_read_line_by_line_and_shown() {
        let (lines, shown) = script("/add a\r\nfix it\n{\none\n two\n}\na\\\nb\nlast");
        assert_eq!(lines, ["/add a", "fix it", "one\n two", "a\nb", "last"]);
        assert!(shown.starts_with("> /add a\n> fix it\n> one\n two\n"), "{shown:?}");
    }

    #[test]
    fn an_open_block_at_the_end_of_a_script_is_not_lost() {
        assert_eq!(script("{\none\n").0, ["{\none\n"]);
    }

    #[test]
    fn rows_are_counted_by_width() {
        assert_eq!(rows_of(2, "ab\ncdefgh", 5), 3);
        assert_eq!(rows_of(0, "", 5), 1);
        assert_eq!(rows_of(0, "計画書", 4), 2);
    }

    #[test]
    fn the_editor_gives_back_what_it_saved() {
        let text = edit_externally(Some("sed -i s/old/new/"), "old text\n").unwrap();
        assert_eq!(text, "new text");
        assert!(edit_externally(Some("false"), "").is_err());
    }
}
