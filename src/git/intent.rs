//! What a commit is about to do, told before it begins: with it a commit whose process was killed can be settled by the
//! next one.

use std::collections::BTreeMap;

use git2::Commit;
use git2::Oid;
use git2::Repository;
use serde::Deserialize;
use serde::Serialize;

use super::Error;
use super::Repo;
use super::commit::Wanted;
use super::commit_by_program::moves_between;
use super::head;
use super::index;
use super::index::Own;
use super::tree;
use super::tree::Moves;

/// A commit is looked for among so many newest ones.
const REACH: usize = 100;

/// A commit that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The newest commit; None on a branch without any.
    head: Option<String>,
    subject: String,
    /// Git makes it in a process of its own, which may outlive ours.
    by_program: bool,
    /// Each path's state in that commit and in the new one.
    moves: BTreeMap<String, (State, State)>,
}

/// Id in hex and mode; None where there is no file.
type State = Option<(String, u32)>;

/// What became of a commit that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It is made; its full id in hex.
    Made(String),
    NotMade,
    /// Git may still be making it.
    Open,
}

impl Intent {
    pub(super) fn new(repo: &Repository, wanted: &Wanted<'_>, message: &str, by_program: bool) -> Result<Self, Error> {
        let state = |entry: &Option<tree::Entry>| entry.map(|(id, mode)| (id.to_string(), mode));
        Ok(Self {
            head: head::commit(repo)?.map(|commit| commit.id().to_string()),
            subject: message.trim().lines().next().unwrap_or_default().trim().to_string(),
            by_program,
            moves: wanted
                .moves
                .iter()
                .map(|(path, (before, after))| (path.clone(), (state(before), state(after))))
                .collect(),
        })
    }

    fn moves(&self) -> Moves {
        let entry = |state: &State| {
            let (id, mode) = state.as_ref()?;
            Some((Oid::from_str(id).ok()?, *mode))
        };
        self.moves
            .iter()
            .map(|(path, (before, after))| (path.clone(), (entry(before), entry(after))))
            .collect()
    }

    /// The commit that was made of it, hooks included: on top of the same commit, with the same subject somewhere in its
    /// own, and with a change of each path.
    fn find<'r>(&self, repo: &'r Repository) -> Result<Option<Commit<'r>>, Error> {
        let mut next = head::commit(repo)?;
        for _ in 0..REACH {
            let Some(commit) = next else { return Ok(None) };
            if self.head.as_ref().is_some_and(|head| *head == commit.id().to_string()) {
                return Ok(None);
            }
            let parent = commit.parent(0).ok();
            if parent.as_ref().map(|parent| parent.id().to_string()) == self.head {
                return Ok(self.is_made_by(repo, &commit)?.then_some(commit));
            }
            next = parent;
        }
        Ok(None)
    }

    fn is_made_by(&self, repo: &Repository, commit: &Commit<'_>) -> Result<bool, Error> {
        let summary = commit.summary_bytes().unwrap_or_default();
        if !String::from_utf8_lossy(summary).contains(self.subject.as_str()) {
            return Ok(false);
        }
        let changed = moves_between(repo, commit.parent_id(0).ok(), commit)?;
        Ok(self.moves.keys().all(|path| changed.contains_key(path)))
    }
}

/// Lets the index say what the branch says, whichever of the two a killed process had got to. `is_over`: git cannot be at
/// it any more, whoever made the commit.
pub(super) fn settle(of: &Repo, intent: &Intent, is_over: bool) -> Result<Settled, Error> {
    let repo = of.open()?;
    let newest = head::commit(&repo)?.map(|commit| commit.id());
    let nothing = BTreeMap::new();
    if let Some(made) = intent.find(&repo)? {
        if Some(made.id()) == newest {
            let moves = moves_between(&repo, made.parent_id(0).ok(), &made)?;
            match index::follow(of, &moves, &nothing, Own::Merge) {
                Err(Error::Staged { .. }) => index::follow(of, &moves, &nothing, Own::Leave)?,
                followed => followed?,
            };
        }
        return Ok(Settled::Made(made.id().to_string()));
    }
    if newest.map(|id| id.to_string()) != intent.head {
        return Ok(Settled::NotMade);
    }
    if intent.by_program && !is_over {
        return Ok(Settled::Open);
    }
    // The index may have gone ahead.
    let back = intent
        .moves()
        .into_iter()
        .map(|(path, (before, after))| (path, (after, before)))
        .collect();
    index::follow(of, &back, &nothing, Own::Leave)?;
    Ok(Settled::NotMade)
}
