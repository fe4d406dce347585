//! The graph of files and names: a file points at the names it uses, a name at the files that define it. Two kinds of nodes keep it linear in
//! the number of uses, where edges from file to file would be many more. PageRank walks it from the chat's files and from what
//! the request speaks of.

use std::ops::Range;
use std::sync::OnceLock;

use petgraph::Directed;
use petgraph::csr::Csr;
use rayon::prelude::*;

use super::corpus::Corpus;
use super::facts::View;
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

/// In a larger project not every file is walked from: the likeliest ones and, of the others, every n-th, which says as well what
/// all use. The walk over 60,000 files would take a second, for a voice among many.
const WALKED: usize = 12_000;
/// Files whose edges are collected together, on one core.
const CHUNK: usize = 256;

/// The names that the files define, and, once it is asked for, the graph over them.
pub struct Graph {
    names: Names,
    files: usize,
    /// Over all files, unless they are too many. Only a map without chat files walks it.
    edges: OnceLock<Edges>,
}

/// Files are the first nodes, names follow.
type Edges = Csr<(), f32, Directed, u32>;

/// Names with the files that define them, in flat lists: there are hundreds of thousands.
struct Names {
    /// Every name by hash with how many files define it, sorted.
    all: Vec<(WordId, u32)>,
    /// Names that lead somewhere, sorted.
    leading: Vec<WordId>,
    /// By leading name: where its files begin in `definers`; one more for the end.
    starts: Vec<u32>,
    /// Ascending for each name.
    definers: Vec<u32>,
}

impl Names {
    fn definers(&self, name: usize) -> &[u32] {
        &self.definers[self.starts[name] as usize..self.starts[name + 1] as usize]
    }
}

impl Graph {
    pub fn new(corpus: &Corpus) -> Self {
        Self {
            names: defined_names(corpus),
            files: corpus.len(),
            edges: OnceLock::new(),
        }
    }

    /// The edges from some files, ascending, and from all names.
    fn edges(&self, corpus: &Corpus, from: &[usize]) -> Edges {
        let (files, names) = (self.files, &self.names);
        let table = IdTable::new(names.leading.iter().copied());
        // A share for each definer; they are few, so a byte holds their number.
        let shares: Vec<u8> = (0..names.leading.len())
            .map(|name| names.definers(name).len() as u8)
            .collect();
        let chunks: Vec<Vec<(u32, u32, f32)>> = from
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut edges = Vec::new();
                for &file in chunk {
                    uses(corpus, file, &table, |name, weight| {
                        let share = f32::from(shares[name as usize]);
                        edges.push((file as u32, files as u32 + name, weight / share));
                    });
                }
                edges
            })
            .collect();
        let of_names = (0..names.leading.len())
            .flat_map(|name| names.definers(name).iter().map(move |&file| (name, file)))
            .map(|(name, file)| ((files + name) as u32, file, 1.0));
        let n = chunks.iter().map(Vec::len).sum::<usize>() + names.definers.len();
        let mut edges: Vec<(u32, u32, f32)> = Vec::with_capacity(n);
        chunks.into_iter().for_each(|chunk| edges.extend(chunk));
        edges.extend(of_names);
        let mut csr = Csr::from_sorted_edges(&edges).unwrap_or_default();
        while csr.node_count() < files + names.leading.len() {
            csr.add_node(());
        }
        csr
    }

    /// How many files define a name.
    pub fn definers(&self, name: WordId) -> u32 {
        let all = &self.names.all;
        all.binary_search_by_key(&name, |(id, _)| *id).map_or(0, |at| all[at].1)
    }

    /// PageRank of the files; `seeds` are where walks start, by file, no matter how large. Without any seed they start everywhere.
    pub fn rank(&self, corpus: &Corpus, seeds: &[f64]) -> Vec<f64> {
        if self.files == 0 {
            return Vec::new();
        }
        let some;
        let csr = if self.files <= WALKED {
            let all = || self.edges(corpus, &(0..self.files).collect::<Vec<_>>());
            self.edges.get_or_init(all)
        } else {
            some = self.edges(corpus, &walked(self.files, seeds));
            &some
        };
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

/// The files of a large project that are walked from, ascending: half of them by their seeds, half evenly from all.
fn walked(files: usize, seeds: &[f64]) -> Vec<usize> {
    let seed = |file: usize| seeds.get(file).copied().filter(|seed| *seed > 0.0).unwrap_or(0.0);
    let mut likeliest: Vec<usize> = (0..files).filter(|&file| seed(file) > 0.0).collect();
    likeliest.sort_by(|&a, &b| seed(b).total_cmp(&seed(a)).then(a.cmp(&b)));
    likeliest.truncate(WALKED / 2);
    let rest = WALKED - likeliest.len();
    let mut chosen: Vec<usize> = (0..files).step_by(files.div_ceil(rest)).chain(likeliest).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
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

/// Hands over the leading names that a file uses, ascending, each with the weight of its uses.
fn uses(corpus: &Corpus, file: usize, table: &IdTable, mut each: impl FnMut(u32, f32)) {
    let Some(view) = corpus.view(file) else { return };
    // What a file defines itself it means itself.
    let own = own_names(&view);
    let identifiers = view.identifiers();
    // In the order of the identifiers, which is the order of the names: both are sorted by hash.
    for (idx, id) in identifiers.ids().enumerate() {
        if let Some(name) = table.get(id)
            && own.binary_search(&id).is_err()
        {
            each(name as u32, (identifiers.count(idx) as f32).sqrt());
        }
    }
}

/// The names that a file defines, sorted, each once.
fn own_names(view: &View) -> Vec<WordId> {
    let mut names: Vec<WordId> = view.names().take(MAX_NAMES).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn defined_names(corpus: &Corpus) -> Names {
    let mut pairs: Vec<(WordId, u32)> = (0..corpus.len())
        .into_par_iter()
        .fold(Vec::new, |mut pairs, file| {
            if let Some(view) = corpus.view(file) {
                pairs.extend(own_names(&view).into_iter().map(|name| (name, file as u32)));
            }
            pairs
        })
        .reduce(Vec::new, |mut left, right| {
            left.extend(right);
            left
        });
    pairs.par_sort_unstable();
    let mut names = Names {
        all: Vec::new(),
        leading: Vec::new(),
        starts: vec![0],
        definers: Vec::with_capacity(pairs.len()),
    };
    for same in pairs.chunk_by(|a, b| a.0 == b.0) {
        names.all.push((same[0].0, same.len() as u32));
        if same.len() <= MAX_DEFINERS {
            names.leading.push(same[0].0);
            names.definers.extend(same.iter().map(|(_, file)| *file));
            names.starts.push(names.definers.len() as u32);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::repo_map::corpus::{Entry, Record};
    use crate::repo_map::facts::{Definition, Facts, OwnWords};
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
                words: OwnWords::default(),
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
    fn a_large_project_is_walked_from_its_likeliest_files_and_evenly() {
        let mut seeds = vec![0.0; 5 * WALKED];
        seeds[7] = 0.5;
        seeds[WALKED + 1] = 0.1;
        let chosen = walked(seeds.len(), &seeds);
        assert!(chosen.is_sorted() && chosen.len() <= WALKED + 2);
        assert!(chosen.contains(&7) && chosen.contains(&(WALKED + 1)));
        let in_last_fifth = chosen.iter().filter(|file| **file >= 4 * WALKED).count();
        assert!(in_last_fifth > WALKED / 7, "{in_last_fifth}");
        assert!(walked(seeds.len(), &[]).len() > WALKED / 2, "without seeds");
    }

    #[test]
    fn an_empty_project_has_no_ranks() {
        let corpus = Corpus::new(Vec::new());
        assert!(Graph::new(&corpus).rank(&corpus, &[]).is_empty());
    }
}
