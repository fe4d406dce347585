//! Amazon Bedrock's converse, which has one form for the models of all makers.
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>
//!
//! A client of our own over Amazon's crates for signatures (see [`super::account::aws`]) and frames (see [`super::frames`]):
//! the whole SDK would more than double the build.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Error;
use super::Finish;
use super::Request;
use super::Usage;
use super::anthropic::Anthropic;
use super::anthropic::MAX_MARKS;
use super::anthropic::trim_end;
use super::failure;
use super::options::Thinking;
use super::protocol;
use super::protocol::Collected;
use super::protocol::Framing;
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::protocol::ReadEvents;
use super::protocol::percent_encoded;
use super::protocol::tokens;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::roles::Merged;
use crate::models::ModelSettings;
use crate::models::Reasoning;

/// The protocol for one model.
pub struct Bedrock {
    settings: ModelSettings,
    thinking: Thinking,
}

impl Bedrock {
    pub fn new(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            thinking: thinking.clone(),
        }
    }

    /// Fields that are the model's own and not converse's; returns the tokens that thinking takes beside the reply.
    fn own_fields(&self) -> (Map<String, Value>, u32) {
        let mut fields = Map::new();
        let mut beside = 0;
        match self.settings.reasoning {
            Reasoning::None | Reasoning::Always => {}
            Reasoning::Adaptive | Reasoning::Budget => {
                beside = Anthropic::new(&self.settings, &self.thinking).think(&mut fields);
            }
            Reasoning::Effort => {
                let effort = self.thinking.effort.as_ref();
                if let Some(effort) = effort.or(self.settings.reasoning_effort.as_ref()) {
                    fields.insert("reasoning_effort".to_owned(), json!(effort));
                }
            }
        }
        (fields, beside)
    }
}

impl Protocol for Bedrock {
    fn path(&self, quirks: &Quirks) -> String {
        let model = percent_encoded(&self.settings.wire_name);
        if self.settings.streaming && !quirks.no_streaming {
            format!("/model/{model}/converse-stream")
        } else {
            format!("/model/{model}/converse")
        }
    }

    /// Another server lists them, and asking it needs rights of its own.
    fn models_path(&self) -> Option<String> {
        None
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        protocol::key_header(&self.settings, "authorization", key)
    }

    fn framing(&self) -> Framing {
        Framing::Frames
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let settings = &self.settings;
        let (system, mut messages) = protocol::split_system(protocol::conversation(request, settings, quirks));
        let mut marks = Marks::new(
            settings.cache_marks && !quirks.no_cache_marks,
            system.iter().chain(&messages),
        );
        let system = system.map(|system| content(&system, &mut marks));
        if let Some(last) = messages.last_mut().filter(|last| last.role == Role::Assistant) {
            trim_end(last);
        }
        let messages: Vec<Value> = messages
            .iter()
            .map(|message| {
                let role = if message.role == Role::Assistant {
                    "assistant"
                } else {
                    "user"
                };
                json!({"role": role, "content": content(message, &mut marks)})
            })
            .collect();
        let mut body = Map::new();
        if let Some(system) = system {
            body.insert("system".to_owned(), json!(system));
        }
        body.insert("messages".to_owned(), Value::Array(messages));
        let (own, beside) = self.own_fields();
        let mut config = Map::new();
        if let Some(limit) = request.max_output_tokens {
            config.insert("maxTokens".to_owned(), json!(limit.saturating_add(beside)));
        }
        let thinks = own.contains_key("thinking") || settings.reasoning == Reasoning::Adaptive;
        if let Some(temperature) = request.temperature.or(settings.temperature).filter(|_| !thinks) {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        if !config.is_empty() {
            body.insert("inferenceConfig".to_owned(), Value::Object(config));
        }
        if !own.is_empty() {
            body.insert("additionalModelRequestFields".to_owned(), Value::Object(own));
        }
        protocol::merge(&mut body, &settings.extra_body);
        quirks.strip(&mut body);
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        Box::new(Reader)
    }
}

/// Of more cache marks than a request may have, the last ones count.
struct Marks {
    on: bool,
    skip: usize,
}

impl Marks {
    fn new<'a>(on: bool, messages: impl Iterator<Item = &'a Merged>) -> Self {
        let all: usize = messages.map(|message| message.marks.len()).sum();
        Self {
            on,
            skip: all.saturating_sub(MAX_MARKS),
        }
    }

    /// Whether the next mark is written.
    fn next(&mut self) -> bool {
        let skipped = self.skip > 0;
        self.skip -= usize::from(skipped);
        self.on && !skipped
    }
}

fn content(message: &Merged, marks: &mut Marks) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut files = 0;
    for (part, mark) in message.blocks() {
        blocks.push(match part {
            Part::Text { text } => json!({ "text": text }),
            Part::File { name, media_type, data } => {
                files += 1;
                file_block(&name, &media_type, &data, files)
            }
        });
        if mark && marks.next() {
            blocks.push(json!({"cachePoint": {"type": "default"}}));
        }
    }
    blocks
}

fn file_block(name: &str, media_type: &str, data: &str, number: usize) -> Value {
    let format = media_type.rsplit('/').next().unwrap_or(media_type);
    let source = json!({ "bytes": data });
    if media_type.starts_with("image/") {
        return json!({"image": {"format": format, "source": source}});
    }
    // Other signs are refused, and so are two documents of one name.
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-()[]".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();
    json!({"document": {"format": format, "name": format!("{name}-{number}"), "source": source}})
}

struct Reader;

impl ReadEvents for Reader {
    fn event(&mut self, name: &str, value: &Value, out: &mut Collected) -> Result<(), Error> {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        match name {
            "contentBlockDelta" => {
                out.text(text("/delta/text"));
                out.reasoning(text("/delta/reasoningContent/text"));
            }
            "messageStop" => out.finish = Some(finish(text("/stopReason"))),
            // The last event, and the only one after the stop.
            "metadata" => {
                read_usage(value.get("usage"), out);
                out.ended = out.finish.is_some();
            }
            name if name.to_lowercase().contains("exception") || name.to_lowercase().contains("error") => {
                let told = json!({"error": {"message": text("/message"), "type": name}});
                return Err(failure::in_stream(&told));
            }
            // `messageStart`, `contentBlockStart`, `contentBlockStop`, and what is new.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error> {
        let Some(blocks) = value.pointer("/output/message/content").and_then(Value::as_array) else {
            return Err(Error::Protocol {
                message: "the answer holds no `output`".to_owned(),
            });
        };
        for block in blocks {
            let text = |pointer: &str| block.pointer(pointer).and_then(Value::as_str).unwrap_or("");
            out.reasoning(text("/reasoningContent/reasoningText/text"));
            out.text(text("/text"));
        }
        read_usage(value.get("usage"), out);
        out.finish = Some(finish(value.get("stopReason").and_then(Value::as_str).unwrap_or("")));
        out.ended = true;
        Ok(())
    }
}

fn read_usage(usage: Option<&Value>, out: &mut Collected) {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else {
        return;
    };
    let cached = tokens(usage, "/cacheReadInputTokens");
    let written = tokens(usage, "/cacheWriteInputTokens");
    out.usage = Some(Usage {
        input: tokens(usage, "/inputTokens") + cached + written,
        output: tokens(usage, "/outputTokens"),
        cached_input: cached,
        cache_write: written,
        ..Usage::default()
    });
}

fn finish(reason: &str) -> Finish {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "guardrail_intervened" | "content_filtered" | "refusal" => Finish::Refused(reason.to_owned()),
        "malformed_model_output" | "malformed_tool_use" => {
            Finish::Incomplete(format!("the provider ended the reply: {reason}"))
        }
        _ => Finish::Stop,
    }
}
