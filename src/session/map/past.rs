//! The repository's history for the map: read once for each newest commit, and only as far as it is new.

use serde::{Deserialize, Serialize};

use crate::git::{Head, Repo};
use crate::repo_map::history::History;
use crate::store::tag_cache::TagCache;

/// Commits that are read. 500 do nearly as well as 5,000 beside the other voices; rarely changed files gain from more.
const COMMITS: usize = 1_000;
/// New commits on top of a known one that are read alone; after more of them all is read again.
const NEW: usize = 60;
/// Version of the kept form.
const VERSION: u32 = 2;

/// A commit as it is kept.
#[derive(Clone, Serialize, Deserialize)]
struct Commit {
    subject: String,
    /// (path, old name when it was renamed).
    files: Vec<(String, Option<String>)>,
}

/// What is known of the past.
#[derive(Default)]
pub(super) struct Past {
    head: Option<String>,
    commits: Vec<Commit>,
    history: History,
}

impl Past {
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// The newest commit is the one that was read up to.
    pub(super) fn is_current(&self, repo: &Repo) -> bool {
        head(repo) == self.head
    }

    /// What is still to be read to follow HEAD; None without commits.
    pub(super) fn unread(&mut self, repo: &Repo, cache: &mut TagCache) -> Option<Unread> {
        let head = head(repo)?;
        // Known commits lie below HEAD in a straight line: what lies above them is all that is new, in this order.
        let line = repo.line(NEW).unwrap_or_default();
        let known = line.iter().position(|id| match &self.head {
            Some(known) if known == id => true,
            _ => match cache
                .history(&key(id))
                .and_then(|data| postcard::from_bytes(&data).ok())
            {
                Some(commits) => {
                    self.commits = commits;
                    true
                }
                None => false,
            },
        });
        Some(Unread { head, above: known })
    }

    /// Takes in what was read.
    pub(super) fn follow(&mut self, read: Read, cache: &mut TagCache, day: i64) {
        let Read { head, above, commits } = read;
        if above.is_none() {
            self.commits.clear();
        }
        let is_new = !commits.is_empty();
        self.commits.splice(0..0, commits);
        self.commits.truncate(COMMITS);
        if is_new && let Ok(data) = postcard::to_stdvec(&self.commits) {
            cache.keep_history(&key(&head), &data, day);
        }
        self.history = History::new(
            self.commits
                .iter()
                .map(|commit| (commit.subject.as_str(), commit.files.as_slice())),
        );
        self.head = Some(head);
    }
}

/// What is still to be read.
pub(super) struct Unread {
    head: String,
    /// Commits above those that are known; None when none are.
    above: Option<usize>,
}

/// What was read.
pub(super) struct Read {
    head: String,
    above: Option<usize>,
    commits: Vec<Commit>,
}

impl Unread {
    /// Reads it, which takes long where nothing is known. None for a history that cannot be read: the map does without.
    pub(super) fn read(self, repo: &Repo) -> Option<Read> {
        let Self { head, above } = self;
        let commits = match above.unwrap_or(COMMITS) {
            0 => Vec::new(),
            wanted => repo.history(wanted).ok()?,
        };
        let commits = commits.into_iter().map(|commit| Commit {
            subject: commit.subject,
            files: commit.files,
        });
        Some(Read {
            head,
            above,
            commits: commits.collect(),
        })
    }
}

/// The newest commit; None without one.
fn head(repo: &Repo) -> Option<String> {
    match repo.head() {
        Ok(Head::Branch { commit, .. } | Head::Detached { commit }) => Some(commit),
        _ => None,
    }
}

fn key(id: &str) -> String {
    format!("{id} {VERSION} {COMMITS}")
}
