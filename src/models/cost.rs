//! What the tokens of a reply cost.

use super::Prices;

/// Tokens to be priced. The same meaning as in a provider's report: `input` holds the cached and written ones too,
/// `output` the reasoning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cached_input: u64,
    pub cache_write: u64,
    /// Part of `output`.
    pub reasoning: u64,
}

impl Prices {
    /// Dollars for `tokens`. Cached tokens without a price of their own cost as much as others.
    pub fn cost(&self, tokens: Tokens) -> f64 {
        if let Some(long) = self.long
            && tokens.input > long.above
        {
            let prices = Prices {
                input: long.input,
                output: long.output,
                cached_input: long.cached_input.or(self.cached_input),
                cache_write: long.cache_write.or(self.cache_write),
                reasoning: self.reasoning,
                long: None,
            };
            return prices.cost(tokens);
        }
        let cached = tokens.cached_input.min(tokens.input);
        let written = tokens.cache_write.min(tokens.input - cached);
        let plain = tokens.input - cached - written;
        let reasoning = tokens.reasoning.min(tokens.output);
        let millionths = plain as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + written as f64 * self.cache_write.unwrap_or(self.input)
            + (tokens.output - reasoning) as f64 * self.output
            + reasoning as f64 * self.reasoning.unwrap_or(self.output);
        millionths / 1e6
    }

    /// Dollars that the provider's cache saved on `tokens`. Negative when writing it cost more than it gave.
    pub fn saved(&self, tokens: Tokens) -> f64 {
        let without = Tokens {
            cached_input: 0,
            cache_write: 0,
            ..tokens
        };
        self.cost(without) - self.cost(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::super::LongPrices;
    use super::*;

    const PRICES: Prices = Prices {
        input: 3.0,
        output: 15.0,
        cached_input: Some(0.3),
        cache_write: Some(3.75),
        reasoning: None,
        long: None,
    };

    #[test]
    fn cached_and_written_tokens_have_their_own_price() {
        let tokens = Tokens {
            input: 1_000_000,
            output: 100_000,
            cached_input: 600_000,
            cache_write: 200_000,
            reasoning: 0,
        };
        let expected = 0.2 * 3.0 + 0.6 * 0.3 + 0.2 * 3.75 + 0.1 * 15.0;
        assert!((PRICES.cost(tokens) - expected).abs() < 1e-9);
        assert!((PRICES.saved(tokens) - (0.6 * 2.7 - 0.2 * 0.75)).abs() < 1e-9);
    }

    #[test]
    fn a_long_prompt_is_dearer_as_a_whole() {
        let prices = Prices {
            long: Some(LongPrices {
                above: 200_000,
                input: 6.0,
                output: 30.0,
                cached_input: None,
                cache_write: None,
            }),
            ..PRICES
        };
        let tokens = |input| Tokens {
            input,
            ..Tokens::default()
        };
        assert!((prices.cost(tokens(200_000)) - 0.6).abs() < 1e-9);
        assert!((prices.cost(tokens(200_001)) - 1.200_006).abs() < 1e-9);
    }

    #[test]
    fn a_report_with_more_cached_than_input_never_costs_less_than_nothing() {
        let tokens = Tokens {
            input: 10,
            output: 0,
            cached_input: 500,
            cache_write: 500,
            reasoning: 0,
        };
        assert!(PRICES.cost(tokens) >= 0.0);
    }

    #[test]
    fn thoughts_have_their_own_price_where_there_is_one() {
        let tokens = Tokens {
            output: 100_000,
            reasoning: 80_000,
            ..Tokens::default()
        };
        assert!((PRICES.cost(tokens) - 1.5).abs() < 1e-9);
        let dearer = Prices {
            reasoning: Some(30.0),
            ..PRICES
        };
        assert!((dearer.cost(tokens) - (0.02 * 15.0 + 0.08 * 30.0)).abs() < 1e-9);
    }
}
