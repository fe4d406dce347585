//! What a reply offers beside its edits: files it names and commands it suggests. The user decides.

use std::collections::BTreeSet;

use anyhow::Result;

use super::Session;
use super::reflection::Verdict;
use super::sandbox::WITH_NETWORK;
use super::verify::Purpose;
use crate::chat::history::Turn;
use crate::chat::mentions;
use crate::chat::message::Message;
use crate::chat::reply;
use crate::edit_format::ShellSuggestion;
use crate::files::Found;
use crate::policy::commands;
use crate::policy::secrets;
use crate::repo_map::paths::is_of_tests;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// A reply that names more files than this lists them, it does not ask for them.
const MAX_OFFERED: usize = 12;

/// A file that the model asks for, or a part of one.
struct Wanted {
    path: String,
    part: Option<String>,
}

impl Wanted {
    fn file(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            part: None,
        }
    }

    fn part(path: &str, part: String) -> Self {
        Self {
            path: path.to_owned(),
            part: Some(part),
        }
    }

    /// As it is typed behind `/add`.
    fn word(&self) -> String {
        match &self.part {
            Some(part) => format!("{}:{part}", self.path),
            None => self.path.clone(),
        }
    }
}

impl Session {
    /// Offers the files that a text names and that are not in the chat, and the parts that it names of long ones. When some
    /// were taken, the model may go on with the request.
    pub(super) fn offer_mentioned(&mut self, text: &str, request: &str) -> Result<Option<Verdict>> {
        if mentions::candidates(text).is_empty() {
            return Ok(None);
        }
        let offered = self.mentioned(text)?;
        if offered.is_empty() || offered.len() > MAX_OFFERED {
            return Ok(None);
        }
        let names = offered.iter().map(Wanted::word).collect::<Vec<_>>();
        let list = names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let answer = self.put(&Question {
            text: match offered.len() {
                1 => format!("{list} is named. Add it to the chat?"),
                _ => format!("{list} are named. Add them to the chat?"),
            },
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: true,
            choices: Vec::new(),
        });
        if answer != Answer::Yes {
            if !self.is_stopped {
                self.declined.extend(names);
            }
            return Ok(None);
        }
        for wanted in &offered {
            self.take_wanted(wanted)?;
        }
        let in_full = if offered.iter().all(|wanted| wanted.part.is_none()) {
            " in full"
        } else {
            ""
        };
        Ok(Some(Verdict::GoOn(format!(
            "You can see {list}{in_full} now. Go on with my request:\n\n{request}"
        ))))
    }

    /// What a text names that the model does not see yet: files, in the order of the project, then parts.
    fn mentioned(&mut self, text: &str) -> Result<Vec<Wanted>> {
        let known = self.map.files()?;
        let known = || known.iter().map(String::as_str);
        let mut files = Vec::new();
        let mut parts: Vec<Wanted> = Vec::new();
        for (path, part) in mentions::parts_in(text, known()) {
            if self.is_shown_whole(path) {
                continue;
            }
            let is_in_chat = !self.files.excerpts(path).is_empty();
            let is_long = || matches!(self.root.read(path), Ok(Found::Text(file)) if self.is_long(&file.text));
            if self.lacks_part(path, &part) && (is_in_chat || is_long()) {
                parts.push(Wanted::part(path, part));
            } else if !is_in_chat {
                files.push(path);
            }
        }
        // Of a file that is shown in part one speaks without wanting all of it.
        let asks = reply::asks_for_files(text);
        let named = mentions::files_in(text, known()).into_iter();
        let named = named.filter(|path| asks || self.files.excerpts(path).is_empty());
        files.extend(named.filter(|path| !self.is_shown_whole(path)));
        files.retain(|path| secrets::looks_secret(path).is_none() && !self.declined.contains(*path));
        files.retain(|path| matches!(self.root.read(path), Ok(Found::Text(_))));
        files.retain(|path| parts.iter().all(|part| part.path != *path));
        files.sort_unstable();
        files.dedup();
        parts.retain(|wanted| secrets::looks_secret(&wanted.path).is_none() && !self.declined.contains(&wanted.word()));
        Ok(files.into_iter().map(Wanted::file).chain(parts).collect())
    }

    fn is_shown_whole(&self, path: &str) -> bool {
        (self.files.is_editable(path) || self.files.is_read_only(path)) && self.files.excerpts(path).is_empty()
    }

    fn take_wanted(&mut self, wanted: &Wanted) -> Result<()> {
        // Whoever repairs what the tests found may read them.
        let is_frozen = self.repairs_tests && is_of_tests(&wanted.path) && !self.files.is_editable(&wanted.path);
        if is_frozen && !self.files.is_read_only(&wanted.path) {
            self.tests_to_read.push(wanted.path.clone());
        }
        let read_only = is_frozen || self.files.is_read_only(&wanted.path);
        let path = self.root.path().join(wanted.word()).display().to_string();
        if read_only {
            self.add_read_only(&path)?;
        } else {
            self.add(&path)?;
        }
        Ok(())
    }

    /// Asks for each suggested script, and runs it when the user agrees; its output can go to the chat.
    pub(super) fn offer_commands(&mut self, suggestions: &[ShellSuggestion]) -> Result<()> {
        if !self.options.suggest_commands {
            return Ok(());
        }
        for suggestion in suggestions {
            let risks = commands::risks(&suggestion.script);
            let words: BTreeSet<&str> = risks.iter().map(|risk| risk.kind.words()).collect();
            let words: Vec<&str> = words.into_iter().collect();
            let warning = if words.is_empty() {
                String::new()
            } else {
                format!(" It {}.", words.join(", and "))
            };
            let (fence, choices) = match self.holds_back_network() {
                None => (String::new(), Vec::new()),
                Some(false) => (" It runs in a sandbox.".to_owned(), Vec::new()),
                Some(true) => (
                    format!(" It runs in a sandbox, without network unless you answer `{WITH_NETWORK}`."),
                    vec![(WITH_NETWORK, "with network".to_owned())],
                ),
            };
            let answer = self.put(&Question {
                text: format!("The model suggests a command.{warning}{fence} Run it?"),
                detail: suggestion.script.clone(),
                default: Answer::No,
                yes_always_applies: false,
                choices,
            });
            let purpose = match answer {
                Answer::No => continue,
                Answer::Yes => Purpose::Suggested,
                Answer::Choice(_) => Purpose::SuggestedWithNetwork,
            };
            self.run_and_offer_output(purpose, &suggestion.script)?;
        }
        Ok(())
    }

    /// Notes something in the chat that was not said to the model yet.
    pub(super) fn note_in_chat(&mut self, text: String) {
        let note = Turn::new(vec![Message::user(text)]);
        self.record_note(&note);
        self.history.push(note);
        self.ui.show(Event::Note("It goes with your next message.".to_owned()));
    }
}
