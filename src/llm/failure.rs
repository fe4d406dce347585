//! From a provider's refusal (status, headers, body) to an [`Error`] that says what to do about it.

use std::time::Duration;

use serde_json::Value;

use super::Error;
use super::retry;

/// Longer messages (a proxy's page, a whole prompt sent back) are cut.
const LONGEST_MESSAGE: usize = 600;

/// A server that asks for a longer wait than this will not serve the user now: its quota is used up.
const LONGEST_RATE_WAIT: Duration = Duration::from_secs(15 * 60);

/// What was told about a failure, whatever the protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    pub message: String,
    /// `code`, `type` and `status` fields, in lower case, joined by spaces.
    pub codes: String,
    /// The parameter that was not liked.
    pub param: Option<String>,
}

impl Details {
    /// Reads an error body: the shapes of OpenAI, Anthropic, Google, Ollama, OpenRouter, FastAPI and plain text or HTML.
    pub fn read(body: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(body.trim()) else {
            return Self {
                message: plain_text(body),
                ..Self::default()
            };
        };
        Self::of(&value)
    }

    /// The same from a parsed body or an error event.
    pub fn of(value: &Value) -> Self {
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let error = match value.get("error") {
            Some(error) if !error.is_null() => error,
            _ => value.pointer("/response/error").unwrap_or(value),
        };
        let mut codes = Vec::new();
        for holder in [value, error] {
            for field in ["code", "type", "status"] {
                match holder.get(field) {
                    Some(Value::String(code)) => codes.push(code.to_lowercase()),
                    Some(Value::Number(code)) => codes.push(code.to_string()),
                    _ => {}
                }
            }
        }
        codes.dedup();
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            _ => None,
        };
        let message = text(error)
            .or_else(|| error.get("message").and_then(text))
            .or_else(|| value.get("message").and_then(text))
            .or_else(|| {
                value
                    .get("detail")
                    .map(|detail| text(detail).unwrap_or_else(|| detail.to_string()))
            })
            .or_else(|| error.get("code").and_then(text))
            .unwrap_or_else(|| value.to_string());
        // A router tells in `raw` what its upstream said.
        let raw = error.pointer("/metadata/raw").and_then(text).unwrap_or_default();
        let message = if raw.is_empty() || message.contains(&raw) {
            message
        } else {
            format!("{message}: {raw}")
        };
        Self {
            message: shorten(message.trim()),
            codes: codes.join(" "),
            param: error.get("param").and_then(text),
        }
    }
}

/// Tells failures apart. `wait` is what headers and body say about when to try again.
pub fn classify(status: u16, details: &Details, wait: Option<Duration>) -> Error {
    let message = details.message.clone();
    let lower = message.to_lowercase();
    let says = |needles: &[&str]| {
        needles
            .iter()
            .any(|needle| lower.contains(needle) || details.codes.contains(needle))
    };

    if status == 413 || says(TOO_LONG) {
        return Error::TooLong { message };
    }
    if status == 402 || says(OUT_OF_CREDIT) {
        return Error::Quota { message };
    }
    if status == 401 || says(BAD_KEY) {
        return Error::Auth { message };
    }
    if says(UNKNOWN_MODEL) || (status == 404 && lower.contains("model")) {
        return Error::UnknownModel { message };
    }
    if status == 429 || says(RATE_LIMITED) {
        let daily = lower.contains("perday") || lower.contains("per day") || lower.contains("requests per 1d");
        let used_up = lower.contains("quota") && (daily || wait.is_none());
        if used_up || wait.is_some_and(|wait| wait > LONGEST_RATE_WAIT) {
            return Error::Quota { message };
        }
        return Error::RateLimited {
            message,
            retry_after: wait,
        };
    }
    if matches!(status, 503 | 529)
        || says(&[
            "overloaded",
            "serviceunavailable",
            "modelnotready",
            "unavailable",
            "at capacity",
            "no healthy upstream",
        ])
    {
        return Error::Overloaded {
            message,
            retry_after: wait,
        };
    }
    match status {
        403 => Error::Auth { message },
        408 | 424 | 425 | 500..=599 => Error::Server {
            status,
            message,
            retry_after: wait,
        },
        404 => Error::BadRequest {
            message: format!("{message} (status 404: is the base URL right?)"),
        },
        300..=399 => Error::BadRequest {
            message: format!("{message} (status {status}: the base URL leads elsewhere)"),
        },
        _ => Error::BadRequest { message },
    }
}

const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "context length",
    "context size",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input token count",
    "exceeds the maximum number of tokens",
    "too many input tokens",
    "request_too_large",
    "model_max_prompt_tokens_exceeded",
    "reduce the length of",
    "maximum prompt length",
    "string_above_max_length",
];

const RATE_LIMITED: &[&str] = &[
    "rate_limit",
    "rate limit",
    "resource_exhausted",
    "too many requests",
    "throttl",
];

const OUT_OF_CREDIT: &[&str] = &[
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient credits",
    "credit balance",
    "billing_hard_limit",
    "billing_error",
    "out of credits",
    "requires more credits",
    "spending limit",
    "payment required",
    "servicequotaexceeded",
    "exceeded_current_quota",
];

const BAD_KEY: &[&str] = &[
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "api_key_invalid",
    "api key not found",
    "api key expired",
    "invalid x-api-key",
    "authentication_error",
    "unauthenticated",
    "unauthorized",
    "permission_denied",
    "no auth credentials",
    "missing api key",
    "unrecognizedclient",
    "expiredtoken",
    "invalidsignature",
    "security token included in the request",
    "accessdenied",
    "access_denied",
];

const UNKNOWN_MODEL: &[&str] = &[
    "model_not_found",
    "model not found",
    "model_not_supported",
    "unknown model",
    "unknown_model",
    "invalid model",
    "not a valid model",
    "no such model",
    "does not exist or you do not have access",
    "try pulling it",
    "is not found for api version",
    "no endpoints found for",
    "deploymentnotfound",
    "model identifier is invalid",
    "publisher model",
];

/// The text of a page: tags taken out, white space folded, cut.
fn plain_text(body: &str) -> String {
    let trimmed = body.trim();
    if trimmed.is_empty() {
        return "no message".to_owned();
    }
    if !trimmed.starts_with('<') {
        return shorten(trimmed);
    }
    let mut text = String::new();
    let mut in_tag = false;
    let lower = trimmed.to_ascii_lowercase();
    // What a person reads of such a page is its title and body, not its style.
    let start = lower.find("<title").or_else(|| lower.find("<body")).unwrap_or(0);
    for c in trimmed[start..].chars() {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                text.push(' ');
            }
            _ if !in_tag => text.push(c),
            _ => {}
        }
    }
    let folded: Vec<&str> = text.split_whitespace().collect();
    shorten(&folded.join(" "))
}

fn shorten(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() <= LONGEST_MESSAGE {
        return text;
    }
    let mut end = LONGEST_MESSAGE;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{} ...", &text[..end])
}

/// An error that was told inside a stream whose status was good.
pub fn in_stream(value: &Value) -> Error {
    let details = Details::of(value);
    let status = details
        .codes
        .split(' ')
        .find_map(|code| code.parse::<u16>().ok().filter(|status| (400..600).contains(status)))
        .unwrap_or(500);
    let status = match details.codes.as_str() {
        codes if codes.contains("invalid_request") => 400,
        codes if codes.contains("rate_limit") => 429,
        codes if codes.contains("overloaded") => 529,
        // Amazon's names of failures.
        codes if codes.contains("throttl") => 429,
        codes if codes.contains("validation") => 400,
        _ => status,
    };
    classify(status, &details, retry::wait_in_body(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(status: u16, body: &str) -> &'static str {
        let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        match classify(status, &Details::read(body), retry::wait_in_body(&value)) {
            Error::Auth { .. } => "auth",
            Error::UnknownModel { .. } => "model",
            Error::RateLimited { .. } => "rate",
            Error::Quota { .. } => "quota",
            Error::Overloaded { .. } => "overloaded",
            Error::Server { .. } => "server",
            Error::TooLong { .. } => "too long",
            Error::BadRequest { .. } => "bad request",
            other => panic!("{other}"),
        }
    }

    #[test]
    fn failures_are_told_apart_in_every_protocols_words() {
        for (status, body, expected) in [
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#,
                "auth",
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
                "auth",
            ),
            (
                403,
                r#"{"error":{"message":"Your organisation must be verified"}}"#,
                "auth",
            ),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}"#,
                "model",
            ),
            (404, r#"{"error":"model 'qwen9' not found"}"#, "model"),
            (
                400,
                r#"{"error":{"message":"foo/bar is not a valid model ID","code":400}}"#,
                "model",
            ),
            (404, "404 page not found", "bad request"),
            (
                429,
                r#"{"error":{"message":"Rate limit reached for gpt-5","type":"tokens","code":"rate_limit_exceeded"}}"#,
                "rate",
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota, please check your plan","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                "quota",
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                "quota",
            ),
            (402, r#"{"error":{"message":"Insufficient Balance"}}"#, "quota"),
            (
                429,
                r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}"#,
                "rate",
            ),
            (
                429,
                r#"{"error":{"code":429,"message":"Quota exceeded for metric GenerateRequestsPerDayPerProject","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}"#,
                "quota",
            ),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "overloaded",
            ),
            (
                503,
                r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
                "overloaded",
            ),
            (500, "", "server"),
            (
                502,
                "<html><head><title>502 Bad Gateway</title></head></html>",
                "server",
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
                "too long",
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                "too long",
            ),
            (413, "", "too long"),
            (
                429,
                r#"{"message":"Too many tokens, please wait before trying again.","code":"ThrottlingException"}"#,
                "rate",
            ),
            (
                403,
                r#"{"message":"The security token included in the request is expired","code":"ExpiredTokenException"}"#,
                "auth",
            ),
            (
                400,
                r#"{"message":"The provided model identifier is invalid."}"#,
                "model",
            ),
            (424, r#"{"message":"The model had an error"}"#, "server"),
            (
                404,
                r#"{"error":{"code":404,"message":"Publisher Model `projects/p/locations/l/publishers/google/models/x` was not found","status":"NOT_FOUND"}}"#,
                "model",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body","temperature"],"msg":"extra fields not permitted"}]}"#,
                "bad request",
            ),
        ] {
            assert_eq!(kind(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_page_is_told_as_its_text() {
        let details = Details::read(
            "<html><head><style>a{}</style><title>502 Bad Gateway</title></head><body><hr>nginx</body></html>",
        );
        assert_eq!(details.message, "502 Bad Gateway nginx");
        assert!(Details::read(&"x".repeat(5_000)).message.len() < 700);
        assert_eq!(Details::read("").message, "no message");
    }

    #[test]
    fn a_router_passes_on_what_its_upstream_said() {
        let details = Details::read(
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"bad tool"}}}"#,
        );
        assert_eq!(details.message, "Provider returned error: bad tool");
    }
}
