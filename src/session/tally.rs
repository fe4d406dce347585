//! `/tokens`: what the next request would hold, and what the session has used.

use std::fmt::Write as _;

use anyhow::Result;

use super::Purpose;
use super::Rungs;
use super::Session;
use super::Spending;
use super::spending::Account;
use crate::chat::budget;
use crate::chat::prompt::Assembled;
use crate::models::ModelSettings;
use crate::terminal::Event;

impl Session {
    /// Shows the parts of the next request with what is left of the window, and what the session has used.
    pub fn show_tokens(&mut self) -> Result<()> {
        let assembled = self.assemble("", &[], self.room())?;
        let text = format!(
            "{}\n{}{}",
            request_table(&assembled, self.main_settings()),
            spending_table(&self.spending),
            rungs_line(&self.rungs)
        );
        self.ui.show(Event::Print(text));
        Ok(())
    }
}

/// How the edits were placed.
fn rungs_line(rungs: &Rungs) -> String {
    rungs
        .words()
        .map_or(String::new(), |words| format!("\nEdits: {words}.\n"))
}

/// The parts, the files within them, and the window.
fn request_table(assembled: &Assembled, settings: Option<&ModelSettings>) -> String {
    let mut text = String::new();
    let mut row = |n: usize, words: &str| {
        let _ = writeln!(text, "{:>11}  {words}", grouped(n as u64));
    };
    for (part, tokens) in &assembled.sizes {
        row(*tokens, part);
        let files = assembled.files.iter().filter(|file| match part.as_str() {
            "chat files" => !file.read_only,
            "read-only files" => file.read_only,
            _ => false,
        });
        for file in files {
            row(file.tokens, &format!("    {}", file.path));
        }
    }
    let total = assembled.total();
    row(total, "in the next request, before your message");
    let Some(settings) = settings else { return text };
    let reserve = settings.reply_reserve();
    row(reserve as usize, "kept for the reply");
    let Some(window) = settings.context_window else {
        text.push_str("             how much the model takes is not known\n");
        return text;
    };
    let left = (window as usize).saturating_sub(total + reserve as usize);
    row(
        left,
        &format!("left of the model's window of {}", grouped(u64::from(window))),
    );
    if let Err(too_large) = budget::check(assembled, Some(window), reserve) {
        let can_shrink = assembled.size("map") + assembled.size("history");
        let _ = if too_large.excess() <= can_shrink {
            let excess = grouped(too_large.excess() as u64);
            writeln!(
                text,
                "\n{excess} too many: the map gets smaller, then old turns, to keep within the window."
            )
        } else {
            writeln!(text, "\nToo much to be sent: {too_large}; {}.", too_large.ways_out())
        };
    }
    text
}

/// One row a purpose, then the sum.
fn spending_table(spending: &Spending) -> String {
    let total = spending.total();
    let mut text = String::from("  requests   tokens in     cached        out      cost\n");
    let mut row = |account: &Account, words: &str| {
        let _ = writeln!(
            text,
            "{:>10} {:>11} {:>10} {:>10} {:>9}  {words}",
            grouped(account.requests as u64),
            grouped(account.input),
            grouped(account.cached),
            grouped(account.output),
            cost_words(account),
        );
    };
    for purpose in Purpose::ALL {
        let account = spending.of(purpose);
        if account.requests > 0 {
            row(account, purpose.words());
        }
    }
    if spending.earlier().input > 0 {
        row(spending.earlier(), "before it was resumed");
    }
    row(&total, "this session");
    if total.cached > 0 && total.saved.abs() >= 0.000_05 {
        let _ = writeln!(text, "The provider's cache saved ${:.4}.", total.saved);
    }
    if total.unpriced > 0 {
        let _ = writeln!(text, "{}", unpriced_words(total.unpriced));
    }
    text
}

fn unpriced_words(n: usize) -> String {
    match n {
        1 => "The price of 1 request is not known; it is not in the cost.".to_owned(),
        n => format!("The price of {n} requests is not known; they are not in the cost."),
    }
}

fn cost_words(account: &Account) -> String {
    if account.requests > 0 && account.unpriced == account.requests {
        "unknown".to_owned()
    } else {
        format!("${:.4}", account.cost)
    }
}

/// `12,345`.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::spending::Price;
    use super::*;
    use crate::llm::Usage;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn a_price_that_is_not_known_is_not_nothing() {
        let mut spending = Spending::default();
        spending.add(Purpose::Summary, &Usage::default(), None);
        let table = spending_table(&spending);
        assert!(table.contains("unknown  summaries"), "{table}");
        assert!(table.contains("1 request is not known"), "{table}");
        let price = Price { cost: 0.25, saved: 0.0 };
        spending.add(Purpose::Chat, &Usage::default(), Some(price));
        let table = spending_table(&spending);
        assert!(table.contains("$0.2500  this session"), "{table}");
    }
}
