//! When a failed request is sent again.

use std::time::Duration;
use std::time::SystemTime;

use serde_json::Value;

use super::Error;
use super::Retry;

/// How patient a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Requests in all, the first included. Higher outlasts longer outages and keeps the user waiting longer.
    pub attempts: u32,
    /// First wait of the exponential backoff.
    pub first_wait: Duration,
    /// No backoff is longer. A server's own word may be.
    pub longest_wait: Duration,
    /// When the server asks for more than this, the failure is shown instead.
    pub longest_server_wait: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            attempts: 8,
            first_wait: Duration::from_millis(1_000),
            longest_wait: Duration::from_secs(60),
            longest_server_wait: Duration::from_secs(180),
        }
    }
}

impl Policy {
    /// The wait before the request after the `attempt`-th (from 1), or None when it is not sent again. `chance` in 0..1
    /// spreads clients that failed together.
    pub fn wait(&self, attempt: u32, error: &Error, chance: f64) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        match error.retry() {
            Retry::Never => None,
            Retry::After(wait) if wait > self.longest_server_wait => None,
            // A little more than the server says: clocks differ, and others wait for the same second.
            Retry::After(wait) => Some(wait + Duration::from_millis(100).mul_f64(chance)),
            Retry::Backoff => {
                let doubled = self.first_wait.saturating_mul(1 << (attempt - 1).min(16));
                Some(doubled.min(self.longest_wait).mul_f64(0.75 + chance / 2.0))
            }
        }
    }
}

/// What a response's headers say about when to try again.
///
/// `Retry-After` in seconds or as a date, `retry-after-ms`, and the reset headers of those limits that have nothing left
/// (`x-ratelimit-remaining-*` with `x-ratelimit-reset-*`, `anthropic-ratelimit-*-remaining` with `-reset`). `get` looks a
/// header up by its name in lower case, `names` are all of them.
pub fn wait_in_headers<'a>(
    headers: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    now: SystemTime,
) -> Option<Duration> {
    let get = |wanted: &str| {
        headers
            .clone()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim())
    };
    if let Some(ms) = get("retry-after-ms").and_then(|value| value.parse::<f64>().ok()) {
        return seconds(ms / 1_000.0);
    }
    if let Some(value) = get("retry-after") {
        return value.parse::<f64>().ok().map_or_else(|| until(value, now), seconds);
    }
    if get("x-should-retry") == Some("false") {
        return None;
    }
    headers
        .clone()
        .filter_map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            if !name.contains("ratelimit") || !name.contains("reset") {
                return None;
            }
            // Only a limit that is used up is worth waiting for.
            let remaining = get(&name.replace("reset", "remaining"));
            (remaining.is_none_or(|left| left == "0" || left.starts_with('-'))).then(|| reset(value.trim(), now))?
        })
        .max()
}

/// A reset header: `6m0s`, `1.5s`, `20ms`, `30`, a time stamp in seconds or milliseconds, or a date.
fn reset(value: &str, now: SystemTime) -> Option<Duration> {
    let Ok(number) = value.parse::<f64>() else {
        return spelled(value).or_else(|| until(value, now));
    };
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
    if number > 1e11 {
        seconds((number / 1_000.0 - since_epoch).max(0.0))
    } else if number > 1e9 {
        seconds((number - since_epoch).max(0.0))
    } else {
        seconds(number)
    }
}

/// `1h2m3.5s`, `250ms`.
fn spelled(value: &str) -> Option<Duration> {
    let mut total = 0.0;
    let mut rest = value;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit_len = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        total += number
            * match &rest[..unit_len] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[unit_len..];
    }
    seconds(total)
}

/// The time to a date as HTTP (`Wed, 21 Oct 2026 07:28:00 GMT`) or RFC 3339 write it; zero when it has passed.
fn until(value: &str, now: SystemTime) -> Option<Duration> {
    let then = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(value)
        .or_else(|_| value.parse::<jiff::Timestamp>())
        .ok()?;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let then = Duration::from_millis(u64::try_from(then.as_millisecond()).ok()?);
    Some(then.saturating_sub(now))
}

fn seconds(value: f64) -> Option<Duration> {
    (value >= 0.0).then(|| Duration::try_from_secs_f64(value).ok())?
}

/// What an error body says: Google's `RetryInfo`, or "try again in 1.5s" in the message.
pub fn wait_in_body(body: &Value) -> Option<Duration> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let details = body.pointer("/error/details").and_then(Value::as_array);
    let told = details.into_iter().flatten().find_map(|detail| {
        let delay = detail.get("retryDelay")?;
        match delay {
            Value::String(text) => spelled(text),
            Value::Object(parts) => seconds(parts.get("seconds")?.as_f64()?),
            _ => None,
        }
    });
    told.or_else(|| {
        let error = body.get("error").unwrap_or(body);
        let message = error
            .get("message")
            .or(Some(error))
            .and_then(Value::as_str)?
            .to_lowercase();
        let at = ["try again in ", "retry in ", "retry after "]
            .iter()
            .find_map(|words| message.find(words).map(|at| at + words.len()))?;
        let word: String = message[at..]
            .split_whitespace()
            .next()?
            .trim_end_matches(['.', ',', ')'])
            .to_owned();
        spelled(&word).or_else(|| message[at..].contains("second").then(|| seconds(word.parse().ok()?))?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_792_567_680)
    }

    fn headers(pairs: &[(&str, &str)]) -> Option<Duration> {
        wait_in_headers(pairs.iter().copied(), now())
    }

    #[test]
    fn every_way_of_saying_when() {
        for (pairs, expected_ms) in [
            (&[("Retry-After", "2")][..], Some(2_000)),
            (&[("retry-after", "1.5")], Some(1_500)),
            (&[("retry-after-ms", "250"), ("retry-after", "9")], Some(250)),
            (&[("Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT")], Some(30_000)),
            (&[("Retry-After", "Wed, 21 Oct 2026 07:27:00 GMT")], Some(0)),
            (
                &[
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-requests", "0"),
                ],
                Some(360_000),
            ),
            (
                &[
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-requests", "12"),
                    ("x-ratelimit-reset-tokens", "20ms"),
                    ("x-ratelimit-remaining-tokens", "0"),
                ],
                Some(20),
            ),
            (&[("x-ratelimit-reset", "1792567690")], Some(10_000)),
            (&[("x-ratelimit-reset", "1792567690000")], Some(10_000)),
            (
                &[
                    ("anthropic-ratelimit-tokens-reset", "2026-10-21T07:28:15Z"),
                    ("anthropic-ratelimit-tokens-remaining", "0"),
                ],
                Some(15_000),
            ),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-3")], None),
            (&[], None),
        ] {
            assert_eq!(headers(pairs), expected_ms.map(Duration::from_millis), "{pairs:?}");
        }
    }

    #[test]
    fn waits_in_bodies() {
        for (body, expected_ms) in [
            (r#"{"error":{"details":[{"retryDelay":"1.500s"}]}}"#, Some(1_500)),
            (
                r#"[{"error":{"details":[{"a":1},{"retryDelay":{"seconds":3}}]}}]"#,
                Some(3_000),
            ),
            (
                r#"{"error":{"message":"Please try again in 1m2.5s. Visit"}}"#,
                Some(62_500),
            ),
            (r#"{"error":{"message":"retry after 7 seconds."}}"#, Some(7_000)),
            (r#"{"error":"retry in 40ms"}"#, Some(40)),
            (r#"{"error":{"message":"no idea"}}"#, None),
        ] {
            let value = serde_json::from_str(body).unwrap();
            assert_eq!(wait_in_body(&value), expected_ms.map(Duration::from_millis), "{body}");
        }
    }

    #[test]
    fn backoff_doubles_up_to_a_ceiling_and_ends() {
        let policy = Policy::default();
        let error = Error::Overloaded {
            message: String::new(),
            retry_after: None,
        };
        let waits: Vec<u64> = (1..=8)
            .map_while(|attempt| policy.wait(attempt, &error, 0.5))
            .map(|wait| wait.as_millis() as u64)
            .collect();
        assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
        assert_eq!(policy.wait(1, &error, 0.0), Some(Duration::from_millis(750)));
    }

    #[test]
    fn the_servers_word_counts_unless_it_is_too_long() {
        let policy = Policy::default();
        let error = |seconds| Error::RateLimited {
            message: String::new(),
            retry_after: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(policy.wait(1, &error(2), 0.0), Some(Duration::from_secs(2)));
        assert_eq!(policy.wait(1, &error(3_600), 0.0), None);
        let quota = Error::Quota { message: String::new() };
        assert_eq!(policy.wait(1, &quota, 0.0), None);
    }
}
