//! Numbers for people: tokens, dollars, and the lines about a request and its cost.

use super::Event;

pub(super) fn request_line(number: usize, model: &str, tokens: usize, parts: &[(String, usize)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, tokens)| *tokens > 0)
        .map(|(name, tokens)| format!("{name} {}", human(*tokens as u64)))
        .collect();
    let number = if number > 1 {
        format!("request {number} ")
    } else {
        String::new()
    };
    let parts = if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    };
    format!("{number}to {model}: {} tokens{parts}", human(tokens as u64))
}

/// `reading the repository [#####.....] 5000 of 10000`
pub(super) fn progress_line(doing: &str, done: usize, total: usize) -> String {
    const WIDTH: usize = 20;
    let done = done.min(total);
    let filled = (done * WIDTH).checked_div(total).unwrap_or(0);
    let bar = format!("{}{}", "#".repeat(filled), ".".repeat(WIDTH - filled));
    format!("{doing} [{bar}] {done} of {total}")
}

/// `1.2k in (0.8k cached, saves $0.002) · 310 out · $0.004 this message · $0.02 session`.
pub(super) fn usage_line(event: &Event) -> String {
    let Event::Usage {
        input,
        output,
        cached,
        cost,
        saved,
        session_cost,
        estimated,
    } = event
    else {
        return String::new();
    };
    let about = if *estimated { "~" } else { "" };
    let mut line = format!("{about}{} in", human(*input));
    if *cached > 0 {
        let saved = match saved {
            Some(saved) if *saved > 0.0 => format!(", saves {}", money(*saved)),
            _ => String::new(),
        };
        line.push_str(&format!(" ({} cached{saved})", human(*cached)));
    }
    line.push_str(&format!(" · {about}{} out", human(*output)));
    if let Some(cost) = cost {
        line.push_str(&format!(" · {about}{} this message", money(*cost)));
    }
    if let Some(cost) = session_cost {
        line.push_str(&format!(" · {about}{} session", money(*cost)));
    }
    line
}

/// A count for people: 310, 1.2k, 12k, 1.2M.
pub fn human(n: u64) -> String {
    let scaled = |unit: u64, name: &str| {
        let tenths = (n * 10 + unit / 2) / unit;
        if tenths < 100 {
            format!("{}.{}{name}", tenths / 10, tenths % 10)
        } else {
            format!("{}{name}", (n + unit / 2) / unit)
        }
    };
    match n {
        0..1_000 => n.to_string(),
        1_000..999_500 => scaled(1_000, "k"),
        _ => scaled(1_000_000, "M"),
    }
}

/// Dollars: two decimals, and below ten cents as many as two digits need.
pub fn money(dollars: f64) -> String {
    let decimals = if dollars >= 0.1 || dollars <= 0.0 {
        2
    } else {
        (1.0 - dollars.log10().floor()).clamp(2.0, 6.0) as usize
    };
    let mut text = format!("{dollars:.decimals$}");
    while text.ends_with('0') && text.split('.').nth(1).is_some_and(|digits| digits.len() > 2) {
        text.pop();
    }
    format!("${text}")
}

pub(super) fn plural(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_line_says_how_much_of_how_much() {
        assert_eq!(
            progress_line("reading", 5, 10),
            "reading [##########..........] 5 of 10"
        );
        assert_eq!(progress_line("reading", 0, 0), "reading [....................] 0 of 0");
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            [310, 1_000, 1_249, 9_960, 12_300, 999_499, 999_500, 1_250_000].map(human),
            ["310", "1.0k", "1.2k", "10k", "12k", "999k", "1.0M", "1.3M"]
        );
        assert_eq!(
            [0.0, 0.004, 0.02, 0.0123, 0.000041, 0.5, 12.345].map(money),
            ["$0.00", "$0.004", "$0.02", "$0.012", "$0.000041", "$0.50", "$12.35"]
        );
    }
}
