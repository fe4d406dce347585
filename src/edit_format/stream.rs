//! Reads a reply while it arrives: what to show now, and the edits at the end.
//!
//! What is shown is a guess from the lines so far; only [`ReplyReader::finish`] says what the edits are, and it says
//! the same for every way in which the reply was cut into pieces.

use super::EditFormat;
use super::Hints;
use super::Parsed;
use super::decoration;
use super::lines::Line;
use super::name_search;
use super::name_search::Plainness;
use super::names;
use super::names::Project;
use super::patch;
use super::search_replace;
use super::search_replace::Marker;
use super::shell;
use super::thinking;
use super::udiff;
use crate::text::fence::FenceLine;
use crate::text::fence::Mark;

/// What a completed line of a reply is, for live display. Lines come without their ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A line outside of edits.
    Prose(String),
    /// A line outside of edits that may lead into one: a file's name, a fence, the header of a diff, blank lines behind
    /// these. It belongs to the edit when [`Progress::Opened`] comes before any other line, and is prose otherwise.
    Lead(String),
    /// What ends the surroundings of an edit: its fence, its patch.
    Tail(String),
    /// A line of a thinking section.
    Thinking(String),
    /// An edit begins; `path` as far as the reply says so.
    Opened { path: Option<String> },
    /// A line of an edit, markers included.
    Inside { line: String, role: Role },
    /// The edit is complete.
    Closed,
}

/// What a line inside an edit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A marker, a fence, a header.
    Frame,
    /// Says where in the file, or what becomes of the file: `@@ fn main`, `*** Delete File: a.rs`.
    Place,
    /// Of the lines that are looked for.
    Old,
    /// Of the lines that take their place.
    New,
    /// A line of a diff, behind its sign.
    Removed,
    Added,
    Kept,
    /// A line of a file's whole new text.
    Text,
}

/// What the line is that is not complete yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWay {
    /// It is prose, whatever comes.
    Prose,
    /// It may become a part of an edit.
    Unclear,
    Thinking,
    /// It is a line of an edit.
    Edit,
}

/// A longer line does not lead into an edit, in bytes.
const LONGEST_LEAD: usize = 255;

/// Nor does one of more words.
const MOST_LEAD_WORDS: usize = 4;

/// A beginning of a line that is longer than this is no marker and no tag, in bytes.
const LONGEST_MARK: usize = 40;

/// Takes a reply in pieces.
pub struct ReplyReader {
    format: &'static dyn EditFormat,
    hints: Hints,
    /// The hints for names that are only shown: a long list of files would cost more than it tells.
    shown_hints: Hints,
    text: String,
    /// Where the line begins that is not complete yet, in bytes.
    line_start: usize,
    state: State,
    /// Lines since the last edit, among which its name is looked for.
    recent: Vec<String>,
    /// Opening line of the fence around the current line.
    fence: Option<String>,
    /// An edit stood in that fence.
    fence_is_frame: bool,
    /// Whether the last line was `--- path`.
    after_old_header: bool,
    /// Whether the last line was one that may lead into an edit.
    leading: bool,
    /// The file of the last edit: a block without a name mostly goes on with it.
    last_path: Option<String>,
}

enum State {
    Prose,
    /// Ends with the first of these marks.
    Thinking(Vec<String>),
    /// A SEARCH/REPLACE block, with this many sample blocks around the current line, itself included.
    Block {
        depth: usize,
        side: Role,
    },
    /// `has_section` says that a file's section is shown as open.
    Patch {
        has_section: bool,
    },
    Diff {
        in_hunk: bool,
        /// A line `--- path` within a hunk: a removed line, or the next file's header when `+++` follows.
        header: Option<String>,
    },
    /// A fenced file.
    File,
}

impl ReplyReader {
    pub fn new(format: &'static dyn EditFormat, hints: Hints) -> Self {
        let shown_hints = Hints {
            known_files: Vec::new(),
            ..hints.clone()
        };
        Self {
            format,
            hints,
            shown_hints,
            text: String::new(),
            line_start: 0,
            state: State::Prose,
            recent: Vec::new(),
            fence: None,
            fence_is_frame: false,
            after_old_header: false,
            leading: false,
            last_path: None,
        }
    }

    /// Takes the next piece of the reply, however it was cut. Returns what its completed lines are.
    pub fn push(&mut self, chunk: &str) -> Vec<Progress> {
        let mut searched = self.text.len();
        self.text.push_str(chunk);
        let mut progress = Vec::new();
        while let Some(at) = self.text[searched..].find('\n') {
            let end = searched + at;
            let line = self.text[self.line_start..end].trim_end_matches('\r').to_string();
            self.line(line, &mut progress);
            self.line_start = end + 1;
            searched = end + 1;
        }
        progress
    }

    /// The last line when it has no ending, and the end of what it leaves open. Call once, after the last piece.
    pub fn flush(&mut self) -> Vec<Progress> {
        let mut progress = Vec::new();
        if self.line_start < self.text.len() {
            let line = self.text[self.line_start..].trim_end_matches('\r').to_string();
            self.line_start = self.text.len();
            self.line(line, &mut progress);
        }
        self.settle_header(&mut progress);
        if matches!(self.state, State::Diff { .. }) && self.fence.is_none() {
            self.close(&mut progress);
        }
        progress
    }

    /// What the line is that has begun and is not complete.
    pub fn under_way(&self) -> UnderWay {
        match self.state {
            State::Thinking(_) => UnderWay::Thinking,
            State::Prose if self.may_become_edit(&self.text[self.line_start..]) => UnderWay::Unclear,
            State::Prose => UnderWay::Prose,
            _ => UnderWay::Edit,
        }
    }

    /// What has arrived so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The edits of the whole reply.
    pub fn finish(self) -> Parsed {
        self.format.parse(&self.text, &self.hints)
    }

    fn line(&mut self, line: String, progress: &mut Vec<Progress>) {
        match &mut self.state {
            State::Prose => self.prose_line(line, progress),
            State::Thinking(ends) => {
                if ends.iter().any(|end| line.contains(end.as_str())) {
                    self.state = State::Prose;
                }
                progress.push(Progress::Thinking(line));
            }
            State::Block { .. } => self.block_line(line, progress),
            State::Patch { .. } => self.patch_line(line, progress),
            State::Diff { .. } => self.diff_line(line, progress),
            State::File => {
                let is_last = self.closes_fence(&line);
                let role = if is_last { Role::Frame } else { Role::Text };
                progress.push(Progress::Inside { line, role });
                if is_last {
                    self.leave_fence();
                    self.close(progress);
                }
            }
        }
    }

    fn block_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        let State::Block { depth, side } = &mut self.state else {
            return;
        };
        let marker = search_replace::marker_line(&line).map(|found| found.marker);
        match marker {
            Some(Marker::Search) => *depth += 1,
            Some(Marker::Replace) => *depth -= 1,
            _ => {}
        }
        let role = match marker {
            Some(Marker::Divider) if *depth == 1 && *side == Role::Old => {
                *side = Role::New;
                Role::Frame
            }
            Some(Marker::Replace) if *depth == 0 => Role::Frame,
            _ => *side,
        };
        let is_last = *depth == 0;
        progress.push(Progress::Inside { line, role });
        if is_last {
            self.close(progress);
        }
    }

    fn prose_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        let marker = search_replace::marker_line(&line).map(|found| found.marker);
        if self.fence.is_none()
            && let Some(ends) = thinking::ends(&line)
        {
            self.state = State::Thinking(ends);
            self.line(line, progress);
        } else if marker == Some(Marker::Search) {
            let path = self
                .name_above()
                .map(|(path, _)| path)
                .or_else(|| self.last_path.clone());
            let block = State::Block {
                depth: 1,
                side: Role::Old,
            };
            self.open(block, path, progress);
            self.inside(line, Role::Frame, progress);
        } else if patch::begins(&line) {
            self.state = State::Patch { has_section: false };
            let is_directive = patch::is_directive(&line);
            self.patch_line(line, progress);
            if is_directive {
                self.close(progress);
            }
        } else if line.starts_with("diff --git ") || (self.after_old_header && line.starts_with("+++ ")) {
            let path = udiff::path_in_header(&line).map(|name| self.path(&name));
            let diff = State::Diff {
                in_hunk: false,
                header: None,
            };
            self.open(diff, path, progress);
            self.inside(line, Role::Frame, progress);
        } else if self.closes_fence(&line) {
            let is_frame = self.fence_is_frame;
            self.leave_fence();
            if is_frame {
                self.remember(&line);
                progress.push(Progress::Tail(line));
            } else {
                self.prose(line, progress);
            }
        } else if self.fence.is_none() && FenceLine::read(&line).is_some_and(|fence| fence.can_open()) {
            self.fence_line(line, progress);
        } else if self.is_lead(&line) {
            self.lead(line, progress);
        } else {
            self.prose(line, progress);
        }
    }

    /// An opening fence: of a file when a name stands plainly above and the text may be one, else just a line.
    fn fence_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        let info = FenceLine::read(&line).map_or("", |fence| fence.info).to_string();
        let found = self.name_at_fence(&line);
        self.fence = Some(line.clone());
        let is_diff = udiff::is_diff_fence(&info);
        let asks_for_files = matches!(self.format.name(), "whole" | "editor-whole");
        match found {
            Some((path, Plainness::Stated)) if asks_for_files && !is_diff && shell::shell_of(&info).is_none() => {
                self.open(State::File, Some(path), progress);
                self.inside(line, Role::Frame, progress);
            }
            _ => self.lead(line, progress),
        }
    }

    fn patch_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        let has_section = matches!(self.state, State::Patch { has_section: true });
        if let Some(name) = patch::section_path(&line) {
            if has_section {
                progress.push(Progress::Closed);
            }
            let role = if patch::is_directive(&line) {
                Role::Place
            } else {
                Role::Frame
            };
            let path = Some(self.path(name));
            self.open(State::Patch { has_section: true }, path, progress);
            self.inside(line, role, progress);
        } else if patch::is_end(&line) || self.closes_fence(&line) {
            if self.closes_fence(&line) {
                self.leave_fence();
            }
            if has_section {
                self.close(progress);
            }
            self.state = State::Prose;
            self.remember(&line);
            progress.push(Progress::Tail(line));
        } else if has_section {
            let role = match line.as_bytes().first() {
                Some(b'+') => Role::Added,
                Some(b'-') => Role::Removed,
                Some(b'@') => Role::Place,
                Some(b'*') => Role::Place,
                _ => Role::Kept,
            };
            self.inside(line, role, progress);
        } else {
            self.lead(line, progress);
        }
    }

    fn diff_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        let State::Diff { in_hunk, header } = &mut self.state else {
            return;
        };
        if line.starts_with("+++ ")
            && let Some(old) = header.take()
        {
            progress.push(Progress::Closed);
            self.next_diff(Some(old), line, progress);
            return;
        }
        let role = match line.as_bytes().first() {
            Some(b'@') => Role::Place,
            Some(b'+') if *in_hunk => Role::Added,
            Some(b'-') if *in_hunk => Role::Removed,
            Some(b' ') | None if *in_hunk => Role::Kept,
            _ => Role::Frame,
        };
        *in_hunk |= role == Role::Place;
        let may_be_header = *in_hunk && line.starts_with("--- ");
        self.settle_header(progress);
        if may_be_header && let State::Diff { header, .. } = &mut self.state {
            *header = Some(line);
        } else if self.closes_fence(&line) {
            self.leave_fence();
            self.close(progress);
            self.remember(&line);
            progress.push(Progress::Tail(line));
        } else if line.starts_with("diff --git ") {
            // The first line of the file that is open already.
            let is_first = matches!(self.state, State::Diff { in_hunk: false, .. });
            if is_first {
                self.inside(line, role, progress);
            } else {
                progress.push(Progress::Closed);
                self.next_diff(None, line, progress);
            }
        } else if self.fence.is_none() && !udiff::may_continue(&line) {
            self.close(progress);
            self.line(line, progress);
        } else {
            self.inside(line, role, progress);
        }
    }

    /// The next file of a diff begins with these header lines.
    fn next_diff(&mut self, old: Option<String>, line: String, progress: &mut Vec<Progress>) {
        let path = udiff::path_in_header(&line).map(|name| self.path(&name));
        let diff = State::Diff {
            in_hunk: false,
            header: None,
        };
        self.open(diff, path, progress);
        for line in old.into_iter().chain([line]) {
            self.inside(line, Role::Frame, progress);
        }
    }

    /// A line `--- x` that no `+++` followed was a removed one.
    fn settle_header(&mut self, progress: &mut Vec<Progress>) {
        if let State::Diff { header, .. } = &mut self.state
            && let Some(line) = header.take()
        {
            let role = Role::Removed;
            progress.push(Progress::Inside { line, role });
        }
    }

    fn prose(&mut self, line: String, progress: &mut Vec<Progress>) {
        self.remember(&line);
        progress.push(Progress::Prose(line));
    }

    fn lead(&mut self, line: String, progress: &mut Vec<Progress>) {
        self.remember(&line);
        self.leading = true;
        progress.push(Progress::Lead(line));
    }

    /// Keeps a line among those in which a name is looked for.
    fn remember(&mut self, line: &str) {
        self.leading = false;
        self.after_old_header = line.starts_with("--- ");
        if self.recent.len() > 2 * name_search::REACH {
            self.recent.drain(..name_search::REACH);
        }
        self.recent.push(line.to_string());
    }

    fn open(&mut self, state: State, path: Option<String>, progress: &mut Vec<Progress>) {
        self.last_path.clone_from(&path);
        self.fence_is_frame = self.fence.is_some();
        self.leading = false;
        progress.push(Progress::Opened { path });
        self.state = state;
    }

    fn inside(&mut self, line: String, role: Role, progress: &mut Vec<Progress>) {
        progress.push(Progress::Inside { line, role });
    }

    fn close(&mut self, progress: &mut Vec<Progress>) {
        progress.push(Progress::Closed);
        self.state = State::Prose;
        self.recent.clear();
        self.after_old_header = false;
    }

    fn leave_fence(&mut self) {
        self.fence = None;
        self.fence_is_frame = false;
    }

    fn closes_fence(&self, line: &str) -> bool {
        let opener = self.fence.as_deref().and_then(FenceLine::read);
        opener.is_some_and(|opener| FenceLine::read(line).is_some_and(|fence| fence.closes(&opener)))
    }

    /// Whether a complete line may lead into an edit; fences are seen to before.
    fn is_lead(&self, line: &str) -> bool {
        if line.trim().is_empty() {
            return self.leading;
        }
        if line.starts_with("--- ") {
            return true;
        }
        // No part of it can have been taken for prose while it came.
        let mut beginnings = line.char_indices().map(|(at, _)| &line[..at]).chain([line]);
        line.len() <= LONGEST_LEAD
            && line.split_whitespace().count() <= MOST_LEAD_WORDS
            && decoration::whole_line(line, &Project::new(&self.shown_hints)).is_some_and(|name| !name.is_sentence)
            && beginnings.all(|beginning| self.may_become_edit(beginning))
    }

    /// Whether the beginning of a line may become the beginning of an edit, or lead into one.
    fn may_become_edit(&self, line: &str) -> bool {
        let text = line.trim_start();
        let Some(first) = text.chars().next() else { return true };
        let run = text.bytes().take_while(|byte| char::from(*byte) == first).count();
        let only_run = run == text.len();
        match first {
            '`' | '~' if run >= 3 || only_run => true,
            '<' | '-' | '+' if run >= 5 => true,
            '&' if text.starts_with("&lt;&lt;") => true,
            '<' | '&' | '[' => text.len() <= LONGEST_MARK,
            '-' | '+' | '*' if only_run => run <= 9,
            '-' | '+' if run == 3 && text[run..].starts_with(' ') => true,
            '*' if run == 3 => true,
            'd' if "diff --git ".starts_with(text) || text.starts_with("diff --git ") => true,
            _ => self.fence.is_none() && self.may_become_name(text),
        }
    }

    /// Whether the beginning of a line looks like a file's name, decorated or not: one word with a dot or slash in it, or
    /// the beginning of a name in the chat.
    fn may_become_name(&self, text: &str) -> bool {
        if text.len() > LONGEST_LEAD {
            return false;
        }
        let text = text.trim_start_matches(['#', '*', '`', '"', '_', ' ', '(']);
        let text = text.trim_end_matches(['*', '`', '"', ':', ')', ' ']);
        let begins = |path: &String| {
            let base = path.rsplit('/').next().unwrap_or(path);
            path.starts_with(text) || base.starts_with(text)
        };
        !text.contains(char::is_whitespace)
            && (text.contains('/')
                || text.trim_end_matches('.').contains('.')
                || self.hints.chat_files.iter().any(begins))
    }

    /// The file named for what begins behind the recent lines.
    fn name_above(&self) -> Option<(String, Plainness)> {
        let lines: Vec<Line<'_>> = self
            .recent
            .iter()
            .enumerate()
            .map(|(idx, text)| Line { text, number: idx + 1 })
            .collect();
        let project = Project::new(&self.shown_hints);
        let found = name_search::above(&lines, lines.len(), 0, &project)?;
        Some((self.path(&found.name), found.plainness))
    }

    fn name_at_fence(&mut self, fence: &str) -> Option<(String, Plainness)> {
        let is_run = FenceLine::read(fence).is_some_and(|fence| matches!(fence.mark, Mark::Run { .. }));
        if is_run {
            self.recent.push(fence.to_string());
        }
        let found = self.name_above();
        if is_run {
            self.recent.pop();
        }
        found
    }

    fn path(&self, name: &str) -> String {
        let project = Project::new(&self.shown_hints);
        names::candidates(name, &project)
            .into_iter()
            .next()
            .unwrap_or_else(|| name.to_string())
    }
}
