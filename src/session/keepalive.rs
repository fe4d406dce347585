//! Keeps the provider's cache of the last request from forgetting while the user thinks (`--cache-keepalive-pings`): a short
//! request with the same beginning, now and then, a bounded number of times.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Limits;
use super::Purpose;
use super::Seat;
use super::Session;
use super::Spending;
use super::spending::Price;
use crate::chat::message::Message;
use crate::llm::Request;
use crate::llm::Usage;

/// How a cache is kept alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pings {
    /// At most so many after one message; 0: none.
    pub most: usize,
    /// Providers forget after five minutes.
    pub every: Duration,
}

impl Default for Pings {
    fn default() -> Self {
        Self {
            most: 0,
            every: Duration::from_secs(285),
        }
    }
}

/// Tokens that the answer to a ping may have.
const ANSWER: u32 = 16;

/// The thread that pings.
pub(super) struct KeepAlive {
    /// Gone: no further ping.
    stop: Option<Sender<()>>,
    cancel: CancellationToken,
    thread: Option<JoinHandle<()>>,
    used: Used,
}

/// Of each ping, with its price by the model that answered.
type Used = Arc<Mutex<Vec<(Usage, Option<Price>)>>>;

/// What it needs to know.
struct Round {
    request: Request,
    pings: Pings,
    spending: Spending,
    limits: Limits,
    seat: Seat,
}

impl Session {
    /// Remembers the beginning of a request that the provider keeps.
    pub(super) fn note_cached(&mut self, messages: &[Message]) {
        let caches = self
            .main_settings()
            .is_some_and(|settings| settings.prompt_cache || settings.cache_marks);
        if self.options.pings.most == 0 || !caches {
            return;
        }
        let end = messages
            .iter()
            .rposition(|message| message.cache)
            .map_or(messages.len(), |last| last + 1);
        self.cached = messages[..end].to_vec();
    }

    /// Begins to ping, when there is something to keep.
    pub(super) fn keep_alive(&mut self) {
        let Some(seat) = &self.main else { return };
        if self.cached.is_empty() || self.keepalive.is_some() {
            return;
        }
        let mut messages = std::mem::take(&mut self.cached);
        messages.push(Message::user("Answer with OK and nothing else."));
        let round = Round {
            request: Request {
                messages,
                max_output_tokens: Some(ANSWER),
                temperature: seat.settings.temperature,
            },
            pings: self.options.pings,
            spending: self.spending,
            limits: self.options.limits,
            seat: seat.clone(),
        };
        let (stop, stopped) = mpsc::channel();
        let cancel = CancellationToken::new();
        let used = Used::default();
        let (token, booked) = (cancel.clone(), Arc::clone(&used));
        let thread = std::thread::Builder::new()
            .name("cache-keepalive".to_owned())
            .spawn(move || round.play(&stopped, &token, &booked));
        self.keepalive = Some(KeepAlive {
            stop: Some(stop),
            cancel,
            thread: thread.ok(),
            used,
        });
    }

    /// Ends the pings and books what they used. With `wait` they are all made first.
    pub(super) fn end_keep_alive(&mut self, wait: bool) {
        let Some(mut running) = self.keepalive.take() else {
            return;
        };
        if wait && let Some(thread) = running.thread.take() {
            // A thread that panicked has nothing to say.
            let _ = thread.join();
        }
        running.stop = None;
        running.cancel.cancel();
        let used = std::mem::take(&mut *running.used.lock().unwrap_or_else(PoisonError::into_inner));
        for (usage, price) in used {
            self.spending.add(Purpose::CacheKeepAlive, &usage, price);
        }
    }
}

impl Round {
    fn play(mut self, stopped: &mpsc::Receiver<()>, cancel: &CancellationToken, used: &Used) {
        for _ in 0..self.pings.most {
            let is_over = stopped.recv_timeout(self.pings.every) != Err(RecvTimeoutError::Timeout);
            if is_over || self.spending.exceeded(&self.limits).is_some() {
                return;
            }
            // A ping that fails is none: the next message pays for the cache anew.
            let Ok(reply) = self.seat.model.reply(&self.request, cancel, &mut |_| {}) else {
                return;
            };
            let price = self.seat.price(&reply.usage);
            self.spending.add(Purpose::CacheKeepAlive, &reply.usage, price);
            used.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((reply.usage, price));
        }
    }
}
