//! Makes old turns shorter: the weak model writes a summary on a thread while the user types, or at once for `/compact`.
//! A summary that will not do is thrown away and the turns stay.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use super::Purpose;
use super::Seat;
use super::Session;
use super::spending::Price;
use crate::chat::budget;
use crate::chat::history;
use crate::chat::history::Compaction;
use crate::llm::Finish;
use crate::llm::Request;
use crate::llm::Usage;
use crate::terminal::Event;
use crate::tokens;

/// A summary that is being written.
pub(super) struct Summarising {
    compaction: Compaction,
    cancel: CancellationToken,
    done: Receiver<Summary>,
    used: Used,
}

/// Of each request that was answered, with its price by the model that answered.
type Used = Arc<Mutex<Vec<(Usage, Option<Price>)>>>;

impl Drop for Summarising {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// What came of it, or why there is none.
type Summary = Result<String, String>;

/// The summary, when it comes before the user presses Ctrl-C: a model that hangs must not hold the message up.
fn wait_for(done: &Receiver<Summary>, stop: &CancellationToken) -> Option<Summary> {
    const STEP: Duration = Duration::from_millis(50);
    while !stop.is_cancelled() {
        match done.recv_timeout(STEP) {
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            done => return done.ok(),
        }
    }
    None
}

/// Everything a thread needs to write one.
struct Order {
    seat: Seat,
    /// Tokens of one chunk.
    chunk: usize,
    compaction: Compaction,
    keep: String,
    used: Used,
}

impl Session {
    /// The prompt waits for the user: the time to shorten what has grown beyond its ceiling.
    pub fn rest(&mut self) {
        self.keep_alive();
        if self.summarising.is_some() || self.limit_reached().is_some() {
            return;
        }
        let count = |text: &str| self.counts.count(text);
        let ceiling = self.history_ceiling().max(self.summarise_above);
        let Some(compaction) = self.history.plan_compaction(ceiling, &count) else {
            return;
        };
        let Some(order) = self.order(compaction.clone(), "") else {
            return;
        };
        let cancel = CancellationToken::new();
        let (sender, done) = mpsc::channel();
        let (token, used) = (cancel.clone(), Arc::clone(&order.used));
        let spawned = std::thread::Builder::new().name("summary".to_owned()).spawn(move || {
            // Nobody listens any more when the session has ended.
            let _ = sender.send(order.carry_out(&token));
        });
        if spawned.is_ok() {
            self.summarising = Some(Summarising {
                compaction,
                cancel,
                done,
                used,
            });
        }
    }

    /// Stops the summary that is being written. What it has cost so far is booked.
    pub(super) fn stop_summarising(&mut self) {
        if let Some(running) = self.summarising.take() {
            self.book_summary(&running.used);
        }
    }

    fn book_summary(&mut self, used: &Used) {
        let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
        for (usage, price) in used.drain(..) {
            self.spending.add(Purpose::Summary, &usage, price);
        }
    }

    /// The user is back: what was done meanwhile is taken over. With `wait` what is not done yet is waited for, until Ctrl-C.
    pub fn wake(&mut self, wait: bool) {
        self.end_keep_alive(wait);
        let Some(running) = &self.summarising else { return };
        let summary = if wait {
            let stop = self.interrupt.fresh();
            wait_for(&running.done, &stop)
        } else {
            match running.done.try_recv() {
                Err(mpsc::TryRecvError::Empty) => return,
                done => done.ok(),
            }
        };
        let compaction = running.compaction.clone();
        self.stop_summarising();
        if let Some(summary) = summary {
            self.take_over(&compaction, summary);
        }
    }

    /// `/compact`: summarises all turns but the newest at once. `keep` is what the user wants kept above all.
    pub fn compact(&mut self, keep: &str) -> Result<()> {
        self.stop_summarising();
        let count = |text: &str| self.counts.count(text);
        let newest = usize::from(self.history.turns.len() > 1);
        let Some(compaction) = self.history.plan_compaction_of_all(newest, &count) else {
            self.ui
                .show(Event::Note("There is nothing to make shorter.".to_owned()));
            return Ok(());
        };
        if let Some(why) = self.limit_reached() {
            self.ui.show(Event::Error {
                message: why,
                hint: None,
            });
            return Ok(());
        }
        if let Some(summary) = self.summarise(compaction, keep) {
            self.ui.show(Event::Print(summary));
        }
        Ok(())
    }

    /// Summarises so that at most `ceiling` tokens of history are left, where a model can be asked. What it cannot do is left
    /// out of the request instead.
    pub(super) fn summarise_to_fit(&mut self, ceiling: usize) {
        self.wake(true);
        let count = |text: &str| self.counts.count(text);
        let ceiling = ceiling.max(1);
        if self.limit_reached().is_none()
            && self.summarise_above <= ceiling
            && let Some(compaction) = self.history.plan_compaction(ceiling, &count)
        {
            self.summarise(compaction, "");
        }
    }

    /// Summarises now; Ctrl-C leaves everything as it was. Returns the summary that took the turns' place.
    fn summarise(&mut self, compaction: Compaction, keep: &str) -> Option<String> {
        let Some(order) = self.order(compaction.clone(), keep) else {
            self.ui.show(super::ask::no_model());
            return None;
        };
        self.ui.show(Event::Note(format!(
            "Summarising {} ({} tokens).",
            turns_words(compaction.turns.len()),
            compaction.tokens
        )));
        let cancel = self.interrupt.fresh();
        let summary = order.carry_out(&cancel);
        self.book_summary(&order.used);
        self.take_over(&compaction, summary)
    }

    /// Beyond so many tokens old turns are summarised.
    fn history_ceiling(&self) -> usize {
        let window = self.main_settings().and_then(|settings| settings.context_window);
        self.options
            .history_tokens
            .unwrap_or_else(|| budget::history_ceiling(window))
    }

    fn helper(&self) -> Option<&Seat> {
        self.weak.as_ref().or(self.main.as_ref())
    }

    fn order(&self, compaction: Compaction, keep: &str) -> Option<Order> {
        /// Tokens that a request may have where the window is not known.
        const UNKNOWN_WINDOW: u32 = 16_384;
        let seat = self.helper()?;
        let window = seat.settings.context_window.unwrap_or(UNKNOWN_WINDOW);
        let reserve = seat.settings.reply_reserve().min(window / 4);
        Some(Order {
            seat: seat.clone(),
            // Beside the chunk there are the instructions and the summary of the chunks before it.
            chunk: (window - reserve) as usize * 2 / 3,
            compaction,
            keep: keep.to_owned(),
            used: Used::default(),
        })
    }

    /// Puts the summary in place when it will do.
    fn take_over(&mut self, compaction: &Compaction, summary: Summary) -> Option<String> {
        let count = |text: &str| self.counts.count(text);
        let checked = summary
            .and_then(|text| history::check_summary(&text, compaction.tokens, &count).map_err(|bad| bad.to_string()));
        let text = match checked {
            Ok(text) => text,
            Err(why) => {
                // Not again before there is more to gain.
                self.summarise_above = self.history.tokens(&count) + self.history_ceiling() / 2;
                self.ui.show(Event::Warning(format!(
                    "The older turns stay as they are, they could not be summarised: {}.",
                    why.trim_end_matches('.')
                )));
                return None;
            }
        };
        if !self.history.compact(compaction, &text) {
            // It was cleared, or a turn was taken back meanwhile.
            return None;
        }
        self.summarise_above = 0;
        self.ui.show(Event::Note(format!(
            "Summarised {}: {} tokens are now {}.",
            turns_words(compaction.turns.len()),
            compaction.tokens,
            count(&text)
        )));
        self.record_history();
        Some(text)
    }
}

impl Order {
    /// Asks for the summary, chunk by chunk.
    fn carry_out(&self, cancel: &CancellationToken) -> Summary {
        let mut so_far = String::new();
        for chunk in history::chunks(&self.compaction, self.chunk, &tokens::count) {
            let request = Request {
                messages: history::summary_request(&chunk, &so_far, &self.keep),
                temperature: self.seat.settings.temperature,
                ..Request::default()
            };
            let reply = self.seat.model.reply(&request, cancel, &mut |_| {});
            let reply = reply.map_err(|error| error.to_string())?;
            let price = self.seat.price(&reply.usage);
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.push((reply.usage, price));
            drop(used);
            so_far = match reply.finish {
                Finish::Stop => reply.text,
                Finish::Cancelled => return Err("it was stopped".to_owned()),
                finish => {
                    return Err(format!(
                        "the summary ended early ({})",
                        super::ask::finish_words(&finish)
                    ));
                }
            };
        }
        Ok(so_far)
    }
}

fn turns_words(n: usize) -> String {
    match n {
        1 => "1 older turn".to_owned(),
        n => format!("{n} older turns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_does_not_come_is_waited_for_until_the_user_stops_it() {
        let (sender, done) = mpsc::channel();
        let stop = CancellationToken::new();
        stop.cancel();
        assert!(wait_for(&done, &stop).is_none());
        sender.send(Ok("done".to_owned())).unwrap();
        let come = wait_for(&done, &CancellationToken::new()).unwrap();
        assert_eq!(come.as_deref(), Ok("done"));
        drop(sender);
        assert!(wait_for(&done, &CancellationToken::new()).is_none());
    }
}
