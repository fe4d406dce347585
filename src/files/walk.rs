//! Undo and redo: a turn's files back to the other side, byte for byte, if nobody changed them since.

use super::Error;
use super::Root;
use super::changes::reading;
use super::index::Event;
use super::index::Turn;
use super::journal::Journal;
use super::journal::TurnInfo;
use super::journal::open_tree;
use super::root_id::RootId;
use super::transaction::Target;
use super::tree::State;
use super::tree::Tree;

/// What an undo or redo did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    pub turn: TurnInfo,
    /// Files whose bytes were put back.
    pub restored: Vec<String>,
    /// Files that changed since and were left alone (then nothing was restored at all).
    pub changed_since: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Undo,
    Redo,
}

impl Journal {
    /// Takes the newest turn that is not undone back. None when there is none.
    pub fn undo(&self, root: &Root) -> Result<Option<Walked>, Error> {
        self.walk(root, Direction::Undo)
    }

    /// Brings the turn that was undone last back. None when there is none.
    pub fn redo(&self, root: &Root) -> Result<Option<Walked>, Error> {
        self.walk(root, Direction::Redo)
    }

    fn walk(&self, root: &Root, direction: Direction) -> Result<Option<Walked>, Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        self.recover_locked(root, &mut index)?;
        let next = match direction {
            Direction::Undo => {
                let mut newest = index.turns.values().rev();
                newest.find(|turn| !turn.info.undone && turn.has_changes())
            }
            Direction::Redo => index.redo.last().and_then(|turn| index.turns.get(turn)),
        };
        let Some(turn) = next.cloned() else { return Ok(None) };
        let here = RootId::of(root)?;
        let what = match direction {
            Direction::Undo => "the newest turn",
            Direction::Redo => "the turn that was undone last",
        };
        here.check(turn.root.as_ref(), what, self.dir())?;
        let tree = open_tree(root)?;
        let (targets, changed_since) = self.targets_back(root, &tree, &turn, direction)?;
        let id = turn.info.id;
        let has_commits = !turn.info.commits.is_empty();
        if changed_since.is_empty() {
            self.transact(&tree, here, &mut index, &targets, &turn.folders, |entry, _| {
                let entry = entry.id.clone();
                let process = has_commits.then(std::process::id);
                match direction {
                    Direction::Undo => Event::Undo {
                        turn: id,
                        entry,
                        process,
                    },
                    Direction::Redo => Event::Redo {
                        turn: id,
                        entry,
                        process,
                    },
                }
            })?;
        }
        let restored = changed_since.is_empty();
        Ok(Some(Walked {
            turn: index.turns.get(&id).map_or(turn.info, |turn| turn.info.clone()),
            restored: targets
                .into_iter()
                .map(|target| target.path)
                .filter(|_| restored)
                .collect(),
            changed_since,
        }))
    }

    /// What brings a turn's files to the other side, and the files that are not what the turn left.
    fn targets_back(
        &self,
        root: &Root,
        tree: &Tree,
        turn: &Turn,
        direction: Direction,
    ) -> Result<(Vec<Target>, Vec<String>), Error> {
        let mut targets = Vec::new();
        let mut changed_since = Vec::new();
        for (path, (before, after)) in &turn.files {
            let (from, to) = match direction {
                Direction::Undo => (after, before),
                Direction::Redo => (before, after),
            };
            // A link in its way leads to another file.
            let is_real = root.real_name(path).is_ok_and(|name| name == *path);
            let state = tree.state(path).map_err(reading(path))?;
            let before = match (state, from) {
                (State::File { bytes, stamp }, Some(from)) if is_real && from.image.is(&bytes) => Some((bytes, stamp)),
                (State::Absent, None) if is_real => None,
                (State::Folder, None) if turn.folders.contains(path) => None,
                _ => {
                    changed_since.push(path.clone());
                    continue;
                }
            };
            let after = to
                .as_ref()
                .map(|to| self.read_image(&to.image))
                .transpose()
                .map_err(self.failed())?;
            // Mode bits that somebody else gave it since stay.
            let mode = match (&before, from, to) {
                (Some((_, stamp)), Some(from), Some(_)) if stamp.mode != from.mode => Some(stamp.mode),
                (_, _, to) => to.as_ref().map(|to| to.mode),
            };
            if before.is_some() || after.is_some() {
                targets.push(Target {
                    path: path.clone(),
                    before,
                    after,
                    mode,
                });
            }
        }
        Ok((targets, changed_since))
    }
}
