//! `/web`: shows the text of a web page to the model.

use anyhow::Result;

use super::After;
use super::Command;
use super::Completes;
use crate::session::Session;
use crate::terminal::Event;

pub(super) const COMMAND: Command = Command {
    name: "web",
    aliases: &[],
    arguments: "ADDRESS",
    summary: "fetch the text of a web page and offer it to the model",
    completes: Completes::Nothing,
    run,
};

fn run(session: &mut Session, arguments: &str) -> Result<After> {
    match arguments.trim() {
        "" => session.ui().show(Event::Error {
            message: "`/web` needs an address".to_owned(),
            hint: None,
        }),
        address => session.offer_page(address),
    }
    Ok(After::Prompt)
}
