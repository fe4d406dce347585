//! The block holds more than the file's lines: a fence around them, or the name of the file above them. Both halves are
//! freed of it and the strict rungs are tried again.

use crate::apply::change::Ask;
use crate::apply::document::Document;
use crate::apply::ladder::{Found, find_strictly};

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let (old, old_changed) = unwrapped(&ask.old, &ask.path);
    if !old_changed || old.iter().all(|line| line.trim().is_empty()) {
        return Found::Nowhere;
    }
    let (new, _) = unwrapped(&ask.new, &ask.path);
    find_strictly(&ask.with_lines(old, new), document)
}

/// The lines without a name and a fence around them, and whether there was any.
fn unwrapped(lines: &[String], path: &str) -> (Vec<String>, bool) {
    let mut lines = lines;
    let mut changed = false;
    if let [first, rest @ ..] = lines
        && names(first, path)
    {
        (lines, changed) = (rest, true);
    }
    if let [first, inner @ .., last] = lines {
        let mark = first.trim().trim_start_matches('`');
        let fence = first.trim().len() - mark.len();
        let opens = fence >= 3 && !mark.contains('`') && !mark.contains(' ');
        if opens && last.trim().len() >= fence && last.trim().chars().all(|c| c == '`') {
            (lines, changed) = (inner, true);
        }
    }
    if let [first, rest @ ..] = lines
        && changed
        && names(first, path)
    {
        lines = rest;
    }
    (lines.to_vec(), changed)
}

/// Whether the line is the file's name and nothing else.
fn names(line: &str, path: &str) -> bool {
    let bare = line
        .trim()
        .trim_matches(|c: char| matches!(c, '`' | '*' | '#' | ':' | ' ' | '/' | '-' | '<' | '>' | '!'));
    let last = path.rsplit('/').next().unwrap_or(path);
    !path.is_empty() && (bare == path || bare == last)
}
