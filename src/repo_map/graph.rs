//! The graph of files and names: a file points at the names it uses, a name at the files that define it. Two kinds of nodes keep it linear in
//! the number of uses, where edges from file to file would be many more. PageRank walks it from the chat's files and from what
//! the request speaks of.

use std::ops::Range;
use std::sync::OnceLock;

use petgraph::Directed;
use petgraph::csr::Csr;
use rayon::prelude::*;

use super::corpus::Corpus;
use super::id_table::IdTable;
use super::words::WordId;

/// A name that more files define says little about any of them.
const MAX_DEFINERS: usize = 12;
/// A file defines more names than this only when it is generated or a table.
const MAX_NAMES: usize = 2_000;
/// Chance to follow an edge instead of starting anew.
const DAMPING: f64 = 0.85;
/// The order of the files has settled after this many steps.
const STEPS: usize = 15;

/// The names that the files define, and, once it is asked for, the graph over them.
pub struct Graph {
    /// Names that lead somewhere, sorted.
    names: Vec<Name>,
    /// Names by hash with how many files define each, sorted.
    definers: Vec<(WordId, u32)>,
    files: usize,
    /// Files are the first nodes, names follow. Only a map without chat files walks it.
    edges: OnceLock<Csr<(), f32, Directed, u32>>,
}

impl Graph {
    pub fn new(corpus: &Corpus) -> Self {
        let (names, definers) = defined_names(corpus);
        Self {
            names,
            definers,
            files: corpus.len(),
            edges: OnceLock::new(),
        }
    }

    fn edges(&self, corpus: &Corpus) -> Csr<(), f32, Directed, u32> {
        let (files, names) = (self.files, &self.names);
        let table = IdTable::new(names.iter().map(|(id, _)| *id));
        let uses: Vec<Vec<(u32, f32)>> = (0..files)
            .into_par_iter()
            .map(|file| {
                let Some(view) = corpus.view(file) else {
                    return Vec::new();
                };
                let identifiers = view.identifiers();
                // In the order of the identifiers, which is the order of the names: both are sorted by hash.
                identifiers
                    .ids()
                    .enumerate()
                    .filter_map(|(idx, id)| Some((table.get(id)? as u32, (identifiers.count(idx) as f32).sqrt())))
                    // What a file defines itself it means itself.
                    .filter(|(name, _)| names[*name as usize].1.binary_search(&(file as u32)).is_err())
                    .collect()
            })
            .collect();
        let n = uses.iter().map(Vec::len).sum::<usize>() + 2 * names.len();
        let mut edges: Vec<(u32, u32, f32)> = Vec::with_capacity(n);
        for (file, uses) in uses.into_iter().enumerate() {
            for (name, weight) in uses {
                edges.push((
                    file as u32,
                    files as u32 + name,
                    weight / names[name as usize].1.len() as f32,
                ));
            }
        }
        for (name, (_, definers)) in names.iter().enumerate() {
            for &file in definers {
                edges.push(((files + name) as u32, file, 1.0));
            }
        }
        let mut csr = Csr::from_sorted_edges(&edges).unwrap_or_default();
        while csr.node_count() < files + names.len() {
            csr.add_node(());
        }
        csr
    }

    /// How many files define a name.
    pub fn definers(&self, name: WordId) -> u32 {
        self.definers
            .binary_search_by_key(&name, |(id, _)| *id)
            .map_or(0, |at| self.definers[at].1)
    }

    /// PageRank of the files; `seeds` are where walks start, by file, no matter how large. Without any seed they start everywhere.
    pub fn rank(&self, corpus: &Corpus, seeds: &[f64]) -> Vec<f64> {
        if self.files == 0 {
            return Vec::new();
        }
        let csr = self.edges.get_or_init(|| self.edges(corpus));
        let total: f64 = seeds.iter().filter(|seed| seed.is_finite() && **seed > 0.0).sum();
        let start: Vec<f64> = (0..self.files)
            .map(|file| match seeds.get(file) {
                Some(seed) if total > 0.0 => {
                    if seed.is_finite() {
                        seed.max(0.0) / total
                    } else {
                        0.0
                    }
                }
                _ => 1.0 / self.files as f64,
            })
            .collect();
        let out: Vec<f64> = (0..csr.node_count() as u32)
            .map(|node| csr.edges_slice(node).iter().map(|weight| f64::from(*weight)).sum())
            .collect();
        let mut rank = start.clone();
        let (mut names, mut next) = (vec![0.0; out.len()], vec![0.0; out.len()]);
        for _ in 0..STEPS {
            names.fill(0.0);
            next.fill(0.0);
            let lost: f64 = (0..self.files)
                .filter(|&file| out[file] == 0.0)
                .map(|file| rank[file])
                .sum();
            push(csr, 0..self.files, &rank, &out, &mut names);
            push(csr, self.files..out.len(), &names, &out, &mut next);
            for file in 0..self.files {
                rank[file] = DAMPING * next[file] + (1.0 - DAMPING + DAMPING * lost) * start[file];
            }
        }
        rank
    }
}

/// Hands the weight of some nodes on along their edges.
fn push(csr: &Csr<(), f32, Directed, u32>, nodes: Range<usize>, from: &[f64], out: &[f64], to: &mut [f64]) {
    for node in nodes {
        if from[node] == 0.0 || out[node] == 0.0 {
            continue;
        }
        let share = from[node] / out[node];
        let targets = csr.neighbors_slice(node as u32);
        for (target, weight) in targets.iter().zip(csr.edges_slice(node as u32)) {
            to[*target as usize] += share * f64::from(*weight);
        }
    }
}

/// A name with the files that define it, ascending.
type Name = (WordId, Vec<u32>);

/// The names that lead somewhere, and how many files define each name; both sorted by name.
fn defined_names(corpus: &Corpus) -> (Vec<Name>, Vec<(WordId, u32)>) {
    let mut pairs: Vec<(WordId, u32)> = (0..corpus.len())
        .into_par_iter()
        .flat_map_iter(|file| {
            let mut names: Vec<WordId> = corpus
                .view(file)
                .iter()
                .flat_map(|view| view.names())
                .take(MAX_NAMES)
                .collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().map(move |name| (name, file as u32))
        })
        .collect();
    pairs.par_sort_unstable();
    let groups = || pairs.chunk_by(|a, b| a.0 == b.0);
    let names = groups()
        .filter(|same| same.len() <= MAX_DEFINERS)
        .map(|same| (same[0].0, same.iter().map(|(_, file)| *file).collect()))
        .collect();
    (names, groups().map(|same| (same[0].0, same.len() as u32)).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::repo_map::corpus::{Entry, Record};
    use crate::repo_map::facts::{Definition, Facts};
    use crate::repo_map::tags::DefKind;

    /// Files as (path, name that it defines, text).
    fn corpus(files: &[(&str, &str, &str)]) -> Corpus {
        let entry = |(path, name, text): &(&str, &str, &str)| {
            let mut facts = Facts::of_text(text);
            facts.definitions = vec![Definition {
                name: name.to_string(),
                kind: DefKind::Function,
                line: 1,
                end_line: 2,
                parent: None,
                depth: 0,
                signature: name.to_string(),
                name_tokens: 1,
                signature_tokens: 2,
            }];
            Entry {
                path: Arc::from(*path),
                path_tokens: 3,
                record: Record::whole(facts.encode()),
            }
        };
        Corpus::new(files.iter().map(entry).collect())
    }

    #[test]
    fn weight_goes_to_what_is_used() {
        let corpus = corpus(&[
            ("a.py", "alpha", "alpha core_thing"),
            ("b.py", "beta", "beta core_thing"),
            ("c.py", "core_thing", "core_thing"),
        ]);
        let rank = Graph::new(&corpus).rank(&corpus, &[]);
        assert!(rank[2] > 2.0 * rank[0] && rank[2] > 2.0 * rank[1], "{rank:?}");
        assert!(
            (rank.iter().sum::<f64>() - 1.0).abs() < 1e-9,
            "no weight is lost: {rank:?}"
        );
    }

    #[test]
    fn seeds_of_no_use_are_no_seeds() {
        let corpus = corpus(&[("a.py", "alpha", "beta"), ("b.py", "beta", "alpha")]);
        let graph = Graph::new(&corpus);
        let plain = graph.rank(&corpus, &[]);
        for seeds in [&[0.0, 0.0][..], &[f64::NAN, -1.0], &[f64::INFINITY, 0.0]] {
            assert_eq!(graph.rank(&corpus, seeds), plain, "{seeds:?}");
        }
    }

    #[test]
    fn an_empty_project_has_no_ranks() {
        let corpus = Corpus::new(Vec::new());
        assert!(Graph::new(&corpus).rank(&corpus, &[]).is_empty());
    }
}
