//! The o200k encoding of ASCII text, counted without loading anything: the vocabulary lies in the binary as a hash table
//! (`build.rs`), and the split into pieces is written out for ASCII.

use super::hash::{SLOTS, slot_of};

/// Laid out by the build script.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.table"));
const TOKENS: usize = 199_998;
/// A piece longer than this takes the square of its length; other code is better at those.
const MAX_PIECE: usize = 400;

/// Tokens of an ASCII text; None when a piece of it is too long for this way of counting.
pub(super) fn count(text: &[u8]) -> Option<usize> {
    let (mut at, mut tokens) = (0, 0);
    while at < text.len() {
        let len = piece(&text[at..]);
        if len > MAX_PIECE {
            return None;
        }
        tokens += tokens_of(&text[at..at + len]);
        at += len;
    }
    Some(tokens)
}

/// Length of the first piece. The alternatives of the encoding's pattern, in their order: a word (capitals, then small
/// letters) with at most one other character before it and a contraction behind; up to three digits; punctuation with a space
/// before and line ends behind; white space up to its last line end; white space but its last character when something
/// follows; white space.
fn piece(text: &[u8]) -> usize {
    let first = text[0];
    let before = usize::from(!first.is_ascii_alphanumeric() && first != b'\r' && first != b'\n');
    let capitals = before + run(&text[before..], |b| b.is_ascii_uppercase());
    let letters = capitals + run(&text[capitals..], |b| b.is_ascii_lowercase());
    if letters > before {
        return letters + contraction(&text[letters..]);
    }
    if first.is_ascii_digit() {
        return run(text, |b| b.is_ascii_digit()).min(3);
    }
    let space = usize::from(first == b' ');
    let marks = space + run(&text[space..], |b| !is_space(b) && !b.is_ascii_alphanumeric());
    if marks > space {
        return marks + run(&text[marks..], |b| matches!(b, b'\r' | b'\n' | b'/'));
    }
    let spaces = run(text, is_space);
    if let Some(last) = text[..spaces].iter().rposition(|b| matches!(b, b'\r' | b'\n')) {
        return last + 1;
    }
    if spaces < text.len() && spaces > 1 {
        spaces - 1
    } else {
        spaces
    }
}

fn run(text: &[u8], of: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|b| !of(*b)).unwrap_or(text.len())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn contraction(text: &[u8]) -> usize {
    let Some((b'\'', rest)) = text.split_first() else {
        return 0;
    };
    let one = rest.first().map(u8::to_ascii_lowercase);
    if matches!(one, Some(b's' | b't')) {
        return 2;
    }
    let two = rest
        .get(..2)
        .map(|two| [two[0].to_ascii_lowercase(), two[1].to_ascii_lowercase()]);
    if matches!(two.as_ref(), Some(b"re" | b"ve" | b"ll")) {
        return 3;
    }
    if matches!(one, Some(b'm' | b'd')) { 2 } else { 0 }
}

/// Tokens of one piece: the piece itself when it is one, else its bytes joined pair by pair, lowest rank first.
fn tokens_of(piece: &[u8]) -> usize {
    if rank(piece).is_some() {
        return 1;
    }
    // Ends of the parts so far, each with the rank of the pair that starts at the part before it.
    let mut starts: Vec<usize> = (0..=piece.len()).collect();
    let pair = |starts: &[usize], at: usize| starts.get(at + 2).and_then(|end| rank(&piece[starts[at]..*end]));
    let mut ranks: Vec<Option<u32>> = (0..piece.len()).map(|at| pair(&starts, at)).collect();
    loop {
        let lowest = ranks
            .iter()
            .enumerate()
            .filter_map(|(at, rank)| Some(((*rank)?, at)))
            .min();
        let Some((_, at)) = lowest else { return starts.len() - 1 };
        starts.remove(at + 1);
        ranks.remove(at + 1);
        ranks[at] = pair(&starts, at);
        if at > 0 {
            ranks[at - 1] = pair(&starts, at - 1);
        }
    }
}

fn rank(token: &[u8]) -> Option<u32> {
    let mut slot = slot_of(token);
    loop {
        let rank = number(slot).checked_sub(1)?;
        let at = SLOTS + rank as usize;
        let bytes = 4 * (SLOTS + TOKENS + 1);
        let (start, end) = (bytes + number(at) as usize, bytes + number(at + 1) as usize);
        if TABLE[start..end] == *token {
            return Some(rank);
        }
        slot = (slot + 1) % SLOTS;
    }
}

fn number(at: usize) -> u32 {
    let bytes = &TABLE[4 * at..4 * at + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn same(text: &str) {
        let real = tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
        assert_eq!(super::count(text.as_bytes()), Some(real), "{text:?}");
    }

    #[test]
    fn counts_code_as_the_encoding_does() {
        for text in [
            "",
            "fn main() {\n    println!(\"hi\");\n}\n",
            "    \n\n  x = 12345 + HTTPServer.getName()\t// don't we'LL I'd\r\n",
            "==========----------/////\n//\n a",
            " \t\n \t x",
            "trailing   ",
            "they're THEY'RE it'S",
            "a1b22c333d4444",
        ] {
            same(text);
        }
    }

    proptest! {
        #[test]
        fn counts_any_ascii_as_the_encoding_does(text in "[ -~\t\r\n]{0,80}") {
            same(&text);
        }

        #[test]
        fn counts_words_as_the_encoding_does(text in "([a-zA-Z_]{1,12}[ .(),:;'/\n]{0,3}){0,12}") {
            same(&text);
        }

        /// The map adds up the tokens of its lines.
        #[test]
        fn lines_of_a_map_add_up(lines in proptest::collection::vec(" {1,4}[!-~]([ -~]{0,30}[!-~])?|[a-z_.]{1,8}(/[a-z_.]{1,8}){0,3}:?", 1..12)) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let sum: usize = lines.iter().map(|line| super::count(format!("{line}\n").as_bytes()).unwrap()).sum();
            prop_assert_eq!(super::count(text.as_bytes()), Some(sum));
        }
    }
}
