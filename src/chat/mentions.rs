//! Files that a text names.
//!
//! Only what looks like a path counts (`src/a.rs`, `main.py`), or what is quoted as code (`` `Makefile` ``). Ordinary words
//! never do, even where a file is called `run`. Web addresses and fenced blocks of code are passed over.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// A name that no human writes as a path is not looked up.
const LONGEST: usize = 256;

/// What surrounds a name in a sentence.
const DECORATION: [char; 19] = [
    '"', '\'', '*', '(', ')', '[', ']', '<', '>', '{', '}', '“', '”', '‘', '’', '«', '»', '`', '|',
];

/// Known files that `text` names, in the order of `files`, each once.
///
/// A name counts as a file when it is its whole path, or the end of its path and no other file ends so. Linear in the
/// text and in the number of files.
pub fn files_in<'a>(text: &str, files: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let names = candidates(text);
    if names.is_empty() {
        return Vec::new();
    }
    // Last component to the names that end in it.
    let mut by_last: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in &names {
        let last = name.rsplit('/').next().unwrap_or(name);
        by_last.entry(last).or_default().push(name);
    }
    let mut whole = Vec::new();
    // Name to the files that end in it; a second one makes it ambiguous.
    let mut ends: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (idx, file) in files.into_iter().enumerate() {
        let last = file.rsplit('/').next().unwrap_or(file);
        for name in by_last.get(last).into_iter().flatten() {
            if file == *name {
                whole.push((idx, file));
                ends.insert(name, (usize::MAX, ""));
            } else if file.strip_suffix(name).is_some_and(|before| before.ends_with('/')) {
                ends.entry(name)
                    .and_modify(|found| *found = (usize::MAX, ""))
                    .or_insert((idx, file));
            }
        }
    }
    whole.extend(ends.into_values().filter(|(idx, _)| *idx != usize::MAX));
    whole.sort_unstable();
    whole.dedup();
    whole.into_iter().map(|(_, file)| file).collect()
}

/// Parts of known files that `text` names, as `` `src/a.rs:name` `` or `src/a.rs:120-180`: (file, part), in the order of the
/// text, each once. A single number is a place, not a part.
pub fn parts_in<'a>(text: &str, files: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, String)> {
    let mut named: Vec<(String, String)> = Vec::new();
    in_prose(text, &mut |word, _| {
        if let Some(part) = named_part(word).filter(|part| !named.contains(part)) {
            named.push(part);
        }
    });
    if named.is_empty() {
        return Vec::new();
    }
    let names: String = named.iter().map(|(file, _)| format!("`{file}`\n")).collect();
    let known = files_in(&names, files);
    let file_of = |name: &str| {
        let ends = |file: &str| file == name || file.strip_suffix(name).is_some_and(|before| before.ends_with('/'));
        known.iter().copied().find(|file| ends(file))
    };
    named
        .into_iter()
        .filter_map(|(name, part)| Some((file_of(&name)?, part)))
        .collect()
}

/// The word as file and part, when it has the shape.
fn named_part(word: &str) -> Option<(String, String)> {
    let word = word
        .trim()
        .trim_matches(DECORATION)
        .trim_end_matches(['.', ',', ';', ':', '?', '!']);
    let (file, part) = word.split_once(':')?;
    let file = clean(file).filter(|file| looks_like_path(file))?;
    let part = part
        .trim_start_matches(':')
        .trim_end_matches("()")
        .trim_matches(DECORATION);
    let is_range = part
        .split_once('-')
        .is_some_and(|(first, last)| is_number(first) && is_number(last));
    let is_name = part.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && part.chars().all(|c| c.is_alphanumeric() || "_.:#$".contains(c));
    (is_range || is_name).then(|| (file, part.to_owned()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Names in `text` that may be files, without repetitions: relative, with `/`, no decoration.
pub fn candidates(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    in_prose(text, &mut |word, quoted| {
        if let Some(name) = clean(word).filter(|name| quoted || looks_like_path(name)) {
            found.insert(name);
        }
    });
    found
}

/// Gives each word outside fenced blocks, and each text in backticks as a whole (true).
fn in_prose(text: &str, take: &mut dyn FnMut(&str, bool)) {
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let marker = fence_marker(line);
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if marker.starts_with(open) => fence = None,
            (Some(_), _) => {}
            (None, None) => words_of_line(line, take),
        }
    }
}

/// The run of backticks or tildes that opens or closes a fenced block on this line.
fn fence_marker(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| *c == '`' || *c == '~')?;
    let run = &line[..line.len() - line.trim_start_matches(mark).len()];
    (run.len() >= 3 && !line[run.len()..].contains('`')).then_some(run)
}

fn words_of_line(line: &str, take: &mut dyn FnMut(&str, bool)) {
    // Odd pieces stand between backticks.
    let pieces: Vec<&str> = line.split('`').collect();
    let last = pieces.len() - 1;
    for (idx, piece) in pieces.iter().enumerate() {
        let quoted = idx % 2 == 1 && idx < last;
        if quoted {
            take(piece, true);
        }
        for word in piece.split_whitespace() {
            take(word, false);
        }
    }
}

/// Takes off what surrounds a name in a sentence; None for what cannot be a path.
fn clean(word: &str) -> Option<String> {
    let mut name = word.trim();
    if name.contains("://") || name.starts_with("www.") {
        return None;
    }
    loop {
        let before = name;
        name = name.trim_matches(DECORATION);
        name = name.trim_end_matches([',', '.', '!', ';', ':', '?', '…']);
        name = name.trim_start_matches([',', ';', ':', '!', '?']);
        if name == before {
            break;
        }
    }
    // `src/a.rs:12`, `src/a.rs:12:5`, `src/a.rs#L3`, `src/a.rs(3)`
    let name = name.split(['#', '(']).next().unwrap_or(name);
    let name = strip_line_numbers(name);
    let name = name.strip_prefix("@").unwrap_or(name);
    let name = name.replace('\\', "/");
    let name = name.strip_prefix("./").unwrap_or(&name);
    if name.is_empty() || name.len() > LONGEST || name.ends_with('/') || name.contains(['\n', '\t']) {
        return None;
    }
    Some(name.to_owned())
}

fn strip_line_numbers(mut name: &str) -> &str {
    while let Some((before, after)) = name.rsplit_once(':') {
        if after.is_empty() || !after.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            break;
        }
        name = before;
    }
    name
}

/// Has a folder, or an extension that is not just the end of a sentence or a number.
fn looks_like_path(name: &str) -> bool {
    if name.contains('/') {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let plausible = !extension.is_empty()
        && extension.len() <= 12
        && extension.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    plausible && (!stem.is_empty() || extension.len() > 2) && name.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[&str] = &[
        "run",
        "all",
        "Makefile",
        "src/a.ts",
        "src/b/mod.rs",
        "src/c/mod.rs",
        "packages/web/index.tsx",
        "docs/my file.md",
        ".gitignore",
        "test_all",
    ];

    fn found(text: &str) -> Vec<&'static str> {
        files_in(text, FILES.iter().copied())
    }

    #[test]
    fn ordinary_words_are_never_files() {
        assert!(found("Now run all tests, then run it again. Update the Makefile. See test_all.").is_empty());
    }

    #[test]
    fn words_quoted_as_code_are_files() {
        assert_eq!(found("Look at `run` and `Makefile`"), ["run", "Makefile"]);
        assert_eq!(found("see `docs/my file.md`."), ["docs/my file.md"]);
    }

    #[test]
    fn punctuation_and_decoration_are_no_part_of_a_name() {
        for text in [
            "`src/a.ts`?",
            "is it src/a.ts?",
            "(src/a.ts)",
            "**src/a.ts**:",
            "\"src/a.ts\",",
            "./src/a.ts",
            "src\\a.ts",
            "src/a.ts:12:5",
            "src/a.ts#L10",
            "`src/a.ts:3`",
            "@src/a.ts",
            "see “src/a.ts”.",
            "a.ts...",
        ] {
            assert_eq!(found(text), ["src/a.ts"], "{text}");
        }
        assert_eq!(found("add it to .gitignore."), [".gitignore"]);
    }

    #[test]
    fn the_end_of_a_path_counts_when_it_is_unique() {
        assert_eq!(found("web/index.tsx and index.tsx"), ["packages/web/index.tsx"]);
        assert!(found("mod.rs").is_empty());
        assert_eq!(found("b/mod.rs"), ["src/b/mod.rs"]);
        assert!(found("eb/index.tsx").is_empty(), "a name begins at a folder");
    }

    #[test]
    fn a_part_is_a_file_with_a_name_or_lines() {
        let parts = |text: &str| {
            let parts = parts_in(text, FILES.iter().copied());
            parts
                .into_iter()
                .map(|(file, part)| format!("{file} {part}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts("I need `src/a.ts:Stage.start`."), ["src/a.ts Stage.start"]);
        assert_eq!(
            parts("**b/mod.rs::run()**, then a.ts:10-40"),
            ["src/b/mod.rs run", "src/a.ts 10-40"]
        );
        assert_eq!(
            parts("`src/a.ts:Stage#start` and again `src/a.ts:Stage#start`"),
            ["src/a.ts Stage#start"]
        );
        for text in [
            "src/a.ts:12",
            "src/a.ts: see there",
            "nowhere.rs:run",
            "```\nsrc/a.ts:run\n```",
            "mod.rs:run",
        ] {
            assert_eq!(parts(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn addresses_and_fenced_code_are_passed_over() {
        assert!(found("https://example.com/src/a.ts and www.example.com/src/a.ts").is_empty());
        assert!(found("```\nimport src/a.ts\n```\n").is_empty());
        assert_eq!(found("```\nx\n```\nsrc/a.ts"), ["src/a.ts"]);
        assert!(found("```ts\nsrc/a.ts").is_empty(), "an open fence reaches to the end");
    }

    #[test]
    fn fifty_thousand_files_are_looked_through_once() {
        let files: Vec<String> = (0..50_000).map(|n| format!("dir{}/file{n}.rs", n % 100)).collect();
        let text: String = (0..3_000).map(|n| format!("dir1/file{}.rs ", n * 7)).collect();
        let found = files_in(&text, files.iter().map(String::as_str));
        let expected = (0..3_000)
            .map(|n| n * 7)
            .filter(|n| *n < 50_000 && n % 100 == 1)
            .count();
        assert_eq!(found.len(), expected);
    }
}
