//! What the map knows of a project, and how it follows the files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use tokio_util::sync::CancellationToken;

use super::jobs::{Encoded, Job, Known, Step, is_shown, resolve, side_by_side, step};
use super::kept;
use super::listing::{self, File, Listing};
use super::past::Past;
use super::reading;
use super::{MapRequest, MapSource, POLL, Progress, Skipped};
use crate::languages::{self, Language};
use crate::repo_map::corpus::Corpus;
use crate::repo_map::graph::Graph;
use crate::repo_map::words::Query;
use crate::repo_map::{self, Ask, ChatFile, MapText};
use crate::store::map_snapshot::{self, Snapshot};
use crate::store::tag_cache::{Key, TagCache};

/// Bytes of a chat file that are looked at.
const MAX_CHAT_BYTES: u64 = 1 << 20;
/// A snapshot is written anew when more files than this, and more than one in a hundred, are not in it as they are.
const STALE: usize = 30;
/// Files that a thread works on before another may take some off it. Small, so that all are busy to the end.
const RUN: usize = 4;
/// Records that are written to the cache together, and how long the first waits for the others.
const MOST_GATHERED: usize = 250;
const GATHER: Duration = Duration::from_millis(100);

pub(super) struct State {
    version: u64,
    cache_dir: Option<PathBuf>,
    /// Opened when something is not in the snapshot.
    cache: Option<TagCache>,
    snapshot: Option<Snapshot>,
    loaded: bool,
    /// Files that the snapshot does not hold as they are.
    stale: usize,
    /// By path.
    known: Vec<Known>,
    corpus: Corpus,
    graph: Option<Graph>,
    past: Past,
    notices: Vec<String>,
    noticed: bool,
}

impl State {
    pub(super) fn new(source: &MapSource) -> Self {
        Self {
            version: reading::version(),
            cache_dir: source.cache_dir.clone(),
            cache: None,
            snapshot: None,
            loaded: false,
            stale: 0,
            known: Vec::new(),
            corpus: Corpus::default(),
            graph: None,
            past: Past::default(),
            notices: Vec::new(),
            noticed: false,
        }
    }

    fn cache(&mut self) -> &mut TagCache {
        self.cache
            .get_or_insert_with(|| self.cache_dir.as_deref().map_or_else(TagCache::none, TagCache::open))
    }

    /// Brings files and history up to date. Cancelled half-way it keeps what was read.
    pub(super) fn refresh(
        &mut self,
        source: &MapSource,
        cancel: &CancellationToken,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> anyhow::Result<()> {
        let (listing, ()) = rayon::join(|| listing::list(source), || self.load(source));
        let Listing { files, repo, notice } = listing?;
        if !self.noticed {
            self.noticed = notice.is_some();
            self.notices.extend(notice);
        }
        let repo = repo.filter(|repo| !self.past.is_current(repo));
        let unread = repo.as_ref().and_then(|repo| {
            let mut past = std::mem::take(&mut self.past);
            let unread = past.unread(repo, self.cache());
            self.past = past;
            Some((repo, unread?))
        });
        // Git reads the history while the files are parsed.
        let read = std::thread::scope(|scope| {
            let reading = unread.map(|(repo, unread)| scope.spawn(|| unread.read(repo)));
            self.refresh_files(source, files, cancel, progress);
            reading.and_then(|reading| reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        if let Some(read) = read {
            let mut past = std::mem::take(&mut self.past);
            past.follow(read, self.cache(), today());
            self.past = past;
        }
        if let Some(cache) = &mut self.cache {
            self.notices.extend(cache.take_notice());
        }
        Ok(())
    }

    /// Takes over what the snapshot holds.
    fn load(&mut self, source: &MapSource) {
        if self.loaded {
            return;
        }
        self.loaded = true;
        let Some(mut snapshot) = self
            .snapshot_path(source)
            .and_then(|path| Snapshot::open(&path, self.version))
        else {
            return;
        };
        self.known = kept::known(&mut snapshot);
        self.snapshot = Some(snapshot);
        self.rebuild();
    }

    fn snapshot_path(&self, source: &MapSource) -> Option<PathBuf> {
        let root = source.root.canonicalize().ok()?;
        Some(map_snapshot::path(self.cache_dir.as_deref()?, &root, &source.subtree))
    }

    fn rebuild(&mut self) {
        self.corpus = Corpus::new(
            self.known
                .iter()
                .filter(|known| is_shown(known))
                .map(|known| known.entry.clone())
                .collect(),
        );
        self.graph = None;
    }

    fn refresh_files(
        &mut self,
        source: &MapSource,
        files: Vec<File>,
        cancel: &CancellationToken,
        progress: &(dyn Fn(Progress) + Sync),
    ) {
        let version = self.version;
        let pairs = side_by_side(&files, &self.known);
        let steps: Vec<Step> = pairs
            .par_iter()
            .zip(&files)
            .map(|(known, file)| step(version, known.map(|idx| &self.known[idx]), source, file))
            .collect();
        let unchanged = self.known.len() == files.len() && steps.iter().all(|step| matches!(step, Step::Keep));
        if unchanged {
            return;
        }
        let gone = self.known.len().saturating_sub(files.len());
        let mut before: Vec<Option<Known>> = std::mem::take(&mut self.known).into_iter().map(Some).collect();
        let jobs = files
            .into_iter()
            .zip(steps)
            .zip(pairs)
            .map(|((file, step), known)| Job {
                file,
                known: known.and_then(|idx| before[idx].take()),
                step,
            })
            .collect();
        let (known, new) = self.resolve_all(source, jobs, cancel, progress);
        self.known = known;
        self.stale += new + gone;
        self.rebuild();
    }

    /// Carries the steps out. What was read is in the cache soon after, so that it is kept even when the process is stopped.
    /// Returns the files, and how many are new to the snapshot.
    fn resolve_all(
        &mut self,
        source: &MapSource,
        jobs: Vec<Job>,
        cancel: &CancellationToken,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> (Vec<Known>, usize) {
        let wanted: Vec<Key> = jobs.iter().filter_map(|job| job.step.key()).collect();
        let cancelled = AtomicBool::new(false);
        if wanted.is_empty() {
            let known = jobs
                .into_iter()
                .filter_map(|job| resolve(source, job, None, &cancelled))
                .map(|(known, _)| known);
            return (known.collect(), 0);
        }
        let cache = self.cache();
        let mut found = look_up(cache, &wanted).into_iter();
        let work: Vec<_> = jobs
            .into_iter()
            .map(|job| {
                let record = job.step.key().and_then(|_| found.next().flatten());
                (job, record)
            })
            .collect();
        let (total, counter) = (work.len(), AtomicUsize::new(0));
        let (sender, fresh) = mpsc::channel();
        let done = AtomicBool::new(false);
        let known = std::thread::scope(|scope| {
            // Hands a cancellation on to parsers, which look at a flag.
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if cancel.is_cancelled() {
                        cancelled.store(true, Ordering::Relaxed);
                    }
                    std::thread::park_timeout(POLL);
                }
            });
            scope.spawn(|| keep_as_they_come(cache, fresh));
            let languages = languages_to_parse(&work);
            scope.spawn(move || {
                languages.iter().for_each(|language| {
                    language.definitions_query();
                })
            });
            let known: Vec<Option<Known>> = work
                .into_par_iter()
                .with_max_len(RUN)
                .map_with(sender, |sender, (job, record)| {
                    let (known, fresh) = resolve(source, job, record, &cancelled)?;
                    if let Some(fresh) = fresh {
                        // The receiver lives until the last sender is gone.
                        let _ = sender.send(fresh);
                    }
                    let n = counter.fetch_add(1, Ordering::Relaxed) + 1;
                    if n.is_multiple_of(64) || n == total {
                        progress(Progress { done: n, total });
                    }
                    Some(known)
                })
                .collect();
            done.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            known
        });
        (known.into_iter().flatten().collect(), wanted.len())
    }

    /// The map for a request, of what is known; with `save` the snapshot is written meanwhile when it has fallen behind.
    pub(super) fn map(
        &mut self,
        source: &MapSource,
        request: &MapRequest,
        cancel: &CancellationToken,
        save: bool,
    ) -> MapText {
        if cancel.is_cancelled() {
            return MapText::default();
        }
        let path = self.behind(source).filter(|_| save);
        let (version, known, snapshot) = (self.version, &self.known, self.snapshot.as_ref());
        let (corpus, history) = (&self.corpus, self.past.history());
        let graph = &mut self.graph;
        let mut draw = || {
            let graph = graph.get_or_insert_with(|| Graph::new(corpus));
            let ask = asked(source, request);
            let fetch = |at, len| snapshot.map(|snapshot| snapshot.shown(at, len)).unwrap_or_default();
            repo_map::map(corpus, history, Some(graph), &ask, &fetch)
        };
        let Some(path) = path else { return draw() };
        let (map, written) = rayon::join(draw, || kept::write(&path, version, known, snapshot));
        if written {
            self.stale = 0;
        }
        map
    }

    pub(super) fn skipped(&self) -> Vec<Skipped> {
        self.known
            .iter()
            .filter_map(|known| {
                Some(Skipped {
                    path: known.entry.path.to_string(),
                    reason: known.skip?.to_string(),
                })
            })
            .collect()
    }

    pub(super) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    pub(super) fn remember_failure(&mut self, result: anyhow::Result<()>) {
        if let Err(error) = result {
            self.notices.push(format!("the map could not be read: {error:#}"));
        }
    }

    /// Where the snapshot is to be written anew; None when it has not fallen behind.
    fn behind(&self, source: &MapSource) -> Option<PathBuf> {
        let behind = self.stale > 0 && (self.snapshot.is_none() || self.stale > STALE.max(self.known.len() / 100));
        behind.then(|| self.snapshot_path(source)).flatten()
    }

    /// Writes the snapshot anew when it has fallen behind.
    pub(super) fn save(&mut self, source: &MapSource) {
        if let Some(path) = self.behind(source)
            && kept::write(&path, self.version, &self.known, self.snapshot.as_ref())
        {
            self.stale = 0;
        }
    }
}

/// The records that the cache has, which count as used today.
fn look_up(cache: &mut TagCache, wanted: &[Key]) -> Vec<Option<Vec<u8>>> {
    let found = cache.records(wanted);
    let used = wanted.iter().zip(&found).filter(|(_, found)| found.is_some());
    cache.touch(&used.map(|(key, _)| *key).collect::<Vec<_>>(), today());
    found
}

/// The languages of files that have to be parsed. Their queries are compiled while the first of the files is parsed.
fn languages_to_parse(work: &[(Job, Option<Vec<u8>>)]) -> Vec<&'static Language> {
    let parsed = work
        .iter()
        .filter(|(job, record)| record.is_none() && job.step.key().is_some());
    let mut languages: Vec<&Language> = Vec::new();
    for language in parsed.filter_map(|(job, _)| languages::by_path(&job.file.path)) {
        if !languages.contains(&language) {
            languages.push(language);
        }
    }
    languages
}

/// Writes records to the cache until no more come.
fn keep_as_they_come(cache: &mut TagCache, fresh: Receiver<(Key, Encoded)>) {
    while let Ok(first) = fresh.recv() {
        let mut records = vec![first];
        let more = std::iter::from_fn(|| fresh.recv_timeout(GATHER).ok());
        records.extend(more.take(MOST_GATHERED - 1));
        cache.keep(&records, today());
    }
}

fn asked(source: &MapSource, request: &MapRequest) -> Ask {
    let chat = request.chat_files.iter().map(|path| ChatFile {
        path: path.clone(),
        text: chat_text(source, path),
    });
    Ask {
        chat: chat.collect(),
        query: Query::new(&request.message),
        tokens: request.tokens,
    }
}

fn chat_text(source: &MapSource, path: &str) -> String {
    let full = source.root.join(path);
    match std::fs::metadata(&full) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_CHAT_BYTES => std::fs::read(full)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// Days since 1970.
fn today() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| (age.as_secs() / 86_400) as i64)
}
