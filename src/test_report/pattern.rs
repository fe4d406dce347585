//! Regular expressions for the readers.

/// A regular expression compiled once; `^` and `$` stand at line ends.
macro_rules! pattern {
    ($pattern:expr) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::RegexBuilder::new($pattern)
                .multi_line(true)
                .build()
                .expect("the pattern is constant")
        });
        &*PATTERN
    }};
}

pub(super) use pattern;

use regex::Regex;

/// The first group of every match.
pub(super) fn all(pattern: &Regex, text: &str) -> Vec<String> {
    pattern
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .map(|group| group.as_str().to_string())
        .collect()
}

/// The number in the first group of the first match; 0 without one.
pub(super) fn number(pattern: &Regex, text: &str) -> usize {
    pattern
        .captures(text)
        .and_then(|found| found.get(1))
        .and_then(|group| group.as_str().parse().ok())
        .unwrap_or(0)
}
