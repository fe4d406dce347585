//! Reads server-sent events from bytes that were cut anywhere.
//!
//! A reader of our own instead of the `eventsource-stream` crate, which is made for servers that keep the rules: it ends in an
//! error on a byte that is no UTF-8, panics on a byte order mark, copies its buffer once a line, and drops a last
//! event that lacks its blank line. Real servers do all of that. This one never fails.
//!
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>, with two liberties: an
//! event at the end of the stream needs no blank line, and a line that begins with `{` is data without its field name.

use std::borrow::Cow;

/// One event. `id` and `retry` are of no use here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Empty when the server named none.
    pub name: String,
    /// Data lines joined by `\n`.
    pub data: String,
    /// Some of its bytes were no UTF-8; U+FFFD stands in their place.
    pub damaged: bool,
}

/// Bytes in, events out.
#[derive(Debug, Default)]
pub struct Reader {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The last byte was a `\r` that ended a line: a `\n` right after it belongs to it.
    after_cr: bool,
    started: bool,
    event: Event,
    has_data: bool,
}

impl Reader {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and returns the events that they complete.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            if self.after_cr {
                self.after_cr = false;
                if bytes[0] == b'\n' {
                    bytes = &bytes[1..];
                    continue;
                }
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                break;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            events.extend(self.take_line(&line));
        }
        events
    }

    /// The stream is over: what the last event has so far.
    pub fn finish(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let before = if line.is_empty() { None } else { self.take_line(&line) };
        before.or_else(|| self.dispatch())
    }

    fn take_line(&mut self, line: &[u8]) -> Option<Event> {
        let text = String::from_utf8_lossy(line);
        self.event.damaged |= matches!(text, Cow::Owned(_));
        let mut text = text.as_ref();
        if !self.started {
            self.started = true;
            text = text.strip_prefix('\u{feff}').unwrap_or(text);
        }
        if text.is_empty() {
            return self.dispatch();
        }
        if text.starts_with('{') {
            self.add_data(text);
            return None;
        }
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value),
            "event" => value.clone_into(&mut self.event.name),
            // A comment has an empty field name; `id`, `retry` and strangers are passed over.
            _ => {}
        }
        None
    }

    fn add_data(&mut self, value: &str) {
        if self.has_data {
            self.event.data.push('\n');
        }
        self.has_data = true;
        self.event.data.push_str(value);
    }

    fn dispatch(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

/// Reads lines (NDJSON) from bytes that were cut anywhere; blank ones are passed over.
#[derive(Debug, Default)]
pub struct Lines {
    line: Vec<u8>,
}

impl Lines {
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Event> {
        let mut lines = Vec::new();
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.line.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            lines.extend(self.take());
        }
        self.line.extend_from_slice(bytes);
        lines
    }

    /// The last line, when it has no end.
    pub fn finish(&mut self) -> Option<Event> {
        self.take()
    }

    fn take(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let damaged = matches!(text, Cow::Owned(_));
        let text = text.trim();
        (!text.is_empty()).then(|| Event {
            data: text.to_owned(),
            damaged,
            ..Event::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut reader = Reader::new();
        let mut events: Vec<Event> = pieces.iter().flat_map(|piece| reader.push(piece)).collect();
        events.extend(reader.finish());
        events
    }

    fn data(events: &[Event]) -> Vec<&str> {
        events.iter().map(|event| event.data.as_str()).collect()
    }

    #[test]
    fn line_ends_of_every_kind() {
        for text in [
            "data: a\n\ndata:b\n\n",
            "data: a\r\n\r\ndata:b\r\n\r\n",
            "data: a\r\rdata:b\r\r",
        ] {
            assert_eq!(data(&read(&[text.as_bytes()])), ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn comments_names_and_strangers() {
        let text =
            "\u{feff}: keep-alive\n\nevent: delta\nid: 7\nretry: 10\nnonsense\ndata: {\"a\":\ndata: 1}\n\n: bye\n\n";
        let events = read(&[text.as_bytes()]);
        assert_eq!(events.len(), 1);
        assert_eq!(
            (events[0].name.as_str(), events[0].data.as_str()),
            ("delta", "{\"a\":\n1}")
        );
    }

    #[test]
    fn an_event_needs_no_blank_line_at_the_end() {
        assert_eq!(data(&read(&[b"data: a\n\ndata: b"])), ["a", "b"]);
        assert_eq!(data(&read(&[b"data: a\n\n{\"error\":1}\n"])), ["a", "{\"error\":1}"]);
        assert_eq!(data(&read(&[b"data:\n\n"])), [""]);
        assert!(read(&[b"event: ping\n\n"]).is_empty());
    }

    #[test]
    fn bytes_that_are_no_text_do_not_stop_it() {
        assert_eq!(data(&read(&[b"data: a\xff\n\ndata: b\n\n"])), ["a\u{fffd}", "b"]);
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            text in "(data: ?[a-zä€😀{}:]{0,9}|event: x|: c|id: 3)?(\n|\r\n|\r|\n\n){1,2}",
            more in "(data: [äö€]{0,5}(\r\n|\n){1,2}){0,5}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let bytes = format!("{text}{more}").into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&bytes]));
        }
    }
}
