//! Holds a command back: it may read everything, write only below folders that are named, and have no network if that
//! is wanted. Everything that it starts is held back as well.
//!
//! With Linux' Landlock (landlock(7)): a domain belongs to a thread and what the thread starts, so a thread of its own
//! restricts itself and then starts the command. Elsewhere, and where the kernel has no Landlock, commands run as ever.
//! A fence against accidents and careless commands, not a jail: what listens on a socket in the file system (a container
//! engine, a desktop's bus) does as it is told, and UDP is not held back.

use std::path::PathBuf;

/// What a command may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders with all that is below them, and files; what is not there counts for nothing.
    pub writable: Vec<PathBuf>,
    /// TCP may be used.
    pub network: bool,
}

/// What this system can hold back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Nothing: commands run as ever.
    Nothing,
    Writes,
    /// Also TCP.
    WritesAndNetwork,
}

/// What this system can hold back; looked up once.
pub fn strength() -> Strength {
    static STRENGTH: std::sync::OnceLock<Strength> = std::sync::OnceLock::new();
    *STRENGTH.get_or_init(system::strength)
}

/// Does `start` with what it starts held back; without a sandbox just does it.
pub(super) fn start_within<T: Send>(
    sandbox: Option<&Sandbox>,
    start: impl FnOnce() -> std::io::Result<T> + Send,
) -> std::io::Result<T> {
    let Some(sandbox) = sandbox.filter(|_| strength() > Strength::Nothing) else {
        return start();
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("sandbox".to_owned());
        let started = thread.spawn_scoped(scope, || {
            system::restrict_thread(sandbox)?;
            start()
        })?;
        started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(target_os = "linux")]
mod system {
    use std::path::Path;

    use landlock::ABI;
    use landlock::Access;
    use landlock::AccessFs;
    use landlock::AccessNet;
    use landlock::BitFlags;
    use landlock::Ruleset;
    use landlock::RulesetAttr;
    use landlock::RulesetCreatedAttr;
    use landlock::RulesetError;
    use landlock::RulesetStatus;
    use landlock::Scope;
    use landlock::path_beneath_rules;

    use super::Sandbox;
    use super::Strength;

    /// The newest version that this was tried with; of an older kernel's there is as much as it has. From version 2 on
    /// files can be moved between folders; with less nothing is held back, since builds would break.
    const NEWEST: ABI = ABI::V7;

    /// Devices are there to be written to (`/dev/null`); who may is the business of their own permissions. In `/proc`
    /// programs set up themselves and their children.
    const DEVICES: &[&str] = &["/dev", "/proc"];
    /// Shared memory, queues and terminals are made in these.
    const BELOW_DEVICES: &[&str] = &["/dev/shm", "/dev/mqueue", "/dev/pts"];

    pub(super) fn strength() -> Strength {
        // The kernel is asked by restricting a thread, which ends then.
        let probe = || -> Result<Strength, RulesetError> {
            let files = Ruleset::default().handle_access(writes())?.create()?.restrict_self()?;
            if files.ruleset == RulesetStatus::NotEnforced {
                return Ok(Strength::Nothing);
            }
            let network = Ruleset::default().handle_access(tcp())?.create()?.restrict_self()?;
            Ok(match network.ruleset {
                RulesetStatus::FullyEnforced => Strength::WritesAndNetwork,
                _ => Strength::Writes,
            })
        };
        // An error is a kernel that has Landlock and will not let us have it: then commands must not fail for it.
        let asked = std::thread::Builder::new().spawn(move || probe().unwrap_or(Strength::Nothing));
        asked
            .ok()
            .and_then(|thread| thread.join().ok())
            .unwrap_or(Strength::Nothing)
    }

    /// From here on the thread, and what it starts, is held back.
    pub(super) fn restrict_thread(sandbox: &Sandbox) -> std::io::Result<()> {
        restrict(sandbox).map_err(std::io::Error::other)
    }

    fn restrict(sandbox: &Sandbox) -> Result<(), RulesetError> {
        let mut ruleset = Ruleset::default()
            .handle_access(writes())?
            // Processes outside cannot be ended from inside.
            .scope(Scope::Signal)?;
        if !sandbox.network {
            ruleset = ruleset.handle_access(tcp())?;
        }
        // Nobody makes device nodes for a build.
        let all = writes() & !(AccessFs::MakeChar | AccessFs::MakeBlock);
        let to_devices = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
        let folders = sandbox.writable.iter().map(|path| path.as_path());
        let folders = folders.chain(BELOW_DEVICES.iter().map(Path::new));
        ruleset
            .create()?
            .add_rules(path_beneath_rules(folders, all))?
            .add_rules(path_beneath_rules(DEVICES, to_devices))?
            .restrict_self()?;
        Ok(())
    }

    fn writes() -> BitFlags<AccessFs> {
        AccessFs::from_write(NEWEST)
    }

    fn tcp() -> BitFlags<AccessNet> {
        AccessNet::from_all(NEWEST)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Sandbox;
    use super::Strength;

    pub(super) fn strength() -> Strength {
        Strength::Nothing
    }

    pub(super) fn restrict_thread(_: &Sandbox) -> std::io::Result<()> {
        Ok(())
    }
}
