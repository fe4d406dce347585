//! Questions to the user, and Ctrl-C at one of them: it stops what goes on, it does not only say no.

use super::Session;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

impl Session {
    /// The user has said something: what they stopped before is over.
    pub fn begin(&mut self) {
        self.is_stopped = false;
        self.wake(false);
    }

    /// Asks the user. Once they have stopped at a question nothing more is asked until they say something: the answer is no.
    pub(super) fn put(&mut self, question: &Question) -> Answer {
        if self.is_stopped {
            return Answer::No;
        }
        let answer = self.ui.ask(question);
        self.is_stopped = self.ui.was_stopped();
        answer
    }

    /// Whether the user stopped at a question, which `what` says the outcome of.
    pub(super) fn tell_stopped(&mut self, what: &str) -> bool {
        if self.is_stopped {
            self.ui.show(Event::Note(format!("Stopped; {what}.")));
        }
        self.is_stopped
    }
}
