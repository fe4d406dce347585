//! Recorded streams: `fixtures/llm/<api>/<case>/stream.txt` (bytes of a response; `stream.bin` where they are no text), `events.txt` (what is understood), and
//! `settings.toml` where the case needs a setting. Every stream is also fed byte by byte and in random pieces.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use codriver::llm::APIS;
use codriver::llm::StreamEvent;
use codriver::llm::Thinking;
use codriver::llm::protocol::Decoder;
use codriver::models::Catalog;
use codriver::models::ModelSettings;

use crate::support;

#[test]
fn recorded_streams_of_every_protocol() {
    for api in APIS {
        support::check_all(&format!("llm/{}", api.name), |case| check(api.name, case));
    }
}

fn check(api: &str, case: &Path) -> Result<(), String> {
    let bytes = fs::read(case.join("stream.txt"))
        .or_else(|_| fs::read(case.join("stream.bin")))
        .map_err(|error| error.to_string())?;
    let mut settings = model(api);
    if let Ok(text) = fs::read_to_string(case.join("settings.toml")) {
        let table: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
        settings.reasoning_tag = table
            .get("reasoning_tag")
            .and_then(|tag| tag.as_str())
            .map(str::to_owned);
    }
    let whole = decode(&settings, std::iter::once(bytes.as_slice()));
    let single = decode(&settings, bytes.chunks(1));
    if single != whole {
        return Err(format!("byte by byte:\n{}", support::line_diff(&whole, &single)));
    }
    for seed in 0..8 {
        let pieces = random_pieces(&bytes, seed);
        let cut = decode(&settings, pieces.into_iter());
        if cut != whole {
            return Err(format!("in pieces, seed {seed}:\n{}", support::line_diff(&whole, &cut)));
        }
    }
    support::expect_file(&case.join("events.txt"), &whole)
}

/// A model of that protocol.
pub(super) fn model(api: &str) -> ModelSettings {
    let name = match api {
        "openai" => "deepseek/deepseek-v4-pro",
        "responses" => "openai/gpt-5.3-codex",
        "anthropic" => "anthropic/claude-sonnet-5-5",
        "gemini" => "gemini/gemini-3.8-flash",
        "ollama" => "ollama/llama3.1:70b",
        "bedrock" => "bedrock/us.anthropic.claude-sonnet-5-5",
        "vertex-gemini" => "vertex/gemini-3.8-flash",
        "vertex-anthropic" => "vertex/claude-sonnet-5-5",
        other => panic!("no model for {other}"),
    };
    let settings = Catalog::builtin().resolve(name).unwrap();
    assert_eq!(settings.api, api);
    ModelSettings {
        reasoning_tag: None,
        ..settings
    }
}

fn decode<'a>(settings: &ModelSettings, pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let api = APIS.iter().find(|api| api.name == settings.api).unwrap();
    let protocol = (api.protocol)(settings, &Thinking::default());
    let mut decoder = Decoder::new(protocol.reader(), protocol.framing(), settings.reasoning_tag.as_deref());
    let (mut text, mut reasoning, mut notices) = (String::new(), String::new(), String::new());
    let mut broken = None;
    let mut take = |decoder: &mut Decoder| {
        for event in decoder.collected.take_pending() {
            match event {
                StreamEvent::Text(piece) => text.push_str(&piece),
                StreamEvent::Reasoning(piece) => reasoning.push_str(&piece),
                StreamEvent::Notice(notice) => writeln!(notices, "notice: {notice}").unwrap(),
                StreamEvent::Retrying { .. } => panic!("a decoder does not retry"),
            }
        }
    };
    for piece in pieces {
        let step = decoder.push(piece);
        take(&mut decoder);
        if let Err(error) = step {
            broken = Some(error);
            break;
        }
    }
    if broken.is_none() {
        broken = decoder.finish().err();
    }
    decoder.collected.close();
    take(&mut decoder);
    let ended = decoder.collected.ended;
    let reply = decoder.collected.into_reply(broken.map(|error| error.to_string()));
    assert_eq!(
        (reply.text.as_str(), reply.reasoning.as_str()),
        (text.as_str(), reasoning.as_str())
    );
    let usage = reply.usage;
    format!(
        "text: {text:?}\nreasoning: {reasoning:?}\nfinish: {:?}\nended: {ended}\nusage: input {} (cached {}, written {}), output {} (reasoning {})\n{notices}",
        reply.finish, usage.input, usage.cached_input, usage.cache_write, usage.output, usage.reasoning
    )
}

/// Cuts at places that follow from the seed alone.
fn random_pieces(bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    let mut pieces = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let size = (state % 40 + 1) as usize;
        let (piece, after) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[test]
fn a_huge_stream_is_read_in_linear_time() {
    // 20 MB in one event and in many; a reader that copies its buffer once a line would take minutes.
    let settings = model("openai");
    let text = "x".repeat(10_000_000);
    let event = serde_json::json!({"choices": [{"delta": {"content": text}}]});
    let mut bytes = format!("data: {event}\n\n").into_bytes();
    let small = serde_json::json!({"choices": [{"delta": {"content": "y".repeat(40)}}]});
    for _ in 0..100_000 {
        bytes.extend_from_slice(format!("data: {small}\n\n").as_bytes());
    }
    bytes.extend_from_slice(b"data: [DONE]\n\n");
    let shown = decode(&settings, bytes.chunks(1_400));
    assert!(
        shown.ends_with("finish: Stop\nended: true\nusage: input 0 (cached 0, written 0), output 0 (reasoning 0)\n")
    );
    assert!(shown.len() > 14_000_000);
}
