//! Commits what a turn changed, and only that: in a file with the user's own uncommitted changes, just the turn's part.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Purpose;
use super::Session;
use super::settle::note_begin;
use super::turn::Turn;
use crate::apply::merge3;
use crate::chat::message::Message;
use crate::commit_message;
use crate::commit_message::Change;
use crate::git;
use crate::git::Version;
use crate::llm::Finish;
use crate::llm::Request;
use crate::terminal::Event;

/// Bytes of a diff that the model sees for a commit message.
const DIFF_FOR_MESSAGE: usize = 24_000;

/// What keeps a file of the turn out of the commit.
enum Kept {
    Ignored,
    Untracked,
    Overlaps,
    /// The user has staged changes of his own in the same lines.
    Staged,
}

impl Kept {
    fn words(&self, path: &str) -> String {
        match self {
            Self::Ignored => format!("`{path}` is ignored by git; it is changed but not committed."),
            Self::Untracked => {
                format!("`{path}` was not in git before; it is changed but not committed (`/commit` takes it in).")
            }
            Self::Overlaps => format!(
                "`{path}` has uncommitted changes of your own in the same lines; it is changed but not committed."
            ),
            Self::Staged => {
                format!("`{path}` has staged changes of your own in the same lines; it is changed but not committed.")
            }
        }
    }
}

impl Session {
    /// Commits the turn's changes since its last commit. Nothing happens without git, without changes or with
    /// auto-commits off. When git (or a hook) refuses, the user hears why, the files stay as they are, and what it said
    /// is returned, for the model.
    pub(super) fn commit_turn(&mut self, turn: &mut Turn) -> Result<Option<String>> {
        if self.git.is_none() || !self.options.auto_commits || turn.uncommitted.is_empty() || turn.refused_commit {
            return Ok(None);
        }
        self.settle_before_commit();
        let touched = std::mem::take(&mut turn.uncommitted);
        let (versions, diff) = self.versions(&touched)?;
        if versions.is_empty() {
            return Ok(None);
        }
        let message = self.commit_text(Some(&turn.message), &diff, &versions) + &self.trailer();
        let versions: Vec<Version> = versions.into_iter().map(|(version, _)| version).collect();
        let paths: Vec<String> = versions.iter().map(|version| version.path.clone()).collect();
        self.before_commit();
        let Some(git) = &self.git else { return Ok(None) };
        let mut begun = None;
        let committed = git.commit(&versions, &message, &mut |intent| {
            begun = note_begin(&self.journal, turn.id, intent);
        });
        if let (Ok(Some(committed)), Some(id)) = (&committed, turn.id) {
            self.journal.note_commit(id, &committed.id)?;
        }
        self.end_commit(begun)?;
        match committed {
            Ok(None) => {}
            Ok(Some(committed)) => {
                if let Some(id) = turn.id
                    && !committed.changed_by_hooks.is_empty()
                {
                    self.journal.absorb(&self.root, id)?;
                    self.note_hook_changes(&committed.changed_by_hooks);
                }
                self.ui.show(Event::Commit {
                    id: committed.id,
                    message,
                    paths,
                });
                self.note_index_behind(committed.index_behind);
            }
            Err(error) => {
                turn.uncommitted = touched;
                turn.refused_commit = true;
                self.ui.show(Event::Error {
                    message: format!("the edits are in the files but not committed: {error}"),
                    hint: commit_hint(&error),
                });
                return Ok(match error {
                    git::Error::Program { output, .. } => Some(output),
                    _ => None,
                });
            }
        }
        Ok(None)
    }

    /// The versions to commit, and their diff as text for the commit message.
    fn versions(&mut self, touched: &BTreeMap<String, Option<Vec<u8>>>) -> Result<(Vec<(Version, Change)>, String)> {
        let mut versions = Vec::new();
        let mut diffs = Vec::new();
        for (path, base) in touched {
            let now = self.root.bytes(path)?;
            if now == *base {
                continue;
            }
            match self.version(path, base.as_deref(), now.as_deref())? {
                Ok(version) => {
                    diffs.push(super::diff::unified(path, base.as_deref(), now.as_deref()));
                    versions.push((version, change(base.as_deref(), now.as_deref())));
                }
                Err(kept) => self.ui.show(Event::Note(kept.words(path))),
            }
        }
        let plain: Vec<Version> = versions.iter().map(|(version, _)| version.clone()).collect();
        let overlapping = match &self.git {
            // What goes wrong here goes wrong in the commit as well, which says so.
            Some(git) => git.overlapping_staged(&plain).unwrap_or_default(),
            None => Vec::new(),
        };
        for path in &overlapping {
            self.ui.show(Event::Note(Kept::Staged.words(path)));
        }
        let taken = versions
            .into_iter()
            .zip(diffs)
            .filter(|((version, _), _)| !overlapping.contains(&version.path));
        let (versions, diffs): (Vec<_>, Vec<_>) = taken.unzip();
        Ok((versions, diffs.concat()))
    }

    /// What of one file goes into the commit: all of it when it was clean, else HEAD's text with the turn's change.
    fn version(&self, path: &str, base: Option<&[u8]>, now: Option<&[u8]>) -> Result<Result<Version, Kept>> {
        let Some(git) = &self.git else {
            return Ok(Err(Kept::Untracked));
        };
        let head = git.head_content(path)?;
        let executable = self.root.is_executable(path);
        let whole = |content: Option<&[u8]>| Version {
            path: path.to_owned(),
            content: content.map(<[u8]>::to_vec),
            executable,
        };
        if head.is_none() && git.is_ignored(path) {
            return Ok(Err(Kept::Ignored));
        }
        if head.as_deref() == base {
            return Ok(Ok(whole(now)));
        }
        let (Some(head), Some(base)) = (head, base) else {
            // An empty file that was just made for the turn is as good as none.
            let fresh = base.is_none_or(<[u8]>::is_empty);
            return Ok(if fresh { Ok(whole(now)) } else { Err(Kept::Untracked) });
        };
        let Some(now) = now else { return Ok(Err(Kept::Overlaps)) };
        Ok(match merge_bytes(base, &head, now) {
            Some(merged) => Ok(whole(Some(&merged))),
            None => Err(Kept::Overlaps),
        })
    }

    /// A message for a diff: by the weak model (or the main one), or a plain one from the file names when that fails.
    pub(super) fn commit_text(&mut self, request: Option<&str>, diff: &str, versions: &[(Version, Change)]) -> String {
        let messages = commit_message::messages(
            diff,
            request,
            DIFF_FOR_MESSAGE,
            self.options.commit_language.as_deref(),
            None,
        );
        let suggestion = self
            .ask_helper(Purpose::CommitMessage, messages)
            .and_then(|text| commit_message::clean(&text));
        suggestion.unwrap_or_else(|| {
            let files: Vec<(&str, Change)> = versions
                .iter()
                .map(|(version, change)| (version.path.as_str(), *change))
                .collect();
            commit_message::fallback(&files)
        })
    }

    /// The trailer that names the model, where the user wants it.
    fn trailer(&self) -> String {
        match &self.main {
            Some(seat) if self.options.co_author => {
                format!(
                    "\n\nCo-authored-by: codriver ({}) <codriver@users.noreply.github.com>",
                    seat.settings.name
                )
            }
            _ => String::new(),
        }
    }

    /// Asks the weak model one thing, without showing the reply. None when there is no model or it failed.
    pub(super) fn ask_helper(&mut self, purpose: Purpose, messages: Vec<Message>) -> Option<String> {
        if self.limit_reached().is_some() {
            return None;
        }
        let seat = self.weak.as_ref().or(self.main.as_ref())?;
        let request = Request {
            messages,
            temperature: seat.settings.temperature,
            ..Request::default()
        };
        let cancel = self.interrupt.fresh();
        let reply = seat.model.reply(&request, &cancel, &mut |_| {});
        match reply {
            Ok(reply) => {
                let price = seat.price(&reply.usage);
                self.spending.add(purpose, &reply.usage, price);
                (reply.finish == Finish::Stop).then_some(reply.text)
            }
            Err(error) => {
                self.ui
                    .show(Event::Warning(format!("The weak model gave no answer: {error}.")));
                None
            }
        }
    }

    /// An earlier Ctrl-C does not reach the commit, the next one does. Hooks may take long: the user hears of them.
    pub(super) fn before_commit(&mut self) {
        self.interrupt.fresh();
        if self.git.as_ref().is_some_and(git::Repo::has_commit_hooks) {
            self.ui
                .show(Event::Note("Running the repository's commit hooks.".to_owned()));
        }
    }

    pub(super) fn note_index_behind(&mut self, why: Option<String>) {
        let Some(why) = why else { return };
        self.ui.show(Event::Warning(format!(
            "The commit was made, but the index could not follow it: {why}. What git shows as staged there is the commit's change reversed; `git reset` puts that right (and unstages your own changes)."
        )));
    }

    fn note_hook_changes(&mut self, paths: &[String]) {
        self.ui
            .show(Event::Note(format!("A git hook changed {}.", paths.join(", "))));
    }
}

/// How a file changed, by what stood there before and after; None is an absent file.
pub(super) fn change(before: Option<&[u8]>, after: Option<&[u8]>) -> Change {
    match (before, after) {
        (None, _) => Change::Added,
        (_, None) => Change::Deleted,
        _ => Change::Modified,
    }
}

fn commit_hint(error: &git::Error) -> Option<String> {
    match error {
        git::Error::Program { .. } => {
            Some("put right what git says and run `/commit`; `--no-git-commit-verify` skips the hooks".to_owned())
        }
        git::Error::Stopped { .. } => {
            Some("`/commit` tries again; `--no-git-commit-verify` skips the hooks".to_owned())
        }
        _ => None,
    }
}

/// Merges bytes as lines of text; None when both sides changed the same lines.
fn merge_bytes(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let sides = [base, ours, theirs];
    if let [Ok(base), Ok(ours), Ok(theirs)] = sides.map(std::str::from_utf8) {
        return merge3(base, ours, theirs).ok().map(String::into_bytes);
    }
    // Not UTF-8: one character a byte merges as well, and goes back the same way.
    let [base, ours, theirs] = sides.map(|bytes| bytes.iter().map(|byte| char::from(*byte)).collect::<String>());
    let merged = merge3(&base, &ours, &theirs).ok()?;
    merged.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latin_1_file_merges_byte_for_byte() {
        let base = b"a\xe9\n1\n2\n3\n4\n5\n";
        let ours = b"a\xe9!\n1\n2\n3\n4\n5\n";
        let theirs = b"a\xe9\n1\n2\n3\n4\nfive\n";
        assert_eq!(
            merge_bytes(base, ours, theirs).as_deref(),
            Some(&b"a\xe9!\n1\n2\n3\n4\nfive\n"[..])
        );
        assert_eq!(merge_bytes(b"1\n", b"2\n", b"3\n"), None);
    }
}
