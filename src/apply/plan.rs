//! From a parsed reply to a plan: the operation of each edit on the text of its file, in the order of the reply. Which
//! file that is, `targets.rs` says.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::document::{Document, Splice, key};
use super::explain;
use super::likeness;
use super::names::{self, Project, Want};
use super::omission;
use super::place::{FileText, Outcome, Trouble, Wanted, stands_in};
use super::targets::Targets;
use super::warnings;
use super::{Content, Contents, Failure, FailureKind, FileWrite, Placed, Plan, WriteKind};
use crate::edit_format::{Basis, Edit, Hints, Op, Parsed, ProblemKind, Target};
use crate::text::{diff, lines};

pub(super) fn paths_to_read(parsed: &Parsed, hints: &Hints) -> Vec<String> {
    let mut paths = BTreeSet::new();
    for edit in &parsed.edits {
        match &edit.target {
            Target::Named(candidates) => paths.extend(names::possible_paths(candidates, hints)),
            Target::Unnamed { previous, .. } => {
                paths.extend(
                    previous
                        .iter()
                        .flat_map(|name| names::possible_paths(std::slice::from_ref(name), hints)),
                );
            }
        }
        if let Op::Move { to, .. } = &edit.op {
            paths.extend(names::possible_paths(std::slice::from_ref(to), hints));
        }
    }
    if !parsed.edits.is_empty() {
        paths.extend(hints.chat_files.iter().cloned());
    }
    paths.into_iter().collect()
}

pub(super) fn plan(parsed: &Parsed, hints: &Hints, contents: &Contents) -> Plan {
    let mut planner = Planner::new(parsed, hints, contents);
    let paths = Targets { hints, contents }.resolve_all(&parsed.edits);
    planner.collect_hunks(&parsed.edits, &paths);
    for (edit, path) in parsed.edits.iter().zip(paths) {
        match path {
            Ok(path) => planner.edit(edit, path),
            Err(failure) => planner.plan.failures.push(failure),
        }
    }
    planner.finish(parsed)
}

/// One file while the reply is planned.
struct State<'t> {
    /// Text before the reply; None when it was absent.
    before: Option<&'t str>,
    refused: Option<&'t str>,
    /// None when the file is not there (absent, or deleted by the reply).
    text: Option<FileText<'t>>,
    /// Block that deleted or moved it away.
    gone_by: Option<usize>,
    moved_to: Option<String>,
    moved_from: Option<String>,
}

/// All hunks of the reply for one file, and how many of them had their turn.
#[derive(Default)]
struct Queue {
    hunks: Rc<Vec<Wanted>>,
    next: usize,
}

struct Planner<'t> {
    hints: &'t Hints,
    contents: &'t Contents,
    files: BTreeMap<String, State<'t>>,
    /// By the path that the edits resolve to.
    queues: BTreeMap<String, Queue>,
    /// Every line that the reply's whole files and blocks write, to explain a file that shrinks.
    written: BTreeMap<String, BTreeSet<usize>>,
    plan: Plan,
}

impl<'t> Planner<'t> {
    fn new(parsed: &Parsed, hints: &'t Hints, contents: &'t Contents) -> Self {
        let mut written: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (nth, edit) in parsed.edits.iter().enumerate() {
            let mut note = |line: &str| {
                written.entry(line.trim().to_string()).or_default().insert(nth);
            };
            match &edit.op {
                Op::Write { text, .. } | Op::Create { text } => text.lines().for_each(&mut note),
                Op::Modify { hunks } | Op::Move { hunks, .. } => {
                    hunks.iter().flat_map(|hunk| &hunk.new).for_each(|line| note(line));
                }
                Op::Delete => {}
            }
        }
        Self {
            hints,
            contents,
            files: BTreeMap::new(),
            queues: BTreeMap::new(),
            written,
            plan: Plan::default(),
        }
    }

    /// Queues the hunks of each file, so that a block can be told from those after it.
    fn collect_hunks(&mut self, edits: &[Edit], paths: &[Result<String, Failure>]) {
        let mut queues: BTreeMap<&String, Vec<Wanted>> = BTreeMap::new();
        for (edit, path) in edits.iter().zip(paths) {
            let (Ok(path), Op::Modify { hunks } | Op::Move { hunks, .. }) = (path, &edit.op) else {
                continue;
            };
            let may_append = matches!(edit.target, Target::Named(_));
            let wanted = hunks.iter().map(|hunk| Wanted::new(hunk, path, edit.block, may_append));
            queues.entry(path).or_default().extend(wanted);
        }
        for (path, hunks) in queues {
            self.queues.insert(
                path.clone(),
                Queue {
                    hunks: Rc::new(hunks),
                    next: 0,
                },
            );
        }
    }

    /// All hunks for the file, and which of them are those of the edit whose turn it is.
    fn take_hunks(&mut self, edit: &Edit, path: &str) -> (Rc<Vec<Wanted>>, Range<usize>) {
        let n_hunks = match &edit.op {
            Op::Modify { hunks } | Op::Move { hunks, .. } => hunks.len(),
            _ => 0,
        };
        let Some(queue) = self.queues.get_mut(path) else {
            return (Rc::default(), 0..0);
        };
        let turn = queue.next..(queue.next + n_hunks).min(queue.hunks.len());
        queue.next = turn.end;
        (Rc::clone(&queue.hunks), turn)
    }

    // What it does.

    fn edit(&mut self, edit: &Edit, path: String) {
        let (hunks, turn) = self.take_hunks(edit, &path);
        let path = self.follow_moves(path);
        let state = state_of(&mut self.files, self.hints, self.contents, &path);
        if let Some(reason) = state.refused {
            let reason = format!("`{path}` {reason}");
            return self.fail(edit, &path, FailureKind::Refused, reason, String::new());
        }
        match &edit.op {
            Op::Modify { .. } => self.modify(edit, &path, &hunks, turn),
            Op::Write { text, basis } => self.write(edit, &path, text, *basis),
            Op::Create { text } => self.create(edit, &path, text),
            Op::Delete => self.delete(edit, &path),
            Op::Move { to, .. } => {
                if let Some(to) = self.rename(edit, &path, to) {
                    self.modify(edit, &to, &hunks, turn);
                }
            }
        }
    }

    fn follow_moves(&self, mut path: String) -> String {
        while let Some(State {
            text: None,
            moved_to: Some(to),
            ..
        }) = self.files.get(&path)
        {
            path.clone_from(to);
        }
        path
    }

    fn modify(&mut self, edit: &Edit, path: &str, hunks: &[Wanted], turn: Range<usize>) {
        if turn.is_empty() {
            return;
        }
        let is_gone = |state: &State<'_>| state.text.is_none() && state.gone_by.is_some();
        if is_gone(state_of(&mut self.files, self.hints, self.contents, path))
            && hunks[turn.clone()].iter().all(|hunk| hunk.ends_file)
        {
            return self.placed(edit, path, WriteKind::Delete, "already-there", None);
        }
        if let Err((reason, hint)) = self.ready(path, &hunks[turn.clone()]) {
            return self.fail(edit, path, FailureKind::NotFound, reason, hint);
        }
        for nth in turn {
            let state = state_of(&mut self.files, self.hints, self.contents, path);
            let Some(text) = state.text.as_mut() else { return };
            let kind = if state.before.is_some() {
                WriteKind::Modify
            } else {
                WriteKind::Create
            };
            let wanted = &hunks[nth];
            let is_there = |line: &str| !text.document.positions(key(line)).is_empty();
            if let Some(mark) = likeness::swallowed_block(&wanted.ask.old, &wanted.ask.new, path, &is_there) {
                let (reason, hint) = explain::swallowed_block(mark);
                self.fail(edit, path, FailureKind::Unreadable, reason, hint);
                continue;
            }
            if let Some((reason, hint)) = explain::lost_code(&wanted.ask, path) {
                self.fail(edit, path, FailureKind::Omission, reason, hint);
                continue;
            }
            if wanted.may_append && wanted.ask.rewrites(&text.document) {
                let new = wanted
                    .ask
                    .new
                    .iter()
                    .map(|line| format!("{line}\n"))
                    .collect::<String>();
                self.write(edit, path, &new, Basis::Guess);
                continue;
            }
            match text.place(wanted, &hunks[nth + 1..]) {
                Outcome::Placed { strategy, .. } if wanted.ends_file && text.document.is_empty() => {
                    state.text = None;
                    state.gone_by = Some(edit.block);
                    self.placed(edit, path, WriteKind::Delete, strategy, None);
                }
                Outcome::Placed { strategy, line } => {
                    self.placed(edit, path, kind, strategy, (strategy != "create").then_some(line));
                }
                Outcome::Failed(trouble) => {
                    let (kind, reason, mut hint) = explain::trouble(&trouble, wanted, text, path);
                    if trouble == Trouble::Nowhere {
                        hint = self
                            .other_holder(wanted, path)
                            .map_or(hint, |other| explain::in_other_file(&other));
                    }
                    self.fail(edit, path, kind, reason, hint);
                }
            }
        }
    }

    /// The one other file that holds the old lines.
    fn other_holder(&self, wanted: &Wanted, path: &str) -> Option<String> {
        let first = wanted
            .ask
            .old
            .iter()
            .map(|line| line.trim())
            .find(|line| !line.is_empty())?;
        let holds = |text: &str| text.contains(first) && stands_in(&wanted.ask, &Document::new(text));
        let mut holders = self.contents.iter().filter_map(|(other, content)| match content {
            Content::Text(text) if other != path && holds(text) => Some(other),
            _ => None,
        });
        let first = holders.next()?;
        holders.next().is_none().then(|| first.clone())
    }

    /// Makes sure that there is a text to change: hunks without old lines may begin a new file.
    fn ready(&mut self, path: &str, hunks: &[Wanted]) -> Result<(), (String, String)> {
        let state = state_of(&mut self.files, self.hints, self.contents, path);
        if state.text.is_some() {
            return Ok(());
        }
        if let Some(block) = state.gone_by {
            return Err((
                format!("`{path}` was removed by block {block} of the same reply"),
                String::new(),
            ));
        }
        let begins = |wanted: &Wanted| wanted.ask.n_filled_old() == 0 && wanted.ask.anchors.is_empty();
        if !hunks.iter().all(begins) {
            return Err(explain::absent(path, self.hints, true));
        }
        state.text = Some(FileText::new("", None));
        Ok(())
    }

    fn write(&mut self, edit: &Edit, path: &str, text: &str, basis: Basis) {
        let state = state_of(&mut self.files, self.hints, self.contents, path);
        let Some(file) = state.text.as_mut() else {
            return self.fill_new(edit, path, text, "whole");
        };
        if self.hints.partly_shown.contains_key(path) {
            let (reason, hint) = explain::partly_shown(path);
            return self.fail(edit, path, FailureKind::Omission, reason, hint);
        }
        let new: Vec<&str> = lines::split(text).iter().map(|line| line.text).collect();
        let document = &file.document;
        let old: Vec<String> = (0..document.len()).map(|at| document.text(at).to_string()).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let kept = diff::matches(&old, &new);
        if kept.len() < old.len() {
            if let Some(idx) = omission::introduced(old.iter().copied(), new.iter().copied(), path).first() {
                let (reason, hint) = explain::omission_in_file(path, new[*idx]);
                return self.fail(edit, path, FailureKind::Omission, reason, hint);
            }
            let here: BTreeSet<&str> = new.iter().map(|line| line.trim()).collect();
            let written = &self.written;
            let elsewhere = |line: &str| {
                let writers = written.get(line).map_or(0, BTreeSet::len);
                writers > usize::from(here.contains(line))
            };
            if let Some(mark) = likeness::mark_of_another_format(&old, &new, path) {
                let (reason, hint) = explain::marks_in_file(path, mark);
                return self.fail(edit, path, FailureKind::Unreadable, reason, hint);
            }
            if omission::is_unexplained_shrinkage(&old, &new, &elsewhere) {
                let (reason, hint) = explain::shrinkage(path, old.len(), new.len());
                return self.fail(edit, path, FailureKind::Omission, reason, hint);
            }
            if !likeness::may_replace(&old, &new, basis, &elsewhere) {
                let (reason, hint) = explain::unlike(path, old.len(), new.len(), basis);
                return self.fail(edit, path, FailureKind::Omission, reason, hint);
            }
        }
        let splices = whole_splices(&kept, old.len(), &new);
        let unchanged = splices.is_empty();
        file.document.splice(splices, edit.block);
        let kind = if state.before.is_some() {
            WriteKind::Modify
        } else {
            WriteKind::Create
        };
        self.placed(
            edit,
            path,
            kind,
            if unchanged { "already-there" } else { "whole" },
            None,
        );
    }

    fn create(&mut self, edit: &Edit, path: &str, text: &str) {
        let state = state_of(&mut self.files, self.hints, self.contents, path);
        if let Some(file) = &state.text {
            let there = file.document.render();
            if there.trim_end() == text.trim_end() {
                return self.placed(edit, path, WriteKind::Create, "already-there", None);
            }
            if !there.trim().is_empty() {
                let (reason, hint) = explain::create_over(path);
                return self.fail(edit, path, FailureKind::Refused, reason, hint);
            }
        }
        self.fill_new(edit, path, text, "create");
    }

    /// Gives a file that is absent or empty its text.
    fn fill_new(&mut self, edit: &Edit, path: &str, text: &str, strategy: &'static str) {
        let state = state_of(&mut self.files, self.hints, self.contents, path);
        let mut file = FileText::new("", None);
        let new: Vec<String> = lines::split(text).iter().map(|line| line.text.to_string()).collect();
        file.document.splice(vec![Splice { range: 0..0, new }], edit.block);
        file.document
            .set_final_newline(text.is_empty() || text.ends_with(['\n', '\r']));
        state.text = Some(file);
        state.gone_by = None;
        state.moved_to = None;
        let kind = if state.before.is_some() {
            WriteKind::Modify
        } else {
            WriteKind::Create
        };
        self.placed(edit, path, kind, strategy, None);
    }

    fn delete(&mut self, edit: &Edit, path: &str) {
        let state = state_of(&mut self.files, self.hints, self.contents, path);
        if state.text.is_none() {
            let (reason, hint) = explain::absent(path, self.hints, false);
            return self.fail(edit, path, FailureKind::NotFound, reason, hint);
        }
        state.text = None;
        state.gone_by = Some(edit.block);
        self.placed(edit, path, WriteKind::Delete, "delete", None);
    }

    /// The new path, when the file could be renamed.
    fn rename(&mut self, edit: &Edit, path: &str, to: &str) -> Option<String> {
        let targets = Targets {
            hints: self.hints,
            contents: self.contents,
        };
        let exists = |path: &str| targets.stands(path);
        let project = Project {
            hints: self.hints,
            exists: &exists,
            fits: &|_| false,
        };
        let to = match names::resolve(&[to.to_string()], Want::New, &project) {
            Ok(to) => to,
            Err(error) => {
                self.plan.failures.push(explain::name_failure(edit, error));
                return None;
            }
        };
        let target = state_of(&mut self.files, self.hints, self.contents, &to);
        if (target.text.is_some() || target.refused.is_some()) && to != path {
            let (reason, hint) = explain::move_over(path, &to, target.refused);
            self.fail(edit, path, FailureKind::Refused, reason, hint);
            return None;
        }
        let source = state_of(&mut self.files, self.hints, self.contents, path);
        let Some(text) = source.text.take() else {
            let (reason, hint) = explain::absent(path, self.hints, false);
            self.fail(edit, path, FailureKind::NotFound, reason, hint);
            return None;
        };
        let origin = source.moved_from.take().unwrap_or_else(|| path.to_string());
        if to != path {
            source.gone_by = Some(edit.block);
            source.moved_to = Some(to.clone());
        }
        let target = state_of(&mut self.files, self.hints, self.contents, &to);
        target.text = Some(text);
        target.gone_by = None;
        target.moved_from = (to != origin).then_some(origin);
        if to != path {
            let kind = WriteKind::Move { from: path.to_string() };
            self.placed(edit, &to, kind, "move", None);
        }
        Some(to)
    }

    fn placed(&mut self, edit: &Edit, path: &str, kind: WriteKind, strategy: &'static str, line: Option<usize>) {
        self.plan.placed.push(Placed {
            block: edit.block,
            path: path.to_string(),
            kind,
            strategy,
            line,
        });
    }

    fn fail(&mut self, edit: &Edit, path: &str, kind: FailureKind, reason: String, hint: String) {
        let path = Some(path.to_string());
        self.plan.failures.push(Failure {
            block: edit.block,
            path,
            kind,
            reason,
            hint,
        });
    }

    // The result.

    fn finish(mut self, parsed: &Parsed) -> Plan {
        for problem in &parsed.problems {
            let kind = match problem.kind {
                ProblemKind::Open | ProblemKind::Marker | ProblemKind::Name | ProblemKind::Malformed => {
                    FailureKind::Unreadable
                }
            };
            self.plan.failures.push(Failure {
                block: problem.block,
                path: problem.path.clone(),
                kind,
                reason: problem.message.clone(),
                hint: explain::problem_hint(problem.kind),
            });
        }
        self.plan.failures.sort_by_key(|failure| failure.block);
        let moved_away: BTreeSet<String> = self
            .files
            .values()
            .filter_map(|state| state.moved_from.clone())
            .collect();
        for (path, state) in &self.files {
            let after = state.text.as_ref().map(|text| text.document.render());
            let write = |kind, before: Option<&str>, after| FileWrite {
                path: path.clone(),
                kind,
                before: before.map(ToString::to_string),
                after,
            };
            match (state.before, after) {
                (_, Some(after)) if state.moved_from.as_ref().is_some_and(|from| from != path) => {
                    let from = state.moved_from.clone().unwrap_or_default();
                    let before = self.files.get(&from).and_then(|state| state.before);
                    self.plan
                        .writes
                        .push(write(WriteKind::Move { from }, before, Some(after)));
                }
                (Some(before), Some(after)) if before != after => {
                    self.plan
                        .writes
                        .push(write(WriteKind::Modify, Some(before), Some(after)));
                }
                (None, Some(after)) => self.plan.writes.push(write(WriteKind::Create, None, Some(after))),
                (Some(before), None) if !moved_away.contains(path) => {
                    self.plan.writes.push(write(WriteKind::Delete, Some(before), None));
                }
                _ => {}
            }
        }
        self.refuse_files_in_files();
        self.plan.warnings = warnings::removed_but_used(&self.plan.writes, self.contents);
        self.plan
            .warnings
            .extend(warnings::conflicts_in_new_files(&self.plan.writes));
        self.plan
    }

    /// A path cannot be a file and the folder of another one. Both are refused when both are of the reply.
    fn refuse_files_in_files(&mut self) {
        let of_reply: BTreeSet<&str> = self.plan.writes.iter().map(|write| write.path.as_str()).collect();
        let stands = |path: &str| match self.files.get(path) {
            Some(state) => state.text.is_some(),
            None => self.hints.known_files.iter().any(|known| known == path),
        };
        let folders = |path: &str| -> Vec<String> {
            let ends = path.match_indices('/').map(|(end, _)| path[..end].to_string());
            ends.collect()
        };
        let mut clashes: Vec<(String, String, bool)> = Vec::new();
        for write in self
            .plan
            .writes
            .iter()
            .filter(|write| write.after.is_some() && write.kind != WriteKind::Modify)
        {
            let file = folders(&write.path).into_iter().find(|folder| stands(folder));
            clashes.extend(file.map(|file| (write.path.clone(), file.clone(), of_reply.contains(file.as_str()))));
        }
        for (inner, file, is_of_reply) in clashes {
            let (reason, hint) = explain::file_and_folder(&file, &inner);
            self.plan.refuse(&inner, FailureKind::Refused, &reason, &hint);
            if is_of_reply && self.plan.writes.iter().any(|write| write.path == file) {
                self.plan.refuse(&file, FailureKind::Refused, &reason, &hint);
            }
        }
        self.plan.failures.sort_by_key(|failure| failure.block);
    }
}

fn state_of<'f, 't>(
    files: &'f mut BTreeMap<String, State<'t>>,
    hints: &'t Hints,
    contents: &'t Contents,
    path: &str,
) -> &'f mut State<'t> {
    if !files.contains_key(path) {
        let (before, refused) = match contents.get(path) {
            Some(Content::Text(text)) => (Some(text.as_str()), None),
            Some(Content::Refused(reason)) => (None, Some(reason.as_str())),
            Some(Content::Absent) | None => (None, None),
        };
        let state = State {
            before,
            refused,
            text: before.map(|text| FileText::new(text, hints.partly_shown.get(path).map(Vec::as_slice))),
            gone_by: None,
            moved_to: None,
            moved_from: None,
        };
        files.insert(path.to_string(), state);
    }
    files.get_mut(path).expect("it was put in just now")
}

/// The changes from old lines to new ones, given the kept pairs.
fn whole_splices(kept: &[(usize, usize)], n_old: usize, new: &[&str]) -> Vec<Splice> {
    let mut splices = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let end = (n_old, new.len());
    for &(o, n) in kept.iter().chain(std::iter::once(&end)) {
        if old_at < o || new_at < n {
            let new = new[new_at..n].iter().map(ToString::to_string).collect();
            splices.push(Splice { range: old_at..o, new });
        }
        (old_at, new_at) = (o + 1, n + 1);
    }
    splices
}
