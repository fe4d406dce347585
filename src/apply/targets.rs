//! Which file each edit is for, from the names that the reply gives and, where it gives none, from what stands in the
//! files.

use std::collections::BTreeSet;

use super::document::Document;
use super::explain;
use super::names::{self, NameError, Project, Want};
use super::place::{Wanted, stands_in};
use super::{Content, Contents, Failure};
use crate::edit_format::{Edit, Hints, Op, Target};

pub(super) struct Targets<'t> {
    pub(super) hints: &'t Hints,
    pub(super) contents: &'t Contents,
}

impl Targets<'_> {
    /// The path of every edit, found from the contents as they were; a file that an earlier edit creates exists for
    /// the later ones.
    pub(super) fn resolve_all(&self, edits: &[Edit]) -> Vec<Result<String, Failure>> {
        let mut created = BTreeSet::new();
        edits
            .iter()
            .map(|edit| {
                let path = self.resolve(edit, &created);
                if let Ok(path) = &path {
                    if !matches!(edit.op, Op::Delete) {
                        created.insert(path.clone());
                    }
                    if let Op::Move { to, .. } = &edit.op {
                        created.insert(to.clone());
                    }
                }
                path
            })
            .collect()
    }

    fn resolve(&self, edit: &Edit, created: &BTreeSet<String>) -> Result<String, Failure> {
        let want = want_of(&edit.op);
        let exists = |path: &str| self.stands(path) || created.contains(path);
        let fits = |path: &str| self.fits(&edit.op, path);
        let project = Project {
            hints: self.hints,
            exists: &exists,
            fits: &fits,
        };
        let resolved = match &edit.target {
            Target::Named(candidates) => names::resolve(candidates, want, &project),
            Target::Unnamed {
                previous,
                prose_between,
            } => {
                let previous = previous
                    .as_ref()
                    .map(|name| names::resolve(std::slice::from_ref(name), Want::Change, &project));
                self.resolve_unnamed(want, previous.transpose(), *prose_between, &project)
            }
        };
        resolved.map_err(|error| explain::name_failure(edit, error))
    }

    fn resolve_unnamed(
        &self,
        want: Want,
        previous: Result<Option<String>, NameError>,
        prose_between: bool,
        project: &Project<'_>,
    ) -> Result<String, NameError> {
        let previous = previous?;
        let holders = || -> Vec<String> {
            let mut paths: Vec<String> = self.hints.chat_files.iter().chain(&previous).cloned().collect();
            paths.sort_unstable();
            paths.dedup();
            paths.retain(|path| (project.fits)(path));
            paths
        };
        if want == Want::Fill {
            // Text without a place and without a name could go anywhere.
            return match previous {
                Some(path) if !prose_between => Ok(path),
                _ => Err(NameError::Missing { candidates: Vec::new() }),
            };
        }
        match (previous.clone(), &self.hints.chat_files[..]) {
            (Some(path), _) if !prose_between => Ok(path),
            (Some(path), _) => match &holders()[..] {
                [] => Ok(path),
                [only] => Ok(only.clone()),
                several => Err(NameError::Missing {
                    candidates: several.to_vec(),
                }),
            },
            (None, [only]) if want != Want::Whole || (project.fits)(only) => Ok(only.clone()),
            (None, _) => match &holders()[..] {
                [only] => Ok(only.clone()),
                several => Err(NameError::Missing {
                    candidates: several.to_vec(),
                }),
            },
        }
    }

    pub(super) fn stands(&self, path: &str) -> bool {
        matches!(self.contents.get(path), Some(Content::Text(_) | Content::Refused(_)))
    }

    /// Whether what the edit wants to change, or most of what it writes, is in the file.
    fn fits(&self, op: &Op, path: &str) -> bool {
        let Some(Content::Text(text)) = self.contents.get(path) else {
            return false;
        };
        match op {
            Op::Modify { hunks } | Op::Move { hunks, .. } => {
                let document = Document::new(text);
                hunks
                    .iter()
                    .any(|hunk| stands_in(&Wanted::new(hunk, path, 0, false).ask, &document))
            }
            Op::Write { text: new, .. } => resembles(text, new),
            Op::Create { .. } | Op::Delete => false,
        }
    }
}

fn want_of(op: &Op) -> Want {
    match op {
        Op::Modify { hunks }
            if hunks
                .iter()
                .all(|hunk| hunk.old.iter().all(|line| line.trim().is_empty())) =>
        {
            Want::Fill
        }
        Op::Modify { .. } => Want::Change,
        Op::Write { .. } => Want::Whole,
        Op::Create { .. } => Want::New,
        Op::Delete | Op::Move { .. } => Want::Remove,
    }
}

/// Whether a whole new text is a version of the old one.
fn resembles(old: &str, new: &str) -> bool {
    let filled = |text: &str| -> BTreeSet<String> {
        text.lines()
            .map(|line| line.trim().to_string())
            .filter(|line| line.len() > 3)
            .collect()
    };
    let (old, new) = (filled(old), filled(new));
    if old.is_empty() {
        return true;
    }
    let shared = old.intersection(&new).count();
    2 * shared >= old.len().min(new.len()) && shared > 0
}
