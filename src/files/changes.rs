//! From what is asked for (changes, as texts) and what stands on disk (bytes) to what is to be done. Nothing is written
//! here.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::io;

use super::Error;
use super::Root;
use super::encoding;
use super::index::Turn;
use super::index::Version;
use super::journal::Change;
use super::transaction::Target;
use super::transaction::writing;
use super::tree::State;
use super::tree::Tree;

/// A file that is not as the turn left it.
pub(super) struct Drifted {
    pub(super) path: String,
    /// As the turn left it.
    pub(super) before: Option<Version>,
    /// None: it is gone.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) mode: u32,
}

/// The turn's files that are not as it left them; what is no file any more is left out.
pub(super) fn drifted(tree: &Tree, turn: &Turn) -> Result<Vec<Drifted>, Error> {
    let mut found = Vec::new();
    for (path, (_, left)) in &turn.files {
        let (bytes, mode) = match tree.state(path).map_err(reading(path))? {
            State::File { bytes, stamp } => (Some(bytes), stamp.mode),
            State::Absent => (None, 0),
            State::Folder | State::Other => continue,
        };
        let same = match (&bytes, left) {
            (Some(bytes), Some(left)) => mode == left.mode && left.image.is(bytes),
            (None, None) => true,
            _ => false,
        };
        if !same {
            found.push(Drifted {
                path: path.clone(),
                before: left.clone(),
                bytes,
                mode,
            });
        }
    }
    Ok(found)
}

/// The changes against what stands on disk now; those that change nothing are left out.
pub(super) fn targets_of(root: &Root, tree: &Tree, changes: &[Change]) -> Result<Vec<Target>, Error> {
    let mut targets: Vec<Target> = Vec::with_capacity(changes.len());
    let mut paths = BTreeSet::new();
    let mut files = BTreeMap::new();
    for change in changes {
        let target = target_of(root, tree, change)?;
        // Two names of one file: through links to it, or on a file system that folds case.
        let known = target
            .before
            .as_ref()
            .and_then(|(_, stamp)| files.insert(stamp.file(), target.after.clone()));
        if !paths.insert(target.path.clone()) || known.is_some_and(|after| after != target.after) {
            return Err(writing(&change.path)(io::Error::other("it is changed twice at once")));
        }
        let bytes = target.before.as_ref().map(|(bytes, _)| bytes);
        if bytes != target.after.as_ref() {
            targets.push(target);
        }
    }
    Ok(targets)
}

fn target_of(root: &Root, tree: &Tree, change: &Change) -> Result<Target, Error> {
    let path = root.real_name(&change.path)?;
    // Its text may be written through a link; removing it would leave the link dangling.
    if change.after.is_none()
        && let Some(real) = root.link_target(&change.path)
    {
        let message = format!("it is a link to `{real}`");
        return Err(writing(&change.path)(io::Error::other(message)));
    }
    let changed = || Error::Changed {
        path: change.path.clone(),
    };
    let before = match (tree.state(&path).map_err(reading(&path))?, &change.before) {
        (State::File { bytes, stamp }, Some(expected)) => {
            let text = encoding::decode(&bytes)
                .filter(|file| file.text == *expected)
                .ok_or_else(changed)?;
            Some((bytes, stamp, text.encoding))
        }
        (State::Absent, None) => None,
        (State::Folder, None) => return Err(writing(&change.path)(io::ErrorKind::IsADirectory.into())),
        (State::Other, None) => return Err(writing(&change.path)(io::Error::other("it is no regular file"))),
        _ => return Err(changed()),
    };
    if let Some((_, stamp, _)) = &before {
        tree.check_writable(&path, *stamp).map_err(writing(&change.path))?;
    }
    let encoding = before.as_ref().map_or(change.encoding, |(_, _, encoding)| *encoding);
    let encode = |text: &String| {
        encoding.encode(text).map_err(|character| Error::Unencodable {
            path: change.path.clone(),
            encoding: encoding.name(),
            character,
        })
    };
    let after = change.after.as_ref().map(encode).transpose()?;
    let mode = match (&before, &change.mode_from) {
        (Some((_, stamp, _)), _) => Some(stamp.mode),
        (None, Some(from)) => {
            let from = root.real_name(from)?;
            tree.stamp(&from).map_err(reading(&from))?.map(|stamp| stamp.mode)
        }
        (None, None) => None,
    };
    Ok(Target {
        path,
        before: before.map(|(bytes, stamp, _)| (bytes, stamp)),
        after,
        mode,
    })
}

pub(super) fn reading(path: &str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Read {
        path: path.to_owned(),
        source,
    }
}
