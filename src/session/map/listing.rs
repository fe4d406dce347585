//! Which files a project has: by git's index with what is untracked and not ignored, else by a bounded walk.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{WalkBuilder, WalkState};

use super::{MapSource, lock};
use crate::git::{BlobId, Repo};
use crate::repo_map::paths;

/// Without git, a folder with more files is no project: nothing in it is scanned.
const MAX_WALKED: usize = 100_000;
/// Ignore files beside git's own, at the root.
const IGNORE_FILES: &[&str] = &[".codriverignore", ".aiderignore"];

/// One file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Blob id when git knows that the content is unchanged.
    pub blob: Option<BlobId>,
}

#[derive(Default)]
pub(super) struct Listing {
    /// Sorted by path.
    pub files: Vec<File>,
    pub repo: Option<Repo>,
    pub notice: Option<String>,
}

/// Lists the files below the root and the subtree.
pub(super) fn list(source: &MapSource) -> anyhow::Result<Listing> {
    let root = source.root.canonicalize().unwrap_or_else(|_| source.root.clone());
    if let Some(what) = not_a_project(&root) {
        return Ok(Listing {
            notice: Some(format!(
                "`{}` is {what}: no map is made of it; start in a project's folder",
                root.display()
            )),
            ..Listing::default()
        });
    }
    // A repository that cannot be used is listed as a folder; whoever wants to commit hears why.
    let repo = Repo::discover(&root).unwrap_or(None);
    let mut listing = match &repo {
        Some(repo) => by_git(repo, &root)?,
        None => by_walk(&root),
    };
    listing.repo = repo;
    let ignored = ignore_rules(&root);
    let subtree = source.subtree.trim_matches('/');
    listing.files.retain(|file| {
        let inside = subtree.is_empty()
            || file
                .path
                .strip_prefix(subtree)
                .is_some_and(|rest| rest.starts_with('/'));
        inside
            && !ignored
                .as_ref()
                .is_some_and(|rules| rules.matched_path_or_any_parents(&file.path, false).is_ignore())
    });
    listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

fn not_a_project(root: &Path) -> Option<&'static str> {
    if root.parent().is_none() {
        return Some("the root of the file system");
    }
    let home = etcetera::home_dir().ok()?;
    let home = home.canonicalize().unwrap_or(home);
    if root == home {
        return Some("your home folder");
    }
    home.starts_with(root).then_some("the folder above your home folder")
}

fn by_git(repo: &Repo, root: &Path) -> anyhow::Result<Listing> {
    let top = repo.root().canonicalize().unwrap_or_else(|_| repo.root().to_path_buf());
    let prefix = root.strip_prefix(&top).ok().map(slashed).unwrap_or_default();
    let files = repo
        .list_looking_at(&|path| !paths::is_bulk(path))?
        .into_iter()
        .filter_map(|listed| {
            let path = if prefix.is_empty() {
                listed.path
            } else {
                listed.path.strip_prefix(&prefix)?.strip_prefix('/')?.to_string()
            };
            Some(File {
                path,
                blob: listed.blob,
            })
        });
    Ok(Listing {
        files: files.collect(),
        ..Listing::default()
    })
}

fn by_walk(root: &Path) -> Listing {
    let found = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    let walk = WalkBuilder::new(root)
        .require_git(false)
        .hidden(false)
        .parents(false)
        .filter_entry(|e| e.file_name() != ".git")
        .build_parallel();
    walk.run(|| {
        Box::new(|entry| {
            let Ok(entry) = entry else { return WalkState::Continue };
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                return WalkState::Continue;
            }
            if count.fetch_add(1, Ordering::Relaxed) >= MAX_WALKED {
                return WalkState::Quit;
            }
            if let Ok(path) = entry.path().strip_prefix(root) {
                lock(&found).push(File {
                    path: slashed(path),
                    blob: None,
                });
            }
            WalkState::Continue
        })
    });
    if count.into_inner() > MAX_WALKED {
        return Listing {
            notice: Some(format!(
                "`{}` holds more than {MAX_WALKED} files and no git repository: no map is made of it; start in a project's folder",
                root.display()
            )),
            ..Listing::default()
        };
    }
    Listing {
        files: found.into_inner().unwrap_or_default(),
        ..Listing::default()
    }
}

fn ignore_rules(root: &Path) -> Option<Gitignore> {
    let files: Vec<PathBuf> = IGNORE_FILES
        .iter()
        .map(|name| root.join(name))
        .filter(|path| path.is_file())
        .collect();
    if files.is_empty() {
        return None;
    }
    let mut builder = GitignoreBuilder::new(root);
    for file in files {
        // A line that is no pattern is passed over, as git does.
        let _ = builder.add(file);
    }
    builder.build().ok()
}

fn slashed(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}
