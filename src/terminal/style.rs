//! What may be written to a terminal: colours (few, from the user's own palette, never a background), text made safe,
//! and its width in columns.
//!
//! Whether colours are used at all is decided once, in [`wants_colour`]. Text from models, commands and files passes
//! through [`sanitize`]: escape sequences in it must not reach the terminal.

use std::borrow::Cow;

use anstyle::{AnsiColor, Effects, Style};
use unicode_width::UnicodeWidthStr;

/// What a piece of text is; the palette says how that looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tint {
    #[default]
    Plain,
    Heading,
    Strong,
    Code,
    Added,
    Removed,
    /// Hunk headers of a diff, markers of an edit block.
    Marker,
    Dim,
    Good,
    Warning,
    Error,
    Prompt,
}

impl Tint {
    /// Only the sixteen palette colours on the default background. Yellow and white are left out on purpose: on a
    /// light background they cannot be read.
    fn style(self) -> Style {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        match self {
            Tint::Plain => Style::new(),
            Tint::Heading | Tint::Strong => Style::new().effects(Effects::BOLD),
            Tint::Code | Tint::Marker => colour(AnsiColor::Cyan),
            Tint::Added | Tint::Good => colour(AnsiColor::Green),
            Tint::Removed | Tint::Error => colour(AnsiColor::Red),
            Tint::Dim => Style::new().effects(Effects::DIMMED),
            Tint::Warning => colour(AnsiColor::Magenta),
            Tint::Prompt => colour(AnsiColor::Green).effects(Effects::BOLD),
        }
    }
}

/// Paints text, or leaves it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub colour: bool,
}

impl Palette {
    pub const PLAIN: Palette = Palette { colour: false };

    /// `text` in the look of `tint`. Line ends stay outside of the codes, so that each line stands for itself.
    pub fn paint(self, tint: Tint, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 8);
        self.paint_into(&mut out, tint, text);
        out
    }

    pub fn paint_into(self, out: &mut String, tint: Tint, text: &str) {
        if !self.colour || tint == Tint::Plain {
            out.push_str(text);
            return;
        }
        let style = tint.style();
        for (idx, line) in text.split('\n').enumerate() {
            if idx > 0 {
                out.push('\n');
            }
            if !line.is_empty() {
                out.push_str(&format!("{style}{line}{style:#}"));
            }
        }
    }
}

/// What the choice for or against colours depends on.
#[derive(Clone, Copy)]
pub struct ColourFacts<'a> {
    /// `--pretty`, on unless the user said otherwise.
    pub pretty: bool,
    pub is_terminal: bool,
    /// Reads an environment variable.
    pub lookup: &'a dyn Fn(&str) -> Option<String>,
}

/// Whether to write colour codes: `NO_COLOR` (any value but empty), `CLICOLOR=0`, `TERM=dumb` and `--no-pretty` forbid
/// them; without a terminal they are written only under `CLICOLOR_FORCE`.
pub fn wants_colour(facts: ColourFacts) -> bool {
    let set = |name: &str| (facts.lookup)(name).filter(|value| !value.is_empty());
    if !facts.pretty || set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    facts.is_terminal && set("CLICOLOR").as_deref() != Some("0") && set("TERM").as_deref() != Some("dumb")
}

/// Whether a line on the screen may be erased and written again (the clock under a wait).
pub fn can_redraw(facts: ColourFacts) -> bool {
    facts.pretty && facts.is_terminal && (facts.lookup)("TERM").as_deref() != Some("dumb")
}

/// Text without control characters: `\n` and tabs stay, `\r\n` becomes `\n`, other carriage returns go, and the rest is
/// shown as its picture (`␛` for ESC), so that no model and no file can move the cursor or set a title.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let unsafe_char = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_bidi_control(c);
    if !text.contains(unsafe_char) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\r' => {}
            c if !unsafe_char(c) => out.push(c),
            '\u{7f}' => out.push('\u{2421}'),
            c if (c as u32) < 0x20 => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            _ => out.push('\u{fffd}'),
        }
    }
    Cow::Owned(out)
}

/// Characters that reorder the text around them and so can make code look like something that it is not.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Columns that `text` takes (no tabs, no codes).
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The longest beginning of `text` that fits into `columns`, with an ellipsis when something was cut.
pub fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        let mut buffer = [0; 4];
        used += width(c.encode_utf8(&mut buffer));
        if used > columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Breaks long lines of our own sentences between words, further rows under the text of the first: a table keeps its
/// columns. Words longer than a row are left to the terminal.
pub fn wrap_words(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        wrap_line(line, columns, &mut out);
    }
    out
}

fn wrap_line(line: &str, columns: usize, out: &mut String) {
    if width(line.trim_end_matches('\n')) <= columns {
        out.push_str(line);
        return;
    }
    let indent = hanging_indent(line).min(columns / 2);
    let mut used = 0;
    let mut rest = line;
    while !rest.is_empty() {
        // A word with the blanks before it.
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest[blanks..].find(' ').map_or(rest.len(), |at| blanks + at);
        let (word, after) = rest.split_at(end);
        let wide = width(word.trim_end_matches('\n'));
        if used + wide > columns && used > indent {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            let bare = word.trim_start_matches(' ');
            out.push_str(bare);
            used = indent + width(bare.trim_end_matches('\n'));
        } else {
            out.push_str(word);
            used += wide;
        }
        rest = after;
    }
}

/// Where the text of a row begins: behind its first column when there are two, else behind its blanks.
fn hanging_indent(line: &str) -> usize {
    let lead = line.len() - line.trim_start_matches(' ').len();
    let gap = line[lead..].find("  ").map(|at| lead + at);
    match gap {
        Some(gap) => {
            let text = gap + line[gap..].len() - line[gap..].trim_start_matches(' ').len();
            width(&line[..text])
        }
        None => lead,
    }
}

/// The text without colour codes, to compare what is shown with and without them.
pub fn strip_codes(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            for c in chars.by_ref() {
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(pretty: bool, is_terminal: bool, env: &[(&str, &str)]) -> bool {
        wants_colour(ColourFacts {
            pretty,
            is_terminal,
            lookup: &|name| {
                env.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.to_string())
            },
        })
    }

    #[test]
    fn colours_follow_the_usual_switches() {
        assert!(colour(true, true, &[("TERM", "xterm")]));
        assert!(colour(true, true, &[("NO_COLOR", "")]));
        assert!(!colour(true, true, &[("NO_COLOR", "1")]));
        assert!(!colour(true, true, &[("CLICOLOR", "0")]));
        assert!(!colour(true, true, &[("TERM", "dumb")]));
        assert!(!colour(false, true, &[]));
        assert!(!colour(true, false, &[]));
        assert!(colour(true, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!colour(true, false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    }

    #[test]
    fn no_tint_uses_a_background_or_a_colour_that_fades() {
        for tint in [
            Tint::Heading,
            Tint::Strong,
            Tint::Code,
            Tint::Added,
            Tint::Removed,
            Tint::Marker,
            Tint::Dim,
            Tint::Good,
            Tint::Warning,
            Tint::Error,
            Tint::Prompt,
        ] {
            let style = tint.style();
            assert_eq!(style.get_bg_color(), None);
            let fg = style.get_fg_color();
            assert!(
                ![
                    AnsiColor::Yellow,
                    AnsiColor::White,
                    AnsiColor::BrightYellow,
                    AnsiColor::BrightWhite,
                    AnsiColor::Black
                ]
                .iter()
                .any(|bad| fg == Some((*bad).into())),
                "{tint:?}"
            );
        }
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(sanitize("plain\ttext\n"), "plain\ttext\n");
        assert_eq!(sanitize("a\u{1b}[31mred\r\nb\u{7}"), "a␛[31mred\nb␇");
        assert_eq!(sanitize("\u{9b}2J \u{202e}x"), "\u{fffd}2J \u{fffd}x");
    }

    #[test]
    fn a_painted_text_is_the_same_text() {
        let palette = Palette { colour: true };
        let painted = palette.paint(Tint::Added, "one\n\ntwo\n");
        assert_ne!(painted, "one\n\ntwo\n");
        assert_eq!(strip_codes(&painted), "one\n\ntwo\n");
        assert_eq!(Palette::PLAIN.paint(Tint::Added, "one"), "one");
    }

    #[test]
    fn long_lines_break_between_words_under_their_text() {
        assert_eq!(wrap_words("short\n", 10), "short\n");
        assert_eq!(wrap_words("one two three four\nfive", 9), "one two\nthree\nfour\nfive");
        assert_eq!(
            wrap_words("  /add  puts files in\n", 16),
            "  /add  puts\n        files in\n"
        );
        assert_eq!(wrap_words("averyverylongword x", 8), "averyverylongword\nx");
    }

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("計画書", 4), "計…");
    }
}
