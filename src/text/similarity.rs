//! How much two lines resemble each other, and the folding of characters that models mix up.

use std::borrow::Cow;

/// Folds the dashes, quotes and spaces that models swap for one another. Borrowed when nothing changes.
pub fn fold_punctuation(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{b4}' => out.push('\''),
            '\u{201c}'..='\u{201f}' | '\u{2033}' => out.push('"'),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => out.push(' '),
            '\u{2026}' => out.push_str("..."),
            '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Similarity of two lines from 0 to 1: the share of characters that need no change, outer blanks aside.
pub fn of_lines(left: &str, right: &str) -> f64 {
    let (left, right) = (left.trim(), right.trim());
    if left == right {
        return 1.0;
    }
    let (longer, shorter) = (left.len().max(right.len()), left.len().min(right.len()));
    // The distance is at least the difference of the lengths; very long lines are compared by their ends only.
    if longer > 3 * shorter + 8 {
        return 0.0;
    }
    strsim::normalized_levenshtein(clip(left), clip(right))
}

const LONGEST_COMPARED: usize = 400;

fn clip(line: &str) -> &str {
    let mut end = line.len().min(LONGEST_COMPARED);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// The characters of a line that tell it from others.
pub fn letters_and_digits(line: &str) -> usize {
    line.chars().filter(|c| c.is_alphanumeric()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_what_models_swap() {
        assert_eq!(
            fold_punctuation("a \u{2013} \u{201c}b\u{201d}\u{a0}\u{2019}"),
            "a - \"b\" '"
        );
        assert!(matches!(fold_punctuation("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn similarity_ignores_outer_blanks() {
        assert!((of_lines("  a = 1", "a = 1 ") - 1.0).abs() < f64::EPSILON);
        assert!(of_lines("let total = 1;", "let total = 2;") > 0.9);
        assert!(of_lines("let total = 1;", "}") < 0.2);
    }
}
