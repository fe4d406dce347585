//! Puts the hunks of one file into its text, in the order of the reply: the ladder, then what the other hunks of the
//! reply say (ties, repeats, lines that an earlier hunk changed).

use std::ops::Range;

use super::anchors;
use super::change::{Ask, Obstacle};
use super::document::{Document, LineId, Splice, key};
use super::ladder::{Climbed, Place, Rungs, climb};
use super::split;
use crate::edit_format::Hunk;
use crate::text::similarity::letters_and_digits;

/// An already present addition of fewer characters than this is not recognised as such.
pub(super) const MIN_TELLING_TEXT: usize = 20;
/// Letters and digits that are enough where the old lines stand there too: fewer may well be meant twice.
const MIN_LETTERS_IN_PLACE: usize = 6;
/// Fewer telling lines than this may be appended although the file has most of them.
const MIN_LINES_OF_REPEAT: usize = 5;

/// One hunk of the reply for a file.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) ask: Ask,
    pub(super) block: usize,
    /// Whether empty old lines may append to a file with text: the block itself names it.
    pub(super) may_append: bool,
    /// Whether the file is deleted when nothing of it is left.
    pub(super) ends_file: bool,
}

impl Wanted {
    pub(super) fn new(hunk: &Hunk, path: &str, block: usize, may_append: bool) -> Self {
        Self {
            ask: Ask::from_hunk(hunk, path),
            block,
            may_append,
            ends_file: hunk.ends_file,
        }
    }
}

/// What became of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// `line` is from 1, in the text before the reply.
    Placed {
        strategy: &'static str,
        line: usize,
    },
    Failed(Trouble),
}

/// Why a hunk has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    Nowhere,
    /// First line of each place, from 1, in the text before the reply.
    Several {
        lines: Vec<usize>,
    },
    /// The place is known (first line, from 1), the change cannot be made there.
    Obstructed {
        line: usize,
        obstacle: Obstacle,
    },
    /// Lines that go or change were changed by that block.
    Overlap {
        other: usize,
    },
    /// The place (first line, from 1) is in a part of the file that the model was not shown.
    Unseen {
        line: usize,
    },
    /// An empty SEARCH that does not say where.
    NoPlace,
    /// An empty SEARCH whose text is mostly in the file: appending it would double the file.
    Repeats,
    /// The anchors of an insertion are nowhere.
    NoAnchor,
    Nothing,
}

impl Trouble {
    fn several(places: &[Place], document: &Document<'_>) -> Self {
        let mut lines: Vec<usize> = places
            .iter()
            .map(|place| document.original_number(place.first))
            .collect();
        lines.dedup();
        Self::Several { lines }
    }
}

/// The text of one file and what was already put into it.
pub(super) struct FileText<'t> {
    pub(super) document: Document<'t>,
    original: &'t str,
    /// The lines of the original that the model saw, when it saw only some.
    seen: Option<&'t [Range<usize>]>,
    /// The original text as a document, once it is needed.
    before: Option<Document<'t>>,
    done: Vec<Done>,
    /// Identical hunks for which a place was already changed: (lines of the block, strategy, line).
    paid: Vec<(Ask, &'static str, usize)>,
    /// Ids of the first and last line around the change made last.
    last_place: Option<(LineId, LineId)>,
}

struct Done {
    ask: Ask,
    line: usize,
}

impl<'t> FileText<'t> {
    pub(super) fn new(text: &'t str, seen: Option<&'t [Range<usize>]>) -> Self {
        Self {
            document: Document::new(text),
            original: text,
            seen,
            before: None,
            done: Vec::new(),
            paid: Vec::new(),
            last_place: None,
        }
    }

    /// Places one hunk; `later` are the hunks of the reply for this file that come after it.
    pub(super) fn place(&mut self, wanted: &Wanted, later: &[Wanted]) -> Outcome {
        let ask = &wanted.ask;
        if let Some(at) = self.paid.iter().position(|(paid, _, _)| paid == ask) {
            let (_, strategy, line) = self.paid.remove(at);
            return Outcome::Placed { strategy, line };
        }
        if let Some(done) = self.done.iter().find(|done| done.ask == *ask) {
            return Outcome::Placed {
                strategy: "already-there",
                line: done.line,
            };
        }
        if ask.n_filled_old() == 0 {
            return self.insert(wanted);
        }
        match climb(ask, &self.document, Rungs::Strict) {
            Climbed::Placed { rung, place } if place.splices.is_ok() => self.put(wanted, rung, place),
            Climbed::Placed { rung, place } => {
                let obstructed = self.put(wanted, rung, place);
                self.first_of(wanted, obstructed)
            }
            Climbed::Ambiguous { rung, places } => self.break_tie(wanted, later, rung, places),
            Climbed::Nowhere => self.first_of(wanted, Outcome::Failed(Trouble::Nowhere)),
        }
    }

    /// The ways to find a hunk that does not stand in the text as it is: the text before the reply, the loose rungs, the
    /// hunk in parts. When all fail, the failure that says most.
    fn first_of(&mut self, wanted: &Wanted, strict: Outcome) -> Outcome {
        let mut failed = strict;
        match self.carry_over(wanted) {
            Some(outcome @ Outcome::Placed { .. }) => return outcome,
            Some(overlap) => failed = overlap,
            None => {}
        }
        match climb(&wanted.ask, &self.document, Rungs::Loose) {
            Climbed::Placed { rung, place } => match self.put(wanted, rung, place) {
                Outcome::Failed(trouble) if failed == Outcome::Failed(Trouble::Nowhere) => {
                    failed = Outcome::Failed(trouble)
                }
                Outcome::Failed(_) => {}
                placed => return placed,
            },
            Climbed::Ambiguous { rung, places } => match self.only_seen(&places) {
                Some(place) => return self.put(wanted, rung, place),
                None => return Outcome::Failed(Trouble::several(&places, &self.document)),
            },
            Climbed::Nowhere => {}
        }
        if wanted.ask.in_diff {
            match split::find(&wanted.ask, &self.document) {
                Climbed::Placed { rung, place } => return self.put(wanted, rung, place),
                Climbed::Ambiguous { places, .. } => return Outcome::Failed(Trouble::several(&places, &self.document)),
                Climbed::Nowhere => {}
            }
        }
        failed
    }

    /// Makes the changes of a place.
    fn put(&mut self, wanted: &Wanted, strategy: &'static str, place: Place) -> Outcome {
        let line = self.document.original_number(place.first);
        let splices = match place.splices {
            Ok(splices) => splices,
            Err(obstacle) => {
                let line = self.document.original_number(place.first);
                return Outcome::Failed(Trouble::Obstructed { line, obstacle });
            }
        };
        if !self.is_seen(place.first..place.end) {
            return Outcome::Failed(Trouble::Unseen { line });
        }
        if self.stands_already(&wanted.ask, &splices) {
            self.done.push(Done {
                ask: wanted.ask.clone(),
                line,
            });
            return Outcome::Placed {
                strategy: "already-there",
                line,
            };
        }
        self.change(wanted, splices, place.first, place.end, line);
        Outcome::Placed { strategy, line }
    }

    fn change(&mut self, wanted: &Wanted, splices: Vec<Splice>, first: usize, end: usize, line: usize) {
        let splices_end = splices.iter().map(|splice| splice.range.end).max().unwrap_or(end);
        let added: usize = splices.iter().map(|splice| splice.new.len()).sum();
        let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
        self.document.splice(splices, wanted.block);
        // Blank lines beside the place may go too.
        let furthest = splices_end.max(end);
        let end = furthest + added - removed;
        let first = first.min(self.document.len().saturating_sub(1));
        self.last_place = (!self.document.is_empty()).then(|| {
            (
                self.document.id(first),
                self.document
                    .id(end.saturating_sub(1).max(first).min(self.document.len() - 1)),
            )
        });
        self.done.push(Done {
            ask: wanted.ask.clone(),
            line,
        });
    }

    /// Whether a pure insertion would put lines where the same lines already stand.
    fn stands_already(&self, ask: &Ask, splices: &[Splice]) -> bool {
        let letters: usize = ask.added_text().into_iter().map(letters_and_digits).sum();
        if splices.is_empty() || letters < MIN_LETTERS_IN_PLACE {
            return false;
        }
        splices.iter().all(|splice| {
            let new: Vec<&str> = splice
                .new
                .iter()
                .map(|line| line.trim())
                .filter(|line| !line.is_empty())
                .collect();
            let at = splice.range.start;
            let below = (at..self.document.len())
                .filter(|position| !self.document.is_blank(*position))
                .take(new.len());
            let above = (0..at)
                .rev()
                .filter(|position| !self.document.is_blank(*position))
                .take(new.len());
            let same = |positions: Vec<usize>| {
                positions.len() == new.len()
                    && positions
                        .iter()
                        .zip(&new)
                        .all(|(position, line)| self.document.text(*position).trim() == *line)
            };
            let mut above: Vec<usize> = above.collect();
            above.reverse();
            splice.range.is_empty() && !new.is_empty() && (same(below.collect()) || same(above))
        })
    }

    /// Old lines that are empty: fills an empty file, goes below the anchors, or to the end of the file.
    fn insert(&mut self, wanted: &Wanted) -> Outcome {
        let ask = &wanted.ask;
        if ask.new.iter().all(|line| line.trim().is_empty()) && !self.document.is_empty() {
            return Outcome::Failed(Trouble::Nothing);
        }
        let (at, strategy) = if self.document.is_empty() {
            (0, "create")
        } else if !ask.anchors.is_empty() {
            match anchors::insertion_points(&self.document, &ask.anchors)[..] {
                [at] => (at, "anchor"),
                [] if ask.at_end => (self.document.len(), "append"),
                [] => return Outcome::Failed(Trouble::NoAnchor),
                ref several => {
                    let lines = several.iter().map(|at| self.document.original_number(at - 1)).collect();
                    return Outcome::Failed(Trouble::Several { lines });
                }
            }
        } else if ask.at_end || wanted.may_append {
            (self.document.len(), "append")
        } else {
            return Outcome::Failed(Trouble::NoPlace);
        };
        let line = self.document.original_number(at.saturating_sub(1));
        let splices = vec![Splice {
            range: at..at,
            new: ask.new.clone(),
        }];
        if strategy != "create" && self.is_in_text(&ask.new) {
            self.done.push(Done { ask: ask.clone(), line });
            return Outcome::Placed {
                strategy: "already-there",
                line,
            };
        }
        if strategy == "append" && self.repeats_the_file(&ask.new) {
            return Outcome::Failed(Trouble::Repeats);
        }
        self.change(wanted, splices, at, at, line);
        Outcome::Placed { strategy, line }
    }

    /// Whether most of a text that would be appended is in the file already: then the file as a whole is meant.
    fn repeats_the_file(&self, lines: &[String]) -> bool {
        let telling: Vec<u64> = lines
            .iter()
            .filter(|line| letters_and_digits(line) >= MIN_LETTERS_IN_PLACE)
            .map(|line| key(line))
            .collect();
        let there = telling
            .iter()
            .filter(|key| !self.document.positions(**key).is_empty())
            .count();
        telling.len() >= MIN_LINES_OF_REPEAT && 2 * there > telling.len()
    }

    /// Whether all lines that are not blank stand together in the text.
    fn is_in_text(&self, lines: &[String]) -> bool {
        let filled: Vec<String> = lines.iter().filter(|line| !line.trim().is_empty()).cloned().collect();
        let ask = Ask::new(filled.clone(), filled);
        !super::windows::starts(&self.document, &ask.keys).is_empty()
    }

    /// The one of several places that the model saw, when it saw only a part of the file.
    fn only_seen(&self, places: &[Place]) -> Option<Place> {
        self.seen?;
        let mut those = places.iter().filter(|place| self.is_seen(place.first..place.end));
        let only = those.next()?;
        those.next().is_none().then(|| only.clone())
    }

    /// Whether the model saw all of these lines, but for blank ones; what the reply itself wrote counts as seen.
    fn is_seen(&self, lines: Range<usize>) -> bool {
        let Some(seen) = self.seen else { return true };
        let mut numbers = lines
            .filter(|at| !self.document.is_blank(*at))
            .filter_map(|at| self.document.number(at));
        numbers.all(|number| seen.iter().any(|run| run.contains(&(number - 1))))
    }

    /// Several places fit. The text before the reply, as many identical hunks as places, what the model saw of the file, or
    /// certain neighbours on both sides may say which one is meant; nothing else does.
    fn break_tie(&mut self, wanted: &Wanted, later: &[Wanted], rung: &'static str, places: Vec<Place>) -> Outcome {
        let ask = &wanted.ask;
        if let Some(place) = self.only_seen(&places) {
            return self.put(wanted, rung, place);
        }
        let several = Outcome::Failed(Trouble::several(&places, &self.document));
        let was_changed = !self.done.is_empty() || self.last_place.is_some();
        if was_changed
            && places
                .iter()
                .any(|place| (place.first..place.end).any(|at| self.document.written_by(at).is_some()))
            && let Some(outcome) = self.carry_over(wanted)
        {
            return outcome;
        }
        let twins = later.iter().filter(|other| other.ask == *ask).count() + 1;
        let apart = places.windows(2).all(|pair| pair[0].end <= pair[1].first);
        let may_all = |place: &Place| place.splices.is_ok() && self.is_seen(place.first..place.end);
        if twins == places.len() && apart && places.iter().all(may_all) {
            return self.put_at_all(wanted, rung, places);
        }
        let Some((_, above)) = self.last_place else {
            return several;
        };
        let Some(above) = self.document.position_of(above) else {
            return several;
        };
        let below = later
            .iter()
            .filter(|other| other.ask != *ask && other.ask.n_filled_old() > 0)
            .find_map(|other| match climb(&other.ask, &self.document, Rungs::Strict) {
                Climbed::Placed { place, .. } => Some(place.first),
                _ => None,
            });
        let Some(below) = below else { return several };
        let mut between = places
            .into_iter()
            .filter(|place| place.first > above && place.end <= below);
        match (between.next(), between.next()) {
            (Some(place), None) => self.put(wanted, rung, place),
            _ => several,
        }
    }

    fn put_at_all(&mut self, wanted: &Wanted, rung: &'static str, places: Vec<Place>) -> Outcome {
        let lines: Vec<usize> = places
            .iter()
            .map(|place| self.document.original_number(place.first))
            .collect();
        let splices: Vec<Splice> = places
            .into_iter()
            .filter_map(|place| place.splices.ok())
            .flatten()
            .collect();
        self.document.splice(splices, wanted.block);
        self.last_place = None;
        self.paid
            .extend(lines.iter().skip(1).map(|line| (wanted.ask.clone(), rung, *line)));
        Outcome::Placed {
            strategy: rung,
            line: lines[0],
        }
    }

    /// Finds the place in the text before the reply and carries it over by the identity of the lines. None when it is
    /// not there exactly once, or when nothing was changed yet.
    fn carry_over(&mut self, wanted: &Wanted) -> Option<Outcome> {
        if self.done.is_empty() && self.last_place.is_none() {
            return None;
        }
        let before = self.before.get_or_insert_with(|| Document::new(self.original));
        let Climbed::Placed { place, .. } = climb(&wanted.ask, before, Rungs::Strict) else {
            return None;
        };
        let splices = place.splices.ok()?;
        let mut carried = Vec::with_capacity(splices.len());
        for splice in splices {
            match carry(&splice, before, &self.document) {
                Ok(splice) => carried.push(splice),
                Err(other) => return Some(Outcome::Failed(Trouble::Overlap { other })),
            }
        }
        let line = place.first + 1;
        let first = carried.iter().map(|splice| splice.range.start).min()?;
        let end = carried.iter().map(|splice| splice.range.end).max()?;
        self.change(wanted, carried, first, end, line);
        Some(Outcome::Placed {
            strategy: "earlier-text",
            line,
        })
    }
}

/// A change of the original text as one of the text as it stands now, or the block that stands in its way. Original
/// lines have the same ids in both.
fn carry(splice: &Splice, before: &Document<'_>, now: &Document<'_>) -> Result<Splice, usize> {
    let id = |position: usize| before.id(position);
    let in_the_way = |position: usize| now.removed_by(id(position)).unwrap_or(0);
    if splice.range.is_empty() {
        let at = splice.range.start;
        let above = at.checked_sub(1);
        // Below lines that earlier blocks put here: the order of the reply is the order of the text.
        let below = (at < before.len()).then(|| now.position_of(id(at))).flatten();
        let position = below.or_else(|| above.and_then(|above| now.position_of(id(above))).map(|at| at + 1));
        return match position {
            Some(position) => Ok(Splice {
                range: position..position,
                new: splice.new.clone(),
            }),
            None => Err(in_the_way(above.unwrap_or(at.min(before.len().saturating_sub(1))))),
        };
    }
    let mut positions = Vec::with_capacity(splice.range.len());
    for position in splice.range.clone() {
        positions.push(now.position_of(id(position)).ok_or_else(|| in_the_way(position))?);
    }
    let (first, last) = (positions[0], positions[positions.len() - 1]);
    if last + 1 - first != positions.len() {
        let stranger = (first..=last).find_map(|position| now.written_by(position));
        return Err(stranger.unwrap_or(0));
    }
    Ok(Splice {
        range: first..last + 1,
        new: splice.new.clone(),
    })
}

/// Whether the strict rungs find the hunk in a text, once or more.
pub(super) fn stands_in(ask: &Ask, document: &Document<'_>) -> bool {
    ask.n_filled_old() > 0 && !matches!(climb(ask, document, Rungs::Strict), Climbed::Nowhere)
}
