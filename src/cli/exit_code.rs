//! The exit codes that other programs rely on.

use std::process::ExitCode;

/// How a call of codriver ended. The numbers are a contract and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; also a reply without any edit.
    Done = 0,
    /// At least one edit could not be applied, the tests or the lint are still red, or the command of the message failed.
    NotDone = 1,
    /// The command line or the settings are wrong.
    Usage = 2,
    /// The provider failed, after the retries that its error allows, or its model answered nothing.
    Provider = 3,
    /// A budget or limit was reached.
    Limit = 4,
    /// The provider withheld the reply, by its policy.
    Refused = 5,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// Every code with its meaning, for `--help` and the manual page.
    pub const ALL: &'static [(Exit, &'static str)] = &[
        (Exit::Done, "done"),
        (
            Exit::NotDone,
            "an edit could not be applied, the tests or the lint are still red, or a command failed",
        ),
        (Exit::Usage, "the command line or the settings are wrong"),
        (
            Exit::Provider,
            "the provider failed, after retries, or the reply was empty",
        ),
        (Exit::Limit, "a budget or limit was reached"),
        (
            Exit::Refused,
            "refused by policy: the provider withheld the reply, or a part of it",
        ),
        (Exit::Interrupted, "interrupted"),
    ];

    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_contract() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|(exit, _)| exit.code()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 130]);
    }
}
