//! Fences: the lines around a quoted text (` ``` `, `~~~`, `<source>`). Chooses one for a prompt, recognises them in
//! a reply. Which fence of a reply belongs to what is not decided here (see `edit_format`).

/// A pair of lines to quote texts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    pub open: String,
    pub close: String,
}

impl Default for Fence {
    fn default() -> Self {
        backticks(SHORTEST)
    }
}

/// The fewest characters that make a fence.
const SHORTEST: usize = 3;

/// Tags that stand for a fence when they are alone on a line.
const TAGS: &[&str] = &["source", "code", "pre", "codeblock", "sourcecode"];

/// Returns a fence that no line of the texts starts with: backticks, one more than the longest run of them at the start
/// of a line (indented or not), and at least three.
pub fn choose<'a>(texts: impl IntoIterator<Item = &'a str>) -> Fence {
    let longest = texts
        .into_iter()
        .flat_map(str::lines)
        .map(|line| run_length(line.trim_start(), '`'))
        .max()
        .unwrap_or(0);
    backticks(SHORTEST.max(longest + 1))
}

fn backticks(count: usize) -> Fence {
    let run = "`".repeat(count);
    Fence {
        open: run.clone(),
        close: run,
    }
}

/// A line that opens or closes a quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FenceLine<'a> {
    /// Bytes of white space before the mark.
    pub indent: usize,
    pub mark: Mark<'a>,
    /// What stands after the mark, trimmed: a language, a path, both, or nothing.
    pub info: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark<'a> {
    /// A run of at least three backticks or tildes.
    Run {
        character: char,
        length: usize,
    },
    /// `<source>` and its like, alone on the line.
    OpenTag(&'a str),
    CloseTag(&'a str),
}

impl<'a> FenceLine<'a> {
    /// Reads one line, without its ending. None when it is no fence.
    pub fn read(line: &'a str) -> Option<Self> {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let mark = match text.as_bytes().first()? {
            b'`' => run(text, '`')?,
            b'~' => run(text, '~')?,
            b'<' => tag(text.trim_end())?,
            _ => return None,
        };
        let info = match mark {
            Mark::Run { length, .. } => text[length..].trim(),
            Mark::OpenTag(_) | Mark::CloseTag(_) => "",
        };
        // A backtick after the run makes it inline code.
        if info.contains('`') && matches!(mark, Mark::Run { character: '`', .. }) {
            return None;
        }
        Some(Self { indent, mark, info })
    }

    /// Whether this line could open a fence.
    pub fn can_open(&self) -> bool {
        !matches!(self.mark, Mark::CloseTag(_))
    }

    /// Whether this line says that it opens a fence: a closing line holds nothing but its mark.
    pub fn must_open(&self) -> bool {
        !self.info.is_empty() || matches!(self.mark, Mark::OpenTag(_))
    }

    /// Whether this line ends the fence that `opener` began (CommonMark: bare, the same character, not shorter, not
    /// indented like code below it).
    pub fn closes(&self, opener: &FenceLine<'_>) -> bool {
        match (self.mark, opener.mark) {
            (
                Mark::Run { character, length },
                Mark::Run {
                    character: opener_character,
                    length: opener_length,
                },
            ) => {
                self.info.is_empty()
                    && character == opener_character
                    && length >= opener_length
                    && self.indent <= opener.indent + 3
            }
            (Mark::CloseTag(name), Mark::OpenTag(opener_name)) => name == opener_name,
            _ => false,
        }
    }

    /// As [`FenceLine::closes`], for texts whose lines begin with a sign (diffs): there a space before the mark makes it
    /// a line of the text.
    pub fn closes_signed(&self, opener: &FenceLine<'_>) -> bool {
        self.closes(opener) && self.indent <= opener.indent
    }

    /// Whether this line, met inside the fence of `opener`, begins one within it, as models write that do not lengthen
    /// the outer one.
    pub fn nests_in(&self, opener: &FenceLine<'_>) -> bool {
        if !self.must_open() {
            return false;
        }
        match (self.mark, opener.mark) {
            (
                Mark::Run { character, length },
                Mark::Run {
                    character: opener_character,
                    length: opener_length,
                },
            ) => character == opener_character && length >= opener_length && self.indent <= opener.indent + 3,
            (Mark::OpenTag(name), Mark::OpenTag(opener_name)) => name == opener_name,
            _ => false,
        }
    }
}

fn run(text: &str, character: char) -> Option<Mark<'_>> {
    let length = run_length(text, character);
    (length >= SHORTEST).then_some(Mark::Run { character, length })
}

fn run_length(text: &str, character: char) -> usize {
    text.chars().take_while(|c| *c == character).count()
}

fn tag(text: &str) -> Option<Mark<'_>> {
    let inner = text.strip_prefix('<')?.strip_suffix('>')?;
    match inner.strip_prefix('/') {
        Some(name) => TAGS.contains(&name).then_some(Mark::CloseTag(name)),
        None => TAGS.contains(&inner).then_some(Mark::OpenTag(inner)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closes(closer: &str, opener: &str) -> bool {
        FenceLine::read(closer)
            .unwrap()
            .closes(&FenceLine::read(opener).unwrap())
    }

    #[test]
    fn chooses_a_fence_that_no_line_starts_with() {
        assert_eq!(choose([]).open, "```");
        assert_eq!(choose(["let x = `a`;\n"]).open, "```");
        assert_eq!(choose(["text\n```rust\nfn f() {}\n```\n"]).open, "````");
        assert_eq!(choose(["a\n", "  `````\n"]).close, "``````");
    }

    #[test]
    fn reads_runs_and_tags() {
        let fence = FenceLine::read("  ~~~~ python src/a.py ").unwrap();
        assert_eq!(fence.indent, 2);
        assert_eq!(fence.info, "python src/a.py");
        assert_eq!(FenceLine::read("<source>").unwrap().mark, Mark::OpenTag("source"));
        assert_eq!(FenceLine::read("</pre>").unwrap().mark, Mark::CloseTag("pre"));
        for none in ["``", "```a```", "<div>", "text ```", ""] {
            assert_eq!(FenceLine::read(none), None, "{none}");
        }
    }

    #[test]
    fn a_closer_is_bare_and_as_long_as_its_opener() {
        assert!(closes("```", "```rust"));
        assert!(closes("`````", "````"));
        assert!(!closes("```", "````"));
        assert!(!closes("```rust", "```"));
        assert!(!closes("~~~", "```"));
        assert!(!closes("    ```", "```"));
        assert!(closes("    ```", "   ```"));
        assert!(closes("</code>", "<code>"));
        assert!(!closes("</code>", "<source>"));
    }
}
