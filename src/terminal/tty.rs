//! The terminal device: its size, whether a line can be edited on it, and whether more input waits.

use std::io::{self, IsTerminal};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::termios::{self, LocalModes, OptionalActions, Termios};

/// Columns to reckon with when the terminal does not say.
const DEFAULT_COLUMNS: usize = 80;

/// Columns of the terminal on standard output.
pub fn columns() -> usize {
    termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns > 0)
        .unwrap_or(DEFAULT_COLUMNS)
}

/// Whether a line editor can be used: both ends are a terminal that understands cursor movements.
pub fn can_edit(term: Option<&str>) -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && !matches!(term, Some("dumb" | "unknown"))
}

/// Whether standard input has something to read, or gets it within `timeout`.
pub fn has_input(timeout: Duration) -> bool {
    let stdin = io::stdin();
    let timeout = Timespec {
        tv_sec: timeout.as_secs().cast_signed(),
        tv_nsec: timeout.subsec_nanos().into(),
    };
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut fds, Some(&timeout)).is_ok_and(|n| n > 0)
}

/// Until this is dropped, what is typed is not shown.
pub struct NoEcho {
    mode: Termios,
}

impl NoEcho {
    pub fn enter() -> io::Result<Self> {
        let mode = termios::tcgetattr(io::stdin())?;
        let mut hidden = mode.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        termios::tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
        Ok(Self { mode })
    }
}

impl Drop for NoEcho {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Flush, &self.mode);
    }
}

/// Until this is dropped, reading standard input fails at once when nothing is there, and what arrives is not echoed.
pub struct NonBlocking {
    flags: OFlags,
    mode: Termios,
}

impl NonBlocking {
    pub fn enter() -> io::Result<Self> {
        let flags = fcntl_getfl(io::stdin())?;
        let mode = termios::tcgetattr(io::stdin())?;
        let mut raw = mode.clone();
        raw.make_raw();
        // What is written keeps its line ends.
        raw.output_modes = mode.output_modes;
        termios::tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?;
        let guard = Self { flags, mode };
        fcntl_setfl(io::stdin(), flags | OFlags::NONBLOCK)?;
        Ok(guard)
    }
}

impl Drop for NonBlocking {
    fn drop(&mut self) {
        // A terminal that has gone away cannot be put back.
        let _ = fcntl_setfl(io::stdin(), self.flags);
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Drain, &self.mode);
    }
}

/// Takes what was typed and not read yet, as text.
pub(super) fn take_typed_ahead() -> String {
    let mut typed = Vec::new();
    // A terminal that cannot do it has nothing typed ahead either.
    if let Ok(_guard) = NonBlocking::enter() {
        let mut bytes = [0; 4096];
        while let Ok(n @ 1..) = rustix::io::read(io::stdin(), &mut bytes) {
            typed.extend_from_slice(&bytes[..n]);
        }
    }
    text_of_keys(&String::from_utf8_lossy(&typed))
}

/// The text that keys wrote: cursor keys and the like did not, and the Enter at its end is for the user to press again.
fn text_of_keys(keys: &str) -> String {
    let mut text = String::new();
    let mut keys = keys.chars().peekable();
    while let Some(key) = keys.next() {
        match key {
            '\u{1b}' => {
                if keys.next_if(|key| matches!(key, '[' | 'O')).is_some() {
                    while keys.next_if(|key| !matches!(key, '@'..='~')).is_some() {}
                }
                keys.next();
            }
            '\u{7f}' | '\u{8}' => {
                text.pop();
            }
            '\r' | '\n' => text.push('\n'),
            '\t' => text.push('\t'),
            key if key.is_control() => {}
            key => text.push(key),
        }
    }
    text.trim_end_matches('\n').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_the_text_they_wrote() {
        assert_eq!(text_of_keys("fix thas\u{7f}\u{7f}is\r"), "fix this");
        assert_eq!(text_of_keys("a\u{1b}[D\u{1b}[1;5Cb\u{1b}OAc\nd\n"), "abc\nd");
        assert_eq!(text_of_keys("\u{1b}[200~pasted\u{1b}[201~\u{3}"), "pasted");
    }
}
