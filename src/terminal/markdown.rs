//! Colours a reply while it streams: headings, bold, inline code, fenced code, diffs and edit blocks.
//!
//! The text itself is never changed, no character is taken away and nothing that was written is written again, so the
//! painted text without its codes is the reply, byte for byte. What is not known yet (is this `=` a marker?) is held back
//! until it is, and that is a few characters at most; see [`Markdown::HELD_BACK`].

use super::style::{Palette, Tint};

/// So many characters tell what a line of a diff is.
const DIFF_PREFIX: usize = "diff ".len();

/// Takes the pieces of one reply, in order; gives painted text.
#[derive(Debug, Clone)]
pub struct Markdown {
    palette: Palette,
    /// What the line under way is; None while its beginning does not tell yet.
    line: Option<Line>,
    /// Characters that were not written yet.
    held: String,
    fence: Option<Fence>,
    section: Section,
    inline: Tint,
    /// The last character that was written on this line.
    last: char,
}

/// How the rest of a line is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    All(Tint),
    /// Text with bold and inline code in it.
    Prose,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
    diff: bool,
}

/// Where in an edit block the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Outside,
    Search,
    Replace,
}

impl Markdown {
    /// No line beginning of more characters than this is held back.
    pub const HELD_BACK: usize = 24;

    pub fn new(palette: Palette) -> Self {
        Self {
            palette,
            line: None,
            held: String::new(),
            fence: None,
            section: Section::Outside,
            inline: Tint::Plain,
            last: '\n',
        }
    }

    /// Paints the next piece. May give nothing, or more than this piece when something had been held back.
    pub fn push(&mut self, piece: &str) -> String {
        if !self.palette.colour {
            return piece.to_string();
        }
        let mut out = String::with_capacity(piece.len() + 16);
        for c in piece.chars() {
            self.push_char(c, &mut out);
        }
        match self.line {
            None => {}
            Some(Line::Prose) => self.prose(&mut out, false),
            Some(Line::All(_)) => self.flush_held(&mut out),
        }
        out
    }

    /// The end of the reply: gives what was held back and forgets where it was.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        if !self.held.is_empty() {
            self.begin_line(false);
            self.flush_held(&mut out);
        }
        *self = Self::new(self.palette);
        out
    }

    fn push_char(&mut self, c: char, out: &mut String) {
        if c == '\n' {
            self.end_line(out);
            return;
        }
        self.held.push(c);
        if self.line.is_none() && self.begins_clearly() {
            self.begin_line(false);
        }
    }

    fn end_line(&mut self, out: &mut String) {
        if self.line.is_none() {
            self.begin_line(true);
        }
        match self.line {
            Some(Line::Prose) => self.prose(out, true),
            _ => self.flush_held(out),
        }
        out.push('\n');
        self.line = None;
        self.inline = Tint::Plain;
        self.last = '\n';
    }

    /// Whether the held beginning of a line is enough to say what the line is.
    fn begins_clearly(&self) -> bool {
        let held = self.held.as_str();
        if held.chars().count() >= Self::HELD_BACK {
            return true;
        }
        if self.fence.as_ref().is_some_and(|fence| fence.diff) && held.starts_with(['+', '-', '@', 'd']) {
            return held.chars().count() >= DIFF_PREFIX;
        }
        let text = held.trim_start_matches(' ');
        let Some(first) = text.chars().next() else {
            return false;
        };
        let run = text.chars().take_while(|c| *c == first).count();
        let only_run = run == text.chars().count();
        match first {
            // A fence or a marker is known at the end of its line, or when something else follows.
            '`' | '~' if run >= 3 || only_run => false,
            '<' | '>' | '=' if (5..=9).contains(&run) && could_be_marker(text, run) => false,
            '<' | '>' | '=' | '#' if only_run => run > 9,
            _ => true,
        }
    }

    /// Decides what the line is from what is held. `complete`: it is the whole line.
    fn begin_line(&mut self, complete: bool) {
        let held = std::mem::take(&mut self.held);
        self.line = Some(self.classify(&held, complete));
        self.held = held;
    }

    fn classify(&mut self, held: &str, complete: bool) -> Line {
        let text = held.trim();
        if let Some(marker) = marker(text).filter(|_| complete) {
            let moved = match (marker, self.section) {
                ('<', _) => Some(Section::Search),
                ('=', Section::Search) => Some(Section::Replace),
                ('>', Section::Search | Section::Replace) => Some(Section::Outside),
                _ => None,
            };
            if let Some(section) = moved {
                self.section = section;
                return Line::All(Tint::Marker);
            }
        }
        match self.section {
            Section::Search => return Line::All(Tint::Removed),
            Section::Replace => return Line::All(Tint::Added),
            Section::Outside => {}
        }
        if let Some(line) = self.fence_line(text, complete) {
            return line;
        }
        match &self.fence {
            Some(fence) if fence.diff => Line::All(diff_tint(held)),
            Some(_) => Line::All(Tint::Code),
            None if is_heading(held.trim_start()) => Line::All(Tint::Heading),
            None => Line::Prose,
        }
    }

    /// A line that opens or closes a fence.
    fn fence_line(&mut self, text: &str, complete: bool) -> Option<Line> {
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        if length < 3 {
            return None;
        }
        let info = &text[length..];
        match &self.fence {
            Some(fence) if fence.mark == mark && length >= fence.length && info.is_empty() && complete => {
                self.fence = None;
            }
            Some(_) => return None,
            None if info.contains('`') => return None,
            None => {
                self.fence = Some(Fence {
                    mark,
                    length,
                    diff: info.trim().starts_with("diff") || info.trim().starts_with("patch"),
                });
            }
        }
        Some(Line::All(Tint::Dim))
    }

    fn flush_held(&mut self, out: &mut String) {
        let tint = match self.line {
            Some(Line::All(tint)) => tint,
            _ => self.inline,
        };
        self.palette.paint_into(out, tint, &self.held);
        self.held.clear();
    }

    /// Writes what is held of a prose line, as far as it is clear what it is.
    fn prose(&mut self, out: &mut String, complete: bool) {
        let held = std::mem::take(&mut self.held);
        let chars: Vec<char> = held.chars().collect();
        let mut plain = String::new();
        let mut idx = 0;
        while idx < chars.len() {
            let c = chars[idx];
            let next = chars.get(idx + 1).copied();
            if c == '`' {
                self.paint_run(out, &mut plain);
                let opens = self.inline != Tint::Code;
                self.palette.paint_into(out, Tint::Code, "`");
                self.inline = if opens { Tint::Code } else { Tint::Plain };
                self.last = c;
                idx += 1;
            } else if c == '*' && self.inline != Tint::Code {
                let after = chars.get(idx + 2).copied();
                match (next, after) {
                    // Two more characters are needed to tell bold from a product or a bullet.
                    (None, _) | (Some('*'), None) if !complete => break,
                    (Some('*'), after) if self.toggles_bold(after) => {
                        self.paint_run(out, &mut plain);
                        self.palette.paint_into(out, Tint::Strong, "**");
                        self.inline = if self.inline == Tint::Strong {
                            Tint::Plain
                        } else {
                            Tint::Strong
                        };
                        self.last = '*';
                        idx += 2;
                    }
                    _ => {
                        plain.push(c);
                        self.last = c;
                        idx += 1;
                    }
                }
            } else {
                plain.push(c);
                self.last = c;
                idx += 1;
            }
        }
        self.paint_run(out, &mut plain);
        self.held.extend(&chars[idx..]);
    }

    fn toggles_bold(&self, after: Option<char>) -> bool {
        if self.inline == Tint::Strong {
            !self.last.is_whitespace()
        } else {
            after.is_some_and(|c| !c.is_whitespace() && c != '*') && !self.last.is_alphanumeric()
        }
    }

    fn paint_run(&self, out: &mut String, run: &mut String) {
        self.palette.paint_into(out, self.inline, run);
        run.clear();
    }
}

/// The character of a SEARCH/REPLACE marker line.
fn marker(text: &str) -> Option<char> {
    let first = text.chars().next().filter(|c| matches!(c, '<' | '=' | '>'))?;
    let run = text.chars().take_while(|c| *c == first).count();
    let rest = text[run..].trim();
    let fits = match first {
        '<' => rest.starts_with("SEARCH"),
        '>' => rest.starts_with("REPLACE"),
        _ => rest.is_empty(),
    };
    ((5..=9).contains(&run) && fits).then_some(first)
}

/// Whether the beginning of a line may still become a marker.
fn could_be_marker(text: &str, run: usize) -> bool {
    let rest = text[run..].trim_start();
    match text.chars().next() {
        Some('<') => "SEARCH".starts_with(rest) || rest.starts_with("SEARCH"),
        Some('>') => "REPLACE".starts_with(rest) || rest.starts_with("REPLACE"),
        _ => rest.is_empty(),
    }
}

fn is_heading(text: &str) -> bool {
    let level = text.chars().take_while(|c| *c == '#').count();
    (1..=6).contains(&level) && text[level..].starts_with([' ', '\t'])
}

/// How a line of a unified diff is painted. Only its beginning is needed.
pub fn diff_tint(line: &str) -> Tint {
    if line.starts_with("@@") {
        Tint::Marker
    } else if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") {
        Tint::Strong
    } else if line.starts_with('+') {
        Tint::Added
    } else if line.starts_with('-') {
        Tint::Removed
    } else {
        Tint::Plain
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::style::strip_codes;
    use super::*;

    fn paint(text: &str) -> String {
        let mut markdown = Markdown::new(Palette { colour: true });
        let mut out = markdown.push(text);
        out.push_str(&markdown.finish());
        out
    }

    /// The tint of each line that is painted as a whole, for tests.
    fn tints(text: &str) -> Vec<Tint> {
        let palette = Palette { colour: true };
        paint(text)
            .lines()
            .map(|line| {
                let bare = strip_codes(line);
                [Tint::Removed, Tint::Added, Tint::Marker, Tint::Heading, Tint::Dim]
                    .into_iter()
                    .find(|tint| {
                        // Pieces of one line may be painted one by one; compare without the seams.
                        let seam = palette.paint(*tint, "|");
                        let (open, close) = seam.split_once('|').expect("painted around the bar");
                        line.replace(&format!("{close}{open}"), "") == palette.paint(*tint, &bare)
                    })
                    .unwrap_or(Tint::Plain)
            })
            .collect()
    }

    #[test]
    fn paints_edit_blocks_as_removed_and_added() {
        let reply = "a.py\n<<<<<<< SEARCH\nold = 1\n=======\nnew = 2\n>>>>>>> REPLACE\ndone\n";
        assert_eq!(
            tints(reply),
            [
                Tint::Plain,
                Tint::Marker,
                Tint::Removed,
                Tint::Marker,
                Tint::Added,
                Tint::Marker,
                Tint::Plain
            ]
        );
    }

    #[test]
    fn a_rule_of_equal_signs_outside_a_block_is_text() {
        assert_eq!(tints("Title\n=======\ntext\n"), [Tint::Plain; 3]);
    }

    #[test]
    fn paints_diffs_in_fences() {
        assert_eq!(
            tints("```diff\n@@ -1 +1 @@\n-old\n+new\n```\n- item\n"),
            [
                Tint::Dim,
                Tint::Marker,
                Tint::Removed,
                Tint::Added,
                Tint::Dim,
                Tint::Plain
            ]
        );
    }

    #[test]
    fn a_longer_fence_is_closed_by_its_like_only() {
        assert_eq!(tints("````\n```\n# no heading\n````\n# heading\n")[4], Tint::Heading);
        assert_ne!(tints("````\n```\n# no heading\n````\n")[2], Tint::Heading);
    }

    #[test]
    fn bold_and_code_end_with_their_line() {
        let palette = Palette { colour: true };
        assert!(paint("a **b** c").contains(&palette.paint(Tint::Strong, "b")));
        assert!(!paint("2 ** 3 ** 4").contains('\u{1b}'));
        assert!(paint("`unclosed\nplain").ends_with("\nplain"));
    }

    #[test]
    fn text_is_written_as_soon_as_it_is_clear() {
        let mut markdown = Markdown::new(Palette { colour: true });
        assert_eq!(markdown.push("Hel"), "Hel");
        assert_eq!(markdown.push("lo wor"), "lo wor");
        assert_eq!(markdown.push("ld"), "ld");
    }

    proptest! {
        #[test]
        fn only_codes_are_added_wherever_the_stream_is_cut(
            lines in proptest::collection::vec("[-+#=<>`~* a計]{0,12}|<<<<<<< SEARCH|=======|>>>>>>> REPLACE|```diff|```|`{3,5}", 0..12),
            cuts in proptest::collection::vec(1usize..7, 0..40),
        ) {
            let text = lines.join("\n");
            let mut markdown = Markdown::new(Palette { colour: true });
            let chars: Vec<char> = text.chars().collect();
            let mut rest = chars.as_slice();
            let mut out = String::new();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                out.push_str(&markdown.push(&piece.iter().collect::<String>()));
                let shown = strip_codes(&out).chars().count();
                let given = chars.len() - after.len();
                prop_assert!(given - shown <= Markdown::HELD_BACK);
                rest = after;
            }
            out.push_str(&markdown.push(&rest.iter().collect::<String>()));
            out.push_str(&markdown.finish());
            prop_assert_eq!(strip_codes(&out), text);
        }
    }
}
