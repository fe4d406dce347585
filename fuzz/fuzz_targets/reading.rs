//! What must hold for every reply; shared by the targets of the readers.

use codriver::edit_format::Hints;
use codriver::edit_format::Op;
use codriver::edit_format::ReplyReader;
use codriver::edit_format::Target;
use codriver::edit_format::by_name;

pub(crate) fn check(format: &str, reply: &str) {
    let format = by_name(format).expect("the format has a row");
    let hints = Hints {
        chat_files: vec!["src/a.py".to_string()],
        known_files: vec!["b.rs".to_string(), "a/src/a.py".to_string()],
        root: Some("/p".to_string()),
        ..Hints::default()
    };
    let parsed = format.parse(reply, &hints);
    for edit in &parsed.edits {
        match &edit.target {
            Target::Named(names) => assert!(names.iter().all(|name| !name.is_empty()) && !names.is_empty()),
            Target::Unnamed { .. } => assert!(matches!(edit.op, Op::Modify { .. })),
        }
    }
    let mut reader = ReplyReader::new(format, hints);
    let mut rest = reply;
    let mut size = 1;
    while !rest.is_empty() {
        size = size % 13 + 1;
        let at = (size..=rest.len())
            .find(|at| rest.is_char_boundary(*at))
            .unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(at);
        reader.push(piece);
        rest = behind;
    }
    reader.flush();
    assert_eq!(reader.finish(), parsed);
}
