//! Turns written as a whole, undone and redone: the laws, what must be refused, and the end of the process at any
//! instant.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use codriver::files::Encoding;
use codriver::files::Error;
use codriver::files::Root;
use codriver::files::journal::Change;
use codriver::files::journal::Journal;
use codriver::files::journal::TurnId;
use proptest::prelude::*;

/// Path to (content or link target, mode); folders and sockets have no content.
type Snapshot = BTreeMap<String, (Option<Vec<u8>>, u32)>;

fn snapshot(dir: &Path) -> Snapshot {
    fn walk(dir: &Path, top: &Path, found: &mut Snapshot) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
            let metadata = path.symlink_metadata().unwrap();
            let mode = metadata.mode();
            if metadata.is_dir() {
                found.insert(name, (None, mode));
                walk(&path, top, found);
            } else if metadata.is_symlink() {
                let target = path.read_link().unwrap().to_string_lossy().into_owned();
                found.insert(name, (Some(target.into_bytes()), mode));
            } else {
                let content = metadata.is_file().then(|| fs::read(&path).unwrap());
                found.insert(name, (content, mode));
            }
        }
    }
    let mut found = Snapshot::new();
    walk(dir, dir, &mut found);
    found
}

/// `tree` (the project), `journal` and whatever else a test puts beside them.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        // In memory where that is possible: the tests sync a lot.
        let folder = tempfile::tempdir_in("/dev/shm")
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        let project = Self { folder };
        fs::create_dir(project.tree()).unwrap();
        for (path, text) in files {
            project.put(path, text);
        }
        project
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn get(&self, path: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.tree().join(path)).unwrap()).into_owned()
    }

    fn chmod(&self, path: &str, mode: u32) {
        fs::set_permissions(self.tree().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.tree().join(path)).unwrap().mode() & 0o7777
    }

    fn snapshot(&self) -> Snapshot {
        snapshot(&self.tree())
    }

    fn root(&self) -> Root {
        Root::new(&self.tree()).unwrap()
    }

    /// A journal as a process would open it anew.
    fn journal(&self) -> Journal {
        Journal::open(&self.folder.path().join("journal")).unwrap()
    }

    fn write(&self, changes: &[Change]) -> Result<TurnId, Error> {
        let journal = self.journal();
        let turn = journal.begin_turn("do it")?;
        journal.write(&self.root(), turn, changes).map(|()| turn)
    }

    /// The changes are refused, nothing is different after, and nothing is left to recover.
    #[track_caller]
    fn refuses(&self, changes: &[Change]) -> Error {
        let before = snapshot(self.folder.path());
        let error = self.write(changes).expect_err("it is refused");
        let mut after = snapshot(self.folder.path());
        let is_journal = |name: &String| name.starts_with("journal");
        let mut expected = before;
        expected.retain(|name, _| !is_journal(name));
        assert!(!after.contains_key("journal/pending"));
        after.retain(|name, _| !is_journal(name));
        assert_eq!(after, expected);
        assert!(self.journal().turns().unwrap().is_empty());
        error
    }

    #[track_caller]
    fn undo(&self) -> Vec<String> {
        let walked = self.journal().undo(&self.root()).unwrap().expect("there is a turn");
        assert_eq!(walked.changed_since, [""; 0]);
        walked.restored
    }

    #[track_caller]
    fn redo(&self) -> Vec<String> {
        let walked = self
            .journal()
            .redo(&self.root())
            .unwrap()
            .expect("there is an undone turn");
        assert_eq!(walked.changed_since, [""; 0]);
        walked.restored
    }
}

fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
    Change {
        path: path.into(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
        encoding: Encoding::Utf8,
        mode_from: None,
    }
}

fn edit(path: &str, before: &str, after: &str) -> Change {
    change(path, Some(before), Some(after))
}

fn create(path: &str, text: &str) -> Change {
    change(path, None, Some(text))
}

fn delete(path: &str, before: &str) -> Change {
    change(path, Some(before), None)
}

#[test]
fn edit_create_delete_and_move_in_one_turn_and_back() {
    let project = Project::new(&[("a.rs", "a\n"), ("d.rs", "d\n"), ("other", "x\n"), ("run.sh", "echo\n")]);
    project.chmod("run.sh", 0o755);
    project.chmod("a.rs", 0o640);
    let before = project.snapshot();
    project
        .write(&[
            edit("a.rs", "a\n", "A\n"),
            create("b/c/new.rs", "new\n"),
            delete("d.rs", "d\n"),
            delete("run.sh", "echo\n"),
            Change {
                mode_from: Some("run.sh".into()),
                ..create("bin/run.sh", "echo\n")
            },
        ])
        .unwrap();
    let after = project.snapshot();
    assert_eq!(project.get("a.rs"), "A\n");
    assert_eq!((project.mode("a.rs"), project.mode("bin/run.sh")), (0o640, 0o755));
    assert!(!project.tree().join("d.rs").exists());

    assert_eq!(project.undo(), ["a.rs", "b/c/new.rs", "bin/run.sh", "d.rs", "run.sh"]);
    assert_eq!(project.snapshot(), before);
    assert_eq!(project.redo().len(), 5);
    assert_eq!(project.snapshot(), after);
    assert!(project.journal().redo(&project.root()).unwrap().is_none());
    project.undo();
    assert!(project.journal().undo(&project.root()).unwrap().is_none());
    assert_eq!(project.snapshot(), before);
}

#[test]
fn several_turns_walk_back_and_forth_in_order() {
    let project = Project::new(&[("a", "0")]);
    let mut states = vec![project.snapshot()];
    for nth in 0..5 {
        project
            .write(&[
                edit("a", &nth.to_string(), &(nth + 1).to_string()),
                create(&format!("new{nth}"), "x"),
            ])
            .unwrap();
        states.push(project.snapshot());
    }
    for nth in (0..5).rev() {
        project.undo();
        assert_eq!(project.snapshot(), states[nth], "undo to {nth}");
    }
    for (nth, state) in states.iter().enumerate().skip(1) {
        project.redo();
        assert_eq!(project.snapshot(), *state, "redo to {nth}");
    }
}

#[test]
fn a_new_turn_after_an_undo_drops_the_redo_list_and_a_question_does_not() {
    let project = Project::new(&[("a", "0")]);
    project.write(&[edit("a", "0", "1")]).unwrap();
    project.write(&[edit("a", "1", "2")]).unwrap();
    project.undo();
    project.journal().begin_turn("only a question").unwrap();
    project.redo();
    project.undo();
    project.undo();
    project.write(&[create("b", "b")]).unwrap();
    assert!(project.journal().redo(&project.root()).unwrap().is_none());
    project.undo();
    project.redo();
    assert!(project.journal().redo(&project.root()).unwrap().is_none());
    let undone: Vec<bool> = project
        .journal()
        .turns()
        .unwrap()
        .iter()
        .map(|turn| turn.undone)
        .collect();
    assert_eq!(undone, [true, true, false]);
}

#[test]
fn reflections_of_one_turn_are_undone_together() {
    let project = Project::new(&[("a", "0")]);
    let before = project.snapshot();
    let journal = project.journal();
    let root = project.root();
    let turn = journal.begin_turn("fix it\nplease").unwrap();
    journal
        .write(&root, turn, &[edit("a", "0", "1"), create("dir/tmp", "t")])
        .unwrap();
    journal
        .write(&root, turn, &[edit("a", "1", "2"), delete("dir/tmp", "t")])
        .unwrap();
    journal.note_commit(turn, "abc").unwrap();
    assert!(
        !project.tree().join("dir").exists(),
        "the turn made it, so it goes with its last file"
    );
    let turns = project.journal().turns().unwrap();
    assert_eq!(turns.len(), 1);
    assert_eq!(
        (turns[0].label.as_str(), &turns[0].files, &turns[0].commits),
        ("fix it", &vec!["a".to_owned()], &vec!["abc".to_owned()])
    );
    let images = journal.images(turn).unwrap();
    assert_eq!(images[0].before.as_deref(), Some(&b"0"[..]));
    assert_eq!(images[0].after.as_deref(), Some(&b"2"[..]));
    assert_eq!(project.undo(), ["a"]);
    assert_eq!(project.snapshot(), before);
    assert_eq!(journal.images(turn).unwrap(), images, "an undone turn still tells");
    assert!(matches!(journal.images(turn + 1), Err(Error::Journal { .. })));
}

#[test]
fn a_turn_that_ends_where_it_began_is_no_turn() {
    let project = Project::new(&[("a", "0")]);
    project.write(&[edit("a", "0", "1")]).unwrap();
    let journal = project.journal();
    let turn = journal.begin_turn("there and back").unwrap();
    journal.write(&project.root(), turn, &[create("b", "b")]).unwrap();
    journal.write(&project.root(), turn, &[delete("b", "b")]).unwrap();
    assert_eq!(project.journal().turns().unwrap().len(), 1);
    assert_eq!(project.undo(), ["a"]);
}

#[test]
fn undo_leaves_everything_when_one_file_changed_since() {
    let project = Project::new(&[("a", "0"), ("b", "0"), ("gone", "0")]);
    project
        .write(&[
            edit("a", "0", "1"),
            edit("b", "0", "1"),
            create("c", "1"),
            edit("gone", "0", "1"),
        ])
        .unwrap();
    project.put("b", "the user's");
    fs::remove_file(project.tree().join("gone")).unwrap();
    fs::remove_file(project.tree().join("c")).unwrap();
    fs::create_dir(project.tree().join("c")).unwrap();
    let before = project.snapshot();
    let walked = project.journal().undo(&project.root()).unwrap().unwrap();
    assert_eq!(walked.changed_since, ["b", "c", "gone"]);
    assert_eq!(walked.restored, [""; 0]);
    assert!(!walked.turn.undone);
    assert_eq!(project.snapshot(), before);
    project.put("b", "1");
    project.put("gone", "1");
    fs::remove_dir(project.tree().join("c")).unwrap();
    project.put("c", "1");
    assert_eq!(project.undo().len(), 4);
}

#[test]
fn undo_does_not_follow_a_link_that_took_a_file_s_place() {
    let project = Project::new(&[("dir/a", "0")]);
    project.write(&[edit("dir/a", "0", "1")]).unwrap();
    let outside = project.folder.path().join("outside");
    fs::rename(project.tree().join("dir"), &outside).unwrap();
    symlink(&outside, project.tree().join("dir")).unwrap();
    let walked = project.journal().undo(&project.root()).unwrap().unwrap();
    assert_eq!(walked.changed_since, ["dir/a"]);
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "1");
}

#[test]
fn mode_bits_that_the_user_changed_since_stay() {
    let project = Project::new(&[("run.sh", "0")]);
    project.chmod("run.sh", 0o644);
    project.write(&[edit("run.sh", "0", "1")]).unwrap();
    project.chmod("run.sh", 0o755);
    project.undo();
    assert_eq!((project.get("run.sh").as_str(), project.mode("run.sh")), ("0", 0o755));
    project.redo();
    assert_eq!((project.get("run.sh").as_str(), project.mode("run.sh")), ("1", 0o755));
}

#[test]
fn what_a_formatter_did_belongs_to_the_turn() {
    let project = Project::new(&[("a", "0"), ("b", "0"), ("untouched", "0")]);
    let before = project.snapshot();
    let journal = project.journal();
    let root = project.root();
    let turn = journal.begin_turn("format").unwrap();
    journal
        .write(
            &root,
            turn,
            &[edit("a", "0", "1"), create("new", "1"), edit("b", "0", "1")],
        )
        .unwrap();
    assert_eq!(journal.absorb(&root, turn).unwrap(), [""; 0]);
    project.put("a", "1, formatted");
    project.put("untouched", "by somebody else");
    project.chmod("new", 0o755);
    fs::remove_file(project.tree().join("b")).unwrap();
    assert_eq!(journal.absorb(&root, turn).unwrap(), ["a", "b", "new"]);
    assert_eq!(journal.absorb(&root, turn).unwrap(), [""; 0]);
    project.put("untouched", "0");
    let after = project.snapshot();
    assert_eq!(project.undo().len(), 3);
    assert_eq!(project.snapshot(), before);
    project.redo();
    assert_eq!(project.snapshot(), after);
}

#[test]
fn bytes_that_were_not_edited_stay() {
    let project = Project::new(&[]);
    let utf16 = |text: &str| -> Vec<u8> {
        [0xFE, 0xFF]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
            .collect()
    };
    let utf8_bom = |text: &str| ["\u{feff}", text].concat().into_bytes();
    let latin = |text: &str| encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    type Encode<'e> = &'e dyn Fn(&str) -> Vec<u8>;
    let cases: [(&str, Encode, &str, &str); 5] = [
        (
            "crlf",
            &|text| text.into(),
            "a\r\nb\r\nmixed\nend",
            "a\r\nB\r\nmixed\nend",
        ),
        ("utf16", &utf16, "a\r\nb\r\n", "a\r\nB €\r\n"),
        ("bom", &utf8_bom, "a\nb", "a\nB"),
        ("latin", &latin, "café\nb\n", "café\nB\n"),
        (
            "gbk",
            &gbk,
            "// 计算两个数字的总和\nb\n",
            "// 计算两个数字的总和\nB 返回\n",
        ),
    ];
    for (path, encode, before, after) in cases {
        project.put(path, encode(before));
        project.write(&[edit(path, before, after)]).unwrap();
        assert_eq!(fs::read(project.tree().join(path)).unwrap(), encode(after), "{path}");
        project.undo();
        assert_eq!(fs::read(project.tree().join(path)).unwrap(), encode(before), "{path}");
    }
    let new = Change {
        encoding: Encoding::Utf16LeBom,
        ..create("new", "x")
    };
    project.write(&[new]).unwrap();
    assert_eq!(fs::read(project.tree().join("new")).unwrap(), b"\xFF\xFEx\0");
}

#[test]
fn a_character_without_bytes_is_named_and_nothing_is_written() {
    let project = Project::new(&[("a", "0")]);
    project.put("latin", b"caf\xE9\n");
    let error = project.refuses(&[edit("a", "0", "1"), edit("latin", "caf\u{e9}\n", "caf\u{e9} ☃\n")]);
    assert_eq!(
        error.to_string(),
        "`latin` cannot be stored as windows-1252: it has the character `☃`"
    );
}

#[test]
fn nothing_is_written_when_a_file_is_not_what_the_change_was_made_from() {
    let project = Project::new(&[("a", "0"), ("b", "0"), ("folder/x", "0")]);
    project.put("binary", b"\0");
    let good = || edit("a", "0", "1");
    for bad in [
        edit("b", "something else", "1"),
        create("b", "1"),
        delete("missing", "0"),
        edit("missing", "0", "1"),
        edit("binary", "0", "1"),
        delete("folder", "0"),
    ] {
        let path = bad.path.clone();
        let error = project.refuses(&[good(), bad]);
        assert!(
            matches!(&error, Error::Changed { path: named } if *named == path),
            "{error:?}"
        );
    }
}

#[test]
fn nothing_is_written_outside_or_into_git_or_over_special_files() {
    let project = Project::new(&[
        ("a", "0"),
        ("folder/x", "0"),
        (".git/config", "[core]\n"),
        ("read-only", "0"),
    ]);
    let outside = project.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x"), "0").unwrap();
    symlink(&outside, project.tree().join("link")).unwrap();
    symlink(outside.join("new"), project.tree().join("dangling")).unwrap();
    symlink("not-there", project.tree().join("inside-dangling")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(project.tree().join("socket")).unwrap();
    project.chmod("read-only", 0o444);
    let good = || edit("a", "0", "1");
    let absolute = outside.join("x");
    for (bad, said) in [
        (create("../x", "1"), "outside the project"),
        (edit("link/x", "0", "1"), "outside the project"),
        (create("link/new/y", "1"), "outside the project"),
        (create("dangling", "1"), "outside the project"),
        (edit(absolute.to_str().unwrap(), "0", "1"), "outside the project"),
        (edit(".git/config", "[core]\n", "1"), "inside a `.git` folder"),
        (create("sub/.GIT/hooks/pre-commit", "1"), "inside a `.git` folder"),
        (create("folder", "1"), "failed to write `folder`"),
        (create("socket", "1"), "failed to write `socket`"),
        (create("inside-dangling", "1"), "failed to read `inside-dangling`"),
        (edit("read-only", "0", "1"), "failed to write `read-only`"),
        (delete("read-only", "0"), "failed to write `read-only`"),
        (create("folder/x/y", "1"), "failed to write `folder/x/y`"),
        (create(&format!("{}x", "d/".repeat(3_000)), "1"), "failed to read"),
        (create(&"n".repeat(300), "1"), "failed to read"),
        (edit("a", "0", "2"), "failed to write `a`"),
        (edit("./folder/../a", "0", "2"), "failed to write `./folder/../a`"),
        (create("a/b", "1"), "failed to write `a/b`"),
    ] {
        let error = project.refuses(&[good(), create("made/by/it", "1"), bad]).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_link_to_a_file_inside_stays_a_link_and_its_target_is_written() {
    let project = Project::new(&[("real/a", "0")]);
    symlink("real/a", project.tree().join("link")).unwrap();
    symlink("real", project.tree().join("dir")).unwrap();
    let turn = project
        .write(&[edit("link", "0", "1"), create("dir/new", "1")])
        .unwrap();
    assert!(project.tree().join("link").is_symlink());
    assert_eq!(project.get("real/a"), "1");
    assert_eq!(project.get("real/new"), "1");
    let images = project.journal().images(turn).unwrap();
    let names: Vec<&str> = images.iter().map(|image| image.path.as_str()).collect();
    assert_eq!(names, ["real/a", "real/new"]);
    project.undo();
    assert!(project.tree().join("link").is_symlink());
    assert_eq!(project.get("real/a"), "0");
    assert!(!project.tree().join("real/new").exists());
}

#[test]
fn a_file_is_not_removed_by_the_name_of_a_link_to_it() {
    let project = Project::new(&[("real/a", "0")]);
    symlink("real/a", project.tree().join("link")).unwrap();
    symlink("real", project.tree().join("dir")).unwrap();
    let moved = Change {
        mode_from: Some("link".to_owned()),
        ..create("moved", "0")
    };
    for changes in [
        vec![delete("link", "0")],
        vec![delete("./link/.", "0")],
        vec![moved, delete("link", "0")],
    ] {
        let error = project.refuses(&changes);
        assert!(matches!(error, Error::Write { .. }), "{error:?}");
    }
    // A link to its folder is only a way to it.
    project.write(&[delete("dir/a", "0")]).unwrap();
    assert!(!project.tree().join("real/a").exists());
    project.undo();
    assert_eq!(project.get("real/a"), "0");
}

#[test]
fn a_turn_is_neither_undone_nor_brought_back_nor_added_to_in_another_folder() {
    let project = Project::new(&[("a", "0")]);
    let turn = project.write(&[edit("a", "0", "1")]).unwrap();
    let other = project.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let other = Root::new(&other).unwrap();
    let put = |text: &str| fs::write(other.path().join("a"), text).unwrap();
    let refused = |error: Option<Error>| assert!(matches!(error, Some(Error::OtherRoot { .. })), "{error:?}");
    // What stands there is what the turn left, or began with: only the folder tells.
    put("1");
    let journal = project.journal();
    refused(journal.undo(&other).err());
    refused(journal.write(&other, turn, &[edit("a", "1", "2")]).err());
    assert_eq!(fs::read_to_string(other.path().join("a")).unwrap(), "1");
    put("formatted");
    refused(journal.absorb(&other, turn).err());
    project.undo();
    put("0");
    refused(journal.redo(&other).err());
    assert_eq!(fs::read_to_string(other.path().join("a")).unwrap(), "0");
    project.redo();
    assert_eq!(project.get("a"), "1");
    // Renamed, it is still the same folder.
    fs::rename(project.tree(), project.folder.path().join("renamed")).unwrap();
    let renamed = Root::new(&project.folder.path().join("renamed")).unwrap();
    assert_eq!(project.journal().undo(&renamed).unwrap().unwrap().restored, ["a"]);
}

#[test]
fn one_file_under_two_names_is_not_changed_in_two_ways() {
    let project = Project::new(&[("a", "0")]);
    symlink("a", project.tree().join("link")).unwrap();
    fs::hard_link(project.tree().join("a"), project.tree().join("hard")).unwrap();
    for other in ["link", "hard"] {
        let error = project.refuses(&[edit("a", "0", "1"), edit(other, "0", "2")]);
        assert!(matches!(error, Error::Write { .. }), "{error:?}");
    }
}

#[test]
fn hard_links_stay_and_every_name_sees_the_new_text() {
    for after in ["a longer text than before", "s", ""] {
        let project = Project::new(&[("a", "the text")]);
        fs::hard_link(project.tree().join("a"), project.tree().join("b")).unwrap();
        project.chmod("a", 0o4751);
        project.write(&[edit("a", "the text", after)]).unwrap();
        assert_eq!(project.get("b"), after);
        assert_eq!(fs::metadata(project.tree().join("b")).unwrap().nlink(), 2);
        assert_eq!(project.mode("b"), 0o4751);
        project.undo();
        assert_eq!(project.get("b"), "the text");
        assert_eq!(fs::metadata(project.tree().join("b")).unwrap().nlink(), 2);
        project.redo();
        assert_eq!(project.get("b"), after);
    }
}

#[test]
fn folders_go_only_when_the_turn_made_them() {
    let project = Project::new(&[("old/x", "0"), ("keep/y", "0")]);
    project
        .write(&[
            delete("old/x", "0"),
            create("new/deep/z", "1"),
            create("keep/sub/w", "1"),
        ])
        .unwrap();
    assert!(project.tree().join("old").is_dir());
    project.put("keep/sub/of-the-user", "mine");
    project.undo();
    assert!(!project.tree().join("new").exists());
    assert_eq!(project.get("keep/sub/of-the-user"), "mine");
    assert!(!project.tree().join("keep/sub/w").exists());
    project.redo();
    assert_eq!(project.get("new/deep/z"), "1");
    project.undo();
    assert!(!project.tree().join("new").exists());
}

#[test]
fn a_file_becomes_a_folder_and_a_file_again() {
    let project = Project::new(&[("a", "0")]);
    let before = project.snapshot();
    project.write(&[delete("a", "0"), create("a/b/c", "1")]).unwrap();
    assert_eq!(project.get("a/b/c"), "1");
    project.undo();
    assert_eq!(project.snapshot(), before);
    project.redo();
    assert_eq!(project.get("a/b/c"), "1");
    project.put("a/user", "mine");
    let walked = project.journal().undo(&project.root());
    assert!(walked.is_err(), "the folder cannot go: {walked:?}");
    assert_eq!(
        (project.get("a/b/c").as_str(), project.get("a/user").as_str()),
        ("1", "mine")
    );
}

#[test]
fn odd_names_are_only_names() {
    let names = [
        "a\nb\"c",
        "été/計画.md",
        "routes/[lang]/(shop)/view.tsx",
        "  ",
        "-rf",
        "*.md",
        "a\\b",
        "\u{202e}x",
        "'",
    ];
    let project = Project::new(&[]);
    let before = project.snapshot();
    let changes: Vec<Change> = names.iter().map(|name| create(name, name)).collect();
    project.write(&changes).unwrap();
    for name in names {
        assert_eq!(project.get(name), name);
    }
    project.undo();
    assert_eq!(project.snapshot(), before);
}

#[test]
fn names_that_are_not_utf_8_beside_the_files_stay_out_of_the_way() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new(&[("a", "0")]);
    fs::write(project.tree().join(std::ffi::OsStr::from_bytes(b"\xFF\xE9")), "x").unwrap();
    project.write(&[edit("a", "0", "1")]).unwrap();
    project.undo();
    assert_eq!(project.get("a"), "0");
}

#[test]
fn the_journal_and_the_tree_hold_no_litter() {
    let project = Project::new(&[("a", "0")]);
    project.write(&[edit("a", "0", "1")]).unwrap();
    project.write(&[edit("a", "1", "0")]).unwrap();
    project.undo();
    project.undo();
    project.redo();
    project.refuses_late();
    let files = fs::read_dir(project.folder.path().join("journal")).unwrap().count();
    // The index, the lock, and entries with the two images.
    assert!(files <= 7, "{files} files");
    assert_eq!(project.snapshot().len(), 1);
    let mode = fs::metadata(project.folder.path().join("journal")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o700, "others do not read the user's texts");
}

impl Project {
    /// A change that fails only when files are already being moved.
    fn refuses_late(&self) {
        let before = self.snapshot();
        assert!(self.write(&[edit("a", "1", "2"), create("a/b", "1")]).is_err());
        assert_eq!(self.snapshot(), before);
    }
}

#[test]
fn ten_thousand_files_in_one_turn() {
    let project = Project::new(&[]);
    let path = |nth: usize| format!("d{}/e{}/f{nth}", nth % 10, nth % 100);
    let changes: Vec<Change> = (0..10_000).map(|nth| create(&path(nth), &nth.to_string())).collect();
    project.write(&changes).unwrap();
    assert_eq!(project.get(&path(9_999)), "9999");
    assert_eq!(project.undo().len(), 10_000);
    assert!(project.snapshot().is_empty());
}

#[test]
fn a_turn_is_known_after_a_restart_and_to_another_process() {
    let project = Project::new(&[("a", "0")]);
    let first = project.journal();
    let second = project.journal();
    assert_eq!(second.turns().unwrap(), []);
    let turn = first.begin_turn("one").unwrap();
    first.write(&project.root(), turn, &[edit("a", "0", "1")]).unwrap();
    assert_eq!(second.turns().unwrap().len(), 1);
    assert_ne!(second.begin_turn("two").unwrap(), turn);
    assert_eq!(second.undo(&project.root()).unwrap().unwrap().turn.id, turn);
    assert!(first.turns().unwrap()[0].undone);
    let error = first.write(&project.root(), turn, &[edit("a", "0", "2")]).unwrap_err();
    assert!(
        matches!(error, Error::Journal { .. }),
        "an undone turn takes no more changes: {error:?}"
    );
}

#[test]
fn an_index_that_was_cut_tells_what_it_has() {
    let project = Project::new(&[("a", "0")]);
    project.write(&[edit("a", "0", "1")]).unwrap();
    let index = project.folder.path().join("journal/turns.jsonl");
    let whole = fs::read(&index).unwrap();
    project.write(&[edit("a", "1", "2")]).unwrap();
    let longer = fs::read(&index).unwrap();
    for end in whole.len()..longer.len() {
        fs::write(&index, &longer[..end]).unwrap();
        assert_eq!(project.journal().turns().unwrap().len(), 1, "cut at {end}");
    }
    // A line without end, longer than the next one.
    fs::write(&index, [&whole[..], &[b'{'; 10_000]].concat()).unwrap();
    project.put("a", "1");
    project.write(&[edit("a", "1", "3")]).unwrap();
    assert_eq!(
        fs::read(&index).unwrap().iter().filter(|byte| **byte == b'\n').count(),
        4
    );
    assert_eq!(project.journal().turns().unwrap().len(), 2);
    project.undo();
    project.undo();
    assert_eq!(project.get("a"), "0");
}

#[test]
fn a_damaged_image_is_noticed_and_nothing_is_written() {
    let project = Project::new(&[("a", "before")]);
    project.write(&[edit("a", "before", "after")]).unwrap();
    for entry in fs::read_dir(project.folder.path().join("journal")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "entry") {
            let text = fs::read(&path).unwrap();
            let damaged: Vec<u8> = text
                .iter()
                .map(|byte| if *byte == b'b' { b'B' } else { *byte })
                .collect();
            fs::write(&path, damaged).unwrap();
        }
    }
    let error = project.journal().undo(&project.root()).unwrap_err();
    assert!(matches!(error, Error::Journal { .. }), "{error:?}");
    assert_eq!(project.get("a"), "after");
}

// ---- Permissions, limits, other processes --------------------------------------------------------------------------

const CHILD: &str = "CODRIVER_TEST_CHILD";

/// This test program again, running the test of that name only, with [`CHILD`] set to `role`.
fn child(test: &str, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, role);
    command
}

fn child_role() -> Option<String> {
    std::env::var(CHILD).ok()
}

/// Runs `body` as a user whom permissions bind: in a child process of the test when it runs as root.
pub(crate) fn as_nobody(test: &str, body: impl FnOnce()) {
    if child_role().is_some() || !rustix::process::geteuid().is_root() {
        return body();
    }
    // The program itself may lie where nobody may go.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "nobody")
        .current_dir("/")
        .uid(65_534)
        .gid(65_534)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn a_read_only_tree_is_a_clear_error_and_stays_as_it_is() {
    as_nobody("journal::a_read_only_tree_is_a_clear_error_and_stays_as_it_is", || {
        let project = Project::new(&[("a", "0"), ("locked/b", "0")]);
        project.chmod("locked", 0o555);
        for bad in [
            create("locked/new", "1"),
            create("locked/deep/new", "1"),
            delete("locked/b", "0"),
        ] {
            let error = project.refuses(&[edit("a", "0", "1"), bad]);
            assert!(
                matches!(&error, Error::Write { path, .. } if path.starts_with("locked/")),
                "{error:?}"
            );
            let source = std::error::Error::source(&error).unwrap().to_string();
            assert!(source.contains("Permission denied"), "{source}");
        }
        // The file itself may be written, so it is, in place.
        project.write(&[edit("locked/b", "0", "1")]).unwrap();
        project.undo();
        assert_eq!(project.get("locked/b"), "0");
        project.chmod("locked", 0o755);
    });
}

#[test]
fn a_full_disk_changes_nothing() {
    const TEST: &str = "journal::a_full_disk_changes_nothing";
    if child_role().is_none() {
        // A limit on the size of files is as good as a full disk: the write breaks off in the middle.
        let child = child(TEST, "limited");
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
            .arg(child.get_program())
            .args(child.get_args())
            .env(CHILD, "limited")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        return assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
    let project = Project::new(&[("a", "0"), ("linked", "0")]);
    fs::hard_link(project.tree().join("linked"), project.tree().join("other-name")).unwrap();
    let large = "x".repeat(200 * 1024);
    for changes in [
        vec![edit("a", "0", "1"), create("new/large", &large)],
        vec![edit("a", "0", &large)],
        vec![edit("a", "0", "1"), edit("linked", "0", &large)],
    ] {
        let error = project.refuses(&changes);
        assert!(
            matches!(error, Error::Journal { .. } | Error::Write { .. }),
            "{error:?}"
        );
    }
    project.write(&[edit("a", "0", "1")]).unwrap();
}

/// Adds one to a number in a file, many times; two processes at once.
#[test]
fn transactions_of_two_processes_do_not_mix() {
    const TEST: &str = "journal::transactions_of_two_processes_do_not_mix";
    const TIMES: usize = 40;
    if let Some(folder) = child_role() {
        let folder = Path::new(&folder);
        let root = Root::new(&folder.join("tree")).unwrap();
        let journal = Journal::open(&folder.join("journal")).unwrap();
        let mut n_done = 0;
        while n_done < TIMES {
            let read = |name: &str| fs::read_to_string(root.path().join(name)).unwrap();
            let (before, other) = (read("count"), read("twin"));
            let after = (before.parse::<usize>().unwrap() + 1).to_string();
            let turn = journal.begin_turn("count").unwrap();
            match journal.write(
                &root,
                turn,
                &[edit("count", &before, &after), edit("twin", &other, &after)],
            ) {
                Ok(()) => n_done += 1,
                Err(Error::Changed { .. }) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        return;
    }
    let project = Project::new(&[("count", "0"), ("twin", "0")]);
    let folder = project.folder.path().to_str().unwrap();
    let children: Vec<_> = (0..2)
        .map(|_| child(TEST, folder).stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(
        (project.get("count"), project.get("twin")),
        ((2 * TIMES).to_string(), (2 * TIMES).to_string())
    );
    assert_eq!(project.journal().turns().unwrap().len(), 2 * TIMES);
}

// ---- The end of the process at any instant -------------------------------------------------------------------------

/// The text of generation `n`: long, so that writing it takes a while, and of changing length.
fn generation(n: usize) -> String {
    format!("{n}\n{}", format!("line of {n}\n").repeat(500 + 300 * (n % 7)))
}

/// What brings generation `n` to `n + 1`: edits, one of them of a hard-linked file, a file that comes and goes.
fn next_generation(n: usize) -> Vec<Change> {
    let (before, after) = (generation(n), generation(n + 1));
    let mut changes: Vec<Change> = ["a", "b/c", "linked", "d/e/f"]
        .iter()
        .map(|path| edit(path, &before, &after))
        .collect();
    changes.push(if n.is_multiple_of(2) {
        create("comes/and/goes", &after)
    } else {
        delete("comes/and/goes", &before)
    });
    changes
}

/// All files are of one generation, which is returned; nothing else is there.
fn check_generation(tree: &Path, when: &str) -> usize {
    let files = snapshot(tree);
    let text = |path: &str| {
        let content = files.get(path).and_then(|(content, _)| content.clone());
        content.map(|content| String::from_utf8(content).unwrap())
    };
    let first = text("a").unwrap_or_else(|| panic!("{when}: `a` is gone"));
    let n: usize = first.lines().next().unwrap().parse().unwrap();
    let mut names: Vec<&str> = vec!["a", "b", "b/c", "d", "d/e", "d/e/f", "linked", "other-name"];
    if n % 2 == 1 {
        names.extend(["comes/and/goes", "comes/and", "comes"]);
    }
    names.sort_unstable();
    for name in names.iter().filter(|name| files[**name].0.is_some()) {
        assert!(
            text(name).unwrap() == generation(n),
            "{when}: `{name}` is not of generation {n}"
        );
    }
    // A folder that the first turn to use it made is gone or still there when it is empty; litter is neither.
    let found: Vec<&str> = files
        .keys()
        .map(String::as_str)
        .filter(|name| !name.starts_with("comes"))
        .collect();
    names.retain(|name| !name.starts_with("comes"));
    assert_eq!(found, names, "{when}");
    assert_eq!(files.contains_key("comes/and/goes"), n % 2 == 1, "{when}");
    n
}

#[test]
fn killed_at_any_instant_it_is_entirely_before_or_entirely_after() {
    const TEST: &str = "journal::killed_at_any_instant_it_is_entirely_before_or_entirely_after";
    if let Some(folder) = child_role() {
        return write_until_killed(Path::new(&folder));
    }
    let seed: u64 = std::env::var("SEED").map_or(7, |seed| seed.parse().unwrap());
    println!("SEED={seed}");
    let zero = generation(0);
    let project = Project::new(&[("a", &zero), ("b/c", &zero), ("linked", &zero), ("d/e/f", &zero)]);
    fs::hard_link(project.tree().join("linked"), project.tree().join("other-name")).unwrap();
    let folder = project.folder.path().to_str().unwrap();
    let mut random = seed;
    let mut n_interrupted = 0;
    let mut last = 0;
    for round in 0..60 {
        let ready = project.folder.path().join("ready");
        let mut child = child(TEST, folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !ready.exists() {
            assert!(child.try_wait().unwrap().is_none(), "the child ended by itself");
            std::thread::yield_now();
        }
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let until = Instant::now() + Duration::from_micros((random >> 33) % 12_000);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        fs::remove_file(ready).unwrap();
        n_interrupted += usize::from(project.folder.path().join("journal/pending").exists());
        project.journal().recover(&project.root()).unwrap();
        let n = check_generation(&project.tree(), &format!("SEED={seed}, round {round}"));
        assert!(n + 1 >= last, "round {round}: what had happened before is lost");
        last = n;
        check_journal_agrees(&project, round);
    }
    assert!(n_interrupted > 5, "only {n_interrupted} of the kills hit a transaction");
}

/// Goes on from whatever generation is there, now and then back and forth again.
fn write_until_killed(folder: &Path) {
    let root = Root::new(&folder.join("tree")).unwrap();
    let journal = Journal::open(&folder.join("journal")).unwrap();
    let mut n = check_generation(root.path(), "at the start");
    fs::write(folder.join("ready"), "").unwrap();
    loop {
        let turn = journal.begin_turn("next").unwrap();
        journal.write(&root, turn, &next_generation(n)).unwrap();
        n += 1;
        if n.is_multiple_of(3) {
            assert!(journal.undo(&root).unwrap().unwrap().changed_since.is_empty());
            assert!(journal.redo(&root).unwrap().unwrap().changed_since.is_empty());
        }
    }
}

/// The newest turn that is not undone left what is there.
fn check_journal_agrees(project: &Project, round: usize) {
    let journal = project.journal();
    let turns = journal.turns().unwrap();
    let Some(newest) = turns.iter().rev().find(|turn| !turn.undone) else {
        return;
    };
    for image in journal.images(newest.id).unwrap() {
        let now = fs::read(project.tree().join(&image.path)).ok();
        assert!(
            now == image.after,
            "round {round}: `{}` is not what turn {} left",
            image.path,
            newest.id
        );
    }
}

// ---- Laws ----------------------------------------------------------------------------------------------------------

#[derive(Debug, Clone)]
struct Plan {
    /// Text, encoding, mode, and what becomes of it: None stays, Some(None) goes.
    files: Vec<(String, u8, u32, Option<Option<String>>)>,
    created: Vec<(u8, String)>,
    bad: u8,
}

fn plan() -> impl Strategy<Value = Plan> {
    let text = "[a-zé\r\n\t]{0,40}";
    let mode = prop::sample::select(vec![0o644_u32, 0o755, 0o600, 0o4755, 0o664]);
    let file = (text, 0_u8..4, mode, prop::option::of(prop::option::of(text)));
    let created = (0_u8..30, text);
    (
        prop::collection::vec(file, 0..6),
        prop::collection::vec(created, 0..4),
        0_u8..8,
    )
        .prop_map(|(files, created, bad)| Plan { files, created, bad })
}

impl Plan {
    /// The tree before, and the changes.
    fn lay_out(&self) -> (Project, Vec<Change>) {
        let project = Project::new(&[]);
        let mut changes = Vec::new();
        for (nth, (text, encoding, mode, fate)) in self.files.iter().enumerate() {
            let path = format!("d{}/f{nth}", nth % 3);
            let encoding = [
                Encoding::Utf8,
                Encoding::Utf8Bom,
                Encoding::Utf16LeBom,
                Encoding::Legacy(encoding_rs::WINDOWS_1252),
            ][usize::from(*encoding)];
            let bytes = encoding.encode(text).unwrap();
            let Some(read) = codriver::files::encoding::decode(&bytes) else {
                continue;
            };
            project.put(&path, &bytes);
            project.chmod(&path, *mode);
            if let Some(after) = fate
                && read.encoding.encode(after.as_deref().unwrap_or_default()).is_ok()
            {
                changes.push(change(&path, Some(&read.text), after.as_deref()));
            }
        }
        for (place, text) in &self.created {
            let path = format!("d{}/n{}/new{place}", place % 4, place % 5);
            if !changes.iter().any(|change| change.path == path) {
                changes.push(create(&path, text));
            }
        }
        (project, changes)
    }
}

/// How a file is stored that may have been there before.
fn stored(before: &Snapshot, path: &str) -> Encoding {
    let bytes = before.get(path).and_then(|(content, _)| content.as_deref());
    bytes
        .and_then(codriver::files::encoding::decode)
        .map_or(Encoding::Utf8, |file| file.encoding)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn undo_takes_a_write_back_and_redo_brings_it_back(plan in plan()) {
        let (project, changes) = plan.lay_out();
        let outside = snapshot(project.folder.path());
        let before = project.snapshot();
        project.write(&changes).unwrap();
        let after = project.snapshot();
        for change in &changes {
            let now = project.root().read(&change.path).unwrap();
            // As bytes: a short text in a legacy encoding may be guessed to be in another one when it is read again.
            let bytes = match now {
                codriver::files::Found::Text(file) => Some(file.encoding.encode(&file.text).unwrap()),
                _ => None,
            };
            let wanted = change.after.as_ref().map(|text| stored(&before, &change.path).encode(text).unwrap());
            prop_assert_eq!(&bytes, &wanted);
        }
        if project.journal().turns().unwrap().is_empty() {
            prop_assert_eq!(after, before);
            return Ok(());
        }
        project.undo();
        prop_assert_eq!(&project.snapshot(), &before);
        project.redo();
        prop_assert_eq!(&project.snapshot(), &after);
        project.undo();
        let mut now = snapshot(project.folder.path());
        now.retain(|name, _| !name.starts_with("journal"));
        prop_assert_eq!(now, outside);
    }

    #[test]
    fn what_is_refused_changes_nothing(plan in plan(), at in 0_usize..10) {
        let (project, mut changes) = plan.lay_out();
        project.put("a", "0");
        let bad = match plan.bad {
            0 => create("../x", "1"),
            1 => create("a", "1"),
            2 => edit("a", "other", "1"),
            3 => create(".git/x", "1"),
            4 => delete("missing/x", "0"),
            5 => create("a/x", "1"),
            6 => create("/x", "1"),
            _ => create(&"n".repeat(300), "1"),
        };
        changes.insert(at.min(changes.len()), bad);
        project.refuses(&changes);
    }
}
