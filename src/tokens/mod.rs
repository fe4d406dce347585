//! Counts tokens in the o200k encoding. ASCII text is counted at once; for other text the encoder's tables are loaded first,
//! which takes over 100 ms, so nothing on the way to the prompt may count such text: call [`warm_up`] from a thread of its own,
//! or [`count_at_once`] where an estimate will do.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod ascii;
mod hash;
pub mod pictures;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

static TABLES_LOADED: AtomicBool = AtomicBool::new(false);

/// Tokens of `text` in the o200k encoding, special tokens read as plain text.
pub fn count(text: &str) -> usize {
    let ascii = if text.is_ascii() {
        ascii::count(text.as_bytes())
    } else {
        None
    };
    ascii.unwrap_or_else(|| {
        let tables = tiktoken_rs::o200k_base_singleton();
        TABLES_LOADED.store(true, Ordering::Relaxed);
        tables.encode_ordinary(text).len()
    })
}

/// [`count`] where that needs no loading; else the lines that are ASCII are counted and the others estimated.
pub fn count_at_once(text: &str) -> usize {
    if text.is_ascii() || TABLES_LOADED.load(Ordering::Relaxed) {
        return count(text);
    }
    text.split_inclusive('\n')
        .map(|line| if line.is_ascii() { count(line) } else { estimate(line) })
        .sum()
}

/// An estimate without the tables: bytes divided by 3.5, rounded up.
pub fn estimate(text: &str) -> usize {
    (text.len() * 2).div_ceil(7)
}

/// Loads the tables.
pub fn warm_up() {
    let _ = count("\u{e9}");
}
