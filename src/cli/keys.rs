//! `codriver keys`: which providers have a key and where it comes from; puts keys into the system's keyring and takes them
//! away again.

use std::io::IsTerminal;

use anyhow::Context;
use anyhow::Result;
use anyhow::bail;

use super::args::KeysArgs;
use super::args::KeysCommand;
use super::config::Config;
use super::connect::Connector;
use super::exit_code::Exit;
use super::open;
use crate::store::keyring;
use crate::terminal;
use crate::terminal::input;

/// Lists keys, or changes one.
///
/// # Errors
/// When the provider is not known or the keyring refuses.
pub(super) fn run(args: &KeysArgs, config: &Config) -> Result<Exit> {
    let connector = open::connector(config)?;
    match &args.command {
        None => list(&connector),
        Some(KeysCommand::Set { provider }) => set(&connector, provider),
        Some(KeysCommand::Remove { provider }) => remove(&connector, provider),
    }
}

fn list(connector: &Connector) -> Result<Exit> {
    let mut rows = String::new();
    for (provider, variables) in connector.catalog.providers() {
        let found = variables
            .iter()
            .find_map(|name| connector.origin(name).map(|origin| (name, origin)));
        if let Some((name, origin)) = found {
            rows.push_str(&format!("{provider:16}  {name:28}  {origin}\n"));
        }
    }
    let mut text = match rows.as_str() {
        "" => "No key was found: not in the environment, not in the settings, not in the keyring.\n".to_owned(),
        rows => format!("{:16}  {:28}  key from\n{rows}", "provider", "variable"),
    };
    text.push_str("\n`codriver keys set PROVIDER` puts a key into the system's keyring.\n");
    terminal::print(&text)?;
    Ok(Exit::Done)
}

fn set(connector: &Connector, provider: &str) -> Result<Exit> {
    let variable = variable_of(connector, provider)?;
    let key = if std::io::stdin().is_terminal() {
        input::read_secret(&format!("Key for {provider} ({variable}): "))
    } else {
        input::read_everything()
    };
    let key = key.context("failed to read the key")?;
    if key.trim().is_empty() {
        bail!("no key was given for `{provider}`; nothing was changed");
    }
    connector
        .keyring
        .set(&variable, &key)
        .map_err(explained)
        .with_context(|| format!("the key for `{provider}` was not kept"))?;
    terminal::print(&format!(
        "The key for {provider} is in the system's keyring as {variable}.\n"
    ))?;
    Ok(Exit::Done)
}

fn remove(connector: &Connector, provider: &str) -> Result<Exit> {
    let variable = variable_of(connector, provider)?;
    if connector.keyring.remove(&variable).map_err(explained)? {
        terminal::print(&format!("The key for {provider} is gone from the system's keyring.\n"))?;
        return Ok(Exit::Done);
    }
    terminal::print_error(&format!("the keyring holds no key for `{provider}`"));
    Ok(Exit::NotDone)
}

/// The variable that a provider's key stands for; also given by the variable's own name.
fn variable_of(connector: &Connector, provider: &str) -> Result<String> {
    if let Some(variable) = connector.catalog.key_variable(provider) {
        return Ok(variable);
    }
    let providers = connector.catalog.providers();
    if providers
        .iter()
        .any(|(_, variables)| variables.iter().any(|name| name == provider))
    {
        return Ok(provider.to_owned());
    }
    let names: Vec<&str> = providers
        .iter()
        .filter(|(_, variables)| !variables.is_empty())
        .map(|(name, _)| name.as_str())
        .collect();
    bail!(
        "no provider with a key is called `{provider}` (there are {})",
        names.join(", ")
    );
}

/// What to do where there is no keyring.
fn explained(error: keyring::Error) -> anyhow::Error {
    match error {
        keyring::Error::NoKeyring if cfg!(target_os = "linux") => anyhow::Error::new(error).context(
            "`secret-tool` is missing (packages `libsecret-tools`, `libsecret`); without a keyring, set the key's variable in \
             your shell's profile",
        ),
        error => error.into(),
    }
}
