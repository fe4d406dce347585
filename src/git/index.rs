//! The user's index: reading it in every format (libgit2 knows neither split nor sparse ones, so git unfolds those into
//! a copy), and letting entries follow a commit without touching any other.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::path::Path;
use std::path::PathBuf;

use git2::Index;
use git2::IndexEntry;
use git2::IndexEntryExtendedFlag;
use git2::IndexTime;
use git2::Oid;
use git2::Repository;

use super::Error;
use super::Repo;
use super::doing;
use super::doing_io;
use super::list::Stamp;
use super::program::Program;
use super::tree::Entry;
use super::tree::Moves;

/// The index as libgit2 can use it.
pub(super) struct UserIndex {
    pub(super) index: Index,
    /// The copy that it was read from, when libgit2 cannot read the real one.
    copy: Option<tempfile::TempDir>,
}

/// Reads the index and makes it the one that `repo` uses from here on.
pub(super) fn read(repo: &Repository, of: &Repo) -> Result<UserIndex, Error> {
    let cause = match repo.index() {
        Ok(index) => return Ok(UserIndex { index, copy: None }),
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
        copy: Some(copy),
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

/// The index of the work tree.
pub(super) fn real_path(of: &Repo) -> PathBuf {
    of.git_dir.join("index")
}

/// An error when another program is writing the index; git's own words for it.
pub(super) fn check_unlocked(of: &Repo) -> Result<(), Error> {
    let lock = of.git_dir.join("index.lock");
    if lock.symlink_metadata().is_ok() {
        return Err(Error::Git {
            doing: "commit",
            message: format!(
                "another git program is at work (`{}` exists); remove that file if none is",
                lock.display()
            ),
        });
    }
    Ok(())
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

    /// Lets the entries that equal the state before follow to the state after; the user's own staged changes stay.
    /// Gives back the moves that undo this.
    ///
    /// `contents` are the bytes of the new entries in the work tree, where known: an entry whose file on disk is that
    /// gets its time stamps, so that neither git nor [`super::list`] needs to open the file again.
    pub(super) fn follow(
        &mut self,
        of: &Repo,
        moves: &Moves,
        contents: &BTreeMap<&str, &[u8]>,
    ) -> Result<Moves, Error> {
        let mut changes = BTreeMap::new();
        for (path, (before, after)) in moves {
            if before != after && self.entry(path) == *before && !self.is_in_conflict(path) {
                changes.insert(path.as_str(), (*before, *after));
            }
        }
        if changes.is_empty() {
            return Ok(Moves::new());
        }
        if self.copy.is_some() {
            let input = index_info(changes.iter().map(|(path, (_, after))| (*path, *after)));
            Program {
                root: &of.root,
                args: &["update-index", "-z", "--index-info"],
                index_file: None,
                input: &input,
            }
            .run()?;
        } else {
            // Removals first: a file may take the place of a folder.
            let failed = doing("write the index");
            for (path, (_, after)) in &changes {
                if after.is_none() {
                    self.index.remove(Path::new(path), 0).map_err(&failed)?;
                }
            }
            for (path, (_, after)) in &changes {
                if let Some(entry) = after {
                    let mut entry = index_entry(path, *entry);
                    if let Some(content) = contents.get(path)
                        && let Some(stamp) = stamp_of_same(&of.root.join(path), content)
                    {
                        stamp.put_into(&mut entry);
                    }
                    self.index.add(&entry).map_err(&failed)?;
                }
            }
            self.index.write().map_err(&failed)?;
        }
        Ok(changes
            .into_iter()
            .map(|(path, (before, after))| (path.to_string(), (after, before)))
            .collect())
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
