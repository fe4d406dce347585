//! Every row of a table has its cases, every folder of cases its row, and the README lists what the tables hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use codriver::cli::settings::SETTINGS;
use codriver::commands::COMMANDS;
use codriver::edit_format::EDIT_FORMATS;
use codriver::languages::{LANGUAGES, Language};
use codriver::llm::APIS;

use crate::support;

#[test]
fn every_command_is_played_in_a_session() {
    let scripts: String = support::cases("session")
        .iter()
        .map(|case| fs::read_to_string(case.join("script.toml")).unwrap())
        .collect();
    let missing: Vec<&str> = COMMANDS
        .iter()
        .map(|command| command.name)
        .filter(|name| !scripts.contains(&format!("\"/{name}\"")) && !scripts.contains(&format!("\"/{name} ")))
        .collect();
    assert!(missing.is_empty(), "no session case types {missing:?}");
}

#[test]
fn command_names_are_unique_and_explained() {
    let mut names = BTreeSet::new();
    for command in COMMANDS {
        for name in command.aliases.iter().chain([&command.name]) {
            assert!(names.insert(*name), "`{name}` is there twice");
        }
        assert!(
            !command.summary.is_empty() && !command.summary.ends_with('.'),
            "/{}: {}",
            command.name,
            command.summary
        );
    }
}

#[test]
fn every_edit_format_has_cases_and_every_folder_a_format() {
    let rows: BTreeSet<String> = EDIT_FORMATS.iter().map(|format| format.name().to_owned()).collect();
    assert_eq!(rows, folders("edit_format"));
}

#[test]
fn every_protocol_has_recorded_streams() {
    let rows: BTreeSet<String> = APIS.iter().map(|api| api.name.to_owned()).collect();
    let folders = folders("llm");
    assert!(
        rows.is_subset(&folders),
        "{:?} lack cases",
        rows.difference(&folders).collect::<Vec<_>>()
    );
}

#[test]
fn the_readme_lists_what_the_tables_hold() {
    let commands = COMMANDS.iter().map(|command| {
        let usage = format!("/{} {}", command.name, command.arguments);
        let also = command
            .aliases
            .iter()
            .filter(|alias| **alias != "!")
            .map(|alias| format!(", `/{alias}`"))
            .collect::<String>();
        format!(
            "| `{}`{also} | {} |\n",
            usage.trim_end().replace('|', "\\|"),
            command.summary
        )
    });
    let formats = EDIT_FORMATS
        .iter()
        .map(|format| format!("`{}`", format.name()))
        .collect::<Vec<_>>()
        .join(", ");
    let sections = [
        (
            "commands",
            format!(
                "| command | what it does |\n|---|---|\n{}",
                commands.collect::<String>()
            ),
        ),
        ("formats", format!("{formats}.\n")),
        ("settings", settings()),
        (
            "protocols",
            APIS.iter()
                .map(|api| format!("- `{}`: {}\n", api.name, api.summary))
                .collect(),
        ),
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let mut readme = fs::read_to_string(&path).unwrap();
    for (name, text) in &sections {
        readme = with_section(&readme, name, text);
    }
    if !cfg!(feature = "all-languages") {
        let (outlined, read): (Vec<_>, Vec<_>) = LANGUAGES
            .iter()
            .partition(|language| language.grammar.is_none() && language.lines.is_some());
        // Which of these have a grammar is told by their queries.
        let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
        let (more, never): (Vec<&Language>, Vec<&Language>) = outlined
            .into_iter()
            .partition(|language| queries.join(language.name).join("tags.scm").exists());
        let names = |list: &[&Language]| list.iter().map(|language| language.name).collect::<Vec<_>>().join(", ");
        let text = format!(
            "With a grammar in every build ({}): {}.\n\n\
             With a grammar in builds with `--features all-languages`, by the shape of lines in others ({}): {}.\n\n\
             By the shape of lines ({}): {}.\n",
            read.len(),
            names(&read),
            more.len(),
            names(&more),
            never.len(),
            names(&never)
        );
        readme = with_section(&readme, "languages", &text);
    }
    support::expect_file(&path, &readme).unwrap();
}

/// A row for each heading of `--help` with its settings.
fn settings() -> String {
    let mut table = "| about | settings |\n|---|---|\n".to_owned();
    for group in SETTINGS.chunk_by(|a, b| a.group == b.group) {
        let names: Vec<String> = group.iter().map(|setting| format!("`{}`", setting.key)).collect();
        table.push_str(&format!(
            "| {} | {} |\n",
            group[0].group.to_lowercase(),
            names.join(", ")
        ));
    }
    table
}

/// The text with what stands between `<!-- name -->` and `<!-- /name -->` replaced.
fn with_section(readme: &str, name: &str, text: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = readme.find(&open).unwrap_or_else(|| panic!("README lacks {open}")) + open.len();
    let end = readme.find(&close).unwrap_or_else(|| panic!("README lacks {close}"));
    format!("{}{text}{}", &readme[..start], &readme[end..])
}

fn folders(area: &str) -> BTreeSet<String> {
    fs::read_dir(support::fixtures(area))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}
