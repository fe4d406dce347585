//! Thinking sections of a reply: where they begin and end. Nothing in them is ever an edit.
//!
//! Models and servers mark them in many ways: `<think>`, `<reasoning>`, `[THINK]`, `◁think▷`, channels. The first mark
//! may be missing (it stood in the prompt), and so may the last.

use super::lines::Line;

/// Parts of tag names that mean thinking: `think`, `thinking`, `antThinking`, `seed:think`, `thinking-content-12ab`.
#[rustfmt::skip]
const THINKING_NAMES: &[&str] = &[
    "think", "thought", "reason", "reflect", "analysis", "scratchpad", "monologue", "deliberat", "brainstorm",
];

/// Tags that wrap an answer, not a thought.
#[rustfmt::skip]
const ANSWER_NAMES: &[&str] = &[
    "answer", "output", "response", "reply", "final", "result", "edit", "edits", "file", "files", "filename",
    "path", "patch", "diff", "change", "changes", "solution", "code", "source", "pre", "codeblock",
    "sourcecode",
];

/// Sections whose marks are no tags: (first mark, last marks).
const OTHER_MARKS: &[(&str, &[&str])] = &[
    ("<|begin_of_thought|>", &["<|end_of_thought|>"]),
    ("<|channel|>analysis", &["<|channel|>final<|message|>", "<|end|>"]),
    (
        "<|start|>assistant<|channel|>analysis",
        &["<|channel|>final<|message|>", "<|end|>"],
    ),
    ("► **THINKING**", &["► **ANSWER**"]),
];

/// A section that begins on a line.
pub(super) enum Section<'a> {
    /// It ends on line `last`; `rest` stands behind its end.
    Closed { last: usize, rest: &'a str },
    /// The reply ends inside it.
    Open { name: String },
}

/// The thinking section that begins on `lines[start]`, if one does.
pub(super) fn section<'a>(lines: &[Line<'a>], start: usize) -> Option<Section<'a>> {
    let text = lines[start].text.trim_start();
    if !text.starts_with(['<', '[', '◁', '►']) {
        return None;
    }
    let (name, body, ends) = first_mark(text)?;
    Some(find_end(lines, start, body, &ends).unwrap_or(Section::Open { name }))
}

/// The marks that end the thinking section which begins on this line.
pub(super) fn ends(line: &str) -> Option<Vec<String>> {
    first_mark(line.trim_start()).map(|(_, _, ends)| ends)
}

/// A section that a reply opens with under a tag of any name. It counts only when edits follow it (`is_edit`): otherwise the
/// tag wraps the answer.
pub(super) fn leading_section<'a>(
    lines: &[Line<'a>],
    start: usize,
    is_edit: impl Fn(usize) -> bool,
) -> Option<Section<'a>> {
    let name = lines[start].text.trim().strip_prefix('<')?.strip_suffix('>')?;
    let is_tag = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    if !is_tag || ANSWER_NAMES.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let ends = [format!("</{name}>")];
    let found = find_end(lines, start + 1, lines.get(start + 1)?.text, &ends)?;
    match found {
        Section::Closed { last, .. } if (last + 1..lines.len()).any(is_edit) => Some(found),
        _ => None,
    }
}

/// What follows the end of a thinking section whose beginning stands nowhere (`</think>` at the start of a line).
pub(super) fn stray_end(line: &str) -> Option<&str> {
    let text = line.trim_start();
    if let Some(rest) = text.strip_prefix("◁/think▷") {
        return Some(rest);
    }
    let (name, rest) = if let Some(inner) = text.strip_prefix("</") {
        inner.split_once('>')?
    } else {
        text.strip_prefix("[/")?.split_once(']')?
    };
    is_thinking_name(name).then_some(rest)
}

/// The name of the section that `text` opens, what follows the mark, and the marks that end it.
fn first_mark(text: &str) -> Option<(String, &str, Vec<String>)> {
    for (mark, ends) in OTHER_MARKS {
        if let Some(body) = text.strip_prefix(mark) {
            let ends = ends.iter().map(|end| end.to_string()).collect();
            return Some((mark.to_string(), body, ends));
        }
    }
    if let Some(body) = text.strip_prefix("◁think▷") {
        return Some(("◁think▷".to_string(), body, vec!["◁/think▷".to_string()]));
    }
    let (open, close) = match text.chars().next()? {
        '<' => ('<', '>'),
        '[' => ('[', ']'),
        _ => return None,
    };
    let (tag, body) = text[1..].split_once(close)?;
    let name = tag.split_whitespace().next()?;
    let is_closed_at_once = tag.ends_with('/') || name.starts_with('/');
    // `[Reasoning](x)` is a link; the bracket form is written in capitals.
    let is_word = open == '<' || name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    if is_closed_at_once || !is_word || !is_thinking_name(name) {
        return None;
    }
    Some((
        format!("{open}{name}{close}"),
        body,
        vec![format!("{open}/{name}{close}")],
    ))
}

fn is_thinking_name(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let is_tag = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    is_tag && THINKING_NAMES.iter().any(|part| name.contains(part))
}

fn find_end<'a>(lines: &[Line<'a>], start: usize, first: &str, ends: &[String]) -> Option<Section<'a>> {
    let skipped = lines[start].text.len() - first.len();
    for (idx, line) in lines.iter().enumerate().skip(start) {
        let from = if idx == start { skipped } else { 0 };
        let text = &line.text[from..];
        let end = ends
            .iter()
            .filter_map(|end| text.find(end.as_str()).map(|at| at + end.len()))
            .min();
        if let Some(end) = end {
            return Some(Section::Closed {
                last: idx,
                rest: &text[end..],
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    /// The line on which the section ends, and what follows; None for an open section.
    fn end(reply: &str) -> Option<(usize, &str)> {
        match section(&lines::split(reply), 0).expect("a section begins") {
            Section::Closed { last, rest } => Some((last, rest)),
            Section::Open { .. } => None,
        }
    }

    #[test]
    fn knows_many_marks() {
        assert_eq!(end("<think>\nx\n</think>\n"), Some((2, "")));
        assert_eq!(end("<thinking>x</thinking>src/a.py"), Some((0, "src/a.py")));
        assert_eq!(end("<seed:think>\nx</seed:think> y"), Some((1, " y")));
        assert_eq!(end("<thinking-content-12ab>\n</thinking-content-12ab>"), Some((1, "")));
        assert_eq!(end("[THINK]\nx\n[/THINK]\n"), Some((2, "")));
        assert_eq!(end("◁think▷\nx\n◁/think▷\n"), Some((2, "")));
        assert_eq!(
            end("<|channel|>analysis<|message|>x\n<|channel|>final<|message|>y"),
            Some((1, "y"))
        );
        assert_eq!(end("<reasoning effort=\"high\">\nx\n"), None);
    }

    #[test]
    fn other_tags_are_no_thinking() {
        for line in [
            "<div>",
            "<answer>",
            "[Reasoning](x)",
            "<T>",
            "<think",
            "</think>",
            "text <think>",
        ] {
            assert!(section(&lines::split(line), 0).is_none(), "{line}");
        }
    }

    #[test]
    fn a_stray_end_is_seen() {
        assert_eq!(stray_end("</think>"), Some(""));
        assert_eq!(stray_end("</thinking> Now:"), Some(" Now:"));
        assert_eq!(stray_end("</div>"), None);
        assert_eq!(stray_end("text </think>"), None);
    }

    #[test]
    fn a_tag_of_any_name_at_the_start_counts_when_edits_follow() {
        let lines = lines::split("<plan>\ndraft\n</plan>\nedit\n");
        assert!(leading_section(&lines, 0, |idx| idx == 3).is_some());
        assert!(leading_section(&lines, 0, |idx| idx == 1).is_none());
        let answer = lines::split("<answer>\ndraft\n</answer>\nedit\n");
        assert!(leading_section(&answer, 0, |idx| idx == 3).is_none());
    }
}
