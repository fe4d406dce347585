//! Lines to definitions, by the outline of a language without a grammar (see [`crate::languages::Outline`]): what a line
//! fits, where its head and its end are, and what is inside what.
//!
//! A definition reaches over the lines that are indented deeper, and over one that closes it (`end`, `}`). Where the first line
//! below it is not deeper, its body is taken to be written at its own margin, and it ends with what closes it or before
//! the next definition.

use std::ops::Range;

use super::signature;
use super::tags::{Def, FileTags};
use crate::languages::{DefKind, Fit, Outline};

/// Bytes of a line and the ones below it that a shape may look at.
const WINDOW: usize = 1024;
/// Lines that a shape may look at.
const WINDOW_LINES: usize = 3;
/// Longer names are prose or data.
const MAX_NAME: usize = 80;
/// Definitions nested deeper than this are left out.
const MAX_DEPTH: usize = 24;
/// Columns of a tab.
const TAB: u32 = 4;
/// Ranks of what nests by indentation come after those of headings.
const INDENTED: u32 = 1000;

/// The definitions of a text.
pub(super) fn read(outline: &Outline, text: &str) -> FileTags {
    let mut walk = Walk {
        text,
        lines: lines(text),
        defs: Vec::new(),
        scopes: Vec::new(),
    };
    walk.run(outline);
    FileTags {
        defs: walk.defs,
        refs: Vec::new(),
    }
}

/// The bytes of each line, without its end.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.trim_end_matches(['\n', '\r']).len();
            start += line.len();
            range
        })
        .collect()
}

/// A definition that may enclose the next line.
struct Scope {
    idx: u32,
    kind: DefKind,
    rank: u32,
    /// Its body stands deeper than its head; known with the first line below the head.
    is_deeper: Option<bool>,
    inside_callable: bool,
}

struct Walk<'text> {
    text: &'text str,
    lines: Vec<Range<usize>>,
    defs: Vec<Def>,
    scopes: Vec<Scope>,
}

impl Walk<'_> {
    fn run(&mut self, outline: &Outline) {
        let mut skipping = None;
        let mut at = 0;
        while let Some(range) = self.lines.get(at) {
            let line = &self.text[range.clone()];
            let here = at;
            at += 1;
            if let Some(close) = skipping {
                if regex::Regex::is_match(close, line) {
                    skipping = None;
                }
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            if outline.stops_at(line) {
                break;
            }
            skipping = outline.skip_from(line);
            match outline.find(self.window(here)) {
                Some(fit) if fit.shape.kind.is_some() => at = self.visit(here, &fit),
                _ => self.other(here),
            }
        }
        self.close_to(0, self.lines.len());
    }

    /// A line and those below it that belong to what a shape looks at.
    fn window(&self, at: usize) -> &str {
        let start = self.lines[at].start;
        let last = (at + WINDOW_LINES - 1).min(self.lines.len() - 1);
        crate::languages::head(&self.text[start..self.lines[last].end], WINDOW)
    }

    fn rank(&self, at: usize) -> u32 {
        let width = |c| if c == '\t' { TAB } else { 1 };
        let blanks = self.text[self.lines[at].clone()]
            .chars()
            .take_while(|c| c.is_whitespace());
        INDENTED + blanks.map(width).sum::<u32>()
    }

    /// Takes a line as the head of a definition; gives the first line after the head.
    fn visit(&mut self, at: usize, fit: &Fit) -> usize {
        let shape = fit.shape;
        let Range { start, end } = self.lines[at];
        // A name on a later line is defined by that line (`@external` above a function); only titles stand below their lines.
        let is_here = shape.level.is_some() || start + fit.name.start < end;
        let name = clean(&self.text[start + fit.name.start..start + fit.name.end]).filter(|_| is_here);
        let (Some(kind), Some(name)) = (shape.kind, name) else {
            self.other(at);
            return at + 1;
        };
        let name = name.to_owned();
        let rank = shape.level.map_or_else(|| self.rank(at), u32::from);
        if shape.is_clause && self.continues(&name, rank) {
            return at + 1;
        }
        self.close_to(rank, at);
        let enclosing = self.scopes.last();
        let inside_callable = enclosing.is_some_and(|scope| scope.inside_callable);
        let is_local = inside_callable && matches!(kind, DefKind::Constant | DefKind::Field);
        let depth = self.scopes.len();
        if is_local || depth >= MAX_DEPTH {
            return at + 1;
        }
        let kind = match (kind, enclosing) {
            (DefKind::Function, Some(scope)) if scope.kind.is_type() => DefKind::Method,
            (kind, _) => kind,
        };
        let parent = enclosing.map(|scope| scope.idx);
        let (signature, lines) = match shape.level {
            Some(_) if start + fit.name.start >= end => (name.clone(), 1),
            _ => signature::of_lines(&self.text[start..], kind, &name),
        };
        let lines = lines.min(self.lines.len() - at);
        let fitting = self.text[start..start + fit.end].trim_end().matches('\n').count() + 1;
        let idx = self.defs.len() as u32;
        self.defs.push(Def {
            name: name.into(),
            kind,
            line: at as u32,
            end_line: (at + lines - 1) as u32,
            parent,
            depth: depth as u8,
            signature: signature.into(),
        });
        let last = self.text[self.lines[at + lines - 1].clone()].trim_end();
        // What is declared and not defined has no body.
        let declared = last.ends_with(';');
        self.scopes.push(Scope {
            idx,
            kind,
            rank,
            is_deeper: (declared && shape.level.is_none()).then_some(true),
            inside_callable: inside_callable || kind.is_callable(),
        });
        match shape.level {
            Some(_) => at + lines.max(fitting),
            None => at + lines,
        }
    }

    /// Whether the definition that is open at this rank has the name, and so goes on.
    fn continues(&mut self, name: &str, rank: u32) -> bool {
        let Some(place) = self.scopes.iter().position(|scope| scope.rank == rank) else {
            return false;
        };
        let same = *self.defs[self.scopes[place].idx as usize].name == *name;
        if same {
            self.scopes.truncate(place + 1);
        }
        same
    }

    /// A line that defines nothing: it is inside what is open, or ends it.
    fn other(&mut self, at: usize) {
        let rank = self.rank(at);
        let line = self.text[self.lines[at].clone()].trim_start();
        while let Some(scope) = self.scopes.last_mut() {
            let ends = scope.rank < INDENTED && scope.kind != DefKind::Section && line.starts_with("@end");
            if !ends && (scope.rank < INDENTED || rank > scope.rank) {
                scope.is_deeper.get_or_insert(true);
                return;
            }
            if ends || rank == scope.rank {
                if ends || closes(line) {
                    self.defs[scope.idx as usize].end_line = at as u32;
                    self.scopes.pop();
                    return;
                }
                let has_body = scope.kind.is_callable()
                    || scope.kind.is_type()
                    || matches!(scope.kind, DefKind::Module | DefKind::Block | DefKind::Table);
                if has_body && (goes_on(line) || (scope.is_deeper.is_none() && line.starts_with(['{', '(', '[']))) {
                    return;
                }
                if has_body && !*scope.is_deeper.get_or_insert(false) {
                    return;
                }
            }
            let idx = scope.idx;
            self.scopes.pop();
            self.end(idx, at);
        }
    }

    /// Closes what does not enclose a definition of this rank that stands at `at`.
    fn close_to(&mut self, rank: u32, at: usize) {
        while self.scopes.last().is_some_and(|scope| scope.rank >= rank) {
            if let Some(scope) = self.scopes.pop() {
                self.end(scope.idx, at);
            }
        }
    }

    /// A definition ends with the last line before `at` that is neither blank nor a comment on what follows.
    fn end(&mut self, idx: u32, at: usize) {
        let def = &mut self.defs[idx as usize];
        let mut last = at.min(self.lines.len()).saturating_sub(1);
        while last > def.end_line as usize {
            let line = self.text[self.lines[last].clone()].trim_start();
            if !line.is_empty() && !is_comment(line) {
                break;
            }
            last -= 1;
        }
        def.end_line = def.end_line.max(last as u32);
    }
}

/// Whether a line at the margin of a definition belongs to it: another part of its body (`begin`, `private:`, `) (`).
fn goes_on(line: &str) -> bool {
    const PARTS: &[&str] = &[
        "begin",
        "var",
        "else",
        "elsif",
        "elseif",
        "catch",
        "finally",
        "rescue",
        "ensure",
        "exception",
        "contains",
        "where",
    ];
    const LABELS: &[&str] = &[
        "public",
        "private",
        "protected",
        "published",
        "internal",
        "pub",
        "mut",
        "signals",
    ];
    let word = first_word(line).to_ascii_lowercase();
    let line = line.trim_end();
    PARTS.contains(&word.as_str())
        || (LABELS.contains(&word.as_str()) && (line.len() == word.len() || line.ends_with(':')))
        || (line.starts_with(['}', ')', ']']) && line.ends_with(['{', '(', '[']))
}

/// Whether a line at the margin of a definition is its last.
fn closes(line: &str) -> bool {
    let word = first_word(line);
    (line.starts_with(['}', ')', ']']) && !goes_on(line))
        || ["end", "done", "esac", "fi"]
            .iter()
            .any(|end| word.eq_ignore_ascii_case(end))
        || (word.len() > 3 && word.is_char_boundary(3) && word[..3].eq_ignore_ascii_case("end"))
}

fn first_word(line: &str) -> &str {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or(line)
}

fn is_comment(line: &str) -> bool {
    ["//", "/*", "* ", "# ", "--", ";", "@", "(*", "{-", "%", "!", "'"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// A name without blanks and quotes around it; `None` when it is none.
fn clean(name: &str) -> Option<&str> {
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '|'));
    let fits = !name.is_empty() && name.len() <= MAX_NAME && !name.contains(char::is_control);
    fits.then_some(name)
}
