//! Maven's Surefire and Gradle.

use super::Report;
use super::pattern::all;
use super::pattern::number;
use super::pattern::pattern;

/// Each class has a line `Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: ...`, each module the same
/// without time; failures are marked `<<< FAILURE!`. Names: `com.example.CartTest.addsUp`.
pub(super) fn surefire(output: &str) -> Option<Report> {
    let total = pattern!(r"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$");
    let does_not_compile = pattern!(r"^\[ERROR\] COMPILATION ERROR").is_match(output);
    if !total.is_match(output) && !does_not_compile {
        return None;
    }
    let mut report = Report::new("surefire");
    report.broken = does_not_compile;
    for found in total.captures_iter(output) {
        let count = |group: usize| found[group].parse::<usize>().unwrap_or(0);
        let failed = count(2) + count(3);
        report.n_failed += failed;
        report.skipped += count(4);
        report.passed += count(1).saturating_sub(failed + count(4));
    }
    let mut names = all(
        pattern!(r"^(?:\[ERROR\] )?([\w.$]+(?:\[[^\]]*\]|\([^)]*\))?) -- Time elapsed: .* <<< (?:FAILURE|ERROR)!"),
        output,
    );
    // Before version 3: `addsUp(com.example.CartTest)  Time elapsed: ...`.
    let old =
        pattern!(r"^(?:\[ERROR\] )?([\w$]+(?:\[[^\]]*\])?)\(([\w.$]+)\)  Time elapsed: .* <<< (?:FAILURE|ERROR)!");
    names.extend(
        old.captures_iter(output)
            .map(|found| format!("{}.{}", &found[2], &found[1])),
    );
    Some(report.with_failed(names))
}

/// `CartTest > adds up FAILED` and `5 tests completed, 2 failed, 1 skipped`; nothing when all is well.
pub(super) fn gradle(output: &str) -> Option<Report> {
    let total = pattern!(r"^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?");
    let does_not_compile =
        pattern!(r"^Execution failed for task ':.*compile\w*(?:Java|Kotlin|Groovy|Scala)'").is_match(output);
    let names = all(pattern!(r"^(\S.* > .*) FAILED$"), output);
    let names: Vec<String> = names.into_iter().filter(|name| !name.starts_with("> Task")).collect();
    if !total.is_match(output) && !does_not_compile {
        return None;
    }
    let mut report = Report::new("gradle");
    report.broken = does_not_compile;
    for found in total.captures_iter(output) {
        let count = |group: usize| {
            found
                .get(group)
                .and_then(|n| n.as_str().parse::<usize>().ok())
                .unwrap_or(0)
        };
        report.n_failed += count(2);
        report.skipped += count(3);
        report.passed += count(1).saturating_sub(count(2) + count(3));
    }
    report.passed = report.passed.max(number(pattern!(r"^(\d+) tests? passed"), output));
    Some(report.with_failed(names))
}
