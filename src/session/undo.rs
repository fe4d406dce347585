//! Walks turns back and forth: files from the journal, byte for byte; commits where nobody else has seen them.

use anyhow::Result;

use super::Session;
use crate::files::journal::TurnInfo;
use crate::files::journal::Walked;
use crate::git::TakenBack;
use crate::terminal::Event;

/// Whether a walk did something, for the exit code of `codriver undo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    Done,
    /// There was no turn to walk to.
    Nothing,
    /// A file changed since; nothing was touched.
    Refused,
}

impl Session {
    /// Takes the newest turn back: its files, its commits where possible, its messages.
    pub fn undo(&mut self) -> Result<Walk> {
        self.settle();
        let Some(walked) = self.journal.undo(&self.root)? else {
            self.ui.show(Event::Note("There is no turn to undo.".to_owned()));
            return Ok(Walk::Nothing);
        };
        if self.refused(&walked, "undo") {
            return Ok(Walk::Refused);
        }
        let mut text = format!("Took back \"{}\": {}.", walked.turn.label, walked.restored.join(", "));
        text.push_str(&self.take_commits_back(&walked.turn));
        self.journal.commits_followed(walked.turn.id)?;
        if let Some(turn) = self.history.take(walked.turn.id) {
            self.taken_back.push(turn);
            self.record_history();
        }
        self.ui.show(Event::Undo { text });
        Ok(Walk::Done)
    }

    /// Brings the turn that was taken back last again.
    pub fn redo(&mut self) -> Result<Walk> {
        self.settle();
        let Some(walked) = self.journal.redo(&self.root)? else {
            self.ui
                .show(Event::Note("There is no undone turn to bring back.".to_owned()));
            return Ok(Walk::Nothing);
        };
        if self.refused(&walked, "redo") {
            return Ok(Walk::Refused);
        }
        let mut text = format!(
            "Brought back \"{}\": {}.",
            walked.turn.label,
            walked.restored.join(", ")
        );
        text.push_str(&self.put_commits_back(&walked.turn));
        self.journal.commits_followed(walked.turn.id)?;
        if self
            .taken_back
            .last()
            .is_some_and(|turn| turn.id == Some(walked.turn.id))
        {
            self.history.turns.extend(self.taken_back.pop());
            self.record_history();
        }
        self.ui.show(Event::Undo { text });
        Ok(Walk::Done)
    }

    fn refused(&mut self, walked: &Walked, verb: &str) -> bool {
        if walked.changed_since.is_empty() {
            return false;
        }
        self.ui.show(Event::Error {
            message: format!(
                "cannot {verb} \"{}\": {} changed since, nothing was touched",
                walked.turn.label,
                walked
                    .changed_since
                    .iter()
                    .map(|path| format!("`{path}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            hint: Some(
                "`/diff` shows what changed; put those files back as the turn left them and try again".to_owned(),
            ),
        });
        true
    }

    /// What became of the commits of a turn whose files were taken back, each in a sentence.
    pub(super) fn take_commits_back(&self, turn: &TurnInfo) -> String {
        let newest_first = turn.commits.iter().rev();
        newest_first.map(|commit| self.take_commit_back(commit)).collect()
    }

    /// The same for a turn that was brought again.
    pub(super) fn put_commits_back(&self, turn: &TurnInfo) -> String {
        turn.commits.iter().map(|commit| self.put_commit_back(commit)).collect()
    }

    fn take_commit_back(&self, commit: &str) -> String {
        let short = short(commit);
        match self.git.as_ref().map(|git| git.take_back(commit)) {
            None => String::new(),
            Some(Ok(TakenBack::Yes)) => format!(" Commit {short} is off the branch."),
            Some(Ok(TakenBack::No(why))) => {
                format!(" Commit {short} stays, since {why}; the files differ from it now, uncommitted.")
            }
            Some(Err(error)) => format!(" Commit {short} stays: {error}."),
        }
    }

    fn put_commit_back(&self, commit: &str) -> String {
        let short = short(commit);
        match self.git.as_ref().map(|git| git.put_back(commit)) {
            None => String::new(),
            Some(Ok(TakenBack::Yes)) => format!(" Commit {short} is on the branch again."),
            Some(Ok(TakenBack::No(why))) => format!(" Commit {short} was not put back, since {why}."),
            Some(Err(error)) => format!(" Commit {short} was not put back: {error}."),
        }
    }
}

/// The first seven digits of a commit id.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
