//! What the user changed since the newest commit.

use git2::Status;
use git2::StatusOptions;
use git2::StatusShow;

use super::Error;
use super::Repo;
use super::doing;
use super::index;

pub(super) fn dirty(of: &Repo) -> Result<Vec<String>, Error> {
    let repo = of.open()?;
    let user_index = index::read(&repo, of)?;
    let left_out = user_index.left_out(of);
    let mut options = StatusOptions::new();
    options
        .show(StatusShow::IndexAndWorkdir)
        .include_untracked(false)
        .include_ignored(false)
        .exclude_submodules(true);
    let statuses = repo.statuses(Some(&mut options)).map_err(doing("look for changes"))?;
    let mut paths: Vec<String> = statuses
        .iter()
        .filter_map(|status| {
            let path = status.path().ok()?;
            // libgit2 takes what a sparse checkout leaves out for deleted.
            let is_left_out = status.status() == Status::WT_DELETED && left_out.contains(path);
            (!is_left_out).then(|| path.to_string())
        })
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}
