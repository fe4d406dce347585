//! The old lines are not there because the new ones already are: nothing to do.

use crate::apply::change::{Ask, Compare};
use crate::apply::document::{BLANK, Document};
use crate::apply::ladder::{Found, Place};
use crate::apply::place::MIN_TELLING_TEXT;
use crate::text::similarity::letters_and_digits;

/// Added text shorter than `MIN_TELLING_TEXT` still tells when the new lines around it are at least as many as this.
const MIN_LINES_FOR_SHORT_TEXT: usize = 3;
const MIN_SHORT_TEXT: usize = 6;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let filled: Vec<&String> = ask.new.iter().filter(|line| !line.trim().is_empty()).collect();
    if filled.is_empty() || ask.kept(Compare::Exact).len() == ask.old.len().max(ask.new.len()) {
        return Found::Nowhere;
    }
    let added: usize = ask.added_text().iter().map(|line| line.chars().count()).sum();
    let telling = added >= MIN_TELLING_TEXT || (added >= MIN_SHORT_TEXT && filled.len() >= MIN_LINES_FOR_SHORT_TEXT);
    let removed = added == 0 && removal_tells(ask);
    if !(telling || removed) {
        return Found::Nowhere;
    }
    let mut found = stand_together(&filled, document);
    if found.is_empty() && added >= MIN_TELLING_TEXT {
        found = stand_wrapped(&filled, document);
    }
    if found.is_empty() || (added == 0 && found.len() != 1) {
        return Found::Nowhere;
    }
    if added == 0 && is_still_there(ask, document) {
        return Found::Nowhere;
    }
    // Standing there several times is as good as once: nothing is changed anywhere.
    let (first, end) = found[0];
    Found::Places(vec![Place {
        first,
        end,
        splices: Ok(Vec::new()),
    }])
}

/// Whether a pure removal keeps enough lines on both sides to know that it was done.
fn removal_tells(ask: &Ask) -> bool {
    let kept = ask.kept(Compare::Trim);
    let tells = |line: &&String| letters_and_digits(line) >= 4;
    let inside = ask
        .groups(&kept)
        .iter()
        .all(|group| group.old.start > 0 && group.old.end < ask.old.len());
    inside
        && ask.new.iter().filter(|line| !line.trim().is_empty()).count() >= 3
        && ask.new.iter().filter(tells).count() >= 2
}

/// Whether most of what a pure removal removes is in the file.
fn is_still_there(ask: &Ask, document: &Document<'_>) -> bool {
    let kept = ask.kept(Compare::Trim);
    let removed: Vec<usize> = ask
        .groups(&kept)
        .into_iter()
        .flat_map(|group| group.old)
        .filter(|idx| letters_and_digits(&ask.old[*idx]) >= 4)
        .collect();
    let there = removed
        .iter()
        .filter(|idx| !document.positions(ask.keys[**idx]).is_empty())
        .count();
    2 * there > removed.len()
}

/// Where the lines stand wrapped or joined differently: (first, after the last).
fn stand_wrapped(lines: &[&String], document: &Document<'_>) -> Vec<(usize, usize)> {
    let text: String = lines
        .iter()
        .flat_map(|line| line.chars())
        .filter(|c| !c.is_whitespace())
        .collect();
    let places = document.places_of_condensed(&text);
    places
        .into_iter()
        .filter_map(|lines| {
            let (_, first) = lines.first()?;
            let (_, last) = lines.last()?;
            Some((*first, last + 1))
        })
        .collect()
}

/// Where the lines stand one after the other, blank lines aside: (first, after the last).
fn stand_together(lines: &[&String], document: &Document<'_>) -> Vec<(usize, usize)> {
    let keys: Vec<u64> = lines.iter().map(|line| crate::apply::document::key(line)).collect();
    let Some(rarest) = (0..keys.len()).min_by_key(|idx| document.frequency(keys[*idx])) else {
        return Vec::new();
    };
    let next = |at: usize| (at + 1..document.len()).find(|position| document.key(*position) != BLANK);
    let previous = |at: usize| (0..at).rev().find(|position| document.key(*position) != BLANK);
    document
        .positions(keys[rarest])
        .into_iter()
        .filter_map(|position| {
            let mut first = position;
            for key in keys[..rarest].iter().rev() {
                first = previous(first).filter(|at| document.key(*at) == *key)?;
            }
            let mut last = position;
            for key in &keys[rarest + 1..] {
                last = next(last).filter(|at| document.key(*at) == *key)?;
            }
            Some((first, last + 1))
        })
        .collect()
}
