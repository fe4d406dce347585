//! What a model says of its own before it goes on with a reply that was cut: an introduction (`Sure, continuing:`), the line
//! that opens the fence which is open already, or both. Neither may get into the file that is being written.
//!
//! Words are taken for the model's own only when they cannot well be the file's: see [`Lead`]. Where that is open, the
//! continuation is asked for once more, and what it brings is left out.

/// How a continuation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// More has to come before it can be told.
    Open,
    /// So many bytes are the model's own.
    Own(usize),
    /// It may be talk, and it may be content.
    Doubtful,
    /// It goes on at once.
    None,
}

/// Where the reply was cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The line that opened the fence which is open at the end.
    fence: Option<String>,
    /// A block of an edit is open: its markers, or its patch.
    in_block: bool,
}

impl Place {
    /// The place at the end of `text`.
    pub(super) fn at_end_of(text: &str) -> Self {
        let mut place = Self::default();
        for line in text.lines() {
            let line = line.trim_end();
            match line.strip_prefix("```") {
                Some(rest) => match &place.fence {
                    None => place.fence = Some(line.to_owned()),
                    Some(open) if rest.trim_matches('`').is_empty() && line.len() >= ticks(open) => place.fence = None,
                    Some(_) => {}
                },
                None if line.starts_with("<<<<<<<") || line == "*** Begin Patch" => place.in_block = true,
                None if line.starts_with(">>>>>>>") || line == "*** End Patch" => place.in_block = false,
                None => {}
            }
        }
        place
    }

    /// What `next` says before it goes on. `ended`: nothing more will come.
    pub(super) fn lead_of(&self, next: &str, ended: bool) -> Lead {
        let fence = self.reopened();
        if self.fence.is_none() && !self.in_block {
            return Lead::None;
        }
        let Some(first) = FilledLine::after(next, 0) else {
            return if ended { Lead::None } else { Lead::Open };
        };
        let may_open_fence = |line: &FilledLine| fence.is_some_and(|fence| fence.starts_with(line.text));
        if first.is_whole && fence == Some(first.text) {
            return Lead::Own(first.end);
        }
        if !first.is_whole && !ended {
            let may_be_talk = first.text.len() <= LONGEST_TALK && first.text.starts_with(is_talk_start);
            return match may_be_talk || may_open_fence(&first) {
                true => Lead::Open,
                false => Lead::None,
            };
        }
        if !is_sentence(first.text) {
            return Lead::None;
        }
        let second = FilledLine::after(next, first.end);
        match &second {
            None if !ended => return Lead::Open,
            Some(line) if line.is_whole && fence == Some(line.text) => return Lead::Own(line.end),
            Some(line) if !line.is_whole && !ended && may_open_fence(line) => return Lead::Open,
            _ => {}
        }
        // A blank line between the introduction and what follows belongs to it.
        let gap = next[first.end..].starts_with('\n') || next[first.end..].starts_with("\r\n");
        let stands_apart = gap || second.is_none();
        match self.kind_of(first.text, stands_apart) {
            Talk::Certain if gap => Lead::Own(first.end + next[first.end..].find('\n').map_or(0, |at| at + 1)),
            Talk::Certain => Lead::Own(first.end),
            Talk::Possible => Lead::Doubtful,
            Talk::No => Lead::None,
        }
    }

    /// The fence that is known again when it is opened once more: one without a language may just as well be closed.
    fn reopened(&self) -> Option<&str> {
        self.fence.as_deref().filter(|line| line.len() > "```".len())
    }

    /// Whether the file may be one of sentences.
    fn is_prose(&self) -> bool {
        const PROSE: &[&str] = &[
            "",
            "md",
            "markdown",
            "mdx",
            "text",
            "txt",
            "plain",
            "plaintext",
            "rst",
            "adoc",
            "asciidoc",
            "org",
            "tex",
            "latex",
            "html",
        ];
        let language = self
            .fence
            .as_deref()
            .map_or("", |line| line.trim_start_matches('`').trim());
        PROSE.contains(&language.to_lowercase().as_str())
    }

    fn kind_of(&self, line: &str, stands_apart: bool) -> Talk {
        // `(continued)` and `[continued]` are code in some languages.
        let is_wrapped = line.starts_with(['(', '[']);
        let line = line.trim_matches(['*', '_', '(', ')', '[', ']', ' ']);
        let lower = line.replace('’', "'").to_lowercase();
        let begins = |words: &[&str]| {
            words.iter().any(|word| {
                let rest = lower.strip_prefix(word);
                let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', ',', '!', ':', '…']);
                rest.is_some_and(|rest| ends(rest) || ends(rest.trim_start_matches('.')))
            })
        };
        let is_polite = begins(POLITE);
        let has_own_voice = is_polite || begins(OWN_VOICE);
        let goes_on = GOING_ON.iter().any(|words| lower.contains(words));
        let stands_apart = stands_apart || lower.ends_with([':', '…']) || lower.ends_with("...");
        let n_words = lower.split_whitespace().count();
        if self.is_prose() {
            return match has_own_voice && goes_on && stands_apart {
                true if is_polite => Talk::Certain,
                true => Talk::Possible,
                false => Talk::No,
            };
        }
        // `ok:` alone may be a key or a label.
        let is_mere_politeness = is_polite && n_words <= 4 && lower.contains([' ', '!', '.']);
        if !is_wrapped && (has_own_voice && goes_on || is_mere_politeness) {
            Talk::Certain
        } else if has_own_voice && stands_apart && (n_words > 1 || goes_on) {
            Talk::Possible
        } else {
            Talk::No
        }
    }
}

/// How many backticks a fence has.
fn ticks(fence: &str) -> usize {
    fence.len() - fence.trim_start_matches('`').len()
}

/// Whether a line is the model's own.
#[derive(Debug, PartialEq, Eq)]
enum Talk {
    Certain,
    Possible,
    No,
}

/// A longer line is no introduction, in bytes.
const LONGEST_TALK: usize = 200;

/// A model that does as it is told begins so.
const POLITE: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "absolutely",
    "okay",
    "ok",
    "alright",
    "understood",
    "got it",
    "sorry",
    "apologies",
    "my apologies",
    "i apologize",
    "i apologise",
    "no problem",
    "yes",
];

/// Whoever speaks so speaks of the reply.
const OWN_VOICE: &[&str] = &[
    "continuing",
    "continued",
    "resuming",
    "picking up",
    "here is",
    "here's",
    "here are",
    "here it is",
    "below is",
    "let me",
    "i'll",
    "i will",
    "i am",
    "i'm",
    "now",
];

/// What is said of the rest of a reply.
const GOING_ON: &[&str] = &[
    "continu",
    "resum",
    "left off",
    "cut off",
    "picking up",
    "the rest",
    "remaining",
    "remainder",
    "go on",
    "going on",
    "where it ended",
    "where it stopped",
    "finish the",
    "complete the",
];

fn is_talk_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '*' | '_' | '(' | '[')
}

/// Words of a person, as far as their shape goes; an indented line is content.
fn is_sentence(line: &str) -> bool {
    let calls = |(at, _): (usize, &str)| line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    line.len() <= LONGEST_TALK
        && !line.match_indices('(').any(calls)
        && line.starts_with(is_talk_start)
        && line.ends_with([':', '.', '!', '…', ')', ']', '*', '_'])
        && !line.contains(['{', '}', ';', '=', '<', '>', '"', '\\', '|', '#'])
}

/// A line that holds more than blanks.
struct FilledLine<'a> {
    /// Without the blanks at its end.
    text: &'a str,
    /// Where the next line begins.
    end: usize,
    /// Its end has come.
    is_whole: bool,
}

impl<'a> FilledLine<'a> {
    /// The first one from `start` on.
    fn after(text: &'a str, start: usize) -> Option<Self> {
        let mut from = start;
        for line in text[start..].split_inclusive('\n') {
            let end = from + line.len();
            if !line.trim().is_empty() {
                return Some(Self {
                    text: line.trim_end(),
                    end,
                    is_whole: line.ends_with('\n'),
                });
            }
            from = end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\ndef f():\n";
    const PROSE: &str = "README.md\n```markdown\n# Guide\n\n";

    fn lead(so_far: &str, next: &str) -> Lead {
        Place::at_end_of(so_far).lead_of(next, true)
    }

    #[test]
    fn what_a_model_says_before_it_goes_on_is_its_own() {
        for line in [
            "Sure, continuing:",
            "Sure, here's the rest.",
            "Certainly! Continuing from where I left off:",
            "Here is the rest of the file:",
            "Here’s the remainder of the code:",
            "Continuing...",
            "Continuing from the last line:",
            "**Continuing:**",
            "I'll pick up where it ended.",
            "Let me continue.",
            "Of course!",
            "Apologies for that. Picking up where I was cut off:",
        ] {
            let next = format!("{line}\n\n    return 1\n");
            assert_eq!(lead(CODE, &next), Lead::Own(line.len() + 2), "{line}");
            let next = format!("{line}\n    return 1\n");
            assert_eq!(
                lead(CODE, &next),
                Lead::Own(line.len() + 1),
                "{line}, without a blank line"
            );
        }
    }

    #[test]
    fn what_may_be_talk_is_asked_for_again() {
        for line in [
            "(continued)",
            "Here is the code:",
            "Here is the updated function.",
            "Now the function f:",
            "Let me see.",
        ] {
            assert_eq!(
                lead(CODE, &format!("{line}\n\n    return 1\n")),
                Lead::Doubtful,
                "{line}"
            );
        }
        for line in [
            "Here is the rest of the file:",
            "Continuing:",
            "I will continue with the second part:",
        ] {
            assert_eq!(lead(PROSE, &format!("{line}\n\nText.\n")), Lead::Doubtful, "{line}");
        }
        assert!(matches!(
            lead(PROSE, "Sure, here is the rest:\n\nText.\n"),
            Lead::Own(_)
        ));
    }

    #[test]
    fn content_is_no_talk() {
        for next in [
            "class Remaining:\n    pass\n",
            "class ContinuedFraction:\n\n    pass\n",
            "    Sure, continuing:\n\n",
            "ok:\n\n  - a\n",
            "Returns the rest of the list.\n\n    Args:\n",
            "resume(continuing)\n\n",
            "now = time.now()\n\n",
            "now.resume()\n\n",
            "now.resume.\n\n",
            "continue\n",
            "sure\n",
            "# Continuing from the last line:\n\n",
            "Continuing = 1\n\n",
            "",
        ] {
            assert_eq!(lead(CODE, next), Lead::None, "{next}");
        }
        for next in [
            "Here is an example:\n\n",
            "Yes.\n\n",
            "Now start the server:\n\n",
            "The rest follows:\n\n",
        ] {
            assert_eq!(lead(PROSE, next), Lead::None, "{next}");
        }
        assert_eq!(
            lead("I will change two files.\n", "Sure, continuing:\n\n"),
            Lead::None,
            "in no file"
        );
        assert_eq!(
            lead("```python\nx\n```\n", "Sure, continuing:\n\n"),
            Lead::None,
            "the fence is closed"
        );
    }

    #[test]
    fn an_inner_fence_does_not_close_an_outer_one() {
        let place = Place::at_end_of("````markdown\n```sh\nls\n```\n");
        assert_eq!(place.fence.as_deref(), Some("````markdown"));
    }
}
