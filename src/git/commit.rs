//! Commits exactly the given versions on top of HEAD.
//!
//! The index goes first and the branch last: whatever fails in between leaves the branch where it was and at worst the
//! turn's own edits staged. Only a commit that hooks may change, and hold up for long, the index follows after.

use std::collections::BTreeMap;
use std::path::Path;

use git2::ErrorCode;
use git2::Repository;
use git2::RepositoryState;
use git2::Signature;

use super::Committed;
use super::Error;
use super::Repo;
use super::Version;
use super::attributes;
use super::commit_by_program;
use super::doing;
use super::head;
use super::index;
use super::index::Own;
use super::index::UserIndex;
use super::intent::Intent;
use super::lock;
use super::program;
use super::tree;
use super::tree::Entry;
use super::tree::Moves;

/// What is to be committed, worked out before anything is written but blobs.
pub(super) struct Wanted<'a> {
    /// Each path with its bytes as they stand in the work tree.
    pub(super) contents: BTreeMap<&'a str, &'a [u8]>,
    /// Each path's state in HEAD and in the new commit.
    pub(super) moves: Moves,
}

pub(super) fn commit(
    of: &Repo,
    versions: &[Version],
    message: &str,
    own: Own,
    begin: &mut dyn FnMut(&Intent),
) -> Result<Option<Committed>, Error> {
    let repo = of.open()?;
    let user_index = index::read(&repo, of)?;
    let taken = takeable(of, &repo, &user_index, versions)?;
    if taken.is_empty() {
        return Ok(None);
    }
    refuse_in_between(&repo, &user_index, &taken)?;
    let (author, committer) = identity(&repo)?;
    lock::wait_until_free(of)?;

    let by_program = commit_by_program::reason(&repo, &taken)?;
    if let Some(reason) = by_program
        && !program::is_there()
    {
        return Err(Error::Git {
            doing: "commit",
            message: format!("this repository has {reason}, which needs the git program, and that was not found"),
        });
    }
    let wanted = wanted(of, &repo, &taken)?;
    if wanted.moves.values().all(|(before, after)| before == after) {
        return Ok(None);
    }
    if own == Own::Merge
        && let Some(path) = user_index.overlapping(&repo, &wanted.moves)?.into_iter().next()
    {
        return Err(Error::Staged { path });
    }
    begin(&Intent::new(&repo, &wanted, message, by_program.is_some())?);
    if by_program.is_some() {
        return commit_by_program::commit(of, &repo, &user_index, &wanted, message, own).map(Some);
    }
    let id = by_libgit2(of, &repo, &wanted, message, (&author, &committer), own)?;
    Ok(Some(Committed {
        id,
        changed_by_hooks: Vec::new(),
        index_behind: None,
    }))
}

pub(super) fn overlapping_staged(of: &Repo, versions: &[Version]) -> Result<Vec<String>, Error> {
    let repo = of.open()?;
    let user_index = index::read(&repo, of)?;
    let taken = takeable(of, &repo, &user_index, versions)?;
    let wanted = wanted(of, &repo, &taken)?;
    user_index.overlapping(&repo, &wanted.moves)
}

/// The versions that belong into this repository's commits.
fn takeable<'a>(
    of: &Repo,
    repo: &Repository,
    index: &UserIndex,
    versions: &'a [Version],
) -> Result<Vec<&'a Version>, Error> {
    let head = head::tree(repo)?;
    let mut taken = Vec::new();
    for version in versions {
        let path = version.path.as_str();
        let in_head = match &head {
            Some(head) => tree::entry(head, path)?,
            None => None,
        };
        let is_known = in_head.is_some() || index.entry(path).is_some() || index.is_in_conflict(path);
        let is_link = of
            .root
            .join(path)
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
        // What was written through a link changed another file, not the link.
        let through_link = is_link && version.content.is_some();
        let is_submodule = matches!(in_head, Some((_, tree::GITLINK)));
        let ignored = !is_known && repo.is_path_ignored(path).unwrap_or(false);
        if !ignored && !through_link && !is_submodule && !inside_other_repository(of, head.as_ref(), path)? {
            taken.push(version);
        }
    }
    Ok(taken)
}

/// A folder above `path` is a submodule or a repository of its own.
fn inside_other_repository(of: &Repo, head: Option<&git2::Tree<'_>>, path: &str) -> Result<bool, Error> {
    for (at, _) in path.match_indices('/') {
        let folder = &path[..at];
        if of.root.join(folder).join(".git").symlink_metadata().is_ok() {
            return Ok(true);
        }
        if let Some(head) = head
            && let Some((_, tree::GITLINK)) = tree::entry(head, folder)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// As git itself, which makes no commit of single files in the middle of a merge.
fn refuse_in_between(repo: &Repository, index: &UserIndex, taken: &[&Version]) -> Result<(), Error> {
    let refused = |message: String| {
        Err(Error::Git {
            doing: "commit",
            message,
        })
    };
    match repo.state() {
        RepositoryState::Merge => {
            return refused("a merge is not finished; `git commit` or `git merge --abort` ends it".to_string());
        }
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => {
            return refused(
                "a cherry-pick is not finished; `git cherry-pick --continue` or `--abort` ends it".to_string(),
            );
        }
        _ => {}
    }
    match taken.iter().find(|version| index.is_in_conflict(&version.path)) {
        Some(version) => refused(format!("`{}` has a conflict that is not resolved", version.path)),
        None => Ok(()),
    }
}

fn identity(repo: &Repository) -> Result<(Signature<'static>, Signature<'static>), Error> {
    let read = |signature: Result<Signature<'static>, git2::Error>| {
        signature.map_err(|error| match error.code() {
            ErrorCode::NotFound => Error::NoIdentity,
            // An empty name or address.
            ErrorCode::Invalid => Error::NoIdentity,
            _ => doing("read your name from git's settings")(error),
        })
    };
    Ok((read(repo.author_from_env())?, read(repo.committer_from_env())?))
}

/// Writes the blobs and compares with HEAD.
fn wanted<'a>(of: &Repo, repo: &Repository, taken: &[&'a Version]) -> Result<Wanted<'a>, Error> {
    let head = head::tree(repo)?;
    let mut contents = BTreeMap::new();
    let mut moves = Moves::new();
    for version in taken {
        let path = version.path.as_str();
        let before = match &head {
            Some(head) => tree::entry(head, path)?,
            None => None,
        };
        let after = match &version.content {
            None => None,
            Some(content) => {
                contents.insert(path, content.as_slice());
                let mode = mode(repo, before, version.executable);
                Some((blob(of, repo, path, content)?, mode))
            }
        };
        moves.insert(path.to_string(), (before, after));
    }
    Ok(Wanted { contents, moves })
}

/// On a file system that does not keep the executable bit, a known file keeps the one it has.
fn mode(repo: &Repository, before: Option<Entry>, executable: bool) -> u32 {
    let keeps_modes = repo
        .config()
        .and_then(|config| config.get_bool("core.fileMode"))
        .unwrap_or(cfg!(unix));
    match before {
        Some((_, mode)) if !keeps_modes && mode != tree::LINK => mode,
        _ if executable => tree::EXECUTABLE,
        _ => tree::FILE,
    }
}

/// Stores the content as git would: line endings and filters applied.
fn blob(of: &Repo, repo: &Repository, path: &str, content: &[u8]) -> Result<git2::Oid, Error> {
    use std::io::Write;
    let failed = doing("store a file");
    if attributes::has_filter_program(repo, path) {
        let output = program::Program {
            root: &of.root,
            args: &["hash-object", "-w", "--stdin", "--path", path],
            index_file: None,
            input: content,
        }
        .run()?;
        return git2::Oid::from_str(String::from_utf8_lossy(&output).trim()).map_err(&failed);
    }
    let mut writer = repo.blob_writer(Some(Path::new(path))).map_err(&failed)?;
    writer.write_all(content).map_err(|error| Error::Git {
        doing: "store a file",
        message: error.to_string(),
    })?;
    writer.commit().map_err(&failed)
}

fn by_libgit2(
    of: &Repo,
    repo: &Repository,
    wanted: &Wanted<'_>,
    message: &str,
    (author, committer): (&Signature<'_>, &Signature<'_>),
    own: Own,
) -> Result<String, Error> {
    let failed = doing("commit");
    let parent = head::commit(repo)?;
    let base = head::tree(repo)?;
    let changes = wanted
        .moves
        .iter()
        .map(|(path, (_, after))| (path.clone(), *after))
        .collect();
    let tree_id = tree::updated(repo, base.as_ref(), &changes)?;
    let tree = repo.find_tree(tree_id).map_err(&failed)?;
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    let message = git2::message_prettify(message, None).map_err(&failed)?;
    let id = repo
        .commit(None, author, committer, &message, &tree, &parents)
        .map_err(&failed)?;

    let back = index::follow(of, &wanted.moves, &wanted.contents, own)?;
    let subject = message.lines().next().unwrap_or_default();
    let kind = if parent.is_none() { "commit (initial)" } else { "commit" };
    let moved = move_head(
        repo,
        parent.map(|parent| parent.id()),
        id,
        &format!("{kind}: {subject}"),
    );
    if let Err(error) = moved {
        // Best effort: the error of the branch is the one to tell.
        let _ = index::follow(of, &back, &BTreeMap::new(), Own::Leave);
        return Err(error);
    }
    Ok(id.to_string())
}

/// Moves the branch (or a detached HEAD) if it still stands at `from`.
pub(super) fn move_head(
    repo: &Repository,
    from: Option<git2::Oid>,
    to: git2::Oid,
    log_message: &str,
) -> Result<(), Error> {
    let failed = doing("move the branch");
    let Some(from) = from else {
        let branch = head::unborn_branch(repo)?;
        return repo
            .reference(&branch, to, false, log_message)
            .map(|_| ())
            .map_err(&failed);
    };
    let head = repo.head().map_err(&failed)?;
    let name = head.name().map_err(&failed)?;
    repo.reference_matching(name, to, true, from, log_message)
        .map(|_| ())
        .map_err(&failed)
}
