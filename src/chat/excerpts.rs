//! Parts of files that stand in a chat: which lines they are, and where those lines are after the file changed.
//!
//! Lines count from 0 here, ends are not included. Which lines a definition has is found elsewhere (`session::excerpts`).

use std::ops::Range;

use crate::text::diff;
use crate::text::lines;

/// Parts that lie closer together than this many lines are shown as one.
const GAP: usize = 3;

/// Lines that are shown around a change outside the parts.
const AROUND: usize = 3;

/// One part that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The definition that is wanted; its lines are looked up anew as long as it can be found.
    pub name: Option<String>,
    /// In the order of the text. Several where a definition has several places; one where there is no name.
    pub lines: Vec<Range<usize>>,
}

impl Excerpt {
    pub fn lines(lines: Range<usize>) -> Self {
        Self {
            name: None,
            lines: vec![lines],
        }
    }

    /// As it is typed behind `FILE:`: the name, or `120-260`.
    pub fn word(&self) -> String {
        let first = self.lines.first().map_or(0, |run| run.start);
        let end = self.lines.last().map_or(first, |run| run.end);
        self.name.clone().unwrap_or_else(|| format!("{}-{end}", first + 1))
    }
}

/// The parts after the text changed: each keeps its lines, and what is new in the text becomes a part too, as nobody should
/// edit on blind.
pub fn carried(excerpts: &[Excerpt], before: &str, after: &str) -> Vec<Excerpt> {
    let old: Vec<&str> = lines::split(before).iter().map(|line| line.text).collect();
    let new: Vec<&str> = lines::split(after).iter().map(|line| line.text).collect();
    let kept = diff::matches(&old, &new);
    let mut carried: Vec<Excerpt> = excerpts
        .iter()
        .map(|excerpt| Excerpt {
            name: excerpt.name.clone(),
            lines: excerpt
                .lines
                .iter()
                .map(|lines| moved(lines, &kept, new.len()))
                .collect(),
        })
        .collect();
    let shown = union(
        carried
            .iter()
            .flat_map(|excerpt| excerpt.lines.iter().cloned())
            .collect(),
        0,
    );
    let is_shown = |run: &Range<usize>| shown.iter().any(|part| part.start <= run.start && run.end <= part.end);
    for run in added(&kept, new.len()) {
        if !is_shown(&run) {
            let lines = run.start.saturating_sub(AROUND)..(run.end + AROUND).min(new.len());
            carried.push(Excerpt::lines(lines));
        }
    }
    merged(carried)
}

/// Where lines are in the new text: from behind what stood before them to what stood after them.
fn moved(lines: &Range<usize>, kept: &[(usize, usize)], n_new: usize) -> Range<usize> {
    let first_inside = kept.partition_point(|(old, _)| *old < lines.start);
    let first_behind = kept.partition_point(|(old, _)| *old < lines.end);
    let start = match kept.get(first_inside) {
        Some((old, new)) if *old == lines.start => *new,
        _ => first_inside.checked_sub(1).map_or(0, |idx| kept[idx].1 + 1),
    };
    let end = kept.get(first_behind).map_or(n_new, |(_, new)| *new);
    match start < end {
        true => start..end,
        // What stood around it is what there is to see of it.
        false => start.saturating_sub(AROUND)..(start + AROUND).min(n_new),
    }
}

/// Runs of lines that are new.
fn added(kept: &[(usize, usize)], n_new: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut at = 0;
    for next in kept.iter().map(|(_, new)| *new).chain([n_new]) {
        if at < next {
            runs.push(at..next);
        }
        at = next + 1;
    }
    runs
}

/// Parts without a name that touch become one; those that have no line left go.
fn merged(excerpts: Vec<Excerpt>) -> Vec<Excerpt> {
    let (mut named, unnamed): (Vec<_>, Vec<_>) = excerpts.into_iter().partition(|excerpt| excerpt.name.is_some());
    let lines = unnamed.into_iter().flat_map(|excerpt| excerpt.lines).collect();
    named.extend(union(lines, GAP).into_iter().map(Excerpt::lines));
    named
}

/// Sorted runs of lines without overlaps, and without gaps of fewer than `gap` lines.
pub fn union(mut runs: Vec<Range<usize>>, gap: usize) -> Vec<Range<usize>> {
    runs.retain(|run| run.start < run.end);
    runs.sort_by_key(|run| (run.start, run.end));
    let mut all: Vec<Range<usize>> = Vec::with_capacity(runs.len());
    for run in runs {
        match all.last_mut() {
            Some(last) if run.start < last.end + gap.max(1) => last.end = last.end.max(run.end),
            _ => all.push(run),
        }
    }
    all
}

/// The runs of lines to show, those that nearly touch as one.
pub fn to_show(runs: Vec<Range<usize>>, n_lines: usize) -> Vec<Range<usize>> {
    let within = runs.into_iter().map(|run| run.start..run.end.min(n_lines)).collect();
    union(within, GAP)
}

/// `lines 1 to 14 and 119 to 262`, from 1.
pub fn in_words(runs: &[Range<usize>]) -> String {
    let one = |run: &Range<usize>| match run.len() {
        1 => format!("{}", run.start + 1),
        _ => format!("{} to {}", run.start + 1, run.end),
    };
    let words: Vec<String> = runs.iter().map(one).collect();
    match words.as_slice() {
        [] => "no lines".to_owned(),
        [only] if runs[0].len() == 1 => format!("line {only}"),
        [only] => format!("lines {only}"),
        [first @ .., last] => format!("lines {} and {last}", first.join(", ")),
    }
}

/// The text of a run of lines, with their endings.
pub fn text_of(text: &str, run: &Range<usize>) -> String {
    let lines = lines::split(text).into_iter().skip(run.start).take(run.len());
    lines
        .flat_map(|line| [line.text, line.ending.map_or("", |ending| ending.as_str())])
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(lines: impl IntoIterator<Item = usize>) -> String {
        lines.into_iter().map(|n| format!("line {n}\n")).collect()
    }

    #[test]
    fn lines_keep_their_text_when_others_come_and_go_above() {
        let before = text(0..40);
        let after = text((2..10).chain(100..105).chain(10..40));
        let carried = carried(&[Excerpt::lines(20..25)], &before, &after);
        let shown: Vec<String> = carried.iter().map(|part| text_of(&after, &part.lines[0])).collect();
        assert!(shown.contains(&text(20..25)), "{shown:?}");
        let new = text((7..10).chain(100..105).chain(10..13));
        assert!(
            shown.contains(&new),
            "what is new is shown with its neighbours: {shown:?}"
        );
    }

    #[test]
    fn what_is_written_inside_a_part_or_at_its_end_belongs_to_it() {
        let before = text(0..20);
        let after = text((0..7).chain([100]).chain(7..10).chain([101, 102]).chain(10..20));
        assert_eq!(
            carried(&[Excerpt::lines(5..10)], &before, &after),
            [Excerpt::lines(5..13)]
        );
    }

    #[test]
    fn of_a_part_whose_lines_are_gone_its_neighbourhood_is_left() {
        let before = text(0..20);
        let after = text((0..5).chain(10..20));
        assert_eq!(
            carried(&[Excerpt::lines(5..10)], &before, &after),
            [Excerpt::lines(2..8)]
        );
    }

    #[test]
    fn a_named_part_stays_to_be_looked_up_again() {
        let named = Excerpt {
            name: Some("f".to_owned()),
            ..Excerpt::lines(5..10)
        };
        let after = text((0..5).chain(10..20));
        assert_eq!(carried(&[named], &text(0..20), &after)[0].name.as_deref(), Some("f"));
    }

    #[test]
    fn runs_are_told_in_words() {
        assert_eq!(in_words(&Excerpt::lines(0..1).lines), "line 1");
        assert_eq!(in_words(&[0..14, 118..262]), "lines 1 to 14 and 119 to 262");
        assert_eq!(in_words(&[0..2, 4..5, 9..11]), "lines 1 to 2, 5 and 10 to 11");
    }

    proptest! {
        #[test]
        fn a_line_that_was_shown_and_still_stands_once_is_shown(
            keep in prop::collection::vec(any::<bool>(), 1..60),
            insert in prop::collection::vec((0_usize..60, 1_usize..5), 0..4),
            start in 0_usize..60,
            len in 1_usize..20,
        ) {
            let n = keep.len();
            let start = start % n;
            let end = (start + len).min(n);
            let mut numbers: Vec<usize> = (0..n).filter(|at| keep[*at]).collect();
            for (nth, (at, count)) in insert.iter().enumerate() {
                let at = at % (numbers.len() + 1);
                let fresh = (0..*count).map(|k| 1_000 + nth * 10 + k);
                numbers.splice(at..at, fresh);
            }
            let after = text(numbers.iter().copied());
            let carried = carried(&[Excerpt::lines(start..end)], &text(0..n), &after);
            let shown: Vec<Range<usize>> = carried.into_iter().flat_map(|part| part.lines).collect();
            for (at, number) in numbers.iter().enumerate() {
                let is_new = *number >= 1_000;
                if is_new || (start..end).contains(number) {
                    prop_assert!(shown.iter().any(|run| run.contains(&at)), "line {at} ({number}) of {shown:?}");
                }
            }
        }
    }
}
