//! The block holds paragraphs that stand in the file as they are, in order, with other text of the file between them.
//! Each is found by itself; what the file has between two of them was left out of the block and stays.

use crate::apply::change::{Ask, Compare, Group, Obstacle, indenter, splices};
use crate::apply::document::{BLANK, Document};
use crate::apply::indent::Shift;
use crate::apply::ladder::{Found, Place};
use crate::apply::windows;
use crate::text::similarity::letters_and_digits;
use std::ops::Range;

/// Filled lines that such a block must have: a small one could be spread over a file by chance.
const MIN_LINES: usize = 6;
/// Filled lines and letters that a paragraph needs to be found by itself.
const MIN_LINES_OF_PARAGRAPH: usize = 2;
const MIN_LETTERS: usize = 16;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let paragraphs = paragraphs(ask);
    if ask.n_filled_old() < MIN_LINES || paragraphs.len() < 2 {
        return Found::Nowhere;
    }
    let mut map = vec![None; ask.old.len()];
    let mut end = 0;
    for paragraph in &paragraphs {
        let lines = &ask.old[paragraph.clone()];
        let letters: usize = lines.iter().map(|line| letters_and_digits(line)).sum();
        let starts = windows::starts(document, &ask.keys[paragraph.clone()]);
        let [start] = starts[..] else { return Found::Nowhere };
        if lines.len() < MIN_LINES_OF_PARAGRAPH || letters < MIN_LETTERS || start < end {
            return Found::Nowhere;
        }
        for (nth, idx) in paragraph.clone().enumerate() {
            map[idx] = Some(start + nth);
        }
        end = start + lines.len();
    }
    super::map_blank_edges(document, &mut map);
    let first = map.iter().flatten().min().copied().unwrap_or(0);
    let even = *indenter(ask, document, &map).shift() != Shift::Uneven;
    let compare = if even { Compare::TrimEnd } else { Compare::Trim };
    let kept = ask.kept(compare);
    let inside = ask
        .groups(&kept)
        .iter()
        .all(|group| paragraphs.iter().any(|paragraph| is_inside(ask, group, paragraph)));
    let splices = if inside {
        super::moves_around_a_gap(ask, document, &map).and_then(|()| splices(ask, document, &map, compare))
    } else {
        // New text between two paragraphs could go below the one or above the other.
        Err(Obstacle::Apart)
    };
    Found::Places(vec![Place { first, end, splices }])
}

/// The runs of filled lines.
fn paragraphs(ask: &Ask) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for idx in (0..ask.keys.len()).filter(|idx| ask.keys[*idx] != BLANK) {
        match out.last_mut() {
            Some(last) if last.end == idx => last.end = idx + 1,
            _ => out.push(idx..idx + 1),
        }
    }
    out
}

/// Whether a change belongs to one paragraph alone: it takes lines of it only, or adds lines right beside one of them.
fn is_inside(ask: &Ask, group: &Group, paragraph: &Range<usize>) -> bool {
    if !group.old.is_empty() {
        return paragraph.start <= group.old.start && group.old.end <= paragraph.end;
    }
    let at = group.old.start;
    let (is_first, is_last) = (at == 0, at == ask.old.len());
    let below_a_line = paragraph.start < at && at <= paragraph.end;
    let above_a_line = paragraph.start <= at && at < paragraph.end;
    (below_a_line && (above_a_line || is_last)) || (above_a_line && is_first)
}
