//! The identifiers of a text, by its letters alone: works for every language, with a grammar or without.

/// Identifiers are at least this long.
const MIN_CHARS: usize = 3;
/// Bytes; longer runs are data (base64, hashes).
const MAX_BYTES: usize = 64;

/// How often each identifier occurs, sorted by identifier.
///
/// An identifier is a letter, `_` or `$` followed by at least two more letters, digits, `_` or `$`; letters of every
/// script count. What starts with a digit is a number and left out whole. Comments and strings are not told apart.
pub fn identifiers(text: &str) -> Vec<(&str, u32)> {
    let mut found: Vec<(u64, &str)> = occurrences(text)
        .map(|(_, word)| (hash(word.as_bytes()), word))
        .collect();
    // Sorted by hash first: comparing numbers is far cheaper than comparing text, and no input can make it slow.
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for (_, name) in found {
        match counts.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => counts.push((name, 1)),
        }
    }
    counts.sort_unstable();
    counts
}

/// Every occurrence of an identifier with the byte where it starts, in the order of the text.
pub(super) fn occurrences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            match CLASS[bytes[at] as usize] {
                OTHER => {
                    at += 1;
                    continue;
                }
                NON_ASCII => {
                    let width = letter_width(text, at);
                    if width == 0 {
                        at += text[at..].chars().next().map_or(1, char::len_utf8);
                        continue;
                    }
                }
                _ => {}
            }
            let is_number = CLASS[bytes[at] as usize] == DIGIT;
            let (end, ascii) = word_end(text, at);
            at = end;
            let word = &text[start..end];
            let long_enough = if ascii {
                word.len() >= MIN_CHARS
            } else {
                word.chars().count() >= MIN_CHARS
            };
            if !is_number && long_enough && word.len() <= MAX_BYTES {
                return Some((start, word));
            }
        }
        None
    })
}

/// Where the word that starts at `at` ends, and whether it is all ASCII.
fn word_end(text: &str, mut at: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut ascii = true;
    while at < bytes.len() {
        match CLASS[bytes[at] as usize] {
            OTHER => break,
            NON_ASCII => {
                let width = letter_width(text, at);
                if width == 0 {
                    break;
                }
                ascii = false;
                at += width;
            }
            _ => at += 1,
        }
    }
    (at, ascii)
}

/// Bytes of the letter or digit at `at`, 0 when it is another character.
fn letter_width(text: &str, at: usize) -> usize {
    text[at..]
        .chars()
        .next()
        .filter(|c| c.is_alphanumeric())
        .map_or(0, char::len_utf8)
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const NON_ASCII: u8 = 3;

const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        class[byte] = if b.is_ascii_alphabetic() || b == b'_' || b == b'$' {
            LETTER
        } else if b.is_ascii_digit() {
            DIGIT
        } else if b >= 0x80 {
            NON_ASCII
        } else {
            OTHER
        };
        byte += 1;
    }
    class
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_of_three_and_more() {
        assert_eq!(
            identifiers("let foo = bar_1(foo, $el, ab, 0xFFF, 12abc);"),
            [("$el", 1), ("bar_1", 1), ("foo", 2), ("let", 1)]
        );
    }

    #[test]
    fn letters_of_every_script_count() {
        assert_eq!(
            identifiers("größe×2 日本語 “naïve” a—b é"),
            [("größe", 1), ("naïve", 1), ("日本語", 1)]
        );
    }

    #[test]
    fn data_is_no_identifier() {
        assert_eq!(identifiers(&"A".repeat(65)), []);
        assert_eq!(identifiers(""), []);
    }

    proptest::proptest! {
        /// A slower reading of the same rule.
        #[test]
        fn agrees_with_the_plain_rule(text in "[a-z0-9_$é×日 \n.-]{0,60}") {
            let mut plain: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
            for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')) {
                let starts_well = word.chars().next().is_some_and(|c| !c.is_ascii_digit());
                if starts_well && word.chars().count() >= MIN_CHARS && word.len() <= MAX_BYTES {
                    *plain.entry(word).or_default() += 1;
                }
            }
            proptest::prop_assert_eq!(identifiers(&text), plain.into_iter().collect::<Vec<_>>());
        }
    }
}
