//! What a wire protocol has to tell the HTTP client: where to send what, and how to read what comes back. Values only;
//! every protocol is tested without a socket.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Error;
use super::Finish;
use super::Reply;
use super::Request;
use super::StreamEvent;
use super::Usage;
use super::failure;
use super::frames;
use super::sse;
use super::think;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::roles;
use crate::chat::roles::Merged;
use crate::models::CacheMark;
use crate::models::ModelSettings;

/// One wire protocol, set up for one model.
pub trait Protocol: Send + Sync {
    /// The address below the base URL, with a slash in front.
    fn path(&self, quirks: &Quirks) -> String;

    /// Headers of the protocol: the key's and the version's.
    fn headers(&self, key: Option<&str>) -> Vec<(String, String)>;

    /// The request's body. What `quirks` says was refused before is left out.
    fn body(&self, request: &Request, quirks: &Quirks) -> Value;

    /// Reads one reply.
    fn reader(&self) -> Box<dyn ReadEvents>;

    /// Where the server lists its models, if it does.
    fn models_path(&self) -> Option<String> {
        Some("/models".to_owned())
    }

    /// How a streamed reply is framed.
    fn framing(&self) -> Framing {
        Framing::Events
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON value a line.
    Lines,
    /// Amazon's binary frames.
    Frames,
}

/// Understands the JSON values of one reply, in order.
pub trait ReadEvents: Send {
    /// One event of the stream. `name` is the SSE event's, mostly empty.
    fn event(&mut self, name: &str, value: &Value, out: &mut Collected) -> Result<(), Error>;

    /// The whole reply as one value: a server that does not stream.
    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error>;
}

/// The messages of a request as strict servers want them: roles alternate, and system text and the beginning of a reply
/// only where they are taken.
pub fn conversation(request: &Request, settings: &ModelSettings, quirks: &Quirks) -> Vec<Merged> {
    let messages = if settings.system_role && !quirks.no_system {
        request.messages.clone()
    } else {
        roles::fold_system(request.messages.clone())
    };
    let mut merged = roles::alternate(&messages);
    if quirks.no_prefill && merged.last().is_some_and(|last| last.role == Role::Assistant) {
        merged.push(Merged::of_text(Role::User, "Go on exactly where you stopped."));
    }
    merged
}

/// The header that carries the key: the settings' own, else `usual`. `authorization` takes it as a bearer token.
pub fn key_header(settings: &ModelSettings, usual: &str, key: Option<&str>) -> Vec<(String, String)> {
    let Some(key) = key else { return Vec::new() };
    let name = settings.key_header.as_deref().unwrap_or(usual);
    if name.eq_ignore_ascii_case("authorization") {
        vec![(name.to_owned(), format!("Bearer {key}"))]
    } else {
        vec![(name.to_owned(), key.to_owned())]
    }
}

/// A text as it may stand in a path or a form.
pub fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Puts the user's fields over a body; objects are merged.
pub fn merge(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (field, value) in extra {
        match (body.get_mut(field), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            _ => {
                body.insert(field.clone(), value.clone());
            }
        }
    }
}

/// A message as text alone. A file that is not `sent` beside it is at least named: the model must not guess what it holds.
pub fn text_alone(message: &Merged, sent: impl Fn(&str) -> bool) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.clone()),
        Part::File { media_type, .. } if sent(media_type) => None,
        Part::File { name, .. } => Some(format!(
            "(`{name}` is not shown: this model's server takes no such files.)"
        )),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// A cache mark as a field of a content part: its name and value.
pub type CacheMarkField = (&'static str, Value);

/// The mark that the model's host understands; None where marks are not wanted.
pub fn cache_mark(settings: &ModelSettings, quirks: &Quirks) -> Option<CacheMarkField> {
    if !settings.cache_marks || quirks.no_cache_marks {
        return None;
    }
    Some(match settings.cache_mark {
        CacheMark::CacheControl => ("cache_control", json!({"type": "ephemeral"})),
        CacheMark::Breakpoint => ("prompt_cache_breakpoint", json!({"mode": "explicit"})),
    })
}

/// System text apart from the rest, for protocols that have a place of its own for it.
pub fn split_system(messages: Vec<Merged>) -> (Option<Merged>, Vec<Merged>) {
    let mut messages = messages;
    let has_system = messages.first().is_some_and(|first| first.role == Role::System);
    let system = has_system.then(|| messages.remove(0));
    if messages.is_empty() {
        // No protocol takes a request without a message.
        messages.push(Merged::of_text(Role::User, "Begin."));
    }
    (system, messages)
}

/// What a server has refused, remembered for the requests to come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quirks {
    /// Fields of the body that are left out.
    pub dropped: Vec<String>,
    /// The name of the output limit that was asked for instead.
    pub max_tokens_field: Option<String>,
    /// The system role is refused.
    pub no_system: bool,
    /// A list of content parts is refused where a text would do.
    pub text_only: bool,
    /// Cache marks are refused.
    pub no_cache_marks: bool,
    /// A last message of the assistant is refused.
    pub no_prefill: bool,
    /// Streaming is refused.
    pub no_streaming: bool,
}

impl Quirks {
    /// Takes the refused fields out of a body, also where they stand inside another field.
    pub fn strip(&self, body: &mut Map<String, Value>) {
        for field in &self.dropped {
            remove(body, field);
        }
    }
}

fn remove(object: &mut Map<String, Value>, field: &str) {
    object.remove(field);
    for (name, value) in object.iter_mut() {
        if !CONTENT.contains(&name.as_str())
            && let Value::Object(inner) = value
        {
            remove(inner, field);
        }
    }
}

/// Fields that hold what is said; nothing in them is a parameter.
pub const CONTENT: &[&str] = &[
    "messages",
    "input",
    "contents",
    "system",
    "systemInstruction",
    "instructions",
];

/// A reply as far as it has come.
#[derive(Debug, Default)]
pub struct Collected {
    text: String,
    reasoning: String,
    /// Why it ended, in the protocol's own event for it.
    pub finish: Option<Finish>,
    pub usage: Option<Usage>,
    /// The event that ends the stream has come.
    pub ended: bool,
    /// Not yet handed on.
    pending: Vec<StreamEvent>,
    splitter: Option<think::Splitter>,
    tag: Option<String>,
}

impl Collected {
    /// `tag` of a thinking section inside the text, by the model's settings.
    pub fn new(tag: Option<&str>) -> Self {
        Self {
            splitter: tag.map(think::Splitter::new),
            tag: tag.map(str::to_owned),
            ..Self::default()
        }
    }

    /// A piece of the answer.
    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match &mut self.splitter {
            None => self.answer(text),
            Some(splitter) => {
                let pieces = splitter.push(text);
                self.pieces(pieces);
            }
        }
    }

    /// A piece of the thoughts.
    pub fn reasoning(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.reasoning.push_str(text);
        self.pending.push(StreamEvent::Reasoning(text.to_owned()));
    }

    pub fn notice(&mut self, text: impl Into<String>) {
        self.pending.push(StreamEvent::Notice(text.into()));
    }

    /// Whether any text or thought has come.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty()
    }

    pub fn text_so_far(&self) -> &str {
        &self.text
    }

    /// Drops the answer's text from `end` on.
    pub fn cut(&mut self, end: usize) {
        self.text.truncate(end);
    }

    /// What came since the last call.
    pub fn take_pending(&mut self) -> Vec<StreamEvent> {
        std::mem::take(&mut self.pending)
    }

    fn answer(&mut self, text: &str) {
        self.text.push_str(text);
        self.pending.push(StreamEvent::Text(text.to_owned()));
    }

    fn pieces(&mut self, pieces: Vec<think::Piece>) {
        for piece in pieces {
            match piece {
                think::Piece::Answer(text) => self.answer(&text),
                think::Piece::Thought(text) => self.reasoning(&text),
            }
        }
    }

    /// No more will come: hands on what the tag splitter held back.
    pub fn close(&mut self) {
        if let Some(mut splitter) = self.splitter.take() {
            let pieces = splitter.finish();
            self.pieces(pieces);
        }
    }

    /// The reply. `broken` says why the stream ended when its own end did not come.
    pub fn into_reply(mut self, broken: Option<String>) -> Reply {
        self.close();
        let finish = match (self.finish, broken) {
            // Once the reason for the end has come, all of the reply is there.
            (Some(finish), _) => finish,
            (None, Some(why)) => Finish::Incomplete(why),
            (None, None) if self.ended => Finish::Stop,
            (None, None) => Finish::Incomplete("the connection was closed before the reply ended".to_owned()),
        };
        let (mut text, mut reasoning) = (self.text, self.reasoning);
        if let Some(tag) = &self.tag
            && text.contains(&format!("</{tag}>"))
            && reasoning.is_empty()
        {
            (reasoning, text) = think::split_whole(&text, tag);
        }
        Reply {
            text,
            reasoning,
            finish,
            usage: self.usage.unwrap_or_default(),
        }
    }
}

/// Ends a stream of chat completions.
const DONE: &str = "[DONE]";

/// Bytes of one response in, pieces of the reply out.
pub struct Decoder {
    reader: Box<dyn ReadEvents>,
    framing: Body,
    pub collected: Collected,
}

enum Body {
    /// Nothing but white space so far: a server may answer in one piece although a stream was asked for.
    Unknown(Framing, Vec<u8>),
    Events(sse::Reader),
    Lines(sse::Lines),
    Frames(frames::Reader),
    Whole(Vec<u8>),
}

impl Decoder {
    pub fn new(reader: Box<dyn ReadEvents>, framing: Framing, tag: Option<&str>) -> Self {
        Self {
            reader,
            framing: Body::Unknown(framing, Vec::new()),
            collected: Collected::new(tag),
        }
    }

    /// Takes the next bytes. An error is one that the server told or that makes the rest unreadable; what was
    /// collected before stays.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.framing {
            Body::Unknown(framing, held) => {
                held.extend_from_slice(bytes);
                let first = held.iter().position(|byte| !byte.is_ascii_whitespace());
                let Some(first) = first else { return Ok(()) };
                let held = std::mem::take(held);
                self.framing = match (*framing, held[first]) {
                    (Framing::Events, b'{' | b'[' | b'<') => Body::Whole(Vec::new()),
                    (Framing::Lines, b'[' | b'<') => Body::Whole(Vec::new()),
                    // The first byte of a frame is that of its length, and no frame is that long.
                    (Framing::Frames, b'{' | b'[' | b'<') => Body::Whole(Vec::new()),
                    (Framing::Frames, _) => Body::Frames(frames::Reader::default()),
                    (Framing::Events, _) => Body::Events(sse::Reader::new()),
                    (Framing::Lines, _) => Body::Lines(sse::Lines::default()),
                };
                self.push(&held)
            }
            Body::Events(reader) => {
                let events = reader.push(bytes);
                events.iter().try_for_each(|event| self.event(event))
            }
            Body::Lines(lines) => {
                let lines = lines.push(bytes);
                lines.iter().try_for_each(|line| self.event(line))
            }
            Body::Frames(frames) => {
                let events = frames.push(bytes);
                events.iter().try_for_each(|event| self.event(event))
            }
            Body::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// The response is over.
    pub fn finish(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.framing, Body::Whole(Vec::new())) {
            Body::Unknown(..) | Body::Frames(_) => Ok(()),
            Body::Events(mut reader) => self.last_event(reader.finish()),
            Body::Lines(mut lines) => self.last_event(lines.finish()),
            Body::Whole(body) => self.whole(&body),
        }
    }

    /// What stands after the last line end: an event, or the beginning of one that was cut.
    fn last_event(&mut self, event: Option<sse::Event>) -> Result<(), Error> {
        match event {
            Some(event) if serde_json::from_str::<Value>(event.data.trim()).is_ok() => self.event(&event),
            Some(event) if event.data.trim() == DONE => self.event(&event),
            _ => Ok(()),
        }
    }

    fn event(&mut self, event: &sse::Event) -> Result<(), Error> {
        let data = event.data.trim();
        if data == DONE {
            self.collected.ended = true;
            return Ok(());
        }
        if !data.starts_with(['{', '[']) {
            // Some gateways send words as keep-alive.
            return Ok(());
        }
        let damaged = |what: &str| Error::Protocol {
            message: format!("a piece of the stream is damaged ({what})"),
        };
        if event.damaged {
            return Err(damaged("its bytes are wrong"));
        }
        let value: Value = serde_json::from_str(data).map_err(|_| damaged("not JSON"))?;
        self.reader.event(&event.name, &value, &mut self.collected)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Error> {
        let text = String::from_utf8_lossy(body);
        let value: Value = serde_json::from_str(text.trim()).map_err(|_| Error::Protocol {
            message: failure::Details::read(&text).message,
        })?;
        let has_error = value.get("error").is_some_and(|error| !error.is_null());
        if has_error {
            return Err(failure::in_stream(&value));
        }
        self.reader.whole(&value, &mut self.collected)
    }
}

/// A number of tokens somewhere in a usage report; absent, null and nonsense are 0.
pub fn tokens(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}
