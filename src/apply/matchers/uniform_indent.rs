//! The old lines stand in the file with one indentation more or less on every line, or with tabs for spaces; the new
//! lines are shifted alike.

use crate::apply::change::{Ask, Compare, indenter};
use crate::apply::document::Document;
use crate::apply::indent::Shift;
use crate::apply::ladder::Found;
use crate::apply::windows::{self, Fit};

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let is_even = |start: &usize| *indenter(ask, document, &windows::map_at(ask, *start)).shift() != Shift::Uneven;
    let mut starts: Vec<usize> = windows::starts(document, &ask.keys)
        .into_iter()
        .filter(|start| windows::fit_at(document, &ask.old, *start) <= Fit::Trim)
        .collect();
    if starts.len() <= super::MAX_PLACES {
        starts.retain(is_even);
    }
    super::places(ask, document, starts, Compare::TrimEnd)
}
