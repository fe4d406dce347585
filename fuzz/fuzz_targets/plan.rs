//! Plans any two lists of lines against any text: no panic, the same plan twice, every edit told about, and untouched
//! files left alone.
//!
//! The input is text: lines `=` end one part and begin the next (the file, then old and new lines by turns).
#![no_main]

use codriver::apply;
use codriver::apply::Content;
use codriver::apply::Contents;
use codriver::edit_format::Edit;
use codriver::edit_format::Hints;
use codriver::edit_format::Hunk;
use codriver::edit_format::Op;
use codriver::edit_format::Parsed;
use codriver::edit_format::Target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut parts = input.split("\n=\n");
    let file = parts.next().unwrap_or_default();
    let parts: Vec<Vec<String>> = parts
        .take(12)
        .map(|part| part.split('\n').map(str::to_owned).collect())
        .collect();
    let edits: Vec<Edit> = parts
        .chunks(2)
        .enumerate()
        .map(|(nth, pair)| Edit {
            block: nth + 1,
            line: 1,
            target: Target::Named(vec!["a.rs".to_owned()]),
            op: Op::Modify {
                hunks: vec![Hunk {
                    old: pair[0].clone(),
                    new: pair.get(1).cloned().unwrap_or_default(),
                    ..Hunk::default()
                }],
            },
        })
        .collect();
    let parsed = Parsed {
        edits,
        ..Parsed::default()
    };
    let hints = Hints {
        chat_files: vec!["a.rs".to_owned(), "b.rs".to_owned()],
        ..Hints::default()
    };
    let contents = Contents::from([
        ("a.rs".to_owned(), Content::Text(file.to_owned())),
        ("b.rs".to_owned(), Content::Text(file.to_owned())),
    ]);
    let plan = apply::plan(&parsed, &hints, &contents);
    assert_eq!(plan, apply::plan(&parsed, &hints, &contents));
    assert_eq!(plan.placed.len() + plan.failures.len(), parsed.edits.len());
    assert_eq!(plan.failures.is_empty(), apply::report(&plan).is_empty());
    assert!(plan.writes.iter().all(|write| write.path == "a.rs" && write.before.as_deref() == Some(file)));
    assert!(!plan.placed.is_empty() || plan.writes.is_empty());
    if let Some(after) = plan.writes.first().and_then(|write| write.after.as_deref()) {
        // What is merged with no other change is itself.
        assert_eq!(apply::merge3(file, after, file).as_deref(), Ok(after));
    }
});
