//! The old lines stand in the file but for some that the model remembers wrongly: alignment with gaps.
//!
//! It only says where. Kept lines may be similar, missing or more in the file; every line that goes or changes must be
//! there. Small blocks get no such grace, and the best place must win by a clear margin over any other, whether or not
//! the change could be made there.

use super::align::{Aligned, likely_starts, weight};
use crate::apply::change::{Ask, Compare, Group, Obstacle, splices};
use crate::apply::document::{BLANK, Document, key};
use crate::apply::ladder::{Found, Place};
use crate::apply::place::MIN_TELLING_TEXT;
use crate::apply::windows;
use crate::text::similarity::{self, letters_and_digits};

/// Filled lines that a block must have. Fewer lets small blocks drift, more refuses blocks that are plain.
const MIN_LINES: usize = 6;
/// Share of the block's weight that must be equal at the place.
const MIN_SHARE: f64 = 0.7;
/// By how much of the block's weight the best place must win.
const MIN_MARGIN: f64 = 0.4;
/// Of a block of which this share is there, a smaller margin is clear.
const NEAR_ALL: f64 = 0.95;
const MIN_MARGIN_OF_NEAR_ALL: f64 = 0.3;
/// The share that is enough when what changes stands in the file once.
const MIN_SHARE_OF_CERTAIN: f64 = 0.4;
/// Letters and digits that make such lines telling.
const MIN_CERTAIN_LETTERS: usize = 16;
/// Equal lines with letters that the place must have.
const MIN_TELLING: usize = 3;
/// A kept line at least this similar to the file's is its counterpart.
const MIN_SIMILAR: f64 = 0.7;
/// A line missing in the file that is this similar to one that goes is the same line misremembered.
const SAME_LINE: f64 = 0.6;
/// Of more added lines than this, a third or more must stand near the place to make it look half done; of fewer, one.
const MANY_ADDED: usize = 3;
/// Letters and digits of an added line that is looked for near its place.
const MIN_ADDED_LETTERS: usize = 6;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    if ask.n_filled_old() < MIN_LINES {
        return Found::Nowhere;
    }
    let weights: Vec<f64> = ask
        .old
        .iter()
        .zip(&ask.keys)
        .map(|(line, key)| weight(line, *key, document))
        .collect();
    let total: f64 = weights.iter().sum();
    let starts = likely_starts(ask, document, &weights);
    let align = |start: &usize| Aligned::new(ask, document, &weights, *start, &[]);
    let mut aligned: Vec<Aligned> = starts.iter().map(align).collect();
    aligned.retain(|place| !place.is_spread(ask));
    aligned.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    let Some(first) = aligned.first() else {
        return Found::Nowhere;
    };
    // The next best place uses none of its lines.
    let taken: Vec<usize> = first.map.iter().flatten().copied().collect();
    let rest = starts
        .iter()
        .map(|start| Aligned::new(ask, document, &weights, *start, &taken).score);
    let rival = rest.fold(0.0, f64::max);
    let best = is_clear_winner(ask, first, rival, total).then_some(first);
    let Some(best) = best.or_else(|| the_certain_one(ask, document, &aligned, total)) else {
        return Found::Nowhere;
    };
    let map = with_similar(ask, document, &best.map);
    Found::Places(vec![Place {
        first: best.first,
        end: best.end,
        splices: changes(ask, document, &map),
    }])
}

/// Whether enough of the block is at the best place and no other place comes near.
fn is_clear_winner(ask: &Ask, best: &Aligned, rival: f64, total: f64) -> bool {
    let needed = if best.score >= NEAR_ALL * total {
        MIN_MARGIN_OF_NEAR_ALL
    } else {
        MIN_MARGIN
    };
    best.score >= MIN_SHARE * total && best.score - rival >= needed * total && best.n_telling(ask) >= MIN_TELLING
}

/// The one place at which every change is certain by itself; no place may fit better as a whole.
fn the_certain_one<'a>(ask: &Ask, document: &Document<'_>, aligned: &'a [Aligned], total: f64) -> Option<&'a Aligned> {
    let best = aligned.first()?.score;
    let enough = |place: &&Aligned| {
        place.score >= best
            && place.score >= MIN_SHARE_OF_CERTAIN * total
            && place.n_telling(ask) >= MIN_TELLING
            && is_certain(ask, document, &place.map)
    };
    let mut certain = aligned.iter().filter(enough);
    let place = certain.next()?;
    certain
        .all(|other| other.first < place.end && place.first < other.end)
        .then_some(place)
}

/// Whether every change says by itself where it belongs: the lines that go stand in the file once and have a kept line
/// of the block beside them, a line beside new ones stands there once.
fn is_certain(ask: &Ask, document: &Document<'_>, map: &[Option<usize>]) -> bool {
    let kept = ask.kept(Compare::Trim);
    let groups = ask.groups(&kept);
    // A block that changes nothing says nothing about its place.
    !groups.is_empty()
        && groups.iter().all(|group| {
            let old: Vec<usize> = group.old.clone().filter(|idx| ask.keys[*idx] != BLANK).collect();
            if let (Some(first), Some(last)) = (old.first(), old.last()) {
                let letters: usize = old.iter().map(|idx| letters_and_digits(&ask.old[*idx])).sum();
                let keys = &ask.keys[*first..=*last];
                return letters >= MIN_CERTAIN_LETTERS
                    && windows::starts(document, keys).len() == 1
                    && has_neighbour(ask, document, map, *first, *last);
            }
            let neighbours = [group.old.start.checked_sub(1), Some(group.old.start)];
            let told = |idx: &usize| *idx < ask.old.len() && map[*idx].is_some();
            neighbours.into_iter().flatten().filter(told).any(|idx| {
                document.positions(ask.keys[idx]).len() == 1
                    && letters_and_digits(&ask.old[idx]) >= MIN_CERTAIN_LETTERS / 2
            })
        })
}

/// Whether the block's line above or below the run from `first` to `last` stands beside it in the file too.
fn has_neighbour(ask: &Ask, document: &Document<'_>, map: &[Option<usize>], first: usize, last: usize) -> bool {
    let (Some(start), Some(end)) = (map[first], map[last]) else {
        return false;
    };
    let filled = |idx: &usize| ask.keys[*idx] != BLANK;
    let passed = |position: &usize| document.is_blank(*position) || is_comment(document.text(*position));
    let above = (0..first).rev().find(filled).and_then(|idx| map[idx]);
    let below = (last + 1..ask.old.len()).find(filled).and_then(|idx| map[idx]);
    above.is_some_and(|above| above < start && (above + 1..start).all(|position| passed(&position)))
        || below.is_some_and(|below| end < below && (end + 1..below).all(|position| passed(&position)))
}

/// Kept lines without an equal counterpart take a similar one in the same gap.
fn with_similar(ask: &Ask, document: &Document<'_>, map: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut out = map.to_vec();
    let kept = ask.kept(Compare::Trim);
    for (idx, _) in kept {
        if out[idx].is_some() || ask.keys[idx] == BLANK {
            continue;
        }
        let above = out[..idx].iter().rev().flatten().next().copied();
        let below = out[idx + 1..].iter().flatten().next().copied();
        let from = above.map_or_else(|| below.map_or(0, |below| below.saturating_sub(3)), |above| above + 1);
        let to = below.unwrap_or_else(|| (from + 3).min(document.len()));
        out[idx] = (from..to)
            .filter(|position| !document.is_blank(*position))
            .map(|position| (similarity::of_lines(&ask.old[idx], document.text(position)), position))
            .filter(|(score, _)| *score >= MIN_SIMILAR)
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, position)| position);
    }
    out
}

/// The changes, where they can be made with what is known.
fn changes(
    ask: &Ask,
    document: &Document<'_>,
    map: &[Option<usize>],
) -> Result<Vec<crate::apply::document::Splice>, Obstacle> {
    let kept = ask.kept(Compare::Trim);
    let groups = ask.groups(&kept);
    if let Some((ask, map)) = without_done(ask, document, map, &groups) {
        return changes(&ask, document, &map);
    }
    // A line that the block only moves in or out changes too.
    let moved = kept
        .iter()
        .filter(|(old_idx, new_idx)| ask.old[*old_idx].trim_end() != ask.new[*new_idx].trim_end());
    let removed: Vec<usize> = groups
        .iter()
        .flat_map(|group| group.old.clone())
        .chain(moved.map(|(old_idx, _)| *old_idx))
        .collect();
    if let Some(old_idx) = removed.iter().copied().find(|idx| {
        ask.keys[*idx] != BLANK && map[*idx].is_none_or(|position| document.key(position) != ask.keys[*idx])
    }) {
        let line = ask.old[old_idx].clone();
        return Err(Obstacle::ChangedLineMissing { line });
    }
    for &(idx, _) in kept
        .iter()
        .filter(|(idx, _)| map[*idx].is_none() && ask.keys[*idx] != BLANK)
    {
        let same = |other: &usize| similarity::of_lines(&ask.old[idx], &ask.old[*other]) >= SAME_LINE;
        if letters_and_digits(&ask.old[idx]) >= 3 && removed.iter().any(same) {
            let line = ask.old[idx].clone();
            return Err(Obstacle::ChangedLineMissing { line });
        }
    }
    if groups.is_empty() && removed.is_empty() {
        // All that a block without a change can say is that its lines are there.
        let is_missing = |idx: &usize| map[*idx].is_none_or(|position| document.key(position) != ask.keys[*idx]);
        if let Some(idx) = (0..ask.old.len())
            .filter(|idx| ask.keys[*idx] != BLANK)
            .find(is_missing)
        {
            let line = ask.old[idx].clone();
            return Err(Obstacle::ChangedLineMissing { line });
        }
    }
    if let Some(position) = stranger_between(ask, document, map, &groups) {
        return Err(Obstacle::Between { position });
    }
    for group in &groups {
        let old: Vec<usize> = group.old.clone().filter(|idx| ask.keys[*idx] != BLANK).collect();
        match (old.first(), old.last()) {
            (Some(first), Some(last)) if !has_neighbour(ask, document, map, *first, *last) => {
                return Err(Obstacle::NoNeighbour);
            }
            (Some(_), _) => {}
            _ => insertion_is_certain(ask, document, map, group)?,
        }
    }
    super::moves_around_a_gap(ask, document, map)?;
    let mut wanted = splices(ask, document, map, Compare::Trim)?;
    let known: Vec<u64> = ask.keys.clone();
    for splice in &mut wanted {
        let telling: Vec<u64> = splice
            .new
            .iter()
            .filter(|line| letters_and_digits(line) >= MIN_ADDED_LETTERS)
            .map(|line| key(line))
            .filter(|key| !known.contains(key))
            .collect();
        let reach = splice.new.len() + 4;
        let near = splice.range.start.saturating_sub(reach)..(splice.range.end + reach).min(document.len());
        let there = telling
            .iter()
            .filter(|key| near.clone().any(|position| document.key(position) == **key))
            .count();
        let partly = there > 0 && (telling.len() <= MANY_ADDED || there * MANY_ADDED >= telling.len());
        if there == telling.len() && there > 0 && splice.range.is_empty() {
            splice.new.clear();
        } else if partly {
            return Err(Obstacle::PartlyThere {
                line: splice.range.start + 1,
            });
        }
    }
    wanted.retain(|splice| !splice.range.is_empty() || !splice.new.is_empty());
    Ok(wanted)
}

/// A line of the file between two runs that go and that only brackets part in the block: a bracket stands in many places and
/// does not say that the line shall stay.
fn stranger_between(ask: &Ask, document: &Document<'_>, map: &[Option<usize>], groups: &[Group]) -> Option<usize> {
    groups.windows(2).find_map(|pair| {
        let (above, below) = (&pair[0].old, &pair[1].old);
        if above.is_empty()
            || below.is_empty()
            || (above.end..below.start).any(|idx| letters_and_digits(&ask.old[idx]) > 0)
        {
            return None;
        }
        let from = map[above.clone()].iter().flatten().max()? + 1;
        let to = *map[below.clone()].iter().flatten().min()?;
        (from..to).find(|at| !document.is_blank(*at) && !is_comment(document.text(*at)) && !map.contains(&Some(*at)))
    })
}

/// The block without a change whose new lines already stand at its place, its old ones being missing: they count as
/// kept.
fn without_done(
    ask: &Ask,
    document: &Document<'_>,
    map: &[Option<usize>],
    groups: &[Group],
) -> Option<(Ask, Vec<Option<usize>>)> {
    let is_missing = |idx: usize| ask.keys[idx] != BLANK && map[idx].is_none();
    groups
        .iter()
        .filter(|group| group.old.is_empty() || group.old.clone().any(is_missing))
        .find_map(|group| {
            let above = map[..group.old.start].iter().rev().flatten().next();
            let below = map[group.old.end..].iter().flatten().next();
            let (from, to) = (above? + 1, *below?);
            let new = &ask.new[group.new.clone()];
            let telling: usize = new.iter().map(|line| line.trim().chars().count()).sum();
            let mut at = from;
            let mut places = Vec::with_capacity(new.len());
            for line in new {
                if line.trim().is_empty() {
                    places.push(None);
                    continue;
                }
                let position = (at..to).find(|position| document.text(*position).trim_end() == line.trim_end())?;
                places.push(Some(position));
                at = position + 1;
            }
            if telling < MIN_TELLING_TEXT {
                return None;
            }
            let mut old = ask.old.clone();
            old.splice(group.old.clone(), new.iter().cloned());
            let mut map = map.to_vec();
            map.splice(group.old.clone(), places);
            Some((ask.with_lines(old, ask.new.clone()), map))
        })
}

/// New lines need a neighbour that is there; when both are, nothing but comments may stand between them.
fn insertion_is_certain(
    ask: &Ask,
    document: &Document<'_>,
    map: &[Option<usize>],
    group: &Group,
) -> Result<(), Obstacle> {
    let filled = |idx: &usize| ask.keys.get(*idx).is_some_and(|key| *key != BLANK);
    let above = (0..group.old.start).rev().find(filled);
    let below = (group.old.end..ask.old.len()).find(filled);
    let position = |idx: Option<usize>| idx.and_then(|idx| map[idx]);
    match (position(above), position(below)) {
        (None, None) => Err(Obstacle::NoNeighbour),
        (Some(above), Some(below)) => {
            let strangers: Vec<usize> = (above + 1..below)
                .filter(|at| !document.is_blank(*at) && !is_comment(document.text(*at)))
                .collect();
            let Some(position) = strangers.first().copied() else {
                return Ok(());
            };
            // A line right beside the new ones, in a paragraph of its own with them, is enough, unless the lines between
            // are what the new ones say.
            let (beside_above, beside_below) = (filled(&(group.old.start.wrapping_sub(1))), filled(&group.old.end));
            let resembles = |line: &String| {
                let same = |at: &usize| similarity::of_lines(line, document.text(*at)) >= SAME_LINE;
                letters_and_digits(line) > 0 && strangers.iter().any(same)
            };
            if beside_above == beside_below || ask.new[group.new.clone()].iter().any(resembles) {
                return Err(Obstacle::Between { position });
            }
            Ok(())
        }
        // The edge of the block needs no second neighbour; a lost one inside the block makes the place a guess when the
        // found one is not equal.
        (Some(position), None) | (None, Some(position)) => {
            let equal = ask.keys.contains(&document.key(position));
            if equal { Ok(()) } else { Err(Obstacle::NoNeighbour) }
        }
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "--", "/*", "*", ";", "<!--", "%", "\"\"\"", "{/*"]
        .iter()
        .any(|mark| line.starts_with(mark))
}
