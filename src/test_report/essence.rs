//! What of a failing run a repair needs: all but the lines about tests that passed and about warnings.

use super::pattern::pattern;

/// The output without lines that only say that a test passed and without pytest's summary of warnings; a last line counts
/// what was left out. For output in which [`super::parse`] found a runner's marks: elsewhere such a line may mean anything.
pub fn essence(output: &str) -> String {
    let passed = pattern!(concat!(
        r"^(?:",
        r"\s*[✓✔√] .*",                                // Jest, Vitest, Mocha, node:test, swift-testing
        r"|.* \.\.\. ok",                              // cargo test, unittest -v
        r"|\s*--- PASS: .*|=== (?:RUN|PAUSE|CONT) .*", // go test -v
        r"|\S+::.* PASSED(?: +\[ *\d+%\])?",           // pytest -v
        r"|\s*PASS (?:\[|\S+\.\w+(?: |$)).*",          // nextest, the files of Jest
        r"|\s*ok \d+\b.*",                             // TAP
        r"|\[(?: RUN      |       OK )\] .*",          // GoogleTest
        r")$"
    ));
    let warnings = pattern!(r"^=+ warnings summary.*=+$");
    let heading = pattern!(r"^=+ .+ =+$");
    let mut kept = String::with_capacity(output.len());
    let mut n_left_out = 0;
    let mut in_warnings = false;
    for line in output.split_inclusive('\n') {
        let words = line.trim_end();
        in_warnings = match in_warnings {
            true => !heading.is_match(words) || warnings.is_match(words),
            false => warnings.is_match(words),
        };
        if in_warnings || passed.is_match(words) {
            n_left_out += 1;
        } else {
            kept.push_str(line);
        }
    }
    if n_left_out > 0 {
        if !kept.is_empty() && !kept.ends_with('\n') {
            kept.push('\n');
        }
        let lines = if n_left_out == 1 { "line" } else { "lines" };
        kept.push_str(&format!(
            "[{n_left_out} {lines} about passed tests and warnings left out]\n"
        ));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_passed_tests_go() {
        for line in [
            "  ✓ adds (3 ms)",
            "    ✔ adds",
            "test maths::adds ... ok",
            "test_adds (test_maths.Adds.test_adds) ... ok",
            "--- PASS: TestAdds (0.00s)",
            "    --- PASS: TestAdds/one (0.00s)",
            "=== RUN   TestAdds",
            "tests/test_maths.py::test_adds PASSED                [ 50%]",
            "        PASS [   0.003s] maths tests::adds",
            "PASS src/maths.test.js",
            "ok 1 - adds",
            "[       OK ] Maths.Adds (0 ms)",
        ] {
            let output = format!("before\n{line}\nafter\n");
            let expected = "before\nafter\n[1 line about passed tests and warnings left out]\n";
            assert_eq!(essence(&output), expected, "{line}");
        }
    }

    #[test]
    fn all_else_stays() {
        let output = "\
FAIL src/maths.test.js
  ✕ subtracts (3 ms)
not ok 2 - subtracts
test maths::subtracts ... FAILED
--- FAIL: TestSubtracts (0.00s)
tests/test_maths.py::test_subtracts FAILED
    PASSWORD was \"ok\"
assert result == 'ok 1'
E   AssertionError: it printed ok
ok  \texample.com/maths\t0.01s
";
        assert_eq!(essence(output), output);
    }

    #[test]
    fn the_summary_of_warnings_goes_and_what_follows_it_stays() {
        let output = "\
=== FAILURES ===
E  assert 1 == 2
=============================== warnings summary ===============================
a.py:3: RuntimeWarning: x
  Traceback (most recent call last):
-- Docs: https://docs.pytest.org/
=========================== short test summary info ============================
FAILED a.py::test_a - assert 1 == 2
=== 1 failed, 1 warning in 0.1s ===";
        let expected = "\
=== FAILURES ===
E  assert 1 == 2
=========================== short test summary info ============================
FAILED a.py::test_a - assert 1 == 2
=== 1 failed, 1 warning in 0.1s ===
[4 lines about passed tests and warnings left out]
";
        assert_eq!(essence(output), expected);
    }
}
