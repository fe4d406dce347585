//! How a reply is shown while it comes: prose as text, letter by letter; each edit under its file's name, as the lines
//! that go and the lines that come. Markers, fences and headers of edits are not shown.
//!
//! What is shown is decided line by line, as [`Progress`] says; nothing that was written is written again. While an edit
//! is under way and there is nothing of it to show yet, [`ReplyView::status`] says how far it is.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::markdown::Markdown;
use super::style::{Palette, Tint, sanitize};
use crate::edit_format::{Progress, Role, UnderWay};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// A comparison that takes longer shows more lines as changed than there are.
const PATIENCE: Duration = Duration::from_millis(50);

/// A line that is longer than a file's name by no more than this is its title, in bytes.
const LABEL: usize = 16;

/// Stands for unchanged lines that are not shown.
const LEFT_OUT: &str = "⋯";

/// Takes the pieces of one reply in order; gives painted text.
#[derive(Debug)]
pub(super) struct ReplyView {
    palette: Palette,
    markdown: Markdown,
    /// The line that is not complete yet.
    line: String,
    /// Bytes of it that were given out already.
    n_shown: usize,
    /// Lines that may belong to an edit which has not begun.
    leads: Vec<String>,
    edit: Option<Edit>,
    above: Above,
    /// The last line of prose.
    last_line: String,
    /// The file of the last edit, while nothing but blank lines came since.
    last_path: Option<String>,
}

/// What stands above the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Above {
    Nothing,
    Text,
    Blank,
    Edit,
}

/// The edit under way.
#[derive(Debug, Default)]
struct Edit {
    path: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
    n_removed: usize,
    n_added: usize,
    /// Lines of a whole file.
    n_text: usize,
    is_titled: bool,
}

impl ReplyView {
    pub(super) fn new(palette: Palette) -> Self {
        Self {
            palette,
            markdown: Markdown::new(palette),
            line: String::new(),
            n_shown: 0,
            leads: Vec::new(),
            edit: None,
            above: Above::Nothing,
            last_line: String::new(),
            last_path: None,
        }
    }

    /// A piece of text in which no edits are looked for.
    pub(super) fn push_text(&mut self, piece: &str) -> String {
        self.markdown.push(&sanitize(piece))
    }

    /// The next piece, what its complete lines are, and what the line behind them is.
    pub(super) fn push(&mut self, piece: &str, lines: &[Progress], under_way: UnderWay) -> String {
        let mut out = String::new();
        for progress in lines {
            self.take(progress, &mut out);
        }
        let begun = piece.rsplit_once('\n').map(|(_, begun)| begun);
        // The last line of a reply may be complete without an end.
        if begun.is_some() || !lines.is_empty() {
            self.line.clear();
        }
        self.line.push_str(begun.unwrap_or(piece));
        let begun = self.line.trim_end_matches('\r');
        let more = begun.get(self.n_shown..).unwrap_or_default().to_string();
        if !more.is_empty() && matches!(under_way, UnderWay::Prose | UnderWay::Thinking) {
            self.n_shown = begun.len();
            self.flush_leads(&mut out);
            if under_way == UnderWay::Prose {
                self.prose(&more, &mut out);
            } else {
                self.thought(&more, &mut out);
            }
        }
        out
    }

    /// The end of the reply: gives what was held back and forgets where it was.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.flush_leads(&mut out);
        if self.edit.is_some() {
            self.close(&mut out);
        } else {
            let rest = self.line.get(self.n_shown..).unwrap_or_default().to_string();
            self.prose(&rest, &mut out);
        }
        out.push_str(&self.markdown.finish());
        *self = Self::new(self.palette);
        out
    }

    /// How far the edit under way is, as far as that is not on the screen.
    pub(super) fn status(&self) -> Option<String> {
        let edit = self.edit.as_ref()?;
        let path = edit.path.as_deref().unwrap_or("an edit");
        let path = sanitize(path);
        match (edit.n_text, edit.old.len(), edit.new.len()) {
            (0, 0, 0) => None,
            (0, old, new) => Some(format!("{path}  -{old} +{new}")),
            (text, _, _) => Some(format!("{path}  {text} lines")),
        }
    }

    fn take(&mut self, progress: &Progress, out: &mut String) {
        match progress {
            Progress::Lead(line) => self.leads.push(line.clone()),
            Progress::Prose(line) => self.complete(line, out),
            Progress::Tail(_) => self.flush_leads(out),
            Progress::Thinking(line) => {
                self.flush_leads(out);
                let rest = line.get(self.n_shown..).unwrap_or_default();
                self.thought(&format!("{rest}\n"), out);
            }
            Progress::Opened { path } => self.open(path.as_deref(), out),
            Progress::Inside { line, role } => {
                // It looked like prose at first; what of it is out needs an end.
                if self.n_shown > 0 {
                    self.prose("\n", out);
                }
                self.edit_line(line, *role, out);
            }
            Progress::Closed => self.close(out),
        }
        if !matches!(progress, Progress::Opened { .. } | Progress::Closed) {
            self.n_shown = 0;
        }
    }

    /// The rest of a line of prose.
    fn complete(&mut self, line: &str, out: &mut String) {
        self.flush_leads(out);
        let rest = line.get(self.n_shown..).unwrap_or_default();
        let is_blank = self.n_shown == 0 && line.trim().is_empty();
        if is_blank && matches!(self.above, Above::Edit | Above::Nothing) {
            // One blank line comes anyway, before whatever follows.
            return;
        }
        self.prose(&format!("{rest}\n"), out);
        if is_blank {
            self.above = Above::Blank;
        } else {
            self.last_line = line.to_string();
        }
    }

    fn prose(&mut self, text: &str, out: &mut String) {
        if text.is_empty() {
            return;
        }
        self.part_from_edit(out);
        out.push_str(&self.markdown.push(&sanitize(text)));
        self.above = Above::Text;
    }

    fn thought(&mut self, text: &str, out: &mut String) {
        self.part_from_edit(out);
        self.palette.paint_into(out, Tint::Dim, &sanitize(text));
        self.above = Above::Text;
    }

    /// Text behind an edit stands apart from it.
    fn part_from_edit(&mut self, out: &mut String) {
        if self.above == Above::Edit {
            out.push('\n');
        }
        self.last_path = None;
    }

    /// The lines that led into nothing are prose.
    fn flush_leads(&mut self, out: &mut String) {
        let n_shown = std::mem::take(&mut self.n_shown);
        for lead in std::mem::take(&mut self.leads) {
            self.complete(&lead, out);
        }
        self.n_shown = n_shown;
    }

    fn open(&mut self, path: Option<&str>, out: &mut String) {
        if path.is_none() {
            self.flush_leads(out);
        }
        self.leads.clear();
        self.edit = Some(Edit {
            path: path.map(str::to_string),
            ..Edit::default()
        });
    }

    fn edit_line(&mut self, line: &str, role: Role, out: &mut String) {
        let Some(edit) = &mut self.edit else { return };
        match role {
            Role::Frame => {}
            Role::Old => edit.old.push(line.to_string()),
            Role::New if !edit.old.is_empty() => edit.new.push(line.to_string()),
            Role::New => {
                edit.n_added += 1;
                self.show(Tint::Added, "+", line, out);
            }
            Role::Added => {
                edit.n_added += 1;
                self.show(Tint::Added, "", line, out);
            }
            Role::Removed => {
                edit.n_removed += 1;
                self.show(Tint::Removed, "", line, out);
            }
            Role::Kept => self.show(Tint::Plain, "", line, out),
            Role::Place => self.show(Tint::Marker, "", line, out),
            Role::Text => edit.n_text += 1,
        }
    }

    fn close(&mut self, out: &mut String) {
        let Some(edit) = &mut self.edit else { return };
        let (old, new) = (std::mem::take(&mut edit.old), std::mem::take(&mut edit.new));
        let n_text = edit.n_text;
        if !old.is_empty() {
            self.compare(&old, &new, out);
        } else if n_text > 0 {
            let lines = if n_text == 1 { "line" } else { "lines" };
            self.show(Tint::Dim, "", &format!("{n_text} {lines}"), out);
        }
        self.title(out);
        self.last_path = self.edit.take().and_then(|edit| edit.path);
        self.above = Above::Edit;
    }

    /// Old and new lines as one diff.
    fn compare(&mut self, old: &[String], new: &[String], out: &mut String) {
        let (old, new): (Vec<&str>, Vec<&str>) = (
            old.iter().map(String::as_str).collect(),
            new.iter().map(String::as_str).collect(),
        );
        let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
        let groups = diff.grouped_ops(CONTEXT);
        if groups.is_empty() {
            self.show(Tint::Dim, "", "no line is changed", out);
        }
        for (nth, group) in groups.iter().enumerate() {
            if nth > 0 {
                self.show(Tint::Dim, "", LEFT_OUT, out);
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let (tint, sign) = match change.tag() {
                    ChangeTag::Equal => (Tint::Plain, " "),
                    ChangeTag::Delete => (Tint::Removed, "-"),
                    ChangeTag::Insert => (Tint::Added, "+"),
                };
                self.show(tint, sign, change.value(), out);
            }
        }
    }

    /// One line of the edit.
    fn show(&mut self, tint: Tint, sign: &str, line: &str, out: &mut String) {
        self.title(out);
        self.palette.paint_into(out, tint, &sanitize(&format!("{sign}{line}")));
        out.push('\n');
        self.above = Above::Edit;
    }

    /// The file's name, unless it stands there already.
    fn title(&mut self, out: &mut String) {
        let Some(edit) = self.edit.as_mut().filter(|edit| !edit.is_titled) else {
            return;
        };
        edit.is_titled = true;
        let Some(path) = edit.path.clone() else { return };
        let is_same = self.above == Above::Edit && self.last_path.as_ref() == Some(&path);
        // In a line such as `File: src/a.rs`.
        let is_above = matches!(self.above, Above::Text | Above::Blank)
            && self.last_line.contains(&path)
            && self.last_line.len() <= path.len() + LABEL;
        if is_same {
            self.palette.paint_into(out, Tint::Dim, LEFT_OUT);
            out.push('\n');
        } else if !is_above {
            if matches!(self.above, Above::Text | Above::Edit) {
                out.push('\n');
            }
            self.palette.paint_into(out, Tint::Heading, &sanitize(&path));
            out.push('\n');
        }
        self.above = Above::Edit;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::style::strip_codes;
    use super::*;
    use crate::edit_format::{Hints, ReplyReader, by_name};

    /// What is shown of a reply that comes in pieces of these sizes (in characters), by turns.
    fn shown(format: &str, reply: &str, palette: Palette, sizes: &[usize]) -> String {
        let hints = Hints {
            chat_files: vec!["src/a.py".to_string()],
            ..Hints::default()
        };
        let mut reader = ReplyReader::new(by_name(format).expect("the format has a row"), hints);
        let mut view = ReplyView::new(palette);
        let mut out = String::new();
        let chars: Vec<char> = reply.chars().collect();
        let mut rest = chars.as_slice();
        for size in sizes.iter().cycle() {
            let (piece, behind) = rest.split_at((*size).clamp(1, rest.len().max(1)).min(rest.len()));
            let piece: String = piece.iter().collect();
            let lines = reader.push(&piece);
            out.push_str(&view.push(&piece, &lines, reader.under_way()));
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        let lines = reader.flush();
        out.push_str(&view.push("", &lines, reader.under_way()));
        out.push_str(&view.finish());
        out
    }

    fn plain(format: &str, reply: &str) -> String {
        shown(format, reply, Palette::PLAIN, &[usize::MAX])
    }

    const BLOCK: &str = "Two things.\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\ndef f():\n    return 1\n\n=======\ndef f():\n    return 2\n\n>>>>>>> REPLACE\n```\n\nDone.\n";

    #[test]
    fn a_block_is_shown_as_what_it_changes_under_its_name() {
        assert_eq!(
            plain("diff", BLOCK),
            "Two things.\n\nsrc/a.py\n def f():\n-    return 1\n+    return 2\n \n\nDone.\n"
        );
    }

    #[test]
    fn a_second_block_of_the_file_has_no_second_title() {
        let reply = "src/a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n\nsrc/a.py\n```\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n```\n";
        assert_eq!(plain("diff", reply), "src/a.py\n-a\n+b\n⋯\n-c\n+d\n");
    }

    #[test]
    fn long_context_is_left_out() {
        let lines: String = (0..20).map(|n| format!("line {n}\n")).collect();
        let reply = format!(
            "src/a.py\n<<<<<<< SEARCH\n{lines}=======\n{}>>>>>>> REPLACE\n",
            lines.replace("line 1\n", "one\n").replace("line 18\n", "last\n")
        );
        assert_eq!(
            plain("diff", &reply),
            "src/a.py\n line 0\n-line 1\n+one\n line 2\n line 3\n line 4\n⋯\n line 15\n line 16\n line 17\n-line 18\n+last\n line 19\n"
        );
    }

    #[test]
    fn diffs_and_patches_are_shown_line_by_line() {
        let udiff =
            "Look:\n\n```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n kept\n-old\n+new\n```\nDone.\n";
        assert_eq!(
            plain("udiff", udiff),
            "Look:\n\nsrc/a.py\n@@ -1,2 +1,2 @@\n kept\n-old\n+new\n\nDone.\n"
        );
        let patch = "*** Begin Patch\n*** Update File: src/a.py\n@@ def f\n-old\n+new\n*** Delete File: b.py\n*** End Patch\nDone.\n";
        assert_eq!(
            plain("patch", patch),
            "src/a.py\n@@ def f\n-old\n+new\n\nb.py\n*** Delete File: b.py\n\nDone.\n"
        );
    }

    #[test]
    fn a_line_that_looks_like_a_header_is_shown_when_it_is_none() {
        let reply = "```diff\n--- a/q.sql\n+++ b/q.sql\n@@ @@\n--- an old remark\n+new\n--- a/r.sql\n+++ b/r.sql\n@@ @@\n+x\n```\n";
        assert_eq!(
            plain("udiff", reply),
            "q.sql\n@@ @@\n--- an old remark\n+new\n\nr.sql\n@@ @@\n+x\n"
        );
    }

    #[test]
    fn of_a_whole_file_the_number_of_lines_is_shown() {
        assert_eq!(
            plain("whole", "src/a.py\n```python\none\ntwo\n```\nDone.\n"),
            "src/a.py\n2 lines\n\nDone.\n"
        );
    }

    #[test]
    fn code_that_is_no_edit_is_text_with_its_fence() {
        let reply = "Run it:\n\n```sh\npython src/a.py\n```\nsrc/a.py\nis a file.\n";
        assert_eq!(plain("diff", reply), reply);
    }

    #[test]
    fn a_new_file_is_shown_as_it_comes() {
        let mut view = ReplyView::new(Palette::PLAIN);
        let mut reader = ReplyReader::new(by_name("diff").expect("a row"), Hints::default());
        let mut push = |piece: &str| {
            let lines = reader.push(piece);
            view.push(piece, &lines, reader.under_way())
        };
        assert_eq!(push("b.py\n```python\n<<<<<<< SEARCH\n=======\n"), "b.py\n");
        assert_eq!(push("x = 1\ny"), "+x = 1\n");
        assert_eq!(push(" = 2\n"), "+y = 2\n");
    }

    #[test]
    fn how_far_a_block_is_can_be_told() {
        let mut view = ReplyView::new(Palette::PLAIN);
        let mut reader = ReplyReader::new(by_name("diff").expect("a row"), Hints::default());
        let piece = "b.py\n```python\n<<<<<<< SEARCH\na\nb\n=======\nc\n";
        let lines = reader.push(piece);
        assert_eq!(view.push(piece, &lines, reader.under_way()), "b.py\n");
        assert_eq!(view.status().as_deref(), Some("b.py  -2 +1"));
    }

    #[test]
    fn prose_is_shown_letter_by_letter() {
        let mut view = ReplyView::new(Palette::PLAIN);
        let hints = Hints {
            chat_files: vec!["src/a.py".to_string()],
            ..Hints::default()
        };
        let mut reader = ReplyReader::new(by_name("diff").expect("a row"), hints);
        for piece in ["T", "he ", "f", "ile `src/a", ".py`", " is it.\n", "1. ", "next"] {
            let lines = reader.push(piece);
            assert_eq!(view.push(piece, &lines, reader.under_way()), piece);
        }
    }

    #[test]
    fn what_is_cut_is_shown_as_far_as_it_came() {
        let (block, _) = BLOCK.split_once("2\n").expect("the block goes on");
        assert_eq!(
            plain("diff", block),
            "Two things.\n\nsrc/a.py\n def f():\n-    return 1\n-\n+    return \n"
        );
    }

    fn soup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("<<<<<<< SEARCH\n"),
            Just("=======\n"),
            Just(">>>>>>> REPLACE\n"),
            Just("```\n"),
            Just("```python\n"),
            Just("```diff\n"),
            Just("src/a.py\n"),
            Just("### `src/b.rs`\n"),
            Just("--- a/src/a.py\n"),
            Just("+++ b/src/a.py\n"),
            Just("@@ -1 +1 @@\n"),
            Just("*** Begin Patch\n"),
            Just("*** Update File: c.py\n"),
            Just("*** Delete File: d.py\n"),
            Just("*** End Patch\n"),
            Just("<think>\n"),
            Just("</think>\n"),
            Just("\n"),
            Just("some **words** here\n"),
            Just("-old\n"),
            Just("+new\n"),
            Just(" kept\r\n"),
            Just("計\u{1b}[2J"),
            Just("x"),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn cut_at_random_and_with_or_without_colours_the_same_is_shown(
            reply in soup(),
            format in prop_oneof![Just("diff"), Just("udiff"), Just("whole"), Just("patch")],
            sizes in proptest::collection::vec(1usize..9, 1..12),
        ) {
            let whole = plain(format, &reply);
            prop_assert_eq!(&shown(format, &reply, Palette::PLAIN, &sizes), &whole);
            let coloured = shown(format, &reply, Palette { colour: true }, &sizes);
            prop_assert_eq!(strip_codes(&coloured), whole);
        }
    }
}
