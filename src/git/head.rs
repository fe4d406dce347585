//! Where HEAD stands and what it holds.

use git2::ErrorCode;

use super::Error;
use super::Head;
use super::doing;

pub(super) fn head(repo: &git2::Repository) -> Result<Head, Error> {
    match repo.head() {
        Ok(head) => {
            let commit = head.peel_to_commit().map_err(doing("read HEAD"))?.id().to_string();
            if repo.head_detached().map_err(doing("read HEAD"))? {
                return Ok(Head::Detached { commit });
            }
            let name = String::from_utf8_lossy(head.shorthand_bytes()).into_owned();
            Ok(Head::Branch { name, commit })
        }
        Err(error) if error.code() == ErrorCode::UnbornBranch => {
            let target = unborn_branch(repo)?;
            let branch = target.strip_prefix("refs/heads/").unwrap_or(&target).to_string();
            Ok(Head::Unborn { branch })
        }
        Err(error) => Err(doing("read HEAD")(error)),
    }
}

/// The full name of the branch that HEAD will make with the first commit.
pub(super) fn unborn_branch(repo: &git2::Repository) -> Result<String, Error> {
    let head = repo.find_reference("HEAD").map_err(doing("read HEAD"))?;
    let target = head.symbolic_target().map_err(doing("read HEAD"))?;
    Ok(target.unwrap_or("refs/heads/main").to_string())
}

/// None in a repository without commits.
pub(super) fn commit(repo: &git2::Repository) -> Result<Option<git2::Commit<'_>>, Error> {
    match repo.head() {
        Ok(head) => head.peel_to_commit().map(Some).map_err(doing("read HEAD")),
        Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
        Err(error) => Err(doing("read HEAD")(error)),
    }
}

pub(super) fn tree(repo: &git2::Repository) -> Result<Option<git2::Tree<'_>>, Error> {
    commit(repo)?
        .map(|commit| commit.tree().map_err(doing("read the newest commit")))
        .transpose()
}

pub(super) fn content(repo: &git2::Repository, path: &str) -> Result<Option<Vec<u8>>, Error> {
    let Some(tree) = tree(repo)? else { return Ok(None) };
    let Some((id, mode)) = super::tree::entry(&tree, path)? else {
        return Ok(None);
    };
    if mode == super::tree::GITLINK {
        return Ok(None);
    }
    let blob = repo.find_blob(id).map_err(doing("read a file of the newest commit"))?;
    Ok(Some(blob.content().to_vec()))
}
