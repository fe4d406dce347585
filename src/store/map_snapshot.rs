//! One file for each project with everything a map needs, so that a warm map costs one read and not thousands of look-ups. It is a copy of what the tag
//! cache holds and can be thrown away at any time; damage of any kind reads as if it were not there.
//!
//! ```text
//! magic, version, three lengths, checksum | index (postcard) | parts that ranking scans | definitions
//! ```
//!
//! The first two parts are read at once and checked; the third, the largest, is read piece by piece as files are shown.

use std::fs::{File, Metadata};
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::tag_cache::Key;

const MAGIC: &[u8; 8] = b"codrmap\x02";
const HEAD: usize = 48;
/// Bytes that are read and checked in one piece, several at a time.
const CHUNK: usize = 4 << 20;
/// A larger index or scanned part is damage.
const MAX_BYTES: u64 = 8 << 30;

/// One file of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub path: String,
    /// None for a file that is named and not read.
    pub key: Option<Key>,
    /// Git's id of the content that the record is of, when git vouches for it.
    pub blob: Option<[u8; 20]>,
    /// Length, time in nanoseconds, inode; of a file that git does not vouch for.
    pub stamp: Option<(u64, i64, u64)>,
    pub path_tokens: u16,
    /// Why it has no record, as the map's own code; 0 for none.
    pub skip: u8,
    /// Bytes in the scanned part, which holds the rows' in their order.
    pub scanned: u32,
    /// Bytes in the last part, likewise.
    pub shown: u32,
}

/// Bytes that all snapshots together may take; those that were not used for the longest time go first.
const MAX_TOTAL: u64 = 1 << 30;
/// After so long a file that another process left half-written is rubbish, and a use of a snapshot is noted again.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An open snapshot.
pub struct Snapshot {
    pub rows: Vec<Row>,
    pub scanned: Vec<u8>,
    file: File,
    shown_at: u64,
}

/// Where the snapshot of a project is.
pub fn path(cache_dir: &Path, root: &Path, subtree: &str) -> PathBuf {
    let name = format!("{}\0{subtree}", root.display());
    cache_dir
        .join("maps")
        .join(format!("{:016x}", xxh3_64(name.as_bytes())))
}

impl Snapshot {
    /// None when there is none of this version, or a damaged one.
    pub fn open(path: &Path, version: u64) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
        if &head[..8] != MAGIC || number(8) != version {
            return None;
        }
        let (index_len, scanned_len, shown_len, sum) = (number(16), number(24), number(32), number(40));
        let total = [index_len, scanned_len, shown_len, HEAD as u64]
            .iter()
            .try_fold(0_u64, |sum, n| sum.checked_add(*n))?;
        if total > MAX_BYTES || file.metadata().ok()?.len() != total {
            return None;
        }
        let mut index = vec![0; index_len as usize];
        file.read_exact(&mut index).ok()?;
        let mut scanned = vec![0; scanned_len as usize];
        let scanned_at = HEAD as u64 + index_len;
        let sums: Vec<u64> = scanned
            .par_chunks_mut(CHUNK)
            .enumerate()
            .map(|(idx, chunk)| {
                file.read_exact_at(chunk, scanned_at + (idx * CHUNK) as u64).ok()?;
                Some(xxh3_64(chunk))
            })
            .collect::<Option<_>>()?;
        if checksum(&index, &sums) != sum {
            return None;
        }
        note_use(&file);
        let rows: Vec<Row> = postcard::from_bytes(&index).ok()?;
        let sum_of = |part: fn(&Row) -> u32| rows.iter().map(|row| u64::from(part(row))).sum::<u64>();
        if sum_of(|row| row.scanned) != scanned_len || sum_of(|row| row.shown) != shown_len {
            return None;
        }
        Some(Self {
            rows,
            scanned,
            file,
            shown_at: scanned_at + scanned_len,
        })
    }

    /// Bytes of the last part; empty when they cannot be read.
    pub fn shown(&self, at: u64, len: u32) -> Vec<u8> {
        let mut bytes = vec![0; len as usize];
        match self.file.read_exact_at(&mut bytes, self.shown_at + at) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }
}

/// Of the index, and of the sums of the chunks of the scanned part.
fn checksum(index: &[u8], chunks: &[u64]) -> u64 {
    let mut hash = Xxh3::new();
    chunks.iter().for_each(|sum| hash.update(&sum.to_le_bytes()));
    hash.update(index);
    hash.digest()
}

/// The sums of the chunks of what the parts are together.
fn chunk_sums<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Vec<u64> {
    let (mut sums, mut hash, mut filled) = (Vec::new(), Xxh3::new(), 0);
    for mut part in parts {
        while !part.is_empty() {
            let (now, later) = part.split_at(part.len().min(CHUNK - filled));
            hash.update(now);
            filled += now.len();
            part = later;
            if filled == CHUNK {
                sums.push(hash.digest());
                hash.reset();
                filled = 0;
            }
        }
    }
    if filled > 0 {
        sums.push(hash.digest());
    }
    sums
}

/// Writes a snapshot beside the old one and puts it in its place.
///
/// # Errors
/// When the folder cannot be written; the old snapshot is then still whole.
pub fn write<'a>(
    path: &Path,
    version: u64,
    rows: &[Row],
    scanned: impl Iterator<Item = &'a [u8]> + Clone,
    shown: impl Iterator<Item = Vec<u8>>,
) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let index = postcard::to_stdvec(rows).map_err(std::io::Error::other)?;
    let scanned_len: u64 = rows.iter().map(|row| u64::from(row.scanned)).sum();
    let shown_len: u64 = rows.iter().map(|row| u64::from(row.shown)).sum();
    let temporary = tempfile::NamedTempFile::new_in(dir)?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, temporary.as_file());
    out.write_all(MAGIC)?;
    let sum = checksum(&index, &chunk_sums(scanned.clone()));
    for number in [version, index.len() as u64, scanned_len, shown_len, sum] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&index)?;
    for part in scanned {
        out.write_all(part)?;
    }
    for part in shown {
        out.write_all(&part)?;
    }
    out.flush()?;
    drop(out);
    temporary.persist(path).map_err(|error| error.error)?;
    prune(dir, path, MAX_TOTAL);
    Ok(())
}

/// A snapshot's time stamp says when it was used last, to the day.
fn note_use(file: &File) {
    let is_old = file.metadata().is_ok_and(|found| age(&found) > DAY);
    if is_old {
        // A folder that cannot be written is not pruned either.
        let _ = file.set_modified(SystemTime::now());
    }
}

fn age(found: &Metadata) -> Duration {
    let modified = found.modified().ok();
    modified
        .and_then(|time| SystemTime::now().duration_since(time).ok())
        .unwrap_or_default()
}

/// Removes the snapshots that were not used for the longest time until the rest takes at most `most` bytes, and what processes
/// that were killed left behind. `keep` stays.
fn prune(dir: &Path, keep: &Path, most: u64) {
    let Ok(entries) = dir.read_dir() else { return };
    let mut files: Vec<(Duration, u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let found = entry.metadata().ok().filter(Metadata::is_file)?;
            Some((age(&found), found.len(), entry.path()))
        })
        .collect();
    files.sort();
    let mut total = 0;
    for (age, len, path) in files {
        let is_snapshot = path.extension().is_none() && !is_temporary(&path);
        total += len;
        let too_much = is_snapshot && total > most && path != keep;
        if too_much || (!is_snapshot && age > DAY) {
            total -= len;
            let _ = std::fs::remove_file(path);
        }
    }
}

fn is_temporary(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dir: &Path) -> PathBuf {
        let path = path(dir, Path::new("/project"), "");
        let row = |path: &str, scanned, shown| Row {
            path: path.into(),
            key: None,
            blob: None,
            stamp: None,
            path_tokens: 2,
            skip: 0,
            scanned,
            shown,
        };
        let rows = [row("a", 3, 1), row("b", 2, 2)];
        let shown = vec![b"x".to_vec(), b"yz".to_vec()];
        write(&path, 7, &rows, [&b"abc"[..], b"de"].into_iter(), shown.into_iter()).unwrap();
        path
    }

    #[test]
    fn reads_back_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path());
        let snapshot = Snapshot::open(&path, 7).unwrap();
        assert_eq!(snapshot.rows.len(), 2);
        assert_eq!(snapshot.scanned, b"abcde");
        assert_eq!(snapshot.shown(1, 2), b"yz");
        assert!(Snapshot::open(&path, 8).is_none(), "another version");
    }

    #[test]
    fn the_longest_unused_snapshots_make_room() {
        let dir = tempfile::tempdir().unwrap();
        let old = |name: &str, days: u64| {
            let path = dir.path().join(name);
            std::fs::write(&path, [0; 100]).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - days as u32 * DAY).unwrap();
            path
        };
        let (newest, middle, oldest) = (old("aa", 0), old("bb", 3), old("cc", 9));
        let (rubbish, being_written) = (old(".tmpX", 2), old(".tmpY", 0));
        prune(dir.path(), &newest, 350);
        assert!(newest.exists() && middle.exists() && being_written.exists());
        assert!(!oldest.exists() && !rubbish.exists());
        prune(dir.path(), &newest, 0);
        assert!(newest.exists() && !middle.exists());
    }

    #[test]
    fn a_damaged_snapshot_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path());
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() - 3 {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            std::fs::write(&path, &damaged).unwrap();
            assert!(Snapshot::open(&path, 7).is_none(), "byte {at} changed");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(Snapshot::open(&path, 7).is_none(), "cut at {at}");
        }
    }
}
