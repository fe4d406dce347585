//! Every step of a transaction, stopped: by an error, after which nothing may have changed, and by the end of the
//! process, after which recovery must find its way to entirely before or entirely after. And every step with somebody
//! else at work: nothing of theirs may be lost, and nothing be written where they point.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::path::Path;

use super::Encoding;
use super::Error;
use super::Root;
use super::fault;
use super::fault::Fault;
use super::journal::Change;
use super::journal::Journal;

/// Path to (bytes, mode) for files, None for folders.
type Snapshot = BTreeMap<String, Option<(Vec<u8>, u32)>>;

fn snapshot(dir: &Path) -> Snapshot {
    fn walk(dir: &Path, root: &Path, found: &mut Snapshot) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_symlink() {
                let target = path.read_link().unwrap().to_str().unwrap().to_owned();
                found.insert(name, Some((target.into_bytes(), 0)));
            } else if path.is_dir() {
                found.insert(name, None);
                walk(&path, root, found);
            } else {
                let mode = path.metadata().unwrap().permissions().mode() & 0o7777;
                found.insert(name, Some((fs::read(&path).unwrap(), mode)));
            }
        }
    }
    let mut found = Snapshot::new();
    walk(dir, dir, &mut found);
    found
}

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// A tree with a file of every kind of fate.
    fn new() -> Self {
        // In memory where that is possible: there are thousands of syncs.
        let folder = tempfile::tempdir_in("/dev/shm")
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("src/old")).unwrap();
        fs::write(tree.join("src/edited.rs"), "one\ntwo\n").unwrap();
        fs::write(tree.join("src/old/moved.sh"), "echo\n").unwrap();
        fs::set_permissions(tree.join("src/old/moved.sh"), fs::Permissions::from_mode(0o750)).unwrap();
        fs::write(tree.join("removed.txt"), "bye\n").unwrap();
        fs::write(tree.join("linked.txt"), "shared text\n").unwrap();
        fs::hard_link(tree.join("linked.txt"), tree.join("link.txt")).unwrap();
        fs::write(tree.join("becomes"), "a file\n").unwrap();
        Self { folder }
    }

    fn tree(&self) -> std::path::PathBuf {
        self.folder.path().join("tree")
    }

    fn root(&self) -> Root {
        Root::new(&self.tree()).unwrap()
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.folder.path().join("journal")).unwrap()
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

fn changes() -> Vec<Change> {
    vec![
        change("src/edited.rs", Some("one\ntwo\n"), Some("one\n2\n")),
        change("src/old/moved.sh", Some("echo\n"), None),
        Change {
            mode_from: Some("src/old/moved.sh".into()),
            ..change("bin/new/moved.sh", None, Some("echo moved\n"))
        },
        change("removed.txt", Some("bye\n"), None),
        change("linked.txt", Some("shared text\n"), Some("a longer shared text\n")),
        change("new.txt", None, Some("new\n")),
        change("becomes", Some("a file\n"), None),
        change("becomes/a/folder.txt", None, Some("inside\n")),
    ]
}

/// Runs `action` on fresh projects, with the fault at each of its steps in turn, and gives each result to `check`
/// together with the trees before and after a run without one. All of it again on a file system that cannot swap.
fn at_every_step(fault: fn(&Project) -> Fault, prepare: Action<()>, action: Action<Result<(), Error>>, check: Check) {
    for plain in [false, true] {
        fault::make_renames_plain(plain);
        let whole = Project::new();
        prepare(&whole);
        fault::arm(None);
        action(&whole).unwrap();
        let n_steps = fault::arm(None);
        assert!(n_steps > 10, "only {n_steps} steps");
        for nth in 0..n_steps {
            let project = Project::new();
            prepare(&project);
            let before = snapshot(&project.tree());
            fault::arm(Some((nth, fault(&project))));
            let result = catch_unwind(AssertUnwindSafe(|| action(&project)));
            fault::arm(None);
            check(nth, &project, &before, &snapshot(&whole.tree()), result.ok());
        }
    }
    fault::make_renames_plain(false);
}

fn fail(_: &Project) -> Fault {
    Fault::Fail
}

fn die(_: &Project) -> Fault {
    Fault::Die
}

type Action<T> = fn(&Project) -> T;

type Check = fn(usize, &Project, &Snapshot, &Snapshot, Option<Result<(), Error>>);

fn write(project: &Project) -> Result<(), Error> {
    let journal = project.journal();
    let turn = journal.begin_turn("change everything")?;
    journal.write(&project.root(), turn, &changes())
}

fn undo(project: &Project) -> Result<(), Error> {
    let walked = project.journal().undo(&project.root())?.expect("there is a turn");
    assert_eq!(walked.changed_since, [""; 0]);
    Ok(())
}

fn redo(project: &Project) -> Result<(), Error> {
    let walked = project
        .journal()
        .redo(&project.root())?
        .expect("there is an undone turn");
    assert_eq!(walked.changed_since, [""; 0]);
    Ok(())
}

fn nothing(_: &Project) {}

fn written(project: &Project) {
    write(project).unwrap();
}

fn undone(project: &Project) {
    written(project);
    undo(project).unwrap();
}

/// A failed step leaves the tree as it was, or, after the mark that it is done, as it should be; only what was set aside
/// may still be there then, until the next start.
fn check_failed(nth: usize, project: &Project, before: &Snapshot, after: &Snapshot, result: Option<Result<(), Error>>) {
    let now = snapshot(&project.tree());
    let result = result.expect("it did not panic");
    assert_eq!(
        project.journal().recover(&project.root()).unwrap(),
        [""; 0],
        "step {nth}"
    );
    let then = snapshot(&project.tree());
    match result {
        Ok(()) => {
            assert_eq!(then, *after, "step {nth} failed after the fact");
            assert!(
                now.iter()
                    .all(|file| after.contains_key(file.0) || file.0.contains(".codriver-"))
            );
        }
        Err(error) => {
            assert_eq!(now, *before, "step {nth} failed with {error:?}");
            assert_eq!(then, *before, "step {nth}");
        }
    }
}

/// After a crash and recovery the tree is entirely before or entirely after, and the journal agrees.
fn check_died(nth: usize, project: &Project, before: &Snapshot, after: &Snapshot, result: Option<Result<(), Error>>) {
    assert!(result.is_none(), "step {nth} was passed");
    project.journal().recover(&project.root()).unwrap();
    let now = snapshot(&project.tree());
    assert!(now == *before || now == *after, "step {nth} left {now:#?}");
    assert!(!project.folder.path().join("journal/pending").exists(), "step {nth}");
    assert_eq!(
        project.journal().recover(&project.root()).unwrap(),
        [""; 0],
        "step {nth}"
    );
}

#[test]
fn a_write_that_fails_at_any_step_changes_nothing() {
    at_every_step(fail, nothing, write, check_failed);
}

#[test]
fn a_write_that_dies_at_any_step_is_before_or_after() {
    at_every_step(die, nothing, write, |nth, project, before, after, result| {
        check_died(nth, project, before, after, result);
        let turns = project.journal().turns().unwrap();
        let happened = snapshot(&project.tree()) == *after;
        assert_eq!(turns.len(), usize::from(happened), "step {nth}");
        if happened {
            undo(project).unwrap();
            assert_eq!(snapshot(&project.tree()), *before, "step {nth}");
        } else {
            write(project).unwrap();
            assert_eq!(snapshot(&project.tree()), *after, "step {nth}");
        }
    });
}

#[test]
fn an_undo_that_fails_at_any_step_changes_nothing() {
    at_every_step(fail, written, undo, check_failed);
}

#[test]
fn an_undo_that_dies_at_any_step_is_before_or_after() {
    at_every_step(die, written, undo, |nth, project, before, after, result| {
        check_died(nth, project, before, after, result);
        if snapshot(&project.tree()) == *after {
            redo(project).unwrap();
            assert_eq!(snapshot(&project.tree()), *before, "step {nth}");
        } else {
            undo(project).unwrap();
            assert_eq!(snapshot(&project.tree()), *after, "step {nth}");
        }
    });
}

#[test]
fn a_redo_that_fails_at_any_step_changes_nothing() {
    at_every_step(fail, undone, redo, check_failed);
}

#[test]
fn a_redo_that_dies_at_any_step_is_before_or_after() {
    at_every_step(die, undone, redo, check_died);
}

/// Somebody's editor saves a file, by writing into it or by renaming a new one over it.
fn save(project: &Project, path: &'static str, rename: bool) -> Fault {
    let tree = project.tree();
    Fault::Meanwhile(Box::new(move || {
        if rename {
            fs::write(tree.join("saved"), THEIRS).unwrap();
            fs::rename(tree.join("saved"), tree.join(path)).unwrap();
        } else {
            fs::write(tree.join(path), THEIRS).unwrap();
        }
    }))
}

const THEIRS: &str = "what somebody else wrote meanwhile\n";

/// Their text is there, whatever became of the write; and when it was refused, everything else is as before.
fn check_theirs_stays(
    project: &Project,
    path: &str,
    before: &Snapshot,
    after: &Snapshot,
    result: Option<Result<(), Error>>,
) {
    let mut now = snapshot(&project.tree());
    let theirs = now.remove(path).flatten().expect("it is there");
    assert_eq!(String::from_utf8_lossy(&theirs.0), THEIRS);
    let mut expected = match result.expect("it did not panic") {
        Ok(()) => after.clone(),
        Err(error) => {
            assert!(
                matches!(&error, Error::Changed { path: named } if named == path),
                "{error:?}"
            );
            before.clone()
        }
    };
    expected.remove(path);
    if path == "linked.txt" {
        // Its other name sees what they wrote, or stays behind when they renamed.
        now.remove("link.txt");
        expected.remove("link.txt");
    }
    assert_eq!(now, expected);
}

#[test]
fn what_somebody_saves_at_any_step_is_not_lost() {
    fn edit(project: &Project) -> Result<(), Error> {
        let journal = project.journal();
        let turn = journal.begin_turn("change two")?;
        let changes = [
            change("src/edited.rs", Some("one\ntwo\n"), Some("one\n2\n")),
            change("removed.txt", Some("bye\n"), None),
            change("new.txt", None, Some("new\n")),
            change("linked.txt", Some("shared text\n"), Some("a longer shared text\n")),
        ];
        journal.write(&project.root(), turn, &changes)
    }
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    for path in ["src/edited.rs", "removed.txt", "new.txt", "linked.txt"] {
        for (plain, rename) in ways {
            fault::make_renames_plain(plain);
            let whole = Project::new();
            fault::arm(None);
            edit(&whole).unwrap();
            for nth in 0..fault::arm(None) {
                let project = Project::new();
                let before = snapshot(&project.tree());
                fault::arm(Some((nth, save(&project, path, rename))));
                let result = edit(&project);
                fault::arm(None);
                let after = snapshot(&whole.tree());
                check_theirs_stays(&project, path, &before, &after, Some(result));
            }
        }
    }
    fault::make_renames_plain(false);
}

/// A folder is exchanged for a link that leads out of the project.
fn lead_out(project: &Project) -> Fault {
    let outside = project.folder.path().join("outside");
    fs::create_dir_all(outside.join("old")).unwrap();
    for path in ["edited.rs", "old/moved.sh"] {
        fs::copy(project.tree().join("src").join(path), outside.join(path)).unwrap();
    }
    let tree = project.tree();
    Fault::Meanwhile(Box::new(move || {
        fs::rename(tree.join("src"), tree.join("src-before")).unwrap();
        std::os::unix::fs::symlink(outside, tree.join("src")).unwrap();
    }))
}

#[test]
fn a_link_put_in_the_way_at_any_step_leads_nowhere() {
    at_every_step(lead_out, nothing, write, |nth, project, before, _, _| {
        let mut expected = before.clone();
        expected.retain(|path, _| path.starts_with("src/"));
        let outside = snapshot(&project.folder.path().join("outside"));
        let outside: Snapshot = outside
            .into_iter()
            .map(|(path, file)| (format!("src/{path}"), file))
            .collect();
        assert_eq!(outside, expected, "step {nth}");
    });
}

#[test]
fn an_overwriting_that_was_cut_anywhere_is_rolled_back() {
    let (old, new) = ("shared text\n", "a longer shared text\n");
    // The step at which the hard-linked file is overwritten: the first after which it is different.
    let step = (0..)
        .find(|nth| {
            let project = Project::new();
            fault::arm(Some((*nth, Fault::Die)));
            let _ = catch_unwind(AssertUnwindSafe(|| write(&project)));
            fault::arm(None);
            fs::read_to_string(project.tree().join("link.txt")).unwrap() == new
        })
        .unwrap()
        - 1;
    for cut in 0..=new.len() {
        let project = Project::new();
        let before = snapshot(&project.tree());
        fault::arm(Some((step, Fault::Die)));
        let _ = catch_unwind(AssertUnwindSafe(|| write(&project)));
        fault::arm(None);
        let torn = format!("{}{}", &new[..cut], old.get(cut..).unwrap_or_default());
        fs::write(project.tree().join("link.txt"), torn).unwrap();
        project.journal().recover(&project.root()).unwrap();
        assert_eq!(snapshot(&project.tree()), before, "cut at {cut}");
    }
    // What is no such mixture was written by somebody since.
    let project = Project::new();
    fault::arm(Some((step, Fault::Die)));
    let _ = catch_unwind(AssertUnwindSafe(|| write(&project)));
    fault::arm(None);
    fs::write(project.tree().join("link.txt"), THEIRS).unwrap();
    project.journal().recover(&project.root()).unwrap();
    assert_eq!(fs::read_to_string(project.tree().join("link.txt")).unwrap(), THEIRS);
}

#[test]
fn an_entry_that_was_cut_anywhere_is_dropped() {
    let project = Project::new();
    let before = snapshot(&project.tree());
    // Dies after the entry is written and before anything else is.
    fault::arm(Some((3, Fault::Die)));
    let _ = catch_unwind(AssertUnwindSafe(|| write(&project)));
    fault::arm(None);
    let pending = project.folder.path().join("journal/pending");
    let whole = fs::read(&pending).unwrap();
    for cut in (0..whole.len()).rev().step_by(7) {
        fs::write(&pending, &whole[..cut]).unwrap();
        assert_eq!(
            project.journal().recover(&project.root()).unwrap(),
            [""; 0],
            "cut at {cut}"
        );
        assert!(!pending.exists(), "cut at {cut}");
        assert_eq!(snapshot(&project.tree()), before, "cut at {cut}");
    }
}

#[test]
fn a_recovery_that_dies_at_any_step_is_taken_up_again() {
    for plain in [false, true] {
        fault::make_renames_plain(plain);
        let die_in_write = |nth: usize| {
            let project = Project::new();
            fault::arm(Some((nth, Fault::Die)));
            let result = catch_unwind(AssertUnwindSafe(|| write(&project)));
            fault::arm(None);
            (project, result.is_err())
        };
        let recover = |project: &Project| project.journal().recover(&project.root()).unwrap();
        for nth in (0..).step_by(3) {
            let (project, died) = die_in_write(nth);
            recover(&project);
            let expected = snapshot(&project.tree());
            if !died {
                break;
            }
            for again in 0..fault::arm(None) {
                let (project, _) = die_in_write(nth);
                fault::arm(Some((again, Fault::Die)));
                let _ = catch_unwind(AssertUnwindSafe(|| recover(&project)));
                fault::arm(None);
                recover(&project);
                assert_eq!(snapshot(&project.tree()), expected, "step {nth}, then {again}");
            }
        }
    }
    fault::make_renames_plain(false);
}
