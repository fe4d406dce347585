//! Real repositories in temporary folders, made and looked at with the git program.

use std::path::Path;

use codriver::git::BlobId;
use codriver::git::Committed;
use codriver::git::Eol;
use codriver::git::Error;
use codriver::git::Head;
use codriver::git::Repo;
use codriver::git::TakenBack;
use codriver::git::Version;

use crate::support::repo::TestRepo;

fn open(repo: &TestRepo) -> Repo {
    Repo::discover(repo.root()).unwrap().unwrap()
}

/// A version as it stands in the work tree.
fn version(repo: &TestRepo, path: &str) -> Version {
    let file = repo.path(path);
    #[cfg(unix)]
    let executable = {
        use std::os::unix::fs::PermissionsExt;
        file.metadata()
            .is_ok_and(|found| found.permissions().mode() & 0o100 != 0)
    };
    #[cfg(not(unix))]
    let executable = false;
    Version {
        path: path.to_string(),
        content: std::fs::read(&file).ok(),
        executable,
    }
}

fn commit(repo: &TestRepo, paths: &[&str], message: &str) -> Committed {
    try_commit(repo, paths, message).unwrap().unwrap()
}

fn try_commit(repo: &TestRepo, paths: &[&str], message: &str) -> Result<Option<Committed>, Error> {
    let versions: Vec<Version> = paths.iter().map(|path| version(repo, path)).collect();
    open(repo).commit(&versions, message, &mut |_| {})
}

/// Paths that a commit touches, with `A`, `M`, `D`.
fn touched(repo: &TestRepo, commit: &str) -> Vec<String> {
    let text = repo.git(&["show", "--format=", "--name-status", "-z", "--no-renames", commit]);
    let fields: Vec<&str> = text.split('\0').filter(|field| !field.is_empty()).collect();
    fields
        .chunks(2)
        .map(|pair| format!("{} {}", pair[0], pair[1]))
        .collect()
}

fn listed(repo: &TestRepo) -> Vec<(String, bool, bool)> {
    open(repo)
        .list()
        .unwrap()
        .into_iter()
        .map(|file| (file.path, file.tracked, file.blob.is_some()))
        .collect()
}

fn paths(repo: &TestRepo) -> Vec<String> {
    listed(repo).into_iter().map(|(path, _, _)| path).collect()
}

/// Start, list, edit, commit, take back: what must work in every kind of repository that holds `a.txt`, by libgit2 and
/// through the git program.
fn check_whole_round(repo: &TestRepo) {
    check_round(repo);
    repo.git(&["checkout", "-q", "--", "a.txt"]);
    std::fs::remove_dir_all(repo.path("new")).unwrap();
    let common = repo.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]);
    let hook = Path::new(common.trim()).join("hooks/pre-commit");
    repo.write_executable(
        hook.to_str().unwrap(),
        "#!/bin/sh\ngit diff --cached --quiet && exit 9\nexit 0\n",
    );
    check_round(repo);
}

fn check_round(repo: &TestRepo) {
    let before = repo.subjects().len();
    assert!(paths(repo).contains(&"a.txt".to_string()));
    repo.write("a.txt", "edited\n");
    repo.write("new/b.txt", "new\n");
    assert_eq!(open(repo).dirty().unwrap(), ["a.txt"]);
    let diff = open(repo).diff(None).unwrap();
    assert!(diff.contains("+edited") && !diff.contains("deleted file"), "{diff}");
    let made = commit(repo, &["a.txt", "new/b.txt"], "Edit");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]).trim(), made.id);
    assert_eq!(touched(repo, "HEAD"), ["M a.txt", "A new/b.txt"]);
    assert_eq!(repo.status(), "");
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
    assert_eq!(open(repo).take_back(&made.id).unwrap(), TakenBack::Yes);
    assert_eq!(repo.subjects().len(), before);
    assert_eq!(repo.read("a.txt"), "edited\n");
    assert_eq!(repo.status(), " M a.txt\n?? new/b.txt\n");
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

mod finding {
    use super::*;

    #[test]
    fn from_a_folder_within() {
        let repo = TestRepo::with(&[("deep/er/a.txt", "a\n")]);
        let found = Repo::discover(&repo.path("deep/er")).unwrap().unwrap();
        assert_eq!(found.root(), repo.root());
    }

    #[test]
    fn none_without_a_repository_and_in_a_bare_one() {
        crate::support::repo::isolate_libgit2();
        let dir = tempfile::tempdir().unwrap();
        assert!(Repo::discover(dir.path()).unwrap().is_none());
        assert!(Repo::discover(&dir.path().join("not/there")).unwrap().is_none());
        let repo = TestRepo::new();
        repo.git(&["init", "--quiet", "--bare", "bare.git"]);
        assert!(Repo::discover(&repo.path("bare.git")).unwrap().is_none());
    }

    #[test]
    fn a_broken_repository_is_an_error_that_says_so() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        std::fs::remove_file(repo.path(".git/HEAD")).unwrap();
        let error = Repo::discover(repo.root()).unwrap_err().to_string();
        assert!(
            error.contains("open the repository") && error.contains("not a complete repository"),
            "{error}"
        );

        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write(".git/index", "rubbish");
        let error = open(&repo).list().unwrap_err().to_string();
        assert!(error.starts_with("git: read the index: "), "{error}");

        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write(".git/config", "[core\n");
        let error = Repo::discover(repo.root()).unwrap_err().to_string();
        assert!(error.starts_with("git: open the repository: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_of_another_owner_names_the_command() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        if std::os::unix::fs::chown(repo.root(), Some(54321), None).is_err()
            || std::os::unix::fs::chown(repo.path(".git"), Some(54321), None).is_err()
        {
            // Only the superuser can give files away; others cannot meet this case here.
            return;
        }
        let error = Repo::discover(repo.root()).unwrap_err();
        assert!(matches!(error, Error::OtherOwner { .. }), "{error:?}");
        let text = error.to_string();
        let root = repo.root().display();
        assert!(
            text.contains(&format!("git config --global --add safe.directory {root}")),
            "{text}"
        );
    }

    #[test]
    fn head_in_its_three_states() {
        let repo = TestRepo::new();
        assert_eq!(
            open(&repo).head().unwrap(),
            Head::Unborn {
                branch: "main".to_string()
            }
        );
        repo.write("a.txt", "a\n");
        let id = repo.commit("Start");
        repo.git(&["checkout", "-q", "-b", "feature/x"]);
        assert_eq!(
            open(&repo).head().unwrap(),
            Head::Branch {
                name: "feature/x".to_string(),
                commit: id.clone()
            }
        );
        repo.git(&["checkout", "-q", "--detach"]);
        assert_eq!(open(&repo).head().unwrap(), Head::Detached { commit: id });
    }

    #[test]
    fn content_of_the_newest_commit() {
        let repo = TestRepo::with(&[("d/a.txt", "a\n")]);
        repo.write("d/a.txt", "changed\n");
        assert_eq!(open(&repo).head_content("d/a.txt").unwrap().unwrap(), b"a\n");
        assert_eq!(open(&repo).head_content("d/b.txt").unwrap(), None);
        assert_eq!(open(&repo).head_content("d").unwrap(), None);
        assert_eq!(open(&TestRepo::new()).head_content("a").unwrap(), None);
    }
}

mod listing {
    use super::*;

    #[test]
    fn tracked_untracked_ignored_deleted() {
        let repo = TestRepo::with(&[
            ("a.txt", "a\n"),
            ("b/c.txt", "c\n"),
            ("gone.txt", "x\n"),
            (".gitignore", "*.log\n/out/\n!keep.log\n"),
            ("b/.gitignore", "private\n"),
        ]);
        std::fs::remove_file(repo.path("gone.txt")).unwrap();
        for path in ["new.txt", "x.log", "keep.log", "out/o.txt", "b/private", "b/.hidden"] {
            repo.write(path, "n\n");
        }
        repo.write(".git/info/exclude", "excluded\n");
        repo.write("excluded", "e\n");
        // Ignored, but git was told to have it.
        repo.write("forced.log", "f\n");
        repo.git(&["add", "-f", "forced.log"]);
        let names: Vec<(String, bool)> = listed(&repo)
            .into_iter()
            .map(|(path, tracked, _)| (path, tracked))
            .collect();
        let expected = [
            (".gitignore", true),
            ("a.txt", true),
            ("b/.gitignore", true),
            ("b/.hidden", false),
            ("b/c.txt", true),
            ("forced.log", true),
            ("keep.log", false),
            ("new.txt", false),
        ];
        let expected: Vec<(String, bool)> = expected
            .iter()
            .map(|(path, tracked)| (path.to_string(), *tracked))
            .collect();
        assert_eq!(names, expected);
        let repo = open(&repo);
        assert!(repo.is_ignored("x.log") && repo.is_ignored("out/o.txt"));
        assert!(!repo.is_ignored("forced.log") && !repo.is_ignored("new.txt"));
        assert!(repo.is_tracked("a.txt") && repo.is_tracked("forced.log") && !repo.is_tracked("new.txt"));
    }

    #[test]
    fn unchanged_files_come_with_their_blob() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        // Both files are older than the index.
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
        for path in ["a.txt", "b.txt"] {
            std::fs::File::options()
                .write(true)
                .open(repo.path(path))
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
        repo.git(&["update-index", "--refresh"]);
        let blob = repo.git(&["rev-parse", "HEAD:a.txt"]);
        let files = open(&repo).list().unwrap();
        let hex = |id: BlobId| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(files[0].blob.map(hex).as_deref(), Some(blob.trim()));
        // The same size and the same time of change, as a careful tool would leave them: the inode's own time tells.
        repo.write("a.txt", "x\n");
        std::fs::File::options()
            .write(true)
            .open(repo.path("a.txt"))
            .unwrap()
            .set_modified(old)
            .unwrap();
        let files = open(&repo).list().unwrap();
        assert_eq!(files[0].blob, None);
        assert!(files[1].blob.is_some());
    }

    #[test]
    fn a_file_as_young_as_the_index_is_looked_at() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        let index = repo.path(".git/index").metadata().unwrap().modified().unwrap();
        let file = std::fs::File::options().write(true).open(repo.path("a.txt")).unwrap();
        file.set_modified(index).unwrap();
        repo.git(&["update-index", "--refresh"]);
        let index = std::fs::File::options()
            .write(true)
            .open(repo.path(".git/index"))
            .unwrap();
        index
            .set_modified(repo.path("a.txt").metadata().unwrap().modified().unwrap())
            .unwrap();
        assert_eq!(listed(&repo), [("a.txt".to_string(), true, false)]);
    }

    #[test]
    fn global_rules_from_the_settings_count() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        let rules = repo.root().join(".git/my-rules");
        std::fs::write(&rules, "*.tmp\n/top\n").unwrap();
        repo.git(&["config", "core.excludesFile", rules.to_str().unwrap()]);
        for path in ["x.tmp", "d/y.tmp", "top", "d/top"] {
            repo.write(path, "x\n");
        }
        assert_eq!(paths(&repo), ["a.txt", "d/top"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_unusual_kinds_are_left_out() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        std::os::unix::fs::symlink("a.txt", repo.path("tracked-link")).unwrap();
        repo.commit("Link");
        std::os::unix::fs::symlink("/etc", repo.path("out")).unwrap();
        std::os::unix::fs::symlink("nowhere", repo.path("dangling")).unwrap();
        assert_eq!(paths(&repo), ["a.txt"]);
    }

    #[test]
    fn agrees_with_git_on_ignore_rules() {
        let repo = TestRepo::new();
        repo.write(
            ".gitignore",
            "*.o\n!keep.o\n/top\nbuild/\n**/deep/x\na/**/z\n\\#hash\n\\!bang\ntrail \nspace\\ \n[ab].txt\n?q\n# comment\n\n             logs/*\n!logs/keep/\nlogs/keep/*\n!logs/keep/me\nfoo/bar\n*.d/*\n",
        );
        repo.write("sub/.gitignore", "!*.o\nlocal\n/anchored\n*.tmp\n!/s/t.tmp\n");
        repo.write("sub/s/.gitignore", "*\n!.gitignore\n!t.tmp\n");
        let names = [
            "x.o",
            "keep.o",
            "top",
            "d/top",
            "build/f",
            "d/build/f",
            "build.txt",
            "p/deep/x",
            "deep/x",
            "deep/y",
            "a/z",
            "a/b/c/z",
            "#hash",
            "!bang",
            "trail",
            "trail ",
            "space ",
            "a.txt",
            "c.txt",
            "d/b.txt",
            "1q",
            "11q",
            "logs/1",
            "logs/keep/me",
            "logs/keep/other",
            "foo/bar/1",
            "d/foo/bar",
            "e.d/f",
            "sub/x.o",
            "sub/local",
            "sub/s/local",
            "sub/anchored",
            "sub/s/anchored",
            "sub/s/t.tmp",
            "sub/u.tmp",
            ".hidden",
            ".dir/f",
            "été/計.o",
            "été/計",
            "node_modules/m/index.js",
        ];
        for name in names {
            repo.write(name, "x\n");
        }
        let expected = repo.git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut expected: Vec<&str> = expected.split('\0').filter(|name| !name.is_empty()).collect();
        expected.sort_unstable();
        assert_eq!(paths(&repo), expected);
        let repo = open(&repo);
        for name in names {
            assert_eq!(repo.is_ignored(name), !expected.contains(&name), "{name}");
        }
    }

    #[test]
    fn who_does_not_want_untracked_files_gets_none() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("b.txt", "b\n");
        repo.git(&["config", "status.showUntrackedFiles", "no"]);
        assert_eq!(paths(&repo), ["a.txt"]);
    }

    #[test]
    fn in_conflict_a_file_is_listed_once() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        conflict(&repo);
        assert_eq!(listed(&repo), [("a.txt".to_string(), true, false)]);
    }

    #[test]
    fn without_commits() {
        let repo = TestRepo::new();
        repo.write("a.txt", "a\n");
        assert_eq!(listed(&repo), [("a.txt".to_string(), false, false)]);
        assert!(open(&repo).history(10).unwrap().is_empty());
        assert!(open(&repo).dirty().unwrap().is_empty());
        assert!(open(&repo).diff(None).unwrap().contains("+a"));
    }
}

/// Leaves `a.txt` in conflict in the middle of a merge.
fn conflict(repo: &TestRepo) {
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("a.txt", "side\n");
    repo.commit("Side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", "main\n");
    repo.commit("Main");
    assert!(!repo.try_git(&["merge", "side"]).status.success());
}

mod committing {
    use super::*;

    #[test]
    fn holds_only_what_the_turn_changed() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
        repo.write("a.txt", "dirty\n");
        repo.write("b.txt", "staged\n");
        repo.git(&["add", "b.txt"]);
        repo.write("b.txt", "staged and dirty\n");
        repo.write("untracked.txt", "u\n");
        repo.write("c.txt", "edit\n");
        let before = repo.status();
        let made = commit(&repo, &["c.txt"], "Edit c");
        assert_eq!(touched(&repo, &made.id), ["M c.txt"]);
        assert_eq!(repo.status(), before.replace(" M c.txt\n", ""));
        assert_eq!(repo.git(&["show", ":b.txt"]), "staged\n");
        assert_eq!(repo.read("b.txt"), "staged and dirty\n");
        assert_eq!(repo.read("a.txt"), "dirty\n");
        // The turn's change comes back; the user's own work is as it was.
        assert_eq!(open(&repo).take_back(&made.id).unwrap(), TakenBack::Yes);
        assert_eq!(repo.status(), before);
        assert_eq!(repo.git(&["show", ":b.txt"]), "staged\n");
    }

    /// 21 lines, of which the user staged a change to line 20; then line 1 is edited.
    fn with_line_20_staged() -> (TestRepo, Version) {
        let text: String = (1..=21).map(|n| format!("{n}\n")).collect();
        let repo = TestRepo::with(&[("a.py", &text)]);
        repo.write("a.py", text.replace("20\n", "twenty\n"));
        repo.git(&["add", "a.py"]);
        let edited = text.replacen("1\n", "one\n", 1);
        repo.write("a.py", edited.replace("20\n", "twenty\n"));
        let version = Version {
            path: "a.py".to_string(),
            content: Some(edited.into_bytes()),
            executable: false,
        };
        (repo, version)
    }

    fn check_that_staged_changes_stay_staged(repo: &TestRepo, version: &Version) {
        let staged = repo.git(&["show", ":a.py"]);
        let on_disk = repo.read("a.py");
        let made = open(repo)
            .commit(std::slice::from_ref(version), "One", &mut |_| {})
            .unwrap()
            .unwrap();
        assert_eq!(made.index_behind, None);
        assert_eq!(
            repo.git(&["show", "HEAD:a.py"]).as_bytes(),
            version.content.as_deref().unwrap()
        );
        let diff = repo.git(&["diff", "--cached", "-U0"]);
        let changed: Vec<&str> = diff.lines().skip(5).collect();
        assert_eq!(changed, ["-20", "+twenty"], "{diff}");
        assert_eq!(repo.git(&["diff"]), "");
        assert_eq!(open(repo).take_back(&made.id).unwrap(), TakenBack::Yes);
        assert_eq!(repo.git(&["show", ":a.py"]), staged);
        assert_eq!(repo.read("a.py"), on_disk);
        assert_eq!(open(repo).put_back(&made.id).unwrap(), TakenBack::Yes);
        assert_eq!(repo.git(&["diff", "--cached", "-U0"]), diff);
        open(repo).take_back(&made.id).unwrap();
        assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    }

    #[test]
    fn staged_changes_of_a_committed_file_stay_staged() {
        let (repo, version) = with_line_20_staged();
        check_that_staged_changes_stay_staged(&repo, &version);
        repo.git(&["update-index", "--split-index"]);
        check_that_staged_changes_stay_staged(&repo, &version);
        repo.write_executable(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
        check_that_staged_changes_stay_staged(&repo, &version);
        repo.git(&["update-index", "--no-split-index"]);
        check_that_staged_changes_stay_staged(&repo, &version);
    }

    #[test]
    fn changes_staged_in_the_same_lines_are_not_touched() {
        let (repo, mut version) = with_line_20_staged();
        version.content = Some(repo.read("a.py").replace("twenty", "zwanzig").into_bytes());
        let staged = repo.git(&["ls-files", "--stage"]);
        for _ in 0..2 {
            let versions = std::slice::from_ref(&version);
            assert_eq!(open(&repo).overlapping_staged(versions).unwrap(), ["a.py"]);
            let error = open(&repo).commit(versions, "Zwanzig", &mut |_| {}).unwrap_err();
            assert_eq!(
                error.to_string(),
                "`a.py` has staged changes of your own in the same lines"
            );
            assert_eq!(repo.subjects(), ["Start"]);
            assert_eq!(repo.git(&["ls-files", "--stage"]), staged);
            repo.write_executable(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
        }
    }

    #[test]
    fn staged_kinds_that_do_not_merge_are_not_touched() {
        let repo = TestRepo::with(&[("bin", "a\0b\n1\n2\n3\n"), ("gone", "g\n"), ("edited", "1\n2\n3\n")]);
        repo.write("bin", "A\0b\n1\n2\n3\n");
        repo.write("new", "mine\n");
        repo.write("edited", "1\n2\nthree\n");
        repo.git(&["add", "bin", "new", "edited"]);
        repo.git(&["rm", "-q", "--cached", "gone"]);
        repo.write("bin", "a\0b\n1\n2\nthree\n");
        repo.write("new", "theirs\n");
        repo.write("gone", "edit\n");
        std::fs::remove_file(repo.path("edited")).unwrap();
        let versions = ["bin", "edited", "gone", "new"].map(|path| version(&repo, path));
        assert_eq!(
            open(&repo).overlapping_staged(&versions).unwrap(),
            ["bin", "edited", "gone", "new"]
        );
    }

    #[test]
    fn the_staged_mode_and_an_announced_file_are_kept() {
        let repo = TestRepo::with(&[("run.sh", "1\n2\n3\n")]);
        repo.git(&["update-index", "--chmod=+x", "run.sh"]);
        repo.write("run.sh", "1\n2\nthree\n");
        repo.write("new.txt", "n\n");
        repo.git(&["add", "--intent-to-add", "new.txt"]);
        let made = commit(&repo, &["run.sh", "new.txt"], "Edit");
        assert_eq!(touched(&repo, &made.id), ["A new.txt", "M run.sh"]);
        assert_eq!(
            repo.git(&["diff", "--cached", "--summary"]),
            " mode change 100644 => 100755 run.sh\n"
        );
        assert_eq!(repo.git(&["show", ":run.sh"]), "1\n2\nthree\n");
        assert_eq!(repo.git(&["show", ":new.txt"]), "n\n");
    }

    #[test]
    fn a_whole_file_leaves_nothing_of_it_staged() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("a.txt", "staged\n");
        repo.git(&["add", "a.txt"]);
        repo.write("a.txt", "on disk\n");
        let versions = [version(&repo, "a.txt")];
        open(&repo)
            .commit_whole(&versions, "All", &mut |_| {})
            .unwrap()
            .unwrap();
        assert_eq!(repo.status(), "");
        assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "on disk\n");
    }

    #[test]
    fn what_is_added_while_the_index_is_locked_stays_added() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        repo.write("a.txt", "edit\n");
        repo.write("b.txt", "user\n");
        // Another git that holds the lock, and publishes its index a little later.
        std::fs::copy(repo.path(".git/index"), repo.path(".git/other")).unwrap();
        let lock = repo.path(".git/index.lock");
        std::fs::write(&lock, "").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let added = std::process::Command::new("git")
                    .args(["add", "b.txt"])
                    .current_dir(repo.root())
                    .env("GIT_INDEX_FILE", repo.path(".git/other"))
                    .status();
                std::thread::sleep(std::time::Duration::from_millis(200));
                std::fs::rename(repo.path(".git/other"), repo.path(".git/index")).unwrap();
                std::fs::remove_file(&lock).unwrap();
                assert!(added.unwrap().success());
            });
            commit(&repo, &["a.txt"], "Edit");
        });
        assert_eq!(repo.status(), "M  b.txt\n");
        assert!(!lock.exists());
    }

    #[test]
    fn a_file_that_changed_unseen_is_still_seen_as_changed() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        repo.git(&["config", "core.trustctime", "false"]);
        repo.git(&["config", "core.checkStat", "minimal"]);
        let set_time = |path: &str, time| {
            let file = std::fs::File::options().write(true).open(repo.path(path)).unwrap();
            file.set_modified(time).unwrap();
        };
        let time = repo.path("b.txt").metadata().unwrap().modified().unwrap();
        repo.write("b.txt", "x\n");
        set_time("b.txt", time);
        set_time(".git/index", time);
        repo.write("a.txt", "edit\n");
        commit(&repo, &["a.txt"], "Edit");
        assert_eq!(repo.status(), " M b.txt\n");
    }

    #[test]
    fn flags_of_an_entry_stay() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        repo.git(&["update-index", "--assume-unchanged", "a.txt"]);
        repo.git(&["update-index", "--skip-worktree", "b.txt"]);
        repo.write("a.txt", "edit\n");
        repo.write("b.txt", "edit\n");
        commit(&repo, &["a.txt", "b.txt"], "Edit");
        assert_eq!(repo.git(&["ls-files", "-v"]), "h a.txt\nS b.txt\n");
    }

    #[test]
    fn creates_deletes_and_turns_files_into_folders() {
        let repo = TestRepo::with(&[("a", "a\n"), ("d/x/y.txt", "y\n"), ("keep.txt", "k\n")]);
        std::fs::remove_file(repo.path("a")).unwrap();
        repo.write("a/b.txt", "b\n");
        std::fs::remove_dir_all(repo.path("d")).unwrap();
        repo.write("d", "now a file\n");
        let made = commit(&repo, &["a", "a/b.txt", "d/x/y.txt", "d"], "Swap");
        assert_eq!(touched(&repo, &made.id), ["D a", "A a/b.txt", "A d", "D d/x/y.txt"]);
        assert_eq!(repo.status(), "");
        assert_eq!(repo.git(&["fsck", "--strict"]), "");
        open(&repo).take_back(&made.id).unwrap();
        assert_eq!(repo.git(&["ls-files"]), "a\nd/x/y.txt\nkeep.txt\n");
    }

    #[cfg(unix)]
    #[test]
    fn keeps_the_executable_bit() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable("run.sh", "#!/bin/sh\n");
        commit(&repo, &["run.sh"], "Script");
        assert!(repo.git(&["ls-tree", "HEAD", "run.sh"]).starts_with("100755"));
        assert_eq!(repo.status(), "");
    }

    #[test]
    fn the_first_commit_of_a_repository() {
        let repo = TestRepo::new();
        repo.write("a.txt", "a\n");
        repo.write("other.txt", "o\n");
        let made = commit(&repo, &["a.txt"], "First");
        assert_eq!(repo.status(), "?? other.txt\n");
        assert_eq!(open(&repo).take_back(&made.id).unwrap(), TakenBack::Yes);
        assert!(matches!(open(&repo).head().unwrap(), Head::Unborn { branch } if branch == "main"));
        assert_eq!(repo.status(), "?? a.txt\n?? other.txt\n");
    }

    #[test]
    fn nothing_to_commit_is_no_commit() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), (".gitignore", "*.json\n")]);
        assert_eq!(try_commit(&repo, &["a.txt"], "Same").unwrap(), None);
        assert_eq!(try_commit(&repo, &[], "Empty").unwrap(), None);
        repo.write("local.json", "{}\n");
        assert_eq!(try_commit(&repo, &["local.json"], "Ignored").unwrap(), None);
        assert_eq!(repo.subjects(), ["Start"]);
    }

    #[test]
    fn ignored_files_are_left_out_without_an_error() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), (".gitignore", "*.json\n")]);
        repo.write("local.json", "{}\n");
        repo.write("a.txt", "b\n");
        let made = commit(&repo, &["a.txt", "local.json"], "Edit both");
        assert_eq!(touched(&repo, &made.id), ["M a.txt"]);
        assert_eq!(repo.status(), "");
    }

    #[test]
    fn author_and_message_are_as_git_would_have_them() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("a.txt", "b\n");
        commit(&repo, &["a.txt"], "Subject  \n\n\n\nBody\n\n");
        assert_eq!(
            repo.git(&["log", "-1", "--format=%an <%ae>|%cn <%ce>|%B"]),
            "Test Author <author@example.com>|Test Author <author@example.com>|Subject\n\nBody\n\n"
        );
        assert_eq!(repo.git(&["reflog", "-1", "--format=%gs"]), "commit: Subject\n");
    }

    #[test]
    fn without_identity_the_edit_stays_and_the_commands_are_named() {
        let repo = TestRepo::without_identity();
        repo.write("a.txt", "a\n");
        let error = try_commit(&repo, &["a.txt"], "First").unwrap_err();
        assert!(matches!(error, Error::NoIdentity), "{error:?}");
        let text = error.to_string();
        assert!(
            text.contains("git config user.name") && text.contains("git config user.email"),
            "{text}"
        );
        assert_eq!(repo.status(), "?? a.txt\n");
        assert_eq!(
            repo.try_git(&["config", "user.name"]).stdout,
            b"",
            "settings are not ours to write"
        );
    }

    #[test]
    fn line_endings_are_stored_as_git_stores_them() {
        let repo = TestRepo::with(&[("lf.txt", "a\n"), (".gitattributes", "*.bat text eol=crlf\n")]);
        repo.git(&["config", "core.autocrlf", "true"]);
        repo.write("lf.txt", "a\r\nb\r\n");
        repo.write("x.bat", "echo\r\n");
        commit(&repo, &["lf.txt", "x.bat"], "Endings");
        assert_eq!(repo.git(&["show", "HEAD:lf.txt"]), "a\nb\n");
        assert_eq!(repo.git(&["show", "HEAD:x.bat"]), "echo\n");
        assert_eq!(repo.status(), "");
    }

    #[test]
    fn detached_head() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.commit("Second");
        repo.git(&["checkout", "-q", "--detach"]);
        check_whole_round(&repo);
        let main = repo.git(&["rev-parse", "main"]);
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), main);
    }

    #[test]
    fn in_the_middle_of_a_merge_it_is_refused() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        conflict(&repo);
        repo.write("b.txt", "edit\n");
        let error = try_commit(&repo, &["b.txt"], "Edit").unwrap_err().to_string();
        assert!(error.contains("a merge is not finished"), "{error}");
        assert_eq!(repo.read("b.txt"), "edit\n");
    }

    #[test]
    fn another_git_at_work_is_named() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write(".git/index.lock", "");
        repo.write("a.txt", "b\n");
        let error = try_commit(&repo, &["a.txt"], "Edit").unwrap_err().to_string();
        assert!(error.contains("index.lock"), "{error}");
        std::fs::remove_file(repo.path(".git/index.lock")).unwrap();
        assert_eq!(repo.subjects(), ["Start"]);
        assert_eq!(repo.status(), " M a.txt\n");
    }

    #[test]
    fn after_a_commit_the_files_need_not_be_opened_again() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("a.txt", "b\n");
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
        let file = std::fs::File::options().write(true).open(repo.path("a.txt")).unwrap();
        file.set_modified(old).unwrap();
        commit(&repo, &["a.txt"], "Edit");
        assert_eq!(listed(&repo), [("a.txt".to_string(), true, true)]);
    }

    #[test]
    fn versions_need_not_be_what_is_on_disk() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("a.txt", "edit and more by the user\n");
        let versions = [Version {
            path: "a.txt".to_string(),
            content: Some(b"edit\n".to_vec()),
            executable: false,
        }];
        open(&repo).commit(&versions, "Edit", &mut |_| {}).unwrap().unwrap();
        assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "edit\n");
        assert_eq!(repo.status(), " M a.txt\n");
        assert_eq!(repo.read("a.txt"), "edit and more by the user\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_turned_into_a_file() {
        let repo = TestRepo::with(&[("real.txt", "a\n")]);
        std::os::unix::fs::symlink("real.txt", repo.path("link.txt")).unwrap();
        repo.commit("Link");
        repo.write("real.txt", "b\n");
        let made = commit(&repo, &["link.txt", "real.txt"], "Edit");
        assert_eq!(touched(&repo, &made.id), ["M real.txt"]);
    }
}

mod hooks_and_signing {
    use super::*;

    #[test]
    fn a_failing_hook_keeps_the_edit_and_shows_its_words() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable(".git/hooks/pre-commit", "#!/bin/sh\necho found a secret >&2\nexit 1\n");
        repo.write("a.txt", "b\n");
        let error = try_commit(&repo, &["a.txt"], "Edit").unwrap_err();
        assert!(
            matches!(&error, Error::Program { output, .. } if output == "found a secret"),
            "{error:?}"
        );
        assert_eq!(repo.subjects(), ["Start"]);
        assert_eq!(repo.status(), " M a.txt\n");
        assert_eq!(repo.read("a.txt"), "b\n");
    }

    #[test]
    fn a_hook_sees_only_what_is_committed_and_the_users_index_stays() {
        let repo = TestRepo::with(&[
            ("a.txt", "a\n"),
            ("b.txt", "b\n"),
            ("gone.txt", "g\n"),
            ("staged.txt", "1\n2\n3\n"),
        ]);
        repo.write_executable(
            ".git/hooks/pre-commit",
            "#!/bin/sh\ngit diff --cached --name-status > .git/seen\n",
        );
        repo.write("b.txt", "staged\n");
        repo.git(&["add", "b.txt"]);
        repo.write("staged.txt", "user\n2\n3\n");
        repo.git(&["add", "staged.txt"]);
        repo.write("staged.txt", "1\n2\nedit\n");
        repo.write("a.txt", "edit\n");
        repo.write("new.txt", "n\n");
        std::fs::remove_file(repo.path("gone.txt")).unwrap();
        let made = commit(&repo, &["a.txt", "gone.txt", "new.txt", "staged.txt"], "Edit");
        assert_eq!(
            repo.read(".git/seen"),
            "M\ta.txt\nD\tgone.txt\nA\tnew.txt\nM\tstaged.txt\n"
        );
        assert_eq!(
            touched(&repo, &made.id),
            ["M a.txt", "D gone.txt", "A new.txt", "M staged.txt"]
        );
        assert_eq!(repo.status(), "M  b.txt\nMM staged.txt\n");
        assert_eq!(repo.git(&["show", ":staged.txt"]), "user\n2\nedit\n");
        assert_eq!(made.changed_by_hooks, Vec::<String>::new());
        assert_eq!(open(&repo).take_back(&made.id).unwrap(), TakenBack::Yes);
        assert_eq!(repo.git(&["show", ":staged.txt"]), "user\n2\n3\n");
    }

    #[test]
    fn files_that_a_hook_rewrites_are_told() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        repo.write_executable(
            ".git/hooks/pre-commit",
            "#!/bin/sh\necho formatted >> a.txt\ngit add a.txt\necho touched >> b.txt\n",
        );
        repo.write("a.txt", "edit\n");
        let made = commit(&repo, &["a.txt"], "Edit");
        assert_eq!(made.changed_by_hooks, ["a.txt", "b.txt"]);
        assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "edit\nformatted\n");
        assert_eq!(repo.read("a.txt"), "edit\nformatted\n");
        assert_eq!(repo.status(), " M b.txt\n");
    }

    #[test]
    fn a_hook_that_reads_from_the_terminal_does_not_hang() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable(
            ".git/hooks/pre-commit",
            "#!/bin/sh\nread answer </dev/tty || read answer || echo none > .git/answer\nexit 0\n",
        );
        repo.write("a.txt", "b\n");
        commit(&repo, &["a.txt"], "Edit");
        assert_eq!(repo.read(".git/answer"), "none\n");
    }

    #[test]
    fn a_hook_that_changes_the_commit_alone_leaves_the_file_changed() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable(
            ".git/hooks/pre-commit",
            "#!/bin/sh\nid=$(echo hook | git hash-object -w --stdin)\ngit update-index --cacheinfo 100644,$id,a.txt\n",
        );
        repo.write("a.txt", "edit\n");
        commit(&repo, &["a.txt"], "Edit");
        assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "hook\n");
        assert_eq!(repo.status(), " M a.txt\n");
    }

    #[test]
    fn a_commit_that_the_index_cannot_follow_is_still_known() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable(".git/hooks/pre-commit", "#!/bin/sh\n: > .git/index.lock\n");
        repo.write("a.txt", "edit\n");
        let made = commit(&repo, &["a.txt"], "Edit");
        assert_eq!(repo.git(&["rev-parse", "HEAD"]).trim(), made.id);
        let why = made.index_behind.unwrap();
        assert!(why.contains("index.lock"), "{why}");
        std::fs::remove_file(repo.path(".git/index.lock")).unwrap();
        assert_eq!(open(&repo).take_back(&made.id).unwrap(), TakenBack::Yes);
        assert_eq!(repo.status(), " M a.txt\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_hanging_hook_ends_with_its_children_when_stopped() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable(
            ".git/hooks/pre-commit",
            "#!/bin/sh\nsleep 300 &\necho $! > .git/pid\nwait\n",
        );
        repo.write("a.txt", "edit\n");
        let pid = repo.path(".git/pid");
        let started = pid.clone();
        let git = open(&repo).stopped_by(move || std::fs::read(&started).is_ok_and(|text| text.ends_with(b"\n")));
        let error = git.commit(&[version(&repo, "a.txt")], "Edit", &mut |_| {}).unwrap_err();
        assert!(matches!(&error, Error::Stopped { .. }), "{error:?}");
        assert_eq!(error.to_string(), "`git commit --quiet --file=-` was stopped");
        assert_eq!((repo.subjects().len(), repo.status().as_str()), (1, " M a.txt\n"));
        let child: i32 = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        let alive = std::process::Command::new("kill")
            .args(["-0", &child.to_string()])
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success();
        assert!(!alive || is_zombie(child), "{child} still runs");
    }

    /// Dead, and only not yet collected by whoever took it over.
    #[cfg(unix)]
    fn is_zombie(pid: i32) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z"))
    }

    #[test]
    fn stopped_after_the_commit_it_is_made_all_the_same() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write_executable(".git/hooks/post-commit", "#!/bin/sh\n: > .git/committed\nsleep 300\n");
        repo.write("a.txt", "edit\n");
        let committed = repo.path(".git/committed");
        let git = open(&repo).stopped_by(move || committed.exists());
        let made = git
            .commit(&[version(&repo, "a.txt")], "Edit", &mut |_| {})
            .unwrap()
            .unwrap();
        assert_eq!(repo.git(&["rev-parse", "HEAD"]).trim(), made.id);
        assert_eq!(repo.status(), "");
    }

    #[test]
    fn a_hook_may_take_only_so_long() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        assert!(!open(&repo).has_commit_hooks());
        repo.write_executable(".git/hooks/pre-commit", "#!/bin/sh\nsleep 300\n");
        assert!(open(&repo).has_commit_hooks());
        repo.write("a.txt", "edit\n");
        let git = open(&repo).with_limit(std::time::Duration::from_secs(1));
        let error = git.commit(&[version(&repo, "a.txt")], "Edit", &mut |_| {}).unwrap_err();
        assert!(error.to_string().ends_with("stopped after 1 seconds"), "{error}");
        assert_eq!(repo.status(), " M a.txt\n");
    }

    #[test]
    fn the_message_hook_may_change_the_message() {
        let repo = TestRepo::new();
        repo.write_executable(
            ".git/hooks/commit-msg",
            "#!/bin/sh\necho 'Signed-off-by: X' >> \"$1\"\n",
        );
        repo.write("a.txt", "a\n");
        commit(&repo, &["a.txt"], "First");
        assert_eq!(repo.git(&["log", "-1", "--format=%B"]), "First\nSigned-off-by: X\n\n");
        assert_eq!(repo.status(), "");
    }

    #[test]
    fn hooks_elsewhere_and_hooks_that_cannot_run() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("hooks/note", "")]);
        repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
        repo.write("a.txt", "b\n");
        commit(&repo, &["a.txt"], "Not executable");
        repo.git(&["config", "core.hooksPath", "hooks"]);
        repo.write_executable("hooks/post-commit", "#!/bin/sh\necho ran > .git/ran\n");
        repo.write("a.txt", "c\n");
        commit(&repo, &["a.txt"], "Elsewhere");
        assert_eq!(repo.read(".git/ran"), "ran\n");
    }

    #[test]
    fn signing_settings_are_obeyed() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.git(&["config", "commit.gpgSign", "true"]);
        repo.write_executable(".git/gpg", "#!/bin/sh\necho no such key >&2\nexit 2\n");
        repo.git(&["config", "gpg.program", repo.path(".git/gpg").to_str().unwrap()]);
        repo.write("a.txt", "b\n");
        let error = try_commit(&repo, &["a.txt"], "Edit").unwrap_err().to_string();
        assert!(error.contains("no such key"), "{error}");
        assert_eq!(
            (repo.read("a.txt").as_str(), repo.status().as_str()),
            ("b\n", " M a.txt\n")
        );
        let lock = repo.path(".git/index.lock");
        std::fs::write(&lock, "").unwrap();
        assert!(try_commit(&repo, &["a.txt"], "Edit").is_err());
        assert_eq!(repo.subjects(), ["Start"]);
        std::fs::remove_file(&lock).unwrap();

        repo.write_executable(
            ".git/gpg",
            "#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\necho '-----END PGP SIGNATURE-----'\n",
        );
        let made = commit(&repo, &["a.txt"], "Edit");
        assert!(
            repo.git(&["cat-file", "commit", &made.id])
                .contains("gpgsig -----BEGIN PGP SIGNATURE-----")
        );
        assert_eq!(repo.status(), "");
        assert_eq!(
            repo.git(&["log", "-1", "--format=%an|%cn"]),
            "Test Author|Test Author\n"
        );
    }

    #[test]
    fn filter_programs_clean_what_is_stored() {
        let repo = TestRepo::with(&[("a.txt", "a\n"), (".gitattributes", "*.big filter=big\n")]);
        repo.git(&["config", "filter.big.clean", "tr a-z A-Z"]);
        repo.write("x.big", "large\n");
        commit(&repo, &["x.big"], "Large");
        assert_eq!(repo.git(&["show", "HEAD:x.big"]), "LARGE\n");
        assert_eq!(repo.read("x.big"), "large\n");
        assert_eq!(repo.status(), "");
    }
}

mod kinds_of_repositories {
    use super::*;

    fn plain() -> TestRepo {
        let repo = TestRepo::with(&[("a.txt", "a\n"), ("d/b.txt", "b\n"), ("e/f/c.txt", "c\n")]);
        repo.commit("Second");
        repo
    }

    #[test]
    fn index_version_4() {
        let repo = plain();
        repo.git(&["update-index", "--index-version", "4"]);
        check_whole_round(&repo);
        assert_eq!(repo.git(&["update-index", "--show-index-version"]), "4\n");
    }

    #[test]
    fn split_index() {
        let repo = plain();
        repo.git(&["config", "core.splitIndex", "true"]);
        repo.git(&["update-index", "--split-index"]);
        check_whole_round(&repo);
    }

    #[test]
    fn many_files() {
        let repo = plain();
        repo.git(&["config", "feature.manyFiles", "true"]);
        repo.git(&["update-index", "--force-write-index"]);
        repo.git(&["update-index", "--untracked-cache"]);
        check_whole_round(&repo);
    }

    #[test]
    fn sparse_checkout() {
        for mode in [
            &["--cone", "--sparse-index"][..],
            &["--cone", "--no-sparse-index"],
            &["--no-cone"],
        ] {
            let repo = plain();
            let args = [&["sparse-checkout", "set"], mode, &["d", "new"][..]].concat();
            repo.git(&args);
            if mode[0] == "--no-cone" {
                repo.git(&["sparse-checkout", "set", "--no-cone", "/a.txt", "/d/", "/new/"]);
            }
            assert_eq!(paths(&repo), ["a.txt", "d/b.txt"], "{mode:?}");
            check_whole_round(&repo);
            assert!(!repo.exists("e/f/c.txt"), "{mode:?}");
        }
    }

    #[test]
    fn linked_worktree() {
        let repo = plain();
        let other = repo.path("../linked-worktree-of-a-test");
        let other = other
            .parent()
            .unwrap()
            .join(format!("linked-{}", repo.dir().file_name().unwrap().to_string_lossy()));
        repo.git(&["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
        let found = Repo::discover(&other).unwrap().unwrap();
        std::fs::write(other.join("a.txt"), "edited\n").unwrap();
        let versions = [Version {
            path: "a.txt".to_string(),
            content: Some(b"edited\n".to_vec()),
            executable: false,
        }];
        let made = found.commit(&versions, "Edit", &mut |_| {}).unwrap().unwrap();
        assert_eq!(repo.git(&["rev-parse", "side"]).trim(), made.id);
        assert_eq!(repo.git(&["log", "-1", "--format=%s", "main"]), "Second\n");
        let status = repo.git_in(&other, &["status", "--porcelain"]);
        assert_eq!(String::from_utf8_lossy(&status.stdout), "");
        assert_eq!(found.take_back(&made.id).unwrap(), TakenBack::Yes);
        std::fs::remove_dir_all(&other).unwrap();
    }

    #[test]
    fn submodules_are_not_files_and_their_files_not_ours_to_commit() {
        let inner = TestRepo::with(&[("in.txt", "i\n")]);
        let repo = plain();
        for name in ["sub", "missing"] {
            repo.git(&[
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "add",
                "-q",
                inner.root().to_str().unwrap(),
                name,
            ]);
        }
        repo.commit("Submodules");
        repo.git(&["submodule", "deinit", "-q", "-f", "missing"]);
        std::fs::remove_dir_all(repo.path("missing")).unwrap();
        assert_eq!(paths(&repo), [".gitmodules", "a.txt", "d/b.txt", "e/f/c.txt"]);
        assert_eq!(open(&repo).submodules().unwrap(), ["missing", "sub"]);
        assert!(open(&repo).dirty().unwrap().is_empty());

        repo.write("sub/in.txt", "edit\n");
        repo.write("a.txt", "edit\n");
        let made = commit(&repo, &["a.txt", "sub/in.txt"], "Edit");
        assert_eq!(touched(&repo, &made.id), ["M a.txt"]);
        // It is a repository of its own.
        let found = Repo::discover(&repo.path("sub")).unwrap().unwrap();
        assert_eq!(found.root(), repo.path("sub"));
        assert_eq!(found.dirty().unwrap(), ["in.txt"]);
    }

    #[test]
    fn a_repository_within_is_not_entered() {
        let repo = plain();
        repo.git(&["init", "-q", "within"]);
        repo.write("within/x.txt", "x\n");
        assert_eq!(paths(&repo), ["a.txt", "d/b.txt", "e/f/c.txt"]);
        assert_eq!(try_commit(&repo, &["within/x.txt"], "No").unwrap(), None);
    }

    #[test]
    fn names_outside_ascii_and_with_quotes_and_newlines() {
        let names = [
            "notes/été/計画.md",
            "a \"quoted\"\nname.txt",
            "tab\there",
            "back\\slash",
            "-dash",
        ];
        for hooks in [false, true] {
            let repo = plain();
            if hooks {
                repo.write_executable(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
            }
            for name in names {
                repo.write(name, "x\n");
            }
            let made = commit(&repo, &names, "Names");
            assert_eq!(repo.status(), "");
            let tracked = listed(&repo);
            for name in names {
                assert!(
                    tracked.iter().any(|(path, tracked, _)| path == name && *tracked),
                    "{name:?}"
                );
            }
            repo.write(names[0], "y\n");
            assert_eq!(open(&repo).dirty().unwrap(), [names[0]]);
            assert!(open(&repo).diff(None).unwrap().contains("+y"));
            let mut in_history: Vec<String> = open(&repo).history(1).unwrap()[0]
                .files
                .iter()
                .map(|(path, _)| path.clone())
                .collect();
            in_history.sort();
            let mut expected = names.to_vec();
            expected.sort_unstable();
            assert_eq!(in_history, expected);
            assert_eq!(open(&repo).take_back(&made.id).unwrap(), TakenBack::Yes);
            assert_eq!(repo.git(&["ls-files"]), "a.txt\nd/b.txt\ne/f/c.txt\n");
        }
    }

    #[test]
    fn partial_clone() {
        let repo = plain();
        repo.git(&["config", "core.repositoryFormatVersion", "1"]);
        repo.git(&["config", "extensions.partialClone", "origin"]);
        repo.git(&["config", "remote.origin.url", repo.root().to_str().unwrap()]);
        check_whole_round(&repo);
    }

    #[cfg(unix)]
    #[test]
    fn a_read_only_git_folder_is_one_line() {
        use std::os::unix::fs::PermissionsExt;
        let repo = plain();
        repo.write("a.txt", "edit\n");
        // The superuser writes everywhere; a file in the place of the object folder stops everyone.
        std::fs::set_permissions(repo.path(".git"), std::fs::Permissions::from_mode(0o555)).unwrap();
        let objects = repo.path(".git/objects");
        std::fs::rename(&objects, repo.path(".git/objects.away")).unwrap_or(());
        std::fs::write(&objects, "").unwrap_or(());
        let error = match Repo::discover(repo.root()) {
            Ok(Some(found)) => found
                .commit(&[version(&repo, "a.txt")], "Edit", &mut |_| {})
                .unwrap_err(),
            Ok(None) => panic!("no repository"),
            Err(error) => error,
        };
        std::fs::set_permissions(repo.path(".git"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!error.to_string().contains('\n'), "{error}");
        assert_eq!(repo.read("a.txt"), "edit\n");
    }
}

mod taking_back {
    use super::*;

    fn why(repo: &TestRepo, commit: &str) -> String {
        match open(repo).take_back(commit).unwrap() {
            TakenBack::No(why) => why,
            TakenBack::Yes => panic!("taken back"),
        }
    }

    #[test]
    fn each_refusal_says_why() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        let first = repo.git(&["rev-parse", "HEAD"]).trim().to_string();
        repo.write("a.txt", "b\n");
        let second = commit(&repo, &["a.txt"], "Ours").id;
        repo.write("b.txt", "b\n");
        let third = repo.commit("The user's own");
        assert_eq!(
            why(&repo, &second),
            format!("commit {} (The user's own) stands on top of it", &third[..7])
        );
        assert_eq!(
            why(&repo, "0123456789012345678901234567890123456789"),
            "there is no commit `0123456789012345678901234567890123456789`"
        );
        repo.git(&["checkout", "-q", "-b", "other", &first]);
        assert_eq!(
            why(&repo, &second),
            format!(
                "it is not on the current branch, whose newest commit is {} (Start)",
                &first[..7]
            )
        );
        repo.git(&["checkout", "-q", "main"]);
        repo.git(&["merge", "-q", "--no-ff", "--no-edit", "-s", "ours", "other", "-m", "x"]);
        repo.git(&["update-ref", "refs/remotes/origin/main", &third]);
        assert_eq!(why(&repo, &third), "it was pushed to `origin/main`");
        repo.write("c.txt", "c\n");
        repo.git(&["checkout", "-q", "other"]);
        repo.commit("Other");
        repo.git(&["merge", "-q", "--no-ff", "main", "-m", "Merge"]);
        let merge = repo.git(&["rev-parse", "HEAD"]).trim().to_string();
        assert_eq!(why(&repo, &merge), "it is a merge");
    }

    #[test]
    fn what_was_staged_in_its_lines_since_keeps_it() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("a.txt", "b\n");
        let made = commit(&repo, &["a.txt"], "Ours").id;
        repo.write("a.txt", "c\n");
        repo.git(&["add", "a.txt"]);
        assert_eq!(
            why(&repo, &made),
            "`a.txt` has staged changes of your own in the same lines"
        );
        assert_eq!(repo.git(&["rev-parse", "HEAD"]).trim(), made);
        assert_eq!(repo.status(), "M  a.txt\n");
    }

    #[test]
    fn twice_walks_back_twice() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.write("a.txt", "b\n");
        let one = commit(&repo, &["a.txt"], "One").id;
        repo.write("a.txt", "c\n");
        let two = commit(&repo, &["a.txt"], "Two").id;
        assert_eq!(open(&repo).take_back(&two).unwrap(), TakenBack::Yes);
        assert_eq!(open(&repo).take_back(&one).unwrap(), TakenBack::Yes);
        assert_eq!(repo.subjects(), ["Start"]);
        assert!(
            repo.git(&["reflog", "-1", "--format=%gs"])
                .starts_with("reset: taking back ")
        );
    }

    #[test]
    fn the_first_commit_of_a_detached_head_stays() {
        let repo = TestRepo::new();
        repo.write("a.txt", "a\n");
        let first = commit(&repo, &["a.txt"], "First").id;
        repo.git(&["checkout", "-q", "--detach"]);
        assert_eq!(
            why(&repo, &first),
            "it is the first commit and no branch is checked out"
        );
    }
}

mod looking {
    use super::*;

    #[test]
    fn the_diff_shows_renames_untracked_files_and_no_binary_bytes() {
        let repo = TestRepo::with(&[("a.txt", "1\n2\n3\n4\n5\n"), ("bin", "x\0y")]);
        std::fs::rename(repo.path("a.txt"), repo.path("b.txt")).unwrap();
        repo.write("bin", "x\0z");
        repo.write("new.txt", "new\n");
        let diff = open(&repo).diff(None).unwrap();
        assert!(diff.contains("rename from a.txt\nrename to b.txt"), "{diff}");
        assert!(diff.contains("Binary files a/bin and b/bin differ"), "{diff}");
        assert!(diff.contains("+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n"), "{diff}");
        assert!(open(&repo).diff(Some("no-such-thing")).is_err());
    }

    #[test]
    fn history_with_renames_and_without_merges() {
        let repo = TestRepo::with(&[("a.txt", "1\n2\n3\n4\n5\n"), ("b.txt", "b\n")]);
        repo.git(&["mv", "a.txt", "c.txt"]);
        repo.commit("Rename: \"a\" to c");
        repo.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
        repo.write("d.txt", "d\n");
        repo.commit("Side");
        repo.git(&["checkout", "-q", "main"]);
        repo.git(&["merge", "-q", "--no-ff", "side", "-m", "Merge"]);
        std::fs::remove_file(repo.path("b.txt")).unwrap();
        repo.commit("Delete");
        let history = open(&repo).history(100).unwrap();
        let mut seen: Vec<String> = history
            .iter()
            .map(|commit| format!("{}: {:?}", commit.subject, commit.files))
            .collect();
        assert_eq!(seen[0], r#"Delete: [("b.txt", None)]"#);
        seen.sort();
        let expected = [
            r#"Delete: [("b.txt", None)]"#,
            r#"Rename: "a" to c: [("c.txt", Some("a.txt"))]"#,
            r#"Side: [("d.txt", None)]"#,
            r#"Start: [("a.txt", None), ("b.txt", None)]"#,
        ];
        assert_eq!(seen, expected);
        assert_eq!(open(&repo).history(2).unwrap().len(), 2);
    }

    #[test]
    fn a_shallow_clone_says_so() {
        let repo = TestRepo::with(&[("a.txt", "a\n")]);
        repo.commit("Second");
        repo.commit("Third");
        assert!(!open(&repo).is_shallow());
        let url = format!("file://{}", repo.root().display());
        repo.git(&["clone", "-q", "--depth", "2", &url, "clone"]);
        let found = Repo::discover(&repo.path("clone")).unwrap().unwrap();
        assert!(found.is_shallow());
        let subjects: Vec<String> = found
            .history(10)
            .unwrap()
            .into_iter()
            .map(|commit| commit.subject)
            .collect();
        assert_eq!(subjects, ["Third", "Second"]);
    }

    #[test]
    fn line_endings_that_attributes_ask_for() {
        let repo = TestRepo::with(&[(
            ".gitattributes",
            "*.bat eol=crlf\n*.sh eol=lf\n*.bin -text\n*.txt text\n*.md text=auto\n",
        )]);
        let eol = |path: &str| open(&repo).eol(path);
        assert_eq!(eol("a.bat"), Some(Eol::CrLf));
        assert_eq!(eol("new/a.sh"), Some(Eol::Lf));
        assert_eq!(eol("a.bin"), None);
        assert_eq!(eol("a.rs"), None);
        repo.git(&["config", "core.eol", "crlf"]);
        assert_eq!(eol("a.txt"), Some(Eol::CrLf));
        assert_eq!(eol("a.rs"), None);
        repo.git(&["config", "core.autocrlf", "input"]);
        assert_eq!(eol("a.rs"), Some(Eol::Lf));
        assert_eq!(eol("a.md"), Some(Eol::Lf));
        repo.git(&["config", "core.autocrlf", "true"]);
        assert_eq!(eol("a.rs"), Some(Eol::CrLf));
        assert_eq!(eol("a.sh"), Some(Eol::Lf));
        assert_eq!(eol("a.bin"), None);
    }

    #[test]
    fn the_root_has_no_slash_at_its_end() {
        let repo = TestRepo::new();
        assert!(!open(&repo).root().to_string_lossy().ends_with('/'));
        assert_eq!(open(&repo).git_dir(), Path::new(&repo.path(".git")));
    }
}
