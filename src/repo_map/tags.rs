//! Source text to tags: the definitions and references of one file. Pure: the same text gives the same tags or the same
//! reason to skip, on every machine, so both can be cached by content. That is why the limit on a parse counts the
//! parser's steps and not seconds.
//!
//! Not here: which files to read, ranking, rendering.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, ParseState, Parser, QueryCursor, Tree};

use super::embedded::{self, Part};
use super::matches;
use super::nesting;
use crate::languages::{Language, TagsQuery};

pub use super::identifiers::identifiers;
pub use crate::languages::{DefKind, RefKind};

/// Version of what this module makes of a text and a query; part of a cache's key.
pub const TAGS_VERSION: u32 = 4;

/// Bytes handed to the parser at a time.
const CHUNK: usize = 4096;

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

/// What is worth reading of a text: of a notebook not what its cells put out. Every line keeps its number.
pub fn readable<'text>(path: &str, text: &'text str) -> Cow<'text, str> {
    embedded::without_outputs(path, text)
}

/// Bytes of a file that is worth opening: most of a notebook may be pictures.
pub fn max_file_bytes(path: &str, limits: &Limits) -> usize {
    limits.max_bytes * if path.ends_with(".ipynb") { 16 } else { 1 }
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
    const STEP: [i8; 256] = {
        let mut step = [0; 256];
        let (opening, closing) = (b"([{", b")]}");
        let mut idx = 0;
        while idx < opening.len() {
            step[opening[idx] as usize] = 1;
            step[closing[idx] as usize] = -1;
            idx += 1;
        }
        step
    };
    let (mut open, mut most) = (0_i32, 0);
    for byte in text.bytes() {
        open = (open + i32::from(STEP[usize::from(byte)])).max(0);
        most = most.max(open);
    }
    most as usize
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
    let Some(grammar) = language.grammar() else {
        return Ok(FileTags::default());
    };
    TOOLS.with_borrow_mut(|tools| {
        let tree = parse(&mut tools.parser, grammar, text, limits)?;
        // After the parse: another thread may be compiling it meanwhile.
        let Some(query) = query(language) else {
            return Ok(FileTags::default());
        };
        let mut found = matches::find(&mut tools.cursor, query, &tree, text, limits)?;
        Ok(FileTags {
            refs: matches::count_refs(&mut found),
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
pub(super) struct Budget<'a> {
    left: usize,
    cancelled: Option<&'a AtomicBool>,
    pub(super) stopped: Option<Skip>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(text: &str, limits: &Limits<'a>) -> Self {
        Self {
            left: 1_000 + text.len() * limits.steps_per_byte / 100,
            cancelled: limits.cancelled,
            stopped: None,
        }
    }

    pub(super) fn step(&mut self, cost: usize) -> ControlFlow<()> {
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
