//! `diff-fenced`: as `diff`, but the file's name stands inside the fence, for models that tend to put it there.

use super::EditFormat;
use super::Hints;
use super::Parsed;
use super::Prompts;
use super::found::Asked;
use super::prompts;
use super::scan;

pub(super) struct DiffFenced;

impl EditFormat for DiffFenced {
    fn name(&self) -> &'static str {
        "diff-fenced"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        scan::read(reply, hints, Asked::SearchReplace)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/diff-fenced.md")))
    }
}

/// `diff-fenced` for the model that carries out an architect's plan.
pub(super) struct EditorDiffFenced;

impl EditFormat for EditorDiffFenced {
    fn name(&self) -> &'static str {
        "editor-diff-fenced"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        DiffFenced.parse(reply, hints)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/editor-diff-fenced.md")))
    }
}
