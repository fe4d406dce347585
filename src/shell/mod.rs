//! Runs commands: in their own process group, with a time limit, without input, in a sandbox where one is wanted, output
//! captured and shown as it comes.
//!
//! Not for git, which `git` runs itself, and not a place to decide what may run: that is `policy`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

mod capture;
mod clean;
pub mod cut;
mod denied;
#[cfg(unix)]
mod descendants;
mod run;
pub mod sandbox;
pub mod writable;

pub use denied::Denied;
pub use sandbox::Sandbox;

/// One command for the user's shell (`sh -c` on Unix; no rc files).
#[derive(Debug, Clone)]
pub struct Job {
    /// Passed whole to one shell: here-documents, comments and quotes over several lines stay what they are.
    pub script: String,
    pub dir: PathBuf,
    /// Added to (or, with None, removed from) the inherited environment.
    pub env: BTreeMap<String, Option<String>>,
    pub time_limit: Duration,
    /// Bytes of output that are kept; the middle is dropped beyond it, but for lines that tell of failures.
    pub output_limit: usize,
    /// None: the command may do what the user may.
    pub sandbox: Option<Sandbox>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub end: End,
    /// stdout and stderr as they came, colour codes and progress bars removed, cut in the middle beyond the limit.
    pub output: String,
    /// Bytes that were dropped.
    pub dropped: usize,
    /// It failed in a sandbox, and its output speaks of what a sandbox does.
    pub denied: Option<Denied>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(i32),
    TimedOut,
    Cancelled,
}

impl Outcome {
    pub fn succeeded(&self) -> bool {
        self.end == End::Exit(0)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to start `{script}` in `{dir}`", dir = dir.display())]
    Start {
        script: String,
        dir: PathBuf,
        source: std::io::Error,
    },
    #[error("failed to read the output of `{script}`")]
    Output { script: String, source: std::io::Error },
}

/// Runs the job to its end, its time limit or `cancel`; then the whole process group is gone, and on Linux, when it was
/// stopped, also what had left the group.
///
/// `on_output` gets the output as it comes, in whole lines without colour codes; nothing of it is dropped.
pub fn run(job: &Job, cancel: &CancellationToken, on_output: &mut dyn FnMut(&str)) -> Result<Outcome, Error> {
    run::run(job, cancel, on_output)
}
