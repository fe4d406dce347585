//! `/exit`: leaves.

use super::After;
use super::Command;
use super::Completes;

pub(super) const COMMAND: Command = Command {
    name: "exit",
    aliases: &["quit", "q"],
    arguments: "",
    summary: "leave",
    completes: Completes::Nothing,
    run: |_, _| Ok(After::Quit),
};
