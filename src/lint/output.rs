//! Reads what lint tools and compilers print: which places of which files, and what is new since the edit.
//!
//! Shapes that are known (a message may stand before, on or after the line with the place):
//!
//! ```text
//! src/a.py:3:5: F401 `os` imported but unused        gcc and most others; the column may be missing
//! src/a.ts(3,5): error TS2322: Type ...              tsc, msbuild
//!   --> src/a.rs:3:5                                 rustc, ruff; the message stands above
//!   File "src/a.py", line 3                          python; the message stands below
//! src/a.js                                           eslint: the file, then its findings
//!   3:5  error  'x' is not defined  no-undef
//! [ERROR] /p/A.java:[3,5] cannot find symbol         maven
//! src/a.js: line 3, col 5, Error - ...               eslint compact, jshint
//! ```

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::excerpt;

/// Findings that are shown with their source lines, at most.
const MAX_SHOWN: usize = 30;

/// One finding of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// As the resolver gave it: relative to the project, with `/`.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 1, in the tool's own count.
    pub column: Option<usize>,
    /// The tool's words; may be empty.
    pub message: String,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is constant")
}

static COLONS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:\[?(?:ERROR|WARNING|WARN|error|warning)\]?:?\s+)?(?:[a-z]{1,8}: )?(?:file://)?((?:[A-Za-z]:[\\/])?[^\s:][^:]*?):(\d+)(?::(\d+))?(?:-\d+(?::\d+)?)?(?::|\s|$)\s*(.*)$",
    )
});
static PARENS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*((?:[A-Za-z]:[\\/])?[^\s:][^:]*?)\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)\s*:?\s*(.*)$"));
static ARROW: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?:-->|╭─\[|┌─)\s*((?:[A-Za-z]:[\\/])?[^:]+?):(\d+)(?::(\d+))?\]?\s*$"));
static PYTHON: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\s*File "([^"]+)", line (\d+)"#));
static MAVEN: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\[(?:ERROR|WARNING)\]\s+((?:[A-Za-z]:[\\/])?[^:\[\]]+):\[(\d+)(?:,(\d+))?\]\s*(.*)$"));
static COMPACT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*((?:[A-Za-z]:[\\/])?[^:]+?):? line (\d+)(?:, col(?:umn)? (\d+))?,?\s*(.*)$"));
static UNDER_FILE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s+(\d+):(\d+)\s+(.*\S)\s*$"));
static MESSAGE_ABOVE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:error|warning|note|help|[A-Z]{1,5}\d{2,5})\b.*\S"));
static PYTHON_ERROR: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*[A-Za-z_.]*(?:Error|Exception|Warning)\b.*"));

/// Reads the findings in a tool's output, in its order. `resolve` turns a name as the tool writes it (absolute, or
/// relative to where it ran) into the project's path, or None when that is no file of the project: so times, addresses
/// and files of libraries are no findings.
pub fn findings(output: &str, resolve: &dyn Fn(&str) -> Option<String>) -> Vec<Finding> {
    let lines: Vec<&str> = output.lines().collect();
    let mut names: HashMap<String, Option<String>> = HashMap::new();
    let mut resolve = |name: &str| {
        let name = name.trim().strip_prefix("./").unwrap_or(name.trim());
        names.entry(name.to_string()).or_insert_with(|| resolve(name)).clone()
    };
    let mut found: Vec<Finding> = Vec::new();
    let mut file: Option<String> = None;
    for (idx, line) in lines.iter().enumerate() {
        if let Some(finding) = on_line(line, idx, &lines, &mut resolve) {
            file = None;
            found.push(finding);
        } else if let Some(parts) = UNDER_FILE.captures(line).filter(|_| file.is_some()) {
            found.push(Finding {
                path: file.clone().unwrap_or_default(),
                line: number(&parts[1]),
                column: Some(number(&parts[2])),
                message: squeezed(&parts[3]),
            });
        } else if line.trim().is_empty() {
            // ESLint leaves a blank line between files, not after the name.
        } else if !line.starts_with(char::is_whitespace) {
            file = resolve(line.trim_end_matches(':'));
        }
    }
    // A note explains a finding and is none itself.
    found.retain(|finding| finding.line > 0 && !finding.message.starts_with("note: "));
    let mut seen = std::collections::HashSet::new();
    found.retain(|finding| seen.insert((finding.path.clone(), finding.line, finding.message.clone())));
    found
}

fn on_line(line: &str, idx: usize, lines: &[&str], resolve: &mut dyn FnMut(&str) -> Option<String>) -> Option<Finding> {
    if let Some(parts) = ARROW.captures(line) {
        return Some(Finding {
            path: resolve(&parts[1])?,
            line: number(&parts[2]),
            column: parts.get(3).map(|column| number(column.as_str())),
            message: above(idx, lines),
        });
    }
    if let Some(parts) = PYTHON.captures(line) {
        return Some(Finding {
            path: resolve(&parts[1])?,
            line: number(&parts[2]),
            column: None,
            message: below(idx, lines),
        });
    }
    // The first shape whose name is a file of the project.
    [&*MAVEN, &*COLONS, &*PARENS, &*COMPACT].into_iter().find_map(|shape| {
        let parts = shape.captures(line)?;
        Some(Finding {
            path: resolve(&parts[1])?,
            line: number(&parts[2]),
            column: parts.get(3).map(|column| number(column.as_str())),
            message: squeezed(parts[4].trim_start_matches("- ")),
        })
    })
}

fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(0)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The nearest message above a `-->` line.
fn above(idx: usize, lines: &[&str]) -> String {
    lines[..idx]
        .iter()
        .rev()
        .take(5)
        .find(|line| MESSAGE_ABOVE.is_match(line))
        .map_or_else(String::new, |line| squeezed(line))
}

/// The error that ends a Python traceback or stands under a syntax error.
fn below(idx: usize, lines: &[&str]) -> String {
    lines[idx + 1..]
        .iter()
        .take(6)
        .take_while(|line| !PYTHON.is_match(line))
        .find(|line| PYTHON_ERROR.is_match(line))
        .map_or_else(String::new, |line| squeezed(line))
}

/// Findings of `after` that were not there before the edit. Lines move with an edit, so a finding is known by its file
/// and words (numbers in them do not count); of several that say the same, those on other lines than before are new.
pub fn new_findings(before: &[Finding], after: &[Finding]) -> Vec<Finding> {
    let mut n_known: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut known_places: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
    for finding in before {
        *n_known.entry(key(finding)).or_default() += 1;
        known_places.entry(key(finding)).or_default().push(finding.line);
    }
    // Those that did not move are taken off first.
    let stands_still = |finding: &Finding| {
        known_places
            .get(&key(finding))
            .is_some_and(|lines| lines.contains(&finding.line))
    };
    let mut is_old = vec![false; after.len()];
    for still in [true, false] {
        for (finding, is_old) in after.iter().zip(&mut is_old) {
            if stands_still(finding) == still
                && let Some(n_left @ 1..) = n_known.get_mut(&key(finding))
            {
                *n_left -= 1;
                *is_old = true;
            }
        }
    }
    after
        .iter()
        .zip(is_old)
        .filter(|(_, is_old)| !is_old)
        .map(|(finding, _)| finding.clone())
        .collect()
}

fn key(finding: &Finding) -> (&str, String) {
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| regex(r"\d+"));
    (
        finding.path.as_str(),
        DIGITS.replace_all(&finding.message, "#").into_owned(),
    )
}

/// For tools whose output has no place that is known: the lines of `after` that are not in `before`, in order.
pub fn new_lines<'a>(before: &str, after: &'a str) -> Vec<&'a str> {
    let mut n_known: HashMap<&str, usize> = HashMap::new();
    for line in before.lines() {
        *n_known.entry(line.trim()).or_default() += 1;
    }
    after
        .lines()
        .filter(|line| {
            if let Some(n_left @ 1..) = n_known.get_mut(line.trim()) {
                *n_left -= 1;
                return false;
            }
            !line.trim().is_empty()
        })
        .collect()
}

/// As text for the model: the findings of each file, then its lines around them. `text_of` gives a file's text.
pub fn report(findings: &[Finding], text_of: &dyn Fn(&str) -> Option<String>) -> String {
    let mut by_file: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().take(MAX_SHOWN) {
        by_file.entry(finding.path.as_str()).or_default().push(finding);
    }
    let mut out = String::new();
    for (path, findings) in by_file {
        for finding in &findings {
            let column = finding.column.map_or_else(String::new, |column| format!(":{column}"));
            out.push_str(format!("{path}:{}{column}: {}", finding.line, finding.message).trim_end_matches(": "));
            out.push('\n');
        }
        if let Some(text) = text_of(path) {
            let lines: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
            out.push_str(&excerpt::around(&text, &lines));
        }
        out.push('\n');
    }
    if findings.len() > MAX_SHOWN {
        out.push_str(&format!("[{} more findings]\n", findings.len() - MAX_SHOWN));
    }
    out
}
