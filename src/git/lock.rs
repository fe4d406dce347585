//! The lock on the index that every git program respects: `index.lock` beside it, which keeps them away while the new one is
//! written.

use std::fs::File;
use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;

use super::Error;
use super::Repo;
use super::doing_io;
use super::index;

/// How long to wait for another git program to finish with the index. An editor's `git status` holds it for
/// milliseconds; a lock that stays longer was left behind or belongs to something slow.
const PATIENCE: Duration = Duration::from_secs(1);

const PAUSE: Duration = Duration::from_millis(20);

/// What our lock holds. With it, and unlocked for the system, it was left behind by a run that was killed.
const MARK: &[u8] = b"codriver\n";

/// Held from [`Lock::take`] until it is dropped.
pub(super) struct Lock {
    path: PathBuf,
    index: PathBuf,
    /// Keeps the system's lock, which ends with the process.
    _held: File,
}

impl Lock {
    pub(super) fn take(of: &Repo) -> Result<Self, Error> {
        let index = index::real_path(of);
        let path = lock_path(&index);
        let deadline = Instant::now() + PATIENCE;
        loop {
            match File::options().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    // Best effort: without the mark a lock that is left behind has to be taken away by hand.
                    let _ = file.try_lock();
                    let _ = file.write_all(MARK);
                    return Ok(Self {
                        path,
                        index,
                        _held: file,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    if remove_left_behind(&path) {
                        continue;
                    }
                    if Instant::now() > deadline {
                        return Err(held(&path));
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(doing_io("write the index", &path)(error)),
            }
        }
    }

    /// Puts these bytes in the place of the index, with its permissions.
    pub(super) fn publish(self, bytes: &[u8]) -> Result<(), Error> {
        // In a file of its own: the lock keeps its mark to the end.
        let beside = beside(&self.index);
        let failed = doing_io("write the index", &beside);
        let mut file = File::create(&beside).map_err(&failed)?;
        if let Ok(found) = self.index.metadata() {
            file.set_permissions(found.permissions()).map_err(&failed)?;
        }
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        let placed = written.and_then(|()| std::fs::rename(&beside, &self.index));
        if placed.is_err() {
            // What is left of a full disk is worth having back; the error is told in any case.
            let _ = std::fs::remove_file(&beside);
        }
        placed.map_err(&failed)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Nothing better can be done; the next git says that the file is there.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Waits a moment while another program writes the index; an error when it goes on.
pub(super) fn wait_until_free(of: &Repo) -> Result<(), Error> {
    let path = lock_path(&index::real_path(of));
    let deadline = Instant::now() + PATIENCE;
    while path.symlink_metadata().is_ok() {
        if remove_left_behind(&path) {
            break;
        }
        if Instant::now() > deadline {
            return Err(held(&path));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Where the new index is written before it takes the old one's place.
fn beside(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".codriver");
    PathBuf::from(name)
}

/// Takes a lock of ours away whose run was killed; false when it is another program's, or in use.
fn remove_left_behind(path: &Path) -> bool {
    let is_regular = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let Some(mut file) = is_regular.then(|| File::open(path).ok()).flatten() else {
        return false;
    };
    let mut held = Vec::new();
    // Whoever holds the system's lock may take the file away, and nobody else: it is still the one that was opened then.
    let is_ours = file.try_lock().is_ok() && file.read_to_end(&mut held).is_ok() && held == MARK;
    is_ours && still_there(&file, path) && std::fs::remove_file(path).is_ok()
}

/// Whether the open file is the one at `path`.
#[cfg(unix)]
fn still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(there)) => open.ino() == there.ino() && open.dev() == there.dev(),
        _ => false,
    }
}

/// Whether the open file is the one at `path`: it cannot be taken away while another has it open.
#[cfg(not(unix))]
fn still_there(_: &File, path: &Path) -> bool {
    path.exists()
}

fn lock_path(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn held(path: &Path) -> Error {
    Error::Git {
        doing: "write the index",
        message: format!(
            "another git program is at work (`{}` exists); remove that file if none is",
            path.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_a_killed_run_left_behind_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.lock");
        std::fs::write(&path, MARK).unwrap();
        let holder = File::open(&path).unwrap();
        holder.try_lock().unwrap();
        assert!(!remove_left_behind(&path), "somebody holds it");
        drop(holder);
        assert!(remove_left_behind(&path));
        assert!(!path.exists());
        std::fs::write(&path, b"DIRC").unwrap();
        assert!(!remove_left_behind(&path), "it is another program's");
        assert!(path.exists());
    }
}
