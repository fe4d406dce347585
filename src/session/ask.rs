//! Asks the model: puts the request together from the files as they are now, checks it against the limits, streams the
//! reply to the user.

use anyhow::Result;

use super::Session;
use super::continuing::Whole;
use super::fit::Room;
use super::turn::STOPPED;
use super::turn::Turn;
use super::turn::TurnEnd;
use crate::chat::budget;
use crate::chat::budget::TooLarge;
use crate::chat::message::Message;
use crate::chat::modes::Environment;
use crate::chat::prompt;
use crate::chat::prompt::Assembled;
use crate::chat::prompt::FileText;
use crate::files;
use crate::files::Found;
use crate::llm;
use crate::llm::Finish;
use crate::llm::Reply;
use crate::terminal::Event;
use crate::text::fence;

/// What helps where a provider failed for no reason of the request's.
const AGAIN: &str = "send the message again, or ask another model (`/model`)";

/// What a request led to.
pub(super) enum Asked {
    Reply(Reply),
    /// There is no reply, and the turn is over.
    Ended(TurnEnd),
}

/// The editable files of the chat.
struct ChatTexts {
    /// Those that never changed while they are in the chat.
    whole: Vec<FileText>,
    /// Those that are shown in part.
    partial: Vec<FileText>,
    /// Those that changed, the one that changed last at the end.
    changed: Vec<FileText>,
}

impl Session {
    /// Sends the turn so far. What was said is kept in the turn also when it fails, so nothing typed is lost.
    pub(super) fn ask_model(&mut self, turn: &mut Turn) -> Result<Asked> {
        if let Some(why) = self.limit_reached() {
            self.ui.show(Event::Error {
                message: why,
                hint: None,
            });
            return Ok(Asked::Ended(TurnEnd::Limit));
        }
        if self.main.is_none() {
            self.ui.show(no_model());
            return Ok(Asked::Ended(TurnEnd::NoModel));
        }
        if self.mode.project {
            self.settle_trust()?;
            if self.tell_stopped("nothing was sent") {
                return Ok(Asked::Ended(TurnEnd::Interrupted));
            }
        }
        let assembled = match self.fitting(turn)? {
            Ok(assembled) => assembled,
            Err(too_large) => {
                self.ui.show(too_large_event(&too_large));
                return Ok(Asked::Ended(TurnEnd::Limit));
            }
        };
        turn.requests += 1;
        self.note_cached(&assembled.messages);
        let Some(seat) = &self.main else {
            return Ok(Asked::Ended(TurnEnd::NoModel));
        };
        self.ui.show(Event::Request {
            number: turn.requests,
            model: seat.settings.name.clone(),
            tokens: assembled.total(),
            parts: assembled.sizes.clone(),
        });
        let savings = budget::savings(&assembled, assembled.total());
        match self.whole_reply(turn, assembled.messages) {
            Ok(whole) => Ok(self.take_in(turn, whole)),
            Err(error) => {
                let hint = match error {
                    // The window is smaller than we know.
                    llm::Error::TooLong { .. } => Some(budget::ways_out(&savings, usize::MAX)),
                    _ => error.hint().map(str::to_owned),
                };
                self.ui.show(Event::Error {
                    message: error.to_string(),
                    hint,
                });
                Ok(Asked::Ended(TurnEnd::Provider))
            }
        }
    }

    /// Why no further request may be sent, as a sentence; None when one may.
    pub(super) fn limit_reached(&self) -> Option<String> {
        self.spending
            .exceeded(&self.options.limits)
            .or_else(|| self.deadline.and_then(|deadline| deadline.exceeded()))
    }

    /// Tells what a reply cost and puts it into the turn.
    fn take_in(&mut self, turn: &mut Turn, whole: Whole) -> Asked {
        let Whole { reply, used, price } = whole;
        let total = self.spending.total();
        self.ui.show(Event::ReplyEnd {
            finish: finish_words(&reply.finish),
        });
        self.ui.show(Event::Usage {
            input: used.input,
            output: used.output,
            cached: used.cached_input,
            cost: price.map(|price| price.cost),
            saved: price.map(|price| price.saved),
            session_cost: (total.unpriced == 0).then_some(total.cost),
            estimated: used.estimated,
        });
        if !reply.text.trim().is_empty() {
            turn.answered = true;
            turn.said.push(Message::assistant(&reply.text));
        }
        if reply.finish == Finish::Cancelled {
            self.ui
                .show(Event::Note("Stopped; nothing of the reply was applied.".to_owned()));
            turn.said.push(Message::user(STOPPED));
            return Asked::Ended(TurnEnd::Interrupted);
        }
        if !reply.text.trim().is_empty() {
            return Asked::Reply(reply);
        }
        let (message, hint) = match &reply.finish {
            Finish::Length => (
                "the output limit was used up by thinking, before the reply began".to_owned(),
                "`/think-tokens` and `/reasoning-effort` make the model think less",
            ),
            Finish::Refused(why) => (
                format!("the provider withheld the reply ({why})"),
                "put it in other words, or ask another model (`/model`)",
            ),
            Finish::Incomplete(why) => (format!("the reply broke off before it began ({why})"), AGAIN),
            Finish::Stop | Finish::Cancelled => ("the model's reply is empty".to_owned(), AGAIN),
        };
        self.ui.show(Event::Error {
            message,
            hint: Some(hint.to_owned()),
        });
        Asked::Ended(cut_short_as(&reply.finish))
    }

    /// What a request with this message would tell a model that is asked elsewhere, as one text: without the conversation and
    /// the examples.
    ///
    /// # Errors
    /// When the project cannot be read.
    pub fn context_text(&mut self, message: &str) -> Result<String> {
        let said: Vec<Message> = Some(message)
            .filter(|message| !message.is_empty())
            .map(Message::user)
            .into_iter()
            .collect();
        let parts = prompt::Parts {
            history: Vec::new(),
            examples: Vec::new(),
            reminder: String::new(),
            ..self.project_parts(message, &said, self.room())?
        };
        let texts: Vec<String> = self.put_together(&parts).messages.iter().map(Message::text).collect();
        Ok(texts.join("\n\n") + "\n")
    }

    /// The next request with everything that belongs to it, within `room`. `message` steers the map.
    pub(super) fn assemble(&mut self, message: &str, said: &[Message], room: Room) -> Result<Assembled> {
        let parts = if self.mode.project {
            self.project_parts(message, said, room)?
        } else {
            prompt::Parts {
                mode: self.mode.prompt.to_owned(),
                read_only_files: vec![FileText::new("codriver's documentation", &self.options.documentation)],
                request: said.to_vec(),
                ..prompt::Parts::default()
            }
        };
        Ok(self.put_together(&parts))
    }

    /// The parts as the model wants them.
    fn put_together(&self, parts: &prompt::Parts) -> Assembled {
        let fence = fence::choose(
            files_of(parts)
                .flat_map(|file| file.content.texts())
                .map(String::as_str),
        );
        let settings = self.main.as_ref().map(|seat| &seat.settings);
        let options = prompt::Options {
            open: &fence.open,
            close: &fence.close,
            examples_in_system: settings.is_some_and(|settings| settings.examples_in_system),
            system_role: settings.is_none_or(|settings| settings.system_role),
            reminder: settings.is_none_or(|settings| settings.reminder),
            cache_marks: settings.is_some_and(|settings| settings.cache_marks),
            prefix: settings
                .and_then(|settings| settings.system_prompt_prefix.as_deref())
                .unwrap_or_default(),
            lazy: settings.is_some_and(|settings| settings.lazy),
            overeager: settings.is_some_and(|settings| settings.overeager),
            edits: self.mode.edits(),
            pictures: settings.map(|settings| settings.picture_tokens).unwrap_or_default(),
            count: &|text| self.counts.count(text),
        };
        prompt::assemble(parts, &options)
    }

    /// What a request about the project is made of. `message` steers the map.
    fn project_parts(&mut self, message: &str, said: &[Message], room: Room) -> Result<prompt::Parts> {
        let ChatTexts {
            whole,
            partial,
            changed,
        } = self.chat_texts()?;
        let read_only_files = self.read_only_texts();
        let map = if self.mode.map {
            self.map_for(message, room.map)?
        } else {
            Default::default()
        };
        if !map.text.is_empty() {
            self.ui.show(Event::Map {
                text: map.text.clone(),
                tokens: map.tokens,
                files: map.files,
            });
        }
        let prompts = self.format.prompts().filter(|_| self.mode.edits());
        let (format, examples, reminder) = prompts.map_or_else(Default::default, |prompts| {
            (prompts.system, prompts.examples, prompts.reminder)
        });
        Ok(prompt::Parts {
            mode: self.mode.prompt.to_owned(),
            format,
            conventions: self.rules(),
            environment: self.environment(),
            examples,
            read_only_files,
            map: map.text,
            chat_files: whole,
            partial_files: partial,
            changed_files: changed,
            history: self.history_within(room.history),
            request: said.to_vec(),
            reminder,
        })
    }

    fn environment(&self) -> String {
        let commands: Vec<&str> = self
            .options
            .lint_commands
            .iter()
            .map(|(_, command)| command.as_str())
            .collect();
        Environment {
            git: Some(self.git.is_some()),
            lint_command: if self.options.auto_lint {
                commands.join("; ")
            } else {
                String::new()
            },
            test_command: self
                .options
                .test_command
                .clone()
                .filter(|_| self.options.auto_test)
                .unwrap_or_default(),
            ..self.options.environment.clone()
        }
        .render()
    }

    /// What is said of earlier turns, in at most `ceiling` tokens (the newest turn always).
    fn history_within(&self, ceiling: usize) -> Vec<Message> {
        let within = self.history.within(ceiling, &|text| self.counts.count(text));
        let mut messages = within.messages;
        if within.left_out > 0 {
            messages.insert(0, Message::user("(Earlier turns of our conversation are left out.)"));
        }
        messages
    }

    /// The chat's files as they are now. One that is gone from disk leaves the chat with a word about it; one that was never
    /// there is new and empty.
    fn chat_texts(&mut self) -> Result<ChatTexts> {
        let mut texts = Vec::new();
        let mut partial = Vec::new();
        for path in self.files.editable().to_vec() {
            let why = match self.root.read(&path) {
                Ok(Found::Text(file)) => {
                    self.files.note_seen(&path, &file.text);
                    let content = self.visible(&path, &file.text);
                    let group = match content {
                        prompt::Content::Excerpts(_) => &mut partial,
                        _ => &mut texts,
                    };
                    group.push(FileText { path, content });
                    continue;
                }
                Ok(Found::Absent) if self.files.seen(&path).is_none() => {
                    texts.push(FileText::new(path, ""));
                    continue;
                }
                Ok(Found::Absent) => "is gone from disk".to_owned(),
                Ok(Found::Folder) => "is a folder now".to_owned(),
                Ok(Found::Binary { .. }) => "is not text any more".to_owned(),
                Ok(Found::TooLarge { bytes }) => format!("is too large now ({bytes} bytes)"),
                Ok(Found::Special) => "is no regular file any more".to_owned(),
                Err(error) => format!("cannot be read ({error})"),
            };
            self.files.drop_file(&path);
            self.ui
                .show(Event::Warning(format!("`{path}` {why}; it left the chat.")));
        }
        let (_, changed) = self.files.by_last_change();
        let place = |file: &FileText| changed.iter().position(|path| *path == file.path);
        let (whole, mut changed_texts): (Vec<_>, Vec<_>) = texts.into_iter().partition(|file| place(file).is_none());
        changed_texts.sort_by_key(place);
        Ok(ChatTexts {
            whole,
            partial,
            changed: changed_texts,
        })
    }

    fn read_only_texts(&mut self) -> Vec<FileText> {
        let mut texts = Vec::new();
        for file in self.files.read_only().to_vec() {
            match files::read_anywhere(&file.path) {
                Ok(Found::Text(text)) => {
                    if !self.files.excerpts(&file.name).is_empty() {
                        self.files.note_seen(&file.name, &text.text);
                    }
                    let content = self.visible(&file.name, &text.text);
                    texts.push(FileText {
                        path: file.name,
                        content,
                    });
                }
                found => {
                    let may_be_one = matches!(found, Ok(Found::Binary { .. } | Found::TooLarge { .. }));
                    if may_be_one && let Some(attached) = self.attached(&file.name, &file.path) {
                        texts.extend(attached);
                        continue;
                    }
                    self.files.drop_file(&file.name);
                    self.ui.show(Event::Warning(format!(
                        "`{}` cannot be read any more; it left the chat.",
                        file.name
                    )));
                }
            }
        }
        texts
    }
}

fn files_of(parts: &prompt::Parts) -> impl Iterator<Item = &FileText> {
    let groups = [
        &parts.chat_files,
        &parts.partial_files,
        &parts.changed_files,
        &parts.read_only_files,
    ];
    groups.into_iter().flatten()
}

/// How a turn ends whose last reply is not whole, or is empty.
pub(super) fn cut_short_as(finish: &Finish) -> TurnEnd {
    match finish {
        Finish::Length => TurnEnd::Limit,
        Finish::Refused(_) => TurnEnd::Refused,
        Finish::Cancelled => TurnEnd::Interrupted,
        Finish::Stop | Finish::Incomplete(_) => TurnEnd::Provider,
    }
}

pub(super) fn finish_words(finish: &Finish) -> String {
    match finish {
        Finish::Stop => "stop".to_owned(),
        Finish::Length => "length".to_owned(),
        Finish::Refused(why) => format!("refused: {why}"),
        Finish::Incomplete(why) => format!("incomplete: {why}"),
        Finish::Cancelled => "cancelled".to_owned(),
    }
}

pub(super) fn no_model() -> Event {
    Event::Error {
        message: "there is no model to ask".to_owned(),
        hint: Some(
            "set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY and start again, or name one: `/model ollama/qwen3-coder` here, \
             `--model` at the start; `codriver models` lists them, `codriver demo` shows a session without one"
                .to_owned(),
        ),
    }
}

fn too_large_event(too_large: &TooLarge) -> Event {
    Event::Error {
        message: format!("nothing was sent: {too_large}"),
        hint: Some(too_large.ways_out()),
    }
}
