//! Recognises lines that stand for code a model did not write out ("the rest stays as it is"), and whole files that
//! lost most of what they held.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

/// Files below this many filled lines may shrink to anything.
const MIN_LINES_TO_GUARD: usize = 25;
/// A whole file that keeps less than this share of the old lines, most of its own lines being old ones
/// (`MIN_OLD_SHARE`), is a part of the file and no new version of it.
const MIN_KEPT_SHARE: f64 = 0.25;
const MIN_OLD_SHARE: f64 = 0.7;
/// The same for a text that does not begin as the file does: an excerpt.
const MIN_KEPT_SHARE_OF_EXCERPT: f64 = 0.5;
const MIN_OLD_SHARE_OF_EXCERPT: f64 = 0.6;

/// What the omitted part is called, one noun of many.
const THING: &str = r"(?:code|contents?|text|methods?|functions?|implementations?|logic|imports?|file|class(?:es)?|components?|tests?|styles?|rules?|lines?|sections?|fields?|propert(?:y|ies)|routes?|handlers?|html|css|jsx|markup|body|config(?:uration)?|settings?|definitions?|declarations?|variables?|constants?|state|props|elements?|entries|attributes?|parameters?|cases?|statements?|document|script|module|page|template|block|dependencies|stuff|parts?|columns?|rows?|steps?|options?|endpoints?|helpers?|types?|queries|commands?|constructors?|hooks?|modules?|packages?|exports?|structs?|enums?|tables?|keys?)";

/// What is said of a part that is left out.
const STAYS: &str = r"(?:unchanged|untouched|intact|the\s+same|same|as\s+(?:is|before|it\s+(?:is|was))|remains?|stays?|goes\s+here|here|omitted|above|below|continues?)";

/// The part that is left out, at the start of the remark.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"^(?:and\s+)?(?:(?:keep|leave|include|insert|add|put)\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+|your\s+|my\s+)?(?:rest\s+of|remainder\s+of|remaining|existing|other|previous|original|unchanged)\s+(?:the\s+|your\s+|this\s+)?(?:[\w/-]+\s+){{0,3}}?{THING}\b(?P<tail>.*)$"
    ))
});
/// After dots, one of these words is enough.
static WEAK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:rest\b|existing|unchanged|remaining|remainder|same\s+as|as\s+before|previous|omitted|other\s+(?:\w+\s+)?{THING}|more\s+{THING}|keep|continues?|brevity|original)\b"
    ))
});
/// What is said of the part, after it.
static TAIL: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"\b{STAYS}\b")));
/// Remarks that need no part.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"^(?:(?:no\s+changes?|unchanged|same\s+as\s+(?:before|above|original))(?:\s+(?:here|above|below|needed))?|(?:the\s+)?(?:rest|remainder|everything\s+else|{THING})\s+(?:remains?|stays?|is|are)\s+(?:unchanged|untouched|intact|the\s+same|omitted|as\s+(?:is|before|it\s+(?:is|was)))|.*\bomitted\s+for\s+brevity|(?:the\s+)?(?:entire|whole|full|complete)\s+(?:\w+\s+){{0,2}}{THING}\s+(?:goes\s+)?here)\W*$"
    ))
});

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the patterns are fixed and compile")
}

/// Whether a line stands for omitted code. `path` tells prose and Python, where dots alone mean something, from the rest.
pub(super) fn is_omission(line: &str, path: &str) -> bool {
    let Some(body) = comment_body(line) else {
        let python = path.ends_with(".py") || path.ends_with(".pyi") || path.ends_with(".ipynb");
        return !python && matches!(line.trim(), "..." | "…");
    };
    let body = body.to_lowercase();
    let body = body.trim();
    let inner = body.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | '<' | '>' | '-' | '=' | '*' | ' '));
    let dots = |text: &str| text.starts_with("...") || text.starts_with('…');
    let said = inner.trim_matches(|c: char| matches!(c, '.' | '…' | ' ' | '(' | ')' | '[' | ']'));
    if said.is_empty() {
        return dots(inner);
    }
    let ends_with_dots = inner.ends_with("...") || inner.ends_with('…');
    let part = PART.captures(said).is_some_and(|found| {
        let tail = found.name("tail").map_or("", |tail| tail.as_str()).trim();
        tail.is_empty() || TAIL.is_match(tail) || (ends_with_dots && !tail.contains(' '))
    });
    part || (dots(inner) && WEAK.is_match(said)) || ALONE.is_match(said)
}

/// A line of dots, bare or in a comment, perhaps with a word on what they stand for: where both halves of a block hold
/// the same such line, the text between is left as it is.
pub(super) fn is_elision(line: &str) -> bool {
    matches!(line.trim(), "..." | "…" | "....") || is_omission(line, "")
}

/// The text of a line that is nothing but a comment, or a remark in brackets.
fn comment_body(line: &str) -> Option<&str> {
    let line = line.trim();
    let pairs = [
        ("{/*", "*/}"),
        ("/*", "*/"),
        ("<!--", "-->"),
        ("{{!--", "--}}"),
        ("{#", "#}"),
        ("[", "]"),
        ("(", ")"),
        ("(*", "*)"),
    ];
    for (open, close) in pairs {
        if let Some(body) = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            return Some(body.trim_matches(['*', '-', ' ']));
        }
    }
    for open in [
        "///", "//", "##", "#", "--", ";;", ";", "%", "'", "/*", "<!--", "*", "REM ", "\"\"\"",
    ] {
        if let Some(body) = line.strip_prefix(open) {
            return Some(body.trim());
        }
    }
    None
}

/// Indices of the lines of `new` that stand for omitted code and are not in `old`. In prose files only lines outside
/// fenced samples count: a sample may show such a line.
pub(super) fn introduced<'n>(
    old: impl Iterator<Item = &'n str>,
    new: impl Iterator<Item = &'n str>,
    path: &str,
) -> Vec<usize> {
    let old: HashSet<&str> = old.map(str::trim).collect();
    let prose = is_prose(path);
    let mut in_sample = false;
    let mut found = Vec::new();
    for (idx, line) in new.enumerate() {
        if prose && line.trim_start().starts_with("```") {
            in_sample = !in_sample;
        } else if !in_sample && !old.contains(line.trim()) && is_omission(line, path) {
            let only_looks_so = prose && is_heading_or_item(line);
            if !only_looks_so {
                found.push(idx);
            }
        }
    }
    found
}

pub(super) fn is_prose(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or("").to_lowercase();
    matches!(
        extension.as_str(),
        "md" | "markdown" | "mdx" | "rst" | "txt" | "adoc" | "org"
    )
}

/// A heading or a list item begins like a comment and is none.
fn is_heading_or_item(line: &str) -> bool {
    line.trim_start().starts_with(['#', '*', '-', '\'', ';', '%'])
}

/// Whether a whole new text looks like a part of the old one rather than a shorter version of it: much is gone, and what
/// is there was there before. `elsewhere` tells whether a line went to another file of the reply.
pub(super) fn is_unexplained_shrinkage<'t>(old: &[&'t str], new: &[&'t str], elsewhere: &dyn Fn(&str) -> bool) -> bool {
    let filled = |lines: &[&'t str]| -> Vec<&'t str> {
        lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .collect()
    };
    let (old, new) = (filled(old), filled(new));
    if new.is_empty() {
        return !old.is_empty();
    }
    if old.len() < MIN_LINES_TO_GUARD {
        return false;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in &old {
        *left.entry(line).or_default() += 1;
    }
    let mut kept = 0_usize;
    for line in &new {
        if let Some(n) = left.get_mut(line).filter(|n| **n > 0) {
            *n -= 1;
            kept += 1;
        }
    }
    let moved = old
        .iter()
        .filter(|line| left.get(*line).is_some_and(|n| *n > 0) && elsewhere(line))
        .count();
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let begins_alike = new
        .iter()
        .take(3)
        .any(|line| old.iter().take(3).any(|other| other == line));
    let (min_kept, min_old) = match begins_alike {
        true => (MIN_KEPT_SHARE, MIN_OLD_SHARE),
        false => (MIN_KEPT_SHARE_OF_EXCERPT, MIN_OLD_SHARE_OF_EXCERPT),
    };
    share(kept + moved, old.len()) < min_kept && share(kept, new.len()) >= min_old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_stand_for_omitted_code() {
        for line in [
            "// ... existing code ...",
            "    # ... rest of the function unchanged",
            "# rest of the code remains the same",
            "/* ... other styles ... */",
            "<!-- rest of the page stays the same -->",
            "{/* ... existing components */}",
            "-- remaining columns unchanged",
            "// ...",
            "...",
            "// (existing methods)",
            "// Rest of your code here",
            "# ... (previous imports)",
            "// existing code...",
            "// Keep the rest of the file unchanged",
        ] {
            assert!(is_omission(line, "a.js"), "{line}");
        }
    }

    #[test]
    fn comments_that_only_sound_like_it() {
        for line in [
            "// Loading remaining items...",
            "# Remove existing users before the import",
            "// The rest is history",
            "# Check that other fields are valid",
            "let a = [...rest];",
            "// unchanged_lines counts what stayed",
            "# other tests depend on this order",
            "// previous state is needed for the animation",
            "# remaining lines are read by the worker",
            "print('... existing code ...')",
            "# Skip the header of the file",
            "# keep the connection alive",
        ] {
            assert!(!is_omission(line, "a.js"), "{line}");
        }
        assert!(!is_omission("    ...", "stub.pyi"));
    }

    #[test]
    fn a_part_of_a_file_is_no_new_version() {
        let old: Vec<String> = (0..60).map(|n| format!("line {n}")).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        assert!(is_unexplained_shrinkage(&old, &old[..10], &|_| false));
        assert!(!is_unexplained_shrinkage(&old, &old[..10], &|_| true));
        assert!(!is_unexplained_shrinkage(&old, &old[..40], &|_| false));
        let rewrite = ["all", "new", "text"];
        assert!(!is_unexplained_shrinkage(&old, &rewrite, &|_| false));
        assert!(is_unexplained_shrinkage(&old, &[], &|_| false));
    }
}
