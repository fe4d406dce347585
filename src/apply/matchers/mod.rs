//! One file a rung of the ladder; see `ladder.rs` for their order and the rule they share.

mod align;
pub(super) mod already_there;
pub(super) mod apart;
pub(super) mod blank_edges;
pub(super) mod blank_lines;
pub(super) mod elision;
pub(super) mod escapes;
pub(super) mod exact;
pub(super) mod gutter;
pub(super) mod loose;
pub(super) mod part_of_line;
pub(super) mod punctuation;
pub(super) mod trailing_space;
pub(super) mod trim;
pub(super) mod uniform_indent;
pub(super) mod white_space;
pub(super) mod wrapper;

use super::anchors;
use super::change::{Ask, Compare, Obstacle, splices};
use super::document::{BLANK, Document};
use super::ladder::{Found, Place};
use super::windows::{self, Fit};

/// A block that fits at more places than this is ambiguous whatever it changes.
const MAX_PLACES: usize = 64;

/// Blank lines at the edges of the block stand for those of the file right beside the lines that were found.
fn map_blank_edges(document: &Document<'_>, map: &mut [Option<usize>]) {
    let Some(first) = map.iter().position(Option::is_some) else {
        return;
    };
    let last = map.iter().rposition(Option::is_some).unwrap_or(first);
    for idx in last + 1..map.len() {
        let below = map[idx - 1].map(|position| position + 1);
        map[idx] = below.filter(|position| *position < document.len() && document.is_blank(*position));
    }
    for idx in (0..first).rev() {
        let above = map[idx + 1].and_then(|position| position.checked_sub(1));
        map[idx] = above.filter(|position| document.is_blank(*position));
    }
}

/// The windows in which every old line fits at least as closely as `loosest`.
fn line_by_line(ask: &Ask, document: &Document<'_>, loosest: Fit, compare: Compare) -> Found {
    let starts = windows::starts(document, &ask.keys)
        .into_iter()
        .filter(|start| windows::fit_at(document, &ask.old, *start) <= loosest)
        .collect();
    places(ask, document, starts, compare)
}

/// The windows at these positions as places. What would be changed is only worked out for as many as may yet matter.
fn places(ask: &Ask, document: &Document<'_>, starts: Vec<usize>, compare: Compare) -> Found {
    let end = |start: usize| start + ask.old.len();
    let unseen = |start: usize| Place {
        first: start,
        end: end(start),
        splices: Err(Obstacle::NotLookedAt),
    };
    let mut places = anchors::narrow(ask, document, starts.into_iter().map(unseen).collect());
    if places.len() <= MAX_PLACES {
        for place in &mut places {
            place.splices = splices(ask, document, &windows::map_at(ask, place.first), compare);
        }
    }
    Found::from_places(places)
}

/// Whether the block moves lines in or out on both sides of lines that the file has between them and the block has not:
/// those would keep their depth and fall out of what encloses them. Gives the first of them.
fn moves_around_a_gap(ask: &Ask, document: &Document<'_>, map: &[Option<usize>]) -> Result<(), Obstacle> {
    let moved: Vec<usize> = ask
        .kept(Compare::Trim)
        .into_iter()
        .filter(|(old, new)| ask.keys[*old] != BLANK && ask.old[*old].trim_end() != ask.new[*new].trim_end())
        .map(|(old, _)| old)
        .collect();
    for pair in moved.windows(2) {
        let is_run = (pair[0] + 1..pair[1]).all(|idx| ask.keys[idx] == BLANK);
        let (Some(above), Some(below)) = (map[pair[0]], map[pair[1]]) else {
            continue;
        };
        if is_run && let Some(position) = (above + 1..below).find(|at| !document.is_blank(*at)) {
            return Err(Obstacle::Between { position });
        }
    }
    Ok(())
}
