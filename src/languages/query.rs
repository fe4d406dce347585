//! Tags queries: what the captures of `queries/<name>/tags.scm` mean.
//!
//! A pattern captures one node as `@definition.<kind>` or `@reference.<kind>` and, inside it, the name as `@name`.
//! Several `@name`s in one pattern are joined with `.` (`resource "aws_instance" "web"` is `aws_instance.web`). `@body` may
//! mark where the signature ends; without it the field `body` or a child that opens a brace does. Where two patterns
//! give a definition of the same name node, the one that stands first in the file wins; `@definition.none` wins by making none
//! (`const fs = require("fs")` only imports). `@definition.clause` is a function that may be written in several pieces:
//! a piece after one of the same name lengthens it.
//!
//! A comment `; closed: kind kind` names nodes that hold no definition, however deep: what is inside is not looked at for any, but
//! where it has a syntax error.
//!
//! What every language shares is not in the queries but in [`crate::repo_map`]: a function directly inside a type is a method,
//! a constant inside a function is local and left out, a reference at the place of a definition's name is left out.

use serde::{Deserialize, Serialize};

use super::starts;
use tree_sitter::{Query, QueryError};

macro_rules! kinds {
    ($(#[$doc:meta])* $enum:ident { $($(#[$kind_doc:meta])* $kind:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $enum {
            $($(#[$kind_doc])* $kind,)*
        }

        impl $enum {
            /// The word used in queries and in JSON output.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            pub(super) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$kind),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// What a definition is.
    DefKind {
        Function = "function",
        Method = "method",
        Class = "class",
        Struct = "struct",
        Enum = "enum",
        Trait = "trait",
        Interface = "interface",
        /// Alias, typedef, union of types, newtype.
        Type = "type",
        /// Module, namespace, package.
        Module = "module",
        /// Constant or variable of a module or type.
        Constant = "constant",
        Macro = "macro",
        /// A member that has no body of its own: property, column.
        Field = "field",
        /// A scope that adds to a type defined elsewhere: Rust `impl`, Swift `extension`. It heads what is in it, and defines no name.
        Implementation = "implementation",
        /// A heading of a document, a section of a settings file.
        Section = "section",
        /// A key of a data file.
        Key = "key",
        /// A rule of a build file.
        Target = "target",
        /// A build stage of a container file.
        Stage = "stage",
        /// Table or view.
        Table = "table",
        Message = "message",
        Service = "service",
        /// A named block of a configuration language.
        Block = "block",
        /// A style rule.
        Rule = "rule",
    }
}

kinds! {
    /// How a name is used.
    RefKind {
        Call = "call",
        Constructor = "constructor",
        /// A type that is extended or implemented.
        Implementation = "implementation",
        /// A name that an import brings in.
        Import = "import",
        /// What is imported from, as written: `./util`, `a.b`, `crate::text`, `stdio.h`.
        Module = "module",
        /// Any other mention of a type. Last: where two patterns see one use, the kind that stands first counts.
        Type = "type",
    }
}

impl DefKind {
    /// Whether the definition gives its name a meaning (an `impl` block only adds to one).
    pub fn defines_name(self) -> bool {
        self != Self::Implementation
    }

    /// Whether functions directly inside are methods.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Trait | Self::Interface | Self::Type | Self::Implementation
        )
    }

    /// Whether what is defined inside without a body of its own is local.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }
}

/// The meaning of one capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    Name,
    Body,
    Definition(DefKind),
    /// `@definition.clause`: one more clause of the function before it when that has the same name, else a function.
    Clause,
    /// `@definition.none`: the name is no definition, whatever later patterns say.
    NoDefinition,
    Reference(RefKind),
    /// `@_name`: only for predicates.
    Hidden,
}

/// A compiled query with the meaning of its captures.
#[derive(Debug)]
pub struct TagsQuery {
    pub query: Query,
    /// By capture index.
    captures: Vec<Capture>,
    /// Kinds of nodes where a pattern may start; None when that cannot be told.
    starts: Option<Kinds>,
    closed: Kinds,
}

/// Some of a grammar's kinds of nodes.
#[derive(Debug, Default)]
struct Kinds(Vec<bool>);

impl Kinds {
    /// The kinds of these names; None when one of them is not a kind of its own.
    fn named<'a>(language: &tree_sitter::Language, names: impl IntoIterator<Item = &'a str>) -> Result<Self, &'a str> {
        let mut kinds = Self(vec![false; language.node_kind_count()]);
        for name in names {
            let id = language.id_for_node_kind(name, true);
            if id == 0 || language.node_kind_is_supertype(id) {
                return Err(name);
            }
            kinds.0[usize::from(id)] = true;
        }
        Ok(kinds)
    }

    fn has(&self, kind: u16) -> bool {
        self.0.get(usize::from(kind)).copied().unwrap_or(false)
    }
}

impl TagsQuery {
    /// Compiles a query for a grammar.
    ///
    /// # Errors
    /// When the text is no query, names a node that the grammar lacks, or has a capture that has no meaning.
    pub fn compile(language: &tree_sitter::Language, source: &str) -> Result<Self, String> {
        let query = Query::new(language, source).map_err(|error: QueryError| error.to_string())?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| meaning(name).ok_or_else(|| format!("unknown capture `@{name}`")))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            query,
            captures,
            starts: None,
            closed: Kinds::default(),
        })
    }

    /// Compiles the patterns of a query that give definitions. Those of references are most of the work, when the query is
    /// compiled and when it is run.
    ///
    /// # Errors
    /// As [`Self::compile`], and when a closed node is none of the grammar.
    pub fn compile_definitions(language: &tree_sitter::Language, source: &str) -> Result<Self, String> {
        let definitions = definitions_of(source);
        let starts: Option<Vec<Vec<&str>>> = patterns(&definitions).map(starts::of).collect();
        let closed = Kinds::named(language, closed(source)).map_err(|name| format!("unknown closed node `{name}`"))?;
        Ok(Self {
            starts: starts.and_then(|names| Kinds::named(language, names.into_iter().flatten()).ok()),
            closed,
            ..Self::compile(language, &definitions)?
        })
    }

    /// The meaning of a capture.
    pub fn capture(&self, index: u32) -> Capture {
        self.captures.get(index as usize).copied().unwrap_or(Capture::Hidden)
    }

    /// Whether it is known at which nodes patterns start.
    pub fn knows_starts(&self) -> bool {
        self.starts.is_some()
    }

    /// Whether a pattern may start at a node of this kind.
    pub fn may_start_at(&self, kind: u16) -> bool {
        self.starts.as_ref().is_none_or(|starts| starts.has(kind))
    }

    /// Whether a node of this kind, when it has no syntax error, holds no definition.
    pub fn is_closed(&self, kind: u16) -> bool {
        self.closed.has(kind)
    }
}

/// The nodes that hold no definition.
fn closed(source: &str) -> impl Iterator<Item = &str> {
    let lists = source.lines().filter_map(|line| line.trim().strip_prefix("; closed:"));
    lists.flat_map(str::split_whitespace)
}

/// The patterns of a query that give definitions.
fn definitions_of(source: &str) -> String {
    patterns(source)
        .filter(|pattern| pattern.contains("@definition."))
        .collect()
}

/// A query cut into its patterns, each with the captures behind it; comments belong to the pattern before them.
fn patterns(source: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut in_string, mut in_comment, mut escaped) = (0_usize, false, false, false);
    let mut starts = Vec::new();
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'\n' => in_comment = false,
            _ if in_comment => {}
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b';' => in_comment = true,
            b'(' | b'[' => {
                if depth == 0 {
                    starts.push(at);
                }
                depth += 1;
            }
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let ends: Vec<usize> = starts.iter().copied().skip(1).chain([source.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| &source[start..end])
}

fn meaning(capture: &str) -> Option<Capture> {
    match capture {
        "name" => Some(Capture::Name),
        "body" => Some(Capture::Body),
        _ if capture.starts_with('_') => Some(Capture::Hidden),
        _ => match capture.split_once('.')? {
            ("definition", "clause") => Some(Capture::Clause),
            ("definition", "none") => Some(Capture::NoDefinition),
            ("definition", kind) => DefKind::from_name(kind).map(Capture::Definition),
            ("reference", kind) => RefKind::from_name(kind).map(Capture::Reference),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_cut_into_its_patterns() {
        let source = "; first (\n(a name: (b) @name) @definition.class\n[(c) \"(\" \"\\\"\"] @reference.call ; (x\n((d) @definition.type (#eq? @_x \"]\"))\n";
        assert_eq!(patterns(source).count(), 3);
        assert_eq!(
            definitions_of(source),
            "(a name: (b) @name) @definition.class\n((d) @definition.type (#eq? @_x \"]\"))\n"
        );
    }
}
