//! Google's Gemini. <https://ai.google.dev/api/generate-content>

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Error;
use super::Finish;
use super::Request;
use super::Usage;
use super::anthropic::budget_of;
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

/// The protocol for one model.
pub struct Gemini {
    settings: ModelSettings,
    thinking: Thinking,
}

impl Gemini {
    pub fn new(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            thinking: thinking.clone(),
        }
    }

    fn thinking(&self) -> Option<Value> {
        let effort = self
            .thinking
            .effort
            .as_ref()
            .or(self.settings.reasoning_effort.as_ref());
        let mut config = Map::new();
        match self.settings.reasoning {
            Reasoning::None | Reasoning::Always => return None,
            Reasoning::Budget => {
                let budget = self.thinking.budget.or_else(|| effort.map(|effort| budget_of(effort)));
                if let Some(budget) = budget {
                    config.insert("thinkingBudget".to_owned(), json!(budget));
                }
            }
            Reasoning::Effort | Reasoning::Adaptive => {
                if let Some(effort) = effort {
                    config.insert("thinkingLevel".to_owned(), json!(effort.to_uppercase()));
                }
            }
        }
        config.insert("includeThoughts".to_owned(), json!(true));
        Some(Value::Object(config))
    }
}

impl Protocol for Gemini {
    fn path(&self, quirks: &Quirks) -> String {
        let model = &self.settings.wire_name;
        if self.settings.streaming && !quirks.no_streaming {
            format!("/v1beta/models/{model}:streamGenerateContent?alt=sse")
        } else {
            format!("/v1beta/models/{model}:generateContent")
        }
    }

    fn models_path(&self) -> Option<String> {
        Some("/v1beta/models".to_owned())
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        protocol::key_header(&self.settings, "x-goog-api-key", key)
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let settings = &self.settings;
        let (system, messages) = protocol::split_system(protocol::conversation(request, settings, quirks));
        let contents: Vec<Value> = messages
            .iter()
            .map(|message| {
                let role = if message.role == Role::Assistant {
                    "model"
                } else {
                    "user"
                };
                json!({"role": role, "parts": parts(message)})
            })
            .collect();
        let mut body = Map::new();
        if let Some(system) = system {
            body.insert("systemInstruction".to_owned(), json!({"parts": parts(&system)}));
        }
        body.insert("contents".to_owned(), Value::Array(contents));
        let mut config = Map::new();
        if let Some(limit) = request.max_output_tokens {
            config.insert("maxOutputTokens".to_owned(), json!(limit));
        }
        if let Some(temperature) = request.temperature.or(settings.temperature) {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(thinking) = self.thinking() {
            config.insert("thinkingConfig".to_owned(), thinking);
        }
        if !config.is_empty() {
            body.insert("generationConfig".to_owned(), Value::Object(config));
        }
        protocol::merge(&mut body, &settings.extra_body);
        quirks.strip(&mut body);
        Value::Object(body)
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        Box::new(Reader)
    }
}

fn parts(message: &Merged) -> Vec<Value> {
    message
        .blocks()
        .into_iter()
        .map(|(part, _)| match part {
            Part::Text { text } => json!({"text": text}),
            Part::File { media_type, data, .. } => json!({"inlineData": {"mimeType": media_type, "data": data}}),
        })
        .collect()
}

struct Reader;

impl ReadEvents for Reader {
    fn event(&mut self, _name: &str, value: &Value, out: &mut Collected) -> Result<(), Error> {
        if let Some(list) = value.as_array() {
            return list.iter().try_for_each(|value| self.event("", value, out));
        }
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::in_stream(value));
        }
        if let Some(usage) = value.get("usageMetadata").filter(|usage| usage.is_object()) {
            let thoughts = tokens(usage, "/thoughtsTokenCount");
            out.usage = Some(Usage {
                input: tokens(usage, "/promptTokenCount"),
                output: tokens(usage, "/candidatesTokenCount") + thoughts,
                cached_input: tokens(usage, "/cachedContentTokenCount"),
                cache_write: 0,
                reasoning: thoughts,
                ..Usage::default()
            });
        }
        if let Some(reason) = value.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            out.finish = Some(Finish::Refused(format!("the prompt was blocked: {reason}")));
        }
        let Some(candidate) = value.pointer("/candidates/0") else {
            return Ok(());
        };
        for part in candidate
            .pointer("/content/parts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let text = part.get("text").and_then(Value::as_str).unwrap_or("");
            if part.get("thought").and_then(Value::as_bool) == Some(true) {
                out.reasoning(text);
            } else {
                out.text(text);
            }
        }
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            out.finish = Some(match reason {
                "STOP" | "FINISH_REASON_UNSPECIFIED" => Finish::Stop,
                "MAX_TOKENS" | "CONTINUATION" => Finish::Length,
                "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" | "OTHER" => {
                    Finish::Incomplete(format!("the provider ended the reply: {reason}"))
                }
                _ => Finish::Refused(reason.to_owned()),
            });
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value, out: &mut Collected) -> Result<(), Error> {
        self.event("", value, out)?;
        if out.finish.is_none() && out.is_empty() {
            return Err(Error::Protocol {
                message: "the answer holds no `candidates`".to_owned(),
            });
        }
        Ok(())
    }
}
