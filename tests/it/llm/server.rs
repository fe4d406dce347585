//! A server on 127.0.0.1 that says exactly what a test wants, when it wants it.

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// What is done on a connection, in order. At the end it is closed.
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Until the test says so (or has ended).
    Wait(Receiver<()>),
    /// Until the client hangs up.
    Hang,
}

/// The answer to one request.
pub(crate) type Answer = Vec<Step>;

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Gives these answers to the requests that come, one after another.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        std::thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else { return };
                let record = Arc::clone(&record);
                std::thread::spawn(move || serve(stream, answer, &record));
            }
        });
        Self { url, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, answer: Answer, record: &Mutex<Vec<Seen>>) {
    let Some(seen) = read_request(&mut stream) else { return };
    record.lock().unwrap().push(seen);
    for step in answer {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).and_then(|()| stream.flush()).is_err() {
                    return;
                }
            }
            Step::Wait(signal) => {
                let _ = signal.recv_timeout(Duration::from_secs(20));
            }
            Step::Hang => {
                let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
                let _ = stream.read(&mut [0]);
            }
        }
    }
}

fn read_request(stream: &mut impl Read) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head
        .lines()
        .find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().ok())?
        })
        .unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&buffer[..count]);
    }
    Some(Seen {
        head,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Reads one request from any stream and answers it with a chat completion.
pub(crate) fn whole_reply(stream: &mut (impl Read + Write), text: &str) {
    if read_request(stream).is_none() {
        return;
    }
    for step in reply(text) {
        if let Step::Send(bytes) = step {
            let _ = stream.write_all(&bytes);
        }
    }
    let _ = stream.flush();
}

/// A whole response, closed at its end.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> Answer {
    vec![Step::Send(
        format!(
            "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )]
}

/// The head of a stream whose end is the end of the connection.
pub(crate) fn stream_head() -> Step {
    Step::Send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n".to_vec())
}

/// A chat-completions event with a piece of text.
pub(crate) fn piece(text: &str) -> Step {
    let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    Step::Send(format!("data: {event}\n\n").into_bytes())
}

/// The events that end a chat completion.
pub(crate) fn end() -> Step {
    Step::Send(
        b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
          data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n"
            .to_vec(),
    )
}

/// A whole chat completion.
pub(crate) fn reply(text: &str) -> Answer {
    vec![stream_head(), piece(text), end()]
}
