//! The languages codriver can read: how a file's language is recognised, its grammar and its tags query.
//!
//! One row of [`LANGUAGES`] is one language; `queries/<name>/tags.scm` says what its definitions and references are
//! (see [`query`] for the captures), `fixtures/languages/<name>/` shows what comes out. Where the build has no grammar,
//! `queries/<name>/outline.txt` tells definitions by the shape of lines (see [`Outline`]). Reading tags off a text is
//! [`crate::repo_map`]'s work, not done here.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod outline;
mod query;
mod starts;
mod table;

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

pub use outline::{Fit, Outline, Shape};
pub use query::{Capture, DefKind, RefKind, TagsQuery};
pub use table::{LANGUAGES, UNKNOWN};

/// One row of [`LANGUAGES`].
pub struct Language {
    /// Name of the row, of its query folder and of its fixture folder: `c-sharp`, `typescript`.
    pub name: &'static str,
    /// Extensions without the dot, lower case unless case tells languages apart. No two rows share one.
    pub extensions: &'static [&'static str],
    /// Exact file names, for files known by name: `Makefile`.
    pub file_names: &'static [&'static str],
    /// Programs that a `#!` line may name, without version digits: `python` for `#!/usr/bin/env python3.12`.
    pub shebangs: &'static [&'static str],
    /// Its grammar and query; `None` when this build has none, or when it is read only through the languages inside it.
    pub grammar: Option<Grammar>,
    /// How to read it by its lines; used where there is no grammar.
    pub lines: Option<Lines>,
    /// Other languages inside it.
    pub embeds: Option<Embedding>,
    /// The user's text in place of the query or the outline.
    own: &'static OnceLock<String>,
}

/// How a text holds other languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Embedding {
    /// `<script>` elements, as JavaScript or TypeScript: HTML, Vue, Svelte.
    Scripts,
    /// The same, and TypeScript between the first two lines of dashes.
    Astro,
    /// The code cells of a Jupyter notebook.
    Notebook,
}

/// A grammar with its query; both are made when first used.
pub struct Grammar {
    load: fn() -> tree_sitter::Language,
    source: &'static str,
    loaded: &'static OnceLock<tree_sitter::Language>,
    compiled: &'static OnceLock<TagsQuery>,
    definitions: &'static OnceLock<TagsQuery>,
}

/// An outline, made when first used.
pub struct Lines {
    source: &'static str,
    compiled: &'static OnceLock<Outline>,
}

impl Language {
    /// The tree-sitter grammar; `None` for a language that is only read through those inside it.
    pub fn grammar(&self) -> Option<&'static tree_sitter::Language> {
        self.grammar
            .as_ref()
            .map(|grammar| grammar.loaded.get_or_init(grammar.load))
    }

    /// The compiled tags query (a few milliseconds the first time); `None` where [`Self::grammar`] is.
    ///
    /// # Panics
    /// When the query does not fit the grammar, which a test rules out for every row.
    pub fn query(&self) -> Option<&'static TagsQuery> {
        let grammar = self.grammar.as_ref()?;
        let query = || self.compile(grammar, TagsQuery::compile);
        Some(grammar.compiled.get_or_init(query))
    }

    /// The part of [`Self::query`] that gives definitions.
    ///
    /// # Panics
    /// As [`Self::query`].
    pub fn definitions_query(&self) -> Option<&'static TagsQuery> {
        let grammar = self.grammar.as_ref()?;
        let query = || self.compile(grammar, TagsQuery::compile_definitions);
        Some(grammar.definitions.get_or_init(query))
    }

    fn compile(
        &self,
        grammar: &Grammar,
        how: fn(&tree_sitter::Language, &str) -> Result<TagsQuery, String>,
    ) -> TagsQuery {
        how(grammar.loaded.get_or_init(grammar.load), self.query_source())
            .unwrap_or_else(|error| panic!("queries/{}/tags.scm: {error}", self.name))
    }

    /// The compiled outline of a language that has one.
    ///
    /// # Panics
    /// When its text is wrong, which a test rules out for every row.
    pub fn outline(&self) -> Option<&'static Outline> {
        let lines = self.lines.as_ref()?;
        Some(lines.compiled.get_or_init(|| {
            Outline::compile(self.query_source())
                .unwrap_or_else(|error| panic!("queries/{}/outline.txt: {error}", self.name))
        }))
    }

    /// The text of the tags query, or of the outline without a grammar, or nothing. With the grammar's version it decides
    /// the tags, so a cache can hash it into its key.
    pub fn query_source(&self) -> &'static str {
        if let Some(own) = self.own.get() {
            return own;
        }
        self.builtin_source()
    }

    /// The file of a user's own text: `tags.scm` where the build has the grammar, `outline.txt` where it has none.
    pub fn query_file(&self) -> Option<&'static str> {
        match (&self.grammar, &self.lines) {
            (Some(_), _) => Some("tags.scm"),
            (None, Some(_)) => Some("outline.txt"),
            (None, None) => None,
        }
    }

    /// Reads the language by a text of the user from now on, for the whole process; to be called before any file is read. With
    /// `; extends` or `# extends` as its first line the text goes before the built-in one, else it replaces it.
    ///
    /// # Errors
    /// Says what is wrong with the text and where; nothing is changed then. Or that the language is already read by another.
    pub fn replace_query(&self, text: &str) -> Result<(), String> {
        let first = text.lines().next().unwrap_or("");
        let extends = first.trim_start_matches([';', '#', ' ']).trim_end() == "extends";
        let source = if extends {
            // The nodes that hold no definition of ours may hold one of theirs.
            let builtin = self
                .builtin_source()
                .lines()
                .filter(|line| !line.starts_with("; closed:"));
            builtin.fold(text.to_owned(), |all, line| all + "\n" + line)
        } else {
            text.to_owned()
        };
        match self.grammar() {
            Some(grammar) => {
                TagsQuery::compile(grammar, &source)?;
                TagsQuery::compile_definitions(grammar, &source)?;
            }
            None if self.lines.is_some() => {
                Outline::compile(&source)?;
            }
            None => return Err("the language is only read through those inside it".to_owned()),
        }
        self.own
            .set(source)
            .map_err(|_| "the language has an own text already".to_owned())
    }

    fn builtin_source(&self) -> &'static str {
        match (&self.grammar, &self.lines) {
            (Some(grammar), _) => grammar.source,
            (None, Some(lines)) => lines.source,
            (None, None) => "",
        }
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Language").field(&self.name).finish()
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

/// The language that a path alone tells: by its file name, then by its extension.
pub fn by_path(path: &str) -> Option<&'static Language> {
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if let Some(language) = INDEX.file_names.get(file_name) {
        return Some(language);
    }
    // `Dockerfile.dev`, `Makefile.am`: the part before the dot names the language.
    let (stem, extension) = file_name.rsplit_once('.')?;
    by_extension(extension).or_else(|| {
        let stem = stem.split('.').next().unwrap_or(stem);
        INDEX.file_names.get(stem).copied()
    })
}

/// The language of a row's name.
pub fn by_name(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

/// The language of a script by its first line, `#!/usr/bin/env python3`.
pub fn by_shebang(first_line: &str) -> Option<&'static Language> {
    let command = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut words = command
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        // Options (`-S`) and settings (`A=b`) of env come before the program.
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.iter().find(|language| language.shebangs.contains(&program))
}

/// The language of a file whose text is at hand: what the path says, corrected where an extension serves two
/// languages (`.h`, `.m`, `.v`), else the `#!` line. Only the first few KiB of the text are looked at.
pub fn detect(path: &str, text: &str) -> Option<&'static Language> {
    let Some(language) = by_path(path) else {
        return by_shebang(text.lines().next().unwrap_or(""));
    };
    let head = head(text, 16 * 1024);
    let extension = path.rsplit('.').next().unwrap_or("");
    let better = match (language.name, extension) {
        ("c", "h") if looks_like_objc(head) => "objc",
        ("c", "h") if looks_like_cpp(head) => "cpp",
        ("objc", "m") if !looks_like_objc(head) => "matlab",
        ("verilog", "v")
            if has_line(
                head,
                &["Require ", "From ", "Theorem ", "Lemma ", "Definition ", "Import "],
            ) =>
        {
            "coq"
        }
        ("verilog", "v") if has_line(head, &["fn ", "pub fn ", "pub struct "]) => "v",
        ("pascal", "pp") if has_line(head, &["class ", "define ", "node ", "include ", "$"]) => "puppet",
        ("commonlisp", "cl") if has_line(head, &["__kernel", "kernel void", "#include", "#pragma", "#define"]) => "c",
        ("cpp", "hh") if head.starts_with("<?hh") => "hack",
        ("apex", "cls") if has_line(head, &["\\", "%"]) => "latex",
        ("apex", "cls") if has_line(head, &["VERSION ", "Attribute VB_"]) => "visual-basic",
        _ => return Some(language),
    };
    by_name(better).or(Some(language))
}

/// The language to read a file's definitions in: [`detect`], else of a template what it makes (`index.html.erb`), else what most
/// languages share, where the text looks like code. Such readings are good for a map and too loose to check a text by.
pub fn detect_loosely(path: &str, text: &str) -> Option<&'static Language> {
    detect(path, text).or_else(|| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        if TEMPLATES.contains(&extension.as_str()) {
            return by_path(stem);
        }
        let may_be_code = !stem.is_empty() && !NO_CODE.contains(&extension.as_str());
        (may_be_code && looks_like_code(head(text, 16 * 1024))).then_some(&UNKNOWN)
    })
}

/// Extensions of templates: the one before them tells what they make.
const TEMPLATES: &[&str] = &[
    "erb", "j2", "jinja", "jinja2", "tmpl", "tpl", "in", "tt", "ejs", "mustache", "hbs", "template", "dist", "sample",
];

/// Extensions of prose, data, and listings of code that stands elsewhere.
const NO_CODE: &[&str] = &[
    "txt", "text", "rdoc", "mdc", "wiki", "textile", "log", "out", "csv", "tsv", "xml", "svg", "diff", "patch", "snap",
    "lock", "expected", "golden", "api", "stderr", "stdout", "po", "pot", "dat", "data", "srt", "man", "pod", "ini",
    "cfg", "conf", "env", "list", "txtar",
];

/// Whether a quarter of the lines ends as lines of code do.
fn looks_like_code(head: &str) -> bool {
    let lines = || head.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let ends = |line: &&str| {
        line.ends_with(['{', '}', ';', ')', ']', ':', '=']) || line.ends_with("end") || line.ends_with(" do")
    };
    lines().filter(ends).count() * 4 >= lines().count()
}

/// At most `limit` bytes from the start, cut between characters.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn looks_like_cpp(head: &str) -> bool {
    head.lines().map(str::trim_start).any(|line| {
        [
            "class ",
            "namespace ",
            "template<",
            "template <",
            "using ",
            "public:",
            "private:",
            "protected:",
        ]
        .iter()
        .any(|start| line.starts_with(start))
            || line.contains("std::")
    })
}

fn looks_like_objc(head: &str) -> bool {
    has_line(
        head,
        &["#import ", "@interface ", "@implementation ", "@protocol ", "@class "],
    )
}

/// Whether a line starts with one of these, after blanks.
fn has_line(head: &str, starts: &[&str]) -> bool {
    head.lines()
        .map(str::trim_start)
        .any(|line| starts.iter().any(|start| line.starts_with(start)))
}

fn by_extension(extension: &str) -> Option<&'static Language> {
    if let Some(language) = INDEX.extensions.get(extension) {
        return Some(language);
    }
    INDEX.extensions.get(extension.to_ascii_lowercase().as_str()).copied()
}

struct Index {
    extensions: HashMap<&'static str, &'static Language>,
    file_names: HashMap<&'static str, &'static Language>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| Index {
    extensions: LANGUAGES
        .iter()
        .flat_map(|language| language.extensions.iter().map(move |extension| (*extension, language)))
        .collect(),
    file_names: LANGUAGES
        .iter()
        .flat_map(|language| language.file_names.iter().map(move |name| (*name, language)))
        .collect(),
});

#[cfg(test)]
mod tests {
    use super::*;

    fn name(language: Option<&'static Language>) -> &'static str {
        language.map_or("", |language| language.name)
    }

    #[test]
    fn reads_the_path() {
        for (path, expected) in [
            ("src/a.py", "python"),
            ("a/b.TSX", "tsx"),
            ("lib.rs", "rust"),
            ("C:\\work\\main.js", "javascript"),
            (".py", "python"),
            ("py", ""),
            ("a.unknown", ""),
            ("", ""),
        ] {
            assert_eq!(name(by_path(path)), expected, "{path}");
        }
    }

    #[test]
    fn reads_the_text_where_an_extension_serves_two_languages() {
        assert_eq!(name(detect("a.h", "int f(void);\n")), "c");
        assert_eq!(name(detect("a.h", "#pragma once\nnamespace a {\n}\n")), "cpp");
        assert_eq!(name(detect("a.H", "int f();\n")), "cpp");
    }

    #[test]
    fn reads_the_shebang() {
        for (line, expected) in [
            ("#!/usr/bin/env python3", "python"),
            ("#!/usr/bin/python3.12 -u", "python"),
            ("#!/usr/bin/env -S NODE_ENV=x node --harmony", "javascript"),
            ("#!", ""),
            ("# python", ""),
        ] {
            assert_eq!(name(by_shebang(line)), expected, "{line}");
        }
        assert_eq!(name(detect("bin/run", "#!/usr/bin/env python\nprint(1)\n")), "python");
    }
}
