//! Keeps the output of a command within a limit: its start, its end, and from between the lines that tell of failures.

use std::collections::VecDeque;

use super::cut::tells_of_failure;

/// Text that is kept, up to a number of bytes.
#[derive(Debug)]
pub(super) struct Capture {
    head: String,
    head_limit: usize,
    /// Lines from the middle that tell of failures.
    notable: Vec<String>,
    notable_bytes: usize,
    notable_limit: usize,
    /// The newest lines.
    tail: VecDeque<String>,
    tail_bytes: usize,
    limit: usize,
    dropped: usize,
}

impl Capture {
    pub(super) fn new(limit: usize) -> Self {
        let notable_limit = limit / 4;
        let head_limit = limit / 4;
        Self {
            head: String::new(),
            head_limit,
            notable: Vec::new(),
            notable_bytes: 0,
            notable_limit,
            tail: VecDeque::new(),
            tail_bytes: 0,
            limit,
            dropped: 0,
        }
    }

    /// Takes whole lines, or the last piece.
    pub(super) fn push(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            if self.tail.is_empty() && self.head.len() + line.len() <= self.head_limit {
                self.head.push_str(line);
                continue;
            }
            self.tail_bytes += line.len();
            self.tail.push_back(line.to_string());
            // With what is kept before it the tail may fill the limit; nothing is dropped from what fits as a whole.
            while self.head.len() + self.notable_bytes + self.tail_bytes > self.limit {
                let Some(oldest) = self.tail.pop_front() else { break };
                self.tail_bytes -= oldest.len();
                self.leave(oldest);
            }
        }
    }

    /// A line falls out of the tail.
    fn leave(&mut self, line: String) {
        if self.notable_bytes + line.len() <= self.notable_limit && tells_of_failure(&line) {
            self.notable_bytes += line.len();
            self.notable.push(line);
        } else {
            self.dropped += line.len();
        }
    }

    /// The text, with a line in square brackets where something was dropped; and how many bytes were.
    pub(super) fn finish(self) -> (String, usize) {
        let mut text = self.head;
        if self.dropped > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("[... {} bytes dropped ...]\n", self.dropped));
        }
        if self.dropped > 0 && !self.notable.is_empty() {
            text.push_str("[lines from between that tell of failures:]\n");
        }
        for line in &self.notable {
            text.push_str(line);
        }
        if self.dropped > 0 && !self.notable.is_empty() {
            text.push_str("[the end:]\n");
        }
        for line in &self.tail {
            text.push_str(line);
        }
        (text, self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept_as_it_came() {
        let all: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let mut capture = Capture::new(all.len());
        capture.push(&all);
        assert_eq!(capture.finish(), (all, 0));
    }

    #[test]
    fn a_failure_in_the_middle_survives() {
        let mut capture = Capture::new(4000);
        for number in 0..20_000 {
            capture.push(&format!("ok {number}\n"));
            if number == 9_999 {
                capture.push("FAILED tests/test_a.py::test_b - AssertionError\n");
            }
        }
        let (text, dropped) = capture.finish();
        assert!(text.len() < 4300, "{}", text.len());
        assert!(text.contains("FAILED tests/test_a.py::test_b"));
        assert!(text.starts_with("ok 0\n") && text.ends_with("ok 19999\n"));
        let all: usize = (0..20_000).map(|number| format!("ok {number}\n").len()).sum();
        let kept = text
            .lines()
            .filter(|line| !line.starts_with('['))
            .map(|line| line.len() + 1)
            .sum::<usize>();
        assert_eq!(dropped, all + 48 - kept);
    }
}
