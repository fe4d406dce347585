//! Finds servers of the user's own machine, and asks how large their window is.
//!
//! Plain HTTP over a socket: this runs at start, where setting up a whole client would cost more than the answer.

use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::net::ToSocketAddrs;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use super::Error;
use super::options;
use super::options::ConnectOptions;
use crate::models::ModelSettings;

/// The whole search takes no longer.
const PROBE_TIME: Duration = Duration::from_millis(280);

/// Loading a model is not waited for.
const WINDOW_TIME: Duration = Duration::from_secs(2);

/// Longer answers are no list of models.
const LONGEST_ANSWER: u64 = 4 * 1024 * 1024;

/// The usual ports, with the provider that is found there.
pub const PORTS: &[(u16, &str)] = &[
    (11_434, "ollama"),
    (1_234, "lmstudio"),
    (8_080, "llamacpp"),
    (8_000, "vllm"),
    (4_000, "litellm"),
];

/// A server that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Base URL as the provider's row has it.
    pub url: String,
    /// Name of the provider: a model is `kind/model`.
    pub kind: String,
    /// As the server lists them.
    pub models: Vec<String>,
}

/// Looks on this machine for servers with models, all ports at once and for at most 300 ms. In the order of `ports`.
pub fn probe(ports: &[(u16, &str)]) -> Vec<Found> {
    let deadline = Instant::now() + PROBE_TIME;
    let (sender, receiver) = mpsc::channel();
    for (idx, (port, kind)) in ports.iter().enumerate() {
        let (sender, port, kind) = (sender.clone(), *port, (*kind).to_owned());
        std::thread::spawn(move || {
            let _ = sender.send((idx, probe_one(port, &kind, deadline)));
        });
    }
    drop(sender);
    let mut found = Vec::new();
    while let Ok(answer) = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        if let (idx, Some(server)) = answer {
            found.push((idx, server));
        }
    }
    found.sort_by_key(|(idx, _)| *idx);
    found.into_iter().map(|(_, server)| server).collect()
}

fn probe_one(port: u16, kind: &str, deadline: Instant) -> Option<Found> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let host = format!("127.0.0.1:{port}");
    let server = Server {
        address,
        host: &host,
        key: None,
    };
    if kind == "ollama" {
        let answer = get(&server, "/api/tags", None, deadline)?;
        return Some(Found {
            url: format!("http://{host}"),
            kind: kind.to_owned(),
            models: names(&answer, "models", "name")?,
        });
    }
    let answer = get(&server, "/v1/models", None, deadline)?;
    let models = names(&answer, "data", "id")?;
    let owner = answer.pointer("/data/0/owned_by").and_then(Value::as_str).unwrap_or("");
    // Another server may use the port; what they call themselves decides.
    let kind = match owner {
        "vllm" => "vllm",
        "llamacpp" => "llamacpp",
        "library" => "ollama",
        _ => kind,
    };
    let url = if kind == "litellm" {
        format!("http://{host}")
    } else {
        format!("http://{host}/v1")
    };
    Some(Found {
        url,
        kind: kind.to_owned(),
        models,
    })
}

fn names(answer: &Value, list: &str, field: &str) -> Option<Vec<String>> {
    let names = answer.get(list)?.as_array()?.iter();
    Some(
        names
            .filter_map(|model| Some(model.get(field)?.as_str()?.to_owned()))
            .collect(),
    )
}

/// The window that the server really gives the model, where it tells: Ollama, llama.cpp, LM Studio, vLLM. None for servers
/// elsewhere, and when nobody answers in two seconds.
pub fn window(settings: &ModelSettings, options: &ConnectOptions<'_>) -> Result<Option<u32>, Error> {
    let endpoint = options::endpoint(settings, options)?;
    let Some(authority) = endpoint.base_url.strip_prefix("http://") else {
        return Ok(None);
    };
    let host = authority.split('/').next().unwrap_or(authority).to_owned();
    let with_port = if host.contains(':') {
        host.clone()
    } else {
        format!("{host}:80")
    };
    let address = with_port
        .to_socket_addrs()
        .ok()
        .and_then(|mut found| found.find(SocketAddr::is_ipv4));
    let Some(address) = address else { return Ok(None) };
    let server = Server {
        address,
        host: &host,
        key: endpoint.key.as_deref(),
    };
    let deadline = Instant::now() + WINDOW_TIME;
    let model = &settings.wire_name;
    if settings.api == "ollama" {
        let answer = get(&server, "/api/show", Some(json!({ "model": model })), deadline);
        return Ok(answer.as_ref().and_then(ollama_window));
    }
    let answers = [
        "/props".to_owned(),
        format!("/api/v0/models/{model}"),
        "/v1/models".to_owned(),
    ]
    .into_iter()
    .filter_map(|path| get(&server, &path, None, deadline));
    Ok(answers.into_iter().find_map(|answer| served_window(&answer, model)))
}

/// `num_ctx` of the model's own settings, else what it was trained for.
fn ollama_window(show: &Value) -> Option<u32> {
    let set = show.get("parameters").and_then(Value::as_str).and_then(|parameters| {
        parameters
            .lines()
            .find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok())
    });
    let trained = show.get("model_info").and_then(Value::as_object).and_then(|info| {
        let (_, value) = info.iter().find(|(name, _)| name.ends_with(".context_length"))?;
        value.as_u64()?.try_into().ok()
    });
    set.or(trained)
}

/// The window in what llama.cpp, LM Studio and vLLM tell.
fn served_window(answer: &Value, model: &str) -> Option<u32> {
    let number = |value: &Value, pointer: &str| {
        let number = value.pointer(pointer)?.as_u64()?;
        u32::try_from(number).ok().filter(|number| *number > 0)
    };
    let listed = answer.get("data").and_then(Value::as_array).and_then(|models| {
        let id = |found: &&Value| found.get("id").and_then(Value::as_str) == Some(model);
        models
            .iter()
            .find(id)
            .or_else(|| models.first().filter(|_| models.len() == 1))
    });
    let places = [
        "/default_generation_settings/n_ctx",
        "/n_ctx",
        "/loaded_context_length",
        "/max_model_len",
        "/meta/n_ctx",
        "/context_length",
        "/max_context_length",
    ];
    [Some(answer), listed]
        .into_iter()
        .flatten()
        .find_map(|value| places.iter().find_map(|place| number(value, place)))
}

/// Who is asked.
struct Server<'a> {
    address: SocketAddr,
    host: &'a str,
    key: Option<&'a str>,
}

/// One request; None for everything but a good answer in JSON before the deadline.
fn get(to: &Server<'_>, path: &str, body: Option<Value>, deadline: Instant) -> Option<Value> {
    let Server { address, host, key } = to;
    // Servers on this machine may be behind a key, too.
    let key = key.map_or_else(String::new, |key| format!("Authorization: Bearer {key}\r\n"));
    let left = || Some(deadline.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero());
    let mut stream = TcpStream::connect_timeout(address, left()?).ok()?;
    stream.set_write_timeout(left()).ok()?;
    let request = match body {
        None => {
            format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n{key}Accept: application/json\r\nConnection: close\r\n\r\n")
        }
        Some(body) => {
            let body = body.to_string();
            let length = body.len();
            format!(
                "POST {path} HTTP/1.0\r\nHost: {host}\r\n{key}Content-Type: application/json\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{body}"
            )
        }
    };
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        stream.set_read_timeout(Some(left()?)).ok()?;
        let count = stream.read(&mut buffer).ok()?;
        answer.extend_from_slice(&buffer[..count]);
        if count == 0 || answer.len() as u64 > LONGEST_ANSWER || is_whole(&answer) {
            break;
        }
    }
    read_answer(&answer)
}

/// Whether all of the announced body is there: some servers keep the connection open although told to close it.
fn is_whole(answer: &[u8]) -> bool {
    let Some((head, body)) = split_head(answer) else {
        return false;
    };
    header(&head, "content-length")
        .and_then(|length| length.parse::<usize>().ok())
        .is_some_and(|length| body.len() >= length)
}

fn split_head(answer: &[u8]) -> Option<(String, &[u8])> {
    let end = memchr::memmem::find(answer, b"\r\n\r\n")?;
    Some((String::from_utf8_lossy(&answer[..end]).into_owned(), &answer[end + 4..]))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn read_answer(answer: &[u8]) -> Option<Value> {
    let (head, body) = split_head(answer)?;
    if head.split_whitespace().nth(1) != Some("200") {
        return None;
    }
    let chunked = header(&head, "transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let body = if chunked { unchunked(body)? } else { body.to_vec() };
    serde_json::from_slice(&body).ok()
}

fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = memchr::memmem::find(body, b"\r\n")?;
        let size = std::str::from_utf8(&body[..end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        body = &body[end + 2..];
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(..size)?);
        body = body.get(size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_as_each_server_tells_them() {
        for (answer, expected) in [
            (json!({"default_generation_settings": {"n_ctx": 4096}}), Some(4_096)),
            (
                json!({"id": "m", "loaded_context_length": 8192, "max_context_length": 131072}),
                Some(8_192),
            ),
            (json!({"id": "m", "max_context_length": 131072}), Some(131_072)),
            (
                json!({"data": [{"id": "other", "max_model_len": 1}, {"id": "m", "max_model_len": 32768}]}),
                Some(32_768),
            ),
            (
                json!({"data": [{"id": "path/of/m", "max_model_len": 2048}]}),
                Some(2_048),
            ),
            (
                json!({"data": [{"id": "a", "max_model_len": 1}, {"id": "b", "max_model_len": 2}]}),
                None,
            ),
            (json!({}), None),
        ] {
            assert_eq!(served_window(&answer, "m"), expected, "{answer}");
        }
        let show = json!({"parameters": "stop \"x\"\nnum_ctx    6000", "model_info": {"qwen2.context_length": 32768}});
        assert_eq!(ollama_window(&show), Some(6_000));
        assert_eq!(
            ollama_window(&json!({"model_info": {"llama.context_length": 131072}})),
            Some(131_072)
        );
    }

    #[test]
    fn answers_in_chunks_are_joined() {
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n3;x\r\n:1}\r\n0\r\n\r\n";
        assert_eq!(read_answer(answer), Some(json!({"a": 1})));
        assert_eq!(read_answer(b"HTTP/1.1 404 Not Found\r\n\r\n{}"), None);
        assert_eq!(read_answer(b"nonsense"), None);
    }
}
