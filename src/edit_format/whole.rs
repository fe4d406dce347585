//! `whole`: the whole new text of each file, fenced, under its name.
//!
//! ````text
//! src/a.py
//! ```
//! the whole text
//! ```
//! ````
//!
//! Fences inside the text are followed (see `fenced.rs`). A text without a name is taken for the one file of the chat
//! only when the reply speaks of that file or holds nothing else.

use super::EditFormat;
use super::Hints;
use super::Parsed;
use super::ProblemKind;
use super::Prompts;
use super::fenced;
use super::found::Asked;
use super::found::Strength;
use super::found::Unreadable;
use super::lines;
use super::lines::Line;
use super::name_search::Found;
use super::name_search::Plainness;
use super::names;
use super::names::Project;
use super::prompts;
use super::scan;
use crate::text::fence::FenceLine;

pub(super) struct Whole;

impl EditFormat for Whole {
    fn name(&self) -> &'static str {
        "whole"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        scan::read(reply, hints, Asked::Whole)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/whole.md")))
    }
}

/// `whole` for the model that carries out an architect's plan.
pub(super) struct EditorWhole;

impl EditFormat for EditorWhole {
    fn name(&self) -> &'static str {
        "editor-whole"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        Whole.parse(reply, hints)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/editor-whole.md")))
    }
}

/// A fenced text without markers.
pub(super) struct Quoted<'l, 'a> {
    pub(super) content: &'l [Line<'a>],
    pub(super) fence: FenceLine<'a>,
    pub(super) found: Option<Found>,
    pub(super) is_closed: bool,
    pub(super) end_is_unclear: bool,
    /// The lines between what came before and the fence.
    pub(super) nearest_text: Vec<&'a str>,
}

/// A fenced text as the file that it may be.
pub(super) struct File {
    pub(super) name: Option<String>,
    pub(super) strength: Strength,
    pub(super) text: Result<String, Unreadable>,
}

/// None when the fence holds nothing but a file's name.
///
/// A heading is as good as a name right above when files were asked for (`asks_for_files`), else it only mentions one:
/// replies explain code under headings too.
pub(super) fn read(quoted: &Quoted<'_, '_>, asks_for_files: bool, project: &Project<'_>) -> Option<File> {
    let mut content = quoted.content;
    // A word of the prose does not make a fenced text a file.
    let found = quoted
        .found
        .as_ref()
        .filter(|found| found.plainness != Plainness::Spoken);
    let (name, strength) = match found {
        Some(found) if is_title(found, asks_for_files) => (Some(found.name.clone()), Strength::Named),
        found => match fenced::name_in_first_line(content, project) {
            Some((name, true)) => (Some(name), Strength::Mentioned),
            Some((_, false)) if content.len() == 1 => return None,
            Some((name, false)) => {
                content = &content[1..];
                (Some(name), Strength::Named)
            }
            None => match found {
                Some(found) => (Some(found.name.clone()), Strength::Mentioned),
                None => nameless(quoted, project),
            },
        },
    };
    let text = if !quoted.is_closed {
        Err(Unreadable::new(
            ProblemKind::Open,
            "the reply ends inside this file, before its closing fence",
        ))
    } else if quoted.end_is_unclear {
        Err(Unreadable::new(
            ProblemKind::Malformed,
            "it is unclear where this file ends, as the fences in it do not pair up; the fence around it must be longer",
        ))
    } else {
        Ok(text(content, quoted.fence.indent))
    };
    Some(File { name, strength, text })
}

fn is_title(found: &Found, asks_for_files: bool) -> bool {
    match found.plainness {
        Plainness::Stated => true,
        Plainness::Headed => asks_for_files,
        Plainness::Mentioned | Plainness::Spoken => false,
    }
}

/// Content as a text, without the indentation of the fence around it.
fn text(content: &[Line<'_>], indent: usize) -> String {
    let is_shared = indent > 0 && content.iter().all(|line| line.is_blank() || line.indent() >= indent);
    let cut = if is_shared { indent } else { 0 };
    let texts: Vec<&str> = content.iter().map(|line| line.text.get(cut..).unwrap_or("")).collect();
    let text = lines::join(&texts);
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_string(),
        None => text,
    }
}

/// The one file of the chat, if the text can be it and the reply gives reason to think so.
fn nameless(quoted: &Quoted<'_, '_>, project: &Project<'_>) -> (Option<String>, Strength) {
    let [only] = project.chat_files() else {
        return (None, Strength::Nameless { may_be_file: true });
    };
    let may_be_file = language_fits(quoted.fence.info, only);
    let base = names::base_name(only);
    let is_spoken_of = quoted.nearest_text.iter().any(|text| text.contains(base));
    let stands_alone = quoted.nearest_text.iter().all(|text| text.trim().is_empty()) && !quoted.fence.info.is_empty();
    let name = (may_be_file && (is_spoken_of || stands_alone)).then(|| only.clone());
    (name, Strength::Nameless { may_be_file })
}

/// Words that say that a file is written anew, in lower case.
const REWRITING: &[&str] = &[
    "rewrite",
    "rewriting",
    "rewrote",
    "rewritten",
    "from scratch",
    "replace the whole",
    "replace the entire",
    "replaces the whole",
    "replaces the entire",
    "replaced the whole",
    "replaced the entire",
    "entirely new",
    "completely new",
];

/// Whether a line of prose says that a file is written anew, so that little of it may be left.
pub(super) fn speaks_of_rewriting(line: &str) -> bool {
    let line = line.to_lowercase();
    REWRITING.iter().any(|words| line.contains(words))
}

/// Languages of fences and the extensions of their files, where they differ.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("python", &["py", "pyi"]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("typescript", &["ts", "mts", "cts", "tsx"]),
    ("rust", &["rs"]),
    ("ruby", &["rb"]),
    ("golang", &["go"]),
    ("csharp", &["cs"]),
    ("c#", &["cs"]),
    ("c++", &["cpp", "cc", "cxx", "h", "hpp", "hh"]),
    ("cpp", &["cc", "cxx", "h", "hpp", "hh"]),
    ("c", &["h"]),
    ("kotlin", &["kt", "kts"]),
    ("markdown", &["md", "mdx"]),
    ("yaml", &["yml"]),
    ("yml", &["yaml"]),
    ("html", &["htm", "vue", "svelte", "tpl"]),
    ("perl", &["pl", "pm"]),
    ("haskell", &["hs"]),
    ("elixir", &["ex", "exs"]),
    ("dockerfile", &["Dockerfile"]),
    ("makefile", &["Makefile", "mk"]),
    ("js", &["jsx", "mjs", "cjs"]),
    ("ts", &["tsx"]),
];

/// Whether a fence's language is that of a file. A fence without a language fits every file.
fn language_fits(info: &str, path: &str) -> bool {
    let language = info
        .split(|c: char| c.is_whitespace() || matches!(c, '{' | ':' | ','))
        .next()
        .unwrap_or("");
    let language = language.to_ascii_lowercase();
    let base = names::base_name(path);
    let extension = base.rsplit_once('.').map_or(base, |(_, extension)| extension);
    language.is_empty()
        || extension.eq_ignore_ascii_case(&language)
        || LANGUAGES
            .iter()
            .any(|(name, extensions)| *name == language && extensions.contains(&extension))
}

/// Whether a file with this name can be what a shell fence holds.
pub(super) fn may_be_script(name: &str) -> bool {
    let path = names::slashed(name);
    let base = names::base_name(&path);
    match base.rsplit_once('.') {
        None | Some(("", _)) => true,
        Some((_, extension)) => matches!(
            extension.to_ascii_lowercase().as_str(),
            "sh" | "bash" | "zsh" | "fish" | "ksh" | "csh" | "ps1" | "psm1" | "bat" | "cmd" | "env" | "bats"
        ),
    }
}
