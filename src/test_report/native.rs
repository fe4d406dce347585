//! GoogleTest, CTest and XCTest.

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// `[  PASSED  ] 1 test.`; failures stand as `[  FAILED  ] Suite.Name (0 ms)`.
pub(super) fn googletest(output: &str) -> Option<Report> {
    let end = pattern!(r"^\[==========\] \d+ tests? from .* ran\.").find(output)?;
    let mut report = Report::new("googletest");
    report.passed = number(pattern!(r"^\[  PASSED  \] (\d+) tests?\."), &output[end.start()..]);
    report.skipped = number(
        pattern!(r"^\[  SKIPPED \] (\d+) tests?, listed below"),
        &output[end.start()..],
    );
    let names = all(
        pattern!(r"^\[  FAILED  \] ([\w/]+\.[\w/]+(?:, where .*?)?)(?: \(\d+ ms\))?$"),
        output,
    );
    Some(report.with_failed(names))
}

/// `33% tests passed, 2 tests failed out of 3`, then `<tab>  2 - money (Failed)`.
pub(super) fn ctest(output: &str) -> Option<Report> {
    let total = pattern!(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)");
    let found = total.captures_iter(output).last()?;
    let mut report = Report::new("ctest");
    report.n_failed = found[1].parse().unwrap_or(0);
    report.passed = found[2].parse::<usize>().unwrap_or(0).saturating_sub(report.n_failed);
    let names = all(
        pattern!(r"^\s+\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|Child aborted|Not Run|[A-Z]+)\)"),
        output,
    );
    Some(report.with_failed(names))
}

/// `Executed 2 tests, with 1 failure (0 unexpected)`; failures stand as `Test Case 'CartTests.testSum' failed`.
pub(super) fn swift(output: &str) -> Option<Report> {
    pattern!(r"^\s*Executed \d+ tests?, with ").find(output)?;
    let mut report = Report::new("swift");
    report.passed = all(pattern!(r"^Test Case '(.*)' passed"), output).len();
    report.skipped = all(pattern!(r"^Test Case '(.*)' skipped"), output).len();
    let names = all(pattern!(r"^Test Case '(?:-\[)?(.*?)\]?' failed"), output);
    Some(report.with_failed(names))
}
