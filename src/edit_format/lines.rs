//! A reply as lines that know their number.

/// One line of a reply, without its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// From 1, in the whole reply.
    pub(super) number: usize,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Bytes of white space at the start.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }
}

/// Splits a reply at `\n`; a `\r` before it belongs to the ending, a BOM at the very start to nobody.
pub(super) fn split(reply: &str) -> Vec<Line<'_>> {
    let reply = reply.strip_prefix('\u{feff}').unwrap_or(reply);
    let reply = reply.strip_suffix('\n').unwrap_or(reply);
    if reply.is_empty() {
        return Vec::new();
    }
    reply
        .split('\n')
        .enumerate()
        .map(|(idx, text)| Line {
            text: text.strip_suffix('\r').unwrap_or(text),
            number: idx + 1,
        })
        .collect()
}

/// The lines as a text: each with its `\n`.
pub(super) fn join<S: AsRef<str>>(lines: &[S]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.as_ref().len() + 1).sum());
    for line in lines {
        text.push_str(line.as_ref());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(reply: &str) -> Vec<&str> {
        split(reply).iter().map(|line| line.text).collect()
    }

    #[test]
    fn both_line_endings_and_a_missing_last_one_give_the_same_lines() {
        assert_eq!(texts("a\nb\n"), ["a", "b"]);
        assert_eq!(texts("a\r\nb"), ["a", "b"]);
        assert_eq!(texts("\u{feff}a\n\n"), ["a", ""]);
        assert!(texts("").is_empty());
    }
}
