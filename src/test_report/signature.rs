//! Knows a failure again: the same number for the same failure, whatever the clock, the temporary folder, the process
//! numbers and the order of the tests were.

use std::borrow::Cow;
use std::collections::BTreeSet;

use regex::Regex;
use xxhash_rust::xxh3::xxh3_64;

use super::pattern::pattern;

/// Names the failure that an output tells of. Equal for two outputs that differ only in times, durations, addresses,
/// process and thread numbers, random seeds, temporary paths, line numbers, and the order of lines. Different as soon
/// as a test's name or a value in an assertion differs.
pub fn failure_signature(output: &str) -> u64 {
    let lines: BTreeSet<Cow<'_, str>> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_noise(line))
        .map(normal)
        .collect();
    let mut text = String::new();
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    xxh3_64(text.as_bytes())
}

/// Lines that come and go between two runs of the same: builds, tests that passed, frames of a stack.
fn is_noise(line: &str) -> bool {
    pattern!(
        r"^(?:Compiling|Finished|Running|Checking|Downloaded|Downloading|Blocking|Fresh|Updating|Locking) |^(?:PASS|ok|=== RUN)\b|^(?:✓|✔|√|\[       OK \])|^test .* \.\.\. (?:ok|ignored)$|^\d+: (?:0x[0-9a-f]+ - )?[\w<]|^at .*:\d+|PASSED(?: +\[ *\d+%\])?$|^(?:Time|Duration|Start at|Finished in|Randomized with seed|Run options)\b|^[.sxFE]+(?: +\[ *\d+%\])?$|Nextest run ID"
    )
    .is_match(line)
}

fn normal(line: &str) -> Cow<'_, str> {
    let steps: [(&Regex, &str); 9] = [
        // Places in files: an edit moves them.
        (
            pattern!(r#"(\.\w{1,5}"?(?::|\(|, line | line )):?\d+(?:[:,]\d+)?"#),
            "${1}#",
        ),
        // Temporary paths.
        (
            pattern!(r"(?:/private)?(?:/tmp|/var/tmp|/var/folders)/[\w./+-]+"),
            "<temp>",
        ),
        // Dates and clock times.
        (
            pattern!(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?"),
            "<time>",
        ),
        (pattern!(r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b"), "<time>"),
        // Identifiers and addresses.
        (
            pattern!(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
            "<id>",
        ),
        (pattern!(r"\b0x[0-9a-fA-F]+\b"), "<address>"),
        // Durations: `0.01s`, `12 ms`, `1m 2s`.
        (
            pattern!(r"\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|min|minutes)\b"),
            "<duration>",
        ),
        // Thread and process numbers, seeds.
        (
            pattern!(r"(?i)(\b(?:pid|process|thread|seed|goroutine|port)\b[ =:#]*|thread '[^']*' \()\d+"),
            "${1}#",
        ),
        // Ports of the local machine.
        (pattern!(r"((?:localhost|127\.0\.0\.1|\[::1\]):)\d+"), "${1}#"),
    ];
    let mut line = Cow::Borrowed(line);
    for (pattern, replacement) in steps {
        if let Cow::Owned(changed) = pattern.replace_all(&line, replacement) {
            line = Cow::Owned(changed);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_again_has_the_same_signature() {
        let first = "   Compiling cart v0.1.0\nrunning 2 tests\ntest a ... FAILED\ntest b ... ok\n\nthread 'a' (15713) panicked at src/lib.rs:11:53:\nassertion `left == right` failed\n  left: 1\n right: 2\n  in /tmp/cart.Xy12/file at 0x7f33aa00\ntest result: FAILED. 1 passed; 1 failed; finished in 0.13s\n";
        let again = "running 2 tests\ntest b ... ok\ntest a ... FAILED\n\nthread 'a' (99) panicked at src/lib.rs:14:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n  in /tmp/cart.Zz99/file at 0x55aa\ntest result: FAILED. 1 passed; 1 failed; finished in 1.20s\n";
        assert_eq!(failure_signature(first), failure_signature(again));
    }

    #[test]
    fn another_failure_has_another_signature() {
        let output = "FAILED tests/test_a.py::test_b - assert 4 == 5\n";
        for other in [
            "FAILED tests/test_a.py::test_c - assert 4 == 5\n",
            "FAILED tests/test_a.py::test_b - assert 4 == 6\n",
            "",
        ] {
            assert_ne!(failure_signature(output), failure_signature(other), "{other}");
        }
    }

    #[test]
    fn clocks_of_runners_do_not_count() {
        for (one, two) in [
            ("Ran 5 tests in 0.001s", "Ran 5 tests in 1.5s"),
            ("FAIL\texample.com/cart\t0.012s", "FAIL\texample.com/cart\t0.310s"),
            ("=== 1 failed in 0.06s ===", "=== 1 failed in 12.1s ==="),
            (
                "    at 2026-01-02T03:04:05.123Z started",
                "    at 2026-05-06T07:08:09.9Z started",
            ),
            (
                "File \"/tmp/pytest-of-me/pytest-12/x.py\", line 3",
                "File \"/tmp/pytest-of-me/pytest-13/x.py\", line 9",
            ),
            ("connect 127.0.0.1:40123 refused", "connect 127.0.0.1:51234 refused"),
        ] {
            assert_eq!(failure_signature(one), failure_signature(two), "{one}");
        }
    }
}
