//! `/turns`: lists the turns of the conversation, pins them, takes them out.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::session::TurnChange;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "turns",
    aliases: &[],
    arguments: "[pin/unpin/drop N...]",
    summary: "list the turns of the conversation with their tokens; `pin 3` keeps turn 3 from being summarised, \
              `drop 2-4` forgets turns 2 to 4",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let mut words = arguments.split([' ', ',']).filter(|word| !word.is_empty());
    let change = match words.next() {
        None => {
            session.show_turns();
            return Ok(After::Prompt);
        }
        Some("pin") => Some(TurnChange::Pin),
        Some("unpin") => Some(TurnChange::Unpin),
        Some("drop") => Some(TurnChange::Drop),
        Some(_) => None,
    };
    let numbers: Option<Vec<usize>> = words
        .map(range)
        .collect::<Option<Vec<_>>>()
        .map(|ranges| ranges.concat());
    match (change, numbers) {
        (Some(change), Some(numbers)) if !numbers.is_empty() => session.change_turns(&numbers, change)?,
        _ => session.ui().show(Event::Error {
            message: format!("`/turns {}` was not understood", arguments.trim()),
            hint: Some(
                "`/turns` lists them; `/turns drop 2`, `/turns drop 2-4`, `/turns pin 3`, `/turns unpin 3`".to_owned(),
            ),
        }),
    }
    Ok(After::Prompt)
}

/// `3` or `2-4`.
fn range(word: &str) -> Option<Vec<usize>> {
    /// Nobody has more turns; a slip must not fill the memory.
    const MOST: usize = 100_000;
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last <= MOST).then(|| (first..=last).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_read() {
        assert_eq!(range("3"), Some(vec![3]));
        assert_eq!(range("2-4"), Some(vec![2, 3, 4]));
        for wrong in ["", "x", "4-2", "1-99999999999", "-3"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }
}
