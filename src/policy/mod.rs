//! What may be read into a prompt and what may run: rules, never the asking. The session asks.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod commands;
mod git_commands;
mod programs;
pub mod secrets;
