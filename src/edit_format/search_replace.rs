//! SEARCH/REPLACE blocks, the shape behind `diff`, `diff-fenced` and their editor variants.
//!
//! ```text
//! <<<<<<< SEARCH
//! lines as they are
//! =======
//! lines as they shall be
//! >>>>>>> REPLACE
//! ```
//!
//! A marker has 5 to 9 characters, may be indented, may have come through an HTML escaper. What stands between markers
//! is content, fences included. Content may hold marker look-alikes: whole sample blocks, conflict markers, heading
//! underlines. They are told apart by length (a block prefers markers as long as its first one), by pairing (samples
//! and conflicts come complete) and by the shape of a heading.
//!
//! Where the file's name stands is none of this file's business (see `name_search.rs`).

use std::borrow::Cow;

use super::Hunk;
use super::ProblemKind;
use super::entities;
use super::found::Unreadable;
use super::lines::Line;
use crate::text::fence::FenceLine;

/// Sample blocks inside content may hold sample blocks, but not endlessly; the limit also bounds the work on a reply
/// full of first markers.
const DEEPEST_SAMPLE: usize = 3;

const SEARCH: &str = "SEARCH";
/// In place of `SEARCH` and `REPLACE`.
const ORIGINAL: &str = "ORIGINAL";
const UPDATED: &str = "UPDATED";

/// A line that delimits something, or looks so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    /// `<<<<<<< SEARCH`
    Search,
    /// `=======`
    Divider,
    /// `>>>>>>> REPLACE`
    Replace,
    /// `<<<<<<< HEAD`: a version control system's, content to us.
    ConflictStart,
    /// `>>>>>>> branch`
    ConflictEnd,
}

/// A marker with what else its line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkerLine {
    pub(super) marker: Marker,
    /// How many times the marker's character stands there.
    pub(super) length: usize,
    /// Whether the marker was written with HTML entities.
    pub(super) escaped: bool,
}

/// Reads one line as a marker.
pub(super) fn marker_line(line: &str) -> Option<MarkerLine> {
    let text = line.trim();
    match text.as_bytes().first()? {
        b'<' | b'=' | b'>' | b'-' | b'+' => plain_marker(text, false),
        b'&' if text.starts_with("&lt;&lt;") || text.starts_with("&gt;&gt;") => {
            plain_marker(entities::decode(text).trim(), true)
        }
        _ => None,
    }
}

fn plain_marker(text: &str, escaped: bool) -> Option<MarkerLine> {
    let sign = text.chars().next()?;
    let rest = text.trim_start_matches(sign);
    let length = text.len() - rest.len();
    if !(5..=9).contains(&length) {
        return None;
    }
    let word = rest
        .split_whitespace()
        .next()
        .unwrap_or("")
        .trim_end_matches([':', '>', '<']);
    let marker = match sign {
        '<' | '-' if word.eq_ignore_ascii_case("search") => Marker::Search,
        '>' | '+' if word.eq_ignore_ascii_case("replace") => Marker::Replace,
        // Other words that some models write, but only this very pair: any other is a conflict's.
        '<' if rest.trim() == ORIGINAL => Marker::Search,
        '>' if rest.trim() == UPDATED => Marker::Replace,
        '=' if rest.is_empty() => Marker::Divider,
        '<' if rest.starts_with(' ') => Marker::ConflictStart,
        '>' if rest.starts_with(' ') => Marker::ConflictEnd,
        _ => return None,
    };
    Some(MarkerLine {
        marker,
        length,
        escaped,
    })
}

/// What a first marker's line says behind its word: some models write the file's name there.
pub(super) fn text_on_marker(line: &str) -> &str {
    let rest = line.trim().trim_start_matches(['<', '-']).trim_start();
    let rest = match rest.strip_prefix(ORIGINAL) {
        Some(rest) => rest,
        None => rest.get(SEARCH.len()..).unwrap_or(""),
    };
    rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '>' | '<'))
}

/// A block that was read, or why it could not be.
pub(super) struct Block {
    /// Index of the first line behind it.
    pub(super) end: usize,
    pub(super) hunk: Result<Hunk, Unreadable>,
}

/// Reads the block whose first marker is `lines[start]`. `fence` is the opening line of the fence around it.
pub(super) fn read(lines: &[Line<'_>], start: usize, fence: Option<&FenceLine<'_>>) -> Block {
    let Some(first) = marker_line(lines[start].text) else {
        return Block {
            end: start + 1,
            hunk: Err(Unreadable::new(
                ProblemKind::Marker,
                "a block does not begin with its marker",
            )),
        };
    };
    let bounds = bounds(lines, start, Some(first.length)).or_else(|| bounds(lines, start, None));
    let fence_indent = fence.map_or(0, |fence| fence.indent);
    match bounds {
        Some(bounds) => Block {
            end: bounds.last + 1,
            hunk: split(lines, start, &bounds)
                .map(|divider| content(lines, start, &divider, bounds.last, first, fence_indent)),
        },
        None => unfinished(lines, start, first, fence),
    }
}

/// Where a block's parts are, as far as markers say it.
struct Bounds {
    /// Dividers that belong to no sample block and no conflict within.
    dividers: Vec<usize>,
    /// Index of the last marker.
    last: usize,
}

/// Pairs markers from `start` on. With `length`, shorter and longer ones are content. None when the block does not end.
fn bounds(lines: &[Line<'_>], start: usize, length: Option<usize>) -> Option<Bounds> {
    let mut depth = 1;
    let mut dividers = Vec::new();
    let mut dividers_in_conflict = Vec::new();
    let mut in_conflict = false;
    for (idx, line) in lines.iter().enumerate().skip(start + 1) {
        let Some(found) = marker_line(line.text) else { continue };
        if length.is_some_and(|length| length != found.length) {
            continue;
        }
        match found.marker {
            Marker::Search if depth == DEEPEST_SAMPLE => return None,
            Marker::Search => depth += 1,
            Marker::Replace => {
                depth -= 1;
                if depth == 0 {
                    // A conflict that never ended was none.
                    if in_conflict {
                        dividers.append(&mut dividers_in_conflict);
                    }
                    let has_divider = !dividers.is_empty() || length.is_none();
                    return has_divider.then_some(Bounds { dividers, last: idx });
                }
            }
            Marker::Divider if depth > 1 => {}
            Marker::Divider if in_conflict => dividers_in_conflict.push(idx),
            Marker::Divider => dividers.push(idx),
            Marker::ConflictStart => in_conflict = true,
            Marker::ConflictEnd => {
                in_conflict = false;
                dividers_in_conflict.clear();
            }
        }
    }
    None
}

/// The lines that separate SEARCH from REPLACE: one, or two when the second stands right before the last marker.
struct Divider {
    at: usize,
    /// Index behind the last line of REPLACE.
    new_end: usize,
}

fn split(lines: &[Line<'_>], start: usize, bounds: &Bounds) -> Result<Divider, Unreadable> {
    let mut dividers = bounds.dividers.as_slice();
    let mut new_end = bounds.last;
    if has_slip(lines, start, dividers, bounds.last) {
        dividers = &dividers[..dividers.len() - 1];
        new_end -= 1;
    }
    let at = match dividers {
        [] => {
            return Err(Unreadable::new(
                ProblemKind::Marker,
                "the block has no `=======` line between SEARCH and REPLACE",
            ));
        }
        [only] => *only,
        several => among_headings(lines, start, several).ok_or_else(|| {
            Unreadable::new(
                ProblemKind::Marker,
                "the block has more than one `=======` line, so it is unclear where SEARCH ends",
            )
        })?,
    };
    Ok(Divider { at, new_end })
}

/// Whether the last divider, right before the last marker, is one too many: models write it as if it closed REPLACE.
/// It is none when it underlines a title: `Title`, underline, divider is a heading to remove.
fn has_slip(lines: &[Line<'_>], start: usize, dividers: &[usize], last_marker: usize) -> bool {
    match dividers {
        [first, last] if last + 1 == last_marker => first + 1 < *last || !is_underline(lines, start, dividers, *first),
        [_, _, .., last] if last + 1 == last_marker => !is_underline(lines, start, dividers, *last),
        _ => false,
    }
}

/// The divider among lines that look like it: the only one that underlines no heading, else the middle one, since a
/// block mostly holds the same headings on both sides.
fn among_headings(lines: &[Line<'_>], start: usize, dividers: &[usize]) -> Option<usize> {
    let mut plain = dividers
        .iter()
        .filter(|idx| !is_underline(lines, start, dividers, **idx));
    match (plain.next(), plain.next()) {
        (Some(only), None) => Some(*only),
        // Nothing is searched for, and the new text begins with a heading, which the divider seems to be the upper rule of.
        (None, _) if dividers[0] == start + 1 => Some(dividers[0]),
        (None, _) if dividers.len() % 2 == 1 => Some(dividers[dividers.len() / 2]),
        _ => None,
    }
}

/// Whether `lines[idx]` underlines (or overlines) a title of one line.
fn is_underline(lines: &[Line<'_>], start: usize, dividers: &[usize], idx: usize) -> bool {
    let length = lines[idx].text.trim_end().len();
    let is_title = |at: usize| {
        let text = lines[at].text.trim_end();
        !text.is_empty() && text.chars().count() <= length && !text.starts_with(char::is_whitespace)
    };
    let begins_section = |at: usize| at == start || lines[at].is_blank() || dividers.binary_search(&at).is_ok();
    let under = idx > start + 1 && is_title(idx - 1) && begins_section(idx - 2);
    let over = dividers.binary_search(&(idx + 2)).is_ok() && is_title(idx + 1);
    under || over
}

fn content(
    lines: &[Line<'_>],
    start: usize,
    divider: &Divider,
    last: usize,
    first: MarkerLine,
    fence_indent: usize,
) -> Hunk {
    let indent = shared_indent(lines, start, last, fence_indent);
    let text = |range: std::ops::Range<usize>| -> Vec<String> {
        let mut texts: Vec<String> = lines[range]
            .iter()
            .map(|line| {
                let text = line.text.get(indent..).unwrap_or("");
                let text = if first.escaped {
                    entities::decode(text)
                } else {
                    Cow::Borrowed(text)
                };
                text.into_owned()
            })
            .collect();
        if let Some(first) = texts.first_mut()
            && let Some(rest) = first.strip_prefix('\u{feff}')
        {
            *first = rest.to_string();
        }
        texts
    };
    let mut old = text(start + 1..divider.at);
    if old.iter().all(|line| line.trim().is_empty()) {
        old.clear();
    }
    Hunk {
        old,
        new: text(divider.at + 1..divider.new_end),
        anchors: Vec::new(),
        at_end: false,
        in_diff: false,
        ends_file: false,
    }
}

/// The indentation that the whole block has only because it stands in an indented fence (a list item's).
fn shared_indent(lines: &[Line<'_>], start: usize, last: usize, fence_indent: usize) -> usize {
    let indent = lines[start].indent();
    let is_shared = indent > 0
        && indent == fence_indent
        && lines[start..=last]
            .iter()
            .all(|line| line.is_blank() || line.indent() >= indent);
    if is_shared { indent } else { 0 }
}

/// A block without a last marker: it goes on to the next block, to the end of its fence, or to the end of the reply.
fn unfinished(lines: &[Line<'_>], start: usize, first: MarkerLine, fence: Option<&FenceLine<'_>>) -> Block {
    let mut dividers = Vec::new();
    let mut fence_end = None;
    for (idx, line) in lines.iter().enumerate().skip(start + 1) {
        match marker_line(line.text).map(|found| found.marker) {
            Some(Marker::Search) => {
                let message = format!(
                    "the block has no `>>>>>>> REPLACE` line; the next block begins on line {} of the reply",
                    line.number
                );
                return closed_by_divider(lines, start, first, &dividers, fence_end, fence)
                    .unwrap_or_else(|| broken(idx, ProblemKind::Marker, message));
            }
            Some(Marker::Replace) => {
                let message = "the block has no `=======` line between SEARCH and REPLACE";
                return broken(idx + 1, ProblemKind::Marker, message.to_string());
            }
            Some(Marker::Divider) if fence_end.is_none() => dividers.push(idx),
            _ => {}
        }
        let closes = fence.is_some_and(|opener| FenceLine::read(line.text).is_some_and(|found| found.closes(opener)));
        if closes {
            fence_end = fence_end.or(Some(idx));
        }
    }
    closed_by_divider(lines, start, first, &dividers, fence_end, fence).unwrap_or_else(|| {
        let (kind, message) = match fence_end {
            Some(_) => (ProblemKind::Marker, "the block has no `>>>>>>> REPLACE` line"),
            None => (
                ProblemKind::Open,
                "the reply ends inside the block, before its `>>>>>>> REPLACE` line",
            ),
        };
        broken(lines.len(), kind, message.to_string())
    })
}

fn broken(end: usize, kind: ProblemKind, message: String) -> Block {
    Block {
        end,
        hunk: Err(Unreadable { kind, message }),
    }
}

/// A second divider in place of the last marker is understood when the fence ends right behind it.
fn closed_by_divider(
    lines: &[Line<'_>],
    start: usize,
    first: MarkerLine,
    dividers: &[usize],
    fence_end: Option<usize>,
    fence: Option<&FenceLine<'_>>,
) -> Option<Block> {
    let [at, last] = dividers else { return None };
    if fence_end != Some(last + 1) {
        return None;
    }
    let divider = Divider {
        at: *at,
        new_end: *last,
    };
    let fence_indent = fence.map_or(0, |fence| fence.indent);
    Some(Block {
        end: last + 1,
        hunk: Ok(content(lines, start, &divider, *last, first, fence_indent)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    fn hunk(reply: &str) -> Result<(String, String), ProblemKind> {
        let lines = lines::split(reply);
        let block = read(&lines, 0, None);
        block
            .hunk
            .map(|hunk| (hunk.old.join("|"), hunk.new.join("|")))
            .map_err(|unreadable| unreadable.kind)
    }

    fn parts(old: &str, new: &str) -> Result<(String, String), ProblemKind> {
        Ok((old.to_string(), new.to_string()))
    }

    #[test]
    fn markers_have_five_to_nine_characters() {
        for (line, marker) in [
            ("<<<<<<< SEARCH", Some(Marker::Search)),
            ("<<<<< SEARCH", Some(Marker::Search)),
            ("<<<<<<<<< SEARCH>", Some(Marker::Search)),
            ("  <<<<<<<SEARCH:", Some(Marker::Search)),
            ("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH", Some(Marker::Search)),
            ("------- SEARCH", Some(Marker::Search)),
            ("<<<< SEARCH", None),
            ("<<<<<<<<<< SEARCH", None),
            ("<<<<<<< HEAD", Some(Marker::ConflictStart)),
            ("=======", Some(Marker::Divider)),
            ("======= x", None),
            ("==========", None),
            (">>>>>>> REPLACE", Some(Marker::Replace)),
            ("+++++++ REPLACE", Some(Marker::Replace)),
            (">>>>>>> main", Some(Marker::ConflictEnd)),
            (">>>>>>>", None),
        ] {
            assert_eq!(marker_line(line).map(|found| found.marker), marker, "{line}");
        }
    }

    #[test]
    fn a_second_divider_right_before_the_end_is_a_slip() {
        let reply = "<<<<<<< SEARCH\na\n=======\nb\n=======\n>>>>>>> REPLACE\n";
        assert_eq!(hunk(reply), parts("a", "b"));
    }

    #[test]
    fn text_between_two_dividers_is_refused() {
        let reply = "<<<<<<< SEARCH\nlet a = 1;\n=======\nlet b = 2;\n=======\nlet c = 3;\n>>>>>>> REPLACE\n";
        assert_eq!(hunk(reply), Err(ProblemKind::Marker));
    }

    #[test]
    fn heading_underlines_are_content() {
        let old_and_new =
            "<<<<<<< SEARCH\nTitle\n=======\n\nold text\n=======\nOther\n=======\n\nnew text\n>>>>>>> REPLACE\n";
        assert_eq!(
            hunk(old_and_new),
            parts("Title|=======||old text", "Other|=======||new text")
        );
        let only_new =
            "<<<<<<< SEARCH\nfirst line of the old text\n=======\n\nTitle\n=======\n\ntext\n>>>>>>> REPLACE\n";
        assert_eq!(
            hunk(only_new),
            parts("first line of the old text", "|Title|=======||text")
        );
    }

    #[test]
    fn a_heading_at_the_beginning_of_a_new_file_is_content() {
        let reply = "<<<<<<< SEARCH\n=======\nGuide\n=======\n\ntext\n>>>>>>> REPLACE\n";
        assert_eq!(hunk(reply), parts("", "Guide|=======||text"));
        let two = "<<<<<<< SEARCH\n=======\nGuide\n=======\n\nPart\n=======\ntext\n>>>>>>> REPLACE\n";
        assert_eq!(hunk(two), parts("", "Guide|=======||Part|=======|text"));
    }

    #[test]
    fn longer_markers_hold_shorter_ones() {
        let reply = "<<<<<<<<< SEARCH\na\n=======\nb\n=========\nc\n=======\n>>>>>>> REPLACE\n>>>>>>>>> REPLACE\n";
        assert_eq!(hunk(reply), parts("a|=======|b", "c|=======|>>>>>>> REPLACE"));
    }

    #[test]
    fn sample_blocks_and_conflicts_inside_are_content() {
        let sample =
            "<<<<<<< SEARCH\n=======\nHow to:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nend\n>>>>>>> REPLACE\n";
        assert_eq!(
            hunk(sample),
            parts("", "How to:|<<<<<<< SEARCH|a|=======|b|>>>>>>> REPLACE|end")
        );
        let conflict = "<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(hunk(conflict), parts("<<<<<<< HEAD|a|=======|b|>>>>>>> main", "b"));
    }

    #[test]
    fn a_block_without_end_stops_at_the_next_one() {
        let reply = "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n";
        let lines = lines::split(reply);
        let block = read(&lines, 0, None);
        assert_eq!(block.end, 4);
        assert_eq!(
            block.hunk.map_err(|unreadable| unreadable.kind),
            Err(ProblemKind::Marker)
        );
        assert_eq!(hunk("<<<<<<< SEARCH\na\n=======\nb\n"), Err(ProblemKind::Open));
    }

    #[test]
    fn a_blank_search_counts_as_empty_and_a_bom_is_dropped() {
        assert_eq!(hunk("<<<<<<< SEARCH\n\n=======\na\n>>>>>>> REPLACE\n"), parts("", "a"));
        assert_eq!(
            hunk("<<<<<<< SEARCH\n\u{feff}a\n=======\n\u{feff}b\n>>>>>>> REPLACE\n"),
            parts("a", "b")
        );
    }

    #[test]
    fn an_escaped_block_is_decoded() {
        let reply = "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\na &lt; b\n=======\na &amp;lt; b\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n";
        assert_eq!(hunk(reply), parts("a < b", "a &lt; b"));
    }
}
