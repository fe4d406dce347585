//! One command from start to end: a session of its own, no terminal, no input, a time limit for all of it.

use std::io::Read;
use std::process::Command;
use std::process::Stdio;
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use std::time::Instant;

use process_wrap::std::ChildWrapper;
use process_wrap::std::CommandWrap;
use tokio_util::sync::CancellationToken;

use super::End;
use super::Error;
use super::Job;
use super::Outcome;
use super::Sandbox;
use super::capture::Capture;
use super::clean::Cleaner;
use super::denied;
use super::sandbox;
use super::sandbox::Strength;

/// How often a running command is looked at for cancellation and its end. Smaller costs wake-ups, larger delays both.
const LOOK: Duration = Duration::from_millis(10);

/// How long the rest of the output may take once the group is gone: only a process that left the group can still
/// hold the pipe, and nobody waits for that.
const DRAIN: Duration = Duration::from_millis(500);

/// What was printed before the end is read whole, however busy the machine is; a process that got away may print for ever.
const DRAIN_AT_MOST: Duration = Duration::from_secs(10);

/// How a shell ends that may not execute a file (POSIX, 2.8.2): its mode says so, no sandbox.
const NOT_EXECUTABLE: i32 = 126;

/// What a command that is stopped gets to end by itself.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(300);

/// Makes programs that would ask, page or redraw do without.
const NON_INTERACTIVE: &[(&str, &str)] = &[
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("TERM", "dumb"),
    ("PIP_NO_INPUT", "1"),
    ("NPM_CONFIG_FUND", "false"),
    ("NPM_CONFIG_UPDATE_NOTIFIER", "false"),
    ("PYTHONUNBUFFERED", "1"),
];

/// Files that a shell would read before the script.
const RC_VARIABLES: &[&str] = &["ENV", "BASH_ENV"];

pub(super) fn run(job: &Job, cancel: &CancellationToken, on_output: &mut dyn FnMut(&str)) -> Result<Outcome, Error> {
    let output_error = |source| Error::Output {
        script: job.script.clone(),
        source,
    };
    let mut outcome = Running {
        capture: Capture::new(job.output_limit),
        cleaner: Cleaner::new(),
        on_output,
        sandbox: job.sandbox.as_ref(),
    };
    if cancel.is_cancelled() {
        return Ok(outcome.finish(End::Cancelled));
    }
    let (reader, writer) = std::io::pipe().map_err(output_error)?;
    let mut child = start(job, writer).map_err(|source| Error::Start {
        script: job.script.clone(),
        dir: job.dir.clone(),
        source,
    })?;
    let chunks = read_in_thread(reader);
    let deadline = Instant::now().checked_add(job.time_limit);

    let end = loop {
        match chunks.recv_timeout(LOOK) {
            Ok(Ok(chunk)) => outcome.take(&chunk),
            Ok(Err(source)) => {
                end_group(child.as_mut());
                return Err(output_error(source));
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The output is closed; the command may still be at work.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
        }
        if cancel.is_cancelled() {
            end_group(child.as_mut());
            break End::Cancelled;
        }
        if let Some(end) = ended(child.as_mut()).map_err(output_error)? {
            break end;
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            end_group(child.as_mut());
            break End::TimedOut;
        }
    };
    let drain_until = Instant::now() + DRAIN_AT_MOST;
    while let Some(left) = drain_until.checked_duration_since(Instant::now()) {
        match chunks.recv_timeout(left.min(DRAIN)) {
            Ok(Ok(chunk)) => outcome.take(&chunk),
            _ => break,
        }
    }
    Ok(outcome.finish(end))
}

/// What has come so far.
struct Running<'a> {
    capture: Capture,
    cleaner: Cleaner,
    on_output: &'a mut dyn FnMut(&str),
    sandbox: Option<&'a Sandbox>,
}

impl Running<'_> {
    fn take(&mut self, chunk: &[u8]) {
        let text = self.cleaner.push(chunk);
        self.show(&text);
    }

    fn show(&mut self, text: &str) {
        if !text.is_empty() {
            (self.on_output)(text);
            self.capture.push(text);
        }
    }

    fn finish(mut self, end: End) -> Outcome {
        let rest = self.cleaner.finish();
        self.show(&rest);
        let (output, dropped) = self.capture.finish();
        let failed = !matches!(end, End::Exit(0 | NOT_EXECUTABLE) | End::Cancelled);
        let held_back = self
            .sandbox
            .filter(|_| failed && sandbox::strength() > Strength::Nothing);
        let denied = held_back.and_then(|sandbox| denied::read(&output, sandbox.network));
        Outcome {
            end,
            output,
            dropped,
            denied,
        }
    }
}

fn start(job: &Job, writer: std::io::PipeWriter) -> std::io::Result<Box<dyn ChildWrapper>> {
    let mut command = shell(&job.script);
    command
        .current_dir(&job.dir)
        .stdin(Stdio::null())
        // One pipe for both, so that lines stay in the order in which they were written.
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .envs(NON_INTERACTIVE.iter().copied());
    for name in RC_VARIABLES {
        command.env_remove(name);
    }
    for (name, value) in &job.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut wrap = CommandWrap::from(command);
    #[cfg(unix)]
    wrap.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    wrap.wrap(process_wrap::std::JobObject);
    // `wrap` goes at the end of this function and with it our ends of the pipe, so that the pipe ends with the command.
    sandbox::start_within(job.sandbox.as_ref(), || wrap.spawn())
}

#[cfg(unix)]
fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script);
    command
}

#[cfg(windows)]
fn shell(script: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // `cmd` does not undo the quoting of Rust's arguments.
    command.arg("/D").arg("/S").arg("/C").raw_arg(format!("\"{script}\""));
    command
}

/// Chunks as they come; the channel closes at the end of the output. A bounded channel: a command that prints faster
/// than we read waits.
fn read_in_thread(mut reader: std::io::PipeReader) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::sync_channel(16);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let message = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => Ok(buffer[..n].to_vec()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_last = message.is_err();
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
    });
    receiver
}

/// How the command ended, if it did. What it left running in the background is ended with it.
#[cfg(unix)]
fn ended(child: &mut dyn ChildWrapper) -> std::io::Result<Option<End>> {
    use rustix::process::WaitId;
    use rustix::process::WaitIdOptions;
    use std::os::unix::process::ExitStatusExt;

    // Looks without reaping: until the leader is reaped, its number cannot name a group of somebody else.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let leader = pid(child);
    let Some(_) = rustix::process::waitid(WaitId::Pid(leader), look)? else {
        return Ok(None);
    };
    kill_group(leader);
    let status = child.inner_mut().wait()?;
    Ok(Some(match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Exit(1),
    }))
}

/// Asks the command and what it started to end, so that it can put away what it has open, and ends what does not.
#[cfg(unix)]
fn end_group(child: &mut dyn ChildWrapper) {
    use rustix::process::Signal;
    let leader = pid(child);
    // Looked for before the group ends, since then nobody knows whose they were.
    let others = super::descendants::of(leader);
    let tell = |signal: Signal| {
        // The only error is that it is gone.
        let _ = rustix::process::kill_process_group(leader, signal);
        for other in &others {
            let _ = rustix::process::kill_process(*other, signal);
        }
    };
    tell(Signal::TERM);
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline && rustix::process::test_kill_process_group(leader).is_ok() {
        // Reaps the leader, which would count as there.
        let _ = child.inner_mut().try_wait();
        std::thread::sleep(Duration::from_millis(5));
    }
    tell(Signal::KILL);
    // Reaps the leader; an error means that it is gone.
    let _ = child.inner_mut().wait();
}

#[cfg(unix)]
fn pid(child: &dyn ChildWrapper) -> rustix::process::Pid {
    i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .expect("a process that was started has a positive number")
}

#[cfg(unix)]
fn kill_group(leader: rustix::process::Pid) {
    // The only error is that nobody is left.
    let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
}

#[cfg(windows)]
fn ended(child: &mut dyn ChildWrapper) -> std::io::Result<Option<End>> {
    let status = child.try_wait()?;
    if status.is_some() {
        let _ = child.start_kill();
    }
    Ok(status.map(|status| End::Exit(status.code().unwrap_or(1))))
}

#[cfg(windows)]
fn end_group(child: &mut dyn ChildWrapper) {
    let _ = child.kill();
}
