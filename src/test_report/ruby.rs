//! RSpec and Minitest (Rails prints as the latter).

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// `4 examples, 2 failures, 1 pending`, then `rspec ./spec/cart_spec.rb:9 # Cart adds up`.
/// Names: `./spec/cart_spec.rb Cart adds up`, without the line, which moves.
pub(super) fn rspec(output: &str) -> Option<Report> {
    let total = pattern!(r"^(\d+ examples?, \d+ failures?.*)$");
    let counts = all(total, output).pop()?;
    let mut report = Report::new("rspec");
    report.n_failed = number(pattern!(r"(\d+) failures?"), &counts);
    report.skipped = number(pattern!(r"(\d+) pending"), &counts);
    report.passed = number(pattern!(r"(\d+) examples?"), &counts).saturating_sub(report.n_failed + report.skipped);
    report.broken = counts.contains("occurred outside of examples");
    let names: Vec<String> = pattern!(r"^rspec '?(\S+?)(?::\d+|\[[\d:]+\])'? # (.*)$")
        .captures_iter(output)
        .map(|found| format!("{} {}", &found[1], &found[2]))
        .collect();
    Some(report.with_failed(names))
}

/// `4 runs, 3 assertions, 1 failures, 1 errors, 0 skips`; each failure is a numbered block that begins with its name.
pub(super) fn minitest(output: &str) -> Option<Report> {
    let total = pattern!(r"^(\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors.*)$");
    let counts = all(total, output).pop()?;
    let mut report = Report::new("minitest");
    report.n_failed = number(pattern!(r"(\d+) failures"), &counts) + number(pattern!(r"(\d+) errors"), &counts);
    report.skipped = number(pattern!(r"(\d+) skips"), &counts);
    report.passed = number(pattern!(r"(\d+) (?:runs|tests)"), &counts).saturating_sub(report.n_failed + report.skipped);
    let mut names = all(
        pattern!(r"^\s*\d+\) (?:Failure|Error):\n(\S+?)(?: \[[^\]]*\])?:"),
        output,
    );
    // Rails: `Failure:` and `Error:` without numbers, as they come.
    names.extend(all(
        pattern!(r"^(?:Failure|Error):\n(\S+#\S+?)(?: \[[^\]]*\])?:"),
        output,
    ));
    Some(report.with_failed(names))
}
