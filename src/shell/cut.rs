//! Cuts long output for a prompt: its start, its end, and between them the lines that tell of failures with their
//! surroundings; a line says how many were left out where. Values in, values out.

use std::collections::BTreeSet;

/// Lines shown before and after one that tells of a failure.
const BEFORE: usize = 2;
const AFTER: usize = 6;

/// Share of the budget that the start of the output may take; the end may take twice as much, the rest goes to
/// failures. Output ends with summaries and begins with the command's own words.
const HEAD_SHARE: usize = 6;

/// A line longer than this is shortened in its middle, in characters.
const MAX_LINE: usize = 600;

/// Words that stand in lines which tell of failures, in lower case.
const FAILURE_WORDS: &[&str] = &[
    "error",
    "fail",
    "panick",
    "assert",
    "traceback",
    "exception",
    "fatal",
    "undefined",
    "not found",
    "cannot",
    "segfault",
    "segmentation fault",
    "core dumped",
    "timed out",
    "timeout",
    "expected",
    "no such file",
    "denied",
    "not ok",
];

/// Lines with these say that all is well although a word above stands in them.
const NO_FAILURE: &[&str] = &[
    "0 errors",
    "0 failed",
    "0 failures",
    "no errors",
    "errors: 0",
    "failures: 0",
    "failed: 0",
];

/// What is left of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub text: String,
    /// Lines that were left out.
    pub n_lines_left_out: usize,
}

/// The line looks like one that a person would search for after a failure.
pub fn tells_of_failure(line: &str) -> bool {
    let line = line.to_lowercase();
    let has_word = FAILURE_WORDS.iter().any(|word| line.contains(word)) || line.starts_with("e   ");
    has_word && !NO_FAILURE.iter().any(|phrase| line.contains(phrase))
}

/// Cuts `output` to at most `budget`, counted by `cost` (tokens or bytes of a text). What fits is not touched.
///
/// In place of each gap stands `[lines 12-480 left out]`, numbered from 1 in the whole output.
pub fn cut(output: &str, budget: usize, cost: &dyn Fn(&str) -> usize) -> Cut {
    if output.len() <= budget.saturating_mul(16) && cost(output) <= budget {
        return Cut {
            text: output.to_string(),
            n_lines_left_out: 0,
        };
    }
    let lines: Vec<&str> = output.lines().collect();
    let mut kept = Kept {
        lines: &lines,
        idxs: BTreeSet::new(),
        used: 0,
        cost,
    };
    kept.take(0..lines.len(), budget / HEAD_SHARE);
    kept.take((0..lines.len()).rev(), budget / HEAD_SHARE * 3);
    // The first failures tell most: later ones often follow from them.
    let failures: Vec<usize> = (0..lines.len()).filter(|idx| tells_of_failure(lines[*idx])).collect();
    kept.take(failures.iter().copied(), budget / 5 * 4);
    let around = failures
        .iter()
        .flat_map(|idx| idx.saturating_sub(BEFORE)..(idx + AFTER + 1).min(lines.len()));
    kept.take(around, budget);

    let mut text = kept.render();
    // The lines that name the gaps cost too; the middle gives way for them.
    while cost(&text) > budget && kept.idxs.len() > 2 {
        kept.drop_from_the_middle();
        text = kept.render();
    }
    Cut {
        text,
        n_lines_left_out: lines.len() - kept.idxs.len(),
    }
}

struct Kept<'a> {
    lines: &'a [&'a str],
    idxs: BTreeSet<usize>,
    used: usize,
    cost: &'a dyn Fn(&str) -> usize,
}

impl Kept<'_> {
    /// Takes lines in this order until `limit` is used; the first that does not fit ends it.
    fn take(&mut self, idxs: impl Iterator<Item = usize>, limit: usize) {
        for idx in idxs {
            if self.idxs.contains(&idx) {
                continue;
            }
            let price = (self.cost)(&shortened(self.lines[idx])) + 1;
            if self.used + price > limit {
                break;
            }
            self.used += price;
            self.idxs.insert(idx);
        }
    }

    fn drop_from_the_middle(&mut self) {
        let n = self.idxs.len();
        let n_dropped = (n / 10).max(1);
        let middle: Vec<usize> = self
            .idxs
            .iter()
            .copied()
            .skip((n - n_dropped) / 2)
            .take(n_dropped)
            .collect();
        for idx in middle {
            self.idxs.remove(&idx);
        }
    }

    fn render(&self) -> String {
        let mut text = String::new();
        let mut next = 0;
        for idx in &self.idxs {
            gap(&mut text, next, *idx);
            text.push_str(&shortened(self.lines[*idx]));
            text.push('\n');
            next = idx + 1;
        }
        gap(&mut text, next, self.lines.len());
        text
    }
}

/// Says that the lines from `from` (from 0) up to, not with, `to` are not shown.
fn gap(text: &mut String, from: usize, to: usize) {
    match to.saturating_sub(from) {
        0 => {}
        1 => text.push_str(&format!("[line {} left out]\n", from + 1)),
        _ => text.push_str(&format!("[lines {}-{to} left out]\n", from + 1)),
    }
}

fn shortened(line: &str) -> String {
    let n_chars = line.chars().count();
    if n_chars <= MAX_LINE {
        return line.to_string();
    }
    let start: String = line.chars().take(MAX_LINE / 2).collect();
    let end: String = line.chars().skip(n_chars - MAX_LINE / 2).collect();
    format!("{start} [{} characters left out] {end}", n_chars - MAX_LINE / 2 * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> usize {
        text.len()
    }

    #[test]
    fn what_fits_is_not_touched() {
        let cut = cut("a\nb", 10, &bytes);
        assert_eq!((cut.text.as_str(), cut.n_lines_left_out), ("a\nb", 0));
    }

    #[test]
    fn a_failure_among_200_000_lines_is_found() {
        let mut output: String = (0..200_000).map(|number| format!("ok {number}\n")).collect();
        let middle = output.len() / 2;
        let at = middle + output[middle..].find('\n').unwrap() + 1;
        output.insert_str(at, "thread 'a' panicked at src/a.rs:3:5:\nleft: 1\nright: 2\n");
        let cut = cut(&output, 4000, &bytes);
        assert!(cut.text.len() <= 4000);
        assert!(cut.text.contains("panicked at src/a.rs:3:5:\nleft: 1\nright: 2\n"));
        assert!(cut.text.starts_with("ok 0\n") && cut.text.ends_with("ok 199999\n"));
        let shown = cut.text.lines().filter(|line| !line.starts_with("[line")).count();
        assert_eq!(shown + cut.n_lines_left_out, 200_003);
    }

    #[test]
    fn numbers_of_the_gaps_are_those_of_the_whole_output() {
        let output: String = (1..=1000).map(|number| format!("{number}\n")).collect();
        let cut = cut(&output, 300, &bytes);
        let gap = cut.text.lines().position(|line| line.starts_with("[lines")).unwrap();
        let lines: Vec<&str> = cut.text.lines().collect();
        let before: usize = lines[gap - 1].parse().unwrap();
        let after: usize = lines[gap + 1].parse().unwrap();
        assert_eq!(lines[gap], format!("[lines {}-{} left out]", before + 1, after - 1));
    }

    #[test]
    fn a_summary_without_failures_tells_of_none() {
        assert!(!tells_of_failure("test result: ok. 3 passed; 0 failed"));
        assert!(tells_of_failure("E   assert 1 == 2"));
        assert!(tells_of_failure("Traceback (most recent call last):"));
    }

    proptest::proptest! {
        #[test]
        fn never_over_the_budget(output in "(error: x\n|ok\n|é*\n){0,80}", budget in 200usize..600) {
            let cut = cut(&output, budget, &bytes);
            proptest::prop_assert!(cut.text.len() <= budget);
        }
    }
}
