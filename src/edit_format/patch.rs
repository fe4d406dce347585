//! `patch`: the envelope of the apply_patch tool.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/a.py            changes a file
//! *** Move to: src/b.py                  and renames it
//! @@ class A                           lines above the place, outermost first
//! @@ def f
//!  kept
//! -removed
//! +added
//! *** End of File                      the hunk ends where the file ends
//! *** Add File: src/new.py             a new file, each line behind a `+`
//! +text
//! *** Delete File: src/old.py
//! *** Move File: old.py -> new.py      renames only
//! *** End Patch
//! ```
//!
//! Read leniently: prose, fences and here-documents around it, a missing first or last line, blank lines without their
//! space, `@@ -1,2 +1,2 @@` in place of an anchor. A section that the reply breaks off in is never an edit.
//! The lines `*** Delete File:` and `*** Move File:` are understood alone too, in every format.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::EditFormat;
use super::Hints;
use super::Op;
use super::Parsed;
use super::ProblemKind;
use super::Prompts;
use super::found::Asked;
use super::found::Section;
use super::found::Unreadable;
use super::hunks::Hunks;
use super::lines;
use super::lines::Line;
use super::prompts;
use super::scan;

pub(super) struct Patch;

impl EditFormat for Patch {
    fn name(&self) -> &'static str {
        "patch"
    }

    fn parse(&self, reply: &str, hints: &Hints) -> Parsed {
        scan::read(reply, hints, Asked::Patch)
    }

    fn prompts(&self) -> Option<Prompts> {
        Some(prompts::read(include_str!("prompts/patch.md")))
    }
}

/// A line that begins with `***`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header<'a> {
    Begin,
    End,
    Update(&'a str),
    Add(&'a str),
    Delete(&'a str),
    /// From and to.
    Rename(&'a str, &'a str),
    MoveTo(&'a str),
    EndOfFile,
}

impl<'a> Header<'a> {
    /// Reads a line that has lost the envelope's own indentation.
    fn read(line: &'a str) -> Option<Self> {
        let text = line.strip_prefix("***")?.trim();
        let unruled = text.trim_end_matches('*').trim_end();
        match unruled.to_ascii_lowercase().as_str() {
            "begin patch" => return Some(Self::Begin),
            "end patch" => return Some(Self::End),
            "end of file" => return Some(Self::EndOfFile),
            _ => {}
        }
        let (action, path) = text.split_once(':')?;
        let path = path.trim();
        if path.is_empty() {
            return None;
        }
        match action.trim_end().to_ascii_lowercase().as_str() {
            "update file" | "modify file" | "edit file" => Some(Self::Update(path)),
            "add file" | "create file" | "new file" => Some(Self::Add(path)),
            "delete file" | "remove file" => Some(Self::Delete(path)),
            "move file" | "rename file" => {
                let (from, to) = path.split_once("->").or_else(|| path.split_once('→'))?;
                Some(Self::Rename(from.trim(), to.trim()))
            }
            "move to" | "rename to" => Some(Self::MoveTo(path)),
            _ => None,
        }
    }

    /// Whether a patch may begin with it.
    fn begins(self) -> bool {
        !matches!(self, Self::End | Self::MoveTo(_) | Self::EndOfFile)
    }
}

/// Whether a patch, or a part of one without its first line, begins on this line.
pub(super) fn begins(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("***") && Header::read(text).is_some_and(Header::begins)
}

/// Whether this line ends a patch that was read already, or has no beginning.
pub(super) fn is_end(line: &str) -> bool {
    Header::read(line.trim_start()) == Some(Header::End)
}

/// The file that a section's first line names.
pub(super) fn section_path(line: &str) -> Option<&str> {
    match Header::read(line.trim_start())? {
        Header::Update(path) | Header::Add(path) | Header::Delete(path) | Header::Rename(path, _) => Some(path),
        _ => None,
    }
}

/// Whether a line says all by itself: `*** Delete File:`, `*** Move File:`.
pub(super) fn is_directive(line: &str) -> bool {
    matches!(
        Header::read(line.trim_start()),
        Some(Header::Delete(_) | Header::Rename(..))
    )
}

/// What a patch's sections hold, and the index of the first line behind it.
pub(super) struct Envelope<'a> {
    pub(super) end: usize,
    pub(super) sections: Vec<Section<'a>>,
}

/// Reads the patch that begins on `lines[start]`. `closes` says which line ends what stands around it (a fence, a
/// here-document).
pub(super) fn read<'a>(lines: &[Line<'a>], start: usize, closes: impl Fn(&str) -> bool) -> Envelope<'a> {
    let indent = lines[start].indent();
    let mut reader = Reader {
        has_begin: false,
        sections: Vec::new(),
        open: None,
    };
    let promised_end = OnceCell::new();
    let promised_end = || *promised_end.get_or_init(|| find_end(lines, start, indent, &closes));
    let mut is_closed = false;
    let mut at = start;
    while at < lines.len() {
        let text = unindented(lines[at].text, indent);
        match Header::read(text) {
            Some(Header::Begin) if reader.has_begin => {
                is_closed = true;
                break;
            }
            Some(Header::Begin) => reader.has_begin = true,
            Some(Header::End) => {
                at += 1;
                is_closed = true;
                break;
            }
            Some(header) => reader.header(header, at),
            None if closes(text) => {
                is_closed = true;
                break;
            }
            None if reader.accepts(text) || at < promised_end() => reader.line(text),
            // A cut header.
            None if text.starts_with("***") && at + 1 == lines.len() => break,
            // Prose behind a patch that has no last line.
            None => {
                if at > start && !lines[at - 1].is_blank() {
                    reader.spoil(lines[at].number);
                }
                is_closed = true;
                break;
            }
        }
        at += 1;
        if reader.is_lone_directive() {
            is_closed = true;
            break;
        }
    }
    reader.finish(is_closed);
    if reader.has_begin && reader.sections.is_empty() {
        let kind = if is_closed {
            ProblemKind::Malformed
        } else {
            ProblemKind::Open
        };
        let message = if is_closed {
            "the patch holds no file section"
        } else {
            "the reply ends before the patch holds a file section"
        };
        reader
            .sections
            .push(Section::unnamed(start, Unreadable::new(kind, message)));
    }
    Envelope {
        end: at.max(start + 1),
        sections: reader.sections,
    }
}

/// Index of the last header that the patch surely goes on to; lines before it are inside, whatever they look like.
fn find_end(lines: &[Line<'_>], start: usize, indent: usize, closes: impl Fn(&str) -> bool) -> usize {
    let mut last = start;
    for (idx, line) in lines.iter().enumerate().skip(start + 1) {
        let text = unindented(line.text, indent);
        match Header::read(text) {
            Some(Header::Begin) => break,
            Some(Header::End) => return idx,
            Some(_) => last = idx,
            None if closes(text) => break,
            None => {}
        }
    }
    last
}

fn unindented(text: &str, indent: usize) -> &str {
    let own = text.len() - text.trim_start().len();
    text.get(indent.min(own)..).unwrap_or(text)
}

/// The state between two lines.
struct Reader<'a> {
    has_begin: bool,
    sections: Vec<Section<'a>>,
    open: Option<OpenSection<'a>>,
}

struct OpenSection<'a> {
    start: usize,
    names: Vec<&'a str>,
    body: Body<'a>,
    trouble: Option<Unreadable>,
}

enum Body<'a> {
    Update { hunks: Hunks, move_to: Option<&'a str> },
    Add { lines: Vec<&'a str> },
    Delete,
    Rename { to: &'a str },
}

impl<'a> Reader<'a> {
    fn header(&mut self, header: Header<'a>, at: usize) {
        let (path, body) = match header {
            Header::Update(path) => (
                path,
                Body::Update {
                    hunks: Hunks::default(),
                    move_to: None,
                },
            ),
            Header::Add(path) => (path, Body::Add { lines: Vec::new() }),
            Header::Delete(path) => (path, Body::Delete),
            Header::Rename(from, to) => (from, Body::Rename { to }),
            Header::MoveTo(path) => {
                if let Some(OpenSection {
                    body: Body::Update { move_to, .. },
                    ..
                }) = &mut self.open
                {
                    *move_to = Some(path);
                }
                return;
            }
            Header::EndOfFile => {
                if let Some(OpenSection {
                    body: Body::Update { hunks, .. },
                    ..
                }) = &mut self.open
                {
                    hunks.end_of_file();
                }
                return;
            }
            Header::Begin | Header::End => return,
        };
        self.close_section();
        self.open = Some(OpenSection {
            start: at,
            names: vec![path],
            body,
            trouble: None,
        });
    }

    /// Whether a line has a form that belongs to the open section.
    fn accepts(&self, text: &str) -> bool {
        match &self.open {
            None => true,
            Some(section) => match &section.body {
                Body::Update { .. } => text.trim().is_empty() || text.starts_with([' ', '+', '-', '@', '\\', '\t']),
                Body::Add { lines } => {
                    text.trim().is_empty() || text.starts_with('+') || !lines.iter().any(|line| line.starts_with('+'))
                }
                Body::Delete | Body::Rename { .. } => text.trim().is_empty() || text.starts_with('-'),
            },
        }
    }

    fn line(&mut self, text: &'a str) {
        match self.open.as_mut().map(|section| &mut section.body) {
            Some(Body::Update { hunks, .. }) => hunks.line(text),
            // Some write a place mark even where there is no place yet.
            Some(Body::Add { lines }) if lines.is_empty() && text.trim() == "@@" => {}
            Some(Body::Add { lines }) => lines.push(text),
            Some(Body::Delete | Body::Rename { .. }) | None => {}
        }
    }

    /// A `*** Delete File:` or `*** Move File:` outside an envelope says all in one line.
    fn is_lone_directive(&self) -> bool {
        !self.has_begin
            && self.sections.is_empty()
            && self
                .open
                .as_ref()
                .is_some_and(|section| matches!(section.body, Body::Delete | Body::Rename { .. }))
    }

    /// Marks the open section as broken by the line with that number.
    fn spoil(&mut self, number: usize) {
        if let Some(section) = &mut self.open
            && !matches!(section.body, Body::Delete | Body::Rename { .. })
        {
            section.trouble = Some(Unreadable::new(
                ProblemKind::Malformed,
                format!("line {number} of the reply begins with none of ` `, `+`, `-`, `@@`, `***`"),
            ));
        }
    }

    fn finish(&mut self, is_closed: bool) {
        if !is_closed && let Some(section) = &mut self.open {
            section.trouble = Some(Unreadable::new(
                ProblemKind::Open,
                "the reply ends inside this section of the patch, before `*** End Patch`",
            ));
        }
        self.close_section();
    }

    fn close_section(&mut self) {
        let Some(section) = self.open.take() else { return };
        let op = match section.trouble {
            Some(trouble) => Err(trouble),
            None => section.body.into_op(),
        };
        self.sections.push(Section {
            start: section.start,
            names: section.names.into_iter().map(Cow::Borrowed).collect(),
            other_names: Vec::new(),
            op,
        });
    }
}

impl Body<'_> {
    fn into_op(self) -> Result<Op, Unreadable> {
        match self {
            Body::Update { hunks, move_to } => match (hunks.finish(), move_to) {
                (hunks, Some(to)) => Ok(Op::Move {
                    to: to.to_string(),
                    hunks,
                }),
                (hunks, None) if hunks.is_empty() => Err(Unreadable::new(
                    ProblemKind::Malformed,
                    "the section changes nothing: no line begins with `+` or `-`",
                )),
                (hunks, None) => Ok(Op::Modify { hunks }),
            },
            Body::Add { lines } => added_text(lines).map(|text| Op::Create { text }),
            Body::Delete => Ok(Op::Delete),
            Body::Rename { to } => Ok(Op::Move {
                to: to.to_string(),
                hunks: Vec::new(),
            }),
        }
    }
}

/// The text of a new file: all lines behind a `+`, or none (then they are the text as they stand).
fn added_text(mut added: Vec<&str>) -> Result<String, Unreadable> {
    while added.last().is_some_and(|line| line.trim().is_empty()) {
        added.pop();
    }
    let marked = added.iter().filter(|line| line.starts_with('+')).count();
    let bare = added
        .iter()
        .filter(|line| !line.starts_with('+') && !line.trim().is_empty())
        .count();
    if marked > 0 && bare > 0 {
        return Err(Unreadable::new(
            ProblemKind::Malformed,
            "some lines of the new file begin with `+` and some do not",
        ));
    }
    let texts: Vec<&str> = added
        .iter()
        .map(|line| line.strip_prefix('+').unwrap_or(line))
        .collect();
    Ok(lines::join(&texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_leniently_but_not_behind_a_space() {
        assert_eq!(Header::read("*** Begin Patch"), Some(Header::Begin));
        assert_eq!(Header::read("***begin patch"), Some(Header::Begin));
        assert_eq!(Header::read("*** Update File: a b.py"), Some(Header::Update("a b.py")));
        assert_eq!(
            Header::read("*** Move File: a.py -> b.py"),
            Some(Header::Rename("a.py", "b.py"))
        );
        assert_eq!(Header::read(" *** End Patch"), None);
        assert_eq!(Header::read("*** Update File:"), None);
        assert_eq!(Header::read("***"), None);
    }
}
