//! What the journal keeps of git's commits, so that a killed run can be settled: those of a turn, those that were begun and not
//! ended, and turns that were walked and whose commits have not followed yet.

use std::time::Duration;

use super::Error;
use super::index::BegunCommit;
use super::index::Event;
use super::index::Sync;
use super::index::Turn;
use super::journal::Journal;
use super::journal::TurnId;
use super::journal::TurnInfo;
use super::journal::new_id;
use super::journal::now;

/// A commit that was begun and never ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    pub key: String,
    pub turn: Option<TurnId>,
    /// Another process is at it.
    pub is_running: bool,
    pub age: Duration,
    pub intent: String,
}

impl Journal {
    /// Remembers a commit that was made of the turn's changes.
    pub fn note_commit(&self, turn: TurnId, commit: &str) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        self.turn(&index, turn)?;
        let id = commit.to_owned();
        index
            .append(Event::Commit { turn, id }, Sync::Later)
            .map_err(self.failed())
    }

    /// Remembers that a commit is about to be made, of this turn's changes or of others (None). `intent` is for whoever
    /// settles it when this process cannot. Returns the key for [`Self::end_commit`].
    pub fn begin_commit(&self, turn: Option<TurnId>, intent: &str) -> Result<String, Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        let begun = BegunCommit {
            key: new_id(),
            turn,
            process: std::process::id(),
            time: now(),
            intent: intent.to_owned(),
        };
        let key = begun.key.clone();
        index
            .append(Event::BeginCommit(begun), Sync::Later)
            .map_err(self.failed())?;
        Ok(key)
    }

    /// A commit is made and remembered, or was not made.
    pub fn end_commit(&self, key: &str) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        let key = key.to_owned();
        index
            .append(Event::EndCommit { key }, Sync::Later)
            .map_err(self.failed())
    }

    /// Commits that were begun and never ended, oldest first.
    pub fn begun_commits(&self) -> Result<Vec<Begun>, Error> {
        let index = self.index()?;
        let begun = |commit: &BegunCommit| Begun {
            key: commit.key.clone(),
            turn: commit.turn,
            is_running: is_other_process(commit.process),
            age: Duration::from_secs(u64::try_from(now() - commit.time).unwrap_or(0)),
            intent: commit.intent.clone(),
        };
        Ok(index.begun.iter().map(begun).collect())
    }

    /// Turns that were undone or brought again by a process which did not come to see to their commits.
    pub fn commits_to_follow(&self) -> Result<Vec<TurnInfo>, Error> {
        let index = self.index()?;
        let waits = |turn: &&Turn| turn.walked_by.is_some_and(|process| !is_other_process(process));
        Ok(index
            .turns
            .values()
            .filter(waits)
            .map(|turn| turn.info.clone())
            .collect())
    }

    /// The commits of a turn that was undone or brought again are seen to.
    pub fn commits_followed(&self, turn: TurnId) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        if self.turn(&index, turn)?.walked_by.is_none() {
            return Ok(());
        }
        index
            .append(Event::CommitsFollowed { turn }, Sync::Later)
            .map_err(self.failed())
    }
}

/// Whether a process of that number runs that is not this one. A number may have been given again; then what it had begun
/// waits for that process to end.
fn is_other_process(process: u32) -> bool {
    process != std::process::id()
        && i32::try_from(process)
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}
