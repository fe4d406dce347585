//! Takes files into the chat, from the words a user types: names, folders, patterns.

use std::path::Path;
use std::path::PathBuf;

use anyhow::Result;

use super::Session;
use crate::files;
use crate::files::Found;
use crate::policy::secrets;
use crate::terminal::Answer;
use crate::terminal::Question;

/// A folder with more files than this is not added as a whole: each of them would go into every request.
const MAX_FOLDER_FILES: usize = 50;

/// What became of one word of `/add` or `/read-only`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    Editable(String),
    ReadOnly(String),
    /// A part of a file.
    Part {
        name: String,
        /// `lines 1 to 14 and 119 to 262`.
        lines: String,
        n_lines: usize,
    },
    /// It does not exist yet; the model's first edit makes it.
    New(String),
    Already(String),
    /// Not taken, with the reason and the way on.
    Refused {
        name: String,
        why: String,
        hint: Option<String>,
    },
}

impl Session {
    /// Takes what one word names into the chat as editable: a file, a part of one (`FILE:NAME`, `FILE:120-260`), the files of a
    /// folder, the matches of a pattern (a name that exists as it is typed is never a part or a pattern), or a new file when
    /// the user agrees.
    pub fn add(&mut self, word: &str) -> Result<Vec<Added>> {
        let refused = |why: &str, hint: Option<String>| {
            Ok(vec![Added::Refused {
                name: word.to_owned(),
                why: why.to_owned(),
                hint,
            }])
        };
        let Some(path) = self.root.relative(Path::new(word), &self.cwd) else {
            let outside = self.cwd.join(word);
            if let Some(added) = self.add_attachment(&outside.display().to_string(), &outside) {
                return Ok(vec![added]);
            }
            return refused(
                "is outside the project",
                Some(format!(
                    "`/read-only {word}` shows it to the model without letting it be edited"
                )),
            );
        };
        let found = self.root.read(&path);
        if let Ok(Found::Binary { .. } | Found::TooLarge { .. }) = &found
            && let Some(added) = self.add_attachment(&path, &self.root.path().join(&path))
        {
            return Ok(vec![added]);
        }
        match found {
            Ok(Found::Text(_)) => Ok(vec![self.add_one(&path)]),
            Ok(Found::Folder) => self.add_folder(&path),
            Ok(Found::Binary { .. }) => refused("is not text", None),
            Ok(Found::TooLarge { bytes }) => refused(&format!("is too large for a chat ({bytes} bytes)"), None),
            Ok(Found::Special) => refused("is no regular file", None),
            Ok(Found::Absent) => match self.add_part(word) {
                Some(added) => Ok(vec![added]),
                None if is_pattern(word) => self.add_matches(word, &path),
                None => self.add_new(word, &path),
            },
            Err(error) => refused(&format!("cannot be taken: {}", chain(&error)), None),
        }
    }

    /// Shows a file, or a part of one, to the model without letting it be edited; it may stand outside the project.
    pub fn add_read_only(&mut self, word: &str) -> Result<Vec<Added>> {
        let inside = self.root.relative(Path::new(word), &self.cwd);
        let path = inside
            .as_ref()
            .map_or_else(|| self.cwd.join(word), |relative| self.root.path().join(relative));
        let name = inside.clone().unwrap_or_else(|| path.display().to_string());
        let refused = |why: String| {
            Ok(vec![Added::Refused {
                name: word.to_owned(),
                why,
                hint: None,
            }])
        };
        let found = files::read_anywhere(&path);
        if let Ok(Found::Binary { .. } | Found::TooLarge { .. }) = &found
            && let Some(added) = self.add_attachment(&name, &path)
        {
            return Ok(vec![added]);
        }
        if let Ok(Found::Absent) = &found
            && let Some(added) = self.add_part_read_only(word)
        {
            return Ok(vec![added]);
        }
        match found {
            Ok(Found::Text(_)) => Ok(vec![self.add_one_read_only(&name, path)]),
            Ok(Found::Folder) if inside.is_some() => {
                let files = match self.files_below(&name)? {
                    Ok(files) => files,
                    Err(refusal) => return Ok(vec![refusal]),
                };
                Ok(self.add_many_read_only(&files))
            }
            Ok(Found::Absent) if is_pattern(word) => {
                let matches = self.matches(inside.as_deref().unwrap_or(word))?;
                if matches.is_empty() {
                    return refused("matches no file of the project".to_owned());
                }
                Ok(self.add_many_read_only(&matches))
            }
            Ok(Found::Absent) => refused("does not exist".to_owned()),
            Ok(Found::Folder) => refused("is a folder outside the project".to_owned()),
            Ok(Found::Binary { .. }) => refused("is not text".to_owned()),
            Ok(Found::TooLarge { bytes }) => refused(format!("is too large for a chat ({bytes} bytes)")),
            Ok(Found::Special) => refused("is no regular file".to_owned()),
            Err(error) => refused(format!("cannot be read: {}", chain(&error))),
        }
    }

    /// Takes files out of the chat: a name, a part of one as it was added, the files below a folder, the matches of a pattern. Returns what left.
    pub fn drop_files(&mut self, word: &str) -> Vec<String> {
        let typed = self
            .root
            .relative(Path::new(word), &self.cwd)
            .unwrap_or_else(|| word.to_owned());
        let pattern = is_pattern(word).then(|| glob(&typed)).flatten();
        let below = format!("{}/", typed.trim_end_matches('/'));
        let all: Vec<String> = self
            .files
            .editable()
            .iter()
            .cloned()
            .chain(self.files.read_only().iter().map(|file| file.name.clone()))
            .collect();
        let chosen: Vec<String> = match all.iter().find(|name| **name == typed || **name == word) {
            Some(name) => vec![name.clone()],
            None => all
                .into_iter()
                .filter(|name| {
                    name.starts_with(&below)
                        || typed.is_empty()
                        || pattern.as_ref().is_some_and(|glob| glob.is_match(name))
                })
                .collect(),
        };
        if chosen.is_empty() && self.drop_part(word) {
            return vec![word.to_owned()];
        }
        for name in &chosen {
            self.files.drop_file(name);
        }
        chosen
    }

    /// Empties the chat of files.
    pub fn drop_all_files(&mut self) {
        self.files.clear();
    }

    fn add_one(&mut self, path: &str) -> Added {
        let is_more = self.files.show_whole(path);
        if self.files.add(path) || is_more {
            Added::Editable(path.to_owned())
        } else {
            Added::Already(path.to_owned())
        }
    }

    fn add_one_read_only(&mut self, name: &str, path: PathBuf) -> Added {
        let is_more = self.files.show_whole(name);
        if self.files.add_read_only(name, path) || is_more {
            Added::ReadOnly(name.to_owned())
        } else {
            Added::Already(name.to_owned())
        }
    }

    /// Files that were not named one by one: those that may be edited stay so.
    fn add_many_read_only(&mut self, files: &[String]) -> Vec<Added> {
        let root = self.root.path().to_path_buf();
        files
            .iter()
            .map(|file| match self.files.is_editable(file) {
                true => Added::Already(file.clone()),
                false => self.add_one_read_only(file, root.join(file)),
            })
            .collect()
    }

    fn add_new(&mut self, word: &str, path: &str) -> Result<Vec<Added>> {
        let refused = |why: String| {
            Ok(vec![Added::Refused {
                name: word.to_owned(),
                why,
                hint: None,
            }])
        };
        if let Err(error) = self.root.fenced(path) {
            return refused(format!("cannot be made: {}", chain(&error)));
        }
        let create = self.put(&Question {
            text: format!("`{path}` does not exist. Take it into the chat as a new file?"),
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: true,
            choices: Vec::new(),
        });
        if create != Answer::Yes {
            return refused("does not exist".to_owned());
        }
        self.files.add(path);
        Ok(vec![Added::New(path.to_owned())])
    }

    fn add_folder(&mut self, path: &str) -> Result<Vec<Added>> {
        match self.files_below(path)? {
            Ok(files) => Ok(files.iter().map(|file| self.add_one(file)).collect()),
            Err(refusal) => Ok(vec![refusal]),
        }
    }

    fn add_matches(&mut self, word: &str, path: &str) -> Result<Vec<Added>> {
        let matches = self.matches(path)?;
        if matches.is_empty() {
            return Ok(vec![Added::Refused {
                name: word.to_owned(),
                why: "matches no file of the project".to_owned(),
                hint: None,
            }]);
        }
        Ok(matches.iter().map(|file| self.add_one(file)).collect())
    }

    /// The project's text files below a folder, unless they are too many. Files that look like secrets are left out:
    /// those must be named.
    fn files_below(&mut self, folder: &str) -> Result<Result<Vec<String>, Added>> {
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let files: Vec<String> = self
            .open_files()?
            .into_iter()
            .filter(|file| file.starts_with(&prefix))
            .collect();
        let refused = |why: String, hint: &str| {
            Ok(Err(Added::Refused {
                name: format!("{folder}/"),
                why,
                hint: Some(hint.to_owned()),
            }))
        };
        match files.len() {
            0 => refused(
                "is a folder without files that may be added".to_owned(),
                "files that git ignores must be named one by one",
            ),
            n if n > MAX_FOLDER_FILES => refused(
                format!("is a folder with {n} files, and every one of them would go into each request"),
                "name the files, or a pattern such as `src/*.rs`",
            ),
            _ => Ok(Ok(files)),
        }
    }

    fn matches(&mut self, pattern: &str) -> Result<Vec<String>> {
        let Some(glob) = glob(pattern) else {
            return Ok(Vec::new());
        };
        Ok(self
            .open_files()?
            .into_iter()
            .filter(|file| glob.is_match(file))
            .collect())
    }

    /// The project's files without those that look like secrets and without what cannot be in a chat.
    fn open_files(&mut self) -> Result<Vec<String>> {
        let files = self.map.files()?;
        Ok(files
            .into_iter()
            .filter(|file| secrets::looks_secret(file).is_none() && matches!(self.root.read(file), Ok(Found::Text(_))))
            .collect())
    }
}

fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// `*` stays within one folder, `**` crosses them.
fn glob(pattern: &str) -> Option<globset::GlobMatcher> {
    globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
