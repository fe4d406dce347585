//! The command line: reads arguments and settings, wires everything up, and turns how it ended into an exit code.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub mod apply;
pub mod args;
pub mod config;
mod connect;
mod demo;
mod drive;
pub mod exit_code;
mod keys;
pub mod map;
mod models_list;
mod open;
mod prompt;
mod queries;
mod screen;
pub mod settings;
pub mod shell_files;

use anyhow::Context;
use args::{Args, Command, Typed};
use config::Config;
use exit_code::Exit;

use crate::llm;
use crate::models;
use crate::store::state_dir::Dirs;
use crate::terminal;

/// The whole program. Nothing heavy happens before the arguments are read: `--version` must answer at once.
pub fn run() -> ExitCode {
    let typed = match args::parse(std::env::args_os()) {
        Ok(typed) => typed,
        Err(error) => return clap_exit(&error),
    };
    match dispatch(typed) {
        Ok(exit) => exit.into(),
        Err(error) => {
            report(&error);
            Exit::Usage.into()
        }
    }
}

fn dispatch(typed: Typed) -> anyhow::Result<Exit> {
    match &typed.command {
        Some(Command::Completions(args)) => {
            terminal::print(&shell_files::completions(args.shell))?;
            return Ok(Exit::Done);
        }
        Some(Command::Man) => {
            terminal::print(&shell_files::manual()?)?;
            return Ok(Exit::Done);
        }
        Some(Command::Apply(args)) => return apply_reply(args),
        Some(Command::Map(args)) => return print_map(args),
        _ => {}
    }
    let config = load_config(&typed)?;
    for warning in &config.warnings {
        terminal::print_error(&format!("warning: {warning}"));
    }
    if typed.args.show_config {
        terminal::print(&config.show())?;
        return Ok(Exit::Done);
    }
    // The one crypto provider of the process; without it no client can be built.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match &typed.command {
        Some(Command::Models(args)) => models_list::run(args, &config),
        Some(Command::Keys(args)) => keys::run(args, &config),
        Some(Command::Demo(args)) => drive::demo(args, &config),
        Some(Command::Undo) => drive::walk(&config, false),
        Some(Command::Redo) => drive::walk(&config, true),
        Some(Command::Sessions) => drive::sessions(&config),
        _ => drive::drive(&typed.args, &config),
    }
}

/// Applies a reply and says what became of it: one JSON object, or lines for a person.
fn apply_reply(args: &args::ApplyArgs) -> anyhow::Result<Exit> {
    let reply = read_reply(&args.reply)?;
    let project = apply::project_of(&args.root);
    let options = apply::ApplyOptions {
        root: args.root.clone(),
        format: args.format.clone(),
        files: args.files.clone(),
        partial: args.partial,
        dry_run: args.dry_run,
        journal: Dirs::for_root(&project, &|name| std::env::var(name).ok()).journal(),
        project,
    };
    let outcome = apply::apply(&options, &reply)?;
    for warning in &outcome.warnings {
        terminal::print_error(&format!("warning: {warning}"));
    }
    if args.json {
        terminal::print(&format!("{}\n", serde_json::to_string(&outcome)?))?;
    } else {
        terminal::print(&outcome.to_text(args.dry_run))?;
        if !outcome.report.is_empty() {
            terminal::print_error(outcome.report.trim_end());
        }
        if outcome.is_empty() {
            terminal::print_error("warning: the reply holds no edit, so nothing was changed");
        }
    }
    Ok(if outcome.is_complete() {
        Exit::Done
    } else {
        Exit::NotDone
    })
}

/// The reply in a file, or on standard input for `-`. Text that is not UTF-8 is an error: a replacement character would
/// get into the files.
fn read_reply(path: &Path) -> anyhow::Result<String> {
    let (read, place) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes);
        (read, "standard input".to_owned())
    } else {
        (std::fs::read(path), format!("`{}`", path.display()))
    };
    let bytes = read.with_context(|| format!("failed to read the reply from {place}"))?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        anyhow::anyhow!("the reply from {place} is not UTF-8 at byte {offset}")
    })
}

fn print_map(args: &args::MapArgs) -> anyhow::Result<Exit> {
    let options = map::MapOptions {
        root: args.root.clone(),
        tokens: args.tokens,
        files: args.files.clone(),
        mention: args.mention.clone(),
        subtree: String::new(),
        json: args.json,
        verbose: args.verbose,
    };
    let dirs = Dirs::for_root(&args.root, &|name| std::env::var(name).ok());
    queries::load(&dirs.config)?;
    let output = map::run(&options, Some(&dirs.cache))?;
    for line in output.stderr.lines() {
        terminal::print_error(line);
    }
    terminal::print(&output.stdout)?;
    Ok(Exit::Done)
}

/// Reads the user's settings file (or the one of `--config`) and joins it with the environment and the flags.
fn load_config(typed: &Typed) -> anyhow::Result<Config> {
    let file = settings_file(&typed.args)?;
    let file = file.as_ref().map(|(path, text)| (path.as_path(), text.as_str()));
    let variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    Ok(Config::load(file, &variables, &typed.settings)?)
}

fn settings_file(args: &Args) -> anyhow::Result<Option<(PathBuf, String)>> {
    let named = args
        .config
        .clone()
        .or_else(|| std::env::var_os("CODRIVER_CONFIG").map(PathBuf::from));
    let path = match &named {
        Some(path) => path.clone(),
        None => Dirs::for_root(Path::new("."), &|name| std::env::var(name).ok())
            .config
            .join("config.toml"),
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        // Nobody has to have a settings file; one that was named has to be there.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => Err(config::Error {
            place: path.display().to_string(),
            message: format!("failed to read the settings: {error}"),
            hint: None,
        }
        .into()),
    }
}

/// Prints what clap has to say: help and version to standard output, errors to standard error with code 2.
fn clap_exit(error: &clap::Error) -> ExitCode {
    // A reader that has gone away does not want the rest.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage.into()
    } else {
        Exit::Done.into()
    }
}

/// An error with its causes, and its hint on a line of its own.
fn report(error: &anyhow::Error) {
    terminal::print_error(&format!("error: {error:#}"));
    if let Some(hint) = hint_of(error) {
        terminal::print_error(&format!("hint: {hint}"));
    }
}

/// What the user can do about an error, where that is known.
fn hint_of(error: &anyhow::Error) -> Option<String> {
    if let Some(error) = error.downcast_ref::<config::Error>() {
        return error.hint.clone();
    }
    if let Some(error) = error.downcast_ref::<llm::Error>() {
        return error.hint().map(str::to_owned);
    }
    let Some(models::Error::UnknownModel { .. }) = error.downcast_ref() else {
        return None;
    };
    Some(
        "models are named `provider/model`; `codriver models TEXT` searches the known ones, `codriver keys` lists the \
         providers that have a key"
            .to_owned(),
    )
}
