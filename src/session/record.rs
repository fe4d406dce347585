//! Keeps the session on disk as it goes, and takes an earlier one up again.

use anyhow::Result;

use super::Rungs;
use super::Session;
use super::spending::Spending;
use crate::chat::history::History;
use crate::chat::history::Turn;
use crate::chat::message::Part;
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
        self.history = History { turns: stored.turns };
        let state = stored.state;
        for path in &state.chat_files {
            // What is gone by now is told with the next request.
            self.files.add(path);
        }
        for name in &state.read_only_files {
            self.add_read_only(name)?;
        }
        self.take_up_parts(&state.parts);
        if let Some(mode) = modes::by_name(&state.mode) {
            self.mode = mode;
        }
        self.spending = Spending::resumed(state.input_tokens, state.output_tokens, state.cost);
        self.rungs = Rungs::resumed(state.edits);
        let n_files = state.chat_files.len() + state.read_only_files.len();
        let left_out = match stored.n_left_out {
            0 => String::new(),
            n => format!(" ({} too long to keep)", counted(n, "older turn")),
        };
        self.ui.show(Event::Note(format!(
            "Session {}, back again: {} and {}{left_out}.",
            stored.id,
            counted(self.history.turns.len(), "turn"),
            counted(n_files, "file"),
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

    /// A turn is over: what was said in it (None: nothing that belongs to the chat), and how things stand.
    pub(super) fn record_turn(&mut self, turn: Option<&Turn>) {
        if let Some(turn) = turn {
            self.record(&Record::Turn { turn: masked(turn) });
        }
        self.record(&Record::Pending { text: None });
        self.record_state();
    }

    /// Something stands in the chat that was not said to the model yet.
    pub(super) fn record_note(&mut self, note: &Turn) {
        self.record(&Record::Turn { turn: masked(note) });
        self.record_state();
    }

    /// The history is another one now: after `/clear`, an undo, a summary.
    pub(super) fn record_history(&mut self) {
        self.record(&Record::Turns {
            turns: self.history.turns.iter().map(masked).collect(),
        });
        self.record_state();
    }

    pub(super) fn record_state(&mut self) {
        let spent = self.spending.total();
        let state = State {
            chat_files: self.files.editable().to_vec(),
            read_only_files: self.files.read_only().iter().map(|file| file.name.clone()).collect(),
            parts: self.files.all_parts(),
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

/// The turn as it is kept: what looks like a key is hidden.
fn masked(turn: &Turn) -> Turn {
    let mut turn = turn.clone();
    for part in turn.messages.iter_mut().flat_map(|message| &mut message.parts) {
        if let Part::Text { text } = part {
            *text = secrets::mask(text).into_owned();
        }
    }
    turn
}

/// `1 turn`, `3 turns`.
fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
