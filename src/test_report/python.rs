//! pytest and unittest (Django's runner prints as the latter).

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// The last line counts: `== 2 failed, 3 passed, 1 error in 0.06s ==`. Names stand in the short summary, beside the
/// dots with `-v`, or, when both are switched off, in the headings of the failures.
pub(super) fn pytest(output: &str) -> Option<Report> {
    let summary = pattern!(r"^=*\s*((?:\d+ [a-z]+(?:, )?)+|no tests ran) in \d[\d.]*s?.*$");
    let last = summary.captures_iter(output).last()?[1].to_string();
    let mut report = Report::new("pytest");
    report.passed = number(pattern!(r"(\d+) passed"), &last);
    report.skipped = number(pattern!(r"(\d+) skipped"), &last) + number(pattern!(r"(\d+) xfailed"), &last);
    report.n_failed = number(pattern!(r"(\d+) failed"), &last) + number(pattern!(r"(\d+) errors?"), &last);
    report.broken = pattern!(r"^!+ Interrupted: |^ERROR: |^INTERNALERROR>").is_match(output);
    let mut names = all(pattern!(r"^(?:FAILED|ERROR|SUBFAILED\S*) (\S.*?)(?: - .*)?$"), output);
    names.retain(|name| !name.starts_with("collecting "));
    names.extend(all(
        pattern!(r"^(\S+::.*?) (?:FAILED|ERROR)(?:\s+\[ *\d+%\])?$"),
        output,
    ));
    names.extend(all(pattern!(r"^\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (\S.*)$"), output));
    if names.is_empty() {
        names = all(
            pattern!(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(\S.*?) _{3,}$"),
            output,
        );
    }
    // pytest gives a file that it cannot load the same name in both places.
    Some(report.with_failed(names))
}

/// `Ran 5 tests in 0.001s` and `FAILED (failures=2, errors=1, skipped=1)`; each failure has a heading
/// `FAIL: name (module.Class.name) (i=1)`.
pub(super) fn unittest(output: &str) -> Option<Report> {
    let ran = pattern!(r"^Ran (\d+) tests? in ");
    if !ran.is_match(output) {
        return None;
    }
    let n_ran: usize = all(ran, output).iter().filter_map(|n| n.parse::<usize>().ok()).sum();
    let mut report = Report::new("unittest");
    let mut names = Vec::new();
    for found in pattern!(r"^(?:FAIL|ERROR): (\S+) \(([^()]+)\)").captures_iter(output) {
        let (name, place) = (&found[1], &found[2]);
        // Before Python 3.11 the place is the class alone.
        names.push(if place.ends_with(&format!(".{name}")) {
            place.to_string()
        } else {
            format!("{place}.{name}")
        });
        report.broken |= place.contains("_FailedTest");
    }
    let summaries = all(pattern!(r"^(?:OK|FAILED) \((.*)\)$"), output).join(", ");
    report.skipped = number(pattern!(r"skipped=(\d+)"), &summaries);
    let expected = number(pattern!(r"expected failures=(\d+)"), &summaries);
    let mut report = report.with_failed(names);
    report.passed = n_ran.saturating_sub(report.n_failed + report.skipped + expected);
    report.skipped += expected;
    Some(report)
}
