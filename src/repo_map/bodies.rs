//! What the lines of a definition have in common with request and chat.

use super::facts::{Definition, OwnWords};
use super::scene::Scene;
use super::words::{bm25, idf};

/// How strongly long definitions are held back.
const LENGTH: f64 = 0.5;
/// Sub-words of a definition of middling length.
const MEAN: f64 = 40.0;
/// Keeps tiny definitions from winning by a single shared name.
const SMOOTHING: f64 = 20.0;

/// What was found in the lines of one definition, with those of the definitions inside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Body {
    /// Distinct identifiers and sub-words; those of inner definitions are added.
    identifiers: usize,
    subwords: usize,
    /// Slots of the request's words.
    request: Vec<usize>,
    /// What the chat's identifiers weigh together, and those of them that have a part in the request.
    shared: f64,
    focused: f64,
}

impl Body {
    /// Both together.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.identifiers += other.identifiers;
        self.subwords += other.subwords;
        self.request.extend(&other.request);
        self.shared += other.shared;
        self.focused += other.focused;
        self
    }

    /// BM25 of the request.
    pub(super) fn request(&self, scene: &Scene) -> f64 {
        let mut slots = self.request.clone();
        slots.sort_unstable();
        slots
            .chunk_by(|a, b| a == b)
            .map(|same| {
                let said = 1.0 + f64::from(scene.query.subwords[same[0]].1).ln();
                let weight = idf(scene.len(), scene.body_df[same[0]] as usize) * said;
                bm25(weight, same.len() as f64, self.subwords as f64, MEAN, LENGTH)
            })
            .sum()
    }

    /// Rare identifiers in common with the chat, against the size of the definition.
    pub(super) fn shared(&self) -> f64 {
        self.shared / (self.identifiers as f64 + SMOOTHING).sqrt()
    }

    /// The same, of identifiers that have a part in the request.
    pub(super) fn focused(&self) -> f64 {
        self.focused / (self.identifiers as f64 + SMOOTHING).sqrt()
    }
}

/// By definition of the file.
pub(super) fn bodies(scene: &Scene, file: usize, definitions: &[Definition]) -> Vec<Body> {
    let Some(view) = scene.corpus.view(file) else {
        return vec![Body::default(); definitions.len()];
    };
    // What each place of the file's lists means to chat and request.
    let identifiers: Vec<(f64, bool)> = view
        .identifiers()
        .ids()
        .map(|id| match scene.table.get(id) {
            Some(slot) => (scene.rarity(slot as u32).unwrap_or(0.0), scene.chat_words[slot].focus),
            None => (0.0, false),
        })
        .collect();
    let words = &scene.query.subwords;
    let subwords: Vec<Option<usize>> = view
        .subwords()
        .ids()
        .map(|id| words.binary_search_by_key(&id, |&(word, _)| word).ok())
        .collect();
    let mut bodies: Vec<Body> = definitions
        .iter()
        .map(|definition| own(&definition.words, &identifiers, &subwords))
        .collect();
    // What is inside stands later in the list.
    for idx in (0..definitions.len()).rev() {
        if let Some(parent) = definitions[idx].parent.map(|parent| parent as usize)
            && parent < idx
        {
            let (before, inner) = bodies.split_at_mut(idx);
            before[parent] = std::mem::take(&mut before[parent]).and(&inner[0]);
        }
    }
    bodies
}

fn own(words: &OwnWords, identifiers: &[(f64, bool)], subwords: &[Option<usize>]) -> Body {
    let hits = || OwnWords::places(&words.identifiers).filter_map(|place| identifiers.get(place));
    Body {
        identifiers: words.identifiers.len(),
        subwords: words.subwords.len(),
        request: OwnWords::places(&words.subwords)
            .filter_map(|place| *subwords.get(place)?)
            .collect(),
        shared: hits().map(|(rarity, _)| rarity).sum(),
        focused: hits().filter(|(_, focus)| *focus).map(|(rarity, _)| rarity).sum(),
    }
}
