//! Lists files fast: one parallel walk gives the time stamps of what the index holds and the names of the rest. No file is
//! opened.

use std::fs::Metadata;
use std::path::Path;

use git2::IndexEntry;
use git2::IndexEntryExtendedFlag;
use git2::IndexTime;
use rayon::prelude::*;

use super::Error;
use super::Listed;
use super::Repo;
use super::index;
use super::tree;
use super::untracked;
use super::walk;

/// `look` says which tracked files are looked at; the others are listed as the index has them.
pub(super) fn list(of: &Repo, look: &(dyn Fn(&str) -> bool + Sync)) -> Result<Vec<Listed>, Error> {
    let repo = of.open()?;
    let user_index = index::read(&repo, of)?;
    let written = Stamp::of_file(&index::real_path(of));
    let mut entries: Vec<IndexEntry> = user_index.index.iter().collect();
    // Already so, but for file systems that do not tell case apart: there libgit2 sorts without it.
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let known: Vec<&[u8]> = entries.iter().map(|entry| entry.path.as_slice()).collect();
    let walked = walk::walk(&of.root, &known, look);
    let mut listed: Vec<Listed> = entries
        .par_iter()
        .zip(walked.stamps)
        .filter_map(|(entry, stamp)| tracked(entry, &of.root, stamp, written.as_ref(), look))
        .collect();
    let untracked = untracked::not_ignored(&repo, &of.root, &known, walked.unknown);
    listed.extend(untracked.into_iter().map(|path| Listed {
        path,
        blob: None,
        tracked: false,
    }));
    // Nearly sorted: what is untracked stands behind.
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    // An entry in conflict stands in the index once for each side.
    listed.dedup_by(|a, b| a.path == b.path);
    Ok(listed)
}

pub(super) fn is_tracked(of: &Repo, path: &str) -> bool {
    let Ok(repo) = of.open() else { return false };
    index::read(&repo, of).is_ok_and(|index| index.entry(path).is_some() || index.is_in_conflict(path))
}

pub(super) fn submodules(of: &Repo) -> Result<Vec<String>, Error> {
    let repo = of.open()?;
    let index = index::read(&repo, of)?.index;
    Ok(index
        .iter()
        .filter(|entry| entry.mode == tree::GITLINK)
        .filter_map(|entry| String::from_utf8(entry.path).ok())
        .collect())
}

/// None for what is not a file in the work tree.
fn tracked(
    entry: &IndexEntry,
    root: &Path,
    stamp: Option<Stamp>,
    index_written: Option<&Stamp>,
    look: &(dyn Fn(&str) -> bool + Sync),
) -> Option<Listed> {
    if entry.mode != tree::FILE && entry.mode != tree::EXECUTABLE {
        return None;
    }
    let path = std::str::from_utf8(&entry.path).ok()?;
    if !look(path) {
        return Some(Listed {
            path: path.to_string(),
            blob: None,
            tracked: true,
        });
    }
    let stamp = match stamp {
        Some(stamp) => stamp,
        None => {
            // What the walk did not meet may have another spelling on disk, or stand behind a link.
            let found = root.join(path).symlink_metadata().ok()?;
            found.is_file().then(|| Stamp::of(&found))?
        }
    };
    let stage = (entry.flags >> 12) & 3;
    let only_intended = entry.flags_extended & IndexEntryExtendedFlag::INTENT_TO_ADD.bits() != 0;
    let unchanged = stage == 0 && !only_intended && stamp.vouches_for(entry, index_written);
    Some(Listed {
        path: path.to_string(),
        blob: unchanged.then(|| entry.id.as_bytes().try_into().ok()).flatten(),
        tracked: true,
    })
}

/// What the index remembers of a file's state on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    mtime: (i32, u32),
    ctime: (i32, u32),
    dev: u32,
    ino: u32,
    uid: u32,
    gid: u32,
    size: u32,
    executable: bool,
}

impl Stamp {
    // The index keeps the low 32 bits of each number.
    #[cfg(unix)]
    pub(super) fn of(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            mtime: (found.mtime() as i32, found.mtime_nsec() as u32),
            ctime: (found.ctime() as i32, found.ctime_nsec() as u32),
            dev: found.dev() as u32,
            ino: found.ino() as u32,
            uid: found.uid(),
            gid: found.gid(),
            size: found.size() as u32,
            executable: found.mode() & 0o100 != 0,
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(found: &Metadata) -> Self {
        let since = found
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .unwrap_or_default();
        Self {
            mtime: (since.as_secs() as i32, since.subsec_nanos()),
            ctime: (0, 0),
            dev: 0,
            ino: 0,
            uid: 0,
            gid: 0,
            size: found.len() as u32,
            executable: false,
        }
    }

    pub(super) fn of_file(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().map(|found| Self::of(&found))
    }

    /// The entry's blob is what stands on disk. Stricter than git (nanoseconds count where the index has them), since
    /// a wrong no costs one read and a wrong yes a stale answer.
    fn vouches_for(&self, entry: &IndexEntry, index_written: Option<&Self>) -> bool {
        let mtime = (entry.mtime.seconds(), entry.mtime.nanoseconds());
        if mtime == (0, 0) || !same_time(mtime, self.mtime) || entry.file_size != self.size {
            return false;
        }
        if cfg!(unix) {
            let ctime = (entry.ctime.seconds(), entry.ctime.nanoseconds());
            // Zero means that whoever wrote the entry does not keep that number.
            let same = |kept: u32, now: u32| kept == 0 || kept == now;
            let executable = entry.mode == tree::EXECUTABLE;
            if (ctime != (0, 0) && !same_time(ctime, self.ctime))
                || !same(entry.ino, self.ino)
                || !same(entry.uid, self.uid)
                || !same(entry.gid, self.gid)
                || executable != self.executable
            {
                return false;
            }
        }
        // A file changed in the instant in which the index was written looks the same before and after.
        index_written.is_some_and(|index| {
            if mtime.1 == 0 {
                mtime.0 < index.mtime.0
            } else {
                mtime < index.mtime
            }
        })
    }

    pub(super) fn put_into(&self, entry: &mut IndexEntry) {
        entry.mtime = IndexTime::new(self.mtime.0, self.mtime.1);
        entry.ctime = IndexTime::new(self.ctime.0, self.ctime.1);
        entry.dev = self.dev;
        entry.ino = self.ino;
        entry.uid = self.uid;
        entry.gid = self.gid;
        entry.file_size = self.size;
    }
}

fn same_time(kept: (i32, u32), now: (i32, u32)) -> bool {
    kept.0 == now.0 && (kept.1 == 0 || kept.1 == now.1)
}
