//! Commands in a sandbox, with real processes. Where the kernel has no Landlock, the tests say so and hold nothing.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::net::TcpStream;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use codriver::repl;
use codriver::shell;
use codriver::shell::Job;
use codriver::shell::Outcome;
use codriver::shell::Sandbox;
use codriver::shell::sandbox;
use codriver::shell::sandbox::Strength;
use codriver::shell::writable;
use codriver::terminal::Event;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::session::Script;
use crate::session::Stage;
use crate::session::open;
use crate::support::left_out;
use crate::support::repo::GIT_ENV;
use crate::support::repo::isolate_libgit2;

/// A folder with `root/`, which may be written, and `outside/kept`, which may not. It stands outside of the temporary
/// folders, which sessions open.
struct Yard {
    dir: TempDir,
}

impl Yard {
    /// None, with a word on why, where nothing can be held back.
    fn new(least: Strength) -> Option<Self> {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        if sandbox::strength() < least {
            left_out(&format!("Landlock holds back {:?}", sandbox::strength()));
            return None;
        }
        if ["/tmp", "/var/tmp"]
            .iter()
            .any(|temporary| place.starts_with(temporary))
        {
            left_out(&format!("`{}` is a temporary folder", place.display()));
            return None;
        }
        let dir = tempfile::tempdir_in(place).unwrap();
        fs::create_dir(dir.path().join("root")).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("outside/kept"), "kept\n").unwrap();
        Some(Self { dir })
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root").canonicalize().unwrap()
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    fn run(&self, script: &str) -> Outcome {
        run(script, &self.root(), vec![self.root()], true)
    }

    /// The script fails, with words of a denied write, and nothing outside has changed.
    fn assert_denied(&self, script: &str) {
        let outcome = self.run(script);
        assert!(!outcome.succeeded(), "{script}: {}", outcome.output);
        assert!(
            outcome.denied.is_some_and(|denied| denied.write),
            "{script}: {}",
            outcome.output
        );
        let found: Vec<_> = fs::read_dir(self.outside())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(found, ["kept"], "{script}");
        assert_eq!(
            fs::read_to_string(self.outside().join("kept")).unwrap(),
            "kept\n",
            "{script}"
        );
    }

    fn assert_allowed(&self, script: &str) {
        let outcome = self.run(script);
        assert!(outcome.succeeded(), "{script}: {}", outcome.output);
        assert_eq!(outcome.denied, None);
    }
}

fn run(script: &str, dir: &Path, writable: Vec<PathBuf>, network: bool) -> Outcome {
    let mut env: BTreeMap<String, Option<String>> = BTreeMap::new();
    env.insert("LC_ALL".to_owned(), Some("C".to_owned()));
    let job = Job {
        script: script.to_owned(),
        dir: dir.to_path_buf(),
        env,
        time_limit: Duration::from_secs(60),
        output_limit: 64 * 1024,
        sandbox: Some(Sandbox { writable, network }),
    };
    shell::run(&job, &CancellationToken::new(), &mut |_| {}).unwrap()
}

#[test]
fn writes_stay_below_the_root() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    yard.assert_allowed("cat ../outside/kept > a && mkdir b && mv a b/c && ln b/c d && ln -s d e && rm d && rm -r b");
    yard.assert_denied("echo x > ../outside/new");
    yard.assert_denied("echo x >> ../outside/kept");
    yard.assert_denied(": > ../outside/kept");
    yard.assert_denied("rm ../outside/kept");
    yard.assert_denied("mkdir ../outside/new");
    yard.assert_denied("ln -s x ../outside/new");
}

#[test]
fn nothing_is_moved_or_linked_across_the_border() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    fs::write(yard.root().join("mine"), "mine\n").unwrap();
    yard.assert_denied("mv mine ../outside/mine");
    yard.assert_denied("mv ../outside/kept kept");
    yard.assert_denied("ln ../outside/kept linked && echo x > linked");
    assert_eq!(fs::read_to_string(yard.root().join("mine")).unwrap(), "mine\n");
    assert!(!yard.root().join("linked").exists());
}

#[test]
fn a_link_out_of_the_root_opens_nothing() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    std::os::unix::fs::symlink(yard.outside(), yard.root().join("folder")).unwrap();
    std::os::unix::fs::symlink(yard.outside().join("kept"), yard.root().join("file")).unwrap();
    yard.assert_denied("echo x > folder/new");
    yard.assert_denied("echo x > file");
    yard.assert_allowed("cat file folder/kept && rm file folder");
}

#[test]
fn what_a_command_starts_is_held_back_too() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    yard.assert_denied("sh -c 'sh -c \"echo x > ../outside/new\"'");
    yard.assert_denied("setsid -w sh -c 'echo x > ../outside/new'");
    yard.assert_denied("echo 'echo x > ../outside/new' > script && sh script");
}

#[test]
fn devices_and_shared_memory_work() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    yard.assert_allowed("echo x > /dev/null && echo y | tee /dev/stderr > /dev/stdout");
    yard.assert_allowed("f=/dev/shm/codriver-$$ && echo x > $f && rm $f");
}

#[test]
fn caches_can_be_written_and_the_rest_of_the_home_folder_not() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    let home = yard.dir.path().join("home");
    for folder in [".cargo/registry", ".cargo/bin", ".npm", ".cache"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    fs::write(home.join(".cargo/.package-cache"), "").unwrap();
    let variables = [("HOME", home.display().to_string())];
    let lookup = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    };
    let run = |script: &str| {
        let mut writable = writable::usual(&yard.root(), &lookup);
        writable.push(yard.root());
        run(script, &home, writable, true)
    };
    for script in [
        "echo x > .cargo/registry/x",
        "echo x > .cargo/.package-cache",
        "mkdir -p .npm/_cacache/tmp && mv .npm/_cacache/tmp .npm/tmp",
        "mkdir .cache/go-build",
        "f=$(TMPDIR=/tmp mktemp) && echo x > $f && rm $f",
    ] {
        let outcome = run(script);
        assert!(outcome.succeeded(), "{script}: {}", outcome.output);
    }
    // A cache that is not there is not made either.
    for script in ["echo x > .cargo/bin/cargo", "echo x > .bashrc", "mkdir .gradle"] {
        let outcome = run(script);
        assert!(!outcome.succeeded(), "{script}: {}", outcome.output);
    }
}

/// Not a test of its own: what [`a_command_without_network_reaches_nobody`] runs.
#[test]
#[ignore = "run by another test"]
fn client() {
    let address = std::env::var("CODRIVER_TEST_ADDRESS").unwrap();
    TcpStream::connect(address).unwrap();
    TcpListener::bind("127.0.0.1:0").unwrap();
}

#[test]
fn a_command_without_network_reaches_nobody() {
    let Some(yard) = Yard::new(Strength::WritesAndNetwork) else {
        return;
    };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let program = std::env::current_exe().unwrap();
    let script = format!(
        "CODRIVER_TEST_ADDRESS={} '{}' --exact sandbox::client --ignored --nocapture",
        server.local_addr().unwrap(),
        program.display()
    );
    let connect = |network| run(&script, &yard.root(), vec![yard.root()], network);
    let outcome = connect(true);
    assert!(
        outcome.succeeded() && outcome.output.contains("1 passed"),
        "{}",
        outcome.output
    );
    server.accept().unwrap();
    server.set_nonblocking(true).unwrap();
    let outcome = connect(false);
    assert!(
        outcome.denied.is_some_and(|denied| denied.network),
        "{}",
        outcome.output
    );
    assert!(server.accept().is_err(), "nobody came through");
}

#[test]
fn nothing_in_it_gains_rights() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    let outcome = yard.run("grep NoNewPrivs /proc/self/status");
    assert_eq!(outcome.output.split_whitespace().last(), Some("1"));
    // The program itself is not held back.
    let own = fs::read_to_string("/proc/thread-self/status").unwrap();
    assert!(own.contains("NoNewPrivs:\t0"), "{own}");
    fs::write(yard.outside().join("later"), "").unwrap();
}

#[test]
fn a_script_that_is_not_executable_is_not_the_sandbox() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    fs::write(yard.root().join("check.sh"), "exit 0\n").unwrap();
    assert_eq!(yard.run("./check.sh").denied, None);
}

#[test]
fn processes_outside_are_left_alone() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    if kernel() < (6, 12) {
        left_out("signals are held back from Linux 6.12 on");
        return;
    }
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    yard.assert_denied(&format!("kill {}", other.id()));
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
    yard.assert_allowed("sleep 1000 & kill $!");
}

/// Such as (6, 12).
fn kernel() -> (u32, u32) {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-', '\n']).map_while(|part| part.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// A session in a folder; its transcript is what it shows.
struct Played {
    stage: Stage,
    _state: TempDir,
}

impl Played {
    fn new(root: &Path) -> Self {
        let script: Script =
            toml::from_str("about = 'a session in a sandbox'\nsay = []\nsandbox = true\nno_model = true").unwrap();
        let state = tempfile::tempdir().unwrap();
        Self {
            stage: open(&script, root, state.path()),
            _state: state,
        }
    }

    /// What is shown after a line.
    fn say(&mut self, line: &str) -> Vec<Event> {
        let before = self.stage.record.lock().unwrap().events.len();
        repl::obey(&mut self.stage.session, line);
        self.stage.record.lock().unwrap().events[before..].to_vec()
    }

    fn passes(&mut self, command: &str) -> bool {
        let events = self.say(&format!("/test {command}"));
        events
            .iter()
            .any(|event| matches!(event, Event::Test { passed: true, .. }))
    }
}

#[test]
fn tests_are_held_back_and_what_the_user_types_is_not() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    // The repository around the tests' folder is none of this project.
    git2::Repository::init(yard.root()).unwrap();
    let mut played = Played::new(&yard.root());
    assert!(played.passes("echo x > made && f=$(mktemp) && rm $f"));
    let events = played.say("/test echo x > ../outside/new");
    let told = events
        .iter()
        .any(|event| matches!(event, Event::Note(text) if text.contains("--sandbox-write")));
    assert!(told, "{events:?}");
    assert!(!yard.outside().join("new").exists());
    let events = played.say("/run echo x > ../outside/new");
    assert!(yard.outside().join("new").exists(), "{events:?}");
}

#[test]
fn everything_works_in_a_work_tree_of_a_repository_elsewhere() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    isolate_libgit2();
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.com",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .envs(GIT_ENV.iter().copied())
            .current_dir(yard.dir.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    git(&["init", "-q", "--template=", "main"]);
    git(&["-C", "main", "commit", "-q", "--allow-empty", "-m", "Start"]);
    git(&["-C", "main", "worktree", "add", "-q", "../tree"]);
    let mut played = Played::new(&yard.dir.path().join("tree"));
    let commit = "git -c user.name=T -c user.email=t@example.com commit -q -m Inside";
    assert!(played.passes(&format!("echo x > made && git add made && {commit} && git gc -q")));
    assert!(!played.passes("echo x > ../main/made"));
}

#[test]
fn hooks_that_stand_in_the_work_tree_are_put_back_too() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    isolate_libgit2();
    let root = yard.root();
    let repository = git2::Repository::init(&root).unwrap();
    repository
        .config()
        .unwrap()
        .set_str("core.hooksPath", ".husky/_")
        .unwrap();
    fs::create_dir_all(root.join(".husky/_")).unwrap();
    fs::write(root.join(".husky/_/pre-commit"), "sh .husky/pre-commit\n").unwrap();
    fs::write(root.join(".husky/pre-commit"), "npm test\n").unwrap();
    let mut played = Played::new(&root);
    assert!(played.passes("echo 'sh evil' > .husky/pre-commit && echo x > .husky/_/post-commit && echo x > other"));
    assert_eq!(played.stage.record.lock().unwrap().questions.len(), 1);
    assert_eq!(
        fs::read_to_string(root.join(".husky/pre-commit")).unwrap(),
        "npm test\n"
    );
    assert!(!root.join(".husky/_/post-commit").exists());
    assert!(root.join("other").exists());
}

#[test]
fn what_git_would_run_outside_is_put_back_unless_the_user_keeps_it() {
    let Some(yard) = Yard::new(Strength::Writes) else {
        return;
    };
    isolate_libgit2();
    let root = yard.root();
    let repository = git2::Repository::init(&root).unwrap();
    repository.config().unwrap().set_str("alias.st", "status").unwrap();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    fs::write(root.join(".git/hooks/pre-push"), "true\n").unwrap();
    let settings = fs::read(root.join(".git/config")).unwrap();
    let mut played = Played::new(&root);
    let asked = |played: &Played| played.stage.record.lock().unwrap().questions.len();

    // What runs nothing is left alone.
    assert!(played.passes("git config branch.main.merge refs/heads/main && echo x > .git/hooks/pre-commit.sample"));
    assert_eq!(asked(&played), 0);
    fs::write(root.join(".git/config"), &settings).unwrap();

    assert!(
        played.passes("git config core.fsmonitor ./spy && echo x > .git/hooks/pre-commit && rm .git/hooks/pre-push")
    );
    assert_eq!(asked(&played), 1);
    let question = played.stage.record.lock().unwrap().questions[0].0.clone();
    assert_eq!(
        question.text,
        "The command changed `.git/config`, `.git/hooks/pre-commit`, `.git/hooks/pre-push`, which git runs outside the \
         sandbox. Keep that?"
    );
    assert!(question.detail.contains("+\tfsmonitor = ./spy"), "{}", question.detail);
    assert!(!question.yes_always_applies);
    assert_eq!(fs::read(root.join(".git/config")).unwrap(), settings);
    assert!(!root.join(".git/hooks/pre-commit").exists());
    assert_eq!(fs::read_to_string(root.join(".git/hooks/pre-push")).unwrap(), "true\n");

    // The user's own commands may do what they like.
    played.say("/run git config core.fsmonitor ./mine");
    assert!(repository.config().unwrap().get_string("core.fsmonitor").is_ok());
}
