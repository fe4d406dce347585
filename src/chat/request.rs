//! What a message of the user is about, as far as it decides what goes along with it.

/// Whether the message speaks of tests that fail, or that shall pass: then what they say now belongs to it.
pub fn is_about_failing_tests(message: &str) -> bool {
    const TESTS: &[&str] = &[
        "test",
        "tests",
        "suite",
        "spec",
        "specs",
        "ci",
        "unittest",
        "unittests",
        "testsuite",
    ];
    const STATES: &[&str] = &[
        "fail", "fails", "failed", "failing", "failure", "failures", "red", "green", "broken", "break", "breaks",
        "pass", "passes", "passing", "errors",
    ];
    let lower = message.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let says = |list: &[&str]| words.iter().any(|word| list.contains(word));
    // `test_cart fails` names a test as code does.
    let names_test = words.iter().any(|word| TESTS.contains(word)) || lower.contains("test_");
    names_test && says(STATES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_their_state_are_both_spoken_of() {
        for message in [
            "Fix the failing tests",
            "test_cart fails, why?",
            "make CI green",
            "Implement `slug` so that the tests pass.",
        ] {
            assert!(is_about_failing_tests(message), "{message}");
        }
        for message in [
            "Add a test for slug",
            "the build is red",
            "pass the name on",
            "contest failed",
            "",
        ] {
            assert!(!is_about_failing_tests(message), "{message}");
        }
    }
}
