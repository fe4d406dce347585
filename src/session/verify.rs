//! After a plan is written: syntax, lint commands, the commit, the tests. Only what the turn brought is the model's job.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::Session;
use super::blame::Changed;
use super::reflection::Verdict;
use super::sandbox;
use super::turn::Turn;
use super::turn::TurnEnd;
use crate::files::Found;
use crate::languages;
use crate::lint;
use crate::lint::output::Finding;
use crate::shell;
use crate::shell::End;
use crate::shell::Job;
use crate::shell::Outcome;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;
use crate::test_report;

/// Bytes of a command's output that are kept at all.
const KEEP_OUTPUT: usize = 1024 * 1024;
/// Bytes of findings that go to the model.
const LINT_OUTPUT_FOR_MODEL: usize = 8_000;

/// Why a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Lint,
    Test,
    /// What the user types.
    Run,
    /// What the model suggests and the user agreed to.
    Suggested,
    SuggestedWithNetwork,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Lint => "lint",
            Purpose::Test => "test",
            Purpose::Run | Purpose::Suggested | Purpose::SuggestedWithNetwork => "run",
        }
    }
}

/// What a check came to.
pub(super) enum Checked {
    Clean,
    Red(Red),
    /// It was stopped: by the user, or because the time is up.
    Stopped(TurnEnd),
}

/// A check that failed.
pub(super) struct Red {
    /// Text for the model.
    pub(super) report: String,
    pub(super) signature: String,
    pub(super) count: Option<usize>,
    /// No command found anything, only our own parser.
    pub(super) only_syntax: bool,
}

impl Session {
    /// Checks what was written: syntax and lint, then the commit and the tests.
    pub(super) fn verify(&mut self, turn: &mut Turn) -> Result<Verdict> {
        let written: Vec<String> = turn.uncommitted.keys().cloned().collect();
        let checked = self.lint_files(&written, &turn.before)?;
        if let Some(id) = turn.id {
            let reformatted = self.journal.absorb(&self.root, id)?;
            if !reformatted.is_empty() {
                self.ui.show(Event::Note(format!(
                    "The lint command changed {}.",
                    reformatted.join(", ")
                )));
            }
        }
        turn.only_syntax_is_red = matches!(&checked, Checked::Red(red) if red.only_syntax);
        match checked {
            Checked::Clean => self.commit_and_test(turn),
            Checked::Red(red) => Ok(red.verdict("the check after the edit still finds something")),
            Checked::Stopped(end) => Ok(Verdict::Stopped(end)),
        }
    }

    /// What follows when the model says that the syntax check is wrong: a grammar may lag behind its language, so the tests
    /// decide. Without tests the finding stands.
    pub(super) fn verify_disputed(&mut self, turn: &mut Turn) -> Result<Verdict> {
        turn.only_syntax_is_red = false;
        if turn.test_command.is_none() {
            return Ok(Verdict::Stopped(TurnEnd::StillRed));
        }
        let verdict = self.commit_and_test(turn)?;
        if verdict == Verdict::Done {
            turn.open = None;
        }
        Ok(verdict)
    }

    /// The commit, then the tests: green or red, the turn can be taken back as one.
    fn commit_and_test(&mut self, turn: &mut Turn) -> Result<Verdict> {
        let refusal = self.commit_turn(turn)?;
        if turn.refused_commit && self.interrupt.tripped() {
            return Ok(Verdict::Stopped(TurnEnd::Interrupted));
        }
        if let Some(output) = refusal
            && self.wants_hook_repaired()
        {
            turn.refused_commit = false;
            return Ok(Verdict::Failed {
                signature: "commit refused".to_owned(),
                report: format!("The repository's checks refuse the commit:\n\n{output}\n\nPut this right."),
                end: TurnEnd::StillRed,
                what: "the commit is still refused",
                count: None,
            });
        }
        let Some(command) = turn.test_command.clone() else {
            return Ok(Verdict::Done);
        };
        Ok(match self.run_tests(&command)? {
            Checked::Clean => Verdict::Done,
            Checked::Red(red) => self.verdict_on_tests(turn, &command, red),
            Checked::Stopped(end) => Verdict::Stopped(end),
        })
    }

    /// Syntax of each file against its text before, then the lint commands.
    pub(super) fn lint_files(
        &mut self,
        paths: &[String],
        before: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Checked> {
        let mut report = String::new();
        let mut count = 0;
        let mut only_syntax = true;
        for path in paths {
            let Found::Text(file) = self.root.read(path)? else {
                continue;
            };
            let old = before
                .get(path)
                .and_then(|bytes| bytes.as_deref())
                .map(crate::files::decode_lossy);
            let errors = syntax_errors(path, old.as_deref(), &file.text);
            let mut found = !errors.is_empty();
            if found {
                count += errors.len();
                let language = languages::detect(path, &file.text).map_or("", |language| language.name);
                report.push_str(&lint::syntax::report(path, language, &file.text, &errors));
            }
            let commands = self.lint_commands_for(path, &file.text);
            let checked = !commands.is_empty();
            let changed = before
                .contains_key(path)
                .then(|| Changed::between(old.as_deref(), &file.text));
            let failed = match self.run_lint_commands(path, &commands)? {
                Ok(failed) => failed,
                Err(end) => return Ok(Checked::Stopped(end)),
            };
            for (command, output) in failed {
                let Some((n_findings, text)) = self.new_findings(path, &file.text, changed.as_ref(), &output) else {
                    continue;
                };
                found = true;
                only_syntax = false;
                count += n_findings;
                report.push_str(&format!(
                    "`{command}` reports:\n\n{}\n",
                    for_model(&text, LINT_OUTPUT_FOR_MODEL)
                ));
            }
            if found || checked {
                self.ui.show(Event::Lint {
                    path: path.clone(),
                    passed: !found,
                    output: String::new(),
                });
            }
        }
        if report.is_empty() {
            return Ok(Checked::Clean);
        }
        self.ui.show(Event::Warning(report.clone()));
        let request = match only_syntax {
            true => {
                "Put this right, and change only what is needed for it. When the code is right as it stands, say so without an edit."
            }
            false => "Put this right. Change only what is needed for it.",
        };
        Ok(Checked::Red(Red {
            signature: format!("lint {}", test_report::failure_signature(&report)),
            report: format!("{report}\n{request}"),
            count: Some(count),
            only_syntax,
        }))
    }

    /// What a failing lint command reports that the turn brought: how many findings, and the text for the model. None when
    /// it is all old. `changed` is None when every finding counts (`/lint`).
    fn new_findings(&self, path: &str, text: &str, changed: Option<&Changed>, output: &str) -> Option<(usize, String)> {
        let resolve = |name: &str| {
            let relative = self.root.relative(Path::new(name), &self.cwd)?;
            self.root.path().join(&relative).is_file().then_some(relative)
        };
        let all = lint::output::findings(output, &resolve);
        if all.is_empty() {
            // Nothing in it has a place: the output is all there is.
            let silent = output.trim().is_empty();
            let text = if silent { "it failed without a word" } else { output };
            return Some((1, text.to_owned()));
        }
        let new: Vec<Finding> = all
            .into_iter()
            .filter(|finding| finding.path != path || changed.is_none_or(|changed| changed.brought(finding)))
            .collect();
        if new.is_empty() {
            return None;
        }
        let text_of = |file: &str| (file == path).then(|| text.to_owned());
        Some((new.len(), lint::output::report(&new, &text_of)))
    }

    fn lint_commands_for(&self, path: &str, text: &str) -> Vec<String> {
        if !self.options.auto_lint {
            return Vec::new();
        }
        let language = languages::detect(path, text).map(|language| language.name);
        self.options
            .lint_commands
            .iter()
            .filter(|(wanted, _)| wanted.is_none() || wanted.as_deref() == language)
            .map(|(_, command)| command.clone())
            .collect()
    }

    /// The commands that found something in the file, with their output; or how the turn ends when one was stopped.
    fn run_lint_commands(&mut self, path: &str, commands: &[String]) -> Result<Result<Vec<(String, String)>, TurnEnd>> {
        let mut failed = Vec::new();
        for command in commands {
            let script = format!("{command} {}", quoted(&self.seen_from_cwd(path)));
            let outcome = self.run_job(Purpose::Lint, &script)?;
            if let Some(end) = self.stopped_by(&outcome) {
                return Ok(Err(end));
            }
            if !outcome.succeeded() {
                failed.push((command.clone(), sandbox::output_for_model(&outcome)));
            }
        }
        Ok(Ok(failed))
    }

    fn wants_hook_repaired(&mut self) -> bool {
        let question = Question {
            text: "Hand what git says to the model?".to_owned(),
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: true,
            choices: Vec::new(),
        };
        self.put(&question) == Answer::Yes
    }

    /// Runs a command where the user started, and shows what it prints.
    pub(super) fn run_job(&mut self, purpose: Purpose, script: &str) -> Result<Outcome> {
        let job = self.job(purpose, script);
        self.ui.show(Event::Command {
            purpose: purpose.name().to_owned(),
            command: script.to_owned(),
            dir: self.cwd.display().to_string(),
        });
        let cancel = self.interrupt.fresh();
        let programs = self.programs_before(&job);
        let ui = &mut self.ui;
        let outcome = shell::run(&job, &cancel, &mut |piece| ui.show(Event::Output(piece.to_owned())))?;
        if outcome.end == End::Cancelled {
            self.ui.show(Event::Note("Stopped.".to_owned()));
        }
        if outcome.end == End::TimedOut {
            let out_of_time = self.deadline.and_then(|deadline| deadline.exceeded());
            self.ui.show(Event::Warning(match out_of_time {
                Some(why) => format!("`{script}` was stopped: {why}."),
                None => format!(
                    "`{script}` was stopped after {} s (`--command-timeout`).",
                    self.options.command_limit.as_secs()
                ),
            }));
        }
        self.tell_denied(&outcome);
        self.check_programs(programs)?;
        Ok(outcome)
    }

    /// A command as it runs for this session.
    pub(super) fn job(&mut self, purpose: Purpose, script: &str) -> Job {
        Job {
            script: script.to_owned(),
            dir: self.cwd.clone(),
            env: self
                .options
                .hidden_env
                .iter()
                .map(|name| (name.clone(), None))
                .collect(),
            time_limit: self.deadline.map_or(self.options.command_limit, |deadline| {
                deadline.left().min(self.options.command_limit)
            }),
            output_limit: KEEP_OUTPUT,
            sandbox: self.sandbox_for(purpose),
        }
    }

    /// How the turn ends when a check was stopped from outside; None when it ran to its own end or limit.
    pub(super) fn stopped_by(&self, outcome: &Outcome) -> Option<TurnEnd> {
        let out_of_time = self.deadline.is_some_and(|deadline| deadline.left().is_zero());
        match outcome.end {
            End::Cancelled => Some(TurnEnd::Interrupted),
            End::TimedOut if out_of_time => Some(TurnEnd::Limit),
            _ => None,
        }
    }

    /// A path of the project as seen from where the user started.
    fn seen_from_cwd(&self, path: &str) -> String {
        let full = self.root.path().join(path);
        full.strip_prefix(&self.cwd).map_or_else(
            |_| full.display().to_string(),
            |relative| relative.display().to_string(),
        )
    }
}

impl Red {
    pub(super) fn verdict(self, what: &'static str) -> Verdict {
        Verdict::Failed {
            report: self.report,
            signature: self.signature,
            end: TurnEnd::StillRed,
            what,
            count: self.count,
        }
    }
}

fn syntax_errors(path: &str, before: Option<&str>, after: &str) -> Vec<lint::syntax::SyntaxError> {
    // An extension may serve two languages: the larger text tells better which.
    let text = before.filter(|before| before.len() > after.len()).unwrap_or(after);
    languages::detect(path, text)
        .and_then(languages::Language::grammar)
        .map(|grammar| lint::syntax::new_errors(grammar, before, after))
        .unwrap_or_default()
}

/// Output cut to so many bytes: its start, its end, and what tells of failures.
pub(super) fn for_model(output: &str, bytes: usize) -> String {
    shell::cut::cut(output, bytes, &str::len).text
}

/// `exit code 1`, `killed after the time limit`, ...
pub(super) fn end_words(end: &End) -> String {
    match end {
        End::Exit(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("killed by signal {signal}"),
        End::TimedOut => "stopped at the time limit".to_owned(),
        End::Cancelled => "stopped by the user".to_owned(),
    }
}

/// One word for `sh`.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_for_the_shell() {
        assert_eq!(quoted("src/a.rs"), "src/a.rs");
        assert_eq!(quoted("it's here.py"), r"'it'\''s here.py'");
    }
}
