//! ExUnit (`mix test`).

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// `1 doctest, 4 tests, 1 failure, 1 skipped`; failures stand as `  1) test adds up (CartTest)`.
pub(super) fn exunit(output: &str) -> Option<Report> {
    let total = pattern!(r"^((?:\d+ (?:doctests?|properties|property|features?), )*\d+ tests?, \d+ failures?.*)$");
    let counts = all(total, output).pop()?;
    let mut report = Report::new("exunit");
    report.n_failed = number(pattern!(r"(\d+) failures?"), &counts) + number(pattern!(r"(\d+) invalid"), &counts);
    report.skipped = number(pattern!(r"(\d+) skipped"), &counts) + number(pattern!(r"(\d+) excluded"), &counts);
    let n_ran = number(pattern!(r"(\d+) tests?"), &counts)
        + number(pattern!(r"(\d+) doctests?"), &counts)
        + number(pattern!(r"(\d+) propert"), &counts);
    report.passed = n_ran.saturating_sub(report.n_failed + report.skipped);
    let names = pattern!(r"^\s+\d+\) ((?:test|property|doctest|feature) .*) \(([\w.]+)\)$")
        .captures_iter(output)
        .map(|found| format!("{} {}", &found[2], &found[1]));
    Some(report.with_failed(names.collect::<Vec<String>>()))
}
