//! From a file on disk to its record.

use std::borrow::Cow;
use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::files::encoding;
use crate::git::BlobId;
use crate::languages;
use crate::repo_map::facts::{self, Facts};
use crate::repo_map::paths::{self, PathKind};
use crate::repo_map::tags::{self, Limits, Skip};
use crate::store::tag_cache::Key;
use crate::tokens;

/// What a file system says of a file; equal means unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub len: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub inode: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |age| age.as_nanos() as i64);
        Self {
            len: metadata.len(),
            modified,
            inode: inode(metadata),
        }
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Decides, with the content and the language, what a record holds: part of every key.
pub(super) fn version() -> u64 {
    let mut hash = Xxh3::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    hash.update(&facts::VERSION.to_le_bytes());
    hash.update(&tags::TAGS_VERSION.to_le_bytes());
    for language in languages::LANGUAGES.iter().chain([&languages::UNKNOWN]) {
        hash.update(language.name.as_bytes());
        hash.update(language.query_source().as_bytes());
    }
    hash.digest()
}

/// A content, by git's id or by a hash of its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum ContentId {
    Blob(BlobId),
    Hash(u128),
}

impl ContentId {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self::Hash(xxh3_128(bytes))
    }
}

/// The key of the record for a content under a path.
pub(super) fn key(version: u64, path: &str, content: ContentId) -> Key {
    let mut hash = Xxh3::new();
    hash.update(&version.to_le_bytes());
    match content {
        ContentId::Blob(id) => hash.update(&id),
        ContentId::Hash(id) => hash.update(&id.to_le_bytes()),
    }
    hash.update(languages::by_path(path).map_or("", |language| language.name).as_bytes());
    // Beside the content the extension tells apart the languages that share one.
    hash.update(
        path.rsplit('/')
            .next()
            .and_then(|name| name.rsplit_once('.'))
            .map_or("", |(_, extension)| extension)
            .as_bytes(),
    );
    hash.digest128().to_le_bytes()
}

/// Reads a file whole unless it is too large; None when it is gone or no file.
pub(super) fn read(root: &Path, path: &str) -> Option<Result<Vec<u8>, Skip>> {
    let full = root.join(path);
    let metadata = std::fs::symlink_metadata(&full).ok()?;
    if !metadata.is_file() {
        return None;
    }
    if metadata.len() > tags::max_file_bytes(path, &Limits::default()) as u64 {
        return Some(Err(Skip::TooLarge));
    }
    Some(Ok(std::fs::read(full).ok()?))
}

/// The record of a content; None when cancelled.
pub(super) fn facts(path: &str, bytes: &[u8], cancelled: &AtomicBool) -> Option<Facts> {
    let skipped = |skip| {
        Some(Facts {
            skip: Some(skip),
            ..Facts::default()
        })
    };
    let Some(text) = decode(bytes) else {
        return skipped(Skip::Binary);
    };
    let text = tags::readable(path, &text);
    let limits = Limits {
        cancelled: Some(cancelled),
        ..Limits::default()
    };
    let Some(language) = languages::detect_loosely(path, &text) else {
        if crate::repo_map::kinds::looks_binary(&text) {
            return skipped(Skip::Binary);
        }
        if crate::repo_map::kinds::is_minified(&text, limits.max_line) {
            return skipped(Skip::Minified);
        }
        return Some(Facts::of_text(&text));
    };
    match tags::definitions(language, &text, &limits) {
        Ok(tags) => Some(Facts::of_source(&text, &tags, tokens::count)),
        Err(Skip::Cancelled) => None,
        Err(skip @ (Skip::TooLarge | Skip::Minified | Skip::Binary)) => skipped(skip),
        Err(skip) => Some(Facts {
            skip: Some(skip),
            ..Facts::of_text(&text)
        }),
    }
}

/// The text that the chat would show of these bytes, without a BOM; None when they are no text.
fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    match std::str::from_utf8(bytes) {
        Ok(_) if memchr::memchr(0, &bytes[..bytes.len().min(8000)]).is_some() => None,
        Ok(text) => Some(Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text))),
        Err(_) => Some(Cow::Owned(encoding::decode(bytes)?.text)),
    }
}

/// Whether a file that was skipped may still be named: source that is only too large, or too hard to parse.
pub(super) fn still_named(path: &str, skip: Skip) -> bool {
    match skip {
        Skip::TooLarge => paths::kind(path) == PathKind::Source,
        Skip::Generated | Skip::TooSlow | Skip::TooDeep => true,
        Skip::Minified | Skip::Binary | Skip::Cancelled => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_in_the_encodings_that_the_chat_reads() {
        let source = "export function größe() {}\n";
        let utf16: Vec<u8> = [0xfeff]
            .into_iter()
            .chain(source.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let latin1: Vec<u8> = source.chars().map(|c| c as u8).collect();
        let with_bom = [b"\xef\xbb\xbf", source.as_bytes()].concat();
        for bytes in [source.as_bytes(), &utf16, &latin1, &with_bom] {
            let facts = facts("a.ts", bytes, &AtomicBool::new(false)).unwrap();
            assert_eq!(facts.definitions[0].signature, "export function größe()", "{bytes:?}");
        }
        let nul = facts("a.c", b"int x;\0int y;", &AtomicBool::new(false)).unwrap();
        assert_eq!(nul.skip, Some(Skip::Binary));
    }
}
