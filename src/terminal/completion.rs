//! What Tab offers: commands, their arguments, and the names of files and identifiers inside messages.
//!
//! It computes from lists that others fill, so a press of Tab never waits for a walk through the project; only paths
//! that begin with `/`, `~` or `..` are looked up on disk, one folder at a time, and the definitions of one file.

use std::fmt;
use std::sync::Arc;

/// More candidates than this are no help to anybody.
pub const MAX_CANDIDATES: usize = 200;

/// A command as Tab knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRow {
    /// With its slash: `/add`.
    pub name: String,
    pub summary: String,
    pub argument: Argument,
}

/// What a command takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    None,
    /// Files of the project and paths on disk.
    Files,
    /// Files that are in the chat.
    ChatFiles,
    Models,
    /// One of a few words.
    Words(Vec<String>),
    /// A message; files and identifiers as everywhere in messages.
    Text,
}

/// The lists. One thread fills them, Tab reads them.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// Relative to the root, with `/`, sorted.
    pub files: Vec<String>,
    pub chat_files: Vec<String>,
    pub identifiers: Vec<String>,
    pub models: Vec<String>,
    pub definitions: Definitions,
}

/// From the path of a file to the names of what it defines.
type ListDefinitions = dyn Fn(&str) -> Vec<String> + Send + Sync;

/// Finds the names of the definitions in a file of the project.
#[derive(Clone)]
pub struct Definitions(pub Arc<ListDefinitions>);

impl Default for Definitions {
    fn default() -> Self {
        Self(Arc::new(|_| Vec::new()))
    }
}

impl fmt::Debug for Definitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Definitions")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What stands in the text afterwards, from the start of the completed word.
    pub text: String,
    /// What the list shows.
    pub label: String,
    /// Nothing more can follow, so a space does.
    pub is_complete: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where the completed word begins, in bytes.
    pub start: usize,
    pub candidates: Vec<Candidate>,
}

/// The names in a folder on disk, folders with `/` at the end.
pub type ListFolder<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// The candidates for the word that ends where `before` ends.
pub fn complete(before: &str, commands: &[CommandRow], words: &Words, list_folder: ListFolder) -> Completion {
    let line = before.trim_start();
    let offset = before.len() - line.len();
    if line.starts_with('/') && !line.contains(char::is_whitespace) {
        let candidates = commands
            .iter()
            .filter(|row| row.name.starts_with(line))
            .map(|row| Candidate {
                text: row.name.clone(),
                label: format!("{}  {}", row.name, row.summary),
                is_complete: true,
            })
            .collect();
        return Completion {
            start: offset,
            candidates,
        };
    }
    let command = line
        .split_once(char::is_whitespace)
        .and_then(|(name, _)| command_named(commands, name));
    match command.map(|row| &row.argument) {
        None | Some(Argument::Text) => in_message(before, words),
        Some(Argument::None) => Completion::default(),
        Some(Argument::Words(words)) => plain(before, words),
        Some(Argument::Models) => plain(before, &words.models),
        Some(Argument::Files) => parts(before, words).unwrap_or_else(|| files(before, &words.files, list_folder)),
        Some(Argument::ChatFiles) => files(before, &words.chat_files, list_folder),
    }
}

/// The command of that name, or the only one that begins so.
fn command_named<'a>(commands: &'a [CommandRow], name: &str) -> Option<&'a CommandRow> {
    if let Some(row) = commands.iter().find(|row| row.name == name) {
        return Some(row);
    }
    let mut rows = commands
        .iter()
        .filter(|row| name.starts_with('/') && row.name.starts_with(name));
    rows.next().filter(|_| rows.next().is_none())
}

fn plain(before: &str, words: &[String]) -> Completion {
    let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = &before[start..];
    let matching = |word: &str, within: bool| -> Vec<Candidate> {
        words
            .iter()
            .filter(|known| {
                if within {
                    known.contains(word)
                } else {
                    known.starts_with(word)
                }
            })
            .take(MAX_CANDIDATES)
            .map(|known| whole(known))
            .collect()
    };
    let mut candidates = matching(word, false);
    if candidates.is_empty() && word.len() >= 2 {
        candidates = matching(word, true);
    }
    Completion { start, candidates }
}

fn whole(text: &str) -> Candidate {
    Candidate {
        text: text.to_string(),
        label: text.to_string(),
        is_complete: true,
    }
}

/// A definition behind `FILE:`, by its whole name or its last component. None when the word is no file of the project with a
/// colon.
fn parts(before: &str, words: &Words) -> Option<Completion> {
    let (start, word) = last_argument(before);
    let (file, part) = word.split_once(':')?;
    words.files.binary_search_by(|known| known.as_str().cmp(file)).ok()?;
    let part = part.trim_start_matches(':');
    let mut names = (words.definitions.0)(file);
    names.sort();
    names.dedup();
    let begins = |name: &&String| {
        let last = name.rsplit('.').next().unwrap_or(name);
        name.starts_with(part) || last.starts_with(part)
    };
    let candidates = names.iter().filter(begins).take(MAX_CANDIDATES).map(|name| Candidate {
        text: quoted(&format!("{file}:{name}"), true),
        label: name.clone(),
        is_complete: true,
    });
    Some(Completion {
        start,
        candidates: candidates.collect(),
    })
}

/// A file name in the arguments of a command, where quotes and backslashes count.
fn files(before: &str, files: &[String], list_folder: ListFolder) -> Completion {
    let (start, word) = last_argument(before);
    let mut candidates = if is_outside(&word) {
        on_disk(&word, list_folder)
    } else {
        paths(&word, files)
    };
    for candidate in &mut candidates {
        candidate.text = quoted(&candidate.text, candidate.is_complete);
    }
    Completion { start, candidates }
}

fn is_outside(word: &str) -> bool {
    word.starts_with('/') || word.starts_with('~') || word.starts_with("..")
}

/// The start of the last argument and its text without quotes and backslashes.
fn last_argument(before: &str) -> (usize, String) {
    let mut start = before.len();
    let mut word = String::new();
    let mut quote = None;
    let mut in_word = false;
    let mut chars = before.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !in_word && c.is_whitespace() {
            continue;
        }
        if !in_word {
            in_word = true;
            start = at;
            word.clear();
        }
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('\\', None | Some('"')) => word.extend(chars.next().map(|(_, c)| c)),
            (c, None) if c.is_whitespace() => {
                in_word = false;
                start = before.len();
                word.clear();
            }
            (c, _) => word.push(c),
        }
    }
    (start, word)
}

/// As it has to be typed to be one argument. A folder keeps its quote open, so that typing can go on.
fn quoted(path: &str, is_complete: bool) -> String {
    if !path.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\')) {
        return path.to_string();
    }
    let inner = path.replace('\\', "\\\\").replace('"', "\\\"");
    if is_complete {
        format!("\"{inner}\"")
    } else {
        format!("\"{inner}")
    }
}

/// Project files that begin with `word`, one step of their path at a time; else those whose name does.
fn paths(word: &str, files: &[String]) -> Vec<Candidate> {
    let word = word.strip_prefix("./").unwrap_or(word);
    let mut candidates: Vec<Candidate> = Vec::new();
    for file in files.iter().filter(|file| file.starts_with(word)) {
        let step = file[word.len()..].find('/').map(|at| &file[..=word.len() + at]);
        let text = step.unwrap_or(file);
        if candidates.last().is_some_and(|last| last.text == text) {
            continue;
        }
        candidates.push(Candidate {
            text: text.to_string(),
            label: text.to_string(),
            is_complete: step.is_none(),
        });
        if candidates.len() == MAX_CANDIDATES {
            break;
        }
    }
    if candidates.is_empty() && !word.is_empty() {
        let named = |file: &&String| file.rsplit('/').next().is_some_and(|name| name.starts_with(word));
        candidates = files
            .iter()
            .filter(named)
            .take(MAX_CANDIDATES)
            .map(|file| whole(file))
            .collect();
    }
    candidates
}

fn on_disk(word: &str, list_folder: ListFolder) -> Vec<Candidate> {
    let (folder, name) = word
        .rsplit_once('/')
        .map_or((word, ""), |(folder, name)| (folder, name));
    let folder = if word.contains('/') {
        format!("{folder}/")
    } else {
        format!("{word}/")
    };
    let mut names = list_folder(&folder);
    names.sort();
    names
        .iter()
        .filter(|found| found.starts_with(name) && (!found.starts_with('.') || name.starts_with('.')))
        .take(MAX_CANDIDATES)
        .map(|found| Candidate {
            text: format!("{folder}{found}"),
            label: found.clone(),
            is_complete: !found.ends_with('/'),
        })
        .collect()
}

/// A file name or an identifier in the middle of a message.
fn in_message(before: &str, words: &Words) -> Completion {
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '-'))
        .last()
        .map_or(before.len(), |(at, _)| at);
    let word = &before[start..];
    if word.is_empty() {
        return Completion::default();
    }
    let mut candidates = paths(word, &words.files);
    let identifiers = words.identifiers.iter().filter(|name| name.starts_with(word));
    candidates.extend(
        identifiers
            .take(MAX_CANDIDATES - candidates.len())
            .map(|name| whole(name)),
    );
    Completion { start, candidates }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(before: &str) -> (String, Vec<String>) {
        let row = |name: &str, argument| CommandRow {
            name: name.to_string(),
            summary: String::new(),
            argument,
        };
        let commands = [
            row("/add", Argument::Files),
            row("/ask", Argument::Text),
            row("/clear", Argument::None),
            row("/drop", Argument::ChatFiles),
            row("/model", Argument::Models),
        ];
        let strings = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        let words = Words {
            files: strings(&[
                "README.md",
                "my notes/a b.txt",
                "src/lib.rs",
                "src/terminal/input.rs",
                "src/terminal/json.rs",
            ]),
            chat_files: strings(&["src/lib.rs"]),
            identifiers: strings(&["parse_reply", "src_root"]),
            models: strings(&["anthropic/claude", "openai/gpt"]),
            definitions: Definitions(Arc::new(|file| match file {
                "src/lib.rs" => vec!["Stage.run".to_string(), "run".to_string(), "Stage".to_string()],
                "my notes/a b.txt" => vec!["Rules".to_string()],
                _ => Vec::new(),
            })),
        };
        let list = |folder: &str| match folder {
            "/" => strings(&["etc/", "home/", ".hidden"]),
            "/etc/" => strings(&["hosts"]),
            _ => Vec::new(),
        };
        let completion = complete(before, &commands, &words, &list);
        let texts = completion
            .candidates
            .into_iter()
            .map(|candidate| candidate.text)
            .collect();
        (before[..completion.start].to_string(), texts)
    }

    fn check(before: &str, kept: &str, texts: &[&str]) {
        let (actual_kept, actual) = offered(before);
        assert_eq!(
            (actual_kept.as_str(), actual),
            (kept, texts.iter().map(|text| text.to_string()).collect()),
            "{before:?}"
        );
    }

    #[test]
    fn offers_commands_and_their_arguments() {
        check("/a", "", &["/add", "/ask"]);
        check("/add src/t", "/add ", &["src/terminal/"]);
        check(
            "/add src/terminal/",
            "/add ",
            &["src/terminal/input.rs", "src/terminal/json.rs"],
        );
        check("/add json", "/add ", &["src/terminal/json.rs"]);
        check("/drop ", "/drop ", &["src/"]);
        check("/model gpt", "/model ", &["openai/gpt"]);
        check("/clear ", "", &[]);
        check("/mod op", "/mod ", &["openai/gpt"]);
    }

    #[test]
    fn behind_a_file_and_a_colon_its_definitions_are_offered() {
        check(
            "/add src/lib.rs:",
            "/add ",
            &["src/lib.rs:Stage", "src/lib.rs:Stage.run", "src/lib.rs:run"],
        );
        check(
            "/add src/lib.rs:ru",
            "/add ",
            &["src/lib.rs:Stage.run", "src/lib.rs:run"],
        );
        check("/add \"my notes/a b.txt:R", "/add ", &["\"my notes/a b.txt:Rules\""]);
        check("/add nothing.rs:ru", "/add ", &[]);
    }

    #[test]
    fn names_with_blanks_are_quoted() {
        check("/add my", "/add ", &["\"my notes/"]);
        check("/add \"my notes/", "/add ", &["\"my notes/a b.txt\""]);
        check("/add my\\ notes/", "/add ", &["\"my notes/a b.txt\""]);
    }

    #[test]
    fn paths_outside_are_looked_up_one_folder_at_a_time() {
        check("/add /e", "/add ", &["/etc/"]);
        check("/add /etc/h", "/add ", &["/etc/hosts"]);
    }

    #[test]
    fn offers_files_and_identifiers_in_messages() {
        check("why does par", "why does ", &["parse_reply"]);
        check("look at `src", "look at `", &["src/", "src_root"]);
        check("/ask about READ", "/ask about ", &["README.md"]);
        check("nothing ", "", &[]);
    }
}
