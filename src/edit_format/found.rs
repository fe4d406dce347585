//! What a walk through a reply finds, before it is settled what of it counts.

use std::borrow::Cow;

use super::Edit;
use super::Op;
use super::Problem;
use super::ProblemKind;
use super::Target;

/// The shape that the model was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    SearchReplace,
    Udiff,
    Whole,
    Patch,
    /// Nobody knows.
    Any,
}

/// Why a block could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) kind: ProblemKind,
    pub(super) message: String,
}

impl Unreadable {
    pub(super) fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// One file's part of a patch or a diff.
pub(super) struct Section<'a> {
    /// Index of its first line.
    pub(super) start: usize,
    /// Names as written, best first; empty when the part names no file.
    pub(super) names: Vec<Cow<'a, str>>,
    /// Other readings of the names, believed only when the project has such a file.
    pub(super) other_names: Vec<Cow<'a, str>>,
    pub(super) op: Result<Op, Unreadable>,
}

impl Section<'_> {
    pub(super) fn unnamed(start: usize, unreadable: Unreadable) -> Self {
        Self {
            start,
            names: Vec::new(),
            other_names: Vec::new(),
            op: Err(unreadable),
        }
    }
}

/// Something that a reply holds, before it is settled what of it counts.
#[derive(Debug)]
pub(super) struct Item {
    /// Line of the reply, from 1.
    pub(super) line: usize,
    pub(super) strength: Strength,
    pub(super) target: Target,
    pub(super) op: Result<Op, Unreadable>,
}

/// How surely an item is meant as an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// It has markers of its own.
    Marked,
    /// A fenced diff without file headers: perhaps only shown.
    BareDiff,
    /// A fenced text under a file's name: perhaps the whole file.
    Named,
    /// A fenced text, and a sentence or a comment names a file.
    Mentioned,
    /// A fenced text without any name.
    Nameless { may_be_file: bool },
}

impl Item {
    pub(super) fn path(&self) -> Option<&str> {
        match &self.target {
            Target::Named(names) => names.first().map(String::as_str),
            Target::Unnamed { .. } => None,
        }
    }

    pub(super) fn into_result(self, block: usize) -> Result<Edit, Problem> {
        let path = self.path().map(str::to_string);
        match self.op {
            Ok(op) => Ok(Edit {
                block,
                line: self.line,
                target: self.target,
                op,
            }),
            Err(Unreadable { kind, message }) => Err(Problem {
                block,
                line: self.line,
                path,
                kind,
                message,
            }),
        }
    }
}
