//! Runs the git program: in a session of its own without a terminal (so that no hook, editor or key agent can wait for
//! one), with the caller's `GIT_*` variables that point at other repositories taken away.

use std::fmt;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use process_wrap::std::ChildWrapper;
use process_wrap::std::CommandWrap;

use super::Error;

/// How long a program may take when nobody says otherwise. Smaller cuts off hooks that run a test suite; larger lets one that hangs
/// hold the turn.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(600);

/// After being asked to end: time for git to remove its lock files, before it is killed.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(500);

/// Output of a failing program that is kept, in bytes.
const OUTPUT_LIMIT: usize = 16 * 1024;

/// Variables with which git tells its children which repository they are in; the caller may itself run inside one.
const REPOSITORY_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
];

/// Asked again and again while a program runs: whether it is to end. Never, by default.
#[derive(Clone, Default)]
pub(super) struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    pub(super) fn new(stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(stop)))
    }

    fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| stop())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.0.is_some()).finish()
    }
}

/// One call of git in `root`.
pub(super) struct Program<'a> {
    pub(super) root: &'a Path,
    pub(super) args: &'a [&'a str],
    pub(super) index_file: Option<&'a Path>,
    pub(super) input: &'a [u8],
}

impl Program<'_> {
    /// Its standard output, when it succeeded.
    ///
    /// # Errors
    /// [`Error::Program`] with what it printed; a git that is not there says so.
    pub(super) fn run(&self) -> Result<Vec<u8>, Error> {
        self.run_until(TIME_LIMIT, &Stop::default())
    }

    /// The same, ended with all that it started when `limit` is over or `stop` says so.
    ///
    /// # Errors
    /// Also [`Error::Stopped`] when it was `stop`.
    pub(super) fn run_until(&self, limit: Duration, stop: &Stop) -> Result<Vec<u8>, Error> {
        let mut wrap = CommandWrap::from(self.command());
        #[cfg(unix)]
        wrap.wrap(process_wrap::std::ProcessSession);
        #[cfg(windows)]
        wrap.wrap(process_wrap::std::JobObject);
        let mut child = wrap.spawn().map_err(|error| {
            self.failed(&match error.kind() {
                std::io::ErrorKind::NotFound => "the git program was not found".to_string(),
                _ => error.to_string(),
            })
        })?;
        // Each pipe has a thread of its own, so that none of the three can fill up and stop the others.
        let stdin = child.stdin().take();
        let input = self.input.to_vec();
        let writer = std::thread::spawn(move || {
            // A program that stops reading has its reason; its exit code tells.
            stdin.map(|mut stdin| stdin.write_all(&input))
        });
        let stdout = child.stdout().take();
        let stderr = child.stderr().take();
        let output = std::thread::spawn(move || stdout.map(read_all).unwrap_or_default());
        let errors = std::thread::spawn(move || stderr.map(read_all).unwrap_or_default());

        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        let status = loop {
            let ended = child.try_wait().map_err(|error| self.failed(&error.to_string()))?;
            if let Some(status) = ended {
                break status;
            }
            if stop.is_wanted() {
                end(child.as_mut());
                return Err(Error::Stopped { command: self.shown() });
            }
            if started.elapsed() > limit {
                end(child.as_mut());
                return Err(self.failed(&format!("stopped after {} seconds", limit.as_secs())));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        // What a hook left running in the background must not hold the pipes open.
        let _ = child.start_kill();
        let _ = writer.join();
        let output = output.join().unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        if status.success() {
            return Ok(output);
        }
        let mut text = String::from_utf8_lossy(&errors).into_owned();
        text.push_str(&String::from_utf8_lossy(&output));
        Err(self.failed(&shortened(text.trim())))
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .args(self.args)
            .current_dir(self.root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for variable in REPOSITORY_VARIABLES {
            command.env_remove(variable);
        }
        command
            .env("GIT_EDITOR", "true")
            .env("GIT_PAGER", "cat")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0");
        if let Some(index) = self.index_file {
            command.env("GIT_INDEX_FILE", index);
        }
        #[cfg(target_os = "linux")]
        die_with_parent(&mut command);
        command
    }

    fn failed(&self, output: &str) -> Error {
        Error::Program {
            command: self.shown(),
            output: output.to_string(),
        }
    }

    /// The arguments as a person would give them.
    fn shown(&self) -> String {
        let mut args = self.args.iter().copied();
        let mut command = Vec::new();
        while let Some(arg) = args.next() {
            // Settings for this one call say nothing to the reader.
            if arg == "-c" {
                args.next();
            } else {
                command.push(arg);
            }
        }
        command.join(" ")
    }
}

/// Ends the program and all of its group: first asks, so that git takes its locks away.
fn end(child: &mut dyn ChildWrapper) {
    #[cfg(unix)]
    {
        // It may have ended in this instant; then there is nothing to wait for either.
        let _ = child.signal(rustix::process::Signal::TERM.as_raw());
        let asked = Instant::now();
        while asked.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let _ = child.kill();
}

/// Git does not outlive the one who called it, where the system can see to that.
#[cfg(target_os = "linux")]
fn die_with_parent(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let ask = || {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))
            .map_err(std::io::Error::from)
    };
    // SAFETY: between fork and exec it makes one system call and allocates nothing.
    unsafe { command.pre_exec(ask) };
}

fn read_all(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What came before an error is still worth showing.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// The end of a long output: that is where git and hooks say what was wrong.
fn shortened(text: &str) -> String {
    if text.len() <= OUTPUT_LIMIT {
        return text.to_string();
    }
    let mut start = text.len() - OUTPUT_LIMIT;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    format!("...{}", &text[start..])
}

/// A program named git answers.
pub(super) fn is_there() -> bool {
    Command::new("git")
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}
