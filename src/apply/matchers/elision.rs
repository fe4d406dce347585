//! Both halves of the block hold the same lines of dots ("..."): each stands for text that is left as it is. The pieces
//! between them must stand in the file in order, in one way only.

use std::ops::Range;

use crate::apply::change::{Ask, Compare, Obstacle, splices};
use crate::apply::document::Document;
use crate::apply::ladder::{Found, Place};
use crate::apply::omission::is_elision;
use crate::apply::windows::{self, Fit};

/// Chains of pieces that are looked at before the block counts as ambiguous.
const MAX_CHAINS: usize = 50;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let Some(pieces) = pieces(ask) else {
        return Found::Nowhere;
    };
    let mut starts = Vec::new();
    for piece in &pieces {
        match closest_starts(piece, document) {
            found if found.is_empty() && !piece.old.is_empty() => return Found::Nowhere,
            found => starts.push(found),
        }
    }
    let mut chains = Vec::new();
    chain(&pieces, &starts, 0, &mut Vec::new(), &mut chains);
    let places = chains
        .into_iter()
        .map(|chain| place(&pieces, &chain, document))
        .collect();
    Found::from_places(places)
}

/// The block cut at its dots; None when the halves do not hold the same dots or a piece has no place of its own.
fn pieces(ask: &Ask) -> Option<Vec<Ask>> {
    let cut = |lines: &[String]| -> (Vec<Range<usize>>, Vec<String>) {
        let mut ranges = Vec::new();
        let mut dots = Vec::new();
        let mut from = 0;
        for (idx, line) in lines.iter().enumerate().filter(|(_, line)| is_elision(line)) {
            ranges.push(from..idx);
            dots.push(line.trim().to_string());
            from = idx + 1;
        }
        ranges.push(from..lines.len());
        (ranges, dots)
    };
    let ((old, old_dots), (new, new_dots)) = (cut(&ask.old), cut(&ask.new));
    if old_dots.is_empty() || old_dots != new_dots {
        return None;
    }
    let pieces: Vec<Ask> = old
        .into_iter()
        .zip(new)
        .map(|(old, new)| Ask::new(without_blank_edges(&ask.old[old]), without_blank_edges(&ask.new[new])))
        .collect();
    let homeless = pieces.iter().any(|piece| piece.old.is_empty() && !piece.new.is_empty());
    let some = pieces.iter().any(|piece| !piece.old.is_empty());
    (some && !homeless).then_some(pieces)
}

fn without_blank_edges(lines: &[String]) -> Vec<String> {
    let filled = |line: &String| !line.trim().is_empty();
    let Some(from) = lines.iter().position(filled) else {
        return Vec::new();
    };
    let to = lines.iter().rposition(filled).map_or(from, |last| last + 1);
    lines[from..to].to_vec()
}

/// Where the piece stands, as closely as it stands anywhere.
fn closest_starts(piece: &Ask, document: &Document<'_>) -> Vec<usize> {
    let found: Vec<(Fit, usize)> = windows::starts(document, &piece.keys)
        .into_iter()
        .map(|start| (windows::fit_at(document, &piece.old, start), start))
        .collect();
    let closest = found.iter().map(|(fit, _)| *fit).min();
    found
        .into_iter()
        .filter(|(fit, _)| Some(*fit) == closest)
        .map(|(_, start)| start)
        .collect()
}

/// All ways to take one place a piece, in order and without overlap.
fn chain(pieces: &[Ask], starts: &[Vec<usize>], from: usize, taken: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
    let Some(piece) = pieces.get(taken.len()) else {
        out.push(taken.clone());
        return;
    };
    if piece.old.is_empty() {
        taken.push(from);
        chain(pieces, starts, from, taken, out);
        taken.pop();
        return;
    }
    for start in starts[taken.len()].iter().filter(|start| **start >= from) {
        if out.len() >= MAX_CHAINS {
            return;
        }
        taken.push(*start);
        chain(pieces, starts, start + piece.old.len(), taken, out);
        taken.pop();
    }
}

fn place(pieces: &[Ask], chain: &[usize], document: &Document<'_>) -> Place {
    let filled = || pieces.iter().zip(chain).filter(|(piece, _)| !piece.old.is_empty());
    let placed: Vec<(&Ask, usize)> = filled().map(|(piece, start)| (piece, *start)).collect();
    let gap = placed.windows(2).find_map(|pair| {
        let (above, start) = pair[0];
        let (position, next) = (start + above.old.len(), pair[1].1);
        (position < next && is_moved(above, above.old.len() - 1) && is_moved(pair[1].0, 0)).then_some(position)
    });
    if let Some(position) = gap {
        // What the dots stand for would keep its depth and fall out of what encloses it.
        return Place {
            first: filled().next().map_or(0, |(_, start)| *start),
            end: filled().next_back().map_or(0, |(piece, start)| start + piece.old.len()),
            splices: Err(Obstacle::Between { position }),
        };
    }
    let changes: Result<Vec<_>, _> = filled()
        .map(|(piece, start)| {
            let exact = windows::fit_at(document, &piece.old, *start) == Fit::Exact;
            let compare = if exact { Compare::Exact } else { Compare::Trim };
            splices(piece, document, &windows::map_at(piece, *start), compare)
        })
        .collect();
    Place {
        first: filled().next().map_or(0, |(_, start)| *start),
        end: filled().next_back().map_or(0, |(piece, start)| start + piece.old.len()),
        splices: changes.map(|changes| changes.into_iter().flatten().collect()),
    }
}

/// Whether the block keeps this old line but moves it in or out.
fn is_moved(piece: &Ask, idx: usize) -> bool {
    let differs = |new: usize| piece.old[idx].trim_end() != piece.new[new].trim_end();
    piece
        .kept(Compare::Trim)
        .iter()
        .any(|(old, new)| *old == idx && differs(*new))
}
