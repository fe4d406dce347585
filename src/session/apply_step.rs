//! From a reply to written files: parse, read what it names, plan, ask where the user must be asked, write as one
//! transaction. Edits that fit while others fail are staged and wait for the repair.

use std::collections::BTreeSet;

use anyhow::Result;

use super::Session;
use super::ask::cut_short_as;
use super::diff::unified_text;
use super::disk;
use super::reflection::Verdict;
use super::reflection::capitalised;
use super::turn::Turn;
use super::turn::TurnEnd;
use crate::apply;
use crate::apply::Content;
use crate::apply::Contents;
use crate::apply::Failure;
use crate::apply::FailureKind;
use crate::apply::FileWrite;
use crate::apply::Plan;
use crate::apply::WriteKind;
use crate::apply::merge3;
use crate::chat::modes::Yields;
use crate::chat::reply;
use crate::edit_format::Hints;
use crate::edit_format::Parsed;
use crate::files;
use crate::files::Found;
use crate::files::endings::GitAttributes;
use crate::git::Eol;
use crate::llm::Finish;
use crate::llm::Reply;
use crate::repo_map::paths::is_of_tests;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// What became of a reply.
pub(super) enum Carried {
    /// Files were written.
    Written,
    /// Nothing was written and the turn is over.
    Ended(TurnEnd),
    /// Nothing was written; what follows depends on the verdict.
    Open(Verdict),
    /// The model holds that what it wrote is right, against the syntax check alone.
    Disputed,
}

impl Session {
    /// Carries out one reply of the turn.
    pub(super) fn carry_out(&mut self, turn: &mut Turn, reply: &Reply) -> Result<Carried> {
        match self.mode.yields {
            Yields::Edits => {}
            Yields::Plan => return self.take_plan(turn, reply),
            Yields::Files => {
                self.take_chosen(reply)?;
                return Ok(Carried::Ended(TurnEnd::Done));
            }
            Yields::Answer => return self.take_answer(turn, reply),
        }
        let hints = self.hints()?;
        let mut parsed = self.format.parse(&reply.text, &hints);
        let suggestions = std::mem::take(&mut parsed.suggestions);
        let cut = cut_off(&reply.finish);
        let nothing_new = parsed.edits.is_empty() && parsed.problems.is_empty();
        if nothing_new && cut.is_none() {
            turn.suggestions.extend(suggestions);
            return self.take_words(turn, reply);
        }
        let parsed = with_staged(turn, parsed);
        self.settle_baseline()?;
        if self.interrupt.is_ending() {
            return Ok(Carried::Ended(TurnEnd::Interrupted));
        }
        let mut plan = self.plan(&parsed, &hints)?;
        if let Some(why) = cut {
            self.ui.show(Event::Warning(format!("{}.", capitalised(&why))));
            // A block that the cut left open is a failure already.
            if plan.is_complete() {
                plan.failures.push(cut_failure(why, &plan));
            }
        }
        if !plan.is_complete() {
            let end = match reply.finish {
                Finish::Incomplete(_) | Finish::Refused(_) => cut_short_as(&reply.finish),
                _ => TurnEnd::EditsFailed,
            };
            return Ok(Carried::Open(self.stage(turn, &parsed, &plan, end)));
        }
        turn.suggestions.extend(suggestions);
        reply.text.clone_into(&mut turn.last_reply);
        match self.write(turn, &plan)? {
            Ok(carried) => {
                turn.staged.clear();
                Ok(carried)
            }
            Err(refused) => Ok(Carried::Open(self.stage(turn, &parsed, &refused, TurnEnd::EditsFailed))),
        }
    }

    /// A reply without edits, where edits were asked for: it may ask for files, or hold that nothing has to change.
    fn take_words(&mut self, turn: &Turn, reply: &Reply) -> Result<Carried> {
        // Once something is written a file may be named as a reason; before that, to be given it.
        let asks = turn.id.is_none() || reply::asks_for_files(&reply.text);
        if asks && let Some(more) = self.offer_mentioned(&reply.text, &turn.message)? {
            return Ok(Carried::Open(more));
        }
        if turn.only_syntax_is_red {
            return Ok(Carried::Disputed);
        }
        // A reply without edits puts nothing right that failed before it.
        Ok(Carried::Ended(turn.open.unwrap_or(TurnEnd::Done)))
    }

    /// An answer is for the user alone, unless it asks for files to answer from.
    fn take_answer(&mut self, turn: &Turn, reply: &Reply) -> Result<Carried> {
        if self.mode.project
            && reply::asks_for_files(&reply.text)
            && let Some(more) = self.offer_mentioned(&reply.text, &turn.message)?
        {
            return Ok(Carried::Open(more));
        }
        let Some(why) = cut_off(&reply.finish) else {
            return Ok(Carried::Ended(TurnEnd::Done));
        };
        self.ui.show(Event::Warning(format!("{}.", capitalised(&why))));
        Ok(Carried::Ended(cut_short_as(&reply.finish)))
    }

    /// Plans against what the model saw, and merges with what changed on disk since.
    fn plan(&mut self, parsed: &Parsed, hints: &Hints) -> Result<Plan> {
        let mut contents = Contents::new();
        for path in apply::paths_to_read(parsed, hints) {
            let content = self.content(&path);
            contents.insert(path, content);
        }
        let mut plan = apply::plan(parsed, hints, &contents);
        disk::refuse_second_names(&self.root, &mut plan);
        self.ask_about_files_outside_the_chat(&mut plan)?;
        self.merge_with_disk(&mut plan)?;
        Ok(plan)
    }

    /// What the planner may know of a path: the text the model saw, or why it may not be written.
    fn content(&self, path: &str) -> Content {
        if self.is_read_only(path) {
            return Content::Refused("is read-only in this chat".to_owned());
        }
        match disk::content(&self.root, path) {
            Content::Text(text) => Content::Text(self.files.seen(path).map_or(text, str::to_owned)),
            content => content,
        }
    }

    /// Whether the path is a read-only file of the chat, under any of its names.
    fn is_read_only(&self, path: &str) -> bool {
        if self.files.is_read_only(path) {
            return true;
        }
        let Ok(real) = self.root.fenced(path) else { return false };
        self.files
            .read_only()
            .iter()
            .any(|file| files::are_same(&file.path, &real))
    }

    /// Files that the model was not given: the user decides, once a session, with the change before their eyes. Tests that
    /// stood there before are not bent by whoever repairs what they found: that needs a yes of its own.
    fn ask_about_files_outside_the_chat(&mut self, plan: &mut Plan) -> Result<()> {
        let mut refused = BTreeSet::new();
        for write in &plan.writes {
            let existing = match &write.kind {
                WriteKind::Create => continue,
                WriteKind::Modify | WriteKind::Delete => write.path.clone(),
                WriteKind::Move { from } => from.clone(),
            };
            if self.files.is_editable(&existing) {
                continue;
            }
            let is_frozen = self.repairs_tests && is_of_tests(&existing);
            let diff = unified_text(&write.path, write.before.as_deref(), write.after.as_deref());
            let allowed = !self.declined.contains(&existing)
                && self.put(&Question {
                    text: match is_frozen {
                        true => format!(
                            "The model changes the test `{existing}` where it should repair the code. Allow it?"
                        ),
                        false => format!("The model changes `{existing}`, which is not in the chat. Allow it?"),
                    },
                    detail: diff,
                    default: if is_frozen { Answer::No } else { Answer::Yes },
                    yes_always_applies: !is_frozen,
                    choices: Vec::new(),
                }) == Answer::Yes;
            if allowed {
                self.files.add(&existing);
            } else {
                if !self.is_stopped && !is_frozen {
                    self.declined.insert(existing.clone());
                }
                refused.insert((write.path.clone(), existing, is_frozen));
            }
        }
        for (path, existing, is_frozen) in refused {
            let hint = match is_frozen {
                true => "repair the code; when the test itself is wrong, say why, without an edit",
                false => "leave this file alone, or say why it has to change",
            };
            plan.refuse(
                &path,
                FailureKind::Refused,
                &format!("the user did not allow changes to `{existing}`"),
                hint,
            );
        }
        Ok(())
    }

    /// A file that changed on disk since the model saw it: both changes, or neither.
    fn merge_with_disk(&mut self, plan: &mut Plan) -> Result<()> {
        let mut stale = Vec::new();
        for write in &mut plan.writes {
            let source = match &write.kind {
                WriteKind::Move { from } => from.clone(),
                _ => write.path.clone(),
            };
            let Some(seen) = write.before.clone() else { continue };
            let disk = match self.root.read(&source)? {
                Found::Text(file) => file.text,
                _ => continue,
            };
            if disk == seen {
                continue;
            }
            match &write.after {
                Some(after) => match merge3(&seen, &disk, after) {
                    Ok(merged) => {
                        write.after = Some(merged);
                        write.before = Some(disk);
                    }
                    Err(_) => stale.push((write.path.clone(), disk)),
                },
                None => stale.push((write.path.clone(), disk)),
            }
        }
        for (path, disk) in stale {
            self.files.note_seen(&path, &disk);
            plan.refuse(
                &path,
                FailureKind::Stale,
                &format!("`{path}` was changed on disk in the same lines since you saw it"),
                "its new text is in the next message",
            );
        }
        Ok(())
    }

    /// Keeps what fits for later and makes the report.
    fn stage(&mut self, turn: &mut Turn, parsed: &Parsed, plan: &Plan, end: TurnEnd) -> Verdict {
        let failed: BTreeSet<usize> = plan.failures.iter().map(|failure| failure.block).collect();
        turn.staged = parsed
            .edits
            .iter()
            .filter(|edit| !failed.contains(&edit.block))
            .cloned()
            .collect();
        for placed in plan.placed.iter().filter(|placed| !failed.contains(&placed.block)) {
            self.ui.show(edit_event(placed, "staged"));
        }
        self.rungs.refuse(plan.failures.len());
        for failure in &plan.failures {
            self.ui.show(Event::Edit {
                path: failure.path.clone().unwrap_or_default(),
                kind: String::new(),
                state: "failed".to_owned(),
                strategy: String::new(),
                line: None,
                detail: failure.reason.clone(),
            });
        }
        let report = apply::report(plan);
        Verdict::Failed {
            signature: format!("edit {report}"),
            report,
            end,
            what: match end {
                TurnEnd::Provider => "the reply broke off",
                TurnEnd::Refused => "the provider withheld the reply",
                _ => "an edit did not apply",
            },
            count: None,
        }
    }

    /// The tries are used up: the user may take the part that fits.
    pub(super) fn settle_staged(&mut self, turn: &mut Turn) -> Result<()> {
        let edits = std::mem::take(&mut turn.staged);
        let count = edits.len();
        let hints = self.hints()?;
        let plan = self.plan(
            &Parsed {
                edits,
                ..Parsed::default()
            },
            &hints,
        )?;
        if !plan.is_complete() || plan.writes.is_empty() {
            return Ok(());
        }
        let take = self.put(&Question {
            text: format!("{count} other edit(s) of the reply fit. Apply them without the failed ones?"),
            detail: diff_of(&plan.writes),
            default: Answer::No,
            yes_always_applies: false,
            choices: Vec::new(),
        });
        if take == Answer::Yes {
            if let Err(refused) = self.write(turn, &plan)? {
                let reasons: Vec<String> = refused.failures.into_iter().map(|failure| failure.reason).collect();
                anyhow::bail!("{}", reasons.join("; "));
            }
        } else {
            self.ui
                .show(Event::Note("Nothing of the reply was written.".to_owned()));
        }
        Ok(())
    }

    /// Writes a complete plan as one transaction and tells the user. What the file system refuses comes back as the plan
    /// with that failure, nothing written.
    fn write(&mut self, turn: &mut Turn, plan: &Plan) -> Result<Result<Carried, Plan>> {
        for warning in &plan.warnings {
            self.ui.show(Event::Warning(warning.clone()));
        }
        if plan.writes.is_empty() {
            self.tell_applied(plan);
            self.ui.show(Event::Note(
                "Everything the reply asks for is there already.".to_owned(),
            ));
            return Ok(Ok(Carried::Ended(TurnEnd::Done)));
        }
        if self.options.dry_run {
            self.ui.show(Event::Diff(diff_of(&plan.writes)));
            self.ui.show(Event::Note("Dry run: nothing was written.".to_owned()));
            return Ok(Ok(Carried::Ended(TurnEnd::Done)));
        }
        let Some(plan) = self.agreed(turn, plan) else {
            return Ok(Ok(Carried::Ended(TurnEnd::Done)));
        };
        let plan = &plan;
        let id = match turn.id {
            Some(id) => id,
            None => *turn.id.insert(self.journal.begin_turn(&turn.label())?),
        };
        let changes = disk::changes(&self.root, plan, &|path| self.attributes(path))?;
        let mut before = Vec::new();
        for change in &changes {
            before.push((change.path.clone(), self.root.bytes(&change.path)?));
        }
        if let Err(error) = self.journal.write(&self.root, id, &changes) {
            let mut refused = plan.clone();
            disk::fail_to_write(&mut refused, error)?;
            return Ok(Err(refused));
        }
        for (path, bytes) in before {
            turn.before.entry(path.clone()).or_insert_with(|| bytes.clone());
            turn.uncommitted.entry(path).or_insert(bytes);
        }
        self.tell_applied(plan);
        // Of whole files only the number of lines was shown as they came.
        if self.options.print_diffs || self.format.name().ends_with("whole") {
            self.ui.show(Event::Diff(diff_of(&plan.writes)));
        }
        self.follow(plan);
        Ok(Ok(Carried::Written))
    }

    fn tell_applied(&mut self, plan: &Plan) {
        self.rungs.add(&plan.placed);
        for placed in &plan.placed {
            self.ui.show(edit_event(placed, "applied"));
        }
    }

    /// The plan as far as the user agrees, when they want to be asked (`--show-diffs`, `--review`). None: not at all.
    fn agreed(&mut self, turn: &mut Turn, plan: &Plan) -> Option<Plan> {
        let mut plan = plan.clone();
        if self.options.review {
            let (writes, rejected) = self.review(&plan.writes);
            if !rejected.is_empty() {
                turn.notes.push(rejected);
            }
            plan.placed
                .retain(|placed| writes.iter().any(|write| write.path == placed.path));
            plan.writes = writes;
        } else if self.options.show_diffs {
            let answer = self.put(&Question {
                text: "Write these changes?".to_owned(),
                detail: diff_of(&plan.writes),
                default: Answer::Yes,
                yes_always_applies: true,
                choices: Vec::new(),
            });
            if answer != Answer::Yes {
                turn.notes
                    .push("I did not take over the edits of your last reply.".to_owned());
                plan.writes.clear();
            }
        }
        if plan.writes.is_empty() {
            self.ui.show(Event::Note("Nothing was written.".to_owned()));
            return None;
        }
        Some(plan)
    }

    /// What git says of a path that is to be made.
    fn attributes(&self, path: &str) -> GitAttributes {
        let eol = self.git.as_ref().and_then(|git| git.eol(path)).map(|eol| match eol {
            Eol::Lf => "lf".to_owned(),
            Eol::CrLf => "crlf".to_owned(),
        });
        GitAttributes {
            eol,
            ..GitAttributes::default()
        }
    }

    /// The chat follows the files: new ones join, moved ones are renamed, deleted ones leave.
    fn follow(&mut self, plan: &Plan) {
        for write in &plan.writes {
            match &write.kind {
                WriteKind::Create => {
                    self.files.add(&write.path);
                }
                WriteKind::Delete => {
                    self.files.drop_file(&write.path);
                }
                WriteKind::Move { from } => self.files.rename(from, &write.path),
                WriteKind::Modify => {}
            }
            if let Some(after) = &write.after {
                self.files.note_seen(&write.path, after);
            }
        }
    }

    pub(super) fn hints(&mut self) -> Result<Hints> {
        Ok(Hints {
            chat_files: self.files.editable().to_vec(),
            known_files: self.map.files()?,
            root: Some(self.root.path().display().to_string()),
            partly_shown: self.files.partly_shown().clone(),
        })
    }
}

/// Why a reply is not whole; None when it is.
fn cut_off(finish: &Finish) -> Option<String> {
    match finish {
        Finish::Length => Some("the reply was cut at the output limit".to_owned()),
        Finish::Incomplete(why) => Some(format!("the reply broke off ({why})")),
        Finish::Refused(why) => Some(format!("the provider withheld the rest of the reply ({why})")),
        Finish::Stop | Finish::Cancelled => None,
    }
}

fn cut_failure(why: String, plan: &Plan) -> Failure {
    Failure {
        block: plan.placed.iter().map(|placed| placed.block).max().unwrap_or(0) + 1,
        path: None,
        kind: FailureKind::Unreadable,
        reason: why,
        hint: "send what is still missing, without repeating what is staged".to_owned(),
    }
}

/// The staged edits of earlier replies, then the new ones, numbered through.
fn with_staged(turn: &Turn, mut parsed: Parsed) -> Parsed {
    let offset = turn.staged.iter().map(|edit| edit.block).max().unwrap_or(0);
    for edit in &mut parsed.edits {
        edit.block += offset;
    }
    for problem in &mut parsed.problems {
        problem.block += offset;
    }
    parsed.edits.splice(0..0, turn.staged.iter().cloned());
    parsed
}

fn edit_event(placed: &apply::Placed, state: &str) -> Event {
    Event::Edit {
        path: placed.path.clone(),
        kind: match &placed.kind {
            WriteKind::Modify => "modify",
            WriteKind::Create => "create",
            WriteKind::Delete => "delete",
            WriteKind::Move { .. } => "move",
        }
        .to_owned(),
        state: state.to_owned(),
        strategy: placed.strategy.to_owned(),
        line: placed.line,
        detail: String::new(),
    }
}

pub(super) fn diff_of(writes: &[FileWrite]) -> String {
    writes
        .iter()
        .map(|write| unified_text(&write.path, write.before.as_deref(), write.after.as_deref()))
        .collect()
}
