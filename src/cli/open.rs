//! Puts a session together from the settings: its folder, its models, its options.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use anyhow::Result;

use super::config::Config;
use super::connect::Connector;
use super::screen;
use super::settings::SETTINGS;
use super::settings::Values;
use crate::chat::documentation::README;
use crate::chat::modes;
use crate::chat::modes::Environment;
use crate::chat::modes::Mode;
use crate::files::Root;
use crate::git::Repo;
use crate::models::Catalog;
use crate::session::Interrupt;
use crate::session::Limits;
use crate::session::Options;
use crate::session::Parts;
use crate::session::Pings;
use crate::session::Session;
use crate::store::keyring::Keyring;
use crate::store::state_dir::Dirs;
use crate::terminal::Event;
use crate::web;

/// Map tokens when the user sets nothing.
const MAP_TOKENS: usize = 1024;

/// Puts a session together. `prompted`: it opens the prompt, where much works without a model.
pub(super) fn open(config: &Config, prompted: bool) -> Result<Session> {
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
        test_baseline: values.test_baseline,
        test_command: values.test_cmd.clone(),
        sandbox: values.sandbox,
        sandbox_write: values.sandbox_write.iter().map(PathBuf::from).collect(),
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
