//! Made-up projects of any size, always the same for the same size: files in four languages that define types and functions and
//! use those of other files, near ones most.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Files in one folder.
const FOLDER: usize = 40;

/// The path and the text of each of `n` files.
pub(crate) fn files(n: usize) -> impl Iterator<Item = (String, String)> {
    (0..n).map(move |file| {
        let folder = file / FOLDER;
        let stem = format!("area{}/part{folder}/{}_{file}", folder % 23, NOUNS[file % NOUNS.len()]);
        match file % 4 {
            0 => (format!("{stem}.py"), python(file, n)),
            1 => (format!("{stem}.rs"), rust(file, n)),
            2 => (format!("{stem}.ts"), typescript(file, n)),
            _ => (format!("{stem}.go"), go(file, n)),
        }
    })
}

/// Writes the files and commits them.
pub(crate) fn lay_out(root: &Path, n: usize) {
    for (path, text) in files(n) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("every path has a folder")).expect("the folder is made");
        fs::write(path, text).expect("the file is written");
    }
    for args in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "commit",
            "--quiet",
            "-m",
            "start",
        ],
    ] {
        let done = Command::new("git").args(args).current_dir(root).status();
        assert!(done.is_ok_and(|status| status.success()), "git {args:?}");
    }
}

const NOUNS: [&str; 12] = [
    "order", "invoice", "parser", "session", "cache", "router", "ledger", "device", "report", "token", "queue",
    "policy",
];
const VERBS: [&str; 9] = [
    "load", "store", "check", "merge", "render", "resolve", "update", "drop", "count",
];

/// Functions of a file; most files are short.
fn functions(file: usize) -> usize {
    3 + file % 7 + if file.is_multiple_of(31) { 40 } else { 0 }
}

fn function(file: usize, idx: usize) -> String {
    format!(
        "{}_{}_{file}_{idx}",
        VERBS[(file + idx) % VERBS.len()],
        NOUNS[file % NOUNS.len()]
    )
}

/// A function of another file: of a near one, or now and then of one that all use.
fn called(file: usize, idx: usize, n: usize) -> String {
    let other = match (file + idx) % 5 {
        0 => (idx * 7) % n.min(50),
        step => (file + step * 3 + idx) % n,
    };
    function(other, idx % functions(other))
}

fn python(file: usize, n: usize) -> String {
    let mut text = format!("\"\"\"Part {file} of the made-up project.\"\"\"\n\n\nclass Holder{file}:\n");
    for idx in 0..functions(file) {
        let (name, other) = (function(file, idx), called(file, idx, n));
        text += &format!(
            "    def {name}(self, amount, retries={idx}):\n        # Tries again as long as it may.\n        found = {other}(amount)\n        for attempt in range(retries):\n            found += attempt\n        return found\n\n"
        );
    }
    text
}

fn rust(file: usize, n: usize) -> String {
    let mut text =
        format!("//! Part {file} of the made-up project.\n\npub struct Holder{file} {{\n    amount: u64,\n}}\n\n");
    for idx in 0..functions(file) {
        let (name, other) = (function(file, idx), called(file, idx, n));
        text += &format!(
            "/// Tries again as long as it may.\npub fn {name}(amount: u64, retries: u32) -> u64 {{\n    let found = {other}(amount);\n    (0..retries).fold(found, |sum, attempt| sum + u64::from(attempt))\n}}\n\n"
        );
    }
    text
}

fn typescript(file: usize, n: usize) -> String {
    let mut text = format!(
        "// Part {file} of the made-up project.\n\nexport interface Holder{file} {{\n  amount: number;\n}}\n\n"
    );
    for idx in 0..functions(file) {
        let (name, other) = (function(file, idx), called(file, idx, n));
        text += &format!(
            "export function {name}(amount: number, retries = {idx}): number {{\n  let found = {other}(amount);\n  for (let attempt = 0; attempt < retries; attempt++) {{\n    found += attempt;\n  }}\n  return found;\n}}\n\n"
        );
    }
    text
}

fn go(file: usize, n: usize) -> String {
    let mut text = format!(
        "// Package part holds part {file} of the made-up project.\npackage part\n\ntype Holder{file} struct {{\n\tAmount int\n}}\n\n"
    );
    for idx in 0..functions(file) {
        let (name, other) = (function(file, idx), called(file, idx, n));
        text += &format!(
            "// Tries again as long as it may.\nfunc {name}(amount int, retries int) int {{\n\tfound := {other}(amount)\n\tfor attempt := 0; attempt < retries; attempt++ {{\n\t\tfound += attempt\n\t}}\n\treturn found\n}}\n\n"
        );
    }
    text
}
