//! Who imports whom, by names alone: a module is known by the name of its file, or of its folder where the file's name says
//! nothing, in every language (`mod parser`, `from .parser import x`, `require "app/parser"`, `#include "parser.h"`,
//! `new Parser()` in a language of one class a file).

use crate::repo_map::paths;
use crate::repo_map::scene::Scene;
use crate::repo_map::words::{self, WordId, idf};

/// The name by which other files know the file.
fn module(path: &str) -> WordId {
    let stem = paths::stem(path);
    let name = match stem {
        "mod" | "index" | "__init__" | "lib" | "main" => path.rsplit('/').nth(1).unwrap_or(stem),
        _ => stem,
    };
    words::id_of(name.as_bytes())
}

/// The chat names the file's module; shared among the files of that name.
pub(crate) fn module_of_chat(scene: &Scene) -> Vec<f64> {
    let slots: Vec<Option<usize>> = scene
        .corpus
        .entries()
        .iter()
        .map(|entry| scene.table.get(module(&entry.path)))
        .collect();
    let mut same = vec![0_u32; scene.chat_words.len()];
    slots.iter().flatten().for_each(|&slot| same[slot] += 1);
    slots
        .iter()
        .map(|slot| slot.map_or(0.0, |slot| 1.0 / f64::from(same[slot])))
        .collect()
}

/// The file names the module of a chat file, the more the fewer files do.
pub(crate) fn names_chat_module(scene: &Scene) -> Vec<f64> {
    let modules: Vec<WordId> = scene
        .chat
        .iter()
        .map(|&file| module(&scene.corpus.entry(file).path))
        .collect();
    let uses: Vec<Vec<u32>> = (0..scene.len())
        .map(|file| match scene.corpus.view(file) {
            Some(view) => modules.iter().map(|id| view.identifiers().get(*id)).collect(),
            None => Vec::new(),
        })
        .collect();
    let holders = |place: usize| {
        uses.iter()
            .filter(|uses| uses.get(place).is_some_and(|n| *n > 0))
            .count()
    };
    let weights: Vec<f64> = (0..modules.len())
        .map(|place| idf(scene.len(), holders(place)))
        .collect();
    uses.iter()
        .map(|uses| {
            let weighed = uses.iter().zip(&weights);
            weighed.map(|(&n, weight)| f64::from(n).sqrt() * weight).sum()
        })
        .collect()
}
