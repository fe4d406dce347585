//! Text without meaning: lines and their endings, line diffs, similarity of lines, fences, what a page says.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod diff;
pub mod fence;
pub mod html;
pub mod lines;
pub mod similarity;
