//! Models that stand in for one another, against servers on 127.0.0.1.

use std::sync::Arc;

use codriver::chat::message::Message;
use codriver::llm::Charged;
use codriver::llm::ConnectOptions;
use codriver::llm::Error;
use codriver::llm::Model;
use codriver::llm::Reply;
use codriver::llm::Request;
use codriver::llm::StreamEvent;
use codriver::llm::connect;
use codriver::llm::fallback::Fallback;
use codriver::llm::fallback::Rung;
use codriver::models::Catalog;
use tokio_util::sync::CancellationToken;

use super::server::Answer;
use super::server::Server;
use super::server::reply;
use super::server::response;

fn rung(name: &str, server: &Server) -> Rung {
    let settings = Catalog::builtin().resolve(name).unwrap();
    let lookup = |_: &str| None;
    let mut options = ConnectOptions::new(&lookup);
    options.base_url = Some(server.url.clone());
    options.key = Some("the-key-of-the-test".to_owned());
    options.retries.attempts = 1;
    Rung {
        model: Arc::from(connect(&settings, &options).unwrap()),
        settings,
    }
}

fn ask(model: &dyn Model) -> (Result<Reply, Error>, Vec<String>) {
    let request = Request {
        messages: vec![Message::user("Hello")],
        temperature: Some(0.25),
        ..Request::default()
    };
    let mut notices = Vec::new();
    let reply = model.reply(&request, &CancellationToken::new(), &mut |event| {
        if let StreamEvent::Notice(text) = event {
            notices.push(text);
        }
    });
    (reply, notices)
}

const QUOTA: &str = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;

fn failing(status: &str, body: &str) -> Answer {
    response(status, "", body)
}

#[test]
fn the_next_is_asked_told_of_and_paid_at_its_own_price() {
    let main = Server::start(vec![failing("429 Too Many Requests", QUOTA), reply("never")]);
    let other = Server::start(vec![reply("from the other"), reply("again")]);
    let model = Fallback::new(rung("openai/gpt-4o", &main), [rung("deepseek/deepseek-v4-pro", &other)]);
    let (answer, notices) = ask(&model);
    let answer = answer.unwrap();
    assert_eq!(answer.text, "from the other");
    assert_eq!(
        notices,
        [
            "`openai/gpt-4o` does not answer (the quota is used up: You exceeded your current quota); \
          `deepseek/deepseek-v4-pro` is asked instead"
        ]
    );
    let prices = Catalog::builtin()
        .resolve("deepseek/deepseek-v4-pro")
        .unwrap()
        .prices
        .unwrap();
    let expected = (7.0 * prices.input + 3.0 * prices.output) / 1e6;
    assert!(
        matches!(answer.usage.charged, Charged::Dollars(cost) if (cost - expected).abs() < 1e-12),
        "{:?}",
        answer.usage
    );
    assert!(
        other.seen()[0].json().get("temperature").is_none(),
        "the temperature was the main model's"
    );
    // Credit does not come back by itself: the main model is not asked again.
    let (answer, notices) = ask(&model);
    assert_eq!(
        (answer.unwrap().text.as_str(), notices.len(), main.seen().len()),
        ("again", 0, 1)
    );
}

#[test]
fn an_overloaded_model_is_asked_first_the_next_time() {
    let main = Server::start(vec![failing("503 Service Unavailable", "busy"), reply("back")]);
    let other = Server::start(vec![reply("other")]);
    let model = Fallback::new(rung("openai/gpt-4o", &main), [rung("openai/gpt-4.1", &other)]);
    assert_eq!(ask(&model).0.unwrap().text, "other");
    let answer = ask(&model).0.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.charged), ("back", Charged::ByPrice));
}

#[test]
fn mistakes_of_the_settings_are_not_hidden() {
    for (status, body) in [
        ("401 Unauthorized", r#"{"error":{"message":"Invalid key"}}"#),
        ("400 Bad Request", r#"{"error":{"message":"the image is broken"}}"#),
    ] {
        let main = Server::start(vec![failing(status, body)]);
        let other = Server::start(vec![reply("never")]);
        let model = Fallback::new(rung("openai/gpt-4o", &main), [rung("openai/gpt-4.1", &other)]);
        let (answer, notices) = ask(&model);
        assert!(answer.is_err() && notices.is_empty(), "{status}: {answer:?}");
        assert!(other.seen().is_empty());
    }
}

#[test]
fn too_long_goes_to_a_larger_window_only() {
    let too_long = || failing("400 Bad Request", r#"{"error":{"message":"prompt is too long"}}"#);
    let main = Server::start(vec![too_long()]);
    let (same, large) = (Server::start(vec![reply("never")]), Server::start(vec![reply("fits")]));
    let model = Fallback::new(
        rung("openai/gpt-4o", &main),
        [rung("openai/gpt-4o-mini", &same), rung("openai/gpt-4.1", &large)],
    );
    assert_eq!(ask(&model).0.unwrap().text, "fits");
    assert!(same.seen().is_empty());
}

#[test]
fn when_all_fail_each_is_told_of() {
    let broken = || Server::start(vec![failing("500 Internal Server Error", "broken")]);
    let servers = [broken(), broken(), broken()];
    let mut rungs = servers.iter().map(|server| rung("openai/gpt-4o", server));
    let model = Fallback::new(rungs.next().unwrap(), rungs);
    let (answer, notices) = ask(&model);
    assert!(matches!(answer, Err(Error::Server { status: 500, .. })));
    assert_eq!(notices.len(), 2);
}
