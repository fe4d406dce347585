//! Writing a session: one [`Event`] a line, appended, whole or not at all. Oversized texts are cut.

use std::fs::File;
use std::fs::TryLockError;
use std::io;
use std::io::Read;
use std::io::Seek;
use std::io::SeekFrom;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;

use super::sessions::Error;
use super::sessions::Event;
use super::sessions::store_error;
use crate::chat::message::Message;
use crate::chat::message::Part;

/// A longer text keeps its head and its tail, in bytes.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// A larger attachment (base64) is replaced by a note, in bytes.
const MAX_DATA_BYTES: usize = 8 * 1024 * 1024;

/// A session that is being written; nobody else can open it meanwhile.
#[derive(Debug)]
pub struct Log {
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// None before the first event: a session in which nothing happened leaves no file.
    pub(super) file: Option<File>,
    pub(super) start: Option<Event>,
    /// The last line was not written whole.
    pub(super) is_torn: bool,
}

impl Log {
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Appends an event. It is there even if the process ends the next instant.
    pub fn append(&mut self, event: &Event) -> Result<(), Error> {
        let mut lines = Vec::new();
        if self.is_torn {
            lines.push(b'\n');
        }
        if let Some(start) = &self.start {
            push_line(&mut lines, start).map_err(store_error(&self.path))?;
        }
        push_line(&mut lines, &shortened(event)).map_err(store_error(&self.path))?;
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = create_in_private_folder(&self.path).map_err(store_error(&self.path))?;
                lock(&file, &self.id)?;
                self.file.insert(file)
            }
        };
        let written = file.write_all(&lines);
        self.is_torn = written.is_err();
        written.map_err(store_error(&self.path))?;
        self.start = None;
        Ok(())
    }
}

fn push_line(lines: &mut Vec<u8>, event: &Event) -> io::Result<()> {
    serde_json::to_writer(&mut *lines, event)?;
    lines.push(b'\n');
    Ok(())
}

/// The event with its oversized parts cut.
fn shortened(event: &Event) -> Event {
    let mut event = event.clone();
    match &mut event {
        Event::Turn { turn } => shorten_all(&mut turn.messages),
        Event::Turns { turns } => turns.iter_mut().for_each(|turn| shorten_all(&mut turn.messages)),
        Event::Message { message } => shorten_all(std::slice::from_mut(message)),
        Event::History { messages } => shorten_all(messages),
        Event::Pending { text: Some(text) } => shorten(text),
        Event::Start { .. } | Event::Pending { .. } | Event::State { .. } => {}
    }
    event
}

fn shorten_all(messages: &mut [Message]) {
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Text { text } => shorten(text),
            Part::File { name, data, .. } if data.len() > MAX_DATA_BYTES => {
                let text = format!("[`{name}` was too large to be kept with the session]");
                *part = Part::Text { text };
            }
            Part::File { .. } => {}
        }
    }
}

fn shorten(text: &mut String) {
    if text.len() <= MAX_TEXT_BYTES {
        return;
    }
    let boundary_before = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let head = boundary_before(MAX_TEXT_BYTES / 2);
    let tail = boundary_before(text.len() - MAX_TEXT_BYTES / 2);
    let note = format!("\n[... {} bytes left out ...]\n", tail - head);
    text.replace_range(head..tail, &note);
}

/// Gives a last line that was cut its end, so that the next event stands on a line of its own.
pub(super) fn end_torn_line(file: &mut File) -> io::Result<()> {
    let end = file.seek(SeekFrom::End(0))?;
    if end == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(end - 1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

fn create_in_private_folder(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    File::options()
        .create_new(true)
        .read(true)
        .append(true)
        .mode(0o600)
        .open(path)
}

pub(super) fn open_private(path: &Path) -> io::Result<File> {
    File::options().read(true).append(true).open(path)
}

pub(super) fn lock(file: &File, id: &str) -> Result<(), Error> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::InUse { id: id.to_owned() }),
        // A file system without locks: two may then write to one session, whose lines stay whole.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_texts_keep_head_and_tail() {
        let mut text = format!("head{}tail", "é".repeat(MAX_TEXT_BYTES));
        shorten(&mut text);
        assert!(text.len() < MAX_TEXT_BYTES + 100);
        assert!(text.starts_with("head") && text.ends_with("tail") && text.contains("left out"));
    }
}
