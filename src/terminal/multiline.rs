//! Messages of several lines: a first line `{` goes on until a line `}`; a backslash at the end of a line goes on, too.

/// Whether Enter ends the text.
pub(super) fn is_complete(text: &str) -> bool {
    if opens_block(text) {
        closes_block(text)
    } else {
        !ends_in_backslash(text)
    }
}

/// The message without the signs that held its lines together.
pub(super) fn unwrapped(text: &str) -> String {
    if opens_block(text) && closes_block(text) {
        let body = text.split_once('\n').map_or("", |(_, body)| body).trim_end();
        let body = body.strip_suffix('}').unwrap_or(body);
        return body.trim_end_matches([' ', '\t']).trim_end_matches('\n').to_string();
    }
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let goes_on = lines.peek().is_some();
        match line.strip_suffix('\\') {
            Some(bare) if goes_on && ends_in_backslash(line) => out.push_str(bare),
            _ => out.push_str(line),
        }
        if goes_on {
            out.push('\n');
        }
    }
    out
}

fn opens_block(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.trim() == "{")
}

fn closes_block(text: &str) -> bool {
    text.lines().skip(1).last().is_some_and(|line| line.trim() == "}")
}

/// An odd number of backslashes at the end.
fn ends_in_backslash(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_backslashes_hold_lines_together() {
        for (text, complete, message) in [
            ("plain", true, "plain"),
            ("{", false, "{"),
            ("{\na\n b\n}", true, "a\n b"),
            ("a\\", false, "a\\"),
            ("a\\\nb", true, "a\nb"),
            ("a\\\\", true, "a\\\\"),
            ("fn f() {", true, "fn f() {"),
            ("{\n}", true, ""),
        ] {
            assert_eq!(is_complete(text), complete, "{text:?}");
            assert_eq!(unwrapped(text), message, "{text:?}");
        }
    }
}
