//! Fills a budget of tokens: each time the piece with the most value for its tokens. First signatures, up to their share, since a model can
//! only call what it sees; then paths and names; what is left goes to more signatures.

use std::collections::{BTreeSet, BinaryHeap};

use rayon::prelude::*;

use super::corpus::{Corpus, Fetch};
use super::defs::{self, Candidate};
use super::facts::Definition;
use super::graph::Graph;
use super::render::{self, Section};
use super::scene::Scene;
use super::signals;

/// Share of the budget that goes to signature lines before anything is only named.
const SIGNATURES: f64 = 0.335;
/// Share that these lines and the paths above them may take: where paths are long, other files must be named too.
const WITH_PATHS: f64 = 0.6;
/// With this many tokens for each file of the project a definition is worth as much as a file; with less, naming the files
/// comes first, and with more they have been named.
const EVEN: f64 = 3.4;
/// A project of fewer or more files counts as one of so many: a map shows no more than the best of a large one.
const COUNTED: (usize, usize) = (60, 800);
/// How fast that changes with the budget. Larger: more files in small maps, more definitions in large ones.
const STEEPNESS: f64 = 0.75;
/// Files whose definitions are looked at, for each token of the budget and at least.
const FILES_PER_TOKEN: f64 = 0.15;
const MIN_FILES: usize = 60;

/// What is known and chosen of one file.
struct Choice {
    file: usize,
    value: f64,
    /// What a definition is worth against a file.
    detail: f64,
    path_tokens: usize,
    definitions: Vec<Definition>,
    candidates: Vec<Candidate>,
    shown: bool,
    /// Indices of definitions.
    signatures: BTreeSet<usize>,
    /// Indices of candidates.
    names: BTreeSet<usize>,
    /// By definition: it stands for a candidate.
    is_head: Vec<bool>,
    /// Candidates whose signatures are shown.
    heads_shown: usize,
}

/// A piece that may be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    // In this order when all else is equal.
    Signature(usize),
    Name(usize),
    Path,
}

/// A piece with its value per token, the best one first, then by choice and piece.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Offer {
    worth: f64,
    choice: usize,
    piece: Piece,
}

impl Eq for Offer {}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.worth
            .total_cmp(&other.worth)
            .then_with(|| other.choice.cmp(&self.choice))
            .then_with(|| other.piece.cmp(&self.piece))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Choice {
    /// Tokens that a piece adds to the text.
    fn cost(&self, piece: Piece) -> usize {
        let path = if self.shown { 0 } else { self.path_tokens };
        let before = self.elision();
        let (lines, after) = match piece {
            Piece::Path => (0, before),
            Piece::Name(candidate) => (render::name_cost(self.head(candidate)), render::ELISION),
            Piece::Signature(candidate) => {
                let new = || self.lines_of(candidate).filter(|idx| !self.signatures.contains(idx));
                let lines: usize = new().map(|idx| render::signature_cost(&self.definitions[idx])).sum();
                // The name need not be said twice.
                let saved = if self.names.contains(&candidate) {
                    render::name_cost(self.head(candidate))
                } else {
                    0
                };
                let heads = new().filter(|idx| self.is_head[*idx]).count();
                let after = if self.heads_shown + heads < self.candidates.len() {
                    render::ELISION
                } else {
                    0
                };
                (lines.saturating_sub(saved), after)
            }
        };
        (path + lines + after).saturating_sub(before)
    }

    /// Some definitions are named or left out below those whose signatures are shown.
    fn is_elided(&self) -> bool {
        let has_lines = !self.signatures.is_empty() || !self.names.is_empty();
        has_lines && self.heads_shown < self.candidates.len()
    }

    /// Tokens of what stands for definitions without a line, beside their names.
    fn elision(&self) -> usize {
        if self.is_elided() { render::ELISION } else { 0 }
    }

    /// Tokens of the signature lines.
    fn signature_tokens(&self) -> usize {
        self.signatures
            .iter()
            .map(|&idx| render::signature_cost(&self.definitions[idx]))
            .sum()
    }

    /// Tokens of all that is chosen.
    fn total(&self) -> usize {
        if !self.shown {
            return 0;
        }
        let signatures = self.signature_tokens();
        let names: usize = self.names.iter().map(|&name| render::name_cost(self.head(name))).sum();
        self.path_tokens + signatures + names + self.elision()
    }

    fn head(&self, candidate: usize) -> &Definition {
        &self.definitions[self.candidates[candidate].definitions[0]]
    }

    /// The definition that stands for a candidate, and those around it.
    fn lines_of(&self, candidate: usize) -> impl Iterator<Item = usize> {
        let first = self.candidates[candidate].definitions[0];
        std::iter::successors(Some(first), |&idx| {
            let parent = self.definitions[idx].parent? as usize;
            // A damaged list must not send the walk in circles.
            (parent < idx).then_some(parent)
        })
    }

    fn worth(&self, piece: Piece) -> f64 {
        let value = match piece {
            Piece::Path => self.value,
            Piece::Name(candidate) => self.detail * self.value * self.candidates[candidate].value,
            Piece::Signature(candidate) => {
                self.value * self.candidates[candidate].value * defs::telling(self.head(candidate).kind)
            }
        };
        value / self.cost(piece).max(1) as f64
    }

    fn add(&mut self, piece: Piece) {
        self.shown = true;
        match piece {
            Piece::Path => {}
            Piece::Name(candidate) => {
                self.names.insert(candidate);
            }
            Piece::Signature(candidate) => {
                let lines: Vec<usize> = self.lines_of(candidate).collect();
                for idx in lines {
                    let new = self.signatures.insert(idx);
                    self.heads_shown += usize::from(new && self.is_head[idx]);
                }
                // Headers name their candidates as well.
                let signatures = &self.signatures;
                let candidates = &self.candidates;
                self.names
                    .retain(|&name| !signatures.contains(&candidates[name].definitions[0]));
            }
        }
    }
}

/// Chooses what to show and puts it in order. Returns the text and the files in it.
pub(super) fn fill(
    scene: &Scene,
    graph: Option<&Graph>,
    values: &[f64],
    tokens: usize,
    fetch: Fetch,
) -> (String, usize, usize) {
    let mut choices = choices(scene, graph, values, tokens, fetch);
    let mut left = tokens;
    let share = (tokens as f64 * SIGNATURES).ceil() as usize;
    let kept = tokens - (tokens as f64 * WITH_PATHS) as usize;
    signatures(&mut choices, &mut left, kept, share);
    left = tokens.saturating_sub(choices.iter().map(Choice::total).sum());
    names_and_paths(&mut choices, &mut left);
    left = tokens.saturating_sub(choices.iter().map(Choice::total).sum());
    signatures(&mut choices, &mut left, 0, usize::MAX);
    left = tokens.saturating_sub(choices.iter().map(Choice::total).sum());
    let (text, files) = text(scene.corpus, &choices);
    (text, tokens - left, files)
}

fn choices(scene: &Scene, graph: Option<&Graph>, values: &[f64], tokens: usize, fetch: Fetch) -> Vec<Choice> {
    let is_hidden = signals::is_hidden(scene);
    let mut order: Vec<usize> = (0..scene.len())
        .filter(|&file| !scene.is_chat[file] && !is_hidden(file))
        .collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    // No path costs less than two tokens.
    order.truncate(tokens / 2);
    let counted = scene.len().clamp(COUNTED.0, COUNTED.1) as f64;
    let detail = (tokens as f64 / (EVEN * counted)).powf(STEEPNESS);
    let detailed = ((tokens as f64 * FILES_PER_TOKEN) as usize).max(MIN_FILES);
    order
        .into_par_iter()
        .enumerate()
        .map(|(place, file)| {
            let definitions = if place < detailed {
                scene.corpus.definitions(file, fetch)
            } else {
                Vec::new()
            };
            let candidates = defs::candidates(scene, graph, file, &definitions);
            let mut is_head = vec![false; definitions.len()];
            candidates
                .iter()
                .for_each(|candidate| is_head[candidate.definitions[0]] = true);
            Choice {
                file,
                value: values[file],
                detail,
                path_tokens: usize::from(scene.corpus.entry(file).path_tokens),
                candidates,
                definitions,
                is_head,
                heads_shown: 0,
                shown: false,
                signatures: BTreeSet::new(),
                names: BTreeSet::new(),
            }
        })
        .collect()
}

/// Adds signatures until their lines have `wanted` tokens or no more than `kept` are left.
fn signatures(choices: &mut [Choice], left: &mut usize, kept: usize, wanted: usize) {
    let mut heap = BinaryHeap::new();
    for (idx, choice) in choices.iter().enumerate() {
        for candidate in 0..choice.candidates.len() {
            let piece = Piece::Signature(candidate);
            if choice.cost(piece) > 0 {
                heap.push(Offer {
                    worth: choice.worth(piece),
                    choice: idx,
                    piece,
                });
            }
        }
    }
    let mut lines = 0;
    let enough = |added: usize| {
        lines += added;
        lines >= wanted
    };
    greedy(choices, heap, left, kept, enough, |_, _| Vec::new());
}

/// Adds paths, and names of files whose paths are in.
fn names_and_paths(choices: &mut [Choice], left: &mut usize) {
    let names = |choice: &Choice, idx: usize| -> Vec<Offer> {
        (0..choice.candidates.len())
            .filter(|&candidate| !choice.signatures.contains(&choice.candidates[candidate].definitions[0]))
            .map(Piece::Name)
            .map(|piece| Offer {
                worth: choice.worth(piece),
                choice: idx,
                piece,
            })
            .collect()
    };
    let mut heap = BinaryHeap::new();
    for (idx, choice) in choices.iter().enumerate() {
        if choice.shown {
            heap.extend(names(choice, idx));
        } else {
            heap.push(Offer {
                worth: choice.worth(Piece::Path),
                choice: idx,
                piece: Piece::Path,
            });
        }
    }
    greedy(choices, heap, left, 0, |_| false, names);
}

/// Takes the best offer while it fits. What a piece costs falls as others are added, so an offer is weighed again when its
/// turn comes. `enough` hears how many tokens of signatures each piece adds and ends it after that one; `follow` gives the
/// offers that a path opens.
fn greedy(
    choices: &mut [Choice],
    mut heap: BinaryHeap<Offer>,
    left: &mut usize,
    kept: usize,
    mut enough: impl FnMut(usize) -> bool,
    follow: impl Fn(&Choice, usize) -> Vec<Offer>,
) {
    while *left > kept {
        let Some(offer) = heap.pop() else { return };
        let choice = &mut choices[offer.choice];
        let worth = choice.worth(offer.piece);
        let cost = choice.cost(offer.piece);
        if cost == 0 && offer.piece != Piece::Path {
            continue;
        }
        if worth > offer.worth {
            heap.push(Offer { worth, ..offer });
            continue;
        }
        if cost > *left {
            continue;
        }
        *left -= cost;
        let before = choice.signature_tokens();
        choice.add(offer.piece);
        if enough(choice.signature_tokens() - before) {
            return;
        }
        if offer.piece == Piece::Path {
            heap.extend(follow(choice, offer.choice));
        }
    }
}

/// Signatures first, by rank, then names, then bare paths, both by path.
fn text(corpus: &Corpus, choices: &[Choice]) -> (String, usize) {
    let mut shown: Vec<&Choice> = choices.iter().filter(|choice| choice.shown).collect();
    // Stable: files with signatures stay in the order of their rank.
    shown.sort_by_key(|choice| {
        if !choice.signatures.is_empty() {
            (0, 0)
        } else if !choice.names.is_empty() {
            (1, choice.file)
        } else {
            (2, choice.file)
        }
    });
    let sections: Vec<Section> = shown
        .iter()
        .map(|choice| Section {
            path: &corpus.entry(choice.file).path,
            definitions: &choice.definitions,
            signatures: choice.signatures.iter().copied().collect(),
            names: choice
                .names
                .iter()
                .map(|&candidate| choice.candidates[candidate].definitions[0])
                .collect(),
            elided: choice.is_elided(),
        })
        .collect();
    (render::render(&sections), sections.len())
}
