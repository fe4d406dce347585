//! Runs a tags query over a tree: every match of a pattern, as a definition or a reference by name.

use std::borrow::Cow;
use std::collections::HashMap;

use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator, Tree};

use super::nesting::FoundDef;
use super::tags::{Budget, Limits, Ref, Skip};
use crate::languages::{Capture, DefKind, RefKind, TagsQuery};

/// Names longer than this many bytes are no names (data, prose).
const MAX_NAME: usize = 120;
/// States that the query may keep at once; more means a pathological tree, and the longest waiting are dropped.
const MATCH_LIMIT: u32 = 256;
/// Nodes that make a unit of the budget.
const UNIT: usize = 100;
/// What starting the query at a node costs, in nodes.
const START_STEPS: usize = 5;

pub(super) struct Found<'tree, 'text> {
    pub(super) defs: Vec<FoundDef<'tree>>,
    /// Kind, where the name starts, name.
    refs: Vec<(RefKind, usize, Cow<'text, str>)>,
}

/// Runs a query over a tree. Where it is known at which nodes patterns start, the tree is walked and the query run at those
/// alone, which takes a third of the time.
pub(super) fn find<'tree, 'text>(
    cursor: &mut QueryCursor,
    query: &TagsQuery,
    tree: &'tree Tree,
    text: &'text str,
    limits: &Limits,
) -> Result<Found<'tree, 'text>, Skip> {
    let mut run = Run {
        query,
        text,
        budget: Budget::new(text, limits),
        found: Found {
            defs: Vec::new(),
            refs: Vec::new(),
        },
    };
    cursor.set_match_limit(MATCH_LIMIT);
    if query.knows_starts() {
        cursor.set_max_start_depth(Some(0));
        run.walk(cursor, tree);
    } else {
        cursor.set_max_start_depth(None);
        run.at(cursor, tree.root_node());
    }
    match run.budget.stopped {
        Some(skip) => Err(skip),
        None => Ok(run.found),
    }
}

struct Run<'tree, 'text, 'a> {
    query: &'a TagsQuery,
    text: &'text str,
    budget: Budget<'a>,
    found: Found<'tree, 'text>,
}

impl<'tree> Run<'tree, '_, '_> {
    /// Runs the query at every node where one of its patterns may start.
    fn walk(&mut self, cursor: &mut QueryCursor, tree: &'tree Tree) {
        let mut walk = tree.walk();
        let mut steps = 0;
        loop {
            let node = walk.node();
            let kind = node.kind_id();
            let is_start = self.query.may_start_at(kind);
            if is_start {
                self.at(cursor, node);
            }
            steps += if is_start { START_STEPS } else { 1 };
            if steps >= UNIT {
                steps -= UNIT;
                if self.budget.step(1).is_break() {
                    return;
                }
            }
            // A node with a syntax error may hold anything.
            let is_closed = self.query.is_closed(kind) && !node.has_error();
            if !is_closed && walk.goto_first_child() {
                continue;
            }
            while !walk.goto_next_sibling() {
                if !walk.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Runs the query from a node on.
    fn at(&mut self, cursor: &mut QueryCursor, node: Node<'tree>) {
        let budget = &mut self.budget;
        let mut progress = |_: &QueryCursorState| budget.step(1);
        let mut matches = cursor.matches_with_options(
            &self.query.query,
            node,
            self.text.as_bytes(),
            QueryCursorOptions::new().progress_callback(&mut progress),
        );
        while let Some(found_match) = matches.next() {
            self.found.add(self.query, found_match, self.text);
        }
    }
}

impl<'tree, 'text> Found<'tree, 'text> {
    fn add(&mut self, query: &TagsQuery, found_match: &QueryMatch<'_, 'tree>, text: &'text str) {
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
        let Some(&first) = names.first() else { return };
        let Some(name) = joined_name(&names, text) else { return };
        if let Some((kind, is_clause, node)) = definition {
            self.defs.push(FoundDef {
                node,
                name: name.into_owned(),
                name_start: first.start_byte(),
                kind,
                is_clause,
                pattern: found_match.pattern_index,
                body,
            });
        } else if let Some(kind) = reference {
            self.refs.push((kind, first.start_byte(), name));
        }
    }
}

/// The name that the nodes give together; `None` when it is no name.
fn joined_name<'text>(nodes: &[Node], text: &'text str) -> Option<Cow<'text, str>> {
    let mut name = Cow::Borrowed("");
    for node in nodes {
        let part = clean_name(&text[node.byte_range()]);
        // `_` is how several languages say that there is no name.
        if part.is_empty() || part == "_" || part.len() > MAX_NAME || part.contains(char::is_control) {
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
pub(super) fn count_refs(found: &mut Found) -> Vec<Ref> {
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
