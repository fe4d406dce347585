//! The rules that a project has for whoever works on it (`AGENTS.md`): where they may stand, and how much of them goes
//! into a request. Finding, trusting and reading them is the session's.

use std::collections::BTreeSet;

use super::prompt::FileText;

/// Name of the file that is looked for when the user sets nothing.
pub const USUAL_NAME: &str = "AGENTS.md";

/// All rules together have at most so many bytes, whatever the window.
pub const MAX_BYTES: usize = 32 * 1024;

/// Bytes that rules may have beside a window of so many tokens: about a quarter of it.
pub fn ceiling(window: Option<u32>) -> usize {
    window.map_or(MAX_BYTES, |tokens| MAX_BYTES.min(tokens as usize))
}

/// The folders whose rules count for some places of the project: each place's folder and all above it. A folder comes
/// before those below it, so the nearest rules are read last. Paths are relative to the root with `/`; "" is the root.
pub fn folders<'a>(places: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found = BTreeSet::from([String::new()]);
    for place in places {
        let ends = place.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([place.len()]) {
            found.insert(place[..end].to_owned());
        }
    }
    found.into_iter().collect()
}

/// What was left out of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub path: String,
    /// How many bytes.
    pub left_out: usize,
}

/// Cuts rules, weakest first, to a number of bytes. The strongest, at the end, are served first. A file that is cut says so
/// in its last line; one that gets nothing is left out. The cuts come in the order of the files.
pub fn fit(rules: Vec<(String, String)>, ceiling: usize) -> (Vec<FileText>, Vec<Cut>) {
    let mut left = ceiling;
    let mut files = Vec::new();
    let mut cuts = Vec::new();
    for (path, text) in rules.into_iter().rev() {
        let kept = whole_lines(&text, left);
        left -= kept.len();
        let left_out = text.len() - kept.len();
        if left_out > 0 {
            cuts.push(Cut {
                path: path.clone(),
                left_out,
            });
        }
        if kept.trim().is_empty() {
            continue;
        }
        let shown = match left_out {
            0 => text,
            _ => format!("{kept}[cut here: the last {left_out} bytes of this file are left out]\n"),
        };
        files.push(FileText::new(path, shown));
    }
    files.reverse();
    cuts.reverse();
    (files, cuts)
}

/// The beginning of a text that has at most so many bytes, up to the end of a line.
fn whole_lines(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let end = text.as_bytes()[..bytes].iter().rposition(|byte| *byte == b'\n');
    &text[..end.map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::prompt::Content;

    fn rules(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn texts(files: &[FileText]) -> Vec<(&str, &str)> {
        files
            .iter()
            .map(|file| match &file.content {
                Content::Text(text) => (file.path.as_str(), text.as_str()),
                Content::Excerpts(_) | Content::Attachment { .. } => panic!("rules are text"),
            })
            .collect()
    }

    #[test]
    fn folders_lead_from_the_root_down_to_each_place() {
        assert_eq!(folders([]), [""]);
        assert_eq!(
            folders(["", "web/app/forms", "web"]),
            ["", "web", "web/app", "web/app/forms"]
        );
        assert_eq!(folders(["b", "a"]), ["", "a", "b"]);
    }

    #[test]
    fn what_fits_is_left_alone() {
        let (files, cuts) = fit(rules(&[("A.md", "one\n"), ("b/A.md", "two")]), 100);
        assert_eq!(texts(&files), [("A.md", "one\n"), ("b/A.md", "two")]);
        assert_eq!(cuts, []);
    }

    #[test]
    fn the_nearest_rules_are_kept_and_a_cut_is_told() {
        let (files, cuts) = fit(rules(&[("A.md", "one\ntwo\nthree\n"), ("b/A.md", "near\n")]), 14);
        assert_eq!(
            texts(&files),
            [
                (
                    "A.md",
                    "one\ntwo\n[cut here: the last 6 bytes of this file are left out]\n"
                ),
                ("b/A.md", "near\n")
            ]
        );
        assert_eq!(
            cuts,
            [Cut {
                path: "A.md".to_owned(),
                left_out: 6
            }]
        );
    }

    #[test]
    fn a_file_without_room_is_left_out_and_told() {
        let (files, cuts) = fit(rules(&[("A.md", "one\n"), ("b/A.md", "été\nété\n")]), 9);
        assert_eq!(files.len(), 1);
        assert!(texts(&files)[0].1.starts_with("été\n[cut here"));
        assert_eq!(
            cuts.iter().map(|cut| cut.path.as_str()).collect::<Vec<_>>(),
            ["A.md", "b/A.md"]
        );
    }

    #[test]
    fn a_small_window_has_little_room_for_rules() {
        assert_eq!(ceiling(None), MAX_BYTES);
        assert_eq!(ceiling(Some(8_192)), 8_192);
        assert_eq!(ceiling(Some(1_000_000)), MAX_BYTES);
    }
}
