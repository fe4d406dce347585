//! Splits texts into lines that remember how they ended, so that the same bytes can be put together again.
//!
//! What a line means, and encodings, are no matter of this file.

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Ending {
    #[default]
    Lf,
    CrLf,
    /// A lone carriage return; only in files that hold no line feed at all.
    Cr,
}

impl Ending {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// One line of a text, without its ending. `ending` is None for a last line that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    pub text: &'t str,
    pub ending: Option<Ending>,
}

/// Splits a text into lines. The empty text has no line; a text that ends with an ending has no empty line after it.
/// Joining texts and endings gives the same bytes.
pub fn split(text: &str) -> Vec<Line<'_>> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    if memchr::memchr(b'\n', bytes).is_none() {
        for end in memchr::memchr_iter(b'\r', bytes) {
            lines.push(Line {
                text: &text[start..end],
                ending: Some(Ending::Cr),
            });
            start = end + 1;
        }
    } else {
        for end in memchr::memchr_iter(b'\n', bytes) {
            let (stop, ending) = match bytes[start..end].last() {
                Some(b'\r') => (end - 1, Ending::CrLf),
                _ => (end, Ending::Lf),
            };
            lines.push(Line {
                text: &text[start..stop],
                ending: Some(ending),
            });
            start = end + 1;
        }
    }
    if start < text.len() {
        lines.push(Line {
            text: &text[start..],
            ending: None,
        });
    }
    lines
}

/// The ending that most lines of a text have; the first of two that are equally frequent. None without any ending.
pub fn dominant_ending(text: &str) -> Option<Ending> {
    let mut counts = [(Ending::Lf, 0_usize), (Ending::CrLf, 0), (Ending::Cr, 0)];
    for line in split(text) {
        for (ending, count) in &mut counts {
            if line.ending == Some(*ending) {
                *count += 1;
            }
        }
    }
    let (ending, count) = counts
        .into_iter()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (count > 0).then_some(ending)
}

/// Changes every line ending of a text to `ending`.
pub fn with_ending(text: &str, ending: Ending) -> String {
    let mut out = String::with_capacity(text.len());
    for line in split(text) {
        out.push_str(line.text);
        if line.ending.is_some() {
            out.push_str(ending.as_str());
        }
    }
    out
}

/// The blanks that a line starts with.
pub fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t', '\u{a0}']).len()]
}

pub fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_keeps_every_ending() {
        let lines = split("a\r\nb\n\nc");
        let seen: Vec<_> = lines.iter().map(|line| (line.text, line.ending)).collect();
        assert_eq!(
            seen,
            [
                ("a", Some(Ending::CrLf)),
                ("b", Some(Ending::Lf)),
                ("", Some(Ending::Lf)),
                ("c", None)
            ]
        );
        assert!(split("").is_empty());
    }

    #[test]
    fn lone_carriage_returns_end_lines_only_without_line_feeds() {
        assert_eq!(split("a\rb\r").len(), 2);
        assert_eq!(split("a\rb\n").len(), 1);
    }

    #[test]
    fn the_dominant_ending_is_counted() {
        assert_eq!(dominant_ending("a\r\nb\r\nc\n"), Some(Ending::CrLf));
        assert_eq!(dominant_ending("a"), None);
        assert_eq!(with_ending("a\nb\r\nc", Ending::CrLf), "a\r\nb\r\nc");
    }
}
