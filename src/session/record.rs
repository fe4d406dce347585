//! Keeps the session on disk as it goes, and takes an earlier one up again.

use anyhow::Result;

use super::Rungs;
use super::Session;
use super::spending::Spending;
use crate::chat::history::History;
use crate::chat::history::Turn;
use crate::chat::message::Message;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::modes;
use crate::policy::secrets;
use crate::store::sessions::Event as Record;
use crate::store::sessions::Retention;
use crate::store::sessions::Sessions;
use crate::store::sessions::State;
use crate::store::sessions::Summary;
use crate::terminal::Event;

impl Session {
    /// Goes on with an earlier session of this project: the newest one, or that whose id begins so.
    ///
    /// # Errors
    /// When there is no such session, or another codriver has it open.
    pub fn resume(&mut self, id: Option<&str>) -> Result<()> {
        let (log, stored) = self.sessions().open(id, self.root.path())?;
        self.log = log;
        self.history = History {
            turns: turns(stored.messages),
        };
        let state = stored.state;
        for path in &state.chat_files {
            // What is gone by now is told with the next request.
            self.files.add(path);
        }
        for name in &state.read_only_files {
            self.add_read_only(name)?;
        }
        if let Some(mode) = modes::by_name(&state.mode) {
            self.mode = mode;
        }
        self.spending = Spending::resumed(state.input_tokens, state.output_tokens, state.cost);
        self.rungs = Rungs::resumed(state.edits);
        let n_messages = self.history.messages().len();
        self.ui.show(Event::Note(format!(
            "Session {}: {n_messages} messages and {} files are back{}.",
            stored.id,
            state.chat_files.len() + state.read_only_files.len(),
            if stored.n_left_out > 0 {
                format!(" ({} older messages are too long to keep)", stored.n_left_out)
            } else {
                String::new()
            }
        )));
        if let Some(pending) = stored.pending {
            self.ui.show(Event::Note(format!("Not answered yet: {pending}")));
        }
        Ok(())
    }

    /// The sessions of this project, newest first.
    ///
    /// # Errors
    /// When the state directory cannot be read.
    pub fn list_sessions(&self) -> Result<Vec<Summary>> {
        Ok(self.sessions().list()?)
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(self.dirs.state.join("sessions"))
    }

    /// The user asked this; until it is answered it is worth coming back to.
    pub(super) fn record_pending(&mut self, text: &str) {
        self.record(&Record::Pending {
            text: Some(secrets::mask(text).into_owned()),
        });
    }

    /// A turn is over: what was said in it, and how things stand.
    pub(super) fn record_turn(&mut self, messages: &[Message]) {
        for message in messages {
            self.record(&Record::Message {
                message: masked(message),
            });
        }
        self.record(&Record::Pending { text: None });
        self.record_state();
    }

    /// The history is another one now: after `/clear`, an undo, a summary.
    pub(super) fn record_history(&mut self) {
        self.record(&Record::History {
            messages: self.history.messages().iter().map(masked).collect(),
        });
        self.record_state();
    }

    pub(super) fn record_state(&mut self) {
        let spent = self.spending.total();
        let state = State {
            chat_files: self.files.editable().to_vec(),
            read_only_files: self.files.read_only().iter().map(|file| file.name.clone()).collect(),
            mode: self.mode.name.to_owned(),
            model: self
                .main
                .as_ref()
                .map(|seat| seat.settings.name.clone())
                .unwrap_or_default(),
            cost: spent.cost,
            n_turns: self.history.turns.len() as u64,
            edits: self.rungs.counts().clone(),
            input_tokens: spent.input,
            output_tokens: spent.output,
        };
        self.record(&Record::State { state });
    }

    /// Old sessions beyond the limits go.
    pub(super) fn prune_sessions(&self) {
        // Housekeeping: what cannot be removed now can be next time.
        let _ = self.sessions().prune(Retention::default());
    }

    /// A session that cannot be stored goes on unstored; the user hears of it once.
    fn record(&mut self, record: &Record) {
        if self.log_failed {
            return;
        }
        if let Err(error) = self.log.append(record) {
            self.log_failed = true;
            self.ui
                .show(Event::Warning(format!("This session is not kept: {error}.")));
        }
    }
}

/// The message as it is kept: what looks like a key is hidden.
fn masked(message: &Message) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        if let Part::Text { text } = part {
            *text = secrets::mask(text).into_owned();
        }
    }
    message
}

/// Messages as turns: each begins with a message of the user after an answer.
fn turns(messages: Vec<Message>) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        let answered = turns
            .last()
            .and_then(|turn| turn.messages.last())
            .is_none_or(|last| last.role == Role::Assistant);
        match turns.last_mut() {
            Some(turn) if !(answered && message.role == Role::User) => turn.messages.push(message),
            _ => turns.push(Turn::new(vec![message])),
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_with_the_user_after_an_answer() {
        let said = [
            Message::user("a"),
            Message::assistant("b"),
            Message::user("c"),
            Message::user("d"),
            Message::assistant("e"),
        ];
        let turns = turns(said.to_vec());
        assert_eq!(turns.iter().map(|turn| turn.messages.len()).collect::<Vec<_>>(), [2, 3]);
    }
}
