//! The repository map, from a folder on disk to its text. A case of `fixtures/repo_map` is a tree (`repo/`), what is asked
//! (`ask.toml`) and the map (`expected.txt`).

use std::fs;
use std::path::Path;

use codriver::repo_map::MapText;
use codriver::session::map::{MapRequest, MapService, MapSource};
use codriver::tokens;
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use crate::support::made_up;
use crate::support::repo::TestRepo;
use crate::support::{check_all, copy_tree, expect_file};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AskFile {
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    subtree: String,
    tokens: usize,
}

fn service(root: &Path, cache: Option<&Path>) -> MapService {
    MapService::new(MapSource {
        root: root.to_path_buf(),
        cache_dir: cache.map(Path::to_path_buf),
        subtree: String::new(),
    })
}

fn request(files: &[&str], message: &str, tokens: usize) -> MapRequest {
    MapRequest {
        chat_files: files.iter().map(ToString::to_string).collect(),
        message: message.to_string(),
        tokens,
    }
}

fn map_of(service: &mut MapService, request: &MapRequest) -> MapText {
    let map = service.map(request, &CancellationToken::new()).unwrap();
    check_contract(&map, request.tokens);
    map
}

/// What holds for every map: the tokens are real and under the ceiling, and the files counted are those named.
fn check_contract(map: &MapText, budget: usize) {
    let real = tokens::count(&map.text);
    assert!(
        real <= map.tokens && map.tokens <= budget,
        "{real} real, {} said, {budget} allowed:\n{}",
        map.tokens,
        map.text
    );
    assert_eq!(
        map.text.lines().filter(|line| !line.starts_with(' ')).count(),
        map.files,
        "{}",
        map.text
    );
}

fn paths(map: &MapText) -> Vec<&str> {
    map.text
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.trim_end_matches(':'))
        .collect()
}

#[test]
fn maps_are_as_expected() {
    check_all("repo_map", |case| {
        let ask: AskFile =
            toml::from_str(&fs::read_to_string(case.join("ask.toml")).unwrap()).map_err(|e| e.to_string())?;
        let (dir, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        copy_tree(&case.join("repo"), dir.path());
        let source = MapSource {
            root: dir.path().to_path_buf(),
            cache_dir: Some(cache.path().to_path_buf()),
            subtree: ask.subtree.clone(),
        };
        let files: Vec<&str> = ask.files.iter().map(String::as_str).collect();
        let request = request(&files, &ask.message, ask.tokens);
        let cold = map_of(&mut MapService::new(source.clone()), &request);
        let mut second = MapService::new(source.clone());
        second.warm_up();
        let warm = map_of(&mut second, &request);
        second.save();
        let from_snapshot = map_of(&mut MapService::new(source), &request);
        if cold != warm || cold != from_snapshot {
            return Err(format!(
                "not the same again:\n{}---\n{}---\n{}",
                cold.text, warm.text, from_snapshot.text
            ));
        }
        expect_file(&case.join("expected.txt"), &cold.text)
    });
}

/// A project with enough in it that no small budget holds it all.
fn large() -> Vec<(String, String)> {
    (0..60)
        .map(|i| {
            let mut text = String::new();
            for j in 0..12 {
                let body = "    total += 1\n".repeat(j % 5);
                text.push_str(&format!(
                    "class Worker{i}x{j}:\n    def handle_job_{i}_{j}(self, queue, retries=3):\n        return step_{}_{j}(queue)\n\n\ndef step_{i}_{j}(queue):\n    total = 0\n{body}    return total\n\n\n",
                    (i * 7 + j) % 60
                ));
            }
            (format!("app/part{}/module{i}.py", i % 7), text)
        })
        .collect()
}

fn write_all(root: &Path, files: &[(String, String)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn the_budget_is_a_ceiling_and_is_filled() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large());
    let mut service = service(dir.path(), None);
    for tokens in [0, 1, 7, 40, 100, 333, 1024, 4096] {
        for (files, message) in [
            (&[][..], ""),
            (&["app/part1/module1.py"][..], "handle the job of worker 5"),
        ] {
            let map = map_of(&mut service, &request(files, message, tokens));
            let filled = map.tokens as f64 / tokens.max(1) as f64;
            assert!(filled >= 0.95 || tokens < 300, "{tokens}: {}\n{}", map.tokens, map.text);
        }
    }
}

#[test]
fn a_third_of_the_tokens_goes_to_signatures() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large());
    let map = map_of(
        &mut service(dir.path(), None),
        &request(&["app/part1/module1.py"], "retry a job", 1024),
    );
    let signatures: usize = map
        .text
        .lines()
        .filter(|line| line.starts_with(' ') && !line.starts_with(" ⋮"))
        .map(|line| tokens::count(&format!("{line}\n")))
        .sum();
    assert!(3 * signatures >= 1024, "{signatures} of 1024:\n{}", map.text);
}

#[test]
fn every_line_stands_in_its_file() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large());
    let map = map_of(&mut service(dir.path(), None), &request(&[], "worker", 2000));
    let mut text = String::new();
    for line in map.text.lines() {
        if !line.starts_with(' ') {
            text = fs::read_to_string(dir.path().join(line.trim_end_matches(':'))).unwrap();
        } else if let Some(names) = line.strip_prefix(" ⋮") {
            let names = names.trim_start();
            assert!(
                names.is_empty() || names.split(' ').all(|name| text.contains(name)),
                "{line}"
            );
        } else {
            assert!(text.contains(line.trim()), "{line}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_project_and_request_keep_the_contract(
        files in proptest::collection::vec(("[a-c]{1,2}(/[a-d_]{1,6}){0,2}", "py|rs|zz|md|json|toml|test.ts", "(def|fn|class|#|\\{|\"|x|é|⋮|…| |\n|:|\\(|\\)|[a-z_]{3,9}){0,60}"), 0..12),
        chat in "[a-c]{1,2}/[a-d_]{1,3}\\.py",
        message in "([a-z_./]{1,9} ?){0,8}",
        tokens in 0_usize..400,
    ) {
        let dir = tempfile::tempdir().unwrap();
        for (path, extension, text) in &files {
            let path = dir.path().join(format!("{path}.{extension}"));
            if fs::create_dir_all(path.parent().unwrap()).is_ok() {
                let _ = fs::write(path, text);
            }
        }
        let request = request(&[&chat], &message, tokens);
        let first = map_of(&mut service(dir.path(), None), &request);
        let second = map_of(&mut service(dir.path(), None), &request);
        prop_assert_eq!(first, second);
    }
}

#[test]
fn what_changed_together_comes_first() {
    let repo = TestRepo::with(&[
        ("src/alpha.py", "def one():\n    return 1\n"),
        ("src/beta.py", "def two():\n    return 2\n"),
        ("src/gamma.py", "def three():\n    return 3\n"),
        ("src/delta.py", "def four():\n    return 4\n"),
    ]);
    for n in 0..3 {
        repo.write("src/alpha.py", format!("def one():\n    return 1{n}\n"));
        repo.write("src/gamma.py", format!("def three():\n    return 3{n}\n"));
        repo.commit("Keep both in step");
    }
    let mut service = service(repo.root(), None);
    let map = map_of(&mut service, &request(&["src/alpha.py"], "", 11));
    assert_eq!(paths(&map)[0], "src/gamma.py", "{}", map.text);
    // A renamed file keeps what its old name learnt.
    repo.git(&["mv", "src/gamma.py", "src/omega.py"]);
    repo.commit("Rename");
    let map = map_of(&mut service, &request(&["src/alpha.py"], "", 11));
    assert_eq!(paths(&map)[0], "src/omega.py", "{}", map.text);
}

#[test]
fn a_file_that_git_vouches_for_is_not_opened_again() {
    let repo = TestRepo::with(&[
        ("a.py", "def first():\n    pass\n"),
        ("b.py", "def other():\n    pass\n"),
    ]);
    let cache = tempfile::tempdir().unwrap();
    let ask = request(&[], "", 100);
    let before = {
        let mut service = service(repo.root(), Some(cache.path()));
        let map = map_of(&mut service, &ask);
        service.save();
        map
    };
    // An index written later than the files vouches for them; other bytes with the same stamp go unseen.
    let path = repo.root().join("a.py");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let later = modified + std::time::Duration::from_secs(5);
    fs::File::options()
        .write(true)
        .open(repo.root().join(".git/index"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    let first = map_of(&mut service(repo.root(), Some(cache.path())), &ask);
    assert_eq!(first, before);
    fs::write(&path, "def changed_a_lot():\n    pass\n").unwrap();
    let changed = map_of(&mut service(repo.root(), Some(cache.path())), &ask);
    assert!(changed.text.contains("changed_a_lot"), "{}", changed.text);
}

#[test]
fn a_change_between_turns_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large()[..5]);
    let mut service = service(dir.path(), None);
    let ask = request(&[], "", 3000);
    map_of(&mut service, &ask);
    fs::write(dir.path().join("app/new.py"), "def brand_new():\n    return 1\n").unwrap();
    fs::write(
        dir.path().join("app/part0/module0.py"),
        "def rewritten(count):\n    return count\n",
    )
    .unwrap();
    fs::remove_file(dir.path().join("app/part1/module1.py")).unwrap();
    let map = map_of(&mut service, &ask);
    assert!(
        map.text.contains("brand_new") && map.text.contains("rewritten"),
        "{}",
        map.text
    );
    assert!(!map.text.contains("module1.py"), "{}", map.text);
}

#[test]
fn nasty_files_are_skipped_and_listed() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    write("good.py", b"def good():\n    return nested\n");
    write("nested.ts", "[".repeat(20_000).as_bytes());
    write(
        "parens.rs",
        format!("fn f() {{ {}1{} }}", "(".repeat(20_000), ")".repeat(20_000)).as_bytes(),
    );
    write("line.js", format!("var x = '{}';", "a".repeat(900_000)).as_bytes());
    let noise: Vec<u8> = (0..40_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    write("random.ts", &noise);
    write("latin1.py", b"# caf\xe9\ndef latin():\n    return 1\n");
    fs::File::create(dir.path().join("huge.json"))
        .unwrap()
        .set_len(5 << 30)
        .unwrap();
    fs::File::create(dir.path().join("huge.c"))
        .unwrap()
        .set_len(5 << 30)
        .unwrap();
    let mut service = service(dir.path(), None);
    let map = map_of(&mut service, &request(&[], "", 1024));
    assert!(map.text.contains("good") && map.text.contains("latin"), "{}", map.text);
    for name in ["line.js", "random.ts", "huge.json"] {
        assert!(!paths(&map).contains(&name), "{name}:\n{}", map.text);
    }
    let skipped: Vec<String> = service.skipped().into_iter().map(|file| file.path).collect();
    for name in ["line.js", "random.ts", "huge.json", "huge.c"] {
        assert!(skipped.contains(&name.to_string()), "{name} of {skipped:?}");
    }
}

#[test]
fn any_damage_to_the_cache_is_made_good() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large()[..8]);
    let ask = request(&[], "worker", 500);
    let expected = map_of(&mut service(dir.path(), None), &ask);
    let cache = tempfile::tempdir().unwrap();
    let run = || {
        let mut service = service(dir.path(), Some(cache.path()));
        let map = map_of(&mut service, &ask);
        service.save();
        assert_eq!(map, expected);
        service.take_notices()
    };
    assert_eq!(run(), Vec::<String>::new());
    let database = cache.path().join("tags.sqlite");
    let snapshot = fs::read_dir(cache.path().join("maps"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = fs::read(&database).unwrap();
    let noise: Vec<u8> = (0..whole.len())
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8)
        .collect();
    let mut scrambled_inside = whole.clone();
    let middle = whole.len() / 2;
    scrambled_inside[middle..].copy_from_slice(&noise[middle..]);
    for damaged in [&noise[..], &whole[..whole.len() / 3], &b""[..], &scrambled_inside] {
        fs::write(&snapshot, damaged).unwrap();
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(cache.path().join(format!("tags.sqlite{suffix}")));
        }
        fs::write(&database, damaged).unwrap();
        let notices = run();
        assert!(notices.len() <= 1, "{notices:?}");
        assert_eq!(run(), Vec::<String>::new(), "good again");
    }
    // A folder in the database's place cannot be used at all.
    fs::remove_file(&snapshot).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(cache.path().join(format!("tags.sqlite{suffix}")));
    }
    fs::create_dir(&database).unwrap();
    assert_eq!(run().len(), 1);
}

/// However many threads read and rank, and whatever was in the caches before.
#[test]
fn any_number_of_threads_gives_the_same_map() {
    let repo = TestRepo::new();
    write_all(repo.root(), &large());
    write_all(
        repo.root(),
        &[("docs/größe.md".to_owned(), "# Größe\n\nnaïve café\n".to_owned())],
    );
    repo.commit("first");
    let ask = request(&["app/part1/module1.py"], "handle the job of worker 5", 800);
    let expected = map_of(&mut service(repo.root(), None), &ask);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let cache = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let map = pool.install(|| {
                let mut service = service(repo.root(), Some(cache.path()));
                service.map_and_save(&ask, &CancellationToken::new()).unwrap()
            });
            assert_eq!(map, expected, "{threads} threads");
        }
    }
}

/// What one process wrote while it made its map is all that the next one needs.
#[test]
fn what_was_saved_beside_the_map_is_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large());
    let cache = tempfile::tempdir().unwrap();
    let ask = request(&[], "worker", 500);
    let map = |service: &mut MapService| service.map_and_save(&ask, &CancellationToken::new()).unwrap();
    let first = map(&mut service(dir.path(), Some(cache.path())));
    fs::remove_file(cache.path().join("tags.sqlite")).unwrap();
    let mut second = service(dir.path(), Some(cache.path()));
    assert_eq!(map(&mut second), first);
    assert!(
        !cache.path().join("tags.sqlite").exists(),
        "the snapshot held every file"
    );
    // Without the snapshot the tag cache holds them: what was parsed is in it when the map is there.
    let cache = tempfile::tempdir().unwrap();
    map_of(&mut service(dir.path(), Some(cache.path())), &ask);
    assert!(!cache.path().join("maps").exists(), "nothing was saved");
    let connection = rusqlite::Connection::open(cache.path().join("tags.sqlite")).unwrap();
    let kept: i64 = connection
        .query_row("SELECT count(*) FROM records", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, large().len() as i64);
}

#[test]
fn two_at_once_share_a_cache() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large()[..20]);
    let cache = tempfile::tempdir().unwrap();
    let ask = request(&[], "worker", 500);
    let expected = map_of(&mut service(dir.path(), None), &ask);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let mut service = service(dir.path(), Some(cache.path()));
                    assert_eq!(map_of(&mut service, &ask), expected);
                    service.save();
                    assert_eq!(service.take_notices(), Vec::<String>::new());
                }
            });
        }
    });
}

#[test]
fn the_root_of_the_file_system_is_not_scanned() {
    let mut service = service(Path::new("/"), None);
    assert_eq!(map_of(&mut service, &request(&[], "", 1000)), MapText::default());
    assert_eq!(service.take_notices().len(), 1);
    map_of(&mut service, &request(&[], "", 1000));
    assert_eq!(service.take_notices(), Vec::<String>::new(), "told once");
}

#[test]
fn a_cancelled_map_is_empty_and_the_next_one_whole() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large());
    let mut service = service(dir.path(), None);
    service.warm_up();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ask = request(&[], "", 1000);
    assert_eq!(service.map(&ask, &cancel).unwrap(), MapText::default());
    assert!(map_of(&mut service, &ask).files > 20);
}

#[test]
fn one_word_does_not_swing_the_map() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &large());
    let mut service = service(dir.path(), None);
    let chat = &["app/part1/module1.py"];
    let ask = |service: &mut MapService, message: &str| -> Vec<String> {
        let map = map_of(service, &request(chat, message, 600));
        paths(&map).iter().map(ToString::to_string).collect()
    };
    let without = ask(&mut service, "handle the job of a worker with retries in the queue");
    let with = ask(
        &mut service,
        "handle the job of a worker with retries in the queue please step",
    );
    let common = without.iter().filter(|path| with.contains(path)).count();
    assert!(2 * common >= without.len(), "{without:?}\n{with:?}");
}

#[test]
fn a_change_and_its_undoing_give_the_first_map_again() {
    let (dir, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    made_up::lay_out(dir.path(), 200);
    let ask = request(&[], "where is frobnicate", 400);
    let first = map_of(&mut service(dir.path(), Some(cache.path())), &ask);
    let (path, text) = made_up::files(200).nth(100).unwrap();
    let mut running = service(dir.path(), Some(cache.path()));
    assert_eq!(map_of(&mut running, &ask), first);
    running.save();
    fs::write(
        dir.path().join(&path),
        format!("{text}\n\ndef frobnicate(device):\n    return device\n"),
    )
    .unwrap();
    let changed = map_of(&mut running, &ask);
    assert!(changed.text.contains("def frobnicate(device)"), "{}", changed.text);
    assert_eq!(map_of(&mut service(dir.path(), Some(cache.path())), &ask), changed);
    fs::write(dir.path().join(&path), &text).unwrap();
    assert_eq!(map_of(&mut running, &ask), first);
    assert_eq!(map_of(&mut service(dir.path(), Some(cache.path())), &ask), first);
}

#[test]
fn leaving_stops_what_is_read_in_the_background() {
    let (dir, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    made_up::lay_out(dir.path(), 2_000);
    let ask = request(&[], "merge the ledger", 400);
    let mut left = service(dir.path(), Some(cache.path()));
    left.warm_up();
    left.save();
    drop(left);
    let next = map_of(&mut service(dir.path(), Some(cache.path())), &ask);
    assert_eq!(next, map_of(&mut service(dir.path(), None), &ask));
}

#[test]
fn what_a_definition_says_inside_brings_it_forward() {
    let dir = tempfile::tempdir().unwrap();
    let method = |name: &str, word: &str| format!("    def {name}(self, item):\n        return self.{word}(item)\n\n");
    let mut text = "class Store:\n".to_string();
    for n in 0..40 {
        let word = if n == 33 { "expire_ticket" } else { "load" };
        text.push_str(&method(&format!("step{n}"), word));
    }
    write_all(dir.path(), &[("store.py".to_string(), text)]);
    write_all(dir.path(), &large()[..10]);
    let map = map_of(
        &mut service(dir.path(), None),
        &request(&[], "tickets expire too late", 120),
    );
    assert!(map.text.contains("step33"), "{}", map.text);
}

#[test]
fn a_module_that_the_chat_imports_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let mut files: Vec<(String, String)> = (0..30)
        .map(|i| (format!("lib/part{i}.js"), format!("export const value{i} = {i}\n")))
        .collect();
    files.push(("lib/ledger.js".into(), "export const opened = 1\n".into()));
    files.push((
        "app.js".into(),
        "import anything from './lib/ledger'\nanything()\n".into(),
    ));
    write_all(dir.path(), &files);
    let map = map_of(&mut service(dir.path(), None), &request(&["app.js"], "", 30));
    assert!(paths(&map).contains(&"lib/ledger.js"), "{}", map.text);
}

#[test]
fn a_hundred_thousand_files_are_no_trouble() {
    use codriver::repo_map::corpus::{Corpus, Entry};
    use codriver::repo_map::{self, Ask, ChatFile, graph::Graph, history::History, words::Query};
    let entries = (0..100_000).map(|n| Entry {
        path: format!("part{}/unit{n}.py", n % 300).into(),
        path_tokens: 9,
        record: None,
    });
    let corpus = Corpus::new(entries.collect());
    let graph = Graph::new(&corpus);
    let history = History::default();
    for (chat, message) in [("part7/unit7.py", "unit77777"), ("gone.py", ""), ("part7/unit7.py", "")] {
        let ask = Ask {
            chat: vec![ChatFile {
                path: chat.into(),
                text: "import unit4242\n".into(),
            }],
            query: Query::new(message),
            tokens: 1024,
        };
        let map = repo_map::map(&corpus, &history, Some(&graph), &ask, &|_, _| Vec::new());
        assert!(map.tokens <= 1024 && map.files > 50, "{}", map.text);
        assert!(message.is_empty() || map.text.contains("unit77777.py"), "{}", map.text);
    }
}
