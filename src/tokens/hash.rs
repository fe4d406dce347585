// Shared by the build script, which lays the table out, and by the library, which looks tokens up in it.

/// Slots of the table: a power of two, more than twice the tokens.
pub(crate) const SLOTS: usize = 1 << 19;

/// Where the search for a token starts.
pub(crate) fn slot_of(token: &[u8]) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in token.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    hash = (hash ^ token.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (64 - 19)) as usize
}
