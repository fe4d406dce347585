//! JUnit's XML, which most runners can write. A reader of just the tags that count; not a parser of XML.

use std::collections::HashMap;

use super::Report;
use super::pattern::pattern;

/// Each `<testcase name= classname=>` with a `<failure>`, `<error>` or `<skipped>` in it, or without. Names:
/// `classname.name`, with the file in front when there is no class.
pub(super) fn junit_xml(output: &str) -> Option<Report> {
    pattern!(r"<testsuites?[\s>]").find(output)?;
    // What tests print may look like tags.
    let text = pattern!(r"(?s)<!\[CDATA\[.*?\]\]>|<!--.*?-->").replace_all(output, "");
    let mut report = Report::new("junit_xml");
    let mut names = Vec::new();
    let mut rest = text.as_ref();
    while let Some(at) = rest.find("<testcase") {
        rest = &rest[at + "<testcase".len()..];
        let end = end_of_tag(rest);
        let tag = &rest[..end];
        rest = &rest[end..];
        let body = if tag.ends_with('/') {
            ""
        } else {
            let close = rest.find("</testcase>").unwrap_or(rest.len());
            let body = &rest[..close];
            rest = &rest[close..];
            body
        };
        let has = |name: &str| {
            body.match_indices(&format!("<{name}")).any(|(at, found)| {
                body[at + found.len()..].starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/')
            })
        };
        if has("failure") || has("error") {
            let attributes = attributes(tag);
            let of = |name: &str| attributes.get(name).cloned().unwrap_or_default();
            let place = if of("classname").is_empty() {
                of("file")
            } else {
                of("classname")
            };
            names.push(if place.is_empty() {
                of("name")
            } else {
                format!("{place}.{}", of("name"))
            });
            report.n_failed += 1;
        } else if has("skipped") {
            report.skipped += 1;
        } else {
            report.passed += 1;
        }
    }
    Some(report.with_failed(names))
}

/// Where the tag ends that starts before `text`: at the first `>` outside of quotes.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    text.len()
}

fn attributes(tag: &str) -> HashMap<String, String> {
    pattern!(r#"([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')"#)
        .captures_iter(tag)
        .map(|found| {
            let value = found.get(2).or(found.get(3)).map_or("", |value| value.as_str());
            (found[1].to_string(), unescaped(value))
        })
        .collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#10;", "\n")
        .replace("&#9;", "\t")
        .replace("&amp;", "&")
}
