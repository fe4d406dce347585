//! Carries the indentation of new lines over from the block's own to the file's, learnt from the lines that the block
//! and the file share.

use crate::text::lines::{indent, is_blank};

/// How the indentation of a block and of its place in the file go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    Same,
    /// The file has this in front of the block's.
    Deeper(String),
    /// The block has this in front of the file's.
    Shallower(String),
    /// The block indents with spaces (`width` a level), the file with tabs; `levels` is added.
    ToTabs {
        width: usize,
        levels: isize,
    },
    /// The block indents with tabs, the file with spaces.
    ToSpaces {
        width: usize,
        levels: isize,
    },
    /// No single rule.
    Uneven,
}

/// What one shared line shows: its index in the block's old lines, the indentation there and in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) old_idx: usize,
    pub(super) block: String,
    pub(super) file: String,
}

pub(super) struct Indenter {
    samples: Vec<Sample>,
    shift: Shift,
}

impl Indenter {
    /// `samples` are the shared lines that are not blank, by increasing index. `lines` are all lines of the block; the
    /// width of a level is read off them where the samples do not say.
    pub(super) fn new<'l>(samples: Vec<Sample>, lines: impl Iterator<Item = &'l str>) -> Self {
        let shift = uniform(&samples, lines).unwrap_or(Shift::Uneven);
        Self { samples, shift }
    }

    pub(super) fn shift(&self) -> &Shift {
        &self.shift
    }

    /// The new line as it belongs into the file. `near` is the index of the old line after which it stands. None when
    /// its indentation cannot be known.
    pub(super) fn reindent(&self, line: &str, near: usize) -> Option<String> {
        if is_blank(line) || self.shift == Shift::Same || self.samples.is_empty() {
            return Some(line.to_string());
        }
        let own = indent(line);
        let rest = &line[own.len()..];
        let new = match &self.shift {
            Shift::Same => own.to_string(),
            Shift::Deeper(prefix) => format!("{prefix}{own}"),
            Shift::Shallower(prefix) => own.strip_prefix(prefix.as_str())?.to_string(),
            Shift::ToTabs { width, levels } => to_tabs(own, *width, *levels)?,
            Shift::ToSpaces { width, levels } => to_spaces(own, *width, *levels)?,
            Shift::Uneven => self.by_neighbours(own, near)?,
        };
        Some(format!("{new}{rest}"))
    }

    /// The nearest shared line of the same indentation shows it; else the nearest that differs by a part at the end.
    fn by_neighbours(&self, own: &str, near: usize) -> Option<String> {
        let mut nearest: Vec<&Sample> = self.samples.iter().collect();
        nearest.sort_by_key(|sample| (sample.old_idx.abs_diff(near), sample.old_idx > near));
        if let Some(same) = nearest.iter().find(|sample| sample.block == own) {
            return Some(same.file.clone());
        }
        let related = |sample: &&&Sample| own.starts_with(&sample.block) || sample.block.starts_with(own);
        let sample = nearest.iter().find(related)?;
        if let Some(more) = own.strip_prefix(sample.block.as_str()) {
            return Some(format!("{}{more}", sample.file));
        }
        let less = sample.block.strip_prefix(own)?;
        sample.file.strip_suffix(less).map(ToString::to_string)
    }
}

/// The one rule that all samples follow, if there is one.
fn uniform<'l>(samples: &[Sample], lines: impl Iterator<Item = &'l str>) -> Option<Shift> {
    let first = samples.first()?;
    if samples.iter().all(|sample| sample.block == sample.file) {
        return Some(Shift::Same);
    }
    if let Some(prefix) = first.file.strip_suffix(first.block.as_str()) {
        let fits = |sample: &Sample| sample.file.strip_prefix(prefix) == Some(sample.block.as_str());
        if !prefix.is_empty() && samples.iter().all(fits) {
            return Some(deeper(prefix, samples, lines));
        }
    }
    if let Some(prefix) = first.block.strip_suffix(first.file.as_str()) {
        let fits = |sample: &Sample| sample.block.strip_prefix(prefix) == Some(sample.file.as_str());
        if !prefix.is_empty() && samples.iter().all(fits) {
            return Some(Shift::Shallower(prefix.to_string()));
        }
    }
    by_unit(samples, lines)
}

/// A shift by tabs of a block that stands at the margin and indents its other lines with spaces is one by unit.
fn deeper<'l>(prefix: &str, samples: &[Sample], lines: impl Iterator<Item = &'l str>) -> Shift {
    let at_margin = samples.iter().all(|sample| sample.block.is_empty());
    if at_margin
        && prefix.chars().all(|c| c == '\t')
        && let (Some(width), Ok(levels)) = (smallest_step(lines), isize::try_from(prefix.len()))
    {
        return Shift::ToTabs { width, levels };
    }
    Shift::Deeper(prefix.to_string())
}

/// Tabs on one side, spaces on the other, a fixed number of spaces a tab.
fn by_unit<'l>(samples: &[Sample], lines: impl Iterator<Item = &'l str>) -> Option<Shift> {
    let only = |text: &str, c: char| text.chars().all(|other| other == c);
    let to_tabs = samples
        .iter()
        .all(|sample| only(&sample.block, ' ') && only(&sample.file, '\t'));
    let to_spaces = samples
        .iter()
        .all(|sample| only(&sample.block, '\t') && only(&sample.file, ' '));
    if !to_tabs && !to_spaces {
        return None;
    }
    let spaces_and_tabs: Vec<(usize, usize)> = samples
        .iter()
        .map(|sample| match to_tabs {
            true => (sample.block.len(), sample.file.len()),
            false => (sample.file.len(), sample.block.len()),
        })
        .collect();
    let width = width_of(&spaces_and_tabs).or_else(|| to_tabs.then(|| smallest_step(lines)).flatten())?;
    let levels = |&(spaces, tabs): &(usize, usize)| -> Option<isize> {
        if spaces % width != 0 {
            return None;
        }
        let (in_spaces, in_tabs) = (isize::try_from(spaces / width).ok()?, isize::try_from(tabs).ok()?);
        Some(if to_tabs {
            in_tabs - in_spaces
        } else {
            in_spaces - in_tabs
        })
    };
    let first = levels(spaces_and_tabs.first()?)?;
    if !spaces_and_tabs.iter().all(|pair| levels(pair) == Some(first)) {
        return None;
    }
    Some(match to_tabs {
        true => Shift::ToTabs { width, levels: first },
        false => Shift::ToSpaces { width, levels: first },
    })
}

/// Spaces a tab, from two samples of different depth, else from one that has both.
fn width_of(pairs: &[(usize, usize)]) -> Option<usize> {
    let first = pairs.first()?;
    let step = pairs.iter().find(|pair| pair.1 != first.1 && pair.0 != first.0);
    let width = match step {
        Some(other) => {
            let (spaces, tabs) = (other.0.abs_diff(first.0), other.1.abs_diff(first.1));
            (spaces % tabs == 0).then(|| spaces / tabs)?
        }
        None => pairs
            .iter()
            .find(|(spaces, tabs)| *tabs > 0 && *spaces > 0 && spaces % tabs == 0)
            .map(|(spaces, tabs)| spaces / tabs)?,
    };
    (1..=8).contains(&width).then_some(width)
}

/// The smallest indentation by spaces among the block's lines.
fn smallest_step<'l>(lines: impl Iterator<Item = &'l str>) -> Option<usize> {
    lines
        .filter(|line| !is_blank(line))
        .map(indent)
        .filter(|indent| indent.chars().all(|c| c == ' '))
        .map(str::len)
        .filter(|len| (2..=8).contains(len))
        .min()
}

fn to_tabs(own: &str, width: usize, levels: isize) -> Option<String> {
    let spaces = own.chars().map(|c| if c == '\t' { width } else { 1 }).sum::<usize>();
    let tabs = isize::try_from(spaces / width).ok()? + levels;
    let tabs = usize::try_from(tabs).ok()?;
    // What does not fill a level is alignment and stays.
    Some(format!("{}{}", "\t".repeat(tabs), " ".repeat(spaces % width)))
}

fn to_spaces(own: &str, width: usize, levels: isize) -> Option<String> {
    let tabs = isize::try_from(own.chars().filter(|c| *c == '\t').count()).ok()? + levels;
    let spaces = usize::try_from(tabs).ok()? * width + own.chars().filter(|c| *c == ' ').count();
    Some(" ".repeat(spaces))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indenter(pairs: &[(&str, &str)], lines: &[&str]) -> Indenter {
        let samples = pairs
            .iter()
            .enumerate()
            .map(|(old_idx, (block, file))| Sample {
                old_idx,
                block: block.to_string(),
                file: file.to_string(),
            })
            .collect();
        Indenter::new(samples, lines.iter().copied())
    }

    #[test]
    fn one_shift_for_all() {
        let deeper = indenter(&[("", "    "), ("  ", "      ")], &[]);
        assert_eq!(deeper.reindent("   x", 0).as_deref(), Some("       x"));
        let shallower = indenter(&[("    ", "  "), ("      ", "    ")], &[]);
        assert_eq!(shallower.reindent("    x", 0).as_deref(), Some("  x"));
        assert_eq!(shallower.reindent("x", 0), None);
    }

    #[test]
    fn spaces_become_tabs_by_unit() {
        let tabs = indenter(&[("    ", "\t"), ("        ", "\t\t")], &[]);
        assert_eq!(tabs.reindent("            x", 1).as_deref(), Some("\t\t\tx"));
        let from_zero = indenter(&[("", "\t")], &["", "    y"]);
        assert_eq!(from_zero.reindent("    y", 0).as_deref(), Some("\t\ty"));
        let deeper = indenter(&[("  ", "\t\t")], &["  a", "    b"]);
        assert_eq!(deeper.reindent("    b", 0).as_deref(), Some("\t\t\t\tb"));
    }

    #[test]
    fn tabs_become_spaces_by_unit() {
        let spaces = indenter(&[("\t", "  "), ("\t\t", "    ")], &[]);
        assert_eq!(spaces.reindent("\t\t\tx", 1).as_deref(), Some("      x"));
    }

    #[test]
    fn uneven_follows_the_nearest_line() {
        let uneven = indenter(&[("", "    "), ("    ", "    ")], &[]);
        assert_eq!(*uneven.shift(), Shift::Uneven);
        assert_eq!(uneven.reindent("x", 0).as_deref(), Some("    x"));
        assert_eq!(uneven.reindent("    x", 1).as_deref(), Some("    x"));
        assert_eq!(uneven.reindent("        x", 1).as_deref(), Some("        x"));
    }
}
