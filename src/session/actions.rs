//! What commands do beyond talking to the model: diffs, commits of the user's own work, commands, the map, token counts.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Session;
use super::TurnEnd;
use super::commit_step::change;
use super::diff::unified;
use super::file_parts::FileParts;
use super::sandbox;
use super::settle::note_begin;
use super::undo::short;
use super::verify::Checked;
use super::verify::Purpose;
use super::verify::for_model;
use crate::chat::modes::Yields;
use crate::files::Found;
use crate::git::Version;
use crate::repo_map::MapText;
use crate::session::map::MapRequest;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;
use crate::tokens;

/// Bytes of a command's output that go to the model.
const RUN_OUTPUT_FOR_MODEL: usize = 16_000;

impl Session {
    /// All files of the project that may be added, sorted.
    pub fn project_files(&mut self) -> Result<Vec<String>> {
        self.map.files()
    }

    /// Lists the project's files from another thread, for completion.
    pub fn file_lister(&self) -> impl Fn() -> Result<Vec<String>> + Send + 'static {
        self.map.lister()
    }

    /// Finds the names of a file's definitions from another thread, for completion.
    pub fn definition_lister(&self) -> impl Fn(&str) -> Vec<String> + Send + Sync + 'static {
        let root = self.root.clone();
        move |path| match root.read(path) {
            Ok(Found::Text(file)) => FileParts::new(path, &file.text).into_names(),
            _ => Vec::new(),
        }
    }

    /// Shows the last turn's change and what is uncommitted.
    pub fn show_diff(&mut self) -> Result<()> {
        let mut nothing = true;
        if let Some(turn) = self.journal.turns()?.into_iter().rev().find(|turn| !turn.undone) {
            let mut diff = String::new();
            for image in self.journal.images(turn.id)? {
                diff.push_str(&unified(&image.path, image.before.as_deref(), image.after.as_deref()));
            }
            let commits: Vec<&str> = turn.commits.iter().map(|commit| short(commit)).collect();
            let place = if commits.is_empty() {
                String::new()
            } else {
                format!(" (commit {})", commits.join(", "))
            };
            self.ui
                .show(Event::Note(format!("The last turn, \"{}\"{place}:", turn.label)));
            self.ui.show(Event::Diff(diff));
            nothing = false;
        }
        if let Some(git) = &self.git {
            let diff = git.diff(None)?;
            if !diff.is_empty() {
                self.ui.show(Event::Note("Not committed:".to_owned()));
                self.ui.show(Event::Diff(diff));
                nothing = false;
            }
        }
        if nothing {
            self.ui.show(Event::Note("Nothing has changed.".to_owned()));
        }
        Ok(())
    }

    /// Commits every change to tracked files, and files of the chat that git does not know yet.
    pub fn commit_all(&mut self, message: Option<&str>) -> Result<()> {
        if self.git.is_none() {
            self.ui.show(Event::Error {
                message: "there is no git repository here".to_owned(),
                hint: Some("`git init` makes one; `/undo` works without".to_owned()),
            });
            return Ok(());
        };
        self.settle_before_commit();
        let Some(git) = &self.git else { return Ok(()) };
        let mut paths = git.dirty()?;
        for path in self.files.editable() {
            if !paths.contains(path) && !git.is_tracked(path) && !git.is_ignored(path) {
                paths.push(path.clone());
            }
        }
        let mut versions = Vec::new();
        let mut diff = String::new();
        for path in &paths {
            let before = git.head_content(path)?;
            let after = self.root.bytes(path)?;
            if before == after {
                continue;
            }
            diff.push_str(&unified(path, before.as_deref(), after.as_deref()));
            let change = change(before.as_deref(), after.as_deref());
            let executable = self.root.is_executable(path);
            versions.push((
                Version {
                    path: path.clone(),
                    content: after,
                    executable,
                },
                change,
            ));
        }
        if versions.is_empty() {
            self.ui.show(Event::Note("There is nothing to commit.".to_owned()));
            return Ok(());
        }
        let message = match message {
            Some(message) => message.to_owned(),
            None => self.commit_text(None, &diff, &versions),
        };
        let versions: Vec<Version> = versions.into_iter().map(|(version, _)| version).collect();
        let paths: Vec<String> = versions.iter().map(|version| version.path.clone()).collect();
        self.before_commit();
        let Some(git) = &self.git else { return Ok(()) };
        let mut begun = None;
        let committed = git.commit_whole(&versions, &message, &mut |intent| {
            begun = note_begin(&self.journal, None, intent);
        });
        self.end_commit(begun)?;
        match committed {
            Ok(Some(committed)) => {
                let behind = committed.index_behind;
                self.ui.show(Event::Commit {
                    id: committed.id,
                    message,
                    paths,
                });
                self.note_index_behind(behind);
            }
            Ok(None) => self.ui.show(Event::Note("There is nothing to commit.".to_owned())),
            Err(error) => self.ui.show(Event::Error {
                message: format!("nothing was committed: {error}"),
                hint: None,
            }),
        }
        Ok(())
    }

    /// Runs a command for the user and offers its output to the model.
    pub fn run_command(&mut self, script: &str) -> Result<()> {
        self.run_and_offer_output(Purpose::Run, script)
    }

    pub(super) fn run_and_offer_output(&mut self, purpose: Purpose, script: &str) -> Result<()> {
        let outcome = self.run_job(purpose, script)?;
        let output = for_model(&outcome.output, RUN_OUTPUT_FOR_MODEL);
        if output.trim().is_empty() {
            let how = super::verify::end_words(&outcome.end);
            self.ui.show(Event::Note(format!("No output, {how}.")));
            return Ok(());
        }
        let add = self.put(&Question {
            text: format!("Add the output to the chat ({} tokens)?", tokens::count(&output)),
            detail: String::new(),
            default: if outcome.succeeded() { Answer::No } else { Answer::Yes },
            yes_always_applies: false,
            choices: Vec::new(),
        });
        if add == Answer::Yes {
            let text = format!(
                "I ran `{script}` ({}). Its output:\n\n{output}\n\n{}",
                super::verify::end_words(&outcome.end),
                sandbox::hint_for_model(&outcome)
            );
            self.note_in_chat(text.trim_end().to_owned());
        }
        Ok(())
    }

    /// Runs the tests; what fails goes to the model until it is green, with the reflections of one turn.
    pub fn test(&mut self, command: Option<&str>) -> Result<TurnEnd> {
        self.timed(|session| session.run_tests_until_green(command))
    }

    fn run_tests_until_green(&mut self, command: Option<&str>) -> Result<TurnEnd> {
        let Some(command) = command.map(str::to_owned).or_else(|| self.options.test_command.clone()) else {
            self.ui.show(Event::Error {
                message: "no test command is set".to_owned(),
                hint: Some(
                    "`/test COMMAND` runs one once; `--test-cmd COMMAND` or `test-cmd` in your config.toml keeps it"
                        .to_owned(),
                ),
            });
            return Ok(TurnEnd::Done);
        };
        let failure = match self.run_tests(&command)? {
            Checked::Clean => return Ok(TurnEnd::Done),
            Checked::Stopped(end) => return Ok(end),
            Checked::Red(failure) => failure,
        };
        if self.main.is_none() {
            return Ok(TurnEnd::StillRed);
        }
        Ok(self.run_turn(&failure.report, Some(command)))
    }

    /// Checks files; what is found goes to the model. Without names: the files of the chat.
    pub fn lint(&mut self, words: &[String]) -> Result<TurnEnd> {
        self.timed(|session| session.lint_until_clean(words))
    }

    fn lint_until_clean(&mut self, words: &[String]) -> Result<TurnEnd> {
        let mut paths: Vec<String> = self.files.editable().to_vec();
        if !words.is_empty() {
            paths = words
                .iter()
                .filter_map(|word| self.root.relative(std::path::Path::new(word), &self.cwd))
                .collect();
        }
        if paths.is_empty() && words.is_empty() {
            paths = match &self.git {
                Some(git) => git.dirty()?,
                None => Vec::new(),
            };
        }
        if paths.is_empty() {
            self.ui.show(Event::Note(
                "No file to check: none is in the chat and none has changed (`/lint FILE` names one).".to_owned(),
            ));
            return Ok(TurnEnd::Done);
        }
        match self.lint_files(&paths, &BTreeMap::new())? {
            Checked::Clean => {
                self.ui.show(Event::Note(match paths.as_slice() {
                    [only] => format!("Nothing was found in `{only}`."),
                    several => format!("Nothing was found in {} files.", several.len()),
                }));
                Ok(TurnEnd::Done)
            }
            Checked::Stopped(end) => Ok(end),
            Checked::Red(_) if self.main.is_none() => Ok(TurnEnd::StillRed),
            Checked::Red(failure) => {
                for path in &paths {
                    self.files.add(path);
                }
                Ok(self.run_turn(&failure.report, None))
            }
        }
    }

    /// Shows the map that would go with a message.
    pub fn show_map(&mut self, message: &str) -> Result<()> {
        let map = self.map_for(message, self.map_ceiling())?;
        if map.text.is_empty() && !self.interrupt.tripped() {
            let why = if self.options.map_tokens == 0 {
                "The map is off (`--map-tokens 0`)."
            } else {
                "There is nothing to map yet."
            };
            self.ui.show(Event::Note(why.to_owned()));
        } else if !map.text.is_empty() {
            self.ui.show(Event::Print(map.text.clone()));
            self.ui.show(Event::Note(format!(
                "{} tokens, {} file{}.",
                map.tokens,
                map.files,
                if map.files == 1 { "" } else { "s" }
            )));
        }
        Ok(())
    }

    /// The map for a message, of at most `ceiling` tokens. Within a turn it stays the same while the files of the chat do.
    pub(super) fn map_for(&mut self, message: &str, ceiling: usize) -> Result<MapText> {
        if ceiling == 0 {
            return Ok(MapText::default());
        }
        let chat_files = self
            .files
            .editable()
            .iter()
            .cloned()
            .chain(self.files.read_only().iter().map(|file| file.name.clone()))
            .collect();
        let request = MapRequest {
            chat_files,
            message: message.to_owned(),
            tokens: ceiling,
        };
        if let Some((before, map)) = &self.turn_map
            && *before == request
        {
            return Ok(map.clone());
        }
        let cancel = self.interrupt.fresh();
        let ui = self.ui.as_mut();
        let map = self.map.map_watched(&request, &cancel, &mut |progress| {
            ui.progress("reading the repository", progress.done, progress.total);
        });
        if cancel.is_cancelled() {
            self.ui.show(Event::Note("The map is left out (Ctrl-C).".to_owned()));
        }
        for notice in self.map.take_notices() {
            self.ui.show(Event::Note(notice));
        }
        let map = map?;
        if !cancel.is_cancelled() {
            self.turn_map = Some((request, map.clone()));
        }
        Ok(map)
    }

    /// Tokens that the map may have; more while no file is in the chat, as the model knows nothing else.
    pub(super) fn map_ceiling(&self) -> usize {
        /// Without files in the chat the map may be this many times wider.
        const WITHOUT_FILES: usize = 2;
        // Files are chosen from the map and nothing else.
        const TO_CHOOSE_FROM: usize = 4;
        let window = self
            .main_settings()
            .and_then(|settings| settings.context_window)
            .map_or(usize::MAX, |n| n as usize);
        let times = if self.mode.yields == Yields::Files {
            TO_CHOOSE_FROM
        } else if self.options.map_may_widen && self.files.editable().is_empty() {
            WITHOUT_FILES
        } else {
            1
        };
        self.options.map_tokens.saturating_mul(times).min(window / 4)
    }
}
