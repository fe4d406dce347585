//! Between plans and files: what the planner may know of a path, and what a plan is as a transaction. Shared by the
//! session and `codriver apply`.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::apply::Content;
use crate::apply::FailureKind;
use crate::apply::Plan;
use crate::apply::WriteKind;
use crate::files;
use crate::files::Encoding;
use crate::files::Found;
use crate::files::Root;
use crate::files::endings;
use crate::files::endings::GitAttributes;
use crate::files::journal::Change;

/// What stands at a path, or why it may not be written.
pub fn content(root: &Root, path: &str) -> Content {
    match root.read(path) {
        Ok(Found::Text(file)) => Content::Text(file.text),
        Ok(Found::Absent) => Content::Absent,
        Ok(Found::Folder) => Content::Refused("is a folder".to_owned()),
        Ok(Found::Binary { .. }) => Content::Refused("is not text".to_owned()),
        Ok(Found::TooLarge { bytes }) => Content::Refused(format!("is too large to edit ({bytes} bytes)")),
        Ok(Found::Special) => Content::Refused("is no regular file".to_owned()),
        Err(error) => Content::Refused(clause(&error)),
    }
}

/// A fence error as the clause that [`Content::Refused`] wants.
fn clause(error: &files::Error) -> String {
    match error {
        files::Error::Outside { resolved, .. } => {
            format!("is outside the project (it resolves to `{}`)", resolved.display())
        }
        files::Error::InsideGit { .. } => "is inside a `.git` folder".to_owned(),
        files::Error::Read { source, .. } => format!("cannot be read: {source}"),
        other => format!("cannot be used: {other}"),
    }
}

/// Second names of files, which links are. Deleting or moving a file by the name of a link to it would leave the link
/// dangling: refused. Two names of one file would be written one over the other: the second is refused.
pub fn refuse_second_names(root: &Root, plan: &mut Plan) {
    refuse_removal_by_links(root, plan);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut second = Vec::new();
    for write in &plan.writes {
        let Ok(real) = root.real_name(&write.path) else {
            continue;
        };
        match seen.get(&real) {
            Some(first) => second.push((write.path.clone(), first.clone())),
            None => {
                seen.insert(real, write.path.clone());
            }
        }
    }
    for (path, first) in second {
        plan.refuse(
            &path,
            FailureKind::Refused,
            &format!("`{path}` is another name of `{first}`, which the reply edits too"),
            "use one name for the file",
        );
    }
}

fn refuse_removal_by_links(root: &Root, plan: &mut Plan) {
    let removed = plan.writes.iter().filter_map(|write| match &write.kind {
        WriteKind::Delete => Some((&write.path, &write.path, "deleted")),
        WriteKind::Move { from } => Some((&write.path, from, "moved")),
        WriteKind::Create | WriteKind::Modify => None,
    });
    let links: Vec<_> = removed
        .filter_map(|(path, gone, verb)| Some((path.clone(), gone.clone(), verb, root.link_target(gone)?)))
        .collect();
    for (path, gone, verb, real) in links {
        plan.refuse(
            &path,
            FailureKind::Refused,
            &format!("`{gone}` is a link to `{real}` and cannot be {verb} by that name"),
            &format!("name `{real}` itself"),
        );
    }
}

/// The plan as changes for the journal: an existing file keeps how it is stored, a new one gets the line ending and encoding
/// that the project wants (`attributes` tells what git says of a path), a move is a new file and the old one gone.
///
/// # Errors
/// When a file cannot be read.
pub fn changes(
    root: &Root,
    plan: &Plan,
    attributes: &dyn Fn(&str) -> GitAttributes,
) -> Result<Vec<Change>, files::Error> {
    let stored = |path: &str| -> Result<Encoding, files::Error> {
        Ok(match root.read(path)? {
            Found::Text(file) => file.encoding,
            _ => Encoding::Utf8,
        })
    };
    let mut changes = Vec::new();
    for write in &plan.writes {
        let change = |before: Option<String>, after: Option<String>, encoding| Change {
            path: write.path.clone(),
            before,
            after,
            encoding,
            mode_from: None,
        };
        match &write.kind {
            WriteKind::Create => {
                let new = endings::for_new_file(root, &write.path, &attributes(&write.path));
                let after = write.after.as_ref().map(|text| new.ending.apply(text));
                changes.push(change(None, after, new.encoding));
            }
            WriteKind::Move { from } => {
                let encoding = stored(from)?;
                let moved = change(None, write.after.clone(), encoding);
                changes.push(Change {
                    mode_from: Some(from.clone()),
                    ..moved
                });
                let gone = change(write.before.clone(), None, encoding);
                changes.push(Change {
                    path: from.clone(),
                    ..gone
                });
            }
            WriteKind::Modify | WriteKind::Delete => {
                changes.push(change(write.before.clone(), write.after.clone(), stored(&write.path)?));
            }
        }
    }
    Ok(changes)
}

/// What the file system does not allow is a failed edit when it can be told which one.
///
/// # Errors
/// The error itself, when it belongs to no edit.
pub fn fail_to_write(plan: &mut Plan, error: files::Error) -> Result<()> {
    let (path, kind) = match &error {
        files::Error::Changed { path } => (path.clone(), FailureKind::Stale),
        files::Error::Unencodable { path, .. }
        | files::Error::Outside { path, .. }
        | files::Error::InsideGit { path }
        | files::Error::Write { path, .. } => (path.clone(), FailureKind::Refused),
        _ => return Err(error.into()),
    };
    let reason = match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    plan.refuse(&path, kind, &reason, "");
    Ok(())
}
