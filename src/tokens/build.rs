//! Build script: lays out the o200k vocabulary as a table that can be used as it lies in the binary. Reading the vocabulary at
//! run time takes longer than a whole map.
//!
//! `o200k.table`, little endian: the slots of a hash table, each a token's rank + 1 or 0; for each rank where its bytes start, and where
//! the last one's end; the bytes.

use std::path::PathBuf;

mod hash {
    include!("hash.rs");
}

/// Ranks of ordinary tokens; special ones lie above.
const TOKENS: u32 = 199_998;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=src/tokens/build.rs");
    println!("cargo::rerun-if-changed=src/tokens/hash.rs");
    let vocabulary = tiktoken_rs::o200k_base()?;
    let mut slots = vec![0_u32; hash::SLOTS];
    let (mut starts, mut bytes) = (vec![0_u32], Vec::new());
    for rank in 0..TOKENS {
        let token = vocabulary.decode_bytes(&[rank])?;
        let mut at = hash::slot_of(&token);
        while slots[at] != 0 {
            at = (at + 1) % hash::SLOTS;
        }
        slots[at] = rank + 1;
        bytes.extend_from_slice(&token);
        starts.push(u32::try_from(bytes.len())?);
    }
    let mut table: Vec<u8> = slots
        .iter()
        .chain(&starts)
        .flat_map(|number| number.to_le_bytes())
        .collect();
    table.extend_from_slice(&bytes);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?).join("o200k.table");
    std::fs::write(out, table)?;
    Ok(())
}
