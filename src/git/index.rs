//! The user's index: reading it in every format (libgit2 knows neither split nor sparse ones, so git unfolds those into
//! a copy), and letting entries follow a commit without touching any other: under git's own lock, on top of what the
//! index holds by then.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::path::Path;
use std::path::PathBuf;

use git2::Index;
use git2::IndexEntry;
use git2::IndexEntryExtendedFlag;
use git2::IndexEntryFlag;
use git2::IndexTime;
use git2::Oid;
use git2::Repository;

use super::Error;
use super::Repo;
use super::doing;
use super::doing_io;
use super::list::Stamp;
use super::lock::Lock;
use super::merge;
use super::merge::Merged;
use super::program::Program;
use super::tree::Entry;
use super::tree::Moves;

/// The index as libgit2 can use it.
pub(super) struct UserIndex {
    pub(super) index: Index,
    /// Keeps the copy that it was read from, when libgit2 cannot read the real one.
    _copy: Option<tempfile::TempDir>,
}

/// Reads the index and makes it the one that `repo` uses from here on.
pub(super) fn read(repo: &Repository, of: &Repo) -> Result<UserIndex, Error> {
    let cause = match repo.index() {
        Ok(index) => return Ok(UserIndex { index, _copy: None }),
        Err(error) => error,
    };
    let copy = unfolded_copy(of).map_err(|error| match error {
        // Git cannot read it either, or is not there: libgit2's words say what is wrong with the file.
        Error::Program { .. } => doing("read the index")(cause),
        other => other,
    })?;
    let mut index = Index::open(&copy.path().join("index")).map_err(doing("read the index"))?;
    repo.set_index(&mut index).map_err(doing("read the index"))?;
    Ok(UserIndex {
        index,
        _copy: Some(copy),
    })
}

/// A plain copy of the index in a folder of its own.
fn unfolded_copy(of: &Repo) -> Result<tempfile::TempDir, Error> {
    let dir = tempfile::tempdir().map_err(doing_io("copy the index", &std::env::temp_dir()))?;
    let real = real_path(of);
    let path = dir.path().join("index");
    std::fs::copy(&real, &path).map_err(doing_io("copy the index", &real))?;
    Program {
        root: &of.root,
        args: &[
            "-c",
            "core.splitIndex=false",
            "-c",
            "index.sparse=false",
            "-c",
            "index.skipHash=false",
            "-c",
            "core.fsmonitor=false",
            "update-index",
            "--no-split-index",
            "--index-version",
            "2",
            "--force-write-index",
        ],
        index_file: Some(&path),
        input: b"",
    }
    .run()?;
    Ok(dir)
}

/// The index of the work tree, links resolved: git puts a new one in the place of the file itself.
pub(super) fn real_path(of: &Repo) -> PathBuf {
    let path = of.git_dir.join("index");
    path.canonicalize().unwrap_or(path)
}

/// What becomes of an entry that differs from the state before, which is the user's own staging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// It takes the change in and stays staged; where both changed the same lines nothing is written.
    Merge,
    /// It becomes the state after.
    Replace,
    /// It stays as it is, for putting back what was just done.
    Leave,
}

/// Lets the entries that equal the state before follow to the state after; `own` says what becomes of the others.
/// Entries in conflict stay. Gives back the moves that undo this.
///
/// `contents` are the bytes of the state after in the work tree, where known: an entry whose file on disk is that gets
/// its time stamps, so that neither git nor [`super::list`] needs to open the file again.
///
/// # Errors
/// [`Error::Staged`] when a change overlaps with what is staged, and whatever keeps the index from being written;
/// it is untouched then.
pub(super) fn follow(of: &Repo, moves: &Moves, contents: &BTreeMap<&str, &[u8]>, own: Own) -> Result<Moves, Error> {
    if moves.is_empty() {
        return Ok(Moves::new());
    }
    let repo = of.open()?;
    let lock = Lock::take(of)?;
    let Some((copy, index)) = plain_copy(of, &repo)? else {
        // Only git can write this kind, and takes the lock itself.
        drop(lock);
        return follow_by_program(of, &repo, moves, own);
    };
    let mut user_index = UserIndex { index, _copy: None };
    let changes = user_index.changes(&repo, moves, own)?;
    if changes.is_empty() {
        return Ok(Moves::new());
    }
    let failed = doing("write the index");
    // Removals first: a file may take the place of a folder.
    for (path, (_, new)) in &changes {
        if new.is_none() {
            user_index.index.remove(Path::new(path), 0).map_err(&failed)?;
        }
    }
    for (path, (_, new)) in &changes {
        let Some(new) = new else { continue };
        let mut entry = index_entry(path, *new);
        if let Some(old) = user_index.index.get_path(Path::new(path), 0) {
            entry.flags |= old.flags & IndexEntryFlag::VALID.bits();
            entry.flags_extended |= old.flags_extended & IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
        }
        let is_after = moves.get(path).is_some_and(|(_, after)| after.as_ref() == Some(new));
        if is_after
            && let Some(content) = contents.get(path.as_str())
            && let Some(stamp) = stamp_of_same(&of.root.join(path), content)
        {
            stamp.put_into(&mut entry);
        }
        user_index.index.add(&entry).map_err(&failed)?;
    }
    user_index.index.write().map_err(&failed)?;
    let path = copy.path().join("index");
    let bytes = std::fs::read(&path).map_err(doing_io("write the index", &path))?;
    lock.publish(&bytes)?;
    Ok(undoing(changes))
}

/// The index in a folder of its own, as the one that `repo` uses; None when libgit2 cannot read it.
///
/// The copy has the time stamp of the real one: by that libgit2 knows which entries may have changed unseen.
fn plain_copy(of: &Repo, repo: &Repository) -> Result<Option<(tempfile::TempDir, Index)>, Error> {
    let dir = tempfile::tempdir().map_err(doing_io("copy the index", &std::env::temp_dir()))?;
    let path = dir.path().join("index");
    let real = real_path(of);
    let failed = doing_io("copy the index", &real);
    if let Ok(found) = real.metadata() {
        std::fs::write(&path, std::fs::read(&real).map_err(&failed)?).map_err(&failed)?;
        let stamped = std::fs::File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(found.modified()?));
        stamped.map_err(&failed)?;
    }
    let Ok(mut index) = Index::open(&path) else {
        return Ok(None);
    };
    repo.set_index(&mut index).map_err(doing("read the index"))?;
    Ok(Some((dir, index)))
}

fn follow_by_program(of: &Repo, repo: &Repository, moves: &Moves, own: Own) -> Result<Moves, Error> {
    let changes = read(repo, of)?.changes(repo, moves, own)?;
    if changes.is_empty() {
        return Ok(Moves::new());
    }
    let input = index_info(changes.iter().map(|(path, (_, new))| (path.as_str(), *new)));
    super::lock::wait_until_free(of)?;
    Program {
        root: &of.root,
        args: &["update-index", "-z", "--index-info"],
        index_file: None,
        input: &input,
    }
    .run()?;
    Ok(undoing(changes))
}

fn undoing(changes: Moves) -> Moves {
    changes
        .into_iter()
        .map(|(path, (old, new))| (path, (new, old)))
        .collect()
}

impl UserIndex {
    /// Id and mode at `path`; None when it is not there. An entry in conflict is not there.
    pub(super) fn entry(&self, path: &str) -> Option<Entry> {
        self.index
            .get_path(Path::new(path), 0)
            .map(|entry| (entry.id, entry.mode))
    }

    /// Both sides of a merge stand at `path`.
    pub(super) fn is_in_conflict(&self, path: &str) -> bool {
        self.index.has_conflicts() && (1..=3).any(|stage| self.index.get_path(Path::new(path), stage).is_some())
    }

    /// Files that a sparse checkout leaves out of the work tree: their absence is no deletion.
    pub(super) fn left_out(&self, of: &Repo) -> HashSet<String> {
        let skipped = IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
        self.index
            .iter()
            .filter(|entry| entry.flags_extended & skipped != 0)
            .filter_map(|entry| String::from_utf8(entry.path).ok())
            .filter(|path| of.root.join(path).symlink_metadata().is_err())
            .collect()
    }

    /// Each entry that is to change, with its old and its new state.
    fn changes(&self, repo: &Repository, moves: &Moves, own: Own) -> Result<Moves, Error> {
        let mut changes = Moves::new();
        for (path, (before, after)) in moves {
            if before == after || self.is_in_conflict(path) {
                continue;
            }
            let old = self.entry(path);
            let new = match own {
                _ if old == *before => *after,
                Own::Leave => old,
                Own::Replace => *after,
                Own::Merge => match merge::entry(repo, *before, old, *after)? {
                    Merged::Clean(new) => new,
                    Merged::Overlap => return Err(Error::Staged { path: path.clone() }),
                },
            };
            if new != old {
                changes.insert(path.clone(), (old, new));
            }
        }
        Ok(changes)
    }

    /// The paths whose moves overlap with what the user has staged.
    pub(super) fn overlapping(&self, repo: &Repository, moves: &Moves) -> Result<Vec<String>, Error> {
        let mut paths = Vec::new();
        for (path, (before, after)) in moves {
            if !self.is_in_conflict(path) && merge::entry(repo, *before, self.entry(path), *after)? == Merged::Overlap {
                paths.push(path.clone());
            }
        }
        Ok(paths)
    }
}

/// The stamp of a file that holds just these bytes and did not change while it was compared.
fn stamp_of_same(file: &Path, content: &[u8]) -> Option<Stamp> {
    let before = Stamp::of_file(file)?;
    let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
    let is_same = is_file && std::fs::read(file).is_ok_and(|bytes| bytes == content);
    (is_same && Stamp::of_file(file).as_ref() == Some(&before)).then_some(before)
}

/// The input of `git update-index -z --index-info`.
pub(super) fn index_info<'a>(changes: impl Iterator<Item = (&'a str, Option<Entry>)>) -> Vec<u8> {
    let mut input = Vec::new();
    for (path, entry) in changes {
        let (id, mode) = entry.unwrap_or((Oid::ZERO_SHA1, 0));
        input.extend_from_slice(format!("{mode:o} {id}\t{path}\0").as_bytes());
    }
    input
}

fn index_entry(path: &str, (id, mode): Entry) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_bytes().to_vec(),
    }
}
