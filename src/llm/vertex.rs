//! Google Cloud's Vertex AI: Gemini's and Anthropic's own protocols at other addresses, with the account's token in place of
//! a key. Open models are served there as chat completions, for which the address in `model-settings.toml` is enough.
//! <https://docs.cloud.google.com/vertex-ai/generative-ai/docs>

use serde_json::Value;
use serde_json::json;

use super::Request;
use super::anthropic::Anthropic;
use super::gemini::Gemini;
use super::options::Thinking;
use super::protocol;
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::protocol::ReadEvents;
use crate::models::ModelSettings;

/// The version of Anthropic's protocol that Vertex speaks.
const ANTHROPIC_VERSION: &str = "vertex-2023-10-16";

/// Whose models it serves, for one model.
pub struct Vertex {
    settings: ModelSettings,
    maker: Maker,
}

enum Maker {
    Google(Gemini),
    Anthropic(Anthropic),
}

impl Vertex {
    pub fn gemini(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            maker: Maker::Google(Gemini::new(settings, thinking)),
        }
    }

    pub fn anthropic(settings: &ModelSettings, thinking: &Thinking) -> Self {
        Self {
            settings: settings.clone(),
            maker: Maker::Anthropic(Anthropic::new(settings, thinking)),
        }
    }

    fn inner(&self) -> &dyn Protocol {
        match &self.maker {
            Maker::Google(inner) => inner,
            Maker::Anthropic(inner) => inner,
        }
    }
}

impl Protocol for Vertex {
    fn path(&self, quirks: &Quirks) -> String {
        let model = &self.settings.wire_name;
        let streaming = self.settings.streaming && !quirks.no_streaming;
        match (&self.maker, streaming) {
            (Maker::Google(_), true) => format!("/publishers/google/models/{model}:streamGenerateContent?alt=sse"),
            (Maker::Google(_), false) => format!("/publishers/google/models/{model}:generateContent"),
            (Maker::Anthropic(_), true) => format!("/publishers/anthropic/models/{model}:streamRawPredict"),
            (Maker::Anthropic(_), false) => format!("/publishers/anthropic/models/{model}:rawPredict"),
        }
    }

    /// Projects are not told which models they may use.
    fn models_path(&self) -> Option<String> {
        None
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        protocol::key_header(&self.settings, "authorization", key)
    }

    fn body(&self, request: &Request, quirks: &Quirks) -> Value {
        let mut body = self.inner().body(request, quirks);
        if let (Maker::Anthropic(_), Some(fields)) = (&self.maker, body.as_object_mut()) {
            // The address names the model, and the version is no header here.
            fields.remove("model");
            fields.insert("anthropic_version".to_owned(), json!(ANTHROPIC_VERSION));
        }
        body
    }

    fn reader(&self) -> Box<dyn ReadEvents> {
        self.inner().reader()
    }
}
