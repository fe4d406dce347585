//! OpenAI's responses. <https://platform.openai.com/docs/api-reference/responses-streaming>

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
use super::protocol::CacheMarkField;
use super::protocol::Collected;
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::protocol::ReadEvents;
use super::protocol::tokens;
use crate::chat::message::Part;
use crate::chat::message::Role;
use crate::chat::roles::Merged;
use crate::models::CacheMark;
use crate::models::ModelSettings;
use crate::models::Reasoning;

/// The protocol for one model.
pub struct Responses {
    settings: ModelSettings,
    thinking: Thinking,
}

impl Responses {
    pub fn new(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            thinking: thinking.clone(),
        }
    }
}

impl Protocol for Responses {
    fn path(&self, _quirks: &Quirks) -> String {
        "/responses".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        protocol::key_header(&self.settings, "authorization", key)
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let settings = &self.settings;
        let (system, messages) = protocol::split_system(protocol::conversation(request, settings, quirks));
        let mark = protocol::cache_mark(settings, quirks).filter(|_| settings.cache_mark == CacheMark::Breakpoint);
        let input: Vec<Value> = messages.iter().map(|message| item(message, mark.as_ref())).collect();
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(settings.wire_name));
        if let Some(system) = system {
            body.insert("instructions".to_owned(), json!(system.text()));
        }
        body.insert("input".to_owned(), Value::Array(input));
        body.insert("stream".to_owned(), json!(settings.streaming && !quirks.no_streaming));
        // The history is ours; the server need not keep it.
        body.insert("store".to_owned(), json!(false));
        if let Some(limit) = request.max_output_tokens {
            body.insert("max_output_tokens".to_owned(), json!(limit));
        }
        if let Some(temperature) = request.temperature.or(settings.temperature) {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if !matches!(settings.reasoning, Reasoning::None) {
            let mut reasoning = Map::new();
            if let Some(effort) = self.thinking.effort.as_ref().or(settings.reasoning_effort.as_ref()) {
                reasoning.insert("effort".to_owned(), json!(effort));
            }
            reasoning.insert("summary".to_owned(), json!("auto"));
            body.insert("reasoning".to_owned(), Value::Object(reasoning));
        }
        protocol::merge(&mut body, &settings.extra_body);
        quirks.strip(&mut body);
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        Box::new(Reader::default())
    }
}

/// Messages of the model go back as plain text; others too, unless something must stand apart in them.
fn item(message: &Merged, mark: Option<&CacheMarkField>) -> Value {
    if message.role == Role::Assistant {
        return json!({"role": "assistant", "content": message.text()});
    }
    let marked = mark.is_some() && !message.marks.is_empty();
    if !message.has_files() && !marked {
        return json!({"role": "user", "content": message.text()});
    }
    let content = message.blocks().into_iter().map(|(part, is_end)| {
        let mut value = match part {
            Part::Text { text } => json!({"type": "input_text", "text": text}),
            Part::File { name, media_type, data } => {
                let url = format!("data:{media_type};base64,{data}");
                if media_type.starts_with("image/") {
                    json!({"type": "input_image", "image_url": url, "detail": "auto"})
                } else {
                    json!({"type": "input_file", "filename": name, "file_data": url})
                }
            }
        };
        if let Some((field, written)) = mark.filter(|_| is_end) {
            value[*field] = written.clone();
        }
        value
    });
    json!({"role": "user", "content": content.collect::<Vec<_>>()})
}

#[derive(Default)]
struct Reader {
    /// A thought has come; the next one is a paragraph of its own.
    thought: bool,
}

impl ReadEvents for Reader {
    fn event(&mut self, name: &str, value: &Value, out: &mut Collected) -> Result<(), Error> {
        let delta = || value.get("delta").and_then(Value::as_str).unwrap_or("");
        match value.get("type").and_then(Value::as_str).unwrap_or(name) {
            "response.output_text.delta" => out.text(delta()),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.thought = true;
                out.reasoning(delta());
            }
            "response.reasoning_summary_part.added" if self.thought => out.reasoning("\n\n"),
            "response.refusal.delta" => {
                out.text(delta());
                out.finish = Some(Finish::Refused("refusal".to_owned()));
            }
            "response.completed" | "response.incomplete" => {
                let response = value.get("response").unwrap_or(&Value::Null);
                read_end(response, out);
                out.ended = true;
            }
            "response.failed" | "error" => return Err(failure::in_stream(value)),
            _ if value.get("error").is_some_and(|error| !error.is_null()) => return Err(failure::in_stream(value)),
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error> {
        let Some(items) = value.get("output").and_then(Value::as_array) else {
            return Err(Error::Protocol {
                message: "the answer holds no `output`".to_owned(),
            });
        };
        for item in items {
            let kind = item.get("type").and_then(Value::as_str).unwrap_or("");
            for part in ["summary", "content"]
                .iter()
                .filter_map(|field| item.get(*field)?.as_array())
                .flatten()
            {
                let text = part
                    .get("text")
                    .or_else(|| part.get("refusal"))
                    .and_then(Value::as_str)
                    .unwrap_or("");
                match kind {
                    "reasoning" => out.reasoning(text),
                    "message" => {
                        out.text(text);
                        if part.get("refusal").is_some() {
                            out.finish = Some(Finish::Refused("refusal".to_owned()));
                        }
                    }
                    _ => {}
                }
            }
        }
        read_end(value, out);
        out.ended = true;
        Ok(())
    }
}

/// Status and usage of a whole response.
fn read_end(response: &Value, out: &mut Collected) {
    if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
        out.usage = Some(Usage {
            input: tokens(usage, "/input_tokens"),
            output: tokens(usage, "/output_tokens"),
            cached_input: tokens(usage, "/input_tokens_details/cached_tokens"),
            cache_write: tokens(usage, "/input_tokens_details/cache_write_tokens"),
            reasoning: tokens(usage, "/output_tokens_details/reasoning_tokens"),
            ..Usage::default()
        });
    }
    if out.finish.is_some() {
        return;
    }
    let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
    out.finish = Some(match (response.get("status").and_then(Value::as_str), reason) {
        (_, Some("max_output_tokens")) => Finish::Length,
        (_, Some("content_filter")) => Finish::Refused("content_filter".to_owned()),
        (_, Some(other)) => Finish::Incomplete(other.to_owned()),
        (Some("incomplete" | "failed" | "cancelled"), None) => {
            Finish::Incomplete("the provider ended the reply".to_owned())
        }
        _ => Finish::Stop,
    });
}
