//! Trees: looking up one path, and making a tree that differs from another in a few paths.

use std::collections::BTreeMap;
use std::path::Path;

use git2::ErrorCode;
use git2::ObjectType;
use git2::Oid;
use git2::Repository;
use git2::Tree;

use super::Error;
use super::doing;

pub(super) const FILE: u32 = 0o100644;
pub(super) const EXECUTABLE: u32 = 0o100755;
pub(super) const LINK: u32 = 0o120000;
pub(super) const GITLINK: u32 = 0o160000;
const FOLDER: i32 = 0o040000;

/// Id and mode of a file in a tree or index.
pub(super) type Entry = (Oid, u32);

/// Each path's state before and after.
pub(super) type Moves = BTreeMap<String, (Option<Entry>, Option<Entry>)>;

/// The file (or link, or submodule) at `path`; None when there is nothing or a folder.
pub(super) fn entry(tree: &Tree<'_>, path: &str) -> Result<Option<Entry>, Error> {
    match tree.get_path(Path::new(path)) {
        Ok(entry) if entry.kind() == Some(ObjectType::Tree) => Ok(None),
        Ok(entry) => Ok(Some((entry.id(), entry.filemode() as u32))),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(doing("read a tree")(error)),
    }
}

/// Writes a tree that is `base` with these paths set, or removed with None. A file may take the place of a folder and
/// the other way round. A folder that becomes empty goes.
pub(super) fn updated(
    repo: &Repository,
    base: Option<&Tree<'_>>,
    changes: &BTreeMap<String, Option<Entry>>,
) -> Result<Oid, Error> {
    let parts: Vec<(&str, Option<Entry>)> = changes.iter().map(|(path, entry)| (path.as_str(), *entry)).collect();
    match folder(repo, base, &parts)? {
        Some(id) => Ok(id),
        None => repo
            .treebuilder(None)
            .and_then(|builder| builder.write())
            .map_err(doing("write a tree")),
    }
}

/// None when nothing is left in the folder. `changes` are relative to it and sorted.
fn folder(repo: &Repository, base: Option<&Tree<'_>>, changes: &[(&str, Option<Entry>)]) -> Result<Option<Oid>, Error> {
    let failed = doing("write a tree");
    let mut builder = repo.treebuilder(base).map_err(&failed)?;
    let mut within: BTreeMap<&str, Vec<(&str, Option<Entry>)>> = BTreeMap::new();
    for (path, entry) in changes {
        match path.split_once('/') {
            Some((name, rest)) => within.entry(name).or_default().push((rest, *entry)),
            None => match entry {
                Some((id, mode)) => {
                    builder.insert(*path, *id, *mode as i32).map_err(&failed)?;
                }
                // A folder of that name is not the file that is to go.
                None => {
                    let is_file = builder
                        .get(*path)
                        .map_err(&failed)?
                        .is_some_and(|entry| entry.filemode() != FOLDER);
                    if is_file {
                        builder.remove(*path).map_err(&failed)?;
                    }
                }
            },
        }
    }
    for (name, changes) in within {
        let old = builder
            .get(name)
            .map_err(&failed)?
            .map(|entry| (entry.id(), entry.filemode()));
        let old_folder = match old {
            Some((id, FOLDER)) => Some(repo.find_tree(id).map_err(&failed)?),
            _ => None,
        };
        let sets_something = changes.iter().any(|(_, entry)| entry.is_some());
        match folder(repo, old_folder.as_ref(), &changes)? {
            Some(id) => {
                builder.insert(name, id, FOLDER).map_err(&failed)?;
            }
            // Only a folder that was there can have become empty; a file of that name stays.
            None if old_folder.is_some() => builder.remove(name).map_err(&failed)?,
            None => debug_assert!(!sets_something),
        }
    }
    if builder.is_empty() {
        return Ok(None);
    }
    builder.write().map(Some).map_err(&failed)
}

/// What differs between two trees.
pub(super) fn moves(repo: &Repository, old: Option<&Tree<'_>>, new: Option<&Tree<'_>>) -> Result<Moves, Error> {
    let diff = repo
        .diff_tree_to_tree(old, new, None)
        .map_err(doing("compare two commits"))?;
    let state = |file: git2::DiffFile<'_>| file.exists().then(|| (file.id(), u32::from(file.mode())));
    let mut moves = Moves::new();
    for delta in diff.deltas() {
        let (old, new) = (delta.old_file(), delta.new_file());
        let path = new.path_bytes().or(old.path_bytes()).unwrap_or_default();
        if let Ok(path) = std::str::from_utf8(path) {
            moves.insert(path.to_string(), (state(old), state(new)));
        }
    }
    Ok(moves)
}
