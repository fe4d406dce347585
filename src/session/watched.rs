//! The ui of a session, with the errors counted that it shows: whoever runs one command wants to know whether it failed.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use crate::terminal::Answer;
use crate::terminal::Copied;
use crate::terminal::EnterKey;
use crate::terminal::Event;
use crate::terminal::Question;
use crate::terminal::Ui;

/// How many errors were shown; clones count together.
#[derive(Debug, Clone, Default)]
pub(super) struct ErrorCount(Arc<AtomicUsize>);

impl ErrorCount {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Hands everything on.
pub(super) struct Watched {
    pub(super) ui: Box<dyn Ui>,
    pub(super) errors: ErrorCount,
}

impl Ui for Watched {
    fn show(&mut self, event: Event) {
        if matches!(event, Event::Error { .. }) {
            self.errors.0.fetch_add(1, Ordering::Relaxed);
        }
        self.ui.show(event);
    }

    fn progress(&mut self, doing: &str, done: usize, total: usize) {
        self.ui.progress(doing, done, total);
    }

    fn ask(&mut self, question: &Question) -> Answer {
        self.ui.ask(question)
    }

    fn was_stopped(&self) -> bool {
        self.ui.was_stopped()
    }

    fn edit(&mut self, text: &str) -> Option<String> {
        self.ui.edit(text)
    }

    fn copy(&mut self, text: &str) -> Copied {
        self.ui.copy(text)
    }

    fn enter_key(&self) -> Option<EnterKey> {
        self.ui.enter_key()
    }
}
