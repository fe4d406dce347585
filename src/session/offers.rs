//! What a reply offers beside its edits: files it names and commands it suggests. The user decides.

use std::collections::BTreeSet;

use anyhow::Result;

use super::Session;
use super::reflection::Verdict;
use crate::chat::history::Turn;
use crate::chat::mentions;
use crate::chat::message::Message;
use crate::edit_format::ShellSuggestion;
use crate::files::Found;
use crate::policy::commands;
use crate::policy::secrets;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// A reply that names more files than this lists them, it does not ask for them.
const MAX_OFFERED: usize = 12;

impl Session {
    /// Offers the files that a text names and that are not in the chat. When some were taken, the model may go on with the
    /// request.
    pub(super) fn offer_mentioned(&mut self, text: &str, request: &str) -> Result<Option<Verdict>> {
        if mentions::candidates(text).is_empty() {
            return Ok(None);
        }
        let known = self.map.files()?;
        let mut named: Vec<String> = mentions::files_in(text, known.iter().map(String::as_str))
            .into_iter()
            .filter(|path| {
                !self.files.is_editable(path) && !self.files.is_read_only(path) && !self.declined.contains(*path)
            })
            .filter(|path| secrets::looks_secret(path).is_none())
            .map(str::to_owned)
            .collect();
        named.retain(|path| matches!(self.root.read(path), Ok(Found::Text(_))));
        if named.is_empty() || named.len() > MAX_OFFERED {
            return Ok(None);
        }
        let list = named
            .iter()
            .map(|path| format!("`{path}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let answer = self.ui.ask(&Question {
            text: match named.len() {
                1 => format!("{list} is named. Add it to the chat?"),
                _ => format!("{list} are named. Add them to the chat?"),
            },
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: true,
            choices: Vec::new(),
        });
        if answer != Answer::Yes {
            self.declined.extend(named);
            return Ok(None);
        }
        for path in &named {
            self.files.add(path);
        }
        Ok(Some(Verdict::GoOn(format!(
            "You can see {list} in full now. Go on with my request:\n\n{request}"
        ))))
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
            let answer = self.ui.ask(&Question {
                text: format!("The model suggests a command.{warning} Run it?"),
                detail: suggestion.script.clone(),
                default: Answer::No,
                yes_always_applies: false,
                choices: Vec::new(),
            });
            if answer == Answer::Yes {
                self.run_command(&suggestion.script)?;
            }
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
