//! How much the journal keeps: the oldest turns go when there are too many or their images take too much room.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;

use super::index::Index;
use super::index::Turn;
use super::journal::ENTRY;
use super::journal::Journal;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retention {
    /// Beyond so many turns, or ...
    turns: usize,
    /// ... so many bytes of images, the oldest turns go, until three quarters of both are left.
    image_bytes: u64,
    /// The newest of this number stay whatever they take.
    at_least: usize,
}

pub(super) const RETENTION: Retention = Retention {
    turns: 1_000,
    image_bytes: 512 * 1024 * 1024,
    at_least: 50,
};

impl Journal {
    /// Drops the oldest turns when there are too many, or their images take too much room.
    pub(super) fn prune(&self, index: &mut Index, retention: Retention) -> io::Result<()> {
        let mut entries: BTreeMap<&str, u64> = BTreeMap::new();
        for image in index.turns.values().flat_map(Turn::images) {
            let end = entries.entry(image.entry()).or_default();
            *end = (*end).max(image.1 + image.len());
        }
        if index.turns.len() <= retention.turns && entries.values().sum::<u64>() <= retention.image_bytes {
            return Ok(());
        }
        let mut keep = BTreeSet::new();
        let mut counted: BTreeSet<&str> = BTreeSet::new();
        let mut n_bytes = 0;
        for (nth, (id, turn)) in index.turns.iter().rev().enumerate() {
            for image in turn.images() {
                if counted.insert(image.entry()) {
                    n_bytes += entries.get(image.entry()).copied().unwrap_or_default();
                }
            }
            let is_too_much = nth >= retention.turns / 4 * 3 || n_bytes > retention.image_bytes / 4 * 3;
            if nth >= retention.at_least && is_too_much {
                break;
            }
            keep.insert(*id);
        }
        let kept = index.turns.values().filter(|turn| keep.contains(&turn.info.id));
        let kept_entries: BTreeSet<String> = kept
            .flat_map(Turn::images)
            .map(|image| image.entry().to_owned())
            .collect();
        index.rewrite(&keep)?;
        for entry in std::fs::read_dir(self.dir())? {
            let path = entry?.path();
            let id = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            if path.extension() == Some(OsStr::new(ENTRY)) && !kept_entries.contains(id) {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Encoding;
    use super::super::Root;
    use super::super::journal::Change;
    use super::*;

    fn project() -> (tempfile::TempDir, Root, Journal) {
        let folder = tempfile::tempdir_in("/dev/shm")
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        std::fs::create_dir(folder.path().join("tree")).unwrap();
        let root = Root::new(&folder.path().join("tree")).unwrap();
        let journal = Journal::open(&folder.path().join("journal")).unwrap();
        (folder, root, journal)
    }

    /// A turn that brings `a` from the text of `nth` - 1 to that of `nth`.
    fn turn(root: &Root, journal: &Journal, nth: usize) {
        let text = |nth: usize| format!("{nth} {}", "x".repeat(1_000));
        let turn = journal.begin_turn(&nth.to_string()).unwrap();
        let change = Change {
            path: "a".into(),
            before: (nth > 0).then(|| text(nth - 1)),
            after: Some(text(nth)),
            encoding: Encoding::Utf8,
            mode_from: None,
        };
        journal.write(root, turn, &[change]).unwrap();
    }

    fn prune(journal: &Journal, retention: Retention) {
        let mut index = journal.index().unwrap();
        journal.prune(&mut index, retention).unwrap();
    }

    fn n_entries(journal: &Journal) -> usize {
        let files = std::fs::read_dir(journal.dir()).unwrap();
        files
            .filter(|file| file.as_ref().unwrap().path().extension() == Some(OsStr::new(ENTRY)))
            .count()
    }

    #[test]
    fn the_oldest_turns_go_and_the_rest_can_still_be_walked() {
        let (_folder, root, journal) = project();
        (0..40).for_each(|nth| turn(&root, &journal, nth));
        let other = Journal::open(journal.dir()).unwrap();
        assert_eq!(other.turns().unwrap().len(), 40);
        journal.undo(&root).unwrap().unwrap();
        journal.undo(&root).unwrap().unwrap();
        let few = Retention {
            turns: 20,
            image_bytes: u64::MAX,
            at_least: 5,
        };
        prune(&journal, few);
        assert_eq!(journal.turns().unwrap().len(), 15);
        assert_eq!(
            other.turns().unwrap(),
            journal.turns().unwrap(),
            "another process sees it"
        );
        assert!(n_entries(&journal) <= 16);
        for _ in 0..2 {
            other.redo(&root).unwrap().unwrap();
        }
        assert!(other.redo(&root).unwrap().is_none());
        for _ in 0..15 {
            assert_eq!(journal.undo(&root).unwrap().unwrap().changed_since, [""; 0]);
        }
        assert!(journal.undo(&root).unwrap().is_none());
        assert_eq!(
            std::fs::read_to_string(root.path().join("a"))
                .unwrap()
                .split(' ')
                .next(),
            Some("24")
        );
    }

    #[test]
    fn large_images_make_turns_go_but_never_the_newest() {
        let (_folder, root, journal) = project();
        (0..30).for_each(|nth| turn(&root, &journal, nth));
        let bytes = |image_bytes| Retention {
            turns: 1_000,
            image_bytes,
            at_least: 5,
        };
        prune(&journal, bytes(20_000));
        let left = journal.turns().unwrap().len();
        assert!((10..=15).contains(&left), "{left} turns");
        prune(&journal, bytes(1));
        assert_eq!(journal.turns().unwrap().len(), 5);
        let next = journal.begin_turn("next").unwrap();
        assert_eq!(next, 31, "numbers are not given twice");
    }

    #[test]
    fn what_was_undone_and_dropped_stays_so_when_turns_go() {
        let (_folder, root, journal) = project();
        (0..10).for_each(|nth| turn(&root, &journal, nth));
        journal.undo(&root).unwrap();
        turn(&root, &journal, 9);
        let few = Retention {
            turns: 8,
            image_bytes: u64::MAX,
            at_least: 2,
        };
        prune(&journal, few);
        let undone: Vec<bool> = journal.turns().unwrap().iter().map(|turn| turn.undone).collect();
        assert_eq!(undone, [false, false, false, false, true, false]);
        assert!(journal.redo(&root).unwrap().is_none());
    }

    #[test]
    fn the_same_bytes_are_stored_once() {
        let (_folder, root, journal) = project();
        (0..10).for_each(|nth| turn(&root, &journal, nth));
        let files = std::fs::read_dir(journal.dir()).unwrap();
        let entries = files.filter(|file| file.as_ref().unwrap().path().extension() == Some(OsStr::new(ENTRY)));
        let images: usize = entries
            .map(|entry| {
                let bytes = std::fs::read(entry.unwrap().path()).unwrap();
                bytes
                    .split(|byte| *byte != b'x')
                    .filter(|run| run.len() == 1_000)
                    .count()
            })
            .sum();
        assert_eq!(images, 10, "the text after one turn is the text before the next");
    }
}
