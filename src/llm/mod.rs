//! Talks to language models. One file per wire protocol behind [`Model`]; [`scripted`] is the twin that plays a file.
//!
//! ```text
//! Request --Protocol::body--> JSON --http--> bytes --Decoder--> values --ReadEvents--> Collected --> Reply
//! ```
//!
//! A [`protocol::Protocol`] only computes; [`http`] does everything that all of them need: timeouts, retries,
//! cancellation, adapted requests, masked keys.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::chat::message::Message;
use crate::models::ModelSettings;

pub mod account;
pub mod adapt;
pub mod anthropic;
pub mod bedrock;
mod client;
pub mod failure;
pub mod fallback;
pub mod frames;
pub mod gemini;
pub mod http;
pub mod local;
pub mod ollama;
pub mod openai;
pub mod options;
pub mod protocol;
pub mod responses;
pub mod retry;
pub mod scripted;
pub mod secret;
mod served;
pub mod sse;
pub mod think;
mod usage;
pub mod vertex;

pub use options::ConnectOptions;
pub use options::Thinking;
pub use options::Timeouts;

use protocol::Protocol;

/// A wire protocol: one row, one file.
pub struct Api {
    /// As in `api = "..."` of `model-settings.toml`.
    pub name: &'static str,
    /// What it is, for help texts.
    pub summary: &'static str,
    /// Sets it up for one model.
    pub protocol: fn(&ModelSettings, &Thinking) -> Box<dyn Protocol>,
}

/// Every wire protocol.
pub static APIS: &[Api] = &[
    Api {
        name: "openai",
        summary: "OpenAI chat completions and everything compatible",
        protocol: |settings, thinking| Box::new(openai::OpenAi::new(settings, thinking)),
    },
    Api {
        name: "responses",
        summary: "OpenAI responses",
        protocol: |settings, thinking| Box::new(responses::Responses::new(settings, thinking)),
    },
    Api {
        name: "anthropic",
        summary: "Anthropic messages",
        protocol: |settings, thinking| Box::new(anthropic::Anthropic::new(settings, thinking)),
    },
    Api {
        name: "gemini",
        summary: "Google Gemini",
        protocol: |settings, thinking| Box::new(gemini::Gemini::new(settings, thinking)),
    },
    Api {
        name: "bedrock",
        summary: "Amazon Bedrock's converse",
        protocol: |settings, thinking| Box::new(bedrock::Bedrock::new(settings, thinking)),
    },
    Api {
        name: "vertex-gemini",
        summary: "Gemini on Google Cloud's Vertex AI",
        protocol: |settings, thinking| Box::new(vertex::Vertex::gemini(settings, thinking)),
    },
    Api {
        name: "vertex-anthropic",
        summary: "Anthropic messages on Google Cloud's Vertex AI",
        protocol: |settings, thinking| Box::new(vertex::Vertex::anthropic(settings, thinking)),
    },
    Api {
        name: "ollama",
        summary: "Ollama's own chat",
        protocol: |settings, thinking| Box::new(ollama::Ollama::new(settings, thinking)),
    },
];

/// The client for a model. Nothing is sent yet.
pub fn connect(settings: &ModelSettings, options: &ConnectOptions<'_>) -> Result<Box<dyn Model>, Error> {
    let api = APIS
        .iter()
        .find(|api| api.name == settings.api)
        .ok_or_else(|| Error::UnknownApi {
            api: settings.api.clone(),
            known: APIS.iter().map(|api| api.name).collect::<Vec<_>>().join("`, `"),
        })?;
    let model = http::HttpModel::new(settings, options, |settings| {
        (api.protocol)(settings, &options.thinking)
    })?;
    Ok(Box::new(model))
}

/// A language model that answers requests. Blocking: the caller is a session that waits for the answer anyway.
pub trait Model: Send + Sync {
    /// The name to show, as the user gave it.
    fn name(&self) -> &str;

    /// Asks once (with the retries that the error allows) and hands every piece to `sink` as it arrives.
    ///
    /// A cancelled request is `Ok` with [`Finish::Cancelled`] and the text so far; a stream that breaks off is `Ok`
    /// with [`Finish::Incomplete`]. Neither may be applied beyond its closed blocks.
    fn reply(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Error>;
}

impl<M: Model + ?Sized> Model for std::sync::Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn reply(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Error> {
        (**self).reply(request, cancel, sink)
    }
}

/// One request, independent of the protocol.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub messages: Vec<Message>,
    /// None leaves it to the server.
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f32>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    Text(String),
    Reasoning(String),
    /// The request failed in a way that may pass; it is sent again after the wait. Comes once a second with what is left
    /// of it, for a countdown.
    Retrying {
        /// Requests that failed so far.
        attempt: u32,
        wait: Duration,
        reason: String,
    },
    /// Something the user should know (a parameter was dropped, the server cut the prompt, ...).
    Notice(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub text: String,
    /// Kept apart: never read as edits, never part of the history.
    pub reasoning: String,
    pub finish: Finish,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    Stop,
    /// The output limit was reached.
    Length,
    /// The provider withheld the rest, with its word for it.
    Refused(String),
    /// The stream ended without its end event.
    Incomplete(String),
    Cancelled,
}

/// Token counts as the provider reported them (0 when it did not; then `estimated` is true and they are our own count).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// All prompt tokens, cached ones included.
    pub input: u64,
    pub output: u64,
    pub cached_input: u64,
    pub cache_write: u64,
    /// Part of `output`.
    pub reasoning: u64,
    pub estimated: bool,
    pub charged: Charged,
}

/// What a reply cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Charged {
    /// By the prices of the model that was asked.
    #[default]
    ByPrice,
    /// Told by the provider, or at the price of the model that stood in.
    Dollars(f64),
    /// Another model stood in whose price is not known.
    Unknown,
}

/// Why a request failed. `Display` is one line without the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("no key for `{provider}`: set {}", names(.variables))]
    NoKey { provider: String, variables: Vec<String> },
    #[error("no address for `{provider}`: set {}", names(.variables))]
    NoBaseUrl { provider: String, variables: Vec<String> },
    #[error("no wire protocol is called `{api}` (there are `{known}`)")]
    UnknownApi { api: String, known: String },
    #[error("the provider refused the key: {message}")]
    Auth { message: String },
    #[error("the provider does not know the model: {message}")]
    UnknownModel { message: String },
    #[error("rate limited: {message}")]
    RateLimited {
        message: String,
        retry_after: Option<Duration>,
    },
    #[error("the quota is used up: {message}")]
    Quota { message: String },
    #[error("the provider is overloaded: {message}")]
    Overloaded {
        message: String,
        retry_after: Option<Duration>,
    },
    #[error("the server failed with status {status}: {message}")]
    Server {
        status: u16,
        message: String,
        retry_after: Option<Duration>,
    },
    #[error("the request is longer than the model's window: {message}")]
    TooLong { message: String },
    #[error("the provider did not accept the request: {message}")]
    BadRequest { message: String },
    #[error("cannot reach `{url}`: {message}")]
    Unreachable { url: String, message: String },
    #[error("the connection to `{url}` is not trusted: {message}")]
    Certificate { url: String, message: String },
    #[error("no answer from `{url}` within {seconds} s")]
    TimedOut { url: String, seconds: u64 },
    #[error("the connection to `{url}` broke off: {message}")]
    Broken { url: String, message: String },
    #[error("the server's answer was not understood: {message}")]
    Protocol { message: String },
    #[error("{message}")]
    Script { message: String },
}

/// Whether sending the same request again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    Never,
    /// The server said how long to wait.
    After(Duration),
    Backoff,
}

fn names(variables: &[String]) -> String {
    let names: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
    names.join(" or ")
}

impl Error {
    /// The same error with its message changed.
    pub(crate) fn map_message(mut self, change: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Error::Auth { message }
            | Error::UnknownModel { message }
            | Error::RateLimited { message, .. }
            | Error::Quota { message }
            | Error::Overloaded { message, .. }
            | Error::Server { message, .. }
            | Error::TooLong { message }
            | Error::BadRequest { message }
            | Error::Unreachable { message, .. }
            | Error::Broken { message, .. }
            | Error::Certificate { message, .. }
            | Error::Protocol { message }
            | Error::Script { message } => *message = change(message),
            Error::NoKey { .. } | Error::NoBaseUrl { .. } | Error::UnknownApi { .. } | Error::TimedOut { .. } => {}
        }
        self
    }

    /// What the user can do about it, where there is something beside trying again later.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::NoKey { .. } => Some(
                "`codriver keys set PROVIDER` keeps a key in the system's keyring; without one: a local server (Ollama, LM Studio, llama.cpp), or `codriver demo`",
            ),
            Error::Auth { .. } => Some("check the key, and that it belongs to this provider"),
            Error::UnknownModel { .. } => Some("`codriver models TEXT` searches the models that are known"),
            Error::Quota { .. } => Some("add credit at the provider, or take another model with `/model`"),
            Error::TooLong { .. } => Some("`/tokens` shows what takes the room; `/drop` and `/clear` make some"),
            Error::Unreachable { .. } => {
                Some("is the server running? Else check the address, the network and the proxy variables")
            }
            Error::Certificate { .. } => Some("name the certificate of your proxy or server with `--ca-file`"),
            Error::TimedOut { .. } => Some("`--timeout SECONDS` waits longer"),
            _ => None,
        }
    }

    pub fn retry(&self) -> Retry {
        match self {
            Error::RateLimited { retry_after, .. }
            | Error::Overloaded { retry_after, .. }
            | Error::Server { retry_after, .. } => retry_after.map_or(Retry::Backoff, Retry::After),
            Error::Unreachable { .. } | Error::Broken { .. } | Error::TimedOut { .. } | Error::Protocol { .. } => {
                Retry::Backoff
            }
            _ => Retry::Never,
        }
    }
}
