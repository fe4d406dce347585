//! What the words of the request say of a file.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::repo_map::paths;
use crate::repo_map::scene::Scene;
use crate::repo_map::words::{self, WordId, bm25, idf};

/// How strongly long texts, and long lists of names, are held back.
const LENGTH: f64 = 0.75;
/// The same for paths, which are all short.
const PATH_LENGTH: f64 = 0.3;

/// The weight of a request word said `n` times.
fn said(n: u32) -> f64 {
    1.0 + f64::from(n).ln()
}

/// BM25 of the request against the text.
pub(crate) fn body(scene: &Scene) -> Vec<f64> {
    lexical(scene, &scene.body_df, |file| {
        (&scene.files[file].body, scene.files[file].length)
    })
}

/// BM25 of the request against the names of the definitions.
pub(crate) fn definitions(scene: &Scene) -> Vec<f64> {
    lexical(scene, &scene.defs_df, |file| {
        (&scene.files[file].defs, scene.files[file].names)
    })
}

fn lexical<'a>(scene: &Scene, df: &[u32], document: impl Fn(usize) -> (&'a Vec<u8>, u32)) -> Vec<f64> {
    let n = scene.len();
    let total: u64 = (0..n).map(|file| u64::from(document(file).1)).sum();
    let mean = total as f64 / n.max(1) as f64;
    let weights: Vec<f64> = scene
        .query
        .subwords
        .iter()
        .zip(df)
        .map(|(&(_, count), &df)| idf(n, df as usize) * said(count))
        .collect();
    (0..n)
        .map(|file| {
            let (counts, length) = document(file);
            counts
                .iter()
                .zip(&weights)
                .filter(|(count, _)| **count > 0)
                .map(|(&count, &weight)| bm25(weight, f64::from(count), f64::from(length), mean, LENGTH))
                .sum()
        })
        .collect()
}

/// BM25 of the request against the path.
pub(crate) fn path(scene: &Scene) -> Vec<f64> {
    let n = scene.len();
    let words = &scene.query.subwords;
    let documents: Vec<(Vec<usize>, u32)> = scene
        .corpus
        .entries()
        .par_iter()
        .map(|entry| path_hits(&entry.path, words))
        .collect();
    let mut df = vec![0_usize; words.len()];
    for (hits, _) in &documents {
        hits.chunk_by(|a, b| a == b).for_each(|same| df[same[0]] += 1);
    }
    let total: u32 = documents.iter().map(|(_, length)| *length).sum();
    let mean = f64::from(total) / n.max(1) as f64;
    documents
        .into_iter()
        .map(|(hits, length)| {
            hits.chunk_by(|a, b| a == b)
                .map(|same| {
                    let weight = idf(n, df[same[0]]) * said(words[same[0]].1);
                    bm25(weight, same.len() as f64, f64::from(length), mean, PATH_LENGTH)
                })
                .sum()
        })
        .collect()
}

/// The request's words in a path, by slot, ascending; and how many words the path has.
fn path_hits(path: &str, words: &[(WordId, u32)]) -> (Vec<usize>, u32) {
    let (mut hits, mut length) = (Vec::new(), 0);
    for part in path.split(|c: char| !c.is_alphanumeric() && c != '_') {
        words::for_each_subword(part.as_bytes(), |subword| {
            length += 1;
            if let Ok(slot) = words.binary_search_by_key(&words::id_of(subword), |&(word, _)| word) {
                hits.push(slot);
            }
        });
    }
    hits.sort_unstable();
    (hits, length)
}

/// The file's stem is a word of the request; shared among the files of that stem.
pub(crate) fn stem(scene: &Scene) -> Vec<f64> {
    let mut files: HashMap<String, Vec<usize>> = HashMap::new();
    for (file, entry) in scene.corpus.entries().iter().enumerate() {
        let stem = paths::stem(&entry.path).to_lowercase();
        if scene.query.lower.binary_search(&stem).is_ok() {
            files.entry(stem).or_default().push(file);
        }
    }
    let mut out = vec![0.0; scene.len()];
    for (_, same) in files.into_iter().collect::<std::collections::BTreeMap<_, _>>() {
        same.iter().for_each(|&file| out[file] = 1.0 / same.len() as f64);
    }
    out
}

/// The request names the file by its path or the end of it; shared among the files that it may mean.
pub(crate) fn named(scene: &Scene) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    for path in &scene.query.paths {
        let meant: Vec<usize> = scene
            .corpus
            .entries()
            .iter()
            .enumerate()
            .filter(|(_, entry)| {
                entry
                    .path
                    .strip_suffix(path.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            })
            .map(|(file, _)| file)
            .collect();
        for &file in &meant {
            out[file] = f64::max(out[file], 1.0 / meant.len() as f64);
        }
    }
    out
}

/// Share of a quotation that a file must hold. The rest is what the quoting side put in: a value, a name of its own.
const HELD: f64 = 0.75;

/// The file holds what the request quotes, as a whole: the more of it, and the fewer files do, the more. 1 for the one file
/// that holds all.
pub(crate) fn quoted(scene: &Scene) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    for phrase in &scene.query.phrases {
        for (file, value) in holders(scene, phrase) {
            out[file] = f64::max(out[file], value);
        }
    }
    out
}

/// The files that hold a quotation, with how much that says.
fn holders(scene: &Scene, phrase: &[WordId]) -> Vec<(usize, f64)> {
    let n = scene.len();
    // A word that no file has was put in.
    let weights: Vec<(usize, f64)> = phrase
        .iter()
        .filter_map(|id| scene.query.subwords.binary_search_by_key(id, |&(word, _)| word).ok())
        .filter(|&slot| scene.body_df[slot] > 0)
        .map(|slot| (slot, idf(n, scene.body_df[slot] as usize)))
        .collect();
    if weights.len() < 2 {
        return Vec::new();
    }
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let mut held: Vec<(usize, f64)> = (0..n)
        .filter_map(|file| {
            let body = &scene.files[file].body;
            let held = weights
                .iter()
                .filter(|(slot, _)| body.get(*slot).is_some_and(|n| *n > 0));
            let share = held.map(|(_, weight)| weight).sum::<f64>() / total;
            (share >= HELD).then_some((file, share))
        })
        .collect();
    held.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut above = 0;
    let mut out = Vec::with_capacity(held.len());
    for same in held.chunk_by(|a, b| a.1 == b.1) {
        above += same.len();
        let rare = 1.0 - (above as f64).ln() / (n.max(2) as f64).ln();
        out.extend(same.iter().map(|&(file, share)| (file, share * share * rare)));
    }
    out
}
