//! HTML entities, for replies that went through an escaper on their way.

use std::borrow::Cow;

/// The entities that escapers write for characters that occur in code.
const ENTITIES: &[(&str, char)] = &[
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&amp;", '&'),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&#39;", '\''),
    ("&#x27;", '\''),
    ("&#34;", '"'),
    ("&#x2F;", '/'),
    ("&nbsp;", ' '),
];

/// Replaces entities by the characters that they stand for, once: `&amp;lt;` becomes `&lt;`.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)) {
            Some((entity, character)) => {
                out.push(*character);
                rest = &rest[entity.len()..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once() {
        assert_eq!(decode("if a &lt; b &amp;&amp; c"), "if a < b && c");
        assert_eq!(decode("&amp;lt;"), "&lt;");
        assert_eq!(decode("a & b &unknown;"), "a & b &unknown;");
    }
}
