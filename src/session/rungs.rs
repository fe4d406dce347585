//! How the edits of a session were placed: by which matcher each was found, and how many fitted nowhere.

use std::collections::BTreeMap;

use crate::apply::Placed;

/// Name of the count of edits that were not placed.
const REFUSED: &str = "refused";

/// Edits by the name of the matcher ([`Placed::strategy`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rungs {
    counts: BTreeMap<String, u64>,
}

impl Rungs {
    /// Counts as they were stored.
    pub fn resumed(counts: BTreeMap<String, u64>) -> Self {
        Self { counts }
    }

    /// By name; what could not be placed is `refused`.
    pub fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }

    /// Takes edits in that were written.
    pub(super) fn add(&mut self, placed: &[Placed]) {
        for placed in placed {
            *self.counts.entry(placed.strategy.to_owned()).or_default() += 1;
        }
    }

    /// Takes edits in that the model has to send again.
    pub(super) fn refuse(&mut self, n: usize) {
        if n > 0 {
            *self.counts.entry(REFUSED.to_owned()).or_default() += n as u64;
        }
    }

    /// `14 exact, 2 indent, 1 refused`: the most frequent first, the refused last. None when there was no edit.
    pub fn words(&self) -> Option<String> {
        let mut counts: Vec<(&String, &u64)> = self.counts.iter().collect();
        counts.sort_by_key(|(name, count)| (*name == REFUSED, std::cmp::Reverse(**count)));
        let words: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_come_first_and_the_refused_last() {
        let counts = [("exact", 14), ("indent", 2), ("loose", 3), ("refused", 20)];
        let rungs = Rungs::resumed(counts.map(|(name, count)| (name.to_owned(), count)).into());
        assert_eq!(
            rungs.words().as_deref(),
            Some("14 exact, 3 loose, 2 indent, 20 refused")
        );
        assert_eq!(Rungs::default().words(), None);
    }
}
