//! The decoration that models put around file names: headings, lists, emphasis, labels, remarks, links, fence lines.
//! What can be a name at all is decided in `names.rs`, where to look for one in `name_search.rs`.

use super::names;
use super::names::Evidence;
use super::names::LONGEST;
use super::names::Project;
use super::names::is_name;

/// Words of a title over a file: `### Updated file: src/a.rs`, `Step 2: src/a.rs`.
#[rustfmt::skip]
const TITLE_WORDS: &[&str] = &[
    "complete", "created", "existing", "file", "filename", "filepath", "final", "full", "modified", "name", "new",
    "path", "source", "step", "target", "test", "updated",
];

/// Words of a sentence that says nothing but a file: `In src/a.rs:`, `Now update the src/a.rs`.
#[rustfmt::skip]
const SENTENCE_WORDS: &[&str] = &[
    "a", "add", "added", "adding", "and", "change", "changed", "changes", "content", "contents", "create", "creating",
    "edit", "edited", "editing", "files", "first", "for", "here", "in", "is", "modify", "modifying", "next", "now",
    "of", "patch", "replace", "rewrite", "the", "then", "to", "update", "updates", "updating", "write", "your",
];

/// More words of remarks such as `See a.rs` or `Fix in a.rs`: with them the last word alone is the name.
#[rustfmt::skip]
const REMARK_WORDS: &[&str] = &[
    "also", "an", "apply", "at", "be", "both", "by", "check", "code", "complete", "correct", "corrected", "current",
    "delete", "diff", "entire", "excerpt", "fix", "from", "has", "inside", "into", "it", "its", "keep", "lastly", "let", "lets", "like", "line",
    "lines", "look", "on", "open", "or", "original", "our", "output", "part", "put", "refactor", "remove", "rename",
    "revert", "revised", "run", "save", "second", "section", "see", "set", "simple", "snippet", "so", "still", "that",
    "these", "third", "this", "use", "using", "version", "via", "we", "where", "whole", "with", "within", "you",
    "api", "app", "backend", "class", "client", "component", "config", "configuration", "frontend", "function", "helper",
    "main", "module", "page", "project", "python", "script", "server", "style", "styles", "stylesheet", "template", "tests", "view",
    "archivo", "arquivo", "bestand", "datei", "dosya", "fichier", "plik", "файл",
];

/// A name that a line consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineName {
    /// Without decoration, as written.
    pub(super) name: String,
    pub(super) style: LineStyle,
    /// Whether words of a sentence stand before it, if only `In` or `Update`: a weaker title than the bare name.
    pub(super) is_sentence: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineStyle {
    Heading,
    ListItem,
    /// `# src/a.py`, `// src/a.py`: also a comment of the code that follows.
    Comment,
    Other,
}

/// The name that a whole line is, with nothing but decoration, a label or a short remark beside it.
pub(super) fn whole_line(line: &str, project: &Project<'_>) -> Option<LineName> {
    let line = line.trim();
    if line.is_empty() || line.len() > LONGEST + 100 {
        return None;
    }
    if project.is_known(line) {
        return Some(LineName {
            name: line.to_string(),
            style: LineStyle::Other,
            is_sentence: false,
        });
    }
    let (text, style) = strip_line_decoration(line);
    let mut is_sentence = false;
    let name = name_with_remark(text, project, 0, &mut is_sentence)?;
    Some(LineName {
        name,
        style,
        is_sentence,
    })
}

/// Takes off heading signs, list marks, numbering, quote marks, comment signs and pictograms.
fn strip_line_decoration(line: &str) -> (&str, LineStyle) {
    let mut text = line;
    let mut style = LineStyle::Other;
    loop {
        let before = text;
        if let Some(inner) = text.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
            (text, style) = (inner.trim(), LineStyle::Comment);
        } else if let Some(inner) = text.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/")) {
            (text, style) = (inner.trim(), LineStyle::Comment);
        } else if let Some(rest) = text
            .strip_prefix("//")
            .filter(|rest| rest.starts_with(char::is_whitespace))
        {
            (text, style) = (rest.trim(), LineStyle::Comment);
        } else if text.starts_with('#') {
            // One sign may be a heading or a comment of the code; more are a heading.
            let rest = text.trim_start_matches('#');
            style = if text.len() - rest.len() == 1 {
                LineStyle::Comment
            } else {
                LineStyle::Heading
            };
            text = rest.trim().trim_end_matches('#').trim_end();
        } else if let Some(rest) = list_mark(text) {
            text = rest.trim_start();
            if style == LineStyle::Other {
                style = LineStyle::ListItem;
            }
        } else if let Some(rest) = text.strip_prefix('>') {
            text = rest.trim_start();
        } else if let Some(rest) = ruled(text) {
            (text, style) = (rest, LineStyle::Heading);
        } else {
            text = text
                .trim_start_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric())
                .trim_start();
        }
        if text == before {
            return (text, style);
        }
    }
}

/// `- `, `* `, `+ `, `• `, `1. `, `2) `.
fn list_mark(text: &str) -> Option<&str> {
    let rest = match text.chars().next()? {
        first @ ('-' | '*' | '+' | '•' | '◦' | '▪') => &text[first.len_utf8()..],
        '0'..='9' => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix(['.', ')'])?
        }
        _ => return None,
    };
    rest.starts_with(char::is_whitespace).then_some(rest)
}

/// `=== src/a.rs ===`, `--- src/a.rs ---`: a name between rules.
fn ruled(text: &str) -> Option<&str> {
    let rule = text.chars().next().filter(|c| matches!(c, '=' | '-'))?;
    let inner = text.trim_start_matches(rule);
    let body = inner.trim_end_matches(rule);
    let is_rule = text.len() - inner.len() >= 2 && inner.len() - body.len() >= 2;
    (is_rule && !body.trim().is_empty()).then(|| body.trim())
}

/// The name in `**src/a.rs** (new)`, `File: src/a.rs`, `src/a.rs: adds f`, ...
fn name_with_remark(text: &str, project: &Project<'_>, depth: usize, is_sentence: &mut bool) -> Option<String> {
    if depth > 4 {
        return None;
    }
    let text = text.trim();
    let unpunctuated = text.trim_end_matches([':', ',']).trim_end();
    if project.is_known(unpunctuated) {
        return Some(unpunctuated.to_string());
    }
    if let Some(labelled) = strip_label(text) {
        *is_sentence |= labelled.is_sentence;
        let bare = labelled.rest.trim().trim_end_matches([':', ',']).trim_end();
        let is_word = !bare.contains(char::is_whitespace);
        if labelled.by_colon && is_word && is_name(bare, Evidence::Marked, project) {
            return Some(bare.to_string());
        }
        return name_with_remark(labelled.rest, project, depth + 1, is_sentence);
    }
    if let Some((inner, rest)) = marked_span(text) {
        if !is_remark(rest) {
            return None;
        }
        let inner_name = inner.trim().trim_end_matches(':').trim_end();
        if is_name(inner_name, Evidence::Marked, project) {
            return Some(inner_name.to_string());
        }
        return name_with_remark(inner, project, depth + 1, is_sentence);
    }
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let bare = first.trim_end_matches([':', ',', ';']);
    let is_explained = first.ends_with(':') && is_short(rest);
    if (is_explained || is_remark(rest)) && is_name(bare, Evidence::Alone, project) {
        return Some(bare.to_string());
    }
    spaced_name(unpunctuated, project)
}

/// A line that is nothing but two or three words of which the last has an extension (`my notes.txt`) is a name with
/// blanks in it, unless it reads like a remark on the file that the last word names. A line without such a word is never
/// this. Only for the line right above a block: a command, `python main.py`, looks the same.
pub(super) fn name_of_few_words(text: &str, project: &Project<'_>) -> Option<String> {
    let (text, style) = strip_line_decoration(text.trim());
    let text = text.trim_end_matches([':', ',']).trim_end();
    if style == LineStyle::ListItem {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let (last, before) = words.split_last()?;
    let is_plain = |word: &&str| {
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '(' | ')' | '&' | '+');
        word.chars().all(is_letter) && !reads_like_prose(word)
    };
    // `A` is an article before a description, and a word of a name before its end.
    let article_alone = matches!(before, [only] if only.eq_ignore_ascii_case("a"));
    let believed = matches!(before.len(), 1 | 2)
        && (article_alone || before.iter().all(is_plain))
        && names::has_common_extension(last)
        && is_name(text, Evidence::Marked, project);
    believed.then(|| text.to_string())
}

/// Whether a word before a file's name speaks of the file.
fn reads_like_prose(word: &str) -> bool {
    let lower = word.to_lowercase();
    let lower = lower.as_str();
    TITLE_WORDS.contains(&lower)
        || SENTENCE_WORDS.contains(&lower)
        || REMARK_WORDS.contains(&lower)
        || lower.ends_with("ing")
        || lower.ends_with("ed")
}

/// `docs/my notes.md`: a name with blanks, believed when a folder stands in front and a usual extension at the end.
fn spaced_name(text: &str, project: &Project<'_>) -> Option<String> {
    let words = text.split_whitespace().count();
    let folder_first = text.split_whitespace().next()?.contains(['/', '\\']);
    let believed = (2..=5).contains(&words)
        && folder_first
        && names::has_common_extension(text)
        && !text.split_whitespace().rev().skip(1).any(names::has_common_extension)
        && is_name(text, Evidence::Marked, project);
    believed.then(|| text.to_string())
}

/// The text between a pair of marks at the start, and what follows it.
fn marked_span(text: &str) -> Option<(&str, &str)> {
    // A link's text is its name: `[src/a.rs](src/a.rs)`.
    if let Some(rest) = text.strip_prefix('[') {
        if let Some((inner, after)) = rest.split_once("](") {
            let (_, rest) = after.split_once(')')?;
            return Some((inner, rest));
        }
        let (inner, rest) = rest.split_once(']')?;
        return (!inner.is_empty() && !rest.starts_with(['/', '.'])).then_some((inner, rest));
    }
    if let Some(rest) = text.strip_prefix('<') {
        return tagged_name(rest);
    }
    const PAIRS: &[(&str, &str)] = &[
        ("***", "***"),
        ("**", "**"),
        ("`", "`"),
        ("\"", "\""),
        ("'", "'"),
        ("“", "”"),
        ("*", "*"),
    ];
    for (open, close) in PAIRS {
        if let Some(rest) = text.strip_prefix(open)
            && let Some((inner, rest)) = rest.split_once(close)
            && !inner.trim().is_empty()
        {
            return Some((inner, rest));
        }
    }
    // `__init__.py` is not emphasis.
    let inner = text.strip_prefix("__")?;
    let (inner, rest) = inner.split_once("__")?;
    (rest.is_empty() || rest.starts_with([':', ' '])).then_some((inner, rest))
}

/// `<file>src/a.rs</file>`, `<file path="src/a.rs">`; `rest` begins behind the `<`.
fn tagged_name(rest: &str) -> Option<(&str, &str)> {
    let (tag, after) = rest.split_once('>')?;
    if let Some((_, value)) = tag.split_once('=') {
        let value = value.split(['"', '\'']).nth(1)?;
        return Some((value, after));
    }
    let (inner, _) = after.split_once("</")?;
    Some((inner, ""))
}

/// What stands behind words that only introduce a name.
struct Labelled<'a> {
    rest: &'a str,
    /// Whether a colon stands between.
    by_colon: bool,
    /// Whether the words are more than a title.
    is_sentence: bool,
}

/// Takes off `Updated file:`, `**File:**`, `In the`, `Step 2:`. None when there is nothing to take off.
fn strip_label(text: &str) -> Option<Labelled<'_>> {
    let mut rest = text;
    let mut by_colon = false;
    let mut is_sentence = false;
    let mut stripped = false;
    for _ in 0..6 {
        let trimmed = rest.trim_start();
        let end = trimmed
            .find(|c: char| c.is_whitespace() || c == ':')
            .unwrap_or(trimmed.len());
        let word = trimmed[..end].trim_matches(['*', '_']);
        let is_number = stripped && !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let lower = word.to_ascii_lowercase();
        let is_title = TITLE_WORDS.contains(&lower.as_str()) || is_number;
        if !is_title && !SENTENCE_WORDS.contains(&lower.as_str()) || end == trimmed.len() {
            break;
        }
        is_sentence |= !is_title;
        by_colon = trimmed[end..].starts_with(':');
        rest = trimmed[end..].trim_start_matches([':', '*']);
        stripped = true;
    }
    // The emphasis may have begun before the label: `**File: src/a.rs**`.
    let rest = if text.starts_with('*') {
        rest.trim_end_matches('*')
    } else {
        rest
    };
    (stripped && !rest.trim().is_empty()).then_some(Labelled {
        rest,
        by_colon,
        is_sentence,
    })
}

/// Signs that begin a remark.
const REMARK_SIGNS: &[&str] = &["- ", "– ", "— ", ": ", "// ", "# ", "<!--", "/* ", "<-", "←"];

/// Whether a text behind a name is no more than a remark on it.
fn is_remark(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '`', '_']).trim();
    let unpunctuated = rest.trim_end_matches([':', '.', '*']);
    rest.chars()
        .all(|c| c.is_ascii_punctuation() && !matches!(c, '(' | '<' | '{'))
        || rest.starts_with('(') && unpunctuated.ends_with(')')
        || rest.starts_with('[') && unpunctuated.ends_with(']')
        || is_short(rest) && REMARK_SIGNS.iter().any(|sign| rest.starts_with(sign))
        || matches!(unpunctuated, "file" | "changes" | "continued" | "updated" | "new file")
}

fn is_short(text: &str) -> bool {
    text.split_whitespace().count() <= 8
}

/// A longer line is no sentence; the limit keeps the work on odd replies small.
const LONGEST_SENTENCE: usize = 2_000;

/// Names that a sentence speaks of, in its order, each once.
pub(super) fn mentions(line: &str, project: &Project<'_>) -> Vec<String> {
    if line.len() > LONGEST_SENTENCE {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str, evidence: Evidence| {
        let name = name.trim().trim_end_matches([':', ',']);
        let is_believed = is_name(name, evidence, project) && is_file_word(name, project);
        if is_believed && !found.iter().any(|other| other == name) {
            found.push(name.to_string());
        }
    };
    // Odd pieces stand between backticks.
    for (idx, piece) in line.split('`').enumerate() {
        if idx % 2 == 1 {
            add(piece, Evidence::Marked);
            continue;
        }
        for word in piece.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '-'));
            let word = word.trim_end_matches('.');
            add(word, Evidence::Bare);
        }
    }
    found
}

/// Whether a sentence says that a file comes to be.
pub(super) fn speaks_of_creating(line: &str) -> bool {
    let line = line.to_lowercase();
    ["creat", "new file", "save ", "saved ", "called ", "named ", "write "]
        .iter()
        .any(|words| line.contains(words))
}

/// Whether a word of a sentence is meant as a file: known, or with an extension that files have.
fn is_file_word(name: &str, project: &Project<'_>) -> bool {
    let path = names::slashed(name);
    project.is_known(path.trim_start_matches("./"))
        || project.is_chat_base_name(&path)
        || names::has_common_extension(name)
        || names::BARE_NAMES.contains(&names::base_name(&path)) && path.contains('/')
        || matches!(name, "Makefile" | "Dockerfile")
}

/// The name on a fence line: `src/a.py`, `python src/a.py`, `python:src/a.py`, `python title="src/a.py"`.
pub(super) fn in_fence_info(info: &str, project: &Project<'_>) -> Option<String> {
    let info = info.trim();
    if info.is_empty() || info.len() > LONGEST + 100 {
        return None;
    }
    if project.is_known(info) {
        return Some(info.to_string());
    }
    if let Some(value) = attribute(info) {
        return is_name(value, Evidence::Marked, project).then(|| value.to_string());
    }
    let words: Vec<&str> = info.split_whitespace().collect();
    for word in &words {
        // `{.python .numberLines}` are classes.
        if word.starts_with("{.") || word.ends_with('}') && !word.contains(['/', ':']) {
            continue;
        }
        let word = word.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | ','));
        let after_colon = word.split_once(':').filter(|(language, _)| {
            // `C:\src\a.py` is a drive, not a language.
            language.len() != 1
                && language
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-'))
        });
        let name = after_colon.map_or(word, |(_, path)| path);
        let is_path = name.contains(['/', '\\']) || name.contains('.') || after_colon.is_some();
        if is_path && is_name(name, Evidence::Alone, project) {
            return Some(name.to_string());
        }
    }
    let rest = words.get(1..).map(|rest| rest.join(" ")).unwrap_or_default();
    project.is_known(&rest).then_some(rest)
}

/// The value of `file=`, `path=`, `title=`, `name=` and the like.
fn attribute(info: &str) -> Option<&str> {
    let at = ["filename=", "filepath=", "file=", "path=", "title=", "name="]
        .iter()
        .filter_map(|key| info.find(key).map(|at| at + key.len()))
        .min()?;
    let value = &info[at..];
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => value
            .split(|c: char| c.is_whitespace() || matches!(c, '}' | ','))
            .next(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hints;
    use super::*;

    fn hints(known: &[&str]) -> Hints {
        Hints {
            known_files: known.iter().map(|path| path.to_string()).collect(),
            root: Some("/home/me/proj".to_string()),
            ..Hints::default()
        }
    }

    fn line_name(line: &str) -> Option<String> {
        let hints = hints(&[]);
        let project = Project::new(&hints);
        whole_line(line, &project).map(|found| names::candidates(&found.name, &project).remove(0))
    }

    #[test]
    fn a_line_of_two_or_three_words_is_a_name_with_blanks_in_it() {
        for name in ["my a.py", "my b.txt", "a b.txt", "Team Notes 2024.md"] {
            let hints = hints(&["a.py", "b.txt"]);
            let project = Project::new(&hints);
            for line in [
                name.to_string(),
                format!("{name}:"),
                format!("### {name}"),
                format!("# {name}:"),
            ] {
                assert_eq!(name_of_few_words(&line, &project).as_deref(), Some(name), "{line}");
            }
        }
        let hints = hints(&["a.py", "b.txt"]);
        for line in [
            "Edit a.py",
            "Edit a.py:",
            "File: a.py",
            "Now update src/a.py",
            "See a.py",
            "Fixed version a.py",
            "a.py and b.py",
            "my a.py.",
            "Main script a.py:",
            "The a.py:",
            "- my a.py",
            "a.py",
        ] {
            assert_eq!(name_of_few_words(line, &Project::new(&hints)), None, "{line}");
        }
    }

    #[test]
    fn every_decoration_of_a_name_comes_off() {
        for line in [
            "src/util/log.rs",
            "### src/util/log.rs",
            "# src/util/log.rs",
            "**src/util/log.rs**",
            "**`src/util/log.rs`**",
            "`src/util/log.rs`",
            "`src/util/log.rs`:",
            "**src/util/log.rs:**",
            "1. src/util/log.rs",
            "2) **src/util/log.rs**",
            "- `src/util/log.rs` (new file)",
            "### 1. `src/util/log.rs`",
            "File: src/util/log.rs",
            "**File:** `src/util/log.rs`",
            "**File: src/util/log.rs**",
            "### File: `src/util/log.rs`",
            "### New file: src/util/log.rs",
            "Filename: src/util/log.rs",
            "Create `src/util/log.rs`:",
            "In `src/util/log.rs`:",
            "src/util/log.rs:",
            "src/util/log.rs (new)",
            "src/util/log.rs: adds the logger",
            "src/util/log.rs — new",
            "// src/util/log.rs",
            "<!-- src/util/log.rs -->",
            "/* src/util/log.rs */",
            "./src/util/log.rs",
            "src\\util\\log.rs",
            "/home/me/proj/src/util/log.rs",
            "\"src/util/log.rs\"",
            "[src/util/log.rs](src/util/log.rs)",
            "<file>src/util/log.rs</file>",
            "<file path=\"src/util/log.rs\">",
            "=== src/util/log.rs ===",
            "📄 src/util/log.rs",
            "> src/util/log.rs",
            "src/util/log.rs:12-20",
            "Here is the updated src/util/log.rs:",
            "Step 2: src/util/log.rs",
        ] {
            assert_eq!(line_name(line).as_deref(), Some("src/util/log.rs"), "{line}");
        }
    }

    #[test]
    fn prose_languages_and_rules_are_no_names() {
        for line in [
            "python",
            "Here is the change",
            "### Changes",
            "-----",
            "======",
            "Node.js",
            "**Note:**",
            "...",
            "https://example.com/a.py",
            "v1.2.3",
            "e.g.",
            "Update the imports so that src/a.py and src/b.py agree",
            "def f(): pass",
            "src/",
            "*.py",
        ] {
            assert_eq!(line_name(line), None, "{line}");
        }
    }

    #[test]
    fn odd_names_stay_whole() {
        for name in [
            "__init__.py",
            "src/__init__.py",
            ".gitignore",
            "Makefile",
            "routes/[lang]/(shop)/view.tsx",
            "docs/my notes.md",
            "été/計画.md",
            "a/b/c.d.ts",
            "bin/run",
        ] {
            assert_eq!(line_name(name).as_deref(), Some(name));
        }
        assert_eq!(line_name("`my file.txt`").as_deref(), Some("my file.txt"));
        assert_eq!(line_name("src/\\_\\_init\\_\\_.py").as_deref(), Some("src/__init__.py"));
    }

    #[test]
    fn fence_lines_may_name_the_file() {
        let hints = hints(&["Godotfile"]);
        let project = Project::new(&hints);
        let name = |info: &str| in_fence_info(info, &project);
        for info in [
            "src/a.py",
            "python src/a.py",
            "python:src/a.py",
            "python title=\"src/a.py\"",
            "python {file=src/a.py}",
            "py (src/a.py)",
            "python // src/a.py",
            "diff --git src/a.py",
        ] {
            assert_eq!(name(info).as_deref(), Some("src/a.py"), "{info}");
        }
        for info in [
            "python",
            "c++",
            "objective-c",
            "{.python .numberLines}",
            "js {1,3-5}",
            "text",
        ] {
            assert_eq!(name(info), None, "{info}");
        }
        assert_eq!(name("Godotfile").as_deref(), Some("Godotfile"));
    }

    #[test]
    fn a_bare_name_is_told_from_a_sentence() {
        let hints = hints(&[]);
        let project = Project::new(&hints);
        let is_sentence = |line: &str| whole_line(line, &project).unwrap().is_sentence;
        assert!(!is_sentence("**Updated file:** `src/a.py`"));
        assert!(!is_sentence("### 2. src/a.py (new)"));
        assert!(is_sentence("In `src/a.py`:"));
        assert!(is_sentence("Now update src/a.py:"));
    }

    #[test]
    fn sentences_mention_files() {
        let hints = hints(&["tools/run"]);
        let project = Project::new(&hints);
        assert_eq!(
            mentions("Now change `src/a.py` so that f works:", &project),
            ["src/a.py"]
        );
        assert_eq!(
            mentions("Call `os.path` and `f()` in setup.py, then tools/run.", &project),
            ["setup.py", "tools/run"]
        );
        assert!(mentions("and/or a value of 1.5, e.g. this", &project).is_empty());
    }
}
