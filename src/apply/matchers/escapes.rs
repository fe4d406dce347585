//! The model wrote both halves in the spelling of another language: `&lt;` for `<`, or every quote with a backslash.
//! Only when the old lines stand in the file so spelt back are the new lines spelt back as well.

use crate::apply::change::Ask;
use crate::apply::document::Document;
use crate::apply::ladder::{Found, find_strictly};

const ENTITIES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
];

pub(in crate::apply) fn find(ask: &Ask, document: &Document<'_>) -> Found {
    for spelt_back in [without_entities, without_backslashes] {
        let (Some(old), Some(new)) = (spelt_back(&ask.old), spelt_back(&ask.new)) else {
            continue;
        };
        if old == ask.old {
            continue;
        }
        if let Found::Places(places) = find_strictly(&ask.with_lines(old, new), document) {
            return Found::Places(places);
        }
    }
    Found::Nowhere
}

/// None when the lines also hold the characters themselves: then the entities are meant.
fn without_entities(lines: &[String]) -> Option<Vec<String>> {
    let raw = lines.iter().any(|line| line.contains(['<', '>']));
    (!raw).then(|| {
        lines
            .iter()
            .map(|line| {
                ENTITIES.iter().fold(line.clone(), |line, (entity, character)| {
                    line.replace(entity, character)
                })
            })
            .collect()
    })
}

/// None when a quote stands without a backslash: then the backslashes are meant.
fn without_backslashes(lines: &[String]) -> Option<Vec<String>> {
    lines
        .iter()
        .map(|line| {
            let bare = line.replace("\\\"", "").replace("\\'", "");
            (!bare.contains(['"', '\''])).then(|| line.replace("\\\"", "\"").replace("\\'", "'"))
        })
        .collect()
}
