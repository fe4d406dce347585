//! The twin of a model that plays a script: for tests, `codriver demo`, and trying things out without a key.
//!
//! A script in TOML:
//!
//! ```toml
//! name = "demo"                    # shown as the model's name
//! piece = 12                       # characters a piece; 0: all at once
//! delay_ms = 15                    # between pieces
//!
//! [[rule]]                         # first match on the last message of the user wins, before the replies in order
//! when = "commit message"          # text that it holds, whatever the case
//! text = "Fix the greeting"
//!
//! [[reply]]
//! reasoning = "Let me see."
//! text = '''...'''
//! finish = "stop"                  # stop (default), length, refused, incomplete
//!
//! [[reply]]
//! error = "rate_limited"           # or a name below; `message` tells more
//! ```
//!
//! A script in Markdown is replies in order, with a line `<!-- reply -->` in front of each.

use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::Error;
use super::Finish;
use super::Model;
use super::Reply;
use super::Request;
use super::StreamEvent;
use super::Usage;
use crate::chat::message::Role;

/// One reply of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedReply {
    pub text: String,
    pub reasoning: String,
    pub finish: Ending,
    /// The request fails with this kind of error; text that is there is not played.
    pub error: Option<ErrorKind>,
    /// What the error says.
    pub message: String,
    /// Token counts that are reported; by default a quarter of the characters.
    pub usage: Option<ScriptedUsage>,
}

impl ScriptedReply {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same text, ended by that.
    pub fn ending(mut self, finish: Ending) -> Self {
        self.finish = finish;
        self
    }

    pub fn error(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            error: Some(kind),
            message: message.into(),
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    #[default]
    Stop,
    Length,
    Refused,
    Incomplete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    Auth,
    UnknownModel,
    RateLimited,
    Quota,
    Overloaded,
    Server,
    TooLong,
    BadRequest,
    Unreachable,
    Protocol,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedUsage {
    pub input: u64,
    pub output: u64,
    pub cached_input: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Rule {
    when: String,
    #[serde(flatten)]
    reply: ScriptedReply,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Script {
    name: Option<String>,
    piece: usize,
    delay_ms: u64,
    #[serde(rename = "rule")]
    rules: Vec<Rule>,
    #[serde(rename = "reply")]
    replies: Vec<ScriptedReply>,
}

/// A model that plays a script and remembers what it was asked.
#[derive(Debug)]
pub struct ScriptedModel {
    name: String,
    /// Characters a piece; 0: the whole text at once.
    piece: usize,
    delay: Duration,
    rules: Vec<Rule>,
    replies: Vec<ScriptedReply>,
    /// Answers when the replies have run out.
    beyond: Option<ScriptedReply>,
    played: Mutex<Played>,
}

#[derive(Debug, Default)]
struct Played {
    next: usize,
    requests: Vec<Request>,
}

const MARKDOWN_REPLY: &str = "<!-- reply -->";

impl ScriptedModel {
    /// These replies in order, each in one piece and at once. A request beyond the last is an error.
    pub fn from_replies(replies: Vec<ScriptedReply>) -> Self {
        Self {
            name: "scripted".to_owned(),
            piece: 0,
            delay: Duration::ZERO,
            rules: Vec::new(),
            replies,
            beyond: None,
            played: Mutex::default(),
        }
    }

    /// Reads a script: TOML, or Markdown when it holds a line `<!-- reply -->`.
    pub fn from_script(text: &str) -> Result<Self, Error> {
        if text.lines().any(|line| line.trim() == MARKDOWN_REPLY) {
            return Ok(Self::from_replies(markdown_replies(text)));
        }
        let script: Script = toml::from_str(text).map_err(|error| Error::Script {
            message: format!("failed to read the script: {error}"),
        })?;
        Ok(Self {
            name: script.name.unwrap_or_else(|| "scripted".to_owned()),
            piece: script.piece,
            delay: Duration::from_millis(script.delay_ms),
            rules: script.rules,
            replies: script.replies,
            beyond: None,
            played: Mutex::default(),
        })
    }

    /// Answers with this when the replies in order have run out.
    pub fn then_always(mut self, reply: ScriptedReply) -> Self {
        self.beyond = Some(reply);
        self
    }

    /// Streams in pieces of so many characters with a pause between them.
    pub fn paced(mut self, piece: usize, delay: Duration) -> Self {
        self.piece = piece;
        self.delay = delay;
        self
    }

    /// Answers a message of the user that holds `when` (whatever the case) with `reply`, as often as it comes and without using
    /// up the replies in order.
    pub fn rule(mut self, when: impl Into<String>, reply: ScriptedReply) -> Self {
        self.rules.push(Rule {
            when: when.into(),
            reply,
        });
        self
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.played().requests.clone()
    }

    fn played(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, request: &Request) -> Result<ScriptedReply, Error> {
        let mut played = self.played();
        played.requests.push(request.clone());
        let asked = request
            .messages
            .iter()
            .rev()
            .find(|message| message.role == Role::User)
            .map(|message| message.text().to_lowercase())
            .unwrap_or_default();
        if let Some(rule) = self.rules.iter().find(|rule| asked.contains(&rule.when.to_lowercase())) {
            return Ok(rule.reply.clone());
        }
        let Some(reply) = self.replies.get(played.next).or(self.beyond.as_ref()) else {
            return Err(Error::Script {
                message: format!("the script is over after {} replies", self.replies.len()),
            });
        };
        played.next += 1;
        Ok(reply.clone())
    }

    /// Hands `text` on in pieces; returns what was said before it was cancelled.
    fn play(&self, text: &str, cancel: &CancellationToken, say: &mut dyn FnMut(String)) -> String {
        let chars: Vec<char> = text.chars().collect();
        let size = if self.piece == 0 {
            chars.len().max(1)
        } else {
            self.piece
        };
        let mut said = String::new();
        for piece in chars.chunks(size) {
            if cancel.is_cancelled() {
                break;
            }
            let piece: String = piece.iter().collect();
            said.push_str(&piece);
            say(piece);
            wait(self.delay, cancel);
        }
        said
    }
}

/// Sleeps in short steps, so that cancelling ends it soon.
fn wait(delay: Duration, cancel: &CancellationToken) {
    const STEP: Duration = Duration::from_millis(20);
    let mut left = delay;
    while !left.is_zero() && !cancel.is_cancelled() {
        let step = left.min(STEP);
        std::thread::sleep(step);
        left -= step;
    }
}

fn markdown_replies(text: &str) -> Vec<ScriptedReply> {
    let mut replies: Vec<Vec<&str>> = Vec::new();
    for line in text.lines() {
        if line.trim() == MARKDOWN_REPLY {
            replies.push(Vec::new());
        } else if let Some(reply) = replies.last_mut() {
            reply.push(line);
        }
    }
    replies
        .into_iter()
        .map(|lines| ScriptedReply::text(format!("{}\n", lines.join("\n").trim_matches('\n'))))
        .collect()
}

fn error_of(kind: ErrorKind, message: String) -> Error {
    match kind {
        ErrorKind::Auth => Error::Auth { message },
        ErrorKind::UnknownModel => Error::UnknownModel { message },
        ErrorKind::RateLimited => Error::RateLimited {
            message,
            retry_after: None,
        },
        ErrorKind::Quota => Error::Quota { message },
        ErrorKind::Overloaded => Error::Overloaded {
            message,
            retry_after: None,
        },
        ErrorKind::Server => Error::Server {
            status: 500,
            message,
            retry_after: None,
        },
        ErrorKind::TooLong => Error::TooLong { message },
        ErrorKind::BadRequest => Error::BadRequest { message },
        ErrorKind::Unreachable => Error::Unreachable {
            url: "scripted".to_owned(),
            message,
        },
        ErrorKind::Protocol => Error::Protocol { message },
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn reply(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Error> {
        let script = self.next(request)?;
        if let Some(kind) = script.error {
            return Err(error_of(kind, script.message));
        }
        let reasoning = self.play(&script.reasoning, cancel, &mut |piece| {
            sink(StreamEvent::Reasoning(piece))
        });
        let text = self.play(&script.text, cancel, &mut |piece| sink(StreamEvent::Text(piece)));
        let finish = match script.finish {
            _ if cancel.is_cancelled() => Finish::Cancelled,
            Ending::Stop => Finish::Stop,
            Ending::Length => Finish::Length,
            Ending::Refused => Finish::Refused("refusal".to_owned()),
            Ending::Incomplete => Finish::Incomplete("the script ends the reply here".to_owned()),
        };
        let quarter = |length: usize| (length as u64).div_ceil(4);
        let usage = script.usage.map_or_else(
            || Usage {
                input: quarter(request.messages.iter().map(|message| message.text().len()).sum()),
                output: quarter(text.len() + reasoning.len()),
                reasoning: quarter(reasoning.len()),
                ..Usage::default()
            },
            |told| Usage {
                input: told.input,
                output: told.output,
                cached_input: told.cached_input,
                ..Usage::default()
            },
        );
        Ok(Reply {
            text,
            reasoning,
            finish,
            usage,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::message::Message;

    fn ask(model: &ScriptedModel, text: &str) -> (Result<Reply, Error>, Vec<StreamEvent>) {
        let mut events = Vec::new();
        let request = Request {
            messages: vec![Message::user(text)],
            ..Request::default()
        };
        let reply = model.reply(&request, &CancellationToken::new(), &mut |event| events.push(event));
        (reply, events)
    }

    #[test]
    fn plays_replies_in_order_and_rules_at_any_time() {
        let model = ScriptedModel::from_script(
            "name = \"demo\"\npiece = 2\n[[rule]]\nwhen = \"commit message\"\ntext = \"Fix it\"\n\
             [[reply]]\nreasoning = \"hm\"\ntext = \"äbc\"\n[[reply]]\ntext = \"cut\"\nfinish = \"length\"\n\
             [[reply]]\nerror = \"quota\"\nmessage = \"no money\"\n",
        )
        .unwrap();
        assert_eq!(model.name(), "demo");
        let (reply, events) = ask(&model, "hello");
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("äbc", "hm"));
        assert_eq!(
            events,
            [
                StreamEvent::Reasoning("hm".into()),
                StreamEvent::Text("äb".into()),
                StreamEvent::Text("c".into())
            ]
        );
        assert_eq!(ask(&model, "Write a Commit Message").0.unwrap().text, "Fix it");
        assert_eq!(ask(&model, "next").0.unwrap().finish, Finish::Length);
        assert!(matches!(ask(&model, "next").0, Err(Error::Quota { .. })));
        assert!(matches!(ask(&model, "next").0, Err(Error::Script { .. })));
        assert_eq!(model.requests().len(), 5);
    }

    #[test]
    fn markdown_scripts_keep_their_text() {
        let model = ScriptedModel::from_script("intro\n<!-- reply -->\n\none\n\n  two\n<!-- reply -->\nthree").unwrap();
        assert_eq!(ask(&model, "").0.unwrap().text, "one\n\n  two\n");
        assert_eq!(ask(&model, "").0.unwrap().text, "three\n");
    }

    #[test]
    fn cancelling_keeps_what_was_said() {
        let model = ScriptedModel::from_replies(vec![ScriptedReply::text("abcdef")]).paced(2, Duration::ZERO);
        let cancel = CancellationToken::new();
        let request = Request::default();
        let reply = model.reply(&request, &cancel, &mut |_| cancel.cancel()).unwrap();
        assert_eq!((reply.text.as_str(), reply.finish), ("ab", Finish::Cancelled));
    }

    #[test]
    fn a_script_with_a_mistake_says_where() {
        let error = ScriptedModel::from_script("[[reply]]\ntxt = 1").unwrap_err();
        assert!(error.to_string().contains("txt"), "{error}");
    }
}
