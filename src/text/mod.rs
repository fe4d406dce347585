//! Text without meaning: lines and their endings, line diffs, similarity of lines, fences, what a page says, addresses.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod address;
pub mod diff;
pub mod fence;
pub mod html;
pub mod lines;
pub mod similarity;
