//! Output of test runners, and what is read in it. A case: `output.txt` as the runner printed it, `expected.toml` the
//! report.

use std::collections::BTreeSet;

use codriver::test_report;

use crate::support::check_all;
use crate::support::expect_file;
use crate::support::fixtures;

/// The folder of outputs that are no runner's.
const NONE: &str = "none";

#[test]
fn every_runner_is_read() {
    for runner in folders() {
        check_all(&format!("test_report/{runner}"), |case| {
            let output = std::fs::read_to_string(case.join("output.txt")).map_err(|error| error.to_string())?;
            let report = test_report::parse(&output);
            let read_as = report.as_ref().map_or(NONE, |report| report.runner);
            if read_as != runner {
                return Err(format!("read as {read_as}"));
            }
            let text = report.map_or_else(
                || "# not a test run\n".to_string(),
                |report| toml::to_string(&report).unwrap(),
            );
            expect_file(&case.join("expected.toml"), &text)
        });
    }
}

#[test]
fn every_runner_has_cases_and_every_folder_a_runner() {
    let rows: BTreeSet<String> = test_report::RUNNERS
        .iter()
        .map(|runner| runner.name.to_string())
        .collect();
    let mut folders = folders();
    assert!(folders.remove(NONE));
    assert_eq!(folders, rows);
}

fn folders() -> BTreeSet<String> {
    std::fs::read_dir(fixtures("test_report"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn output_cut_anywhere_is_read_without_fail() {
    for runner in folders() {
        for case in crate::support::cases(&format!("test_report/{runner}")) {
            let output = std::fs::read_to_string(case.join("output.txt")).unwrap();
            for at in (0..output.len()).step_by(37).filter(|at| output.is_char_boundary(*at)) {
                for part in [&output[..at], &output[at..]] {
                    if let Some(report) = test_report::parse(part) {
                        assert!(report.n_failed >= report.failed.len());
                    }
                }
            }
        }
    }
}

#[test]
fn the_signature_of_a_case_is_its_own() {
    let mut seen = std::collections::BTreeMap::new();
    for runner in folders() {
        for case in crate::support::cases(&format!("test_report/{runner}")) {
            let output = std::fs::read_to_string(case.join("output.txt")).unwrap();
            let failed = test_report::parse(&output).is_some_and(|report| !report.is_green());
            // The same run in two forms may be told apart or not.
            if failed && case.ends_with("default") {
                let other = seen.insert(test_report::failure_signature(&output), case.clone());
                assert_eq!(other, None, "{}", case.display());
            }
        }
    }
}
