//! What one file's content tells the map: its identifiers, sub-words and definitions, as one packed record. A record
//! depends on the content and the language alone, so it is kept by content and shared by all clones. The part that
//! ranking scans is laid out as plain arrays and read in place; only the definitions of files that may be shown are
//! unpacked.

use serde::{Deserialize, Serialize};

use super::kinds;
use super::own_words;
use super::tags::{self, DefKind, FileTags, Skip};
use super::text_words::TextWords;
use super::words::{self, WordId};
use crate::languages;

pub use super::own_words::OwnWords;

/// Changes whenever records would come out differently for the same content and tags query.
pub const VERSION: u32 = 3;

/// A name and its place in a file, with what it costs to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    pub name: String,
    pub kind: DefKind,
    /// From 1, both ends included.
    pub line: u32,
    pub end_line: u32,
    /// Index of the definition around this one, in the same list.
    pub parent: Option<u32>,
    /// Definitions around this one.
    pub depth: u8,
    /// The head of the definition on one line, without its indentation.
    pub signature: String,
    /// Tokens of the name after a space.
    pub name_tokens: u16,
    /// Tokens of the signature after one space, with the line's end.
    pub signature_tokens: u16,
    /// What stands in its lines, without those of the definitions inside it.
    pub words: OwnWords,
}

/// Everything the map keeps of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// (identifier, how often), sorted by hash.
    pub identifiers: Vec<(WordId, u8)>,
    /// (sub-word, how often), sorted by hash.
    pub subwords: Vec<(WordId, u8)>,
    /// All sub-words of the text.
    pub length: u32,
    /// Lines of the text.
    pub lines: u32,
    /// The text says that a program wrote it.
    pub generated: bool,
    /// Why it has no definitions, when it could not be read.
    pub skip: Option<Skip>,
    /// In source order.
    pub definitions: Vec<Definition>,
}

/// Counts above this read the same: the 255th use of a name says nothing new.
const MAX_COUNT: u32 = 255;
/// A file with more distinct identifiers is a table of data; the most used ones stand for it.
const MAX_IDENTIFIERS: usize = 8_000;

/// A file with more definitions is generated or a table of constants.
const MAX_DEFINITIONS: usize = 4_000;
/// Characters of a signature that are shown: enough for the name and the first parameters.
const MAX_SIGNATURE: usize = 90;

/// What ends a signature that was cut. It stands after a letter or digit, so that its tokens are its own.
const CUT: &str = " …";
/// Tokens of [`CUT`] with a line's end.
const CUT_TOKENS: usize = 2;

fn cut(signature: &str) -> String {
    let end = match signature.char_indices().nth(MAX_SIGNATURE) {
        Some((at, _)) => at,
        None if signature.ends_with('…') => signature.len(),
        None => return signature.to_string(),
    };
    format!(
        "{}{CUT}",
        signature[..end].trim_end_matches(|c: char| !c.is_alphanumeric())
    )
}

/// Tokens of a signature after a space, with the line's end.
fn signature_tokens(signature: &str, count: impl Fn(&str) -> usize) -> usize {
    match signature.strip_suffix(CUT) {
        Some(kept) => count(&format!(" {kept}")) + CUT_TOKENS,
        None => count(&format!(" {signature}\n")),
    }
}

impl Facts {
    /// Identifiers and sub-words of a text that has no definitions.
    pub fn of_text(text: &str) -> Self {
        Self::of_words(text, &TextWords::new(text))
    }

    /// The same with the definitions of the text. `count` gives the tokens of a text.
    pub fn of_source(text: &str, tags: &FileTags, count: impl Fn(&str) -> usize) -> Self {
        let definition = |def: &tags::Def| {
            let signature = cut(&def.signature);
            Definition {
                name_tokens: count(&format!(" {}", def.name)).min(u16::MAX.into()) as u16,
                signature_tokens: signature_tokens(&signature, &count).min(u16::MAX.into()) as u16,
                name: def.name.to_string(),
                kind: def.kind,
                line: def.line + 1,
                end_line: def.end_line + 1,
                parent: def.parent,
                depth: def.depth,
                signature,
                words: OwnWords::default(),
            }
        };
        let words = TextWords::new(text);
        let mut facts = Self::of_words(text, &words);
        facts.definitions = tags.defs.iter().take(MAX_DEFINITIONS).map(definition).collect();
        own_words::give(&mut facts, text, &words);
        facts
    }

    fn of_words(text: &str, words: &TextWords) -> Self {
        let subwords = words.subwords();
        Self {
            length: subwords.iter().map(|(_, n)| n).sum(),
            identifiers: packed(words.identifiers()),
            subwords: packed(subwords),
            lines: text.lines().count() as u32,
            generated: kinds::is_generated("", languages::head(text, 4096)),
            skip: None,
            definitions: Vec::new(),
        }
    }

    /// The record as bytes; see [`View`] for the layout.
    pub fn encode(&self) -> Vec<u8> {
        let names: Vec<WordId> = self
            .definitions
            .iter()
            .map(|d| words::id_of(d.name.as_bytes()))
            .collect();
        let mut def_words = Vec::new();
        for definition in &self.definitions {
            words::for_each_subword(definition.name.as_bytes(), |subword| {
                def_words.push((words::id_of(subword), 1))
            });
        }
        let def_words = packed(def_words);
        let shown = pack_definitions(&self.definitions);
        let mut out = Vec::with_capacity(
            View::HEAD
                + 5 * (self.identifiers.len() + self.subwords.len() + def_words.len())
                + 4 * names.len()
                + shown.len(),
        );
        for number in [
            self.identifiers.len() as u32,
            self.subwords.len() as u32,
            def_words.len() as u32,
            names.len() as u32,
            self.length,
            self.lines,
            u32::from(self.generated) | u32::from(skip_code(self.skip)) << 8,
            shown.len() as u32,
            0,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for list in [&self.identifiers, &self.subwords, &def_words] {
            list.iter().for_each(|(id, _)| out.extend_from_slice(&id.to_le_bytes()));
            out.extend(list.iter().map(|(_, n)| *n));
        }
        names.iter().for_each(|id| out.extend_from_slice(&id.to_le_bytes()));
        let sum = words::id_of(&out[View::HEAD..]);
        out[View::HEAD - 4..View::HEAD].copy_from_slice(&sum.to_le_bytes());
        out.extend_from_slice(&shown);
        out
    }
}

/// Every reason that holds for a content for ever; its place, from 1, is its code.
const SKIPS: &[Skip] = &[
    Skip::TooLarge,
    Skip::Minified,
    Skip::Generated,
    Skip::TooSlow,
    Skip::Binary,
    Skip::TooDeep,
];

/// A number for a reason to skip; 0 for none.
pub fn skip_code(skip: Option<Skip>) -> u8 {
    skip.and_then(|skip| SKIPS.iter().position(|s| *s == skip))
        .map_or(0, |at| at as u8 + 1)
}

/// The reason of a number.
pub fn skip_of_code(code: u8) -> Option<Skip> {
    SKIPS.get(usize::from(code).checked_sub(1)?).copied()
}

/// Adds up the counts of each word.
fn packed(mut counts: Vec<(WordId, u32)>) -> Vec<(WordId, u8)> {
    counts.sort_unstable();
    let mut list: Vec<(WordId, u8)> = counts
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| {
            (
                same[0].0,
                same.iter().map(|(_, n)| *n).sum::<u32>().min(MAX_COUNT) as u8,
            )
        })
        .collect();
    if list.len() > MAX_IDENTIFIERS {
        list.sort_unstable_by_key(|&(id, n)| (std::cmp::Reverse(n), id));
        list.truncate(MAX_IDENTIFIERS);
        list.sort_unstable();
    }
    list
}

/// A record read in place.
///
/// Layout, little endian: nine u32 (counts of identifiers, sub-words, definition sub-words, definitions; length;
/// lines; flags; bytes of the last part; checksum of the lists); for each of the three lists its hashes, then its counts as bytes; the hash of each
/// definition's name in source order; the definitions themselves, by postcard behind a checksum.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    head: [u32; 9],
    body: &'a [u8],
}

/// Hashes with their counts.
#[derive(Debug, Clone, Copy)]
pub struct Counts<'a> {
    ids: &'a [u8],
    counts: &'a [u8],
}

impl<'a> Counts<'a> {
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Ascending by hash.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = WordId> + 'a {
        self.ids.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub fn count(&self, idx: usize) -> u32 {
        u32::from(self.counts[idx])
    }

    pub fn iter(&self) -> impl Iterator<Item = (WordId, u32)> + 'a {
        self.ids().zip(self.counts.iter().map(|&n| u32::from(n)))
    }

    /// How often a word occurs.
    pub fn get(&self, id: WordId) -> u32 {
        let ids = self.ids.as_chunks::<4>().0;
        ids.binary_search_by_key(&id, |bytes| u32::from_le_bytes(*bytes))
            .map_or(0, |idx| self.count(idx))
    }
}

impl<'a> View<'a> {
    /// Bytes of the head.
    pub const HEAD: usize = 36;

    /// None when the bytes are not a whole record.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (head_bytes, body) = bytes.split_at_checked(Self::HEAD)?;
        let mut head = [0; 9];
        for (number, bytes) in head.iter_mut().zip(head_bytes.as_chunks::<4>().0) {
            *number = u32::from_le_bytes(*bytes);
        }
        let view = Self { head, body };
        let [identifiers, subwords, def_words, names, _, _, _, shown, _] = head.map(u64::from);
        let scanned = 5 * (identifiers + subwords + def_words) + 4 * names;
        // The last part may be kept elsewhere; see `scanned_len`.
        (body.len() as u64 == scanned || body.len() as u64 == scanned + shown).then_some(view)
    }

    /// The lists are as they were written. The definitions have a checksum of their own.
    pub fn is_intact(&self) -> bool {
        words::id_of(&self.body[..self.scanned_len() - Self::HEAD]) == self.head[8]
    }

    /// Bytes of the part that ranking scans: all but the definitions.
    pub fn scanned_len(&self) -> usize {
        Self::HEAD + self.names_at() + 4 * self.head[3] as usize
    }

    /// Bytes of the definitions' part.
    pub fn shown_len(&self) -> usize {
        self.head[7] as usize
    }

    fn list(&self, at: usize, n: u32) -> Counts<'a> {
        let n = n as usize;
        Counts {
            ids: &self.body[at..at + 4 * n],
            counts: &self.body[at + 4 * n..at + 5 * n],
        }
    }

    fn names_at(&self) -> usize {
        5 * (self.head[0] + self.head[1] + self.head[2]) as usize
    }

    pub fn identifiers(&self) -> Counts<'a> {
        self.list(0, self.head[0])
    }

    pub fn subwords(&self) -> Counts<'a> {
        self.list(5 * self.head[0] as usize, self.head[1])
    }

    /// Sub-words of the definitions' names.
    pub fn definition_words(&self) -> Counts<'a> {
        self.list(5 * (self.head[0] + self.head[1]) as usize, self.head[2])
    }

    /// Hashes of the definitions' names, in source order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = WordId> + 'a {
        let at = self.names_at();
        let bytes = &self.body[at..at + 4 * self.head[3] as usize];
        bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub fn length(&self) -> u32 {
        self.head[4]
    }

    pub fn lines(&self) -> u32 {
        self.head[5]
    }

    pub fn generated(&self) -> bool {
        self.head[6] & 1 != 0
    }

    pub fn skip(&self) -> Option<Skip> {
        skip_of_code((self.head[6] >> 8) as u8)
    }

    /// Unpacks the definitions; none when the part is damaged or absent.
    pub fn definitions(&self) -> Vec<Definition> {
        let at = self.names_at() + 4 * self.head[3] as usize;
        unpack_definitions(&self.body[at..])
    }
}

/// The definitions' part of a record: a checksum, then postcard.
fn pack_definitions(definitions: &[Definition]) -> Vec<u8> {
    if definitions.is_empty() {
        return Vec::new();
    }
    let packed = postcard::to_stdvec(definitions).unwrap_or_default();
    let mut out = words::id_of(&packed).to_le_bytes().to_vec();
    out.extend_from_slice(&packed);
    out
}

/// Reads the definitions' part of a record; none when it is damaged.
pub fn unpack_definitions(bytes: &[u8]) -> Vec<Definition> {
    match bytes.split_first_chunk::<4>() {
        Some((sum, packed)) if u32::from_le_bytes(*sum) == words::id_of(packed) => {
            postcard::from_bytes(packed).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Facts {
        let mut facts = Facts::of_text("fn parse_header(input: &str) { parse_header(input) }\n");
        facts.definitions.push(Definition {
            name: "parse_header".into(),
            kind: DefKind::Function,
            line: 1,
            end_line: 1,
            parent: None,
            depth: 0,
            signature: "fn parse_header(input: &str)".into(),
            name_tokens: 2,
            signature_tokens: 8,
            words: OwnWords::default(),
        });
        facts
    }

    #[test]
    fn a_record_reads_back() {
        let facts = sample();
        let bytes = facts.encode();
        let view = View::new(&bytes).unwrap();
        assert_eq!(view.identifiers().get(words::id_of(b"parse_header")), 2);
        assert_eq!(view.subwords().get(words::id_of(b"pars")), 2);
        assert_eq!(view.definition_words().get(words::id_of(b"header")), 1);
        assert_eq!(view.names().collect::<Vec<_>>(), [words::id_of(b"parse_header")]);
        assert_eq!(view.definitions(), facts.definitions);
        assert_eq!(view.scanned_len() + view.shown_len(), bytes.len());
    }

    #[test]
    fn a_damaged_record_is_no_record() {
        let bytes = sample().encode();
        for cut in [0, 10, View::HEAD, bytes.len() - 1] {
            assert!(View::new(&bytes[..cut]).is_none(), "cut at {cut}");
        }
        let mut huge = bytes.clone();
        huge[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(View::new(&huge).is_none());
    }
}
