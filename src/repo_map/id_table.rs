//! A small set of hashes with fast lookup: ranking asks it millions of times, once for every identifier of every file.

use super::words::WordId;

/// Maps each of its hashes to a slot from 0, in the order of the list it was made of.
pub(super) struct IdTable {
    /// A bit for each of its hashes, by the lowest digits: most questions are answered with no from here, in a place so small that
    /// it stays in the cache.
    filter: Vec<u64>,
    filter_mask: usize,
    mask: usize,
    /// (hash, slot + 1); 0 for an empty place.
    places: Vec<(WordId, u32)>,
}

impl IdTable {
    /// `ids` must not repeat.
    pub(super) fn new(ids: impl ExactSizeIterator<Item = WordId>) -> Self {
        let size = (2 * ids.len()).next_power_of_two().max(16);
        let bits = 8 * size;
        let mut table = Self {
            filter: vec![0; bits / 64],
            filter_mask: bits - 1,
            mask: size - 1,
            places: vec![(0, 0); size],
        };
        for (slot, id) in ids.enumerate() {
            let bit = id as usize & table.filter_mask;
            table.filter[bit / 64] |= 1 << (bit % 64);
            let mut at = id as usize & table.mask;
            while table.places[at].1 != 0 {
                at = (at + 1) & table.mask;
            }
            table.places[at] = (id, slot as u32 + 1);
        }
        table
    }

    #[inline]
    pub(super) fn get(&self, id: WordId) -> Option<usize> {
        let bit = id as usize & self.filter_mask;
        if self.filter[bit / 64] & (1 << (bit % 64)) == 0 {
            return None;
        }
        let mut at = id as usize & self.mask;
        loop {
            let (found, slot) = self.places[at];
            if slot == 0 {
                return None;
            }
            if found == id {
                return Some(slot as usize - 1);
            }
            at = (at + 1) & self.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_in_it_even_when_places_collide() {
        let ids = [0_u32, 16, 32, 48, 7, u32::MAX];
        let table = IdTable::new(ids.iter().copied());
        for (slot, id) in ids.iter().enumerate() {
            assert_eq!(table.get(*id), Some(slot));
        }
        assert_eq!(table.get(64), None);
    }
}
