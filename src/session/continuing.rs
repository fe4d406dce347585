//! One reply, however many requests it takes: a reply that was cut at the output limit or broke off is continued, and one
//! that repeats itself without end is stopped.

use tokio_util::sync::CancellationToken;

use super::Session;
use super::spending::Price;
use super::turn::Turn;
use crate::chat::continuation;
use crate::chat::continuation::Seam;
use crate::chat::message::Message;
use crate::chat::repetition::degenerate_tail;
use crate::edit_format::Hints;
use crate::edit_format::ReplyReader;
use crate::llm;
use crate::llm::Finish;
use crate::llm::Model;
use crate::llm::Reply;
use crate::llm::Request;
use crate::llm::StreamEvent;
use crate::llm::Usage;
use crate::terminal::Event;
use crate::terminal::Ui;

/// Requests that one reply may take beyond the first. More of them are a model that does not come to an end.
const MAX_CONTINUATIONS: usize = 4;

/// A whole reply, with what its requests used and cost together.
pub(super) struct Whole {
    pub(super) reply: Reply,
    pub(super) used: Usage,
    /// None when a price is not known.
    pub(super) price: Option<Price>,
}

impl Session {
    /// Asks, and goes on asking while the reply is cut. What each request used is booked.
    ///
    /// # Errors
    /// When the first request fails; what a failing continuation leaves is the reply as far as it came.
    pub(super) fn whole_reply(&mut self, turn: &mut Turn, messages: Vec<Message>) -> Result<Whole, llm::Error> {
        let mut reader = self
            .mode
            .edits()
            .then(|| ReplyReader::new(self.format, self.hints_to_show()));
        let whole = self.pieces(turn, messages, reader.as_mut());
        if let Some(reader) = &mut reader {
            let lines = reader.flush();
            let under_way = reader.under_way();
            self.ui.show(Event::Reply {
                text: String::new(),
                lines,
                under_way,
            });
        }
        whole
    }

    fn pieces(
        &mut self,
        turn: &mut Turn,
        messages: Vec<Message>,
        mut reader: Option<&mut ReplyReader>,
    ) -> Result<Whole, llm::Error> {
        let first = self.one_reply(messages.clone(), None, reader.as_deref_mut())?;
        let mut whole = Whole {
            used: first.reply.usage,
            price: self.book(&first.reply.usage),
            reply: first.reply,
        };
        let mut is_endless = first.is_endless;
        let mut sternly = false;
        for nth in 1..=MAX_CONTINUATIONS {
            if is_endless || !self.should_go_on(&whole.reply, nth) {
                break;
            }
            let prefill = self.main_settings().is_some_and(|settings| settings.prefill);
            if prefill {
                // The beginning is sent without the blanks at its end, and goes on from there.
                let end = whole.reply.text.trim_end().len();
                whole.reply.text.truncate(end);
            }
            let mut request = messages.clone();
            if whole.reply.text.trim().is_empty() {
                whole.reply.text.clear();
            } else {
                request.extend(continuation::messages(&whole.reply.text, prefill, sternly));
            }
            turn.requests += 1;
            let more = match self.one_reply(request, Some(&whole.reply.text), reader.as_deref_mut()) {
                Ok(more) => more,
                Err(error) => {
                    self.ui
                        .show(Event::Warning(format!("The rest of the reply did not come: {error}.")));
                    break;
                }
            };
            is_endless = more.is_endless;
            let price = self.book(&more.reply.usage);
            sternly = more.is_doubtful;
            let has_come_to_nothing = more.reply.text.trim().is_empty();
            whole.add(more.reply, price);
            if sternly {
                self.ui.show(Event::Note(
                    "What came begins with words that may not belong into the file, so it is left out.".to_owned(),
                ));
            } else if has_come_to_nothing {
                break;
            }
        }
        Ok(whole)
    }

    /// Whether the reply shall be continued; tells the user so, or why it cannot be.
    fn should_go_on(&mut self, reply: &Reply, nth: usize) -> bool {
        let is_empty = reply.text.trim().is_empty();
        let what = match &reply.finish {
            // Asking again would use the limit up again.
            Finish::Length if is_empty => return false,
            Finish::Length => "was cut at the output limit",
            Finish::Incomplete(_) => "broke off",
            // It happens now and then, for no reason of the request's.
            Finish::Stop if is_empty && nth == 1 => "is empty",
            Finish::Stop | Finish::Refused(_) | Finish::Cancelled => return false,
        };
        if self.limit_reached().is_some() {
            // Whoever asks next says why.
            return false;
        }
        let way = if is_empty {
            "asking again"
        } else {
            "asking for the rest"
        };
        let count = match reply.finish {
            Finish::Stop => String::new(),
            _ => format!(" ({nth} of {MAX_CONTINUATIONS})"),
        };
        self.ui.show(Event::Note(format!("The reply {what}; {way}{count}.")));
        true
    }

    /// Sends messages and shows the reply as it comes. Of a continuation of `so_far` only what is new is shown and returned.
    fn one_reply(
        &mut self,
        messages: Vec<Message>,
        so_far: Option<&str>,
        reader: Option<&mut ReplyReader>,
    ) -> Result<Streamed, llm::Error> {
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
        let model = std::sync::Arc::clone(&seat.model);
        stream(model.as_ref(), &request, so_far, &cancel, reader, self.ui.as_mut())
    }

    /// What the display may know of the project: reading the list of all files would hold the first word up.
    fn hints_to_show(&self) -> Hints {
        Hints {
            chat_files: self.files.editable().to_vec(),
            known_files: Vec::new(),
            root: Some(self.root.path().display().to_string()),
            ..Hints::default()
        }
    }

    /// Takes what a request of the chat used into the session's sums.
    fn book(&mut self, usage: &Usage) -> Option<Price> {
        let price = self.main.as_ref().and_then(|seat| seat.price(usage));
        self.spending.add(self.purpose, usage, price);
        price
    }
}

impl Whole {
    /// Appends a continuation.
    fn add(&mut self, more: Reply, price: Option<Price>) {
        self.reply.text.push_str(&more.text);
        self.reply.reasoning.push_str(&more.reasoning);
        if !more.text.trim().is_empty() || more.finish == Finish::Cancelled {
            self.reply.finish = more.finish;
        }
        self.used.input += more.usage.input;
        self.used.output += more.usage.output;
        self.used.cached_input += more.usage.cached_input;
        self.used.cache_write += more.usage.cache_write;
        self.used.reasoning += more.usage.reasoning;
        self.used.estimated |= more.usage.estimated;
        self.price = self.price.zip(price).map(|(before, more)| Price {
            cost: before.cost + more.cost,
            saved: before.saved + more.saved,
        });
    }
}

/// What one request gave.
struct Streamed {
    reply: Reply,
    /// It repeated itself, and was stopped.
    is_endless: bool,
    /// A continuation that may begin with words of the model's own, and was left out.
    is_doubtful: bool,
}

fn stream(
    model: &dyn Model,
    request: &Request,
    so_far: Option<&str>,
    cancel: &CancellationToken,
    mut reader: Option<&mut ReplyReader>,
    ui: &mut dyn Ui,
) -> Result<Streamed, llm::Error> {
    let stop = cancel.child_token();
    let mut shown = so_far.map(Seam::new);
    let (mut text, mut reasoning) = (Watch::default(), Watch::default());
    let mut announced = 0;
    let mut reply = model.reply(request, &stop, &mut |event| {
        ui.show(match event {
            StreamEvent::Text(piece) => {
                text.push(&piece, &stop);
                match &mut shown {
                    Some(seam) => match seam.push(&piece) {
                        held if held.is_empty() => return,
                        new => text_event(reader.as_deref_mut(), new),
                    },
                    None => text_event(reader.as_deref_mut(), piece),
                }
            }
            StreamEvent::Reasoning(piece) => {
                reasoning.push(&piece, &stop);
                Event::Reasoning(piece)
            }
            // Told once a try; the screen counts the seconds.
            StreamEvent::Retrying { attempt, .. } if attempt == announced => return,
            StreamEvent::Retrying { attempt, reason, wait } => {
                announced = attempt;
                Event::Waiting { reason, wait }
            }
            StreamEvent::Notice(text) => Event::Warning(text),
        });
    })?;
    let mut is_doubtful = false;
    if let Some(so_far) = so_far {
        let rest = shown.map(|mut seam| seam.finish()).unwrap_or_default();
        if !rest.is_empty() {
            ui.show(text_event(reader, rest));
        }
        let mut seam = Seam::new(so_far);
        let new = seam.push(&reply.text);
        reply.text = new + &seam.finish();
        is_doubtful = seam.is_doubtful();
    }
    let is_endless = (text.repeats || reasoning.repeats) && !cancel.is_cancelled();
    if is_endless {
        if let Some(end) = degenerate_tail(&reply.text) {
            reply.text.truncate(end);
        }
        reply.finish = Finish::Incomplete("it repeated itself without end and was stopped".to_owned());
    }
    Ok(Streamed {
        reply,
        is_endless,
        is_doubtful,
    })
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

/// Watches a stream for the point where it begins to repeat itself.
#[derive(Default)]
struct Watch {
    text: String,
    /// Bytes that were looked at.
    looked_at: usize,
    repeats: bool,
}

impl Watch {
    fn push(&mut self, piece: &str, stop: &CancellationToken) {
        /// Bytes between two looks.
        const STRIDE: usize = 2_000;
        self.text.push_str(piece);
        if self.text.len() < self.looked_at + STRIDE {
            return;
        }
        self.looked_at = self.text.len();
        self.repeats = degenerate_tail(&self.text).is_some();
        if self.repeats {
            stop.cancel();
        }
    }
}
