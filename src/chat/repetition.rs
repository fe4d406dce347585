//! A reply that repeats itself without end.

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
