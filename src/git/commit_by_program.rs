//! Commits through the git program, with its hooks, signing and filters, from an index of its own: the user's index and
//! work tree have no part in it but for what hooks do.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;

use git2::Repository;

use super::Committed;
use super::Error;
use super::Repo;
use super::Version;
use super::attributes;
use super::commit::Wanted;
use super::doing;
use super::doing_io;
use super::head;
use super::index;
use super::index::Own;
use super::index::UserIndex;
use super::list::Stamp;
use super::program::Program;
use super::tree::Moves;

/// The hooks that a commit runs (githooks(5)).
const HOOKS: &[&str] = &[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "reference-transaction",
];

/// What libgit2 would leave out, in words for an error; None when it can do the whole commit.
pub(super) fn reason(repo: &Repository, versions: &[&Version]) -> Result<Option<&'static str>, Error> {
    let config = repo
        .config()
        .and_then(|mut config| config.snapshot())
        .map_err(doing("read git's settings"))?;
    if config.get_bool("commit.gpgSign").unwrap_or(false) {
        return Ok(Some("commit signing"));
    }
    if has_hooks(repo)? {
        return Ok(Some("hooks"));
    }
    if versions
        .iter()
        .any(|version| attributes::has_filter_program(repo, &version.path))
    {
        return Ok(Some("filters"));
    }
    Ok(None)
}

/// A commit runs at least one hook.
pub(super) fn has_hooks(repo: &Repository) -> Result<bool, Error> {
    let config = repo
        .config()
        .and_then(|mut config| config.snapshot())
        .map_err(doing("read git's settings"))?;
    let folder = hooks_folder(repo, &config);
    Ok(HOOKS.iter().any(|name| is_hook(&folder.join(name))) || has_hook_in_settings(&config))
}

fn hooks_folder(repo: &Repository, config: &git2::Config) -> PathBuf {
    let root = repo.workdir().unwrap_or(repo.path());
    match config.get_path("core.hooksPath") {
        Ok(path) => root.join(path),
        Err(_) => repo.commondir().join("hooks"),
    }
}

/// Git passes over hooks that are not executable.
fn is_hook(path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        found.is_file() && found.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    found.is_file()
}

/// Newer gits also read hooks from `hook.<name>.event`.
fn has_hook_in_settings(config: &git2::Config) -> bool {
    let mut found = false;
    if let Ok(entries) = config.entries(Some("^hook\\..*\\.event$")) {
        let _ = entries.for_each(|entry| {
            found |= entry.value().is_ok_and(|event| HOOKS.contains(&event));
        });
    }
    found
}

pub(super) fn commit(
    of: &Repo,
    repo: &Repository,
    user_index: &UserIndex,
    wanted: &Wanted<'_>,
    message: &str,
    own: Own,
) -> Result<Committed, Error> {
    let dir = tempfile::tempdir().map_err(doing_io("commit", &std::env::temp_dir()))?;
    let temporary = dir.path().join("index");
    fill(of, repo, &temporary, wanted)?;
    let before = look(of, user_index, wanted);
    let old_head = head::commit(repo)?.map(|commit| commit.id());
    let mut args = vec!["-c", "core.splitIndex=false", "commit", "--quiet", "--file=-"];
    if !of.verify {
        args.push("--no-verify");
    }
    // Without hooks it is known what the commit will hold, so that the index can go first.
    let hooks = has_hooks(repo)?;
    let back = if hooks {
        Moves::new()
    } else {
        index::follow(of, &wanted.moves, &wanted.contents, own)?
    };
    let ran = Program {
        root: &of.root,
        args: &args,
        index_file: Some(&temporary),
        input: message.as_bytes(),
    }
    .run_until(of.limit, &of.stop);

    // A handle that has not seen the old state; a hook may have committed more than was asked for.
    let repo = of.open()?;
    let new = head::commit(&repo)?;
    if let Err(error) = ran {
        // Stopped in a hook that runs after the commit, it is made all the same.
        let is_made = match &new {
            Some(new) => is_ours(new, old_head, wanted)?,
            None => false,
        };
        if !is_made {
            // Best effort: git's error is the one to tell.
            let _ = index::follow(of, &back, &BTreeMap::new(), Own::Leave);
            return Err(error);
        }
    }
    let new = new.ok_or_else(|| Error::Git {
        doing: "commit",
        message: "the commit is gone; a hook took it back".to_string(),
    })?;
    let changed_by_hooks = changed(of, &before, wanted);
    // The commit stands: whatever fails from here on must not hide it.
    let followed = if hooks {
        follow(of, &repo, old_head, &new, wanted, own)
    } else {
        Ok(())
    };
    let index_behind = followed.err().map(|error| error.to_string());
    Ok(Committed {
        id: new.id().to_string(),
        changed_by_hooks,
        index_behind,
    })
}

/// A commit on top of the old head that holds the wanted versions.
fn is_ours(new: &git2::Commit<'_>, old_head: Option<git2::Oid>, wanted: &Wanted<'_>) -> Result<bool, Error> {
    if Some(new.id()) == old_head || new.parent_id(0).ok() != old_head {
        return Ok(false);
    }
    let tree = new.tree().map_err(doing("read the new commit"))?;
    for (path, (_, after)) in &wanted.moves {
        if super::tree::entry(&tree, path)? != *after {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Lets the user's index follow what git committed.
fn follow(
    of: &Repo,
    repo: &Repository,
    old_head: Option<git2::Oid>,
    new: &git2::Commit<'_>,
    wanted: &Wanted<'_>,
    own: Own,
) -> Result<(), Error> {
    let moves = moves_between(repo, old_head, new)?;
    // Only what a hook did not change is stored as it stands on disk.
    let contents = wanted
        .contents
        .iter()
        .filter(|(path, _)| match (moves.get(**path), wanted.moves.get(**path)) {
            (Some((_, made)), Some((_, after))) => made == after,
            _ => false,
        })
        .map(|(path, content)| (*path, *content))
        .collect();
    index::follow(of, &moves, &contents, own).map(|_| ())
}

/// Makes the index that holds HEAD with the wanted versions. It starts as a copy of the user's, whose time stamps save
/// git from reading every file.
fn fill(of: &Repo, repo: &Repository, temporary: &Path, wanted: &Wanted<'_>) -> Result<(), Error> {
    let real = index::real_path(of);
    if real.is_file() {
        std::fs::copy(&real, temporary).map_err(doing_io("commit", &real))?;
    }
    let has_commit = head::commit(repo)?.is_some();
    let start: &[&str] = if has_commit {
        &["-c", "core.splitIndex=false", "read-tree", "--reset", "HEAD"]
    } else {
        &["-c", "core.splitIndex=false", "read-tree", "--empty"]
    };
    let run = |args: &[&str], input: &[u8]| {
        Program {
            root: &of.root,
            args,
            index_file: Some(temporary),
            input,
        }
        .run()
    };
    run(start, b"")?;
    let changes = wanted.moves.iter().map(|(path, (_, after))| (path.as_str(), *after));
    let input = index::index_info(changes);
    run(
        &["-c", "core.splitIndex=false", "update-index", "-z", "--index-info"],
        &input,
    )?;
    Ok(())
}

/// The state of all tracked files, and of the committed ones, before hooks run.
fn look(of: &Repo, user_index: &UserIndex, wanted: &Wanted<'_>) -> BTreeMap<String, Option<Stamp>> {
    let tracked = user_index
        .index
        .iter()
        .filter_map(|entry| String::from_utf8(entry.path).ok());
    tracked
        .chain(wanted.moves.keys().cloned())
        .map(|path| {
            let stamp = Stamp::of_file(&of.root.join(&path));
            (path, stamp)
        })
        .collect()
}

fn changed(of: &Repo, before: &BTreeMap<String, Option<Stamp>>, wanted: &Wanted<'_>) -> Vec<String> {
    before
        .iter()
        .filter(|(path, stamp)| {
            let file = of.root.join(path);
            if Stamp::of_file(&file) == **stamp {
                return false;
            }
            // Written anew with the same bytes is no change, where the bytes are known.
            let known = wanted.contents.get(path.as_str());
            !known.is_some_and(|content| std::fs::read(&file).is_ok_and(|bytes| bytes == *content))
        })
        .map(|(path, _)| path.clone())
        .collect()
}

/// What a commit changed.
pub(super) fn moves_between(
    repo: &Repository,
    old_head: Option<git2::Oid>,
    new: &git2::Commit<'_>,
) -> Result<Moves, Error> {
    let failed = doing("read the new commit");
    let old_tree = match old_head {
        Some(id) => Some(repo.find_commit(id).and_then(|commit| commit.tree()).map_err(&failed)?),
        None => None,
    };
    let new_tree = new.tree().map_err(&failed)?;
    super::tree::moves(repo, old_tree.as_ref(), Some(&new_tree))
}
