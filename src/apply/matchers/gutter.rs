//! The model copied a column that was beside the lines when it saw them: line numbers, or the frame of a box. Both
//! halves are freed of it and the strict rungs are tried again.

use crate::apply::change::Ask;
use crate::apply::document::Document;
use crate::apply::ladder::{Found, find_strictly};

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let filled = || ask.old.iter().filter(|line| !line.trim().is_empty());
    if filled().count() == 0 {
        return Found::Nowhere;
    }
    let framed = filled().all(|line| without_frame(line).is_some());
    let numbered = !framed && is_numbered(filled());
    let free = |line: &String| -> String {
        let bare = match (framed, numbered) {
            (true, _) => without_frame(line),
            (_, true) => without_number(line).map(|(_, rest)| rest),
            _ => None,
        };
        bare.unwrap_or(line).to_string()
    };
    if !framed && !numbered {
        return Found::Nowhere;
    }
    let old = ask.old.iter().map(free).collect();
    let new = ask.new.iter().map(free).collect();
    find_strictly(&ask.with_lines(old, new), document)
}

fn without_frame(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix(['│', '┃', '║', '█', '▌', '▏', '▎', '▍'])
}

/// Whether the lines are numbered without a gap.
fn is_numbered<'l>(lines: impl Iterator<Item = &'l String>) -> bool {
    let numbers: Option<Vec<usize>> = lines
        .map(|line| without_number(line).map(|(number, _)| number))
        .collect();
    numbers.is_some_and(|numbers| {
        numbers
            .windows(2)
            .all(|pair| pair[1] > pair[0] && pair[1] <= pair[0] + 2)
    })
}

/// The number and the text of a line like `12 | text`, `12: text`, `12\ttext`, `12→text`.
fn without_number(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start().trim_start_matches(['L', '[']);
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let number = number.parse().ok()?;
    let rest = rest.trim_start_matches(']');
    if let Some(text) = rest.strip_prefix(['\t', '→']) {
        return Some((number, text));
    }
    let text = rest.trim_start_matches(' ').strip_prefix(['|', ':', '│', '┃'])?;
    Some((number, text.strip_prefix(' ').unwrap_or(text)))
}
