//! Which words stand in the lines of each definition, without those of the definitions inside it.

use serde::{Deserialize, Serialize};

use super::facts::{Definition, Facts};
use super::text_words::TextWords;
use super::words::WordId;

/// The words of a part of a text, as places in the lists of the whole, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnWords {
    /// In the list of identifiers; the first as it is, each other as the step from the one before.
    pub identifiers: Vec<u16>,
    /// In the list of sub-words, written the same way.
    pub subwords: Vec<u16>,
}

impl OwnWords {
    /// The places that a list of steps stands for.
    pub fn places(steps: &[u16]) -> impl Iterator<Item = usize> {
        steps.iter().scan(0_usize, |at, step| {
            *at += usize::from(*step);
            Some(*at)
        })
    }
}

/// Gives each word of the text to the innermost definition around it.
pub(super) fn give(facts: &mut Facts, text: &str, words: &TextWords) {
    let owners = owners(&facts.definitions, text);
    // A word that stands in a definition again and again is looked at once where nothing lies between.
    let mut last_owner = vec![None; words.len() as usize];
    let mut found: Vec<(u32, u32)> = Vec::with_capacity(words.occurrences().len());
    found.extend(words.occurrences().iter().filter_map(|&(line, word)| {
        let owner = owners.get(line as usize).copied().flatten()?;
        let before = last_owner[word as usize].replace(owner);
        (before != Some(owner)).then_some((owner, word))
    }));
    found.sort_unstable_by_key(|&(owner, word)| u64::from(owner) << 32 | u64::from(word));
    found.dedup();
    let places = Places::new(words, &facts.identifiers, &facts.subwords);
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        let own = same.iter().map(|(_, word)| *word);
        facts.definitions[same[0].0 as usize].words = OwnWords {
            identifiers: steps(own.clone().filter_map(|word| places.identifier(word)).collect()),
            subwords: steps(own.flat_map(|word| places.subwords(word)).collect()),
        };
    }
}

/// For each line the innermost definition around it; comments and attributes above belong to what is below them.
fn owners(definitions: &[Definition], text: &str) -> Vec<Option<u32>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut owners = vec![None; lines.len()];
    // What is inside stands later in the list.
    for (idx, definition) in definitions.iter().enumerate() {
        let last = (definition.end_line as usize).min(lines.len());
        let mut first = (definition.line.saturating_sub(1) as usize).min(last);
        while first > 0 && speaks_of_the_next(lines[first - 1]) {
            first -= 1;
        }
        owners[first..last].fill(Some(idx as u32));
    }
    owners
}

/// A line of comment, an attribute, a decorator: it belongs to the definition below it.
fn speaks_of_the_next(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "* ", "*/", "# ", "#[", "@", "--", ";;", "<!--"]
        .iter()
        .any(|mark| line.starts_with(mark))
        || line == "*"
        || line == "#"
}

/// Where the words of a text stand in the lists of identifiers and sub-words; a word that was cut off has no place.
struct Places {
    /// By word.
    identifiers: Vec<Option<u32>>,
    /// By word, where its sub-words' places end in the next list.
    ends: Vec<u32>,
    subwords: Vec<u32>,
}

impl Places {
    fn new(words: &TextWords, identifiers: &[(WordId, u8)], subwords: &[(WordId, u8)]) -> Self {
        let place = |list: &[(WordId, u8)], id: WordId| {
            let found = list.binary_search_by_key(&id, |(id, _)| *id);
            found.ok().map(|place| place as u32)
        };
        let mut places = Self {
            identifiers: Vec::with_capacity(words.len() as usize),
            ends: Vec::with_capacity(words.len() as usize),
            subwords: Vec::new(),
        };
        for word in 0..words.len() {
            places.identifiers.push(place(identifiers, words.id(word)));
            let found = words.subwords_of(word).iter().filter_map(|id| place(subwords, *id));
            places.subwords.extend(found);
            places.ends.push(places.subwords.len() as u32);
        }
        places
    }

    fn identifier(&self, word: u32) -> Option<u32> {
        self.identifiers[word as usize]
    }

    fn subwords(&self, word: u32) -> impl Iterator<Item = u32> {
        let word = word as usize;
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.subwords[start as usize..self.ends[word] as usize].iter().copied()
    }
}

/// Places as steps from each to the next; they are small and so are their bytes.
fn steps(mut places: Vec<u32>) -> Vec<u16> {
    places.sort_unstable();
    places.dedup();
    let mut before = 0;
    places
        .into_iter()
        .map(|place| (place - std::mem::replace(&mut before, place)) as u16)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;
    use crate::repo_map::{tags, words};

    #[test]
    fn words_belong_to_the_innermost_definition() {
        let text = "/// Keeps entries.\nstruct Cache {\n    table: Map,\n}\nimpl Cache {\n    /// Reads one.\n    fn lookup(&self) { self.table.find() }\n}\n";
        let language = languages::by_path("a.rs").unwrap();
        let tags = tags::tags(language, text, &tags::Limits::default()).unwrap();
        let facts = Facts::of_source(text, &tags, str::len);
        let holders = |word: &str| -> Vec<&str> {
            let id = words::id_of(word.as_bytes());
            let holds = |definition: &&Definition| {
                OwnWords::places(&definition.words.identifiers).any(|place| facts.identifiers[place].0 == id)
            };
            facts
                .definitions
                .iter()
                .filter(holds)
                .map(|d| d.signature.as_str())
                .collect()
        };
        assert_eq!(holders("find"), ["fn lookup(&self)"]);
        assert_eq!(holders("Reads"), ["fn lookup(&self)"]);
        assert_eq!(holders("entries"), ["struct Cache"]);
        assert_eq!(holders("table"), ["struct Cache", "fn lookup(&self)"]);
    }
}
