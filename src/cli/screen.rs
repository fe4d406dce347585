//! The screen and the keyboard of a session: which ui it gets, what Ctrl-C does, what is said to whoever has no model.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;

use super::exit_code::Exit;
use super::settings::Values;
use crate::llm::local;
use crate::policy::secrets;
use crate::session::Interrupt;
use crate::terminal::EnterKey;
use crate::terminal::Keys;
use crate::terminal::Ui;
use crate::terminal::console;
use crate::terminal::console::Console;
use crate::terminal::input;
use crate::terminal::json::Json;
use crate::terminal::style;

/// The ui that the settings ask for. `may_ask`: somebody sits at the keyboard.
pub(super) fn ui(values: &Values, interrupt: &Interrupt) -> Box<dyn Ui> {
    let interrupt = interrupt.clone();
    // Nobody reads any more: whatever runs may stop.
    let stop = move || {
        interrupt.trip();
    };
    if values.json {
        return Box::new(Json::new(std::io::stdout(), values.yes_always).on_closed(stop));
    }
    let out_is_terminal = std::io::stdout().is_terminal();
    let options = console::Options {
        colour: colour(values, out_is_terminal),
        live: style::can_redraw(facts(values, out_is_terminal)),
        interactive: std::io::stdin().is_terminal(),
        yes_always: values.yes_always,
        verbose: values.verbose,
        editor: values.editor.clone(),
        enter: EnterKey::new(values.multiline),
    };
    Box::new(Console::new(options).on_closed(stop))
}

fn colour(values: &Values, is_terminal: bool) -> bool {
    style::wants_colour(facts(values, is_terminal))
}

fn facts(values: &Values, is_terminal: bool) -> style::ColourFacts<'static> {
    style::ColourFacts {
        pretty: values.pretty,
        is_terminal,
        lookup: &|name| std::env::var(name).ok(),
    }
}

/// How the prompt reads; `enter` is what the ui and its commands know of.
pub(super) fn input_options(values: &Values, state: &Path, enter: Option<EnterKey>) -> input::Options {
    input::Options {
        history: Some(input::history_file(state)),
        keys: Keys {
            vi: values.vim,
            enter: enter.unwrap_or_else(|| EnterKey::new(values.multiline)),
        },
        colour: colour(values, std::io::stdout().is_terminal()),
        editor: values.editor.clone(),
        term: std::env::var("TERM").ok(),
        mask: Some(|text| secrets::mask(text).into_owned()),
    }
}

/// Ctrl-C stops what runs; a second one while it is still stopping ends the program. So do a closed terminal and the end
/// that the system asks for, after the running command had a moment to be ended with all its children.
pub(super) fn stop_on_ctrl_c(interrupt: Interrupt) {
    /// What a stopped command gets to end.
    const FAREWELL: Duration = Duration::from_millis(500);
    let watch = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(async {
            let (Ok(mut hung_up), Ok(mut terminated)) = (signal(SignalKind::hangup()), signal(SignalKind::terminate()))
            else {
                return;
            };
            loop {
                let code = tokio::select! {
                    pressed = tokio::signal::ctrl_c() => match pressed {
                        Ok(()) if interrupt.trip() => continue,
                        _ => i32::from(Exit::Interrupted.code()),
                    },
                    _ = hung_up.recv() => 128 + SignalKind::hangup().as_raw_value(),
                    _ = terminated.recv() => 128 + SignalKind::terminate().as_raw_value(),
                };
                interrupt.end();
                tokio::time::sleep(FAREWELL).await;
                std::process::exit(code);
            }
        });
    };
    // Without the thread Ctrl-C ends the program, as it does by default.
    let _ = std::thread::Builder::new().name("ctrl-c".to_owned()).spawn(watch);
}

/// For whoever has no model: what is there on this machine, and the ways on.
pub(super) fn ways_on() -> String {
    let mut text = String::from("There is no model yet. Commands that need none work (`/help`). The ways on:\n\n");
    for server in local::probe(local::PORTS) {
        let model = server.models.first().map_or("NAME", String::as_str);
        text.push_str(&format!(
            "  a local server    answers at {}: `/model {}/{model}`\n",
            server.url, server.kind
        ));
    }
    text.push_str(
        "  a key             set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, ... and start again\n  \
         a local server    start Ollama, LM Studio, llama.cpp, ... and `/model ollama/NAME`\n  \
         neither           `codriver demo` plays a session with a scripted model\n",
    );
    text
}
