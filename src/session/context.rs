//! Lets the model choose the files that a change needs: they join the chat, and the change can follow in the same turn.

use anyhow::Context as _;
use anyhow::Result;

use super::Session;
use super::TurnEnd;
use super::turn::Turn;
use crate::chat::mentions;
use crate::chat::message::Message;
use crate::chat::modes;
use crate::files::Found;
use crate::llm::Finish;
use crate::llm::Reply;
use crate::policy::secrets;
use crate::terminal::Event;
use crate::tokens;

/// Tokens that chosen files may bring into a request, whatever the window.
const MOST_TOKENS: usize = 60_000;

/// A model that chooses more files than this did not choose.
const MOST_FILES: usize = 25;

impl Session {
    /// Lets the model choose files for the message, then carries the message out with them.
    pub fn choose_and_change(&mut self, message: &str) -> TurnEnd {
        let turn = Turn::new(message, self.options.max_reflections, self.tests_after_writes());
        self.run(turn, Session::choose_then_change)
    }

    fn choose_then_change(&mut self, turn: &mut Turn) -> Result<TurnEnd> {
        let mode = |name| modes::by_name(name).context("the mode has a row in MODES");
        let before = self.mode;
        self.mode = mode("context")?;
        let chosen = self.drive(turn);
        self.mode = mode("code")?;
        let end = match chosen {
            Ok(TurnEnd::Done) => {
                // How the files were found is no part of the conversation: they are in the chat now.
                turn.said = vec![Message::user(&turn.message)];
                self.drive(turn)
            }
            ended => ended,
        };
        self.mode = before;
        end
    }

    /// Takes the files that a reply chooses into the chat, in the order of the reply, up to a number of tokens.
    pub(super) fn take_chosen(&mut self, reply: &Reply) -> Result<()> {
        if matches!(reply.finish, Finish::Incomplete(_) | Finish::Length) {
            self.ui.show(Event::Warning(
                "The choice is not whole; what there is of it counts.".to_owned(),
            ));
        }
        let window = self.main_settings().and_then(|settings| settings.context_window);
        let mut left = window.map_or(MOST_TOKENS, |window| MOST_TOKENS.min(window as usize / 2));
        let mut taken = Vec::new();
        let mut left_out = Vec::new();
        for path in self.chosen_in(&reply.text)? {
            let Ok(Found::Text(file)) = self.root.read(&path) else {
                continue;
            };
            let size = tokens::count(&file.text);
            if size > left || taken.len() == MOST_FILES {
                left_out.push(format!("`{path}` ({size} tokens)"));
                continue;
            }
            left -= size;
            self.files.add(&path);
            taken.push(format!("`{path}` ({size} tokens)"));
        }
        let words = match taken.len() {
            0 if left_out.is_empty() => "No further file was chosen.".to_owned(),
            0 => "None of the chosen files was taken.".to_owned(),
            _ => format!("In the chat now: {}.", taken.join(", ")),
        };
        self.ui.show(Event::Note(words));
        if !left_out.is_empty() {
            self.ui.show(Event::Warning(format!(
                "Left out, as the files would be too many: {}. `/add` takes them.",
                left_out.join(", ")
            )));
        }
        Ok(())
    }

    /// Files of the project that the text names and that are not in the chat, in the order in which it names them.
    fn chosen_in(&mut self, text: &str) -> Result<Vec<String>> {
        let known = self.map.files()?;
        let mut named: Vec<String> = mentions::files_in(text, known.iter().map(String::as_str))
            .into_iter()
            .filter(|path| !self.files.is_editable(path) && !self.files.is_read_only(path))
            .filter(|path| secrets::looks_secret(path).is_none())
            .map(str::to_owned)
            .collect();
        // One that is named by the end of its path only comes last.
        named.sort_by_key(|path| text.find(path.as_str()).unwrap_or(usize::MAX));
        Ok(named)
    }
}
