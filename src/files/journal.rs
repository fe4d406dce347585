//! The journal: one entry a turn, with the bytes of every file before and after. Writing an entry is a transaction:
//! images first, then the intent, then temporary files renamed into place, then the mark that it is done; whatever is
//! found half done at the next start is rolled back.
//!
//! ```text
//! turns.jsonl     the index: what every turn did (`index.rs`)
//! <id>.entry      the images that a transaction brought (`pack.rs`); what an older entry has is not stored again
//! pending         the entry of the transaction that is under way (`transaction.rs`)
//! lock            held while one is: several processes may work on one project
//! ```
//!
//! Files are known by their real names ([`Root::real_name`]): a change made through a link is listed under its target.
//! Turns and the pending entry say which folder they were done in; in another one they are not undone, brought back or
//! recovered ([`Error::OtherRoot`]).

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::fs::File;
use std::fs::TryLockError;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::Encoding;
use super::Error;
use super::Root;
use super::changes::Drifted;
use super::changes::drifted;
use super::changes::reading;
use super::changes::targets_of;
pub use super::commits::Begun;
use super::fault;
use super::index::Event;
use super::index::FileChange;
use super::index::Index;
use super::index::Sync;
use super::index::Turn;
use super::index::Version;
use super::index::sync_folder;
use super::pack;
use super::pack::ImageRef;
use super::retention::RETENTION;
use super::root_id::RootId;
use super::transaction::Entry;
use super::transaction::Target;
use super::tree::Tree;
pub use super::walk::Walked;

/// How long another process's transaction is waited for. They take milliseconds; longer means that it hangs.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Extension of entry files.
pub(super) const ENTRY: &str = "entry";

/// Name of the entry of the transaction that is under way.
const PENDING: &str = "pending";

pub struct Journal {
    dir: PathBuf,
    index: Mutex<Index>,
}

/// What one transaction does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the root, with `/`.
    pub path: String,
    /// The text that the change was computed from; None when the file did not exist. If the file on disk differs from
    /// it, nothing at all is written and the error is [`Error::Changed`].
    pub before: Option<String>,
    /// None deletes the file.
    pub after: Option<String>,
    /// Encoding for a new file; an existing file keeps its own.
    pub encoding: Encoding,
    /// The file keeps the mode bits of this path (the old name of a moved file).
    pub mode_from: Option<String>,
}

pub type TurnId = u64;

/// One turn as the journal knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInfo {
    pub id: TurnId,
    /// First line of the user's message.
    pub label: String,
    /// Seconds since 1970.
    pub time: i64,
    pub undone: bool,
    pub files: Vec<String>,
    /// Ids of the commits made in the turn, oldest first.
    pub commits: Vec<String>,
}

impl Journal {
    /// Opens (and creates) the journal in `dir`, a folder outside the project. Nothing is read yet.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        // Others have no business in it: it holds the user's texts.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(|source| Error::Journal {
                dir: dir.to_path_buf(),
                source,
            })?;
        Ok(Self {
            dir: dir.to_path_buf(),
            index: Mutex::new(Index::new(dir.join("turns.jsonl"))),
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the journal in `dir`, which need not exist, has a transaction that is under way or was interrupted. The
    /// project's files may then be half of before and half of after.
    pub fn is_pending(dir: &Path) -> bool {
        dir.join(PENDING).exists()
    }

    /// Rolls back what a crash left half done. Returns the paths that were put back.
    pub fn recover(&self, root: &Root) -> Result<Vec<String>, Error> {
        if !self.pending().exists() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        let mut index = self.index()?;
        self.recover_locked(root, &mut index)
    }

    /// Starts a turn. A turn that writes nothing is listed nowhere.
    pub fn begin_turn(&self, label: &str) -> Result<TurnId, Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        // It can wait for better times, such as a disk with room.
        let _ = self.prune(&mut index, RETENTION);
        let turn = index.last_turn + 1;
        let label = label.trim().lines().next().unwrap_or_default().to_owned();
        let time = now();
        index
            .append(Event::Begin { turn, label, time }, Sync::Later)
            .map_err(self.failed())?;
        Ok(turn)
    }

    /// Writes all changes or none, as part of the turn.
    pub fn write(&self, root: &Root, turn: TurnId, changes: &[Change]) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        self.recover_locked(root, &mut index)?;
        let open = self.open_turn(&index, turn)?;
        let here = RootId::of(root)?;
        here.check(open.root.as_ref(), "the turn", &self.dir)?;
        let removable = open.folders.clone();
        let tree = open_tree(root)?;
        let targets = targets_of(root, &tree, changes)?;
        let event = |entry: &Entry, files| Event::Write {
            turn,
            entry: entry.id.clone(),
            files,
            folders: entry.make.clone(),
            root: entry.root.clone(),
        };
        self.transact(&tree, here, &mut index, &targets, &removable, event)
            .map_err(|error| by_given_name(root, changes, error))
    }

    /// Looks at the turn's files again after a command ran (a formatter, a hook) and takes what it did to them into the
    /// turn. Returns the paths that had changed.
    pub fn absorb(&self, root: &Root, turn: TurnId) -> Result<Vec<String>, Error> {
        let _lock = self.lock()?;
        let mut index = self.index()?;
        self.recover_locked(root, &mut index)?;
        let open = self.open_turn(&index, turn)?;
        let here = RootId::of(root)?;
        here.check(open.root.as_ref(), "the turn", &self.dir)?;
        let drifted = drifted(&open_tree(root)?, open)?;
        if drifted.is_empty() {
            return Ok(Vec::new());
        }
        let id = new_id();
        let bytes: Vec<Option<&[u8]>> = drifted.iter().map(|file| file.bytes.as_deref()).collect();
        let (images, new) = self.place_images(&index, &id, &bytes);
        if !new.is_empty() {
            // The images must be where the index says before it says so.
            pack::write(&self.entry(&id), &new, b"{}")
                .and_then(|()| sync_folder(&self.dir))
                .map_err(self.failed())?;
        }
        let change = |(file, image): (&Drifted, Option<ImageRef>)| FileChange {
            path: file.path.clone(),
            before: file.before.clone(),
            after: image.map(|image| Version { image, mode: file.mode }),
        };
        let event = Event::Write {
            turn,
            entry: id,
            files: drifted.iter().zip(images).map(change).collect(),
            folders: Vec::new(),
            root: Some(here),
        };
        index.append(event, Sync::Now).map_err(self.failed())?;
        Ok(drifted.into_iter().map(|file| file.path).collect())
    }

    /// All turns that changed something, oldest first.
    pub fn turns(&self) -> Result<Vec<TurnInfo>, Error> {
        let index = self.index()?;
        let changed = index.turns.values().filter(|turn| turn.has_changes());
        Ok(changed.map(|turn| turn.info.clone()).collect())
    }

    /// Before and after bytes of each file of a turn (None: absent), by path; also of one that is undone.
    pub fn images(&self, turn: TurnId) -> Result<Vec<Image>, Error> {
        let index = self.index()?;
        let bytes = |version: &Option<Version>| {
            let read = |version: &Version| self.read_image(&version.image);
            version.as_ref().map(read).transpose()
        };
        let image = |(path, (before, after)): (&String, &(Option<Version>, Option<Version>))| {
            Ok(Image {
                path: path.clone(),
                before: bytes(before)?,
                after: bytes(after)?,
            })
        };
        let turn = self.turn(&index, turn)?;
        turn.files
            .iter()
            .map(image)
            .collect::<io::Result<_>>()
            .map_err(self.failed())
    }

    /// Carries out one transaction; `event` makes it part of the index.
    pub(super) fn transact(
        &self,
        tree: &Tree,
        here: RootId,
        index: &mut Index,
        targets: &[Target],
        removable: &BTreeSet<String>,
        event: impl FnOnce(&Entry, Vec<FileChange>) -> Event,
    ) -> Result<(), Error> {
        if targets.is_empty() {
            return Ok(());
        }
        let id = new_id();
        let bytes: Vec<Option<&[u8]>> = targets
            .iter()
            .flat_map(|target| {
                [
                    target.before.as_ref().map(|(bytes, _)| bytes.as_slice()),
                    target.after.as_deref(),
                ]
            })
            .collect();
        let (images, new) = self.place_images(index, &id, &bytes);
        let sides = images
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[before, after]| (before.clone(), after.clone()));
        let mut entry = Entry::new(tree, id, targets, sides, removable)?;
        entry.root = Some(here);
        let manifest = serde_json::to_vec(&entry).map_err(|error| self.failed()(error.into()))?;
        if let Err(source) = self.write_pending(&new, &manifest) {
            let _ = std::fs::remove_file(self.pending());
            return Err(self.failed()(source));
        }
        let done = entry.apply(tree, targets).and_then(|()| {
            let versions = entry.versions(tree)?;
            let change = |(operation, after): (&super::transaction::Operation, Option<Version>)| FileChange {
                path: operation.path.clone(),
                before: operation.before.clone(),
                after,
            };
            let files = entry.operations.iter().zip(versions).map(change).collect();
            index.append(event(&entry, files), Sync::Now).map_err(self.failed())
        });
        if let Err(error) = done {
            self.roll_back(tree, &entry)?;
            return Err(error);
        }
        // It has happened. Should this fail, the next transaction sees to it.
        if entry.clear(tree).is_ok() {
            let _ = self.file_pending(&entry.id);
        }
        Ok(())
    }

    fn roll_back(&self, tree: &Tree, entry: &Entry) -> Result<Vec<String>, Error> {
        let put_back = entry.roll_back(tree, &|image| self.read_image(image))?;
        std::fs::remove_file(self.pending())
            .and_then(|()| sync_folder(&self.dir))
            .map_err(self.failed())?;
        Ok(put_back)
    }

    /// Ends what a crash interrupted: a transaction that has happened is cleaned up after, any other rolled back.
    pub(super) fn recover_locked(&self, root: &Root, index: &mut Index) -> Result<Vec<String>, Error> {
        let manifest = match pack::read_manifest(&self.pending()) {
            Ok(Some(manifest)) => manifest,
            // It was cut, so nothing that it would describe has begun.
            Ok(None) => {
                std::fs::remove_file(self.pending()).map_err(self.failed())?;
                return Ok(Vec::new());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed()(error)),
        };
        let entry: Entry = serde_json::from_slice(&manifest).map_err(|error| self.failed()(error.into()))?;
        RootId::of(root)?.check(
            entry.root.as_ref(),
            "an interrupted write (its file `pending` can be removed to give it up)",
            &self.dir,
        )?;
        let tree = open_tree(root)?;
        if index.has_entry(&entry.id) {
            entry.clear(&tree)?;
            self.file_pending(&entry.id).map_err(self.failed())?;
            return Ok(Vec::new());
        }
        self.roll_back(&tree, &entry)
    }

    fn write_pending(&self, images: &[&[u8]], manifest: &[u8]) -> io::Result<()> {
        fault::step("write the entry")?;
        pack::write(&self.pending(), images, manifest)?;
        fault::step("sync the journal")?;
        sync_folder(&self.dir)
    }

    /// Moves the pending entry to its place. The next transaction makes that durable, before anything relies on it.
    fn file_pending(&self, id: &str) -> io::Result<()> {
        fault::step("file the entry")?;
        std::fs::rename(self.pending(), self.entry(id))
    }

    /// A place for each of the bytes: one where they are stored already, or one in the new entry. Also those that are
    /// new, in their order there.
    fn place_images<'b>(
        &self,
        index: &Index,
        id: &str,
        bytes: &[Option<&'b [u8]>],
    ) -> (Vec<Option<ImageRef>>, Vec<&'b [u8]>) {
        let mut end = 0;
        let mut new: Vec<&[u8]> = Vec::new();
        let mut placed: HashMap<String, (ImageRef, &[u8])> = HashMap::new();
        let mut place = |bytes: &'b [u8]| {
            let hash = pack::hash(bytes);
            if let Some(stored) = index.image(&hash)
                && self.read_image(stored).is_ok_and(|stored| stored == bytes)
            {
                return stored.clone();
            }
            if let Some((image, same)) = placed.get(&hash)
                && *same == bytes
            {
                return image.clone();
            }
            let image = ImageRef(id.to_owned(), end, bytes.len() as u64, hash.clone());
            end += bytes.len() as u64;
            new.push(bytes);
            placed.insert(hash, (image.clone(), bytes));
            image
        };
        let images = bytes.iter().map(|bytes| bytes.map(&mut place)).collect();
        (images, new)
    }

    pub(super) fn turn<'i>(&self, index: &'i Index, turn: TurnId) -> Result<&'i Turn, Error> {
        index.turns.get(&turn).ok_or_else(|| {
            let message = format!("it has no turn {turn}");
            self.failed()(io::Error::new(io::ErrorKind::NotFound, message))
        })
    }

    /// A turn that may take changes.
    fn open_turn<'i>(&self, index: &'i Index, turn: TurnId) -> Result<&'i Turn, Error> {
        let found = self.turn(index, turn)?;
        if found.info.undone {
            let message = format!("turn {turn} is undone");
            return Err(self.failed()(io::Error::new(io::ErrorKind::InvalidInput, message)));
        }
        Ok(found)
    }

    /// The index as it is now.
    pub(super) fn index(&self) -> Result<MutexGuard<'_, Index>, Error> {
        // A panic elsewhere leaves an index that says what was appended so far, and that is read again anyway.
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh().map_err(self.failed())?;
        Ok(index)
    }

    /// Held until dropped, against other processes and other journals on the same folder.
    pub(super) fn lock(&self) -> Result<File, Error> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.dir.join("lock"))
            .map_err(self.failed())?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_WAIT => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    let message = "another codriver holds it for too long";
                    return Err(self.failed()(io::Error::new(io::ErrorKind::TimedOut, message)));
                }
                // A file system without locks: then nothing can be promised between processes.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(self.failed()(error)),
            }
        }
    }

    /// The bytes of an image. Those of a transaction that was not cleaned up after are still in the pending entry; the
    /// image's hash tells.
    pub(super) fn read_image(&self, image: &ImageRef) -> io::Result<Vec<u8>> {
        match pack::read_image(&self.entry(image.entry()), image) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                pack::read_image(&self.pending(), image).map_err(|_| error)
            }
            result => result,
        }
    }

    fn pending(&self) -> PathBuf {
        self.dir.join(PENDING)
    }

    fn entry(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.{ENTRY}"))
    }

    pub(super) fn failed(&self) -> impl Fn(io::Error) -> Error + use<> {
        let dir = self.dir.clone();
        move |source| Error::Journal {
            dir: dir.clone(),
            source,
        }
    }
}

/// A file of a turn, before its first and after its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub path: String,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

pub(super) fn open_tree(root: &Root) -> Result<Tree, Error> {
    Tree::open(root.path()).map_err(reading(&root.path().display().to_string()))
}

/// The error under the name that the caller has for the file, which a link may lead to.
fn by_given_name(root: &Root, changes: &[Change], error: Error) -> Error {
    error.renamed(|path| {
        let mut given = changes.iter().map(|change| &change.path);
        given
            .find(|name| root.real_name(name).is_ok_and(|real| real == path))
            .cloned()
    })
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs().cast_signed())
}

/// A name that no entry had before, on this machine.
pub(super) fn new_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let seed = format!("{} {} {count}", std::process::id(), now.as_nanos());
    format!("{:016x}", xxh3_64(seed.as_bytes()))
}
