//! What a file has in common with the files of the chat.

use crate::repo_map::scene::Scene;

/// Keeps tiny files from winning by a single shared name.
const SMOOTHING: f64 = 50.0;
/// The same where the size of the file counts full.
const SMOOTHING_OF_SHARES: f64 = 10.0;

fn per_file(scene: &Scene, value: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..scene.len())
        .map(|file| if scene.is_chat[file] { 0.0 } else { value(file) })
        .collect()
}

/// Rare identifiers in both, against the size of the file.
pub(crate) fn shared(scene: &Scene) -> Vec<f64> {
    per_file(scene, |file| {
        let shared = &scene.files[file];
        let sum: f64 = shared.words.iter().filter_map(|&(slot, _)| scene.rarity(slot)).sum();
        sum / (f64::from(shared.distinct) + SMOOTHING).sqrt()
    })
}

/// The share of its identifiers that the chat has too, by rarity.
pub(crate) fn contained(scene: &Scene) -> Vec<f64> {
    per_file(scene, |file| {
        let shared = &scene.files[file];
        let sum: f64 = shared.words.iter().filter_map(|&(slot, _)| scene.rarity(slot)).sum();
        sum / (f64::from(shared.distinct) + SMOOTHING_OF_SHARES)
    })
}

/// The same as [`shared`], of identifiers that have a part in the request, by how often the file uses them.
pub(crate) fn focused(scene: &Scene) -> Vec<f64> {
    per_file(scene, |file| {
        let shared = &scene.files[file];
        let sum: f64 = shared
            .words
            .iter()
            .filter(|(slot, _)| scene.chat_words[*slot as usize].focus)
            .filter_map(|&(slot, n)| Some(scene.rarity(slot)? * (1.0 + f64::from(n).ln())))
            .sum();
        sum / (f64::from(shared.distinct) + SMOOTHING).sqrt()
    })
}

/// Names that the file defines and the chat uses.
pub(crate) fn used_by_chat(scene: &Scene) -> Vec<f64> {
    let n = scene.len() as f64;
    per_file(scene, |file| {
        scene.files[file]
            .defines
            .iter()
            .map(|&slot| scene.chat_words[slot as usize])
            .filter(|word| !word.defined)
            .map(|word| {
                (1.0 + n / (1.0 + f64::from(word.holders))).ln() / f64::from(word.definers.max(1))
                    * f64::from(word.uses).sqrt()
            })
            .sum()
    })
}

/// Names that the chat defines and the file uses.
pub(crate) fn uses_chat(scene: &Scene) -> Vec<f64> {
    let n = scene.len() as f64;
    per_file(scene, |file| {
        let shared = &scene.files[file];
        shared
            .words
            .iter()
            .map(|&(slot, uses)| (scene.chat_words[slot as usize], slot, uses))
            .filter(|(word, slot, _)| word.defined && shared.defines.binary_search(slot).is_err())
            .map(|(word, _, uses)| {
                (1.0 + n / (1.0 + f64::from(word.holders))).ln() / f64::from(word.definers.max(1))
                    * f64::from(uses).sqrt()
            })
            .sum()
    })
}
