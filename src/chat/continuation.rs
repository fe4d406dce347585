//! A reply that was cut, at the output limit or in mid-stream, and its continuation: what is asked, and how the two are joined.

use super::message::Message;
use super::small_talk::Lead;
use super::small_talk::Place;

/// What is looked back on to find where a continuation overlaps with what was there, in bytes: a block of some length.
const OVERLAP_WINDOW: usize = 8_000;

/// A shorter repetition may be chance (`}`, a blank line) and stays.
const SHORTEST_OVERLAP: usize = 12;

/// The same for a repetition that begins where the broken line began: models like to say that line once more.
const SHORTEST_LINE: usize = 4;

/// The messages to send after the request so that the model goes on where it was cut.
///
/// With `prefill` the provider takes the beginning of a reply as the last message; else the model is asked.
///
/// `sternly`: the last continuation began with words of the model's own.
pub fn messages(so_far: &str, prefill: bool, sternly: bool) -> Vec<Message> {
    if prefill {
        // Providers refuse a beginning that ends in blanks.
        return vec![Message::assistant(so_far.trim_end())];
    }
    let last_line = so_far.trim_end().lines().next_back().unwrap_or("");
    let sternly = if sternly {
        "What you write goes into the open block as it is: begin with the very next characters of it, without a word of your own. "
    } else {
        ""
    };
    let ask = Message::user(format!(
        "Your reply was cut off there. Go on exactly where it ended, with no introduction and without repeating anything; \
         open fences and blocks are still open. {sternly}Its last line was:\n\n{last_line}"
    ));
    vec![Message::assistant(so_far), ask]
}

/// Takes out of a continuation what it repeats and what the model says of its own, as it comes.
///
/// Pieces are held back while they may still be a repetition of what was there, or an introduction.
#[derive(Debug)]
pub struct Seam {
    /// The end of what was there.
    tail: String,
    place: Place,
    held: String,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It may begin with a repetition, or with words of the model's own.
    Begins,
    /// The model's own words are out; what follows may be a repetition.
    Goes,
    /// All that comes is new.
    Joined,
    /// It is not known what of it is content: none of it is taken.
    Doubtful,
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
            place: Place::at_end_of(so_far),
            held: String::new(),
            state: if so_far.is_empty() {
                State::Joined
            } else {
                State::Begins
            },
        }
    }

    /// Takes a piece of the continuation; returns what of it is new, as far as that is known.
    pub fn push(&mut self, piece: &str) -> String {
        match self.state {
            State::Joined => piece.to_owned(),
            State::Doubtful => String::new(),
            State::Begins | State::Goes => {
                self.held.push_str(piece);
                self.settle(false)
            }
        }
    }

    /// What is new of that which was held back: the continuation has ended.
    pub fn finish(&mut self) -> String {
        self.settle(true)
    }

    /// Whether it begins with what may be the model's own words and may be content: nothing of it was returned.
    pub fn is_doubtful(&self) -> bool {
        self.state == State::Doubtful
    }

    fn settle(&mut self, ended: bool) -> String {
        if self.state == State::Begins {
            if !ended && self.may_be_repeated() {
                return String::new();
            }
            if overlap(&self.tail, &self.held) == 0 {
                match self.place.lead_of(&self.held, ended) {
                    Lead::Open => return String::new(),
                    Lead::Doubtful => self.state = State::Doubtful,
                    Lead::Own(bytes) => {
                        self.held.drain(..bytes);
                        self.state = State::Goes;
                    }
                    Lead::None => {}
                }
            }
        }
        match self.state {
            State::Goes if !ended && self.may_be_repeated() => String::new(),
            State::Begins | State::Goes => {
                self.state = State::Joined;
                let held = std::mem::take(&mut self.held);
                held[overlap(&self.tail, &held)..].to_owned()
            }
            State::Joined | State::Doubtful => String::new(),
        }
    }

    /// Whether more of the continuation may show that what is held stands in the tail already.
    fn may_be_repeated(&self) -> bool {
        self.held.len() < self.tail.len() && self.tail.contains(&self.held)
    }
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

    #[test]
    fn an_introduction_is_left_out_where_the_fence_stays_open() {
        let so_far = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx =";
        let rest = " 2\n>>>>>>> REPLACE\n```\n";
        for lead in [
            "Sure, continuing:\n\n",
            "Here is the rest:\n",
            "\nContinuing where I left off...\n\n",
        ] {
            assert_eq!(
                join(so_far, &format!("{lead}{rest}")),
                format!("{so_far}{rest}"),
                "{lead}"
            );
            let again = format!("{lead}x ={rest}");
            assert_eq!(
                join("```python\nabc x =", &again.replace("x =", "abc x =")),
                format!("```python\nabc x ={rest}")
            );
        }
        let mut seam = Seam::new(so_far);
        assert_eq!(seam.push("Here is the code:\n\n 2\n"), "");
        assert_eq!(seam.push("more"), "");
        assert_eq!(seam.finish(), "");
        assert!(seam.is_doubtful());
        let content = "def f():\n    pass\n";
        assert_eq!(
            join("```python\nx = 1\n", content),
            format!("```python\nx = 1\n{content}")
        );
    }

    proptest::proptest! {
        #[test]
        fn talk_in_pieces_is_told_as_in_the_whole(
            open in proptest::sample::select(vec!["", "```python\n", "```md\n", "```\n", "<<<<<<< SEARCH\n"]),
            before in "[ab\n]{0,8}",
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "Sure, continuing:", "Here is the code:", "Here is", "OK!", "\n", "\n\n", " ", "```python\n", "```", "a\n", "b",
                ]),
                0..6,
            ),
            size in 1..9usize,
        ) {
            let (so_far, next) = (format!("{open}{before}"), parts.concat());
            let mut seam = Seam::new(&so_far);
            let mut joined = so_far.clone();
            for piece in next.as_bytes().chunks(size) {
                joined.push_str(&seam.push(std::str::from_utf8(piece).unwrap()));
            }
            joined.push_str(&seam.finish());
            proptest::prop_assert_eq!(joined, join(&so_far, &next));
        }

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
        assert_eq!(messages("half \n", true, false), vec![Message::assistant("half")]);
        assert_eq!(messages("half \n", false, false)[0], Message::assistant("half \n"));
        let asked = messages("one\nhalf", false, false);
        assert_eq!(asked.len(), 2);
        assert!(asked[1].text().ends_with("\n\nhalf"));
        let again = messages("one\nhalf", false, true);
        assert!(again[1].text().len() > asked[1].text().len() && again[1].text().ends_with("\n\nhalf"));
    }
}
