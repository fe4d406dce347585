//! Syntax errors by tree-sitter, and of those only what an edit brought: a grammar may lag behind its language, so an
//! error that was there before is the grammar's or the user's affair.
//!
//! Not a compiler: what tree-sitter can mend in its tree may still be wrong, and the linters and tests say so.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::ops::ControlFlow;

use similar::DiffTag;
use similar::TextDiff;
use tree_sitter::Language;
use tree_sitter::Node;
use tree_sitter::ParseOptions;
use tree_sitter::ParseState;
use tree_sitter::Parser;

use super::excerpt;

/// Texts larger than this are not checked, in bytes.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Errors reported at most: the first is the cause of most that follow.
const MAX_REPORTED: usize = 5;

/// Progress calls of the parser after which it is given up (one for every hundred or so steps).
const MAX_PROGRESS: usize = 200_000;

const BRACKETS: &[(&str, &str)] = &[("(", ")"), ("[", "]"), ("{", "}")];

/// One place where a text does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// As a clause: `missing ")"`, `"{" is never closed`, `unexpected "else"`.
    pub message: String,
    /// A bracket has no partner.
    pub is_unbalanced: bool,
}

/// The syntax errors that `after` has and `before` had not; `before` is None for a new file. At most five, in order
/// of their lines. Empty also for a text too large to check.
///
/// Where `before` did not parse, the grammar may not know all of the language (macros, newer syntax): then only a bracket
/// without a partner counts.
pub fn new_errors(language: &Language, before: Option<&str>, after: &str) -> Vec<SyntaxError> {
    let found = errors(language, after);
    if found.is_empty() {
        return Vec::new();
    }
    let old = before.map(|before| (before, errors(language, before)));
    let mut new = match &old {
        Some((before, old)) if !old.is_empty() => {
            let mut new = only_new(before, old, after, found);
            new.retain(|error| error.is_unbalanced);
            new
        }
        _ => found,
    };
    new.truncate(MAX_REPORTED);
    new
}

/// As text for the model: who says so, each error with its position, then the source lines around them all.
pub fn report(path: &str, language: &str, text: &str, errors: &[SyntaxError]) -> String {
    let mut out = format!("`{path}` does not parse as {language} (a syntax check, not the compiler):\n\n");
    for error in errors {
        out.push_str(&format!("{path}:{}:{}: {}\n", error.line, error.column, error.message));
    }
    let lines: Vec<usize> = errors.iter().map(|error| error.line).collect();
    out.push_str(&excerpt::around(text, &lines));
    out
}

/// All errors of a text, in order of their lines.
fn errors(language: &Language, text: &str) -> Vec<SyntaxError> {
    let Some(tree) = parse(language, text) else {
        return Vec::new();
    };
    if !tree.root_node().has_error() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut nodes = vec![tree.root_node()];
    while let Some(node) = nodes.pop() {
        if node.is_missing() {
            let name = quoted(node.kind());
            let is_bracket = BRACKETS.iter().any(|(_, closing)| *closing == node.kind());
            let at = if is_bracket { unbalanced_at } else { error_at };
            found.push(at(node, text, format!("missing {name}")));
        } else if node.is_error() {
            found.push(explained(node, text));
        } else if node.has_error() {
            let mut cursor = node.walk();
            nodes.extend(node.children(&mut cursor));
        }
    }
    found.sort_by_key(|error| (error.line, error.column));
    found.dedup_by(|a, b| a.line == b.line && a.message == b.message);
    found
}

fn parse(language: &Language, text: &str) -> Option<tree_sitter::Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let mut n_calls = 0;
    let mut progress = |_: &ParseState| {
        n_calls += 1;
        if n_calls > MAX_PROGRESS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Says of an ERROR node where in it the trouble starts: at a bracket that is never closed, one that closes nothing,
/// or the first thing that does not fit.
fn explained(node: Node<'_>, text: &str) -> SyntaxError {
    let mut open: Vec<Node<'_>> = Vec::new();
    let mut leaves = Vec::new();
    collect_leaves(node, &mut leaves);
    for leaf in &leaves {
        let kind = leaf.kind();
        if BRACKETS.iter().any(|(opening, _)| *opening == kind) {
            open.push(*leaf);
        } else if let Some((opening, _)) = BRACKETS.iter().find(|(_, closing)| *closing == kind) {
            match open.last() {
                Some(last) if last.kind() == *opening => {
                    open.pop();
                }
                Some(last) => return unbalanced_at(*last, text, format!("{} is never closed", quoted(last.kind()))),
                None => return unbalanced_at(*leaf, text, format!("{} closes nothing", quoted(kind))),
            }
        }
    }
    if let Some(last) = open.last() {
        return unbalanced_at(*last, text, format!("{} is never closed", quoted(last.kind())));
    }
    let first = leaves.first().copied().unwrap_or(node);
    let word: String = text[first.byte_range()]
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(40)
        .collect();
    if word.trim().is_empty() {
        return error_at(node, text, "does not parse from here".to_string());
    }
    error_at(first, text, format!("unexpected {}", quoted(word.trim())))
}

fn collect_leaves<'tree>(node: Node<'tree>, leaves: &mut Vec<Node<'tree>>) {
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        if node.child_count() == 0 {
            leaves.push(node);
            continue;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        nodes.extend(children.into_iter().rev());
    }
}

fn quoted(text: &str) -> String {
    if text.contains('"') {
        format!("`{text}`")
    } else {
        format!("\"{text}\"")
    }
}

fn error_at(node: Node<'_>, text: &str, message: String) -> SyntaxError {
    let start = node.start_position();
    let line_start = node.start_byte() - start.column;
    let column = text
        .get(line_start..node.start_byte())
        .map_or(start.column, |head| head.chars().count());
    SyntaxError {
        line: start.row + 1,
        column: column + 1,
        message,
        is_unbalanced: false,
    }
}

/// The error of a bracket without a partner.
fn unbalanced_at(node: Node<'_>, text: &str, message: String) -> SyntaxError {
    SyntaxError {
        is_unbalanced: true,
        ..error_at(node, text, message)
    }
}

/// Errors of `after` that no error of `before` stands for. An error is the same when it says the same of a line with
/// the same words; and as long as there are not more errors than before, one that shows up elsewhere than on a changed
/// line is an old one that the parser met in another place.
fn only_new(before: &str, old: &[SyntaxError], after: &str, found: Vec<SyntaxError>) -> Vec<SyntaxError> {
    let (before_lines, after_lines): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut known: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for error in old {
        *known.entry(key(error, &before_lines)).or_default() += 1;
    }
    let has_more = found.len() > old.len();
    let changed = changed_lines(before, after);
    found
        .into_iter()
        .filter(|error| {
            if let Some(n_left @ 1..) = known.get_mut(&key(error, &after_lines)) {
                *n_left -= 1;
                return false;
            }
            has_more || changed.contains(&error.line)
        })
        .collect()
}

fn key<'a>(error: &SyntaxError, lines: &[&'a str]) -> (String, &'a str) {
    let line = lines.get(error.line - 1).copied().unwrap_or_default().trim();
    (error.message.clone(), line)
}

/// Lines of `after`, from 1, that are not in `before`, and those beside a deletion.
fn changed_lines(before: &str, after: &str) -> HashSet<usize> {
    let diff = TextDiff::from_lines(before, after);
    let mut changed = HashSet::new();
    for op in diff.ops() {
        if op.tag() != DiffTag::Equal {
            let range = op.new_range();
            changed.extend(range.start + 1..=range.end);
            if range.is_empty() {
                changed.extend([range.start, range.start + 1]);
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python() -> Language {
        tree_sitter_python::LANGUAGE.into()
    }

    fn rust() -> Language {
        tree_sitter_rust::LANGUAGE.into()
    }

    #[test]
    fn where_the_grammar_did_not_follow_before_only_brackets_count() {
        let before = "def a():\n    return b ?? c\n";
        assert!(!errors(&python(), before).is_empty());
        let in_the_same_way = "def a():\n    return b ?? c\n\ndef d():\n    return e ?? f\n";
        assert_eq!(new_errors(&python(), Some(before), in_the_same_way), []);
        let broken = "def a():\n    return b ?? c\n\ndef d():\n    return (e + 1\n";
        assert!(!new_errors(&python(), Some(before), broken).is_empty());
    }

    #[test]
    fn a_bracket_that_the_edit_broke_is_one_report_with_its_place() {
        let before = "fn a() {\n    b(1, 2);\n}\n\nfn c() {}\n";
        let after = "fn a() {\n    b(1, 2;\n}\n\nfn c() {}\n";
        assert_eq!(new_errors(&rust(), Some(before), before), []);
        let errors = new_errors(&rust(), Some(before), after);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].line, 2, "{errors:?}");
        let report = report("src/a.rs", "rust", after, &errors);
        assert!(report.contains("> 2 |     b(1, 2;"), "{report}");
    }

    #[test]
    fn an_unclosed_brace_is_named_where_it_opens() {
        let after = "fn a() {\n    if x {\n        y();\n\nfn c() {}\n";
        let errors = new_errors(&rust(), None, after);
        assert!(!errors.is_empty());
        assert!(
            errors
                .iter()
                .any(|error| error.message.contains('}') || error.message.contains('{')),
            "{errors:?}"
        );
    }

    #[test]
    fn errors_that_were_there_stay_silent_after_a_harmless_edit() {
        // `match` as the grammar may not know it yet, stood in for by plain nonsense.
        let before = "x = = 1\n\ndef f():\n    return 1\n\nclass A:\n    y = ] 2\n";
        for after in [
            before.replace("return 1", "return 2"),
            format!("import os\n\n{before}"),
            before.replace("def f", "def g"),
            before.replace("\n\nclass", "\n\n\nz = 3\n\nclass"),
        ] {
            assert_eq!(new_errors(&python(), Some(before), &after), [], "{after}");
        }
        let broken = before.replace("return 1", "return (1");
        let errors = new_errors(&python(), Some(before), &broken);
        assert!(!errors.is_empty());
    }

    #[test]
    fn columns_count_characters() {
        let errors = new_errors(&python(), None, "é = 'ü'; x = = 1\n");
        assert_eq!((errors[0].line, errors[0].column), (1, 14), "{errors:?}");
    }

    #[test]
    fn at_most_five() {
        let text = "x = = 1\n".repeat(50);
        assert_eq!(new_errors(&python(), None, &text).len(), MAX_REPORTED);
    }

    proptest::proptest! {
        #[test]
        fn the_same_text_has_no_new_errors(text in "(def f\\(\\):\n|    return 1\n|x = \\(\n|\\]\n|if x:\n|é = 1\n|\"\"\"\n){0,12}") {
            proptest::prop_assert_eq!(new_errors(&python(), Some(&text), &text), vec![]);
        }
    }
}
