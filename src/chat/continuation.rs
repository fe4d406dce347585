//! A reply that was cut at the output limit, and its continuation.

use super::message::Message;

/// What is looked back on to find where a continuation overlaps with what was there, in bytes.
const OVERLAP_WINDOW: usize = 2_000;

/// A shorter repetition may be chance (`}`, a blank line) and stays.
const SHORTEST_OVERLAP: usize = 12;

/// The messages to send after the request so that the model goes on where it was cut.
///
/// With `prefill` the provider takes the beginning of a reply as the last message; else the model is asked.
pub fn messages(so_far: &str, prefill: bool) -> Vec<Message> {
    let so_far = so_far.trim_end();
    let beginning = Message::assistant(so_far);
    if prefill {
        return vec![beginning];
    }
    let last_line = so_far.lines().next_back().unwrap_or("");
    let ask = Message::user(format!(
        "Your reply was cut at the length limit. Go on exactly where it ended, with no introduction and without repeating \
         anything; open fences and blocks are still open. Its last line was:\n\n{last_line}"
    ));
    vec![beginning, ask]
}

/// Joins a cut reply with its continuation; text that the continuation repeats is kept once.
pub fn join(so_far: &str, next: &str) -> String {
    let overlap = overlap(so_far, next);
    format!("{so_far}{}", &next[overlap..])
}

/// Length in bytes of the longest beginning of `next` that `so_far` ends with, 0 when it is too short to count.
fn overlap(so_far: &str, next: &str) -> usize {
    let longest = so_far.len().min(next.len()).min(OVERLAP_WINDOW);
    (SHORTEST_OVERLAP..=longest)
        .rev()
        .find(|&len| {
            next.is_char_boundary(len) && so_far.as_bytes().ends_with(&next.as_bytes()[..len]) && {
                let repeated = next[..len].trim();
                repeated.len() >= SHORTEST_OVERLAP
            }
        })
        .unwrap_or(0)
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
    fn continuation_asks_unless_the_provider_takes_a_beginning() {
        assert_eq!(messages("half \n", true), vec![Message::assistant("half")]);
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
