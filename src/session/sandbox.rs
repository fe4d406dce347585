//! Which commands run in a sandbox, what stays open to them, and what is said when one was held back.
//!
//! What the user types is the user's own and runs as ever; so do git and its hooks. Linters, tests and what the model
//! suggests run code that the model wrote.

use std::path::Path;
use std::path::PathBuf;

use anyhow::Result;

use super::Session;
use super::diff::unified;
use super::verify::Purpose;
use crate::git::Programs;
use crate::git::Repo;
use crate::shell::Denied;
use crate::shell::Job;
use crate::shell::Outcome;
use crate::shell::Sandbox;
use crate::shell::sandbox;
use crate::shell::sandbox::Strength;
use crate::shell::writable;
use crate::shell::writable::Made;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// The answer to a suggested command that lets it use the network.
pub(super) const WITH_NETWORK: char = 'w';

impl Session {
    /// The sandbox of a command that runs for `purpose`; None: it may do what the user may.
    pub(super) fn sandbox_for(&mut self, purpose: Purpose) -> Option<Sandbox> {
        let network = match purpose {
            Purpose::Run => return None,
            Purpose::Suggested => false,
            Purpose::Lint | Purpose::Test | Purpose::SuggestedWithNetwork => true,
        };
        if !self.options.sandbox {
            return None;
        }
        let writable = match self.writable.clone() {
            Some(known) => known,
            None => self.look_up_writable(),
        };
        (sandbox::strength() > Strength::Nothing).then_some(Sandbox { writable, network })
    }

    /// Whether a suggested command can be kept from the network; None: it does not run in a sandbox at all.
    pub(super) fn holds_back_network(&self) -> Option<bool> {
        let strength = sandbox::strength();
        (self.options.sandbox && strength > Strength::Nothing).then_some(strength == Strength::WritesAndNetwork)
    }

    /// What commands may write; says what is odd about it. Once a session.
    fn look_up_writable(&mut self) -> Vec<PathBuf> {
        let lookup = |name: &str| std::env::var(name).ok();
        if sandbox::strength() > Strength::Nothing {
            let has = |name: &str| self.root.path().join(name).exists() || self.cwd.join(name).exists();
            make(&writable::made_at_first(&has, &lookup));
        }
        let mut found = vec![self.root.path().to_path_buf()];
        // Without `--git` builds still write where the repository begins.
        let around = match &self.git {
            Some(_) => None,
            None => Repo::discover(&self.cwd).ok().flatten(),
        };
        if let Some(git) = self.git.as_ref().or(around.as_ref()) {
            // A home folder that is a repository is no project.
            let is_around_home = lookup("HOME").is_some_and(|home| Path::new(&home).starts_with(git.root()));
            found.extend((!is_around_home).then(|| git.root().to_path_buf()));
            found.push(git.git_dir().to_path_buf());
            found.extend(git.common_dir());
        }
        found.extend(writable::usual(&self.cwd, &lookup));
        for folder in &self.options.sandbox_write {
            let path = match (folder.strip_prefix("~"), lookup("HOME")) {
                (Ok(below_home), Some(home)) => PathBuf::from(home).join(below_home),
                _ => self.cwd.join(folder),
            };
            if !path.exists() {
                self.ui.show(Event::Warning(format!(
                    "`{}` (`--sandbox-write`) is not there: commands cannot write to it, nor make it.",
                    folder.display()
                )));
            }
            found.push(path);
        }
        if cfg!(target_os = "linux") && sandbox::strength() == Strength::Nothing {
            self.ui.show(Event::Note(
                "Commands run without a sandbox: the system has no Landlock.".to_owned(),
            ));
        }
        self.writable = Some(found.clone());
        found
    }

    /// What git runs of its own accord before a command that could change it from inside its sandbox.
    pub(super) fn programs_before(&self, job: &Job) -> Option<Programs> {
        let git = self.git.as_ref().filter(|_| job.sandbox.is_some())?;
        Some(git.programs())
    }

    /// Hooks and settings of git are below the project, and the next commit runs them outside the sandbox: asks whether what
    /// a command changed in them may stay, and puts it back if not.
    pub(super) fn check_programs(&mut self, before: Option<Programs>) -> Result<()> {
        let (Some(before), Some(git)) = (before, &self.git) else {
            return Ok(());
        };
        let changes = before.changes(&git.programs());
        if changes.is_empty() {
            return Ok(());
        }
        let shown = |path: &Path| {
            let below = path.strip_prefix(self.root.path()).unwrap_or(path);
            below.display().to_string()
        };
        let names: Vec<String> = changes
            .iter()
            .map(|change| format!("`{}`", shown(&change.path)))
            .collect();
        let names = names.join(", ");
        let diffs = changes
            .iter()
            .map(|change| unified(&shown(&change.path), change.before.as_deref(), change.after.as_deref()));
        let question = Question {
            text: format!("The command changed {names}, which git runs outside the sandbox. Keep that?"),
            detail: diffs.collect(),
            default: Answer::No,
            yes_always_applies: false,
            choices: Vec::new(),
        };
        if self.put(&question) != Answer::Yes {
            before.put_back(&changes)?;
            self.ui.show(Event::Warning(format!(
                "The command changed {names}, which git runs outside the sandbox; it is put back."
            )));
        }
        Ok(())
    }

    /// Tells the user that the sandbox may be why a command failed.
    pub(super) fn tell_denied(&mut self, outcome: &Outcome) {
        if let Some(denied) = outcome.denied {
            let root = self.root.path().display().to_string();
            self.ui.show(Event::Note(for_user(denied, &root)));
        }
    }
}

/// Makes what is not there. Where that fails the tool will say so itself, and the user hears of the sandbox.
fn make(wanted: &[Made]) {
    for one in wanted {
        let _ = match one {
            Made::Folder(path) => std::fs::create_dir_all(path),
            Made::File(path) => std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .map(drop),
        };
    }
}

fn for_user(denied: Denied, root: &str) -> String {
    let mut ways = Vec::new();
    if denied.write || denied.rights {
        ways.push(format!(
            "it may write only below `{root}`, to temporary folders and to caches of build tools (`--sandbox-write DIR` opens more)"
        ));
    }
    if denied.rights {
        ways.push("it cannot get other rights (`sudo`)".to_owned());
    }
    if denied.network {
        ways.push(format!("it had no network (the answer `{WITH_NETWORK}` allows it)"));
    }
    format!(
        "The command ran in a sandbox, which may be why it failed: {}. `/run COMMAND` runs one outside, `--no-sandbox` all.",
        ways.join("; ")
    )
}

/// What a command printed, with what the model has to know of it.
pub(super) fn output_for_model(outcome: &Outcome) -> String {
    let hint = hint_for_model(outcome);
    match hint.is_empty() {
        true => outcome.output.clone(),
        false => format!("{}\n{hint}", outcome.output),
    }
}

/// What the model has to know of a command that failed, so that it does not put right what is not wrong; a paragraph, or
/// nothing.
pub(super) fn hint_for_model(outcome: &Outcome) -> String {
    let Some(denied) = outcome.denied else {
        return String::new();
    };
    let network = if denied.network { ", it had no network" } else { "" };
    format!(
        "The command ran in a sandbox: it may write only below the project, to temporary folders and to caches of build \
         tools{network}, and cannot get other rights. If that is why it failed, the code is not at fault: leave it as \
         it is and say what the command needs.\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_the_reason_is_told() {
        let denied = |write, network, rights| Denied { write, network, rights };
        let text = for_user(denied(true, false, false), "/p");
        assert!(text.contains("below `/p`") && text.contains("--sandbox-write") && !text.contains("network"));
        let text = for_user(denied(false, true, false), "/p");
        assert!(!text.contains("/p`") && text.contains("answer `w`"));
        let text = for_user(denied(false, false, true), "/p");
        assert!(text.contains("`sudo`") && !text.contains("network"));
    }
}
