//! The user's files: reading and writing text without harming its bytes, the fence around the project, and the
//! journal of turns, whose entries are at the same time the transactions that write and what undo walks.
//!
//! Only this module writes the user's files.
//!
//! What a write does with files that are special in some way:
//!
//! - *Symbolic link to a file inside the project*: the target is written, the link stays. A dangling link is refused, and
//!   so is deleting or moving a file by the name of a link to it.
//! - *Several hard links; an owner, access list or attributes that a new file would not get; a folder that takes no new
//!   file*: the bytes are replaced in the file itself, so every name sees them. Any other file is replaced by a new one
//!   in a single rename.
//! - *Mode bits* stay. A new file gets what the umask leaves of `rw-rw-rw-`. A file that nobody may write is refused.
//! - *Deleting* one name of a hard-linked file leaves the others; undo brings the bytes back, not the link.

use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;

mod changes;
mod commits;
pub mod encoding;
pub mod endings;
mod fault;
#[cfg(test)]
mod fault_tests;
mod fence;
mod index;
pub mod journal;
mod pack;
mod retention;
mod root_id;
mod transaction;
mod tree;
mod walk;

/// Files larger than this are not read into a chat, in bytes.
pub const MAX_TEXT_BYTES: u64 = 8 * 1024 * 1024;

/// The folder that everything is relative to, and the fence around it.
#[derive(Debug, Clone)]
pub struct Root {
    path: PathBuf,
    /// Where git keeps its own files when `.git` is a file that points into the project.
    git_dir: Option<PathBuf>,
}

/// How a text is stored. Encoding what was decoded gives the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf8Bom,
    Utf16LeBom,
    Utf16BeBom,
    /// Not UTF-8: every byte is one character (windows-1252), or a legacy encoding that round-trips.
    Legacy(&'static encoding_rs::Encoding),
}

/// A text file as it stands on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Decoded, without a BOM, line endings as they are.
    pub text: String,
    pub encoding: Encoding,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Text(TextFile),
    Absent,
    Folder,
    Binary {
        bytes: u64,
    },
    TooLarge {
        bytes: u64,
    },
    /// A device, socket or pipe.
    Special,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{path}` is outside the project (it resolves to `{resolved}`)", resolved = resolved.display())]
    Outside { path: String, resolved: PathBuf },
    #[error("`{path}` is inside a `.git` folder")]
    InsideGit { path: String },
    #[error("failed to read `{path}`")]
    Read { path: String, source: io::Error },
    #[error("failed to write `{path}`")]
    Write { path: String, source: io::Error },
    #[error("`{path}` cannot be stored as {encoding}: it has the character `{character}`")]
    Unencodable {
        path: String,
        encoding: &'static str,
        character: char,
    },
    #[error("`{path}` changed on disk since it was read")]
    Changed { path: String },
    #[error("failed to use the journal in `{dir}`", dir = dir.display())]
    Journal { dir: PathBuf, source: io::Error },
    /// What the journal holds was done in another folder (the paths in it are relative); nothing was touched.
    #[error(
        "{what} was made in {} and not in `{}` (journal in `{}`)",
        if theirs == ours { format!("another folder that was at `{}`", theirs.display()) } else { format!("`{}`", theirs.display()) },
        ours.display(),
        journal.display()
    )]
    OtherRoot {
        /// Begins in lower case: `the last turn`.
        what: String,
        theirs: PathBuf,
        ours: PathBuf,
        journal: PathBuf,
    },
    /// A transaction failed and its roll-back too. The journal keeps the entry: the next recovery tries again.
    #[error("failed to put `{path}` back after a failed write")]
    RollBack { path: String, source: io::Error },
}

impl Error {
    /// The error under another name for the file that it is about; `name` gives None for one that stays.
    pub fn renamed(mut self, name: impl FnOnce(&str) -> Option<String>) -> Self {
        match &mut self {
            Error::Outside { path, .. }
            | Error::InsideGit { path }
            | Error::Read { path, .. }
            | Error::Write { path, .. }
            | Error::Unencodable { path, .. }
            | Error::Changed { path }
            | Error::RollBack { path, .. } => {
                if let Some(new) = name(path) {
                    *path = new;
                }
            }
            Error::Journal { .. } | Error::OtherRoot { .. } => {}
        }
        self
    }
}

impl Root {
    /// Resolves symbolic links in `path` itself.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let fail = |source| Error::Read {
            path: path.display().to_string(),
            source,
        };
        let path = path.canonicalize().map_err(fail)?;
        if !path.is_dir() {
            return Err(fail(io::ErrorKind::NotADirectory.into()));
        }
        let git_dir = pointed_git_dir(&path);
        Ok(Self { path, git_dir })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The real path of `relative` (with `/`), all links resolved, if it may be written: inside the root, not inside
    /// `.git` (on any spelling of it). The file need not exist.
    pub fn fenced(&self, relative: &str) -> Result<PathBuf, Error> {
        let resolved = fence::resolve(&self.path, Path::new(relative), &self.path).map_err(|source| Error::Read {
            path: relative.to_owned(),
            source,
        })?;
        let Ok(inside) = resolved.path.strip_prefix(&self.path) else {
            return Err(Error::Outside {
                path: relative.to_owned(),
                resolved: resolved.path,
            });
        };
        let in_git = inside.iter().any(|name| fence::is_git_name(&name.to_string_lossy()))
            || self.git_dir.as_ref().is_some_and(|dir| resolved.path.starts_with(dir));
        if in_git || resolved.through_git {
            return Err(Error::InsideGit {
                path: relative.to_owned(),
            });
        }
        if resolved.dangling {
            return Err(Error::Read {
                path: relative.to_owned(),
                source: io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("it is a link to `{}`, which does not exist", resolved.path.display()),
                ),
            });
        }
        Ok(resolved.path)
    }

    /// [`Root::fenced`], relative to the root with `/`: the one name of a file that has several through links. A path
    /// that is not UTF-8 is an error.
    pub fn real_name(&self, relative: &str) -> Result<String, Error> {
        let path = self.fenced(relative)?;
        path.strip_prefix(&self.path)
            .ok()
            .and_then(Path::to_str)
            .map(str::to_owned)
            .ok_or_else(|| Error::Read {
                path: relative.to_owned(),
                source: io::Error::new(io::ErrorKind::InvalidFilename, "its real name is not UTF-8"),
            })
    }

    /// The file that `relative` leads to when its last component is a symbolic link, by its real name; None when it is
    /// none, or may not be followed.
    pub fn link_target(&self, relative: &str) -> Option<String> {
        // Without a `.` or `/` at the end, which would be looked through.
        let path: PathBuf = self.path.join(relative).components().collect();
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        is_link.then(|| self.real_name(relative).ok()).flatten()
    }

    /// The path relative to the root with `/`, for a path as a user types it (absolute, or relative to `from`); None
    /// when it is outside, or not UTF-8. Links are resolved, so that one file has one name. The root itself is "".
    pub fn relative(&self, path: &Path, from: &Path) -> Option<String> {
        let from = from.canonicalize().ok()?;
        let resolved = fence::resolve(&from, path, &self.path).ok()?.path;
        // On a file system that folds case this gives the name as it is stored.
        let resolved = resolved.canonicalize().unwrap_or(resolved);
        resolved.strip_prefix(&self.path).ok()?.to_str().map(str::to_owned)
    }

    /// Reads what stands at `relative`. A path that leaves the root or goes into `.git` is an error.
    pub fn read(&self, relative: &str) -> Result<Found, Error> {
        let path = self.fenced(relative)?;
        read_found(&path).map_err(|source| Error::Read {
            path: relative.to_owned(),
            source,
        })
    }
}

impl Root {
    /// The bytes of a file; None when nothing stands there. A folder is an error.
    pub fn bytes(&self, relative: &str) -> Result<Option<Vec<u8>>, Error> {
        match std::fs::read(self.fenced(relative)?) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Read {
                path: relative.to_owned(),
                source,
            }),
        }
    }

    /// What tells this folder from another one that is put at the same path later; for [`Root::has_identity`].
    ///
    /// # Errors
    /// When the folder cannot be looked at.
    pub fn identity(&self) -> Result<String, Error> {
        let id = root_id::RootId::of(self)?;
        Ok(serde_json::to_string(&id).expect("texts and numbers can be written as JSON"))
    }

    /// Whether an [`Root::identity`] is that of this folder.
    pub fn has_identity(&self, identity: &str) -> bool {
        match (serde_json::from_str(identity), root_id::RootId::of(self)) {
            (Ok(theirs), Ok(ours)) => ours.is(&theirs),
            _ => false,
        }
    }

    /// Whether the file's owner may execute it.
    pub fn is_executable(&self, relative: &str) -> bool {
        use std::os::unix::fs::PermissionsExt;
        self.fenced(relative)
            .and_then(|path| {
                path.metadata().map_err(|source| Error::Read {
                    path: relative.to_owned(),
                    source,
                })
            })
            .is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
    }
}

/// Whether two paths lead to one file: through links, or as hard links.
pub fn are_same(left: &Path, right: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (left.metadata(), right.metadata()) {
        (Ok(left), Ok(right)) => (left.dev(), left.ino()) == (right.dev(), right.ino()),
        _ => false,
    }
}

/// Text for showing: decoded as [`Root::read`] does, bytes that are no text replaced.
pub fn decode_lossy(bytes: &[u8]) -> String {
    encoding::decode(bytes).map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), |file| file.text)
}

/// Writes a text anywhere, for a user who named the place; what stands there is replaced.
///
/// # Errors
/// When it cannot be written.
pub fn save(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::Write {
        path: path.display().to_string(),
        source,
    })
}

/// Reads a file anywhere (read-only files of a chat may be outside the root).
pub fn read_anywhere(path: &Path) -> Result<Found, Error> {
    read_found(path).map_err(|source| Error::Read {
        path: path.display().to_string(),
        source,
    })
}

/// The first bytes of a regular file anywhere, at most `limit`.
pub fn bytes_anywhere(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let read = || {
        if !path.metadata()?.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        read_up_to(&File::open(path)?, limit)
    };
    read().map_err(|source| Error::Read {
        path: path.display().to_string(),
        source,
    })
}

fn read_found(path: &Path) -> io::Result<Found> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Absent),
        Err(error) => return Err(error),
    };
    if metadata.is_dir() {
        return Ok(Found::Folder);
    }
    if !metadata.is_file() {
        return Ok(Found::Special);
    }
    // Between the look and the opening a pipe may have taken the file's place: opening must not wait for a writer.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Found::Special);
    }
    if metadata.len() > MAX_TEXT_BYTES {
        return Ok(Found::TooLarge { bytes: metadata.len() });
    }
    let bytes = read_up_to(&file, MAX_TEXT_BYTES + 1)?;
    let n_bytes = bytes.len() as u64;
    if n_bytes > MAX_TEXT_BYTES {
        return Ok(Found::TooLarge { bytes: n_bytes });
    }
    Ok(match encoding::decode(&bytes) {
        Some(text) => Found::Text(text),
        None => Found::Binary { bytes: n_bytes },
    })
}

fn read_up_to(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The folder that a `.git` file (of a work tree or a submodule) names.
fn pointed_git_dir(root: &Path) -> Option<PathBuf> {
    let file = root.join(".git");
    if !file.is_file() {
        return None;
    }
    let bytes = read_up_to(&File::open(file).ok()?, 4096).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    root.join(named).canonicalize().ok()
}
