//! Where a reply says which file a block is for: on its fence line, in the line above, in a heading over it, in the
//! sentence that introduces it.

use super::decoration;
use super::decoration::LineStyle;
use super::lines::Line;
use super::names::Project;
use crate::text::fence::FenceLine;

/// Lines above a block that are looked at.
pub(super) const REACH: usize = 80;

/// A name and how plainly it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) plainness: Plainness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plainness {
    /// On the fence, or alone in the line above.
    Stated,
    /// Alone in a line further up, or after words such as `In`.
    Headed,
    /// In a sentence.
    Mentioned,
    /// A word of a sentence that is not marked as a name, has no folder and is no known file: `Chart.js` is a library.
    Spoken,
}

/// The name for the block that begins at `lines[start]`, looked for upwards but not above `floor`.
///
/// In this order: the fence line; the nearest line that says anything, if it is a name; a heading; a single file named
/// in the nearest sentence; any line that is a name and no list item.
pub(super) fn above(lines: &[Line<'_>], start: usize, floor: usize, project: &Project<'_>) -> Option<Found> {
    let lowest = floor.max(start.saturating_sub(REACH));
    let mut is_nearest = true;
    let mut in_paragraph = true;
    let mut heading = None;
    let mut other = None;
    let mut mentioned: Vec<String> = Vec::new();
    let mut marked: Vec<String> = Vec::new();
    for line in lines[lowest..start].iter().rev() {
        if line.is_blank() {
            in_paragraph &= is_nearest;
            continue;
        }
        if let Some(fence) = FenceLine::read(line.text) {
            if is_nearest && let Some(name) = decoration::in_fence_info(fence.info, project) {
                return Some(Found::new(name, Plainness::Stated));
            }
            continue;
        }
        if is_nearest && let Some(name) = decoration::name_of_few_words(line.text, project) {
            return Some(Found::new(name, Plainness::Stated));
        }
        match decoration::whole_line(line.text, project) {
            Some(found) if is_nearest => {
                let plainness = if found.is_sentence {
                    Plainness::Headed
                } else {
                    Plainness::Stated
                };
                return Some(Found::new(found.name, plainness));
            }
            Some(found) if matches!(found.style, LineStyle::Heading | LineStyle::Comment) => {
                heading = heading.or(Some(found.name));
            }
            Some(found) if found.style == LineStyle::Other => other = other.or(Some(found.name)),
            _ => {}
        }
        if in_paragraph {
            for name in decoration::mentions(line.text, project) {
                if line.text.contains(&format!("`{name}`")) || decoration::speaks_of_creating(line.text) {
                    marked.push(name.clone());
                }
                if !mentioned.contains(&name) {
                    mentioned.push(name);
                }
            }
        }
        is_nearest = false;
    }
    let single = match mentioned.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let headed = |name: String| Found::new(name, Plainness::Headed);
    let said = |name: String| {
        let is_surely_file = marked.contains(&name) || name.contains(['/', '\\']) || project.knows_end_of(&name);
        let plainness = if is_surely_file {
            Plainness::Mentioned
        } else {
            Plainness::Spoken
        };
        Found::new(name, plainness)
    };
    heading
        .map(headed)
        .or_else(|| single.map(said))
        .or_else(|| other.map(headed))
}

impl Found {
    pub(super) fn new(name: String, plainness: Plainness) -> Self {
        Self { name, plainness }
    }
}
