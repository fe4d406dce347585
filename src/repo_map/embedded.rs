//! Texts that hold other languages: the scripts of a Vue or Svelte component, the code cells of a notebook.

use std::borrow::Cow;

use serde_json::Value;

use crate::languages::{self, Embedding, Language};

/// A stretch of another language.
pub(super) struct Part {
    pub language: &'static Language,
    pub text: String,
    lines: Lines,
}

/// Where the lines of a part stand in the file.
enum Lines {
    /// In one piece from this line on.
    From(u32),
    /// The line in the file for each line of the part.
    Each(Vec<u32>),
}

impl Part {
    /// The line in the file of a line of the part, both from 0.
    pub(super) fn line_in_file(&self, line: u32) -> u32 {
        match &self.lines {
            Lines::From(first) => first + line,
            Lines::Each(lines) => lines.get(line as usize).or(lines.last()).copied().unwrap_or(0),
        }
    }
}

/// The parts of a text, in order.
pub(super) fn parts(embedding: Embedding, text: &str) -> Vec<Part> {
    match embedding {
        Embedding::Scripts => scripts(text),
        Embedding::Astro => astro(text),
        Embedding::Notebook => notebook(text).into_iter().collect(),
    }
}

/// The script between the first two lines of dashes, which runs when the page is built, and the `<script>` elements.
fn astro(text: &str) -> Vec<Part> {
    let mut all = Vec::new();
    let content = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    if let (Some(content), Some(language)) = (content, languages::by_name("typescript")) {
        let end = content.find("\n---").map_or(0, |at| at + 1);
        all.push(Part {
            language,
            text: content[..end].to_owned(),
            lines: Lines::From(1),
        });
    }
    all.extend(scripts(text));
    all
}

/// The `<script>` elements that are not inside a comment or a `<template>`.
fn scripts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let open = at + found;
        let rest = &text[open..];
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(text.len(), |end| open + end + 3);
            continue;
        }
        let element = ["script", "style", "template"]
            .into_iter()
            .find(|name| is_tag(&rest[1..], name));
        let (Some(element), Some(tag_end)) = (element, tag_end(rest)) else {
            at = open + 1;
            continue;
        };
        let tag = &rest[..tag_end];
        let content = open + tag_end;
        if tag.ends_with("/>") {
            at = content;
            continue;
        }
        let close = closing(&text[content..], element);
        if element == "script" {
            let language = if tag.contains("\"tsx\"") || tag.contains("'tsx'") {
                "tsx"
            } else if tag.contains("\"ts\"") || tag.contains("'ts'") || tag.contains("typescript") {
                "typescript"
            } else {
                "javascript"
            };
            if let Some(language) = languages::by_name(language) {
                parts.push(Part {
                    language,
                    text: text[content..content + close].to_owned(),
                    lines: Lines::From(memchr::memchr_iter(b'\n', &text.as_bytes()[..content]).count() as u32),
                });
            }
        }
        at = content + close;
    }
    parts
}

/// Whether a tag's name follows, in any case.
fn is_tag(after: &str, name: &str) -> bool {
    let bytes = after.as_bytes();
    bytes.len() > name.len()
        && bytes[..name.len()].eq_ignore_ascii_case(name.as_bytes())
        && matches!(bytes[name.len()], b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r')
}

/// Length of a tag with its `>`, which may stand inside quotes before (`v-if="a > b"`).
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Where the content of an element ends. Only `template` nests; a script ends at its first closing tag.
fn closing(content: &str, element: &str) -> usize {
    let mut depth = 1;
    let mut at = 0;
    while let Some(found) = content[at..].find('<') {
        let open = at + found;
        let rest = &content[open + 1..];
        if rest.starts_with('/') && is_tag(&rest[1..], element) {
            depth -= 1;
            if depth == 0 {
                return open;
            }
        } else if element == "template" && is_tag(rest, element) {
            let closed = tag_end(&content[open..]).is_some_and(|end| content[open..open + end].ends_with("/>"));
            depth += usize::from(!closed);
        }
        at = open + 1;
    }
    content.len()
}

/// A notebook without what its cells put out and the pictures in its texts, which are most of its bytes and nothing of its code;
/// every line keeps its place. Any other text as it is.
pub(super) fn without_outputs<'text>(path: &str, text: &'text str) -> Cow<'text, str> {
    if !path.ends_with(".ipynb") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(1 << 20));
    let mut closing: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        if let Some(close) = &closing {
            if content.trim_end_matches(',') != close {
                out.push('\n');
                continue;
            }
            closing = None;
        } else {
            let indent = &content[..content.len() - content.trim_start().len()];
            closing = match content.trim_start() {
                "\"outputs\": [" => Some(format!("{indent}]")),
                "\"attachments\": {" => Some(format!("{indent}}}")),
                _ => None,
            };
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// The code cells of a notebook as one text in the language of its kernel; `None` when it is no notebook.
fn notebook(text: &str) -> Option<Part> {
    let notebook: Value = serde_json::from_str(text).ok()?;
    let language = notebook
        .pointer("/metadata/kernelspec/language")
        .or_else(|| notebook.pointer("/metadata/language_info/name"))
        .and_then(Value::as_str)
        .unwrap_or("python")
        .to_ascii_lowercase();
    let mut code = String::new();
    let mut lines = Vec::new();
    let mut places = SourceLines::new(text);
    for cell in notebook.get("cells")?.as_array()? {
        let source = match cell.get("source") {
            Some(Value::String(source)) => source.clone(),
            Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let is_code = cell.get("cell_type").and_then(Value::as_str) == Some("code");
        for line in source.lines() {
            let place = places.find(line);
            if is_code {
                // Magics and shell escapes are no Python.
                if !line.trim_start().starts_with(['%', '!']) {
                    code.push_str(line);
                }
                code.push('\n');
                lines.push(place);
            }
        }
    }
    Some(Part {
        language: languages::by_name(&language)?,
        text: code,
        lines: Lines::Each(lines),
    })
}

/// Finds the line of the file on which a line of a cell is written. Notebooks hold one source line a line, in order, so a
/// search that only goes forward finds each; a file on one line gives 0 for all.
struct SourceLines<'text> {
    text: &'text str,
    at: usize,
    line: u32,
}

impl<'text> SourceLines<'text> {
    fn new(text: &'text str) -> Self {
        Self { text, at: 0, line: 0 }
    }

    fn find(&mut self, line: &str) -> u32 {
        let quoted = serde_json::to_string(line).unwrap_or_default();
        let inner = quoted.trim_matches('"');
        if inner.is_empty() {
            return self.line;
        }
        if let Some(found) = self.text[self.at..].find(inner) {
            let end = self.at + found;
            self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..end]).count() as u32;
            self.at = end + inner.len();
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_a_notebook_are_left_out_and_lines_keep_their_places() {
        let text = "{\n \"cells\": [\n  {\n   \"outputs\": [\n    {\n     \"data\": [\n     ]\n    }\n   ],\n   \"source\": [\"f()\"]\n  }\n ]\n}\n";
        let short = without_outputs("a.ipynb", text);
        assert_eq!(
            short,
            "{\n \"cells\": [\n  {\n   \"outputs\": [\n\n\n\n\n   ],\n   \"source\": [\"f()\"]\n  }\n ]\n}\n"
        );
        assert!(serde_json::from_str::<Value>(&short).is_ok());
        assert_eq!(without_outputs("a.json", text), text);
    }
}
