//! `--review`: the user accepts, rejects or edits each hunk before anything is written. Rejected ones are told to the model.

use std::ops::Range;

use similar::TextDiff;

use super::Session;
use crate::apply::FileWrite;
use crate::apply::WriteKind;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// Changes that are closer than this many lines are one hunk.
const JOIN: usize = 3;

/// One change of a file: line ranges (from 0) in the text before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// What the user decided about one hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Accept,
    Reject,
    /// Other lines in place of the new ones.
    Replace(String),
}

impl Session {
    /// Asks about every hunk of the writes. Returns the writes as the user wants them and a text for the model about what
    /// was rejected (empty when nothing was).
    pub(super) fn review(&mut self, writes: &[FileWrite]) -> (Vec<FileWrite>, String) {
        let mut kept = Vec::new();
        let mut rejected = String::new();
        let mut rest = None;
        for write in writes {
            match (&write.before, &write.after, &write.kind) {
                (Some(before), Some(after), WriteKind::Modify) => {
                    let hunks = hunks(before, after);
                    let decisions: Vec<Decision> = hunks
                        .iter()
                        .map(|hunk| self.decide(&write.path, before, after, hunk, &mut rest))
                        .collect();
                    for (hunk, _) in hunks
                        .iter()
                        .zip(&decisions)
                        .filter(|(_, decision)| **decision == Decision::Reject)
                    {
                        rejected.push_str(&show(&write.path, before, after, hunk));
                    }
                    let text = compose(before, after, &hunks, &decisions);
                    if text != *before {
                        kept.push(FileWrite {
                            after: Some(text),
                            ..write.clone()
                        });
                    }
                }
                _ => {
                    let diff = super::diff::unified_text(&write.path, write.before.as_deref(), write.after.as_deref());
                    if self.decide_whole(&diff, &mut rest) {
                        kept.push(write.clone());
                    } else {
                        rejected.push_str(&diff);
                    }
                }
            }
        }
        if self.is_stopped {
            // What was accepted before does not go in alone.
            kept.clear();
        }
        if !rejected.is_empty() {
            rejected = format!("I did not take over this part of your last reply:\n\n{rejected}");
        }
        (kept, rejected)
    }

    fn decide(&mut self, path: &str, before: &str, after: &str, hunk: &Hunk, rest: &mut Option<bool>) -> Decision {
        if let Some(all) = rest {
            return if *all { Decision::Accept } else { Decision::Reject };
        }
        let choices = vec![
            ('e', "edit".to_owned()),
            ('a', "all the rest".to_owned()),
            ('d', "none of the rest".to_owned()),
        ];
        match self.put(&question(show(path, before, after, hunk), choices)) {
            Answer::Yes => Decision::Accept,
            Answer::Choice('a') => {
                *rest = Some(true);
                Decision::Accept
            }
            Answer::Choice('d') => {
                *rest = Some(false);
                Decision::Reject
            }
            Answer::Choice('e') => {
                let offered = lines_of(after, &hunk.new);
                match self.ui.edit(&offered) {
                    Some(text) => Decision::Replace(ended_like(text, &(offered + &lines_of(before, &hunk.old)))),
                    None => {
                        self.ui.show(Event::Note(
                            "The editor gave nothing back; the hunk is rejected.".to_owned(),
                        ));
                        Decision::Reject
                    }
                }
            }
            Answer::No | Answer::Choice(_) => Decision::Reject,
        }
    }

    fn decide_whole(&mut self, diff: &str, rest: &mut Option<bool>) -> bool {
        if let Some(all) = rest {
            return *all;
        }
        let choices = vec![('a', "all the rest".to_owned()), ('d', "none of the rest".to_owned())];
        match self.put(&question(diff.to_owned(), choices)) {
            Answer::Yes => true,
            Answer::Choice('a') => *rest.insert(true),
            Answer::Choice('d') => *rest.insert(false),
            Answer::No | Answer::Choice(_) => false,
        }
    }
}

fn question(detail: String, choices: Vec<(char, String)>) -> Question {
    Question {
        text: "Take this change over?".to_owned(),
        detail,
        default: Answer::Yes,
        yes_always_applies: true,
        choices,
    }
}

/// The changes from one text to the other, near ones joined, in order.
fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let diff = TextDiff::from_lines(before, after);
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in diff.ops().iter().filter(|op| op.tag() != similar::DiffTag::Equal) {
        match hunks.last_mut() {
            Some(last) if op.old_range().start - last.old.end < JOIN => {
                last.old.end = op.old_range().end;
                last.new.end = op.new_range().end;
            }
            _ => hunks.push(Hunk {
                old: op.old_range(),
                new: op.new_range(),
            }),
        }
    }
    hunks
}

/// The text before with the decisions carried out.
fn compose(before: &str, after: &str, hunks: &[Hunk], decisions: &[Decision]) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let mut text = String::new();
    let mut at = 0;
    for (hunk, decision) in hunks.iter().zip(decisions) {
        text.push_str(&old[at..hunk.old.start].concat());
        match decision {
            Decision::Accept => text.push_str(&new[hunk.new.clone()].concat()),
            Decision::Reject => text.push_str(&old[hunk.old.clone()].concat()),
            Decision::Replace(lines) => text.push_str(lines),
        }
        at = hunk.old.end;
    }
    text.push_str(&old[at..].concat());
    text
}

fn lines_of(text: &str, range: &Range<usize>) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines[range.clone()].concat()
}

/// Editors give a text back without its last line end; the next line of the file must not stick to it.
fn ended_like(mut text: String, model: &str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(if model.ends_with("\r\n") {
            "\r\n"
        } else if model.ends_with('\n') {
            "\n"
        } else {
            ""
        });
    }
    text
}

/// One hunk as a unified diff.
fn show(path: &str, before: &str, after: &str, hunk: &Hunk) -> String {
    let single = compose(before, after, std::slice::from_ref(hunk), &[Decision::Accept]);
    super::diff::unified_text(path, Some(before), Some(&single))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const AFTER: &str = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";

    #[test]
    fn each_hunk_is_decided_alone() {
        let hunks = hunks(BEFORE, AFTER);
        assert_eq!(hunks.len(), 2);
        let mixed = compose(BEFORE, AFTER, &hunks, &[Decision::Reject, Decision::Accept]);
        assert_eq!(mixed, "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
        let edited = compose(
            BEFORE,
            AFTER,
            &hunks,
            &[Decision::Replace("uno\n".to_owned()), Decision::Reject],
        );
        assert_eq!(edited, "uno\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }

    #[test]
    fn an_edited_hunk_keeps_its_last_line_end() {
        assert_eq!(ended_like("a\nb".to_owned(), "x\n"), "a\nb\n");
        assert_eq!(ended_like("a".to_owned(), "x\r\n"), "a\r\n");
        assert_eq!(ended_like("a\n".to_owned(), "x\n"), "a\n");
        assert_eq!(ended_like(String::new(), "x\n"), "");
        assert_eq!(ended_like("a".to_owned(), "the file's end"), "a");
    }

    #[test]
    fn all_or_none_give_one_side_back() {
        let hunks = hunks(BEFORE, AFTER);
        assert_eq!(
            compose(BEFORE, AFTER, &hunks, &[Decision::Accept, Decision::Accept]),
            AFTER
        );
        assert_eq!(
            compose(BEFORE, AFTER, &hunks, &[Decision::Reject, Decision::Reject]),
            BEFORE
        );
    }

    #[test]
    fn a_hunk_is_shown_alone() {
        let hunks = hunks(BEFORE, AFTER);
        let shown = show("a", BEFORE, AFTER, &hunks[1]);
        assert!(shown.contains("+nine") && !shown.contains("+one"), "{shown}");
    }
}
