//! Decides which of the things found in a reply count as edits.
//!
//! What has markers of its own always counts. A fenced text is believed to be a whole file the more, the more plainly
//! it is named, the more the model was asked for whole files, and the less else the reply edits: a sample, an install
//! command or a shown excerpt must never replace a file.

use std::collections::HashSet;

use super::Basis;
use super::Op;
use super::Parsed;
use super::ProblemKind;
use super::ShellSuggestion;
use super::Target;
use super::found::Asked;
use super::found::Item;
use super::found::Strength;
use super::found::Unreadable;
use super::names::Project;

pub(super) fn settle(
    items: Vec<Item>,
    suggestions: Vec<ShellSuggestion>,
    asked: Asked,
    project: &Project<'_>,
) -> Parsed {
    let mut parsed = Parsed {
        suggestions,
        ..Parsed::default()
    };
    let counts = counting(&items, asked, project);
    let n_nameless = items.iter().filter(|item| is_nameless(item)).count();
    let is_mixed = asked == Asked::Any && items.iter().any(|item| item.strength == Strength::Marked);
    let mut block = 0;
    for (mut item, counts) in items.into_iter().zip(counts) {
        if !counts {
            continue;
        }
        if is_mixed && let Ok(Op::Write { basis, .. }) = &mut item.op {
            *basis = Basis::Guess;
        }
        block += 1;
        match named_or_refused(item, n_nameless).into_result(block) {
            Ok(edit) => parsed.edits.push(edit),
            Err(problem) => parsed.problems.push(problem),
        }
    }
    parsed
}

/// Whether each item counts.
fn counting(items: &[Item], asked: Asked, project: &Project<'_>) -> Vec<bool> {
    let has_marked = items.iter().any(|item| item.strength == Strength::Marked);
    let marked_paths: HashSet<&str> = items
        .iter()
        .filter(|item| item.strength == Strength::Marked)
        .filter_map(Item::path)
        .collect();
    let has_named = items.iter().any(|item| item.strength == Strength::Named);
    let has_any_name = items.iter().any(|item| item.path().is_some());
    let is_new = |item: &Item| {
        item.path()
            .is_some_and(|path| project.lists_files() && !project.knows_end_of(path))
    };
    let counts = |item: &Item| match item.strength {
        Strength::Marked => true,
        Strength::BareDiff => matches!(asked, Asked::Udiff | Asked::Any) || !has_marked,
        Strength::Named => match asked {
            Asked::Whole => true,
            _ if item.path().is_some_and(|path| marked_paths.contains(path)) => false,
            Asked::Any => true,
            _ => !has_marked || is_new(item),
        },
        Strength::Mentioned => match asked {
            Asked::Whole => true,
            Asked::Any => !has_marked && !has_named,
            _ => !has_marked && is_new(item),
        },
        Strength::Nameless { may_be_file } => {
            may_be_file && asked == Asked::Whole && !has_marked && (item.path().is_some() || !has_any_name)
        }
    };
    items.iter().map(counts).collect()
}

fn is_nameless(item: &Item) -> bool {
    matches!(item.strength, Strength::Nameless { .. })
}

/// Only a change of some lines can find its file by itself; everything else must name one. Of several texts without a
/// name none is more likely than the others to be the file that was guessed.
fn named_or_refused(mut item: Item, n_nameless: usize) -> Item {
    let is_guess_among_many = is_nameless(&item) && n_nameless > 1;
    let has_name = item.path().is_some() && !is_guess_among_many;
    if has_name || item.op.is_err() {
        return item;
    }
    if !matches!(item.target, Target::Unnamed { .. }) {
        item.target = Target::Unnamed {
            previous: None,
            prose_between: true,
        };
    }
    if !matches!(item.op, Ok(Op::Modify { .. })) {
        let message = if is_nameless(&item) {
            "no file name stands above this fenced text, so it is unclear whether it is a file"
        } else {
            "it is not said which file this is for"
        };
        item.op = Err(Unreadable::new(ProblemKind::Name, message));
    }
    item
}
