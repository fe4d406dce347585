//! Finding and opening the repository, and saying clearly why one that is there cannot be used.

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::ErrorCode;

use super::Error;
use super::Repo;
use super::doing;
use super::program;

/// Extensions of the repository format beyond libgit2's own list that do no harm to what is done here: in a partial
/// clone a missing object is an error of the one call that wants it; relative worktree paths are read like others.
const MORE_EXTENSIONS: &[&str] = &["partialclone", "relativeworktrees"];

pub(super) fn discover(dir: &Path) -> Result<Option<Repo>, Error> {
    allow_more_extensions();
    let found = match git2::Repository::discover(dir) {
        Ok(found) => found,
        Err(error) if error.code() == ErrorCode::NotFound => {
            return match unusable(dir) {
                None => Ok(None),
                Some(path) => Err(Error::Git {
                    doing: "open the repository",
                    message: format!("`{}` is not a complete repository", path.display()),
                }),
            };
        }
        Err(error) => return Err(open_error(error, dir)),
    };
    let Some(root) = found.workdir() else {
        return Ok(None);
    };
    Ok(Some(Repo {
        // Without the slash at the end that libgit2 puts there.
        root: root.components().collect(),
        git_dir: found.path().components().collect(),
        verify: true,
        limit: program::TIME_LIMIT,
        stop: program::Stop::default(),
    }))
}

pub(super) fn open(git_dir: &Path) -> Result<git2::Repository, Error> {
    allow_more_extensions();
    git2::Repository::open(git_dir).map_err(|error| open_error(error, git_dir))
}

fn open_error(error: git2::Error, dir: &Path) -> Error {
    if error.code() == ErrorCode::Owner {
        return Error::OtherOwner {
            root: work_tree_around(dir),
        };
    }
    doing("open the repository")(error)
}

/// The folder that a person would name as the repository: the nearest one with a `.git`.
fn work_tree_around(dir: &Path) -> PathBuf {
    let dir = if dir.ends_with(".git") {
        dir.parent().unwrap_or(dir)
    } else {
        dir
    };
    dir.ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .unwrap_or(dir)
        .to_path_buf()
}

/// A `.git` that is meant to be one (a file that points somewhere, or a folder that is not empty) although libgit2
/// found no repository.
fn unusable(dir: &Path) -> Option<PathBuf> {
    let git = dir
        .ancestors()
        .map(|folder| folder.join(".git"))
        .find(|git| git.symlink_metadata().is_ok())?;
    let is_empty_folder = git.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    (!is_empty_folder).then_some(git)
}

fn allow_more_extensions() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `call_once` lets one thread through and the others wait; nothing else touches this setting.
        // Failing only means that such repositories are refused with libgit2's own words.
        let _ = unsafe { git2::opts::set_extensions(MORE_EXTENSIONS) };
    });
}
