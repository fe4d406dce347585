//! Commit messages: the request for one, the clean-up of what a model answers, and a plain message when it answers
//! nothing of use. Committing itself is `git`'s.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::sync::LazyLock;

use regex::Regex;

use crate::chat::message::Message;

/// Subjects are cut at this many characters, as git's own tools expect.
const MAX_SUBJECT: usize = 72;

/// A body longer than this, in lines, is not one: it is the model thinking aloud.
const MAX_BODY_LINES: usize = 25;

const SYSTEM: &str = "\
You write commit messages. You are given a diff and the request that led to it.
Answer with the message alone: no greeting, no quotes, no code fence, no list of choices.
First line: what the commit does, in the imperative (\"Add\", \"Fix\"), at most 72 characters, no full stop.
Only when the reason is not plain from the first line: one blank line, then a few short lines that give it.";

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Modified,
    Deleted,
}

/// The request for a message. `diff` is cut to `limit` bytes, each file getting its share; `request` is what the user
/// asked for, if anything; `language` the language to write in, if not English; `instructions` take the place of our
/// own.
pub fn messages(
    diff: &str,
    request: Option<&str>,
    limit: usize,
    language: Option<&str>,
    instructions: Option<&str>,
) -> Vec<Message> {
    let mut system = instructions.unwrap_or(SYSTEM).to_string();
    if let Some(language) = language {
        system.push_str(&format!("\nWrite the message in {language}."));
    }
    let mut user = String::new();
    if let Some(request) = request.map(str::trim).filter(|request| !request.is_empty()) {
        user.push_str(&format!("Request:\n{}\n\n", bounded(request, limit / 4)));
    }
    user.push_str(&format!("Diff:\n{}", bounded_diff(diff, limit)));
    vec![Message::system(system), Message::user(user)]
}

/// Cuts a diff to about `limit` bytes: every file keeps its header and the same share of lines.
pub fn bounded_diff(diff: &str, limit: usize) -> String {
    if diff.len() <= limit {
        return diff.to_string();
    }
    let mut files: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, _) in diff.match_indices("\ndiff --git ") {
        files.push(&diff[start..=at]);
        start = at + 1;
    }
    files.push(&diff[start..]);
    let n_shown = files.len().min(limit / 80 + 1);
    let share = limit / n_shown.max(1);
    let mut out = String::new();
    for file in &files[..n_shown] {
        out.push_str(&bounded(file, share));
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    if n_shown < files.len() {
        out.push_str(&format!("[{} more files left out]\n", files.len() - n_shown));
    }
    out
}

/// The first lines that fit into `limit` bytes, at least one, and a line that says how many do not.
fn bounded(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_string();
    }
    let mut out = String::new();
    let mut lines = text.split_inclusive('\n');
    for line in lines.by_ref() {
        let short: String = line.chars().take(400).collect();
        let is_first = out.is_empty();
        out.push_str(&short);
        if short.len() < line.len() {
            out.push('\n');
        }
        if out.len() >= limit && !is_first {
            break;
        }
    }
    let n_left = lines.count();
    if n_left > 0 {
        out.push_str(&format!("[{n_left} lines left out]\n"));
    }
    out
}

/// The message in a model's answer: thinking, fences, quotes, labels and chatter removed; the first plausible line as
/// subject, cut at 72 characters; a short body if one follows. None when nothing plausible is there.
pub fn clean(reply: &str) -> Option<String> {
    let text: String = without_thinking(reply)
        .chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect();
    let text = match fenced(&text) {
        // A model that sends its edit again says what it does in front of it.
        Some(inside) if inside.lines().any(is_of_an_edit) => without_fences(&text),
        Some(inside) => inside,
        None => text,
    };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let (subject_idx, subject) = lines
        .iter()
        .enumerate()
        .find_map(|(idx, line)| subject(line).map(|subject| (idx, subject)))?;
    let body = body(&lines[subject_idx + 1..]);
    Some(match body {
        Some(body) => format!("{subject}\n\n{body}"),
        None => subject,
    })
}

/// A message from file names alone.
pub fn fallback(files: &[(&str, Change)]) -> String {
    let verb = match files {
        [] => return "Update files".to_string(),
        files if files.iter().all(|(_, change)| *change == Change::Added) => "Add",
        files if files.iter().all(|(_, change)| *change == Change::Deleted) => "Remove",
        _ => "Update",
    };
    let names: Vec<&str> = files
        .iter()
        .map(|(path, _)| path.rsplit('/').next().unwrap_or(path))
        .collect();
    let listed = match (files, names.as_slice()) {
        ([(path, _)], _) if path.chars().count() + 7 <= MAX_SUBJECT => (*path).to_string(),
        (_, [one]) => (*one).to_string(),
        (_, [rest @ .., last]) => format!("{} and {last}", rest.join(", ")),
        (_, []) => String::new(),
    };
    let subject = format!("{verb} {listed}");
    if subject.chars().count() <= MAX_SUBJECT && files.len() <= 4 {
        return subject;
    }
    let folder = common_folder(files);
    let place = if folder.is_empty() {
        String::new()
    } else {
        format!(" in {folder}")
    };
    cut_at_word(&format!("{verb} {} files{place}", files.len()))
}

fn common_folder(files: &[(&str, Change)]) -> String {
    let mut common: Option<Vec<&str>> = None;
    for (path, _) in files {
        let mut parts: Vec<&str> = path.split('/').collect();
        parts.pop();
        common = Some(match common {
            None => parts,
            Some(common) => common
                .into_iter()
                .zip(parts)
                .take_while(|(a, b)| a == b)
                .map(|(a, _)| a)
                .collect(),
        });
    }
    common.unwrap_or_default().join("/")
}

fn without_thinking(reply: &str) -> String {
    static CLOSED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?is)<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>")
            .expect("the pattern is constant")
    });
    static OPEN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?is)<(think|thinking|reasoning|thought)>.*$").expect("the pattern is constant"));
    static END: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?is)^.*</(think|thinking|reasoning|thought)>").expect("the pattern is constant")
    });
    let text = CLOSED.replace_all(reply, "");
    // Some servers cut off the opening tag.
    let text = END.replace(&text, "");
    OPEN.replace(&text, "").into_owned()
}

/// What stands in the first code fence.
fn fenced(text: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.find(|line| line.trim_start().starts_with("```"))?;
    let inside: Vec<&str> = lines.take_while(|line| !line.trim_start().starts_with("```")).collect();
    let inside = inside.join("\n");
    (!inside.trim().is_empty()).then_some(inside)
}

/// The line belongs to a diff or a SEARCH/REPLACE block.
fn is_of_an_edit(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "diff --git ", "@@ ", "--- a/", "+++ b/", "*** "]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// The text outside of fences.
fn without_fences(text: &str) -> String {
    let mut is_inside = false;
    let outside = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_fence && !is_inside
    });
    outside.collect::<Vec<&str>>().join("\n")
}

/// Beginnings of lines that are about a message and not one, in lower case.
const CHATTER: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "okay",
    "ok,",
    "here is",
    "here's",
    "here are",
    "here\u{2019}s",
    "below is",
    "the following",
    "based on",
    "i'm sorry",
    "i am sorry",
    "i\u{2019}m sorry",
    "sorry",
    "i cannot",
    "i can't",
    "i can\u{2019}t",
    "i don't",
    "i need",
    "i'll",
    "i will",
    "let me",
    "let's",
    "as an ai",
    "unfortunately",
    "looking at",
    "this commit message",
    "this message",
    "please ",
    "thank",
    "hope this",
    "the commit message",
    "commit message",
    "note:",
    "option ",
    "alternatively",
    "you can",
    "feel free",
    "analysis",
];

fn is_chatter(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    CHATTER.iter().any(|start| line.starts_with(start))
}

/// The line as a subject, if it can be one.
fn subject(line: &str) -> Option<String> {
    static MARKER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:[-*+•]|\d+[.)]|#+|>)\s+").expect("the pattern is constant"));
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:\*\*)?(?:suggested |final |git )?(?:commit message|commit subject|subject|message|title|commit)(?:\*\*)?\s*:(?:\*\*)?\s*")
            .expect("the pattern is constant")
    });
    let line = line.trim();
    let line = MARKER.replace(line, "");
    let unlabelled = LABEL.replace(&line, "");
    // A label alone names the next line.
    let had_label = unlabelled.len() < line.len();
    let line = unquoted(unlabelled.trim());
    if line.is_empty() || (!had_label && is_chatter(line)) || line.ends_with(':') || is_of_an_edit(line) {
        return None;
    }
    // A rule, a lone bracket, a row of dots.
    if line.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
        return None;
    }
    let line = match line.strip_suffix('.') {
        Some(without) if !without.ends_with('.') => without,
        _ => line,
    };
    Some(cut_at_word(line))
}

fn unquoted(mut line: &str) -> &str {
    const PAIRS: &[(&str, &str)] = &[
        ("**", "**"),
        ("\"", "\""),
        ("'", "'"),
        ("`", "`"),
        ("\u{201c}", "\u{201d}"),
        ("\u{2018}", "\u{2019}"),
    ];
    // A pair may stand within another.
    for _ in 0..3 {
        for (open, close) in PAIRS {
            if let Some(inner) = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
                && !inner.contains(open)
            {
                line = inner.trim();
            }
        }
    }
    line
}

/// Cuts at the last word that fits; a first word too long is cut hard.
fn cut_at_word(line: &str) -> String {
    if line.chars().count() <= MAX_SUBJECT {
        return line.to_string();
    }
    let hard: String = line.chars().take(MAX_SUBJECT).collect();
    let is_between_words = line[hard.len()..].starts_with(' ');
    let cut = match hard.rfind(' ') {
        Some(at) if !is_between_words && at > MAX_SUBJECT / 3 => &hard[..at],
        _ => hard.as_str(),
    };
    cut.trim_end_matches([' ', ',', ';', ':', '-']).to_string()
}

/// The lines after a subject that belong to the message: separated by a blank line, short, no chatter.
fn body(lines: &[&str]) -> Option<String> {
    if !lines.first()?.trim().is_empty() {
        return None;
    }
    let mut taken: Vec<&str> = Vec::new();
    for line in lines {
        if is_chatter(line) || line.trim_start().starts_with("```") || line.trim() == "---" {
            break;
        }
        // A blank line twice ends it.
        if line.trim().is_empty() && taken.last().is_none_or(|last| last.trim().is_empty()) && !taken.is_empty() {
            break;
        }
        taken.push(line);
    }
    if taken.len() > MAX_BODY_LINES || taken.iter().any(|line| line.chars().count() > 500) {
        return None;
    }
    let body = taken.join("\n").trim().to_string();
    (!body.is_empty()).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_no_message() {
        let reply =
            "Retries shall be named.\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n";
        assert_eq!(
            clean(reply).as_deref().and_then(|text| text.lines().next()),
            Some("Retries shall be named")
        );
        assert_eq!(clean("```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```"), None);
    }

    #[test]
    fn fallback_names_the_files() {
        use Change::{Added, Deleted, Modified};
        assert_eq!(fallback(&[("src/a.rs", Modified)]), "Update src/a.rs");
        assert_eq!(
            fallback(&[("src/a.rs", Added), ("src/b.rs", Added)]),
            "Add a.rs and b.rs"
        );
        assert_eq!(
            fallback(&[("a", Deleted), ("b", Deleted), ("c", Deleted)]),
            "Remove a, b and c"
        );
        let many: Vec<(String, Change)> = (0..9).map(|n| (format!("src/git/file{n}.rs"), Modified)).collect();
        let many: Vec<(&str, Change)> = many.iter().map(|(path, change)| (path.as_str(), *change)).collect();
        assert_eq!(fallback(&many), "Update 9 files in src/git");
        let long = "x".repeat(100);
        assert!(fallback(&[(&long, Added)]).chars().count() <= MAX_SUBJECT);
        assert_eq!(fallback(&[]), "Update files");
    }

    #[test]
    fn a_long_diff_keeps_a_part_of_every_file() {
        let file = |name: &str| {
            format!(
                "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n{}",
                "+line\n".repeat(500)
            )
        };
        let diff = format!("{}{}", file("one"), file("two"));
        let cut = bounded_diff(&diff, 1000);
        assert!(cut.len() < 1200, "{}", cut.len());
        assert!(cut.contains("diff --git a/one b/one") && cut.contains("diff --git a/two b/two"));
        assert_eq!(cut.matches("lines left out]").count(), 2);
        assert_eq!(bounded_diff("short", 1000), "short");
    }

    proptest::proptest! {
        #[test]
        fn a_cleaned_message_is_stable_and_short(reply in "(Fix|the|parser|\"|`|\n|: |\\*\\*|. |- |word){1,40}") {
            if let Some(message) = clean(&reply) {
                let subject = message.lines().next().unwrap_or_default();
                proptest::prop_assert!(subject.chars().count() <= MAX_SUBJECT);
                proptest::prop_assert!(!subject.trim().is_empty());
            }
        }
    }
}
