//! Files that the index does not hold and no ignore rule hides.
//!
//! Ignore rules are looked up for what [`super::walk`] left over, most often a handful of build folders. A rule for every tracked
//! file would cost more than the rest of a listing.

use std::ffi::OsStr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;

use git2::Repository;
use ignore::WalkBuilder;
use ignore::WalkState;

use super::walk::Unknown;

/// With more unknown files than this, a parallel walk with all rules is faster than asking for each.
const MANY: usize = 400;

/// Untracked files that are listed at most. Whoever has more keeps a home folder or a data set in git, and nobody looks for one
/// of those by name.
const MAX_UNTRACKED: usize = 100_000;

/// The files among `unknown` and in its folders, in no order. `known` are the paths of the index, sorted. Repositories within are
/// not entered. None for those who told git not to look for any, as is usual for a home folder.
pub(super) fn not_ignored(repo: &Repository, root: &Path, known: &[&[u8]], mut unknown: Vec<Unknown>) -> Vec<String> {
    let config = repo.config().and_then(|mut config| config.snapshot());
    let shows = config.and_then(|config| config.get_string("status.showUntrackedFiles"));
    if shows.is_ok_and(|shows| matches!(shows.to_lowercase().as_str(), "no" | "false" | "off" | "0")) {
        return Vec::new();
    }
    let mut files = Vec::new();
    let mut asked = 0;
    while let Some(Unknown { path, is_dir }) = unknown.pop() {
        asked += 1;
        if asked > MANY {
            return walk(repo, root, known);
        }
        let as_pattern = if is_dir { format!("{path}/") } else { path.clone() };
        if repo.is_path_ignored(&as_pattern).unwrap_or(false) {
            continue;
        }
        if !is_dir {
            files.push(path);
            continue;
        }
        let full = root.join(&path);
        if full.join(".git").symlink_metadata().is_ok() {
            continue;
        }
        for (name, is_dir) in names(&full) {
            unknown.push(Unknown {
                path: format!("{path}/{name}"),
                is_dir,
            });
        }
    }
    files
}

/// Files and folders of a folder, links and the like left out, with whether each is a folder. None of a folder that cannot be
/// read.
fn names(dir: &Path) -> Vec<(String, bool)> {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            let name = entry.file_name().into_string().ok()?;
            ((kind.is_file() || kind.is_dir()) && name != ".git").then_some((name, kind.is_dir()))
        })
        .collect()
}

/// The same by a walk that knows the rules of every folder it enters.
fn walk(repo: &Repository, root: &Path, known: &[&[u8]]) -> Vec<String> {
    let mut walk = WalkBuilder::new(root);
    walk.hidden(false)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .require_git(false)
        .current_dir(root)
        .threads(std::thread::available_parallelism().map_or(1, usize::from))
        .filter_entry(|entry| {
            entry.file_name() != OsStr::new(".git")
                && (entry.depth() == 0
                    || !entry.file_type().is_some_and(|kind| kind.is_dir())
                    || entry.path().join(".git").symlink_metadata().is_err())
        });
    if let Some(rules) = global_rules(repo) {
        // Rules that cannot be read are no rules, as for git.
        let _ = walk.add_ignore(rules);
    }
    let found = Mutex::new(Vec::new());
    walk.build_parallel().run(|| {
        Box::new(|entry| {
            let Ok(entry) = entry else { return WalkState::Continue };
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Ok(relative) = entry.path().strip_prefix(root)
                && let Some(path) = relative.to_str()
            {
                let path = if cfg!(windows) {
                    path.replace('\\', "/")
                } else {
                    path.to_string()
                };
                if known.binary_search(&path.as_bytes()).is_err()
                    && let Ok(mut found) = found.lock()
                {
                    if found.len() >= MAX_UNTRACKED {
                        return WalkState::Quit;
                    }
                    found.push(path);
                }
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_default()
}

/// The file of ignore rules for all of a user's repositories: `core.excludesFile`, else beside the settings.
fn global_rules(repo: &Repository) -> Option<PathBuf> {
    let set = repo
        .config()
        .and_then(|mut config| config.snapshot())
        .and_then(|config| config.get_path("core.excludesFile"));
    let path = match set {
        Ok(path) => path,
        Err(_) => git2::Config::find_xdg().ok()?.parent()?.join("ignore"),
    };
    path.is_file().then_some(path)
}
