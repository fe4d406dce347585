//! What models are told about the formats: every example is read by its own format as what it shows.

use codriver::edit_format::EDIT_FORMATS;
use codriver::edit_format::EditFormat;
use codriver::edit_format::Hints;
use codriver::edit_format::Op;
use codriver::edit_format::Prompts;
use codriver::edit_format::Target;
use codriver::text::fence;

/// (format, for each example the operations in its reply).
const EXAMPLES: &[(&str, &[&[&str]])] = &[
    ("diff", SEARCH_REPLACE),
    ("diff-fenced", SEARCH_REPLACE),
    (
        "udiff",
        &[
            &["modify 2 shop/cart.py"],
            ASKS_FOR_A_FILE,
            &["create version.go", "delete old_version.go"],
        ],
    ),
    (
        "whole",
        &[
            &["write greet.py"],
            ASKS_FOR_A_FILE,
            &["write lib/defaults.rb", "write lib/config.rb", "delete old_config.rb"],
        ],
    ),
    (
        "patch",
        &[
            &["modify 2 shop/cart.py"],
            ASKS_FOR_A_FILE,
            &[
                "move src/util.rs to src/text.rs",
                "create src/version.rs",
                "delete src/old.rs",
            ],
        ],
    ),
    ("editor-diff", EDITOR),
    ("editor-diff-fenced", EDITOR),
    ("editor-whole", &[&["write math.ts", "write index.ts"]]),
];

const SEARCH_REPLACE: &[&[&str]] = &[
    &["modify 1 shop/cart.py", "modify 1 shop/cart.py"],
    ASKS_FOR_A_FILE,
    &["modify 1 src/slug.js", "modify 1 src/page.js", "delete src/legacy.js"],
];

/// A reply without edits that names the file it needs.
const ASKS_FOR_A_FILE: &[&str] = &[];

const EDITOR: &[&[&str]] = &[&["modify 1 greet.go", "modify 1 greet_doc.md"]];

#[test]
fn every_example_is_read_as_what_it_shows() {
    for (format, prompts) in formats_with_prompts() {
        let (_, expected) = EXAMPLES
            .iter()
            .find(|(name, _)| *name == format.name())
            .unwrap_or_else(|| panic!("no row for {}", format.name()));
        for fence in [fence::choose([]), fence::choose(["```\n"])] {
            let prompts = prompts.with_fence(&fence);
            let found: Vec<Vec<String>> = prompts
                .examples
                .iter()
                .map(|(_, reply)| operations(format, reply))
                .collect();
            assert_eq!(found, **expected, "{}", format.name());
        }
    }
}

#[test]
fn every_prompt_is_complete() {
    for (format, prompts) in formats_with_prompts() {
        let name = format.name();
        assert!(prompts.system.len() > 200 && !prompts.reminder.is_empty(), "{name}");
        assert!(prompts.system.len() < 3_000, "{name}: {} bytes", prompts.system.len());
        let is_editor = name.starts_with("editor-");
        assert_eq!(prompts.system.contains("`bash`"), !is_editor, "{name}: shell part");
        assert!(
            prompts.system.to_lowercase().contains("delete"),
            "{name}: how to delete a file"
        );
        assert!(
            prompts.system.to_lowercase().contains("rename"),
            "{name}: how to rename a file"
        );
        for (user, reply) in &prompts.examples {
            assert!(!user.is_empty() && !reply.is_empty(), "{name}");
        }
    }
}

#[test]
fn editor_prompts_are_shorter() {
    for format in EDIT_FORMATS {
        let Some(editor) = codriver::edit_format::by_name(&format!("editor-{}", format.name())) else {
            continue;
        };
        let length = |format: &dyn EditFormat| format.prompts().unwrap().system.len();
        assert!(length(editor) < length(*format), "{}", format.name());
    }
}

#[test]
fn no_placeholder_is_left() {
    for (format, prompts) in formats_with_prompts() {
        let filled = prompts.with_fence(&fence::Fence::default());
        let texts = [filled.system, filled.reminder]
            .into_iter()
            .chain(filled.examples.into_iter().map(|(_, reply)| reply));
        for text in texts {
            assert!(
                !text.contains("{open}") && !text.contains("{close}"),
                "{}",
                format.name()
            );
        }
    }
}

fn formats_with_prompts() -> impl Iterator<Item = (&'static dyn EditFormat, Prompts)> {
    EDIT_FORMATS
        .iter()
        .filter_map(|format| Some((*format, format.prompts()?)))
}

/// The edits of a reply in a few words each.
fn operations(format: &dyn EditFormat, reply: &str) -> Vec<String> {
    let parsed = format.parse(reply, &Hints::default());
    assert_eq!(parsed.problems, [], "{}", format.name());
    assert_eq!(parsed.suggestions, [], "{}", format.name());
    let words = parsed.edits.iter().map(|edit| {
        let path = match &edit.target {
            Target::Named(names) => &names[0],
            Target::Unnamed { .. } => "?",
        };
        match &edit.op {
            Op::Modify { hunks } => format!("modify {} {path}", hunks.len()),
            Op::Write { .. } => format!("write {path}"),
            Op::Create { .. } => format!("create {path}"),
            Op::Delete => format!("delete {path}"),
            Op::Move { to, .. } => format!("move {path} to {to}"),
        }
    });
    words.collect()
}
