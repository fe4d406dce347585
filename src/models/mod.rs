//! What is known about models: `model-settings.toml`, the user's own rows, and safe defaults for the rest.
//!
//! [`Catalog`] finds a model by name, [`cost`] prices what it used. Nothing here talks to a server (see [`crate::llm`])
//! and nothing asks what a model is called: what a family of names has in common is a row of the file.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use serde::Deserialize;

use crate::tokens::pictures;

pub mod catalog;
pub mod cost;
mod rows;

pub use catalog::Catalog;
pub use catalog::Error;

/// Everything codriver asks about a model. No code asks what a model is called.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// As the user named it, aliases resolved: `openai/gpt-5`.
    pub name: String,
    pub provider: String,
    /// Wire protocol: a name of `llm::APIS`.
    pub api: String,
    /// The name that is sent.
    pub wire_name: String,
    pub base_url: Option<String>,
    /// Variables that may hold the base URL, first wins.
    pub base_url_env: Vec<String>,
    /// What a base URL taken from a variable must end in (`/openai/v1` for Azure); added when it is missing. The first
    /// whose variables are set counts; `${model}` is the name that is sent.
    pub base_url_suffix: Vec<String>,
    /// Variables that may hold the key, first wins. Empty: no key is needed.
    pub key_env: Vec<String>,
    /// The server may well work without a key (local servers, gateways).
    pub key_optional: bool,
    /// Header that carries the key; None: the protocol's own.
    pub key_header: Option<String>,
    /// What stands in where no key is set.
    pub account: Account,
    /// The server runs on the user's machine: its real window is asked, and nothing is paid.
    pub local: bool,
    /// Tokens that the prompt may have.
    pub context_window: Option<u32>,
    /// Tokens that the reply may have.
    pub max_output: Option<u32>,
    pub prices: Option<Prices>,
    /// A name of `EDIT_FORMATS`.
    pub edit_format: String,
    pub weak_model: Option<String>,
    pub editor_model: Option<String>,
    /// Who is asked, in this order, when this one fails for good. Names as a user gives them.
    pub fallback_models: Vec<String>,
    /// None: the parameter is not sent.
    pub temperature: Option<f32>,
    pub streaming: bool,
    pub system_role: bool,
    pub examples_in_system: bool,
    pub reminder: bool,
    /// Tag of a thinking section inside the text, such as `think`.
    pub reasoning_tag: Option<String>,
    pub reasoning: Reasoning,
    /// Effort that is asked for when the user names none.
    pub reasoning_effort: Option<String>,
    /// The provider bills repeated prefixes at a lower price.
    pub prompt_cache: bool,
    /// ... but only up to marks in the request.
    pub cache_marks: bool,
    /// How a mark is written in chat completions and responses.
    pub cache_mark: CacheMark,
    /// Takes images.
    pub vision: bool,
    /// How it counts them.
    pub picture_tokens: pictures::Rule,
    /// Takes PDF files.
    pub pdf: bool,
    /// A reply can be continued by sending its beginning as the last message.
    pub prefill: bool,
    /// Name of the output limit in the request, where the protocol has several.
    pub max_tokens_field: Option<String>,
    /// Text in front of the system message.
    pub system_prompt_prefix: Option<String>,
    /// Tends to leave code out: the prompt asks for all of it.
    pub lazy: bool,
    /// Tends to change more than was asked: the prompt asks it not to.
    pub overeager: bool,
    pub extra_headers: Vec<(String, String)>,
    /// Fields merged into the request's body.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// There is a row for this model (or it is an unknown one with the defaults).
    pub known: bool,
    /// Last day (`2026-12-11`) that its provider announced for it.
    pub retires: Option<String>,
}

/// The accounts of clouds whose requests carry more than a key: a signature, or a token that is fetched and runs out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Account {
    /// A key it is, or nothing.
    #[default]
    None,
    /// Amazon Web Services: signed with an access key.
    Aws,
    /// Google Cloud: an access token.
    Google,
}

/// How a model thinks before it answers, and how that is steered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reasoning {
    /// Does not, or nothing is known.
    #[default]
    None,
    /// Thinks as it likes; nothing is sent.
    Always,
    /// An effort word (`low`, `medium`, `high`, ...).
    Effort,
    /// A number of thinking tokens.
    Budget,
    /// Decides by itself how much to think, within an effort word.
    Adaptive,
}

/// How the end of a beginning that is worth caching is marked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheMark {
    /// `cache_control`, as Anthropic and the routers have it.
    #[default]
    CacheControl,
    /// `prompt_cache_breakpoint`, as OpenAI has it since GPT-5.6.
    Breakpoint,
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub input: f64,
    pub output: f64,
    #[serde(default, rename = "cached")]
    pub cached_input: Option<f64>,
    #[serde(default, rename = "write")]
    pub cache_write: Option<f64>,
    /// Of thinking tokens, where they do not cost as much as other output.
    #[serde(default)]
    pub reasoning: Option<f64>,
    /// What holds for the whole request when its prompt is larger than that.
    #[serde(default)]
    pub long: Option<LongPrices>,
}

/// Dollars per million tokens of requests with a long prompt.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrices {
    /// In tokens of the prompt, cached ones included.
    pub above: u64,
    pub input: f64,
    pub output: f64,
    #[serde(default, rename = "cached")]
    pub cached_input: Option<f64>,
    #[serde(default, rename = "write")]
    pub cache_write: Option<f64>,
}

impl ModelSettings {
    /// Tokens that a reply should be given room for within the window, when none is set: a quarter of a small window,
    /// at most 16k of a large one.
    pub fn reply_reserve(&self) -> u32 {
        const LARGEST: u32 = 16_384;
        let window = self.context_window.unwrap_or(128_000);
        let reserve = (window / 4).min(LARGEST);
        self.max_output.map_or(reserve, |output| output.min(reserve))
    }

    /// Whether one of the model's key variables is set. True when it needs none.
    pub fn has_key(&self, lookup: &dyn Fn(&str) -> Option<String>) -> bool {
        self.key_optional
            || self.key_env.is_empty()
            || self
                .key_env
                .iter()
                .any(|name| lookup(name).is_some_and(|value| !value.trim().is_empty()))
    }
}
