//! The turns of the conversation, by number: listed, pinned, dropped.

use anyhow::Result;
use anyhow::bail;

use super::Session;
use crate::terminal::Event;

/// What is done to turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnChange {
    /// It is never summarised and never left out.
    Pin,
    Unpin,
    /// It leaves the conversation; files stay as they are.
    Drop,
}

impl Session {
    /// Lists the turns, oldest first: number, tokens, what was asked.
    pub fn show_turns(&mut self) {
        if self.history.turns.is_empty() {
            self.ui.show(Event::Note("The conversation is empty.".to_owned()));
            return;
        }
        let count = |text: &str| self.counts.count(text);
        let mut text = String::new();
        for (idx, turn) in self.history.turns.iter().enumerate() {
            let kind = match (turn.pinned, turn.summary) {
                (true, _) => "pinned ",
                (false, true) => "summary",
                (false, false) => "",
            };
            text.push_str(&format!(
                "{:>4} {:>8}  {kind:7}  {}\n",
                idx + 1,
                turn.tokens(&count),
                cut(&turn.title())
            ));
        }
        text.push_str(&format!("     {:>8}  in all\n", self.history.tokens(&count)));
        self.ui.show(Event::Print(text));
    }

    /// Changes the turns of those numbers (from 1).
    ///
    /// # Errors
    /// When there is no turn of such a number; then nothing was changed.
    pub fn change_turns(&mut self, numbers: &[usize], change: TurnChange) -> Result<()> {
        let last = self.history.turns.len();
        if let Some(number) = numbers.iter().find(|number| **number == 0 || **number > last) {
            bail!("there is no turn {number}; `/turns` lists them");
        }
        let listed: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let listed = listed.join(", ");
        let words = match change {
            TurnChange::Pin => format!("Turn {listed} stays as it is, however long the conversation gets."),
            TurnChange::Unpin => format!("Turn {listed} may be summarised again."),
            TurnChange::Drop => format!("Turn {listed} left the conversation; the files are as they were."),
        };
        for (idx, turn) in self.history.turns.iter_mut().enumerate() {
            if numbers.contains(&(idx + 1)) {
                match change {
                    TurnChange::Pin => turn.pinned = true,
                    TurnChange::Unpin => turn.pinned = false,
                    TurnChange::Drop => turn.messages.clear(),
                }
            }
        }
        self.history.turns.retain(|turn| !turn.messages.is_empty());
        self.record_history();
        self.ui.show(Event::Note(words));
        Ok(())
    }
}

/// A title as long as a line has room for.
fn cut(title: &str) -> String {
    const LONGEST: usize = 70;
    match title.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", title[..end].trim_end()),
        None => title.to_owned(),
    }
}
