//! The turns of a chat, and making the old ones shorter.
//!
//! Old turns are replaced by a summary that the weak model writes, at a turn boundary and in the background:
//! [`History::plan_compaction`] says which, [`summary_request`] what to ask, [`check_summary`] whether the answer will do,
//! [`History::compact`] puts it in place. What still does not fit a request, [`History::within`] leaves out of it. The newest
//! turns and the pinned ones always stay as they were.

use serde::Deserialize;
use serde::Serialize;

use super::message::Message;
use super::message::Role;
use super::prompt::message_tokens;

type Count<'a> = &'a dyn Fn(&str) -> usize;

/// One message of the user with all that followed until it was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub messages: Vec<Message>,
    /// Its number in the journal of file changes, where it has one: what an undo finds it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Never summarised, never dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// It ended without what it failed at being put right; its repair rounds are still worth knowing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Stands for older turns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
}

impl Turn {
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Leaves out the repair rounds: keeps the user's message, and of each later pair (failure handed back, reply) only the reply
    /// to the last one. For turns that ended well: how a mended failure came about helps nobody.
    pub fn settled(&self) -> Turn {
        let first_reply = self.messages.iter().position(|message| message.role == Role::Assistant);
        let last_reply = self
            .messages
            .iter()
            .rposition(|message| message.role == Role::Assistant);
        let (Some(first), Some(last)) = (first_reply, last_reply) else {
            return self.clone();
        };
        if first == last {
            return self.clone();
        }
        let mut messages: Vec<Message> = self.messages[..=first].to_vec();
        if let Some(reply) = messages.last_mut() {
            // The replies belong together: the later one repairs what the first left open.
            reply.parts.extend(self.messages[last].parts.iter().cloned());
        }
        messages.extend_from_slice(&self.messages[last + 1..]);
        Turn {
            messages,
            open: false,
            ..self.clone()
        }
    }

    /// What the user asked, in one line.
    pub fn title(&self) -> String {
        let text = self.messages.first().map(Message::text).unwrap_or_default();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        // A summary begins with what it is.
        let mut lines = lines.skip(usize::from(self.summary));
        lines.next().unwrap_or_default().to_owned()
    }

    pub fn tokens(&self, count: Count<'_>) -> usize {
        self.messages.iter().map(|message| message_tokens(message, count)).sum()
    }
}

/// Turns that are done, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    pub turns: Vec<Turn>,
}

/// Turns to be summarised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// Indices of the turns, rising; none of them pinned.
    pub turns: Vec<usize>,
    /// The same turns as they were, so that a history that changed meanwhile is noticed.
    pub old: Vec<Turn>,
    pub tokens: usize,
}

impl History {
    pub fn push(&mut self, turn: Turn) {
        if !turn.messages.is_empty() {
            self.turns.push(turn);
        }
    }

    /// Leaves the repair rounds out of the turns that ended open: a later turn put right what they failed at.
    pub fn settle(&mut self) {
        for turn in self.turns.iter_mut().filter(|turn| turn.open) {
            *turn = turn.settled();
        }
    }

    /// Takes the turn of that number out; None when it is not there (any more).
    pub fn take(&mut self, id: u64) -> Option<Turn> {
        let idx = self.turns.iter().rposition(|turn| turn.id == Some(id))?;
        Some(self.turns.remove(idx))
    }

    /// All messages, oldest first.
    pub fn messages(&self) -> Vec<Message> {
        self.turns
            .iter()
            .flat_map(|turn| turn.messages.iter().cloned())
            .collect()
    }

    pub fn tokens(&self, count: Count<'_>) -> usize {
        self.turns.iter().map(|turn| turn.tokens(count)).sum()
    }

    /// Which turns to summarise when the history has more than `ceiling` tokens: all but pinned ones and the newest that
    /// fit half of it (at least one turn stays). None when it is short enough or nothing can be gained.
    pub fn plan_compaction(&self, ceiling: usize, count: Count<'_>) -> Option<Compaction> {
        let sizes: Vec<usize> = self.turns.iter().map(|turn| turn.tokens(count)).collect();
        if sizes.iter().sum::<usize>() <= ceiling {
            return None;
        }
        let mut kept = 0;
        let mut first_kept = self.turns.len();
        while first_kept > 0 {
            let size = sizes[first_kept - 1];
            let newest = first_kept == self.turns.len();
            if !newest && kept + size > ceiling / 2 {
                break;
            }
            kept += size;
            first_kept -= 1;
        }
        self.compaction_of(first_kept, &sizes)
    }

    /// All turns but the newest `keep` and the pinned ones, however long: what `/compact` does.
    pub fn plan_compaction_of_all(&self, keep: usize, count: Count<'_>) -> Option<Compaction> {
        let sizes: Vec<usize> = self.turns.iter().map(|turn| turn.tokens(count)).collect();
        self.compaction_of(self.turns.len().saturating_sub(keep), &sizes)
    }

    fn compaction_of(&self, end: usize, sizes: &[usize]) -> Option<Compaction> {
        let turns: Vec<usize> = (0..end).filter(|&idx| !self.turns[idx].pinned).collect();
        let only_a_summary = turns.len() == 1 && self.turns[turns[0]].summary;
        if turns.is_empty() || only_a_summary {
            return None;
        }
        Some(Compaction {
            old: turns.iter().map(|&idx| self.turns[idx].clone()).collect(),
            tokens: turns.iter().map(|&idx| sizes[idx]).sum(),
            turns,
        })
    }

    /// Puts `summary` in place of the turns. False (and nothing is changed) when the history is no longer the one that
    /// the compaction was planned for.
    pub fn compact(&mut self, compaction: &Compaction, summary: &str) -> bool {
        let same = compaction
            .turns
            .iter()
            .zip(&compaction.old)
            .all(|(&idx, old)| self.turns.get(idx) == Some(old));
        let Some(&first) = compaction.turns.first() else {
            return false;
        };
        if !same {
            return false;
        }
        let text = format!("Summary of our conversation so far:\n\n{}", summary.trim());
        let turn = Turn {
            messages: vec![Message::user(text)],
            summary: true,
            ..Turn::default()
        };
        for &idx in compaction.turns.iter().rev() {
            self.turns.remove(idx);
        }
        self.turns.insert(first, turn);
        true
    }

    /// The messages without the oldest turns that are not pinned, so that at most `ceiling` tokens are left; the newest turn
    /// is always there.
    pub fn within(&self, ceiling: usize, count: Count<'_>) -> Within {
        let mut left_out = vec![false; self.turns.len()];
        if ceiling < usize::MAX {
            let sizes: Vec<usize> = self.turns.iter().map(|turn| turn.tokens(count)).collect();
            let mut tokens: usize = sizes.iter().sum();
            for idx in 0..self.turns.len().saturating_sub(1) {
                if tokens <= ceiling {
                    break;
                }
                if !self.turns[idx].pinned {
                    tokens -= sizes[idx];
                    left_out[idx] = true;
                }
            }
        }
        let kept = self.turns.iter().zip(&left_out).filter(|(_, left_out)| !**left_out);
        Within {
            messages: kept.flat_map(|(turn, _)| turn.messages.iter().cloned()).collect(),
            left_out: left_out.iter().filter(|left_out| **left_out).count(),
        }
    }
}

/// What of a history goes into a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Within {
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Turns that are not in it.
    pub left_out: usize,
}

/// Instructions of [`summary_request`].
const SUMMARISE: &str = include_str!("prompts/summarise.md");

/// A single message longer than this share of the chunk is cut in its middle.
const LONGEST_MESSAGE_SHARE: usize = 2;

/// The texts to summarise one after another, none of more than `window` tokens: mostly one. Messages stay whole where they
/// can; a longer one keeps its beginning and end.
pub fn chunks(compaction: &Compaction, window: usize, count: Count<'_>) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut current = String::new();
    let mut size = 0;
    for message in compaction.old.iter().flat_map(|turn| &turn.messages) {
        let who = match message.role {
            Role::User => "USER",
            Role::Assistant => "ASSISTANT",
            Role::System => continue,
        };
        let text = shorten(&message.text(), window / LONGEST_MESSAGE_SHARE, count);
        let entry = format!("# {who}\n\n{}\n\n", text.trim());
        let tokens = count(&entry);
        if size + tokens > window && !current.is_empty() {
            chunks.push(std::mem::take(&mut current));
            size = 0;
        }
        current.push_str(&entry);
        size += tokens;
    }
    if !current.is_empty() {
        chunks.push(current);
    }
    chunks
}

/// Cuts the middle out of a text of more than `limit` tokens.
fn shorten(text: &str, limit: usize, count: Count<'_>) -> String {
    let tokens = count(text);
    if tokens <= limit {
        return text.to_owned();
    }
    const CUT: &str = "\n[... cut ...]\n";
    let mut side = text.len() * limit / tokens / 2;
    loop {
        let mut head = side.min(text.len());
        while !text.is_char_boundary(head) {
            head -= 1;
        }
        let mut tail = text.len() - side.min(text.len());
        while !text.is_char_boundary(tail) {
            tail += 1;
        }
        let short = format!("{}{CUT}{}", &text[..head], &text[tail..]);
        if side == 0 || count(&short) <= limit {
            return short;
        }
        side = side * 9 / 10;
    }
}

/// What to ask for one chunk. `so_far` is the summary of the chunks before it (or empty), `keep` what the user wants kept.
pub fn summary_request(chunk: &str, so_far: &str, keep: &str) -> Vec<Message> {
    let mut request = String::new();
    if !so_far.trim().is_empty() {
        request.push_str("Summary of what came before; carry its content over into yours:\n\n");
        request.push_str(so_far.trim());
        request.push_str("\n\n");
    }
    request.push_str("The conversation:\n\n");
    request.push_str(chunk.trim());
    if !keep.trim().is_empty() {
        request.push_str("\n\nKeep above all: ");
        request.push_str(keep.trim());
    }
    request.push_str("\n\nWrite the summary now.");
    vec![Message::system(SUMMARISE.trim()), Message::user(request)]
}

/// Why a summary is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSummary {
    #[error("the summary is empty")]
    Empty,
    #[error("the summary has {tokens} tokens, the conversation {before}")]
    NotShorter { tokens: usize, before: usize },
    #[error("the model refused: {line}")]
    Refused { line: String },
}

/// Says no to a summary that is empty, not much shorter than the `before` tokens it stands for, or a refusal.
pub fn check_summary(summary: &str, before: usize, count: Count<'_>) -> Result<String, BadSummary> {
    let summary = summary.trim();
    if summary.is_empty() {
        return Err(BadSummary::Empty);
    }
    if let Some(line) = refusal(summary) {
        return Err(BadSummary::Refused { line });
    }
    let tokens = count(summary);
    if tokens * 4 > before * 3 {
        return Err(BadSummary::NotShorter { tokens, before });
    }
    Ok(summary.to_owned())
}

/// The first line of a short text that says that the model will not or cannot do it.
fn refusal(summary: &str) -> Option<String> {
    const LONGEST_REFUSAL: usize = 400;
    const BEGINNINGS: &[&str] = &[
        "i'm sorry",
        "i am sorry",
        "sorry,",
        "i cannot",
        "i can't",
        "i can not",
        "i'm unable",
        "i am unable",
        "as an ai",
        "there is no conversation",
        "please provide",
    ];
    let lower = summary.replace('’', "'").to_lowercase();
    let refuses = summary.len() <= LONGEST_REFUSAL && BEGINNINGS.iter().any(|begin| lower.starts_with(begin));
    refuses.then(|| summary.lines().next().unwrap_or("").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn turn(n: usize, size: usize) -> Turn {
        Turn::new(vec![
            Message::user(format!("request {n}")),
            Message::assistant(vec!["word"; size].join(" ")),
        ])
    }

    fn history(n: usize, size: usize) -> History {
        History {
            turns: (0..n).map(|n| turn(n, size)).collect(),
        }
    }

    #[test]
    fn a_short_history_stays() {
        assert_eq!(history(3, 10).plan_compaction(1_000, &words), None);
        assert_eq!(History::default().plan_compaction(0, &words), None);
    }

    #[test]
    fn old_turns_go_and_the_newest_stay_verbatim() {
        let mut history = history(10, 100);
        let newest = history.turns[7..].to_vec();
        let compaction = history.plan_compaction(700, &words).unwrap();
        assert_eq!(compaction.turns, (0..7).collect::<Vec<_>>());
        assert!(history.compact(&compaction, "We did seven things."));
        assert_eq!(history.turns.len(), 4);
        assert!(history.turns[0].summary);
        assert_eq!(history.turns[0].messages[0].role, Role::User);
        assert_eq!(history.turns[1..], newest);
        assert!(history.tokens(&words) <= 700);
    }

    #[test]
    fn pinned_turns_stay_in_their_place() {
        let mut history = history(10, 100);
        history.turns[2].pinned = true;
        let pinned = history.turns[2].clone();
        let compaction = history.plan_compaction(700, &words).unwrap();
        assert!(!compaction.turns.contains(&2));
        assert!(history.compact(&compaction, "s"));
        assert_eq!(history.turns[1], pinned);
        let within = history.within(0, &words);
        assert!(within.left_out > 0);
        assert_eq!(within.messages[..2], pinned.messages);
    }

    #[test]
    fn one_huge_newest_turn_stays_and_a_lone_summary_is_not_summarised_again() {
        let mut history = history(2, 5_000);
        let compaction = history.plan_compaction(1_000, &words).unwrap();
        assert_eq!(compaction.turns, [0]);
        assert!(history.compact(&compaction, "s"));
        assert_eq!(history.plan_compaction(1_000, &words), None);
    }

    #[test]
    fn a_history_that_changed_meanwhile_keeps_its_turns() {
        let mut history = history(10, 100);
        let compaction = history.plan_compaction(500, &words).unwrap();
        history.turns.remove(0);
        let before = history.clone();
        assert!(!history.compact(&compaction, "s"));
        assert_eq!(history, before);
        // Turns that were added at the end do no harm.
        let compaction = history.plan_compaction(500, &words).unwrap();
        history.push(turn(11, 5));
        assert!(history.compact(&compaction, "s"));
    }

    #[test]
    fn what_is_left_out_needs_no_model_and_keeps_the_ceiling() {
        let history = history(60, 50);
        let within = history.within(1_000, &words);
        let tokens: usize = within
            .messages
            .iter()
            .map(|message| message_tokens(message, &words))
            .sum();
        assert!(tokens <= 1_000 && tokens > 900, "{tokens}");
        assert_eq!(within.left_out, 60 - within.messages.len() / 2);
        assert_eq!(within.messages.last(), turn(59, 50).messages.last());
        assert_eq!(history.within(usize::MAX, &words).messages, history.messages());
    }

    #[test]
    fn a_turn_that_ended_open_is_settled_by_a_later_one() {
        let mut history = History::default();
        history.push(Turn {
            open: true,
            ..Turn::new(vec![
                Message::user("do it"),
                Message::assistant("first try"),
                Message::user("tests fail"),
                Message::assistant("second try"),
            ])
        });
        history.settle();
        assert_eq!(history.turns[0].messages.len(), 2);
        assert!(!history.turns[0].open);
    }

    #[test]
    fn chunks_fit_the_window_of_the_summariser() {
        let mut history = history(20, 90);
        history.turns[3] = turn(3, 3_000);
        let compaction = history.plan_compaction(400, &words).unwrap();
        let chunks = chunks(&compaction, 500, &words);
        assert!(chunks.len() > 3);
        assert!(chunks.iter().all(|chunk| words(chunk) <= 500));
        assert!(chunks.concat().contains("[... cut ...]"));
        assert!(chunks.concat().contains("request 0\n"));
    }

    #[test]
    fn bad_summaries_are_told_apart() {
        assert_eq!(check_summary(" \n", 100, &words), Err(BadSummary::Empty));
        assert_eq!(
            check_summary(&["w"; 90].join(" "), 100, &words),
            Err(BadSummary::NotShorter {
                tokens: 90,
                before: 100
            })
        );
        assert!(matches!(
            check_summary("I’m sorry, I can't help with that.", 100, &words),
            Err(BadSummary::Refused { .. })
        ));
        assert_eq!(
            check_summary(" I asked you for x. ", 100, &words),
            Ok("I asked you for x.".into())
        );
    }

    #[test]
    fn a_settled_turn_forgets_its_repairs() {
        let turn = Turn::new(vec![
            Message::user("do it"),
            Message::assistant("first try"),
            Message::user("block 2 failed"),
            Message::assistant("second try"),
            Message::user("tests fail"),
            Message::assistant("third"),
        ]);
        let settled = turn.settled();
        assert_eq!(settled.messages.len(), 2);
        assert_eq!(settled.messages[0].text(), "do it");
        assert_eq!(settled.messages[1].text(), "first try\n\nthird");
        let single = Turn::new(vec![Message::user("a"), Message::assistant("b")]);
        assert_eq!(single.settled(), single);
    }

    #[test]
    fn the_request_carries_what_the_user_wants_kept() {
        let request = summary_request("# USER\n\nhi", "before", "the API names");
        assert_eq!(request[0].role, Role::System);
        let text = request[1].text();
        assert!(text.contains("before") && text.contains("Keep above all: the API names"));
    }
}
