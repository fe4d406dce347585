//! Writing files all or none. The order is what makes it safe:
//!
//! 1. the entry (images of both sides, what is to be done) is written and synced as `pending`;
//! 2. new texts are written to temporary files beside their targets and synced;
//! 3. every target is looked at once more; then files are overwritten, set aside, folders removed and made, temporary
//!    files moved into place, folders synced. A file that is replaced or removed is kept under the temporary name: it is
//!    looked at once more there, so that what somebody wrote at the last instant is noticed and put back;
//! 4. the caller appends the event to the index: from here on the transaction has happened;
//! 5. what was set aside is removed, and `pending` goes to its place among the entries.
//!
//! An error in 1 to 4 rolls back at once, a crash at the next start, by the entry alone: what has the bytes of the new
//! side gets those of the old one. A file that has neither was changed by somebody since, and is left alone.

use std::collections::BTreeSet;
use std::io;

use serde::Deserialize;
use serde::Serialize;

use super::Error;
use super::fault;
use super::index::Version;
use super::pack::ImageRef;
use super::root_id::RootId;
use super::tree::Stamp;
use super::tree::State;
use super::tree::Tree;

/// What is to become of one file.
#[derive(Debug)]
pub(super) struct Target {
    /// Without links, relative to the root.
    pub(super) path: String,
    /// As it was looked at.
    pub(super) before: Option<(Vec<u8>, Stamp)>,
    pub(super) after: Option<Vec<u8>>,
    /// Mode bits of `after`; None for what the umask leaves.
    pub(super) mode: Option<u32>,
}

/// The manifest of an entry: enough to roll the transaction back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) id: String,
    /// The folder that all paths are relative to.
    #[serde(default)]
    pub(super) root: Option<RootId>,
    pub(super) operations: Vec<Operation>,
    /// Folders to make, outer ones first.
    pub(super) make: Vec<String>,
    /// Folders to remove if they are empty, inner ones first.
    pub(super) remove: Vec<String>,
}

/// Reads an image.
type Read<'r> = &'r dyn Fn(&ImageRef) -> io::Result<Vec<u8>>;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Operation {
    pub(super) path: String,
    pub(super) before: Option<Version>,
    pub(super) after: Option<ImageRef>,
    mode: Option<u32>,
    /// Where the new text waits, and then the old file until it is all over.
    temporary: String,
    /// The file's own bytes are replaced; its device and inode.
    in_place: Option<(u64, u64)>,
    /// User and group of `before`.
    owner: Option<(u32, u32)>,
}

impl Entry {
    /// Lays the steps out. `images` are the places of each target's bytes in the entry, before and after. `removable`
    /// are folders that go when the last file in them does.
    pub(super) fn new(
        tree: &Tree,
        id: String,
        targets: &[Target],
        images: impl Iterator<Item = (Option<ImageRef>, Option<ImageRef>)>,
        removable: &BTreeSet<String>,
    ) -> Result<Self, Error> {
        let remove = folders_to_remove(targets, removable);
        let mut make = BTreeSet::new();
        let mut operations = Vec::with_capacity(targets.len());
        for (nth, (target, (before, after))) in targets.iter().zip(images).enumerate() {
            let path = &target.path;
            let existing = tree.deepest_folder(path).map_err(writing(path))?;
            if after.is_some() {
                make.extend(
                    parents(path)
                        .take_while(|parent| parent.len() > existing.len())
                        .map(str::to_owned),
                );
            }
            // Not in a folder that goes: it would not be empty.
            let mut folders = std::iter::once(existing).chain(parents(existing));
            let folder = folders
                .find(|folder| !remove.iter().any(|gone| gone == folder))
                .unwrap_or_default();
            let stamp = target.before.as_ref().map(|(_, stamp)| *stamp);
            let in_place = match stamp {
                Some(stamp) if after.is_some() && tree.must_overwrite(path, stamp).map_err(writing(path))? => {
                    Some(stamp.file())
                }
                _ => None,
            };
            operations.push(Operation {
                path: path.clone(),
                before: before.zip(stamp).map(|(image, stamp)| Version {
                    image,
                    mode: stamp.mode,
                }),
                after,
                mode: target.mode,
                temporary: join(folder, &format!(".codriver-{id}-{nth}.tmp")),
                in_place,
                owner: stamp.map(|stamp| stamp.owner),
            });
        }
        Ok(Self {
            id,
            root: None,
            operations,
            make: make.into_iter().collect(),
            remove,
        })
    }

    /// Steps 2 and 3.
    pub(super) fn apply(&self, tree: &Tree, targets: &[Target]) -> Result<(), Error> {
        self.write_temporaries(tree, targets)?;
        for target in targets {
            target.check_untouched(tree, &self.remove)?;
        }
        let steps = || self.operations.iter().zip(targets);
        for (operation, target) in steps() {
            if let (Some(bytes), Some((_, stamp)), Some(_)) = (&target.after, &target.before, operation.in_place) {
                let done = fault::step("overwrite a file")
                    .and_then(|()| tree.overwrite(&operation.path, bytes, operation.mode, Some(*stamp)))
                    .map_err(writing(&operation.path))?;
                if !done {
                    return Err(target.changed());
                }
            }
        }
        for (operation, target) in steps().filter(|(operation, _)| operation.after.is_none()) {
            fault::step("set a file aside")
                .and_then(|()| tree.rename_new(&operation.path, &operation.temporary))
                .map_err(writing(&operation.path))?;
            target.check_set_aside(tree, &operation.temporary)?;
        }
        for folder in &self.remove {
            fault::step("remove a folder")
                .and_then(|()| tree.remove_empty_folder(folder))
                .map_err(writing(folder))?;
        }
        for folder in &self.make {
            fault::step("make a folder")
                .and_then(|()| tree.make_folder(folder))
                .map_err(writing(folder))?;
        }
        for (operation, target) in steps() {
            if operation.after.is_some() && operation.in_place.is_none() {
                operation.move_into_place(tree, target)?;
            }
        }
        self.sync_folders(tree)
    }

    fn write_temporaries(&self, tree: &Tree, targets: &[Target]) -> Result<(), Error> {
        let mut written = Vec::new();
        for (operation, target) in self.operations.iter().zip(targets) {
            if let (Some(bytes), None) = (&target.after, operation.in_place) {
                let (path, mode, owner) = (&operation.temporary, operation.mode, operation.owner);
                fault::step("write a temporary file")
                    .and_then(|()| tree.create(path, bytes, mode, owner))
                    .map_err(writing(&operation.path))?;
                written.push(path.as_str());
            }
        }
        fault::step("sync the temporary files")
            .and_then(|()| tree.sync_files(&written))
            .map_err(writing("."))
    }

    /// Step 5: what was set aside goes. What cannot be removed is an error, after everything else is gone; it stays for
    /// the next recovery.
    pub(super) fn clear(&self, tree: &Tree) -> Result<(), Error> {
        let mut result = Ok(());
        for operation in &self.operations {
            let removed = fault::step("remove what was set aside").and_then(|()| tree.remove(&operation.temporary));
            result = result.and(removed.map_err(writing(&operation.path)));
        }
        result
    }

    fn sync_folders(&self, tree: &Tree) -> Result<(), Error> {
        let mut folders: BTreeSet<&str> = BTreeSet::new();
        let touched = self
            .operations
            .iter()
            .flat_map(|operation| [&operation.path, &operation.temporary]);
        for path in touched.chain(&self.make).chain(&self.remove) {
            folders.insert(parent(path));
        }
        let folders: Vec<&str> = folders.into_iter().collect();
        fault::step("sync the folders")
            .and_then(|()| tree.sync_folders(&folders))
            .map_err(writing("."))
    }

    /// The new side as it stands now, with the mode bits that it got.
    pub(super) fn versions(&self, tree: &Tree) -> Result<Vec<Option<Version>>, Error> {
        let version = |operation: &Operation| {
            let Some(image) = &operation.after else { return Ok(None) };
            let stamp = tree.stamp(&operation.path).map_err(writing(&operation.path))?;
            let mode = stamp.map_or(0o644, |stamp| stamp.mode);
            Ok(Some(Version {
                image: image.clone(),
                mode,
            }))
        };
        self.operations.iter().map(version).collect()
    }

    /// Puts the old side back. `read` gives an image's bytes. Returns the paths whose bytes changed by that.
    pub(super) fn roll_back(&self, tree: &Tree, read: Read) -> Result<Vec<String>, Error> {
        let mut put_back = Vec::new();
        for operation in self.operations.iter().filter(|operation| operation.before.is_none()) {
            if operation.take_away(tree).map_err(rolling_back(&operation.path))? {
                put_back.push(operation.path.clone());
            }
        }
        for folder in self.make.iter().rev() {
            tree.remove_empty_folder(folder).map_err(rolling_back(folder))?;
        }
        for folder in self.remove.iter().rev() {
            tree.make_folder(folder).map_err(rolling_back(folder))?;
        }
        for operation in self.operations.iter().filter(|operation| operation.before.is_some()) {
            if operation.restore(tree, read).map_err(rolling_back(&operation.path))? {
                put_back.push(operation.path.clone());
            }
        }
        self.sync_folders(tree)?;
        Ok(put_back)
    }
}

impl Operation {
    fn move_into_place(&self, tree: &Tree, target: &Target) -> Result<(), Error> {
        fault::step("move a file into place").map_err(writing(&self.path))?;
        let Some((_, stamp)) = &target.before else {
            return tree
                .rename_new(&self.temporary, &self.path)
                .map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => target.changed(),
                    _ => writing(&self.path)(error),
                });
        };
        // Where files cannot be swapped this is the last look.
        let now = tree.stamp(&self.path).map_err(writing(&self.path))?;
        if !now.is_some_and(|now| stamp.same_content(&now)) {
            return Err(target.changed());
        }
        if tree.swap(&self.temporary, &self.path).map_err(writing(&self.path))? {
            target.check_set_aside(tree, &self.temporary)?;
        }
        Ok(())
    }

    /// Removes the file that the transaction made. True when it did.
    fn take_away(&self, tree: &Tree) -> io::Result<bool> {
        fault::step("take a new file away")?;
        tree.remove(&self.temporary)?;
        let Some(after) = &self.after else { return Ok(false) };
        let made = tree.state(&self.path)?.is(after);
        if made {
            tree.remove(&self.path)?;
        }
        Ok(made)
    }

    /// Puts the old file back where the new one is: the file itself if it was set aside, else its bytes. True when the
    /// bytes at the path changed by that.
    fn restore(&self, tree: &Tree, read: Read) -> io::Result<bool> {
        let Some(before) = &self.before else { return Ok(false) };
        // Of a recovery that was interrupted.
        let copy = format!("{}.old", self.temporary);
        tree.remove(&copy)?;
        let state = tree.state(&self.path)?;
        let ours = match &self.after {
            Some(after) => state.is(after) || self.is_torn(&state, before, after, read)?,
            None => state == State::Absent,
        };
        fault::step("put an old file back")?;
        if !ours || state.is(&before.image) {
            self.restore_mode(tree, &state, before, ours)?;
            tree.remove(&self.temporary)?;
            return Ok(false);
        }
        if self.is_set_aside(&tree.state(&self.temporary)?, before, read)? {
            tree.rename(&self.temporary, &self.path)?;
            return Ok(true);
        }
        tree.remove(&self.temporary)?;
        let old = read(&before.image)?;
        match &state {
            State::File { stamp, .. } if self.in_place == Some(stamp.file()) => {
                tree.overwrite(&self.path, &old, Some(before.mode), None)?;
            }
            _ => {
                tree.create(&copy, &old, Some(before.mode), self.owner)?;
                fault::step("sync an old file")?;
                tree.sync_files(&[&copy])?;
                tree.rename(&copy, &self.path)?;
            }
        }
        Ok(true)
    }

    /// The bytes may be the same on both sides, and only the mode another.
    fn restore_mode(&self, tree: &Tree, state: &State, before: &Version, ours: bool) -> io::Result<()> {
        match (state, self.mode) {
            (State::File { stamp, .. }, Some(mode)) if ours && stamp.mode == mode && mode != before.mode => {
                tree.chmod(&self.path, before.mode)
            }
            _ => Ok(()),
        }
    }

    /// Whether what is under the temporary name is the file that was set aside, or a later version of it that somebody
    /// saved at the last instant; else it is the new text, whole or cut.
    fn is_set_aside(&self, aside: &State, before: &Version, read: Read) -> io::Result<bool> {
        let State::File { bytes, .. } = aside else {
            return Ok(false);
        };
        let Some(after) = &self.after else { return Ok(true) };
        Ok(before.image.is(bytes) || !read(after)?.starts_with(bytes))
    }

    /// A mixture of old and new bytes, as an interrupted overwriting leaves it.
    fn is_torn(&self, state: &State, before: &Version, after: &ImageRef, read: Read) -> io::Result<bool> {
        match state {
            State::File { bytes, stamp } if self.in_place == Some(stamp.file()) => {
                Ok(is_mixture(bytes, &read(&before.image)?, &read(after)?))
            }
            _ => Ok(false),
        }
    }
}

impl Target {
    /// The file is still what it was when it was read, or as absent. A folder counts as absent when it is one of those
    /// that go (`removed`).
    fn check_untouched(&self, tree: &Tree, removed: &[String]) -> Result<(), Error> {
        let reading = |source| Error::Read {
            path: self.path.clone(),
            source,
        };
        let untouched = match &self.before {
            Some((_, stamp)) => {
                let now = tree.stamp(&self.path).map_err(reading)?;
                now.is_some_and(|now| stamp.same_content(&now))
            }
            None => match tree.state(&self.path).map_err(reading)? {
                State::Absent => true,
                State::Folder => removed.contains(&self.path),
                State::File { .. } | State::Other => false,
            },
        };
        if untouched { Ok(()) } else { Err(self.changed()) }
    }

    /// What was set aside is the file that was read: nobody came in between at the last instant.
    fn check_set_aside(&self, tree: &Tree, temporary: &str) -> Result<(), Error> {
        let aside = tree.stamp(temporary).map_err(writing(&self.path))?;
        match (&self.before, aside) {
            (Some((_, stamp)), Some(aside)) if stamp.same_content(&aside) => Ok(()),
            _ => Err(self.changed()),
        }
    }

    fn changed(&self) -> Error {
        Error::Changed {
            path: self.path.clone(),
        }
    }
}

impl State {
    pub(super) fn is(&self, image: &ImageRef) -> bool {
        matches!(self, Self::File { bytes, .. } if image.is(bytes))
    }
}

/// Folders of `removable` that lose a file and get none, inner ones first.
fn folders_to_remove(targets: &[Target], removable: &BTreeSet<String>) -> Vec<String> {
    let parents_of = |deleted: bool| {
        let targets = targets.iter().filter(move |target| target.after.is_none() == deleted);
        targets
            .flat_map(|target| parents(&target.path))
            .collect::<BTreeSet<_>>()
    };
    let staying = parents_of(false);
    let leaving = parents_of(true).into_iter().rev();
    leaving
        .filter(|folder| removable.contains(*folder) && !staying.contains(folder))
        .map(str::to_owned)
        .collect()
}

/// Whether each byte is that of `old` or of `new` at the same place, as an overwriting that was cut leaves it.
fn is_mixture(bytes: &[u8], old: &[u8], new: &[u8]) -> bool {
    let (short, long) = (old.len().min(new.len()), old.len().max(new.len()));
    (short..=long).contains(&bytes.len())
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| old.get(at) == Some(byte) || new.get(at) == Some(byte))
}

/// The folders above `path`, innermost first, without the root.
pub(super) fn parents(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.rsplit_once('/')?.0;
        Some(rest)
    })
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

pub(super) fn writing(path: &str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Write {
        path: path.to_owned(),
        source,
    }
}

fn rolling_back(path: &str) -> impl Fn(io::Error) -> Error {
    move |source| Error::RollBack {
        path: path.to_owned(),
        source,
    }
}
