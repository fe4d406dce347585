//! Puts edits into files, in memory: from edits and the files' contents to a plan that can be written as one whole,
//! and from a plan's failures to the text that asks the model again.
//!
//! Loose matching may locate, it may not rewrite: see `ladder.rs`. Nothing is read or written here.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;

use crate::edit_format::{Hints, Parsed};

pub use merge::{Conflict, merge3};

mod anchors;
mod change;
mod closest;
mod document;
mod explain;
mod indent;
mod ladder;
mod likeness;
mod matchers;
mod merge;
mod names;
mod omission;
mod place;
mod plan;
mod plausible;
mod report;
mod split;
mod targets;
mod warnings;
mod windows;

/// What stands at a path, as the caller found it. Paths are relative to the root, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The decoded text, line endings as in the file, without a BOM.
    Text(String),
    Absent,
    /// It may not be written, with the reason as a clause: `is a directory`, `is read-only in this chat`,
    /// `is outside the project`, `is not text`.
    Refused(String),
}

pub type Contents = BTreeMap<String, Content>;

/// What a reply would do to the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// One entry a file that would change, by path; computed as if every failed edit were left out.
    pub writes: Vec<FileWrite>,
    /// One entry an edit (or hunk) that fits, in the order of the reply.
    pub placed: Vec<Placed>,
    pub failures: Vec<Failure>,
    /// What the user should know and what is no failure (a removed definition that is still used elsewhere, ...).
    pub warnings: Vec<String>,
}

/// The new state of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWrite {
    pub path: String,
    pub kind: WriteKind,
    /// The text before; None when the file did not exist.
    pub before: Option<String>,
    /// The text after; None when the file is deleted.
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteKind {
    Modify,
    Create,
    Delete,
    /// `path` is the new name.
    Move {
        from: String,
    },
}

/// An edit that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub block: usize,
    pub path: String,
    pub kind: WriteKind,
    /// Name of the matcher that found the place (`exact`, `indent`, ..., `create`, `whole`, `delete`, `already-there`).
    pub strategy: &'static str,
    /// First line of the place in the file before this reply, from 1; None for whole-file operations.
    pub line: Option<usize>,
}

/// An edit that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub block: usize,
    pub path: Option<String>,
    pub kind: FailureKind,
    /// What is wrong, as one sentence that begins in lower case, without a full stop.
    pub reason: String,
    /// What would help: the closest real lines with numbers, the candidates, the way out; several lines, or one that is
    /// written as `reason` is. May be empty.
    pub hint: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    NotFound,
    Ambiguous,
    /// The reply broke off or the block could not be read.
    Unreadable,
    /// Another edit of the reply touches the same lines.
    Overlap,
    /// The fence, a read-only file, an existing file under Create, ...
    Refused,
    /// Code would be lost behind an omission comment or by a whole file that shrinks.
    Omission,
    /// The file changed since the model saw it and the edits do not merge.
    Stale,
}

impl Plan {
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty()
    }

    /// Takes what was planned for one file out again: every edit that was placed in it becomes a failure (of block 0 when
    /// there is none).
    pub fn refuse(&mut self, path: &str, kind: FailureKind, reason: &str, hint: &str) {
        let concerns = |kind: &WriteKind| matches!(kind, WriteKind::Move { from } if from == path);
        self.writes.retain(|write| write.path != path && !concerns(&write.kind));
        let (refused, placed): (Vec<_>, Vec<_>) = std::mem::take(&mut self.placed)
            .into_iter()
            .partition(|placed| placed.path == path || concerns(&placed.kind));
        self.placed = placed;
        let mut blocks: Vec<usize> = refused.into_iter().map(|placed| placed.block).collect();
        blocks.dedup();
        if blocks.is_empty() {
            blocks.push(0);
        }
        self.failures.extend(blocks.into_iter().map(|block| Failure {
            block,
            path: Some(path.to_string()),
            kind,
            reason: reason.to_string(),
            hint: hint.to_string(),
        }));
    }
}

/// The paths whose contents [`plan`] needs, sorted. Names are resolved against `hints` as [`plan`] will do it; every
/// path that could be meant is listed, also those that may not exist.
pub fn paths_to_read(parsed: &Parsed, hints: &Hints) -> Vec<String> {
    plan::paths_to_read(parsed, hints)
}

/// Places all edits of a reply, in order, against one text a file. A path missing from `contents` counts as absent.
pub fn plan(parsed: &Parsed, hints: &Hints, contents: &Contents) -> Plan {
    plan::plan(parsed, hints, contents)
}

/// The text that hands failures back to the model: what failed and why, with the closest real lines, what is staged
/// and must not be sent again. Empty when nothing failed.
pub fn report(plan: &Plan) -> String {
    report::report(plan)
}

#[cfg(test)]
mod tests;
