//! The lines of a file that come closest to a block's old lines: what a failure shows, so that the next try can be right.

use std::collections::HashMap;

use super::change::Ask;
use super::document::{BLANK, Document};
use crate::text::diff;
use crate::text::similarity;

/// Places of one line that are looked at; a line more frequent than this says little about where.
const MAX_SEEDS: usize = 24;
/// Lines of the block that are compared by similarity when no line is equal.
const MAX_PROBES: usize = 4;
/// Lines of the file that are compared character by character for one probe.
const MAX_COMPARED: usize = 60;
/// Of the pairs of letters in two lines, one in this many must be shared for a comparison.
const MIN_SHARED_PAIRS: u32 = 3;
/// A line less similar than this is no close line.
const MIN_SIMILARITY: f64 = 0.5;

/// The closest part of the file, and how the block differs from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Closest {
    pub(super) lines: Vec<Shown>,
    /// Indices of old lines that are not in the part shown.
    pub(super) missing: Vec<usize>,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    /// In the file before the reply, from 1; None for a line that an earlier block of the reply wrote.
    pub(super) number: Option<usize>,
    /// Whether it is among the block's old lines as it is.
    pub(super) is_equal: bool,
    pub(super) text: String,
}

/// None when nothing in the file resembles the block.
pub(super) fn closest(ask: &Ask, document: &Document<'_>) -> Option<Closest> {
    let first = best_start(ask, document)?;
    // A little more than the block is long, so that lines the block left out do not push its end out of sight.
    let slack = 2 + ask.old.len() / 8;
    let from = first.saturating_sub(slack);
    let to = (first + ask.old.len() + slack).min(document.len());
    let window: Vec<&str> = (from..to).map(|position| document.text(position).trim_end()).collect();
    let old: Vec<&str> = ask.old.iter().map(|line| line.trim_end()).collect();
    let pairs = diff::matches(&old, &window);
    let mut equal = vec![false; window.len()];
    let mut found = vec![false; old.len()];
    for (o, w) in &pairs {
        equal[*w] = true;
        found[*o] = true;
    }
    let filled = |w: &usize| !window[*w].trim().is_empty();
    let first_equal = (0..window.len())
        .find(|w| equal[*w] && filled(w))
        .unwrap_or(first - from);
    let last_equal = (0..window.len())
        .rfind(|w| equal[*w] && filled(w))
        .unwrap_or(first_equal);
    // Old lines before the first equal one have their counterpart above it, and so below.
    let before = pairs.iter().find(|(_, w)| *w == first_equal).map_or(0, |(o, _)| *o);
    let after = pairs
        .iter()
        .find(|(_, w)| *w == last_equal)
        .map_or(old.len(), |(o, _)| old.len() - 1 - o);
    let start = first_equal.saturating_sub(before);
    let end = (last_equal + after + 1).clamp(start + 1, window.len());
    let shown = |w: usize| Shown {
        number: document.number(from + w),
        is_equal: equal[w],
        text: window[w].to_string(),
    };
    Some(Closest {
        lines: (start..end).map(shown).collect(),
        missing: (0..old.len())
            .filter(|o| !found[*o] && !old[*o].trim().is_empty())
            .collect(),
    })
}

/// Where the block would start: most of its lines that stand somewhere say so.
fn best_start(ask: &Ask, document: &Document<'_>) -> Option<usize> {
    let mut votes: HashMap<usize, f64> = HashMap::new();
    for (idx, key) in ask.keys.iter().enumerate() {
        let frequency = document.frequency(*key);
        if *key == BLANK || frequency == 0 || frequency > MAX_SEEDS {
            continue;
        }
        let letters = similarity::letters_and_digits(&ask.old[idx]);
        let weight = if letters == 0 { 0.1 } else { 1.0 } / frequency as f64;
        for position in document.positions(*key) {
            // Lines left out or added shift what comes after them: neighbours vote too, with less weight.
            let start = position.saturating_sub(idx);
            for (offset, share) in [(0, 1.0), (1, 0.6), (2, 0.4)] {
                *votes.entry(start + offset).or_default() += weight * share;
                if offset > 0 {
                    *votes.entry(start.saturating_sub(offset)).or_default() += weight * share;
                }
            }
        }
    }
    let mut best: Vec<(usize, f64)> = votes.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    match best.first() {
        Some((start, weight)) if *weight >= 0.5 => Some((*start).min(document.len().saturating_sub(1))),
        _ => by_similarity(ask, document).or_else(|| {
            best.first()
                .map(|(start, _)| (*start).min(document.len().saturating_sub(1)))
        }),
    }
}

/// The file's line most similar to one of the longest lines of the block.
fn by_similarity(ask: &Ask, document: &Document<'_>) -> Option<usize> {
    let mut probes: Vec<usize> = (0..ask.old.len()).filter(|idx| ask.keys[*idx] != BLANK).collect();
    probes.sort_by_key(|idx| {
        (
            std::cmp::Reverse(similarity::letters_and_digits(&ask.old[*idx]).min(80)),
            *idx,
        )
    });
    probes.truncate(MAX_PROBES);
    let signatures = document.signatures(signature);
    let mut best: Option<(f64, usize)> = None;
    for idx in probes {
        let wanted = signature(&ask.old[idx]);
        let mut ranked: Vec<(u32, usize)> = signatures
            .iter()
            .enumerate()
            .map(|(position, own)| ((own & wanted).count_ones(), (own | wanted).count_ones(), position))
            .filter(|(shared, all, _)| shared * MIN_SHARED_PAIRS >= *all)
            .map(|(shared, all, position)| (all - shared, position))
            .collect();
        if ranked.len() > MAX_COMPARED {
            ranked.select_nth_unstable(MAX_COMPARED);
            ranked.truncate(MAX_COMPARED);
        }
        ranked.sort_unstable();
        for (_, position) in ranked {
            let score = similarity::of_lines(&ask.old[idx], document.text(position));
            if score >= MIN_SIMILARITY && best.is_none_or(|(most, _)| score > most) {
                best = Some((score, position.saturating_sub(idx)));
            }
        }
    }
    best.map(|(_, start)| start)
}

/// Which pairs of neighbouring letters a line has, as bits.
fn signature(line: &str) -> u128 {
    let bytes = line.trim().as_bytes();
    bytes
        .windows(2)
        .filter(|pair| !pair[0].is_ascii_whitespace())
        .fold(0, |bits, pair| {
            let mixed = u32::from(pair[0]).wrapping_mul(31) ^ u32::from(pair[1]).wrapping_mul(131);
            bits | 1 << (mixed.wrapping_mul(0x9e37_79b1) >> 25)
        })
}
