//! The signature of a definition: what a reader needs to use it, on one line.

use tree_sitter::{Node, TreeCursor};

use crate::languages::DefKind;

/// Characters; a longer signature is cut. Long enough for four typed parameters.
const MAX_SIGNATURE: usize = 160;
/// The same for what is neither called nor a type: of a constant only the beginning is worth its tokens.
const MAX_OTHER: usize = 100;
/// Lines that a signature without a body may span while its brackets are open.
const MAX_LINES: usize = 12;
/// Nodes looked at to find comments inside a signature.
const MAX_NODES: usize = 400;

/// Where a definition stands in the tree.
pub(super) struct Place<'tree> {
    pub node: Node<'tree>,
    /// What the query marked as the body.
    pub body: Option<Node<'tree>>,
    pub kind: DefKind,
}

/// The first line (from 0) and the text of a definition's signature; the name alone when there is nothing better.
///
/// From the first token that is no attribute to where the body starts, comments left out, line breaks closed up,
/// the opening brace or colon dropped.
pub(super) fn of(place: &Place, text: &str, name: &str) -> (u32, String) {
    let node = place.node;
    let (start, row) = start(node, text);
    // A Lisp form ends where its body does: its first line is the best guess at a signature.
    let is_form = text[start..].starts_with('(');
    let (limit, lines) = match place.kind.is_callable() || place.kind.is_type() {
        true if is_form => (MAX_SIGNATURE, 1),
        true => (MAX_SIGNATURE, MAX_LINES),
        false => (MAX_OTHER, 1),
    };
    let is_field_list = |at: &usize| text.as_bytes().get(*at) == Some(&b'(') && !place.kind.is_callable();
    let body_start = place.body.map(|body| body.start_byte()).or_else(|| {
        // The fields of `struct Meters(f64);` belong to the signature.
        body_of(node)
            .map(|body| body.start_byte())
            .filter(|at| !is_field_list(at))
    });
    let end = match body_start {
        Some(end) if end > start => end,
        _ => end_without_body(&text[start..node.end_byte().max(start)], lines) + start,
    };
    let source = &text[start..end];
    let mut out = String::with_capacity(source.len().min(2 * MAX_SIGNATURE));
    if source.contains('\n') {
        let mut from = start;
        for comment in comments(node, start, end) {
            if comment.start >= from {
                push_joined(&mut out, &text[from..comment.start]);
                push_joined(&mut out, "\n");
                from = comment.end;
            }
        }
        push_joined(&mut out, &text[from.min(end)..end]);
    } else {
        push_joined(&mut out, source);
    }
    // An escape code in a default value must not reach the screen.
    out.retain(|c| !c.is_control());
    trim_end(&mut out);
    cut(&mut out, limit);
    // The name may stand after the body (`typedef struct { … } Point;`) or be several (`resource "a" "b"`).
    if !name.split('.').all(|part| out.contains(part)) && !out.ends_with('…') {
        if !out.is_empty() {
            out.push_str(" … ");
        }
        out.push_str(name);
    }
    (row as u32, out)
}

/// The signature of a definition whose head starts `source`, by its lines alone, and how many lines the head takes.
pub(super) fn of_lines(source: &str, kind: DefKind, name: &str) -> (String, usize) {
    let is_head = kind.is_callable() || kind.is_type() || kind == DefKind::Module;
    let is_form = source.trim_start().starts_with('(');
    let first = source.find('\n').unwrap_or(source.len());
    let (limit, end) = match is_head {
        true if is_form => (MAX_SIGNATURE, first),
        true => (MAX_SIGNATURE, end_without_body(source, MAX_LINES)),
        false => (MAX_OTHER, first),
    };
    // Brackets that do not close within the lines allowed are no list of parameters.
    let head = &source[..if is_closed(&source[..end]) { end } else { first }];
    let mut out = String::with_capacity(head.len().min(2 * MAX_SIGNATURE));
    let name_end = head.find(name).map_or(0, |at| at + name.len());
    // A brace at the end is dropped below; what one in the middle opens is a body, unless the head goes on behind it.
    let shown = match head[name_end..].find('{') {
        Some(open) if is_head && !head.trim_end().ends_with('{') && is_closed(&head[..name_end + open]) => {
            &head[..name_end + open]
        }
        _ => head,
    };
    push_joined(&mut out, shown.trim());
    out.retain(|c| !c.is_control());
    trim_end(&mut out);
    for word in [" do", " is", " as", " begin", " then", " where"] {
        if out.to_ascii_lowercase().ends_with(word) {
            out.truncate(out.len() - word.len());
            trim_end(&mut out);
        }
    }
    cut(&mut out, limit);
    if out.is_empty() {
        out.push_str(name);
    }
    (out, head.matches('\n').count() + 1)
}

/// Whether every round and square bracket is closed.
fn is_closed(source: &str) -> bool {
    let count = |open, close| source.matches(open).count() <= source.matches(close).count();
    count('(', ')') && count('[', ']')
}

/// Where the signature starts: after attributes, and with what stands before it on its line (`export default`).
fn start(node: Node, text: &str) -> (usize, usize) {
    let first = first_token(node, 0);
    let (start, row) = first.map_or((node.start_byte(), node.start_position().row), |first| {
        (first.start_byte(), first.start_position().row)
    });
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..start];
    let words = before.trim_start();
    let is_modifiers = !words.is_empty()
        && words.len() <= 32
        && words.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ' || b == b'_');
    if is_modifiers {
        (start - words.len(), row)
    } else {
        (start, row)
    }
}

/// The first child that is no attribute; looks into a list of modifiers, which may hold annotations.
fn first_token<'tree>(node: Node<'tree>, depth: usize) -> Option<Node<'tree>> {
    for idx in 0..node.child_count().min(16) {
        let child = node.child(idx)?;
        let kind = child.kind();
        if is_attribute(kind) {
            continue;
        }
        if depth < 2 && kind.contains("modifier") && child.child_count() > 0 {
            match first_token(child, depth + 1) {
                Some(inner) => return Some(inner),
                None => continue,
            }
        }
        return Some(child);
    }
    None
}

fn is_attribute(kind: &str) -> bool {
    kind.contains("attribute")
        || kind.contains("annotation")
        || kind.contains("decorator")
        || kind.contains("comment")
        || kind == "description"
}

/// The field `body`, or the first child that opens a brace.
fn body_of(node: Node) -> Option<Node> {
    node.child_by_field_name("body").or_else(|| {
        (0..node.child_count().min(32))
            .filter_map(|idx| node.child(idx))
            .find(|child| {
                child.kind() == "{" || (child.child_count() > 0 && child.child(0).is_some_and(|c| c.kind() == "{"))
            })
    })
}

/// Length of the first line of `source`, or of as many as it takes to close the round and square brackets.
fn end_without_body(source: &str, max_lines: usize) -> usize {
    let mut open = 0usize;
    let mut lines = 0;
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'(' | b'[' => open += 1,
            b')' | b']' => open = open.saturating_sub(1),
            b'\n' => {
                lines += 1;
                if open == 0 || lines == max_lines {
                    return at;
                }
            }
            _ => {}
        }
        // Far more than will be shown.
        if at > 16 * MAX_SIGNATURE && source.is_char_boundary(at) {
            return at;
        }
    }
    source.len()
}

/// The comments between two offsets, in order.
fn comments(node: Node, start: usize, end: usize) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let mut seen = 0;
    if !cursor.goto_first_child() {
        return found;
    }
    loop {
        let here = cursor.node();
        seen += 1;
        if seen > MAX_NODES || here.start_byte() >= end {
            break;
        }
        if here.kind().contains("comment") {
            if here.start_byte() >= start && here.end_byte() <= end {
                found.push(here.byte_range());
            }
        } else if here.end_byte() > start && cursor.goto_first_child() {
            continue;
        }
        if !next(&mut cursor, node) {
            break;
        }
    }
    found
}

/// To the next node that is not below this one; `false` at the end of `root`.
fn next(cursor: &mut TreeCursor, root: Node) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() || cursor.node() == root {
            return false;
        }
    }
}

/// Appends with white space closed up; where a line is broken after an opening bracket or before a closing one, nothing
/// stays between.
fn push_joined(out: &mut String, source: &str) {
    let mut words = source.split_whitespace().peekable();
    if words.peek().is_none() {
        if !source.is_empty() && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        return;
    }
    if source.starts_with(char::is_whitespace) && !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
    let broken = source.contains('\n');
    for word in words {
        if broken || out.ends_with(' ') {
            close_up(out, word);
        }
        out.push_str(word);
        out.push(' ');
        if out.len() > 8 * MAX_SIGNATURE {
            return;
        }
    }
    if !source.ends_with(char::is_whitespace) {
        out.pop();
    }
}

fn close_up(out: &mut String, word: &str) {
    if !out.ends_with(' ') {
        return;
    }
    let closes = word.starts_with([')', ']']);
    let before = out.trim_end();
    if before.ends_with(['(', '[']) {
        out.truncate(before.len());
    } else if closes {
        out.truncate(before.trim_end_matches(',').len());
    } else if word.starts_with('}') && before.ends_with(',') {
        out.truncate(before.len() - 1);
        out.push(' ');
    }
}

/// Drops what only announces the body.
fn trim_end(out: &mut String) {
    let trimmed = out.trim_end_matches([' ', '{', ':', ';', ',', '=']);
    out.truncate(trimmed.len());
}

fn cut(out: &mut String, limit: usize) {
    if let Some((at, _)) = out.char_indices().nth(limit) {
        out.truncate(at);
        out.truncate(out.trim_end().len());
        out.push('…');
    }
}
