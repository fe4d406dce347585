//! What the signals look at: the corpus, the history and the request, with the counts that several of them need taken in
//! one pass over all records.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Ask;
use super::corpus::Corpus;
use super::facts::Counts;
use super::history::History;
use super::id_table::IdTable;
use super::tags::identifiers;
use super::words::{self, Query, WordId};

/// An identifier in more than this share of the files tells them not apart.
const COMMON: f64 = 0.3;

/// An identifier of the chat's files.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChatWord {
    pub id: WordId,
    /// Uses in the chat's files.
    pub uses: u32,
    /// A part of it stands in the request.
    pub focus: bool,
    /// Defined in a chat file.
    pub defined: bool,
    /// Files of the corpus that hold it, and that define it.
    pub holders: u32,
    pub definers: u32,
}

/// What a file has in common with chat and request.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    /// (slot in [`Scene::chat_words`], uses), by slot's hash.
    pub words: Vec<(u32, u8)>,
    /// Slots of the chat's words that the file defines.
    pub defines: Vec<u32>,
    /// Distinct identifiers of the file.
    pub distinct: u32,
    /// Sub-words of the text, and of the names of definitions.
    pub length: u32,
    pub names: u32,
    /// By request word: occurrences in the text, and in names of definitions.
    pub body: Vec<u8>,
    pub defs: Vec<u8>,
}

pub(super) struct Scene<'a> {
    pub corpus: &'a Corpus,
    pub history: &'a History,
    pub query: &'a Query,
    /// Corpus file of each history path.
    pub resolved: Vec<Option<u32>>,
    /// Files of the corpus that are in the chat, ascending, and the same by file.
    pub chat: Vec<usize>,
    pub is_chat: Vec<bool>,
    pub chat_words: Vec<ChatWord>,
    pub table: IdTable,
    pub files: Vec<Shared>,
    /// By request word: files whose text holds it, and whose definitions' names do.
    pub body_df: Vec<u32>,
    pub defs_df: Vec<u32>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(corpus: &'a Corpus, history: &'a History, ask: &'a Ask) -> Self {
        let mut chat: Vec<usize> = ask.chat.iter().filter_map(|file| corpus.find(&file.path)).collect();
        chat.sort_unstable();
        chat.dedup();
        let mut is_chat = vec![false; corpus.len()];
        chat.iter().for_each(|&file| is_chat[file] = true);

        let mut chat_words = chat_words(ask);
        let table = IdTable::new(chat_words.iter().map(|word| word.id));
        for &file in &chat {
            for name in corpus.view(file).iter().flat_map(|view| view.names()) {
                if let Some(slot) = table.get(name) {
                    chat_words[slot].defined = true;
                }
            }
        }
        let query_table = IdTable::new(ask.query.subwords.iter().map(|(id, _)| *id));
        let files: Vec<Shared> = (0..corpus.len())
            .into_par_iter()
            .map(|file| shared(corpus, file, &table, &ask.query, &query_table))
            .collect();
        let mut body_df = vec![0; ask.query.subwords.len()];
        let mut defs_df = body_df.clone();
        for file in &files {
            for &(slot, _) in &file.words {
                chat_words[slot as usize].holders += 1;
            }
            for &slot in &file.defines {
                chat_words[slot as usize].definers += 1;
            }
            for (df, n) in body_df.iter_mut().zip(&file.body) {
                *df += u32::from(*n > 0);
            }
            for (df, n) in defs_df.iter_mut().zip(&file.defs) {
                *df += u32::from(*n > 0);
            }
        }
        Self {
            corpus,
            history,
            query: &ask.query,
            resolved: history.resolve(corpus),
            chat,
            is_chat,
            chat_words,
            table,
            files,
            body_df,
            defs_df,
        }
    }

    /// What an identifier of the chat tells, the more the fewer files hold it; None when too many do.
    pub(super) fn rarity(&self, slot: u32) -> Option<f64> {
        let n = self.len() as f64;
        let holders = f64::from(self.chat_words[slot as usize].holders);
        // In a project of a handful of files everything is common.
        (holders < (COMMON * n).max(3.0)).then(|| (n / holders.max(1.0)).ln().max(0.0))
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }
}

/// The identifiers of the chat's files, sorted by hash.
fn chat_words(ask: &Ask) -> Vec<ChatWord> {
    let mut found: BTreeMap<WordId, ChatWord> = BTreeMap::new();
    for file in &ask.chat {
        for (identifier, n) in identifiers(&file.text) {
            let id = words::id_of(identifier.as_bytes());
            let word = found.entry(id).or_default();
            word.id = id;
            word.uses += n;
            words::for_each_subword(identifier.as_bytes(), |subword| {
                word.focus |= ask.query.has_subword(words::id_of(subword));
            });
        }
    }
    found.into_values().collect()
}

fn shared(corpus: &Corpus, file: usize, table: &IdTable, query: &Query, query_table: &IdTable) -> Shared {
    let Some(view) = corpus.view(file) else {
        return Shared::default();
    };
    let identifiers = view.identifiers();
    let hits = identifiers
        .ids()
        .enumerate()
        .filter_map(|(idx, id)| table.get(id).map(|slot| (slot as u32, identifiers.count(idx) as u8)))
        .collect();
    let mut defines: Vec<u32> = view
        .names()
        .filter_map(|name| table.get(name))
        .map(|slot| slot as u32)
        .collect();
    defines.sort_unstable();
    defines.dedup();
    let (body, defs) = (view.subwords(), view.definition_words());
    let counts = |list: Counts| counts(list, query, query_table);
    Shared {
        words: hits,
        defines,
        distinct: identifiers.len() as u32,
        length: view.length(),
        names: defs.len() as u32,
        body: counts(body),
        defs: counts(defs),
    }
}

/// With more request words than this, one pass over a file's words is faster than looking for each.
const FEW_WORDS: usize = 6;

/// How often each word of the request stands in a list.
fn counts(list: Counts, query: &Query, table: &IdTable) -> Vec<u8> {
    if query.subwords.len() <= FEW_WORDS {
        return query.subwords.iter().map(|&(id, _)| list.get(id) as u8).collect();
    }
    let mut counts = vec![0; query.subwords.len()];
    for (idx, id) in list.ids().enumerate() {
        if let Some(slot) = table.get(id) {
            counts[slot] = list.count(idx) as u8;
        }
    }
    counts
}
