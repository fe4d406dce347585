//! `codriver apply`: puts a raw model reply into the files below a folder. No model, no key, no git.
//!
//! Nothing is left behind when an edit fails, unless the part that fits was asked for: no file, no folder, no temporary.
//! What was written is a turn of the project's journal, also when the folder is one within the project, so that `codriver
//! undo` takes it back from anywhere in it. Printing and exit codes are the caller's.

use std::path::Path;
use std::path::PathBuf;

use anyhow::Context;
use anyhow::Result;
use ignore::WalkBuilder;
use serde::Serialize;

use crate::apply;
use crate::apply::Contents;
use crate::apply::FileWrite;
use crate::apply::Placed;
use crate::apply::Plan;
use crate::apply::WriteKind;
use crate::edit_format;
use crate::edit_format::EditFormat;
use crate::edit_format::Hints;
use crate::edit_format::Parsed;
use crate::edit_format::Target;
use crate::files;
use crate::files::Found;
use crate::files::Root;
use crate::files::endings::GitAttributes;
use crate::files::journal::Change;
use crate::files::journal::Journal;
use crate::files::journal::TurnId;
use crate::git::Repo;
use crate::session::diff;
use crate::session::disk;

/// Files of a project that names are resolved against; a larger project's names must be exact.
const MAX_KNOWN_FILES: usize = 200_000;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct ApplyOptions {
    /// The folder that all paths are relative to.
    pub root: PathBuf,
    /// As in `--format`: `diff`, `diff-fenced`, `udiff`, `whole`, `patch`, `auto`.
    pub format: String,
    /// Files that the model was given, relative to the root.
    pub files: Vec<String>,
    /// Write what fits although other edits fail.
    pub partial: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// The project that the journal belongs to: the root, or a folder above it.
    pub project: PathBuf,
    /// The project's journal, a folder outside of it. It is only made when something is written.
    pub journal: PathBuf,
}

/// The project that a folder belongs to: the top of its git repository, or the folder itself.
pub fn project_of(root: &Path) -> PathBuf {
    let top = Repo::discover(root).ok().flatten().map(|git| git.root().to_path_buf());
    let holds_root = |top: &PathBuf| Place::new(root, top).is_ok_and(|place| place.is_within());
    top.filter(holds_root).unwrap_or_else(|| root.to_path_buf())
}

/// Where files are written, and where that stands in the project.
struct Place {
    root: Root,
    project: Root,
    /// Of a path in the project that is one in the root: empty, or with a `/` at its end. None when it is not one.
    prefix: Option<String>,
}

impl Place {
    fn new(root: &Path, project: &Path) -> Result<Self, files::Error> {
        let (root, project) = (Root::new(root)?, Root::new(project)?);
        let below = root.path().strip_prefix(project.path()).ok().and_then(Path::to_str);
        let prefix = below.map(|below| match below {
            "" => String::new(),
            below => format!("{below}/"),
        });
        Ok(Self { root, project, prefix })
    }

    fn is_within(&self) -> bool {
        self.prefix.is_some()
    }

    /// Writes all changes or none.
    fn write(&self, journal: &Journal, turn: TurnId, changes: Vec<Change>) -> Result<(), files::Error> {
        let prefix = self.prefix.as_deref().unwrap_or_default();
        let changes: Vec<Change> = changes
            .into_iter()
            .map(|change| Change {
                path: format!("{prefix}{}", change.path),
                mode_from: change.mode_from.map(|path| format!("{prefix}{path}")),
                ..change
            })
            .collect();
        journal
            .write(&self.project, turn, &changes)
            .map_err(|error| error.renamed(|path| path.strip_prefix(prefix).map(str::to_owned)))
    }
}

/// How a reply went in. Serialises to the object that `--json` prints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ApplyOutcome {
    /// Edits that are in the files now.
    pub applied: Vec<AppliedEdit>,
    /// Edits that fit and were not written: another one failed, or it was a dry run.
    pub staged: Vec<AppliedEdit>,
    pub failed: Vec<FailedEdit>,
    /// Whether any file was changed.
    pub written: bool,
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// The text for the model; empty when nothing failed.
    #[serde(skip)]
    pub report: String,
    /// The files as they would be or are.
    #[serde(skip)]
    pub writes: Vec<FileWrite>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppliedEdit {
    pub path: String,
    /// `modify`, `create`, `delete`, `move`.
    pub kind: &'static str,
    /// The matcher that found the place.
    pub strategy: &'static str,
    /// The old name of a moved file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// First line of the place in the file as it was, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedEdit {
    /// None when the edit does not say which file it is for.
    pub path: Option<String>,
    pub reason: String,
    pub hint: String,
}

impl ApplyOutcome {
    /// One line an edit, for a person. `dry_run` shows the diffs as well.
    pub fn to_text(&self, dry_run: bool) -> String {
        let mut text = String::new();
        for (word, edits) in [("applied", &self.applied), ("fits", &self.staged)] {
            for edit in edits {
                let line = edit.line.map(|line| format!(":{line}")).unwrap_or_default();
                text.push_str(&format!(
                    "{word} {} {}{line} ({})\n",
                    edit.kind, edit.path, edit.strategy
                ));
            }
        }
        if dry_run {
            for write in &self.writes {
                text.push_str(&diff::unified_text(
                    &write.path,
                    write.before.as_deref(),
                    write.after.as_deref(),
                ));
            }
        }
        if !self.written && !self.staged.is_empty() {
            text.push_str("nothing was written\n");
        }
        text
    }

    /// Whether the reply asked for nothing.
    pub fn is_empty(&self) -> bool {
        self.applied.is_empty() && self.staged.is_empty() && self.failed.is_empty()
    }

    /// Whether every edit of the reply could be applied.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty()
    }
}

/// Reads a reply and puts its edits into the files.
///
/// # Errors
/// The root is no folder, the format is unknown, or the journal or a file cannot be used; then nothing was written.
/// Edits that do not fit are no error but in the outcome.
pub fn apply(options: &ApplyOptions, reply: &str) -> Result<ApplyOutcome> {
    let place = Place::new(&options.root, &options.project)?;
    let root = &place.root;
    let format = edit_format::by_name(&options.format)
        .with_context(|| format!("there is no edit format `{}`", options.format))?;
    let interrupted = recover(&place.project, options)?;
    let (parsed, hints) = parse(root, format, &options.files, reply);
    let contents: Contents = apply::paths_to_read(&parsed, &hints)
        .into_iter()
        .map(|path| (path.clone(), disk::content(root, &path)))
        .collect();
    let mut plan = apply::plan(&parsed, &hints, &contents);
    disk::refuse_second_names(root, &mut plan);
    let may_write = !options.dry_run && (plan.is_complete() || options.partial);
    let written = may_write && write(&place, options, &mut plan)?;
    let edits = plan.placed.iter().map(applied_edit).collect();
    let (applied, staged) = match may_write && (written || plan.is_complete()) {
        true => (edits, Vec::new()),
        false => (Vec::new(), edits),
    };
    Ok(ApplyOutcome {
        applied,
        staged,
        failed: plan
            .failures
            .iter()
            .map(|failure| FailedEdit {
                path: failure.path.clone(),
                reason: failure.reason.clone(),
                hint: failure.hint.clone(),
            })
            .collect(),
        written,
        report: apply::report(&plan),
        warnings: interrupted.into_iter().chain(plan.warnings).collect(),
        writes: plan.writes,
    })
}

/// Parses against the files that were named; only when a name of the reply is none of them and does not exist are the
/// files of the whole project listed.
fn parse(root: &Root, format: &dyn EditFormat, files: &[String], reply: &str) -> (Parsed, Hints) {
    let mut hints = Hints {
        chat_files: files
            .iter()
            .map(|file| {
                root.relative(Path::new(file), root.path())
                    .unwrap_or_else(|| file.clone())
            })
            .collect(),
        known_files: Vec::new(),
        root: Some(root.path().display().to_string()),
        ..Hints::default()
    };
    let parsed = format.parse(reply, &hints);
    let stands = |name: &String| hints.chat_files.contains(name) || matches!(root.read(name), Ok(Found::Text(_)));
    let all_known = parsed.problems.is_empty()
        && !parsed.edits.is_empty()
        && parsed.edits.iter().all(|edit| match &edit.target {
            Target::Named(names) => names.first().is_some_and(stands),
            Target::Unnamed { .. } => !hints.chat_files.is_empty(),
        });
    if all_known {
        return (parsed, hints);
    }
    hints.known_files = known_files(root);
    (format.parse(reply, &hints), hints)
}

/// The files of the project that are not ignored, sorted.
fn known_files(root: &Root) -> Vec<String> {
    let walk = WalkBuilder::new(root.path())
        .hidden(false)
        .require_git(false)
        .parents(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut found: Vec<String> = walk
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            Some(
                entry
                    .path()
                    .strip_prefix(root.path())
                    .ok()?
                    .to_str()?
                    .replace('\\', "/"),
            )
        })
        .take(MAX_KNOWN_FILES)
        .collect();
    found.sort_unstable();
    found
}

/// Puts back what a run before left half written: nothing may be planned on such files. What the user should know of it.
fn recover(project: &Root, options: &ApplyOptions) -> Result<Option<String>, files::Error> {
    if !Journal::is_pending(&options.journal) {
        return Ok(None);
    }
    if options.dry_run {
        let warning = "a write to these files was interrupted or is under way; without --dry-run it is put right first";
        return Ok(Some(warning.to_owned()));
    }
    let put_back = Journal::open(&options.journal)?.recover(project)?;
    let names: Vec<String> = put_back.iter().map(|path| format!("`{path}`")).collect();
    Ok((!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!("the last run ended in the middle of a write; put back as before it: {names}")
    }))
}

/// Writes the plan, all of it or nothing. What the file system refuses becomes a failure of the plan; when the part that
/// fits was asked for, the rest is tried again without it. Whether anything was written.
fn write(place: &Place, options: &ApplyOptions, plan: &mut Plan) -> Result<bool> {
    if plan.writes.is_empty() {
        return Ok(false);
    }
    let journal = Journal::open(&options.journal)?;
    let turn = journal.begin_turn("apply a reply")?;
    while !plan.writes.is_empty() {
        let written = disk::changes(&place.root, plan, &|_| GitAttributes::default())
            .and_then(|changes| place.write(&journal, turn, changes));
        let Err(error) = written else { return Ok(true) };
        let n_writes = plan.writes.len();
        disk::fail_to_write(plan, error)?;
        if !options.partial || plan.writes.len() == n_writes {
            break;
        }
    }
    Ok(false)
}

fn applied_edit(placed: &Placed) -> AppliedEdit {
    let (kind, from) = match &placed.kind {
        WriteKind::Modify => ("modify", None),
        WriteKind::Create => ("create", None),
        WriteKind::Delete => ("delete", None),
        WriteKind::Move { from } => ("move", Some(from.clone())),
    };
    AppliedEdit {
        path: placed.path.clone(),
        kind,
        strategy: placed.strategy,
        from,
        line: placed.line,
    }
}
