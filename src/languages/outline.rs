//! Outlines: the definitions of a language by the shape of its lines, for languages whose grammar is not in this build or
//! that have none. `queries/<name>/outline.txt` holds one shape a line, `<kind> <pattern>`:
//!
//! ```text
//! # A comment.
//! class   (?:actor|class)\s+(?<name>\w+)
//! method  \s+(?:fun|be|new)\s+(?<name>\w+)
//! none    \s*(?:if|for)\b
//! skip    /\*
//! until   \*/
//! stop    __END__$
//! ```
//!
//! A pattern is a regular expression that must fit from the start of a line; it may look at the two lines below it. `name` is
//! the group that holds the name, and the first shape that fits wins. Kinds are those of a tags query; `none` gives no
//! definition, `clause` is a function that a piece of the same name lengthens. `section.2` is a heading of the second level,
//! so headings nest by their levels and all else by indentation. From a line where `skip` is found to one where its `until` is,
//! nothing is read, and nothing after `stop`.
//!
//! How lines become definitions is in [`crate::repo_map`].

use std::ops::Range;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::DefKind;

/// Bytes that a compiled pattern may take; ours take a tenth.
const MAX_PATTERN: usize = 4 << 20;

/// What a line that fits a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `None`: no definition, whatever later shapes say.
    pub kind: Option<DefKind>,
    /// Depth of a heading, from 1; without it the indentation tells what is inside what.
    pub level: Option<u8>,
    /// One more piece of the function before it when that has the same name.
    pub is_clause: bool,
}

/// Where a text fits a shape, in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    pub shape: Shape,
    /// Empty for a shape that makes no definition.
    pub name: Range<usize>,
    /// End of all that fits.
    pub end: usize,
}

/// A compiled outline.
#[derive(Debug)]
pub struct Outline {
    any: RegexSet,
    shapes: Vec<(Shape, Regex)>,
    skips: Vec<(Regex, Regex)>,
    stop: Option<Regex>,
}

impl Outline {
    /// Compiles the text of an outline.
    ///
    /// # Errors
    /// Names the line that is wrong, from 1, and why.
    pub fn compile(source: &str) -> Result<Self, String> {
        let mut shapes = Vec::new();
        let mut patterns = Vec::new();
        let mut skips = Vec::new();
        let mut open: Option<Regex> = None;
        let mut stop = None;
        for (idx, line) in source.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |why: String| format!("line {}: {why}", idx + 1);
            let (word, pattern) = line
                .split_once(char::is_whitespace)
                .map(|(word, pattern)| (word, pattern.trim_start()))
                .ok_or_else(|| wrong("a pattern is missing".to_owned()))?;
            let regex = |pattern: &str| {
                RegexBuilder::new(pattern)
                    .size_limit(MAX_PATTERN)
                    .multi_line(true)
                    .crlf(true)
                    .build()
                    .map_err(|error| wrong(error.to_string()))
            };
            match word {
                "skip" => open = Some(regex(pattern)?),
                "until" => {
                    let open = open
                        .take()
                        .ok_or_else(|| wrong("`until` without a `skip`".to_owned()))?;
                    skips.push((open, regex(pattern)?));
                }
                "stop" => stop = Some(regex(&from_start(pattern))?),
                _ => {
                    let shape = shape(word).ok_or_else(|| wrong(format!("unknown kind `{word}`")))?;
                    let pattern = from_start(pattern);
                    let regex = regex(&pattern)?;
                    if shape.kind.is_some() && !regex.capture_names().flatten().any(|name| name == "name") {
                        return Err(wrong("the group `name` is missing".to_owned()));
                    }
                    patterns.push(pattern);
                    shapes.push((shape, regex));
                }
            }
        }
        if open.is_some() {
            return Err("a `skip` has no `until`".to_owned());
        }
        let any = RegexSetBuilder::new(&patterns)
            .size_limit(MAX_PATTERN)
            .multi_line(true)
            .crlf(true)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            any,
            shapes,
            skips,
            stop,
        })
    }

    /// The first shape that a line fits. `text` starts with the line and goes on with those below it.
    pub fn find(&self, text: &str) -> Option<Fit> {
        let first = self.any.matches(text).into_iter().next()?;
        let (shape, regex) = &self.shapes[first];
        if shape.kind.is_none() {
            return Some(Fit {
                shape: *shape,
                name: 0..0,
                end: 0,
            });
        }
        let captures = regex.captures(text)?;
        Some(Fit {
            shape: *shape,
            name: captures.name("name")?.range(),
            end: captures.get_match().end(),
        })
    }

    /// What ends the stretch to leave out that starts on this line; `None` when none starts, or when it ends on the line.
    pub fn skip_from(&self, line: &str) -> Option<&Regex> {
        self.skips.iter().find_map(|(open, close)| {
            let found = open.find(line)?;
            (!close.is_match(&line[found.end()..])).then_some(close)
        })
    }

    /// Whether what follows is no code any more.
    pub fn stops_at(&self, line: &str) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.is_match(line))
    }
}

/// Fits only where the text given starts.
fn from_start(pattern: &str) -> String {
    format!(r"\A(?:{pattern})")
}

fn shape(word: &str) -> Option<Shape> {
    let (kind, level) = match word.split_once('.') {
        Some((kind, level)) => (kind, Some(level.parse().ok()?)),
        None => (word, None),
    };
    let kind = match kind {
        "none" => None,
        "clause" => Some(DefKind::Function),
        kind => Some(DefKind::from_name(kind)?),
    };
    Some(Shape {
        kind,
        level,
        is_clause: word == "clause",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_shape_that_fits_from_the_start_wins() {
        let outline =
            Outline::compile("none \\s*if\\b\nfunction \\s*(?<name>\\w+)\\(\nsection.2 (?<name>.+)\\n---+$\n")
                .unwrap_or_else(|error| panic!("{error}"));
        let found = |text| {
            outline
                .find(text)
                .map(|fit| (fit.shape.kind, fit.shape.level, &text[fit.name]))
        };
        assert_eq!(found("if (x)"), Some((None, None, "")));
        assert_eq!(found("  run(x)"), Some((Some(DefKind::Function), None, "run")));
        assert_eq!(found("x = run(x)"), None);
        assert_eq!(
            found("Title\n-----\n"),
            Some((Some(DefKind::Section), Some(2), "Title"))
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (source, error) in [
            ("# x\nklass (?<name>x)", "line 2: unknown kind `klass`"),
            ("class x", "line 1: the group `name` is missing"),
            ("class", "line 1: a pattern is missing"),
            ("until x", "line 1: `until` without a `skip`"),
            ("skip x", "a `skip` has no `until`"),
        ] {
            assert_eq!(Outline::compile(source).err().as_deref(), Some(error), "{source}");
        }
        assert!(Outline::compile("class (?<name>").is_err_and(|error| error.starts_with("line 1: regex parse error")));
    }
}
