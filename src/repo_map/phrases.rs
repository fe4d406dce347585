//! What a request quotes: error messages and code between quotes or backticks, and what follows the name of an error in a
//! traceback. A quotation is a claim that its words stand together somewhere; what a file says of it is for the signals.

/// Quotations that are looked at.
const MAX_PHRASES: usize = 24;
/// Bytes of one; what is longer is no message.
const MAX_BYTES: usize = 300;
/// A single word must be this long.
const LONG_WORD: usize = 8;

/// The quotations of a message, in order: of two words or more, or one long word. None goes over a line's end.
pub(super) fn phrases(message: &str) -> Vec<&str> {
    message.lines().flat_map(of_line).take(MAX_PHRASES).collect()
}

fn of_line(line: &str) -> Vec<&str> {
    let mut found: Vec<&str> = after_error(line).into_iter().collect();
    let mut rest = line;
    while let Some((phrase, behind)) = next_quoted(rest) {
        found.push(phrase);
        rest = behind;
    }
    found.retain(|phrase| tells(phrase));
    found
}

/// Long enough to be looked for.
fn tells(phrase: &str) -> bool {
    let phrase = phrase.trim();
    let words = phrase
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    phrase.len() <= MAX_BYTES && (phrase.chars().count() >= LONG_WORD || words.count() >= 2)
}

/// The next quotation of a line, and what stands behind it.
fn next_quoted(line: &str) -> Option<(&str, &str)> {
    let mut before = None;
    for (at, c) in line.char_indices() {
        // An apostrophe stands behind a letter.
        let opens = !before.is_some_and(char::is_alphanumeric);
        before = Some(c);
        let Some(close) = closing(c).filter(|_| opens) else {
            continue;
        };
        let inside = &line[at + c.len_utf8()..];
        let ends = |&(end, found): &(usize, char)| {
            let behind = inside[end + found.len_utf8()..].chars().next();
            found == close && end > 0 && !behind.is_some_and(char::is_alphanumeric)
        };
        if let Some((end, _)) = inside.char_indices().find(ends) {
            return Some((&inside[..end], &inside[end + close.len_utf8()..]));
        }
    }
    None
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '`' | '"' | '\'' => open,
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    })
}

/// What follows `SomeError: ` or `error: `.
fn after_error(line: &str) -> Option<&str> {
    let (name, said) = line.split_once(": ")?;
    let name = name.trim_start();
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_error = ["Error", "error", "Exception", "Warning", "warning", "panic", "fatal"]
        .iter()
        .any(|word| last.ends_with(word));
    (is_error && !name.contains(char::is_whitespace)).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_quoted() {
        let message = "It says \"no such option: --foo\" and `Parser.parse_args` isn't 'what I want', don't you think?";
        assert_eq!(
            phrases(message),
            ["no such option: --foo", "Parser.parse_args", "what I want"]
        );
    }

    #[test]
    fn a_quote_within_a_quote_belongs_to_it() {
        assert_eq!(
            phrases("I get \"cannot find 'x' in the registry\" often"),
            ["cannot find 'x' in the registry"]
        );
    }

    #[test]
    fn the_last_line_of_a_traceback_is_a_quotation() {
        assert_eq!(
            phrases("  File \"a\", line 3\nsqlalchemy.exc.ArgumentError: expected mapped class, got x\n"),
            ["expected mapped class, got x"]
        );
        assert_eq!(phrases("The problem: it is slow"), Vec::<&str>::new());
    }

    #[test]
    fn short_words_and_apostrophes_are_no_quotations() {
        assert_eq!(
            phrases("set `x` to 'abc', the users' names aren't the files' names"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn odd_text_ends() {
        for text in ["\"", "``", "```rust", "'“", "\"\"\"", "a: ", "Error: "] {
            assert_eq!(phrases(text), Vec::<&str>::new(), "{text}");
        }
    }
}
