//! The twin of the console for tests and the demo: keeps every event and plays answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Answer, Event, Question, Ui};

/// What a [`Scripted`] saw; shared, so that it can be read while a session owns the ui.
#[derive(Debug, Default)]
pub struct Record {
    pub events: Vec<Event>,
    /// Each question with the answer that was given.
    pub questions: Vec<(Question, Answer)>,
}

/// The user presses Ctrl-C at a question.
pub const CTRL_C: Answer = Answer::Choice('\u{3}');

/// Answers questions in order; when the answers have run out, with [`Answer::No`].
#[derive(Default)]
pub struct Scripted {
    answers: VecDeque<Answer>,
    /// What the user makes of the texts they edit.
    edits: VecDeque<String>,
    record: Arc<Mutex<Record>>,
    was_stopped: bool,
    /// Sees every event as well (the demo shows them to a person).
    watcher: Option<Box<dyn Ui>>,
}

impl Scripted {
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            answers: answers.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Texts that the user saves in their editor, in order; when they have run out, nothing is saved.
    pub fn editing(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        self.edits = texts.into_iter().collect();
        self
    }

    pub fn watched_by(mut self, watcher: Box<dyn Ui>) -> Self {
        self.watcher = Some(watcher);
        self
    }

    pub fn record(&self) -> Arc<Mutex<Record>> {
        Arc::clone(&self.record)
    }
}

impl Ui for Scripted {
    fn show(&mut self, event: Event) {
        if let Some(watcher) = &mut self.watcher {
            watcher.show(event.clone());
        }
        self.record
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .events
            .push(event);
    }

    fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    fn edit(&mut self, _text: &str) -> Option<String> {
        self.edits.pop_front()
    }

    fn ask(&mut self, question: &Question) -> Answer {
        let answer = self.answers.pop_front().unwrap_or(Answer::No);
        self.was_stopped = answer == CTRL_C;
        let answer = if self.was_stopped { Answer::No } else { answer };
        if let Some(watcher) = &mut self.watcher {
            let word = match answer {
                Answer::Yes => "yes".to_string(),
                Answer::No => "no".to_string(),
                Answer::Choice(key) => key.to_string(),
            };
            watcher.show(Event::Note(format!("{} {word}", question.text)));
        }
        self.record
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .questions
            .push((question.clone(), answer));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plays_its_answers_and_then_says_no() {
        let mut ui = Scripted::new([Answer::Yes]);
        let record = ui.record();
        let question = Question {
            text: "Apply?".to_string(),
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: true,
            choices: Vec::new(),
        };
        assert_eq!(ui.ask(&question), Answer::Yes);
        assert_eq!(ui.ask(&question), Answer::No);
        ui.show(Event::Text("hi".to_string()));
        let record = record.lock().unwrap();
        assert_eq!(record.events, [Event::Text("hi".to_string())]);
        assert_eq!(record.questions.len(), 2);
    }
}
