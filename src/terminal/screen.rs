//! What a [`super::console`] writes to: the two streams, where the cursor is on them, and the status line under a wait.

use std::io::{ErrorKind, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::style::{Palette, Tint, fit};
use super::tty;

/// The two streams and where the cursor is.
pub(super) struct Screen {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    at_line_start: bool,
    /// A blank line is due before whatever comes next.
    pub(super) blank_next: bool,
    /// Something was written, so a blank line makes sense.
    begun: bool,
    /// A status line is on the screen.
    has_status: bool,
    closed: bool,
    pub(super) on_closed: Option<Box<dyn FnOnce() + Send>>,
}

impl Screen {
    pub(super) fn new(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Self {
        Self {
            out,
            err,
            at_line_start: true,
            blank_next: false,
            begun: false,
            has_status: false,
            closed: false,
            on_closed: None,
        }
    }

    /// Writes text, painted line by line.
    pub(super) fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.due_blank_line();
        self.raw(text);
        self.at_line_start = text.ends_with('\n');
        self.begun = true;
    }

    pub(super) fn line(&mut self, text: &str) {
        self.fresh_line();
        self.due_blank_line();
        self.raw(&format!("{text}\n"));
        self.begun = true;
    }

    pub(super) fn error(&mut self, lines: &str) {
        self.fresh_line();
        self.clear_status();
        self.blank_next = false;
        // When standard error is gone there is nobody left to tell.
        let _ = self.err.write_all(lines.as_bytes()).and_then(|()| self.err.flush());
        self.begun = true;
    }

    pub(super) fn fresh_line(&mut self) {
        if !self.at_line_start {
            self.raw("\n");
            self.at_line_start = true;
        }
    }

    pub(super) fn blank_line(&mut self) {
        self.fresh_line();
        self.blank_next = true;
    }

    fn due_blank_line(&mut self) {
        if std::mem::take(&mut self.blank_next) && self.begun {
            self.raw("\n");
        }
    }

    /// Draws the status line, which goes before anything else is written. Nothing where a line is under way.
    pub(super) fn status(&mut self, line: &str) {
        if self.at_line_start {
            self.put(&format!("\r{line}\u{1b}[K"));
            self.has_status = true;
        }
    }

    pub(super) fn clear_status(&mut self) {
        if std::mem::take(&mut self.has_status) {
            self.put("\r\u{1b}[K");
        }
    }

    /// Writes something that the terminal does not show.
    pub(super) fn code(&mut self, code: &str) {
        self.put(code);
    }

    fn raw(&mut self, text: &str) {
        self.clear_status();
        self.put(text);
    }

    fn put(&mut self, text: &str) {
        if self.closed {
            return;
        }
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            self.closed = true;
            if let Some(hook) = self.on_closed.take() {
                hook();
            }
        }
    }
}

pub(super) fn lock(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The status line under a wait, redrawn each second by a thread of its own.
pub(super) struct Ticker {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Ticker {
    pub(super) fn start(
        screen: Arc<Mutex<Screen>>,
        palette: Palette,
        text: impl Fn(u64) -> Option<String> + Send + 'static,
    ) -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            for seconds in 1.. {
                if stopped.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                let Some(line) = text(seconds) else { break };
                let line = fit(&line, tty::columns().saturating_sub(1));
                lock(&screen).status(&palette.paint(Tint::Dim, &line));
            }
        });
        Self { stop, thread }
    }

    pub(super) fn stop(self, screen: &Mutex<Screen>) {
        // The thread may have ended by itself; then nobody receives.
        let _ = self.stop.send(());
        // A thread that panicked has drawn all that it will.
        let _ = self.thread.join();
        lock(screen).clear_status();
    }
}
