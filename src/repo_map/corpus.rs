//! The files of a project with their records, sorted by path.

use std::sync::Arc;

use rayon::prelude::*;

use super::facts::{Definition, View, unpack_definitions};
use super::paths::{self, PathKind};

/// One file that a map may show.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Relative to the root, with `/`.
    pub path: Arc<str>,
    /// Tokens of the path as a line of its own, with or without `:`, whichever is more.
    pub path_tokens: u16,
    /// The record; None for a file that is known by its path alone.
    pub record: Option<Record>,
}

/// Where a record's bytes are.
#[derive(Debug, Clone)]
pub struct Record {
    pub scanned: Bytes,
    pub shown: Shown,
}

/// A part of a shared buffer.
#[derive(Debug, Clone)]
pub struct Bytes {
    pub buffer: Arc<Vec<u8>>,
    pub start: usize,
    pub len: usize,
}

impl Bytes {
    pub fn as_slice(&self) -> &[u8] {
        self.buffer.get(self.start..self.start + self.len).unwrap_or_default()
    }
}

/// The definitions' part of a record.
#[derive(Debug, Clone)]
pub enum Shown {
    Here(Bytes),
    /// In the snapshot's file, to be fetched when the file may be shown.
    Stored {
        at: u64,
        len: u32,
    },
}

impl Shown {
    /// Bytes of the part.
    pub fn len(&self) -> u32 {
        match self {
            Self::Here(bytes) => bytes.len as u32,
            Self::Stored { len, .. } => *len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Fetches definitions that are not in memory.
pub type Fetch<'a> = &'a (dyn Fn(u64, u32) -> Vec<u8> + Sync);

/// With fewer other files than this, data may be what a project is about.
const FEW: usize = 20;

/// A project's files.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    entries: Vec<Entry>,
    kinds: Vec<PathKind>,
}

impl Corpus {
    /// Noise is left out, the rest sorted by path. Data in bulk is left out too where there is more of it than of all else.
    pub fn new(mut entries: Vec<Entry>) -> Self {
        let bulk = entries.iter().filter(|entry| paths::is_bulk(&entry.path)).count();
        if 2 * bulk > entries.len() && entries.len() - bulk >= FEW {
            entries.retain(|entry| !paths::is_bulk(&entry.path));
        }
        if !entries.is_sorted_by(|a, b| a.path < b.path) {
            entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            entries.dedup_by(|a, b| a.path == b.path);
        }
        let mut kinds: Vec<PathKind> = entries.par_iter().map(|entry| paths::kind(&entry.path)).collect();
        let mut of_entry = kinds.iter();
        entries.retain(|_| of_entry.next() != Some(&PathKind::Noise));
        kinds.retain(|kind| *kind != PathKind::Noise);
        Self { entries, kinds }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entry(&self, file: usize) -> &Entry {
        &self.entries[file]
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn kind(&self, file: usize) -> PathKind {
        match self.view(file) {
            Some(view) if view.generated() && self.kinds[file] == PathKind::Source => PathKind::Generated,
            _ => self.kinds[file],
        }
    }

    pub fn find(&self, path: &str) -> Option<usize> {
        self.entries.binary_search_by(|entry| (*entry.path).cmp(path)).ok()
    }

    /// The part of a record that ranking scans.
    pub fn view(&self, file: usize) -> Option<View<'_>> {
        self.entries[file].record.as_ref()?.view()
    }

    pub fn definitions(&self, file: usize, fetch: Fetch<'_>) -> Vec<Definition> {
        match &self.entries[file].record {
            None => Vec::new(),
            Some(record) => match &record.shown {
                Shown::Here(bytes) => unpack_definitions(bytes.as_slice()),
                Shown::Stored { at, len } => unpack_definitions(&fetch(*at, *len)),
            },
        }
    }
}

impl Record {
    /// The part that ranking scans.
    pub fn view(&self) -> Option<View<'_>> {
        View::new(self.scanned.as_slice())
    }

    /// A record that is whole in memory; None when it is damaged.
    pub fn whole(bytes: Vec<u8>) -> Option<Self> {
        let view = View::new(&bytes).filter(View::is_intact)?;
        let (scanned, len) = (view.scanned_len(), bytes.len());
        let buffer = Arc::new(bytes);
        Some(Self {
            scanned: Bytes {
                buffer: buffer.clone(),
                start: 0,
                len: scanned,
            },
            shown: Shown::Here(Bytes {
                buffer,
                start: scanned,
                len: len - scanned,
            }),
        })
    }
}
