//! The clipboard of the machine that the user sits at: by a program of its desktop where the session runs on that machine, else
//! by the terminal (OSC 52), which reaches it over ssh and through tmux.

use std::io::Write;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use base64::prelude::BASE64_STANDARD;
use base64::prelude::Engine;

/// Where a text has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// It is on the clipboard.
    Clipboard,
    /// The terminal was asked to put it there; it does not say whether it did.
    Terminal,
    Nowhere,
}

/// What terminals take at least, in bytes of text.
pub const SURELY_TAKEN: usize = 50_000;

/// A program that takes a text on standard input.
struct Program {
    /// Set where there is a desktop for it; empty: everywhere.
    variable: &'static str,
    name: &'static str,
    arguments: &'static [&'static str],
}

const PROGRAMS: &[Program] = &[
    #[cfg(target_os = "macos")]
    Program {
        variable: "",
        name: "pbcopy",
        arguments: &[],
    },
    Program {
        variable: "WAYLAND_DISPLAY",
        name: "wl-copy",
        arguments: &[],
    },
    Program {
        variable: "DISPLAY",
        name: "xclip",
        arguments: &["-selection", "clipboard"],
    },
    Program {
        variable: "DISPLAY",
        name: "xsel",
        arguments: &["--clipboard", "--input"],
    },
];

/// Puts the text on the clipboard by the first program that does it. `lookup` gives the environment: over ssh the desktop is
/// not the user's.
pub(super) fn by_program(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        return false;
    }
    PROGRAMS
        .iter()
        .filter(|program| program.variable.is_empty() || is_set(program.variable))
        .any(|program| takes(program, text))
}

/// Whether the program took the text. It goes on in the background for as long as it holds the clipboard.
fn takes(program: &Program, text: &str) -> bool {
    /// One that hangs (its desktop does not answer) is given up.
    const PATIENCE: Duration = Duration::from_secs(2);
    const STEP: Duration = Duration::from_millis(5);
    let spawned = Command::new(program.name)
        .args(program.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = spawned else { return false };
    let Some(mut input) = child.stdin.take() else {
        return false;
    };
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => return status.success() && writer.join().is_ok_and(|written| written.is_ok()),
            Ok(None) => std::thread::sleep(STEP),
            Err(_) => break,
        }
    }
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// What tells a terminal to put the text on the clipboard.
pub(super) fn code(text: &str) -> String {
    format!("\u{1b}]52;c;{}\u{7}", BASE64_STANDARD.encode(text))
}
