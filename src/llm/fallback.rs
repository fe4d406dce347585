//! Models that stand in for one another: when one fails for good, the next is asked, and the user is told.
//!
//! Not for every failure. A key that was refused and a certificate that is not trusted are mistakes in the settings: hiding
//! them behind a dearer model would only be found on the bill. A request that a server does not understand would not be
//! understood by the next one either.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use tokio_util::sync::CancellationToken;

use super::Charged;
use super::Error;
use super::Model;
use super::Reply;
use super::Request;
use super::StreamEvent;
use crate::models::ModelSettings;
use crate::models::cost::Tokens;

/// Requests in all to a model that another one stands in for: waiting minutes is for when there is nobody else.
pub const ATTEMPTS: u32 = 3;

/// One of the models.
pub struct Rung {
    pub settings: ModelSettings,
    pub model: Arc<dyn Model>,
}

/// The models, in the order in which they are asked.
pub struct Fallback {
    rungs: Vec<Rung>,
    /// Those before it will not serve the user in this session: no credit, no such model.
    first: AtomicUsize,
}

impl Fallback {
    /// `main` is the model that the user means; the others stand in for it, in this order.
    pub fn new(main: Rung, others: impl IntoIterator<Item = Rung>) -> Self {
        Self {
            rungs: std::iter::once(main).chain(others).collect(),
            first: AtomicUsize::new(0),
        }
    }

    /// Who is asked after `idx` failed.
    fn next(&self, idx: usize, error: &Error) -> Option<usize> {
        let window = |rung: &Rung| rung.settings.context_window.unwrap_or(0);
        let failed = self.rungs.get(idx)?;
        let helps = |rung: &Rung| match error {
            Error::TooLong { .. } => window(rung) > window(failed),
            error => passes_on(error),
        };
        (idx + 1..self.rungs.len()).find(|next| helps(&self.rungs[*next]))
    }
}

/// Whether another model may answer where one failed so.
fn passes_on(error: &Error) -> bool {
    match error {
        Error::RateLimited { .. }
        | Error::Quota { .. }
        | Error::Overloaded { .. }
        | Error::Server { .. }
        | Error::UnknownModel { .. }
        | Error::TooLong { .. }
        | Error::Unreachable { .. }
        | Error::Broken { .. }
        | Error::TimedOut { .. }
        | Error::Protocol { .. } => true,
        Error::NoKey { .. }
        | Error::NoBaseUrl { .. }
        | Error::UnknownApi { .. }
        | Error::Auth { .. }
        | Error::BadRequest { .. }
        | Error::Certificate { .. }
        | Error::Script { .. } => false,
    }
}

/// Whether it would fail in the same way a minute later.
fn lasts(error: &Error) -> bool {
    matches!(error, Error::Quota { .. } | Error::UnknownModel { .. })
}

impl Model for Fallback {
    fn name(&self) -> &str {
        self.rungs.first().map_or("", |rung| rung.model.name())
    }

    fn reply(
        &self,
        request: &Request,
        cancel: &CancellationToken,
        sink: &mut dyn FnMut(StreamEvent),
    ) -> Result<Reply, Error> {
        let mut idx = self.first.load(Ordering::Relaxed);
        loop {
            let rung = &self.rungs[idx];
            let own = Request {
                // What is sent to the main model may not be taken by another.
                temperature: if idx == 0 {
                    request.temperature
                } else {
                    rung.settings.temperature
                },
                ..request.clone()
            };
            let error = match rung.model.reply(&own, cancel, sink) {
                Ok(mut reply) => {
                    if idx > 0 {
                        charge(&mut reply, &rung.settings);
                    }
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let Some(next) = self.next(idx, &error) else {
                return Err(error);
            };
            if lasts(&error) {
                self.first.fetch_max(next, Ordering::Relaxed);
            }
            sink(StreamEvent::Notice(format!(
                "`{}` does not answer ({error}); `{}` is asked instead",
                rung.settings.name, self.rungs[next].settings.name
            )));
            idx = next;
        }
    }
}

/// Books a reply at the price of the model that gave it.
fn charge(reply: &mut Reply, settings: &ModelSettings) {
    let usage = &mut reply.usage;
    let free = settings.local.then_some(0.0);
    let by_price = settings.prices.map(|prices| {
        prices.cost(Tokens {
            input: usage.input,
            output: usage.output,
            cached_input: usage.cached_input,
            cache_write: usage.cache_write,
            reasoning: usage.reasoning,
        })
    });
    usage.charged = match usage.charged {
        Charged::Dollars(_) => usage.charged,
        _ => by_price.or(free).map_or(Charged::Unknown, Charged::Dollars),
    };
}
