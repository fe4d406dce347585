//! One message through the real binary: exit codes, events as JSON, undo from the shell, the demo. The model plays a file.

use std::path::Path;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use crate::support::repo::TestRepo;

const EDIT: &str = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n";
const MISS: &str = "a.py\n```python\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n>>>>>>> REPLACE\n```\n";

/// A repository with one file, and folders of its own for everything else.
struct Place {
    repo: TestRepo,
    home: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            repo: TestRepo::with(&[("a.py", "x = 1\n")]),
            home: tempfile::tempdir().unwrap(),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codriver"));
        command
            .args(arguments)
            .current_dir(self.repo.root())
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("CODRIVER_STATE_DIR", self.home.path().join("state"))
            .env("CODRIVER_CACHE_DIR", self.home.path().join("cache"))
            .env("CODRIVER_CONFIG_DIR", self.home.path().join("config"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// A program for the PATH of a test, in `bin` of the home.
    fn program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.home.path().join("bin").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// `--model` for a script with these replies.
    fn model(&self, replies: &[&str]) -> String {
        let script: String = replies.iter().map(|reply| format!("[[reply]]\n{reply}\n")).collect();
        let path = self.home.path().join("script.toml");
        std::fs::write(&path, script).unwrap();
        format!("scripted:{}", path.display())
    }

    /// One message with a script; the exit code and all that was printed.
    fn say(&self, replies: &[&str], more: &[&str]) -> (Option<i32>, String) {
        let model = self.model(replies);
        let mut arguments = vec!["--model", &model, "-m", "set x", "a.py"];
        arguments.extend(more);
        let output = self.run(&arguments);
        let printed = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(printed).unwrap())
    }
}

fn text(reply: &str) -> String {
    format!("text = '''\n{reply}'''")
}

#[test]
fn exit_codes_tell_how_a_turn_ended() {
    let (edit, miss) = (text(EDIT), text(MISS));
    let cases: &[(&[&str], &[&str], i32)] = &[
        (&[&edit, "text = 'Set x'"], &[], 0),
        (&["text = 'Nothing to change.'"], &[], 0),
        (&[&miss, &miss], &[], 1),
        (
            &[&edit, "text = 'Set x'", "text = 'I am done.'"],
            &["--test-cmd", "false"],
            1,
        ),
        (&["error = 'auth'"], &[], 3),
        (&["text = ''", "text = ''"], &[], 3),
        (&["text = ''", &edit, "text = 'Set x'"], &[], 0),
        (&["text = ''\nfinish = 'length'"], &[], 4),
        (&["text = ''\nfinish = 'refused'"], &[], 5),
        (&["text = 'I can'\nfinish = 'refused'"], &["--chat-mode", "ask"], 5),
        (&[&miss, &edit], &["--max-requests", "1"], 4),
        (&[&edit], &["--edit-format", "nonsense"], 2),
    ];
    for (replies, more, code) in cases {
        let place = Place::new();
        let (exit, printed) = place.say(replies, more);
        assert_eq!(exit, Some(*code), "{replies:?} {more:?}\n{printed}");
    }
    let place = Place::new();
    assert_eq!(place.run(&["-m", "set x", "a.py"]).status.code(), Some(2), "no model");
    assert_eq!(
        place.run(&["-m", "/nonsense"]).status.code(),
        Some(2),
        "no such command"
    );
    for (command, code) in [
        ("/ls", 0),
        ("/add nowhere.py", 1),
        ("/turns drop 9", 1),
        ("/settings nonsense", 1),
    ] {
        assert_eq!(place.run(&["-m", command]).status.code(), Some(code), "{command}");
    }
    assert_eq!(
        place.run(&["-m", "set x", "nowhere.py"]).status.code(),
        Some(2),
        "no such file"
    );
}

#[test]
fn a_failed_edit_leaves_everything_as_it_was() {
    let place = Place::new();
    let before = place.repo.git(&["rev-parse", "HEAD"]);
    place.say(&[&text(&format!("{EDIT}\n{MISS}")), &text(MISS)], &[]);
    assert_eq!(place.repo.read("a.py"), "x = 1\n");
    assert_eq!(place.repo.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(place.repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn events_are_one_json_object_a_line() {
    let place = Place::new();
    let (_, printed) = place.say(&[&text(EDIT), "text = 'Set x'"], &["--json"]);
    let types: Vec<String> = printed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "session",
        "request",
        "text",
        "reply_end",
        "usage",
        "edit",
        "commit",
        "done",
    ];
    assert_eq!(types, expected, "{printed}");
}

#[test]
fn undo_and_redo_work_from_the_shell() {
    let place = Place::new();
    place.say(&[&text(EDIT), "text = 'Set x'"], &[]);
    let committed = place.repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(place.run(&["undo"]).status.code(), Some(0));
    assert_eq!(place.repo.read("a.py"), "x = 1\n");
    assert_eq!(
        place.run(&["undo"]).status.code(),
        Some(1),
        "there is nothing more to undo"
    );
    assert_eq!(place.run(&["redo"]).status.code(), Some(0));
    assert_eq!(place.repo.read("a.py"), "x = 2\n");
    assert_eq!(place.repo.git(&["rev-parse", "HEAD"]), committed);
    let sessions = String::from_utf8(place.run(&["sessions"]).stdout).unwrap();
    assert!(sessions.contains("set x"), "{sessions}");
}

#[test]
fn a_key_in_a_message_is_not_kept() {
    let place = Place::new();
    // Put together here, so that no scanner takes it for a real one.
    let key = format!("sk-{}-{}", "proj", "A1b2C3d4".repeat(6));
    let model = place.model(&[&text(EDIT), "text = 'Set x'"]);
    let output = place.run(&["--model", &model, "-m", &format!("set x, my key is {key}"), "a.py"]);
    assert_eq!(output.status.code(), Some(0));
    let kept = crate::support::tree(&place.home.path().join("state"));
    assert!(
        kept.iter().any(|(name, _)| name.contains("sessions/")),
        "the session is kept"
    );
    for (name, bytes) in kept {
        let start = &key.as_bytes()[..24];
        let holds_it = bytes.windows(start.len()).any(|window| window == start);
        assert!(!holds_it, "{name} holds the key");
    }
}

#[test]
fn lines_on_standard_input_are_messages_and_commands() {
    let place = Place::new();
    let model = place.model(&[&text(EDIT), "text = 'Set x'"]);
    let mut child = place
        .command(&["--model", &model])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"/add a.py\nset x\n/undo\n/exit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("Took back \"set x\""), "{printed}");
    assert_eq!(place.repo.read("a.py"), "x = 1\n");
}

#[test]
#[cfg(unix)]
fn being_told_to_end_ends_the_running_command_too() {
    let place = Place::new();
    let model = place.model(&[&text(EDIT), "text = 'Set x'"]);
    let mark = place.home.path().join("running");
    let test = format!("echo $$ > {0}; sleep 100; echo late >> {0}", mark.display());
    let mut child = place
        .command(&["--model", &model, "--test-cmd", &test, "-m", "set x", "a.py"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = wait_for(|| std::fs::read_to_string(&mark).ok().filter(|text| text.ends_with('\n')));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    assert_ne!(status.code(), Some(0));
    wait_for(|| (!Path::new("/proc").join(pid.trim()).exists()).then_some(()));
}

/// The first thing that `look` finds.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "nothing came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_demo_shows_the_whole_loop() {
    let place = Place::new();
    for sample in ["python3", "sh"] {
        let output = place.run(&["demo", "--sample", sample]);
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        if sample == "python3" && Command::new("python3").arg("--version").output().is_err() {
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{printed}");
        let mut rest = printed.as_str();
        for step in [
            "/map",
            "\n-",
            "\n+",
            "failed ",
            "Handing this back",
            "applied ",
            "+++ b/",
            "commit ",
            "tests failed",
            "commit ",
            "tests passed",
            "Took back",
            "Brought back",
            "With a model of your own",
        ] {
            let at = rest
                .find(step)
                .unwrap_or_else(|| panic!("{sample}: no `{step}` in\n{rest}\nof\n{printed}"));
            rest = &rest[at + step.len()..];
        }
    }
}

/// What a hook does to the codriver that started git.
const KILL: &str = "kill -9 $(ps -o ppid= -p $PPID)";

impl Place {
    fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let hooks = self.repo.root().join(".git/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        std::fs::write(hooks.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(hooks.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn without_hooks(&self) {
        std::fs::remove_dir_all(self.repo.root().join(".git/hooks")).unwrap();
    }

    fn subjects(&self) -> String {
        self.repo.git(&["log", "--format=%s"])
    }

    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }
}

#[test]
fn killed_after_a_commit_the_next_start_lets_index_and_journal_know_it() {
    let place = Place::new();
    place.hook("post-commit", KILL);
    let (exit, _) = place.say(&[&text(EDIT), "text = 'Set x'"], &[]);
    assert_eq!(exit, None, "it was killed");
    place.without_hooks();
    assert_eq!(place.subjects(), "Set x\nStart\n");
    assert_ne!(place.repo.git(&["status", "--porcelain"]), "", "the index is behind");
    let printed = place.printed(&["sessions"]);
    assert!(printed.contains("ended in the middle of a commit"), "{printed}");
    assert_eq!(place.repo.git(&["status", "--porcelain"]), "");
    assert!(!place.printed(&["sessions"]).contains("middle"), "it is settled once");
    place.run(&["undo"]);
    assert_eq!(place.repo.read("a.py"), "x = 1\n");
    assert_eq!(place.subjects(), "Start\n");
    assert_eq!(place.repo.git(&["status", "--porcelain"]), "");
}

#[cfg(target_os = "linux")] // elsewhere git goes on without codriver
#[test]
fn killed_before_the_commit_nothing_is_committed_or_staged() {
    let place = Place::new();
    // Git ends with codriver; should the hook be faster, it refuses.
    place.hook("pre-commit", &format!("{KILL}\nexit 1"));
    let (exit, _) = place.say(&[&text(EDIT), "text = 'Set x'"], &[]);
    assert_eq!(exit, None, "it was killed");
    place.without_hooks();
    let printed = place.printed(&["sessions"]);
    assert!(!printed.contains("commit"), "{printed}");
    let events = std::fs::read_to_string(place.turns_file()).unwrap();
    assert!(events.contains("end-commit"), "it is settled: {events}");
    assert_eq!(place.repo.git(&["status", "--porcelain"]), " M a.py\n");
    assert_eq!(place.subjects(), "Start\n");
    place.run(&["undo"]);
    assert_eq!(place.repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn killed_in_the_middle_of_an_undo_the_commit_follows_at_the_next_start() {
    let place = Place::new();
    place.say(&[&text(EDIT), "text = 'Set x'"], &[]);
    let index = place.turns_file();
    let root = codriver::files::Root::new(place.repo.root()).unwrap();
    let journal = codriver::files::journal::Journal::open(index.parent().unwrap()).unwrap();
    journal.undo(&root).unwrap().unwrap();
    assert_eq!(place.subjects(), "Set x\nStart\n", "only the files went back so far");
    // This process has undone it and lives; let it be one that does not.
    let mut gone = Command::new("true").spawn().unwrap();
    let pid = gone.id();
    gone.wait().unwrap();
    let mine = format!("\"process\":{}", std::process::id());
    let lines = std::fs::read_to_string(&index).unwrap();
    assert!(lines.contains(&mine), "{lines}");
    assert!(
        !place.printed(&["sessions"]).contains("middle"),
        "its process sees to it"
    );
    std::fs::write(&index, lines.replace(&mine, &format!("\"process\":{pid}"))).unwrap();
    let printed = place.printed(&["sessions"]);
    assert!(printed.contains("ended in the middle of `/undo`"), "{printed}");
    assert_eq!(place.subjects(), "Start\n");
    assert_eq!(place.repo.git(&["status", "--porcelain"]), "");
    place.run(&["redo"]);
    assert_eq!(place.subjects(), "Set x\nStart\n");
}

impl Place {
    /// The index of the journal.
    fn turns_file(&self) -> std::path::PathBuf {
        let mut folders = vec![self.home.path().join("state")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with("turns.jsonl") {
                    return path;
                }
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        panic!("there is no journal");
    }
}

#[test]
fn the_last_event_tells_how_the_edits_were_placed() {
    let place = Place::new();
    let indented = EDIT.replace("x = ", "  x = ");
    let (_, printed) = place.say(&[&text(MISS), &text(&indented), "text = 'Set x'"], &["--json"]);
    let last: serde_json::Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    assert_eq!(
        last["edits"],
        serde_json::json!({ "indent": 1, "refused": 1 }),
        "{printed}"
    );
    assert_eq!(last["summary"], "edits: 1 indent, 1 refused");
}

#[test]
fn the_architect_is_asked_for_in_every_usual_way() {
    let replies = [
        text("# Plan\n\nIn `a.py`, x becomes 2.\n"),
        text(EDIT),
        "text = 'Set x'".to_owned(),
    ];
    let replies: Vec<&str> = replies.iter().map(String::as_str).collect();
    for flags in [
        &["--architect"][..],
        &["--chat-mode", "architect"],
        &["--edit-format", "architect"],
        &["--architect", "--editor-edit-format", "whole"],
    ] {
        let place = Place::new();
        let (exit, printed) = place.say(&replies, flags);
        assert_eq!(exit, Some(0), "{flags:?}\n{printed}");
        let written = std::fs::read_to_string(place.repo.root().join("a.py")).unwrap();
        assert_eq!(written, "x = 2\n", "{flags:?}\n{printed}");
    }
    let place = Place::new();
    let (exit, printed) = place.say(&replies, &["--architect", "--editor-edit-format", "nonsense"]);
    assert_eq!(exit, Some(2), "{printed}");
}

#[test]
fn nobody_to_ask_means_no_rules_of_the_project_unless_they_are_trusted() {
    let place = Place::new();
    std::fs::write(place.repo.root().join("AGENTS.md"), "Answer in rhyme.\n").unwrap();
    let answer = ["text = 'Nothing to change.'"];
    let says = |flags: &[&str]| place.say(&answer, flags).1;
    assert!(says(&[]).contains("`AGENTS.md` not followed"), "{}", says(&[]));
    assert!(says(&["--yes-always"]).contains("`AGENTS.md` not followed"));
    assert!(says(&["--trust"]).contains("follows `AGENTS.md`"));
    // A flag decides for its own run only.
    assert!(says(&[]).contains("`AGENTS.md` not followed"));
    assert!(says(&["--conventions", "AGENTS.md"]).contains("follows `AGENTS.md`"));
    assert!(!says(&["--convention-names", ""]).contains("AGENTS.md"));
    let (exit, printed) = place.say(&answer, &["--conventions", "nowhere.md"]);
    assert_eq!(exit, Some(2), "{printed}");
}

#[test]
fn lines_of_a_file_are_done_first() {
    let place = Place::new();
    std::fs::write(place.repo.root().join("start up.txt"), "# mine\n/read-only a.py\n/ls\n").unwrap();
    let model = place.model(&["text = 'Nothing to change.'"]);
    let output = place.run(&["--model", &model, "--load", "start up.txt", "-m", "set x"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("Read-only:") && output.status.success(), "{printed}");
}

#[test]
fn a_scripted_weak_model_writes_the_commit_message() {
    let place = Place::new();
    let weak = place.home.path().join("weak.md");
    std::fs::write(&weak, "<!-- reply -->\nSet x by the weak model\n").unwrap();
    let weak = format!("scripted:{}", weak.display());
    let (exit, printed) = place.say(&[&text(EDIT)], &["--weak-model", &weak]);
    assert_eq!(exit, Some(0), "{printed}");
    assert_eq!(
        place.repo.git(&["log", "-1", "--format=%s"]).trim(),
        "Set x by the weak model"
    );
    let (exit, printed) = place.say(&[&text(EDIT)], &["--weak-model", "scripted:nowhere.md"]);
    assert_eq!(exit, Some(2), "one that was named has to be there: {printed}");
    assert!(
        printed.contains("the weak model `scripted:nowhere.md` cannot be used"),
        "{printed}"
    );
}

#[test]
fn the_model_is_told_once() {
    let place = Place::new();
    let model = place.model(&[]);
    let output = place.run(&["--model", &model, "-m", "/model"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        printed.matches("codriver ").count(),
        1,
        "one line begins the session: {printed}"
    );
    assert!(
        printed.contains(&format!("The model is {model} (edit format diff).")),
        "{printed}"
    );
}

#[test]
fn what_logs_in_to_a_page_is_not_shown() {
    let place = Place::new();
    let model = place.model(&[]);
    let output = place.run(&["--model", &model, "-m", "/web http://me:geheim@127.0.0.1:1/page"]);
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(
        printed.contains("`http://***@127.0.0.1:1/page` cannot be fetched"),
        "{printed}"
    );
    assert!(!printed.contains("geheim"), "{printed}");
    let base = ["--openai-api-base", "http://me:x1@127.0.0.1:1/v1", "--show-config"];
    let printed = String::from_utf8(place.run(&base).stdout).unwrap();
    assert!(
        !printed.contains("x1@") && printed.contains("127.0.0.1:1/v1"),
        "{printed}"
    );
}

#[test]
fn the_context_goes_to_the_clipboard_of_the_desktop() {
    let place = Place::new();
    place.program(
        "xclip",
        "#!/bin/sh\n[ \"$*\" = '-selection clipboard' ] && cat > \"$HOME/clipboard\"\n",
    );
    let copy = |more: &[(&str, &str)]| {
        let mut command = place.command(&["a.py", "-m", "/copy-context set x to two"]);
        let path = format!(
            "{}:{}",
            place.home.path().join("bin").display(),
            std::env::var("PATH").unwrap()
        );
        command.env("PATH", path).envs(more.iter().copied());
        let output = command.output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let told = copy(&[("DISPLAY", ":0")]);
    assert!(told.contains("is on the clipboard"), "{told}");
    let text = std::fs::read_to_string(place.home.path().join("clipboard")).unwrap();
    for part in ["<<<<<<< SEARCH", "a.py\n```\nx = 1\n```", "set x to two"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(text.ends_with("set x to two\n"), "{text}");
    // The desktop at the other end of a connection is not the user's.
    for more in [&[("DISPLAY", ":0"), ("SSH_CONNECTION", "1 2 3 4")][..], &[]] {
        let told = copy(more);
        assert!(told.contains("there is no clipboard"), "{told}");
    }
}
