//! From a listing to what is known of each file: what has to be done for it, and doing it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::MapSource;
use super::listing::File;
use super::reading::{self, ContentId, Stamp};
use crate::git::BlobId;
use crate::repo_map::corpus::{Entry, Record};
use crate::repo_map::paths;
use crate::repo_map::tags::Skip;
use crate::store::tag_cache::Key;
use crate::tokens;

/// One file as it was seen last.
pub(super) struct Known {
    /// None for a file that is not read.
    pub(super) key: Option<Key>,
    pub(super) seen: Seen,
    pub(super) entry: Entry,
    pub(super) skip: Option<Skip>,
}

/// What tells that a file is still as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is not looked at.
    Name,
    /// Git vouches for its content.
    Blob(BlobId),
    Stamp(Stamp),
}

/// What one file of the listing needs.
pub(super) enum Step {
    /// What is known of it holds.
    Keep,
    /// The same content with another time stamp.
    Touched(Stamp),
    /// A record is wanted under this key; the content is at hand when it had to be read to make the key.
    Find {
        key: Key,
        seen: Seen,
        bytes: Option<Vec<u8>>,
    },
    /// Named and not read.
    NameOnly(Option<Skip>),
    Gone,
}

/// What is to be done with a file.
pub(super) struct Job {
    pub(super) file: File,
    pub(super) known: Option<Known>,
    pub(super) step: Step,
}

impl Step {
    pub(super) fn key(&self) -> Option<Key> {
        match self {
            Self::Find { key, .. } => Some(*key),
            _ => None,
        }
    }
}

/// For each file where it stands among the known; both lists are sorted by path.
pub(super) fn side_by_side(files: &[File], known: &[Known]) -> Vec<Option<usize>> {
    let mut at = 0;
    files
        .iter()
        .map(|file| {
            while known.get(at).is_some_and(|known| *known.entry.path < *file.path) {
                at += 1;
            }
            known
                .get(at)
                .is_some_and(|known| *known.entry.path == *file.path)
                .then_some(at)
        })
        .collect()
}

/// What is to be done for a file of the listing.
pub(super) fn step(version: u64, known: Option<&Known>, source: &MapSource, file: &File) -> Step {
    if let (Some(blob), Some(known)) = (file.blob, known)
        && known.seen == Seen::Blob(blob)
    {
        return Step::Keep;
    }
    if !paths::worth_reading(&file.path) {
        return match known {
            Some(known) if known.seen == Seen::Name => Step::Keep,
            _ => Step::NameOnly(None),
        };
    }
    if let Some(blob) = file.blob {
        return Step::Find {
            key: reading::key(version, &file.path, ContentId::Blob(blob)),
            seen: Seen::Blob(blob),
            bytes: None,
        };
    }
    let Ok(metadata) = std::fs::symlink_metadata(source.root.join(&file.path)) else {
        return Step::Gone;
    };
    let stamp = Stamp::of(&metadata);
    if known.is_some_and(|known| known.seen == Seen::Stamp(stamp)) {
        return Step::Keep;
    }
    match reading::read(&source.root, &file.path) {
        None => Step::Gone,
        Some(Err(skip)) => match known {
            Some(known) if known.skip == Some(skip) && known.seen == Seen::Name => Step::Keep,
            _ => Step::NameOnly(Some(skip)),
        },
        Some(Ok(bytes)) => {
            let key = reading::key(version, &file.path, ContentId::of(&bytes));
            match known {
                Some(known) if known.key == Some(key) => Step::Touched(stamp),
                _ => Step::Find {
                    key,
                    seen: Seen::Stamp(stamp),
                    bytes: Some(bytes),
                },
            }
        }
    }
}

pub(super) fn is_shown(known: &Known) -> bool {
    known
        .skip
        .is_none_or(|skip| reading::still_named(&known.entry.path, skip))
}

/// Carries a job out. None when the file is gone, or when it was cancelled before anything was known. The second part is
/// what the cache does not have yet.
pub(super) fn resolve(
    source: &MapSource,
    job: Job,
    found: Option<Vec<u8>>,
    cancelled: &AtomicBool,
) -> Option<(Known, Option<(Key, Encoded)>)> {
    let Job { file, known, step } = job;
    let path = file.path.as_str();
    let new = |record: Option<Record>, key, seen, skip| Known {
        key,
        seen,
        skip,
        entry: Entry {
            path: Arc::from(path),
            path_tokens: path_tokens(path),
            record,
        },
    };
    match step {
        Step::Gone => None,
        Step::Keep => Some((known?, None)),
        Step::Touched(stamp) => Some((
            Known {
                seen: Seen::Stamp(stamp),
                ..known?
            },
            None,
        )),
        Step::NameOnly(skip) => Some((new(None, None, Seen::Name, skip), None)),
        Step::Find { key, seen, bytes } => {
            if let Some(record) = found.and_then(Record::whole) {
                let skip = record.view().and_then(|view| view.skip());
                return Some((new(Some(record), Some(key), seen, skip), None));
            }
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            let bytes = match bytes.map(Ok).or_else(|| reading::read(&source.root, path))? {
                Ok(bytes) => bytes,
                Err(skip) => return Some((new(None, Some(key), seen, Some(skip)), None)),
            };
            let facts = reading::facts(path, &bytes, cancelled)?;
            let record = Record::whole(facts.encode())?;
            let encoded = Encoded(record.scanned.buffer.clone());
            Some((new(Some(record), Some(key), seen, facts.skip), Some((key, encoded))))
        }
    }
}

/// A record's bytes on their way to the cache.
pub(super) struct Encoded(Arc<Vec<u8>>);

impl AsRef<[u8]> for Encoded {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn path_tokens(path: &str) -> u16 {
    let bare = tokens::count(&format!("{path}\n"));
    // `:` and the line's end are one token, unless the path ends oddly.
    let ends_plainly = path.ends_with(|c: char| c.is_ascii_alphanumeric());
    let most = if ends_plainly {
        bare
    } else {
        bare.max(tokens::count(&format!("{path}:\n")))
    };
    most.min(u16::MAX.into()) as u16
}
