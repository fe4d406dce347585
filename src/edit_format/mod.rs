//! Reads model replies: from the raw text of a reply to the edits that it asks for.
//!
//! Reading never fails. What cannot be understood becomes a [`Problem`], what can becomes an [`Edit`]; where an edit
//! belongs in its file is not decided here (see [`crate::apply`]). No file is looked at.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod auto;
mod decoration;
mod diff;
mod diff_fenced;
mod entities;
mod fenced;
mod found;
mod hunks;
mod lines;
mod name_search;
mod names;
mod patch;
mod prompts;
mod scan;
mod search_replace;
mod settle;
mod shell;
mod stream;
mod targets;
mod thinking;
mod udiff;
mod whole;

use std::collections::BTreeMap;
use std::ops::Range;

pub use stream::Progress;
pub use stream::ReplyReader;
pub use stream::Role;
pub use stream::UnderWay;

/// One way in which a model writes edits. To add one: a file with a unit struct, a row in [`EDIT_FORMATS`], its prompts
/// in `prompts/`, its cases in `fixtures/edit_format/<name>/`.
pub trait EditFormat: Sync {
    /// As in `--edit-format` and `--format`: `diff`, `diff-fenced`, `udiff`, `whole`, `patch`, their `editor-` variants, `auto`.
    fn name(&self) -> &'static str;

    /// Reads one whole reply.
    fn parse(&self, reply: &str, hints: &Hints) -> Parsed;

    /// What the model is told about the format. None for formats that are only read (`auto`).
    fn prompts(&self) -> Option<Prompts>;
}

/// The instructions of a format. `{open}` and `{close}` stand for the fence that files and edits are quoted in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    /// How to write edits; part of the system message.
    pub system: String,
    /// (what a user says, what a good reply is).
    pub examples: Vec<(String, String)>,
    /// Repeated after the request for models that need it.
    pub reminder: String,
}

/// Every edit format, in the order of the README.
pub static EDIT_FORMATS: &[&dyn EditFormat] = &[
    &diff::Diff,
    &diff_fenced::DiffFenced,
    &udiff::Udiff,
    &whole::Whole,
    &patch::Patch,
    &diff::EditorDiff,
    &diff_fenced::EditorDiffFenced,
    &whole::EditorWhole,
    &auto::Auto,
];

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static dyn EditFormat> {
    EDIT_FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The format in which a model carries out a plan when it usually writes edits in the format called `name`.
pub fn for_editor(name: &str) -> &'static dyn EditFormat {
    by_name(&format!("editor-{name}"))
        .or_else(|| by_name(name))
        .filter(|format| format.prompts().is_some())
        .unwrap_or(&diff::EditorDiff)
}

/// What a reader may know about the project besides the reply. All paths are relative to the root, with `/`.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// Files that the model was given and may edit.
    pub chat_files: Vec<String>,
    /// Those of which it saw only some lines: these, from 0, without the ends. None of them may be replaced as a whole, and
    /// where old lines stand in several places, one that was seen is meant.
    pub partly_shown: BTreeMap<String, Vec<Range<usize>>>,
    /// Every file of the project that is known (chat files included); may be empty.
    pub known_files: Vec<String>,
    /// Absolute root of the project, to understand absolute names in replies.
    pub root: Option<String>,
}

/// Everything that was read from one reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// In the order of the reply.
    pub edits: Vec<Edit>,
    /// What looked like an edit and could not be read; told to the model by [`crate::apply::report`].
    pub problems: Vec<Problem>,
    /// Shell blocks: suggestions for the user, never edits.
    pub suggestions: Vec<ShellSuggestion>,
}

/// One change that a reply asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Number of the block in the reply, from 1. Several hunks for one file in one block share it.
    pub block: usize,
    /// Line of the reply on which the block starts, from 1.
    pub line: usize,
    /// The file it is for.
    pub target: Target,
    pub op: Op,
}

/// The file an edit names, as far as the reply says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Candidates, decoration stripped, best first (never empty). The planner takes the first that resolves.
    Named(Vec<String>),
    /// No name stood near the block. `previous` is the file of the block before it, `prose_between` whether other text
    /// stands between that block and this one.
    Unnamed {
        previous: Option<String>,
        prose_between: bool,
    },
}

/// What an edit does to its file. Texts use `\n` between lines, whatever the reply used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Replaces old lines by new ones, in order.
    Modify {
        hunks: Vec<Hunk>,
    },
    /// The whole new text of a file, new or old.
    Write {
        text: String,
        basis: Basis,
    },
    /// A file that must not exist yet.
    Create {
        text: String,
    },
    Delete,
    /// Renames the file and then applies the hunks (may be empty) to it.
    Move {
        to: String,
        hunks: Vec<Hunk>,
    },
}

/// Why a fenced text is taken for a whole file: the less the reply says so, the more the text must be like the file that
/// it would replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Whole files were asked for, and the reply says that it writes anew what was there.
    Rewrite,
    /// Whole files were asked for, and the text stands under the file's name.
    Asked,
    /// Something else was asked for, or no more than a sentence names the file: it may be a sample, an excerpt, an output.
    Guess,
}

/// One (old lines, new lines) pair. Lines hold no line ending. Empty `old` means an insertion or a new file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    pub old: Vec<String>,
    pub new: Vec<String>,
    /// Lines that stand above the place, outermost first (`@@ class A` then `@@ def f`).
    pub anchors: Vec<String>,
    /// The old lines end at the end of the file.
    pub at_end: bool,
    /// It is a hunk of a diff or patch: context that leaves lines of the file out is no mistake there.
    pub in_diff: bool,
    /// The reply says that the file goes: when nothing of it is left, it is deleted and not just emptied.
    pub ends_file: bool,
}

/// Something that looked like an edit and could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub block: usize,
    /// Line of the reply, from 1.
    pub line: usize,
    pub path: Option<String>,
    pub kind: ProblemKind,
    /// One sentence for the model and the user, without a full stop.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The reply ends inside the block.
    Open,
    /// A marker is missing or stands where none can.
    Marker,
    /// No file name could be found.
    Name,
    /// The block is understood but not possible (a patch without a hunk, ...).
    Malformed,
}

/// A script that the model suggests to run: one fenced block is one script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellSuggestion {
    /// `bash`, `sh`, `powershell`, ... as the fence said.
    pub shell: String,
    pub script: String,
}
