//! A block read as the change it makes: lines it keeps, lines it removes, lines it adds; and the step from "these old
//! lines stand here" to changes of the document.
//!
//! Kept lines only say where: the file's own text stays. Where the old lines stand is found elsewhere (`ladder.rs`).

use std::collections::HashSet;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::document::{BLANK, Document, Splice, key};
use super::indent::{Indenter, Sample};
use crate::edit_format::Hunk;
use crate::text::diff;
use crate::text::lines::{indent, is_blank};
use crate::text::similarity::letters_and_digits;

/// Lines of the file, of at least so many letters and digits each, that a text without a place must hold to be the file's
/// new version.
const MIN_LINES_OF_REWRITE: usize = 5;
const MIN_LETTERS_OF_REWRITE: usize = 6;

/// One (old lines, new lines) pair that wants a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ask {
    /// Tells most different blocks apart at once.
    fingerprint: u64,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) anchors: Vec<String>,
    pub(super) at_end: bool,
    /// It is a hunk of a diff: its context may be cut.
    pub(super) in_diff: bool,
    /// The file that the block is for.
    pub(super) path: String,
    /// By old line; see `document::key`.
    pub(super) keys: Vec<u64>,
}

/// How exactly old and new lines are compared to tell kept lines from changed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    /// Every character counts: the block was found as it is.
    Exact,
    /// Blanks at the end of a line do not count.
    TrimEnd,
    /// Blanks at both ends do not count, except where old and new line differ in them.
    Trim,
}

/// A run of changed lines between two kept ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Indices of old lines that go; may be empty.
    pub(super) old: Range<usize>,
    /// Indices of new lines that come; may be empty.
    pub(super) new: Range<usize>,
}

/// Why a change cannot be made although its place is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The indentation of this new line cannot be known.
    Indentation { line: String },
    /// Lines of the file stand among those that go and are not in the block.
    Between { position: usize },
    /// The new lines stand between parts of the block that are far apart in the file.
    Apart,
    /// No line beside the new ones was found.
    NoNeighbour,
    /// A line that goes or changes is not in the file.
    ChangedLineMissing { line: String },
    /// There are so many places that nobody looked.
    NotLookedAt,
    /// Some of the new lines already stand at the place (from 1), others do not.
    PartlyThere { line: usize },
}

impl Ask {
    pub(super) fn new(old: Vec<String>, new: Vec<String>) -> Self {
        let keys = old.iter().map(|line| key(line)).collect();
        let fingerprint = xxh3_64(format!("{old:?}{new:?}").as_bytes());
        Self {
            fingerprint,
            old,
            new,
            anchors: Vec::new(),
            at_end: false,
            in_diff: false,
            path: String::new(),
            keys,
        }
    }

    pub(super) fn from_hunk(hunk: &Hunk, path: &str) -> Self {
        let clean = |lines: &[String]| -> Vec<String> {
            let mut lines: Vec<String> = lines
                .iter()
                .map(|line| line.trim_end_matches('\r').to_string())
                .collect();
            if let Some(first) = lines.first_mut() {
                // A byte order mark that a model copied is no part of the text here.
                *first = first.trim_start_matches('\u{feff}').to_string();
            }
            lines
        };
        Self {
            anchors: hunk.anchors.clone(),
            at_end: hunk.at_end,
            in_diff: hunk.in_diff,
            path: path.to_string(),
            ..Self::new(clean(&hunk.old), clean(&hunk.new))
        }
    }

    /// The same wish with other lines.
    pub(super) fn with_lines(&self, old: Vec<String>, new: Vec<String>) -> Self {
        Self {
            anchors: self.anchors.clone(),
            at_end: self.at_end,
            in_diff: self.in_diff,
            path: self.path.clone(),
            ..Self::new(old, new)
        }
    }

    pub(super) fn n_filled_old(&self) -> usize {
        self.old.iter().filter(|line| !is_blank(line)).count()
    }

    /// Whether lines that nothing is searched for are the whole file anew: they begin as it begins and hold most of it.
    pub(super) fn rewrites(&self, document: &Document<'_>) -> bool {
        let begins_alike = || {
            let first = self.new.iter().map(|line| key(line)).find(|key| *key != BLANK);
            first == (0..document.len()).map(|at| document.key(at)).find(|key| *key != BLANK)
        };
        // What is dear comes last: nearly every hunk is none of these.
        if self.n_filled_old() > 0 || !self.anchors.is_empty() || self.at_end || !begins_alike() {
            return false;
        }
        let keys: HashSet<u64> = self.new.iter().map(|line| key(line)).collect();
        let telling = |at: &usize| letters_and_digits(document.text(*at)) >= MIN_LETTERS_OF_REWRITE;
        let in_file: Vec<usize> = (0..document.len()).filter(telling).collect();
        let n_kept = in_file.iter().filter(|at| keys.contains(&document.key(**at))).count();
        n_kept >= MIN_LINES_OF_REWRITE && 2 * n_kept >= in_file.len()
    }

    /// Pairs of kept lines (old index, new index).
    pub(super) fn kept(&self, compare: Compare) -> Vec<(usize, usize)> {
        fn comparable(lines: &[String], compare: Compare) -> Vec<&str> {
            lines
                .iter()
                .map(|line| match compare {
                    Compare::Exact => line.as_str(),
                    Compare::TrimEnd => line.trim_end(),
                    Compare::Trim => line.trim(),
                })
                .collect()
        }
        diff::matches(&comparable(&self.old, compare), &comparable(&self.new, compare))
    }

    /// The runs of changed lines, in order.
    pub(super) fn groups(&self, kept: &[(usize, usize)]) -> Vec<Group> {
        let mut groups = Vec::new();
        let (mut old, mut new) = (0, 0);
        let end = (self.old.len(), self.new.len());
        for &(o, n) in kept.iter().chain(std::iter::once(&end)) {
            if old < o || new < n {
                groups.push(Group {
                    old: old..o,
                    new: new..n,
                });
            }
            (old, new) = (o + 1, n + 1);
        }
        groups
    }

    /// The lines that the block adds, joined without blanks around them.
    pub(super) fn added_text(&self) -> Vec<&str> {
        let kept = self.kept(Compare::Trim);
        self.groups(&kept)
            .into_iter()
            .flat_map(|group| self.new[group.new].iter())
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .collect()
    }
}

/// The changes that the block makes at a place. `map` gives the position of each old line that was found, increasing.
pub(super) fn splices(
    ask: &Ask,
    document: &Document<'_>,
    map: &[Option<usize>],
    compare: Compare,
) -> Result<Vec<Splice>, Obstacle> {
    let as_written = compare != Compare::Exact && is_indented_as_the_file(ask, document, map);
    let compare = if as_written { Compare::Trim } else { compare };
    let kept = ask.kept(compare);
    // A line that is only similar may be indented as the model pleased.
    let is_equal = |(idx, position): (usize, &Option<usize>)| position.filter(|at| document.key(*at) == ask.keys[idx]);
    let equal: Vec<Option<usize>> = map.iter().enumerate().map(is_equal).collect();
    let indenter = (compare != Compare::Exact && !as_written).then(|| indenter(ask, document, &equal));
    let reindent = |new_idx: usize, near: usize| -> Result<String, Obstacle> {
        let line = &ask.new[new_idx];
        match &indenter {
            None => Ok(line.clone()),
            Some(indenter) => indenter
                .reindent(line, near)
                .ok_or_else(|| Obstacle::Indentation { line: line.clone() }),
        }
    };
    let mut out = Vec::new();
    for group in ask.groups(&kept) {
        let range = place_of(ask, document, map, &group)?;
        let near = group.old.start.saturating_sub(usize::from(group.old.is_empty()));
        let n_old = group.old.len();
        let new = group
            .new
            .clone()
            .enumerate()
            .map(|(nth, new_idx)| reindent(new_idx, near + nth.min(n_old.saturating_sub(1))))
            .collect::<Result<Vec<_>, _>>()?;
        if range.is_empty() && new.is_empty() {
            continue;
        }
        out.push(Splice { range, new });
    }
    if compare == Compare::Trim {
        for &(old_idx, new_idx) in &kept {
            let Some(position) = map[old_idx] else { continue };
            if let Some(line) = only_indentation_changes(ask, document, position, old_idx, new_idx) {
                let moved = reindent(new_idx, old_idx)?;
                let new = format!("{}{}", indent(&moved), line);
                if new != document.text(position) {
                    out.push(Splice {
                        range: position..position + 1,
                        new: vec![new],
                    });
                }
            }
        }
        out.sort_by_key(|splice| (splice.range.start, splice.range.end));
    }
    Ok(out)
}

/// The file's line without its indentation, if the block moves it and does not write it as it already stands.
fn only_indentation_changes<'d>(
    ask: &Ask,
    document: &'d Document<'_>,
    position: usize,
    old_idx: usize,
    new_idx: usize,
) -> Option<&'d str> {
    let (old, new) = (ask.old[old_idx].trim_end(), ask.new[new_idx].trim_end());
    let line = document.text(position);
    let moved = old != new && new != line.trim_end() && !is_blank(new) && document.key(position) == ask.keys[old_idx];
    moved.then(|| line.trim_start())
}

/// Whether the new lines are indented as the file is although the old lines are not: then they go in as they are.
fn is_indented_as_the_file(ask: &Ask, document: &Document<'_>, map: &[Option<usize>]) -> bool {
    let filled = |lines: &[String]| -> Option<usize> {
        let indents = lines
            .iter()
            .filter(|line| !is_blank(line))
            .map(|line| indent(line).len());
        indents.min()
    };
    let positions = || map.iter().flatten().filter(|position| !document.is_blank(**position));
    let kept: Vec<(usize, usize)> = ask
        .kept(Compare::Trim)
        .into_iter()
        .filter(|(old_idx, _)| map[*old_idx].is_some() && !is_blank(&ask.old[*old_idx]))
        .collect();
    if kept.is_empty() {
        let in_file = positions().map(|position| indent(document.text(*position)).len()).min();
        return filled(&ask.old) == Some(0) && in_file != Some(0) && filled(&ask.new) == in_file;
    }
    let moved = kept
        .iter()
        .any(|(old_idx, new_idx)| ask.old[*old_idx].trim_end() != ask.new[*new_idx].trim_end());
    moved
        && kept.iter().all(|(old_idx, new_idx)| {
            map[*old_idx].is_some_and(|position| document.text(position).trim_end() == ask.new[*new_idx].trim_end())
        })
}

/// What the block's lines and the file's show about the indentation.
pub(super) fn indenter(ask: &Ask, document: &Document<'_>, map: &[Option<usize>]) -> Indenter {
    let samples = map
        .iter()
        .enumerate()
        .filter_map(|(old_idx, position)| Some((old_idx, (*position)?)))
        .filter(|&(old_idx, position)| !is_blank(&ask.old[old_idx]) && !document.is_blank(position))
        .map(|(old_idx, position)| Sample {
            old_idx,
            block: indent(&ask.old[old_idx]).to_string(),
            file: indent(document.text(position)).to_string(),
        })
        .collect();
    Indenter::new(samples, ask.old.iter().chain(&ask.new).map(String::as_str))
}

/// The lines of the file that a run of changed lines takes the place of.
fn place_of(
    ask: &Ask,
    document: &Document<'_>,
    map: &[Option<usize>],
    group: &Group,
) -> Result<Range<usize>, Obstacle> {
    let found: Vec<usize> = map[group.old.clone()].iter().flatten().copied().collect();
    let missing = group
        .old
        .clone()
        .find(|old_idx| map[*old_idx].is_none() && !is_blank(&ask.old[*old_idx]));
    if let Some(old_idx) = missing {
        let line = ask.old[old_idx].clone();
        return Err(Obstacle::ChangedLineMissing { line });
    }
    if let (Some(first), Some(last)) = (found.first(), found.last()) {
        let stranger = (*first..=*last).find(|position| !found.contains(position) && !document.is_blank(*position));
        return match stranger {
            Some(position) => Err(Obstacle::Between { position }),
            None => Ok(*first..*last + 1),
        };
    }
    insertion_point(ask, document, map, group.old.start).map(|position| position..position)
}

/// Where new lines go that stand between old lines `at - 1` and `at`: beside the neighbour that was found. A blank
/// line is a neighbour only when there is no better one.
fn insertion_point(ask: &Ask, document: &Document<'_>, map: &[Option<usize>], at: usize) -> Result<usize, Obstacle> {
    let above = at.checked_sub(1).and_then(|idx| map[idx]);
    let below = map.get(at).copied().flatten();
    let filled = |position: &usize| !document.is_blank(*position);
    if let Some(position) = above.filter(filled) {
        return Ok(position + 1);
    }
    if let Some(position) = below.filter(filled) {
        return Ok(position);
    }
    if let Some(position) = above {
        return Ok(position + 1);
    }
    if let Some(position) = below {
        return Ok(position);
    }
    // Only blank lines of the block stand between the new lines and the next neighbour: those that the file has there,
    // up to as many, stay between them.
    let not_blank = |idx: &usize| !is_blank(&ask.old[*idx]);
    let blank = |position: &usize| document.is_blank(*position);
    let above = (0..at).rev().find(not_blank);
    let below = (at..ask.old.len()).find(not_blank);
    let below_above = above.and_then(|idx| {
        let next = map[idx]? + 1;
        let n_between = (next..document.len()).take(at - idx - 1).take_while(blank).count();
        Some(next + n_between)
    });
    let above_below = below.and_then(|idx| {
        let position = map[idx]?;
        let n_between = (0..position).rev().take(idx - at).take_while(blank).count();
        Some(position - n_between)
    });
    below_above.or(above_below).ok_or(Obstacle::NoNeighbour)
}
