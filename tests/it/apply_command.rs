//! `codriver apply` through the real binary, and `undo` after it: which files it touches, and whose.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;

use codriver::files::Root;
use codriver::files::journal::Journal;
use codriver::store::state_dir::Dirs;

/// Projects beside each other, with one state folder for all of them.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn variable(&self, name: &str) -> Option<String> {
        let folder = match name {
            "CODRIVER_STATE_DIR" => "state",
            "CODRIVER_CACHE_DIR" => "cache",
            "CODRIVER_CONFIG_DIR" => "config",
            "HOME" => "home",
            _ => return None,
        };
        Some(self.path(folder).to_str().unwrap().to_owned())
    }

    fn journal_dir(&self, project: &str) -> PathBuf {
        Dirs::for_root(&self.path(project), &|name| self.variable(name)).journal()
    }

    fn run(&self, cwd: &str, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codriver"));
        command
            .args(arguments)
            .current_dir(self.path(cwd))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for name in [
            "CODRIVER_STATE_DIR",
            "CODRIVER_CACHE_DIR",
            "CODRIVER_CONFIG_DIR",
            "HOME",
        ] {
            command.env(name, self.variable(name).unwrap());
        }
        let mut child = command.spawn().unwrap();
        // A process that ends early does not read it.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    #[track_caller]
    fn expect(&self, code: i32, cwd: &str, arguments: &[&str], input: impl AsRef<[u8]>) -> String {
        let output = self.run(cwd, arguments, input.as_ref());
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(output.status.code(), Some(code), "{text}");
        text
    }

    /// A write to the project that a crash interrupted after `path` had its new text: as it is found afterwards.
    fn interrupt(&self, project: &str, path: &str, before: &str, after: &str) {
        let reply = edit(path, before, after);
        self.expect(0, project, &["apply", "--root", ".", "-"], reply);
        let journal = self.journal_dir(project);
        let entries = fs::read_dir(&journal).unwrap().map(|entry| entry.unwrap().path());
        let entry = entries.filter(|path| path.extension().is_some_and(|end| end == "entry"));
        fs::rename(entry.last().unwrap(), journal.join("pending")).unwrap();
        let index = fs::read_to_string(journal.join("turns.jsonl")).unwrap();
        let (kept, _) = index.trim_end().rsplit_once('\n').unwrap();
        fs::write(journal.join("turns.jsonl"), format!("{kept}\n")).unwrap();
    }
}

fn edit(path: &str, before: &str, after: &str) -> String {
    format!("{path}\n```\n<<<<<<< SEARCH\n{before}=======\n{after}>>>>>>> REPLACE\n```\n")
}

fn patch(operations: &str) -> String {
    format!("*** Begin Patch\n{operations}*** End Patch\n")
}

#[test]
fn undo_finds_what_apply_wrote_however_the_root_was_spelled() {
    let world = World::new();
    symlink("a", world.path("link")).unwrap();
    for (cwd, root) in [("a", "."), ("a", "../a"), (".", "a"), (".", "link")] {
        world.put("a/x.txt", "1\n");
        world.expect(0, cwd, &["apply", "--root", root, "-"], edit("x.txt", "1\n", "2\n"));
        assert_eq!(world.get("a/x.txt"), "2\n");
        world.expect(0, "a", &["undo"], "");
        assert_eq!(world.get("a/x.txt"), "1\n", "{root} from {cwd}");
    }
}

#[test]
fn undo_in_a_git_repository_finds_what_apply_wrote_at_its_top() {
    let world = World::new();
    world.put("a/x.txt", "1\n");
    let made = Command::new("git")
        .args(["init", "-q"])
        .current_dir(world.path("a"))
        .status();
    assert!(made.unwrap().success());
    world.expect(0, "a", &["apply", "--root", ".", "-"], edit("x.txt", "1\n", "2\n"));
    world.expect(0, "a", &["undo"], "");
    assert_eq!(world.get("a/x.txt"), "1\n");
}

#[test]
fn undo_at_the_top_takes_back_what_apply_wrote_in_a_folder_of_the_repository() {
    let world = World::new();
    for name in ["a/sub/x.txt", "a/x.txt", "a/sub/old.sh", "a/sub/kept.txt"] {
        world.put(name, "1\n");
    }
    fs::set_permissions(world.path("a/sub/old.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let made = Command::new("git")
        .args(["init", "-q"])
        .current_dir(world.path("a"))
        .status();
    assert!(made.unwrap().success());
    let reply = patch("*** Update File: x.txt\n@@\n-1\n+2\n*** Update File: old.sh\n*** Move to: new.sh\n@@\n-1\n+2\n");
    for (cwd, root, undo) in [("a", "sub", "a"), ("a/sub", ".", "a"), ("a", "sub", "a/sub")] {
        world.expect(0, cwd, &["apply", "--root", root, "-"], &reply);
        assert_eq!(world.get("a/sub/x.txt"), "2\n");
        assert_eq!(
            world.get("a/x.txt"),
            "1\n",
            "the file of that name at the top is another"
        );
        let mode = fs::metadata(world.path("a/sub/new.sh")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        let said = world.expect(0, undo, &["undo"], "");
        assert!(said.contains("sub/x.txt"), "{said}");
        assert_eq!(
            (world.get("a/sub/x.txt"), world.get("a/sub/old.sh")),
            ("1\n".into(), "1\n".into())
        );
        assert!(!world.path("a/sub/new.sh").exists());
    }
    // The folder is the fence all the same, and what cannot be written is told by its name in it.
    world.expect(1, "a", &["apply", "--root", "sub", "-"], edit("../x.txt", "1\n", "2\n"));
    assert_eq!(world.get("a/x.txt"), "1\n");
    symlink("../x.txt", world.path("a/sub/link.txt")).unwrap();
    world.expect(1, "a", &["apply", "--root", "sub", "-"], edit("link.txt", "1\n", "2\n"));
    assert_eq!(world.get("a/x.txt"), "1\n");
    fs::set_permissions(world.path("a/sub/kept.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    let reply = edit("x.txt", "1\n", "2\n") + &edit("kept.txt", "1\n", "2\n");
    let said = world.expect(1, "a", &["apply", "--root", "sub", "--partial", "-"], reply);
    assert!(said.contains("`kept.txt`"), "{said}");
    assert_eq!(
        (world.get("a/sub/x.txt"), world.get("a/sub/kept.txt")),
        ("2\n".into(), "1\n".into())
    );
}

#[test]
fn projects_that_are_both_the_current_folder_do_not_share_turns() {
    let world = World::new();
    for project in ["a", "b"] {
        world.put(&format!("{project}/x.txt"), "1\n");
    }
    world.expect(0, "a", &["apply", "--root", ".", "-"], edit("x.txt", "1\n", "2\n"));
    world.put("b/x.txt", "2\n");
    let said = world.expect(1, "b", &["undo"], "");
    assert!(said.contains("no turn"), "{said}");
    assert_eq!(world.get("b/x.txt"), "2\n");
}

#[test]
fn an_interrupted_write_of_one_project_is_not_rolled_back_in_another() {
    let world = World::new();
    for project in ["a", "b"] {
        world.put(&format!("{project}/x.txt"), "1\n");
    }
    world.interrupt("a", "x.txt", "1\n", "2\n");
    world.put("b/x.txt", "2\n");
    world.expect(0, "b", &["apply", "--root", ".", "-"], edit("new.txt", "", "3\n"));
    assert_eq!(world.get("b/x.txt"), "2\n");
    assert_eq!(world.get("a/x.txt"), "2\n");
}

#[test]
fn apply_plans_on_files_that_were_put_back() {
    let world = World::new();
    world.put("a/x.txt", "1\n");
    world.interrupt("a", "x.txt", "1\n", "2\n");
    // This reply fits only the text as it was before.
    let reply = edit("x.txt", "1\n", "3\n");
    let said = world.expect(1, "a", &["apply", "--dry-run", "-"], &reply);
    assert!(said.contains("interrupted"), "{said}");
    assert_eq!(world.get("a/x.txt"), "2\n", "a dry run writes nothing");
    let said = world.expect(0, "a", &["apply", "-"], &reply);
    assert!(said.contains("put back as before it: `x.txt`"), "{said}");
    assert_eq!(world.get("a/x.txt"), "3\n");
}

#[test]
fn a_folder_that_is_put_at_the_same_path_later_keeps_its_files() {
    let world = World::new();
    world.put("a/x.txt", "1\n");
    world.expect(0, "a", &["apply", "-"], edit("x.txt", "1\n", "2\n"));
    fs::rename(world.path("a"), world.path("old")).unwrap();
    world.put("a/x.txt", "2\n");
    let said = world.expect(2, "a", &["undo"], "");
    assert!(said.contains("another folder that was at"), "{said}");
    assert_eq!(world.get("a/x.txt"), "2\n");
    // What is done in the new one can be undone, and then it is said again.
    world.expect(0, "a", &["apply", "-"], edit("x.txt", "2\n", "3\n"));
    world.expect(0, "a", &["undo"], "");
    assert_eq!(world.get("a/x.txt"), "2\n");
    world.expect(2, "a", &["undo"], "");
    assert_eq!(world.get("a/x.txt"), "2\n");
}

#[test]
fn a_file_is_not_deleted_or_moved_by_the_name_of_a_link_to_it() {
    for operations in [
        "*** Delete File: link.txt\n",
        "*** Update File: link.txt\n*** Move to: moved.txt\n@@\n-1\n+2\n",
    ] {
        let world = World::new();
        world.put("a/real.txt", "1\n");
        world.put("a/other.txt", "1\n");
        symlink("real.txt", world.path("a/link.txt")).unwrap();
        let reply = patch(&format!("*** Update File: other.txt\n@@\n-1\n+2\n{operations}"));
        let said = world.expect(1, "a", &["apply", "--format", "patch", "-"], reply);
        assert!(said.contains("`link.txt` is a link to `real.txt`"), "{said}");
        assert_eq!(world.get("a/link.txt"), "1\n");
        assert_eq!(world.get("a/other.txt"), "1\n");
        assert!(world.path("a/link.txt").is_symlink());
        assert!(!world.path("a/moved.txt").exists());
    }
}

#[test]
fn the_part_that_fits_is_written_although_other_files_may_not_be() {
    let world = World::new();
    for name in ["a/1.txt", "a/2.txt", "a/3.txt", "a/4.txt"] {
        world.put(name, "1\n");
    }
    symlink("3.txt", world.path("a/link.txt")).unwrap();
    for name in ["a/1.txt", "a/3.txt"] {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(0o444)).unwrap();
    }
    let reply: String = ["1.txt", "2.txt", "link.txt", "4.txt"]
        .iter()
        .map(|name| edit(name, "1\n", "2\n"))
        .collect();
    world.expect(1, "a", &["apply", "-"], &reply);
    assert_eq!(world.get("a/2.txt"), "1\n", "all or nothing, unless asked");
    let output = world.run("a", &["apply", "--partial", "--json", "-"], reply.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let paths = |key: &str| -> Vec<&str> {
        let edits = json[key].as_array().unwrap();
        edits.iter().map(|edit| edit["path"].as_str().unwrap()).collect()
    };
    assert_eq!(paths("applied"), ["2.txt", "4.txt"]);
    assert_eq!(paths("failed"), ["1.txt", "link.txt"]);
    assert_eq!(json["written"], true);
    let texts: Vec<String> = (1..=4).map(|nth| world.get(&format!("a/{nth}.txt"))).collect();
    assert_eq!(texts, ["1\n", "2\n", "1\n", "2\n"]);
}

#[test]
fn a_reply_that_is_not_utf_8_is_an_error_that_says_where() {
    let world = World::new();
    world.put("a/x.txt", "1\n");
    let mut reply = edit("x.txt", "1\n", "caf").into_bytes();
    let at = reply.windows(3).position(|bytes| bytes == b"caf").unwrap() + 3;
    reply.insert(at, 0xe9);
    world.put("reply.md", &reply);
    for (name, place) in [("../reply.md", "`../reply.md`"), ("-", "standard input")] {
        let said = world.expect(2, "a", &["apply", name], &reply);
        assert!(
            said.contains(&format!("the reply from {place} is not UTF-8 at byte {at}")),
            "{said}"
        );
        assert_eq!(world.get("a/x.txt"), "1\n");
    }
}

#[test]
fn recovery_in_another_folder_is_refused_by_name() {
    let world = World::new();
    world.put("a/x.txt", "1\n");
    world.interrupt("a", "x.txt", "1\n", "2\n");
    world.put("b/x.txt", "2\n");
    let journal = Journal::open(&world.journal_dir("a")).unwrap();
    let error = journal
        .recover(&Root::new(&world.path("b")).unwrap())
        .unwrap_err()
        .to_string();
    for name in ["a", "b"] {
        let path = world.path(name).canonicalize().unwrap();
        assert!(error.contains(&format!("`{}`", path.display())), "{error}");
    }
    assert_eq!(world.get("b/x.txt"), "2\n");
    assert!(Path::new(&world.journal_dir("a")).join("pending").exists());
    journal.recover(&Root::new(&world.path("a")).unwrap()).unwrap();
    assert_eq!(world.get("a/x.txt"), "1\n");
}
