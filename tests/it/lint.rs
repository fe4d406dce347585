//! What lint tools print, and what the model is shown of it.
//!
//! A case: `output.txt` (as the tool printed it), `before.txt` (its output before the edit, if that matters), `files/`
//! (the files it speaks of), `shown.txt` (what comes out; `(nothing new)` when nothing is new).

use std::path::Path;

use codriver::lint::output;

use crate::support::check_all;
use crate::support::expect_file;

#[test]
fn findings_are_read_and_shown_with_their_lines() {
    check_all("lint", |case| {
        let files = case.join("files");
        let read = |name: &str| std::fs::read_to_string(case.join(name)).ok();
        let resolve = |name: &str| resolve(&files, name);
        let after = output::findings(&read("output.txt").ok_or("no output.txt")?, &resolve);
        let new = match read("before.txt") {
            Some(before) => output::new_findings(&output::findings(&before, &resolve), &after),
            None => after,
        };
        let shown = if new.is_empty() {
            "(nothing new)\n".to_string()
        } else {
            output::report(&new, &|path| std::fs::read_to_string(files.join(path)).ok())
        };
        expect_file(&case.join("shown.txt"), &shown)
    });
}

/// As the session does it: absolute names below the project's root (here always `/project`), and relative ones that
/// are there.
fn resolve(files: &Path, name: &str) -> Option<String> {
    let name = name.strip_prefix("/project/").unwrap_or(name);
    (!name.starts_with('/') && files.join(name).is_file()).then(|| name.to_string())
}

mod new_findings {
    use codriver::lint::output::Finding;
    use codriver::lint::output::new_findings;
    use codriver::lint::output::new_lines;

    fn finding(line: usize, message: &str) -> Finding {
        Finding {
            path: "a.py".to_string(),
            line,
            column: None,
            message: message.to_string(),
        }
    }

    #[test]
    fn old_findings_on_moved_lines_are_not_new() {
        let before = [finding(3, "unused x"), finding(9, "line too long (99 > 79)")];
        let after = [
            finding(5, "unused x"),
            finding(6, "undefined y"),
            finding(11, "line too long (98 > 79)"),
        ];
        assert_eq!(new_findings(&before, &after), [finding(6, "undefined y")]);
    }

    #[test]
    fn of_equal_words_the_one_elsewhere_is_new() {
        let before = [finding(3, "unused"), finding(9, "unused")];
        let after = [finding(3, "unused"), finding(7, "unused"), finding(9, "unused")];
        assert_eq!(new_findings(&before, &after), [finding(7, "unused")]);
        assert_eq!(new_findings(&after, &before), []);
    }

    #[test]
    fn unknown_output_is_compared_by_lines() {
        assert_eq!(new_lines("a\nb\n", "b\nc\n\na\nb\n"), ["c", "b"]);
    }
}
