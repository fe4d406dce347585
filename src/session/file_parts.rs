//! Which lines of a file a part of it is: a definition by its name, or lines by their numbers; and what is shown with them.
//!
//! Beside what was asked for, the head of the file (imports) and the first line of each enclosing definition are shown, so
//! that a part can be understood where it stands.

use std::ops::Range;

use crate::chat::excerpts::Excerpt;
use crate::chat::excerpts::to_show;
use crate::languages;
use crate::repo_map::tags;
use crate::repo_map::tags::Def;
use crate::text::lines;

/// Lines at the top of a file, before its first definition, that go along with every part.
const MAX_HEAD: usize = 60;

/// Lines above a definition (comments, decorators) that belong to it.
const MAX_LEAD: usize = 60;

/// Lines around one that is named without an end and stands in no definition.
const AROUND: usize = 20;

/// Names of definitions that are listed as not shown.
const MAX_OTHERS: usize = 60;

/// What of a file is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    pub(super) shown: Vec<Range<usize>>,
    pub(super) n_lines: usize,
    /// Names of definitions that are not shown.
    pub(super) others: Vec<String>,
}

/// The definitions of one text.
pub(super) struct FileParts<'t> {
    lines: Vec<&'t str>,
    defs: Vec<Def>,
    /// With the names of what encloses them, by definition: `Class.method`.
    names: Vec<String>,
}

impl<'t> FileParts<'t> {
    pub(super) fn new(path: &str, text: &'t str) -> Self {
        let read = languages::detect_loosely(path, text)
            .and_then(|language| tags::definitions(language, text, &tags::Limits::default()).ok());
        let defs = read.map(|tags| tags.defs).unwrap_or_default();
        let mut names: Vec<String> = Vec::with_capacity(defs.len());
        for def in &defs {
            let parent = def.parent.and_then(|parent| names.get(parent as usize));
            names.push(match parent {
                Some(parent) => format!("{parent}.{}", def.name),
                None => def.name.to_string(),
            });
        }
        Self {
            lines: lines::split(text).iter().map(|line| line.text).collect(),
            defs,
            names,
        }
    }

    /// The names of all definitions, with those of what encloses them: `Class.method`.
    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }

    /// The lines of each definition of that name: `f`, `Class.f`, `Class::f` or `Class#f`.
    fn find(&self, name: &str) -> Vec<Range<usize>> {
        let wanted = plain(name);
        let is_it = |full: &String| {
            full.strip_suffix(wanted.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let hits = self.names.iter().enumerate().filter(|(_, full)| is_it(&plain(full)));
        hits.map(|(idx, _)| self.lines_of(idx)).collect()
    }

    /// A definition with the comments and decorators right above it.
    fn lines_of(&self, idx: usize) -> Range<usize> {
        let def = &self.defs[idx];
        let line = def.line as usize;
        let before = self.defs.iter().map(|other| match other.end_line < def.line {
            true => other.end_line as usize + 1,
            false if other.line < def.line => other.line as usize + 1,
            false => 0,
        });
        let floor = before.max().unwrap_or(0).max(line.saturating_sub(MAX_LEAD));
        let lead = (floor..line)
            .rev()
            .take_while(|at| !lines::is_blank(self.lines[*at]))
            .count();
        line - lead..(def.end_line as usize + 1).min(self.lines.len())
    }

    /// The innermost definition around a line, or its neighbourhood.
    fn around(&self, line: usize) -> Range<usize> {
        let encloses = |def: &Def| def.line as usize <= line && line <= def.end_line as usize;
        match self.defs.iter().rposition(encloses) {
            Some(idx) => self.lines_of(idx),
            None => line.saturating_sub(AROUND)..(line + AROUND + 1).min(self.lines.len()),
        }
    }

    /// What stands before the first function or type: imports and constants.
    fn head(&self) -> Range<usize> {
        let has_body = |idx: &usize| self.defs[*idx].kind.is_callable() || self.defs[*idx].kind.is_type();
        let bodies = (0..self.defs.len()).filter(has_body);
        let first = bodies.map(|idx| self.lines_of(idx).start).min().unwrap_or(0);
        let filled = (0..first.min(MAX_HEAD))
            .rev()
            .find(|at| !lines::is_blank(self.lines[*at]));
        0..filled.map_or(0, |at| at + 1)
    }

    /// The first lines of the definitions that a line stands in.
    fn headers(&self, line: usize) -> impl Iterator<Item = Range<usize>> {
        self.defs
            .iter()
            .filter(move |def| (def.line as usize) < line && line <= def.end_line as usize)
            .map(|def| def.line as usize..def.line as usize + 1)
    }

    /// What of the text the parts make visible; None when that is nearly all of it. The lines of what has a name are looked
    /// up anew.
    pub(super) fn view(&self, excerpts: &mut [Excerpt]) -> Option<View> {
        let mut wanted = Vec::new();
        for excerpt in excerpts {
            if let Some(found) = excerpt
                .name
                .as_deref()
                .map(|name| self.find(name))
                .filter(|found| !found.is_empty())
            {
                excerpt.lines = found;
            }
            wanted.extend(excerpt.lines.iter().cloned());
        }
        let headers: Vec<Range<usize>> = wanted.iter().flat_map(|run| self.headers(run.start)).collect();
        wanted.extend(headers);
        wanted.push(self.head());
        let n_lines = self.lines.len();
        let shown = to_show(wanted, n_lines);
        let n_shown: usize = shown.iter().map(Range::len).sum();
        if 4 * n_shown >= 3 * n_lines {
            return None;
        }
        let is_shown = |line: usize| shown.iter().any(|run| run.contains(&line));
        let hidden = self.defs.iter().zip(&self.names);
        let mut others: Vec<String> = hidden
            .filter(|(def, _)| def.depth <= 1 && !is_shown(def.line as usize))
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        others.dedup();
        let n_more = others.len().saturating_sub(MAX_OTHERS);
        others.truncate(MAX_OTHERS);
        if n_more > 0 {
            others.push(format!("and {n_more} more"));
        }
        Some(View { shown, n_lines, others })
    }

    /// The lines that a part names, or why there are none.
    pub(super) fn part(&self, part: &str) -> Result<Excerpt, NoPart> {
        let n_lines = self.lines.len();
        if let Some((first, last)) = line_numbers(part) {
            if first == 0 || first > last || first > n_lines {
                return Err(NoPart {
                    why: format!("has no lines {part}: it has {n_lines}"),
                    hint: None,
                });
            }
            let lines = match part.contains('-') {
                true => first - 1..last.min(n_lines),
                false => self.around(first - 1),
            };
            return Ok(Excerpt::lines(lines));
        }
        let lines = self.find(part);
        if lines.is_empty() {
            return Err(NoPart {
                why: format!("has no definition `{part}`"),
                hint: Some(self.similar(part)),
            });
        }
        Ok(Excerpt {
            name: Some(part.trim_end_matches("()").to_owned()),
            lines,
        })
    }

    fn similar(&self, part: &str) -> String {
        /// Names less alike than this are not what was meant.
        const ALIKE: f64 = 0.75;
        let last = part.rsplit(['.', ':', '#']).next().unwrap_or(part);
        let likeness = |def: &Def| strsim::jaro_winkler(&def.name.to_lowercase(), &last.to_lowercase());
        let mut close: Vec<(f64, &String)> = self.defs.iter().map(likeness).zip(&self.names).collect();
        close.retain(|(alike, _)| *alike >= ALIKE);
        close.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        close.dedup_by(|a, b| a.1 == b.1);
        match close.as_slice() {
            [] => "name a definition, or lines as in `FILE:120-180`".to_owned(),
            close => {
                let names: Vec<String> = close.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
                format!("did you mean {}?", names.join(", "))
            }
        }
    }
}

/// A part that a file does not have.
pub(super) struct NoPart {
    pub(super) why: String,
    pub(super) hint: Option<String>,
}

/// A name with dots between its components.
fn plain(name: &str) -> String {
    name.trim_end_matches("()").replace("::", ".").replace('#', ".")
}

/// `120` or `120-260`.
pub(super) fn line_numbers(part: &str) -> Option<(usize, usize)> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::excerpts::in_words;

    const TEXT: &str = "\
import os
import sys

LIMIT = 3


class Stage:
    \"\"\"One stage.\"\"\"

    def start(self):
        return 1

    # How long it takes.
    @property
    def length(self):
        return 2


class Rally:
    def start(self):
        return 3


def main():
    print(1)
    print(2)
";

    fn parts() -> FileParts<'static> {
        FileParts::new("rally.py", TEXT)
    }

    fn view_of(words: &[&str]) -> Option<View> {
        let parts = parts();
        let mut excerpts: Vec<Excerpt> = words.iter().filter_map(|word| parts.part(word).ok()).collect();
        assert_eq!(excerpts.len(), words.len());
        parts.view(&mut excerpts)
    }

    #[test]
    fn a_definition_is_shown_with_what_explains_it() {
        let view = view_of(&["Stage.length"]).expect("a part of the file");
        // Imports, the class, the method with its comment and decorator.
        assert_eq!(in_words(&view.shown), "lines 1 to 7 and 13 to 16");
        assert_eq!(view.others.join(" "), "`Stage.start` `Rally` `Rally.start` `main`");
    }

    #[test]
    fn every_definition_of_a_name_is_meant() {
        let parts = parts();
        assert_eq!(parts.find("start").len(), 2);
        for one in ["Rally.start", "Rally::start", "Rally#start", "Rally.start()"] {
            assert_eq!(in_words(&parts.find(one)), "lines 20 to 21", "{one}");
        }
        assert!(parts.find("tart").is_empty() && parts.find("ally.start").is_empty());
    }

    #[test]
    fn lines_are_taken_as_numbered_and_one_line_is_what_stands_around_it() {
        let parts = parts();
        let lines = |part| parts.part(part).map(|excerpt| excerpt.lines[0].clone()).ok();
        assert_eq!(lines("2-5"), Some(1..5));
        assert_eq!(lines("20-900"), Some(19..26));
        assert_eq!(lines("26"), Some(23..26), "the function around it");
        assert_eq!(lines("900"), None);
        assert_eq!(lines("5-2"), None);
        assert_eq!(lines("0"), None);
    }

    #[test]
    fn a_name_that_is_not_there_gets_those_that_are_like_it() {
        let Err(no_part) = parts().part("Stage.lenght") else {
            panic!("there is no such part")
        };
        assert_eq!(no_part.why, "has no definition `Stage.lenght`");
        assert_eq!(no_part.hint.as_deref(), Some("did you mean `Stage.length`?"));
    }

    #[test]
    fn what_shows_nearly_all_shows_all() {
        assert_eq!(view_of(&["Stage", "Rally", "main"]), None);
    }
}
