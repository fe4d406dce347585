//! The Test Anything Protocol (testanything.org, versions 12 to 14): Node piped, prove, bats, tape.

use super::Report;
use super::pattern::pattern;

/// One line `ok` or `not ok`.
struct Point {
    indent: usize,
    ok: bool,
    name: String,
    /// What follows `#`: `SKIP`, `TODO`.
    directive: String,
}

/// A point that comes after points indented deeper is their parent: it gives them the first part of their name and is
/// not counted itself. A failing test with `# TODO` is not a failure.
pub(super) fn tap(output: &str) -> Option<Report> {
    let is_tap = pattern!(r"^TAP version \d+").is_match(output) || pattern!(r"^1\.\.\d+\s*(?:#.*)?$").is_match(output);
    let points: Vec<Point> = output.lines().filter_map(point).collect();
    if !is_tap || (points.is_empty() && !pattern!(r"^1\.\.0").is_match(output)) {
        return None;
    }
    let mut leaves: Vec<Point> = Vec::new();
    for point in points {
        let is_parent = leaves.last().is_some_and(|leaf| leaf.indent > point.indent);
        if !is_parent {
            leaves.push(point);
            continue;
        }
        for leaf in leaves.iter_mut().rev().take_while(|leaf| leaf.indent > point.indent) {
            leaf.name = format!("{} › {}", point.name, leaf.name);
            // It now stands on its parent's level.
            leaf.indent = point.indent;
        }
    }
    let mut report = Report::new("tap");
    report.broken = pattern!(r"^Bail out!").is_match(output);
    let mut names = Vec::new();
    for leaf in leaves {
        if leaf.directive.starts_with("SKIP") || leaf.directive.starts_with("TODO") {
            report.skipped += 1;
        } else if leaf.ok {
            report.passed += 1;
        } else {
            report.n_failed += 1;
            names.push(leaf.name);
        }
    }
    Some(report.with_failed(names))
}

fn point(line: &str) -> Option<Point> {
    let found = pattern!(r"^( *)(not )?ok\b\s*(\d+)?\s*(?:- )?([^#]*)(?:#\s*(.*))?$").captures(line)?;
    let number = found.get(3).map_or("", |number| number.as_str());
    // bats times tests: `name in 12ms`.
    let name = pattern!(r" in \d+ms$").replace(found[4].trim(), "").into_owned();
    Some(Point {
        indent: found[1].len(),
        ok: found.get(2).is_none(),
        name: if name.is_empty() {
            format!("test {number}")
        } else {
            name
        },
        directive: found.get(5).map_or(String::new(), |text| text.as_str().to_uppercase()),
    })
}
