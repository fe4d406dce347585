//! Failures in words: one sentence on what is wrong, then what would help. The model and the user read the same.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::change::{Ask, Compare, Group, Obstacle};
use super::closest::{Closest, Shown, closest};
use super::document::Document;
use super::names::{self, NameError};
use super::omission;
use super::place::{FileText, Trouble, Wanted};
use super::{Failure, FailureKind};
use crate::edit_format::{Basis, Edit, Hints, ProblemKind};

/// Lines of the file that one failure shows.
const MAX_LINES_SHOWN: usize = 40;
/// Longest line that is shown whole, in characters.
const MAX_LINE_SHOWN: usize = 200;
/// Lines of the block that are listed as missing.
const MAX_MISSING_SHOWN: usize = 5;
/// Places that an ambiguous block lists.
const MAX_PLACES: usize = 8;

pub(super) fn name_failure(edit: &Edit, error: NameError) -> Failure {
    let (kind, path, reason, hint) = match error {
        NameError::Outside { name } => (
            FailureKind::Refused,
            Some(name.clone()),
            format!("`{name}` is outside the project"),
            "name files by their path relative to the project".to_string(),
        ),
        NameError::Several { name, paths } => (
            FailureKind::Ambiguous,
            Some(name.clone()),
            format!("`{name}` may be one of {} files", paths.len()),
            format!("give the whole path: {}", list(&paths)),
        ),
        NameError::Implausible { name } => (
            FailureKind::Refused,
            None,
            format!("`{}` does not read like the path of a file", clip(&name)),
            "put the path of the file alone on the line above the block".to_string(),
        ),
        NameError::Missing { candidates } if candidates.is_empty() => (
            FailureKind::Refused,
            None,
            "the block does not say which file it is for".to_string(),
            "put the path of the file on the line above the block".to_string(),
        ),
        NameError::Missing { candidates } => (
            FailureKind::Ambiguous,
            None,
            "the block does not say which file it is for, and its text is in several files".to_string(),
            format!(
                "put the path of the file on the line above the block: {}",
                list(&candidates)
            ),
        ),
    };
    Failure {
        block: edit.block,
        path,
        kind,
        reason,
        hint,
    }
}

/// `create` tells whether the edit might begin the file.
pub(super) fn absent(path: &str, hints: &Hints, create: bool) -> (String, String) {
    let similar = names::similar_names(path, hints, 3);
    let hint = match (similar.is_empty(), create) {
        (false, _) => format!("files with similar names: {}", list(&similar)),
        (true, true) => "to create the file, send its whole text with nothing to search for".to_string(),
        (true, false) => String::new(),
    };
    (format!("`{path}` does not exist"), hint)
}

/// Says in which other file the lines are that were looked for.
pub(super) fn in_other_file(path: &str) -> String {
    format!("these lines are in `{path}`; put that name above the block if it is meant")
}

pub(super) fn create_over(path: &str) -> (String, String) {
    (
        format!("`{path}` exists already and was not replaced"),
        "to change it, send an edit of its lines".to_string(),
    )
}

pub(super) fn move_over(path: &str, to: &str, refused: Option<&str>) -> (String, String) {
    match refused {
        Some(reason) => (format!("`{path}` was not moved: `{to}` {reason}"), String::new()),
        None => (
            format!("`{path}` was not moved: `{to}` exists already"),
            "choose another name, or change the existing file".to_string(),
        ),
    }
}

pub(super) fn omission_in_file(path: &str, line: &str) -> (String, String) {
    (
        format!(
            "the text for `{path}` has a line that stands for omitted code: `{}`",
            clip(line.trim())
        ),
        "send the whole text without leaving anything out, or only the lines that change".to_string(),
    )
}

pub(super) fn partly_shown(path: &str) -> (String, String) {
    (
        format!("`{path}` was shown in part only, so it is not written as a whole"),
        "send edits of the lines that you were shown; name the file in backticks and stop when you need to see all of it".to_string(),
    )
}

pub(super) fn shrinkage(path: &str, n_old: usize, n_new: usize) -> (String, String) {
    (
        format!(
            "the text for `{path}` has {n_new} lines, the file has {n_old}, and most of what is gone is nowhere else"
        ),
        "send the whole text, or only the lines that change; to remove so much on purpose, send edits that remove it"
            .to_string(),
    )
}

/// Why a text that holds markers of edits or of a conflict does not become a file.
pub(super) fn marks_in_file(path: &str, mark: &str) -> (String, String) {
    (
        format!(
            "the text for `{path}` holds the marker `{}`, which the file does not",
            clip(mark.trim())
        ),
        "to change some lines, send a block with all of its markers (`<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`); \
         else send the whole text without markers"
            .to_string(),
    )
}

/// Why two paths cannot both be files.
pub(super) fn file_and_folder(file: &str, inner: &str) -> (String, String) {
    (
        format!("`{file}` would be a file and, for `{inner}`, a folder"),
        "give one of them another name".to_string(),
    )
}

/// Why a block that holds the beginning of another one is not applied. `above` is the line above the other one.
pub(super) fn swallowed_block(above: &str) -> (String, String) {
    let above = above.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*'));
    (
        format!(
            "the new text holds the beginning of another block, below `{}`",
            clip(above)
        ),
        "send both blocks again, each with its own `>>>>>>> REPLACE` line".to_string(),
    )
}

/// Why a text that is unlike the file does not replace it.
pub(super) fn unlike(path: &str, n_old: usize, n_new: usize, basis: Basis) -> (String, String) {
    let hint = match basis {
        Basis::Guess => {
            "to change the file, send SEARCH/REPLACE blocks or its whole new text; what is only shown needs no correction"
        }
        Basis::Asked | Basis::Rewrite => {
            "send the whole text, or only the lines that change; if the file is to be rewritten, say so above it"
        }
    };
    (
        format!("the text for `{path}` is too unlike the file to replace it (lines: {n_new} in place of {n_old})"),
        hint.to_string(),
    )
}

/// Why a block that replaces lines by a remark that they are omitted is refused.
pub(super) fn lost_code(ask: &Ask, path: &str) -> Option<(String, String)> {
    let kept = ask.kept(Compare::Trim);
    let removes = |group: &Group| ask.old[group.old.clone()].iter().any(|line| !line.trim().is_empty());
    let groups: Vec<Group> = ask.groups(&kept).into_iter().filter(removes).collect();
    let old = ask.old.iter().map(String::as_str);
    let line = omission::introduced(old, ask.new.iter().map(String::as_str), path)
        .into_iter()
        .find(|new_idx| groups.iter().any(|group| group.new.contains(new_idx)))
        .map(|new_idx| &ask.new[new_idx])?;
    Some((
        format!(
            "the new text has a line that stands for omitted code: `{}`",
            clip(line.trim())
        ),
        "write the lines out, or leave them out of both halves of the block".to_string(),
    ))
}

pub(super) fn problem_hint(kind: ProblemKind) -> String {
    match kind {
        ProblemKind::Open => "send the block again, whole".to_string(),
        ProblemKind::Marker | ProblemKind::Malformed => "send the block again in the form described".to_string(),
        ProblemKind::Name => "put the path of the file on the line above the block".to_string(),
    }
}

/// (kind, reason, hint) of a hunk without a place.
pub(super) fn trouble(
    trouble: &Trouble,
    wanted: &Wanted,
    text: &FileText<'_>,
    path: &str,
) -> (FailureKind, String, String) {
    let document = &text.document;
    let ask = &wanted.ask;
    match trouble {
        Trouble::Nowhere => (FailureKind::NotFound, nowhere(ask, path), nearest(ask, document)),
        Trouble::Several { lines } => (
            FailureKind::Ambiguous,
            match ask.n_filled_old() {
                0 => format!("the new text may belong at {} places in `{path}`", lines.len()),
                _ => format!(
                    "the lines to change, from {}, stand at {} places in `{path}`",
                    begin(ask),
                    lines.len()
                ),
            },
            format!(
                "they begin at {}; add lines above or below that only the right place has",
                numbers("line", lines)
            ),
        ),
        Trouble::Unseen { line } => (
            FailureKind::Refused,
            format!("the lines to change stand in `{path}` from line {line} on, in a part that you were not shown"),
            format!("copy lines that you were shown, or name the part in backticks (`{path}:name`) and stop to see it"),
        ),
        Trouble::Obstructed { line, obstacle } => {
            let (kind, reason) = obstructed(obstacle, document, path, *line);
            (kind, reason, nearest(ask, document))
        }
        Trouble::Overlap { other } => (
            FailureKind::Overlap,
            format!(
                "block {} and block {other} change the same lines of `{path}`",
                wanted.block
            ),
            format!("block {other} is taken as it is; write this block for the text after it, or leave it out"),
        ),
        Trouble::NoPlace => (
            FailureKind::Refused,
            format!("the block does not say where in `{path}` its text belongs"),
            "repeat the line before the new text in both halves of the block".to_string(),
        ),
        Trouble::Repeats => (
            FailureKind::Refused,
            format!("most of the text to append is in `{path}` already"),
            "to change the file, send the lines that change with what stands there now".to_string(),
        ),
        Trouble::NoAnchor => (
            FailureKind::NotFound,
            format!(
                "the line above the new text is not in `{path}`: `{}`",
                clip(ask.anchors.last().map_or("", |anchor| anchor))
            ),
            "repeat a line of the file beside the new text".to_string(),
        ),
        Trouble::Nothing => (
            FailureKind::NotFound,
            "the block changes nothing: both halves are empty".to_string(),
            String::new(),
        ),
    }
}

fn nowhere(ask: &Ask, path: &str) -> String {
    match ask.n_filled_old() {
        1 => format!("the line to change is not in `{path}`: {}", begin(ask)),
        _ => format!(
            "the {} lines of the block, from {}, are not in `{path}` as one piece",
            ask.old.len(),
            begin(ask)
        ),
    }
}

/// The first line of the block that is not blank: it says which block is meant better than a number.
fn begin(ask: &Ask) -> String {
    let first = ask.old.iter().find(|line| !line.trim().is_empty());
    format!("`{}`", clip(first.map_or("", |line| line.trim())))
}

fn obstructed(obstacle: &Obstacle, document: &Document<'_>, path: &str, line: usize) -> (FailureKind, String) {
    let reason = match obstacle {
        Obstacle::Indentation { line: new } => format!(
            "the place is at line {line} of `{path}`, but the indentation of `{}` cannot be known",
            clip(new.trim())
        ),
        Obstacle::Between { position } => format!(
            "line {} of `{path}` stands among the lines to change and is not in the block",
            document.original_number(*position)
        ),
        Obstacle::PartlyThere { line } => {
            format!(
                "some of the new lines already stand in `{path}` near line {}, others do not",
                document.original_number(line - 1)
            )
        }
        Obstacle::NotLookedAt => format!("the lines to change stand at a great many places in `{path}`"),
        Obstacle::Apart => {
            format!("the parts of the block stand apart in `{path}`, so it is unclear where the text between them goes")
        }
        Obstacle::NoNeighbour => format!("no line beside the new text is in `{path}`"),
        Obstacle::ChangedLineMissing { line } => {
            format!("a line to change is not in `{path}`: `{}`", clip(line.trim()))
        }
    };
    (FailureKind::NotFound, reason)
}

/// The closest lines of the file with their numbers; `!` marks those that the block has otherwise or not at all.
fn nearest(ask: &Ask, document: &Document<'_>) -> String {
    let Some(Closest { lines, missing }) = closest(ask, document) else {
        let nothing = if document.is_empty() {
            "the file is empty"
        } else {
            "no line of the file resembles the block"
        };
        return nothing.to_string();
    };
    let differs = |line: &Shown| !line.is_equal && !line.text.trim().is_empty();
    let mut out = "the closest lines of the file are (`!` marks lines that differ from the block):\n".to_string();
    let mut before = None;
    for idx in excerpt(&lines) {
        if before.is_some_and(|before| before + 1 != idx) {
            out.push_str("  ...\n");
        }
        before = Some(idx);
        let line = &lines[idx];
        let mark = if differs(line) { '!' } else { ' ' };
        let number = line
            .number
            .map_or_else(|| "new".to_string(), |number| number.to_string());
        let _ = writeln!(out, "{mark} {number:>5} | {}", clip(&line.text));
    }
    if !lines.iter().any(differs) && missing.is_empty() {
        out.push_str("they differ in blanks or blank lines only\n");
    }
    for (nth, old_idx) in missing.iter().enumerate().take(MAX_MISSING_SHOWN) {
        let word = if nth == 0 { "not in these lines" } else { "nor" };
        let _ = writeln!(out, "{word}: `{}`", clip(ask.old[*old_idx].trim()));
    }
    if missing.len() > MAX_MISSING_SHOWN {
        let _ = writeln!(out, "nor {} more lines of the block", missing.len() - MAX_MISSING_SHOWN);
    }
    out.trim_end().to_string()
}

/// Which of many lines are shown: the first and last ones, and those that differ with a line around them.
fn excerpt(lines: &[Shown]) -> Vec<usize> {
    if lines.len() <= MAX_LINES_SHOWN {
        return (0..lines.len()).collect();
    }
    let mut shown = BTreeSet::from([0, 1, lines.len() - 2, lines.len() - 1]);
    for (idx, _) in lines.iter().enumerate().filter(|(_, line)| !line.is_equal) {
        if shown.len() + 3 > MAX_LINES_SHOWN {
            break;
        }
        shown.extend(idx.saturating_sub(1)..(idx + 2).min(lines.len()));
    }
    shown.into_iter().collect()
}

fn list(items: &[String]) -> String {
    items
        .iter()
        .map(|item| format!("`{item}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn numbers(word: &str, lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(MAX_PLACES).map(ToString::to_string).collect();
    let more = lines.len().saturating_sub(MAX_PLACES);
    let tail = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{word}s {}{tail}", shown.join(", "))
}

fn clip(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}
