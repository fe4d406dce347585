//! What a plan does that the user should know of, and that is no failure: names that a reply removes and that other text
//! still uses (only words are compared), new files with a conflict in them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::omission::is_prose;
use super::{Content, Contents, FileWrite, WriteKind};

/// Names of fewer characters are in too many texts by chance.
const MIN_NAME: usize = 4;
/// Warnings of one plan.
const MAX_WARNINGS: usize = 10;

static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^[ \t]*(?:(?:pub(?:\([a-z]+\))?|export|default|async|static|public|private|protected|internal|abstract|final|override|unsafe|const|extern|inline|virtual|open|sealed|data)\s+)*(?:fn|def|class|function\*?|func|struct|interface|enum|trait|module|type|macro_rules!|sub|object|record|protocol)\s+([A-Za-z_]\w*)",
    )
    .expect("the pattern is fixed and compiles")
});

pub(super) fn removed_but_used(writes: &[FileWrite], contents: &Contents) -> Vec<String> {
    let mut removed: BTreeMap<&str, &str> = BTreeMap::new();
    for write in writes {
        let Some(before) = &write.before else { continue };
        let after = write.after.as_deref().unwrap_or("");
        if after.contains(before.trim_end()) {
            continue;
        }
        let still: std::collections::BTreeSet<&str> = definitions(after).collect();
        let gone = definitions(before).filter(|name| name.len() >= MIN_NAME && !still.contains(name));
        removed.extend(gone.map(|name| (name, write.path.as_str())));
    }
    for after in writes.iter().filter_map(|write| write.after.as_deref()) {
        for name in definitions(after) {
            removed.remove(name);
        }
    }
    if removed.is_empty() {
        return Vec::new();
    }
    let mut texts: BTreeMap<&str, &str> = contents
        .iter()
        .filter_map(|(path, content)| match content {
            Content::Text(text) => Some((path.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    for write in writes {
        if let WriteKind::Move { from } = &write.kind {
            texts.remove(from.as_str());
        }
        match &write.after {
            Some(after) => texts.insert(&write.path, after),
            None => texts.remove(write.path.as_str()),
        };
    }
    removed
        .into_iter()
        .filter_map(|(name, path)| {
            let (user, line) = texts
                .iter()
                .find_map(|(user, text)| Some((*user, line_of_word(text, name)?)))?;
            Some(format!(
                "`{name}` is no longer defined in `{path}` but `{user}` still uses it (line {line})"
            ))
        })
        .take(MAX_WARNINGS)
        .collect()
}

/// New files that hold the markers of a whole conflict. A document, a patch or a test may mean them, so they are written.
pub(super) fn conflicts_in_new_files(writes: &[FileWrite]) -> Vec<String> {
    let conflict = |text: &str| -> Option<usize> {
        let mut lines = text.lines().enumerate();
        let begins = |line: &str, sign: &str| {
            line.strip_prefix(sign)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let (at, _) = lines.find(|(_, line)| begins(line, "<<<<<<<"))?;
        lines.find(|(_, line)| *line == "=======")?;
        lines.find(|(_, line)| begins(line, ">>>>>>>"))?;
        Some(at + 1)
    };
    writes
        .iter()
        .filter(|write| write.kind == WriteKind::Create && !is_prose(&write.path))
        .filter_map(|write| {
            let line = conflict(write.after.as_deref()?)?;
            Some(format!(
                "`{}` is new and holds an unresolved conflict (line {line})",
                write.path
            ))
        })
        .take(MAX_WARNINGS)
        .collect()
}

fn definitions(text: &str) -> impl Iterator<Item = &str> {
    DEFINITION
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str())
}

/// Line (from 1) of the first use of a whole word.
fn line_of_word(text: &str, word: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let at = text
        .match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))?;
    Some(text[..at].matches('\n').count() + 1)
}
