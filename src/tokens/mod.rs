//! Counts tokens in the o200k encoding. Nothing is loaded for it: the vocabulary lies in the binary as a table. A text is cut into
//! pieces ([`pieces`]), and each piece is joined from its bytes to as few tokens as the vocabulary has ([`merge`]).
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod hash;
mod merge;
pub mod pictures;
mod pieces;
mod vocabulary;

/// Tokens of `text` in the o200k encoding, special tokens read as plain text.
pub fn count(text: &str) -> usize {
    pieces::pieces(text).map(|piece| merge::tokens(piece.as_bytes())).sum()
}

/// An estimate in no time: bytes divided by 3.5, rounded up.
pub fn estimate(text: &str) -> usize {
    (text.len() * 2).div_ceil(7)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::count;

    fn real(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    #[test]
    fn counts_as_the_encoding_does() {
        for text in [
            "",
            "fn main() {\n    println!(\"hi\");\n}\n",
            "    \n\n  x = 12345 + HTTPServer.getName()\t// don't we'LL I'd\r\n",
            "==========----------/////\n//\n a",
            " \t\n \t x",
            "trailing   ",
            "they're THEY'RE it'S",
            "a1b22c333d4444",
            "# Größe: 10 €, naïve café\n",
            "   \u{a0}\u{2003} x\u{85}y\u{2028}\n\n",
            "it'\u{17f} don\u{2019}t ǅabc Ωmega",
            "日本語のテキスト、中文。한국어 עברית العربية",
            "e\u{301}\u{301} \u{301}a ¹²³½٣٤٥٦",
            "🦀🧑‍💻 → ✓ «x»\n/é",
            "   é",
            "x \u{fffd}\0\u{1}",
        ] {
            assert_eq!(count(text), real(text), "{text:?}");
        }
    }

    #[test]
    fn long_pieces_are_counted_as_the_encoding_does() {
        let mut state = 1_u32;
        let mut letters = |n: usize| -> String {
            let letter = |_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from(b'a' + (state >> 24) as u8 % 26)
            };
            (0..n).map(letter).collect()
        };
        for text in ["a", "ab", "-", "=-", " ", "\n", "é", "語"].map(|unit| unit.repeat(3_000)) {
            assert_eq!(count(&text), real(&text), "{:?}", &text[..12]);
        }
        for n in [63, 64, 65, 66, 200, 5_000] {
            let text = letters(n);
            assert_eq!(count(&text), real(&text), "{n} letters");
        }
    }

    proptest! {
        #[test]
        fn counts_any_ascii_as_the_encoding_does(text in "[ -~\t\r\n]{0,80}") {
            prop_assert_eq!(count(&text), real(&text));
        }

        #[test]
        fn counts_words_as_the_encoding_does(text in "([a-zA-Z_]{1,12}[ .(),:;'/\n]{0,3}){0,12}") {
            prop_assert_eq!(count(&text), real(&text));
        }

        #[test]
        fn counts_any_text_as_the_encoding_does(text in "\\PC{0,60}") {
            prop_assert_eq!(count(&text), real(&text));
        }

        /// Around every seam between what is ASCII and what is not.
        #[test]
        fn counts_mixed_text_as_the_encoding_does(text in "([a-zA-Z']{0,4}|[ \t\r\n/]{0,3}|[0-9]{0,4}|[-=.]{0,3}|[éſßÀǅ\u{301}\u{a0}\u{2028}語½٣€\u{2019}]{0,2}){0,12}") {
            prop_assert_eq!(count(&text), real(&text));
        }

        /// The map adds up the tokens of its lines.
        #[test]
        fn lines_of_a_map_add_up(lines in proptest::collection::vec(" {1,4}[!-~]([ -~]{0,30}[!-~])?|[a-z_.]{1,8}(/[a-z_.]{1,8}){0,3}:?", 1..12)) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let sum: usize = lines.iter().map(|line| count(&format!("{line}\n"))).sum();
            prop_assert_eq!(count(&text), sum);
        }
    }
}
