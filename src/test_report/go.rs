//! `go test`, plain, with `-v` and with `-json`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Report;
use super::pattern::pattern;

/// Failures `--- FAIL: TestA/sub (0.00s)` stand before the line of their package, `FAIL<tab>package<tab>0.01s`. A test
/// that failed through its subtests is not named beside them. Names: `package.TestA/sub`.
pub(super) fn go_test(output: &str) -> Option<Report> {
    if let Some(text) = text_of_json(output) {
        return plain(&text);
    }
    plain(output)
}

fn plain(output: &str) -> Option<Report> {
    let package = pattern!(r"^(FAIL|ok|\?|---)\s*\t(\S+)(?:\t|\s|$)(.*)$");
    if !package.is_match(output) && !pattern!(r"^--- (?:FAIL|PASS|SKIP): \S+ \(\d").is_match(output) {
        return None;
    }
    let mut report = Report::new("go_test");
    let mut all = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    for line in output.lines() {
        if let Some(found) = pattern!(r"^\s*--- (FAIL|PASS|SKIP): (\S+) \(").captures(line) {
            match &found[1] {
                "FAIL" => pending.push(found[2].to_string()),
                "PASS" => report.passed += 1,
                _ => report.skipped += 1,
            }
        } else if let Some(found) = package.captures(line) {
            let has_failed = &found[1] == "FAIL";
            // Neither a test nor a package that passed: it did not build, or died outside of a test.
            report.broken |= has_failed && (pending.is_empty() || found[3].contains("[build failed]"));
            all.extend(pending.drain(..).map(|name| format!("{}.{name}", &found[2])));
        }
    }
    // A run that was cut off has no line for its package.
    all.append(&mut pending);
    let leaves: Vec<String> = all
        .iter()
        .filter(|name| !all.iter().any(|other| other.starts_with(&format!("{name}/"))))
        .cloned()
        .collect();
    Some(report.with_failed(leaves))
}

/// Events as the lines that `go test -v` would have printed for them.
fn text_of_json(output: &str) -> Option<String> {
    let mut text: BTreeMap<String, String> = BTreeMap::new();
    let mut n_events = 0;
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let field = |name: &str| event[name].as_str().unwrap_or_default().to_string();
        let (action, package, test) = (field("Action"), field("Package"), field("Test"));
        if action.is_empty() {
            continue;
        }
        n_events += 1;
        let line = match (action.as_str(), test.is_empty()) {
            ("fail", false) => format!("--- FAIL: {test} (0s)\n"),
            ("pass", false) => format!("--- PASS: {test} (0s)\n"),
            ("skip", false) => format!("--- SKIP: {test} (0s)\n"),
            ("fail", true) => format!("FAIL\t{package}\t0s\n"),
            ("pass", true) => format!("ok\t{package}\t0s\n"),
            _ => continue,
        };
        text.entry(package).or_default().push_str(&line);
    }
    (n_events > 0).then(|| text.into_values().collect())
}
