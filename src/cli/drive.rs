//! A session from the command line: what it is asked to do, one message or the prompt, and how it ended.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use anyhow::Result;

use super::args::Args;
use super::args::DemoArgs;
use super::config::Config;
use super::config::Origin;
use super::demo;
use super::exit_code::Exit;
use super::open::open;
use super::prompt::prompt;
use super::screen;
use crate::repl;
use crate::repl::Obeyed;
use crate::session::Added;
use crate::session::Interrupt;
use crate::session::Session;
use crate::session::TurnEnd;
use crate::session::Walk;
use crate::terminal;
use crate::terminal::Event;
use crate::terminal::input;

/// Runs the session that the arguments describe.
///
/// # Errors
/// What keeps the session from starting: exit code 2.
pub(super) fn drive(args: &Args, config: &Config) -> Result<Exit> {
    let message = message(args)?;
    let prompted = message.is_none() && !args.lint && !args.test;
    check_conventions(config)?;
    if args.test && config.values.test_cmd.is_none() {
        anyhow::bail!("`--test`: no test command is set (`--test-cmd COMMAND`, or `test-cmd` in config.toml)");
    }
    if let Some(file) = args.load.as_ref().filter(|file| !file.is_file()) {
        anyhow::bail!("`--load {}`: there is no such file", file.display());
    }
    let mut session = open(config, prompted)?;
    if let Some(id) = &args.resume {
        session.resume(Some(id.as_str()).filter(|id| !id.is_empty()))?;
    }
    let missing = take_files(&mut session, args, &config.values.read)?;
    if let Some(file) = &args.load {
        repl::obey(&mut session, &format!("/load {}", file.display()));
    }
    if let Some(message) = message {
        if missing {
            return Ok(Exit::Usage);
        }
        let exit = one_shot(&mut session, &message);
        session.close();
        return Ok(exit);
    }
    let exit = if args.lint {
        exit_of(session.lint(&[])?)
    } else if args.test {
        exit_of(session.test(None)?)
    } else {
        prompt(&mut session, config)?
    };
    session.close();
    Ok(exit)
}

/// `codriver undo` and `codriver redo`.
///
/// # Errors
/// When the journal cannot be read.
pub(super) fn walk(config: &Config, forth: bool) -> Result<Exit> {
    let mut session = open(config, false)?;
    let walk = if forth { session.redo()? } else { session.undo()? };
    Ok(if walk == Walk::Done { Exit::Done } else { Exit::NotDone })
}

/// `codriver sessions`: what can be resumed, newest first.
///
/// # Errors
/// When the state directory cannot be read.
pub(super) fn sessions(config: &Config) -> Result<Exit> {
    let session = open(config, false)?;
    let mut text = String::new();
    for one in session.list_sessions()? {
        let time = jiff::Timestamp::from_second(one.changed)
            .map(|time| time.to_string())
            .unwrap_or_default();
        text.push_str(&format!(
            "{}  {time}  {:>3} {:5}  {}\n",
            one.id,
            one.state.n_turns,
            if one.state.n_turns == 1 { "turn" } else { "turns" },
            one.title
        ));
    }
    if text.is_empty() {
        text.push_str("There is no session of this project yet.\n");
    }
    terminal::print(&text)?;
    Ok(Exit::Done)
}

/// `codriver demo`.
///
/// # Errors
/// When the sample cannot be made, or a step does not go as it should.
pub(super) fn demo(args: &DemoArgs, config: &Config) -> Result<Exit> {
    /// Between the pieces of a reply, for a person who watches.
    const PACE: Duration = Duration::from_millis(12);
    let interrupt = Interrupt::default();
    screen::stop_on_ctrl_c(interrupt.clone());
    let ui = screen::ui(&config.values, &interrupt);
    let pace = if std::io::stdout().is_terminal() {
        PACE
    } else {
        Duration::ZERO
    };
    let mut stage = demo::play(ui, interrupt, pace, args.sample.as_deref())?;
    if !args.interactive {
        return Ok(Exit::Done);
    }
    prompt(&mut stage.session, config)
}

/// The message of `-m` or `--message-file`; None opens the prompt.
fn message(args: &Args) -> Result<Option<String>> {
    match (args.message.as_deref(), &args.message_file) {
        (Some("-"), _) => Ok(Some(
            input::read_everything().context("failed to read the message from standard input")?,
        )),
        (Some(text), _) => Ok(Some(text.to_owned())),
        (None, Some(path)) if path == Path::new("-") => Ok(Some(
            input::read_everything().context("failed to read the message from standard input")?,
        )),
        (None, Some(path)) => {
            Ok(Some(std::fs::read_to_string(path).with_context(|| {
                format!("failed to read the message from `{}`", path.display())
            })?))
        }
        (None, None) => Ok(None),
    }
}

/// Takes the files of the command line into the chat. Returns whether one could not be taken.
fn take_files(session: &mut Session, args: &Args, read_only: &[String]) -> Result<bool> {
    let mut refused = false;
    let mut tell = |session: &mut Session, added: Vec<Added>| {
        for one in added {
            if let Added::Refused { name, why, hint } = one {
                refused = true;
                session.ui().show(Event::Error {
                    message: format!("`{name}` {why}"),
                    hint,
                });
            }
        }
    };
    for file in args.files.iter().chain(&args.more_files) {
        let added = session.add(&file.to_string_lossy())?;
        tell(session, added);
    }
    for file in read_only {
        let added = session.add_read_only(file)?;
        tell(session, added);
    }
    Ok(refused)
}

/// A rule file that was typed has to be there; one of the settings file is there in some projects only.
fn check_conventions(config: &Config) -> Result<()> {
    if config.origin("conventions") != Origin::Flag {
        return Ok(());
    }
    match config.values.conventions.iter().find(|file| !Path::new(file).is_file()) {
        Some(missing) => anyhow::bail!("`--conventions {missing}`: there is no such file"),
        None => Ok(()),
    }
}

/// One message or command, then the exit code.
fn one_shot(session: &mut Session, message: &str) -> Exit {
    session.announce();
    let before = session.n_errors();
    let exit = match repl::obey(session, message) {
        Obeyed::Turn(end) => exit_of(end),
        Obeyed::Unknown => Exit::Usage,
        Obeyed::Command if session.n_errors() > before => Exit::NotDone,
        Obeyed::Command | Obeyed::Quit => Exit::Done,
    };
    finish(session, exit);
    exit
}

/// The last event of a session: how it ended, and how its edits were placed.
pub(super) fn finish(session: &mut Session, exit: Exit) {
    let (requests, reflections) = (session.spending().total().requests, session.reflections());
    let edits = session.rungs().counts().clone().into_iter().collect();
    let summary = session
        .rungs()
        .words()
        .map_or(String::new(), |words| format!("edits: {words}"));
    session.ui().show(Event::Done {
        exit_code: exit.code(),
        requests,
        reflections,
        summary,
        edits,
    });
}

/// The exit code that tells how a turn ended.
pub(super) fn exit_of(end: TurnEnd) -> Exit {
    match end {
        TurnEnd::Done => Exit::Done,
        TurnEnd::EditsFailed | TurnEnd::StillRed => Exit::NotDone,
        TurnEnd::NoModel => Exit::Usage,
        TurnEnd::Provider => Exit::Provider,
        TurnEnd::Refused => Exit::Refused,
        TurnEnd::Limit => Exit::Limit,
        TurnEnd::Interrupted => Exit::Interrupted,
    }
}
