//! Sends requests of any [`Protocol`] and reads the replies as they come: timeouts, retries, cancellation, certificates.
//!
//! The caller waits for the answer, so every call runs a small runtime of its own; several calls may run side by side.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;

use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Error;
use super::Model;
use super::Reply;
use super::Request;
use super::StreamEvent;
use super::adapt;
use super::client::Clients;
use super::client::causes;
use super::failure;
use super::options;
use super::options::ConnectOptions;
use super::options::Endpoint;
use super::options::Timeouts;
use super::protocol::Decoder;
use super::protocol::Protocol;
use super::protocol::Quirks;
use super::retry;
use super::secret::Secrets;
use super::served;
use super::usage;
use crate::chat::repetition::degenerate_tail;
use crate::models::ModelSettings;

/// How long a stream may stay open after the reason for its end has come (usage may follow).
const AFTER_THE_END: Duration = Duration::from_secs(5);

/// Requests in all while the server cannot be reached, stays silent or hangs up: waiting longer rarely helps.
const ATTEMPTS_WITHOUT_ANSWER: u32 = 3;

/// Adapted requests in a row; each must learn something new.
const MAX_ADAPTATIONS: u32 = 6;

/// Error bodies are read up to here.
const LONGEST_ERROR_BODY: usize = 64 * 1024;

/// How much new text is waited for before the tail is looked at for endless repetition.
const REPETITION_CHECK: usize = 2_000;

/// A model behind HTTP.
pub struct HttpModel {
    settings: ModelSettings,
    protocol: Box<dyn Protocol>,
    endpoint: Endpoint,
    extra_headers: Vec<(String, String)>,
    timeouts: Timeouts,
    retries: retry::Policy,
    secrets: Secrets,
    quirks: Mutex<Quirks>,
    clients: Clients,
}

impl HttpModel {
    pub fn new(
        settings: &ModelSettings,
        options: &ConnectOptions<'_>,
        protocol: impl FnOnce(&ModelSettings) -> Box<dyn Protocol>,
    ) -> Result<Self, Error> {
        let endpoint = options::endpoint(settings, options)?;
        let mut settings = settings.clone();
        for (field, value) in &options.extra_body {
            settings.extra_body.insert(field.clone(), value.clone());
        }
        let mut extra_headers = settings.extra_headers.clone();
        extra_headers.extend(options.extra_headers.iter().cloned());
        let hidden = endpoint
            .key
            .iter()
            .cloned()
            .chain(extra_headers.iter().map(|(_, value)| value.clone()));
        Ok(Self {
            protocol: protocol(&settings),
            secrets: Secrets::new(hidden),
            extra_headers,
            timeouts: options.timeouts,
            retries: options.retries,
            quirks: Mutex::default(),
            clients: Clients::new(&endpoint.base_url, options)?,
            settings,
            endpoint,
        })
    }

    fn quirks(&self) -> Quirks {
        self.quirks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks until there is a reply or a reason to give up.
    async fn ask(
        &self,
        client: &reqwest::Client,
        request: &Request,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Error> {
        let mut attempt = 1;
        let mut adaptations = 0;
        loop {
            let quirks = self.quirks();
            let body = self.protocol.body(request, &quirks);
            let path = self.protocol.path(&quirks);
            let failure = match self.attempt(client, &path, &body, cancel, sink).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            if adaptations < MAX_ADAPTATIONS
                && let Some(details) = &failure.details
            {
                let mut quirks = self.quirks.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(change) = adapt::adapt(details, &body, &mut quirks) {
                    drop(quirks);
                    adaptations += 1;
                    sink(StreamEvent::Notice(change));
                    continue;
                }
            }
            let no_answer = matches!(
                failure.error,
                Error::Unreachable { .. } | Error::Broken { .. } | Error::TimedOut { .. } | Error::Protocol { .. }
            );
            let wait = self
                .retries
                .wait(attempt, &failure.error, chance())
                .filter(|_| !no_answer || attempt < ATTEMPTS_WITHOUT_ANSWER);
            let Some(wait) = wait else {
                return Err(self.with_near_names(client, failure.error, cancel).await);
            };
            if !pause(attempt, wait, &failure.error, cancel, sink).await {
                return Ok(usage::cancelled());
            }
            attempt += 1;
        }
    }

    /// Adds the names that the server has and that look like the one it does not know.
    async fn with_near_names(&self, client: &reqwest::Client, error: Error, cancel: &CancellationToken) -> Error {
        let Error::UnknownModel { message } = error else {
            return error;
        };
        let near = match self.protocol.models_path() {
            Some(path) => {
                let mut request = client.get(joined(&self.endpoint.base_url, &path));
                let own = self.protocol.headers(self.endpoint.key.as_deref());
                for (name, value) in own.iter().chain(&self.extra_headers) {
                    request = request.header(name, value);
                }
                served::names_like(&self.settings.wire_name, request, cancel).await
            }
            None => Vec::new(),
        };
        let message = if near.is_empty() {
            message
        } else {
            format!("{message} (the server has `{}`)", near.join("`, `"))
        };
        Error::UnknownModel { message }
    }

    /// One request. What was streamed before a failure is kept: then it is an incomplete reply and no error.
    async fn attempt(
        &self,
        client: &reqwest::Client,
        path: &str,
        body: &Value,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Failure> {
        let started = Instant::now();
        let first = self.timeouts.first_byte;
        let sent = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(usage::cancelled()),
            sent = tokio::time::timeout(first, self.send(client, path, body)) => sent,
        };
        let response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => return Err(self.timed_out(first).into()),
        };
        if !response.status().is_success() {
            return tokio::select! {
                biased;
                () = cancel.cancelled() => Ok(usage::cancelled()),
                failure = self.refusal(response) => Err(failure),
            };
        }
        self.read(response, started, cancel, sink).await
    }

    async fn send(&self, client: &reqwest::Client, path: &str, body: &Value) -> Result<reqwest::Response, Error> {
        let url = joined(&self.endpoint.base_url, path);
        let body = body.to_string();
        let mut request = client.post(&url).header("content-type", "application/json");
        let own = self.protocol.headers(self.endpoint.key.as_deref());
        let of_account = self.endpoint.account.headers(client, &url, body.as_bytes()).await;
        let of_account = of_account.map_err(|error| self.masked(error))?;
        for (name, value) in own.iter().chain(&of_account).chain(&self.extra_headers) {
            request = request.header(name, value);
        }
        request.body(body).send().await.map_err(|error| self.transport(&error))
    }

    async fn read(
        &self,
        mut response: reqwest::Response,
        started: Instant,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Failure> {
        let tag = self.settings.reasoning_tag.as_deref();
        let mut decoder = Decoder::new(self.protocol.reader(), self.protocol.framing(), tag);
        let mut checked = 0;
        let broken: Option<Error> = loop {
            let wait = self.next_wait(&decoder, started);
            let chunk = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    decoder.collected.close();
                    flush(&mut decoder, sink);
                    return Ok(usage::stopped(decoder.collected.into_reply(None)));
                }
                chunk = tokio::time::timeout(wait, response.chunk()) => chunk,
            };
            let step = match chunk {
                Err(_) if decoder.collected.finish.is_some() => break None,
                Err(_) => break Some(self.timed_out(wait)),
                Ok(Err(error)) => break Some(self.broken(&error)),
                Ok(Ok(None)) => break decoder.finish().err(),
                Ok(Ok(Some(bytes))) => decoder.push(&bytes),
            };
            flush(&mut decoder, sink);
            if let Err(error) = step {
                break Some(error);
            }
            if decoder.collected.ended {
                break None;
            }
            let so_far = decoder.collected.text_so_far();
            if so_far.len() >= checked + REPETITION_CHECK {
                checked = so_far.len();
                if let Some(end) = degenerate_tail(so_far) {
                    decoder.collected.cut(end);
                    let message = "the model repeated itself without end and was stopped".to_owned();
                    break Some(Error::Protocol { message });
                }
            }
        };
        decoder.collected.close();
        flush(&mut decoder, sink);
        self.conclude(decoder, broken)
    }

    /// Nothing came: an error that may be retried. Something came: a reply, whole or not.
    fn conclude(&self, decoder: Decoder, broken: Option<Error>) -> Result<Reply, Failure> {
        let collected = decoder.collected;
        if collected.is_empty() && collected.finish.is_none() {
            let nothing = !collected.ended;
            match broken {
                Some(error) => return Err(self.masked(error).into()),
                None if nothing => {
                    return Err(self.hung_up().into());
                }
                None => {}
            }
        }
        let why = broken.map(|error| self.masked(error).to_string());
        Ok(usage::with_output(collected.into_reply(why)))
    }

    fn hung_up(&self) -> Error {
        let why = if self.settings.local {
            "; a local server may do that when the prompt is larger than its window"
        } else {
            ""
        };
        Error::Protocol {
            message: format!("the server closed the connection without an answer{why}"),
        }
    }

    fn next_wait(&self, decoder: &Decoder, started: Instant) -> Duration {
        let collected = &decoder.collected;
        if collected.finish.is_some() {
            AFTER_THE_END.min(self.timeouts.idle)
        } else if collected.is_empty() {
            self.timeouts.first_byte.saturating_sub(started.elapsed())
        } else {
            self.timeouts.idle
        }
    }

    /// Reads a response with a bad status.
    async fn refusal(&self, mut response: reqwest::Response) -> Failure {
        let status = response.status().as_u16();
        let in_headers = wait_of(response.headers());
        // Amazon names the kind of a failure here and nowhere else.
        let kind = response
            .headers()
            .get("x-amzn-errortype")
            .and_then(|kind| kind.to_str().ok());
        let kind = kind
            .and_then(|kind| kind.split(':').next())
            .unwrap_or("")
            .to_lowercase();
        let leads_to = response
            .headers()
            .get("location")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let mut bytes = Vec::new();
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout(self.timeouts.connect, response.chunk()).await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LONGEST_ERROR_BODY {
                break;
            }
        }
        let body = String::from_utf8_lossy(&bytes);
        let mut details = failure::Details::read(&self.secrets.mask(&body));
        if !kind.is_empty() {
            details.codes = format!("{kind} {}", details.codes);
        }
        if let Some(place) = leads_to {
            details.message = format!("it leads to `{}`", self.secrets.mask(&place));
        }
        let in_body = serde_json::from_str(&body)
            .ok()
            .and_then(|value| retry::wait_in_body(&value));
        let error = failure::classify(status, &details, in_headers.or(in_body));
        let adaptable = matches!(error, Error::BadRequest { .. } | Error::Server { status: 500, .. });
        Failure {
            error,
            details: adaptable.then(|| Box::new(details)),
        }
    }

    fn transport(&self, error: &reqwest::Error) -> Error {
        let url = self.secrets.mask(&self.endpoint.base_url);
        if error.is_timeout() && error.is_connect() {
            return Error::TimedOut {
                url,
                seconds: self.timeouts.connect.as_secs(),
            };
        }
        let message = self.secrets.mask(&causes(error));
        if error.is_builder() {
            return Error::BadRequest {
                message: format!("`{url}` or a header cannot be used: {message}"),
            };
        }
        let lower = message.to_lowercase();
        if lower.contains("certificate") || lower.contains("unknownissuer") {
            return Error::Certificate { url, message };
        }
        Error::Unreachable { url, message }
    }

    /// The answer had begun.
    fn broken(&self, error: &reqwest::Error) -> Error {
        Error::Broken {
            url: self.secrets.mask(&self.endpoint.base_url),
            message: self.secrets.mask(&causes(error)),
        }
    }

    fn timed_out(&self, after: Duration) -> Error {
        Error::TimedOut {
            url: self.secrets.mask(&self.endpoint.base_url),
            seconds: after.as_secs().max(1),
        }
    }

    /// An error event inside a stream may repeat the key.
    fn masked(&self, error: Error) -> Error {
        error.map_message(|message| self.secrets.mask(message))
    }
}

impl Model for HttpModel {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn reply(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Error> {
        if cancel.is_cancelled() {
            return Ok(usage::cancelled());
        }
        let worker = self.clients.take()?;
        let reply = worker.block_on(self.ask(&worker.client, request, cancel, sink));
        self.clients.put_back(worker);
        let mut reply = reply??;
        if let Some(warning) = usage::check_input(&mut reply, request, self.settings.local) {
            sink(StreamEvent::Notice(warning));
        }
        Ok(reply)
    }
}

/// Base and path; a version that both name (`/v1`) is kept once, and a query of the base stays at the end.
fn joined(base: &str, path: &str) -> String {
    if let Some((base, query)) = base.split_once('?') {
        let sign = if path.contains('?') { '&' } else { '?' };
        return format!("{}{sign}{query}", joined(base.trim_end_matches('/'), path));
    }
    let version = path
        .split('/')
        .nth(1)
        .map(|first| format!("/{first}"))
        .unwrap_or_default();
    if version.starts_with("/v1") && base.ends_with(&version) {
        return format!("{base}{}", &path[version.len()..]);
    }
    format!("{base}{path}")
}

/// An error with what the server said, where something may be learnt from it.
struct Failure {
    error: Error,
    details: Option<Box<failure::Details>>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, details: None }
    }
}

fn flush(decoder: &mut Decoder, sink: &mut dyn FnMut(StreamEvent)) {
    for event in decoder.collected.take_pending() {
        sink(event);
    }
}

/// Waits, telling each second what is left. False when it was cancelled.
async fn pause(
    attempt: u32,
    wait: Duration,
    error: &Error,
    cancel: &CancellationToken,
    sink: &mut dyn FnMut(StreamEvent),
) -> bool {
    let reason = error.to_string();
    let end = Instant::now() + wait;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        sink(StreamEvent::Retrying {
            attempt,
            wait: left,
            reason: reason.clone(),
        });
        let step = left.min(Duration::from_secs(1));
        tokio::select! {
            biased;
            () = cancel.cancelled() => return false,
            () = tokio::time::sleep(step) => {}
        }
        if step == left {
            return true;
        }
    }
}

/// A number in 0..1 that differs between processes and calls.
fn chance() -> f64 {
    let nanos = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    f64::from(nanos % 1_000_003) / 1_000_003.0
}

fn wait_of(headers: &HeaderMap) -> Option<Duration> {
    let pairs: Vec<(&str, &str)> = headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
        .collect();
    retry::wait_in_headers(pairs.iter().copied(), SystemTime::now())
}
