//! `dotnet test`.

use super::Report;
use super::pattern::all;
use super::pattern::pattern;

/// Each assembly ends with `Failed!  - Failed: 1, Passed: 3, Skipped: 1, Total: 5`; failures stand as
/// `  Failed Namespace.Class.Method(args) [5 ms]`.
pub(super) fn dotnet(output: &str) -> Option<Report> {
    let total = pattern!(r"^(?:Failed|Passed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:");
    let does_not_compile = pattern!(r"\): error (?:CS|FS|BC|MSB)\d+: ").is_match(output);
    if !total.is_match(output) && !does_not_compile {
        return None;
    }
    let mut report = Report::new("dotnet");
    report.broken = does_not_compile;
    for found in total.captures_iter(output) {
        let count = |group: usize| found[group].parse::<usize>().unwrap_or(0);
        report.n_failed += count(1);
        report.passed += count(2);
        report.skipped += count(3);
    }
    let names = all(pattern!(r"^\s+Failed (\S.*?) \[[^\]]*\]$"), output);
    Some(report.with_failed(names))
}
