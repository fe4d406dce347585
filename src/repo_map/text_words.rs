//! The identifiers of one text, each looked at once: how often it occurs, which sub-words it is made of, on which lines it stands.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

use super::identifiers::occurrences;
use super::words::{self, WordId};

pub(super) struct TextWords {
    /// Each identifier once, in the order of the text.
    words: Vec<Word>,
    /// The sub-words of all of them, one after another.
    subwords: Vec<WordId>,
    /// Line, from 0, and index of the word.
    occurrences: Vec<(u32, u32)>,
}

struct Word {
    id: WordId,
    count: u32,
    /// Where its sub-words end; they start where those of the word before end.
    subwords_end: u32,
}

/// Keys that are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl TextWords {
    pub(super) fn new(text: &str) -> Self {
        let mut all = Self {
            words: Vec::new(),
            subwords: Vec::new(),
            occurrences: Vec::with_capacity(text.len() / 8),
        };
        let mut known: HashMap<u64, u32, BuildHasherDefault<AsItIs>> = HashMap::default();
        let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let (mut line, mut line_end) = (0, ends.next().unwrap_or(text.len()));
        for (at, word) in occurrences(text) {
            while line_end < at {
                line += 1;
                line_end = ends.next().unwrap_or(text.len());
            }
            let hash = xxh3_64(word.as_bytes());
            let idx = *known
                .entry(hash)
                .or_insert_with(|| all.push(word, words::id_of_hash(hash)));
            all.words[idx as usize].count += 1;
            all.occurrences.push((line, idx));
        }
        all
    }

    fn push(&mut self, word: &str, id: WordId) -> u32 {
        words::for_each_subword(word.as_bytes(), |subword| self.subwords.push(words::id_of(subword)));
        self.words.push(Word {
            id,
            count: 0,
            subwords_end: self.subwords.len() as u32,
        });
        self.words.len() as u32 - 1
    }

    /// Each identifier with how often it occurs, in no order.
    pub(super) fn identifiers(&self) -> Vec<(WordId, u32)> {
        self.words.iter().map(|word| (word.id, word.count)).collect()
    }

    /// Each sub-word with how often it occurs in an identifier of the text; the same one may stand there several times.
    pub(super) fn subwords(&self) -> Vec<(WordId, u32)> {
        let counts = self.words.iter().enumerate().flat_map(|(idx, word)| {
            let subwords = self.subwords_of(idx as u32).iter();
            subwords.map(|id| (*id, word.count))
        });
        counts.collect()
    }

    /// The hash of a word.
    pub(super) fn id(&self, word: u32) -> WordId {
        self.words[word as usize].id
    }

    /// The sub-words of a word.
    pub(super) fn subwords_of(&self, word: u32) -> &[WordId] {
        let word = word as usize;
        let start = word.checked_sub(1).map_or(0, |before| self.words[before].subwords_end);
        &self.subwords[start as usize..self.words[word].subwords_end as usize]
    }

    /// How many different words there are; they are numbered from 0.
    pub(super) fn len(&self) -> u32 {
        self.words.len() as u32
    }

    /// (line from 0, word), in the order of the text.
    pub(super) fn occurrences(&self) -> &[(u32, u32)] {
        &self.occurrences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo_map::tags::identifiers;

    proptest::proptest! {
        #[test]
        fn each_word_is_found_as_often_as_it_stands_on_each_line(text in "([a-cA-C_é]{1,4}[ .\n]{0,2}){0,30}") {
            let words = TextWords::new(&text);
            let mut counted = words.identifiers();
            counted.sort_unstable();
            let mut expected: Vec<_> = identifiers(&text)
                .into_iter()
                .map(|(word, n)| (words::id_of(word.as_bytes()), n))
                .collect();
            expected.sort_unstable();
            proptest::prop_assert_eq!(counted, expected);
            for (line, content) in text.lines().enumerate() {
                let mut found: Vec<WordId> = words
                    .occurrences()
                    .iter()
                    .filter(|(at, _)| *at as usize == line)
                    .map(|(_, word)| words.id(*word))
                    .collect();
                found.sort_unstable();
                let mut expected: Vec<WordId> = occurrences(content)
                    .map(|(_, word)| words::id_of(word.as_bytes()))
                    .collect();
                expected.sort_unstable();
                proptest::prop_assert_eq!(found, expected);
            }
        }
    }
}
