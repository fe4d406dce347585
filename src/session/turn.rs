//! One user message until it is done: ask, parse, plan, write, check, commit, test, reflect or stop.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Session;
use super::apply_step::Carried;
use super::ask::Asked;
use super::reflection::Next;
use super::reflection::Reflections;
use super::spending::Deadline;
use super::verify::Checked;
use crate::chat::history;
use crate::chat::message::Message;
use crate::chat::modes::Yields;
use crate::chat::request;
use crate::edit_format::Edit;
use crate::edit_format::ShellSuggestion;
use crate::files::journal::TurnId;
use crate::policy::secrets;
use crate::terminal::Event;

/// What the model hears of a reply that the user stopped.
pub(super) const STOPPED: &str = "I stopped this reply; nothing of it was applied.";

/// How a turn ended; the front end turns it into an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    Done,
    /// At least one edit could not be applied.
    EditsFailed,
    /// Lint or tests still fail, or git refuses the commit.
    StillRed,
    /// There is no model to ask.
    NoModel,
    /// The provider failed, or its model answered nothing.
    Provider,
    /// The provider withheld the reply, by its policy.
    Refused,
    /// A limit of the user was reached, or the request is larger than the model's window.
    Limit,
    Interrupted,
}

/// What is known about the turn that runs.
pub(super) struct Turn {
    /// What the user said.
    pub(super) message: String,
    /// In the journal, from the first write on.
    pub(super) id: Option<TurnId>,
    /// What was said in this turn so far, the user's message first.
    pub(super) said: Vec<Message>,
    /// Edits that fit and wait for the rest of their reply.
    pub(super) staged: Vec<Edit>,
    /// Files written since the turn's last commit, with their bytes before.
    pub(super) uncommitted: BTreeMap<String, Option<Vec<u8>>>,
    /// Files of the turn as they were before it: what tells old findings from new ones.
    pub(super) before: BTreeMap<String, Option<Vec<u8>>>,
    /// How the turn ends if the model has nothing more to say: what failed last and is not put right.
    pub(super) open: Option<TurnEnd>,
    /// The syntax check found something in what was written last, and nothing else did.
    pub(super) only_syntax_is_red: bool,
    /// Git refused a commit of this turn and the model has heard of it.
    pub(super) refused_commit: bool,
    /// Scripts that the replies suggest, and the text of the last reply with edits: offered when the turn is done.
    pub(super) suggestions: Vec<ShellSuggestion>,
    pub(super) last_reply: String,
    /// What the model should hear with the next message: changes that the user did not want.
    pub(super) notes: Vec<String>,
    pub(super) requests: usize,
    /// Some of a reply has come.
    pub(super) answered: bool,
    pub(super) reflections: Reflections,
    /// Runs after each write of the turn; None: no tests.
    pub(super) test_command: Option<String>,
    /// The tests ran for this turn, on the code as it was.
    pub(super) tests_ran: bool,
    /// The message is what the tests found, nothing that the user asks for.
    pub(super) repairs_tests: bool,
    /// A plan that the user accepted and that is still to be carried out.
    pub(super) plan: Option<String>,
}

impl Turn {
    pub(super) fn new(message: &str, max_reflections: usize, test_command: Option<String>) -> Self {
        Self {
            message: message.to_owned(),
            id: None,
            said: vec![Message::user(message)],
            staged: Vec::new(),
            uncommitted: BTreeMap::new(),
            before: BTreeMap::new(),
            open: None,
            only_syntax_is_red: false,
            refused_commit: false,
            suggestions: Vec::new(),
            last_reply: String::new(),
            notes: Vec::new(),
            requests: 0,
            answered: false,
            reflections: Reflections::new(max_reflections),
            test_command,
            tests_ran: false,
            repairs_tests: false,
            plan: None,
        }
    }

    /// Whether failing tests are what the turn is for.
    pub(super) fn is_about_tests(&self) -> bool {
        self.repairs_tests || request::is_about_failing_tests(&self.message)
    }

    /// The message's first line for the journal: cut, and without what looks like a key.
    pub(super) fn label(&self) -> String {
        /// In characters.
        const LONGEST: usize = 60;
        let line = self
            .message
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("(empty)")
            .trim();
        let line = secrets::mask(line);
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", line[..end].trim_end()),
            None => line.into_owned(),
        }
    }
}

/// What the replies of a turn offered beside their edits.
struct Offered {
    suggestions: Vec<ShellSuggestion>,
    last_reply: String,
    message: String,
}

impl Session {
    /// Runs one turn to its end. An error inside it is shown and ends the turn, never the session.
    pub fn turn(&mut self, message: &str) -> TurnEnd {
        self.timed(|session| session.turn_in_time(message))
    }

    /// Lets the time of a turn (`--max-time`) run while `work` does.
    pub(super) fn timed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.deadline = self.options.limits.max_time.and_then(Deadline::from_now);
        let done = work(self);
        self.deadline = None;
        done
    }

    fn turn_in_time(&mut self, message: &str) -> TurnEnd {
        // Files that the message itself names are offered before it is sent: that saves a request.
        if self.main.is_some()
            && self.mode.project
            && let Err(error) = self
                .offer_mentioned(message, "")
                .and_then(|_| self.offer_attachments(message))
        {
            self.ui.show(Event::Error {
                message: format!("{error:#}"),
                hint: None,
            });
        }
        if self.tell_stopped("nothing was sent") {
            self.unsent = Some(message.to_owned());
            return TurnEnd::Interrupted;
        }
        let tests = self.tests_after_writes();
        let mut turn = Turn::new(message, self.options.max_reflections, tests);
        match self.failing_tests(&turn) {
            Ok(Err(stopped)) => {
                self.unsent = Some(turn.message);
                return stopped;
            }
            Ok(Ok(Some(failure))) => {
                turn.tests_ran = true;
                turn.said = vec![Message::user(format!("{message}\n\nAs things stand now: {failure}"))];
            }
            Ok(Ok(None)) => {}
            Err(error) => self.ui.show(Event::Error {
                message: format!("{error:#}"),
                hint: None,
            }),
        }
        self.start_baseline(&turn);
        self.run(turn, Session::converse)
    }

    /// What the tests say before anything is changed, when the message is about them and they fail; or how the turn ends when the
    /// run was stopped.
    fn failing_tests(&mut self, turn: &Turn) -> Result<Result<Option<String>, TurnEnd>> {
        let changes = matches!(self.mode.yields, Yields::Edits | Yields::Plan);
        let Some(command) = turn.test_command.clone() else {
            return Ok(Ok(None));
        };
        if self.main.is_none() || !changes || !request::is_about_failing_tests(&turn.message) {
            return Ok(Ok(None));
        }
        self.ui.show(Event::Note(
            "Running the tests first, as the message is about them.".to_owned(),
        ));
        Ok(match self.run_tests(&command)? {
            Checked::Red(red) => Ok(Some(red.finding().to_owned())),
            Checked::Clean => Ok(None),
            Checked::Stopped(end) => Err(end),
        })
    }

    pub(super) fn tests_after_writes(&self) -> Option<String> {
        self.options.test_command.clone().filter(|_| self.options.auto_test)
    }

    /// A turn whose message is a report: of what `tests` found, which run after each write, or of a check without tests.
    pub(super) fn run_turn(&mut self, message: &str, tests: Option<String>) -> TurnEnd {
        let repairs_tests = tests.is_some();
        let turn = Turn {
            repairs_tests,
            ..Turn::new(message, self.options.max_reflections, tests)
        };
        self.run(turn, Session::converse)
    }

    /// The model answers; an accepted plan is carried out.
    fn converse(&mut self, turn: &mut Turn) -> Result<TurnEnd> {
        let end = self.drive(turn)?;
        if turn.plan.is_some() {
            return self.carry_plan_out(turn);
        }
        Ok(end)
    }

    /// Sees a turn through: `steps` are what the model does in it, the rest is the same for all turns.
    pub(super) fn run(
        &mut self,
        mut turn: Turn,
        steps: impl FnOnce(&mut Self, &mut Turn) -> Result<TurnEnd>,
    ) -> TurnEnd {
        self.record_pending(&turn.message);
        self.turn_map = None;
        self.repairs_tests = turn.repairs_tests;
        let end = steps(self, &mut turn).unwrap_or_else(|error| {
            self.ui.show(Event::Error {
                message: format!("{error:#}"),
                hint: None,
            });
            TurnEnd::EditsFailed
        });
        self.repairs_tests = false;
        for path in std::mem::take(&mut self.tests_to_read) {
            self.files.drop_file(&path);
        }
        let committed = self.commit_turn(&mut turn);
        let is_refused = turn.refused_commit && !turn.uncommitted.is_empty();
        let end = if end == TurnEnd::Done && is_refused {
            TurnEnd::StillRed
        } else {
            end
        };
        let offered = Offered {
            suggestions: std::mem::take(&mut turn.suggestions),
            last_reply: std::mem::take(&mut turn.last_reply),
            message: turn.message.clone(),
        };
        // What an offer brings (the output of a command) comes after the turn.
        self.remember(turn, end);
        let offers = |session: &mut Self| match end {
            TurnEnd::Interrupted => Ok(()),
            _ => session.offer(&offered),
        };
        if let Err(error) = committed.and_then(|_| offers(self)) {
            self.ui.show(Event::Error {
                message: format!("{error:#}"),
                hint: None,
            });
        }
        end
    }

    fn offer(&mut self, offered: &Offered) -> Result<()> {
        self.offer_commands(&offered.suggestions)?;
        self.offer_mentioned(&offered.last_reply, &offered.message)?;
        Ok(())
    }

    pub(super) fn drive(&mut self, turn: &mut Turn) -> Result<TurnEnd> {
        loop {
            let reply = match self.ask_model(turn)? {
                Asked::Reply(reply) => reply,
                Asked::Ended(end) => return Ok(self.stop(turn, end, None)),
            };
            let carried = self.carry_out(turn, &reply)?;
            if self.tell_stopped("nothing of the reply was applied") {
                turn.said.push(Message::user(STOPPED));
                return Ok(self.stop(turn, TurnEnd::Interrupted, None));
            }
            let verdict = match carried {
                Carried::Written => self.verify(turn)?,
                Carried::Ended(end) => return Ok(self.stop(turn, end, None)),
                Carried::Open(verdict) => verdict,
                Carried::Disputed => self.verify_disputed(turn)?,
            };
            let failed = verdict.failed_as();
            turn.open = failed.or(turn.open);
            match turn.reflections.next(verdict) {
                Next::Ask(text) => {
                    let (used, max) = (turn.reflections.used(), self.options.max_reflections);
                    if failed.is_some() {
                        self.ui.show(Event::Note(format!(
                            "Handing this back to the model ({used} of {max})."
                        )));
                    }
                    turn.said.push(Message::user(text));
                }
                Next::Stop(end, why) => return Ok(self.stop(turn, end, why)),
                Next::Rest => return Ok(self.stop(turn, turn.open.unwrap_or(TurnEnd::Done), None)),
            }
        }
    }

    /// Says why the turn stops short, and settles what is staged.
    fn stop(&mut self, turn: &mut Turn, end: TurnEnd, why: Option<String>) -> TurnEnd {
        if let Some(why) = why {
            self.ui
                .show(Event::Warning(format!("{why} ({}).", self.spent_in(turn))));
        }
        if turn.staged.is_empty() || end == TurnEnd::Interrupted {
            return end;
        }
        match self.settle_staged(turn) {
            Ok(()) => end,
            Err(error) => {
                self.ui.show(Event::Error {
                    message: format!("{error:#}"),
                    hint: None,
                });
                TurnEnd::EditsFailed
            }
        }
    }

    fn spent_in(&self, turn: &Turn) -> String {
        let requests = match turn.requests {
            1 => "1 request".to_owned(),
            n => format!("{n} requests"),
        };
        match self.spending.total().cost {
            cost if cost > 0.0 => format!("{requests} in this turn, ${cost:.4} in this session"),
            _ => format!("{requests} in this turn"),
        }
    }

    /// Puts the turn into the history of the chat.
    fn remember(&mut self, turn: Turn, end: TurnEnd) {
        self.reflections += turn.reflections.used();
        if !turn.answered {
            // The message stays with the user, who can send it again.
            self.unsent = Some(turn.message);
            return;
        }
        if !self.mode.project {
            // Questions about codriver are no part of the chat about the project.
            self.record_turn(None);
            return;
        }
        let mut said = turn.said;
        said.extend(turn.notes.into_iter().map(Message::user));
        let done = history::Turn {
            id: turn.id,
            ..history::Turn::new(said)
        };
        // How a failure was mended helps nobody once it is.
        let done = match end {
            TurnEnd::Done => done.settled(),
            _ => history::Turn { open: true, ..done },
        };
        let settles = end == TurnEnd::Done && done.id.is_some() && self.history.turns.iter().any(|turn| turn.open);
        if settles {
            self.history.settle();
        }
        self.record_turn(Some(&done));
        self.history.push(done);
        if settles {
            self.record_history();
        }
        if turn.id.is_some() {
            self.taken_back.clear();
        }
    }
}
