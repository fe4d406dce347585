//! Which definitions of a file are worth showing, given chat and request. A long definition is the one that changes; next come what the request
//! speaks of and what the chat uses.

use super::facts::Definition;
use super::graph::Graph;
use super::scene::Scene;
use super::tags::DefKind;
use super::words;

/// The mean number of definitions that a change touches in a file.
const WANTED: f64 = 1.4;

// Fitted as the files' weights are, on the definitions that commits changed in a file.
const SPAN: f64 = 4.51;
const DEPTH: f64 = 1.14;
const OUTERMOST: f64 = -0.11;
const SHARE_OF_WORDS: f64 = 0.85;
const RARE_WORDS: f64 = 0.56;
const NAMED: f64 = 0.76;
const IN_CHAT: f64 = 0.84;
const CONSTANT: f64 = -1.19;
const MODULE: f64 = -1.09;
const CLASS: f64 = -0.22;
/// An `impl` heads what is in it and says little alone.
const IMPLEMENTATION: f64 = -2.0;
/// By the number of files that define the name: `fmt`, `clone`, `__init__` tell nothing.
const COMMON: f64 = -0.25;
const SHARE_OF_FILE: f64 = 0.10;
const PRIVATE: f64 = -0.17;
const TEST: f64 = -0.22;

/// Definitions of one name, shown as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// Indices into the file's definitions; the first one's signature is shown.
    pub definitions: Vec<usize>,
    /// Probability that it matters, given that the file does.
    pub value: f64,
}

/// The candidates of a file in source order.
pub(super) fn candidates(
    scene: &Scene,
    graph: Option<&Graph>,
    definitions: &[Definition],
    lines: u32,
) -> Vec<Candidate> {
    let mut order: Vec<usize> = (0..definitions.len()).collect();
    order.sort_by(|&a, &b| {
        label_key(&definitions[a])
            .cmp(&label_key(&definitions[b]))
            .then(a.cmp(&b))
    });
    let mut groups: Vec<Vec<usize>> = order
        .chunk_by(|&a, &b| label_key(&definitions[a]) == label_key(&definitions[b]))
        .map(<[usize]>::to_vec)
        .collect();
    groups.sort_unstable_by_key(|group| group[0]);

    let lexical: Vec<(f64, f64)> = groups
        .iter()
        .map(|group| lexical(scene, &definitions[group[0]].name))
        .collect();
    let most = lexical.iter().map(|(_, rare)| *rare).fold(0.0, f64::max);
    let scores: Vec<f64> = groups
        .iter()
        .zip(&lexical)
        .map(|(group, &(share, rare))| {
            let relative = if most > 0.0 { (rare / most).sqrt() } else { 0.0 };
            score(scene, graph, definitions, group, lines) + SHARE_OF_WORDS * share + RARE_WORDS * relative
        })
        .collect();
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exp: Vec<f64> = scores.iter().map(|score| (score - max).exp()).collect();
    let total: f64 = exp.iter().sum();
    groups
        .into_iter()
        .zip(exp)
        .map(|(definitions, exp)| Candidate {
            definitions,
            value: ((1.0 - (-WANTED * exp / total).exp()) * 1e12).round() / 1e12,
        })
        .collect()
}

/// An `impl` shows its whole head; all else goes by name.
fn label_key(definition: &Definition) -> (&str, bool) {
    if definition.kind.defines_name() {
        (&definition.name, false)
    } else {
        (&definition.signature, true)
    }
}

fn score(scene: &Scene, graph: Option<&Graph>, definitions: &[Definition], group: &[usize], lines: u32) -> f64 {
    let first = &definitions[group[0]];
    let span: u32 = group
        .iter()
        .map(|&idx| definitions[idx].end_line.saturating_sub(definitions[idx].line) + 1)
        .sum();
    let id = words::id_of(first.name.as_bytes());
    let uses = scene.table.get(id).map_or(0, |slot| scene.chat_words[slot].uses);
    let kind = match first.kind {
        DefKind::Constant | DefKind::Field | DefKind::Key => CONSTANT,
        DefKind::Module | DefKind::Section => MODULE,
        DefKind::Implementation => IMPLEMENTATION,
        kind if kind.is_type() => CLASS,
        _ => 0.0,
    };
    let flag = |on: bool, weight: f64| if on { weight } else { 0.0 };
    SPAN * f64::from(1 + span).ln() / 6.0
        + DEPTH * f64::from(first.depth.min(4)) / 4.0
        + flag(first.depth == 0, OUTERMOST)
        + flag(scene.query.has_exact(id), NAMED)
        + IN_CHAT * f64::from(1 + uses).ln() / 6.0
        + SHARE_OF_FILE * f64::from(span) / f64::from(lines.max(1))
        + flag(first.name.starts_with('_'), PRIVATE)
        + flag(
            first.name.len() > 4 && first.name.get(..4).is_some_and(|p| p.eq_ignore_ascii_case("test")),
            TEST,
        )
        + COMMON * f64::from(graph.map_or(1, |graph| graph.definers(id)).max(1)).ln()
        + kind
}

/// How much more than its name the signature of a definition says: it tells how to call a function, and little of a
/// constant.
pub(super) fn telling(kind: DefKind) -> f64 {
    match kind {
        kind if kind.is_callable() => 1.0,
        DefKind::Implementation => 0.1,
        kind if kind.is_type() => 0.6,
        DefKind::Message | DefKind::Service | DefKind::Table => 0.6,
        _ => 0.2,
    }
}

/// (share of the name's parts in the request, what they weigh by rarity).
fn lexical(scene: &Scene, name: &str) -> (f64, f64) {
    let (mut parts, mut hits, mut rare) = (0, 0, 0.0);
    words::for_each_subword(name.as_bytes(), |subword| {
        parts += 1;
        let words = &scene.query.subwords;
        if let Ok(slot) = words.binary_search_by_key(&words::id_of(subword), |&(word, _)| word) {
            hits += 1;
            rare += words::idf(scene.len(), scene.body_df[slot] as usize);
        }
    });
    (f64::from(hits) / f64::from(parts.max(1)), rare)
}
