//! The old text stands in the file with its lines wrapped or joined differently: equal but for white space, from the
//! start of a line to the end of a line. Where lines correspond one to one they are changed one by one; a change inside
//! lines that are broken differently takes in all of them.

use crate::apply::change::{Ask, Compare, Group, Obstacle, indenter};
use crate::apply::document::{BLANK, Document, Splice};
use crate::apply::ladder::{Found, Place};

/// Texts of fewer characters (white space aside) are not looked for in this way.
const MIN_TEXT: usize = 12;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let mut text = String::new();
    // (offset of its first character, index), one entry an old line that is not blank.
    let mut old_starts = Vec::new();
    for (idx, line) in ask.old.iter().enumerate().filter(|(idx, _)| ask.keys[*idx] != BLANK) {
        old_starts.push((text.len(), idx));
        text.extend(line.chars().filter(|c| !c.is_whitespace()));
    }
    if text.chars().count() < MIN_TEXT {
        return Found::Nowhere;
    }
    let places = document
        .places_of_condensed(&text)
        .iter()
        .map(|lines| place(ask, document, &old_starts, lines))
        .collect();
    Found::from_places(places)
}

/// A stretch of text that begins a line in the block and in the file alike.
struct Segment {
    /// Index of the first old line.
    old: usize,
    position: usize,
}

fn place(ask: &Ask, document: &Document<'_>, old_starts: &[(usize, usize)], lines: &[(usize, usize)]) -> Place {
    let segments: Vec<Segment> = old_starts
        .iter()
        .filter_map(|(offset, old)| {
            let line = lines.binary_search_by_key(offset, |(start, _)| *start).ok()?;
            Some(Segment {
                old: *old,
                position: lines[line].1,
            })
        })
        .collect();
    let first = lines.first().map_or(0, |(_, position)| *position);
    let end = lines.last().map_or(0, |(_, position)| position + 1);
    let mut map = vec![None; ask.old.len()];
    for segment in &segments {
        map[segment.old] = Some(segment.position);
    }
    let indenter = indenter(ask, document, &map);
    let kept = ask.kept(Compare::Trim);
    let mut splices = Vec::new();
    for group in widened(ask.groups(&kept), &segments, ask.old.len(), &kept) {
        let position_of = |old: usize| match segments.iter().find(|segment| segment.old >= old) {
            Some(segment) => segment.position,
            None => end,
        };
        let (from, to) = (
            position_of(group.old.start),
            position_of(group.old.end).max(position_of(group.old.start)),
        );
        let near = group.old.start;
        let reindented = |new_idx: usize| {
            let line = &ask.new[new_idx];
            indenter
                .reindent(line, near)
                .ok_or_else(|| Obstacle::Indentation { line: line.clone() })
        };
        let new: Result<Vec<String>, Obstacle> = group.new.clone().map(reindented).collect();
        match new {
            Ok(new) => splices.push(Splice { range: from..to, new }),
            Err(obstacle) => {
                let splices = Err(obstacle);
                return Place { first, end, splices };
            }
        }
    }
    Place {
        first,
        end,
        splices: Ok(splices),
    }
}

/// Changes widened to whole segments; those that meet become one.
fn widened(groups: Vec<Group>, segments: &[Segment], n_old: usize, kept: &[(usize, usize)]) -> Vec<Group> {
    let start_of = |old: usize| {
        segments
            .iter()
            .rev()
            .map(|segment| segment.old)
            .find(|start| *start <= old)
            .unwrap_or(0)
    };
    let end_of = |old: usize| {
        segments
            .iter()
            .map(|segment| segment.old)
            .find(|start| *start >= old)
            .unwrap_or(n_old)
    };
    let kept_new = |old: usize| kept.iter().find(|(o, _)| *o == old).map(|(_, n)| *n);
    let mut out: Vec<Group> = Vec::new();
    for group in groups {
        let begins = segments.iter().any(|segment| segment.old == group.old.start) || group.old.start >= n_old;
        let old_start = if begins {
            group.old.start
        } else {
            start_of(group.old.start)
        };
        let old_end = if group.old.is_empty() && begins {
            group.old.end
        } else {
            end_of(group.old.end)
        };
        // The lines taken in are kept ones: they have their new counterparts right beside the group.
        let new_start = (old_start..group.old.start)
            .filter_map(kept_new)
            .min()
            .unwrap_or(group.new.start);
        let new_end = (group.old.end..old_end)
            .filter_map(kept_new)
            .max()
            .map_or(group.new.end, |last| last + 1);
        let wide = Group {
            old: old_start..old_end,
            new: new_start.min(group.new.start)..new_end.max(group.new.end),
        };
        match out.last_mut() {
            Some(before) if before.old.end > wide.old.start || (before.old.end == wide.old.start && !begins) => {
                before.old.end = before.old.end.max(wide.old.end);
                before.new.end = before.new.end.max(wide.new.end);
            }
            _ => out.push(wide),
        }
    }
    out
}
