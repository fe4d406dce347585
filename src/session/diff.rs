//! Unified diffs of file versions, for the user and for commit messages.

use crate::files::decode_lossy;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// A unified diff of one file; None is an absent file. Empty when nothing changed.
pub fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let text = |bytes: Option<&[u8]>| bytes.map(decode_lossy).unwrap_or_default();
    unified_text(
        path,
        before.is_some().then(|| text(before)).as_deref(),
        after.is_some().then(|| text(after)).as_deref(),
    )
}

/// The same for texts.
pub fn unified_text(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let name = |side: char, present: bool| {
        if present {
            format!("{side}/{path}")
        } else {
            "/dev/null".to_owned()
        }
    };
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let body = similar::TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(CONTEXT)
        .to_string();
    format!(
        "diff --git a/{path} b/{path}\n--- {}\n+++ {}\n{body}",
        name('a', before.is_some()),
        name('b', after.is_some())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_comes_from_nowhere() {
        let diff = unified_text("a.txt", None, Some("x\n"));
        assert!(
            diff.starts_with("diff --git a/a.txt b/a.txt\n--- /dev/null\n+++ b/a.txt\n@@"),
            "{diff}"
        );
        assert_eq!(unified_text("a.txt", Some("x\n"), Some("x\n")), "");
    }
}
