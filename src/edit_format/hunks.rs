//! Hunks from lines that begin with a space, `+`, `-` or `@@`: what `udiff` and `patch` have in common.

use super::Hunk;

/// Hunks under construction.
#[derive(Default)]
pub(super) struct Hunks {
    done: Vec<Hunk>,
    current: Hunk,
    /// Lines at the end of the current hunk that are wholly empty: kept lines without their space, or just layout.
    bare_blanks: usize,
    changes: bool,
    has_lines: bool,
}

impl Hunks {
    pub(super) fn line(&mut self, text: &str) {
        if let Some(anchor) = text.strip_prefix("@@") {
            self.anchor(anchor);
            return;
        }
        let is_bare = text.is_empty();
        let (sign, rest) = match text.chars().next() {
            Some(sign @ (' ' | '+' | '-')) => (sign, &text[1..]),
            // `\ No newline at end of file`
            Some('\\') if text.starts_with("\\ No newline") => return,
            // A kept line without its space.
            _ => (' ', text),
        };
        self.has_lines |= !is_bare;
        self.bare_blanks = if is_bare { self.bare_blanks + 1 } else { 0 };
        self.changes |= sign != ' ';
        if sign != '+' {
            self.current.old.push(rest.to_string());
        }
        if sign != '-' {
            self.current.new.push(rest.to_string());
        }
    }

    fn anchor(&mut self, text: &str) {
        if self.has_lines {
            self.end_hunk();
        } else {
            self.forget_lines();
        }
        if let Some(anchor) = anchor_text(text) {
            self.current.anchors.push(anchor.to_string());
        }
    }

    pub(super) fn end_of_file(&mut self) {
        self.current.at_end = true;
        // An empty line before the mark is the file's last one.
        self.bare_blanks = 0;
    }

    pub(super) fn end_hunk(&mut self) {
        for side in [&mut self.current.old, &mut self.current.new] {
            side.truncate(side.len().saturating_sub(self.bare_blanks));
        }
        let hunk = std::mem::take(&mut self.current);
        if self.changes {
            self.done.push(hunk);
        }
        self.forget_lines();
    }

    fn forget_lines(&mut self) {
        self.current.old.clear();
        self.current.new.clear();
        self.bare_blanks = 0;
        self.changes = false;
        self.has_lines = false;
    }

    /// Hunks that change something.
    pub(super) fn finish(mut self) -> Vec<Hunk> {
        self.end_hunk();
        for hunk in &mut self.done {
            hunk.in_diff = true;
        }
        self.done
    }
}

/// The text of an `@@` line that names a place: without line numbers, without a closing `@@`; dots name nothing.
pub(super) fn anchor_text(after_sign: &str) -> Option<&str> {
    let mut text = after_sign.trim_end();
    if let Some((ranges, rest)) = text.split_once("@@") {
        let is_range = ranges.trim_start().starts_with(['-', '+']) || ranges.trim().trim_matches('.').is_empty();
        text = if is_range && !rest.trim().is_empty() {
            rest
        } else {
            ranges
        };
    }
    let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
    let numbers_or_dots = text
        .chars()
        .all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '+' | ',' | '.' | '…' | '@'));
    (!numbers_or_dots).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_lose_numbers_and_dots() {
        assert_eq!(anchor_text(" class A:"), Some("class A:"));
        assert_eq!(anchor_text("     def f(self):"), Some("    def f(self):"));
        assert_eq!(anchor_text(" -1,2 +1,3 @@ def f"), Some("def f"));
        assert_eq!(anchor_text(" class A @@"), Some("class A"));
        for none in ["", " ", " -1,2 +1,2 @@", " ... @@", " ...", " -1 +1 @@"] {
            assert_eq!(anchor_text(none), None, "{none}");
        }
    }
}
