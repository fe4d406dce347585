//! Reading replies: fixtures of every format (each also in random pieces), and laws that hold for all replies.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use codriver::edit_format::EDIT_FORMATS;
use codriver::edit_format::Edit;
use codriver::edit_format::EditFormat;
use codriver::edit_format::Hints;
use codriver::edit_format::Hunk;
use codriver::edit_format::Op;
use codriver::edit_format::Parsed;
use codriver::edit_format::Progress;
use codriver::edit_format::ReplyReader;
use codriver::edit_format::Target;
use codriver::edit_format::by_name;
use proptest::prelude::*;

use crate::support;

// --- fixtures

#[test]
fn fixtures_are_read_as_expected() {
    for format in EDIT_FORMATS {
        support::check_all(&format!("edit_format/{}", format.name()), |case| check(*format, case));
    }
}

#[test]
fn every_fixture_folder_belongs_to_a_format() {
    for folder in support::cases("edit_format") {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(by_name(&name).is_some(), "no format is called `{name}`");
    }
}

fn check(format: &'static dyn EditFormat, case: &Path) -> Result<(), String> {
    let reply = fs::read_to_string(case.join("reply.md")).map_err(|error| format!("reply.md: {error}"))?;
    let hints = read_hints(&case.join("hints.toml"))?;
    let parsed = format.parse(&reply, &hints);
    support::expect_file(&case.join("expected.toml"), &render(&parsed))?;
    check_pieces(format, &hints, &reply, &parsed)
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HintsFile {
    chat_files: Vec<String>,
    known_files: Vec<String>,
    root: Option<String>,
}

fn read_hints(path: &Path) -> Result<Hints, String> {
    let Ok(text) = fs::read_to_string(path) else {
        return Ok(Hints::default());
    };
    let file: HintsFile = toml::from_str(&text).map_err(|error| format!("hints.toml: {error}"))?;
    Ok(Hints {
        chat_files: file.chat_files,
        known_files: file.known_files,
        root: file.root,
        ..Hints::default()
    })
}

// --- the form of expected.toml

fn render(parsed: &Parsed) -> String {
    let mut out = String::new();
    for edit in &parsed.edits {
        render_edit(&mut out, edit);
    }
    for problem in &parsed.problems {
        out.push_str("[[problem]]\n");
        writeln!(out, "block = {}\nline = {}", problem.block, problem.line).unwrap();
        if let Some(path) = &problem.path {
            writeln!(out, "path = {}", one_line(path)).unwrap();
        }
        let kind = format!("{:?}", problem.kind).to_lowercase();
        writeln!(out, "kind = \"{kind}\"\nmessage = {}\n", one_line(&problem.message)).unwrap();
    }
    for suggestion in &parsed.suggestions {
        out.push_str("[[suggestion]]\n");
        writeln!(out, "shell = {}", one_line(&suggestion.shell)).unwrap();
        writeln!(out, "script = {}\n", text(&format!("{}\n", suggestion.script))).unwrap();
    }
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

fn render_edit(out: &mut String, edit: &Edit) {
    out.push_str("[[edit]]\n");
    writeln!(out, "block = {}\nline = {}", edit.block, edit.line).unwrap();
    match &edit.target {
        Target::Named(names) => {
            let names: Vec<String> = names.iter().map(|name| one_line(name)).collect();
            writeln!(out, "named = [{}]", names.join(", ")).unwrap();
        }
        Target::Unnamed {
            previous,
            prose_between,
        } => {
            let previous = previous
                .as_deref()
                .map_or(String::new(), |path| format!("previous = {}, ", one_line(path)));
            writeln!(out, "unnamed = {{ {previous}prose_between = {prose_between} }}").unwrap();
        }
    }
    match &edit.op {
        Op::Modify { hunks } => {
            out.push_str("op = \"modify\"\n\n");
            render_hunks(out, hunks);
        }
        Op::Write { text: new, .. } => writeln!(out, "op = \"write\"\ntext = {}\n", text(new)).unwrap(),
        Op::Create { text: new } => writeln!(out, "op = \"create\"\ntext = {}\n", text(new)).unwrap(),
        Op::Delete => out.push_str("op = \"delete\"\n\n"),
        Op::Move { to, hunks } => {
            writeln!(out, "op = \"move\"\nto = {}\n", one_line(to)).unwrap();
            render_hunks(out, hunks);
        }
    }
}

fn render_hunks(out: &mut String, hunks: &[Hunk]) {
    for hunk in hunks {
        out.push_str("[[edit.hunk]]\n");
        if !hunk.anchors.is_empty() {
            let anchors: Vec<String> = hunk.anchors.iter().map(|anchor| one_line(anchor)).collect();
            writeln!(out, "anchors = [{}]", anchors.join(", ")).unwrap();
        }
        if hunk.at_end {
            out.push_str("at_end = true\n");
        }
        for (name, lines) in [("old", &hunk.old), ("new", &hunk.new)] {
            if !lines.is_empty() {
                writeln!(out, "{name} = {}", text(&format!("{}\n", lines.join("\n")))).unwrap();
            }
        }
        out.push('\n');
    }
}

/// A basic string.
fn one_line(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// A multi-line string that shows the text as it is where TOML allows it.
fn text(text: &str) -> String {
    let is_literal = !text.contains("'''") && !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t');
    if text.contains('\n') && is_literal {
        return format!("'''\n{text}'''");
    }
    one_line(text)
}

// --- pieces

/// Small generator, so that a failing cut can be repeated from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn read_in_pieces(
    format: &'static dyn EditFormat,
    hints: &Hints,
    reply: &str,
    mut size: impl FnMut() -> usize,
) -> (Vec<Progress>, Parsed) {
    let mut reader = ReplyReader::new(format, hints.clone());
    let mut progress = Vec::new();
    let mut rest = reply;
    while !rest.is_empty() {
        let mut at = size().clamp(1, rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (chunk, behind) = rest.split_at(at);
        progress.extend(reader.push(chunk));
        rest = behind;
    }
    progress.extend(reader.flush());
    (progress, reader.finish())
}

fn check_pieces(format: &'static dyn EditFormat, hints: &Hints, reply: &str, parsed: &Parsed) -> Result<(), String> {
    let whole = read_in_pieces(format, hints, reply, || reply.len());
    if whole.1 != *parsed {
        return Err("the reader and `parse` differ".to_string());
    }
    check_progress(reply, &whole.0)?;
    for seed in 1..=8_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let pieces = read_in_pieces(format, hints, reply, || 1 + dice.roll(1 << (seed % 7)));
        if pieces != whole {
            return Err(format!("pieces from seed {seed} are read in another way"));
        }
    }
    Ok(())
}

/// Every line is shown once and in order; blocks open and close in turn.
fn check_progress(reply: &str, progress: &[Progress]) -> Result<(), String> {
    let mut shown = Vec::new();
    let mut is_open = false;
    for event in progress {
        let fits = match event {
            Progress::Prose(line) | Progress::Lead(line) | Progress::Tail(line) | Progress::Thinking(line) => {
                shown.push(line.as_str());
                !is_open
            }
            Progress::Inside { line, .. } => {
                shown.push(line.as_str());
                is_open
            }
            Progress::Opened { .. } => !std::mem::replace(&mut is_open, true),
            Progress::Closed => std::mem::replace(&mut is_open, false),
        };
        if !fits {
            return Err(format!("progress out of turn at {event:?}"));
        }
    }
    let lines: Vec<&str> = reply
        .split_terminator('\n')
        .map(|line| line.trim_end_matches('\r'))
        .collect();
    if shown == lines {
        Ok(())
    } else {
        Err(format!("shown lines differ:\n{shown:#?}"))
    }
}

// --- laws

/// Replies made of what readers look for, in any order.
fn marker_soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<<<<<<< SEARCH\n"),
        Just("=======\n"),
        Just(">>>>>>> REPLACE\n"),
        Just("<<<<<<< HEAD\n"),
        Just(">>>>>>> main\n"),
        Just("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n"),
        Just("```\n"),
        Just("```python\n"),
        Just("````markdown\n"),
        Just("~~~\n"),
        Just("```diff\n"),
        Just("```bash\n"),
        Just("<source>\n"),
        Just("</source>\n"),
        Just("src/a.py\n"),
        Just("### `b.rs`\n"),
        Just("--- a/src/a.py\n"),
        Just("+++ b/src/a.py\n"),
        Just("+++ /dev/null\n"),
        Just("diff --git a/x b/y\n"),
        Just("rename to z\n"),
        Just("@@ -1,2 +1,2 @@\n"),
        Just("@@ class A\n"),
        Just("*** Begin Patch\n"),
        Just("*** Update File: a.py\n"),
        Just("*** Add File: é.py\n"),
        Just("*** Delete File: c.py\n"),
        Just("*** Move to: d.py\n"),
        Just("*** End of File\n"),
        Just("*** End Patch\n"),
        Just("<think>\n"),
        Just("</think>"),
        Just(" kept\n"),
        Just("+added\n"),
        Just("-removed\n"),
        Just("\\ No newline at end of file\n"),
        Just("\n"),
        Just("\r\n"),
        Just("  "),
        Just("été `x.rs` 計画"),
        Just("\u{feff}"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn some_hints() -> Hints {
    Hints {
        chat_files: vec!["src/a.py".to_string()],
        known_files: vec!["b.rs".to_string(), "a/src/a.py".to_string()],
        root: Some("/p".to_string()),
        ..Hints::default()
    }
}

fn reads_without_failing(reply: &str, seed: u64) -> Result<(), TestCaseError> {
    for format in EDIT_FORMATS {
        let hints = some_hints();
        let parsed = format.parse(reply, &hints);
        prop_assert_eq!(&parsed, &format.parse(reply, &hints));
        for edit in &parsed.edits {
            match &edit.target {
                Target::Named(names) => prop_assert!(!names.is_empty() && names.iter().all(|name| !name.is_empty())),
                Target::Unnamed { .. } => {
                    let is_modify = matches!(edit.op, Op::Modify { .. });
                    prop_assert!(is_modify);
                }
            }
        }
        let mut dice = Dice(seed | 1);
        let (progress, in_pieces) = read_in_pieces(*format, &hints, reply, || 1 + dice.roll(20));
        prop_assert_eq!(&parsed, &in_pieces);
        if let Err(message) = check_progress(reply, &progress) {
            return Err(TestCaseError::fail(message));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_fails_on_markers_in_any_order(reply in marker_soup(), seed in any::<u64>()) {
        reads_without_failing(&reply, seed)?;
    }

    #[test]
    fn reading_never_fails_on_any_text(reply in "(?s).{0,300}", seed in any::<u64>()) {
        reads_without_failing(&reply, seed)?;
    }

    #[test]
    fn written_edits_are_read_back(edits in written_edits()) {
        for name in ["diff", "diff-fenced", "udiff", "whole", "patch"] {
            let reply = write_reply(name, &edits);
            for reader in [name, "auto", "diff"] {
                let parsed = by_name(reader).unwrap().parse(&reply, &Hints::default());
                prop_assert_eq!(parsed.problems, vec![], "{} read as {}:\n{}", name, reader, reply);
                let found: Vec<_> = parsed.edits.iter().map(|edit| (first_name(&edit.target), changes(&edit.op))).collect();
                let written: Vec<_> = edits.iter().map(|edit| (edit.path.clone(), expected_changes(name, edit))).collect();
                prop_assert_eq!(found, written, "{} read as {}:\n{}", name, reader, reply);
            }
        }
    }

    #[test]
    fn a_reply_cut_anywhere_gives_no_edit_that_the_whole_one_has_not(edits in written_edits(), cut in any::<prop::sample::Index>()) {
        for name in ["diff", "diff-fenced", "udiff", "whole", "patch"] {
            let format = by_name(name).unwrap();
            let reply = write_reply(name, &edits);
            let mut at = cut.index(reply.len());
            while !reply.is_char_boundary(at) {
                at -= 1;
            }
            let all = format.parse(&reply, &Hints::default()).edits;
            let some = format.parse(&reply[..at], &Hints::default()).edits;
            prop_assert_eq!(&some[..], &all[..some.len()], "{} cut at {}:\n{}", name, at, &reply[..at]);
        }
    }
}

/// One file's change, to be written in every format.
#[derive(Debug, Clone)]
struct WrittenEdit {
    path: String,
    old: Vec<String>,
    new: Vec<String>,
}

fn written_edits() -> impl Strategy<Value = Vec<WrittenEdit>> {
    let line = prop_oneof![
        4 => "[a-z]{1,8}( [a-z(){}=+*/<>&;:,.'\"-]{1,6}){0,4}",
        1 => "( {4}|\t){1,3}[a-z]{1,8}\\(\\);",
        1 => Just("fn main() {".to_string()),
    ];
    let path = prop_oneof!["[a-z]{1,6}/[a-z]{1,6}\\.(rs|py|ts|md)", "[a-z]{3,6}\\.(go|c|html)"];
    let lines = |count| proptest::collection::vec(line.clone(), count);
    let edit = (path, lines(1..5), lines(1..5)).prop_map(|(path, old, new)| WrittenEdit { path, old, new });
    proptest::collection::vec(edit, 1..4)
        .prop_filter("each file once", |edits| {
            let mut paths: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
            paths.sort_unstable();
            paths.windows(2).all(|pair| pair[0] != pair[1])
        })
        .prop_filter("a change", |edits| edits.iter().all(|edit| edit.old != edit.new))
}

fn write_reply(format: &str, edits: &[WrittenEdit]) -> String {
    let mut reply = String::from("I change this:\n\n");
    if format == "patch" {
        reply.push_str("*** Begin Patch\n");
    }
    for edit in edits {
        let path = &edit.path;
        let block = format!(
            "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE",
            edit.old.join("\n"),
            edit.new.join("\n")
        );
        let signed =
            |sign: &str, lines: &[String]| -> String { lines.iter().map(|line| format!("{sign}{line}\n")).collect() };
        let hunk = format!("{}{}", signed("-", &edit.old), signed("+", &edit.new));
        reply.push_str(&match format {
            "diff" => format!("{path}\n```\n{block}\n```\n\n"),
            "diff-fenced" => format!("```\n{path}\n{block}\n```\n\n"),
            "udiff" => format!("```diff\n--- {path}\n+++ {path}\n@@ ... @@\n{hunk}```\n\n"),
            "whole" => format!("{path}\n```\n{}\n```\n\n", edit.new.join("\n")),
            "patch" => format!("*** Update File: {path}\n@@\n{hunk}"),
            other => panic!("no way to write `{other}`"),
        });
    }
    if format == "patch" {
        reply.push_str("*** End Patch\n");
    }
    reply
}

fn first_name(target: &Target) -> String {
    match target {
        Target::Named(names) => names[0].clone(),
        Target::Unnamed { .. } => String::new(),
    }
}

fn changes(op: &Op) -> Vec<(Vec<String>, Vec<String>)> {
    match op {
        Op::Modify { hunks } => hunks.iter().map(|hunk| (hunk.old.clone(), hunk.new.clone())).collect(),
        Op::Write { text, .. } => vec![(vec![], text.lines().map(str::to_string).collect())],
        _ => vec![],
    }
}

fn expected_changes(format: &str, edit: &WrittenEdit) -> Vec<(Vec<String>, Vec<String>)> {
    let old = if format == "whole" { vec![] } else { edit.old.clone() };
    vec![(old, edit.new.clone())]
}
