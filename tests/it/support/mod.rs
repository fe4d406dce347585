//! What the test modules share: walking fixture folders, comparing with expected files.
#![allow(dead_code)] // each helper is used by some areas only

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) mod made_up;
pub(crate) mod repo;

/// `fixtures/<area>`.
pub(crate) fn fixtures(area: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(area)
}

/// The case folders of an area, sorted; an area without cases is an error of the test itself.
pub(crate) fn cases(area: &str) -> Vec<PathBuf> {
    let dir = fixtures(area);
    let mut found: Vec<PathBuf> = fs::read_dir(&dir)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", dir.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no case in {}", dir.display());
    found
}

/// Runs `check` on every case of an area, on all cores, then reports all that failed, by folder name.
pub(crate) fn check_all(area: &str, check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let cases = cases(area);
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    // Threads of our own: a case that waits for rayon's pool must not stand on one of its threads.
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = case.file_name().unwrap().to_string_lossy().into_owned();
                    if let Err(message) = check(case) {
                        failed.lock().unwrap().push(format!("--- {area}/{name}\n{message}"));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    assert!(
        failed.is_empty(),
        "{} of {} cases failed\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n")
    );
}

/// Says that a test, or a part of it, cannot hold anything on this machine.
#[allow(clippy::print_stderr)] // whoever reads the output of the tests has to see it
pub(crate) fn left_out(why: &str) {
    eprintln!("left out: {why}");
}

/// Compares `actual` with the expected file. With `UPDATE_FIXTURES=1` the file is written instead.
pub(crate) fn expect_file(path: &Path, actual: &str) -> Result<(), String> {
    let expected = fs::read_to_string(path).ok();
    if expected.as_deref() == Some(actual) {
        return Ok(());
    }
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(path, actual).unwrap();
        return Ok(());
    }
    match expected {
        None => Err(format!(
            "{} is missing; run with UPDATE_FIXTURES=1 and read the result:\n{actual}",
            path.display()
        )),
        Some(expected) => Err(format!("{} differs:\n{}", path.display(), line_diff(&expected, actual))),
    }
}

/// A unified diff, expected against actual.
pub(crate) fn line_diff(expected: &str, actual: &str) -> String {
    similar::TextDiff::from_lines(expected, actual)
        .unified_diff()
        .header("expected", "actual")
        .to_string()
}

/// All files below `dir` as (path with `/`, bytes), sorted. Links are listed as `link -> target`.
pub(crate) fn tree(dir: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(dir: &Path, prefix: &str, out: &mut Vec<(String, Vec<u8>)>) {
        let Ok(entries) = fs::read_dir(dir) else { return };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_symlink() {
                out.push((
                    name,
                    format!("link -> {}", fs::read_link(&path).unwrap().display()).into_bytes(),
                ));
            } else if kind.is_dir() {
                walk(&path, &format!("{name}/"), out);
            } else {
                out.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    let mut out = Vec::new();
    walk(dir, "", &mut out);
    out
}

/// Copies a folder with everything below it.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (name, bytes) in tree(from) {
        let path = to.join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
