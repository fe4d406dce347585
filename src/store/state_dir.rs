//! Where things live: the XDG state, cache and config folders, one folder of state per repository.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

/// The folders of one project. `CODRIVER_STATE_DIR`, `CODRIVER_CACHE_DIR` and `CODRIVER_CONFIG_DIR` override XDG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// Journal, sessions, input history of this project.
    pub state: PathBuf,
    /// Shared by all projects.
    pub cache: PathBuf,
    pub config: PathBuf,
}

impl Dirs {
    /// The journal of the project's turns.
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal")
    }

    /// `lookup` reads an environment variable. The project's folder is named after its root: the last part and a hash of
    /// its absolute path with links resolved, however `root` spells it. Nothing is created.
    ///
    /// A variable that is empty or no absolute path counts as unset, as the XDG base directory specification has it;
    /// without `HOME` everything is below the temporary folder.
    pub fn for_root(root: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Self {
        let folder = |name: &str| lookup(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").unwrap_or_else(|| folder("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp")));
        let base = |own: &str, xdg: &str, default: &str| {
            folder(own).unwrap_or_else(|| folder(xdg).unwrap_or_else(|| home.join(default)).join("codriver"))
        };
        let state = base("CODRIVER_STATE_DIR", "XDG_STATE_HOME", ".local/state");
        Self {
            state: state.join("projects").join(project_name(&one_name(root))),
            cache: base("CODRIVER_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
            config: base("CODRIVER_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"),
        }
    }
}

/// The folder's one name: links resolved, or absolute as it is written when it does not exist.
fn one_name(root: &Path) -> PathBuf {
    root.canonicalize()
        .or_else(|_| std::path::absolute(root))
        .unwrap_or_else(|_| root.to_path_buf())
}

/// Legible, and different for any two roots.
fn project_name(root: &Path) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let legible: String = name
        .chars()
        .map(|character| {
            if character.is_alphanumeric() || "._-".contains(character) {
                character
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    let legible = legible.trim_start_matches(['.', '-']);
    let legible = if legible.is_empty() { "root" } else { legible };
    format!("{legible}-{:016x}", xxh3_64(root.as_os_str().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(root: &str, variables: &[(&str, &str)]) -> Dirs {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Dirs::for_root(Path::new(root), &lookup)
    }

    #[test]
    fn defaults_are_below_home() {
        let dirs = dirs("/code/my project", &[("HOME", "/home/ann")]);
        assert!(dirs.state.starts_with("/home/ann/.local/state/codriver/projects"));
        assert!(dirs.state.to_string_lossy().contains("/my_project-"));
        assert_eq!(dirs.cache, Path::new("/home/ann/.cache/codriver"));
        assert_eq!(dirs.config, Path::new("/home/ann/.config/codriver"));
    }

    #[test]
    fn xdg_comes_before_home_and_our_own_before_xdg() {
        let variables = [
            ("HOME", "/home/ann"),
            ("XDG_STATE_HOME", "/xdg/state"),
            ("XDG_CACHE_HOME", "relative/is/ignored"),
            ("XDG_CONFIG_HOME", ""),
            ("CODRIVER_CONFIG_DIR", "/mine"),
        ];
        let dirs = dirs("/p", &variables);
        assert!(dirs.state.starts_with("/xdg/state/codriver/projects"));
        assert_eq!(dirs.cache, Path::new("/home/ann/.cache/codriver"));
        assert_eq!(dirs.config, Path::new("/mine"));
    }

    #[test]
    fn a_root_has_one_folder_however_it_is_spelled() {
        let home = [("HOME", "/h")];
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("site");
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink("site", folder.path().join("link")).unwrap();
        let spelled = |name: &str| dirs(folder.path().join(name).to_str().unwrap(), &home).state;
        for name in ["site/", "site/.", "site/../site", "link"] {
            assert_eq!(spelled(name), spelled("site"), "{name}");
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(dirs(".", &home), dirs(here.to_str().unwrap(), &home));
        let absent = here.join("not-there");
        assert_eq!(dirs("not-there", &home), dirs(absent.to_str().unwrap(), &home));
    }

    #[test]
    fn two_roots_of_one_name_have_two_folders() {
        let home = [("HOME", "/h")];
        assert_ne!(dirs("/a/site", &home).state, dirs("/b/site", &home).state);
        assert_eq!(dirs("/a/site", &home), dirs("/a/site", &home));
        for root in ["/", "/...", "/été/計画", "/a\nb"] {
            let state = dirs(root, &home).state;
            assert!(state.starts_with("/h/.local/state/codriver/projects"), "{state:?}");
            assert!(
                !state.file_name().unwrap().to_string_lossy().starts_with(['.', '-']),
                "{state:?}"
            );
        }
    }
}
