//! From the names that a reply writes to the targets of its edits.

use std::borrow::Cow;

use super::Op;
use super::Target;
use super::found::Section;
use super::names;
use super::names::Project;
use super::udiff;

/// The target for a written name, relative to `folder` when the reply changes into one.
pub(super) fn named(name: &str, folder: Option<&str>, project: &Project<'_>) -> Target {
    let name = name.trim_matches(['`', '*', '"', '\'']);
    let mut candidates = names::candidates(&in_folder(folder, name), project);
    if folder.is_some() && project.is_known(name) {
        candidates.push(name.to_string());
    }
    Target::Named(candidates)
}

/// The target that both sides of a diff's header name: what the project holds, then what the header says. None when
/// there is no header.
pub(super) fn of_diff(section: &Section<'_>, project: &Project<'_>) -> Option<Target> {
    let read = section.names.iter().flat_map(|name| names::candidates(name, project));
    let other = section
        .other_names
        .iter()
        .map(|name| name.to_string())
        .filter(|name| project.is_known(name));
    let (mut paths, unknown): (Vec<String>, Vec<String>) = other.chain(read).partition(|path| project.is_known(path));
    paths.extend(unknown);
    let mut distinct: Vec<String> = Vec::new();
    for path in paths {
        if !distinct.contains(&path) {
            distinct.push(path);
        }
    }
    (!section.names.is_empty()).then_some(Target::Named(distinct))
}

/// `--- a/old.py`, `+++ b/new.py` means a rename when the names are git's (`other_names` holds them with `a/` and
/// `b/`), only the old file exists and the two are not just two spellings of one name.
pub(super) fn renamed_by_header(
    op: Op,
    names: &[Cow<'_, str>],
    other_names: &[Cow<'_, str>],
    project: &Project<'_>,
) -> Op {
    match (op, names) {
        (Op::Modify { hunks }, [new, old])
            if !other_names.is_empty()
                && project.is_known(old)
                && !project.knows_end_of(new)
                && !old.ends_with(new.as_ref())
                && !new.ends_with(old.as_ref())
                && !new.starts_with(old.as_ref()) =>
        {
            Op::Move {
                to: new.to_string(),
                hunks,
            }
        }
        (op, _) => op,
    }
}

/// A rename's new name in the spelling of paths.
pub(super) fn with_plain_destination(op: Op, folder: Option<&str>, project: &Project<'_>) -> Op {
    match op {
        Op::Move { to, hunks } => {
            let written = udiff::unquoted(to.trim_matches(['`', '*', '\'']));
            let paths = names::candidates(&in_folder(folder, &written), project);
            // The last one is the name as it is: a new name is not to be found in the project.
            let to = paths.into_iter().next_back().unwrap_or_else(|| written.into_owned());
            Op::Move { to, hunks }
        }
        other => other,
    }
}

fn in_folder(folder: Option<&str>, name: &str) -> String {
    match folder {
        Some(folder) if !name.starts_with('/') => format!("{folder}/{name}"),
        _ => name.to_string(),
    }
}
