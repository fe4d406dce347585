//! The unified diff that the user and the commit message see.

use git2::Delta;
use git2::DiffFindOptions;
use git2::DiffFormat;
use git2::DiffOptions;

use super::Error;
use super::Repo;
use super::doing;
use super::head;
use super::index;

pub(super) fn diff(of: &Repo, from: Option<&str>) -> Result<String, Error> {
    let failed = doing("compare with the newest commit");
    let repo = of.open()?;
    let user_index = index::read(&repo, of)?;
    // libgit2 takes what a sparse checkout leaves out for deleted.
    let left_out = user_index.left_out(of);
    let tree = match from {
        None => head::tree(&repo)?,
        Some(name) => Some(
            repo.revparse_single(name)
                .and_then(|found| found.peel_to_tree())
                .map_err(&failed)?,
        ),
    };
    let mut options = DiffOptions::new();
    options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .show_untracked_content(true)
        .ignore_submodules(true)
        .patience(true);
    let mut diff = repo
        .diff_tree_to_workdir_with_index(tree.as_ref(), Some(&mut options))
        .map_err(&failed)?;
    if left_out.is_empty() {
        let mut renames = DiffFindOptions::new();
        renames.renames(true).for_untracked(true);
        diff.find_similar(Some(&mut renames)).map_err(&failed)?;
    }
    let mut text = Vec::new();
    diff.print(DiffFormat::Patch, |delta, _, line| {
        let path = delta.old_file().path().and_then(|path| path.to_str());
        if delta.status() == Delta::Deleted && path.is_some_and(|path| left_out.contains(path)) {
            return true;
        }
        if matches!(line.origin(), '+' | '-' | ' ') {
            text.push(line.origin() as u8);
        }
        text.extend_from_slice(line.content());
        true
    })
    .map_err(&failed)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
