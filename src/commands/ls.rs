//! `/ls`: lists the files of the chat and of the project.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

/// Project files beyond this many are counted, not listed.
const MAX_LISTED: usize = 100;

pub(super) const COMMAND: Command = Command {
    name: "ls",
    aliases: &[],
    arguments: "[PREFIX]",
    summary: "list the files of the chat, then those of the project (below PREFIX)",
    completes: Completes::Paths,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    let prefix = arguments.trim();
    let mut text = String::new();
    let mut section = |title: &str, names: Vec<String>| {
        if !names.is_empty() {
            text.push_str(title);
            text.push('\n');
            for name in names {
                text.push_str(&format!("  {name}\n"));
            }
        }
    };
    let files = session.files();
    let editable = files.editable().to_vec();
    let read_only: Vec<String> = files.read_only().iter().map(|file| file.name.clone()).collect();
    let trusted = session.trusts_project();
    let rules = session.rule_files().into_iter();
    let rules = rules
        .filter(|file| trusted || !file.from_project)
        .map(|file| file.name)
        .collect();
    let mut others = session.project_files()?;
    others.retain(|file| file.starts_with(prefix) && !editable.contains(file) && !read_only.contains(file));
    section("In the chat:", with_parts(session, editable));
    section("Read-only:", with_parts(session, read_only));
    section("Rules that the model follows:", rules);
    let n_others = others.len();
    others.truncate(MAX_LISTED);
    if n_others > MAX_LISTED {
        others.push(format!(
            "... and {} more; `/ls PREFIX` narrows it down",
            n_others - MAX_LISTED
        ));
    }
    section("In the project:", others);
    if text.is_empty() {
        "No file yet: `/add FILE`, or say what to make.\n".clone_into(&mut text);
    }
    session.ui().show(Event::Print(text));
    Ok(After::Prompt)
}

/// The names, those of files that are shown in part with these parts.
fn with_parts(session: &Session, names: Vec<String>) -> Vec<String> {
    let named = names
        .into_iter()
        .map(|name| match session.files().parts(&name).as_slice() {
            [] => name,
            parts => format!("{name}: {}", parts.join(", ")),
        });
    named.collect()
}
