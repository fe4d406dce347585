//! What is said to the model: messages, the history of a chat, and how a request is put together.
//!
//! - [`message`]: one message and its parts.
//! - [`modes`]: what the model is asked to be (code, ask, architect, ...) and the environment block.
//! - [`documentation`]: what `/help` answers from.
//! - [`conventions`]: the project's rules (`AGENTS.md`): where they stand and how much of them goes along.
//! - [`prompt`]: the parts of a request, in their order, with the size of each.
//! - [`roles`]: the order of roles that servers want.
//! - [`budget`]: whether that fits, and what to drop when it does not.
//! - [`history`]: turns, and making old ones shorter.
//! - [`continuation`]: joining a reply that was cut with what follows; `small_talk`: what of that is the model's own.
//! - [`repetition`]: a reply that repeats itself without end.
//! - [`mentions`]: files that a text names.
//! - [`excerpts`]: parts of files, and where they are after an edit.
//! - [`request`]: what a message is about.
//! - [`reply`]: whether a reply without edits asks for something.
//!
//! Nothing is sent from here (see [`crate::llm`]), and how edits are written is the edit formats' business.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod budget;
pub mod continuation;
pub mod conventions;
pub mod documentation;
pub mod excerpts;
pub mod history;
pub mod mentions;
pub mod message;
pub mod modes;
pub mod prompt;
pub mod repetition;
pub mod reply;
pub mod request;
pub mod roles;
mod small_talk;
