//! Merges two changes of one text, line by line: what the reply makes of it and what happened to the file meanwhile.
//!
//! Changes to different lines are both taken, the same change is taken once, and changes that touch each other are a
//! conflict: nothing is guessed. Line endings are merged apart from the lines, so a file whose endings were converted
//! meanwhile still merges. No conflict markers are written.

use std::collections::BTreeMap;

use crate::text::diff;
use crate::text::lines::{self, Ending, Line};

/// Two changes that cannot both be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Lines of the base text that both sides change, from 1; the end is not included. Empty where both only add.
    pub lines: std::ops::Range<usize>,
    /// What our side has in place of them.
    pub ours: Vec<String>,
    /// What the other side has in place of them.
    pub theirs: Vec<String>,
}

/// The text with the changes from `base` to `ours` and from `base` to `theirs`.
///
/// # Errors
/// The first conflict, in the order of the text.
pub fn merge3(base: &str, ours: &str, theirs: &str) -> Result<String, Conflict> {
    if ours == theirs || base == theirs {
        return Ok(ours.to_string());
    }
    if base == ours {
        return Ok(theirs.to_string());
    }
    if let Some((ours, theirs, ending)) = converted(base, ours, theirs) {
        let base = lines::with_ending(base, ending);
        return merge3(&base, &ours, &theirs);
    }
    let base = lines::split(base);
    let ours = Side::new(&base, ours);
    let theirs = Side::new(&base, theirs);
    let mut merged = Vec::new();
    let mut at = Cursor::default();
    loop {
        let stable = (at.base..base.len()).find(|idx| ours.kept.contains_key(idx) && theirs.kept.contains_key(idx));
        let end = match stable {
            Some(idx) => Cursor {
                base: idx,
                ours: ours.kept[&idx],
                theirs: theirs.kept[&idx],
            },
            None => Cursor {
                base: base.len(),
                ours: ours.lines.len(),
                theirs: theirs.lines.len(),
            },
        };
        merged.extend(chunk(&base, &ours, &theirs, at, end)?);
        let Some(idx) = stable else { break };
        merged.push(Line {
            text: base[idx].text,
            ending: pick(
                base[idx].ending,
                ours.lines[end.ours].ending,
                theirs.lines[end.theirs].ending,
            ),
        });
        at = Cursor {
            base: end.base + 1,
            ours: end.ours + 1,
            theirs: end.theirs + 1,
        };
    }
    Ok(render(&merged))
}

/// Where one side changed all line endings alike and the other none: both sides with the new endings.
fn converted(base: &str, ours: &str, theirs: &str) -> Option<(String, String, Ending)> {
    let only = |text: &str| {
        let dominant = lines::dominant_ending(text)?;
        lines::split(text)
            .iter()
            .all(|line| line.ending.is_none_or(|ending| ending == dominant))
            .then_some(dominant)
    };
    let (before, our_ending, their_ending) = (only(base)?, only(ours)?, only(theirs)?);
    let ending = pick(Some(before), Some(our_ending), Some(their_ending))?;
    let both = (
        lines::with_ending(ours, ending),
        lines::with_ending(theirs, ending),
        ending,
    );
    (ending != before && (our_ending == before || their_ending == before)).then_some(both)
}

#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    base: usize,
    ours: usize,
    theirs: usize,
}

/// One changed text, laid against the base.
struct Side<'t> {
    lines: Vec<Line<'t>>,
    /// From lines of the base to those of this side.
    kept: BTreeMap<usize, usize>,
}

impl<'t> Side<'t> {
    fn new(base: &[Line<'_>], text: &'t str) -> Self {
        let lines = lines::split(text);
        let texts = |lines: &[Line<'_>]| -> Vec<String> { lines.iter().map(|line| line.text.to_string()).collect() };
        let kept = diff::matches(&texts(base), &texts(&lines)).into_iter().collect();
        Self { lines, kept }
    }
}

/// The lines between two that all three texts share.
fn chunk<'t>(
    base: &[Line<'t>],
    ours: &Side<'t>,
    theirs: &Side<'t>,
    from: Cursor,
    to: Cursor,
) -> Result<Vec<Line<'t>>, Conflict> {
    let original = &base[from.base..to.base];
    let our_lines = &ours.lines[from.ours..to.ours];
    let their_lines = &theirs.lines[from.theirs..to.theirs];
    let same = |a: &[Line<'_>], b: &[Line<'_>]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.text == b.text);
    if same(our_lines, original) || same(our_lines, their_lines) {
        return Ok(their_lines.to_vec());
    }
    if same(their_lines, original) {
        return Ok(our_lines.to_vec());
    }
    let owned = |lines: &[Line<'_>]| lines.iter().map(|line| line.text.to_string()).collect();
    Err(Conflict {
        lines: from.base + 1..to.base + 1,
        ours: owned(our_lines),
        theirs: owned(their_lines),
    })
}

/// The ending that a side changed, if one did.
fn pick(base: Option<Ending>, ours: Option<Ending>, theirs: Option<Ending>) -> Option<Ending> {
    if ours == base { theirs } else { ours }
}

fn render(merged: &[Line<'_>]) -> String {
    let mut out = String::new();
    let mut before = None;
    for (idx, line) in merged.iter().enumerate() {
        out.push_str(line.text);
        let is_last = idx + 1 == merged.len();
        // A line that was the last one and is no more takes the ending of the line above it.
        let ending = line.ending.or((!is_last).then(|| before.unwrap_or_default()));
        if let Some(ending) = ending {
            out.push_str(ending.as_str());
        }
        before = ending.or(before);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_to_different_lines_are_both_taken() {
        let merged = merge3("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\ne\n");
        assert_eq!(merged.as_deref(), Ok("A\nb\nc\nD\ne\n"));
    }

    #[test]
    fn the_same_change_is_taken_once() {
        assert_eq!(merge3("a\nb\n", "a\nx\nb\n", "a\nx\nb\n").as_deref(), Ok("a\nx\nb\n"));
        let (ours, theirs) = ("a\nx\nb\nc\n", "a\nx\nb\nC\n");
        assert_eq!(merge3("a\nb\nc\n", ours, theirs).as_deref(), Ok("a\nx\nb\nC\n"));
    }

    #[test]
    fn changes_that_touch_are_a_conflict() {
        let conflict = merge3("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n").unwrap_err();
        assert_eq!(conflict.lines, 2..3);
        assert_eq!(
            (conflict.ours, conflict.theirs),
            (vec!["x".to_string()], vec!["y".to_string()])
        );
        assert!(merge3("a\nb\nc\n", "x\nb\nc\n", "a\ny\nc\n").is_err());
        assert!(merge3("a\n", "a\nx\n", "a\ny\n").is_err());
    }

    #[test]
    fn endings_are_merged_apart_from_the_lines() {
        assert_eq!(
            merge3("a\nb\nc\n", "A\nb\nc\n", "a\r\nb\r\nc\r\n").as_deref(),
            Ok("A\r\nb\r\nc\r\n")
        );
        assert_eq!(merge3("a\nb", "a\nb\n", "x\nb").as_deref(), Ok("x\nb\n"));
        assert_eq!(merge3("a\nb\nc", "a\nb\nc\nd", "x\nb\nc").as_deref(), Ok("x\nb\nc\nd"));
    }
}
