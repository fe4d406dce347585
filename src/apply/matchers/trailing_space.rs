//! The old lines stand in the file but for blanks at the ends of lines.

use crate::apply::change::{Ask, Compare};
use crate::apply::document::Document;
use crate::apply::ladder::Found;
use crate::apply::windows::Fit;

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    super::line_by_line(ask, document, Fit::TrimEnd, Compare::TrimEnd)
}
