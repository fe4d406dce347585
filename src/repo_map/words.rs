//! Words: identifiers of a text, the sub-words they are made of, and BM25 over them. No grammar is needed, so files of
//! every language take part. Hashes stand for words, so that a corpus needs no vocabulary: 32 bits of xxh3, the same on
//! every machine. Two words that share a hash count as one, which happens to a few in a million and does no harm.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::phrases::phrases;
use super::tags::identifiers;

/// A word or identifier, by hash.
pub type WordId = u32;

/// Bytes of an identifier that are looked at.
const MAX_IDENTIFIER: usize = 80;
/// Sub-words need this many letters.
const MIN_LETTERS: usize = 3;

/// Sub-words that commit messages and requests are full of and that tell no file from another.
const STOP: &[&str] = &[
    "add", "adding", "all", "also", "and", "any", "are", "bug", "but", "can", "chang", "could", "default", "doe",
    "fix", "for", "from", "get", "has", "have", "improv", "into", "issu", "its", "mak", "merg", "mor", "new", "not",
    "now", "onli", "only", "out", "pleas", "pull", "refactor", "remov", "request", "should", "som", "support", "tha",
    "that", "the", "thei", "them", "then", "there", "thi", "this", "updat", "use", "used", "using", "want", "was",
    "when", "where", "which", "will", "with", "would", "you", "your", "clos", "sign", "off", "author", "com", "http",
    "https", "github", "www",
];

/// Hash of an identifier or a word as it is written.
pub fn id_of(word: &[u8]) -> WordId {
    id_of_hash(xxh3_64(word))
}

/// The same where the word's whole hash is at hand.
pub(super) fn id_of_hash(hash: u64) -> WordId {
    (hash >> 32) as u32
}

/// Calls `each` with every sub-word of an identifier: split at `_`, `$` and changes of case, lower case, stemmed.
/// `HTTPServer2_names` gives `http`, `server2`, `nam`.
pub fn for_each_subword(identifier: &[u8], mut each: impl FnMut(&[u8])) {
    let mut buffer = [0_u8; MAX_IDENTIFIER];
    let mut len = 0;
    let mut flush = |buffer: &mut [u8; MAX_IDENTIFIER], len: &mut usize| {
        let letters = buffer[..*len].iter().filter(|b| !b.is_ascii_digit()).count();
        if letters >= MIN_LETTERS {
            each(stem(&mut buffer[..*len]));
        }
        *len = 0;
    };
    for (idx, &byte) in identifier.iter().enumerate() {
        if byte == b'_' || byte == b'$' {
            flush(&mut buffer, &mut len);
            continue;
        }
        let previous = idx.checked_sub(1).map(|i| identifier[i]);
        let next = identifier.get(idx + 1);
        let starts = byte.is_ascii_uppercase()
            && previous.is_some_and(|p| {
                p.is_ascii_lowercase()
                    || p.is_ascii_digit()
                    || (p.is_ascii_uppercase() && next.is_some_and(|n| n.is_ascii_lowercase()))
            });
        if starts {
            flush(&mut buffer, &mut len);
        }
        if len < MAX_IDENTIFIER {
            buffer[len] = byte.to_ascii_lowercase();
            len += 1;
        }
    }
    flush(&mut buffer, &mut len);
}

/// A crude stem, good enough to join `parses`, `parsed`, `parsing` and `parse`.
fn stem(word: &mut [u8]) -> &[u8] {
    let len = word.len();
    if len > 4 && word.ends_with(b"ies") {
        word[len - 3] = b'y';
        return &word[..len - 2];
    }
    let mut end = len;
    if end > 3 && word[end - 1] == b's' && word[end - 2] != b's' {
        end -= 1;
    }
    if end > 5 && word[..end].ends_with(b"ing") {
        end -= 3;
    } else if end > 4 && word[..end].ends_with(b"ed") {
        end -= 2;
    }
    if end > 3 && word[end - 1] == b'e' {
        end -= 1;
    }
    // `stopping`, `stopped` and `stop`.
    if end < len && end > 3 && word[end - 1] == word[end - 2] && !matches!(word[end - 1], b's' | b'l') {
        end -= 1;
    }
    &word[..end]
}

pub(super) fn is_stop(subword: &[u8]) -> bool {
    STOP.iter().any(|stop| stop.as_bytes() == subword)
}

/// The words of a request.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// (sub-word, how often it occurs), stop words left out, sorted by hash, at most [`Query::MAX`].
    pub subwords: Vec<(WordId, u32)>,
    /// Identifiers as written, sorted by hash, each once.
    pub exact: Vec<WordId>,
    /// Words in lower case, as text: for the stems of file names and what a request is about.
    pub lower: Vec<String>,
    /// The sub-words of each quotation, among [`Query::subwords`], sorted, each once; at least two.
    pub phrases: Vec<Vec<WordId>>,
    /// Runs between spaces with a `/` or a `.` inside, outer punctuation stripped: candidates for paths.
    pub paths: Vec<String>,
}

impl Query {
    /// A pasted log has thousands of words; those it repeats stand for it.
    pub const MAX: usize = 300;
    /// Bytes of the message that are read.
    const MAX_BYTES: usize = 32 << 10;

    pub fn new(message: &str) -> Self {
        let mut end = message.len().min(Self::MAX_BYTES);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        let message = &message[..end];
        let mut counts: HashMap<WordId, u32> = HashMap::new();
        let mut exact = Vec::new();
        let mut lower = Vec::new();
        for (identifier, n) in identifiers(message) {
            exact.push(id_of(identifier.as_bytes()));
            lower.push(identifier.to_lowercase());
            for_each_subword(identifier.as_bytes(), |subword| {
                if !is_stop(subword) {
                    *counts.entry(id_of(subword)).or_insert(0) += n;
                }
            });
        }
        exact.sort_unstable();
        exact.dedup();
        lower.sort_unstable();
        lower.dedup();
        let mut subwords: Vec<_> = counts.into_iter().collect();
        subwords.sort_unstable_by_key(|&(id, n)| (std::cmp::Reverse(n), id));
        subwords.truncate(Self::MAX);
        subwords.sort_unstable();
        let phrases = phrases(message)
            .into_iter()
            .map(|phrase| phrase_words(phrase, &subwords))
            .filter(|words| words.len() >= 2)
            .collect();
        let mut paths: Vec<String> = message
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.')))
            .map(|word| word.trim_end_matches('.'))
            .filter(|word| word.len() > 2 && word.contains(['/', '.']))
            .map(|word| word.trim_start_matches("./").to_string())
            .take(4 * Self::MAX)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        Self {
            subwords,
            exact,
            lower,
            phrases,
            paths,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.subwords.is_empty() && self.paths.is_empty()
    }

    pub fn has_subword(&self, id: WordId) -> bool {
        self.subwords.binary_search_by_key(&id, |&(word, _)| word).is_ok()
    }

    pub fn has_exact(&self, id: WordId) -> bool {
        self.exact.binary_search(&id).is_ok()
    }
}

/// The sub-words of a quotation that are among those of the request.
fn phrase_words(phrase: &str, subwords: &[(WordId, u32)]) -> Vec<WordId> {
    let mut words = Vec::new();
    for (identifier, _) in identifiers(phrase) {
        for_each_subword(identifier.as_bytes(), |subword| words.push(id_of(subword)));
    }
    words.retain(|id| subwords.binary_search_by_key(id, |&(word, _)| word).is_ok());
    words.sort_unstable();
    words.dedup();
    words
}

/// Okapi BM25. `tf` is how often the word occurs in the document, `length` the document's words, `mean` their mean.
pub fn bm25(idf: f64, tf: f64, length: f64, mean: f64, b: f64) -> f64 {
    const K1: f64 = 1.2;
    let norm = if mean > 0.0 { length / mean } else { 1.0 };
    idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - b + b * norm))
}

/// The weight of a word that `df` of `n` documents hold; never negative.
pub fn idf(n: usize, df: usize) -> f64 {
    let (n, df) = (n as f64, df as f64);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subwords(word: &str) -> Vec<String> {
        let mut out = Vec::new();
        for_each_subword(word.as_bytes(), |s| out.push(String::from_utf8_lossy(s).into_owned()));
        out
    }

    #[test]
    fn splits_at_case_and_underscores() {
        assert_eq!(subwords("HTTPServer2_names"), ["http", "server2", "nam"]);
        assert_eq!(subwords("parseUTF8"), ["pars", "utf8"]);
        assert_eq!(subwords("__a_b__"), Vec::<String>::new());
    }

    #[test]
    fn forms_of_a_verb_meet() {
        for forms in [
            &["parse", "parses", "parsed", "parsing"][..],
            &["stop", "stops", "stopped", "stopping"],
            &["query", "queries"],
        ] {
            let stems: Vec<_> = forms.iter().map(|form| subwords(form)).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{forms:?} gave {stems:?}");
        }
    }

    #[test]
    fn finds_paths_in_a_request() {
        let query = Query::new("Look at `src/a.rs`, ./lib/b.py. And e.g. this.");
        assert_eq!(query.paths, ["e.g", "lib/b.py", "src/a.rs"]);
    }

    #[test]
    fn a_long_log_is_cut() {
        let log: String = (0..5000).map(|i| format!("word{i}x ")).collect();
        assert_eq!(Query::new(&log).subwords.len(), Query::MAX);
    }
}
