//! The planner on replies as models write them: `fixtures/apply/<case>/`, and laws that hold for any text.
//!
//! A case holds `input/` (the files before), `reply.md`, `expected/` (the files after) and, when an edit fails,
//! `report.md`. `case.toml` says what differs from the usual: see [`Case`].

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use codriver::apply;
use codriver::apply::Content;
use codriver::apply::Contents;
use codriver::apply::Plan;
use codriver::apply::WriteKind;
use codriver::edit_format;
use codriver::edit_format::Edit;
use codriver::edit_format::Hints;
use codriver::edit_format::Hunk;
use codriver::edit_format::Op;
use codriver::edit_format::Parsed;
use codriver::edit_format::Target;
use proptest::prelude::*;
use serde::Deserialize;

use crate::support;

/// `case.toml`; every key may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Case {
    /// `diff` when not given.
    format: Option<String>,
    /// Files in the chat; all of `input/` when not given.
    chat: Option<Vec<String>>,
    /// Files in the project that are known but not read (there is no text of them in the case).
    known: Vec<String>,
    root: Option<String>,
    /// Files of which the model saw only these lines (first and last, from 1).
    partly_shown: BTreeMap<String, Vec<(usize, usize)>>,
    /// Paths that may not be written, with the reason.
    refused: BTreeMap<String, String>,
    /// `unchanged`, or `empty` when no file is left; else the tree `expected/`.
    expected: Option<String>,
    /// How each edit that fits was found, in order.
    strategies: Option<Vec<String>>,
    /// `crlf`: the files before and after have these endings.
    endings: Option<String>,
    warnings: Vec<String>,
}

impl Case {
    fn partly_shown(&self) -> BTreeMap<String, Vec<Range<usize>>> {
        let runs = |runs: &Vec<(usize, usize)>| runs.iter().map(|(first, last)| first - 1..*last).collect();
        self.partly_shown
            .iter()
            .map(|(path, shown)| (path.clone(), runs(shown)))
            .collect()
    }
}

type Texts = BTreeMap<String, String>;

#[test]
fn replies_change_the_files_as_they_say_or_not_at_all() {
    support::check_all("apply", check);
}

fn check(dir: &Path) -> Result<(), String> {
    let case: Case = match fs::read_to_string(dir.join("case.toml")) {
        Ok(text) => toml::from_str(&text).map_err(|error| error.to_string())?,
        Err(_) => Case::default(),
    };
    let before = texts(&dir.join("input"), &case);
    let reply = fs::read_to_string(dir.join("reply.md")).map_err(|error| error.to_string())?;
    let mut known: Vec<String> = before.keys().cloned().chain(case.known.iter().cloned()).collect();
    known.sort();
    let hints = Hints {
        chat_files: case.chat.clone().unwrap_or_else(|| before.keys().cloned().collect()),
        known_files: known,
        root: case.root.clone(),
        partly_shown: case.partly_shown(),
    };
    let format = edit_format::by_name(case.format.as_deref().unwrap_or("diff")).ok_or("no such format")?;
    let parsed = format.parse(&reply, &hints);
    let contents: Contents = apply::paths_to_read(&parsed, &hints)
        .into_iter()
        .map(|path| {
            let content = match (case.refused.get(&path), before.get(&path)) {
                (Some(reason), _) => Content::Refused(reason.clone()),
                (None, Some(text)) => Content::Text(text.clone()),
                (None, None) => Content::Absent,
            };
            (path, content)
        })
        .collect();
    let plan = apply::plan(&parsed, &hints, &contents);
    if plan != apply::plan(&parsed, &hints, &contents) {
        return Err("two runs give two plans".to_owned());
    }
    check_result(dir, &case, &before, &plan)?;
    check_report(dir, &plan)?;
    let strategies: Vec<&str> = plan.placed.iter().map(|placed| placed.strategy).collect();
    match &case.strategies {
        Some(expected) if *expected != strategies => return Err(format!("found by {strategies:?}, not {expected:?}")),
        _ => {}
    }
    if plan.warnings != case.warnings {
        return Err(format!("warnings {:?}, not {:?}", plan.warnings, case.warnings));
    }
    Ok(())
}

/// The files after the plan: it is carried out as a whole or not at all.
fn check_result(dir: &Path, case: &Case, before: &Texts, plan: &Plan) -> Result<(), String> {
    let mut after = before.clone();
    if plan.is_complete() {
        carry_out(plan, &mut after);
    }
    match case.expected.as_deref() {
        Some("unchanged") if after != *before => Err(format!("something changed:\n{}", difference(before, &after))),
        Some("empty") if !after.is_empty() => Err(format!("files are left: {:?}", after.keys())),
        Some("unchanged" | "empty") => Ok(()),
        Some(other) => Err(format!("`expected = \"{other}\"` is unknown")),
        None => {
            let folder = dir.join("expected");
            if std::env::var_os("UPDATE_FIXTURES").is_some() {
                let _ = fs::remove_dir_all(&folder);
                for (path, text) in &after {
                    let path = folder.join(path);
                    fs::create_dir_all(path.parent().ok_or("no folder")?).map_err(|error| error.to_string())?;
                    fs::write(path, stored(text, case)).map_err(|error| error.to_string())?;
                }
            }
            let expected = texts(&folder, case);
            if after == expected {
                return Ok(());
            }
            let failures: Vec<&str> = plan.failures.iter().map(|failure| failure.reason.as_str()).collect();
            Err(format!("{}\nfailures: {failures:?}", difference(&expected, &after)))
        }
    }
}

fn check_report(dir: &Path, plan: &Plan) -> Result<(), String> {
    let report = apply::report(plan);
    let file = dir.join("report.md");
    if report.is_empty() {
        return if file.exists() {
            Err("nothing failed, but report.md is there".to_owned())
        } else {
            Ok(())
        };
    }
    support::expect_file(&file, &report)
}

fn texts(dir: &Path, case: &Case) -> Texts {
    support::tree(dir)
        .into_iter()
        .map(|(path, bytes)| {
            let text = String::from_utf8(bytes).unwrap();
            let text = if case.endings.as_deref() == Some("crlf") {
                text.replace('\n', "\r\n")
            } else {
                text
            };
            (path, text)
        })
        .collect()
}

/// The text as it lies in the fixture.
fn stored(text: &str, case: &Case) -> String {
    match case.endings.as_deref() {
        Some("crlf") => text.replace("\r\n", "\n"),
        _ => text.to_owned(),
    }
}

fn carry_out(plan: &Plan, files: &mut Texts) {
    for write in &plan.writes {
        if let WriteKind::Move { from } = &write.kind {
            files.remove(from);
        }
        match &write.after {
            Some(text) => files.insert(write.path.clone(), text.clone()),
            None => files.remove(&write.path),
        };
    }
}

fn difference(expected: &Texts, actual: &Texts) -> String {
    let mut paths: Vec<&String> = expected.keys().chain(actual.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| expected.get(*path) != actual.get(*path))
        .map(|path| {
            let text = |texts: &Texts| texts.get(path).map_or("(absent)\n", String::as_str).to_owned();
            format!("{path}\n{}", support::line_diff(&text(expected), &text(actual)))
        })
        .collect()
}

// Laws.

/// A line of a small alphabet, so that repeats and near repeats are frequent.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("}".to_owned()),
        Just("    return total;".to_owned()),
        Just("\tcall(first, second);".to_owned()),
        "[a-e]{1,3} = [0-9]{1,2}",
        "    [a-z]{3,9}\\([a-z]{1,4}\\);",
    ]
}

fn ending() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => Just("\n"), 1 => Just("\r\n")]
}

/// Lines with their endings; the last may have none.
fn text() -> impl Strategy<Value = Vec<(String, &'static str)>> {
    (prop::collection::vec((line(), ending()), 1..25), any::<bool>()).prop_map(|(mut lines, open)| {
        if let Some(last) = lines.last_mut().filter(|last| open && !last.0.is_empty()) {
            last.1 = "";
        }
        lines
    })
}

fn joined(lines: &[(String, &str)]) -> String {
    lines.iter().map(|(text, ending)| format!("{text}{ending}")).collect()
}

fn modify(path: &str, hunks: Vec<Hunk>, block: usize) -> Edit {
    Edit {
        block,
        line: 1,
        target: Target::Named(vec![path.to_owned()]),
        op: Op::Modify { hunks },
    }
}

fn planned(edits: Vec<Edit>, text: &str) -> Plan {
    let parsed = Parsed {
        edits,
        ..Parsed::default()
    };
    let hints = Hints {
        chat_files: vec!["a.txt".to_owned()],
        known_files: vec!["a.txt".to_owned()],
        ..Hints::default()
    };
    let contents = Contents::from([("a.txt".to_owned(), Content::Text(text.to_owned()))]);
    apply::plan(&parsed, &hints, &contents)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Replacing lines that stand in the text once gives the text with those lines replaced and all other bytes kept.
    #[test]
    fn a_unique_exact_block_changes_its_lines_and_no_other_byte(
        lines in text(), at in any::<prop::sample::Index>(), len in 1_usize..4, new in prop::collection::vec(line(), 0..4),
    ) {
        let start = at.index(lines.len());
        let end = (start + len).min(lines.len());
        let old: Vec<String> = lines[start..end].iter().map(|line| line.0.clone()).collect();
        prop_assume!(old.iter().any(|line| !line.trim().is_empty()));
        let texts: Vec<&String> = lines.iter().map(|line| &line.0).collect();
        let n_places = texts.windows(old.len()).filter(|window| window.iter().zip(&old).all(|(a, b)| **a == *b)).count();
        let before = joined(&lines);
        let hunk = Hunk { old: old.clone(), new: new.clone(), ..Hunk::default() };
        let plan = planned(vec![modify("a.txt", vec![hunk], 1)], &before);
        if n_places > 1 {
            prop_assert!(plan.writes.is_empty());
            return Ok(());
        }
        prop_assert!(plan.is_complete(), "{:?}", plan.failures);
        if plan.placed[0].strategy == "already-there" {
            prop_assert!(plan.writes.is_empty());
            return Ok(());
        }
        let after = plan.writes.first().map_or(before.clone(), |write| write.after.clone().unwrap());
        let prefix = joined(&lines[..start]);
        let suffix = joined(&lines[end..]);
        let was_last = end == lines.len();
        prop_assert!(was_last || after.ends_with(&suffix));
        prop_assert!(after.starts_with(&prefix) || (was_last && new.is_empty()));
        let got: Vec<&str> = after.lines().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let wanted: Vec<&str> = lines[..start].iter().map(|line| line.0.as_str())
            .chain(new.iter().map(String::as_str))
            .chain(lines[end..].iter().map(|line| line.0.as_str()))
            .collect();
        prop_assert_eq!(got, wanted);
    }

    /// Whatever a reply asks for: the plan is the same each time, writes no path that was not read, and changes nothing
    /// in a file all of whose edits failed.
    #[test]
    fn a_plan_is_deterministic_and_stays_with_what_was_read(
        lines in text(),
        hunks in prop::collection::vec((prop::collection::vec(line(), 0..5), prop::collection::vec(line(), 0..5)), 1..5),
    ) {
        let before = joined(&lines);
        let edits: Vec<Edit> = hunks.into_iter().enumerate()
            .map(|(nth, (old, new))| modify("a.txt", vec![Hunk { old, new, ..Hunk::default() }], nth + 1))
            .collect();
        let plan = planned(edits.clone(), &before);
        prop_assert_eq!(&plan, &planned(edits.clone(), &before));
        prop_assert_eq!(plan.placed.len() + plan.failures.len(), edits.len());
        prop_assert!(plan.writes.iter().all(|write| write.path == "a.txt" && write.before.as_deref() == Some(&*before)));
        if plan.placed.is_empty() {
            prop_assert!(plan.writes.is_empty());
        }
        prop_assert_eq!(plan.failures.is_empty(), apply::report(&plan).is_empty());
    }

    /// Shifting a unique block by one indentation changes the text as the block in place would.
    #[test]
    fn a_uniform_shift_makes_no_difference(
        body in prop::collection::vec("[a-z]{4,8}\\(\\);", 2..6), added in "[a-z]{9,12}", depth in 1_usize..4,
    ) {
        let indent = "    ".repeat(depth);
        let text: String = body.iter().enumerate().map(|(nth, line)| format!("{indent}{line} // {nth}\n")).collect();
        let old: Vec<String> = text.lines().map(|line| line.trim_start().to_owned()).collect();
        let mut new = old.clone();
        new.insert(1, format!("{added}();"));
        let plan = planned(vec![modify("a.txt", vec![Hunk { old, new, ..Hunk::default() }], 1)], &text);
        prop_assert!(plan.is_complete());
        let mut wanted: Vec<String> = text.lines().map(str::to_owned).collect();
        wanted.insert(1, format!("{indent}{added}();"));
        let after = plan.writes[0].after.clone().unwrap();
        prop_assert_eq!(after.lines().collect::<Vec<_>>(), wanted);
    }

    /// A change written out as a reply, in any format that names lines, makes the change.
    #[test]
    fn a_change_written_out_as_a_reply_makes_the_change(
        steps in prop::collection::vec((0_u8..8, "[a-z]{3,8}"), 3..40), context in 1_usize..4,
    ) {
        let before: Vec<String> = (0..steps.len()).map(|n| format!("{}line {n};", "  ".repeat(n % 3))).collect();
        // For each line: what stands in its place.
        let after: Vec<Vec<String>> = before.iter().zip(&steps).map(|(line, (step, word))| match step {
            0 => vec![],
            1 => vec![format!("{word} instead of {line}")],
            2 => vec![line.clone(), format!("  {word} after {line}")],
            _ => vec![line.clone()],
        }).collect();
        let changed: Vec<usize> = (0..before.len()).filter(|idx| after[*idx] != [before[*idx].clone()]).collect();
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for idx in changed {
            let range = idx.saturating_sub(context)..(idx + context + 1).min(before.len());
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        let (mut blocks, mut hunks) = (String::new(), String::new());
        for range in &ranges {
            let old: String = before[range.clone()].iter().map(|line| format!("{line}\n")).collect();
            let new: String = after[range.clone()].iter().flatten().map(|line| format!("{line}\n")).collect();
            blocks += &format!("a.txt\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n");
            hunks += "@@ ... @@\n";
            for idx in range.clone() {
                let kept = after[idx].first() == Some(&before[idx]);
                hunks += &format!("{}{}\n", if kept { ' ' } else { '-' }, before[idx]);
                hunks.extend(after[idx].iter().skip(usize::from(kept)).map(|line| format!("+{line}\n")));
            }
        }
        let text: String = before.iter().map(|line| format!("{line}\n")).collect();
        let wanted: String = after.iter().flatten().map(|line| format!("{line}\n")).collect();
        let replies = [
            ("diff", blocks),
            ("udiff", format!("```diff\n--- a.txt\n+++ a.txt\n{hunks}```\n")),
            ("patch", format!("*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch\n")),
            ("whole", format!("a.txt\n````\n{wanted}````\n")),
        ];
        for (format, reply) in replies {
            // A whole text that keeps less than half of the file may be an excerpt.
            let n_kept = before.iter().zip(&after).filter(|(line, after)| after.contains(line)).count();
            let is_excerpt = 2 * wanted.len() < text.len() || 2 * n_kept <= before.len();
            if ranges.is_empty() || (format == "whole" && is_excerpt) {
                continue;
            }
            let hints = Hints { chat_files: vec!["a.txt".to_owned()], known_files: vec!["a.txt".to_owned()], ..Hints::default() };
            let parsed = edit_format::by_name(format).unwrap().parse(&reply, &hints);
            let contents = Contents::from([("a.txt".to_owned(), Content::Text(text.clone()))]);
            let plan = apply::plan(&parsed, &hints, &contents);
            prop_assert!(plan.is_complete(), "{format}: {:?}\n{reply}", plan.failures);
            prop_assert_eq!(plan.writes[0].after.as_deref(), Some(wanted.as_str()), "{}", format);
        }
    }

    /// A three-way merge with one side unchanged is the other side; with both sides the same it is that side.
    #[test]
    fn a_merge_with_one_change_is_that_change(base in text(), other in text()) {
        let (base, other) = (joined(&base), joined(&other));
        prop_assert_eq!(apply::merge3(&base, &base, &other), Ok(other.clone()));
        prop_assert_eq!(apply::merge3(&base, &other, &base), Ok(other.clone()));
        prop_assert_eq!(apply::merge3(&base, &other, &other), Ok(other));
    }
}

// The command behind `codriver apply`, on real folders.

mod command {
    use std::fs;
    use std::path::Path;

    use codriver::cli::apply::ApplyOptions;
    use codriver::cli::apply::ApplyOutcome;
    use codriver::cli::apply::apply;
    use codriver::files::Root;
    use codriver::files::journal::Journal;
    use tempfile::TempDir;

    use crate::support;

    struct Place {
        folder: TempDir,
    }

    impl Place {
        fn new(files: &[(&str, &[u8])]) -> Self {
            let place = Self {
                folder: TempDir::new().unwrap(),
            };
            fs::create_dir(place.root()).unwrap();
            for (path, bytes) in files {
                let path = place.root().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            place
        }

        fn root(&self) -> std::path::PathBuf {
            self.folder.path().join("root")
        }

        fn journal(&self) -> std::path::PathBuf {
            self.folder.path().join("state").join("journal")
        }

        fn options(&self) -> ApplyOptions {
            ApplyOptions {
                root: self.root(),
                format: "diff".to_owned(),
                files: Vec::new(),
                partial: false,
                dry_run: false,
                project: self.root(),
                journal: self.journal(),
            }
        }

        fn tree(&self) -> Vec<(String, Vec<u8>)> {
            support::tree(&self.root())
        }

        /// Everything below the temporary folder, also what belongs to nobody.
        fn everything(&self) -> Vec<(String, Vec<u8>)> {
            support::tree(self.folder.path())
        }
    }

    fn block(path: &str, old: &str, new: &str) -> String {
        format!("{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n")
    }

    fn json(outcome: &ApplyOutcome) -> serde_json::Value {
        serde_json::to_value(outcome).unwrap()
    }

    #[test]
    fn edits_are_written_and_can_be_undone() {
        let place = Place::new(&[("a.txt", b"one\r\ntwo\r\n"), ("src/b.rs", b"fn b() {}\n")]);
        let before = place.tree();
        let reply = block("a.txt", "two\n", "2\n") + &block("src/new.rs", "", "fn c() {}\n");
        let outcome = apply(&place.options(), &reply).unwrap();
        assert!(outcome.is_complete() && outcome.written);
        assert_eq!(
            json(&outcome),
            serde_json::json!({
                "applied": [
                    {"path": "a.txt", "kind": "modify", "strategy": "exact", "line": 2},
                    {"path": "src/new.rs", "kind": "create", "strategy": "create"},
                ],
                "staged": [],
                "failed": [],
                "written": true,
            })
        );
        assert_eq!(fs::read(place.root().join("a.txt")).unwrap(), b"one\r\n2\r\n");
        assert_eq!(fs::read(place.root().join("src/new.rs")).unwrap(), b"fn c() {}\n");
        let journal = Journal::open(&place.journal()).unwrap();
        journal.undo(&Root::new(&place.root()).unwrap()).unwrap().unwrap();
        assert_eq!(place.tree(), before);
    }

    #[test]
    fn nothing_is_left_behind_when_an_edit_fails() {
        let place = Place::new(&[("a.txt", b"one\n")]);
        let before = place.everything();
        let reply =
            block("a.txt", "one\n", "1\n") + &block("deep/new/b.txt", "", "b\n") + &block("a.txt", "three\n", "3\n");
        let outcome = apply(&place.options(), &reply).unwrap();
        assert!(!outcome.is_complete() && !outcome.written);
        let value = json(&outcome);
        assert_eq!(value["applied"], serde_json::json!([]));
        assert_eq!(value["staged"].as_array().unwrap().len(), 2);
        assert_eq!(value["failed"][0]["path"], "a.txt");
        assert!(value["failed"][0]["reason"].as_str().unwrap().contains("`three`"));
        assert_eq!(place.everything(), before);
        assert!(!place.root().join("deep").exists());
    }

    #[test]
    fn the_good_part_is_written_when_asked_for() {
        let place = Place::new(&[("a.txt", b"one\n")]);
        let reply = block("a.txt", "one\n", "1\n") + &block("a.txt", "three\n", "3\n");
        let options = ApplyOptions {
            partial: true,
            ..place.options()
        };
        let outcome = apply(&options, &reply).unwrap();
        assert!(!outcome.is_complete() && outcome.written);
        assert_eq!(
            (outcome.applied.len(), outcome.staged.len(), outcome.failed.len()),
            (1, 0, 1)
        );
        assert_eq!(fs::read(place.root().join("a.txt")).unwrap(), b"1\n");
    }

    #[test]
    fn a_dry_run_writes_nothing() {
        let place = Place::new(&[("a.txt", b"one\n")]);
        let before = place.everything();
        let options = ApplyOptions {
            dry_run: true,
            ..place.options()
        };
        let outcome = apply(&options, &block("a.txt", "one\n", "1\n")).unwrap();
        assert!(outcome.is_complete() && !outcome.written);
        assert_eq!(outcome.staged.len(), 1);
        assert_eq!(place.everything(), before);
    }

    #[test]
    fn a_reply_without_edits_is_done() {
        let place = Place::new(&[("a.txt", b"one\n")]);
        let outcome = apply(&place.options(), "All is well.\n").unwrap();
        assert!(outcome.is_complete() && !outcome.written && outcome.applied.is_empty());
    }

    #[test]
    fn nothing_outside_the_root_is_touched() {
        let place = Place::new(&[("a.txt", b"one\n")]);
        let outside = place.folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("b.txt"), "one\n").unwrap();
        std::os::unix::fs::symlink(&outside, place.root().join("link")).unwrap();
        fs::create_dir(place.root().join(".git")).unwrap();
        fs::write(place.root().join(".git/config"), "one\n").unwrap();
        let before = place.everything();
        let absolute = outside.join("b.txt");
        for path in [
            "../outside/b.txt",
            "link/b.txt",
            absolute.to_str().unwrap(),
            ".git/config",
            ".GIT/config",
        ] {
            let outcome = apply(&place.options(), &block(path, "one\n", "1\n")).unwrap();
            assert_eq!(outcome.failed.len(), 1, "{path}");
            let outcome = apply(&place.options(), &block(&format!("{path}.new"), "", "1\n")).unwrap();
            assert_eq!(outcome.failed.len(), 1, "{path}.new");
        }
        assert_eq!(place.everything(), before);
    }

    #[test]
    fn the_bytes_of_untouched_lines_stay_in_every_encoding() {
        let utf16: Vec<u8> = [0xFEFF_u16, 0x61, 0x0A, 0x62, 0x0A]
            .iter()
            .flat_map(|unit| unit.to_le_bytes())
            .collect();
        let after: Vec<u8> = [0xFEFF_u16, 0x61, 0x0A, 0x63, 0x0A]
            .iter()
            .flat_map(|unit| unit.to_le_bytes())
            .collect();
        let place = Place::new(&[
            ("bom.txt", b"\xEF\xBB\xBFone\ntwo\n"),
            ("latin.txt", b"caf\xE9\ntwo\n"),
            ("wide.txt", &utf16),
        ]);
        let reply =
            block("bom.txt", "one\n", "1\n") + &block("latin.txt", "two\n", "2\n") + &block("wide.txt", "b\n", "c\n");
        let outcome = apply(&place.options(), &reply).unwrap();
        assert!(outcome.is_complete(), "{:?}", outcome.failed);
        assert_eq!(fs::read(place.root().join("bom.txt")).unwrap(), b"\xEF\xBB\xBF1\ntwo\n");
        assert_eq!(fs::read(place.root().join("latin.txt")).unwrap(), b"caf\xE9\n2\n");
        assert_eq!(fs::read(place.root().join("wide.txt")).unwrap(), after);
    }

    #[test]
    fn names_are_resolved_among_all_files_of_the_project() {
        let place = Place::new(&[
            ("src/deep/stage.rs", b"fn a() {}\n"),
            ("target/stage.rs", b"fn a() {}\n"),
            (".gitignore", b"target\n"),
        ]);
        let outcome = apply(&place.options(), &block("stage.rs", "fn a() {}\n", "fn b() {}\n")).unwrap();
        assert!(outcome.is_complete(), "{:?}", outcome.failed);
        assert_eq!(outcome.applied[0].path, "src/deep/stage.rs");
    }

    #[test]
    fn one_file_under_two_names_is_refused() {
        let place = Place::new(&[("a.txt", b"one\ntwo\n")]);
        std::os::unix::fs::symlink("a.txt", place.root().join("b.txt")).unwrap();
        let before = place.everything();
        let reply = block("a.txt", "one\n", "1\n") + &block("b.txt", "two\n", "2\n");
        let outcome = apply(&place.options(), &reply).unwrap();
        assert_eq!(outcome.failed.len(), 1);
        assert_eq!(place.everything(), before);
    }

    #[test]
    fn moves_and_deletions_are_carried_out() {
        let place = Place::new(&[("a.txt", b"one\n"), ("b.txt", b"b\n")]);
        let reply = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: new/c.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** End Patch\n";
        let options = ApplyOptions {
            format: "patch".to_owned(),
            ..place.options()
        };
        let outcome = apply(&options, reply).unwrap();
        assert!(outcome.is_complete(), "{:?}", outcome.failed);
        assert_eq!(place.tree(), [("new/c.txt".to_owned(), b"1\n".to_vec())]);
        assert_eq!(outcome.applied[0].from.as_deref(), Some("a.txt"));
    }

    #[test]
    fn new_files_take_the_line_ending_of_their_neighbours() {
        let place = Place::new(&[("src/a.txt", b"one\r\n"), ("src/b.txt", b"two\r\n")]);
        let outcome = apply(&place.options(), &block("src/c.txt", "", "x\ny\n")).unwrap();
        assert!(outcome.is_complete());
        assert_eq!(fs::read(place.root().join("src/c.txt")).unwrap(), b"x\r\ny\r\n");
    }

    #[test]
    fn an_unknown_format_or_root_is_an_error() {
        let place = Place::new(&[]);
        let unknown = ApplyOptions {
            format: "telegram".to_owned(),
            ..place.options()
        };
        assert!(apply(&unknown, "").is_err());
        let nowhere = ApplyOptions {
            root: Path::new("/nonexistent/folder").to_path_buf(),
            ..place.options()
        };
        assert!(apply(&nowhere, "").is_err());
    }
}
