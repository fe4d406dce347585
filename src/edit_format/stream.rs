//! Reads a reply while it arrives: what to show now, and the edits at the end.
//!
//! What is shown is a guess from the lines so far; only [`ReplyReader::finish`] says what the edits are, and it says
//! the same for every way in which the reply was cut into pieces.

use super::EditFormat;
use super::Hints;
use super::Parsed;
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
    /// A line of a thinking section.
    Thinking(String),
    /// An edit begins; `path` as far as the reply says so.
    Opened { path: Option<String> },
    /// A line of an edit, markers included.
    Inside(String),
    /// The edit is complete.
    Closed,
}

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
    /// Whether the last line was `--- path`.
    after_old_header: bool,
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
    },
    /// `has_section` says that a file's section is shown as open.
    Patch {
        has_section: bool,
    },
    Diff,
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
            after_old_header: false,
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
        if matches!(self.state, State::Diff) && self.fence.is_none() {
            self.close(&mut progress);
        }
        progress
    }

    /// Whether the last completed line belongs to an edit that goes on.
    pub fn is_inside_edit(&self) -> bool {
        !matches!(self.state, State::Prose | State::Thinking(_))
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
            State::Block { depth } => {
                match search_replace::marker_line(&line).map(|found| found.marker) {
                    Some(Marker::Search) => *depth += 1,
                    Some(Marker::Replace) => *depth -= 1,
                    _ => {}
                }
                let is_last = *depth == 0;
                progress.push(Progress::Inside(line));
                if is_last {
                    self.close(progress);
                }
            }
            State::Patch { .. } => self.patch_line(line, progress),
            State::Diff => self.diff_line(line, progress),
            State::File => {
                let is_last = self.closes_fence(&line);
                progress.push(Progress::Inside(line));
                if is_last {
                    self.fence = None;
                    self.close(progress);
                }
            }
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
            self.open(State::Block { depth: 1 }, path, line, progress);
        } else if patch::begins(&line) {
            self.state = State::Patch { has_section: false };
            let is_directive = patch::is_directive(&line);
            self.patch_line(line, progress);
            if is_directive {
                self.close(progress);
            }
        } else if line.starts_with("diff --git ") || (self.after_old_header && line.starts_with("+++ ")) {
            let path = udiff::path_in_header(&line).map(|name| self.path(&name));
            self.open(State::Diff, path, line, progress);
        } else if self.closes_fence(&line) {
            self.fence = None;
            self.prose(line, progress);
        } else if self.fence.is_none() && FenceLine::read(&line).is_some_and(|fence| fence.can_open()) {
            self.fence_line(line, progress);
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
                self.open(State::File, Some(path), line, progress);
            }
            _ => self.prose(line, progress),
        }
    }

    fn patch_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        let has_section = matches!(self.state, State::Patch { has_section: true });
        if let Some(name) = patch::section_path(&line) {
            if has_section {
                progress.push(Progress::Closed);
            }
            let path = Some(self.path(name));
            self.open(State::Patch { has_section: true }, path, line, progress);
        } else if patch::is_end(&line) || self.closes_fence(&line) {
            if self.closes_fence(&line) {
                self.fence = None;
            }
            if has_section {
                self.close(progress);
            }
            self.state = State::Prose;
            self.prose(line, progress);
        } else if has_section {
            progress.push(Progress::Inside(line));
        } else {
            self.prose(line, progress);
        }
    }

    fn diff_line(&mut self, line: String, progress: &mut Vec<Progress>) {
        if self.closes_fence(&line) {
            self.fence = None;
            self.close(progress);
            self.prose(line, progress);
        } else if self.fence.is_none() && !udiff::may_continue(&line) {
            self.close(progress);
            self.line(line, progress);
        } else {
            progress.push(Progress::Inside(line));
        }
    }

    fn prose(&mut self, line: String, progress: &mut Vec<Progress>) {
        self.after_old_header = line.starts_with("--- ");
        if self.recent.len() > 2 * name_search::REACH {
            self.recent.drain(..name_search::REACH);
        }
        self.recent.push(line.clone());
        progress.push(Progress::Prose(line));
    }

    fn open(&mut self, state: State, path: Option<String>, line: String, progress: &mut Vec<Progress>) {
        self.last_path.clone_from(&path);
        progress.push(Progress::Opened { path });
        progress.push(Progress::Inside(line));
        self.state = state;
    }

    fn close(&mut self, progress: &mut Vec<Progress>) {
        progress.push(Progress::Closed);
        self.state = State::Prose;
        self.recent.clear();
        self.after_old_header = false;
    }

    fn closes_fence(&self, line: &str) -> bool {
        let opener = self.fence.as_deref().and_then(FenceLine::read);
        opener.is_some_and(|opener| FenceLine::read(line).is_some_and(|fence| fence.closes(&opener)))
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
