//! `auto`: any format, or several in one reply. Only read, never asked for.

use super::EditFormat;
use super::Hints;
use super::Parsed;
use super::Prompts;
use super::found::Asked;
use super::scan;

pub(super) struct Auto;

impl EditFormat for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        scan::read(reply, hints, Asked::Any)
    }

    fn prompts(&self) -> Option<Prompts> {
        None
    }
}
