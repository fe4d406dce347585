//! `diff`: SEARCH/REPLACE blocks under the file's name (see `search_replace.rs`).

use super::EditFormat;
use super::Hints;
use super::Parsed;
use super::Prompts;
use super::found::Asked;
use super::prompts;
use super::scan;

pub(super) struct Diff;

impl EditFormat for Diff {
    fn name(&self) -> &'static str {
        "diff"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        scan::read(reply, hints, Asked::SearchReplace)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/diff.md")))
    }
}

/// `diff` for the model that carries out an architect's plan.
pub(super) struct EditorDiff;

impl EditFormat for EditorDiff {
    fn name(&self) -> &'static str {
        "editor-diff"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        Diff.parse(reply, hints)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/editor-diff.md")))
    }
}
