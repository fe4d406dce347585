//! `udiff`: unified diffs as models write them.
//!
//! ```text
//! --- a/src/a.py
//! +++ b/src/a.py
//! @@ ... @@
//!  kept
//! -removed
//! +added
//! ```
//!
//! Line numbers and counts are not trusted; counts only help to tell a removed line `-- x` from a header. Understood as
//! well: `diff --git` with its extended headers (new, deleted, renamed files), `/dev/null`, several files in a fence, no
//! fence, no header (then the name is looked for above), empty lines without their space, `\ No newline at end of file`.

use std::borrow::Cow;

use super::EditFormat;
use super::Hints;
use super::Op;
use super::Parsed;
use super::ProblemKind;
use super::Prompts;
use super::found::Asked;
use super::found::Section;
use super::found::Unreadable;
use super::hunks;
use super::hunks::Hunks;
use super::lines;
use super::lines::Line;
use super::prompts;
use super::scan;

pub(super) struct Udiff;

impl EditFormat for Udiff {
    fn name(&self) -> &'static str {
        "udiff"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        scan::read(reply, hints, Asked::Udiff)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/udiff.md")))
    }
}

/// What a header names for a side that does not exist.
const NO_FILE: &str = "/dev/null";

/// Whether a fence line says that it quotes a diff.
pub(super) fn is_diff_fence(info: &str) -> bool {
    let word = info.split(|c: char| c.is_whitespace() || c == ':').next().unwrap_or("");
    matches!(word.to_ascii_lowercase().as_str(), "diff" | "udiff" | "patch")
}

/// Whether a diff with a header begins on this line.
pub(super) fn begins(lines: &[Line<'_>], idx: usize) -> bool {
    let text = lines[idx].text.trim_start();
    (text.starts_with("--- ") && header_pair(lines, idx, lines[idx].indent()).is_some()) || git_header(text).is_some()
}

/// What ends a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The closing line of the fence around it.
    FenceEnd,
    /// Prose, or the end of the reply.
    Prose,
}

/// The sections of a diff, and the index of the first line behind it.
pub(super) struct Diff<'a> {
    pub(super) end: usize,
    pub(super) sections: Vec<Section<'a>>,
}

/// Reads the diff that begins on `lines[start]`, up to `lines.len()`: the caller cuts off what follows a fence.
/// `is_cut` says that the lines end where the reply breaks off.
pub(super) fn read<'a>(lines: &[Line<'a>], start: usize, until: Until, is_cut: bool) -> Diff<'a> {
    let indent = lines[start].indent();
    let mut reader = Reader {
        sections: Vec::new(),
        open: None,
    };
    let mut at = start;
    let mut ended_by_prose = false;
    while at < lines.len() {
        let text = unindented(lines[at].text, indent);
        if let Some((old, new)) = git_header(text) {
            reader.begin(at, old, new);
        } else if let Some((old, new)) =
            header_pair(lines, at, indent).filter(|_| !reader.counts_on(lines, at + 2, indent))
        {
            reader.header(at, old, new);
            at += 1;
        } else if !reader.line(text, at, until) {
            ended_by_prose = true;
            break;
        }
        at += 1;
    }
    let breaks_off = is_cut && !ended_by_prose && (until == Until::FenceEnd || reader.lacks_lines());
    reader.finish(breaks_off);
    Diff {
        end: at.max(start + 1),
        sections: reader.sections,
    }
}

fn unindented(text: &str, indent: usize) -> &str {
    let own = text.len() - text.trim_start().len();
    text.get(indent.min(own)..).unwrap_or(text)
}

/// `--- old` and `+++ new` on two lines, as (old, new).
fn header_pair<'a>(lines: &[Line<'a>], idx: usize, indent: usize) -> Option<(&'a str, &'a str)> {
    let old = unindented(lines[idx].text, indent).strip_prefix("--- ")?;
    let new = unindented(lines.get(idx + 1)?.text, indent).strip_prefix("+++ ")?;
    let is_path = |text: &str| {
        let path = without_time(text);
        path == NO_FILE
            || !path.is_empty()
                && path.contains(['/', '.', '\\'])
                && (!path.contains(' ') || path.starts_with("a/") || path.starts_with("b/") || path.starts_with('"'))
            || lines
                .get(idx + 2)
                .is_some_and(|below| unindented(below.text, indent).starts_with("@@"))
    };
    (is_path(old) && is_path(new)).then_some((old, new))
}

/// The paths of `diff --git a/x b/y`.
fn git_header(text: &str) -> Option<(&str, &str)> {
    let paths = text.strip_prefix("diff --git ")?.trim();
    if let Some((old, new)) = paths.split_once(" b/") {
        return Some((old, &paths[paths.len() - new.len() - 2..]));
    }
    paths.split_once(' ')
}

/// A header's path without the time that `diff` prints behind a tab.
fn without_time(text: &str) -> &str {
    text.split('\t').next().unwrap_or(text).trim()
}

struct Reader<'a> {
    sections: Vec<Section<'a>>,
    open: Option<OpenSection<'a>>,
}

/// One file's part of a diff.
struct OpenSection<'a> {
    start: usize,
    old: &'a str,
    new: &'a str,
    has_paths: bool,
    is_new: bool,
    is_deleted: bool,
    is_binary: bool,
    rename: (Option<&'a str>, Option<&'a str>),
    hunks: Hunks,
    in_hunk: bool,
    /// Lines of either side that the hunk's header still promises.
    promised: Option<(usize, usize)>,
    lacks_final_newline: bool,
    last_was_added: bool,
}

impl<'a> Reader<'a> {
    fn begin(&mut self, at: usize, old: &'a str, new: &'a str) {
        self.close_section();
        self.open = Some(OpenSection {
            start: at,
            old,
            new,
            has_paths: false,
            is_new: false,
            is_deleted: false,
            is_binary: false,
            rename: (None, None),
            hunks: Hunks::default(),
            in_hunk: false,
            promised: None,
            lacks_final_newline: false,
            last_was_added: false,
        });
    }

    fn header(&mut self, at: usize, old: &'a str, new: &'a str) {
        let goes_with_git_header = self
            .open
            .as_ref()
            .is_some_and(|section| !section.has_paths && !section.in_hunk);
        if !goes_with_git_header {
            self.begin(at, old, new);
        }
        if let Some(section) = &mut self.open {
            section.old = without_time(old);
            section.new = without_time(new);
            section.has_paths = true;
        }
    }

    /// Whether the two lines before `behind`, which look like a header, are lines of the hunk that its counts promise.
    fn counts_on(&self, lines: &[Line<'_>], behind: usize, indent: usize) -> bool {
        let hunk_follows = lines
            .get(behind)
            .is_some_and(|line| unindented(line.text, indent).starts_with("@@"));
        let promised = self.open.as_ref().and_then(|section| section.promised);
        !hunk_follows && promised.is_some_and(|(old, new)| old > 0 && new > 0)
    }

    /// Whether the last hunk's header promises more lines than there are.
    fn lacks_lines(&self) -> bool {
        let promised = self.open.as_ref().and_then(|section| section.promised);
        promised.is_some_and(|(old, new)| old > 0 || new > 0)
    }

    /// Takes one line that is no file header. False when it does not belong to the diff.
    fn line(&mut self, text: &'a str, at: usize, until: Until) -> bool {
        if self.open.is_none() {
            self.begin(at, "", "");
        }
        let Some(section) = &mut self.open else { return false };
        if !section.in_hunk && section.extended_header(text) {
            return true;
        }
        if text.starts_with("@@") {
            section.begin_hunk(text);
            return true;
        }
        let is_body = text.starts_with([' ', '+', '-', '\\']);
        if !is_body && !text.is_empty() && until == Until::Prose {
            return false;
        }
        // Between `diff --git` and `---` nothing is a line of a hunk.
        let may_begin = section.has_paths || section.old.is_empty();
        if section.in_hunk || is_body && may_begin {
            section.in_hunk = true;
            section.hunk_line(text);
        }
        true
    }

    fn finish(&mut self, breaks_off: bool) {
        if breaks_off && let Some(section) = self.open.take() {
            self.push(section, |_| {
                Err(Unreadable::new(ProblemKind::Open, "the reply ends inside this diff"))
            });
        }
        self.close_section();
    }

    fn close_section(&mut self) {
        if let Some(section) = self.open.take() {
            self.push(section, OpenSection::into_op);
        }
    }

    fn push(&mut self, section: OpenSection<'a>, op: impl FnOnce(OpenSection<'a>) -> Result<Op, Unreadable>) {
        let (names, other_names) = section.names();
        self.sections.push(Section {
            start: section.start,
            names,
            other_names,
            op: op(section),
        });
    }
}

impl<'a> OpenSection<'a> {
    /// Lines between `diff --git` and the first hunk.
    fn extended_header(&mut self, text: &'a str) -> bool {
        let starts = |word: &str| text.starts_with(word);
        if let Some(path) = text.strip_prefix("rename from ") {
            self.rename.0 = Some(path.trim());
        } else if let Some(path) = text.strip_prefix("rename to ") {
            self.rename.1 = Some(path.trim());
        } else if starts("new file mode") {
            self.is_new = true;
        } else if starts("deleted file mode") {
            self.is_deleted = true;
        } else if starts("Binary files ") || starts("GIT binary patch") {
            self.is_binary = true;
        } else {
            return starts("index ")
                || starts("old mode")
                || starts("new mode")
                || starts("similarity index")
                || starts("dissimilarity index");
        }
        true
    }

    fn begin_hunk(&mut self, text: &'a str) {
        self.in_hunk = true;
        self.promised = counts(text);
        self.hunks.line(text);
    }

    fn hunk_line(&mut self, text: &str) {
        if text.starts_with("\\ No newline") {
            self.lacks_final_newline |= self.last_was_added;
            return;
        }
        self.last_was_added = text.starts_with('+');
        if let Some((old, new)) = &mut self.promised {
            if !text.starts_with('+') {
                *old = old.saturating_sub(1);
            }
            if !text.starts_with('-') {
                *new = new.saturating_sub(1);
            }
        }
        self.hunks.line(text);
    }

    /// The file that the section is for: the new side, then the old one; the other way round when the file goes away
    /// or moves. Without `a/` and `b/`; with them in the second list.
    fn names(&self) -> (Vec<Cow<'a, str>>, Vec<Cow<'a, str>>) {
        let has_prefixes = self.has_git_prefixes();
        let stripped = |path: &'a str, prefix: &str| match unquoted(path) {
            Cow::Borrowed(path) if has_prefixes => Cow::Borrowed(path.strip_prefix(prefix).unwrap_or(path)),
            Cow::Owned(path) if has_prefixes => Cow::Owned(path.strip_prefix(prefix).unwrap_or(&path).to_string()),
            path => path,
        };
        let is_path = |path: &&str| !path.is_empty() && *path != NO_FILE;
        let new = Some(self.new).filter(is_path);
        let old = Some(self.old).filter(is_path);
        let mut names: Vec<Cow<'a, str>> = Vec::new();
        let written = [
            new.map(|path| stripped(path, "b/")),
            old.map(|path| stripped(path, "a/")),
        ];
        names.extend(written.into_iter().flatten());
        if let Some(from) = self.rename.0 {
            names.push(unquoted(from));
        }
        if self.goes_away() || self.rename.1.is_some() {
            names.reverse();
        }
        names.dedup();
        let other = if has_prefixes {
            [new, old].into_iter().flatten().map(unquoted).collect()
        } else {
            Vec::new()
        };
        (names, other)
    }

    /// Whether the paths begin with git's `a/` and `b/`, which are no folders.
    fn has_git_prefixes(&self) -> bool {
        let begins = |path: &str, prefix: &str| path == NO_FILE || path.trim_start_matches('"').starts_with(prefix);
        begins(self.old, "a/") && begins(self.new, "b/")
    }

    fn goes_away(&self) -> bool {
        self.is_deleted || self.new == NO_FILE
    }

    fn into_op(self) -> Result<Op, Unreadable> {
        let is_new = self.is_new || self.old == NO_FILE;
        if self.is_binary {
            return Err(Unreadable::new(
                ProblemKind::Malformed,
                "a binary file cannot be changed by a diff",
            ));
        }
        if self.goes_away() {
            return Ok(Op::Delete);
        }
        let hunks = self.hunks.finish();
        if let Some(to) = self.rename.1 {
            let to = to.to_string();
            return Ok(Op::Move { to, hunks });
        }
        if is_new && hunks.iter().all(|hunk| hunk.old.is_empty()) {
            let added: Vec<String> = hunks.into_iter().flat_map(|hunk| hunk.new).collect();
            let mut text = lines::join(&added);
            if self.lacks_final_newline {
                text.pop();
            }
            return Ok(Op::Create { text });
        }
        if hunks.is_empty() {
            return Err(Unreadable::new(
                ProblemKind::Malformed,
                "the diff changes nothing: no line begins with `+` or `-`",
            ));
        }
        Ok(Op::Modify { hunks })
    }
}

/// The line counts of `@@ -1,2 +3,4 @@`.
fn counts(text: &str) -> Option<(usize, usize)> {
    let mut words = text.strip_prefix("@@")?.split_whitespace();
    let mut count = |sign: char| -> Option<usize> {
        let range = words.next()?.strip_prefix(sign)?;
        match range.split_once(',') {
            Some((_, count)) => count.parse().ok(),
            None => range.parse::<usize>().ok().map(|_| 1),
        }
    };
    Some((count('-')?, count('+')?))
}

/// Whether the first line that says anything is an `@@` line with line numbers.
pub(super) fn begins_with_numbers(content: &[Line<'_>]) -> bool {
    let first = content.iter().find(|line| !line.is_blank());
    first.is_some_and(|line| counts(line.text).is_some())
}

/// Whether a file of that name holds a diff.
pub(super) fn is_diff_file(name: &str) -> bool {
    name.ends_with(".diff") || name.ends_with(".patch")
}

/// Whether a fenced text without headers holds hunks.
pub(super) fn has_changes(content: &[Line<'_>]) -> bool {
    content.iter().any(|line| line.text.starts_with(['+', '-']))
}

/// The path that one header line names (`+++ b/x`, `diff --git a/x b/x`).
pub(super) fn path_in_header(line: &str) -> Option<String> {
    let path = match git_header(line) {
        Some((_, new)) => new,
        None => line.strip_prefix("+++ ")?,
    };
    let path = unquoted(without_time(path)).into_owned();
    Some(path.strip_prefix("b/").map_or(path.clone(), str::to_string))
}

/// Whether an unfenced diff may go on with this line.
pub(super) fn may_continue(line: &str) -> bool {
    const HEADERS: &[&str] = &[
        "diff --git",
        "index ",
        "new file",
        "deleted file",
        "rename ",
        "similarity",
        "old mode",
        "new mode",
    ];
    line.is_empty()
        || line.starts_with([' ', '+', '-', '@', '\\'])
        || HEADERS.iter().any(|header| line.starts_with(header))
}

/// Undoes git's quoting: `"caf\303\251.txt"`.
pub(super) fn unquoted(path: &str) -> Cow<'_, str> {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Cow::Borrowed(path);
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let octal: Vec<u8> = rest
            .iter()
            .take(3)
            .copied()
            .take_while(|b| (b'0'..=b'7').contains(b))
            .collect();
        if octal.len() == 3 {
            let value = octal
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            bytes.push(value as u8);
            rest = &rest[3..];
        } else if let Some((escaped, tail)) = rest.split_first() {
            bytes.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                other => *other,
            });
            rest = tail;
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(inner), Cow::Owned)
}

/// A lone hunk header is a diff's even without a fence: `@@ -1,2 +1,3 @@`.
pub(super) fn is_numbered_hunk(text: &str) -> bool {
    counts(text).is_some() && hunks::anchor_text(text.strip_prefix("@@").unwrap_or("")).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_from_removed_lines() {
        let is_header = |text: &str| begins(&lines::split(text), 0);
        assert!(is_header("--- a/x.py\n+++ b/x.py\n"));
        assert!(is_header("--- Makefile\n+++ Makefile\n@@ ... @@\n"));
        assert!(is_header("diff --git a/x b/x\n"));
        assert!(!is_header("--- a comment of SQL\n+++ x\n"));
        assert!(!is_header("---\n+++\n"));
        assert!(!is_header("--- a/x.py\n text\n"));
    }

    #[test]
    fn git_quoting_and_prefixes_come_off() {
        assert_eq!(unquoted("\"caf\\303\\251.txt\""), "café.txt");
        assert_eq!(unquoted("src/a.py"), "src/a.py");
        assert_eq!(
            path_in_header("+++ b/src/a.py\t2024-01-01").as_deref(),
            Some("src/a.py")
        );
    }

    #[test]
    fn counts_of_a_hunk() {
        assert_eq!(counts("@@ -1,2 +3,4 @@ f"), Some((2, 4)));
        assert_eq!(counts("@@ -1 +1 @@"), Some((1, 1)));
        assert_eq!(counts("@@ ... @@"), None);
    }
}
