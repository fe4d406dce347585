//! Request bodies as they go out: `fixtures/llm/bodies/<api>/<request>.json`.

use codriver::chat::message::Message;
use codriver::chat::message::Part;
use codriver::chat::message::Role;
use codriver::llm::APIS;
use codriver::llm::Request;
use codriver::llm::Thinking;
use codriver::llm::protocol::Quirks;
use codriver::models::Reasoning;

use super::streams::model;
use crate::support;

fn file(name: &str, media_type: &str) -> Part {
    Part::File {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        data: "QUJD".to_owned(),
    }
}

fn requests() -> Vec<(&'static str, Request, Quirks, Thinking)> {
    let plain = Request {
        messages: vec![Message::system("Be brief."), Message::user("Hello")],
        ..Request::default()
    };
    // As a prompt is put together: neighbours of one role, marks at the ends of stable beginnings.
    let session = Request {
        messages: vec![
            Message::system("Rules."),
            Message::user("example request"),
            Message::assistant("example reply").cached(),
            Message::user("The map."),
            Message::user("A read-only file.").cached(),
            Message::user("The files.").cached(),
            Message::user("First question."),
            Message::assistant("First answer.").cached(),
            Message::user("Second question."),
            Message::user("Reminder."),
        ],
        max_output_tokens: Some(1_000),
        temperature: Some(0.5),
    };
    let attachments = Request {
        messages: vec![Message {
            role: Role::User,
            parts: vec![
                Part::Text { text: "Look.".into() },
                file("a.png", "image/png"),
                file("b.pdf", "application/pdf"),
                Part::Text {
                    text: "What is it?".into(),
                },
            ],
            cache: true,
        }],
        ..Request::default()
    };
    let continued = Request {
        messages: vec![Message::user("Write."), Message::assistant("The beginning \n")],
        ..Request::default()
    };
    let refused = Quirks {
        dropped: vec!["temperature".into()],
        max_tokens_field: Some("max_completion_tokens".into()),
        no_system: true,
        text_only: true,
        no_cache_marks: true,
        no_prefill: true,
        no_streaming: true,
    };
    let effort = Thinking {
        effort: Some("high".into()),
        budget: None,
    };
    let none = Thinking::default;
    vec![
        ("plain", plain.clone(), Quirks::default(), none()),
        ("session", session.clone(), Quirks::default(), none()),
        ("attachments", attachments, Quirks::default(), none()),
        ("continued", continued.clone(), Quirks::default(), none()),
        ("everything_refused", session, refused.clone(), none()),
        ("continuation_refused", continued, refused, none()),
        ("thinking", plain, Quirks::default(), effort),
    ]
}

#[test]
fn request_bodies_of_every_protocol() {
    let mut wrong = Vec::new();
    for api in APIS {
        let mut settings = model(api.name);
        settings.cache_marks = true;
        let folder = support::fixtures("llm/bodies").join(api.name);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, request, quirks, thinking) in requests() {
            let protocol = (api.protocol)(&settings, &thinking);
            let body = serde_json::to_string_pretty(&protocol.body(&request, &quirks)).unwrap();
            if let Err(message) = support::expect_file(&folder.join(format!("{name}.json")), &format!("{body}\n")) {
                wrong.push(format!("--- {}/{name}\n{message}", api.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn marks_are_written_as_the_host_has_them() {
    let request = Request {
        messages: vec![
            Message::system("Rules.").cached(),
            Message::user("files").cached(),
            Message::user("now"),
        ],
        ..Request::default()
    };
    for api in ["openai", "responses"] {
        let mut settings = codriver::models::Catalog::builtin()
            .resolve("openai/gpt-6-sol")
            .unwrap();
        settings.api = api.to_owned();
        let row = APIS.iter().find(|row| row.name == api).unwrap();
        let body = (row.protocol)(&settings, &Thinking::default())
            .body(&request, &Quirks::default())
            .to_string();
        let mark = r#""text":"files","prompt_cache_breakpoint":{"mode":"explicit"}"#;
        assert!(body.contains(mark), "{api}: {body}");
        assert!(!body.contains("cache_control"), "{api}: {body}");
    }
}

#[test]
fn thinking_tokens_come_on_top_of_the_reply() {
    let mut settings = model("anthropic");
    settings.reasoning = Reasoning::Budget;
    let thinking = Thinking {
        effort: None,
        budget: Some(5_000),
    };
    let api = APIS.iter().find(|api| api.name == "anthropic").unwrap();
    let request = Request {
        messages: vec![Message::user("Hello")],
        max_output_tokens: Some(1_000),
        temperature: Some(0.0),
    };
    let body = (api.protocol)(&settings, &thinking).body(&request, &Quirks::default());
    assert_eq!(body["max_tokens"], 6_000);
    assert_eq!(body["thinking"]["budget_tokens"], 5_000);
    assert!(body.get("temperature").is_none(), "the protocol refuses both together");
}

#[test]
fn no_more_marks_than_the_protocol_takes() {
    let settings = model("anthropic");
    let messages = (0..8)
        .map(|n| {
            let role = if n % 2 == 0 { Role::User } else { Role::Assistant };
            Message::new(role, format!("m{n}")).cached()
        })
        .chain([Message::user("now")])
        .collect();
    let api = APIS.iter().find(|api| api.name == "anthropic").unwrap();
    let request = Request {
        messages,
        ..Request::default()
    };
    let body = (api.protocol)(&settings, &Thinking::default())
        .body(&request, &Quirks::default())
        .to_string();
    assert_eq!(body.matches("cache_control").count(), 4);
    assert!(body.contains(r#"{"type":"text","text":"m7","cache_control":{"type":"ephemeral"}}"#));
}
