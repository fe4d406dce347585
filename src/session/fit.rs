//! Makes a request fit: what is too large for the model's window is found before anything is sent. The map gets smaller
//! first, then old turns are summarised or left out; when that is not enough, nothing is sent and the user hears what to drop.

use anyhow::Result;

use super::Session;
use super::turn::Turn;
use crate::chat::budget;
use crate::chat::budget::TooLarge;
use crate::chat::prompt::Assembled;
use crate::terminal::Event;

/// A map of fewer tokens tells nothing: it is left out.
const SMALLEST_MAP: usize = 128;

/// Tokens by which a part may be larger than its text alone.
const ROUNDING: usize = 8;

/// Ceilings of the parts that can be made smaller, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) map: usize,
    pub(super) history: usize,
}

/// What a request lacks; told again only when it is another one than before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lacks {
    /// Tokens of the map, when it is smaller than it would be.
    map: Option<usize>,
    turns: usize,
}

impl Session {
    /// The ceilings that the user set, or the usual ones.
    pub(super) fn room(&self) -> Room {
        Room {
            map: self.map_ceiling(),
            history: self.options.history_tokens.unwrap_or(usize::MAX),
        }
    }

    /// The turn's next request, smaller than the window; or why there is none.
    pub(super) fn fitting(&mut self, turn: &Turn) -> Result<Result<Assembled, TooLarge>> {
        let mut room = self.room();
        let mut lacks = Lacks::default();
        let mut assembled = self.assemble(&turn.message, &turn.said, room)?;
        let Some(too_large) = self.too_large(&assembled) else {
            self.tell_lacks(room, lacks);
            return Ok(Ok(assembled));
        };
        if too_large.excess() > assembled.size("map") + assembled.size("history") {
            return Ok(Err(too_large));
        }
        if let Some((_, map)) = &self.turn_map
            && assembled.size("map") > 0
        {
            room.map = map.tokens.saturating_sub(too_large.excess() + ROUNDING);
            if room.map < SMALLEST_MAP {
                room.map = 0;
            }
            assembled = self.assemble(&turn.message, &turn.said, room)?;
            lacks.map = Some(assembled.size("map"));
        }
        if let Some(too_large) = self.too_large(&assembled) {
            room.history = assembled.size("history").saturating_sub(too_large.excess());
            self.summarise_to_fit(room.history);
            assembled = self.assemble(&turn.message, &turn.said, room)?;
        }
        Ok(match self.too_large(&assembled) {
            Some(too_large) => Err(too_large),
            None => {
                self.tell_lacks(room, lacks);
                Ok(assembled)
            }
        })
    }

    fn too_large(&self, assembled: &Assembled) -> Option<TooLarge> {
        let settings = self.main_settings()?;
        budget::check(assembled, settings.context_window, settings.reply_reserve()).err()
    }

    fn tell_lacks(&mut self, room: Room, lacks: Lacks) {
        let count = |text: &str| self.counts.count(text);
        let turns = self.history.within(room.history, &count).left_out;
        let lacks = Lacks { turns, ..lacks };
        let before = std::mem::replace(&mut self.lacks, lacks);
        if lacks.turns > before.turns {
            let ceiling = match self.options.history_tokens {
                Some(_) => "`--history-tokens`",
                None => "the model's window",
            };
            self.ui.show(Event::Note(format!(
                "{} left out of the request, to keep within {ceiling}; `/compact` makes them shorter instead.",
                match turns {
                    1 => "The oldest turn is".to_owned(),
                    n => format!("The {n} oldest turns are"),
                }
            )));
        }
        if lacks.map != before.map
            && let Some(tokens) = lacks.map
        {
            self.ui.show(Event::Note(match tokens {
                0 => "The map is left out, to keep within the model's window.".to_owned(),
                n => format!("The map has {n} tokens only, to keep within the model's window."),
            }));
        }
    }
}
