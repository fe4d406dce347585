//! One file's text while the edits of a reply are placed in it: lines that keep their identity, found by hash.
//!
//! A line keeps its id from the original text on, so that a place in the original can be carried over to the text as
//! earlier blocks left it. Untouched lines keep their ending; the planner decides nothing here.

use std::borrow::Cow;
use std::cell::Ref;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::text::lines::{self, Ending};
use crate::text::similarity::fold_punctuation;

/// Key of every blank line.
pub(super) const BLANK: u64 = 0;

/// Position of a line that is no longer in the text.
const GONE: u32 = u32::MAX;

pub(super) type LineId = u32;

struct Record<'t> {
    text: Cow<'t, str>,
    ending: Ending,
    key: u64,
    /// Block that wrote the line; None for a line of the original text.
    written_by: Option<usize>,
    /// Block that removed it.
    removed_by: Option<usize>,
}

pub(super) struct Document<'t> {
    records: Vec<Record<'t>>,
    order: Vec<LineId>,
    /// By id.
    position: Vec<u32>,
    by_key: HashMap<u64, Vec<LineId>>,
    n_original: usize,
    final_newline: bool,
    condensed: RefCell<Condensed>,
    /// By id, as far as they were asked for.
    signatures: RefCell<Vec<u128>>,
}

/// The lines without any white space, as far as they were asked for. A line never changes, so a change to the text costs only
/// its new lines.
#[derive(Default)]
struct Condensed {
    /// By id.
    lines: Vec<Box<str>>,
    /// By their first bytes, all of them where there are fewer than [`BEGINNING`]. Blank lines are not in it.
    by_beginning: HashMap<Box<[u8]>, Vec<LineId>>,
}

/// Bytes by which a line without white space is found: fewer make more lines alike.
const BEGINNING: usize = 12;

impl Condensed {
    fn push(&mut self, line: &str) {
        let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if !line.is_empty() {
            let beginning = &line.as_bytes()[..line.len().min(BEGINNING)];
            let id = line_id(self.lines.len());
            match self.by_beginning.get_mut(beginning) {
                Some(ids) => ids.push(id),
                None => {
                    self.by_beginning.insert(beginning.into(), vec![id]);
                }
            }
        }
        self.lines.push(line.into_boxed_str());
    }
}

/// A change to lines of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    /// Positions of the lines that go; empty for an insertion before `range.start`.
    pub(super) range: Range<usize>,
    pub(super) new: Vec<String>,
}

/// The hash under which a line is found: blanks around it and the folding of punctuation play no part.
pub(super) fn key(line: &str) -> u64 {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return BLANK;
    }
    let folded = fold_punctuation(trimmed);
    match folded.trim() {
        "" => BLANK,
        text => xxh3_64(text.as_bytes()).max(1),
    }
}

impl<'t> Document<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let split = lines::split(text);
        let dominant = lines::dominant_ending(text).unwrap_or_default();
        let final_newline = split.last().is_none_or(|line| line.ending.is_some());
        let mut records = Vec::with_capacity(split.len());
        let mut by_key: HashMap<u64, Vec<LineId>> = HashMap::with_capacity(split.len());
        for (id, line) in split.iter().enumerate() {
            let key = key(line.text);
            by_key.entry(key).or_default().push(line_id(id));
            records.push(Record {
                text: Cow::Borrowed(line.text),
                ending: line.ending.unwrap_or(dominant),
                key,
                written_by: None,
                removed_by: None,
            });
        }
        let n = records.len();
        Self {
            records,
            order: (0..n).map(line_id).collect(),
            position: (0..n).map(line_id).collect(),
            by_key,
            n_original: n,
            final_newline,
            condensed: RefCell::default(),
            signatures: RefCell::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    fn record(&self, position: usize) -> &Record<'t> {
        &self.records[self.order[position] as usize]
    }

    pub(super) fn text(&self, position: usize) -> &str {
        &self.record(position).text
    }

    pub(super) fn key(&self, position: usize) -> u64 {
        self.record(position).key
    }

    pub(super) fn is_blank(&self, position: usize) -> bool {
        self.record(position).key == BLANK
    }

    pub(super) fn id(&self, position: usize) -> LineId {
        self.order[position]
    }

    pub(super) fn position_of(&self, id: LineId) -> Option<usize> {
        let position = self.position[id as usize];
        (position != GONE).then_some(position as usize)
    }

    /// Block that wrote the line at `position`, if it is not of the original text.
    pub(super) fn written_by(&self, position: usize) -> Option<usize> {
        self.record(position).written_by
    }

    /// Block that removed the line of that id.
    pub(super) fn removed_by(&self, id: LineId) -> Option<usize> {
        self.records[id as usize].removed_by
    }

    /// Number of the line in the original text, from 1; None for a line that the reply wrote.
    pub(super) fn number(&self, position: usize) -> Option<usize> {
        let id = self.id(position) as usize;
        (id < self.n_original).then_some(id + 1)
    }

    /// Number of the line in the original text, from 1; for a new line that of the nearest original line above it.
    pub(super) fn original_number(&self, position: usize) -> usize {
        let above = self.order[..(position + 1).min(self.order.len())]
            .iter()
            .rev()
            .find(|id| (**id as usize) < self.n_original);
        above.map_or(1, |id| *id as usize + 1)
    }

    /// How many lines of that key ever stood here (an upper bound of those that do).
    pub(super) fn frequency(&self, key: u64) -> usize {
        self.by_key.get(&key).map_or(0, Vec::len)
    }

    /// Positions of the lines with that key, increasing.
    pub(super) fn positions(&self, key: u64) -> Vec<usize> {
        let ids = self.by_key.get(&key).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<usize> = ids.iter().filter_map(|id| self.position_of(*id)).collect();
        found.sort_unstable();
        found
    }

    fn condensed(&self) -> Ref<'_, Condensed> {
        let known = self.condensed.borrow().lines.len();
        if known < self.records.len() {
            let mut condensed = self.condensed.borrow_mut();
            self.records[known..]
                .iter()
                .for_each(|record| condensed.push(&record.text));
        }
        self.condensed.borrow()
    }

    /// Where a text without white space stands, from the start of a line to the end of a line, white space in the lines aside:
    /// of each place its lines, as (offset in the text, position). Places do not overlap.
    pub(super) fn places_of_condensed(&self, text: &str) -> Vec<Vec<(usize, usize)>> {
        let condensed = self.condensed();
        let longest = text.len().min(BEGINNING);
        let mut firsts: Vec<usize> = (1..=longest)
            .filter_map(|length| condensed.by_beginning.get(&text.as_bytes()[..length]))
            .flatten()
            .filter_map(|id| self.position_of(*id))
            .collect();
        firsts.sort_unstable();
        let mut places: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut free_from = 0;
        for first in firsts {
            if first >= free_from
                && let Some(lines) = self.spelled_from(first, text, &condensed)
            {
                free_from = lines.last().map_or(first, |(_, last)| *last) + 1;
                places.push(lines);
            }
        }
        places
    }

    /// The lines from `first` on that spell the text, none more and none less.
    fn spelled_from(&self, first: usize, text: &str, condensed: &Condensed) -> Option<Vec<(usize, usize)>> {
        let mut lines = Vec::new();
        let mut rest = text;
        for position in first..self.len() {
            let line = &condensed.lines[self.order[position] as usize];
            if line.is_empty() {
                continue;
            }
            lines.push((text.len() - rest.len(), position));
            rest = rest.strip_prefix(&**line)?;
            if rest.is_empty() {
                return Some(lines);
            }
        }
        None
    }

    /// What `of` says of each line, by position. It is worked out once a line: many blocks may ask.
    pub(super) fn signatures(&self, of: fn(&str) -> u128) -> Vec<u128> {
        let mut known = self.signatures.borrow_mut();
        let n_known = known.len();
        known.extend(self.records[n_known..].iter().map(|record| of(&record.text)));
        self.order.iter().map(|id| known[*id as usize]).collect()
    }

    /// Makes changes that do not overlap, all of one block. Positions are those before any of them.
    pub(super) fn splice(&mut self, mut splices: Vec<Splice>, block: usize) {
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        for splice in splices.into_iter().rev() {
            self.splice_one(splice, block);
        }
    }

    fn splice_one(&mut self, splice: Splice, block: usize) {
        let Range { start, end } = splice.range;
        let removed: Vec<LineId> = self.order[start..end].to_vec();
        let around = self.ending_around(start);
        let mut ids = Vec::with_capacity(splice.new.len());
        for (nth, text) in splice.new.into_iter().enumerate() {
            let model = removed.get(nth).or(removed.last());
            let ending = model.map_or(around, |id| self.records[*id as usize].ending);
            let key = key(&text);
            let id = line_id(self.records.len());
            self.records.push(Record {
                text: Cow::Owned(text),
                ending,
                key,
                written_by: Some(block),
                removed_by: None,
            });
            self.position.push(GONE);
            self.by_key.entry(key).or_default().push(id);
            ids.push(id);
        }
        for id in &removed {
            self.position[*id as usize] = GONE;
            self.records[*id as usize].removed_by = Some(block);
        }
        let same_length = ids.len() == removed.len();
        let moved_until = if same_length { end } else { usize::MAX };
        self.order.splice(start..end, ids);
        for position in start..self.order.len().min(moved_until) {
            self.position[self.order[position] as usize] = line_id(position);
        }
    }

    pub(super) fn set_final_newline(&mut self, ends_with_one: bool) {
        self.final_newline = ends_with_one;
    }

    /// The ending that a line inserted before `position` takes: that of the line above, else below.
    fn ending_around(&self, position: usize) -> Ending {
        let neighbour = position.checked_sub(1).or((!self.is_empty()).then_some(0));
        neighbour.map_or(Ending::Lf, |at| self.record(at.min(self.len() - 1)).ending)
    }

    pub(super) fn render(&self) -> String {
        let mut out = String::with_capacity(
            self.order
                .iter()
                .map(|id| self.records[*id as usize].text.len() + 1)
                .sum(),
        );
        for position in 0..self.len() {
            let record = self.record(position);
            out.push_str(&record.text);
            // A blank last line is only there with its ending.
            if position + 1 < self.len() || self.final_newline || record.text.is_empty() {
                out.push_str(record.ending.as_str());
            }
        }
        out
    }
}

/// Line numbers fit into 32 bits: a text of four thousand million lines is never read into memory.
fn line_id(index: usize) -> LineId {
    u32::try_from(index).unwrap_or(GONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(new: &[&str]) -> Vec<String> {
        new.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn untouched_lines_keep_their_bytes_and_new_ones_take_the_neighbours_ending() {
        let mut document = Document::new("a\r\nb\nc");
        document.splice(
            vec![Splice {
                range: 0..1,
                new: lines(&["x", "y"]),
            }],
            1,
        );
        assert_eq!(document.render(), "x\r\ny\r\nb\nc");
        document.splice(
            vec![Splice {
                range: 4..4,
                new: lines(&["z"]),
            }],
            1,
        );
        assert_eq!(document.render(), "x\r\ny\r\nb\nc\nz");
    }

    #[test]
    fn lines_are_found_where_they_stand_now() {
        let mut document = Document::new("a\nb\nc\nb\n");
        document.splice(
            vec![Splice {
                range: 0..2,
                new: lines(&[]),
            }],
            1,
        );
        assert_eq!(document.positions(key("b")), [1]);
        assert_eq!(document.positions(key("a")), [] as [usize; 0]);
        assert_eq!(document.position_of(2), Some(0));
        assert_eq!(document.removed_by(0), Some(1));
    }

    #[test]
    fn a_text_without_white_space_is_found_from_line_to_line_as_they_stand_now() {
        let mut document = Document::new("let x = call(\n    a, b);\n\nlet x = call(a, b);\nlet y = call(a, b);\n");
        let text = "letx=call(a,b);";
        assert_eq!(
            document.places_of_condensed(text),
            [vec![(0, 0), (10, 1)], vec![(0, 3)]]
        );
        assert_eq!(document.places_of_condensed("x=call("), [] as [Vec<(usize, usize)>; 0]);
        assert_eq!(
            document.places_of_condensed("letx=call(a,"),
            [] as [Vec<(usize, usize)>; 0]
        );
        document.splice(
            vec![Splice {
                range: 1..2,
                new: lines(&["a,", "\tb", ");"]),
            }],
            1,
        );
        let wrapped = vec![(0, 0), (10, 1), (12, 2), (13, 3)];
        assert_eq!(document.places_of_condensed(text), [wrapped, vec![(0, 5)]]);
        document.splice(
            vec![Splice {
                range: 0..4,
                new: lines(&[]),
            }],
            2,
        );
        assert_eq!(document.places_of_condensed(text), [vec![(0, 1)]]);
    }

    #[test]
    fn keys_ignore_outer_blanks_and_folded_punctuation() {
        assert_eq!(key("  a \u{201c}b\u{201d}\t"), key("a \"b\""));
        assert_eq!(key(" \t "), BLANK);
        assert_ne!(key("a b"), key("a  b"));
    }
}
