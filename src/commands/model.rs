//! `/model`, `/editor-model`, `/weak-model`: show or change a model; `/reasoning-effort`, `/think-tokens`: how much the
//! models think.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Helper;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "model",
    aliases: &[],
    arguments: "[NAME]",
    summary: "show the model, or change it; the chat goes on",
    completes: Completes::Models,
    run: |session, arguments| {
        match arguments.trim() {
            "" => show(session),
            name => session.change_model(name),
        }
        Ok(After::Prompt)
    },
};

pub(super) const EDITOR: Command = Command {
    name: "editor-model",
    aliases: &[],
    arguments: "[NAME]",
    summary: "show or change the model that carries out the architect's plans",
    completes: Completes::Models,
    run: |session, arguments| helper(session, arguments, Helper::Editor),
};

pub(super) const WEAK: Command = Command {
    name: "weak-model",
    aliases: &[],
    arguments: "[NAME]",
    summary: "show or change the model that writes commit messages and summaries",
    completes: Completes::Models,
    run: |session, arguments| helper(session, arguments, Helper::Weak),
};

pub(super) const EFFORT: Command = Command {
    name: "reasoning-effort",
    aliases: &[],
    arguments: "[LEVEL]",
    summary: "show or change how long a reasoning model thinks, in its provider's words (low, medium, high)",
    completes: Completes::Nothing,
    run: effort,
};

pub(super) const THINK_TOKENS: Command = Command {
    name: "think-tokens",
    aliases: &["thinking-tokens"],
    arguments: "[N]",
    summary: "show or change how many tokens a model may think (`8k`; 0 turns thinking off)",
    completes: Completes::Nothing,
    run: think_tokens,
};

fn show(session: &mut Session) {
    let main = session.main_settings().map(|settings| settings.name.clone());
    let Some(main) = main else {
        let text = "There is no model (`/model NAME`; `codriver models` lists them).".to_owned();
        session.ui().show(Event::Note(text));
        return;
    };
    let mut text = format!("The model is {main} (edit format {})", session.edit_format().name());
    for which in [Helper::Editor, Helper::Weak] {
        if let Some(name) = session.helper_name(which) {
            text.push_str(&format!(", the {} {name}", which.words()));
        }
    }
    session.ui().show(Event::Note(text + "."));
}

fn helper(session: &mut Session, arguments: &str, which: Helper) -> Result<After> {
    match arguments.trim() {
        "" => {
            let told = match session.helper_name(which) {
                Some(name) => format!("The {} is {name}.", which.words()),
                None => format!("There is no {}: the main model does its work.", which.words()),
            };
            session.ui().show(Event::Note(told));
        }
        name => session.change_helper(which, name),
    }
    Ok(After::Prompt)
}

fn effort(session: &mut Session, arguments: &str) -> Result<After> {
    let mut thinking = session.thinking().clone();
    match arguments.trim() {
        "" => {
            let effort = thinking.effort.unwrap_or_else(|| "as the model likes".to_owned());
            session.ui().show(Event::Note(format!("Reasoning effort: {effort}.")));
        }
        level => {
            thinking.effort = Some(level.to_owned());
            session.change_thinking(thinking);
        }
    }
    Ok(After::Prompt)
}

fn think_tokens(session: &mut Session, arguments: &str) -> Result<After> {
    let mut thinking = session.thinking().clone();
    let text = arguments.trim();
    if text.is_empty() {
        let budget = thinking
            .budget
            .map_or("as the model likes".to_owned(), |n| n.to_string());
        session.ui().show(Event::Note(format!("Thinking tokens: {budget}.")));
        return Ok(After::Prompt);
    }
    match tokens_in(text) {
        Some(budget) => {
            thinking.budget = Some(budget);
            session.change_thinking(thinking);
        }
        None => session.ui().show(Event::Error {
            message: format!("`{text}` is no number of tokens"),
            hint: Some("`8192` and `8k` are, `0` turns thinking off".to_owned()),
        }),
    }
    Ok(After::Prompt)
}

/// `8096`, `8k`, `10.5k`, `0.5M`; a k is 1024, as windows are counted.
fn tokens_in(text: &str) -> Option<u32> {
    let (number, unit) = match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1024.0),
        None => match text.strip_suffix(['m', 'M']) {
            Some(number) => (number, 1024.0 * 1024.0),
            None => return text.replace('_', "").parse().ok(),
        },
    };
    let tokens = number.trim().parse::<f64>().ok()? * unit;
    (0.0..=f64::from(u32::MAX)).contains(&tokens).then_some(tokens as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_written_as_people_do() {
        assert_eq!(tokens_in("8096"), Some(8096));
        assert_eq!(tokens_in("8k"), Some(8192));
        assert_eq!(tokens_in("10.5K"), Some(10752));
        assert_eq!(tokens_in("0.5M"), Some(524_288));
        assert_eq!(tokens_in("0"), Some(0));
        for wrong in ["", "k", "-1", "many", "-2k", "99999999M"] {
            assert_eq!(tokens_in(wrong), None, "{wrong}");
        }
    }
}
