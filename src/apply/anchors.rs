//! Anchors (`@@ class A`, `@@ def f`): lines above a hunk that say which of several places is meant, and where lines
//! go that have no old line beside them.

use super::change::Ask;
use super::document::{Document, key};
use super::ladder::Place;
use crate::text::lines::{indent, is_blank};

/// A signature whose brackets are open over more lines than this is not followed to its end.
const LONGEST_SIGNATURE: usize = 40;

/// Leaves the places that the anchors and the end-of-file mark of the block allow, if any fits; else all of them.
pub(super) fn narrow(ask: &Ask, document: &Document<'_>, mut places: Vec<Place>) -> Vec<Place> {
    if places.len() < 2 {
        return places;
    }
    if ask.at_end {
        let at_end: Vec<usize> = (0..places.len())
            .filter(|idx| ends_the_file(document, places[*idx].end))
            .collect();
        if let [only] = at_end[..] {
            return vec![places.swap_remove(only)];
        }
    }
    if ask.anchors.is_empty() {
        return places;
    }
    let anchored = anchor_positions(document, &ask.anchors);
    if anchored.is_empty() {
        return places;
    }
    let inside = |place: &Place| {
        anchored
            .iter()
            .any(|at| place.first > *at && place.first < scope_end(document, *at))
    };
    let below = |place: &Place| anchored.iter().any(|at| place.first > *at);
    for allowed in [&inside as &dyn Fn(&Place) -> bool, &below] {
        let kept: Vec<usize> = (0..places.len()).filter(|idx| allowed(&places[*idx])).collect();
        match kept[..] {
            [only] => return vec![places.swap_remove(only)],
            [] => {}
            _ => return kept.into_iter().map(|idx| places[idx].clone()).collect(),
        }
    }
    places
}

fn ends_the_file(document: &Document<'_>, end: usize) -> bool {
    (end..document.len()).all(|position| document.is_blank(position))
}

/// The position before which lines go that have anchors but no old lines: below the anchor, or below its signature when
/// that goes on. None when the anchors are nowhere; several when they do not say which place.
pub(super) fn insertion_points(document: &Document<'_>, anchors: &[String]) -> Vec<usize> {
    anchor_positions(document, anchors)
        .into_iter()
        .map(|position| end_of_signature(document, position) + 1)
        .collect()
}

/// Positions of the last anchor, all anchors above it found in order, each inside the one before.
pub(super) fn anchor_positions(document: &Document<'_>, anchors: &[String]) -> Vec<usize> {
    let mut found: Vec<(usize, usize)> = vec![(0, document.len())];
    for anchor in anchors.iter().filter(|anchor| !is_blank(anchor)) {
        let candidates = lines_like(document, anchor);
        let mut next: Vec<(usize, usize)> = found
            .iter()
            .flat_map(|&(from, to)| candidates.iter().filter(move |at| (from..to).contains(*at)))
            .map(|&at| (at + 1, scope_end(document, at)))
            .collect();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Vec::new();
        }
        found = next;
    }
    if found == [(0, document.len())] {
        return Vec::new();
    }
    found.into_iter().map(|(below, _)| below - 1).collect()
}

/// Lines equal to the anchor, blanks aside; else lines that start with it at a word's end.
fn lines_like(document: &Document<'_>, anchor: &str) -> Vec<usize> {
    let equal = document.positions(key(anchor));
    if !equal.is_empty() {
        return equal;
    }
    let anchor = anchor.trim();
    let word_end = |rest: &str| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !(anchor.ends_with(is_word) && rest.starts_with(is_word))
    };
    (0..document.len())
        .filter(|position| {
            document
                .text(*position)
                .trim_start()
                .strip_prefix(anchor)
                .is_some_and(word_end)
        })
        .collect()
}

/// The position after the last line that belongs to the line at `at` by indentation.
fn scope_end(document: &Document<'_>, at: usize) -> usize {
    let own = indent(document.text(at)).len();
    let below = end_of_signature(document, at) + 1;
    let closes = |line: &str| line.trim_start().starts_with(['}', ')', ']']) || line.trim_start().starts_with("end");
    (below..document.len())
        .find(|position| {
            let line = document.text(*position);
            !is_blank(line) && indent(line).len() <= own && !closes(line)
        })
        .unwrap_or(document.len())
}

/// The line on which the brackets that the line at `at` opens are closed again, if that is near.
fn end_of_signature(document: &Document<'_>, at: usize) -> usize {
    let mut depth = 0_i32;
    for position in at..document.len().min(at + LONGEST_SIGNATURE) {
        for c in document.text(position).chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 {
            return position;
        }
    }
    at
}
