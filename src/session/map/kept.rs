//! What is known of a project's files, to the rows of its snapshot and back.

use std::path::Path;
use std::sync::Arc;

use super::jobs::{Known, Seen};
use super::reading::Stamp;
use crate::repo_map::corpus::{Bytes, Entry, Record, Shown};
use crate::repo_map::facts;
use crate::store::map_snapshot::{self, Row, Snapshot};

/// Takes over what a snapshot holds, by path.
pub(super) fn known(snapshot: &mut Snapshot) -> Vec<Known> {
    let buffer = Arc::new(std::mem::take(&mut snapshot.scanned));
    let (mut start, mut at) = (0, 0);
    std::mem::take(&mut snapshot.rows)
        .into_iter()
        .map(|row| {
            let record = Record {
                scanned: Bytes {
                    buffer: buffer.clone(),
                    start,
                    len: row.scanned as usize,
                },
                shown: Shown::Stored { at, len: row.shown },
            };
            start += row.scanned as usize;
            at += u64::from(row.shown);
            Known {
                key: row.key,
                seen: match (row.blob, row.stamp) {
                    (Some(blob), _) => Seen::Blob(blob),
                    (None, Some((len, modified, inode))) => Seen::Stamp(Stamp { len, modified, inode }),
                    (None, None) => Seen::Name,
                },
                skip: facts::skip_of_code(row.skip),
                entry: Entry {
                    path: row.path.into(),
                    path_tokens: row.path_tokens,
                    record: (row.scanned > 0).then_some(record),
                },
            }
        })
        .collect()
}

/// Writes a snapshot of what is known; parts that are not in memory come from the one before. False when it cannot be written, which
/// harms nothing.
pub(super) fn write(path: &Path, version: u64, known: &[Known], before: Option<&Snapshot>) -> bool {
    let rows: Vec<Row> = known
        .iter()
        .map(|known| {
            let record = known.entry.record.as_ref();
            Row {
                path: known.entry.path.to_string(),
                key: known.key,
                blob: match known.seen {
                    Seen::Blob(blob) => Some(blob),
                    _ => None,
                },
                stamp: match known.seen {
                    Seen::Stamp(stamp) => Some((stamp.len, stamp.modified, stamp.inode)),
                    _ => None,
                },
                path_tokens: known.entry.path_tokens,
                skip: facts::skip_code(known.skip),
                scanned: record.map_or(0, |record| record.scanned.len as u32),
                shown: record.map_or(0, |record| record.shown.len()),
            }
        })
        .collect();
    let records = known.iter().filter_map(|known| known.entry.record.as_ref());
    let shown = |record: &Record| match &record.shown {
        Shown::Here(bytes) => bytes.as_slice().to_vec(),
        Shown::Stored { at, len } => before.map(|s| s.shown(*at, *len)).unwrap_or_default(),
    };
    let written = map_snapshot::write(
        path,
        version,
        &rows,
        records.clone().map(|record| record.scanned.as_slice()),
        records.map(shown),
    );
    written.is_ok()
}
