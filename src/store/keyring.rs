//! Keys of providers in the operating system's keyring, so that none has to stand in a file or in every shell.
//!
//! Through the system's own programs: `secret-tool` (libsecret: GNOME Keyring, KWallet, KeePassXC) and macOS's `security`. The
//! `keyring` crate would bring a whole D-Bus stack of sixty crates for three calls. Only the names of the keys are kept in
//! a file, so that nothing is asked for a key that was never put there. A key goes in on standard input, never on a command
//! line, which other users can see.

use std::fs;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;

/// What keys are filed under.
const SERVICE: &str = "codriver";

/// A program that fails without a word.
const NO_REASON: &str = "it gave no reason";

/// Why a key could not be put, read or taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("this system has no keyring that codriver can use")]
    NoKeyring,
    #[error("`{0}` is no name for a key")]
    Name(String),
    #[error("a key is one line of text without quotes")]
    Key,
    #[error("the keyring does not answer: {0}")]
    Refused(String),
    #[error("failed to keep the names of the keys in `{path}`: {source}")]
    Names { path: String, source: io::Error },
}

/// The keyring of the user who is logged in.
#[derive(Debug, Clone)]
pub struct Keyring {
    tool: Option<Tool>,
    names: PathBuf,
}

#[derive(Debug, Clone)]
enum Tool {
    SecretTool(PathBuf),
    Security(PathBuf),
}

impl Keyring {
    /// `path` is the variable `PATH`; `config` the user's folder of settings, which holds the names.
    pub fn find(path: Option<&str>, config: &Path) -> Self {
        let program = |name: &str| {
            let folders = std::env::split_paths(path?);
            folders.map(|folder| folder.join(name)).find(|file| file.is_file())
        };
        let tool = program("secret-tool")
            .map(Tool::SecretTool)
            .or_else(|| program("security").map(Tool::Security));
        Self {
            tool,
            names: config.join("keyring-names"),
        }
    }

    /// The variables whose keys are there, sorted. Asks no keyring.
    pub fn names(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.names).unwrap_or_default();
        text.lines().map(str::to_owned).filter(|name| is_name(name)).collect()
    }

    /// The key that stands for a variable; None when none was put there.
    ///
    /// # Errors
    /// When the keyring is locked or gone.
    pub fn get(&self, name: &str) -> Result<Option<String>, Error> {
        if !self.names().iter().any(|known| known == name) {
            return Ok(None);
        }
        let output = match self.tool()? {
            Tool::SecretTool(tool) => run(tool, &["lookup", "service", SERVICE, "variable", name], ""),
            Tool::Security(tool) => run(tool, &["find-generic-password", "-s", SERVICE, "-a", name, "-w"], ""),
        };
        match output {
            // It was taken out by other means.
            Err(Error::Refused(why)) if why == NO_REASON => Ok(None),
            output => Ok(Some(output?.trim().to_owned()).filter(|key| !key.is_empty())),
        }
    }

    /// Puts a key there, in place of an older one.
    ///
    /// # Errors
    /// When there is no keyring, or it refuses.
    pub fn set(&self, name: &str, key: &str) -> Result<(), Error> {
        if !is_name(name) {
            return Err(Error::Name(name.to_owned()));
        }
        let key = key.trim();
        if key.is_empty() || key.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
            return Err(Error::Key);
        }
        match self.tool()? {
            Tool::SecretTool(tool) => {
                let label = format!("--label=codriver: {name}");
                run(tool, &["store", &label, "service", SERVICE, "variable", name], key)?;
            }
            Tool::Security(tool) => {
                // Its interactive mode reads the command, and so the key, from standard input.
                let line = format!("add-generic-password -U -s {SERVICE} -a {name} -w \"{key}\"\n");
                run(tool, &["-i"], &line)?;
            }
        }
        let mut names = self.names();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        self.keep(names)
    }

    /// Takes a key away. False when there was none.
    ///
    /// # Errors
    /// When the keyring refuses.
    pub fn remove(&self, name: &str) -> Result<bool, Error> {
        let mut names = self.names();
        if !names.iter().any(|known| known == name) {
            return Ok(false);
        }
        match self.tool()? {
            Tool::SecretTool(tool) => run(tool, &["clear", "service", SERVICE, "variable", name], "")?,
            Tool::Security(tool) => run(tool, &["delete-generic-password", "-s", SERVICE, "-a", name], "")?,
        };
        names.retain(|known| known != name);
        self.keep(names)?;
        Ok(true)
    }

    fn tool(&self) -> Result<&Tool, Error> {
        self.tool.as_ref().ok_or(Error::NoKeyring)
    }

    fn keep(&self, mut names: Vec<String>) -> Result<(), Error> {
        names.sort();
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        let kept = self.names.parent().map_or(Ok(()), fs::create_dir_all);
        kept.and_then(|()| fs::write(&self.names, text))
            .map_err(|source| Error::Names {
                path: self.names.display().to_string(),
                source,
            })
    }
}

/// The name of a variable.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn run(program: &Path, args: &[&str], input: &str) -> Result<String, Error> {
    let failed = |error: io::Error| Error::Refused(format!("`{}`: {error}", program.display()));
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read it says why on standard error.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let told = said.lines().find(|line| !line.trim().is_empty());
        return Err(Error::Refused(told.unwrap_or(NO_REASON).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
