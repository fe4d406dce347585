//! The ranks of the o200k encoding's tokens, looked up in a table that lies in the binary as `build.rs` laid it out.

use super::hash::{SLOTS, slot_of};

/// Laid out by the build script.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.table"));
const TOKENS: usize = 199_998;

/// The rank of a token; None when these bytes are none.
pub(super) fn rank(token: &[u8]) -> Option<u32> {
    let mut slot = slot_of(token);
    loop {
        let rank = number(slot).checked_sub(1)?;
        let at = SLOTS + rank as usize;
        let bytes = 4 * (SLOTS + TOKENS + 1);
        let (start, end) = (bytes + number(at) as usize, bytes + number(at + 1) as usize);
        if TABLE[start..end] == *token {
            return Some(rank);
        }
        slot = (slot + 1) % SLOTS;
    }
}

fn number(at: usize) -> u32 {
    let bytes = &TABLE[4 * at..4 * at + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
