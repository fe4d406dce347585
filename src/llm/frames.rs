//! Amazon's event stream: binary frames with headers, a payload and two checksums, one event each. The frames are read by
//! the AWS SDK's own `aws-smithy-eventstream`.

use aws_smithy_eventstream::frame::DecodedFrame;
use aws_smithy_eventstream::frame::MessageFrameDecoder;
use aws_smithy_types::event_stream::Message;
use bytes::BytesMut;

use super::sse::Event;

/// A frame holds 16 MiB at most; a length beyond it is damage, and waiting for its end would take all memory.
const LARGEST_FRAME: usize = 17 * 1024 * 1024;

/// Bytes in, events out: the event's name in `name` (or the exception's), its JSON in `data`.
#[derive(Default)]
pub struct Reader {
    decoder: MessageFrameDecoder,
    held: BytesMut,
}

impl Reader {
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.held.extend_from_slice(bytes);
        let mut events = Vec::new();
        loop {
            match self.decoder.decode_frame(&mut self.held) {
                Ok(DecodedFrame::Complete(message)) => events.push(event(&message)),
                Ok(DecodedFrame::Incomplete) if self.held.len() <= LARGEST_FRAME => return events,
                Ok(DecodedFrame::Incomplete) | Err(_) => {
                    events.push(damaged());
                    return events;
                }
            }
        }
    }
}

fn damaged() -> Event {
    Event {
        name: String::new(),
        data: "{}".to_owned(),
        damaged: true,
    }
}

fn event(message: &Message) -> Event {
    let header = |wanted: &str| {
        let found = message
            .headers()
            .iter()
            .find(|header| header.name().as_str() == wanted)?;
        Some(found.value().as_string().ok()?.as_str().to_owned())
    };
    let name = [":exception-type", ":error-code", ":event-type"]
        .iter()
        .find_map(|name| header(name))
        .unwrap_or_default();
    let text = std::str::from_utf8(message.payload());
    // An error frame has its message in a header and no payload.
    let data = match (text, header(":error-message")) {
        (Ok(""), Some(told)) => serde_json::json!({ "message": told }).to_string(),
        (Ok(text), _) => text.to_owned(),
        (Err(_), _) => return damaged(),
    };
    Event {
        name,
        data,
        damaged: false,
    }
}
