//! Cuts a text into the pieces that tokens never reach across. The alternatives of the encoding's pattern, in their order: a word
//! (capitals, then small letters; letters without case and marks count as either) with at most one other character before it and a
//! contraction behind; up to three digits; punctuation with a space before and line ends behind; white space up to its last line
//! end; white space but its last character when something follows; white space.
//!
//! For ASCII they are written out; what touches another character goes through a regular expression.

use std::sync::LazyLock;

use regex::Regex;

/// A piece of ASCII is sure when so many bytes behind it are ASCII too: a contraction is the farthest that is looked ahead.
const AHEAD: usize = 4;

/// The pieces of a text, which together are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    // Where the next character that is not ASCII starts, as far as it is known.
    let mut other = 0;
    std::iter::from_fn(move || {
        if at == text.len() {
            return None;
        }
        if other < at || (other == at && text.as_bytes()[at].is_ascii()) {
            other = at + run(&text.as_bytes()[at..], |byte| byte.is_ascii());
        }
        let rest = &text[at..];
        let sure = if other == text.len() {
            Some(ascii_piece(rest.as_bytes()))
        } else if other > at {
            Some(ascii_piece(&rest.as_bytes()[..other - at])).filter(|len| at + len + AHEAD <= other)
        } else {
            None
        };
        let len = sure.unwrap_or_else(|| any_piece(rest));
        at += len;
        Some(&rest[..len])
    })
}

/// Length of the first piece of a text that is not empty.
fn any_piece(text: &str) -> usize {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        const CAPITALS: &str = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}";
        const SMALL: &str = r"\p{Ll}\p{Lm}\p{Lo}\p{M}";
        const CONTRACTION: &str = "(?:'(?i:s|t|re|ve|m|ll|d))?";
        let before = r"[^\r\n\p{L}\p{N}]?";
        Regex::new(&format!(
            r"^(?:{before}[{CAPITALS}]*[{SMALL}]+{CONTRACTION}|{before}[{CAPITALS}]+[{SMALL}]*{CONTRACTION}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+)"
        ))
        .expect("the pattern is fixed and tested")
    });
    let found = PATTERN.find(text).map_or("", |found| found.as_str());
    let last = found.chars().next_back().filter(|c| !matches!(c, '\r' | '\n'));
    match last {
        // White space before something else leaves its last character to that.
        Some(c) if c.is_whitespace() && found.len() < text.len() && found.len() > c.len_utf8() => {
            found.len() - c.len_utf8()
        }
        Some(_) => found.len(),
        None => found.len().max(1),
    }
}

/// The same for an ASCII text.
fn ascii_piece(text: &[u8]) -> usize {
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
