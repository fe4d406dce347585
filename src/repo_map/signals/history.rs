//! What the repository's history says of a file.

use std::collections::HashMap;

use crate::repo_map::history::Commit;
use crate::repo_map::scene::Scene;
use crate::repo_map::words;

/// A chat file's newest commit counts full, the 20th after it half.
const CHAT_AGE: f64 = 20.0;
/// Commits after which a message counts half.
const MESSAGE_AGE: f64 = 1000.0;
/// Commits after which a change counts half as recent.
const RECENT: f64 = 50.0;
/// Commits after which a change counts half for how often a file changes, and for what changed with it.
const OFTEN: f64 = 200.0;

/// The corpus files of a commit.
fn files<'a>(scene: &'a Scene, commit: &'a Commit) -> impl Iterator<Item = usize> + 'a {
    commit
        .files
        .iter()
        .filter_map(|&path| scene.resolved[path as usize])
        .map(|file| file as usize)
}

/// Commits that changed the file together with one of the chat, the newest of each chat file most, small ones more.
pub(crate) fn changed_together(scene: &Scene) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    let mut seen: HashMap<usize, u32> = scene.chat.iter().map(|&file| (file, 0)).collect();
    for commit in &scene.history.commits {
        let mut weight = 0.0;
        for file in files(scene, commit) {
            if let Some(age) = seen.get_mut(&file) {
                weight += 1.0 / (1.0 + f64::from(*age) / CHAT_AGE);
                *age += 1;
            }
        }
        if weight == 0.0 {
            continue;
        }
        weight /= (1.0 + commit.files.len() as f64).log2();
        for file in files(scene, commit).filter(|&file| !scene.is_chat[file]) {
            out[file] += weight;
        }
    }
    out
}

/// Commits that changed the file together with files that are likely wanted (`likely`, by file).
pub(crate) fn changed_with(scene: &Scene, likely: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    for (age, commit) in scene.history.commits.iter().enumerate() {
        let mut all = 0.0;
        for file in files(scene, commit) {
            all += likely[file];
        }
        if all == 0.0 {
            continue;
        }
        let weight = 1.0 / (1.0 + commit.files.len() as f64).log2() / (1.0 + age as f64 / OFTEN);
        for file in files(scene, commit).filter(|&file| !scene.is_chat[file]) {
            out[file] += weight * (all - likely[file]).max(0.0);
        }
    }
    out
}

/// Commits on the file whose message resembles the request.
pub(crate) fn message_likeness(scene: &Scene) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    let commits = &scene.history.commits;
    if scene.query.subwords.is_empty() || commits.is_empty() {
        return out;
    }
    let mut holders: HashMap<u32, usize> = HashMap::new();
    for (word, _) in commits.iter().flat_map(|commit| &commit.words) {
        *holders.entry(*word).or_insert(0) += 1;
    }
    let weight =
        |word: u32, n: f64| (1.0 + n.ln()) * words::idf(commits.len(), holders.get(&word).copied().unwrap_or(0));
    let query: HashMap<u32, f64> = scene
        .query
        .subwords
        .iter()
        .map(|&(word, n)| (word, weight(word, f64::from(n))))
        .collect();
    let query_norm = scene
        .query
        .subwords
        .iter()
        .map(|(word, _)| query[word].powi(2))
        .sum::<f64>()
        .sqrt();
    for (age, commit) in commits.iter().enumerate() {
        if commit.files.is_empty() {
            continue;
        }
        let (mut dot, mut norm) = (0.0, 0.0);
        for &(word, n) in &commit.words {
            let w = weight(word, f64::from(n));
            norm += w * w;
            dot += w * query.get(&word).copied().unwrap_or(0.0);
        }
        if dot == 0.0 {
            continue;
        }
        let likeness = dot / (norm.sqrt() * query_norm);
        let value = likeness * likeness / (commit.files.len() as f64).sqrt() / (1.0 + age as f64 / MESSAGE_AGE);
        for file in files(scene, commit).filter(|&file| !scene.is_chat[file]) {
            out[file] += value;
        }
    }
    out
}

/// How recently the file changed: 1 for the newest commit.
pub(crate) fn last_changed(scene: &Scene) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    for (age, commit) in scene.history.commits.iter().enumerate() {
        for file in files(scene, commit) {
            if out[file] == 0.0 {
                out[file] = 1.0 / (1.0 + age as f64 / RECENT);
            }
        }
    }
    out
}

/// How often the file changed of late, small commits more.
pub(crate) fn often_changed(scene: &Scene) -> Vec<f64> {
    let mut out = vec![0.0; scene.len()];
    for (age, commit) in scene.history.commits.iter().enumerate() {
        let weight = 1.0 / (1.0 + age as f64 / OFTEN) / (commit.files.len() as f64).sqrt();
        for file in files(scene, commit) {
            out[file] += weight;
        }
    }
    out
}
