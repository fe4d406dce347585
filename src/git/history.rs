//! The newest commits with the files they touched, for the signals that the repository map learns from.
//!
//! Through `git log` where git is there; else by libgit2.

use std::time::Duration;
use std::time::Instant;

use git2::DiffFindOptions;
use git2::Repository;
use git2::Sort;

use super::Error;
use super::HistoryCommit;
use super::Repo;
use super::doing;
use super::head;
use super::program::Program;

/// Commits that touch more files than this (mass renames, imports) give no files: they say nothing of what belongs
/// together, and finding renames in them takes long.
pub(super) const MAX_FILES: usize = 400;

/// Without git: how long libgit2 may look. It is many times slower (6 s against 0.08 s for 1,500 commits over 50,000
/// files), and a shorter history only makes the map a little less sure.
const LIBGIT2_TIME: Duration = Duration::from_millis(1500);

pub(super) fn history(of: &Repo, limit: usize) -> Result<Vec<HistoryCommit>, Error> {
    let repo = of.open()?;
    if limit == 0 || head::commit(&repo)?.is_none() {
        return Ok(Vec::new());
    }
    match by_program(of, limit) {
        Ok(commits) => Ok(commits),
        Err(_) => by_libgit2(&repo, limit),
    }
}

/// HEAD and the commits below it, newest first, as long as each has one parent; at most `limit`.
pub(super) fn line(of: &Repo, limit: usize) -> Result<Vec<String>, Error> {
    let repo = of.open()?;
    let mut ids = Vec::new();
    let mut next = head::commit(&repo)?;
    while let Some(commit) = next {
        ids.push(commit.id().to_string());
        if ids.len() >= limit || commit.parent_count() != 1 {
            break;
        }
        next = commit.parent(0).ok();
    }
    Ok(ids)
}

fn by_program(of: &Repo, limit: usize) -> Result<Vec<HistoryCommit>, Error> {
    let count = format!("--max-count={limit}");
    let renames = format!("-l{MAX_FILES}");
    let output = Program {
        root: &of.root,
        args: &[
            "-c",
            "core.quotePath=false",
            "-c",
            "log.showSignature=false",
            "-c",
            "diff.renames=true",
            "log",
            &count,
            "--no-merges",
            "--no-color",
            "--no-ext-diff",
            "--no-mailmap",
            "--find-renames",
            &renames,
            "--raw",
            "--no-abbrev",
            "--ignore-submodules=all",
            "-z",
            "--format=format:%x01%H%x02%s%x02",
            "HEAD",
            "--",
        ],
        index_file: None,
        input: b"",
    }
    .run()?;
    Ok(parse(&output))
}

/// Reads what [`by_program`] asks for. Each commit begins with byte 1; its id and subject end with byte 2; then come
/// NUL-separated changes: `:100644 100644 id id M`, a path, and for a rename or copy a second path.
fn parse(output: &[u8]) -> Vec<HistoryCommit> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut commits: Vec<HistoryCommit> = Vec::new();
    for record in output.split(|byte| *byte == 1).skip(1) {
        let mut parts = record.splitn(3, |byte| *byte == 2);
        let (Some(id), Some(subject)) = (parts.next(), parts.next()) else {
            continue;
        };
        let mut fields = parts.next().unwrap_or_default().split(|byte| *byte == 0);
        let mut files = Vec::new();
        while let Some(field) = fields.next() {
            let field = field.trim_ascii_start();
            if !field.starts_with(b":") {
                continue;
            }
            let kind = field.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
            let Some(path) = fields.next() else { break };
            match kind.first() {
                Some(b'R') => {
                    let Some(new) = fields.next() else { break };
                    files.push((text(new), Some(text(path))));
                }
                Some(b'C') => {
                    let Some(new) = fields.next() else { break };
                    files.push((text(new), None));
                }
                _ => files.push((text(path), None)),
            }
        }
        if files.len() > MAX_FILES {
            files.clear();
        }
        commits.push(HistoryCommit {
            id: text(id),
            subject: text(subject),
            files,
        });
    }
    commits
}

fn by_libgit2(repo: &Repository, limit: usize) -> Result<Vec<HistoryCommit>, Error> {
    let failed = doing("read the history");
    let mut walk = repo.revwalk().map_err(&failed)?;
    walk.set_sorting(Sort::TIME).map_err(&failed)?;
    walk.push_head().map_err(&failed)?;
    let started = Instant::now();
    let mut commits = Vec::new();
    for id in walk {
        let commit = id.and_then(|id| repo.find_commit(id)).map_err(&failed)?;
        if commit.parent_count() > 1 {
            continue;
        }
        commits.push(HistoryCommit {
            id: commit.id().to_string(),
            subject: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned(),
            files: touched(repo, &commit).map_err(&failed)?,
        });
        if commits.len() == limit || started.elapsed() > LIBGIT2_TIME {
            break;
        }
    }
    Ok(commits)
}

fn touched(repo: &Repository, commit: &git2::Commit<'_>) -> Result<Vec<(String, Option<String>)>, git2::Error> {
    let old = match commit.parent_count() {
        0 => None,
        _ => Some(commit.parent(0)?.tree()?),
    };
    let mut options = git2::DiffOptions::new();
    options.ignore_submodules(true);
    let mut diff = repo.diff_tree_to_tree(old.as_ref(), Some(&commit.tree()?), Some(&mut options))?;
    if diff.deltas().len() > MAX_FILES {
        return Ok(Vec::new());
    }
    diff.find_similar(Some(DiffFindOptions::new().renames(true)))?;
    let text = |file: git2::DiffFile<'_>| String::from_utf8_lossy(file.path_bytes().unwrap_or_default()).into_owned();
    Ok(diff
        .deltas()
        .map(|delta| {
            let new = text(delta.new_file());
            let old = (delta.status() == git2::Delta::Renamed).then(|| text(delta.old_file()));
            (new, old)
        })
        .collect())
}
