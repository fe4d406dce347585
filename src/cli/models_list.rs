//! `codriver models`: the known models with their windows, prices and edit formats, and which have a key.

use anyhow::Result;
use serde_json::json;

use super::args::ModelsArgs;
use super::config::Config;
use super::exit_code::Exit;
use super::open;
use crate::llm::account;
use crate::models::ModelSettings;
use crate::models::catalog::Found;
use crate::terminal;

/// Prints the models that hold every word of the filter.
///
/// # Errors
/// When the user's own rows cannot be read, or standard output fails.
pub(super) fn run(args: &ModelsArgs, config: &Config) -> Result<Exit> {
    let connector = open::connector(config)?;
    let found = connector.catalog.search(&args.filter);
    if found.is_empty() {
        let near = connector.catalog.suggest(&args.filter);
        let hint = if near.is_empty() {
            String::new()
        } else {
            format!("; near it: {}", near.join(", "))
        };
        terminal::print_error(&format!("no known model holds `{}`{hint}", args.filter));
        terminal::print_error("any name works with its provider in front, such as `openai/NAME` or `ollama/NAME`");
        return Ok(Exit::NotDone);
    }
    let has_key = |settings: &ModelSettings| account::is_there(settings, &|name| connector.lookup(name));
    let text: String = if args.json {
        found
            .iter()
            .map(|one| format!("{}\n", to_json(one, has_key(&one.settings))))
            .collect()
    } else {
        table(&found, &has_key)
    };
    terminal::print(&text)?;
    Ok(Exit::Done)
}

fn to_json(found: &Found, has_key: bool) -> serde_json::Value {
    let settings = &found.settings;
    json!({
        "name": settings.name,
        "aliases": found.aliases,
        "provider": settings.provider,
        "context_window": settings.context_window,
        "max_output": settings.max_output,
        "edit_format": settings.edit_format,
        "price": settings.prices.map(|price| json!({
            "input": price.input,
            "output": price.output,
            "cached_input": price.cached_input,
            "cache_write": price.cache_write,
        })),
        "has_key": has_key,
    })
}

fn table(found: &[Found], has_key: &dyn Fn(&ModelSettings) -> bool) -> String {
    let width = found
        .iter()
        .map(|one| one.settings.name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!(
        "{:width$}  {:>8}  {:>15}  {:12}  key\n",
        "model", "window", "$ in / out", "format"
    );
    for Found { settings, aliases } in found {
        let window = settings
            .context_window
            .map_or_else(|| "?".to_owned(), |n| format!("{}k", n / 1000));
        let price = settings
            .prices
            .map_or_else(|| "?".to_owned(), |price| format!("{} / {}", price.input, price.output));
        let key = if has_key(settings) { "yes" } else { "-" };
        let also = if aliases.is_empty() {
            String::new()
        } else {
            format!("  ({})", aliases.join(", "))
        };
        text.push_str(&format!(
            "{:width$}  {window:>8}  {price:>15}  {:12}  {key}{also}\n",
            settings.name, settings.edit_format
        ));
    }
    text.push_str("\nPrices are dollars per million tokens.\n");
    text
}
