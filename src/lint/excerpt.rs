//! Source lines around places, numbered: how the model and the user are shown where something is wrong.

use std::collections::BTreeSet;

/// Lines shown before and after each place.
pub const AROUND: usize = 3;

/// A line longer than this is cut, in characters (minified files).
const MAX_LINE: usize = 300;

/// The lines of `text` around `line_numbers` (from 1), each as `  12 | code`, the places themselves marked with `>`,
/// gaps as `...`. Places outside the text are passed over; the result may be empty.
///
/// ```text
///    1 | import os
/// >  2 | import sys
///    3 |
/// ...
/// ```
pub fn around(text: &str, line_numbers: &[usize]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let places: BTreeSet<usize> = line_numbers
        .iter()
        .copied()
        .filter(|number| (1..=lines.len()).contains(number))
        .collect();
    let shown: BTreeSet<usize> = places
        .iter()
        .flat_map(|number| number.saturating_sub(AROUND).max(1)..=(number + AROUND).min(lines.len()))
        .collect();
    let width = shown.last().map_or(1, |last| last.to_string().len());
    let mut out = String::new();
    let mut previous = None;
    for number in shown {
        if previous.is_some_and(|previous| previous + 1 < number) {
            out.push_str("...\n");
        }
        let mark = if places.contains(&number) { '>' } else { ' ' };
        let line: String = lines[number - 1].chars().take(MAX_LINE).collect();
        out.push_str(format!("{mark} {number:>width$} | {line}").trim_end());
        out.push('\n');
        previous = Some(number);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_touch_are_one() {
        let text: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        let shown = around(&text, &[2, 7, 25, 99]);
        assert_eq!(shown.matches("...").count(), 1);
        assert!(shown.starts_with("   1 | line 1\n>  2 | line 2\n"), "{shown}");
        assert!(shown.contains("  10 | line 10\n...\n  22 | line 22\n"), "{shown}");
        assert!(around("", &[1]).is_empty());
    }
}
