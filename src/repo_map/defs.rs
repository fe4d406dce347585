//! Which definitions of a file are worth showing, given chat and request. A long definition is the one that changes; next come what the request
//! speaks of and what the chat uses.

use super::bodies::{self, Body};
use super::facts::Definition;
use super::graph::Graph;
use super::scene::Scene;
use super::tags::DefKind;
use super::words::{self, WordId};

/// The mean number of definitions that a change touches in a file.
const WANTED: f64 = 1.4;
/// The fit's penalty on large weights leaves it less sure than it may be: with this, fewer definitions of a file stand before those of
/// the next.
const SURER: f64 = 1.2;
/// What is left of the worth of a name that says little.
const LITTLE: f64 = 0.1;

/// One thing that is known of a definition, with its weight: fitted as the files' weights are, on the definitions that
/// commits changed in a file.
struct Feature {
    value: fn(&Sight) -> f64,
    weight: f64,
}

const FEATURES: &[Feature] = &[
    // A long definition is the one that changes.
    Feature {
        value: |sight| f64::from(1 + sight.span).ln() / 6.0,
        weight: 2.08,
    },
    // Work happens in methods more than in what is around them.
    Feature {
        value: |sight| f64::from(sight.first.depth.min(4)) / 4.0,
        weight: 1.08,
    },
    Feature {
        value: |sight| flag(sight.first.depth == 0),
        weight: 1.10,
    },
    // What the request speaks of: by the share of the name's parts, and by how rare they are.
    Feature {
        value: |sight| sight.share,
        weight: 0.47,
    },
    Feature {
        value: |sight| sight.rare,
        weight: 0.37,
    },
    // Whoever writes a name means it.
    Feature {
        value: |sight| flag(sight.scene.query.has_exact(sight.id)),
        weight: 0.65,
    },
    // Its lines speak of what the request speaks of,
    Feature {
        value: |sight| sight.body,
        weight: 1.72,
    },
    // and have rare names in common with the chat's files, the more when the request has a part in them.
    Feature {
        value: |sight| sight.shared,
        weight: 1.54,
    },
    Feature {
        value: |sight| sight.focused,
        weight: 0.90,
    },
    // The chat's files use it.
    Feature {
        value: |sight| f64::from(1 + sight.uses).ln() / 6.0,
        weight: 0.61,
    },
    // What holds no code of its own changes less often.
    Feature {
        value: |sight| {
            flag(matches!(
                sight.first.kind,
                DefKind::Constant | DefKind::Field | DefKind::Key
            ))
        },
        weight: -0.35,
    },
    Feature {
        value: |sight| flag(matches!(sight.first.kind, DefKind::Module | DefKind::Section)),
        weight: -1.58,
    },
    Feature {
        value: |sight| flag(sight.first.kind.is_type() && sight.first.kind != DefKind::Implementation),
        weight: 0.26,
    },
    // An `impl` heads what is in it and says little alone: less than the fit's -0.39, which counts it as the name of its type.
    Feature {
        value: |sight| flag(sight.first.kind == DefKind::Implementation),
        weight: -1.20,
    },
    // By the number of files that define the name: `fmt`, `clone`, `__init__` tell nothing to whoever reads the map, though they change as
    // often as others (fitted: -0.03).
    Feature {
        value: |sight| f64::from(sight.graph.map_or(1, |graph| graph.definers(sight.id)).max(1)).ln(),
        weight: -0.15,
    },
    // What spans the whole file stands for it already.
    Feature {
        value: |sight| f64::from(sight.span) / f64::from(sight.lines.max(1)),
        weight: -0.46,
    },
];

/// What the features look at: the definitions of one name, in their file.
struct Sight<'a> {
    scene: &'a Scene<'a>,
    graph: Option<&'a Graph>,
    first: &'a Definition,
    id: WordId,
    /// Lines of all of them.
    span: u32,
    /// Lines of the file.
    lines: u32,
    /// Uses in the chat's files.
    uses: u32,
    /// Share of the name's parts that stand in the request.
    share: f64,
    // The rest is against the most in the file, square-rooted.
    /// What these parts weigh by rarity.
    rare: f64,
    /// BM25 of the request against its lines.
    body: f64,
    /// Rare identifiers in common with the chat, and those of them that have a part in the request.
    shared: f64,
    focused: f64,
}

fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

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
    file: usize,
    definitions: &[Definition],
) -> Vec<Candidate> {
    let groups = groups(definitions);
    let sights = sights(scene, graph, file, definitions, &groups);
    let score = |sight: &Sight| -> f64 {
        FEATURES
            .iter()
            .map(|feature| feature.weight * (feature.value)(sight))
            .sum()
    };
    let scores: Vec<f64> = sights.iter().map(score).collect();
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exp: Vec<f64> = scores.iter().map(|score| (SURER * (score - max)).exp()).collect();
    let total: f64 = exp.iter().sum();
    let values: Vec<f64> = sights
        .iter()
        .zip(exp)
        .map(|(sight, exp)| worth_a_word(sight) * (1.0 - (-WANTED * exp / total).exp()))
        .collect();
    groups
        .into_iter()
        .zip(values)
        .map(|(definitions, value)| Candidate {
            definitions,
            value: (value * 1e12).round() / 1e12,
        })
        .collect()
}

/// Headings and keys are the same in most files of their kind, unless the request speaks of them, and one letter is a type's parameter.
fn worth_a_word(sight: &Sight) -> f64 {
    let is_layout = matches!(sight.first.kind, DefKind::Section | DefKind::Key) && sight.share == 0.0;
    let is_letter = sight.first.name.len() < 2;
    if is_layout || is_letter { LITTLE } else { 1.0 }
}

/// Indices of definitions that are shown as one, in source order.
fn groups(definitions: &[Definition]) -> Vec<Vec<usize>> {
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
    groups
}

/// An `impl` shows its whole head; all else goes by name.
fn label_key(definition: &Definition) -> (&str, bool) {
    if definition.kind.defines_name() {
        (&definition.name, false)
    } else {
        (&definition.signature, true)
    }
}

fn sights<'a>(
    scene: &'a Scene,
    graph: Option<&'a Graph>,
    file: usize,
    definitions: &'a [Definition],
    groups: &[Vec<usize>],
) -> Vec<Sight<'a>> {
    let lines = scene.corpus.view(file).map_or(0, |view| view.lines());
    let bodies = bodies::bodies(scene, file, definitions);
    let sight = |group: &Vec<usize>| {
        let first = &definitions[group[0]];
        let id = words::id_of(first.name.as_bytes());
        let (share, rare) = lexical(scene, &first.name);
        let span = |idx: &usize| definitions[*idx].end_line.saturating_sub(definitions[*idx].line) + 1;
        let body = group
            .iter()
            .map(|&idx| &bodies[idx])
            .fold(Body::default(), |sum, body| sum.and(body));
        Sight {
            scene,
            graph,
            first,
            id,
            span: group.iter().map(span).sum(),
            lines,
            uses: scene.table.get(id).map_or(0, |slot| scene.chat_words[slot].uses),
            share,
            rare,
            body: body.request(scene),
            shared: body.shared(),
            focused: body.focused(),
        }
    };
    let mut sights: Vec<Sight> = groups.iter().map(sight).collect();
    for part in [
        |sight: &mut Sight<'a>| &mut sight.rare,
        |sight| &mut sight.body,
        |sight| &mut sight.shared,
        |sight| &mut sight.focused,
    ] as [for<'s> fn(&'s mut Sight<'a>) -> &'s mut f64; 4]
    {
        let most = sights.iter_mut().map(|sight| *part(sight)).fold(0.0, f64::max);
        if most > 0.0 {
            sights
                .iter_mut()
                .for_each(|sight| *part(sight) = (*part(sight) / most).sqrt());
        }
    }
    sights
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
