//! Walks through a reply once and hands each thing it meets to the reader of its shape: SEARCH/REPLACE blocks, diffs,
//! patches, fenced files, shell blocks, thinking sections.
//!
//! Every format uses the same walk, so that a reply in another format than asked, or in several, is understood. What
//! the asked format changes is how much a fenced text without markers is believed to be a whole file (see `settle.rs`).

use std::ops::Range;

use super::Basis;
use super::Hints;
use super::Op;
use super::Parsed;
use super::ProblemKind;
use super::ShellSuggestion;
use super::Target;
use super::decoration;
use super::fenced;
use super::fenced::Extent;
use super::found::Asked;
use super::found::Item;
use super::found::Strength;
use super::found::Unreadable;
use super::lines;
use super::lines::Line;
use super::name_search;
use super::name_search::Plainness;
use super::names::Project;
use super::patch;
use super::search_replace;
use super::search_replace::Marker;
use super::settle;
use super::shell;
use super::targets;
use super::thinking;
use super::udiff;
use super::whole;
use crate::text::fence::FenceLine;

/// Reads one reply.
pub(super) fn read(reply: &str, hints: &Hints, asked: Asked) -> Parsed {
    let project = Project::new(hints);
    let mut scanner = Scanner {
        lines: lines::split(reply),
        project,
        asked,
        at: 0,
        floor: 0,
        fences: Vec::new(),
        previous: None,
        prose_between: false,
        items: Vec::new(),
        suggestions: Vec::new(),
        forgot_edits_at: None,
        speaks_of_rewriting: false,
        deletes: false,
    };
    scanner.skip_leading_section();
    while scanner.at < scanner.lines.len() {
        scanner.step();
    }
    scanner.tell_forgotten_edits();
    settle::settle(scanner.items, scanner.suggestions, asked, &scanner.project)
}

struct Scanner<'a> {
    lines: Vec<Line<'a>>,
    project: Project<'a>,
    asked: Asked,
    /// Index of the line to look at next.
    at: usize,
    /// Names are not looked for above this line: what stands there belongs to something else.
    floor: usize,
    /// Opening lines of fences that are read through because edits stand in them.
    fences: Vec<FenceLine<'a>>,
    /// The file of the last edit.
    previous: Option<String>,
    /// Whether text stands between the last edit and here.
    prose_between: bool,
    items: Vec<Item>,
    suggestions: Vec<ShellSuggestion>,
    /// Line of the end of a thinking section before which edits stood.
    forgot_edits_at: Option<usize>,
    /// Whether the prose so far says that a file is written anew.
    speaks_of_rewriting: bool,
    /// Whether the last block stands where a file is said to be deleted.
    deletes: bool,
}

/// Whether an edit with markers of its own begins on this line.
pub(super) fn edit_begins(lines: &[Line<'_>], idx: usize) -> bool {
    let text = lines[idx].text;
    match text.trim_start().as_bytes().first() {
        Some(b'<' | b'>' | b'&' | b'+') => bounds_block(text),
        Some(b'-') => bounds_block(text) || udiff::begins(lines, idx),
        Some(b'd') => udiff::begins(lines, idx),
        Some(b'*') => patch::begins(text),
        _ => false,
    }
}

/// A last marker counts too: one without a first marker is a broken block.
fn bounds_block(text: &str) -> bool {
    search_replace::marker_line(text).is_some_and(|found| matches!(found.marker, Marker::Search | Marker::Replace))
}

impl<'a> Scanner<'a> {
    fn step(&mut self) {
        let line = self.lines[self.at];
        if line.is_blank() {
            self.at += 1;
        } else if self.skip_thinking(line) {
        } else if let Some(found) =
            search_replace::marker_line(line.text).filter(|found| found.marker != Marker::Divider)
        {
            self.marker(line, found.marker);
        } else if patch::begins(line.text) {
            self.patch();
        } else if udiff::begins(&self.lines, self.at) || (udiff::is_numbered_hunk(line.text) && self.fences.is_empty())
        {
            self.diff();
        } else if let Some(fence) = FenceLine::read(line.text) {
            self.fence(fence);
        } else {
            self.prose_between |= !patch::is_end(line.text);
            self.speaks_of_rewriting |= whole::speaks_of_rewriting(line.text);
            self.at += 1;
        }
    }

    // --- thinking

    fn skip_leading_section(&mut self) {
        let Some(first) = self.lines.iter().position(|line| !line.is_blank()) else {
            return;
        };
        let lines = &self.lines;
        let is_edit = |idx: usize| edit_begins(lines, idx) || FenceLine::read(lines[idx].text).is_some();
        if let Some(thinking::Section::Closed { last, rest }) = thinking::leading_section(lines, first, is_edit) {
            self.continue_with(last, rest);
        }
    }

    /// Skips a thinking section that begins or, if its beginning is missing, ends here.
    fn skip_thinking(&mut self, line: Line<'a>) -> bool {
        if let Some(rest) = thinking::stray_end(line.text) {
            self.forget_thoughts();
            self.continue_with(self.at, rest);
            return true;
        }
        if !self.fences.is_empty() {
            return false;
        }
        match thinking::section(&self.lines, self.at) {
            Some(thinking::Section::Closed { last, rest }) => self.continue_with(last, rest),
            Some(thinking::Section::Open { name }) => {
                let hides_edit = (self.at..self.lines.len()).any(|idx| edit_begins(&self.lines, idx));
                if hides_edit {
                    let message =
                        format!("the thinking section `{name}` has no end, so nothing in it was taken as an edit");
                    self.push(
                        self.at,
                        Strength::Marked,
                        self.unnamed(),
                        Err(Unreadable::new(ProblemKind::Open, message)),
                    );
                }
                self.at = self.lines.len();
            }
            None => return false,
        }
        true
    }

    /// All so far was thought.
    fn forget_thoughts(&mut self) {
        if !self.items.is_empty() {
            self.forgot_edits_at = Some(self.at);
        }
        self.items.clear();
        self.suggestions.clear();
        self.fences.clear();
        self.previous = None;
        self.prose_between = false;
    }

    /// Edits that stand before the end of a thinking section only: nobody knows whether they are meant.
    fn tell_forgotten_edits(&mut self) {
        if let Some(at) = self.forgot_edits_at.filter(|_| self.items.is_empty()) {
            let message = "the only edits stand before the end of a thinking section, so they were taken as thoughts";
            let unreadable = Unreadable::new(ProblemKind::Malformed, message);
            self.push(at, Strength::Marked, self.unnamed(), Err(unreadable));
        }
    }

    /// Goes on with what stands on line `at` behind the end of a thinking section.
    fn continue_with(&mut self, at: usize, rest: &'a str) {
        self.lines[at].text = rest;
        self.at = at;
        self.floor = at;
    }

    // --- edits with markers

    fn marker(&mut self, line: Line<'a>, marker: Marker) {
        match marker {
            Marker::Search => self.search_replace(line),
            // Written twice.
            Marker::Replace if self.is_right_behind_edit() => self.at += 1,
            Marker::Replace => {
                let message = "a `>>>>>>> REPLACE` line has no `<<<<<<< SEARCH` line before it";
                let unreadable = Unreadable::new(ProblemKind::Marker, message);
                self.push(self.at, Strength::Marked, self.unnamed(), Err(unreadable));
                self.end_edit(self.at + 1);
            }
            Marker::Divider | Marker::ConflictStart | Marker::ConflictEnd => {
                self.prose_between = true;
                self.at += 1;
            }
        }
    }

    fn is_right_behind_edit(&self) -> bool {
        let between = &self.lines[self.floor..self.at];
        !self.items.is_empty() && !self.prose_between && between.iter().all(Line::is_blank)
    }

    fn search_replace(&mut self, line: Line<'a>) {
        let start = self.at;
        let on_marker = search_replace::text_on_marker(line.text);
        let target = match decoration::whole_line(on_marker, &self.project) {
            Some(found) => self.named(&found.name),
            None => self.target_above(start),
        };
        let block = search_replace::read(&self.lines, start, self.fences.last());
        self.deletes = self.speaks_of_deleting(start, &target);
        let op = block.hunk.map(|mut hunk| {
            hunk.ends_file = self.deletes && hunk.new.iter().all(|line| line.trim().is_empty());
            Op::Modify { hunks: vec![hunk] }
        });
        let is_unreadable = op.is_err();
        self.push(start, Strength::Marked, target, op);
        self.end_edit(block.end);
        if is_unreadable {
            // The name of the next block may stand among the lines of this one.
            self.floor = start + 1;
        }
    }

    /// Whether the text above a block says that its file is deleted, or the block goes on with a list of such.
    fn speaks_of_deleting(&self, start: usize, target: &Target) -> bool {
        let above = &self.lines[self.floor.max(start.saturating_sub(name_search::REACH))..start];
        let says = |sentence: &str| {
            let text = sentence.to_lowercase();
            let is_denied = ["not ", "n't ", "never ", "without "].iter().any(|no| {
                ["delet", "be delet", "to delet"]
                    .iter()
                    .any(|what| text.contains(&format!("{no}{what}")))
            });
            let of_a_file = text.contains("file") || text.contains('.');
            text.contains("delet") && !is_denied && of_a_file && !names_only_others(&text, target)
        };
        let goes_on = || {
            above
                .iter()
                .filter(|line| !line.is_blank() && FenceLine::read(line.text).is_none())
                .count()
                <= 1
        };
        above.iter().flat_map(|line| line.text.split_inclusive(". ")).any(says) || self.deletes && goes_on()
    }

    fn patch(&mut self) {
        let start = self.at;
        let here_document = self.here_document_above(start);
        let fence = self.fences.last().copied();
        let closes = |text: &str| ends_surroundings(text, fence.as_ref(), here_document);
        let envelope = patch::read(&self.lines, start, closes);
        let folder = self.folder_above(start);
        for section in envelope.sections {
            let target = match section.names.first() {
                Some(name) => targets::named(name, folder, &self.project),
                None => self.unnamed(),
            };
            let op = section
                .op
                .map(|op| targets::with_plain_destination(op, folder, &self.project));
            self.push(section.start, Strength::Marked, target, op);
        }
        self.end_edit(envelope.end);
    }

    /// The tag of `apply_patch <<'EOF'` in the line above.
    fn here_document_above(&self, start: usize) -> Option<&'a str> {
        let above = self.lines[self.floor..start]
            .iter()
            .rev()
            .find(|line| !line.is_blank())?;
        let (_, tag) = above.text.split_once("<<")?;
        let tag = tag.trim_start_matches('-').trim().trim_matches(['\'', '"']);
        (!tag.is_empty() && tag.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(tag)
    }

    /// The folder of `cd web && apply_patch <<'EOF'` in the line above.
    fn folder_above(&self, start: usize) -> Option<&'a str> {
        let above = self.lines[self.floor..start]
            .iter()
            .rev()
            .find(|line| !line.is_blank())?;
        let (folder, _) = above.text.trim().strip_prefix("cd ")?.split_once("&&")?;
        let folder = folder.trim().trim_matches(['\'', '"']).trim_end_matches('/');
        (above.text.contains("<<") && !folder.is_empty()).then_some(folder)
    }

    fn diff(&mut self) {
        let start = self.at;
        let fence = self.fences.last().copied();
        let here_document = self.here_document_above(start);
        let can_end = fence.is_some() || here_document.is_some();
        let until = if can_end {
            udiff::Until::FenceEnd
        } else {
            udiff::Until::Prose
        };
        let fence_end = (start..self.lines.len())
            .find(|idx| can_end && ends_surroundings(self.lines[*idx].text, fence.as_ref(), here_document));
        let end = fence_end.unwrap_or(self.lines.len());
        let above = self.target_above(start);
        self.diff_lines(start..end, until, fence_end.is_none(), Strength::Marked, &above);
    }

    /// Reads the diff in `lines`. A first section without a header is for the file `above`.
    fn diff_lines(
        &mut self,
        lines: Range<usize>,
        until: udiff::Until,
        is_cut: bool,
        strength: Strength,
        above: &Target,
    ) {
        let diff = udiff::read(&self.lines[..lines.end], lines.start, until, is_cut);
        for section in diff.sections {
            let target = targets::of_diff(&section, &self.project).unwrap_or_else(|| above.clone());
            let op = section.op.map(|op| {
                let op = targets::renamed_by_header(op, &section.names, &section.other_names, &self.project);
                targets::with_plain_destination(op, None, &self.project)
            });
            self.push(section.start, strength, target, op);
        }
        self.end_edit(diff.end);
    }

    // --- fences

    fn fence(&mut self, fence: FenceLine<'a>) {
        if let Some(depth) = self.fences.iter().rposition(|opener| fence.closes(opener)) {
            self.fences.truncate(depth);
            self.at += 1;
            return;
        }
        if !fence.can_open() {
            self.at += 1;
            return;
        }
        let start = self.at;
        let found = self.fence_name(start, &fence);
        let name = found.as_ref().map(|found| found.name.as_str());
        let in_markdown = fenced::holds_markdown(fence.info, name);
        let extent = fenced::extent(&self.lines, start, &fence, in_markdown, &self.project, |idx| {
            edit_begins(&self.lines, idx)
        });
        if let Some((idx, depth)) = extent.edit
            && self.reads_through(start, idx, depth, name.is_some(), in_markdown)
        {
            self.fences.push(fence);
            self.at += 1;
            return;
        }
        // The edit that was met is a sample in a quoted file.
        let extent = match extent.edit {
            Some(_) => fenced::extent(&self.lines, start, &fence, in_markdown, &self.project, |_| false),
            None => extent,
        };
        self.quoted(start, &extent, fence, found);
        self.at = extent.close.map_or(self.lines.len(), |close| close + 1);
        self.floor = self.at;
        self.prose_between = true;
    }

    /// The name for a fenced text: on the fence, or above it.
    fn fence_name(&self, start: usize, fence: &FenceLine<'_>) -> Option<name_search::Found> {
        match decoration::in_fence_info(fence.info, &self.project) {
            Some(name) => Some(name_search::Found::new(name, Plainness::Stated)),
            None => name_search::above(&self.lines, start, self.floor, &self.project),
        }
    }

    /// Whether the edit that begins on `idx` inside the fence of `start` is meant, and is not a sample in a quoted file.
    fn reads_through(&self, start: usize, idx: usize, depth: usize, is_named: bool, in_markdown: bool) -> bool {
        let texts_before = self.lines[start + 1..idx]
            .iter()
            .filter(|line| !line.is_blank())
            .count();
        let stands_first = texts_before <= 1 && depth == 1;
        match self.asked {
            Asked::SearchReplace => true,
            _ if stands_first || !is_named => true,
            Asked::Whole => false,
            Asked::Udiff | Asked::Patch | Asked::Any => depth == 1 && !in_markdown,
        }
    }

    /// A fenced text without markers of edits.
    fn quoted(&mut self, start: usize, extent: &Extent, fence: FenceLine<'a>, found: Option<name_search::Found>) {
        let close = extent.close;
        let end = close.unwrap_or(self.lines.len());
        let content = &self.lines[start + 1..end];
        let is_patch_file = found.as_ref().is_some_and(|found| udiff::is_diff_file(&found.name));
        let is_diff = udiff::is_diff_fence(fence.info) || !is_patch_file && udiff::begins_with_numbers(content);
        if is_diff && udiff::has_changes(content) {
            let above = found.map_or_else(|| self.unnamed(), |found| self.named(&found.name));
            let is_cut = close.is_none();
            self.diff_lines(
                start + 1..end,
                udiff::Until::FenceEnd,
                is_cut,
                Strength::BareDiff,
                &above,
            );
            return;
        }
        let is_stated = found.as_ref().is_some_and(|found| found.plainness == Plainness::Stated);
        if let Some(shell) = shell::shell_of(fence.info) {
            let is_script = is_stated && found.as_ref().is_some_and(|found| whole::may_be_script(&found.name));
            if !is_script {
                // Half a script is not worth a suggestion.
                self.suggestions
                    .extend(close.and_then(|_| shell::suggestion(shell, content)));
                return;
            }
        }
        let quoted = whole::Quoted {
            content,
            fence,
            found,
            is_closed: close.is_some(),
            end_is_unclear: extent.is_unclear,
            nearest_text: self.lines[self.floor..start].iter().map(|line| line.text).collect(),
        };
        let Some(file) = whole::read(&quoted, matches!(self.asked, Asked::Whole | Asked::Any), &self.project) else {
            return;
        };
        let target = match &file.name {
            Some(name) => self.named(name),
            None => self.unnamed(),
        };
        let basis = match file.strength {
            // `settle` takes it back when the reply has edits of another shape.
            Strength::Named if self.asked == Asked::Any && is_stated => Basis::Asked,
            _ if self.asked != Asked::Whole => Basis::Guess,
            _ if self.speaks_of_rewriting => Basis::Rewrite,
            Strength::Named => Basis::Asked,
            _ => Basis::Guess,
        };
        let op = file.text.map(|text| Op::Write { text, basis });
        self.push(start, file.strength, target, op);
    }

    // --- names

    fn target_above(&self, start: usize) -> Target {
        match name_search::above(&self.lines, start, self.floor, &self.project) {
            Some(found) => self.named(&found.name),
            None => self.unnamed(),
        }
    }

    fn named(&self, name: &str) -> Target {
        targets::named(name, None, &self.project)
    }

    fn unnamed(&self) -> Target {
        Target::Unnamed {
            previous: self.previous.clone(),
            prose_between: self.prose_between,
        }
    }

    // --- results

    fn push(&mut self, at: usize, strength: Strength, target: Target, op: Result<Op, Unreadable>) {
        if self.surely_counts(strength)
            && let Target::Named(names) = &target
        {
            self.previous = names.first().cloned();
        }
        self.items.push(Item {
            line: self.lines[at].number,
            strength,
            target,
            op,
        });
    }

    /// Whether the file of such an item is the one that a later block without a name goes on with.
    fn surely_counts(&self, strength: Strength) -> bool {
        match strength {
            Strength::Marked => true,
            Strength::BareDiff => matches!(self.asked, Asked::Udiff | Asked::Any),
            Strength::Named | Strength::Mentioned | Strength::Nameless { .. } => false,
        }
    }

    /// Goes on behind an edit.
    fn end_edit(&mut self, end: usize) {
        self.at = end;
        self.floor = end;
        self.prose_between = false;
    }
}

/// Whether a sentence (in lower case) names files, and none of them is the one that a block is for.
fn names_only_others(sentence: &str, target: &Target) -> bool {
    let Target::Named(candidates) = target else {
        return false;
    };
    let base = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
    let own: Vec<String> = candidates.iter().map(|path| base(path)).collect();
    let mut named = sentence
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '*' | '(' | ')' | ',' | ';' | ':'))
        .map(|word| base(word.trim_end_matches(['.', '!', '?'])))
        .filter(|word| {
            word.rsplit_once('.')
                .is_some_and(|(_, end)| end.chars().all(char::is_alphanumeric))
        })
        .peekable();
    named.peek().is_some() && !named.any(|name| own.contains(&name))
}

/// Whether a line ends what stands around a patch or a diff: its fence, or the here-document with that tag.
fn ends_surroundings(text: &str, fence: Option<&FenceLine<'_>>, here_document: Option<&str>) -> bool {
    here_document.is_some_and(|tag| text.trim() == tag)
        || fence.is_some_and(|opener| FenceLine::read(text).is_some_and(|line| line.closes_signed(opener)))
}
