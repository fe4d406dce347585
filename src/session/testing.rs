//! Runs the tests and says what came of it: what failed, what the last change mended and broke, what is only flaky.

use std::time::Duration;
use std::time::Instant;

use anyhow::Result;

use super::Session;
use super::TurnEnd;
use super::baseline::OldFailures;
use super::reflection::Verdict;
use super::sandbox;
use super::turn::Turn;
use super::verify::Checked;
use super::verify::Purpose;
use super::verify::Red;
use super::verify::end_words;
use super::verify::for_model;
use crate::shell::End;
use crate::shell::Outcome;
use crate::terminal::Event;
use crate::test_report;
use crate::test_report::Progress;
use crate::test_report::Report;
use crate::test_report::TestId;

/// Bytes of a failing test run that go to the model.
const OUTPUT_FOR_MODEL: usize = 12_000;

/// What the model is asked after a failing test run.
const REPAIR_TESTS: &str = "Repair the code so that the tests pass.";

/// More tests than this do not fail by chance.
const MOST_FLAKY: usize = 5;

/// Tests that take longer are not run twice.
const SHORT: Duration = Duration::from_secs(30);

/// One run of the test command.
struct Run {
    outcome: Outcome,
    /// None: its runner is not known.
    results: Option<Report>,
    took: Duration,
}

impl Session {
    /// Runs the tests; a second time where only few fail that did not fail before, as some may be flaky.
    pub(super) fn run_tests(&mut self, command: &str) -> Result<Checked> {
        self.let_baseline_end()?;
        let mut run = match self.run_once(command)? {
            Ok(run) => run,
            Err(stopped) => return Ok(stopped),
        };
        let mut flaky = Vec::new();
        if !run.outcome.succeeded() && self.may_be_flaky(&run, command) {
            self.ui.show(Event::Note(
                "Running the tests once more, to see whether what fails is flaky.".to_owned(),
            ));
            let again = match self.run_once(command)? {
                Ok(run) => run,
                Err(stopped) => return Ok(stopped),
            };
            flaky = passed_again(&run, &again);
            run = again;
        }
        if !flaky.is_empty() {
            self.ui.show(Event::Warning(format!(
                "Failed once and passed in the next run: {}. Taken as flaky.",
                named(&flaky)
            )));
        }
        if run.outcome.succeeded() {
            self.last_tests = run.results.map(|results| (command.to_owned(), results));
            return Ok(Checked::Clean);
        }
        Ok(Checked::Red(self.red(command, run, &flaky)))
    }

    /// What fails goes back to the model, with a word on what failed before the first change: whether that is what the request is
    /// about (tests that were written first) the model can tell.
    pub(super) fn verdict_on_tests(&mut self, turn: &Turn, command: &str, red: Red) -> Verdict {
        let old = self.old_failures(command);
        // One word on it in a session is enough; but who has begun to repair it goes on.
        if old.are_all && old.are_told && !self.repairs_tests && !turn.is_about_tests() {
            self.ui.show(Event::Warning(format!(
                "What fails failed before the change, too, and is left as it is: {}. A message about it has it repaired.",
                named(&old.tests)
            )));
            return Verdict::Stopped(TurnEnd::StillRed);
        }
        self.repairs_tests = true;
        let red = match old.tests.is_empty() || turn.is_about_tests() {
            true => red,
            false => red.but_not(&old),
        };
        red.verdict("the tests still fail")
    }

    /// One run, shown; or how the check was stopped.
    fn run_once(&mut self, command: &str) -> Result<Result<Run, Checked>> {
        let began = Instant::now();
        let outcome = self.run_job(Purpose::Test, command)?;
        let took = began.elapsed();
        if let Some(end) = self.stopped_by(&outcome) {
            return Ok(Err(Checked::Stopped(end)));
        }
        let results = test_report::parse(&outcome.output);
        let exit_code = match outcome.end {
            End::Exit(code) => Some(code),
            _ => None,
        };
        self.ui.show(Event::Test {
            passed: outcome.succeeded(),
            exit_code,
            summary: results.as_ref().map(summary).unwrap_or_default(),
            output: outcome.output.clone(),
        });
        Ok(Ok(Run { outcome, results, took }))
    }

    /// Whether another run is worth its time: few tests fail, all by name, and one of them did not in the run before.
    fn may_be_flaky(&self, run: &Run, command: &str) -> bool {
        let Some(results) = &run.results else { return false };
        let before = self.last_tests.as_ref().filter(|(same, _)| same == command);
        let is_new = |test: &TestId| before.is_none_or(|(_, before)| !before.failed.contains(test));
        let in_time = self.deadline.is_none_or(|deadline| deadline.left() > run.took * 2);
        !results.broken
            && results.n_failed == results.failed.len()
            && results.n_failed <= MOST_FLAKY
            && results.failed.iter().any(is_new)
            && run.took <= SHORT
            && in_time
    }

    /// The failure for the model.
    fn red(&mut self, command: &str, run: Run, flaky: &[TestId]) -> Red {
        let Run { outcome, results, .. } = run;
        // Only where a runner is known is it known what its lines mean.
        let output = match &results {
            Some(_) => for_model(&test_report::essence(&outcome.output), OUTPUT_FOR_MODEL),
            None => for_model(&outcome.output, OUTPUT_FOR_MODEL),
        };
        let output = output.trim_end();
        let since = self.since_the_run_before(command, results);
        let chance = match flaky {
            [] => String::new(),
            flaky => format!(
                "Failed in the run before this one and passed now, without a change: {}. Leave that alone, it is flaky.\n\n",
                named(flaky)
            ),
        };
        Red {
            report: format!(
                "The test command `{command}` failed ({}). Its output:\n\n{output}\n\n{since}{chance}{hint}{REPAIR_TESTS}",
                end_words(&outcome.end),
                hint = sandbox::hint_for_model(&outcome),
            ),
            signature: format!("test {}", test_report::failure_signature(&outcome.output)),
            count: None,
            only_syntax: false,
        }
    }

    /// What a failing run changed against the one before it with the same command, as a sentence for the model; empty when
    /// nothing, or when that is not known.
    fn since_the_run_before(&mut self, command: &str, results: Option<Report>) -> String {
        let Some(results) = results else {
            self.last_tests = None;
            return String::new();
        };
        let before = self.last_tests.replace((command.to_owned(), results.clone()));
        match before {
            Some((same, before)) if same == command => progress(&Progress::between(&before, &results)),
            _ => String::new(),
        }
    }
}

impl Red {
    /// What failed, without what is to be done about it.
    pub(super) fn finding(&self) -> &str {
        self.report.trim_end_matches(REPAIR_TESTS).trim_end()
    }

    /// With a word on what failed before.
    fn but_not(self, old: &OldFailures) -> Self {
        let which = match old.are_all {
            true => "All of that failed before your change, too".to_owned(),
            false => format!("Failed before your change, too: {}", named(&old.tests)),
        };
        Self {
            report: format!(
                "{}\n\n{which}. Where it is what the request is about, make it pass; otherwise leave it alone. When nothing else is left \
                 to repair, say so without an edit.",
                self.finding()
            ),
            ..self
        }
    }
}

/// The tests that failed in the first of two runs of the same code only. None where the second could not run all.
fn passed_again(first: &Run, second: &Run) -> Vec<TestId> {
    match (&first.results, &second.results) {
        (Some(first), Some(second)) if !second.broken => Progress::between(first, second).fixed,
        (Some(first), None) if second.outcome.succeeded() => first.failed.clone(),
        _ => Vec::new(),
    }
}

/// `Since the run before: fixed test_a; newly failing test_b.`
fn progress(progress: &Progress) -> String {
    let parts: Vec<String> = [("fixed", &progress.fixed), ("newly failing", &progress.newly_failing)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {}", named(names)))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("Since the run before: {}.\n\n", parts.join("; ")),
    }
}

/// `2 failed (test_a, test_b), 5 passed`.
fn summary(report: &Report) -> String {
    let mut parts = Vec::new();
    if report.n_failed > 0 {
        let names = match report.failed.is_empty() {
            true => String::new(),
            false => format!(" ({})", named(&report.failed)),
        };
        parts.push(format!("{} failed{names}", report.n_failed));
    }
    if report.broken {
        parts.push("some could not run".to_owned());
    }
    parts.push(format!("{} passed", report.passed));
    if report.skipped > 0 {
        parts.push(format!("{} skipped", report.skipped));
    }
    parts.join(", ")
}

/// The first few names.
fn named(tests: &[TestId]) -> String {
    /// More names than this are not told.
    const NAMED: usize = 5;
    let names: Vec<String> = tests.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if tests.len() > NAMED { ", ..." } else { "" };
    format!("{}{more}", names.join(", "))
}
