//! Blank lines at the start or the end of the old lines are not in the file; the lines between them stand there, at
//! worst with a uniform shift.

use crate::apply::change::{Ask, Compare, indenter, splices};
use crate::apply::document::{BLANK, Document};
use crate::apply::indent::Shift;
use crate::apply::ladder::{Found, Place};
use crate::apply::windows::{self, Fit};

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    let Some(from) = ask.keys.iter().position(|key| *key != BLANK) else {
        return Found::Nowhere;
    };
    let to = ask
        .keys
        .iter()
        .rposition(|key| *key != BLANK)
        .map_or(from, |last| last + 1);
    if from == 0 && to == ask.keys.len() {
        return Found::Nowhere;
    }
    let inner = &ask.old[from..to];
    let mut found: Vec<(Fit, Place)> = windows::starts(document, &ask.keys[from..to])
        .into_iter()
        .map(|start| (windows::fit_at(document, inner, start), start))
        .filter(|(fit, _)| *fit <= Fit::Trim)
        .filter_map(|(fit, start)| {
            let mut map: Vec<Option<usize>> = (0..ask.old.len())
                .map(|idx| (from..to).contains(&idx).then(|| start + idx - from))
                .collect();
            super::map_blank_edges(document, &mut map);
            let uneven = *indenter(ask, document, &map).shift() == Shift::Uneven;
            let compare = if fit == Fit::Exact {
                Compare::Exact
            } else {
                Compare::TrimEnd
            };
            (!uneven).then(|| {
                let splices = splices(ask, document, &map, compare);
                (
                    fit,
                    Place {
                        first: start,
                        end: start + (to - from),
                        splices,
                    },
                )
            })
        })
        .collect();
    // Within the rung a closer fit wins, as on the rungs above.
    let closest = found.iter().map(|(fit, _)| *fit).min();
    found.retain(|(fit, _)| Some(*fit) == closest);
    Found::from_places(found.into_iter().map(|(_, place)| place).collect())
}
