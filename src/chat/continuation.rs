//! A reply that was cut, at the output limit or in mid-stream, and its continuation; and a reply that repeats itself without
//! end.

use super::message::Message;

/// What is looked back on to find where a continuation overlaps with what was there, in bytes: a block of some length.
const OVERLAP_WINDOW: usize = 8_000;

/// A shorter repetition may be chance (`}`, a blank line) and stays.
const SHORTEST_OVERLAP: usize = 12;

/// The same for a repetition that begins where the broken line began: models like to say that line once more.
const SHORTEST_LINE: usize = 4;

/// The messages to send after the request so that the model goes on where it was cut.
///
/// With `prefill` the provider takes the beginning of a reply as the last message; else the model is asked.
pub fn messages(so_far: &str, prefill: bool) -> Vec<Message> {
    if prefill {
        // Providers refuse a beginning that ends in blanks.
        return vec![Message::assistant(so_far.trim_end())];
    }
    let last_line = so_far.trim_end().lines().next_back().unwrap_or("");
    let ask = Message::user(format!(
        "Your reply was cut off there. Go on exactly where it ended, with no introduction and without repeating anything; \
         open fences and blocks are still open. Its last line was:\n\n{last_line}"
    ));
    vec![Message::assistant(so_far), ask]
}

/// Takes what a continuation repeats out of it, as it comes.
///
/// Pieces are held back while they may still be a repetition of what was there; so is a line that opens the fence once
/// more which is open already.
#[derive(Debug)]
pub struct Seam {
    /// The end of what was there.
    tail: String,
    /// The line that opened the fence in which the reply was cut.
    open_fence: Option<String>,
    held: String,
    is_found: bool,
}

impl Seam {
    /// `so_far` is the reply before the continuation; with `prefill` it is the beginning that was sent, without the blanks at
    /// its end.
    pub fn new(so_far: &str) -> Self {
        let mut start = so_far.len().saturating_sub(OVERLAP_WINDOW);
        while !so_far.is_char_boundary(start) {
            start += 1;
        }
        Self {
            tail: so_far[start..].to_owned(),
            open_fence: open_fence(so_far),
            held: String::new(),
            is_found: so_far.is_empty(),
        }
    }

    /// Takes a piece of the continuation; returns what of it is new, as far as that is known.
    pub fn push(&mut self, piece: &str) -> String {
        if self.is_found {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        if self.may_be_repeated() || self.may_be_fence() {
            return String::new();
        }
        self.finish()
    }

    /// What is new of that which was held back: the continuation has ended.
    pub fn finish(&mut self) -> String {
        if self.is_found {
            return String::new();
        }
        self.is_found = true;
        let held = std::mem::take(&mut self.held);
        let overlap = overlap(&self.tail, &held);
        if overlap > 0 {
            return held[overlap..].to_owned();
        }
        match self.open_fence.as_deref().and_then(|fence| behind_fence(&held, fence)) {
            Some(rest) => rest.to_owned(),
            None => held,
        }
    }

    /// Whether more of the continuation may show that what is held stands in the tail already.
    fn may_be_repeated(&self) -> bool {
        self.held.len() < self.tail.len() && self.tail.contains(&self.held)
    }

    /// Whether what is held may become the line that opens the fence again, or words and then that line.
    fn may_be_fence(&self) -> bool {
        let Some(fence) = &self.open_fence else { return false };
        if behind_fence(&self.held, fence).is_some() {
            return false;
        }
        let mut lines = self.held.split('\n').filter(|line| !line.trim().is_empty());
        let may_open = |line: Option<&str>| line.is_none_or(|line| fence.starts_with(line.trim_end()));
        let first = lines.next();
        let is_whole = |line: &str| self.held.trim_start_matches('\n').len() > line.len();
        match first {
            Some(line) if is_whole(line) && !is_introduction(line) => false,
            Some(line) if is_whole(line) => may_open(lines.next()) && lines.next().is_none(),
            Some(line) => may_open(first) || line.starts_with(char::is_alphabetic),
            None => true,
        }
    }
}

/// What stands behind the line that opens `fence` once more, be it the first line or the one after an introduction.
fn behind_fence<'a>(held: &'a str, fence: &str) -> Option<&'a str> {
    let mut rest = held;
    let mut n_filled = 0;
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        if line.trim().is_empty() {
            continue;
        }
        if line.trim_end() == fence {
            return Some(rest);
        }
        n_filled += 1;
        if n_filled > 1 || !is_introduction(line) {
            return None;
        }
    }
    None
}

/// Words of the model's own: `Here is the rest:`. Only with the fence below them are they told from content.
fn is_introduction(line: &str) -> bool {
    line.starts_with(char::is_alphabetic) && line.contains(' ') && line.trim_end().ends_with([':', '.', '!', '…'])
}

/// The line that opened the fence that is open at the end; only one with a language, which no closing line has.
fn open_fence(text: &str) -> Option<String> {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("```") else { continue };
        match open {
            None => open = Some(line.trim_end()),
            Some(_) if rest.trim().is_empty() => open = None,
            Some(_) => {}
        }
    }
    open.filter(|line| line.len() > "```".len()).map(str::to_owned)
}

/// Length in bytes of the longest beginning of `next` that `so_far` ends with, 0 when it is too short to count.
///
/// A text that was repeating itself before the cut (a rule of dashes, a row of zeros, like lines) may well go on doing so: that
/// is no overlap.
fn overlap(so_far: &str, next: &str) -> usize {
    let longest = so_far.len().min(next.len()).min(OVERLAP_WINDOW);
    (SHORTEST_LINE..=longest)
        .rev()
        .find(|&len| {
            if !next.is_char_boundary(len) || !so_far.as_bytes().ends_with(&next.as_bytes()[..len]) {
                return false;
            }
            let (before, repeated) = (&so_far[..so_far.len() - len], &next[..len]);
            counts(before, repeated) && !before.ends_with(repeated) && !goes_on_repeating(before, repeated)
        })
        .unwrap_or(0)
}

/// Whether it is long enough to be no chance.
fn counts(before: &str, repeated: &str) -> bool {
    let length = repeated.trim().len();
    let is_broken_line = (before.is_empty() || before.ends_with('\n')) && !repeated.contains('\n');
    let n_letters = repeated.chars().filter(|c| c.is_alphanumeric()).count();
    length >= SHORTEST_OVERLAP || (is_broken_line && length >= SHORTEST_LINE && n_letters >= 2)
}

/// Whether it holds one text again and again, or begins within a line just like the one in which the reply was cut.
fn goes_on_repeating(before: &str, repeated: &str) -> bool {
    let bytes = repeated.as_bytes();
    let is_periodic = (1..=bytes.len() * 2 / 3).any(|period| bytes[period..] == bytes[..bytes.len() - period]);
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    let is_like_line = match repeated.rsplit_once('\n') {
        Some((_, broken)) => !line_before.is_empty() && line_before == broken,
        None => false,
    };
    is_periodic || is_like_line
}

/// Where a reply began to repeat itself without end: the length in bytes up to the first repetition. None while it
/// does not.
///
/// A reply counts as degenerate when its tail is one text of at most 400 bytes, said at least `MIN_REPEATS` times and over at
/// least `MIN_REPEATED_BYTES` in all. Ordinary code repeats lines, but not that often to the letter.
pub fn degenerate_tail(text: &str) -> Option<usize> {
    const LONGEST_PERIOD: usize = 400;
    const MIN_REPEATS: usize = 40;
    const MIN_REPEATED_BYTES: usize = 16_000;
    let bytes = text.as_bytes();
    if bytes.len() < MIN_REPEATED_BYTES {
        return None;
    }
    for period in 1..=LONGEST_PERIOD {
        let needed = (period * MIN_REPEATS).max(MIN_REPEATED_BYTES);
        if bytes.len() < needed + period {
            break;
        }
        let tail = &bytes[bytes.len() - needed..];
        if tail[period..] != tail[..needed - period] {
            continue;
        }
        let mut start = bytes.len() - needed;
        while start > 0 && bytes[start - 1] == bytes[start - 1 + period] {
            start -= 1;
        }
        let mut end = start + period;
        while !text.is_char_boundary(end) {
            end += 1;
        }
        return Some(end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(so_far: &str, next: &str) -> String {
        let mut seam = Seam::new(so_far);
        let new = seam.push(next);
        format!("{so_far}{new}{}", seam.finish())
    }

    #[test]
    fn a_repeated_seam_is_kept_once() {
        let so_far = "fn main() {\n    println!(\"one\");\n    println!(\"tw";
        assert_eq!(join(so_far, "o\");\n}\n"), format!("{so_far}o\");\n}}\n"));
        assert_eq!(
            join(so_far, "    println!(\"two\");\n}\n"),
            "fn main() {\n    println!(\"one\");\n    println!(\"two\");\n}\n"
        );
    }

    #[test]
    fn short_repetitions_may_be_meant() {
        assert_eq!(join("    }\n}\n", "}\n}\n"), "    }\n}\n}\n}\n");
        assert_eq!(
            join("a\n                    ", "                    b"),
            "a\n                                        b"
        );
        assert_eq!(join("", "abc"), "abc");
    }

    #[test]
    fn what_repeats_itself_before_the_cut_may_go_on_repeating() {
        for (so_far, next) in [
            ("# ----------------------------", "----------------\nx\n"),
            ("print(\"==================", "==================\")\n"),
            ("[0, 0, 0, 0, 0, 0, 0, 0, 0, ", "0, 0, 0, 0, 0, 0, 0]\n"),
            (
                "    step(forward)\n    step(forward)\n",
                "    step(forward)\n    step(back)\n",
            ),
            ("    step(forward)\n    st", "ep(forward)\n    step(back)\n"),
            ("    step(forward)\n    ", "step(forward)\n    step(back)\n"),
        ] {
            assert_eq!(join(so_far, next), format!("{so_far}{next}"));
        }
        // A line that is said again from its beginning is a repetition, whatever it holds.
        assert_eq!(
            join("a\n# ------------------", "# -----------------------\nb\n"),
            "a\n# -----------------------\nb\n"
        );
    }

    #[test]
    fn a_broken_line_that_is_said_again_is_kept_once() {
        assert_eq!(join("a\nx = 1", "x = 10\ny = 20\n"), "a\nx = 10\ny = 20\n");
        assert_eq!(join("*** Upd", "*** Update File: a.py\n"), "*** Update File: a.py\n");
        let twice = "    step(forward)\n    step(forward)\n";
        assert_eq!(
            join(
                "    step(forward)\n    step(for",
                "    step(forward)\n    step(forward)\n"
            ),
            format!("{twice}    step(forward)\n")
        );
        // A marker that goes on is none.
        assert_eq!(join("a\n>>>", ">>>> REPLACE\n"), "a\n>>>>>>> REPLACE\n");
        assert_eq!(join("a\n=====", "=====\n"), "a\n==========\n");
    }

    #[test]
    fn a_fence_that_is_opened_again_is_left_out() {
        let so_far = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx =";
        assert_eq!(
            join(so_far, "```python\n 2\n>>>>>>> REPLACE\n```\n"),
            format!("{so_far} 2\n>>>>>>> REPLACE\n```\n")
        );
        assert_eq!(
            join(
                so_far,
                "Sure, here is the rest:\n\n```python\n 2\n>>>>>>> REPLACE\n```\n"
            ),
            format!("{so_far} 2\n>>>>>>> REPLACE\n```\n"),
            "also behind an introduction"
        );
        let next = "```\n\n```python\nb.py\n";
        assert_eq!(
            join("```python\na", next),
            format!("```python\na{next}"),
            "the fence is closed first"
        );
        let closed = "a.py\n```python\nx = 1\n```\n";
        assert_eq!(
            join(closed, "```python\ny = 2\n```\n"),
            format!("{closed}```python\ny = 2\n```\n")
        );
    }

    proptest::proptest! {
        #[test]
        fn pieces_join_as_the_whole_does(
            so_far in "[ab\n`]{0,60}",
            next in "[ab\n`]{0,60}",
            repeated in 0..60usize,
            size in 1..9usize,
        ) {
            let next = format!("{}{next}", &so_far[so_far.len().saturating_sub(repeated)..]);
            let mut seam = Seam::new(&so_far);
            let mut joined = so_far.clone();
            for piece in next.as_bytes().chunks(size) {
                joined.push_str(&seam.push(std::str::from_utf8(piece).unwrap()));
            }
            joined.push_str(&seam.finish());
            // In pieces the decision falls as early as it can, and it is the same one.
            proptest::prop_assert_eq!(joined, join(&so_far, &next));
        }
    }

    #[test]
    fn continuation_asks_unless_the_provider_takes_a_beginning() {
        assert_eq!(messages("half \n", true), vec![Message::assistant("half")]);
        assert_eq!(messages("half \n", false)[0], Message::assistant("half \n"));
        let asked = messages("one\nhalf", false);
        assert_eq!(asked.len(), 2);
        assert!(asked[1].text().ends_with("\n\nhalf"));
    }

    #[test]
    fn an_endless_repetition_is_cut_after_its_first_time() {
        let text = format!("Fine so far.\n{}", "I will do it again. ".repeat(1_000));
        let end = degenerate_tail(&text).unwrap();
        assert!(text[..end].starts_with("Fine so far.\nI will do it again."));
        assert!(end < 60, "{end}");
        assert!(degenerate_tail(&"ä".repeat(12_000)).is_some());
    }

    #[test]
    fn code_with_like_lines_is_not_degenerate() {
        let table: String = (0..2_000)
            .map(|n| format!("    {{ id: {n}, next: {} }},\n", n + 1))
            .collect();
        assert_eq!(degenerate_tail(&table), None);
        assert_eq!(degenerate_tail(&"=".repeat(300)), None);
    }
}
