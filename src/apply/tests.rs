//! The planner on edits built by hand; replies as models write them are in `fixtures/apply/`.

use super::*;
use crate::edit_format::{Basis, Edit, Hunk, Op, Target};

fn lines(text: &str) -> Vec<String> {
    text.lines().map(ToString::to_string).collect()
}

fn hunk(old: &str, new: &str) -> Hunk {
    Hunk {
        old: lines(old),
        new: lines(new),
        ..Hunk::default()
    }
}

fn named(path: &str) -> Target {
    Target::Named(vec![path.to_string()])
}

fn reply(edits: Vec<(&str, Op)>) -> Parsed {
    let edits = edits
        .into_iter()
        .enumerate()
        .map(|(nth, (path, op))| Edit {
            block: nth + 1,
            line: 10 * nth + 1,
            target: named(path),
            op,
        })
        .collect();
    Parsed {
        edits,
        ..Parsed::default()
    }
}

fn blocks(path: &str, pairs: &[(&str, &str)]) -> Parsed {
    reply(
        pairs
            .iter()
            .map(|(old, new)| {
                (
                    path,
                    Op::Modify {
                        hunks: vec![hunk(old, new)],
                    },
                )
            })
            .collect(),
    )
}

fn hints(chat: &[&str]) -> Hints {
    let chat_files: Vec<String> = chat.iter().map(ToString::to_string).collect();
    Hints {
        known_files: chat_files.clone(),
        chat_files,
        ..Hints::default()
    }
}

fn contents(files: &[(&str, &str)]) -> Contents {
    files
        .iter()
        .map(|(path, text)| (path.to_string(), Content::Text(text.to_string())))
        .collect()
}

/// The plan of blocks for the one file of a chat.
fn planned(text: &str, pairs: &[(&str, &str)]) -> Plan {
    plan(&blocks("a.rs", pairs), &hints(&["a.rs"]), &contents(&[("a.rs", text)]))
}

fn after(plan: &Plan) -> &str {
    assert!(plan.failures.is_empty(), "{:#?}", plan.failures);
    plan.writes[0].after.as_deref().unwrap()
}

fn strategies(plan: &Plan) -> Vec<&str> {
    plan.placed.iter().map(|placed| placed.strategy).collect()
}

#[test]
fn a_unique_place_is_changed_and_nothing_else() {
    let plan = planned("a\nb\nc\n", &[("b", "B")]);
    assert_eq!(after(&plan), "a\nB\nc\n");
    assert_eq!(strategies(&plan), ["exact"]);
    assert_eq!(plan.placed[0].line, Some(2));
}

#[test]
fn two_places_are_ambiguous() {
    let plan = planned("x();\nfoo\nx();\n", &[("x();", "y();")]);
    assert!(plan.writes.is_empty());
    assert_eq!(plan.failures[0].kind, FailureKind::Ambiguous);
    assert!(
        plan.failures[0].hint.contains("lines 1, 3"),
        "{}",
        plan.failures[0].hint
    );
}

#[test]
fn a_uniform_shift_reindents_the_new_lines() {
    let text = "mod a {\n    fn f() {\n        one();\n    }\n}\n";
    let plan = planned(
        text,
        &[("fn f() {\n    one();\n}", "fn f() {\n    one();\n    two();\n}")],
    );
    assert_eq!(
        after(&plan),
        "mod a {\n    fn f() {\n        one();\n        two();\n    }\n}\n"
    );
    assert_eq!(strategies(&plan), ["indent"]);
}

#[test]
fn tabs_and_spaces_are_kept_by_unit() {
    let text = "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n";
    let plan = planned(
        text,
        &[(
            "    if a {\n        b()\n    }",
            "    if a {\n        b()\n        c()\n    }",
        )],
    );
    assert_eq!(after(&plan), "func f() {\n\tif a {\n\t\tb()\n\t\tc()\n\t}\n}\n");
}

#[test]
fn kept_lines_keep_the_files_text() {
    let plan = planned(
        "a = 1  \nb = \u{2018}x\u{2019}\nc = 3\n",
        &[("a = 1\nb = 'x'\nc = 3", "a = 1\nb = 'x'\nc = 4")],
    );
    assert_eq!(after(&plan), "a = 1  \nb = \u{2018}x\u{2019}\nc = 4\n");
}

#[test]
fn a_block_may_build_on_an_earlier_one() {
    let plan = planned("a\nb\n", &[("a", "x\ny"), ("y\nb", "z")]);
    assert_eq!(after(&plan), "x\nz\n");
}

#[test]
fn a_block_written_for_the_text_before_the_reply_is_carried_over() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let plan = planned(
        text,
        &[("two\nthree", "two!\nthree"), ("two\nthree\nfour", "two\nthree\nfour!")],
    );
    assert_eq!(after(&plan), "one\ntwo!\nthree\nfour!\nfive\n");
    assert_eq!(strategies(&plan), ["exact", "earlier-text"]);
}

#[test]
fn overlapping_changes_name_both_blocks() {
    let plan = planned("one\ntwo\nthree\n", &[("two", "2"), ("one\ntwo", "one\nzwei")]);
    assert_eq!(plan.failures[0].kind, FailureKind::Overlap);
    assert!(plan.failures[0].reason.contains("block 2 and block 1"));
}

#[test]
fn the_same_block_twice_is_applied_once() {
    let pair = ("start();", "start();\nlog(\"started\");");
    let plan = planned("start();\nend();\n", &[pair, pair]);
    assert_eq!(after(&plan), "start();\nlog(\"started\");\nend();\n");
    assert_eq!(strategies(&plan), ["exact", "already-there"]);
}

#[test]
fn as_many_identical_blocks_as_places() {
    let pair = ("x();", "y();");
    let plan = planned("x();\nfoo\nx();\n", &[pair, pair]);
    assert_eq!(after(&plan), "y();\nfoo\ny();\n");
}

#[test]
fn certain_neighbours_on_both_sides_break_a_tie() {
    let text = "a\n}\nb\n}\nc\n}\n";
    let plan = planned(text, &[("a", "A"), ("}", "};"), ("b", "B")]);
    assert_eq!(after(&plan), "A\n};\nB\n}\nc\n}\n");
    let one_sided = planned(text, &[("c", "C"), ("}", "};")]);
    assert_eq!(one_sided.failures[0].kind, FailureKind::Ambiguous);
}

#[test]
fn an_empty_search_needs_a_name_to_append() {
    let plan = planned("a\n", &[("", "b")]);
    assert_eq!(after(&plan), "a\nb\n");
    let no_newline = planned("a", &[("", "b")]);
    assert_eq!(after(&no_newline), "a\nb");
    let mut unnamed = blocks("a.rs", &[("", "b")]);
    unnamed.edits[0].target = Target::Unnamed {
        previous: None,
        prose_between: false,
    };
    let refused = plan_of(&unnamed, &["a.rs"], &[("a.rs", "a\n")]);
    assert_eq!(refused.failures.len(), 1);
    assert!(refused.writes.is_empty());
}

fn plan_of(parsed: &Parsed, chat: &[&str], files: &[(&str, &str)]) -> Plan {
    plan(parsed, &hints(chat), &contents(files))
}

#[test]
fn a_new_file_is_created_beside_the_open_one() {
    let plan = plan_of(&blocks("src/b.rs", &[("", "fn b() {}")]), &["a.rs"], &[("a.rs", "a\n")]);
    assert_eq!(plan.writes.len(), 1);
    assert_eq!(plan.writes[0].path, "src/b.rs");
    assert_eq!(plan.writes[0].kind, WriteKind::Create);
    assert_eq!(plan.writes[0].after.as_deref(), Some("fn b() {}\n"));
}

#[test]
fn the_whole_file_and_an_empty_replacement_empty_it() {
    let plan = planned("a\nb\n", &[("a\nb", "")]);
    assert_eq!(after(&plan), "");
}

#[test]
fn elided_text_is_left_as_it_is() {
    let text = "fn f() {\n    one();\n    two();\n    three();\n}\n";
    let plan = planned(text, &[("fn f() {\n...\n    three();", "fn g() {\n...\n    four();")]);
    assert_eq!(after(&plan), "fn g() {\n    one();\n    two();\n    four();\n}\n");
}

#[test]
fn wrapped_lines_are_found() {
    let text = "call(\n    first,\n    second,\n);\nrest();\n";
    let plan = planned(
        text,
        &[("call(first, second,);\nrest();", "call(first, second,);\nother();")],
    );
    assert_eq!(after(&plan), "call(\n    first,\n    second,\n);\nother();\n");
}

#[test]
fn create_never_replaces_a_file() {
    let parsed = reply(vec![(
        "a.rs",
        Op::Create {
            text: "new\n".to_string(),
        },
    )]);
    let plan = plan_of(&parsed, &["a.rs"], &[("a.rs", "old\n")]);
    assert_eq!(plan.failures[0].kind, FailureKind::Refused);
    assert!(plan.writes.is_empty());
}

#[test]
fn move_and_delete() {
    let parsed = reply(vec![
        (
            "a.rs",
            Op::Move {
                to: "c/b.rs".to_string(),
                hunks: vec![hunk("a", "A")],
            },
        ),
        ("d.rs", Op::Delete),
    ]);
    let plan = plan_of(&parsed, &[], &[("a.rs", "a\n"), ("d.rs", "d\n")]);
    assert!(plan.failures.is_empty(), "{:?}", plan.failures);
    let kinds: Vec<_> = plan
        .writes
        .iter()
        .map(|write| (write.path.as_str(), write.kind.clone()))
        .collect();
    assert_eq!(
        kinds,
        [
            (
                "c/b.rs",
                WriteKind::Move {
                    from: "a.rs".to_string()
                }
            ),
            ("d.rs", WriteKind::Delete)
        ]
    );
}

#[test]
fn a_move_never_replaces_a_file() {
    let parsed = reply(vec![(
        "a.rs",
        Op::Move {
            to: "b.rs".to_string(),
            hunks: vec![],
        },
    )]);
    let plan = plan_of(&parsed, &[], &[("a.rs", "a\n"), ("b.rs", "b\n")]);
    assert_eq!(plan.failures[0].kind, FailureKind::Refused);
    assert!(plan.writes.is_empty());
}

#[test]
fn whole_files_that_leave_code_out_are_refused() {
    let text: String = (0..40).map(|n| format!("fn f{n}() {{}}\n")).collect();
    let new = "fn f0() {}\n// ... existing code ...\n".to_string();
    let parsed = reply(vec![(
        "a.rs",
        Op::Write {
            text: new,
            basis: Basis::Asked,
        },
    )]);
    let plan = plan_of(&parsed, &["a.rs"], &[("a.rs", &text)]);
    assert_eq!(plan.failures[0].kind, FailureKind::Omission);
}

#[test]
fn a_whole_file_changes_only_the_lines_that_differ() {
    let parsed = reply(vec![(
        "a.rs",
        Op::Write {
            text: "a\nB\nc\n".to_string(),
            basis: Basis::Asked,
        },
    )]);
    let plan = plan_of(&parsed, &["a.rs"], &[("a.rs", "a\r\nb\r\nc")]);
    assert_eq!(after(&plan), "a\r\nB\r\nc");
}

#[test]
fn removed_definitions_that_are_used_are_warned_of() {
    let parsed = blocks("a.rs", &[("fn navigate() {}\n", "")]);
    let plan = plan_of(
        &parsed,
        &["a.rs", "b.rs"],
        &[("a.rs", "fn navigate() {}\nfn x() {}\n"), ("b.rs", "navigate();\n")],
    );
    assert!(plan.failures.is_empty());
    assert_eq!(plan.warnings.len(), 1);
}

#[test]
fn the_report_shows_the_closest_lines_and_what_is_staged() {
    let text = "fn f() {\n    let total = 1;\n    print(total);\n}\nfn g() {}\n";
    let plan = planned(
        text,
        &[
            ("fn g() {}", "fn g() { f() }"),
            ("    let total = 2;\n    print(total);", "    x();"),
        ],
    );
    let report = report(&plan);
    assert!(report.contains("Block 2, `a.rs`: not found"), "{report}");
    assert!(report.contains("!     2 |     let total = 1;"), "{report}");
    assert!(report.contains("- block 1: `a.rs`"), "{report}");
}

#[test]
fn anchors_choose_among_places() {
    let text = "class A:\n    def run(self):\n        go()\n\nclass B:\n    def run(self):\n        go()\n";
    let mut parsed = blocks("a.py", &[("        go()", "        stop()")]);
    let Op::Modify { hunks } = &mut parsed.edits[0].op else {
        panic!()
    };
    hunks[0].anchors = vec!["class B:".to_string(), "def run".to_string()];
    let plan = plan_of(&parsed, &["a.py"], &[("a.py", text)]);
    assert!(after(&plan).ends_with("class B:\n    def run(self):\n        stop()\n"));
    assert!(after(&plan).starts_with("class A:\n    def run(self):\n        go()\n"));
}

#[test]
fn anchored_insertions_go_below_the_anchor() {
    let text = "import a\n\ndef f(\n    x,\n):\n    pass\n";
    let mut parsed = blocks("a.py", &[("", "    log(x)")]);
    let Op::Modify { hunks } = &mut parsed.edits[0].op else {
        panic!()
    };
    hunks[0].anchors = vec!["def f(".to_string()];
    let plan = plan_of(&parsed, &["a.py"], &[("a.py", text)]);
    assert_eq!(after(&plan), "import a\n\ndef f(\n    x,\n):\n    log(x)\n    pass\n");
}
