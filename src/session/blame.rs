//! Which findings of a lint command a turn brought. What was wrong before is not the model's job.

use std::collections::BTreeSet;

use crate::lint::output::Finding;
use crate::text::diff;

/// What a turn changed in one file.
pub(super) struct Changed {
    /// Lines of the file as it is now, from 1, that are new or stand where something was removed.
    lines: BTreeSet<usize>,
    /// Words in added and removed lines.
    words: BTreeSet<String>,
}

impl Changed {
    /// From the text before the turn (None: there was no file) and now.
    pub(super) fn between(before: Option<&str>, now: &str) -> Self {
        let old: Vec<&str> = before.unwrap_or_default().lines().collect();
        let new: Vec<&str> = now.lines().collect();
        let mut changed = Self {
            lines: BTreeSet::new(),
            words: BTreeSet::new(),
        };
        let (mut old_at, mut new_at) = (0, 0);
        let end = std::iter::once((old.len(), new.len()));
        for (old_idx, new_idx) in diff::matches(&old, &new).into_iter().chain(end) {
            if old_idx > old_at || new_idx > new_at {
                // Where lines were only removed, the line that took their place stands for them.
                changed.lines.extend(new_at + 1..=new_idx.max(new_at + 1));
                for line in old[old_at..old_idx].iter().chain(&new[new_at..new_idx]) {
                    changed.words.extend(words(line).map(str::to_owned));
                }
            }
            (old_at, new_at) = (old_idx + 1, new_idx + 1);
        }
        changed
    }

    /// Whether the turn may have brought the finding: it stands at a changed line, or it names (in quotes) something that
    /// the changed lines name, such as a function that was removed.
    pub(super) fn brought(&self, finding: &Finding) -> bool {
        self.lines.contains(&finding.line)
            || quoted(&finding.message).any(|name| words(name).any(|word| self.words.contains(word)))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// The texts in quotes or backticks.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    const PAIRS: [(char, char); 4] = [('\'', '\''), ('"', '"'), ('`', '`'), ('\u{2018}', '\u{2019}')];
    PAIRS.into_iter().flat_map(move |(open, close)| {
        let mut rest = message;
        std::iter::from_fn(move || {
            let start = rest.find(open)? + open.len_utf8();
            let end = start + rest[start..].find(close)?;
            let inside = &rest[start..end];
            rest = &rest[end + close.len_utf8()..];
            Some(inside)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "import os\n\ndef f():\n    return os.name\n\ndef g():\n    return f()\n\nx = y\n";
    const NOW: &str = "import os\n\ndef ff():\n    return 1\n\ndef g():\n    return f()\n\nx = y\n";

    fn finding(line: usize, message: &str) -> Finding {
        Finding {
            path: "a.py".to_owned(),
            line,
            column: None,
            message: message.to_owned(),
        }
    }

    #[test]
    fn a_finding_at_a_changed_line_is_the_turns() {
        let changed = Changed::between(Some(BEFORE), NOW);
        assert!(changed.brought(&finding(3, "E999 whatever")));
        assert!(!changed.brought(&finding(9, "W1 line is ugly")));
    }

    #[test]
    fn a_finding_elsewhere_that_names_what_changed_is_the_turns() {
        let changed = Changed::between(Some(BEFORE), NOW);
        assert!(changed.brought(&finding(7, "F821 undefined name 'f'")));
        assert!(changed.brought(&finding(1, "F401 'os' imported but unused")));
        assert!(!changed.brought(&finding(9, "F821 undefined name 'y'")));
    }

    #[test]
    fn everything_in_a_new_file_is_the_turns() {
        assert!(Changed::between(None, "a\nb\n").brought(&finding(2, "bad")));
    }
}
