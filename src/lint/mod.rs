//! Lint without running anything: syntax errors that an edit brought, and reading what lint tools print. Running the
//! tools is the session's, by `shell`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod detect;
pub mod excerpt;
pub mod output;
pub mod syntax;
