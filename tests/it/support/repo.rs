//! A git repository in a temporary folder, cut off from the machine's git settings, with a fixed author and dates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

/// The folder goes away with the value.
pub(crate) struct TestRepo {
    dir: tempfile::TempDir,
    root: PathBuf,
}

/// What every git program of a test sees instead of the machine's settings.
pub(crate) const GIT_ENV: &[(&str, &str)] = &[
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05+00:00"),
    ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05+00:00"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// Makes libgit2 in this process blind for the settings of the machine and its user.
pub(crate) fn isolate_libgit2() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for level in [
            git2::ConfigLevel::System,
            git2::ConfigLevel::Global,
            git2::ConfigLevel::XDG,
            git2::ConfigLevel::ProgramData,
        ] {
            // SAFETY: `call_once` lets one thread through, before any repository is opened by a test.
            unsafe { git2::opts::set_search_path(level, "") }.unwrap();
        }
    });
}

impl TestRepo {
    /// A repository without commits, on branch `main`, with an identity of its own.
    pub(crate) fn new() -> Self {
        let repo = Self::without_identity();
        repo.git(&["config", "user.name", "Test Author"]);
        repo.git(&["config", "user.email", "author@example.com"]);
        repo
    }

    /// A repository that holds these files in one commit.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repo = Self::new();
        for (path, content) in files {
            repo.write(path, content);
        }
        repo.commit("Start");
        repo
    }

    /// A repository whose owner never told git a name.
    pub(crate) fn without_identity() -> Self {
        isolate_libgit2();
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let repo = Self { dir, root };
        repo.git(&["-c", "init.defaultBranch=main", "init", "--quiet", "--template="]);
        repo.git(&["config", "user.useConfigOnly", "true"]);
        repo.git(&["config", "gc.auto", "0"]);
        repo
    }

    /// The work tree, links resolved.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The temporary folder as it was made.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes an executable file, such as a hook.
    pub(crate) fn write_executable(&self, path: &str, content: &str) {
        self.write(path, content);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// Commits everything in the work tree; gives the full id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--no-verify", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_string()
    }

    /// Runs git in the work tree; its standard output. Fails the test when git fails.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(
            output.status.success(),
            "git {args:?} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn try_git(&self, args: &[&str]) -> Output {
        self.git_in(&self.root, args)
    }

    /// Runs git in another folder with the same cut-off settings.
    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> Output {
        Command::new("git")
            .args(args)
            .current_dir(dir)
            .envs(GIT_ENV.iter().copied())
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .output()
            .unwrap()
    }

    /// `git status --porcelain`, untracked files one by one.
    pub(crate) fn status(&self) -> String {
        self.git(&["status", "--porcelain", "--untracked-files=all"])
    }

    /// Subjects of the commits that HEAD reaches, newest first.
    pub(crate) fn subjects(&self) -> Vec<String> {
        let output = self.try_git(&["log", "--format=%s"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::to_string).collect()
    }
}
