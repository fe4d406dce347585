//! Sessions: what was said, with which files, in which mode and at what cost, so that a chat can be taken up again after
//! a crash, a reboot, or the day after.
//!
//! One file a session, `<id>.jsonl`, one [`Event`] a line, only ever appended to. What was appended survives the end of
//! the process at any instant; a last line that was cut is skipped. Listing reads the first and the last few kilobytes
//! of each file; opening reads one file as a stream and keeps what the chat still needs of it.
//!
//! Oversized texts are cut when they are stored: a session is for going on with, not an archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::Deserialize;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::session_file::read;
use super::session_file::summary;
pub use super::session_log::Log;
use super::session_log::end_torn_line;
use super::session_log::lock;
use super::session_log::open_private;
use crate::chat::history::Turn;
use crate::chat::message::Message;

const EXTENSION: &str = "jsonl";

/// The sessions of one project.
#[derive(Debug, Clone)]
pub struct Sessions {
    dir: PathBuf,
}

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first line.
    Start {
        root: PathBuf,
        /// Seconds since 1970.
        time: i64,
        /// The session that this one went on from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<String>,
    },
    /// What the user asked and is not answered yet. None: it is answered, or given up.
    Pending { text: Option<String> },
    /// A turn that is done.
    Turn { turn: Turn },
    /// The conversation now is this (it was cleared, summarised, a turn was pinned ...).
    Turns { turns: Vec<Turn> },
    /// A message, in a file of an earlier version: it knows no turns. Only read.
    Message { message: Message },
    /// The conversation, in a file of an earlier version. Only read.
    History { messages: Vec<Message> },
    /// Everything else that is to come back, after every turn and every change of it.
    State { state: State },
}

/// What a session is, beside what was said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub chat_files: Vec<String>,
    pub read_only_files: Vec<String>,
    /// Files that are shown in part.
    pub parts: BTreeMap<String, Parts>,
    /// Name of the mode: `code`, `ask` ...
    pub mode: String,
    pub model: String,
    /// US dollars so far.
    pub cost: f64,
    pub n_turns: u64,
    /// Edits by the matcher that placed them; what fitted nowhere is `refused`.
    pub edits: BTreeMap<String, u64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// What is shown of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// As they are typed behind `FILE:`.
    pub parts: Vec<String>,
    /// Hash of the text that the line numbers are of.
    pub text: u64,
}

/// A session read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: String,
    pub root: PathBuf,
    /// Seconds since 1970.
    pub started: i64,
    pub forked_from: Option<String>,
    pub turns: Vec<Turn>,
    /// Old turns that were left out, because there is too much of them.
    pub n_left_out: usize,
    pub state: State,
    pub pending: Option<String>,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub id: String,
    /// First line of the first message.
    pub title: String,
    /// Seconds since 1970: last change.
    pub changed: i64,
    pub bytes: u64,
    pub root: PathBuf,
    pub state: State,
}

/// How much is kept: the oldest go when either is exceeded, but never the newest `at_least`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub sessions: usize,
    pub bytes: u64,
    pub at_least: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            sessions: 500,
            bytes: 1024 * 1024 * 1024,
            at_least: 20,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no session `{id}`")]
    NotFound { id: String },
    #[error("several sessions begin with `{id}`: {}", matches.join(", "))]
    Ambiguous { id: String, matches: Vec<String> },
    #[error("session `{id}` is open in another codriver")]
    InUse { id: String },
    #[error("session `{id}` belongs to `{root}`", root = root.display())]
    Elsewhere { id: String, root: PathBuf },
    #[error("failed to use the session store in `{path}`", path = path.display())]
    Store { path: PathBuf, source: io::Error },
}

impl Sessions {
    /// The sessions in `dir`; nothing is read or made yet.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// A new session, stored from its first event on.
    pub fn start(&self, root: &Path) -> Log {
        self.log(root, None)
    }

    fn log(&self, root: &Path, forked_from: Option<String>) -> Log {
        let time = seconds(SystemTime::now());
        let id = new_id(time);
        Log {
            path: self.path(&id),
            id,
            file: None,
            is_torn: false,
            start: Some(Event::Start {
                root: root.to_path_buf(),
                time,
                forked_from,
            }),
        }
    }

    /// All sessions, the one that changed last first. A file that cannot be read is left out.
    pub fn list(&self) -> Result<Vec<Summary>, Error> {
        let mut found: Vec<Summary> = self.files()?.iter().filter_map(|path| summary(path).ok()).collect();
        found.sort_by(|a, b| (b.changed, &b.id).cmp(&(a.changed, &a.id)));
        Ok(found)
    }

    /// Sessions of projects whose folder is gone and had the same name as `root`: it may have been moved here.
    /// [`Sessions::open`] takes their ids too.
    pub fn of_moved_project(&self, root: &Path) -> Result<Vec<Summary>, Error> {
        let mut found = Vec::new();
        for sessions in self.siblings() {
            let same_name = |summary: &Summary| summary.root.file_name() == root.file_name() && !summary.root.exists();
            found.extend(sessions.list()?.into_iter().filter(same_name));
        }
        found.sort_by(|a, b| (b.changed, &b.id).cmp(&(a.changed, &a.id)));
        Ok(found)
    }

    /// Opens a session to go on with it. `id` may be the beginning of an id; None is the session that changed last. A
    /// session of a project whose folder is gone is found as well, and goes on here as a fork.
    pub fn open(&self, id: Option<&str>, root: &Path) -> Result<(Log, Session), Error> {
        let path = match id {
            Some(id) => match self.find(id) {
                Err(Error::NotFound { .. }) => return self.open_moved(id, root),
                found => found?,
            },
            None => {
                let newest = self.list()?.into_iter().next();
                let newest = newest.ok_or_else(|| Error::NotFound { id: "last".into() })?;
                self.path(&newest.id)
            }
        };
        let id = id_of(&path);
        let mut file = open_private(&path).map_err(store_error(&path))?;
        lock(&file, &id)?;
        let session = read(&path)?;
        end_torn_line(&mut file).map_err(store_error(&path))?;
        let log = Log {
            id,
            path,
            file: Some(file),
            start: None,
            is_torn: false,
        };
        Ok((log, session))
    }

    /// A new session that begins as a copy of another.
    pub fn fork(&self, id: &str, root: &Path) -> Result<(Log, Session), Error> {
        self.fork_of(&self.find(id)?, root)
    }

    fn fork_of(&self, path: &Path, root: &Path) -> Result<(Log, Session), Error> {
        let mut from = read(path)?;
        if from.root != root {
            // Their numbers are those of another project's journal.
            from.turns.iter_mut().for_each(|turn| turn.id = None);
        }
        let mut log = self.log(root, Some(from.id.clone()));
        log.append(&Event::Turns {
            turns: from.turns.clone(),
        })?;
        log.append(&Event::State {
            state: from.state.clone(),
        })?;
        if from.pending.is_some() {
            log.append(&Event::Pending {
                text: from.pending.clone(),
            })?;
        }
        let session = Session {
            id: log.id.clone(),
            root: root.to_path_buf(),
            forked_from: Some(from.id.clone()),
            ..from
        };
        Ok((log, session))
    }

    fn open_moved(&self, id: &str, root: &Path) -> Result<(Log, Session), Error> {
        let found: Vec<PathBuf> = self
            .siblings()
            .iter()
            .filter_map(|sessions| sessions.find(id).ok())
            .collect();
        let [path] = &found[..] else {
            return Err(match found.len() {
                0 => Error::NotFound { id: id.to_owned() },
                _ => Error::Ambiguous {
                    id: id.to_owned(),
                    matches: found.iter().map(|path| id_of(path)).collect(),
                },
            });
        };
        let summary = summary(path).map_err(store_error(path))?;
        if summary.root.exists() && summary.root != root {
            return Err(Error::Elsewhere {
                id: summary.id,
                root: summary.root,
            });
        }
        self.fork_of(path, root)
    }

    /// Removes the oldest sessions beyond the limits; one that is open stays. Returns how many went.
    pub fn prune(&self, retention: Retention) -> Result<usize, Error> {
        let mut n_bytes = 0;
        let mut n_removed = 0;
        for (nth, session) in self.list()?.iter().enumerate() {
            n_bytes += session.bytes;
            if nth < retention.at_least || (nth < retention.sessions && n_bytes <= retention.bytes) {
                continue;
            }
            let path = self.path(&session.id);
            let free = File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
            if free {
                std::fs::remove_file(&path).map_err(store_error(&path))?;
                n_removed += 1;
            }
        }
        Ok(n_removed)
    }

    fn find(&self, id: &str) -> Result<PathBuf, Error> {
        let exact = self.path(id);
        if !id.contains('/') && exact.is_file() {
            return Ok(exact);
        }
        let mut matches: Vec<PathBuf> = self.files()?;
        matches.retain(|path| id_of(path).starts_with(id));
        match &matches[..] {
            [one] => Ok(one.clone()),
            [] => Err(Error::NotFound { id: id.to_owned() }),
            _ => Err(Error::Ambiguous {
                id: id.to_owned(),
                matches: matches.iter().map(|path| id_of(path)).collect(),
            }),
        }
    }

    /// The session files, sorted.
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(store_error(&self.dir)(error)),
        };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
            .collect();
        paths.sort();
        Ok(paths)
    }

    /// The stores of the other projects: `<projects>/<project>/<name of this folder>`.
    fn siblings(&self) -> Vec<Self> {
        let Some((project, name)) = self.dir.parent().zip(self.dir.file_name()) else {
            return Vec::new();
        };
        let Some(projects) = project.parent() else {
            return Vec::new();
        };
        let mut folders: Vec<PathBuf> = std::fs::read_dir(projects)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|folder| folder != project)
            .map(|folder| folder.join(name))
            .filter(|folder| folder.is_dir())
            .collect();
        folders.sort();
        folders.into_iter().map(Self::new).collect()
    }

    fn path(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.{EXTENSION}"))
    }
}

pub(super) fn id_of(path: &Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Sorts by time, can be typed, and is not given twice.
fn new_id(time: i64) -> String {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let seed = format!("{} {}", std::process::id(), now.as_nanos());
    let day = jiff::Timestamp::from_second(time)
        .unwrap_or_default()
        .strftime("%Y%m%d-%H%M%S");
    format!("{day}-{:04x}", xxh3_64(seed.as_bytes()) & 0xFFFF)
}

pub(super) fn seconds(time: SystemTime) -> i64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs().cast_signed())
}

pub(super) fn store_error(path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| Error::Store {
        path: path.to_path_buf(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Store {
        folder: tempfile::TempDir,
    }

    impl Store {
        fn new() -> Self {
            Self {
                folder: tempfile::tempdir().unwrap(),
            }
        }

        fn sessions(&self, project: &str) -> Sessions {
            Sessions::new(self.folder.path().join(project).join("sessions"))
        }
    }

    fn turn(text: &str) -> Turn {
        Turn::new(vec![Message::user(text), Message::assistant("yes")])
    }

    fn said(text: &str) -> Event {
        Event::Turn { turn: turn(text) }
    }

    fn state(n_turns: u64) -> State {
        State {
            chat_files: vec!["src/été.rs".into()],
            mode: "code".into(),
            cost: 0.25,
            n_turns,
            edits: BTreeMap::from([("exact".to_owned(), n_turns)]),
            ..State::default()
        }
    }

    #[test]
    fn a_session_comes_back_as_it_was() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        let mut log = sessions.start(root);
        log.append(&said("first\nquestion")).unwrap();
        log.append(&Event::State { state: state(1) }).unwrap();
        log.append(&Event::Pending {
            text: Some("second".into()),
        })
        .unwrap();
        let id = log.id().to_owned();
        drop(log);

        let (_log, session) = sessions.open(None, root).unwrap();
        assert_eq!(session.id, id);
        assert_eq!(session.root, root);
        assert_eq!(session.turns, [turn("first\nquestion")]);
        assert_eq!(session.state, state(1));
        assert_eq!(session.pending.as_deref(), Some("second"));
        let list = sessions.list().unwrap();
        assert_eq!((list[0].title.as_str(), &list[0].state), ("first", &state(1)));
    }

    #[test]
    fn a_session_in_which_nothing_happened_leaves_no_file() {
        let store = Store::new();
        drop(store.sessions("p").start(Path::new("/p")));
        assert!(store.sessions("p").list().unwrap().is_empty());
        assert!(matches!(
            store.sessions("p").open(None, Path::new("/p")),
            Err(Error::NotFound { .. })
        ));
    }

    #[test]
    fn a_torn_last_line_is_passed_over_and_the_next_event_is_not_lost() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        let mut log = sessions.start(root);
        log.append(&said("one")).unwrap();
        log.append(&said("two")).unwrap();
        let path = log.path.clone();
        drop(log);
        let whole = std::fs::read(&path).unwrap();
        let second = whole.windows(3).position(|window| window == b"two").unwrap();
        for cut in second..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut log, session) = sessions.open(None, root).unwrap();
            let n_whole = session.turns.len();
            assert!(n_whole == 1 || cut == whole.len() - 1, "cut at {cut}");
            log.append(&said("three")).unwrap();
            drop(log);
            let (_log, session) = sessions.open(None, root).unwrap();
            assert_eq!(session.turns.last(), Some(&turn("three")), "cut at {cut}");
            assert_eq!(session.turns.len(), n_whole + 1, "cut at {cut}");
        }
    }

    #[test]
    fn a_session_is_open_once_and_a_fork_is_its_own() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        let mut log = sessions.start(root);
        log.append(&said("one")).unwrap();
        let id = log.id().to_owned();
        assert!(matches!(sessions.open(Some(&id), root), Err(Error::InUse { .. })));
        let (mut fork, session) = sessions.fork(&id, root).unwrap();
        assert_eq!(session.forked_from.as_deref(), Some(id.as_str()));
        fork.append(&said("in the fork")).unwrap();
        log.append(&said("in the first")).unwrap();
        let fork_id = fork.id().to_owned();
        drop((log, fork));
        let texts = |id: &str| {
            let turns = sessions.open(Some(id), root).unwrap().1.turns;
            turns.iter().map(Turn::title).collect::<Vec<_>>()
        };
        assert_eq!(texts(&id), ["one", "in the first"]);
        assert_eq!(texts(&fork_id), ["one", "in the fork"]);
    }

    #[test]
    fn history_starts_anew_when_it_is_cleared_or_summarised() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        let mut log = sessions.start(root);
        log.append(&said("old")).unwrap();
        let summary = Turn {
            summary: true,
            ..Turn::new(vec![Message::user("Summary:\n\nold")])
        };
        let pinned = Turn {
            id: Some(7),
            pinned: true,
            ..turn("pinned")
        };
        log.append(&Event::Turns {
            turns: vec![summary.clone(), pinned.clone()],
        })
        .unwrap();
        log.append(&said("new")).unwrap();
        drop(log);
        let (_log, session) = sessions.open(None, root).unwrap();
        assert_eq!(session.turns, [summary, pinned, turn("new")]);
    }

    #[test]
    fn a_file_of_an_earlier_version_is_read_as_turns() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        let mut log = sessions.start(root);
        log.append(&Event::History {
            messages: vec![Message::user("one"), Message::assistant("yes")],
        })
        .unwrap();
        for message in turn("two").messages {
            log.append(&Event::Message { message }).unwrap();
        }
        drop(log);
        let (mut log, session) = sessions.open(None, root).unwrap();
        assert_eq!(session.turns, [turn("one"), turn("two")]);
        log.append(&said("three")).unwrap();
        drop(log);
        let (_log, session) = sessions.open(None, root).unwrap();
        assert_eq!(session.turns, [turn("one"), turn("two"), turn("three")]);
    }

    #[test]
    fn an_id_may_be_shortened_while_it_is_unique() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        std::fs::create_dir_all(&sessions.dir).unwrap();
        for id in ["20260101-aa", "20260101-ab", "20260202-cc"] {
            let line = serde_json::to_string(&said(id)).unwrap();
            std::fs::write(sessions.path(id), line + "\n").unwrap();
        }
        assert_eq!(sessions.open(Some("202602"), root).unwrap().1.id, "20260202-cc");
        assert!(matches!(
            sessions.open(Some("202601"), root),
            Err(Error::Ambiguous { matches, .. }) if matches.len() == 2
        ));
        for id in ["1999", "../p", "/etc/passwd"] {
            assert!(
                matches!(sessions.open(Some(id), root), Err(Error::NotFound { .. })),
                "{id}"
            );
        }
    }

    #[test]
    fn the_sessions_of_a_moved_project_are_found() {
        let store = Store::new();
        let old = store.folder.path().join("code/site");
        let new = store.folder.path().join("elsewhere/site");
        std::fs::create_dir_all(&old).unwrap();
        let mut log = store.sessions("state/old").start(&old);
        let numbered = Turn {
            id: Some(1),
            ..turn("one")
        };
        log.append(&Event::Turn { turn: numbered }).unwrap();
        let id = log.id().to_owned();
        drop(log);
        let here = store.sessions("state/new");
        std::fs::create_dir_all(store.folder.path().join("state/new")).unwrap();
        assert!(here.of_moved_project(&new).unwrap().is_empty());
        assert!(matches!(here.open(Some(&id), &new), Err(Error::Elsewhere { .. })));
        std::fs::remove_dir(&old).unwrap();
        assert_eq!(here.of_moved_project(&new).unwrap()[0].id, id);
        let (log, session) = here.open(Some(&id), &new).unwrap();
        assert_eq!(session.turns, [turn("one")], "without the number of another journal");
        assert_eq!(session.root, new);
        assert_ne!(log.id(), id);
    }

    #[test]
    fn the_oldest_sessions_go_but_never_the_newest_or_an_open_one() {
        let store = Store::new();
        let sessions = store.sessions("p");
        let root = Path::new("/p");
        let mut open = sessions.start(root);
        open.append(&said("open")).unwrap();
        for nth in 0..10 {
            let line = serde_json::to_string(&said("x")).unwrap();
            let path = sessions.path(&format!("s{nth}"));
            std::fs::write(&path, line + "\n").unwrap();
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + nth);
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        let time = SystemTime::UNIX_EPOCH;
        open.file.as_ref().unwrap().set_modified(time).unwrap();
        let retention = Retention {
            sessions: 5,
            bytes: 1,
            at_least: 3,
        };
        assert_eq!(sessions.prune(retention).unwrap(), 7);
        let mut left: Vec<String> = sessions.list().unwrap().into_iter().map(|summary| summary.id).collect();
        left.sort();
        let mut expected = vec![open.id().to_owned(), "s7".into(), "s8".into(), "s9".into()];
        expected.sort();
        assert_eq!(left, expected);
    }
}
