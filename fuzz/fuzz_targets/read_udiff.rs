//! Reads any text as a reply in `udiff`: no panic, the same result in pieces, no edit without a name to look for.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|reply: &str| reading::check("udiff", reply));
