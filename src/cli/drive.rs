//! A session from the command line: what it works with, one message or the prompt, and how it ended.

use std::io::IsTerminal;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::Context;
use anyhow::Result;

use super::args::Args;
use super::args::DemoArgs;
use super::config::Config;
use super::config::Origin;
use super::connect::Connector;
use super::demo;
use super::exit_code::Exit;
use super::screen;
use super::settings::SETTINGS;
use super::settings::Values;
use crate::chat::documentation::README;
use crate::chat::modes;
use crate::chat::modes::Environment;
use crate::chat::modes::Mode;
use crate::commands::COMMANDS;
use crate::commands::Completes;
use crate::files::Root;
use crate::git::Repo;
use crate::models::Catalog;
use crate::repl;
use crate::repl::Obeyed;
use crate::session::Added;
use crate::session::Interrupt;
use crate::session::Limits;
use crate::session::Options;
use crate::session::Parts;
use crate::session::Pings;
use crate::session::Session;
use crate::session::TurnEnd;
use crate::session::Walk;
use crate::store::keyring::Keyring;
use crate::store::state_dir::Dirs;
use crate::terminal;
use crate::terminal::Event;
use crate::terminal::completion::Argument;
use crate::terminal::completion::CommandRow;
use crate::terminal::completion::Definitions;
use crate::terminal::completion::Words;
use crate::terminal::input;
use crate::terminal::input::Input;
use crate::terminal::input::Line;
use crate::terminal::input::SharedWords;
use crate::web;

/// Map tokens when the user sets nothing.
const MAP_TOKENS: usize = 1024;

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

/// Puts a session together. `prompted`: it opens the prompt, where much works without a model.
fn open(config: &Config, prompted: bool) -> Result<Session> {
    let values = &config.values;
    let cwd = std::env::current_dir().context("the current folder cannot be read")?;
    let (git, trouble) = match values.git.then(|| Repo::discover(&cwd)) {
        Some(Ok(found)) => (found.map(|git| git.verifying(values.git_commit_verify)), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let root = Root::new(git.as_ref().map_or(cwd.as_path(), Repo::root))?;
    let dirs = Dirs::for_root(root.path(), &|name| std::env::var(name).ok());
    super::queries::load(&dirs.config)?;
    let interrupt = Interrupt::default();
    screen::stop_on_ctrl_c(interrupt.clone());
    let mut ui = screen::ui(values, &interrupt);
    if let Some(error) = trouble {
        ui.show(Event::Warning(format!(
            "Git cannot be used here, so nothing is committed: {error}."
        )));
    }
    let connector = connector(config)?;
    let name = values.model.clone().or_else(|| connector.default_model());
    let models = match &name {
        Some(name) => match connector.connect(name, &connector.thinking()) {
            Ok(connected) => Some(connected),
            // A model that was named and cannot be had is an error; one that we chose is done without.
            Err(error) if values.model.is_some() && !prompted => return Err(error),
            Err(error) => {
                ui.show(Event::Error {
                    message: format!("{error:#}"),
                    hint: super::hint_of(&error),
                });
                None
            }
        },
        None => None,
    };
    let subtree = match values.subtree_only {
        true => root.relative(&cwd, &cwd).unwrap_or_default(),
        false => String::new(),
    };
    let mut session = Session::new(Parts {
        cwd: root_or(&cwd),
        subtree,
        root,
        dirs,
        git,
        models,
        options: options(config, &connector, prompted),
        connect: Box::new(move |name, thinking| connector.connect(name, thinking)),
        ui,
        interrupt,
    })?;
    session.set_mode(mode(values));
    Ok(session)
}

/// The mode that the settings ask for, in one of the ways in which users do.
fn mode(values: &Values) -> &'static Mode {
    let by_format = values.edit_format.as_deref().and_then(modes::by_name);
    let by_switch = modes::by_name("architect").filter(|_| values.architect);
    by_switch
        .or(by_format)
        .or_else(|| modes::by_name(values.chat_mode.0))
        .expect("the setting takes names of MODES")
}

/// The folder with its links resolved, so that it compares with the root.
fn root_or(cwd: &Path) -> PathBuf {
    cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf())
}

/// What connects models: the built-in ones and the user's own.
///
/// # Errors
/// When the user's rows cannot be read.
pub(super) fn connector(config: &Config) -> Result<Connector> {
    let dirs = Dirs::for_root(Path::new("."), &|name| std::env::var(name).ok());
    let catalog = catalog(&dirs.config)?;
    let mut variables = config.provider_variables();
    for (provider, key) in &config.values.api_key {
        if let Some(variable) = catalog.key_variable(provider) {
            variables.insert(variable, key.clone());
        }
    }
    Ok(Connector {
        catalog,
        values: config.values.clone(),
        variables,
        keyring: Keyring::find(std::env::var("PATH").ok().as_deref(), &dirs.config),
        from_keyring: Arc::default(),
    })
}

fn catalog(config_dir: &Path) -> Result<Catalog> {
    let mut catalog = Catalog::builtin();
    let path = config_dir.join("model-settings.toml");
    match std::fs::read_to_string(&path) {
        Ok(text) => catalog.extend(&text, &path.display().to_string())?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("failed to read `{}`", path.display())),
    }
    Ok(catalog)
}

fn options(config: &Config, connector: &Connector, prompted: bool) -> Options {
    let values = &config.values;
    let hidden: Vec<String> = connector
        .catalog
        .providers()
        .into_iter()
        .flat_map(|(_, keys)| keys)
        .collect();
    Options {
        auto_commits: values.auto_commits,
        co_author: values.attribute_co_authored_by,
        auto_lint: values.auto_lint,
        lint_commands: values.lint_cmd.iter().map(|command| lint_command(command)).collect(),
        auto_test: values.auto_test,
        test_command: values.test_cmd.clone(),
        command_limit: Duration::from_secs(values.command_timeout),
        max_reflections: usize::try_from(values.max_reflections).unwrap_or(usize::MAX),
        map_tokens: values
            .map_tokens
            .map_or(MAP_TOKENS, |n| usize::try_from(n).unwrap_or(usize::MAX)),
        map_may_widen: values.map_tokens.is_none(),
        history_tokens: values.history_tokens.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        pings: Pings {
            most: usize::try_from(values.cache_keepalive_pings).unwrap_or(usize::MAX),
            ..Pings::default()
        },
        limits: Limits {
            max_cost: values.max_cost,
            max_requests: values.max_requests.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
            max_time: values.max_time,
        },
        dry_run: values.dry_run,
        show_diffs: values.show_diffs,
        review: values.review,
        print_diffs: false,
        suggest_commands: values.suggest_shell_commands,
        convention_names: values.convention_names.clone(),
        conventions: values.conventions.iter().map(PathBuf::from).collect(),
        trust: values.trust,
        // Whoever gives one message wants it done.
        accept_plans: values.auto_accept_architect || !prompted,
        editor_format: values.editor_edit_format.clone(),
        thinking: connector.thinking(),
        web: web::Options {
            ca_file: values.ca_file.as_ref().map(PathBuf::from),
            verify: values.verify_ssl,
        },
        commit_language: values.commit_language.clone(),
        documentation: documentation(),
        settings: config.show(),
        hidden_env: hidden,
        environment: Environment {
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            shell: std::env::var("SHELL")
                .ok()
                .and_then(|shell| shell.rsplit('/').next().map(str::to_owned))
                .unwrap_or_default(),
            date: jiff::Timestamp::now()
                .to_string()
                .chars()
                .take("2026-01-01".len())
                .collect(),
            language: values.chat_language.clone().unwrap_or_default(),
            ..Environment::default()
        },
    }
}

/// The README, then every flag and setting by its group.
fn documentation() -> String {
    let marks = |line: &&str| !line.starts_with("<!--");
    let mut text: String = README.split_inclusive('\n').filter(marks).collect();
    let mut group = "";
    for setting in SETTINGS {
        if setting.group != group {
            group = setting.group;
            text.push_str(&format!("\n## Settings and flags: {group}\n\n"));
        }
        let (key, variable, help) = (setting.key, setting.variable(), setting.help);
        text.push_str(&format!("- `--{key}` (`{variable}`, `{key}` in config.toml): {help}\n"));
    }
    text
}

/// `python: ruff check` is for Python, `ruff check` for every file.
fn lint_command(text: &str) -> (Option<String>, String) {
    match text.split_once(": ") {
        Some((language, command)) if crate::languages::by_name(language.trim()).is_some() => {
            (Some(language.trim().to_owned()), command.trim().to_owned())
        }
        _ => (None, text.trim().to_owned()),
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
    let exit = match repl::obey(session, message) {
        Obeyed::Turn(end) => exit_of(end),
        Obeyed::Unknown => Exit::Usage,
        Obeyed::Command | Obeyed::Quit => Exit::Done,
    };
    finish(session, exit);
    exit
}

fn finish(session: &mut Session, exit: Exit) {
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

/// Reads lines until the user leaves.
fn prompt(session: &mut Session, config: &Config) -> Result<Exit> {
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

fn exit_of(end: TurnEnd) -> Exit {
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
