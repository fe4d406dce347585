//! `cargo test` and cargo-nextest.

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// Each test binary: a line `Running tests/it.rs (...)`, its tests, a list of failures, `test result: ...`. Tests
/// outside the unit tests are named with their file: `tests/it.rs name`.
pub(super) fn cargo_test(output: &str) -> Option<Report> {
    let result = pattern!(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored");
    let does_not_compile = pattern!(r"^error: could not compile `").is_match(output);
    let started = pattern!(r"^running \d+ tests?$").is_match(output);
    if !started && !does_not_compile {
        return None;
    }
    let mut report = Report::new("cargo_test");
    report.broken = does_not_compile;
    for found in result.captures_iter(output) {
        let count = |group: usize| found[group].parse().unwrap_or(0);
        report.passed += count(1);
        report.n_failed += count(2);
        report.skipped += count(3);
    }
    // A test binary that died has no result.
    report.broken |= pattern!(r"^\s+process didn't exit successfully: .*\(signal: ").is_match(output);
    let mut target = "";
    let mut in_list = false;
    let mut names = Vec::new();
    for line in output.lines() {
        if let Some(found) = pattern!(r"^     Running (unittests )?(\S+) ").captures(line) {
            let file = found.get(2).map_or("", |file| file.as_str());
            target = if found.get(1).is_some() { "" } else { file };
        } else if line.starts_with("   Doc-tests ") {
            target = "";
        }
        let name = pattern!(r"^test (.+?)(?: - should panic)? \.\.\. FAILED$")
            .captures(line)
            .or_else(|| pattern!(r"^(\S.*) --- FAILED$").captures(line))
            .or_else(|| in_list.then(|| pattern!(r"^    (\S.*)$").captures(line)).flatten());
        if let Some(name) = name {
            // A documentation test is named with its line, which an edit moves.
            let name = pattern!(r" \(line \d+\)$").replace(&name[1], "");
            names.push(format!("{target} {name}"));
        } else {
            in_list = line == "failures:";
        }
    }
    Some(report.with_failed(names))
}

/// `Summary [ 0.2s] 6 tests run: 2 passed, 4 failed, 1 skipped`, then the failures again, one a line.
pub(super) fn nextest(output: &str) -> Option<Report> {
    let summary = pattern!(r"^\s+Summary \[.*\]\s+(?:\d+/)?\d+ tests? run: (.*)$");
    let found = summary.captures_iter(output).last()?;
    let counts = &found[1];
    let mut report = Report::new("nextest");
    report.passed = number(pattern!(r"(\d+) passed"), counts);
    report.skipped = number(pattern!(r"(\d+) skipped"), counts);
    report.n_failed = number(pattern!(r"(\d+) failed"), counts)
        + number(pattern!(r"(\d+) timed out"), counts)
        + number(pattern!(r"(\d+) exec failed"), counts);
    report.broken = pattern!(r"^error: could not compile `").is_match(output);
    let end = found.get(0).map_or(0, |all| all.end());
    let line = pattern!(
        r"^\s*(?:TRY \d+ )?(?:FAIL|TIMEOUT|ABORT|XFAIL|SIG[A-Z]+|LKFAIL|TMT|EXECFAIL)\s+\[[^\]]*\]\s+(?:\(\s*\d+/\d+\)\s+)?(\S.*)$"
    );
    Some(report.with_failed(all(line, &output[end..])))
}
