//! Ollama's own chat. <https://docs.ollama.com/api/chat>
//!
//! Its OpenAI-compatible side cannot set the window, and the default one (2k to 4k tokens) drops the beginning of the
//! prompt without a word. This side says how large the window must be with every request.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Error;
use super::Finish;
use super::Request;
use super::Usage;
use super::failure;
use super::options::Thinking;
use super::protocol;
use super::protocol::Collected;
use super::protocol::Framing;
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::protocol::ReadEvents;
use super::protocol::tokens;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::prompt;
use crate::models::ModelSettings;
use crate::models::Reasoning;

/// Windows are asked for in steps: each new size makes the server load the model anew.
const WINDOW_STEP: usize = 8_192;

/// Tokens kept for the reply when the request names no limit.
const REPLY: usize = 4_096;

/// The protocol for one model.
pub struct Ollama {
    settings: ModelSettings,
    thinking: Thinking,
}

impl Ollama {
    pub fn new(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            thinking: thinking.clone(),
        }
    }
}

/// The window to ask for: room for prompt and reply, in whole steps, no more than the model has.
fn window(prompt: usize, reply: usize, largest: Option<u32>) -> usize {
    // The model's own tokenizer may need a third more than ours.
    let needed = prompt * 4 / 3 + reply;
    let steps = needed.div_ceil(WINDOW_STEP) * WINDOW_STEP;
    largest.map_or(steps, |largest| steps.min(largest as usize))
}

impl Protocol for Ollama {
    fn path(&self, _quirks: &Quirks) -> String {
        "/api/chat".to_owned()
    }

    fn models_path(&self) -> Option<String> {
        Some("/api/tags".to_owned())
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        protocol::key_header(&self.settings, "authorization", key)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let settings = &self.settings;
        let messages: Vec<Value> = protocol::conversation(request, settings, quirks)
            .iter()
            .map(|message| {
                let role = match message.role {
                    Role::System => "system",
                    Role::User => "user",
                    Role::Assistant => "assistant",
                };
                let images: Vec<&String> = message
                    .parts
                    .iter()
                    .filter_map(|part| match part {
                        Part::File { media_type, data, .. } if media_type.starts_with("image/") => Some(data),
                        _ => None,
                    })
                    .collect();
                let mut value = json!({
                    "role": role,
                    "content": protocol::text_alone(message, |kind| kind.starts_with("image/")),
                });
                if !images.is_empty() {
                    value["images"] = json!(images);
                }
                value
            })
            .collect();
        let prompt: usize = request
            .messages
            .iter()
            .map(|message| prompt::message_tokens(message, &crate::tokens::estimate))
            .sum();
        let reply = request.max_output_tokens.map_or(REPLY, |limit| limit as usize);
        let mut options = Map::new();
        options.insert(
            "num_ctx".to_owned(),
            json!(window(prompt, reply, settings.context_window)),
        );
        if let Some(limit) = request.max_output_tokens {
            options.insert("num_predict".to_owned(), json!(limit));
        }
        if let Some(temperature) = request.temperature.or(settings.temperature) {
            options.insert("temperature".to_owned(), json!(temperature));
        }
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(settings.wire_name));
        body.insert("messages".to_owned(), Value::Array(messages));
        body.insert("stream".to_owned(), json!(settings.streaming && !quirks.no_streaming));
        body.insert("options".to_owned(), Value::Object(options));
        if let Some(think) = self.think() {
            body.insert("think".to_owned(), think);
        }
        protocol::merge(&mut body, &settings.extra_body);
        quirks.strip(&mut body);
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        Box::new(Reader)
    }
}

impl Ollama {
    fn think(&self) -> Option<Value> {
        if self.settings.reasoning == Reasoning::None && self.settings.reasoning_tag.is_none() {
            return None;
        }
        if self.thinking.budget == Some(0) {
            return Some(json!(false));
        }
        match self.thinking.effort.as_deref() {
            None => None,
            Some("none") => Some(json!(false)),
            Some(effort) if self.settings.reasoning == Reasoning::Effort => Some(json!(effort)),
            Some(_) => Some(json!(true)),
        }
    }
}

struct Reader;

impl ReadEvents for Reader {
    fn event(&mut self, _name: &str, value: &Value, out: &mut Collected) -> Result<(), Error> {
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::in_stream(value));
        }
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        out.reasoning(text("/message/thinking"));
        out.text(text("/message/content"));
        if value.get("done").and_then(Value::as_bool) == Some(true) {
            out.finish = Some(match text("/done_reason") {
                "length" => Finish::Length,
                _ => Finish::Stop,
            });
            if value.get("eval_count").is_some() || value.get("prompt_eval_count").is_some() {
                out.usage = Some(Usage {
                    input: tokens(value, "/prompt_eval_count"),
                    output: tokens(value, "/eval_count"),
                    ..Usage::default()
                });
            }
            out.ended = true;
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error> {
        self.event("", value, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_holds_prompt_and_reply() {
        assert_eq!(window(100, 4_096, None), 8_192);
        assert_eq!(window(9_000, 4_096, None), 16_384);
        assert!(window(20_000, 4_096, None) >= 24_096);
        assert_eq!(window(20_000, 4_096, Some(16_000)), 16_000);
    }
}
