//! Splits the arguments of a command into words, as people type and drop file names: quotes, backslashes before blanks,
//! `file://` addresses.

/// The words of `arguments`. Never fails: a quote that is not closed is a character like others, and a backslash counts only
/// in front of a blank, a quote or another backslash, so that `src\main.rs` stays as it is.
pub fn split(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = arguments.trim_start();
    while !rest.is_empty() {
        let (word, after) = first_word(rest);
        words.push(from_address(&word).unwrap_or(word));
        rest = after.trim_start();
    }
    words
}

/// A word as it has to be typed for [`split`] to give it back.
pub fn as_typed(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"\"'\\".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with("file://") {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The first word and what follows it. `text` does not begin with a blank.
fn first_word(text: &str) -> (String, &str) {
    let mut word = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c.is_whitespace() => return (word, &text[at..]),
            '"' | '\'' => match quoted(&text[at + 1..], c) {
                Some((inside, after)) => {
                    word.push_str(&inside);
                    let consumed = text.len() - after.len();
                    while chars.next_if(|(next, _)| *next < consumed).is_some() {}
                }
                None => word.push(c),
            },
            '\\' => match chars.next_if(|(_, next)| next.is_whitespace() || "\"'\\".contains(*next)) {
                Some((_, escaped)) => word.push(escaped),
                None => word.push(c),
            },
            c => word.push(c),
        }
    }
    (word, "")
}

/// The text up to the closing quote, and what follows it; None when the quote is not closed.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((inside, &text[at + c.len_utf8()..])),
            '\\' if quote == '"' => match chars.clone().next() {
                Some((_, next @ ('"' | '\\'))) => {
                    inside.push(next);
                    chars.next();
                }
                _ => inside.push(c),
            },
            c => inside.push(c),
        }
    }
    None
}

/// The path in a `file://` address, as terminals give for a file that is dropped on them.
fn from_address(word: &str) -> Option<String> {
    let path = word.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = (first == b'%')
            .then(|| after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_name_comes_back() {
        for name in [
            "a.rs",
            "my file.txt",
            "it's \"q\".rs",
            r"back\slash one",
            r"a\",
            "été/計画.md",
        ] {
            assert_eq!(split(&format!("{} x", as_typed(name))), [name, "x"], "{name}");
        }
    }

    #[test]
    fn names_are_split_as_people_type_them() {
        for (typed, words) in [
            ("a.rs  b.rs", &["a.rs", "b.rs"][..]),
            ("\"my file.txt\" x", &["my file.txt", "x"]),
            ("'my file.txt'", &["my file.txt"]),
            (r"my\ file.txt", &["my file.txt"]),
            (r"src\main.rs", &[r"src\main.rs"]),
            ("it's.rs", &["it's.rs"]),
            ("routes/[lang]/(shop)/view.tsx", &["routes/[lang]/(shop)/view.tsx"]),
            (r#"a"b c"d"#, &["ab cd"]),
            (r#""a\"b""#, &["a\"b"]),
            ("file:///tmp/my%20file.txt", &["/tmp/my file.txt"]),
            ("100%", &["100%"]),
            ("  ", &[]),
            ("été/計画.md", &["été/計画.md"]),
        ] {
            assert_eq!(split(typed), words, "{typed}");
        }
    }
}
