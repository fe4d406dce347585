//! What rustyline asks about the line under way: what Tab offers, and whether the text is complete.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::Context;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};

use super::completion::{self, CommandRow};
use super::input::SharedWords;
use super::keys::Typing;
use super::multiline;
use super::style::fit;
use super::tty;

pub(super) struct LineHelper {
    pub(super) commands: Vec<CommandRow>,
    pub(super) words: SharedWords,
    pub(super) typing: Arc<Mutex<Typing>>,
}

impl rustyline::Helper for LineHelper {}

impl Highlighter for LineHelper {}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context) -> rustyline::Result<(usize, Vec<Pair>)> {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let found = completion::complete(&line[..pos], &self.commands, &words, &list_folder);
        let is_only = found.candidates.len() == 1;
        // A row each: what is longer would be broken by the terminal.
        let columns = tty::columns().saturating_sub(1);
        let pairs = found.candidates.into_iter().map(|candidate| Pair {
            replacement: if is_only && candidate.is_complete {
                candidate.text + " "
            } else {
                candidate.text
            },
            display: fit(&candidate.label, columns),
        });
        Ok((found.start, pairs.collect()))
    }
}

impl Hinter for LineHelper {
    type Hint = String;

    /// Gives no hint; rustyline calls it after every change, which keeps the text of a line that is interrupted.
    fn hint(&self, line: &str, _: usize, _: &Context) -> Option<String> {
        let mut typing = self.typing.lock().unwrap_or_else(PoisonError::into_inner);
        typing.text.clear();
        typing.text.push_str(line);
        None
    }
}

impl Validator for LineHelper {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(if multiline::is_complete(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

/// The names in a folder on disk for completion; a folder that cannot be read has none.
fn list_folder(folder: &str) -> Vec<String> {
    let path = match folder.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None => PathBuf::from(folder),
    };
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    entries
        .filter_map(Result::ok)
        .map(|entry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            format!("{}{slash}", entry.file_name().to_string_lossy())
        })
        .collect()
}
