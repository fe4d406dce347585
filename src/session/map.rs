//! The repository map of a project: lists its files, keeps what their contents tell, and renders a map for a request. What did
//! not change is neither read nor parsed again: within the process it is kept in memory, between processes in a
//! snapshot of the project, across projects in the tag cache.

mod jobs;
mod kept;
mod listing;
mod past;
mod reading;
mod state;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// Threads that wait for the state.
    waiting: AtomicUsize,
    /// Stops what is read in the background.
    leaving: CancellationToken,
}

impl Shared {
    /// Ends the work of a thread on the state.
    fn give_back(&self, state: State) {
        *lock(&self.progress) = Progress::default();
        *lock(&self.state) = Some(state);
        self.returned.notify_all();
    }

    /// Saves what was read in the background, unless a message waits for it; then it is saved later.
    fn save_unless_wanted(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 || self.leaving.is_cancelled() {
            return;
        }
        let taken = lock(&self.state).take();
        if let Some(mut state) = taken {
            state.save(&self.source);
            self.give_back(state);
        }
    }

    /// Waits until no other thread works on the state; None when cancelled.
    fn take(&self, cancel: &CancellationToken) -> Option<State> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let mut state = lock(&self.state);
        let taken = loop {
            if cancel.is_cancelled() {
                break None;
            }
            if let Some(state) = state.take() {
                break Some(state);
            }
            state = self
                .returned
                .wait_timeout(state, POLL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        taken
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
                waiting: AtomicUsize::new(0),
                leaving: CancellationToken::new(),
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
        let cancel = shared.leaving.clone();
        let work = move || {
            let result = state.refresh(&shared.source, &cancel, &|progress| *lock(&shared.progress) = progress);
            state.remember_failure(result);
            shared.give_back(state);
            shared.save_unless_wanted();
        };
        // Without a thread the first map does the work.
        let _ = std::thread::Builder::new().name("map".into()).spawn(work);
    }

    /// The map for a request. A cancelled one is an empty map.
    pub fn map(&mut self, request: &MapRequest, cancel: &CancellationToken) -> anyhow::Result<MapText> {
        self.make(request, cancel, false)
    }

    /// The same for a process that makes no other: what was learnt is written to the cache while the map is made.
    pub fn map_and_save(&mut self, request: &MapRequest, cancel: &CancellationToken) -> anyhow::Result<MapText> {
        self.make(request, cancel, true)
    }

    fn make(&mut self, request: &MapRequest, cancel: &CancellationToken, save: bool) -> anyhow::Result<MapText> {
        let Some(mut state) = self.shared.take(cancel) else {
            return Ok(MapText::default());
        };
        let shared = &self.shared;
        let result = state
            .refresh(&shared.source, cancel, &|progress| *lock(&shared.progress) = progress)
            .map(|()| state.map(&shared.source, request, cancel, save));
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

    /// Stops what is read in the background and writes what was learnt to the cache; a process that ends without it reads more the
    /// next time.
    pub fn save(&mut self) {
        self.shared.leaving.cancel();
        if let Some(mut state) = self.shared.take(&CancellationToken::new()) {
            state.save(&self.shared.source);
            self.shared.give_back(state);
        }
    }
}

/// A panic of another thread leaves values behind that are still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
