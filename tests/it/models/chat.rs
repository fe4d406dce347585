//! How a request is put together: `fixtures/chat/<case>/parts.toml` and the messages in `expected.md`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use codriver::chat::message::Message;
use codriver::chat::message::Part;
use codriver::chat::message::Role;
use codriver::chat::prompt::Content;
use codriver::chat::prompt::Excerpts;
use codriver::chat::prompt::FileText;
use codriver::chat::prompt::Options;
use codriver::chat::prompt::Parts;
use codriver::chat::prompt::assemble;
use codriver::chat::roles::alternate;
use proptest::prelude::*;

use crate::support;

#[test]
fn requests_are_put_together() {
    support::check_all("chat", check);
}

/// A word is a token, so that sizes can be checked by hand.
fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn check(case: &Path) -> Result<(), String> {
    let text = fs::read_to_string(case.join("parts.toml")).map_err(|error| error.to_string())?;
    let table: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
    let string = |name: &str| table.get(name).and_then(toml::Value::as_str).unwrap_or("").to_owned();
    let flag = |name: &str, default: bool| table.get(name).and_then(toml::Value::as_bool).unwrap_or(default);
    let pairs = |name: &str| -> Vec<(String, String)> {
        let list = table
            .get(name)
            .and_then(toml::Value::as_array)
            .cloned()
            .unwrap_or_default();
        list.iter()
            .map(|pair| {
                (
                    pair[0].as_str().unwrap().to_owned(),
                    pair[1].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    };
    let files = |name: &str| -> Vec<FileText> {
        let file = |(path, text): (String, String)| match text.strip_prefix("data:") {
            Some(media_type) => FileText {
                path,
                content: Content::Attachment {
                    media_type: media_type.to_owned(),
                    data: "QUJD".into(),
                },
            },
            None => match text.strip_prefix("parts:") {
                // Parts that are set off by lines of dots; the last one lists what is not shown.
                Some(parts) => {
                    let mut parts: Vec<String> = parts.split("...\n").map(str::to_owned).collect();
                    let others = parts.pop().unwrap_or_default();
                    FileText {
                        path,
                        content: Content::Excerpts(Excerpts {
                            lines: format!("{} parts of 90 lines", parts.len()),
                            parts,
                            others: others.split_whitespace().map(str::to_owned).collect(),
                        }),
                    }
                }
                None => FileText::new(path, text),
            },
        };
        pairs(name).into_iter().map(file).collect()
    };
    let messages = |name: &str| -> Vec<Message> {
        let message = |(role, text): (String, String)| match role.as_str() {
            "assistant" => Message::assistant(text),
            _ => Message::user(text),
        };
        pairs(name).into_iter().map(message).collect()
    };
    let parts = Parts {
        mode: string("mode"),
        format: string("format"),
        conventions: files("conventions"),
        environment: string("environment"),
        examples: pairs("examples"),
        read_only_files: files("read_only_files"),
        map: string("map"),
        chat_files: files("chat_files"),
        partial_files: files("partial_files"),
        changed_files: files("changed_files"),
        history: messages("history"),
        request: messages("request"),
        reminder: string("reminder"),
    };
    let (open, prefix) = (string("open"), string("prefix"));
    let fence = if open.is_empty() { "```" } else { &open };
    let options = Options {
        open: fence,
        close: fence,
        examples_in_system: flag("examples_in_system", false),
        system_role: flag("system_role", true),
        reminder: flag("reminders", true),
        cache_marks: flag("cache_marks", false),
        prefix: &prefix,
        lazy: flag("lazy", false),
        overeager: flag("overeager", false),
        edits: flag("edits", true),
        pictures: codriver::tokens::pictures::Rule::default(),
        count: &words,
    };
    let assembled = assemble(&parts, &options);
    let mut shown = String::new();
    for message in &assembled.messages {
        let mark = if message.cache { " [cached up to here]" } else { "" };
        writeln!(shown, "======== {:?}{mark}", message.role).unwrap();
        for part in &message.parts {
            match part {
                Part::Text { text } => writeln!(shown, "{text}").unwrap(),
                Part::File { name, media_type, .. } => writeln!(shown, "({media_type}: {name})").unwrap(),
            }
        }
    }
    writeln!(shown, "======== sizes: {} in all", assembled.total()).unwrap();
    for (part, tokens) in &assembled.sizes {
        writeln!(shown, "{part}: {tokens}").unwrap();
    }
    for file in &assembled.files {
        let kind = if file.read_only { "read only" } else { "chat" };
        writeln!(shown, "file {} ({kind}): {}", file.path, file.tokens).unwrap();
    }
    support::expect_file(&case.join("expected.md"), &shown)
}

fn message() -> impl Strategy<Value = Message> {
    (
        prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant)],
        "[a ]{0,3}",
        any::<bool>(),
    )
        .prop_map(|(role, text, cache)| {
            let message = Message::new(role, text);
            if cache { message.cached() } else { message }
        })
}

proptest! {
    /// Whatever is said in whatever order: strict servers get what they want, and no text is lost.
    #[test]
    fn roles_alternate_and_no_text_is_lost(messages in prop::collection::vec(message(), 0..12)) {
        let merged = alternate(&messages);
        for pair in merged.windows(2) {
            prop_assert_ne!(pair[0].role, pair[1].role);
        }
        let talk: Vec<_> = merged.iter().skip_while(|message| message.role == Role::System).collect();
        prop_assert!(talk.iter().all(|message| message.role != Role::System));
        if let Some(first) = talk.first() {
            prop_assert_eq!(first.role, Role::User);
        }
        let count = |text: &str| text.matches('a').count();
        let before: usize = messages.iter().map(|message| count(&message.text())).sum();
        let after: usize = merged
            .iter()
            .map(|message| message.text())
            .filter(|text| !text.starts_with('('))
            .map(|text| count(&text))
            .sum();
        prop_assert_eq!(before, after);
        for message in &merged {
            prop_assert!(message.marks.iter().all(|mark| *mark < message.parts.len()));
            let joined: Vec<String> = message.blocks().into_iter().filter_map(|(part, _)| match part {
                Part::Text { text } => Some(text),
                Part::File { .. } => None,
            }).collect();
            prop_assert_eq!(joined.join("\n\n"), message.text());
        }
    }
}
