//! What the tests say of the code before the chat changed it. They run while the model answers the first request, which costs
//! no time; nothing is written before they have ended. So failures that were there before are told from those that an edit
//! brought, and nobody is asked to repair them.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use super::Session;
use super::turn::Turn;
use super::verify::Purpose;
use crate::chat::modes::Yields;
use crate::git::Programs;
use crate::shell;
use crate::shell::End;
use crate::shell::Outcome;
use crate::terminal::Event;
use crate::test_report;
use crate::test_report::Report;
use crate::test_report::TestId;

/// How long the reply waits for tests that still run when it is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a waiting session looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// What is known of the tests before the first change.
#[derive(Default)]
pub(super) enum Baseline {
    #[default]
    Unknown,
    Running(Running),
    /// Tests that failed before the first change and did not pass since, by the command that ran them.
    Known {
        command: String,
        failing: BTreeSet<TestId>,
        /// The model has heard that this failed before.
        told: bool,
    },
    /// It could not be learned in time, or the code has changed since.
    GivenUp,
}

/// The run beside the model's answer.
pub(super) struct Running {
    command: String,
    cancel: CancellationToken,
    outcome: Receiver<Option<Outcome>>,
    thread: Option<JoinHandle<()>>,
    /// What git would run, as it was before.
    programs: Option<Programs>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            // What it ran is gone when it ends.
            let _ = thread.join();
        }
    }
}

impl Session {
    /// Starts the tests beside the first request that may lead to a change.
    pub(super) fn start_baseline(&mut self, turn: &Turn) {
        let changes = matches!(self.mode.yields, Yields::Edits | Yields::Plan);
        let Some(command) = turn.test_command.clone().filter(|_| changes && self.main.is_some()) else {
            return;
        };
        if !self.options.test_baseline || !matches!(self.baseline, Baseline::Unknown) {
            return;
        }
        if self.options.dry_run {
            return;
        }
        if turn.tests_ran {
            let results = self.last_tests.as_ref().filter(|(same, _)| *same == command);
            self.baseline = known(command, results.map(|(_, results)| results));
            return;
        }
        let job = self.job(Purpose::Test, &command);
        let programs = self.programs_before(&job);
        let cancel = self.interrupt.beside();
        let (done, outcome) = mpsc::channel();
        let stop = cancel.clone();
        let thread = std::thread::Builder::new().name("baseline".to_owned()).spawn(move || {
            // Nobody waits for it any more when sending fails.
            let _ = done.send(shell::run(&job, &stop, &mut |_| {}).ok());
        });
        // Without the thread the chat goes on without a baseline.
        if let Ok(thread) = thread {
            self.baseline = Baseline::Running(Running {
                command,
                cancel,
                outcome,
                thread: Some(thread),
                programs,
            });
        }
    }

    /// Called before anything is written: from here on the tests would see changed code.
    pub(super) fn settle_baseline(&mut self) -> Result<()> {
        self.baseline = match std::mem::replace(&mut self.baseline, Baseline::GivenUp) {
            Baseline::Running(mut running) => {
                let settled = self.outcome_of(&running);
                let programs = running.programs.take();
                drop(running);
                self.check_programs(programs)?;
                settled
            }
            Baseline::Unknown => Baseline::GivenUp,
            settled => settled,
        };
        Ok(())
    }

    /// Tests that run now must not meet those that run beside the request.
    pub(super) fn let_baseline_end(&mut self) -> Result<()> {
        match self.baseline {
            Baseline::Running(_) => self.settle_baseline(),
            _ => Ok(()),
        }
    }

    fn outcome_of(&mut self, running: &Running) -> Baseline {
        let began = Instant::now();
        let interrupt = self.interrupt.fresh();
        let mut told = false;
        while !interrupt.is_cancelled() && began.elapsed() < PATIENCE {
            match running.outcome.recv_timeout(LOOK) {
                Ok(outcome) => return self.take_baseline(&running.command, outcome),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if !told => {
                    told = true;
                    self.ui.show(Event::Note(
                        "Waiting for the tests of the code as it was (Ctrl-C goes on without).".to_owned(),
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        if interrupt.is_cancelled() {
            return Baseline::GivenUp;
        }
        self.ui.show(Event::Note(
            "The tests of the code as it was took too long and were stopped (`--no-test-baseline` leaves them out)."
                .to_owned(),
        ));
        Baseline::GivenUp
    }

    fn take_baseline(&mut self, command: &str, outcome: Option<Outcome>) -> Baseline {
        let Some(outcome) = outcome.filter(|outcome| matches!(outcome.end, End::Exit(_))) else {
            return Baseline::GivenUp;
        };
        let results = test_report::parse(&outcome.output);
        if outcome.succeeded() {
            self.last_tests = results.map(|results| (command.to_owned(), results));
            return known(command.to_owned(), None);
        }
        let Some(results) = results else {
            return Baseline::GivenUp;
        };
        if results.n_failed > 0 {
            self.ui.show(Event::Note(format!(
                "Before this change {} already.",
                match results.n_failed {
                    1 => "1 test fails".to_owned(),
                    n => format!("{n} tests fail"),
                }
            )));
        }
        let baseline = known(command.to_owned(), Some(&results));
        self.last_tests = Some((command.to_owned(), results));
        baseline
    }

    /// What of the failures was there before the first change. Tests that pass now are forgotten: when one fails again, a
    /// change did it.
    pub(super) fn old_failures(&mut self, command: &str) -> OldFailures {
        let (
            Baseline::Known {
                command: same,
                failing,
                told,
            },
            Some((_, now)),
        ) = (&mut self.baseline, &self.last_tests)
        else {
            return OldFailures::default();
        };
        if same != command || now.broken {
            return OldFailures::default();
        }
        failing.retain(|test| now.failed.contains(test));
        let tests: Vec<TestId> = failing.iter().cloned().collect();
        OldFailures {
            are_all: !tests.is_empty() && now.n_failed == tests.len(),
            are_told: std::mem::replace(told, *told || !tests.is_empty()),
            tests,
        }
    }
}

/// Failures that were there before the first change.
#[derive(Default)]
pub(super) struct OldFailures {
    pub(super) tests: Vec<TestId>,
    /// Nothing else fails.
    pub(super) are_all: bool,
    /// The model has heard of them before.
    pub(super) are_told: bool,
}

/// Names alone count: a run that could not run all tests says nothing.
fn known(command: String, results: Option<&Report>) -> Baseline {
    match results {
        Some(results) if results.broken || results.failed.len() < results.n_failed => Baseline::GivenUp,
        results => Baseline::Known {
            command,
            failing: results
                .into_iter()
                .flat_map(|results| results.failed.iter().cloned())
                .collect(),
            told: false,
        },
    }
}
