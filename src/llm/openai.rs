//! OpenAI's chat completions, and everything that is compatible with them: the protocol that most hosts and local servers speak.
//!
//! <https://platform.openai.com/docs/api-reference/chat>. A client of our own rather than a crate: every gateway bends the
//! protocol in its own way (reasoning in four fields, usage in two places, errors inside the stream), and typed crates
//! stop at the first field that is not as their type says.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Charged;
use super::Error;
use super::Finish;
use super::Request;
use super::Usage;
use super::failure;
use super::options::Thinking;
use super::protocol;
use super::protocol::CacheMarkField;
use super::protocol::Collected;
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::protocol::ReadEvents;
use super::protocol::tokens;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::roles::Merged;
use crate::models::ModelSettings;
use crate::models::Reasoning;

/// The protocol for one model.
pub struct OpenAi {
    settings: ModelSettings,
    thinking: Thinking,
}

impl OpenAi {
    pub fn new(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            thinking: thinking.clone(),
        }
    }

    fn messages(&self, request: &Request, quirks: &Quirks) -> Vec<Value> {
        let mark = protocol::cache_mark(&self.settings, quirks);
        protocol::conversation(request, &self.settings, quirks)
            .iter()
            .map(|message| {
                json!({
                    "role": role(message.role),
                    "content": content(message, mark.as_ref(), quirks.text_only),
                })
            })
            .collect()
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// A plain text where that says it all (some servers take nothing else), a list of parts where not.
fn content(message: &Merged, mark: Option<&CacheMarkField>, text_only: bool) -> Value {
    let marked = mark.is_some() && !message.marks.is_empty();
    if text_only || (!message.has_files() && !marked) {
        return Value::String(protocol::text_alone(message, |_| false));
    }
    let parts = message.blocks().into_iter().map(|(part, is_end)| {
        let mut value = match part {
            Part::Text { text } => json!({"type": "text", "text": text}),
            Part::File { name, media_type, data } => file_part(&name, &media_type, &data),
        };
        if let Some((field, written)) = mark.filter(|_| is_end) {
            value[*field] = written.clone();
        }
        value
    });
    Value::Array(parts.collect())
}

fn file_part(name: &str, media_type: &str, data: &str) -> Value {
    let url = format!("data:{media_type};base64,{data}");
    if media_type.starts_with("image/") {
        json!({"type": "image_url", "image_url": {"url": url}})
    } else {
        json!({"type": "file", "file": {"filename": name, "file_data": url}})
    }
}

impl Protocol for OpenAi {
    fn path(&self, _quirks: &Quirks) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        protocol::key_header(&self.settings, "authorization", key)
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let settings = &self.settings;
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(settings.wire_name));
        body.insert("messages".to_owned(), Value::Array(self.messages(request, quirks)));
        let streaming = settings.streaming && !quirks.no_streaming;
        body.insert("stream".to_owned(), json!(streaming));
        if streaming {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        if let Some(temperature) = request.temperature.or(settings.temperature) {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(limit) = request.max_output_tokens {
            let field = quirks
                .max_tokens_field
                .as_deref()
                .or(settings.max_tokens_field.as_deref())
                .unwrap_or("max_tokens");
            body.insert(field.to_owned(), json!(limit));
        }
        match settings.reasoning {
            Reasoning::None | Reasoning::Always => {}
            Reasoning::Effort | Reasoning::Adaptive | Reasoning::Budget => {
                if let Some(effort) = self.thinking.effort.as_ref().or(settings.reasoning_effort.as_ref()) {
                    body.insert("reasoning_effort".to_owned(), json!(effort));
                }
            }
        }
        protocol::merge(&mut body, &settings.extra_body);
        quirks.strip(&mut body);
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        Box::new(Reader)
    }
}

struct Reader;

impl ReadEvents for Reader {
    fn event(&mut self, _name: &str, value: &Value, out: &mut Collected) -> Result<(), Error> {
        // vLLM puts the fields of an error at the top.
        let is_error = value.get("object").and_then(Value::as_str) == Some("error");
        if is_error || value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::in_stream(value));
        }
        read_usage(value, out);
        let Some(choice) = value.pointer("/choices/0") else {
            return Ok(());
        };
        if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
            return Err(failure::in_stream(&json!({ "error": error })));
        }
        let part = choice
            .get("delta")
            .or_else(|| choice.get("message"))
            .unwrap_or(&Value::Null);
        read_part(part, out);
        read_finish(choice, out);
        Ok(())
    }

    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error> {
        if value.pointer("/choices/0").is_none() {
            return Err(Error::Protocol {
                message: "the answer holds no `choices`".to_owned(),
            });
        }
        self.event("", value, out)?;
        if out.finish.is_none() {
            out.finish = Some(Finish::Stop);
        }
        out.ended = true;
        Ok(())
    }
}

/// Text and thoughts of a `delta` or `message`. Thoughts come as `reasoning_content` (DeepSeek, vLLM, llama.cpp), `reasoning`
/// (OpenRouter, Groq, Ollama) or `reasoning_details` (OpenRouter); a gateway that sends the same twice is read once.
fn read_part(part: &Value, out: &mut Collected) {
    let text_of = |field: &str| part.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(thought) = text_of("reasoning_content").or_else(|| text_of("reasoning")) {
        out.reasoning(thought);
    } else if let Some(details) = part.get("reasoning_details").and_then(Value::as_array) {
        for detail in details {
            let text = detail
                .get("text")
                .or_else(|| detail.get("summary"))
                .and_then(Value::as_str);
            out.reasoning(text.unwrap_or(""));
        }
    }
    match part.get("content") {
        Some(Value::String(text)) => out.text(text),
        // Mistral's reasoning models send a list of typed parts.
        Some(Value::Array(parts)) => {
            for part in parts {
                if let Some(text) = part.get("text").and_then(Value::as_str) {
                    out.text(text);
                }
                for thought in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
                    out.reasoning(thought.get("text").and_then(Value::as_str).unwrap_or(""));
                }
            }
        }
        _ => {}
    }
    if let Some(refusal) = text_of("refusal") {
        out.text(refusal);
        out.finish = Some(Finish::Refused("refusal".to_owned()));
    }
}

fn read_finish(choice: &Value, out: &mut Collected) {
    let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) else {
        return;
    };
    if matches!(out.finish, Some(Finish::Refused(_))) {
        return;
    }
    out.finish = Some(match reason {
        "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => Finish::Length,
        // `sensitive` is GLM's word.
        "content_filter" | "refusal" | "safety" | "sensitive" => Finish::Refused(reason.to_owned()),
        "error" => Finish::Incomplete("the provider ended the reply with an error".to_owned()),
        // vLLM; DeepSeek under load; GLM.
        "abort" | "insufficient_system_resource" | "network_error" => {
            Finish::Incomplete(format!("the provider ended the reply: {reason}"))
        }
        // `stop`, `eos`, `tool_calls` of models that end so without any call, and whatever else is new.
        _ => Finish::Stop,
    });
}

/// Usage stands at the top of the last event, or in the choice (Groq's `x_groq`, Moonshot).
fn read_usage(value: &Value, out: &mut Collected) {
    let usage = [
        value.get("usage"),
        value.pointer("/x_groq/usage"),
        value.pointer("/choices/0/usage"),
    ]
    .into_iter()
    .flatten()
    .find(|usage| usage.is_object());
    let Some(usage) = usage else { return };
    let cached = tokens(usage, "/prompt_tokens_details/cached_tokens")
        .max(tokens(usage, "/prompt_cache_hit_tokens"))
        .max(tokens(usage, "/cached_tokens"))
        .max(tokens(usage, "/cache_read_input_tokens"));
    let written =
        tokens(usage, "/cache_creation_input_tokens").max(tokens(usage, "/prompt_tokens_details/cache_write_tokens"));
    out.usage = Some(Usage {
        input: tokens(usage, "/prompt_tokens"),
        output: tokens(usage, "/completion_tokens"),
        cached_input: cached,
        cache_write: written,
        reasoning: tokens(usage, "/completion_tokens_details/reasoning_tokens"),
        charged: charged(usage),
        ..Usage::default()
    });
}

/// What OpenRouter (`cost`, and the maker's own bill where the key is the user's) and Perplexity (`cost.total_cost`) say.
fn charged(usage: &Value) -> Charged {
    let dollars = |pointer: &str| usage.pointer(pointer).and_then(Value::as_f64);
    let own_key = usage.get("is_byok").and_then(Value::as_bool) == Some(true);
    let upstream = dollars("/cost_details/upstream_inference_cost").filter(|_| own_key);
    let told = dollars("/cost").or_else(|| dollars("/cost/total_cost"));
    told.map_or(Charged::ByPrice, |cost| {
        Charged::Dollars(cost + upstream.unwrap_or(0.0))
    })
}
