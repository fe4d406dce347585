//! What a reply without edits is: a request for files, a question back, or what was asked for. Nothing marks it, so its
//! shape has to tell.

/// A longer text than this, in words, does not merely ask for something.
const SHORT: usize = 120;

/// Whether a reply that names files does so to be given them: it is short and holds neither code nor a plan.
pub fn asks_for_files(text: &str) -> bool {
    let asking = ["need", "see", "show", "give", "add", "provide", "full", "content"];
    let lower = text.to_lowercase();
    is_short(text) && text.contains('`') && asking.iter().any(|word| lower.contains(word)) && !is_plan(text)
}

/// Whether the reply ends in a question to the user instead of a plan.
pub fn asks_back(text: &str) -> bool {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let ends_in_question =
        last.is_some_and(|line| line.trim_end_matches(['*', '_', ')', ' ', '"']).ends_with(['?', '？']));
    ends_in_question && is_short(text) && !is_plan(text)
}

fn is_short(text: &str) -> bool {
    text.split_whitespace().count() <= SHORT && !text.contains("```")
}

/// The architect is asked to put this heading over a plan.
fn is_plan(text: &str) -> bool {
    text.lines().any(|line| {
        let words = line.trim().trim_start_matches('#').trim_matches(['*', ' ', ':']);
        words.eq_ignore_ascii_case("plan")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "# Plan\n\nIn `greet.py`, `greet` puts a comma behind `Hello`.";

    #[test]
    fn a_short_text_about_files_asks_for_them() {
        assert!(asks_for_files("To plan this I need to see `src/store.rs` in full."));
        assert!(asks_for_files("Please add `a.py` and `b.py` to the chat."));
        assert!(!asks_for_files(PLAN));
        assert!(!asks_for_files("In `greet.py`, `greet` puts a comma behind `Hello`."));
        assert!(!asks_for_files(&format!("See `a.py`. {}", "word ".repeat(200))));
        assert!(!asks_for_files("See `a.py`:\n```\ncode\n```"));
    }

    #[test]
    fn a_question_at_the_end_is_one_unless_there_is_a_plan() {
        assert!(asks_back(
            "Two readings are possible.\n\nShall empty names be refused or become `world`?"
        ));
        assert!(asks_back("**Which one do you want?**\n"));
        assert!(!asks_back(&format!("{PLAN}\n\nShall I go on?")));
        assert!(!asks_back("In `a.py`, return early when the name is empty."));
        assert!(!asks_back(""));
    }

    #[test]
    fn a_plan_is_known_by_its_heading() {
        for text in [
            "# Plan",
            "**Plan**\n1. ...",
            "Plan:\n- x",
            "Reasons first.\n\n## Plan\n...",
        ] {
            assert!(is_plan(text), "{text}");
        }
        assert!(!is_plan("The plan is simple."));
    }
}
