//! Puts the definitions that a query found into the order of the text, each with what encloses it.

use tree_sitter::Node;

use super::signature::{self, Place};
use super::tags::Def;
use crate::languages::DefKind;

/// Definitions nested deeper than this are left out.
const MAX_DEPTH: usize = 24;

/// A definition as the query gave it.
pub(super) struct FoundDef<'tree> {
    pub node: Node<'tree>,
    pub name: String,
    pub name_start: usize,
    /// `None`: only keeps later patterns away from this name.
    pub kind: Option<DefKind>,
    /// Belongs to the definition before it when that has the same name.
    pub is_clause: bool,
    pub pattern: usize,
    pub body: Option<Node<'tree>>,
}

/// A definition that encloses the place where the walk is.
struct Scope {
    start: usize,
    end: usize,
    idx: u32,
    kind: DefKind,
    inside_callable: bool,
}

/// The definitions in order, without duplicates and locals; clauses are joined, functions inside types are methods.
pub(super) fn defs(mut found: Vec<FoundDef>, text: &str) -> Vec<Def> {
    // One name, one definition: the pattern that stands first in the query.
    found.sort_by_key(|def| (def.name_start, def.pattern));
    found.dedup_by_key(|def| def.name_start);
    found.sort_by_key(|def| (def.node.start_byte(), usize::MAX - def.node.end_byte(), def.name_start));
    let mut walk = Walk {
        text,
        defs: Vec::with_capacity(found.len()),
        scopes: Vec::new(),
        last_at_depth: [u32::MAX; MAX_DEPTH],
    };
    for def in found {
        if let Some(kind) = def.kind {
            walk.visit(def, kind);
        }
    }
    walk.defs
}

struct Walk<'text> {
    text: &'text str,
    defs: Vec<Def>,
    scopes: Vec<Scope>,
    /// Index of the last definition of each depth.
    last_at_depth: [u32; MAX_DEPTH],
}

impl Walk<'_> {
    fn visit(&mut self, def: FoundDef, kind: DefKind) {
        let (start, end) = (def.node.start_byte(), def.node.end_byte());
        // What ends before; and names that share one definition (`int a, b;`) stand side by side.
        while self
            .scopes
            .last()
            .is_some_and(|scope| scope.end <= start || (scope.start, scope.end) == (start, end))
        {
            self.scopes.pop();
        }
        let scope = self.scopes.last();
        let depth = self.scopes.len();
        let inside_callable = scope.is_some_and(|scope| scope.inside_callable);
        let is_local = inside_callable && matches!(kind, DefKind::Constant | DefKind::Field);
        if is_local || depth >= MAX_DEPTH {
            return;
        }
        let parent = scope.map(|scope| scope.idx);
        let kind = match (kind, scope) {
            (DefKind::Function, Some(scope)) if scope.kind.is_type() => DefKind::Method,
            (kind, _) => kind,
        };
        let idx = match self.continued(&def, depth, parent) {
            Some(idx) => idx,
            None => self.push(&def, kind, depth, parent),
        };
        self.scopes.push(Scope {
            start,
            end,
            idx,
            kind,
            inside_callable: inside_callable || kind.is_callable(),
        });
    }

    /// Lengthens the definition that a clause continues, and gives its index.
    fn continued(&mut self, def: &FoundDef, depth: usize, parent: Option<u32>) -> Option<u32> {
        let idx = self.last_at_depth[depth];
        let before = self.defs.get_mut(idx as usize)?;
        if !def.is_clause || *before.name != *def.name || before.parent != parent {
            return None;
        }
        before.end_line = last_line(def.node);
        Some(idx)
    }

    fn push(&mut self, def: &FoundDef, kind: DefKind, depth: usize, parent: Option<u32>) -> u32 {
        let place = Place {
            node: def.node,
            body: def.body,
            kind,
        };
        let (line, signature) = signature::of(&place, self.text, &def.name);
        let idx = self.defs.len() as u32;
        self.last_at_depth[depth] = idx;
        self.defs.push(Def {
            name: def.name.as_str().into(),
            kind,
            line,
            end_line: last_line(def.node).max(line),
            parent,
            depth: depth as u8,
            signature: signature.into(),
        });
        idx
    }
}

/// The last line of a node; a node that ends with a line break does not reach into the next line.
fn last_line(node: Node) -> u32 {
    let (start, end) = (node.start_position(), node.end_position());
    let row = if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    };
    row as u32
}
