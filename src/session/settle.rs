//! Settles what an earlier run had begun with git and was killed before it ended: a commit whose index or journal does not
//! know of it yet, an `/undo` or `/redo` whose commits have not followed its files.

use anyhow::Result;

use super::Session;
use super::undo::short;
use crate::files::journal::Journal;
use crate::files::journal::TurnId;
use crate::git::Intent;
use crate::git::Settled;
use crate::terminal::Event;

impl Session {
    /// Settles at the start of a session and before the history is walked. What cannot be settled now is told, and tried
    /// again.
    pub(super) fn settle(&mut self) {
        self.settle_or_tell(false);
    }

    /// Settles before a commit: one that git might still be making cannot be made any more after that.
    pub(super) fn settle_before_commit(&mut self) {
        self.settle_or_tell(true);
    }

    fn settle_or_tell(&mut self, for_good: bool) {
        let done = self.settle_commits(for_good).and_then(|()| self.settle_walks());
        if let Err(error) = done {
            self.ui.show(Event::Warning(format!(
                "What the last run left undone in git cannot be settled yet: {error:#}."
            )));
        }
    }

    fn settle_commits(&mut self, for_good: bool) -> Result<()> {
        for begun in self.journal.begun_commits()? {
            let Some(git) = &self.git else { return Ok(()) };
            if begun.is_running {
                continue;
            }
            // On Linux the git that it had started has ended with it.
            let is_over = for_good || cfg!(target_os = "linux") || begun.age > self.options.command_limit;
            let settled = match serde_json::from_str::<Intent>(&begun.intent) {
                Ok(intent) => git.settle(&intent, is_over)?,
                // Of another version; it cannot be told what it was.
                Err(_) => Settled::NotMade,
            };
            if let Settled::Made(id) = &settled {
                if let Some(turn) = begun.turn {
                    self.journal.note_commit(turn, id)?;
                }
                self.ui.show(Event::Note(format!(
                    "The last run ended in the middle of a commit: commit {} is made, and the index knows it now.",
                    short(id)
                )));
            }
            if settled != Settled::Open {
                self.journal.end_commit(&begun.key)?;
            }
        }
        Ok(())
    }

    /// A commit that was begun is made and remembered, or was not made.
    pub(super) fn end_commit(&self, begun: Option<String>) -> Result<()> {
        Ok(begun.map_or(Ok(()), |key| self.journal.end_commit(&key))?)
    }

    fn settle_walks(&mut self) -> Result<()> {
        for turn in self.journal.commits_to_follow()? {
            if self.git.is_none() {
                return Ok(());
            }
            let (verb, told) = if turn.undone {
                ("undo", self.take_commits_back(&turn))
            } else {
                ("redo", self.put_commits_back(&turn))
            };
            self.journal.commits_followed(turn.id)?;
            self.ui.show(Event::Note(format!(
                "The last run ended in the middle of `/{verb}` of \"{}\".{told}",
                turn.label
            )));
        }
        Ok(())
    }
}

/// Notes a commit that is about to be made, for whoever has to settle it. One that cannot be noted is made all the same.
pub(super) fn note_begin(journal: &Journal, turn: Option<TurnId>, intent: &Intent) -> Option<String> {
    let intent = serde_json::to_string(intent).ok()?;
    journal.begin_commit(turn, &intent).ok()
}
