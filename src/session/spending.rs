//! What a session has used: requests, tokens, money; and the limits the user set, checked before each request.

use crate::llm::Usage;

/// Limits of a session and of one turn; None is no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Dollars a session.
    pub max_cost: Option<f64>,
    /// Requests a session.
    pub max_requests: Option<usize>,
}

/// The sums so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spending {
    pub requests: usize,
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    /// Dollars; only requests with a known price are in it.
    pub cost: f64,
    /// Some request had no known price.
    pub unpriced: bool,
}

impl Spending {
    /// Takes one answered request in.
    pub fn add(&mut self, usage: &Usage, cost: Option<f64>) {
        self.requests += 1;
        self.input += usage.input;
        self.output += usage.output;
        self.cached += usage.cached_input;
        match cost {
            Some(dollars) => self.cost += dollars,
            None => self.unpriced = true,
        }
    }

    /// Why no further request may be sent, as a sentence; None when one may.
    pub fn exceeded(&self, limits: &Limits) -> Option<String> {
        if let Some(max) = limits.max_requests
            && self.requests >= max
        {
            return Some(format!("the limit of {max} requests is reached (`--max-requests`)"));
        }
        if let Some(max) = limits.max_cost
            && self.cost >= max
        {
            return Some(format!(
                "${:.4} are spent and the limit is ${max:.4} (`--max-cost`)",
                self.cost
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_ceilings_before_the_next_request() {
        let mut spending = Spending::default();
        let limits = Limits {
            max_cost: Some(0.01),
            max_requests: Some(2),
        };
        assert_eq!(spending.exceeded(&limits), None);
        spending.add(&Usage::default(), Some(0.004));
        assert_eq!(spending.exceeded(&limits), None);
        spending.add(&Usage::default(), None);
        assert!(spending.exceeded(&limits).expect("two requests").contains("2 requests"));
        assert!(spending.unpriced);
        let only_cost = Limits {
            max_cost: Some(0.004),
            max_requests: None,
        };
        assert!(
            spending
                .exceeded(&only_cost)
                .expect("the money is spent")
                .contains("--max-cost")
        );
    }
}
