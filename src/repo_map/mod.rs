//! The repository map: source -> tags -> facts -> scene -> rank -> text. Values only; `session::map` feeds it.
//!
//! [`facts`] is what one content tells, kept by content. [`corpus`] and [`history`] are the project. [`map`] weighs every file and
//! every definition for a request and fills the budget with what is worth most.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod bodies;
mod budget;
pub mod corpus;
mod defs;
mod embedded;
pub mod facts;
pub mod graph;
pub mod history;
mod id_table;
mod identifiers;
pub mod kinds;
mod matches;
mod nesting;
mod outline;
mod own_words;
pub mod paths;
mod phrases;
mod rank;
mod render;
mod scene;
mod signals;
mod signature;
pub mod tags;
mod text_words;
pub mod words;

use corpus::{Corpus, Fetch};
use graph::Graph;
use history::History;
use scene::Scene;
use words::Query;

/// The finished map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapText {
    /// A path at column 0 ending in `:` for each file with lines shown, a bare path for a file without, indented lines
    /// below, elided runs as `⋮`. Empty when there is nothing to show.
    pub text: String,
    /// Real tokens of `text`.
    pub tokens: usize,
    /// Files named in it.
    pub files: usize,
}

/// A file of the chat.
#[derive(Debug, Clone, Default)]
pub struct ChatFile {
    /// Relative to the root, with `/`. Need not be in the corpus.
    pub path: String,
    pub text: String,
}

/// What a map is wanted for.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    pub chat: Vec<ChatFile>,
    pub query: Query,
    /// Ceiling.
    pub tokens: usize,
}

/// Chooses and writes the map. The same input gives the same bytes.
pub fn map(corpus: &Corpus, history: &History, graph: Option<&Graph>, ask: &Ask, fetch: Fetch) -> MapText {
    if corpus.is_empty() || ask.tokens == 0 {
        return MapText::default();
    }
    let scene = Scene::new(corpus, history, ask);
    let values = rank::rank(&scene, graph);
    let (text, tokens, files) = budget::fill(&scene, graph, &values, ask.tokens, fetch);
    MapText { text, tokens, files }
}
