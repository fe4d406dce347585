//! The one old line is a part of one line of the file: an item without its mark, or an attribute inside a tag. The rest
//! of the line stays.

use crate::apply::change::Ask;
use crate::apply::document::{BLANK, Document, Splice};
use crate::apply::ladder::{Found, Place};

/// A shorter part of a line is not looked for, in characters.
const MIN_PART: usize = 12;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let filled: Vec<usize> = (0..ask.old.len()).filter(|idx| ask.keys[*idx] != BLANK).collect();
    let [only] = filled[..] else { return Found::Nowhere };
    let part = ask.old[only].trim();
    if part.chars().count() < MIN_PART {
        return Found::Nowhere;
    }
    let mut places = Vec::new();
    let mut possible = true;
    for position in 0..document.len() {
        for (at, _) in document.text(position).match_indices(part) {
            let line = document.text(position);
            let (before, after) = (&line[..at], &line[at + part.len()..]);
            possible &= at_word_edges(before, part, after) && (is_mark(before) || is_attribute(before, part, after));
            let new = replaced(before, after, &ask.new);
            let splices = Ok(vec![Splice {
                range: position..position + 1,
                new,
            }]);
            places.push(Place {
                first: position,
                end: position + 1,
                splices,
            });
        }
    }
    // Once, and as a whole: anything else is chance.
    if places.len() == 1 && possible {
        Found::Places(places)
    } else {
        Found::Nowhere
    }
}

fn at_word_edges(before: &str, part: &str, after: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let cut_before = before.ends_with(is_word) && part.starts_with(is_word);
    let cut_after = after.starts_with(is_word) && part.ends_with(is_word);
    !cut_before && !cut_after
}

/// Whether nothing but the mark of a list item or a comment stands before the part.
fn is_mark(before: &str) -> bool {
    let mark = before.trim();
    let numbered = mark
        .strip_suffix(['.', ')'])
        .is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
    numbered
        || matches!(
            mark,
            "-" | "*"
                | "+"
                | "//"
                | "///"
                | "//!"
                | "#"
                | "##"
                | "###"
                | "####"
                | "--"
                | ";"
                | ">"
                | "%"
                | "- [ ]"
                | "- [x]"
        )
}

/// Whether the part is a `name=value` inside a tag.
fn is_attribute(before: &str, part: &str, after: &str) -> bool {
    let named = part.split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | ':' | '_' | '@' | '.'))
            && value.starts_with(['"', '\'', '{'])
            && value.len() > 1
            && value.ends_with(['"', '\'', '}'])
    });
    let inside = before.rfind('<').is_some_and(|open| !before[open..].contains('>'));
    named && inside && after.contains('>')
}

fn replaced(before: &str, after: &str, new: &[String]) -> Vec<String> {
    let filled = |line: &&String| !line.trim().is_empty();
    let from = new.iter().position(|line| filled(&line)).unwrap_or(new.len());
    let to = new.iter().rposition(|line| filled(&line)).map_or(from, |last| last + 1);
    let middle = &new[from..to];
    match middle {
        [] => {
            let rest = format!("{}{}", before.trim_end(), after);
            if is_mark(before) && after.trim().is_empty() {
                Vec::new()
            } else {
                vec![rest]
            }
        }
        [only] => vec![format!("{before}{}{after}", only.trim())],
        [first, inner @ .., last] => {
            let mut lines = vec![format!("{before}{}", first.trim_start())];
            lines.extend(inner.iter().cloned());
            lines.push(format!("{last}{after}"));
            lines
        }
    }
}
