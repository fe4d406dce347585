//! Asks the model: puts the request together from the files as they are now, checks it against the limits, streams the
//! reply to the user.

use anyhow::Result;

use super::Purpose;
use super::Session;
use super::turn::Turn;
use super::turn::TurnEnd;
use crate::chat::budget;
use crate::chat::budget::TooLarge;
use crate::chat::message::Message;
use crate::chat::modes::Environment;
use crate::chat::prompt;
use crate::chat::prompt::Assembled;
use crate::chat::prompt::FileText;
use crate::edit_format::Hints;
use crate::edit_format::ReplyReader;
use crate::files;
use crate::files::Found;
use crate::llm;
use crate::llm::Finish;
use crate::llm::Reply;
use crate::llm::Request;
use crate::llm::StreamEvent;
use crate::terminal::Event;
use crate::text::fence;
use crate::tokens;

/// What a request led to.
pub(super) enum Asked {
    Reply(Reply),
    /// There is no reply, and the turn is over.
    Ended(TurnEnd),
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
        }
        let assembled = self.assemble(&turn.message, &turn.said)?;
        let Some(seat) = &self.main else {
            return Ok(Asked::Ended(TurnEnd::NoModel));
        };
        if let Err(too_large) = budget::check(&assembled, seat.settings.context_window, seat.settings.reply_reserve()) {
            self.ui.show(too_large_event(&too_large));
            return Ok(Asked::Ended(TurnEnd::Limit));
        }
        turn.requests += 1;
        self.ui.show(Event::Request {
            number: turn.requests,
            model: seat.settings.name.clone(),
            tokens: assembled.total(),
            parts: assembled.sizes.clone(),
        });
        match self.stream(assembled.messages) {
            Ok(reply) => Ok(self.take_in(turn, reply)),
            Err(error) => {
                let hint = error.hint().map(str::to_owned);
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

    /// Sends messages and shows the reply as it comes.
    fn stream(&mut self, messages: Vec<Message>) -> Result<Reply, llm::Error> {
        let Some(seat) = &self.main else {
            return Err(llm::Error::Script {
                message: "there is no model".to_owned(),
            });
        };
        let request = Request {
            messages,
            temperature: seat.settings.temperature,
            max_output_tokens: None,
        };
        let cancel = self.interrupt.fresh();
        let mut reader = self
            .mode
            .edits()
            .then(|| ReplyReader::new(self.format, self.hints_to_show()));
        let ui = &mut self.ui;
        let mut announced = 0;
        let reply = seat.model.reply(&request, &cancel, &mut |event| {
            ui.show(match event {
                StreamEvent::Text(text) => text_event(reader.as_mut(), text),
                StreamEvent::Reasoning(text) => Event::Reasoning(text),
                // Told once a try; the screen counts the seconds.
                StreamEvent::Retrying { attempt, .. } if attempt == announced => return,
                StreamEvent::Retrying { attempt, reason, wait } => {
                    announced = attempt;
                    Event::Waiting { reason, wait }
                }
                StreamEvent::Notice(text) => Event::Warning(text),
            });
        });
        if let Some(reader) = &mut reader {
            let lines = reader.flush();
            let under_way = reader.under_way();
            ui.show(Event::Reply {
                text: String::new(),
                lines,
                under_way,
            });
        }
        reply
    }

    /// What the display may know of the project: reading the list of all files would hold the first word up.
    fn hints_to_show(&self) -> Hints {
        Hints {
            chat_files: self.files.editable().to_vec(),
            known_files: Vec::new(),
            root: Some(self.root.path().display().to_string()),
        }
    }

    /// Books a reply and puts it into the turn.
    fn take_in(&mut self, turn: &mut Turn, reply: Reply) -> Asked {
        let price = self.main.as_ref().and_then(|seat| seat.price(&reply.usage));
        self.spending.add(Purpose::Chat, &reply.usage, price);
        let total = self.spending.total();
        self.ui.show(Event::ReplyEnd {
            finish: finish_words(&reply.finish),
        });
        self.ui.show(Event::Usage {
            input: reply.usage.input,
            output: reply.usage.output,
            cached: reply.usage.cached_input,
            cost: price.map(|price| price.cost),
            session_cost: (total.unpriced == 0).then_some(total.cost),
            estimated: reply.usage.estimated,
        });
        if !reply.text.is_empty() {
            turn.said.push(Message::assistant(&reply.text));
        }
        if reply.finish == Finish::Cancelled {
            self.ui
                .show(Event::Note("Stopped; nothing of the reply was applied.".to_owned()));
            turn.said
                .push(Message::user("I stopped this reply; nothing of it was applied."));
            return Asked::Ended(TurnEnd::Interrupted);
        }
        if reply.text.trim().is_empty() {
            self.ui.show(Event::Warning("The model's reply was empty.".to_owned()));
        }
        Asked::Reply(reply)
    }

    /// The next request with everything that belongs to it. `message` steers the map.
    pub(super) fn assemble(&mut self, message: &str, said: &[Message]) -> Result<Assembled> {
        let parts = if self.mode.project {
            self.project_parts(message, said)?
        } else {
            prompt::Parts {
                mode: self.mode.prompt.to_owned(),
                read_only_files: vec![FileText::new("codriver's documentation", &self.options.documentation)],
                request: said.to_vec(),
                ..prompt::Parts::default()
            }
        };
        let texts = parts.chat_files.iter().chain(&parts.read_only_files);
        let fence = fence::choose(texts.filter_map(|file| match &file.content {
            prompt::Content::Text(text) => Some(text.as_str()),
            prompt::Content::Attachment { .. } => None,
        }));
        let count = token_counter(
            &parts,
            self.main_settings().and_then(|settings| settings.context_window),
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
            count,
        };
        Ok(prompt::assemble(&parts, &options))
    }

    /// What a request about the project is made of. `message` steers the map.
    fn project_parts(&mut self, message: &str, said: &[Message]) -> Result<prompt::Parts> {
        let chat_files = self.chat_texts()?;
        let read_only_files = self.read_only_texts();
        let map = if self.mode.map {
            self.map_for(message)?
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
            chat_files,
            history: self.history.messages(),
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

    /// The chat's files as they are now. One that is gone from disk leaves the chat with a word about it; one that was
    /// never there is new and empty.
    fn chat_texts(&mut self) -> Result<Vec<FileText>> {
        let mut texts = Vec::new();
        for path in self.files.editable().to_vec() {
            let why = match self.root.read(&path) {
                Ok(Found::Text(file)) => {
                    self.files.note_seen(&path, &file.text);
                    texts.push(FileText::new(path, file.text));
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
        Ok(texts)
    }

    fn read_only_texts(&mut self) -> Vec<FileText> {
        let mut texts = Vec::new();
        for file in self.files.read_only().to_vec() {
            match files::read_anywhere(&file.path) {
                Ok(Found::Text(text)) => texts.push(FileText::new(file.name, text.text)),
                _ => {
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

/// Counts exactly where it matters. A token has at least one byte, so a request with fewer bytes than the window has tokens
/// fits, and what could not be counted at once is estimated.
fn token_counter(parts: &prompt::Parts, window: Option<u32>) -> &'static dyn Fn(&str) -> usize {
    let files = parts
        .chat_files
        .iter()
        .chain(&parts.read_only_files)
        .map(|file| match &file.content {
            prompt::Content::Text(text) => text.len(),
            prompt::Content::Attachment { data, .. } => data.len(),
        });
    let messages = parts
        .history
        .iter()
        .chain(&parts.request)
        .map(|message| message.text().len());
    let bytes: usize =
        files.sum::<usize>() + messages.sum::<usize>() + parts.map.len() + parts.format.len() + parts.mode.len();
    let surely_fits = window.is_none_or(|window| bytes < window as usize / 2);
    if surely_fits {
        &tokens::count_at_once
    } else {
        &tokens::count
    }
}

/// A piece of a reply, read for edits where there can be any.
fn text_event(reader: Option<&mut ReplyReader>, text: String) -> Event {
    let Some(reader) = reader else {
        return Event::Text(text);
    };
    let lines = reader.push(&text);
    let under_way = reader.under_way();
    Event::Reply { text, lines, under_way }
}

fn finish_words(finish: &Finish) -> String {
    match finish {
        Finish::Stop => "stop".to_owned(),
        Finish::Length => "length".to_owned(),
        Finish::Refused(why) => format!("refused: {why}"),
        Finish::Incomplete(why) => format!("incomplete: {why}"),
        Finish::Cancelled => "cancelled".to_owned(),
    }
}

fn no_model() -> Event {
    Event::Error {
        message: "there is no model to ask".to_owned(),
        hint: Some(
            "set a key such as OPENAI_API_KEY or ANTHROPIC_API_KEY and start again, or name one: `/model ollama/qwen3-coder`; \
             `codriver models` lists them, `codriver demo` shows a session without one"
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
