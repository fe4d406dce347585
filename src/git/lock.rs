//! The lock on the index that every git program respects: `index.lock` beside it, which becomes the new index.

use std::fs::File;
use std::io::ErrorKind;
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

/// Held from [`Lock::take`] until [`Lock::publish`]; given up when dropped.
pub(super) struct Lock {
    path: PathBuf,
    index: PathBuf,
    file: File,
    published: bool,
}

impl Lock {
    pub(super) fn take(of: &Repo) -> Result<Self, Error> {
        let index = index::real_path(of);
        let path = lock_path(&index);
        let deadline = Instant::now() + PATIENCE;
        loop {
            match File::options().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    return Ok(Self {
                        path,
                        index,
                        file,
                        published: false,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
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
    pub(super) fn publish(mut self, bytes: &[u8]) -> Result<(), Error> {
        let failed = doing_io("write the index", &self.path);
        if let Ok(found) = self.index.metadata() {
            self.file.set_permissions(found.permissions()).map_err(&failed)?;
        }
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_data())
            .map_err(&failed)?;
        std::fs::rename(&self.path, &self.index).map_err(&failed)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !self.published {
            // Nothing better can be done; the next git says that the file is there.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Waits a moment while another program writes the index; an error when it goes on.
pub(super) fn wait_until_free(of: &Repo) -> Result<(), Error> {
    let path = lock_path(&index::real_path(of));
    let deadline = Instant::now() + PATIENCE;
    while path.symlink_metadata().is_ok() {
        if Instant::now() > deadline {
            return Err(held(&path));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
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
