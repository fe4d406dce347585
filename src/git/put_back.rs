//! Puts a commit back that was taken back, as the very same commit.

use std::collections::BTreeMap;

use git2::Oid;

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

pub(super) fn put_back(of: &Repo, commit: &str) -> Result<TakenBack, Error> {
    let repo = of.open()?;
    let failed = doing("put a commit back");
    let Some(commit) = Oid::from_str(commit).ok().and_then(|id| repo.find_commit(id).ok()) else {
        return Ok(TakenBack::No(format!("there is no commit `{commit}` any more")));
    };
    let newest = head::commit(&repo)?;
    if newest.as_ref().map(git2::Commit::id) != commit.parent_id(0).ok() {
        return Ok(TakenBack::No("the branch has moved on since".to_string()));
    }
    lock::wait_until_free(of)?;
    let old = newest.as_ref().map(git2::Commit::tree).transpose().map_err(&failed)?;
    let new = commit.tree().map_err(&failed)?;
    let moves = tree::moves(&repo, old.as_ref(), Some(&new))?;
    let back = match index::follow(of, &moves, &BTreeMap::new(), Own::Merge) {
        Err(error @ Error::Staged { .. }) => return Ok(TakenBack::No(error.to_string())),
        followed => followed?,
    };
    let log_message = format!(
        "reset: putting back {}",
        commit.summary().ok().flatten().unwrap_or_default()
    );
    if let Err(error) = move_head(&repo, newest.map(|commit| commit.id()), commit.id(), &log_message) {
        // Best effort: the error of the branch is the one to tell.
        let _ = index::follow(of, &back, &BTreeMap::new(), Own::Leave);
        return Err(error);
    }
    Ok(TakenBack::Yes)
}
