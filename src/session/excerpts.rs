//! Parts of files in the chat: `FILE:PART` as it is typed or named by the model, and what the model gets to see of a file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::Session;
use super::file_parts::FileParts;
use super::file_parts::NoPart;
use super::file_parts::line_numbers;
use super::files_in::Added;
use crate::chat::excerpts::Excerpt;
use crate::chat::excerpts::in_words;
use crate::chat::excerpts::text_of;
use crate::chat::prompt;
use crate::files;
use crate::files::Found;
use crate::store::sessions::Parts;
use crate::terminal::Event;

/// A file of more tokens is long: of it parts are shown where the model names parts. In a small window less is long.
const LONG: usize = 3_000;
const LONG_PART_OF_WINDOW: usize = 8;

/// The ways to read a word as `FILE:PART`, the shortest file first.
fn splits(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.match_indices(':').filter_map(|(at, _)| {
        let (file, part) = (&word[..at], word[at..].trim_start_matches(':'));
        (!file.is_empty() && !part.is_empty()).then_some((file, part))
    })
}

impl Session {
    /// Takes a part of a file into the chat as editable. None when the word names none.
    pub(super) fn add_part(&mut self, word: &str) -> Option<Added> {
        let (path, text, part) = splits(word).find_map(|(file, part)| {
            let path = self.root.relative(Path::new(file), &self.cwd)?;
            match self.root.read(&path) {
                Ok(Found::Text(file)) => Some((path, file.text, part)),
                _ => None,
            }
        })?;
        let excerpt = match self.part_of(&path, &text, part) {
            Ok(excerpt) => excerpt,
            Err(refused) => return Some(refused),
        };
        let is_more = self.files.add(&path);
        Some(self.show_part(word, &path, &text, excerpt, is_more, Added::Editable))
    }

    /// The same, to be looked at only.
    pub(super) fn add_part_read_only(&mut self, word: &str) -> Option<Added> {
        let (name, path, text, part) = splits(word).find_map(|(file, part)| {
            let path = self.cwd.join(file);
            let name = self.root.relative(Path::new(file), &self.cwd);
            match files::read_anywhere(&path) {
                Ok(Found::Text(text)) => Some((
                    name.unwrap_or_else(|| path.display().to_string()),
                    path,
                    text.text,
                    part,
                )),
                _ => None,
            }
        })?;
        let excerpt = match self.part_of(&name, &text, part) {
            Ok(excerpt) => excerpt,
            Err(refused) => return Some(refused),
        };
        let is_more = self.files.add_read_only(&name, path);
        Some(self.show_part(word, &name, &text, excerpt, is_more, Added::ReadOnly))
    }

    /// Takes a part out of the chat again. False when the word names none that is shown.
    pub(super) fn drop_part(&mut self, word: &str) -> bool {
        splits(word).any(|(file, part)| {
            let name = self.root.relative(Path::new(file), &self.cwd);
            let name = name.unwrap_or_else(|| self.cwd.join(file).display().to_string());
            self.files.drop_part(&name, part)
        })
    }

    /// The parts of an earlier session. A file of which one is no longer there is shown as a whole, as is one that has changed
    /// since where a part has only line numbers.
    pub(super) fn take_up_parts(&mut self, kept: &BTreeMap<String, Parts>) {
        for (name, Parts { parts, text }) in kept {
            let path = self.root.path().join(name);
            let Ok(Found::Text(file)) = files::read_anywhere(&path) else {
                continue;
            };
            let is_same = *text == xxh3_64(file.text.as_bytes());
            if !is_same && parts.iter().any(|part| line_numbers(part).is_some()) {
                self.ui.show(Event::Warning(format!(
                    "`{name}` has changed since; it is shown as a whole, as the lines that were chosen may be others now."
                )));
                continue;
            }
            self.files.note_seen(name, &file.text);
            let file = FileParts::new(name, &file.text);
            let found: Result<Vec<Excerpt>, NoPart> = parts.iter().map(|part| file.part(part)).collect();
            for excerpt in found.into_iter().flatten() {
                self.files.show_part(name, excerpt);
            }
        }
    }

    fn part_of(&self, path: &str, text: &str, part: &str) -> Result<Excerpt, Added> {
        let refused = |why, hint| Added::Refused {
            name: path.to_owned(),
            why,
            hint,
        };
        if !self.shows_parts() {
            let format = self.format.name();
            return Err(refused(
                format!("is rewritten as a whole in the edit format `{format}`, so it is shown as a whole"),
                Some(format!(
                    "`/chat-mode diff` changes the format, `/add {path}` shows all of the file"
                )),
            ));
        }
        let excerpt = FileParts::new(path, text).part(part);
        excerpt.map_err(|no_part| refused(no_part.why, no_part.hint))
    }

    /// `whole` is what became of a file of which the part shows nearly all.
    fn show_part(
        &mut self,
        word: &str,
        path: &str,
        text: &str,
        excerpt: Excerpt,
        is_more: bool,
        whole: impl FnOnce(String) -> Added,
    ) -> Added {
        // The part has the numbers of this text: from here on it follows its lines, and earlier parts are as far.
        self.files.note_seen(path, text);
        if !self.files.show_part(path, excerpt) && !is_more {
            return Added::Already(word.to_owned());
        }
        let mut excerpts = self.files.excerpts(path).to_vec();
        match FileParts::new(path, text).view(&mut excerpts) {
            Some(view) => Added::Part {
                name: path.to_owned(),
                lines: in_words(&view.shown),
                n_lines: view.n_lines,
            },
            None => {
                self.files.show_whole(path);
                whole(path.to_owned())
            }
        }
    }

    /// Whether files can be shown in part: not where they are rewritten as a whole.
    fn shows_parts(&self) -> bool {
        !(self.mode.edits() && self.format.name().ends_with("whole"))
    }

    /// What the model gets to see of a chat file with this text.
    pub(super) fn visible(&mut self, path: &str, text: &str) -> prompt::Content {
        let mut excerpts = self.files.excerpts(path).to_vec();
        let view = match excerpts.is_empty() || !self.shows_parts() {
            true => None,
            false => FileParts::new(path, text).view(&mut excerpts),
        };
        self.files
            .note_shown(path, excerpts, view.as_ref().map(|view| view.shown.clone()));
        match view {
            None => prompt::Content::Text(text.to_owned()),
            Some(view) => prompt::Content::Excerpts(prompt::Excerpts {
                lines: format!("{} of {}", in_words(&view.shown), view.n_lines),
                parts: view.shown.iter().map(|run| text_of(text, run)).collect(),
                others: view.others,
            }),
        }
    }

    /// Whether a file is so long that a part of it is better than all.
    pub(super) fn is_long(&self, text: &str) -> bool {
        let window = self.main_settings().and_then(|settings| settings.context_window);
        let most = window.map_or(LONG, |window| LONG.min(window as usize / LONG_PART_OF_WINDOW));
        // A token has a few bytes, rarely less than two.
        text.len() > most && self.counts.count(text) > most
    }

    /// Whether a part that a reply names is there and not shown yet.
    pub(super) fn lacks_part(&self, path: &str, part: &str) -> bool {
        let Ok(Found::Text(file)) = self.root.read(path) else {
            return false;
        };
        let Ok(excerpt) = FileParts::new(path, &file.text).part(part) else {
            return false;
        };
        let shown = self.files.partly_shown().get(path).map_or(&[][..], Vec::as_slice);
        let is_shown = |run: &Range<usize>| shown.iter().any(|part| part.start <= run.start && run.end <= part.end);
        self.shows_parts() && !excerpt.lines.iter().all(is_shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_split_where_a_file_may_end() {
        let all: Vec<_> = splits("src/a.rs::b:c").collect();
        assert_eq!(all, [("src/a.rs", "b:c"), ("src/a.rs:", "b:c"), ("src/a.rs::b", "c")]);
        assert_eq!(splits("a.rs:").count() + splits(":a").count(), 0);
    }
}
