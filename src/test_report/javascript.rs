//! Jest, Vitest, Mocha and Node's own runner.

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// `Tests: 3 failed, 2 passed, 7 total`; each failure has a heading `● cart › adds up` below its file's `FAIL path`.
/// Names: `path › cart › adds up`.
pub(super) fn jest(output: &str) -> Option<Report> {
    let counts = pattern!(r"^Tests:\s+(.*\d+ total)\s*$").captures_iter(output).last();
    let suites = pattern!(r"^Test Suites:\s+(.*\d+ total)\s*$")
        .captures_iter(output)
        .last()?;
    let counts = counts.map_or(String::new(), |found| found[1].to_string());
    let mut report = Report::new("jest");
    report.passed = number(pattern!(r"(\d+) passed"), &counts);
    report.n_failed = number(pattern!(r"(\d+) failed"), &counts);
    report.skipped = number(pattern!(r"(\d+) skipped"), &counts) + number(pattern!(r"(\d+) todo"), &counts);
    let mut file = "";
    let mut names = Vec::new();
    for line in output.lines() {
        if let Some(found) = pattern!(r"^\s*(?:FAIL|PASS)\s+(\S+)").captures(line) {
            file = found.get(1).map_or("", |file| file.as_str());
        } else if let Some(found) = pattern!(r"^\s*● (\S.*)$").captures(line) {
            match &found[1] {
                "Test suite failed to run" => {
                    report.broken = true;
                    names.push(file.to_string());
                }
                "Console" => {}
                // The summary at the end of a long run repeats failures below their file's name.
                name => names.push(format!("{file} › {name}")),
            }
        }
    }
    report.broken |= names.is_empty() && pattern!(r"\d+ failed").is_match(&suites[1]);
    Some(report.with_failed(names))
}

/// `Tests  3 failed | 2 passed (7)`; each failure has a heading ` FAIL  path > cart > adds up`, a file that cannot be
/// loaded ` FAIL  path [ path ]`.
pub(super) fn vitest(output: &str) -> Option<Report> {
    pattern!(r"^ *Test Files\s+(.*\(\d+\))\s*$").find(output)?;
    let counts = all(pattern!(r"^ *Tests\s+(.*\(\d+\)|no tests)\s*$"), output)
        .pop()
        .unwrap_or_default();
    let mut report = Report::new("vitest");
    report.passed = number(pattern!(r"(\d+) passed"), &counts);
    report.n_failed = number(pattern!(r"(\d+) failed"), &counts);
    report.skipped = number(pattern!(r"(\d+) skipped"), &counts) + number(pattern!(r"(\d+) todo"), &counts);
    let mut names = all(pattern!(r"^ *FAIL\s+(\S.* > .*)$"), output);
    let suites = all(pattern!(r"^ *FAIL\s+(\S+) \[ .* \]$"), output);
    report.broken = !suites.is_empty() || pattern!(r"^⎯+ Unhandled Errors? ").is_match(output);
    names.extend(suites);
    Some(report.with_failed(names))
}

/// `3 passing (9ms)`, `1 pending`, `3 failing`, then each failure: `1) cart` and, indented further, the titles
/// below it, the last one ending with `:`. Names: `cart › adds up`.
pub(super) fn mocha(output: &str) -> Option<Report> {
    let passing = pattern!(r"^\s+(\d+) passing \(").captures_iter(output).last()?;
    let end = &output[passing.get(0)?.start()..];
    let mut report = Report::new("mocha");
    report.passed = number(pattern!(r"^\s+(\d+) passing"), end);
    report.skipped = number(pattern!(r"^\s+(\d+) pending"), end);
    report.n_failed = number(pattern!(r"^\s+(\d+) failing"), end);
    let mut names = Vec::new();
    let mut titles: Option<Vec<String>> = None;
    for line in end.lines() {
        if let Some(found) = pattern!(r"^\s+\d+\) (\S.*)$").captures(line) {
            titles = Some(vec![found[1].to_string()]);
        } else if let Some(titles) = &mut titles {
            titles.push(line.trim().to_string());
        }
        let is_last = titles
            .as_ref()
            .and_then(|titles| titles.last())
            .is_some_and(|title| title.ends_with(':'));
        if is_last && let Some(titles) = titles.take() {
            names.push(titles.join(" › ").trim_end_matches(':').to_string());
        } else if line.trim().is_empty() {
            titles = None;
        }
    }
    Some(report.with_failed(names))
}

/// The `spec` reporter: `ℹ pass 2`, `ℹ fail 2`, and below `✖ failing tests:` each failure with its place.
/// Names: `path › adds up`.
pub(super) fn node_test(output: &str) -> Option<Report> {
    pattern!(r"^ℹ tests \d+$").find(output)?;
    let mut report = Report::new("node_test");
    report.passed = number(pattern!(r"^ℹ pass (\d+)$"), output);
    report.n_failed = number(pattern!(r"^ℹ fail (\d+)$"), output) + number(pattern!(r"^ℹ cancelled (\d+)$"), output);
    report.skipped = number(pattern!(r"^ℹ skipped (\d+)$"), output) + number(pattern!(r"^ℹ todo (\d+)$"), output);
    let failing = output.split("✖ failing tests:").nth(1).unwrap_or_default();
    let names = pattern!(r"^test at (\S+?):\d+:\d+\n✖ (.*?)(?: \([\d.]+ms\))?$")
        .captures_iter(failing)
        .map(|found| format!("{} › {}", &found[1], &found[2]));
    Some(report.with_failed(names.collect::<Vec<String>>()))
}
