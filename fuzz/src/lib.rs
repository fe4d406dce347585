//! What is fuzzed, and no more: the readers of replies and the planner need little, while the whole of codriver brings some
//! forty grammars, a TLS stack and a database, whose C code takes a sanitizer's build a quarter of an hour.

#[path = "../../src/apply/mod.rs"]
pub mod apply;
#[path = "../../src/edit_format/mod.rs"]
pub mod edit_format;
#[path = "../../src/text/mod.rs"]
pub mod text;
