//! Keeps keys out of everything that is shown.

use std::sync::LazyLock;

use regex::Regex;

/// What stands in place of a key.
pub const MASK: &str = "***";

/// Shorter values are too likely to occur as ordinary text (`x`, `none`).
const SHORTEST_KEY: usize = 6;

/// Texts that must not be shown: the keys that were sent.
#[derive(Clone, Default)]
pub struct Secrets {
    values: Vec<String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

impl Secrets {
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> = values.into_iter().filter(|value| value.len() >= SHORTEST_KEY).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self { values }
    }

    /// Replaces these secrets, and everything that looks like a provider's key, in a text.
    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for value in &self.values {
            if masked.contains(value.as_str()) {
                masked = masked.replace(value.as_str(), MASK);
            }
        }
        mask_key_like(&masked)
    }
}

/// Replaces what looks like a key: the usual beginnings, bearer headers, `key=` in addresses, user:password in addresses.
pub fn mask_key_like(text: &str) -> String {
    static KEYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)
            \b (?: sk | pk | rk | gsk | xai | nvapi | pplx | csk | hf | gh[pousr] | github_pat | fw | tgp ) [-_] [A-Za-z0-9_\-\*\.]{12,}
            | \b AIza [A-Za-z0-9_\-]{16,}
            | (?P<head> (?i: bearer \s+ | [?&] (?:key|api_key|token) = | x-api-key \W{1,3} ) ) [^\s&'\x22<>,;]{6,}
            | (?P<scheme> https?:// ) [^\s/@:]+ : [^\s/@]+ @
            ",
        )
        .expect("a test uses the pattern")
    });
    KEYS.replace_all(text, |found: &regex::Captures<'_>| {
        if let Some(head) = found.name("head") {
            format!("{}{MASK}", head.as_str())
        } else if let Some(scheme) = found.name("scheme") {
            format!("{}{MASK}@", scheme.as_str())
        } else {
            MASK.to_owned()
        }
    })
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_and_foreign_keys_are_masked_everywhere() {
        let secrets = Secrets::new(["my-very-own-key".to_owned(), "short".to_owned()]);
        for (text, expected) in [
            ("bad key my-very-own-key.", "bad key ***."),
            (
                "Incorrect API key provided: sk-proj-abcDEF1234567890xyz",
                "Incorrect API key provided: ***",
            ),
            ("Authorization: Bearer abcdefgh", "Authorization: Bearer ***"),
            (
                "https://h/v1?key=AIzaSyA1234567890abcdef&alt=sse",
                "https://h/v1?key=***&alt=sse",
            ),
            ("http://user:pass@host/v1", "http://***@host/v1"),
            ("keyboard-shortcut-configuration", "keyboard-shortcut-configuration"),
            ("a short word", "a short word"),
        ] {
            assert_eq!(secrets.mask(text), expected);
        }
        assert!(!format!("{secrets:?}").contains("own"));
    }
}
