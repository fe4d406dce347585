//! The rules that the model works by: the user's own, those of the project, those the user named. The project's own are
//! found from the root down to where the user works and to each file of the chat, and count only when the user trusts the
//! project; that is asked once.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use anyhow::Context;
use anyhow::Result;

use super::Session;
use crate::chat::conventions;
use crate::chat::conventions::USUAL_NAME;
use crate::chat::prompt::FileText;
use crate::files;
use crate::files::Found;
use crate::files::Root;
use crate::store::trust::Decision;
use crate::store::trust::TrustFile;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// Shows all of the rules before the question is put again.
const VIEW: char = 'v';

/// Lines of each file that are shown with the question.
const SHOWN: usize = 12;

/// Answers "never" to the question of trust.
const NEVER: char = 'd';

/// What a session knows about the rules.
pub(super) struct Rules {
    kept: TrustFile,
    /// What was decided, in this session or an earlier one.
    decision: Option<Decision>,
    /// The user was asked and wants to decide another time.
    put_off: bool,
    /// What was given to the model last, by name; None before the first request.
    given: Option<BTreeMap<String, String>>,
    /// Warnings that were told.
    told: BTreeSet<String>,
}

impl Rules {
    pub(super) fn new(state: &Path, root: &Root) -> Self {
        let kept = TrustFile::new(state);
        Self {
            decision: kept.read(|folder| root.has_identity(folder)),
            kept,
            put_off: false,
            given: None,
            told: BTreeSet::new(),
        }
    }
}

/// A file of rules that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// Relative to the root, or absolute when outside.
    pub name: String,
    pub text: String,
    /// The project brings it, so it counts only when the user trusts the project.
    pub from_project: bool,
}

impl Session {
    /// Every file of rules that there is for this chat, weakest first, whether it counts or not.
    pub fn rule_files(&self) -> Vec<RuleFile> {
        let mut files = Vec::new();
        let mut seen = BTreeSet::new();
        let mut take = |name: String, path: &Path, from_project: bool| {
            let Ok(path) = path.canonicalize() else { return };
            if let Ok(Found::Text(file)) = files::read_anywhere(&path)
                && !file.text.trim().is_empty()
                && seen.insert(path)
            {
                files.push(RuleFile {
                    name,
                    text: file.text,
                    from_project,
                });
            }
        };
        let named: Vec<(String, PathBuf)> = self.named_rules();
        let own = self.dirs.config.join(USUAL_NAME);
        take(own.display().to_string(), &own, false);
        for name in self.project_rules() {
            // What the user named counts in any case, and last.
            if let Ok(path) = self.root.fenced(&name)
                && !named.iter().any(|(_, other)| files::are_same(other, &path))
            {
                take(name, &path, true);
            }
        }
        for (name, path) in named {
            take(name, &path, false);
        }
        files
    }

    /// Names of the project's rule files that may be there. One that is in the chat to be read is not given twice.
    fn project_rules(&self) -> Vec<String> {
        let here = self.root.relative(&self.cwd, &self.cwd).unwrap_or_default();
        let read_only = self.files.read_only().iter().map(|file| file.name.as_str());
        let chat = self.files.editable().iter().map(String::as_str).chain(read_only);
        let chat = chat.filter_map(|path| path.rsplit_once('/').map(|(folder, _)| folder));
        let inside = chat.filter(|folder| !folder.starts_with('/'));
        let mut found = Vec::new();
        for folder in conventions::folders(std::iter::once(here.as_str()).chain(inside)) {
            for name in &self.options.convention_names {
                let path = match folder.as_str() {
                    "" => name.clone(),
                    _ => format!("{folder}/{name}"),
                };
                if !self.files.is_read_only(&path) {
                    found.push(path);
                }
            }
        }
        found
    }

    /// Files that the user named, by the name they are shown with.
    fn named_rules(&self) -> Vec<(String, PathBuf)> {
        let name = |path: &Path| self.root.relative(path, &self.cwd);
        self.options
            .conventions
            .iter()
            .map(|path| {
                (
                    name(path).unwrap_or_else(|| path.display().to_string()),
                    self.cwd.join(path),
                )
            })
            .collect()
    }

    /// Whether the project's own rules count.
    pub fn trusts_project(&self) -> bool {
        self.options.trust || self.rules.decision == Some(Decision::Trusted)
    }

    /// Keeps the user's word on the project's own rules, for this session and the next ones.
    ///
    /// # Errors
    /// When it cannot be kept; it counts for this session then.
    pub fn trust_project(&mut self, trusted: bool) -> Result<()> {
        let decision = if trusted { Decision::Trusted } else { Decision::Refused };
        self.options.trust &= trusted;
        self.rules.decision = Some(decision);
        let folder = self.root.identity()?;
        self.rules
            .kept
            .write(decision, &folder)
            .context("the decision could not be kept for later sessions")
    }

    /// Asks whether the project's own rules count, when there are some and nothing is decided yet. Nobody to ask is no, for
    /// this session.
    pub(super) fn settle_trust(&mut self) -> Result<()> {
        if self.trusts_project() || self.rules.decision.is_some() || self.rules.put_off {
            return Ok(());
        }
        let files: Vec<RuleFile> = self.rule_files().into_iter().filter(|file| file.from_project).collect();
        if files.is_empty() {
            return Ok(());
        }
        let names = listed(files.iter().map(|file| file.name.as_str()));
        match self.ask_about_rules(&names, &files) {
            Answer::Yes => self.trust_project(true),
            Answer::Choice(NEVER) => self.trust_project(false),
            Answer::No | Answer::Choice(_) if self.is_stopped => Ok(()),
            Answer::No | Answer::Choice(_) => {
                self.rules.put_off = true;
                self.ui.show(Event::Note(format!(
                    "{names} not followed (`/conventions on` or `--trust` changes that)."
                )));
                Ok(())
            }
        }
    }

    /// Asks, and shows all of the rules first when the user wants to see them.
    fn ask_about_rules(&mut self, names: &str, files: &[RuleFile]) -> Answer {
        let is_cut = files.iter().any(|file| file.text.lines().nth(SHOWN).is_some());
        let (keys, mut choices) = if is_cut {
            ("v: view all of it, d: never", vec![(VIEW, "view all of it".to_owned())])
        } else {
            ("d: never", Vec::new())
        };
        choices.push((NEVER, "never".to_owned()));
        let mut question = Question {
            text: format!("This project brings rules for the model in {names}. Follow them, now and later ({keys})?"),
            detail: shown(files, SHOWN),
            default: Answer::No,
            yes_always_applies: false,
            choices,
        };
        loop {
            match self.put(&question) {
                Answer::Choice(VIEW) => question.detail = shown(files, usize::MAX),
                answer => return answer,
            }
        }
    }

    /// The rules that go with a request, as they are on disk now. Says what is new about them.
    pub(super) fn rules(&mut self) -> Vec<FileText> {
        let trusted = self.trusts_project();
        let files = self
            .rule_files()
            .into_iter()
            .filter(|file| trusted || !file.from_project);
        let rules: Vec<(String, String)> = files.map(|file| (file.name, file.text)).collect();
        self.tell_what_changed(&rules);
        let window = self.main_settings().and_then(|settings| settings.context_window);
        let (texts, cuts) = conventions::fit(rules, conventions::ceiling(window));
        for cut in cuts {
            if self.rules.told.insert(cut.path.clone()) {
                self.ui.show(Event::Warning(format!(
                    "`{}` is long: the model gets it without its last {} bytes.",
                    cut.path, cut.left_out
                )));
            }
        }
        texts
    }

    fn tell_what_changed(&mut self, rules: &[(String, String)]) {
        let now: BTreeMap<String, String> = rules.iter().cloned().collect();
        let before = self.rules.given.replace(now.clone()).unwrap_or_default();
        let new: Vec<&str> = rules
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !before.contains_key(*name))
            .collect();
        if !new.is_empty() {
            self.ui
                .show(Event::Note(format!("The model follows {}.", listed(new.into_iter()))));
        }
        for (name, text) in &before {
            let what = match now.get(name) {
                Some(new) if new == text => continue,
                Some(_) => "has changed; the model follows its new text",
                None => "is not followed any more",
            };
            self.ui.show(Event::Note(format!("`{name}` {what}.")));
        }
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// What the user should see before they decide: each file, or how it begins.
fn shown(files: &[RuleFile], most_lines: usize) -> String {
    let mut text = String::new();
    for file in files {
        text.push_str(&format!("{} ({} bytes):\n", file.name, file.text.len()));
        for line in file.text.lines().take(most_lines) {
            text.push_str(&format!("  {line}\n"));
        }
        match file.text.lines().count().saturating_sub(most_lines) {
            0 => {}
            1 => text.push_str("  ... (1 more line)\n"),
            n => text.push_str(&format!("  ... ({n} more lines)\n")),
        }
    }
    text
}
