//! Whether a fenced text may replace the file that is there: how much of the file it keeps, and whether it holds markers
//! that are no text of a file. What the reply says of it comes from `edit_format` as a [`Basis`].

use std::collections::{HashMap, HashSet};

use super::omission::is_prose;
use super::plausible::is_plausible;
use crate::edit_format::Basis;
use crate::text::fence::FenceLine;
use crate::text::lines::{indent, is_blank};
use crate::text::similarity;

/// Files below this many filled lines may be rewritten freely where whole files were asked for.
const MIN_LINES_TO_GUARD: usize = 8;
/// In files of at least so many, a text of less than half the lines is looked at more closely.
const MIN_LINES_TO_DOUBT: usize = 5;
/// A text this many times shorter than the file must keep this share of the file (what went to other files included).
const FAR_SHORTER: usize = 3;
const MIN_KEPT_OF_LONG_FILE: f64 = 0.2;
/// The same for a text half as long as the file.
const MIN_KEPT_OF_HALF: f64 = 0.05;
/// What a text that nobody asked for must keep of the file, or must itself be of old lines.
const MIN_KEPT_OF_GUESS: f64 = 0.5;
/// A text that only takes lines away may be an excerpt; below this share of the file it is one.
const MIN_SHARE_OF_SUBSET: f64 = 0.8;
/// Files up to this many filled lines are compared by the similarity of lines too.
const MOST_COMPARED: usize = 40;
const SAME_LINE: f64 = 0.7;

/// Whether a whole new text may replace the old one. `elsewhere` tells whether a line went to another file of the reply.
pub(super) fn may_replace(old: &[&str], new: &[&str], basis: Basis, elsewhere: &dyn Fn(&str) -> bool) -> bool {
    let indented = |lines: &[&str]| {
        lines
            .iter()
            .find(|line| !is_blank(line))
            .map(|line| !indent(line).is_empty())
    };
    // No file begins inside an indented block.
    let begins_inside = indented(new) == Some(true) && indented(old) == Some(false);
    let (old, new) = (filled(old), filled(new));
    let is_part = old.len() >= MIN_LINES_TO_DOUBT && 2 * new.len() < old.len();
    if old.is_empty() || basis == Basis::Rewrite {
        return true;
    }
    if is_output(&old, &new) || is_part && (begins_inside || is_run_from_the_middle(&old, &new)) {
        return false;
    }
    let common = Common::of(&old, &new);
    let moved = common.gone.iter().filter(|line| elsewhere(line)).count();
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let kept_of_old = share(common.kept + moved, old.len());
    if basis == Basis::Asked {
        let is_far_shorter = new.len() * FAR_SHORTER < old.len();
        let is_half = new.len() * 2 < old.len();
        // A snippet or an output does not begin as the file does; a file that became a thin wrapper may.
        return old.len() < MIN_LINES_TO_GUARD
            || old.first() == new.first()
            || (!is_far_shorter || kept_of_old >= MIN_KEPT_OF_LONG_FILE)
                && (!is_half || kept_of_old >= MIN_KEPT_OF_HALF);
    }
    if common.added.is_empty() && moved == 0 {
        return share(new.len(), old.len()) >= MIN_SHARE_OF_SUBSET;
    }
    let is_mostly_old = share(common.kept, new.len()) >= MIN_KEPT_OF_GUESS && new.len() * 2 >= old.len();
    kept_of_old >= MIN_KEPT_OF_GUESS || is_mostly_old || (new.len() >= old.len() && resembles(&common, old.len()))
}

/// Whether a text begins as what a program or a shell prints, and the file does not.
fn is_output(old: &[&str], new: &[&str]) -> bool {
    let is_printed = |line: &&&str| {
        [
            "Traceback (most recent call last)",
            "$ ",
            ">>> ",
            "PS C:\\",
            "PS> ",
            "error[E",
        ]
        .iter()
        .any(|begin| line.starts_with(begin))
    };
    new.first().filter(is_printed).is_some() && old.first().filter(is_printed).is_none()
}

/// Whether a text is nothing but some lines from the middle of the file.
fn is_run_from_the_middle(old: &[&str], new: &[&str]) -> bool {
    !new.is_empty() && old.first() != new.first() && old.windows(new.len()).any(|run| run == new)
}

/// Whether lines of a small file are there in another version.
fn resembles(common: &Common<'_>, n_old: usize) -> bool {
    if n_old > MOST_COMPARED {
        return false;
    }
    let is_changed = |line: &&&str| {
        let is_like = |new: &&str| similarity::of_lines(new, line) >= SAME_LINE;
        common.added.iter().take(2 * MOST_COMPARED).any(is_like)
    };
    let changed = common.gone.iter().filter(is_changed).count();
    (common.kept + changed) as f64 >= MIN_KEPT_OF_GUESS * n_old as f64
}

/// What two texts have in common, blanks around lines and their order aside.
struct Common<'t> {
    kept: usize,
    /// Lines of the old text that are not in the new one.
    gone: Vec<&'t str>,
    /// Lines of the new text that are not in the old one.
    added: Vec<&'t str>,
}

impl<'t> Common<'t> {
    fn of(old: &[&'t str], new: &[&'t str]) -> Self {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for line in old {
            *left.entry(line).or_default() += 1;
        }
        let mut added = Vec::new();
        for line in new {
            match left.get_mut(line).filter(|n| **n > 0) {
                Some(n) => *n -= 1,
                None => added.push(*line),
            }
        }
        let mut gone = Vec::new();
        for line in old {
            if let Some(n) = left.get_mut(line).filter(|n| **n > 0) {
                *n -= 1;
                gone.push(*line);
            }
        }
        Self {
            kept: new.len() - added.len(),
            gone,
            added,
        }
    }
}

fn filled<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let trimmed = lines.iter().map(|line| line.trim());
    trimmed.filter(|line| !line.is_empty()).collect()
}

/// The first marker of an edit, a conflict or a diff in `new` that `old` does not hold: the text is then a block that
/// could not be read as one, and no file. A document may come to show markers as long as it stays the document it was.
pub(super) fn mark_of_another_format<'n>(old: &[&str], new: &[&'n str], path: &str) -> Option<&'n str> {
    // What is a diff has such lines, and others in every version.
    if path.ends_with(".diff") || path.ends_with(".patch") {
        return None;
    }
    let there: HashSet<&str> = old.iter().map(|line| line.trim()).collect();
    let mark = new
        .iter()
        .find(|line| is_mark(line) && !there.contains(line.trim()))
        .copied()?;
    let (old, new) = (filled(old), filled(new));
    if old.is_empty() {
        return None;
    }
    let kept = Common::of(&old, &new).kept as f64;
    let goes_on = is_prose(path) && kept >= MIN_KEPT_OF_GUESS * old.len() as f64;
    (!goes_on).then_some(mark)
}

/// The line above another block that new lines hold, mostly a name: this block lacks its end, and the next one's was taken for it.
/// `is_there` tells whether the file has a line: one that shows markers already is about them. A document may come to
/// show a block when the fence around it ends.
pub(super) fn swallowed_block<'n>(
    old: &[String],
    new: &'n [String],
    path: &str,
    is_there: &dyn Fn(&str) -> bool,
) -> Option<&'n str> {
    let at = new.iter().position(|line| is_opener(line))?;
    let opener = new[at].as_str();
    if old.iter().any(|line| is_opener(line)) || is_there(opener) {
        return None;
    }
    let mut above = new[..at].iter().rev().filter(|line| !line.trim().is_empty());
    let nearest = above.next()?;
    let Some(fence) = FenceLine::read(nearest) else {
        return reads_like_a_name(nearest).then_some(nearest.as_str());
    };
    let closes = |line: &String| FenceLine::read(line).is_some_and(|line| line.closes(&fence));
    let is_sample = is_prose(path) && new[at..].iter().any(closes);
    (!is_sample).then_some(above.next().unwrap_or(nearest).as_str())
}

fn is_opener(line: &str) -> bool {
    let line = line.trim();
    let rest = line.trim_start_matches('<');
    (5..=9).contains(&(line.len() - rest.len())) && rest.trim().eq_ignore_ascii_case("search")
}

/// Whether a line names a file, decoration aside.
fn reads_like_a_name(line: &str) -> bool {
    let last = line.split_whitespace().next_back().unwrap_or("");
    let word = last.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '/'));
    let base = word.rsplit('/').next().unwrap_or(word);
    is_plausible(word) && (base.contains('.') || word.contains('/') || line.trim() == word)
}

/// `<<<<<<< x`, `>>>>>>> x`, `||||||| x`, or an `@@` line with line numbers.
fn is_mark(line: &str) -> bool {
    let Some(sign) = line.chars().next() else { return false };
    match sign {
        '<' | '>' | '|' => {
            let rest = line.trim_start_matches(sign);
            line.len() - rest.len() == 7 && (rest.trim_end().is_empty() || rest.starts_with(' '))
        }
        '@' => line
            .strip_prefix("@@ -")
            .and_then(|rest| rest.split_once(" @@"))
            .and_then(|(ranges, _)| ranges.split_once(" +"))
            .is_some_and(|(old, new)| is_range(old) && is_range(new)),
        _ => false,
    }
}

fn is_range(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(n: usize) -> Vec<String> {
        (0..n).map(|n| format!("value_{n} = {}", n * n)).collect()
    }

    fn may(old: &[&str], new: &[&str], basis: Basis) -> bool {
        may_replace(old, new, basis, &|_| false)
    }

    #[test]
    fn a_text_that_was_not_asked_for_must_be_like_the_file() {
        let old = [
            "import os",
            "def f(x):",
            "    if x:",
            "        return 1",
            "    return 2",
        ];
        assert!(!may(&old, &["if not x:", "    return 7"], Basis::Guess));
        assert!(!may(
            &old,
            &["Traceback (most recent call last):", "  File \"a.py\", line 3"],
            Basis::Guess
        ));
        assert!(!may(&old, &old[1..4], Basis::Guess), "an excerpt");
        assert!(may(
            &old,
            &[
                "import os",
                "def f(x):",
                "    if not x:",
                "        return 7",
                "    return 2"
            ],
            Basis::Guess
        ));
        assert!(may(&["a = 1"], &["a = 2"], Basis::Guess));
        assert!(!may(&["a = 1"], &["print('hello')"], Basis::Guess));
        assert!(may(&[], &["print('hello')"], Basis::Guess));
    }

    #[test]
    fn small_files_may_be_rewritten_and_long_ones_when_it_is_said() {
        let texts = texts(200);
        let old: Vec<&str> = texts.iter().map(String::as_str).collect();
        let new = ["if not x:", "    return 7"];
        assert!(may(&old[..7], &new, Basis::Asked));
        assert!(!may(&old, &new, Basis::Asked));
        assert!(may(&old, &new, Basis::Rewrite));
        assert!(
            may_replace(&old, &new, Basis::Asked, &|_| true),
            "what is gone went elsewhere"
        );
        assert!(may(&old, &old[..150], Basis::Asked));
    }

    #[test]
    fn what_is_shown_of_a_small_file_does_not_replace_it() {
        let old = [
            "import os",
            "def f(x):",
            "    if x:",
            "        return 1",
            "    return 2",
        ];
        assert!(
            !may(&old, &["    if not x:", "        return 7"], Basis::Asked),
            "a snippet"
        );
        assert!(!may(&old, &old[3..], Basis::Asked), "an excerpt");
        assert!(!may(&old, &["$ python a.py", "2"], Basis::Asked), "an output");
        assert!(may(&old, &["print('hello')"], Basis::Asked));
        assert!(may(&old, &old[..2], Basis::Asked), "the beginning");
    }

    #[test]
    fn markers_that_the_file_does_not_hold_are_no_text() {
        let new = ["<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> new"];
        assert_eq!(mark_of_another_format(&["a"], &new, "a.py"), Some("<<<<<<< HEAD"));
        assert_eq!(mark_of_another_format(&new, &new, "a.py"), None);
        assert_eq!(
            mark_of_another_format(&["a"], &["@@ -4,1 +4 @@ f", "-a"], "a.py"),
            Some("@@ -4,1 +4 @@ f")
        );
        assert_eq!(
            mark_of_another_format(&["@@ -1 +1 @@"], &["@@ -4,1 +4 @@", "-a"], "a.patch"),
            None
        );
        assert_eq!(mark_of_another_format(&["Title"], &["Title", "======="], "a.rst"), None);
        assert_eq!(
            mark_of_another_format(&["# Merging"], &["# Merging", "<<<<<<< HEAD"], "a.md"),
            None
        );
    }
}
