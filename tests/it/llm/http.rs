//! The client against a server that misbehaves: retries, timeouts, cancellation, adapted requests, keys.

use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use codriver::chat::message::Message;
use codriver::llm::ConnectOptions;
use codriver::llm::Error;
use codriver::llm::Finish;
use codriver::llm::Model;
use codriver::llm::Reply;
use codriver::llm::Request;
use codriver::llm::StreamEvent;
use codriver::llm::connect;
use codriver::llm::local;
use codriver::llm::retry::Policy;
use codriver::models::Catalog;
use codriver::models::ModelSettings;
use tokio_util::sync::CancellationToken;

use super::server::Server;
use super::server::Step;
use super::server::end;
use super::server::piece;
use super::server::reply;
use super::server::response;
use super::server::stream_head;

const KEY: &str = "the-secret-key-of-the-test";

fn settings(name: &str) -> ModelSettings {
    Catalog::builtin().resolve(name).unwrap()
}

/// A client of the server that waits for nothing longer than it must.
fn client(url: &str, change: impl FnOnce(&mut ConnectOptions<'_>)) -> Box<dyn Model> {
    client_of(&settings("openai/test-model"), url, change)
}

fn client_of(settings: &ModelSettings, url: &str, change: impl FnOnce(&mut ConnectOptions<'_>)) -> Box<dyn Model> {
    let lookup = |_: &str| None;
    let mut options = ConnectOptions::new(&lookup);
    options.base_url = Some(url.to_owned());
    options.key = Some(KEY.to_owned());
    options.retries = Policy {
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(5),
        ..Policy::default()
    };
    change(&mut options);
    connect(settings, &options).unwrap()
}

fn request(text: &str) -> Request {
    Request {
        messages: vec![Message::system("Be brief."), Message::user(text)],
        ..Request::default()
    }
}

fn ask(model: &dyn Model) -> (Result<Reply, Error>, Vec<StreamEvent>) {
    ask_for(model, &request("Hello"))
}

fn ask_for(model: &dyn Model, request: &Request) -> (Result<Reply, Error>, Vec<StreamEvent>) {
    let mut events = Vec::new();
    let reply = model.reply(request, &CancellationToken::new(), &mut |event| events.push(event));
    (reply, events)
}

fn retries(events: &[StreamEvent]) -> usize {
    events
        .iter()
        .filter(|event| matches!(event, StreamEvent::Retrying { .. }))
        .count()
}

fn notices(events: &[StreamEvent]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::Notice(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn pieces_are_handed_on_as_they_arrive() {
    let (go_on, wait) = mpsc::channel();
    let server = Server::start(vec![vec![
        stream_head(),
        piece("one "),
        Step::Wait(wait),
        piece("two"),
        end(),
    ]]);
    let model = client(&server.url, |_| {});
    let mut seen = Vec::new();
    let reply = model
        .reply(&request("Hello"), &CancellationToken::new(), &mut |event| {
            // The second piece is not sent before the first has been seen.
            let _ = go_on.send(());
            seen.push(event);
        })
        .unwrap();
    assert_eq!(
        seen,
        [StreamEvent::Text("one ".into()), StreamEvent::Text("two".into())]
    );
    assert_eq!((reply.text.as_str(), &reply.finish), ("one two", &Finish::Stop));
    assert_eq!(
        (reply.usage.input, reply.usage.output, reply.usage.estimated),
        (7, 3, false)
    );
}

#[test]
fn key_headers_and_extra_fields_go_out() {
    let server = Server::start(vec![reply("ok")]);
    let model = client(&server.url, |options| {
        options.extra_headers.push(("X-Team".into(), "blue".into()));
        options.extra_body.insert("top_k".into(), 3.into());
    });
    ask(&*model).0.unwrap();
    let seen = &server.seen()[0];
    assert!(
        seen.head.starts_with("POST /chat/completions HTTP/1.1"),
        "{}",
        seen.head
    );
    assert_eq!(seen.header("authorization").as_deref(), Some(&*format!("Bearer {KEY}")));
    assert_eq!(seen.header("x-team").as_deref(), Some("blue"));
    assert_eq!(seen.json()["top_k"], 3);
    assert_eq!(seen.json()["stream"], true);
}

#[test]
fn cancelling_ends_a_request_at_once() {
    for answer in [
        vec![Step::Hang],
        vec![stream_head(), Step::Hang],
        vec![stream_head(), piece("half "), Step::Hang],
    ] {
        let has_text = answer.len() == 3;
        let server = Server::start(vec![answer]);
        let model = client(&server.url, |_| {});
        let cancel = CancellationToken::new();
        let canceller = cancel.clone();
        let (seen, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            if has_text {
                told.recv_timeout(Duration::from_secs(10)).unwrap();
            } else {
                std::thread::sleep(Duration::from_millis(30));
            }
            canceller.cancel();
            Instant::now()
        });
        let reply = model
            .reply(&request("Hello"), &cancel, &mut |_| seen.send(()).unwrap())
            .unwrap();
        let after = thread.join().unwrap().elapsed();
        assert_eq!(reply.finish, Finish::Cancelled);
        assert_eq!(reply.text, if has_text { "half " } else { "" });
        assert!(after < Duration::from_secs(2), "{after:?}");
    }
}

#[test]
fn cancelling_ends_a_wait() {
    let server = Server::start(vec![response("429 Too Many Requests", "Retry-After: 60\r\n", "{}")]);
    let model = client(&server.url, |_| {});
    let cancel = CancellationToken::new();
    let reply = model
        .reply(&request("Hello"), &cancel, &mut |event| {
            assert!(matches!(event, StreamEvent::Retrying { wait, .. } if wait > Duration::from_secs(50)));
            cancel.cancel();
        })
        .unwrap();
    assert_eq!(reply.finish, Finish::Cancelled);
}

#[test]
fn waits_as_long_as_the_server_says_then_answers_once() {
    let server = Server::start(vec![
        response(
            "429 Too Many Requests",
            "retry-after-ms: 40\r\n",
            r#"{"error":{"message":"Rate limit reached"}}"#,
        ),
        response(
            "529 Overloaded",
            "",
            r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ),
        response("500 Internal Server Error", "", ""),
        response("502 Bad Gateway", "", "<html><title>502 Bad Gateway</title></html>"),
        reply("at last"),
    ]);
    let model = client(&server.url, |_| {});
    let start = Instant::now();
    let (answer, events) = ask(&*model);
    assert_eq!(answer.unwrap().text, "at last");
    assert!(start.elapsed() >= Duration::from_millis(40));
    assert_eq!(retries(&events), 4);
    let Some(StreamEvent::Retrying { attempt: 1, reason, .. }) = events.first() else {
        panic!("{events:?}")
    };
    assert_eq!(reason, "rate limited: Rate limit reached");
    assert_eq!(server.seen().len(), 5);
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    type Check = fn(&Error) -> bool;
    let cases: [(&str, &str, Check); 5] = [
        (
            "429 Too Many Requests",
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            |error| matches!(error, Error::Quota { .. }),
        ),
        ("401 Unauthorized", r#"{"error":{"message":"Invalid key"}}"#, |error| {
            matches!(error, Error::Auth { .. })
        }),
        (
            "400 Bad Request",
            r#"{"error":{"message":"maximum context length is 10 tokens","code":"context_length_exceeded"}}"#,
            |error| matches!(error, Error::TooLong { .. }),
        ),
        (
            "400 Bad Request",
            r#"{"error":{"message":"the image is broken"}}"#,
            |error| matches!(error, Error::BadRequest { .. }),
        ),
        (
            "429 Too Many Requests\r\nRetry-After: 7200",
            r#"{"error":{"message":"slow down"}}"#,
            |error| matches!(error, Error::Quota { .. }),
        ),
    ];
    for (status, body, check) in cases {
        let server = Server::start(vec![response(status, "", body), reply("never")]);
        let (answer, events) = ask(&*client(&server.url, |_| {}));
        let error = answer.unwrap_err();
        assert!(check(&error), "{status}: {error:?}");
        assert!(events.is_empty(), "{events:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[test]
fn gives_up_after_the_attempts_of_the_policy() {
    let busy = || response("503 Service Unavailable", "", "busy");
    let server = Server::start((0..9).map(|_| busy()).collect());
    let model = client(&server.url, |options| options.retries.attempts = 3);
    let (answer, events) = ask(&*model);
    assert!(matches!(answer, Err(Error::Overloaded { .. })));
    assert_eq!((server.seen().len(), retries(&events)), (3, 2));
}

#[test]
fn a_dropped_stream_is_incomplete_and_keeps_its_text() {
    let server = Server::start(vec![vec![stream_head(), piece("one "), piece("two")]]);
    let (answer, _) = ask(&*client(&server.url, |_| {}));
    let answer = answer.unwrap();
    assert_eq!(answer.text, "one two");
    assert!(matches!(answer.finish, Finish::Incomplete(_)), "{:?}", answer.finish);
    assert!(answer.usage.estimated && answer.usage.input > 0 && answer.usage.output > 0);
}

#[test]
fn a_connection_that_breaks_in_mid_stream_is_not_said_to_be_unreachable() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let Step::Send(text) = piece("one") else {
        panic!("a piece is sent");
    };
    let chunk = format!("{:x}\r\n{}\r\n", text.len(), String::from_utf8_lossy(&text));
    let steps = vec![Step::Send(head.into()), Step::Send(chunk.into_bytes())];
    let server = Server::start(vec![steps]);
    let (answer, _) = ask(&*client(&server.url, |_| {}));
    let answer = answer.unwrap();
    assert_eq!(answer.text, "one");
    let Finish::Incomplete(why) = answer.finish else {
        panic!("{:?}", answer.finish);
    };
    assert!(why.contains("broke off") && !why.contains("cannot reach"), "{why}");
}

#[test]
fn a_stream_dropped_before_its_first_piece_is_asked_for_again() {
    let server = Server::start(vec![
        vec![],
        vec![stream_head(), Step::Send(b": keep-alive\n\n".to_vec())],
        reply("here"),
    ]);
    let (answer, events) = ask(&*client(&server.url, |_| {}));
    assert_eq!(answer.unwrap().text, "here");
    assert_eq!(retries(&events), 2);
}

#[test]
fn errors_inside_a_stream() {
    let error = |text: &str| Step::Send(format!("data: {text}\n\n").into_bytes());
    let overloaded = r#"{"error":{"message":"Overloaded","code":529}}"#;
    let server = Server::start(vec![
        vec![stream_head(), error(overloaded)],
        vec![stream_head(), piece("half"), error(overloaded)],
    ]);
    let (answer, events) = ask(&*client(&server.url, |_| {}));
    assert_eq!(retries(&events), 1, "before any text it is asked again");
    let answer = answer.unwrap();
    assert_eq!(answer.text, "half");
    assert_eq!(
        answer.finish,
        Finish::Incomplete("the provider is overloaded: Overloaded".into())
    );
}

#[test]
fn damaged_lines_end_the_reply_there() {
    let damaged = || Step::Send(b"data: {\"choices\":[{\"delta\":{\"content\":\"lo\n\n".to_vec());
    let server = Server::start(vec![vec![
        stream_head(),
        piece("one "),
        damaged(),
        piece("three"),
        end(),
    ]]);
    let answer = ask(&*client(&server.url, |_| {})).0.unwrap();
    assert_eq!(answer.text, "one ", "text after a gap would be wrong");
    assert!(matches!(answer.finish, Finish::Incomplete(why) if why.contains("damaged")));
}

#[test]
fn plain_json_is_read_although_a_stream_was_asked_for() {
    let body = r#"{"choices":[{"message":{"content":"whole","reasoning_content":"hm"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let server = Server::start(vec![response("200 OK", "Content-Type: application/json\r\n", body)]);
    let answer = ask(&*client(&server.url, |_| {})).0.unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("whole", "hm"));
    assert_eq!(answer.finish, Finish::Length);
    let server = Server::start(vec![
        response("200 OK", "", r#"{"error":{"message":"Overloaded","code":529}}"#),
        reply("ok"),
    ]);
    assert_eq!(ask(&*client(&server.url, |_| {})).0.unwrap().text, "ok");
}

#[test]
fn a_login_page_is_no_answer() {
    let page = || {
        response(
            "200 OK",
            "Content-Type: text/html\r\n",
            "<html><title>Sign in to the network</title></html>",
        )
    };
    let server = Server::start((0..8).map(|_| page()).collect());
    let (answer, _) = ask(&*client(&server.url, |options| options.retries.attempts = 2));
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("Sign in to the network"), "{error}");
}

#[test]
fn silence_ends_at_the_timeout() {
    let hang = || vec![Step::Hang];
    let server = Server::start(vec![hang(), hang(), hang(), hang()]);
    let (answer, events) = ask(&*client(&server.url, |options| {
        options.timeouts.first_byte = Duration::from_millis(40);
    }));
    assert!(matches!(answer, Err(Error::TimedOut { .. })));
    assert_eq!(retries(&events), 2, "waiting longer rarely helps");

    let server = Server::start(vec![vec![stream_head(), piece("half"), Step::Hang]]);
    let (answer, _) = ask(&*client(&server.url, |options| {
        options.timeouts.idle = Duration::from_millis(40);
    }));
    let answer = answer.unwrap();
    assert_eq!(answer.text, "half");
    assert!(matches!(answer.finish, Finish::Incomplete(_)));
}

#[test]
fn a_stream_that_stays_open_after_its_end_is_not_waited_for() {
    let server = Server::start(vec![vec![stream_head(), piece("done"), end(), Step::Hang]]);
    let answer = ask(&*client(&server.url, |_| {})).0.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("done", Finish::Stop));
}

#[test]
fn nobody_listening_is_told_soon_with_the_address() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let url = format!("http://{unused}");
    let (answer, events) = ask(&*client(&url, |_| {}));
    let error = answer.unwrap_err();
    assert!(
        matches!(&error, Error::Unreachable { url: told, .. } if *told == url),
        "{error:?}"
    );
    assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
    assert_eq!(retries(&events), 2);
}

#[test]
fn an_address_that_is_none_is_told_at_once() {
    for base in ["http://[::1/v1", "http://bad host/v1"] {
        let (answer, events) = ask(&*client(base, |_| {}));
        assert!(matches!(answer, Err(Error::BadRequest { .. })), "{base}: {answer:?}");
        assert!(events.is_empty());
    }
}

#[test]
fn refused_parameters_are_left_out_and_remembered() {
    let refusal = |message: &str| {
        let body = serde_json::json!({"error": {"message": message, "type": "invalid_request_error"}});
        response("400 Bad Request", "", &body.to_string())
    };
    let server = Server::start(vec![
        refusal("Unsupported value: 'temperature' does not support 0.5 with this model."),
        refusal("Unsupported parameter: 'max_completion_tokens' is not supported. Use 'max_tokens' instead."),
        reply("one"),
        reply("two"),
    ]);
    let model = client(&server.url, |_| {});
    let request = Request {
        max_output_tokens: Some(9),
        temperature: Some(0.5),
        ..request("Hello")
    };
    let (first, events) = ask_for(&*model, &request);
    assert_eq!(first.unwrap().text, "one");
    assert_eq!(notices(&events).len(), 2, "{events:?}");
    let (second, events) = ask_for(&*model, &request);
    assert_eq!(second.unwrap().text, "two");
    assert!(
        events.iter().all(|event| matches!(event, StreamEvent::Text(_))),
        "{events:?}"
    );
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    for seen in &seen[2..] {
        let body = seen.json();
        assert_eq!((body.get("temperature"), &body["max_tokens"]), (None, &9.into()));
        assert!(body.get("max_completion_tokens").is_none());
    }
}

#[test]
fn a_server_without_a_system_role_gets_one_adapted_request() {
    let body = r#"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}"#;
    let server = Server::start(vec![
        response("400 Bad Request", "", body),
        reply("fine"),
        reply("again"),
    ]);
    let model = client(&server.url, |_| {});
    ask(&*model).0.unwrap();
    ask(&*model).0.unwrap();
    let roles = |idx: usize| {
        let body = server.seen()[idx].json();
        let roles = body["messages"].as_array().unwrap().iter();
        roles
            .map(|message| message["role"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(roles(0), ["system", "user"]);
    assert_eq!((roles(1), roles(2)), (vec!["user".to_owned()], vec!["user".to_owned()]));
    assert_eq!(server.seen()[1].json()["messages"][0]["content"], "Be brief.\n\nHello");
}

#[test]
fn the_key_is_in_no_message() {
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}. Header: Bearer {KEY}"}}}}"#);
    let in_stream = format!("data: {{\"error\":{{\"message\":\"key {KEY} is bad\",\"code\":400}}}}\n\n");
    let server = Server::start(vec![
        response("401 Unauthorized", "", &echo),
        vec![stream_head(), Step::Send(in_stream.clone().into_bytes())],
        vec![stream_head(), piece("half"), Step::Send(in_stream.into_bytes())],
        response(
            "307 Temporary Redirect",
            &format!("Location: http://127.0.0.1:1/?key={KEY}\r\n"),
            "",
        ),
    ]);
    let model = client(&server.url, |_| {});
    for _ in 0..4 {
        let (answer, events) = ask(&*model);
        let told = format!(
            "{answer:?} {events:?} {}",
            answer.as_ref().map_or_else(ToString::to_string, |_| String::new())
        );
        assert!(!told.contains(KEY), "{told}");
        assert!(told.contains("***"), "{told}");
    }
    let lookup = |_: &str| Some(KEY.to_owned());
    let mut options = ConnectOptions::new(&lookup);
    options.key = Some(KEY.to_owned());
    assert!(!format!("{options:?}").contains(KEY));
}

#[test]
fn a_key_does_not_follow_a_redirect() {
    let elsewhere = Server::start(vec![reply("stolen")]);
    let location = format!("Location: {}/chat/completions\r\n", elsewhere.url);
    let server = Server::start(vec![response("308 Permanent Redirect", &location, "")]);
    let error = ask(&*client(&server.url, |_| {})).0.unwrap_err();
    assert!(error.to_string().contains(&elsewhere.url), "{error}");
    assert!(elsewhere.seen().is_empty());
}

#[test]
fn an_unknown_model_gets_the_servers_near_names() {
    let body = r#"{"error":{"message":"The model `test-model` does not exist","code":"model_not_found"}}"#;
    let list =
        r#"{"data":[{"id":"test-modal"},{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"},{"id":"e"},{"id":"text-model"}]}"#;
    let server = Server::start(vec![response("404 Not Found", "", body), response("200 OK", "", list)]);
    let error = ask(&*client(&server.url, |_| {})).0.unwrap_err();
    assert!(matches!(error, Error::UnknownModel { .. }));
    assert!(
        error
            .to_string()
            .ends_with("(the server has `test-modal`, `text-model`)"),
        "{error}"
    );
}

#[test]
fn endless_repetition_is_stopped() {
    let again = "And again the same sentence. ";
    let mut steps = vec![stream_head(), piece("Good text. ")];
    steps.extend((0..2_000).map(|_| piece(again)));
    steps.push(Step::Hang);
    let server = Server::start(vec![steps]);
    let answer = ask(&*client(&server.url, |_| {})).0.unwrap();
    assert!(answer.text.len() < 100, "{}", answer.text.len());
    assert!(matches!(answer.finish, Finish::Incomplete(why) if why.contains("repeated itself")));
}

#[test]
fn a_local_server_that_drops_most_of_the_prompt_is_told_on() {
    let end = "{\"message\":{\"content\":\"hi\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":2048,\"eval_count\":1}\n";
    let server = Server::start(vec![response("200 OK", "", end), response("200 OK", "", end)]);
    let model = client_of(&settings("ollama/llama3.1:70b"), &server.url, |_| {});
    let long = Request {
        messages: vec![Message::user("word ".repeat(9_000))],
        ..Request::default()
    };
    let (answer, events) = ask_for(&*model, &long);
    assert_eq!(answer.unwrap().usage.input, 2_048);
    let [notice] = notices(&events)[..] else {
        panic!("{events:?}")
    };
    assert!(notice.contains("2048") && notice.contains("9"), "{notice}");
    assert!(server.seen()[0].json()["options"]["num_ctx"].as_u64().unwrap() >= 9_000);
    let (_, events) = ask(&*model);
    assert!(notices(&events).is_empty());
}

#[test]
fn several_calls_run_side_by_side() {
    let (go_on, wait) = mpsc::channel();
    let server = Server::start(vec![
        vec![stream_head(), Step::Wait(wait), piece("slow"), end()],
        reply("quick"),
    ]);
    let model = client(&server.url, |_| {});
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| ask(&*model).0.unwrap().text);
        while server.seen().is_empty() {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(ask(&*model).0.unwrap().text, "quick");
        go_on.send(()).unwrap();
        assert_eq!(slow.join().unwrap(), "slow");
    });
}

#[test]
fn every_protocol_asks_at_its_own_address() {
    for (name, base, expected, header) in [
        ("openai/gpt-5.4", "/v1", "POST /v1/chat/completions ", "authorization"),
        ("openai/gpt-5.3-codex", "/v1", "POST /v1/responses ", "authorization"),
        ("anthropic/claude-sonnet-5-5", "", "POST /v1/messages ", "x-api-key"),
        ("anthropic/claude-sonnet-5-5", "/v1", "POST /v1/messages ", "x-api-key"),
        (
            "gemini/gemini-3.8-flash",
            "",
            "POST /v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse ",
            "x-goog-api-key",
        ),
        (
            "gemini/gemini-3.8-flash",
            "/v1beta/",
            "POST /v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse ",
            "x-goog-api-key",
        ),
        ("ollama/llama3.1:70b", "", "POST /api/chat ", "authorization"),
        (
            "azure/my-deployment",
            "",
            "POST /openai/v1/chat/completions ",
            "api-key",
        ),
    ] {
        let server = Server::start(vec![response("400 Bad Request", "", "no")]);
        let model = client_of(&settings(name), &format!("{}{base}", server.url), |_| {});
        assert!(ask(&*model).0.is_err());
        let seen = &server.seen()[0];
        assert!(seen.head.starts_with(expected), "{name}: {}", seen.head);
        assert!(
            seen.header(header).is_some_and(|value| value.ends_with(KEY)),
            "{name}: {}",
            seen.head
        );
    }
}

#[test]
fn local_servers_are_found_with_their_models() {
    let ollama = Server::start(vec![response(
        "200 OK",
        "",
        r#"{"models":[{"name":"llama3:8b"},{"name":"qwen3:4b"}]}"#,
    )]);
    let other = Server::start(vec![response(
        "200 OK",
        "",
        r#"{"data":[{"id":"m","owned_by":"llamacpp"}]}"#,
    )]);
    let website = Server::start(vec![response("200 OK", "", "<html>my site</html>")]);
    let silent = Server::start(vec![vec![Step::Hang]]);
    let port = |server: &Server| server.url.rsplit(':').next().unwrap().parse::<u16>().unwrap();
    let start = Instant::now();
    let found = local::probe(&[
        (port(&ollama), "ollama"),
        (port(&website), "lmstudio"),
        (port(&silent), "vllm"),
        (port(&other), "lmstudio"),
    ]);
    assert!(start.elapsed() < Duration::from_secs(2));
    let told: Vec<(&str, usize)> = found
        .iter()
        .map(|found| (found.kind.as_str(), found.models.len()))
        .collect();
    assert_eq!(told, [("ollama", 2), ("llamacpp", 1)]);
    assert_eq!(found[0].url, ollama.url);
    assert_eq!(found[1].url, format!("{}/v1", other.url));
}

#[test]
fn the_real_window_is_asked() {
    let lookup = |_: &str| None;
    let mut options = ConnectOptions::new(&lookup);
    let server = Server::start(vec![response(
        "200 OK",
        "",
        r#"{"model_info":{"llama.context_length":131072}}"#,
    )]);
    options.base_url = Some(server.url.clone());
    assert_eq!(
        local::window(&settings("ollama/llama3.1:70b"), &options).unwrap(),
        Some(131_072)
    );
    assert_eq!(server.seen()[0].json()["model"], "llama3.1:70b");
    let server = Server::start(vec![
        response("404 Not Found", "", ""),
        response("404 Not Found", "", ""),
        response("200 OK", "", r#"{"data":[{"id":"big","max_model_len":40960}]}"#),
    ]);
    options.base_url = Some(format!("{}/v1", server.url));
    options.key = Some(KEY.to_owned());
    assert_eq!(local::window(&settings("vllm/big"), &options).unwrap(), Some(40_960));
    let seen = server.seen();
    assert!(
        seen.iter()
            .all(|seen| seen.header("authorization") == Some(format!("Bearer {KEY}")))
    );
}
