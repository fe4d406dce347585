//! Fenced blocks of a reply: where each ends, also when models nest fences without lengthening the outer one.

use super::decoration;
use super::lines::Line;
use super::names::Project;
use super::udiff;
use crate::text::fence::FenceLine;

/// Fences inside fences are followed this deep; it also bounds the work on a reply full of opening fences.
const DEEPEST: usize = 4;

/// What stands between an opening fence and its end.
pub(super) struct Extent {
    /// Index of the closing line; None when the reply ends before it.
    pub(super) close: Option<usize>,
    /// Whether other readings of the fences within end the block elsewhere or never.
    pub(super) is_unclear: bool,
    /// First line inside on which an edit begins, and how many fences stand around it (1: only this one).
    pub(super) edit: Option<(usize, usize)>,
}

/// Follows the fence that `lines[start]` opens. Stops at the first line for which `is_edit` holds.
///
/// A fence line that carries a language opens a block within. A bare one closes the innermost block, unless the content is
/// Markdown (`in_markdown`) and it stands where samples begin: below a blank line or a colon, above text. When the
/// block then has no end, it is unclear whether the sample or the whole reply broke off.
pub(super) fn extent(
    lines: &[Line<'_>],
    start: usize,
    opener: &FenceLine<'_>,
    in_markdown: bool,
    project: &Project<'_>,
    is_edit: impl Fn(usize) -> bool,
) -> Extent {
    let strict = follow(lines, start, opener, &is_edit, |_| false);
    if !in_markdown || strict.edit.is_some() {
        return strict;
    }
    let lenient = follow(lines, start, opener, &is_edit, |idx| begins_sample(lines, idx, project));
    if lenient.close.is_some() || lenient.edit.is_some() {
        return lenient;
    }
    Extent {
        is_unclear: strict.close.is_some(),
        ..strict
    }
}

fn follow(
    lines: &[Line<'_>],
    start: usize,
    opener: &FenceLine<'_>,
    is_edit: impl Fn(usize) -> bool,
    bare_opens: impl Fn(usize) -> bool,
) -> Extent {
    let is_signed = udiff::is_diff_fence(opener.info);
    let mut stack = vec![*opener];
    let mut close = None;
    let mut edit = None;
    for (idx, line) in lines.iter().enumerate().skip(start + 1) {
        if stack.len() <= DEEPEST && is_edit(idx) {
            edit = Some((idx, stack.len()));
            break;
        }
        let Some(fence) = FenceLine::read(line.text) else {
            continue;
        };
        let Some(innermost) = stack.last() else { break };
        if fence.nests_in(innermost) {
            stack.push(fence);
        } else if fence.closes(innermost) && (!is_signed || fence.closes_signed(innermost)) {
            if stack.len() == 1 && bare_opens(idx) {
                stack.push(fence);
                continue;
            }
            stack.pop();
            if stack.is_empty() {
                close = Some(idx);
                break;
            }
        }
    }
    Extent {
        close,
        is_unclear: false,
        edit,
    }
}

/// Whether a bare fence line stands where a sample begins rather than ends.
fn begins_sample(lines: &[Line<'_>], idx: usize, project: &Project<'_>) -> bool {
    let is_fence = |at: usize| lines.get(at).is_some_and(|line| FenceLine::read(line.text).is_some());
    let above = &lines[idx - 1];
    let text_below = lines.get(idx + 1).is_some_and(|below| !below.is_blank());
    // The next file's name above its fence.
    let is_name = |at: usize| {
        lines
            .get(at)
            .is_some_and(|line| decoration::whole_line(line.text, project).is_some())
    };
    let name_below = is_fence(idx + 2) && is_name(idx + 1);
    text_below && !name_below && (above.is_blank() || above.text.trim_end().ends_with(':'))
}

/// Whether a block with this fence line and this file name holds Markdown, in which fences are usual.
pub(super) fn holds_markdown(info: &str, name: Option<&str>) -> bool {
    let language = info.split_whitespace().next().unwrap_or("");
    let by_name = name.is_some_and(|name| {
        let extension = name
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
            .to_ascii_lowercase();
        matches!(
            extension.as_str(),
            "md" | "mdx" | "markdown" | "rmd" | "qmd" | "mdc" | "rst" | "adoc" | "txt"
        )
    });
    by_name || matches!(language.to_ascii_lowercase().as_str(), "markdown" | "md" | "mdx")
}

/// A name in the first line of a block, and whether that line is part of the file.
pub(super) fn name_in_first_line(content: &[Line<'_>], project: &Project<'_>) -> Option<(String, bool)> {
    let first = content.first()?;
    let found = decoration::whole_line(first.text, project)?;
    let is_comment = first.text.trim() != found.name;
    Some((found.name, is_comment))
}

#[cfg(test)]
mod tests {
    use super::super::Hints;
    use super::super::lines;
    use super::*;

    fn close(reply: &str, in_markdown: bool) -> Option<usize> {
        find(reply, in_markdown).close
    }

    fn find(reply: &str, in_markdown: bool) -> Extent {
        let lines = lines::split(reply);
        let opener = FenceLine::read(lines[0].text).unwrap();
        let hints = Hints::default();
        extent(&lines, 0, &opener, in_markdown, &Project::new(&hints), |_| false)
    }

    #[test]
    fn the_first_bare_fence_closes_code() {
        assert_eq!(close("```py\na\n```\ntext\n```\nb\n```\n", false), Some(2));
        assert_eq!(close("````py\n```\na\n````\n", false), Some(3));
        assert_eq!(close("```py\na\n", false), None);
    }

    #[test]
    fn a_fence_with_a_language_nests() {
        assert_eq!(close("```md\n```sh\nls\n```\nend\n```\n", true), Some(5));
        assert_eq!(close("<source>\n<source>\n</source>\n```\n</source>\n", false), Some(4));
    }

    #[test]
    fn a_bare_sample_in_markdown_nests_when_the_whole_still_closes() {
        assert_eq!(close("```md\n# T\n\n```\nls\n```\n\nend\n```\n", true), Some(8));
    }

    #[test]
    fn a_sample_without_end_makes_the_end_unclear() {
        assert!(find("```md\n# T\n\n```\nls\n", true).is_unclear);
        assert!(!find("```md\n# T\n\n```\n\nThat is all.\n", true).is_unclear);
        assert!(!find("```py\n\n```\nThat is all.\n", false).is_unclear);
    }
}
