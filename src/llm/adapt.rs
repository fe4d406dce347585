//! Learns from a refusal: one error that names a field or a role leads to one adapted request, and is remembered.

use serde_json::Value;

use super::failure::Details;
use super::protocol::CONTENT;
use super::protocol::Quirks;

/// Fields without which there is no request.
const NEEDED: &[&str] = &["model", "stream"];

/// Changes `quirks` so that `body` would be accepted, as far as the error says. Returns what changed, for the user, or None
/// when nothing can be learnt from it (or has been already).
pub fn adapt(details: &Details, body: &Value, quirks: &mut Quirks) -> Option<String> {
    let message = details.message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));

    if let Some(field) = other_limit_field(&message, body) {
        if quirks.max_tokens_field.as_deref() == Some(field) {
            return None;
        }
        quirks.max_tokens_field = Some(field.to_owned());
        return Some(format!("the server wants the output limit as `{field}`"));
    }
    let about_roles = says(&["role", "system message", "system prompt", "developer instruction"]);
    if about_roles
        && says(&["system", "alternat", "only user and assistant", "developer instruction"])
        && set(&mut quirks.no_system)
    {
        return Some("the server takes no system message; it goes in front of the first message".to_owned());
    }
    if says(&["prefill", "must end with a user", "last message must", "final position"]) && set(&mut quirks.no_prefill)
    {
        return Some("the server does not continue a message of the assistant; it is asked to go on".to_owned());
    }
    if says(&[
        "cache_control",
        "prompt_cache_breakpoint",
        "cachepoint",
        "prompt caching",
    ]) && set(&mut quirks.no_cache_marks)
    {
        return Some("the server takes no cache marks".to_owned());
    }
    if says(&["content"])
        && says(&[
            "must be a string",
            "should be a valid string",
            "expected a string",
            "invalid type: sequence",
        ])
        && set(&mut quirks.text_only)
    {
        return Some("the server takes plain text only".to_owned());
    }
    if says(&["stream"])
        && !says(&["stream_options"])
        && says(&[
            "not support",
            "unsupported",
            "must be verified",
            "not available",
            "false",
        ])
        && set(&mut quirks.no_streaming)
    {
        return Some("the server does not stream this model's replies".to_owned());
    }
    let field = refused_field(details, &message, body)?;
    quirks.dropped.push(field.clone());
    Some(format!(
        "the server does not take `{field}`; it is left out from now on"
    ))
}

/// Sets a flag; false when it was set before.
fn set(flag: &mut bool) -> bool {
    !std::mem::replace(flag, true)
}

/// The name of the output limit that the server asks for in place of the one sent.
fn other_limit_field(message: &str, body: &Value) -> Option<&'static str> {
    let new = message.contains("max_completion_tokens");
    let old = message.replace("max_completion_tokens", "").contains("max_tokens");
    if new && old {
        return Some(if body.get("max_tokens").is_some() {
            "max_completion_tokens"
        } else {
            "max_tokens"
        });
    }
    (new && body.get("max_completion_tokens").is_some() && refuses(message)).then_some("max_tokens")
}

fn refuses(message: &str) -> bool {
    [
        "unsupported",
        "not support",
        "n't support",
        "extraneous",
        "unrecognized",
        "unrecognised",
        "unknown",
        "unexpected",
        "extra input",
        "extra field",
        "not permitted",
        "not allowed",
        "not accept",
        "no longer",
        "deprecated",
        "invalid",
        "only the default",
        "additional properties",
        "cannot find field",
        "may not be set",
        "must be",
        "not available",
    ]
    .iter()
    .any(|word| message.contains(word))
}

/// The field of the body that the error is about: by its `param`, or named in the message. The innermost that is named.
fn refused_field(details: &Details, message: &str, body: &Value) -> Option<String> {
    let mut names = Vec::new();
    field_names(body, 0, &mut names);
    // Inner fields first, and of these the longest: `reasoning_effort` before `reasoning`.
    names.sort_by_key(|(depth, name)| std::cmp::Reverse((*depth, name.len())));
    let mut names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    if let Some(param) = &details.param {
        let of_param = param
            .rsplit(['.', '[', ']', '/'])
            .find(|part| names.iter().any(|name| name == part));
        if let Some(name) = of_param {
            return Some(name.to_owned());
        }
    }
    if !refuses(message) {
        return None;
    }
    names.retain(|name| name.len() > 1);
    names.into_iter().find(|name| names_field(message, name))
}

/// Parameters of a body with their depth, also nested ones.
fn field_names(body: &Value, depth: usize, names: &mut Vec<(usize, String)>) {
    let Some(fields) = body.as_object() else { return };
    for (name, value) in fields {
        if NEEDED.contains(&name.as_str()) || CONTENT.contains(&name.as_str()) {
            continue;
        }
        field_names(value, depth + 1, names);
        names.push((depth, name.clone()));
    }
}

/// Whether `name` stands in the message as a word of its own, in any of the ways to write several words.
fn names_field(message: &str, name: &str) -> bool {
    let snake = snake_case(name);
    [name.to_lowercase(), snake.replace('_', " "), snake]
        .iter()
        .any(|name| {
            message.match_indices(name.as_str()).any(|(at, found)| {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let before = message[..at].chars().next_back();
                let after = message[at + found.len()..].chars().next();
                !before.is_some_and(is_word) && !after.is_some_and(is_word)
            })
        })
}

/// `thinkingConfig` as `thinking_config`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn details(message: &str) -> Details {
        Details {
            message: message.to_owned(),
            ..Details::default()
        }
    }

    fn body() -> Value {
        json!({"model": "m", "messages": [], "stream": true, "stream_options": {}, "temperature": 0, "max_tokens": 9, "reasoning_effort": "low"})
    }

    #[test]
    fn each_refusal_is_learnt_once() {
        for (message, check) in [
            (
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
                "temperature",
            ),
            ("`temperature` is deprecated for this model.", "temperature"),
            (
                "Unrecognized request argument supplied: reasoning_effort",
                "reasoning_effort",
            ),
            (
                "[{\"loc\":[\"body\",\"stream_options\"],\"msg\":\"Extra inputs are not permitted\"}]",
                "stream_options",
            ),
        ] {
            let mut quirks = Quirks::default();
            assert!(adapt(&details(message), &body(), &mut quirks).is_some(), "{message}");
            assert_eq!(quirks.dropped, [check], "{message}");
            let mut stripped = body().as_object().unwrap().clone();
            quirks.strip(&mut stripped);
            assert_eq!(
                adapt(&details(message), &Value::Object(stripped), &mut quirks),
                None,
                "{message}"
            );
        }
    }

    #[test]
    fn nested_fields_are_found_and_taken_out() {
        let body = json!({"contents": [], "generationConfig": {"temperature": 0, "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true}}});
        let message = "Invalid JSON payload received. Unknown name \"thinkingLevel\" at 'generation_config.thinking_config': Cannot find field.";
        let mut quirks = Quirks::default();
        assert!(adapt(&details(message), &body, &mut quirks).is_some());
        assert_eq!(quirks.dropped, ["thinkingLevel"]);
        let mut stripped = body.as_object().unwrap().clone();
        quirks.strip(&mut stripped);
        assert_eq!(
            stripped["generationConfig"]["thinkingConfig"],
            json!({"includeThoughts": true})
        );
        let mut quirks = Quirks::default();
        let verified = Details {
            message: "Your organization must be verified to generate reasoning summaries".into(),
            param: Some("reasoning.summary".into()),
            ..Details::default()
        };
        let body = json!({"input": [], "reasoning": {"effort": "low", "summary": "auto"}});
        assert!(adapt(&verified, &body, &mut quirks).is_some());
        assert_eq!(quirks.dropped, ["summary"]);
    }

    #[test]
    fn the_other_name_of_the_output_limit() {
        let mut quirks = Quirks::default();
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert!(adapt(&details(message), &body(), &mut quirks).is_some());
        assert_eq!(quirks.max_tokens_field.as_deref(), Some("max_completion_tokens"));
        let mut quirks = Quirks::default();
        let body = json!({"max_completion_tokens": 9});
        assert!(adapt(&details("unknown field `max_completion_tokens`"), &body, &mut quirks).is_some());
        assert_eq!(quirks.max_tokens_field.as_deref(), Some("max_tokens"));
    }

    #[test]
    fn roles_and_shapes() {
        for message in [
            "System role not supported",
            "Conversation roles must alternate user/assistant/user/assistant/...",
            "Only user and assistant roles are supported!",
            "Developer instruction is not enabled for this model",
        ] {
            let mut quirks = Quirks::default();
            assert!(adapt(&details(message), &body(), &mut quirks).is_some(), "{message}");
            assert!(quirks.no_system, "{message}");
            assert_eq!(adapt(&details(message), &body(), &mut quirks), None);
        }
        let mut quirks = Quirks::default();
        assert!(adapt(&details("messages[0].content must be a string"), &body(), &mut quirks).is_some());
        assert!(quirks.text_only);
        let mut quirks = Quirks::default();
        let message =
            "This model does not support assistant message prefill. The conversation must end with a user message.";
        assert!(adapt(&details(message), &body(), &mut quirks).is_some());
        assert!(quirks.no_prefill);
    }

    #[test]
    fn nothing_is_learnt_from_an_error_about_something_else() {
        let mut quirks = Quirks::default();
        assert_eq!(
            adapt(&details("the image could not be decoded"), &body(), &mut quirks),
            None
        );
        assert_eq!(
            adapt(&details("invalid model name in messages"), &body(), &mut quirks),
            None
        );
        assert_eq!(quirks, Quirks::default());
    }
}
