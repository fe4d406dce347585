//! Source text to tags: the definitions and references of one file. Pure: the same text gives the same tags or the same
//! reason to skip, on every machine, so both can be cached by content. That is why the limit on a parse counts the
//! parser's steps and not seconds.
//!
//! Not here: which files to read, ranking, rendering.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use tree_sitter::{
    Node, ParseOptions, ParseState, Parser, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree,
};

use super::embedded::{self, Part};
use super::nesting::{self, FoundDef};
use crate::languages::{Capture, Language, TagsQuery};

pub use super::identifiers::identifiers;
pub use crate::languages::{DefKind, RefKind};

/// Version of what this module makes of a text and a query; part of a cache's key.
pub const TAGS_VERSION: u32 = 3;

/// Names longer than this many bytes are no names (data, prose).
const MAX_NAME: usize = 120;
/// Bytes handed to the parser at a time.
const CHUNK: usize = 4096;
/// States that the query may keep at once; more means a pathological tree, and the longest waiting are dropped.
const MATCH_LIMIT: u32 = 256;

/// The tags of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTags {
    /// In the order of the text; an enclosing definition stands before what is in it.
    pub defs: Vec<Def>,
    /// One for each name and kind, sorted by name.
    pub refs: Vec<Ref>,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Def {
    /// As written, without quotes; parts of a compound name are joined with `.`.
    pub name: Box<str>,
    pub kind: DefKind,
    /// First line of the signature (after decorators, attributes and comments), from 0.
    pub line: u32,
    /// Last line of the whole definition, from 0, included.
    pub end_line: u32,
    /// Index in [`FileTags::defs`] of the definition that encloses this one.
    pub parent: Option<u32>,
    /// Number of enclosing definitions.
    pub depth: u8,
    /// The signature on one line, without body, decorators and comments; cut with `…` when long. Not empty.
    pub signature: Box<str>,
}

/// How often a name is used in one way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ref {
    pub name: Box<str>,
    pub kind: RefKind,
    pub count: u32,
}

/// What a file may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Bytes; larger files are skipped unread.
    pub max_bytes: usize,
    /// Bytes; a file with a longer line is taken as minified or as data.
    pub max_line: usize,
    /// Brackets open at once. Deeper texts are data or malice, and some grammars take quadratic time on them. Does not
    /// apply to prose.
    pub max_nesting: usize,
    /// Parser steps allowed for each byte of text, beside a fixed allowance. Code needs 0.3 to 1, tables of numbers 3.
    pub steps_per_byte: usize,
    /// Set from another thread to stop soon with [`Skip::Cancelled`].
    pub cancelled: Option<&'a AtomicBool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 20,
            max_line: 20_000,
            max_nesting: 1_000,
            steps_per_byte: 8,
            cancelled: None,
        }
    }
}

/// Why a file has no tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
pub enum Skip {
    #[error("too large")]
    TooLarge,
    #[error("minified or data on very long lines")]
    Minified,
    #[error("marked as generated")]
    Generated,
    #[error("nested too deeply")]
    TooDeep,
    #[error("took too many parser steps")]
    TooSlow,
    #[error("not text")]
    Binary,
    /// Says nothing about the file: never to be remembered.
    #[error("stopped")]
    Cancelled,
}

/// Reads the tags of one text.
///
/// # Errors
/// The reason to skip it. All but [`Skip::Cancelled`] hold for this text under these limits for ever.
pub fn tags(language: &Language, text: &str, limits: &Limits) -> Result<FileTags, Skip> {
    read(language, text, limits, Language::query)
}

/// Reads the definitions alone, in less time.
///
/// # Errors
/// As [`tags`].
pub fn definitions(language: &Language, text: &str, limits: &Limits) -> Result<FileTags, Skip> {
    read(language, text, limits, Language::definitions_query)
}

/// Which query of a language is run.
type Choose = fn(&Language) -> Option<&'static TagsQuery>;

fn read(language: &Language, text: &str, limits: &Limits, query: Choose) -> Result<FileTags, Skip> {
    let mut all = FileTags::default();
    if language.grammar().is_some() {
        check_text(language, text, limits)?;
        all = read_grammar(language, text, limits, query)?;
    } else if let Some(outline) = language.outline() {
        check_size(text, limits)?;
        if super::kinds::is_minified(text, limits.max_line) {
            return Err(Skip::Minified);
        }
        all = super::outline::read(outline, text);
    }
    if let Some(embedding) = language.embeds {
        check_size(text, limits)?;
        for part in embedded::parts(embedding, text) {
            check_text(part.language, &part.text, limits)?;
            let found = read_grammar(part.language, &part.text, limits, query)?;
            append(&mut all, found, &part);
        }
        merge_refs(&mut all.refs);
    }
    Ok(all)
}

/// Adds the tags of a part, with its lines moved to where they stand in the whole text.
fn append(all: &mut FileTags, found: FileTags, part: &Part) {
    let first = all.defs.len() as u32;
    all.defs.extend(found.defs.into_iter().map(|def| Def {
        line: part.line_in_file(def.line),
        end_line: part.line_in_file(def.end_line),
        parent: def.parent.map(|parent| parent + first),
        ..def
    }));
    all.refs.extend(found.refs);
}

fn merge_refs(refs: &mut Vec<Ref>) {
    refs.sort();
    refs.dedup_by(|later, earlier| {
        let same = later.name == earlier.name && later.kind == earlier.kind;
        if same {
            earlier.count += later.count;
        }
        same
    });
}

fn check_size(text: &str, limits: &Limits) -> Result<(), Skip> {
    if text.len() > limits.max_bytes {
        return Err(Skip::TooLarge);
    }
    if super::kinds::looks_binary(text) {
        return Err(Skip::Binary);
    }
    Ok(())
}

fn check_text(language: &Language, text: &str, limits: &Limits) -> Result<(), Skip> {
    check_size(text, limits)?;
    if super::kinds::is_minified(text, limits.max_line) {
        return Err(Skip::Minified);
    }
    if language.name != "markdown" && nesting(text) > limits.max_nesting {
        return Err(Skip::TooDeep);
    }
    Ok(())
}

/// The most brackets that are open at once, by the bytes alone.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Parser and query cursor keep their memory from file to file, one of each for each thread.
struct Tools {
    parser: Parser,
    cursor: QueryCursor,
}

thread_local! {
    static TOOLS: RefCell<Tools> = RefCell::new(Tools { parser: Parser::new(), cursor: QueryCursor::new() });
}

fn read_grammar(language: &Language, text: &str, limits: &Limits, query: Choose) -> Result<FileTags, Skip> {
    let (Some(grammar), Some(query)) = (language.grammar(), query(language)) else {
        return Ok(FileTags::default());
    };
    TOOLS.with_borrow_mut(|tools| {
        let tree = parse(&mut tools.parser, grammar, text, limits)?;
        let mut found = run_query(&mut tools.cursor, query, &tree, text, limits)?;
        Ok(FileTags {
            refs: count_refs(&mut found),
            defs: nesting::defs(found.defs, text),
        })
    })
}

fn parse(parser: &mut Parser, grammar: &tree_sitter::Language, text: &str, limits: &Limits) -> Result<Tree, Skip> {
    parser
        .set_language(grammar)
        .expect("every grammar of the table is loaded in the tests");
    let chunks_read = Cell::new(0);
    let mut budget = Budget::new(text, limits);
    let mut progress = |_: &ParseState| budget.step(1 + chunks_read.take());
    let tree = parser.parse_with_options(
        &mut |offset, _| {
            chunks_read.set(chunks_read.get() + 1);
            let end = text.len().min(offset + CHUNK);
            &text.as_bytes()[offset.min(end)..end]
        },
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    if tree.is_none() {
        // A parse that was stopped would be continued with the next text.
        parser.reset();
    }
    tree.ok_or(budget.stopped.unwrap_or(Skip::TooSlow))
}

/// Counts down what one pass over a text may cost. A unit is about a hundred steps, or one chunk read: on broken input some
/// scanners run to the end of the text again and again, which costs reads and no steps.
struct Budget<'a> {
    left: usize,
    cancelled: Option<&'a AtomicBool>,
    stopped: Option<Skip>,
}

impl<'a> Budget<'a> {
    fn new(text: &str, limits: &Limits<'a>) -> Self {
        Self {
            left: 1_000 + text.len() * limits.steps_per_byte / 100,
            cancelled: limits.cancelled,
            stopped: None,
        }
    }

    fn step(&mut self, cost: usize) -> ControlFlow<()> {
        if self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.stopped = Some(Skip::Cancelled);
            return ControlFlow::Break(());
        }
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                ControlFlow::Continue(())
            }
            None => {
                self.stopped = Some(Skip::TooSlow);
                ControlFlow::Break(())
            }
        }
    }
}

struct Found<'tree, 'text> {
    defs: Vec<FoundDef<'tree>>,
    /// Kind, where the name starts, name.
    refs: Vec<(RefKind, usize, Cow<'text, str>)>,
}

fn run_query<'tree, 'text>(
    cursor: &mut QueryCursor,
    query: &TagsQuery,
    tree: &'tree Tree,
    text: &'text str,
    limits: &Limits,
) -> Result<Found<'tree, 'text>, Skip> {
    let mut found = Found {
        defs: Vec::new(),
        refs: Vec::new(),
    };
    cursor.set_match_limit(MATCH_LIMIT);
    let mut budget = Budget::new(text, limits);
    let mut progress = |_: &QueryCursorState| budget.step(1);
    let mut matches = cursor.matches_with_options(
        &query.query,
        tree.root_node(),
        text.as_bytes(),
        QueryCursorOptions::new().progress_callback(&mut progress),
    );
    while let Some(found_match) = matches.next() {
        let mut names: Vec<Node<'tree>> = Vec::new();
        let mut body = None;
        let mut definition = None;
        let mut reference = None;
        for capture in found_match.captures() {
            match query.capture(capture.index) {
                Capture::Name => names.push(capture.node),
                Capture::Body => body = body.or(Some(capture.node)),
                Capture::Definition(kind) => definition = Some((Some(kind), false, capture.node)),
                Capture::Clause => definition = Some((Some(DefKind::Function), true, capture.node)),
                Capture::NoDefinition => definition = Some((None, false, capture.node)),
                Capture::Reference(kind) => reference = Some(kind),
                Capture::Hidden => {}
            }
        }
        let Some(&first) = names.first() else { continue };
        let Some(name) = joined_name(&names, text) else {
            continue;
        };
        if let Some((kind, is_clause, node)) = definition {
            found.defs.push(FoundDef {
                node,
                name: name.into_owned(),
                name_start: first.start_byte(),
                kind,
                is_clause,
                pattern: found_match.pattern_index,
                body,
            });
        } else if let Some(kind) = reference {
            found.refs.push((kind, first.start_byte(), name));
        }
    }
    drop(matches);
    match budget.stopped {
        Some(skip) => Err(skip),
        None => Ok(found),
    }
}

/// The name that the nodes give together; `None` when it is no name.
fn joined_name<'text>(nodes: &[Node], text: &'text str) -> Option<Cow<'text, str>> {
    let mut name = Cow::Borrowed("");
    for node in nodes {
        let part = clean_name(&text[node.byte_range()]);
        if part.is_empty() || part.len() > MAX_NAME || part.contains(char::is_control) {
            return None;
        }
        if name.is_empty() {
            name = Cow::Borrowed(part);
        } else {
            name.to_mut().push('.');
            name.to_mut().push_str(part);
        }
    }
    (name.len() <= MAX_NAME).then_some(name)
}

/// Without white space, quotes around the whole, and the colon of a Ruby symbol.
fn clean_name(name: &str) -> &str {
    let name = name.trim();
    let unquoted = ['"', '\'', '`']
        .into_iter()
        .find_map(|quote| name.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(name);
    match unquoted.strip_prefix(':') {
        Some(symbol) if symbol.starts_with(|c: char| c.is_alphabetic()) => symbol,
        _ => unquoted.trim(),
    }
}

/// Counts the references by name and kind, without those that are the name of a definition.
fn count_refs(found: &mut Found) -> Vec<Ref> {
    let mut defined: Vec<usize> = found
        .defs
        .iter()
        .filter(|def| def.kind.is_some_and(DefKind::defines_name))
        .map(|def| def.name_start)
        .collect();
    defined.sort_unstable();
    let mut places = std::mem::take(&mut found.refs);
    // Two patterns may see the same use, for example as a base and as a type: the kind that sorts first counts.
    // Of two names that start together the longer counts.
    places.sort_by_key(|(kind, start, name)| (*start, *kind, usize::MAX - name.len()));
    places.dedup_by_key(|(_, start, _)| *start);
    let mut counts: HashMap<(Cow<str>, RefKind), u32> = HashMap::new();
    for (kind, start, name) in places {
        if defined.binary_search(&start).is_err() {
            *counts.entry((name, kind)).or_default() += 1;
        }
    }
    let mut refs: Vec<Ref> = counts
        .into_iter()
        .map(|((name, kind), count)| Ref {
            name: name.into(),
            kind,
            count,
        })
        .collect();
    refs.sort_unstable();
    refs
}
