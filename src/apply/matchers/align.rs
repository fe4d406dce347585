//! Alignment of a block's old lines with the file's lines, with gaps on both sides: where it may begin, and the best
//! pairing of equal lines there.

use std::ops::Range;

use crate::apply::change::Ask;
use crate::apply::document::{BLANK, Document};
use crate::text::similarity::letters_and_digits;

/// A place that takes more lines of the file than this many times the block's (and a few) is none.
const MOST_SPREAD: usize = 2;
const SPREAD_SLACK: usize = 4;
/// Lines found more often than this give no hint of a place.
const MAX_SEEDS: usize = 24;
/// Places that are compared.
const MAX_PLACES: usize = 6;

/// How much a line says about the place: little without letters, less when it is frequent in the file.
pub(super) fn weight(line: &str, key: u64, document: &Document<'_>) -> f64 {
    if key == BLANK {
        return 0.0;
    }
    match (letters_and_digits(line), document.frequency(key)) {
        (0, _) => 0.1,
        (1..4, _) => 0.3,
        (_, 0..=2) => 1.0,
        (_, 3..=5) => 0.6,
        _ => 0.4,
    }
}

/// Positions at which the block may begin, most likely first.
pub(super) fn likely_starts(ask: &Ask, document: &Document<'_>, weights: &[f64]) -> Vec<usize> {
    let mut seeds: Vec<(usize, f64)> = Vec::new();
    for (idx, key) in ask.keys.iter().enumerate() {
        let frequency = document.frequency(*key);
        if *key == BLANK || frequency == 0 || frequency > MAX_SEEDS {
            continue;
        }
        seeds.extend(
            document
                .positions(*key)
                .into_iter()
                .map(|position| (position.saturating_sub(idx), weights[idx])),
        );
    }
    seeds.sort_by_key(|seed| seed.0);
    // Lines left out or added shift the seeds a little: those near one another are one place.
    let reach = ask.old.len() / 3 + 3;
    let mut clusters: Vec<(f64, usize)> = Vec::new();
    let mut at = 0;
    while at < seeds.len() {
        let from = seeds[at].0;
        let end = seeds[at..].partition_point(|seed| seed.0 <= from + reach) + at;
        let weight: f64 = seeds[at..end].iter().map(|seed| seed.1).sum();
        let middle = seeds[at..end]
            .iter()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            .map_or(from, |seed| seed.0);
        clusters.push((weight, middle));
        at = end;
    }
    clusters.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    clusters.into_iter().take(MAX_PLACES).map(|(_, start)| start).collect()
}

/// The block laid against the lines around a start so that the weight of equal lines is greatest.
pub(super) struct Aligned {
    pub(super) score: f64,
    /// Position of each old line that is equal.
    pub(super) map: Vec<Option<usize>>,
    equal: Vec<usize>,
    pub(super) first: usize,
    pub(super) end: usize,
}

impl Aligned {
    /// Whether the lines that were found lie over many more lines of the file than the block has.
    pub(super) fn is_spread(&self, ask: &Ask) -> bool {
        self.end - self.first > MOST_SPREAD * ask.old.len() + SPREAD_SLACK
    }

    pub(super) fn n_telling(&self, ask: &Ask) -> usize {
        self.equal
            .iter()
            .filter(|idx| letters_and_digits(&ask.old[**idx]) >= 4)
            .count()
    }

    /// Lines at `taken` positions are left alone.
    pub(super) fn new(ask: &Ask, document: &Document<'_>, weights: &[f64], start: usize, taken: &[usize]) -> Self {
        let slack = ask.old.len() / 2 + 8;
        let from = start.saturating_sub(slack);
        let to = (start + ask.old.len() + slack).min(document.len());
        let filled: Vec<usize> = (0..ask.old.len()).filter(|idx| ask.keys[*idx] != BLANK).collect();
        let lines: Vec<usize> = (from..to)
            .filter(|position| !document.is_blank(*position) && !taken.contains(position))
            .collect();
        let width = lines.len() + 1;
        // Of two ways with the same lines the tighter one is taken; lines of the file between those of the block cost
        // more, so that no way goes through two copies of it.
        let (left_out, stranger) = (0.001, 0.15);
        let mut best = vec![0.0_f64; (filled.len() + 1) * width];
        for i in (0..filled.len()).rev() {
            for j in (0..lines.len()).rev() {
                let skip = (best[(i + 1) * width + j] - left_out)
                    .max(best[i * width + j + 1] - if i > 0 { stranger } else { 0.0 });
                let equal = ask.keys[filled[i]] == document.key(lines[j]);
                let take = if equal {
                    best[(i + 1) * width + j + 1] + weights[filled[i]]
                } else {
                    f64::MIN
                };
                best[i * width + j] = take.max(skip);
            }
        }
        let mut aligned = Self {
            score: 0.0,
            map: vec![None; ask.old.len()],
            equal: Vec::new(),
            first: from,
            end: from,
        };
        let (mut i, mut j) = (0, 0);
        while i < filled.len() && j < lines.len() {
            let here = best[i * width + j];
            let equal = ask.keys[filled[i]] == document.key(lines[j]);
            if equal && (here - best[(i + 1) * width + j + 1] - weights[filled[i]]).abs() < 1e-9 {
                aligned.map[filled[i]] = Some(lines[j]);
                aligned.equal.push(filled[i]);
                aligned.score += weights[filled[i]];
                i += 1;
                j += 1;
            } else if (here - (best[(i + 1) * width + j] - left_out)).abs() < 1e-9 {
                i += 1;
            } else {
                j += 1;
            }
        }
        aligned.take_edges(ask, document, weights, from..to, taken);
        let positions = || aligned.map.iter().flatten().copied();
        let (first, end) = (
            positions().min().unwrap_or(from),
            positions().max().map_or(from, |last| last + 1),
        );
        (aligned.first, aligned.end) = (first, end);
        aligned
    }

    /// Takes lines at the edges of the block that stand in the file once, above or below the rest, however far.
    fn take_edges(&mut self, ask: &Ask, document: &Document<'_>, weights: &[f64], near: Range<usize>, taken: &[usize]) {
        let Some(first) = self.map.iter().position(Option::is_some) else {
            return;
        };
        let last = self.map.iter().rposition(Option::is_some).unwrap_or(first);
        let (Some(top), Some(bottom)) = (self.map[first], self.map[last]) else {
            return;
        };
        let once = |idx: usize| match document.positions(ask.keys[idx])[..] {
            [only] if letters_and_digits(&ask.old[idx]) >= 4 && near.contains(&only) && !taken.contains(&only) => {
                Some(only)
            }
            _ => None,
        };
        let above = (0..first)
            .rev()
            .filter_map(|idx| Some((idx, once(idx)?)))
            .find(|(_, position)| *position < top);
        let below = (last + 1..ask.old.len())
            .filter_map(|idx| Some((idx, once(idx)?)))
            .find(|(_, at)| *at > bottom);
        for (idx, position) in above.into_iter().chain(below) {
            self.map[idx] = Some(position);
            self.equal.push(idx);
            self.score += weights[idx];
        }
    }
}
