//! Anthropic's messages. <https://docs.anthropic.com/en/api/messages-streaming>

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
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::protocol::ReadEvents;
use super::protocol::tokens;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::roles::Merged;
use crate::models::ModelSettings;
use crate::models::Reasoning;

const VERSION: &str = "2023-06-01";

/// The protocol wants a limit. More only matters for replies that are longer, and these can be continued.
const DEFAULT_LIMIT: u32 = 32_000;

/// For models whose limit is not known.
const SAFE_LIMIT: u32 = 8_192;

/// Marks that a request may have.
pub(super) const MAX_MARKS: usize = 4;

/// The least that can be asked for.
const LEAST_BUDGET: u32 = 1_024;

/// The protocol for one model.
pub struct Anthropic {
    settings: ModelSettings,
    thinking: Thinking,
}

impl Anthropic {
    pub fn new(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            thinking: thinking.clone(),
        }
    }

    /// Adds what the user wants of thinking; returns the tokens it takes beside the reply.
    pub(super) fn think(&self, body: &mut Map<String, Value>) -> u32 {
        let effort = self
            .thinking
            .effort
            .as_ref()
            .or(self.settings.reasoning_effort.as_ref());
        match self.settings.reasoning {
            Reasoning::None | Reasoning::Always => 0,
            Reasoning::Adaptive | Reasoning::Effort => {
                if self.thinking.budget == Some(0) {
                    body.insert("thinking".to_owned(), json!({"type": "disabled"}));
                } else if let Some(effort) = effort {
                    body.insert(
                        "thinking".to_owned(),
                        json!({"type": "adaptive", "display": "summarized"}),
                    );
                    body.insert("output_config".to_owned(), json!({ "effort": effort }));
                }
                0
            }
            Reasoning::Budget => {
                let asked = self.thinking.budget.or_else(|| effort.map(|effort| budget_of(effort)));
                let Some(budget) = asked.filter(|budget| *budget > 0) else {
                    return 0;
                };
                let budget = budget.max(LEAST_BUDGET);
                body.insert(
                    "thinking".to_owned(),
                    json!({"type": "enabled", "budget_tokens": budget}),
                );
                budget
            }
        }
    }
}

/// Thinking tokens for an effort word.
pub fn budget_of(effort: &str) -> u32 {
    match effort {
        "none" => 0,
        "minimal" => LEAST_BUDGET,
        "low" => 2_048,
        "medium" => 8_192,
        "high" => 16_384,
        _ => 32_000,
    }
}

impl Protocol for Anthropic {
    fn path(&self, _quirks: &Quirks) -> String {
        "/v1/messages".to_owned()
    }

    fn models_path(&self) -> Option<String> {
        Some("/v1/models".to_owned())
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        let mut headers = protocol::key_header(&self.settings, "x-api-key", key);
        headers.push(("anthropic-version".to_owned(), VERSION.to_owned()));
        headers
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let settings = &self.settings;
        let (system, mut messages) = protocol::split_system(protocol::conversation(request, settings, quirks));
        let mut marks = if settings.cache_marks && !quirks.no_cache_marks {
            let all: usize = system.iter().chain(&messages).map(|message| message.marks.len()).sum();
            Marks {
                skip: all.saturating_sub(MAX_MARKS),
                on: true,
            }
        } else {
            Marks { skip: 0, on: false }
        };
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
        body.insert("model".to_owned(), json!(settings.wire_name));
        if let Some(system) = system {
            body.insert("system".to_owned(), system);
        }
        body.insert("messages".to_owned(), Value::Array(messages));
        body.insert("stream".to_owned(), json!(settings.streaming && !quirks.no_streaming));
        let limit = request
            .max_output_tokens
            .or(settings.max_output.map(|most| most.min(DEFAULT_LIMIT)))
            .unwrap_or(SAFE_LIMIT);
        let thinking = self.think(&mut body);
        body.insert("max_tokens".to_owned(), json!(limit.saturating_add(thinking)));
        // Models that think adaptively refuse it.
        if thinking == 0
            && settings.reasoning != Reasoning::Adaptive
            && let Some(temperature) = request.temperature.or(settings.temperature)
        {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        protocol::merge(&mut body, &settings.extra_body);
        quirks.strip(&mut body);
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        Box::new(Reader::default())
    }
}

/// Of more marks than the protocol takes, the last ones count: they hold the longest beginnings.
struct Marks {
    skip: usize,
    on: bool,
}

fn content(message: &Merged, marks: &mut Marks) -> Value {
    let blocks = message.blocks().into_iter().map(|(part, mark)| {
        let mut block = match part {
            Part::Text { text } => json!({"type": "text", "text": text}),
            Part::File { name, media_type, data } => {
                let source = json!({"type": "base64", "media_type": media_type, "data": data});
                if media_type.starts_with("image/") {
                    json!({"type": "image", "source": source})
                } else {
                    json!({"type": "document", "source": source, "title": name})
                }
            }
        };
        if mark && marks.on {
            if marks.skip > 0 {
                marks.skip -= 1;
            } else {
                block["cache_control"] = json!({"type": "ephemeral"});
            }
        }
        block
    });
    Value::Array(blocks.collect())
}

/// The beginning of a reply must not end in white space.
pub(super) fn trim_end(message: &mut Merged) {
    if let Some(Part::Text { text }) = message.parts.last_mut() {
        text.truncate(text.trim_end().len());
    }
}

#[derive(Default)]
struct Reader {
    usage: Usage,
}

impl Reader {
    /// Later reports hold totals; what one does not name stays.
    fn read_usage(&mut self, usage: Option<&Value>, out: &mut Collected) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else {
            return;
        };
        let cached = tokens(usage, "/cache_read_input_tokens").max(self.usage.cached_input);
        let written = tokens(usage, "/cache_creation_input_tokens").max(self.usage.cache_write);
        let plain = self
            .usage
            .input
            .saturating_sub(self.usage.cached_input + self.usage.cache_write);
        let plain = tokens(usage, "/input_tokens").max(plain);
        self.usage = Usage {
            input: plain + cached + written,
            output: tokens(usage, "/output_tokens").max(self.usage.output),
            cached_input: cached,
            cache_write: written,
            reasoning: tokens(usage, "/output_tokens_details/thinking_tokens").max(self.usage.reasoning),
            ..Usage::default()
        };
        out.usage = Some(self.usage);
    }
}

impl ReadEvents for Reader {
    fn event(&mut self, _name: &str, value: &Value, out: &mut Collected) -> Result<(), Error> {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        match text("/type") {
            "message_start" => self.read_usage(value.pointer("/message/usage"), out),
            "content_block_start" => {
                out.text(text("/content_block/text"));
                out.reasoning(text("/content_block/thinking"));
            }
            "content_block_delta" => {
                out.text(text("/delta/text"));
                out.reasoning(text("/delta/thinking"));
            }
            "message_delta" => {
                self.read_usage(value.get("usage"), out);
                let explanation = text("/delta/stop_details/explanation");
                out.finish = finish(text("/delta/stop_reason"), explanation).or(out.finish.take());
            }
            "message_stop" => out.ended = true,
            "error" => return Err(failure::in_stream(value)),
            _ if value.get("error").is_some_and(|error| !error.is_null()) => return Err(failure::in_stream(value)),
            // `ping`, `content_block_stop`, and what is new.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error> {
        let Some(blocks) = value.get("content").and_then(Value::as_array) else {
            return Err(Error::Protocol {
                message: "the answer holds no `content`".to_owned(),
            });
        };
        for block in blocks {
            let text = |field: &str| block.get(field).and_then(Value::as_str).unwrap_or("");
            out.reasoning(text("thinking"));
            out.text(text("text"));
        }
        self.read_usage(value.get("usage"), out);
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        out.finish = finish(text("/stop_reason"), text("/stop_details/explanation")).or(Some(Finish::Stop));
        out.ended = true;
        Ok(())
    }
}

/// `explanation` of a refusal, empty when there is none.
fn finish(reason: &str, explanation: &str) -> Option<Finish> {
    match reason {
        "" => None,
        "max_tokens" | "model_context_window_exceeded" => Some(Finish::Length),
        "refusal" if explanation.is_empty() => Some(Finish::Refused(reason.to_owned())),
        "refusal" => Some(Finish::Refused(explanation.to_owned())),
        _ => Some(Finish::Stop),
    }
}
