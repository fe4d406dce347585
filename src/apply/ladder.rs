//! The ladder of matchers: ever looser ways to find where a block's old lines stand.
//!
//! Each rung either finds one place, and that is it; or none, and the next rung is tried; or several, and the block is
//! ambiguous: a looser rung could only hide that. Loose matching may locate, it may not rewrite: kept lines keep the
//! file's text, and lines that go or change must be in the file, but for white space and the folding of punctuation.
//!
//! To add a rung: one file in `matchers/`, one row here, its cases in `fixtures/apply/`.

use super::anchors;
use super::change::{Ask, Obstacle};
use super::document::{Document, Splice};
use super::matchers;

pub(super) struct Rung {
    /// As reported in `Placed::strategy`.
    pub(super) name: &'static str,
    pub(super) find: fn(&Ask, &Document<'_>) -> Found,
    /// Whether the rung compares every old line with the file; only such rungs are used on parts of a block and to
    /// tell which file a block without a name is for.
    pub(super) strict: bool,
}

/// Strictest first.
pub(super) static LADDER: &[Rung] = &[
    Rung {
        name: "exact",
        find: matchers::exact::find,
        strict: true,
    },
    Rung {
        name: "trailing-space",
        find: matchers::trailing_space::find,
        strict: true,
    },
    Rung {
        name: "indent",
        find: matchers::uniform_indent::find,
        strict: true,
    },
    Rung {
        name: "blank-edges",
        find: matchers::blank_edges::find,
        strict: true,
    },
    Rung {
        name: "trim",
        find: matchers::trim::find,
        strict: true,
    },
    Rung {
        name: "punctuation",
        find: matchers::punctuation::find,
        strict: true,
    },
    Rung {
        name: "elision",
        find: matchers::elision::find,
        strict: true,
    },
    Rung {
        name: "blank-lines",
        find: matchers::blank_lines::find,
        strict: true,
    },
    Rung {
        name: "white-space",
        find: matchers::white_space::find,
        strict: true,
    },
    Rung {
        name: "part-of-line",
        find: matchers::part_of_line::find,
        strict: false,
    },
    Rung {
        name: "wrapper",
        find: matchers::wrapper::find,
        strict: false,
    },
    Rung {
        name: "gutter",
        find: matchers::gutter::find,
        strict: false,
    },
    Rung {
        name: "escapes",
        find: matchers::escapes::find,
        strict: false,
    },
    Rung {
        name: "already-there",
        find: matchers::already_there::find,
        strict: false,
    },
    Rung {
        name: "loose",
        find: matchers::loose::find,
        strict: false,
    },
    Rung {
        name: "apart",
        find: matchers::apart::find,
        strict: false,
    },
];

pub(super) enum Found {
    Nowhere,
    /// In the order of the file; never empty.
    Places(Vec<Place>),
}

/// Where a block's old lines stand.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Position of the first line.
    pub(super) first: usize,
    /// Position after the last line.
    pub(super) end: usize,
    /// The changes to make, or why they cannot be made.
    pub(super) splices: Result<Vec<Splice>, Obstacle>,
}

/// Where a climb ended.
pub(super) enum Climbed {
    Placed { rung: &'static str, place: Place },
    Ambiguous { rung: &'static str, places: Vec<Place> },
    Nowhere,
}

impl Found {
    pub(super) fn from_places(places: Vec<Place>) -> Self {
        if places.is_empty() {
            Self::Nowhere
        } else {
            Self::Places(places)
        }
    }
}

/// Which part of the ladder is climbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rungs {
    Strict,
    Loose,
}

/// Tries the rungs of one part of the ladder in order.
pub(super) fn climb(ask: &Ask, document: &Document<'_>, rungs: Rungs) -> Climbed {
    for rung in LADDER.iter().filter(|rung| rung.strict == (rungs == Rungs::Strict)) {
        let Found::Places(places) = (rung.find)(ask, document) else {
            continue;
        };
        let mut places = anchors::narrow(ask, document, places);
        if places.len() == 1 {
            let place = places.remove(0);
            return Climbed::Placed { rung: rung.name, place };
        }
        return Climbed::Ambiguous {
            rung: rung.name,
            places,
        };
    }
    Climbed::Nowhere
}

/// The places on the first strict rung that finds any; for blocks that a rung has cleaned up.
pub(super) fn find_strictly(ask: &Ask, document: &Document<'_>) -> Found {
    LADDER
        .iter()
        .filter(|rung| rung.strict)
        .map(|rung| (rung.find)(ask, document))
        .find(|found| matches!(found, Found::Places(_)))
        .unwrap_or(Found::Nowhere)
}
