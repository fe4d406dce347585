//! How a question is put, and what an answer to it means.

use super::{Answer, Question};

/// `[Y/n]`, the default in capitals, further choices behind.
pub(super) fn choices_label(question: &Question) -> String {
    let capital = |key: char, is_default: bool| if is_default { key.to_ascii_uppercase() } else { key }.to_string();
    let mut keys = vec![
        capital('y', question.default == Answer::Yes),
        capital('n', question.default == Answer::No),
    ];
    for (key, _) in &question.choices {
        keys.push(capital(*key, question.default == Answer::Choice(*key)));
    }
    if !question.choices.is_empty() {
        // Any other answer explains the keys.
        keys.push("?".to_string());
    }
    format!("[{}]", keys.join("/"))
}

pub(super) fn choices_legend(question: &Question) -> String {
    let mut words = vec!["y yes".to_string(), "n no".to_string()];
    words.extend(question.choices.iter().map(|(key, label)| format!("{key} {label}")));
    format!("please answer one of: {}", words.join(" · "))
}

/// The answer that `text` gives: a key, a word that yes or no begins, a label or its first word; nothing is the default.
pub(super) fn read_choice(question: &Question, text: &str) -> Option<Answer> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return Some(question.default);
    }
    let choice = question.choices.iter().find(|(key, label)| {
        let label = label.to_lowercase();
        let word = label.split(' ').next().unwrap_or_default();
        text == key.to_lowercase().to_string() || text == label || text == word
    });
    if let Some((key, _)) = choice {
        return Some(Answer::Choice(*key));
    }
    match text.as_str() {
        "y" | "ye" | "yes" => Some(Answer::Yes),
        "n" | "no" => Some(Answer::No),
        _ => None,
    }
}
