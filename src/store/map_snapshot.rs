//! One file for each project with everything a map needs, so that a warm map costs one read and not thousands of look-ups. It is a copy of what the tag
//! cache holds and can be thrown away at any time; damage of any kind reads as if it were not there.
//!
//! ```text
//! magic, version, three lengths, checksum | index (postcard) | parts that ranking scans | definitions
//! ```
//!
//! The first two parts are read at once and checked; the third, the largest, is read piece by piece as files are shown.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::tag_cache::Key;

const MAGIC: &[u8; 8] = b"codrmap\x02";
const HEAD: usize = 48;
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

/// An open snapshot.
pub struct Snapshot {
    pub rows: Vec<Row>,
    pub scanned: Vec<u8>,
    file: Mutex<File>,
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
        file.read_exact(&mut scanned).ok()?;
        if xxh3_64(&index) ^ xxh3_64(&scanned).rotate_left(1) != sum {
            return None;
        }
        let rows: Vec<Row> = postcard::from_bytes(&index).ok()?;
        let sum_of = |part: fn(&Row) -> u32| rows.iter().map(|row| u64::from(part(row))).sum::<u64>();
        if sum_of(|row| row.scanned) != scanned_len || sum_of(|row| row.shown) != shown_len {
            return None;
        }
        Some(Self {
            rows,
            scanned,
            file: Mutex::new(file),
            shown_at: HEAD as u64 + index_len + scanned_len,
        })
    }

    /// Bytes of the last part; empty when they cannot be read.
    pub fn shown(&self, at: u64, len: u32) -> Vec<u8> {
        let mut bytes = vec![0; len as usize];
        let Ok(mut file) = self.file.lock() else {
            return Vec::new();
        };
        let read = file
            .seek(SeekFrom::Start(self.shown_at + at))
            .and_then(|_| file.read_exact(&mut bytes));
        if read.is_err() { Vec::new() } else { bytes }
    }
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
    let mut all = Vec::new();
    scanned.for_each(|part| all.extend_from_slice(part));
    let shown_len: u64 = rows.iter().map(|row| u64::from(row.shown)).sum();
    let temporary = tempfile::NamedTempFile::new_in(dir)?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, temporary.as_file());
    out.write_all(MAGIC)?;
    let sum = xxh3_64(&index) ^ xxh3_64(&all).rotate_left(1);
    for number in [version, index.len() as u64, all.len() as u64, shown_len, sum] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&index)?;
    out.write_all(&all)?;
    for part in shown {
        out.write_all(&part)?;
    }
    out.flush()?;
    drop(out);
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
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
