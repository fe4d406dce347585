//! Whether a request fits the model, and what to drop when it does not.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::Hash;
use std::hash::Hasher;
use std::sync::Mutex;

use super::prompt::Assembled;

/// Tokens of history beyond which old turns are summarised when the user sets nothing: a sixteenth of the window, at least
/// 1,024 and at most 8,192.
pub fn history_ceiling(window: Option<u32>) -> usize {
    (window.unwrap_or(32_768) as usize / 16).clamp(1_024, 8_192)
}

/// A request that must not be sent: it and the reply do not fit the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// Tokens of the request.
    pub total: usize,
    pub window: usize,
    /// Tokens kept for the reply.
    pub reserve: usize,
    /// Largest first.
    pub parts: Vec<(String, usize)>,
    /// Largest first.
    pub savings: Vec<Saving>,
}

/// Something the user can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saving {
    /// What to type: `/drop src/big.rs`.
    pub action: String,
    pub tokens: usize,
    /// This alone makes the request fit.
    pub enough: bool,
}

impl TooLarge {
    /// Tokens beyond the limit.
    pub fn excess(&self) -> usize {
        (self.total + self.reserve).saturating_sub(self.window)
    }

    /// What can be dropped, the largest first, as one line; and that there is a way to keep a part of the largest file.
    pub fn ways_out(&self) -> String {
        let dropped = ways_out(&self.savings, self.excess());
        let largest = self
            .savings
            .first()
            .and_then(|saving| saving.action.strip_prefix("/drop "));
        match largest {
            Some(file) => format!("{dropped}; `/add {file}:NAME` or `:120-260` shows a part of it alone"),
            None => dropped,
        }
    }
}

/// The largest savings that together are worth `excess` tokens, as one line; what saves next to nothing is left out.
pub fn ways_out(savings: &[Saving], excess: usize) -> String {
    const MOST_NAMED: usize = 5;
    let mut named = Vec::new();
    let mut saved = 0;
    for saving in savings.iter().take(MOST_NAMED) {
        if saved >= excess && !saving.enough {
            break;
        }
        let enough = if saving.enough { " (enough)" } else { "" };
        named.push(format!("`{}` saves {}{enough}", saving.action, saving.tokens));
        saved += saving.tokens;
    }
    named.join(", ")
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the request has {} tokens, the model takes {} with {} kept for the reply: {} too many",
            self.total,
            self.window,
            self.reserve,
            self.excess()
        )
    }
}

impl std::error::Error for TooLarge {}

/// Compares a request with the model's window, of which `reserve` tokens are kept for the reply.
pub fn check(assembled: &Assembled, window: Option<u32>, reserve: u32) -> Result<(), TooLarge> {
    let Some(window) = window else { return Ok(()) };
    let (window, reserve) = (window as usize, reserve as usize);
    let total = assembled.total();
    if total + reserve <= window {
        return Ok(());
    }
    let excess = total + reserve - window;
    let mut parts = assembled.sizes.clone();
    parts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let savings = savings(assembled, excess);
    Err(TooLarge {
        total,
        window,
        reserve,
        parts,
        savings,
    })
}

/// What the user can do to make a request smaller by `excess` tokens, the largest first.
pub fn savings(assembled: &Assembled, excess: usize) -> Vec<Saving> {
    let part = |name: &str| Some(assembled.size(name)).filter(|tokens| *tokens > 0);
    let mut savings: Vec<Saving> = assembled
        .files
        .iter()
        .map(|file| (format!("/drop {}", file.path), file.tokens))
        .chain(part("history").map(|tokens| ("/compact".to_owned(), tokens)))
        .chain(part("map").map(|tokens| ("--map-tokens 0".to_owned(), tokens)))
        .map(|(action, tokens)| Saving {
            action,
            tokens,
            enough: tokens >= excess,
        })
        .collect();
    savings.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.action.cmp(&b.action)));
    savings
}

/// Counts tokens and remembers the counts of long texts, so that an unchanged file is counted once a session.
pub struct Counter<'a> {
    count: &'a (dyn Fn(&str) -> usize + Sync),
    known: Mutex<HashMap<(usize, u64), usize>>,
}

/// Shorter texts are counted faster than they are looked up.
const WORTH_REMEMBERING: usize = 512;

impl<'a> Counter<'a> {
    pub fn new(count: &'a (dyn Fn(&str) -> usize + Sync)) -> Self {
        Self {
            count,
            known: Mutex::default(),
        }
    }

    pub fn count(&self, text: &str) -> usize {
        if text.len() < WORTH_REMEMBERING {
            return (self.count)(text);
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let key = (text.len(), hasher.finish());
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *known.entry(key).or_insert_with(|| (self.count)(text))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering;

    use super::super::prompt::FileSize;
    use super::*;

    fn request() -> Assembled {
        Assembled {
            messages: Vec::new(),
            sizes: vec![
                ("system".into(), 1_000),
                ("map".into(), 2_000),
                ("chat files".into(), 20_000),
                ("history".into(), 500),
            ],
            files: vec![
                FileSize {
                    path: "small.rs".into(),
                    tokens: 1_000,
                    read_only: false,
                },
                FileSize {
                    path: "big.rs".into(),
                    tokens: 19_000,
                    read_only: false,
                },
            ],
        }
    }

    #[test]
    fn says_what_to_drop_when_the_request_is_larger_than_the_window() {
        let too_large = check(&request(), Some(8_000), 2_000).unwrap_err();
        assert_eq!(too_large.excess(), 17_500);
        assert_eq!(too_large.parts[0], ("chat files".to_owned(), 20_000));
        let first = &too_large.savings[0];
        assert_eq!(
            (first.action.as_str(), first.tokens, first.enough),
            ("/drop big.rs", 19_000, true)
        );
        assert!(too_large.savings[1..].iter().all(|saving| !saving.enough));
        assert!(too_large.to_string().contains("17500 too many"));
        assert_eq!(
            too_large.ways_out(),
            "`/drop big.rs` saves 19000 (enough); `/add big.rs:NAME` or `:120-260` shows a part of it alone"
        );
        let two = check(&request(), Some(5_000), 3_000).unwrap_err();
        assert!(
            two.ways_out()
                .contains("19000, `--map-tokens 0` saves 2000, `/drop small.rs` saves 1000"),
            "{}",
            two.ways_out()
        );
    }

    #[test]
    fn lets_pass_what_fits_or_cannot_be_known() {
        assert_eq!(check(&request(), Some(25_500), 2_000), Ok(()));
        assert!(check(&request(), Some(25_499), 2_000).is_err());
        assert_eq!(check(&request(), None, 2_000), Ok(()));
    }

    #[test]
    fn counts_an_unchanged_text_once() {
        let calls = AtomicUsize::new(0);
        let count = |text: &str| {
            calls.fetch_add(1, Ordering::Relaxed);
            text.len()
        };
        let counter = Counter::new(&count);
        let text = "x".repeat(WORTH_REMEMBERING);
        assert_eq!(counter.count(&text), counter.count(&text));
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        counter.count(&"y".repeat(WORTH_REMEMBERING));
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }
}
