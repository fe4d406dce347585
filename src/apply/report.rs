//! The text that hands failures back to the model.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{FailureKind, Plan, WriteKind};

/// The report is not longer than about this, in bytes; what does not fit is counted.
const MAX_REPORT: usize = 16_000;

pub(super) fn report(plan: &Plan) -> String {
    if plan.failures.is_empty() {
        return String::new();
    }
    let n_failed = plan.failures.len();
    let mut out = match n_failed {
        1 => "One edit of your reply could not be applied, so nothing of it was written yet.\n".to_string(),
        n => format!("{n} edits of your reply could not be applied, so nothing of it was written yet.\n"),
    };
    for (nth, failure) in plan.failures.iter().enumerate() {
        let title = match &failure.path {
            Some(path) => format!("\n## Block {}, `{path}`: {}\n\n", failure.block, word(failure.kind)),
            None => format!("\n## Block {}: {}\n\n", failure.block, word(failure.kind)),
        };
        let mut entry = format!("{title}{}\n", sentence(&failure.reason));
        if !failure.hint.is_empty() {
            let _ = writeln!(entry, "{}", sentence(&failure.hint));
        }
        if out.len() + entry.len() > MAX_REPORT {
            let _ = writeln!(out, "\nAnd {} more.", n_failed - nth);
            break;
        }
        out.push_str(&entry);
    }
    out.push_str(&staged(plan));
    let blocks: BTreeSet<usize> = plan.failures.iter().map(|failure| failure.block).collect();
    let what = match blocks.len() {
        1 => "a corrected version of this block",
        _ => "corrected versions of these blocks",
    };
    // Only such failures come from lines that are not as the block has them.
    let copied = plan
        .failures
        .iter()
        .any(|failure| failure.kind == FailureKind::NotFound && failure.hint.contains('\n'));
    let how = if copied {
        " Copy the lines to change from the file as it is now."
    } else {
        ""
    };
    let _ = writeln!(out, "\nSend {what} and nothing else.{how}");
    out
}

fn word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NotFound => "not found",
        FailureKind::Ambiguous => "ambiguous",
        FailureKind::Unreadable => "could not be read",
        FailureKind::Overlap => "overlaps",
        FailureKind::Refused => "refused",
        FailureKind::Omission => "code left out",
        FailureKind::Stale => "the file changed meanwhile",
    }
}

/// What waits for the failed blocks, block by block.
fn staged(plan: &Plan) -> String {
    if plan.placed.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "\n## Already prepared\n\nThese edits fit and are kept until the rest does. Do not send them again.\n\n",
    );
    let mut before = None;
    for placed in &plan.placed {
        let what = match &placed.kind {
            WriteKind::Modify => String::new(),
            WriteKind::Create => " (new file)".to_string(),
            WriteKind::Delete => " (deleted)".to_string(),
            WriteKind::Move { from } => format!(" (moved from `{from}`)"),
        };
        let there = if placed.strategy == "already-there" {
            ", already in the file"
        } else {
            ""
        };
        let entry = format!("- block {}: `{}`{what}{there}\n", placed.block, placed.path);
        if before.as_ref() != Some(&entry) {
            out.push_str(&entry);
        }
        before = Some(entry);
        if out.len() > MAX_REPORT / 4 {
            out.push_str("- and the others\n");
            break;
        }
    }
    out
}

/// Begins with a capital letter; a text of one line ends with a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let mut out: String = first.to_uppercase().chain(chars).collect();
    if !text.contains('\n') && !text.ends_with(['.', '!', '?', ':']) {
        out.push('.');
    }
    out
}
