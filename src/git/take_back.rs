//! Takes a commit back while nobody else can have it.

use std::collections::BTreeMap;

use git2::Commit;
use git2::Oid;
use git2::Repository;

use super::Error;
use super::Repo;
use super::TakenBack;
use super::commit::move_head;
use super::doing;
use super::head;
use super::index;
use super::index::Own;
use super::lock;
use super::tree;

pub(super) fn take_back(of: &Repo, commit: &str) -> Result<TakenBack, Error> {
    let repo = of.open()?;
    let Some(commit) = Oid::from_str(commit).ok().and_then(|id| repo.find_commit(id).ok()) else {
        return Ok(TakenBack::No(format!("there is no commit `{commit}`")));
    };
    if let Some(why) = why_not(&repo, &commit)? {
        return Ok(TakenBack::No(why));
    }
    lock::wait_until_free(of)?;
    let failed = doing("take a commit back");
    let parent = match commit.parent_count() {
        0 => None,
        _ => Some(commit.parent(0).map_err(&failed)?),
    };
    let old = commit.tree().map_err(&failed)?;
    let new = parent.as_ref().map(Commit::tree).transpose().map_err(&failed)?;
    let moves = tree::moves(&repo, Some(&old), new.as_ref())?;
    let back = match index::follow(of, &moves, &BTreeMap::new(), Own::Merge) {
        Err(error @ Error::Staged { .. }) => return Ok(TakenBack::No(error.to_string())),
        followed => followed?,
    };
    let moved = match &parent {
        Some(parent) => {
            let log_message = format!("reset: taking back {}", short(&commit));
            move_head(&repo, Some(commit.id()), parent.id(), &log_message)
        }
        None => unborn_again(&repo),
    };
    if let Err(error) = moved {
        // Best effort: the error of the branch is the one to tell.
        let _ = index::follow(of, &back, &BTreeMap::new(), Own::Leave);
        return Err(error);
    }
    Ok(TakenBack::Yes)
}

fn why_not(repo: &Repository, commit: &Commit<'_>) -> Result<Option<String>, Error> {
    let failed = doing("take a commit back");
    let Some(newest) = head::commit(repo)? else {
        return Ok(Some("the branch has no commits".to_string()));
    };
    if newest.id() != commit.id() {
        let on_top = repo.graph_descendant_of(newest.id(), commit.id()).map_err(&failed)?;
        let name = named(&newest);
        return Ok(Some(if on_top {
            format!("commit {name} stands on top of it")
        } else {
            format!("it is not on the current branch, whose newest commit is {name}")
        }));
    }
    if commit.parent_count() > 1 {
        return Ok(Some("it is a merge".to_string()));
    }
    if commit.parent_count() == 0 && repo.head_detached().map_err(&failed)? {
        return Ok(Some("it is the first commit and no branch is checked out".to_string()));
    }
    if commit.parent_count() == 0 && repo.is_shallow() {
        return Ok(Some("the clone is shallow and its parent is not here".to_string()));
    }
    match pushed_to(repo, commit.id())? {
        Some(branch) => Ok(Some(format!("it was pushed to `{branch}`"))),
        None => Ok(None),
    }
}

/// The remote-tracking branch that holds the commit.
fn pushed_to(repo: &Repository, commit: Oid) -> Result<Option<String>, Error> {
    let failed = doing("look at the remote branches");
    let mut names = Vec::new();
    for reference in repo.references_glob("refs/remotes/*").map_err(&failed)? {
        let reference = reference.map_err(&failed)?;
        // `refs/remotes/origin/HEAD` only points at another one.
        let Some(tip) = reference.target() else { continue };
        let holds = tip == commit || repo.graph_descendant_of(tip, commit).map_err(&failed)?;
        if holds {
            names.push(String::from_utf8_lossy(reference.shorthand_bytes()).into_owned());
        }
    }
    names.sort();
    Ok(names.into_iter().next())
}

/// Deletes the branch, if it has not moved meanwhile; HEAD keeps naming it.
fn unborn_again(repo: &Repository) -> Result<(), Error> {
    let failed = doing("move the branch");
    let mut branch = repo.head().map_err(&failed)?;
    branch.delete().map_err(&failed)
}

fn short(commit: &Commit<'_>) -> String {
    commit
        .as_object()
        .short_id()
        .ok()
        .and_then(|id| id.as_str().ok().map(str::to_string))
        .unwrap_or_else(|| commit.id().to_string())
}

fn named(commit: &Commit<'_>) -> String {
    let subject = commit.summary_bytes().unwrap_or_default();
    format!("{} ({})", short(commit), String::from_utf8_lossy(subject))
}
