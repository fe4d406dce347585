//! Runs of lines of a document that a block's old lines fit one to one, found by hash, then told apart by how exactly
//! they fit. All rungs of the ladder that compare line by line share them.

use super::change::Ask;
use super::document::{BLANK, Document};

/// How closely each line fits, closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Exact,
    TrimEnd,
    Trim,
    Fold,
}

/// Positions at which all old lines stand one after the other, blanks around lines and folded punctuation aside.
pub(super) fn starts(document: &Document<'_>, keys: &[u64]) -> Vec<usize> {
    let rarest = (0..keys.len()).min_by_key(|idx| (keys[*idx] == BLANK, document.frequency(keys[*idx])));
    let Some(rarest) = rarest else { return Vec::new() };
    document
        .positions(keys[rarest])
        .into_iter()
        .filter_map(|position| position.checked_sub(rarest))
        .filter(|start| start + keys.len() <= document.len())
        .filter(|start| {
            keys.iter()
                .enumerate()
                .all(|(idx, key)| document.key(start + idx) == *key)
        })
        .collect()
}

/// How closely the old lines fit at `start`, where [`starts`] found them.
pub(super) fn fit_at(document: &Document<'_>, old: &[String], start: usize) -> Fit {
    old.iter()
        .enumerate()
        .map(|(idx, line)| fit(line, document.text(start + idx)))
        .max()
        .unwrap_or(Fit::Exact)
}

fn fit(old: &str, line: &str) -> Fit {
    if old == line {
        Fit::Exact
    } else if old.trim_end() == line.trim_end() {
        Fit::TrimEnd
    } else if old.trim() == line.trim() {
        Fit::Trim
    } else {
        Fit::Fold
    }
}

/// The place of a window as a map from old lines to positions.
pub(super) fn map_at(ask: &Ask, start: usize) -> Vec<Option<usize>> {
    (0..ask.old.len()).map(|idx| Some(start + idx)).collect()
}
