//! The repository map of a project: lists its files, keeps what their contents tell, and renders a map for a request. What did
//! not change is neither read nor parsed again: within the process it is kept in memory, between processes in a
//! snapshot of the project, across projects in the tag cache.

mod jobs;
mod listing;
mod past;
mod reading;
mod state;

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::repo_map::MapText;
use state::State;

/// How often a wait looks whether it was cancelled.
const POLL: Duration = Duration::from_millis(20);
/// How often a watcher is told how far a scan is; a map that is there sooner shows no progress.
const TELL: Duration = Duration::from_millis(250);

/// Where the map comes from.
#[derive(Debug, Clone)]
pub struct MapSource {
    /// Root of the project.
    pub root: PathBuf,
    /// Folder of the tag cache, shared by all projects; None keeps tags in memory only.
    pub cache_dir: Option<PathBuf>,
    /// Only files below this folder (relative to the root) when not empty.
    pub subtree: String,
}

/// What a map is wanted for. Paths are relative to the root, with `/`.
#[derive(Debug, Clone, Default)]
pub struct MapRequest {
    /// Files whose text the model has anyway: they steer the ranking and are not shown.
    pub chat_files: Vec<String>,
    /// The user's words.
    pub message: String,
    /// Ceiling in tokens.
    pub tokens: usize,
}

/// A file that the map leaves out or names only, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

/// How far a scan is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: usize,
    pub total: usize,
}

pub struct MapService {
    shared: Arc<Shared>,
}

/// What the service and its background thread share.
struct Shared {
    source: MapSource,
    /// None while a thread has taken it to work on.
    state: Mutex<Option<State>>,
    returned: Condvar,
    progress: Mutex<Progress>,
}

impl Shared {
    /// Ends the work of a thread on the state.
    fn give_back(&self, state: State) {
        *lock(&self.progress) = Progress::default();
        *lock(&self.state) = Some(state);
        self.returned.notify_all();
    }
}

impl MapService {
    pub fn new(source: MapSource) -> Self {
        let state = State::new(&source);
        Self {
            shared: Arc::new(Shared {
                source,
                state: Mutex::new(Some(state)),
                returned: Condvar::new(),
                progress: Mutex::default(),
            }),
        }
    }

    /// All files of the project that may be added to a chat, sorted; cheap after the first call.
    pub fn files(&mut self) -> anyhow::Result<Vec<String>> {
        let listing = listing::list(&self.shared.source)?;
        Ok(listing.files.into_iter().map(|file| file.path).collect())
    }

    /// Lists the project's files as [`MapService::files`] does, for another thread.
    pub fn lister(&self) -> impl Fn() -> anyhow::Result<Vec<String>> + Send + 'static {
        let source = self.shared.source.clone();
        move || {
            Ok(listing::list(&source)?
                .files
                .into_iter()
                .map(|file| file.path)
                .collect())
        }
    }

    /// Starts reading tags on a thread of its own; [`MapService::map`] waits for it or takes what is there.
    pub fn warm_up(&mut self) {
        let shared = self.shared.clone();
        let taken = lock(&shared.state).take();
        let Some(mut state) = taken else { return };
        let work = move || {
            let cancel = CancellationToken::new();
            let result = state.refresh(&shared.source, &cancel, &|progress| *lock(&shared.progress) = progress);
            state.remember_failure(result);
            state.save(&shared.source);
            shared.give_back(state);
        };
        // Without a thread the first map does the work.
        let _ = std::thread::Builder::new().name("map".into()).spawn(work);
    }

    /// The map for a request. A cancelled one is an empty map.
    pub fn map(&mut self, request: &MapRequest, cancel: &CancellationToken) -> anyhow::Result<MapText> {
        let Some(mut state) = self.take(cancel) else {
            return Ok(MapText::default());
        };
        let shared = &self.shared;
        let result = state
            .refresh(&shared.source, cancel, &|progress| *lock(&shared.progress) = progress)
            .map(|()| state.map(&shared.source, request, cancel));
        shared.give_back(state);
        result
    }

    /// The map for a request, as [`MapService::map`] gives it; `watch` is told on this thread, now and then, how far reading is.
    pub fn map_watched(
        &mut self,
        request: &MapRequest,
        cancel: &CancellationToken,
        watch: &mut dyn FnMut(Progress),
    ) -> anyhow::Result<MapText> {
        let shared = self.shared.clone();
        std::thread::scope(|scope| {
            let (done, waiting) = mpsc::channel();
            let worker = scope.spawn(move || {
                let map = self.map(request, cancel);
                // The receiver lives until this is joined.
                let _ = done.send(());
                map
            });
            while waiting.recv_timeout(TELL) == Err(RecvTimeoutError::Timeout) {
                let progress = *lock(&shared.progress);
                if progress.done < progress.total {
                    watch(progress);
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Files that were left out of the last scan.
    pub fn skipped(&self) -> Vec<Skipped> {
        lock(&self.shared.state)
            .as_ref()
            .map(State::skipped)
            .unwrap_or_default()
    }

    /// What the user should know of (a damaged cache, a folder too large to scan); each is told once.
    pub fn take_notices(&mut self) -> Vec<String> {
        lock(&self.shared.state)
            .as_mut()
            .map(State::take_notices)
            .unwrap_or_default()
    }

    /// Writes what was learnt to the cache; a process that ends without it scans again.
    pub fn save(&mut self) {
        if let Some(state) = lock(&self.shared.state).as_mut() {
            state.save(&self.shared.source);
        }
    }

    /// Waits until no other thread works on the state; None when cancelled.
    fn take(&self, cancel: &CancellationToken) -> Option<State> {
        let mut state = lock(&self.shared.state);
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            if let Some(state) = state.take() {
                return Some(state);
            }
            state = self
                .shared
                .returned
                .wait_timeout(state, POLL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// A panic of another thread leaves values behind that are still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
