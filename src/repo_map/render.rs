//! From what was chosen to the map's text, and what each piece of it costs.
//!
//! ```text
//! src/parse.rs:
//!  pub struct Parser<'a>
//!  impl Parser<'_>
//!   fn next_token(&mut self) -> Token
//!  ⋮ peek expect struct Token
//! src/lexer.rs:
//!  ⋮ lex is_space
//! src/main.rs
//! ```
//!
//! Each line starts with a space for every definition around it, and one more; `⋮` stands for what is left out, with the names that are
//! worth a word. Every line begins after a line's end and not with `/` or a line's end, so the tokens of the lines add up to the tokens of the text.

use std::fmt::Write;

use super::facts::Definition;
use super::tags::DefKind;

/// Tokens of ` ⋮` and of the line's end behind the names.
pub(super) const ELISION: usize = 3;
/// Tokens of deeper indentation: all spaces but the last are one.
pub(super) const INDENT: usize = 1;
/// Tokens of a keyword before a name.
pub(super) const KEYWORD: usize = 1;

/// One file of the map.
#[derive(Debug, Clone, Default)]
pub(super) struct Section<'a> {
    pub path: &'a str,
    pub definitions: &'a [Definition],
    /// Definitions whose signatures are shown, with those around them; ascending.
    pub signatures: Vec<usize>,
    /// Definitions that are named; ascending.
    pub names: Vec<usize>,
    /// Some definitions have no line.
    pub elided: bool,
}

/// The word before a name that a reader could not tell from a function's.
fn keyword(kind: DefKind) -> Option<&'static str> {
    match kind {
        DefKind::Class | DefKind::Struct | DefKind::Enum | DefKind::Trait | DefKind::Interface => Some(kind.name()),
        _ => None,
    }
}

/// Tokens of a definition's entry in the line of names.
pub(super) fn name_cost(definition: &Definition) -> usize {
    if !definition.kind.defines_name() {
        return usize::from(definition.signature_tokens);
    }
    usize::from(definition.name_tokens) + if keyword(definition.kind).is_some() { KEYWORD } else { 0 }
}

/// Tokens of a definition's signature line.
pub(super) fn signature_cost(definition: &Definition) -> usize {
    usize::from(definition.signature_tokens) + if definition.depth > 0 { INDENT } else { 0 }
}

/// Writes the sections in their order.
pub(super) fn render(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        out.push_str(section.path);
        if section.signatures.is_empty() && section.names.is_empty() {
            out.push('\n');
            continue;
        }
        out.push_str(":\n");
        for &idx in &section.signatures {
            let definition = &section.definitions[idx];
            let indent = usize::from(definition.depth) + 1;
            let _ = writeln!(out, "{:indent$}{}", "", definition.signature);
        }
        if !section.elided {
            continue;
        }
        out.push_str(" ⋮");
        for &idx in &section.names {
            let definition = &section.definitions[idx];
            out.push(' ');
            if !definition.kind.defines_name() {
                out.push_str(&definition.signature);
                continue;
            }
            if let Some(keyword) = keyword(definition.kind) {
                out.push_str(keyword);
                out.push(' ');
            }
            out.push_str(&definition.name);
        }
        out.push('\n');
    }
    out
}
