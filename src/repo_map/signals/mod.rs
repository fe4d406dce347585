//! The voices that say which files matter, one small function each: from the scene to one number for every file, zero
//! where it has nothing to say. Their weights stand in [`super::rank`].

mod history;
mod identifiers;
mod kin;
mod place;
mod request;

pub(super) use history::{changed_together, changed_with, last_changed, message_likeness, often_changed};
pub(super) use identifiers::{contained, focused, shared, used_by_chat, uses_chat};
pub(super) use kin::{module_of_chat, names_chat_module};
pub(super) use place::{is_hidden, near, unlikely};
pub(super) use request::{body, definitions, named, path, quoted, stem};
