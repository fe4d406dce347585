//! A hunk of a diff whose context was cut or merged: its changes are placed one by one, each with as much of the context
//! around it as stands in the file. All must have one place each, in the order of the hunk.

use std::collections::BTreeMap;

use super::change::{Ask, Compare, Group};
use super::document::{Document, Splice};
use super::ladder::{Climbed, Found, Place, find_strictly};
use crate::text::similarity;
use crate::text::similarity::letters_and_digits;

/// Context lines on each side of a change that are tried.
const MAX_CONTEXT: usize = 12;
/// Lines at least this similar are versions of one line.
const SAME_LINE: f64 = 0.7;
/// Letters and digits that a part of a hunk needs to be looked for by itself.
const MIN_LETTERS: usize = 8;

/// The place of a hunk in parts.
pub(super) fn find(ask: &Ask, document: &Document<'_>) -> Climbed {
    let kept = ask.kept(Compare::Trim);
    let groups = ask.groups(&kept);
    let mut splices: Vec<Splice> = Vec::new();
    let (mut first, mut end) = (None, 0);
    for (nth, group) in groups.iter().enumerate() {
        let above = nth.checked_sub(1).map_or(0, |before| groups[before].old.end);
        let below = groups.get(nth + 1).map_or(ask.old.len(), |after| after.old.start);
        let mut places = part(ask, document, group, above, below);
        places.retain(|place| place.first >= end);
        let place = match places.len() {
            0 => return Climbed::Nowhere,
            1 => places.remove(0),
            _ => return Climbed::Ambiguous { rung: "split", places },
        };
        let Ok(changes) = place.splices else {
            return Climbed::Nowhere;
        };
        if changes.iter().any(|splice| rewrites_a_neighbour(splice, document)) {
            return Climbed::Nowhere;
        }
        splices.extend(changes);
        first = first.or(Some(place.first));
        end = end.max(place.end);
    }
    match first {
        Some(first) => Climbed::Placed {
            rung: "split",
            place: Place {
                first,
                end,
                splices: Ok(splices),
            },
        },
        None => Climbed::Nowhere,
    }
}

/// Whether new lines would go beside a line of the file that one of them is another version of: the hunk should have
/// removed it.
fn rewrites_a_neighbour(splice: &Splice, document: &Document<'_>) -> bool {
    let filled = |position: &usize| !document.is_blank(*position);
    let above = (0..splice.range.start).rev().find(filled);
    let below = (splice.range.end..document.len()).find(filled);
    let resembles = |position: usize| {
        let line = document.text(position);
        splice
            .new
            .iter()
            .any(|new| letters_and_digits(new) >= MIN_LETTERS && similarity::of_lines(new, line) >= SAME_LINE)
    };
    splice.range.is_empty() && above.into_iter().chain(below).any(resembles)
}

/// The places of one change, with the most context that stands in the file. `above` and `below` are the old indices
/// between which its context lies.
fn part(ask: &Ask, document: &Document<'_>, group: &Group, above: usize, below: usize) -> Vec<Place> {
    let most_above = (group.old.start - above).min(MAX_CONTEXT);
    let most_below = (below - group.old.end).min(MAX_CONTEXT);
    for n_context in (0..=most_above + most_below).rev() {
        let mut found: BTreeMap<usize, Place> = BTreeMap::new();
        for n_above in n_context.saturating_sub(most_below)..=n_context.min(most_above) {
            let n_below = n_context - n_above;
            let old = &ask.old[group.old.start - n_above..group.old.end + n_below];
            let letters: usize = old.iter().map(|line| letters_and_digits(line)).sum();
            if letters < MIN_LETTERS {
                continue;
            }
            let new = &ask.new[group.new.start - n_above..group.new.end + n_below];
            let Found::Places(places) = find_strictly(&ask.with_lines(old.to_vec(), new.to_vec()), document) else {
                continue;
            };
            for place in places {
                let key = match &place.splices {
                    Ok(splices) => splices.first().map_or(place.first, |splice| splice.range.start),
                    Err(_) => place.first,
                };
                found.entry(key).or_insert(place);
            }
        }
        if !found.is_empty() {
            return found.into_values().collect();
        }
    }
    Vec::new()
}
