//! What git runs of its own accord in a repository: hooks, and settings that name programs. Whoever can write to `.git`
//! gets them run by the next commit; so they can be compared with what they were, and put back.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use super::Error;
use super::Repo;

/// Sections whose settings all name programs, or files with more settings.
const SECTIONS: &[&str] = &[
    "alias",
    "browser",
    "credential",
    "difftool",
    "gpg",
    "guitool",
    "hook",
    "include",
    "includeif",
    "init",
    "interactive",
    "mergetool",
    "pager",
    "protocol",
    "sequence",
    "tar",
    "trailer",
    "uploadpack",
];

/// (section, last part of the name) of others that do.
const SETTINGS: &[(&str, &str)] = &[
    ("core", "alternaterefscommand"),
    ("core", "askpass"),
    ("core", "editor"),
    ("core", "fsmonitor"),
    ("core", "gitproxy"),
    ("core", "hookspath"),
    ("core", "pager"),
    ("core", "sshcommand"),
    ("diff", "command"),
    ("diff", "external"),
    ("diff", "textconv"),
    ("filter", "clean"),
    ("filter", "process"),
    ("filter", "smudge"),
    ("merge", "driver"),
    ("remote", "receivepack"),
    ("remote", "uploadpack"),
    ("remote", "vcs"),
    ("submodule", "update"),
];

/// The hooks and settings of a repository, and of its submodules, at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    files: BTreeMap<PathBuf, Kept>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    bytes: Vec<u8>,
    permissions: fs::Permissions,
    /// Of a file of settings: those that name programs, with their values.
    settings: Option<BTreeSet<String>>,
}

impl Kept {
    fn runs_the_same(&self, other: &Self) -> bool {
        match (&self.settings, &other.settings) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => self == other,
        }
    }

    fn runs_nothing(&self) -> bool {
        self.settings.as_ref().is_some_and(BTreeSet::is_empty)
    }
}

/// A file that runs something else than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramChange {
    pub path: PathBuf,
    /// None: it was not there.
    pub before: Option<Vec<u8>>,
    /// None: it is gone.
    pub after: Option<Vec<u8>>,
}

impl Repo {
    /// What git runs of its own accord here, now. What cannot be read counts as not there.
    pub fn programs(&self) -> Programs {
        let common = self.common_dir().unwrap_or_else(|| self.git_dir.clone());
        let mut files = BTreeMap::new();
        keep_settings(&self.git_dir.join("config.worktree"), &mut files);
        keep_repository(&common, &mut files);
        keep_submodules(&common.join("modules"), &mut files);
        if let Some(folder) = self.hooks_in_tree() {
            keep_hooks(&folder, &mut files);
        }
        Programs { files }
    }

    /// The folder of hooks (`core.hooksPath`) when it stands in the work tree. Husky keeps `.husky/_`, whose hooks run the scripts
    /// in `.husky`: then it is the folder above.
    fn hooks_in_tree(&self) -> Option<PathBuf> {
        let config = self.open().ok()?.config().ok()?;
        let folder = self.root().join(config.get_path("core.hooksPath").ok()?);
        let folder = match folder.file_name() {
            Some(name) if name == "_" => folder.parent()?.to_path_buf(),
            _ => folder,
        };
        (folder != self.root() && folder.starts_with(self.root())).then_some(folder)
    }
}

impl Programs {
    /// What differs in `now`, sorted by path.
    pub fn changes(&self, now: &Self) -> Vec<ProgramChange> {
        let paths: BTreeSet<&PathBuf> = self.files.keys().chain(now.files.keys()).collect();
        let differs = |path: &PathBuf| match (self.files.get(path), now.files.get(path)) {
            (Some(before), Some(after)) => !before.runs_the_same(after),
            (Some(only), None) | (None, Some(only)) => !only.runs_nothing(),
            (None, None) => false,
        };
        let bytes = |programs: &Self, path: &PathBuf| programs.files.get(path).map(|kept| kept.bytes.clone());
        paths
            .into_iter()
            .filter(|path| differs(path))
            .map(|path| ProgramChange {
                path: path.clone(),
                before: bytes(self, path),
                after: bytes(now, path),
            })
            .collect()
    }

    /// Makes the changed files again what they were.
    ///
    /// # Errors
    /// When a file cannot be written or removed; those before it are done.
    pub fn put_back(&self, changes: &[ProgramChange]) -> Result<(), Error> {
        for change in changes {
            self.put_back_one(&change.path).map_err(|error| Error::Git {
                doing: "put back what git runs",
                message: format!("`{}`: {error}", change.path.display()),
            })?;
        }
        Ok(())
    }

    fn put_back_one(&self, path: &Path) -> std::io::Result<()> {
        // A link that a command put there must not lead the write elsewhere.
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let Some(kept) = self.files.get(path) else {
            return Ok(());
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, &kept.bytes)?;
        fs::set_permissions(path, kept.permissions.clone())
    }
}

fn keep_repository(git_dir: &Path, files: &mut BTreeMap<PathBuf, Kept>) {
    keep_settings(&git_dir.join("config"), files);
    keep_hooks(&git_dir.join("hooks"), files);
}

/// The files of a folder of hooks, and of the folders right in it.
fn keep_hooks(folder: &Path, files: &mut BTreeMap<PathBuf, Kept>) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries(folder) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            entries(&entry.path()).for_each(|inner| keep(&inner.path(), None, files));
            continue;
        }
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "sample") {
            keep(&path, None, files);
        }
    }
}

/// Submodules keep theirs below `modules/`, in folders that are named as their paths.
fn keep_submodules(folder: &Path, files: &mut BTreeMap<PathBuf, Kept>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        if path.join("HEAD").exists() {
            keep_repository(&path, files);
            keep_submodules(&path.join("modules"), files);
        } else {
            keep_submodules(&path, files);
        }
    }
}

fn keep_settings(path: &Path, files: &mut BTreeMap<PathBuf, Kept>) {
    if path.is_file() {
        keep(path, settings(path), files);
    }
}

fn keep(path: &Path, settings: Option<BTreeSet<String>>, files: &mut BTreeMap<PathBuf, Kept>) {
    // Reading anything but a file may wait for ever.
    let Some(metadata) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return;
    };
    if let Ok(bytes) = fs::read(path) {
        let kept = Kept {
            bytes,
            permissions: metadata.permissions(),
            settings,
        };
        files.insert(path.to_path_buf(), kept);
    }
}

/// The settings that name programs, as `name=value`; None when the file cannot be read as settings.
fn settings(path: &Path) -> Option<BTreeSet<String>> {
    let config = git2::Config::open(path).ok()?;
    let mut found = BTreeSet::new();
    config
        .entries(None)
        .ok()?
        .for_each(|entry| {
            let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
            if names_a_program(&name) {
                // `name` alone, without `=`, has no value.
                let value = entry.has_value().then(|| String::from_utf8_lossy(entry.value_bytes()));
                found.insert(format!("{name}={}", value.unwrap_or_default()));
            }
        })
        .ok()?;
    Some(found)
}

/// `name` is as libgit2 gives it: section and last part in lower case.
fn names_a_program(name: &str) -> bool {
    let section = name.split('.').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    SECTIONS.contains(&section) || SETTINGS.contains(&(section, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_name_programs_are_told_from_others() {
        for name in [
            "core.hookspath",
            "alias.st",
            "filter.lfs.clean",
            "includeif.gitdir:/x.path",
            "diff.png.textconv",
        ] {
            assert!(names_a_program(name), "{name}");
        }
        for name in [
            "user.name",
            "branch.main.merge",
            "remote.origin.url",
            "core.filemode",
            "merge.conflictstyle",
        ] {
            assert!(!names_a_program(name), "{name}");
        }
    }
}
