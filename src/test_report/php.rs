//! PHPUnit.

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// `OK (2 tests, 2 assertions)` or `Tests: 5, Assertions: 3, Errors: 1, Failures: 1, Skipped: 1.`; failures stand as
/// `1) Class::method with data set #1 (...)`.
pub(super) fn phpunit(output: &str) -> Option<Report> {
    let mut report = Report::new("phpunit");
    let counts = all(pattern!(r"^(Tests: \d+, Assertions: \d+.*)$"), output).pop();
    match counts {
        Some(counts) => {
            report.n_failed =
                number(pattern!(r"Failures: (\d+)"), &counts) + number(pattern!(r"Errors: (\d+)"), &counts);
            report.skipped =
                number(pattern!(r"Skipped: (\d+)"), &counts) + number(pattern!(r"Incomplete: (\d+)"), &counts);
            report.passed = number(pattern!(r"Tests: (\d+)"), &counts).saturating_sub(report.n_failed + report.skipped);
        }
        None => {
            let ok = pattern!(r"^OK \((\d+) tests?, \d+ assertions?\)");
            ok.find(output)?;
            report.passed = number(ok, output);
        }
    }
    // Skipped and risky tests are listed in the same form; only errors and failures count.
    let mut names = Vec::new();
    let mut counts_here = false;
    for line in output.lines() {
        if let Some(found) = pattern!(r"^There (?:was|were) \d+ (\w+)").captures(line) {
            counts_here = found[1].starts_with("error") || found[1].starts_with("failure");
        } else if counts_here && let Some(found) = pattern!(r"^\d+\) ([\w\\]+::.*)$").captures(line) {
            names.push(found[1].to_string());
        }
    }
    Some(report.with_failed(names))
}
