//! Runs the programs that hand out credentials: those of the clouds and the user's own.

use std::process::Stdio;
use std::time::Duration;

use super::Error;
use super::Lookup;

/// A program may open a browser to log the user in; longer than this nobody waits.
const LIMIT: Duration = Duration::from_secs(120);

/// The program of that name that a shell would run.
pub(super) fn find(name: &str, lookup: Lookup<'_>) -> Option<String> {
    let path = lookup("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .and_then(|file| file.to_str().map(str::to_owned))
}

/// What a program prints. An error tells the line that it wrote about its failure.
pub(super) async fn output(program: &str, args: &[&str]) -> Result<String, Error> {
    let failed = |message: String| Error::Auth {
        message: format!("`{program} {}` {message}", args.join(" ")),
    };
    let mut command = tokio::process::Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = match tokio::time::timeout(LIMIT, command.output()).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(failed(format!("cannot be run: {error}"))),
        Err(_) => return Err(failed(format!("did not end within {} s", LIMIT.as_secs()))),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let mut lines = said.lines().filter(|line| !line.trim().is_empty());
        let first_error = lines.clone().find(|line| line.to_lowercase().contains("error"));
        let told = first_error.or_else(|| lines.next_back()).unwrap_or("failed");
        return Err(failed(format!("says: {}", told.trim())));
    }
    String::from_utf8(output.stdout).map_err(|_| failed("printed something that is not text".to_owned()))
}
