//! Takes a thinking section out of a streamed text: `<think>...</think>` by the model's settings.
//!
//! Only at the beginning of the reply: later the tag is ordinary text (somebody edits a file that holds it).

/// Splits pieces of text that were cut anywhere into thoughts and answer.
#[derive(Debug)]
pub struct Splitter {
    open: String,
    close: String,
    state: State,
    /// What cannot be judged yet.
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space so far.
    Start,
    Thinking,
    /// White space between thoughts and answer is dropped.
    Between,
    Answer,
}

/// What a piece of the stream turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Answer(String),
    Thought(String),
}

impl Splitter {
    /// `tag` without angle brackets.
    pub fn new(tag: &str) -> Self {
        Self {
            open: format!("<{tag}>"),
            close: format!("</{tag}>"),
            state: State::Start,
            held: String::new(),
        }
    }

    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        if self.state == State::Answer {
            return vec![Piece::Answer(text.to_owned())];
        }
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// The stream is over: what was held back. Thoughts without their end stay thoughts.
    pub fn finish(&mut self) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.held);
        if rest.is_empty() {
            return Vec::new();
        }
        match self.state {
            State::Thinking => vec![Piece::Thought(rest)],
            _ => vec![Piece::Answer(rest)],
        }
    }

    /// Moves on by one state; false when more text is needed.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.state {
            State::Start => {
                let begun = self.held.trim_start();
                if let Some(rest) = begun.strip_prefix(self.open.as_str()) {
                    self.held = rest.to_owned();
                    self.state = State::Thinking;
                    return true;
                }
                if self.open.starts_with(begun) {
                    return false;
                }
                self.state = State::Answer;
                pieces.push(Piece::Answer(std::mem::take(&mut self.held)));
                false
            }
            State::Thinking => {
                if let Some(at) = self.held.find(self.close.as_str()) {
                    let rest = self.held.split_off(at + self.close.len());
                    self.held.truncate(at);
                    let thought = std::mem::replace(&mut self.held, rest);
                    if !thought.is_empty() {
                        pieces.push(Piece::Thought(thought));
                    }
                    self.state = State::Between;
                    return true;
                }
                let keep = longest_start_at_end(&self.held, &self.close);
                let tail = self.held.split_off(self.held.len() - keep);
                let thought = std::mem::replace(&mut self.held, tail);
                if !thought.is_empty() {
                    pieces.push(Piece::Thought(thought));
                }
                false
            }
            State::Between => {
                let begun = self.held.trim_start().len();
                let rest = self.held.split_off(self.held.len() - begun);
                self.held.clear();
                if rest.is_empty() {
                    return false;
                }
                self.state = State::Answer;
                pieces.push(Piece::Answer(rest));
                false
            }
            State::Answer => false,
        }
    }
}

/// Length of the longest beginning of `tag` that `text` ends with.
fn longest_start_at_end(text: &str, tag: &str) -> usize {
    (1..tag.len().min(text.len() + 1))
        .rev()
        .find(|&len| tag.is_char_boundary(len) && text.ends_with(&tag[..len]))
        .unwrap_or(0)
}

/// Splits a whole text, and mends a reply whose opening tag the server swallowed (some chat templates begin the reply
/// inside the thoughts): when only the closing tag is there, on a line of its own, all before it is thought.
///
/// Returns (thoughts, answer).
pub fn split_whole(text: &str, tag: &str) -> (String, String) {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    if let Some((before, after)) = text.split_once(close.as_str()) {
        let own_line =
            (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with(['\n', '\r']));
        if own_line && !before.contains(open.as_str()) {
            return (before.to_owned(), after.trim_start().to_owned());
        }
    }
    let mut splitter = Splitter::new(tag);
    let mut pieces = splitter.push(text);
    pieces.extend(splitter.finish());
    let (mut thoughts, mut answer) = (String::new(), String::new());
    for piece in pieces {
        match piece {
            Piece::Answer(text) => answer.push_str(&text),
            Piece::Thought(text) => thoughts.push_str(&text),
        }
    }
    (thoughts, answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = Splitter::new("think");
        let mut all: Vec<Piece> = pieces.iter().flat_map(|piece| splitter.push(piece)).collect();
        all.extend(splitter.finish());
        let (mut thoughts, mut answer) = (String::new(), String::new());
        for piece in all {
            match piece {
                Piece::Answer(text) => answer.push_str(&text),
                Piece::Thought(text) => thoughts.push_str(&text),
            }
        }
        (thoughts, answer)
    }

    #[test]
    fn tags_may_be_cut_anywhere() {
        let text = "\n<think>a <b> </thin k</think>\n\nThe answer </think> stays.";
        let whole = split(&[text]);
        assert_eq!(whole, ("a <b> </thin k".into(), "The answer </think> stays.".into()));
        for cut in 0..=text.len() {
            assert_eq!(split(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
        let bytes: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(split(&bytes.iter().map(String::as_str).collect::<Vec<_>>()), whole);
    }

    #[test]
    fn an_unclosed_thought_stays_a_thought() {
        assert_eq!(
            split(&["<think>never", " ends </th"]),
            ("never ends </th".into(), String::new())
        );
    }

    #[test]
    fn the_tag_is_text_once_the_answer_has_begun() {
        let text = "Use <think>x</think> in the template.";
        assert_eq!(split(&[text]), (String::new(), text.into()));
        assert_eq!(split(&["<thin"]), (String::new(), "<thin".into()));
    }

    #[test]
    fn a_lone_closing_tag_ends_the_thoughts() {
        assert_eq!(
            split_whole("hm, hm\n</think>\n\nYes.", "think"),
            ("hm, hm\n".into(), "Yes.".into())
        );
        let template = "Close it with `</think>` in the template:\n    text</think>\n";
        assert_eq!(split_whole(template, "think"), (String::new(), template.into()));
        assert_eq!(split_whole("<think>a</think>b", "think"), ("a".into(), "b".into()));
        assert_eq!(split_whole("plain", "think"), (String::new(), "plain".into()));
    }
}
