//! The prompt: reads lines and hands them on until the user leaves, and what Tab completes from.

use std::sync::Arc;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use anyhow::Context;
use anyhow::Result;

use super::config::Config;
use super::drive::exit_of;
use super::drive::finish;
use super::exit_code::Exit;
use super::open::connector;
use super::screen;
use crate::commands::COMMANDS;
use crate::commands::Completes;
use crate::repl;
use crate::repl::Obeyed;
use crate::session::Session;
use crate::terminal::Event;
use crate::terminal::completion::Argument;
use crate::terminal::completion::CommandRow;
use crate::terminal::completion::Definitions;
use crate::terminal::completion::Words;
use crate::terminal::input::Input;
use crate::terminal::input::Line;
use crate::terminal::input::SharedWords;

/// Reads lines until the user leaves.
pub(super) fn prompt(session: &mut Session, config: &Config) -> Result<Exit> {
    session.announce();
    if session.main_settings().is_none() {
        let lines = screen::ways_on();
        session.ui().show(Event::Print(lines));
    }
    session.warm_up();
    let words = SharedWords::default();
    lock(&words).models = connector(config)?
        .catalog
        .search("")
        .into_iter()
        .map(|found| found.settings.name)
        .collect();
    let enter = session.ui().enter_key();
    let options = screen::input_options(&config.values, session.state_dir(), enter);
    let mut input =
        Input::new(options, command_rows(), Arc::clone(&words)).context("failed to prepare the terminal")?;
    let attended = input.is_interactive();
    let mut last = Exit::Done;
    loop {
        offer_words(session, &words);
        let mode = if session.mode().name == "code" {
            ""
        } else {
            session.mode().name
        };
        session.rest();
        match input.read(mode).context("failed to read from the terminal")? {
            Line::Leave => break,
            Line::Text(text) => {
                match repl::obey(session, &text) {
                    Obeyed::Quit => break,
                    Obeyed::Turn(end) => last = exit_of(end),
                    Obeyed::Unknown => last = Exit::Usage,
                    Obeyed::Command => {}
                }
                if let Some(message) = session.take_unsent() {
                    if attended {
                        let told = "Your message is on the line again: Enter sends it, Ctrl-C puts it aside.";
                        session.ui().show(Event::Note(told.to_owned()));
                    }
                    input.prepare(repl::again(&text, &message));
                }
            }
        }
    }
    // A script on standard input wants to know how it went; a person has seen it.
    let exit = if attended { Exit::Done } else { last };
    finish(session, exit);
    Ok(exit)
}

/// What Tab completes from. The project's files are listed on a thread of their own: the prompt does not wait for them.
fn offer_words(session: &Session, words: &SharedWords) {
    let chat = session.files();
    let names = chat.read_only().iter().map(|file| file.name.clone());
    let chat_files = chat.editable().iter().cloned().chain(names).collect();
    {
        let mut words = lock(words);
        words.chat_files = chat_files;
        words.definitions = Definitions(Arc::new(session.definition_lister()));
    }
    let (list, words) = (session.file_lister(), Arc::clone(words));
    // Without the thread Tab offers what it had.
    let _ = std::thread::Builder::new().name("files".to_owned()).spawn(move || {
        if let Ok(files) = list() {
            lock(&words).files = files;
        }
    });
}

fn lock(words: &SharedWords) -> MutexGuard<'_, Words> {
    words.lock().unwrap_or_else(PoisonError::into_inner)
}

fn command_rows() -> Vec<CommandRow> {
    COMMANDS
        .iter()
        .map(|command| CommandRow {
            name: format!("/{}", command.name),
            summary: command.summary.to_owned(),
            argument: match command.completes {
                Completes::Nothing => Argument::None,
                Completes::Paths => Argument::Files,
                Completes::ChatFiles => Argument::ChatFiles,
                Completes::Models => Argument::Models,
                Completes::Commands => {
                    Argument::Words(COMMANDS.iter().map(|command| command.name.to_owned()).collect())
                }
            },
        })
        .collect()
}
