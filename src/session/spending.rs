//! What a session has used: requests, tokens, money, each by its purpose; and the limits the user set, checked before each
//! request.

use std::time::Duration;
use std::time::Instant;

use crate::llm::Usage;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The turns of the chat.
    Chat,
    /// Carrying out an architect's plan.
    Editor,
    CommitMessage,
    /// Making old turns shorter.
    Summary,
    /// Keeping the provider's cache from forgetting.
    CacheKeepAlive,
}

impl Purpose {
    pub const ALL: [Purpose; 5] = [
        Purpose::Chat,
        Purpose::Editor,
        Purpose::CommitMessage,
        Purpose::Summary,
        Purpose::CacheKeepAlive,
    ];

    /// What it is called in `/tokens`.
    pub fn words(self) -> &'static str {
        match self {
            Purpose::Chat => "chat",
            Purpose::Editor => "editor",
            Purpose::CommitMessage => "commit messages",
            Purpose::Summary => "summaries",
            Purpose::CacheKeepAlive => "cache keep-alive",
        }
    }
}

/// Limits of a session and of one turn; None is no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Dollars a session.
    pub max_cost: Option<f64>,
    /// Requests a session.
    pub max_requests: Option<usize>,
    /// From the beginning of a turn.
    pub max_time: Option<Duration>,
}

/// What a request cost, in dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    pub cost: f64,
    /// By the provider's cache; negative where filling it cost more than it gave.
    pub saved: f64,
}

/// Sums of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Account {
    pub requests: usize,
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub cache_write: u64,
    /// Part of `output`.
    pub reasoning: u64,
    /// Dollars; only requests with a known price are in it.
    pub cost: f64,
    /// Dollars, by the provider's cache.
    pub saved: f64,
    /// Requests whose price is not known.
    pub unpriced: usize,
}

impl Account {
    fn add(&mut self, usage: &Usage, price: Option<Price>) {
        self.requests += 1;
        self.input += usage.input;
        self.output += usage.output;
        self.cached += usage.cached_input;
        self.cache_write += usage.cache_write;
        self.reasoning += usage.reasoning;
        match price {
            Some(price) => {
                self.cost += price.cost;
                self.saved += price.saved;
            }
            None => self.unpriced += 1,
        }
    }

    fn join(self, other: &Account) -> Account {
        Account {
            requests: self.requests + other.requests,
            input: self.input + other.input,
            output: self.output + other.output,
            cached: self.cached + other.cached,
            cache_write: self.cache_write + other.cache_write,
            reasoning: self.reasoning + other.reasoning,
            cost: self.cost + other.cost,
            saved: self.saved + other.saved,
            unpriced: self.unpriced + other.unpriced,
        }
    }
}

/// The sums so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spending {
    accounts: [Account; Purpose::ALL.len()],
    /// Before the session was taken up again: tokens and dollars of any purpose, no requests.
    earlier: Account,
}

impl Spending {
    /// Goes on from an earlier run of the session.
    pub fn resumed(input: u64, output: u64, cost: f64) -> Self {
        Self {
            earlier: Account {
                input,
                output,
                cost,
                ..Account::default()
            },
            ..Self::default()
        }
    }

    /// Takes one answered request in. `price` is None when it is not known.
    pub fn add(&mut self, purpose: Purpose, usage: &Usage, price: Option<Price>) {
        self.accounts[purpose as usize].add(usage, price);
    }

    /// What one purpose has used in this run.
    pub fn of(&self, purpose: Purpose) -> &Account {
        &self.accounts[purpose as usize]
    }

    /// Everything, also of earlier runs of the session.
    pub fn total(&self) -> Account {
        self.accounts.iter().fold(self.earlier, Account::join)
    }

    /// What was used before the session was taken up again.
    pub fn earlier(&self) -> &Account {
        &self.earlier
    }

    /// Why no further request may be sent, as a sentence; None when one may.
    pub fn exceeded(&self, limits: &Limits) -> Option<String> {
        let total = self.total();
        if let Some(max) = limits.max_requests
            && total.requests >= max
        {
            return Some(format!("the limit of {max} requests is reached (`--max-requests`)"));
        }
        if let Some(max) = limits.max_cost
            && total.cost >= max
        {
            return Some(format!(
                "${:.4} are spent and the limit is ${max:.4} (`--max-cost`)",
                total.cost
            ));
        }
        None
    }
}

/// When the time of the turn that runs is up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    /// The limit counted from now; one that no clock reaches is none.
    pub(super) fn from_now(limit: Duration) -> Option<Self> {
        let at = Instant::now().checked_add(limit)?;
        Some(Self { at, limit })
    }

    /// What is left of it, nothing when it is over.
    pub(super) fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Why nothing more may be begun, as a sentence; None while there is time.
    pub(super) fn exceeded(&self) -> Option<String> {
        self.left()
            .is_zero()
            .then(|| format!("the time of {} s is up (`--max-time`)", self.limit.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(cost: f64) -> Option<Price> {
        Some(Price { cost, saved: 0.0 })
    }

    #[test]
    fn limits_are_ceilings_before_the_next_request() {
        let mut spending = Spending::default();
        let limits = Limits {
            max_cost: Some(0.01),
            max_requests: Some(2),
            max_time: None,
        };
        assert_eq!(spending.exceeded(&limits), None);
        spending.add(Purpose::Chat, &Usage::default(), price(0.004));
        assert_eq!(spending.exceeded(&limits), None);
        spending.add(Purpose::CommitMessage, &Usage::default(), None);
        assert!(spending.exceeded(&limits).expect("two requests").contains("2 requests"));
        assert_eq!(spending.total().unpriced, 1);
        let only_cost = Limits {
            max_cost: Some(0.004),
            ..Limits::default()
        };
        assert!(
            spending
                .exceeded(&only_cost)
                .expect("the money is spent")
                .contains("--max-cost")
        );
    }

    #[test]
    fn helpers_count_to_the_session_and_apart() {
        let mut spending = Spending::resumed(100, 10, 0.5);
        let usage = Usage {
            input: 7,
            ..Usage::default()
        };
        spending.add(Purpose::Chat, &usage, price(0.1));
        spending.add(Purpose::Summary, &usage, price(0.2));
        assert_eq!(spending.of(Purpose::Summary).requests, 1);
        assert_eq!(spending.total().input, 114);
        assert!((spending.total().cost - 0.8).abs() < 1e-9);
    }

    #[test]
    fn a_time_that_no_clock_reaches_is_no_limit() {
        assert!(Deadline::from_now(Duration::MAX).is_none());
        let over = Deadline::from_now(Duration::ZERO).expect("a time");
        assert!(over.exceeded().expect("it is over").contains("--max-time"));
    }
}
