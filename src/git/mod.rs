//! The git repository around the project: what is in it, committing exactly what a turn changed, taking such a commit
//! back. By libgit2; commits go through the git program where the repository has hooks, signing or filter programs,
//! since libgit2 runs none of them. Never resets, checks out or cleans the user's work tree, and never writes settings.
//!
//! One file per operation; this one holds what they give and take.

use std::path::{Path, PathBuf};
use std::time::Duration;

mod attributes;
mod commit;
mod commit_by_program;
mod diff;
mod dirty;
mod head;
mod history;
mod index;
mod intent;
mod list;
mod lock;
mod merge;
mod open;
mod program;
mod programs;
mod put_back;
mod take_back;
mod tree;
mod untracked;
mod walk;

pub use intent::Intent;
pub use intent::Settled;
pub use programs::ProgramChange;
pub use programs::Programs;

/// A repository with a work tree. Each call looks at the disk anew, so what other programs do in between is seen.
#[derive(Debug, Clone)]
pub struct Repo {
    root: PathBuf,
    git_dir: PathBuf,
    /// Commits run the hooks that may refuse them.
    verify: bool,
    /// How long a commit with its hooks may take.
    limit: Duration,
    stop: program::Stop,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A repository without commits.
    Unborn {
        branch: String,
    },
    Branch {
        name: String,
        commit: String,
    },
    Detached {
        commit: String,
    },
}

/// The id of a content as git computes it.
pub type BlobId = [u8; 20];

/// A file that git knows or would take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Relative to the work tree, with `/`.
    pub path: String,
    /// Blob id when the index says that the file on disk is unchanged since it was added; None when it must be
    /// looked at (changed, untracked, or changed within the index's time stamp).
    pub blob: Option<BlobId>,
    pub tracked: bool,
}

/// The new state of one file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub path: String,
    /// The bytes as they stand in the work tree (line endings and filters are applied here). None removes the file.
    pub content: Option<Vec<u8>>,
    pub executable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Full id in hex.
    pub id: String,
    /// A hook changed these files in the work tree while committing.
    pub changed_by_hooks: Vec<String>,
    /// Why the index could not follow the commit, as a clause; its entries show the commit's change reversed.
    pub index_behind: Option<String>,
}

/// What became of a commit that should be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    /// The branch points at the parent again; the index entries of the commit's files follow, the rest is untouched.
    Yes,
    /// Why it stays, as a clause (`it was pushed to origin/main`, `commit abc1234 stands on top of it`).
    No(String),
}

/// One commit of the history that the repository map learns from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    pub id: String,
    pub subject: String,
    /// (path, old name when it was renamed).
    pub files: Vec<(String, Option<String>)>,
}

/// Line ending that git puts into the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eol {
    Lf,
    CrLf,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("git: {doing}: {message}")]
    Git { doing: &'static str, message: String },
    #[error("`git {command}` failed: {output}")]
    Program { command: String, output: String },
    /// The caller wanted it to end.
    #[error("`git {command}` was stopped")]
    Stopped { command: String },
    #[error("`{path}` has staged changes of your own in the same lines")]
    Staged { path: String },
    #[error("a commit needs your name: run `git config user.name \"...\"` and `git config user.email \"...\"`")]
    NoIdentity,
    #[error(
        "the repository `{root}` belongs to another user: run `git config --global --add safe.directory {quoted}` if you trust it",
        root = root.display(),
        quoted = shell_words::quote(&root.to_string_lossy())
    )]
    OtherOwner { root: PathBuf },
}

impl Repo {
    /// The repository whose work tree holds `dir`; None when there is none (or a bare one). A repository that is there
    /// but cannot be used (broken, of a format that libgit2 does not know, of another owner) is an error.
    pub fn discover(dir: &Path) -> Result<Option<Self>, Error> {
        open::discover(dir)
    }

    /// Whether commits run the pre-commit and commit-msg hooks; they do unless told otherwise.
    pub fn verifying(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }

    /// How long a commit with its hooks may take; ten minutes unless told otherwise.
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// A commit that runs hooks or signs ends as soon as `stop` says so.
    pub fn stopped_by(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.stop = program::Stop::new(stop);
        self
    }

    /// The work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder with the repository's own files (of this work tree, when there are several).
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The folder that all work trees of the repository share, with its objects and branches.
    pub fn common_dir(&self) -> Option<PathBuf> {
        self.open().ok().map(|repo| repo.commondir().to_path_buf())
    }

    pub fn head(&self) -> Result<Head, Error> {
        head::head(&self.open()?)
    }

    /// Tracked files and untracked ones that are not ignored, sorted by path. Left out: submodules and repositories
    /// within, files that are not in the work tree (deleted, sparse), symbolic links, names that are not UTF-8.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        list::list(self, &|_| true)
    }

    /// The same, but only the tracked files that `look` picks are looked at; the others are listed as the index has them, without
    /// their blobs. A file costs a system call to look at, and a repository may hold many that do not matter.
    pub fn list_looking_at(&self, look: &(dyn Fn(&str) -> bool + Sync)) -> Result<Vec<Listed>, Error> {
        list::list(self, look)
    }

    /// Ignore rules say so and it is not tracked. False when that cannot be found out.
    pub fn is_ignored(&self, path: &str) -> bool {
        self.open().is_ok_and(|repo| attributes::is_ignored(&repo, path))
    }

    /// The index has it.
    pub fn is_tracked(&self, path: &str) -> bool {
        list::is_tracked(self, path)
    }

    /// Paths of submodules in the index, whether or not they are checked out, sorted.
    pub fn submodules(&self) -> Result<Vec<String>, Error> {
        list::submodules(self)
    }

    /// The line ending that attributes or settings ask for in a file at `path`; None when they ask for none.
    pub fn eol(&self, path: &str) -> Option<Eol> {
        attributes::eol(&self.open().ok()?, path)
    }

    /// The history stops early because the clone is shallow.
    pub fn is_shallow(&self) -> bool {
        self.open().is_ok_and(|repo| repo.is_shallow())
    }

    /// The file's content in the newest commit; None when it is not in it.
    pub fn head_content(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        head::content(&self.open()?, path)
    }

    /// Paths with changes against HEAD (staged or not), untracked ones left out, sorted.
    pub fn dirty(&self) -> Result<Vec<String>, Error> {
        dirty::dirty(self)
    }

    /// Commits exactly these versions on top of HEAD. The user's staged and unstaged changes stay: an index entry that
    /// equalled HEAD follows the commit, one with staged changes of the user's own takes the commit's change in, so that
    /// just his changes are staged.
    ///
    /// `begin` hears what is about to be done before branch or index are touched; [`Self::settle`] puts right with it what a
    /// killed process left.
    ///
    /// None when nothing is left to commit: ignored files and those inside a submodule are never taken, and a version
    /// may equal HEAD.
    ///
    /// # Errors
    /// [`Error::Staged`] when a version changes lines that the user has staged changes of; [`Self::overlapping_staged`]
    /// tells beforehand. Nothing is committed then.
    pub fn commit(
        &self,
        versions: &[Version],
        message: &str,
        begin: &mut dyn FnMut(&Intent),
    ) -> Result<Option<Committed>, Error> {
        commit::commit(self, versions, message, index::Own::Merge, begin)
    }

    /// The same for versions that hold the user's own changes: whatever was staged of these files, their index entries
    /// are the committed versions afterwards.
    pub fn commit_whole(
        &self,
        versions: &[Version],
        message: &str,
        begin: &mut dyn FnMut(&Intent),
    ) -> Result<Option<Committed>, Error> {
        commit::commit(self, versions, message, index::Own::Replace, begin)
    }

    /// Ends a commit that was begun by a process which is no more. `is_over`: also a git that it started is.
    ///
    /// # Errors
    /// What keeps the repository from being read, or the index from being written.
    pub fn settle(&self, intent: &Intent, is_over: bool) -> Result<Settled, Error> {
        intent::settle(self, intent, is_over)
    }

    /// The paths of the versions that cannot be committed without touching what the user has staged of them.
    pub fn overlapping_staged(&self, versions: &[Version]) -> Result<Vec<String>, Error> {
        commit::overlapping_staged(self, versions)
    }

    /// Commits run hooks of the repository. False when that cannot be found out.
    pub fn has_commit_hooks(&self) -> bool {
        self.open()
            .is_ok_and(|repo| commit_by_program::has_hooks(&repo).unwrap_or(false))
    }

    /// Takes a commit back when it is the branch's head, not a merge and not known to be pushed. Files stay as they are;
    /// what the user has staged in them stays staged.
    pub fn take_back(&self, commit: &str) -> Result<TakenBack, Error> {
        take_back::take_back(self, commit)
    }

    /// Puts a commit that was taken back on the branch again, when the branch still stands where it stood then. Files stay
    /// as they are.
    pub fn put_back(&self, commit: &str) -> Result<TakenBack, Error> {
        put_back::put_back(self, commit)
    }

    /// Unified diff of the work tree (with untracked files) against `from` (a commit, or None for HEAD).
    pub fn diff(&self, from: Option<&str>) -> Result<String, Error> {
        diff::diff(self, from)
    }

    /// HEAD and the commits below it, newest first, as long as each has one parent; at most `limit`. Empty without commits.
    pub fn line(&self, limit: usize) -> Result<Vec<String>, Error> {
        history::line(self, limit)
    }

    /// The newest `limit` non-merge commits that HEAD reaches, newest first, with renames found.
    pub fn history(&self, limit: usize) -> Result<Vec<HistoryCommit>, Error> {
        history::history(self, limit)
    }

    /// A libgit2 handle of its own for one operation: its caches cannot be stale and no lock is needed.
    fn open(&self) -> Result<git2::Repository, Error> {
        open::open(&self.git_dir)
    }
}

/// Gives libgit2's errors the words for what was being done.
fn doing(doing: &'static str) -> impl Fn(git2::Error) -> Error {
    move |error| Error::Git {
        doing,
        message: error.message().trim_end_matches('.').to_string(),
    }
}

/// The same for errors of the file system, which do not name the file.
fn doing_io(doing: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |error| Error::Git {
        doing,
        message: format!("`{}`: {error}", path.display()),
    }
}
