//! The journal's index: `turns.jsonl`, one event a line, only ever appended to (pruning writes it anew). A line counts
//! when it ends in a newline: what a crash cut is not there, and the next line takes its place.
//!
//! The file is read when something is asked for, then only what was appended since, by this process or another.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::HashMap;
use std::collections::HashSet;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Read;
use std::io::Seek;
use std::io::SeekFrom;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use serde::Deserialize;
use serde::Serialize;

use super::fault;
use super::journal::TurnId;
use super::journal::TurnInfo;
use super::pack::ImageRef;
use super::root_id::RootId;

/// Enough of the file to tell it from one that was written anew: its first line has the oldest turn's number and time.
const HEAD_BYTES: u64 = 64;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Event {
    Begin {
        turn: TurnId,
        label: String,
        time: i64,
    },
    /// A finished transaction. `folders` did not exist before it.
    Write {
        turn: TurnId,
        entry: String,
        files: Vec<FileChange>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        folders: Vec<String>,
        /// Where it was done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        root: Option<RootId>,
    },
    Commit {
        turn: TurnId,
        id: String,
    },
    /// `process` sees to the turn's commits; [`Event::CommitsFollowed`] says that it has.
    Undo {
        turn: TurnId,
        entry: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process: Option<u32>,
    },
    Redo {
        turn: TurnId,
        entry: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process: Option<u32>,
    },
    CommitsFollowed {
        turn: TurnId,
    },
    BeginCommit(BegunCommit),
    EndCommit {
        key: String,
    },
    /// What was undone before can no longer be redone.
    DropRedo,
}

/// A commit that `process` is about to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BegunCommit {
    pub(super) key: String,
    pub(super) turn: Option<TurnId>,
    pub(super) process: u32,
    /// Seconds since 1970.
    pub(super) time: i64,
    pub(super) intent: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileChange {
    pub(super) path: String,
    pub(super) before: Option<Version>,
    pub(super) after: Option<Version>,
}

/// A file's bytes and mode bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Version {
    pub(super) image: ImageRef,
    pub(super) mode: u32,
}

/// All that the index says about one turn.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) info: TurnInfo,
    /// Before the turn's first change of the file, and after its last.
    pub(super) files: BTreeMap<String, (Option<Version>, Option<Version>)>,
    /// Folders that the turn made.
    pub(super) folders: BTreeSet<String>,
    /// The folder that the paths are relative to, as its first change says.
    pub(super) root: Option<RootId>,
    /// The process that undid the turn or brought it again, until it has seen to the commits.
    pub(super) walked_by: Option<u32>,
}

impl Turn {
    /// The turn as events: what pruning keeps of it.
    fn events(&self) -> Vec<Event> {
        let info = &self.info;
        let turn = info.id;
        let mut events = vec![Event::Begin {
            turn,
            label: info.label.clone(),
            time: info.time,
        }];
        if !self.files.is_empty() {
            let change = |(path, (before, after)): (&String, &(Option<Version>, Option<Version>))| FileChange {
                path: path.clone(),
                before: before.clone(),
                after: after.clone(),
            };
            events.push(Event::Write {
                turn,
                entry: String::new(),
                files: self.files.iter().map(change).collect(),
                folders: self.folders.iter().cloned().collect(),
                root: self.root.clone(),
            });
        }
        events.extend(info.commits.iter().map(|id| Event::Commit { turn, id: id.clone() }));
        events
    }

    /// Whether any file is different after the turn.
    pub(super) fn has_changes(&self) -> bool {
        self.files.values().any(is_change)
    }

    /// All images that the turn refers to.
    pub(super) fn images(&self) -> impl Iterator<Item = &ImageRef> {
        self.files
            .values()
            .flat_map(|(before, after)| [before, after])
            .flatten()
            .map(|version| &version.image)
    }
}

fn is_change((before, after): &(Option<Version>, Option<Version>)) -> bool {
    let content = |version: &Option<Version>| {
        let version = version.as_ref()?;
        Some((version.image.hash().to_owned(), version.image.len(), version.mode))
    };
    content(before) != content(after)
}

/// Whether an appended event must be on the disk before anything else is done. One that need not is made durable by
/// the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    Now,
    Later,
}

pub(super) struct Index {
    path: PathBuf,
    /// The file's first bytes, which change with every rewriting, and up to where it was read.
    read: (Vec<u8>, u64),
    pub(super) turns: BTreeMap<TurnId, Turn>,
    /// Undone turns that can be redone, the next one last.
    pub(super) redo: Vec<TurnId>,
    pub(super) last_turn: TurnId,
    /// Commits that were begun and not ended.
    pub(super) begun: Vec<BegunCommit>,
    images: HashMap<String, ImageRef>,
    entries: HashSet<String>,
}

impl Index {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            read: (Vec::new(), 0),
            turns: BTreeMap::new(),
            redo: Vec::new(),
            last_turn: 0,
            begun: Vec::new(),
            images: HashMap::new(),
            entries: HashSet::new(),
        }
    }

    /// Takes in what was appended since the last look; everything when the file was written anew.
    pub(super) fn refresh(&mut self) -> io::Result<()> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *self = Self::new(std::mem::take(&mut self.path));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let mut head = Vec::new();
        (&file).take(HEAD_BYTES).read_to_end(&mut head)?;
        if !head.starts_with(&self.read.0) || metadata.len() < self.read.1 {
            *self = Self::new(std::mem::take(&mut self.path));
        }
        file.seek(SeekFrom::Start(self.read.1))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !line.ends_with(b"\n") {
                break;
            }
            self.read.1 += line.len() as u64;
            // A line that cannot be read is damage of the disk's; the others still tell.
            if let Ok(event) = serde_json::from_slice(line) {
                self.take(event);
            }
        }
        head.truncate(usize::try_from(self.read.1).unwrap_or(usize::MAX));
        self.read.0 = head;
        Ok(())
    }

    /// Appends one event: from then on it has happened. After an error it has not.
    pub(super) fn append(&mut self, event: Event, sync: Sync) -> io::Result<()> {
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&self.path)?;
        let written = write_at_end(&mut file, self.read.1, &line, sync);
        if written.is_err() {
            // Should this fail too, the torn line has no newline and counts for nothing.
            let _ = file.set_len(self.read.1);
            let _ = file.sync_data();
        }
        written?;
        self.read.1 += line.len() as u64;
        self.take(event);
        Ok(())
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Begin { turn, label, time } => {
                self.last_turn = self.last_turn.max(turn);
                let info = TurnInfo {
                    id: turn,
                    label,
                    time,
                    undone: false,
                    files: Vec::new(),
                    commits: Vec::new(),
                };
                self.turns.insert(
                    turn,
                    Turn {
                        info,
                        files: BTreeMap::new(),
                        folders: BTreeSet::new(),
                        root: None,
                        walked_by: None,
                    },
                );
            }
            Event::Write {
                turn,
                entry,
                files,
                folders,
                root,
            } => {
                self.entries.insert(entry);
                self.redo.clear();
                for version in files.iter().flat_map(|file| [&file.before, &file.after]).flatten() {
                    self.images
                        .entry(version.image.hash().to_owned())
                        .or_insert_with(|| version.image.clone());
                }
                let Some(turn) = self.turns.get_mut(&turn) else { return };
                turn.folders.extend(folders);
                turn.root = turn.root.take().or(root);
                for FileChange { path, before, after } in files {
                    turn.files.entry(path).or_insert((before, None)).1 = after;
                }
                let changed = turn.files.iter().filter(|(_, sides)| is_change(sides));
                turn.info.files = changed.map(|(path, _)| path.clone()).collect();
            }
            Event::Commit { turn, id } => {
                if let Some(turn) = self.turns.get_mut(&turn)
                    && !turn.info.commits.contains(&id)
                {
                    turn.info.commits.push(id);
                }
            }
            Event::DropRedo => self.redo.clear(),
            Event::Undo { turn, entry, process } => {
                self.entries.insert(entry);
                self.redo.push(turn);
                self.set_undone(turn, true, process);
            }
            Event::Redo { turn, entry, process } => {
                self.entries.insert(entry);
                self.redo.retain(|undone| *undone != turn);
                self.set_undone(turn, false, process);
            }
            Event::CommitsFollowed { turn } => {
                if let Some(turn) = self.turns.get_mut(&turn) {
                    turn.walked_by = None;
                }
            }
            Event::BeginCommit(begun) => self.begun.push(begun),
            Event::EndCommit { key } => self.begun.retain(|begun| begun.key != key),
        }
    }

    fn set_undone(&mut self, turn: TurnId, undone: bool, process: Option<u32>) {
        if let Some(turn) = self.turns.get_mut(&turn) {
            turn.info.undone = undone;
            turn.walked_by = process;
        }
    }

    /// Whether the transaction with this entry is finished.
    pub(super) fn has_entry(&self, entry: &str) -> bool {
        self.entries.contains(entry)
    }

    /// An image with this hash that is stored already.
    pub(super) fn image(&self, hash: &str) -> Option<&ImageRef> {
        self.images.get(hash)
    }

    /// Writes the file anew with the turns of `keep` only.
    pub(super) fn rewrite(&mut self, keep: &BTreeSet<TurnId>) -> io::Result<()> {
        let mut events: Vec<Event> = Vec::new();
        for turn in self.turns.values().filter(|turn| keep.contains(&turn.info.id)) {
            events.extend(turn.events());
        }
        let kept = |turn: &&TurnId| keep.contains(*turn);
        let walked_by = |turn: &TurnId| self.turns.get(turn).and_then(|turn| turn.walked_by);
        let undone = |turn: &TurnId| Event::Undo {
            turn: *turn,
            entry: String::new(),
            process: walked_by(turn),
        };
        let lost = self
            .turns
            .values()
            .filter(|turn| turn.info.undone && !self.redo.contains(&turn.info.id));
        events.extend(lost.map(|turn| &turn.info.id).filter(kept).map(undone));
        events.push(Event::DropRedo);
        events.extend(self.redo.iter().filter(kept).map(undone));
        let brought_again = self.turns.values().filter(|turn| !turn.info.undone);
        let waiting = brought_again.filter(|turn| keep.contains(&turn.info.id) && turn.walked_by.is_some());
        events.extend(waiting.map(|turn| Event::Redo {
            turn: turn.info.id,
            entry: String::new(),
            process: turn.walked_by,
        }));
        events.extend(self.begun.iter().cloned().map(Event::BeginCommit));
        self.replace(&events)
    }

    fn replace(&mut self, events: &[Event]) -> io::Result<()> {
        let mut text = Vec::new();
        for event in events {
            serde_json::to_writer(&mut text, event)?;
            text.push(b'\n');
        }
        let new = self.path.with_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(&text)?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)?;
        if let Some(folder) = self.path.parent() {
            sync_folder(folder)?;
        }
        self.refresh()
    }
}

fn write_at_end(file: &mut File, end: u64, line: &[u8], sync: Sync) -> io::Result<()> {
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    fault::step("append to the index")?;
    file.write_all(line)?;
    fault::step("sync the index")?;
    if sync == Sync::Now { file.sync_data() } else { Ok(()) }
}

/// Makes the names in one of the journal's own folders durable.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    super::tree::sync_handle(&File::open(folder)?)
}
