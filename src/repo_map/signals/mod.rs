//! The voices that say which files matter, one small function each: from the scene to one number for every file, zero
//! where it has nothing to say. Their weights stand in [`super::rank`].

mod history;
mod identifiers;
mod place;
mod request;

pub(super) use history::{changed_together, last_changed, message_likeness};
pub(super) use identifiers::{focused, shared, used_by_chat, uses_chat};
pub(super) use place::{near, unlikely};
pub(super) use request::{body, definitions, named, path, stem};
