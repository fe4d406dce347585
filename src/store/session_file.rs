//! Reading a session back: the whole of it, as a stream, or just what the list shows.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Seek;
use std::io::SeekFrom;
use std::path::Path;
use std::path::PathBuf;

use super::sessions::Error;
use super::sessions::Event;
use super::sessions::Session;
use super::sessions::State;
use super::sessions::Summary;
use super::sessions::id_of;
use super::sessions::seconds;
use super::sessions::store_error;
use crate::chat::history::Turn;
use crate::chat::message::Message;
use crate::chat::message::Part;
use crate::chat::message::Role;

/// A longer line is skipped when a session is read, in bytes.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;
/// Of a session's turns the pinned and the newest are kept in memory, up to so many bytes.
const MAX_HISTORY_BYTES: usize = 32 * 1024 * 1024;
/// Listing reads so much of a file's start and of its end, in bytes.
const PEEK_BYTES: u64 = 16 * 1024;
const MAX_TITLE_CHARS: usize = 80;

/// Reads a whole session, keeping its newest turns.
pub(super) fn read(path: &Path) -> Result<Session, Error> {
    let file = File::open(path).map_err(store_error(path))?;
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut session = Session {
        id: id_of(path),
        root: PathBuf::new(),
        started: 0,
        forked_from: None,
        turns: Vec::new(),
        n_left_out: 0,
        state: State::default(),
        pending: None,
    };
    let mut history = History::default();
    let mut line = Vec::new();
    while next_line(&mut reader, &mut line).map_err(store_error(path))? {
        // A line that was cut by a crash, or written by a later version, is passed over.
        let Ok(event) = serde_json::from_slice(&line) else {
            continue;
        };
        match event {
            Event::Start {
                root,
                time,
                forked_from,
            } => {
                session.root = root;
                session.started = time;
                session.forked_from = forked_from;
            }
            Event::Pending { text } => session.pending = text,
            Event::Turn { turn } => history.push(turn),
            Event::Turns { turns } => {
                history = History::default();
                turns.into_iter().for_each(|turn| history.push(turn));
            }
            Event::Message { message } => history.hear(message),
            Event::History { messages } => {
                history = History::default();
                messages.into_iter().for_each(|message| history.hear(message));
            }
            Event::State { state } => session.state = state,
        }
    }
    session.turns = history.turns.into();
    session.n_left_out = history.n_left_out;
    Ok(session)
}

/// The newest turns within [`MAX_HISTORY_BYTES`].
#[derive(Default)]
struct History {
    turns: VecDeque<Turn>,
    n_bytes: usize,
    n_left_out: usize,
}

impl History {
    fn push(&mut self, turn: Turn) {
        self.n_bytes += size(&turn.messages);
        self.turns.push_back(turn);
        self.shorten();
    }

    /// Takes one message in: one of the user after an answer begins a turn.
    fn hear(&mut self, message: Message) {
        let last = self.turns.back_mut();
        let ends = |turn: &Turn| turn.messages.last().is_none_or(|last| last.role == Role::Assistant);
        match last {
            Some(turn) if !(message.role == Role::User && ends(turn)) => {
                self.n_bytes += size(std::slice::from_ref(&message));
                turn.messages.push(message);
                self.shorten();
            }
            _ => self.push(Turn::new(vec![message])),
        }
    }

    fn shorten(&mut self) {
        while self.n_bytes > MAX_HISTORY_BYTES && self.turns.len() > 1 {
            let oldest = self.turns.iter().position(|turn| !turn.pinned).unwrap_or(0);
            let last = self.turns.len() - 1;
            let Some(gone) = self.turns.remove(oldest.min(last - 1)) else {
                return;
            };
            self.n_bytes -= size(&gone.messages);
            self.n_left_out += 1;
        }
    }
}

/// In bytes.
fn size(messages: &[Message]) -> usize {
    let parts = messages
        .iter()
        .flat_map(|message| &message.parts)
        .map(|part| match part {
            Part::Text { text } => text.len(),
            Part::File { data, .. } => data.len(),
        });
    parts.sum()
}

/// The next line without its end; false at the end of the file. One that is too long comes out empty.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if reader.take(MAX_LINE_BYTES).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE_BYTES {
        line.clear();
        reader.skip_until(b'\n')?;
    }
    Ok(true)
}

/// What the list shows, from the file's start and end.
pub(super) fn summary(path: &Path) -> io::Result<Summary> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut head = Vec::new();
    (&file).take(PEEK_BYTES).read_to_end(&mut head)?;
    let mut tail = Vec::new();
    if metadata.len() > PEEK_BYTES {
        file.seek(SeekFrom::Start((metadata.len() - PEEK_BYTES).max(PEEK_BYTES)))?;
        (&file).take(PEEK_BYTES).read_to_end(&mut tail)?;
    }
    let mut summary = Summary {
        id: id_of(path),
        title: String::new(),
        changed: seconds(metadata.modified()?),
        bytes: metadata.len(),
        root: PathBuf::new(),
        state: State::default(),
    };
    for line in head
        .split(|byte| *byte == b'\n')
        .chain(tail.split(|byte| *byte == b'\n'))
    {
        let title = match serde_json::from_slice(line) {
            Ok(Event::Start { root, .. }) => {
                summary.root = root;
                continue;
            }
            Ok(Event::State { state }) => {
                summary.state = state;
                continue;
            }
            Ok(Event::Pending { text: Some(text) }) => text,
            Ok(Event::Turn { turn }) => turn.title(),
            Ok(Event::Turns { turns }) => turns.first().map(Turn::title).unwrap_or_default(),
            Ok(Event::Message { message }) => message.text(),
            Ok(Event::History { messages }) => messages.first().map(Message::text).unwrap_or_default(),
            Ok(Event::Pending { text: None }) | Err(_) => continue,
        };
        if summary.title.is_empty() {
            let line = title.trim_start().lines().next().unwrap_or_default();
            summary.title = line.chars().take(MAX_TITLE_CHARS).collect();
        }
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> Turn {
        Turn::new(vec![Message::user("x".repeat(MAX_HISTORY_BYTES / 2))])
    }

    #[test]
    fn a_long_session_keeps_its_newest_turns_in_memory() {
        let mut history = History::default();
        for _ in 0..3 {
            history.push(half());
        }
        assert_eq!((history.turns.len(), history.n_left_out), (2, 1));
    }

    #[test]
    fn a_pinned_turn_is_the_last_to_go() {
        let mut history = History::default();
        for pinned in [true, false, false] {
            history.push(Turn { pinned, ..half() });
        }
        let pinned: Vec<bool> = history.turns.iter().map(|turn| turn.pinned).collect();
        assert_eq!(pinned, [true, false]);
    }

    #[test]
    fn a_message_of_the_user_after_an_answer_begins_a_turn() {
        let mut history = History::default();
        for message in [
            Message::user("a"),
            Message::assistant("b"),
            Message::user("c"),
            Message::user("d"),
            Message::assistant("e"),
        ] {
            history.hear(message);
        }
        let lengths: Vec<usize> = history.turns.iter().map(|turn| turn.messages.len()).collect();
        assert_eq!(lengths, [2, 3]);
    }
}
