//! The old lines stand in the file with more or fewer blank lines between them.

use crate::apply::change::{Ask, Compare, indenter, splices};
use crate::apply::document::{BLANK, Document};
use crate::apply::indent::Shift;
use crate::apply::ladder::{Found, Place};
use crate::text::similarity::letters_and_digits;

/// Blocks with fewer letters and digits than this are too small to be spread over blank lines.
const MIN_LETTERS: usize = 8;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let filled: Vec<usize> = (0..ask.old.len()).filter(|idx| ask.keys[*idx] != BLANK).collect();
    let letters: usize = ask.old.iter().map(|line| letters_and_digits(line)).sum();
    if filled.len() < 2 || letters < MIN_LETTERS {
        return Found::Nowhere;
    }
    let rarest = (0..filled.len())
        .min_by_key(|nth| document.frequency(ask.keys[filled[*nth]]))
        .unwrap_or(0);
    let places = document
        .positions(ask.keys[filled[rarest]])
        .into_iter()
        .filter_map(|position| spread(ask, document, &filled, rarest, position))
        .map(|map| {
            let positions = || map.iter().flatten();
            let even = *indenter(ask, document, &map).shift() != Shift::Uneven;
            let compare = if even { Compare::TrimEnd } else { Compare::Trim };
            Place {
                first: positions().min().copied().unwrap_or(0),
                end: positions().max().map_or(0, |last| last + 1),
                splices: splices(ask, document, &map, compare),
            }
        })
        .collect();
    Found::from_places(places)
}

/// Walks away from one line that fits in both directions, stepping over blank lines of the file.
fn spread(
    ask: &Ask,
    document: &Document<'_>,
    filled: &[usize],
    rarest: usize,
    position: usize,
) -> Option<Vec<Option<usize>>> {
    let mut map = vec![None; ask.old.len()];
    map[filled[rarest]] = Some(position);
    let mut at = position;
    for idx in &filled[rarest + 1..] {
        at = (at + 1..document.len()).find(|position| !document.is_blank(*position))?;
        if document.key(at) != ask.keys[*idx] {
            return None;
        }
        map[*idx] = Some(at);
    }
    at = position;
    for idx in filled[..rarest].iter().rev() {
        at = (0..at).rev().find(|position| !document.is_blank(*position))?;
        if document.key(at) != ask.keys[*idx] {
            return None;
        }
        map[*idx] = Some(at);
    }
    map_blanks(filled, &mut map);
    super::map_blank_edges(document, &mut map);
    Some(map)
}

/// Blank lines of the block stand for those of the file in the same gap, as far as there are any.
fn map_blanks(filled: &[usize], map: &mut [Option<usize>]) {
    for pair in filled.windows(2) {
        let (Some(above), Some(below)) = (map[pair[0]], map[pair[1]]) else {
            continue;
        };
        for (nth, idx) in (pair[0] + 1..pair[1]).enumerate() {
            let position = above + 1 + nth;
            map[idx] = (position < below).then_some(position);
        }
    }
}
