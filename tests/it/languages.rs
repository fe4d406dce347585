//! The table of languages against its queries and samples, and texts that must not hang or crash the reading of tags.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use codriver::languages::{self, LANGUAGES, Language, Outline, TagsQuery};
use codriver::repo_map::tags::{Def, FileTags, Limits, Skip, definitions, tags};

use crate::support;

/// `fixtures/languages/<row>/`: `sample.<extension>` (or under its own file name) gives `tags.txt`, or `outline.txt` where this
/// build has no grammar for it.
#[test]
fn samples_give_their_tags() {
    support::check_all("languages", |case| {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let language = languages::by_name(&name).ok_or("no row in LANGUAGES")?;
        let sample = sample(case);
        let text = fs::read_to_string(&sample).unwrap();
        let recognised = languages::detect(&sample.to_string_lossy(), &text);
        if recognised != Some(language) {
            return Err(format!("{} is taken for {recognised:?}", sample.display()));
        }
        let found = tags(language, &text, &Limits::default()).map_err(|skip| skip.to_string())?;
        let shown = show(&found);
        let expected = if is_outlined(language) { OUTLINE } else { TAGS };
        support::expect_file(&case.join(expected), &shown)
    });
}

/// `fixtures/unknown/<case>/`: what a map tells of files that belong to no language. Prose, data and logs give nothing.
#[test]
fn files_of_no_known_language_give_what_looks_like_a_definition() {
    support::check_all("unknown", |case| {
        let sample = sample(case);
        let text = fs::read_to_string(&sample).unwrap();
        let path = sample.to_string_lossy();
        assert_eq!(languages::detect(&path, &text), None);
        let found = languages::detect_loosely(&path, &text)
            .map(|language| tags(language, &text, &Limits::default()).unwrap())
            .unwrap_or_default();
        support::expect_file(&case.join(TAGS), &show(&found))
    });
}

const TAGS: &str = "tags.txt";
const OUTLINE: &str = "outline.txt";

fn is_outlined(language: &Language) -> bool {
    language.grammar.is_none() && language.lines.is_some()
}

/// The one file beside what is expected.
fn sample(case: &Path) -> std::path::PathBuf {
    let mut files = support::tree(case)
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name != TAGS && name != OUTLINE);
    let sample = files
        .next()
        .unwrap_or_else(|| panic!("no sample in {}", case.display()));
    assert_eq!(files.next(), None, "more than one sample in {}", case.display());
    case.join(sample)
}

/// One line a tag: definitions with lines from 1 as in an editor, indented by depth; then references.
fn show(tags: &FileTags) -> String {
    let mut out = String::new();
    for Def {
        name,
        kind,
        line,
        end_line,
        depth,
        signature,
        ..
    } in &tags.defs
    {
        let lines = if line == end_line {
            format!("{}", line + 1)
        } else {
            format!("{}-{}", line + 1, end_line + 1)
        };
        let indent = "  ".repeat(usize::from(*depth));
        writeln!(out, "{indent}{} {name} @{lines} | {signature}", kind.name()).unwrap();
    }
    for reference in &tags.refs {
        let times = if reference.count == 1 {
            String::new()
        } else {
            format!(" x{}", reference.count)
        };
        writeln!(out, "{} -> {}{times}", reference.kind.name(), reference.name).unwrap();
    }
    out
}

#[test]
fn every_row_has_its_folder_and_every_folder_its_row() {
    let rows: BTreeSet<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    assert_eq!(rows.len(), LANGUAGES.len(), "two rows have one name");
    let folders: BTreeSet<String> = support::cases("languages")
        .iter()
        .map(|case| case.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    for row in &rows {
        assert!(folders.contains(*row), "fixtures/languages/{row} is missing");
    }
    for folder in &folders {
        assert!(
            rows.contains(folder.as_str()),
            "no row in LANGUAGES for fixtures/languages/{folder}"
        );
    }
    // A query that no row embeds would be read by nobody.
    let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages/table.rs")).unwrap();
    for (path, _) in support::tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("queries")) {
        let folder = path.split('/').next().unwrap();
        assert!(
            table.contains(&format!("\"{folder}\"")),
            "queries/{path} belongs to no row"
        );
    }
}

#[test]
fn every_query_compiles_against_its_grammar() {
    let mut wrong = Vec::new();
    for language in LANGUAGES {
        let Some(grammar) = language.grammar() else { continue };
        match TagsQuery::compile(grammar, language.query_source()) {
            Ok(query) => assert!(query.query.pattern_count() > 0, "{}", language.name),
            Err(error) => wrong.push(format!("queries/{}/tags.scm: {error}", language.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_outline_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let mut wrong = Vec::new();
    for (path, _) in support::tree(&folder) {
        if path.ends_with("/outline.txt") {
            let text = fs::read_to_string(folder.join(&path)).unwrap();
            wrong.extend(
                Outline::compile(&text)
                    .err()
                    .map(|error| format!("queries/{path}: {error}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_two_rows_claim_one_file() {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let claims = |language: &'static Language| {
        [language.extensions, language.file_names, language.shebangs]
            .into_iter()
            .enumerate()
    };
    for language in LANGUAGES {
        for (kind, names) in claims(language) {
            for name in names {
                let key: &'static str = format!("{kind} {name}").leak();
                if let Some(other) = owners.insert(key, language.name) {
                    panic!("`{name}` belongs to {other} and {}", language.name);
                }
            }
        }
    }
}

#[test]
fn enclosing_definitions_stand_before_what_is_in_them() {
    for language in LANGUAGES {
        let text = fs::read_to_string(sample(&support::fixtures("languages").join(language.name))).unwrap();
        let found = tags(language, &text, &Limits::default()).unwrap();
        for (idx, def) in found.defs.iter().enumerate() {
            assert!(def.end_line >= def.line, "{}: {def:?}", language.name);
            assert!(
                !def.signature.is_empty() && !def.signature.contains('\n'),
                "{}: {def:?}",
                language.name
            );
            match def.parent {
                None => assert_eq!(def.depth, 0),
                Some(parent) => {
                    assert!((parent as usize) < idx);
                    assert_eq!(def.depth, found.defs[parent as usize].depth + 1);
                }
            }
        }
    }
}

#[test]
fn definitions_are_the_same_when_read_alone() {
    for language in LANGUAGES {
        let text = fs::read_to_string(sample(&support::fixtures("languages").join(language.name))).unwrap();
        for cut in [0, 17, 41] {
            // A line that is no code makes syntax errors around it.
            let at = text
                .char_indices()
                .map(|(at, _)| at)
                .find(|at| *at >= text.len() * cut / 60);
            let mut text = text.clone();
            if cut > 0 {
                text.insert_str(at.unwrap_or_default(), "\n)]} \"= {([ fn\n");
            }
            let all = tags(language, &text, &Limits::default()).unwrap();
            let alone = definitions(language, &text, &Limits::default()).unwrap();
            assert_eq!(alone.defs, all.defs, "{}", language.name);
            assert_eq!(alone.refs, [], "{}", language.name);
        }
    }
}

/// The query is run at the nodes where its patterns start; one that starts anywhere is run over everything, which takes longer.
#[test]
fn it_is_known_where_definitions_start() {
    let unknown: Vec<&str> = LANGUAGES
        .iter()
        .filter(|language| language.definitions_query().is_some_and(|query| !query.knows_starts()))
        .map(|language| language.name)
        .collect();
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn an_outline_reads_every_kind_of_line_end() {
    for language in LANGUAGES.iter().filter(|language| is_outlined(language)) {
        let text = fs::read_to_string(sample(&support::fixtures("languages").join(language.name))).unwrap();
        let plain = tags(language, &text, &Limits::default()).unwrap();
        let windows = tags(language, &text.replace('\n', "\r\n"), &Limits::default()).unwrap();
        assert_eq!(show(&windows), show(&plain), "{}", language.name);
    }
}

#[test]
fn any_prefix_of_a_sample_can_be_read() {
    for language in LANGUAGES {
        let text = fs::read_to_string(sample(&support::fixtures("languages").join(language.name))).unwrap();
        for cut in 1..8 {
            let end = (0..=text.len() * cut / 8)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap();
            tags(language, &text[..end], &Limits::default()).unwrap_or_else(|skip| panic!("{}: {skip}", language.name));
        }
    }
}

#[test]
fn nested_brackets_end_in_tags_or_a_skip() {
    let nests = [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("<a>", "</a>"),
        ("if (x) {\n", "}\n"),
        ("f(", ")"),
        ("x = [\n", "]\n"),
        ("function f() {\n", "}\n"),
    ];
    for language in LANGUAGES {
        let n = if is_outlined(language) { 4_000 } else { 20_000 };
        for (open, close) in nests {
            let closed = format!("{}{}", open.repeat(n), close.repeat(n));
            for text in [closed, open.repeat(n)] {
                let found = tags(language, &text, &Limits::default());
                if open.contains(['(', '[', '{']) && language.name != "markdown" && language.grammar.is_some() {
                    assert!(
                        matches!(found, Err(Skip::TooDeep | Skip::Minified)),
                        "{} {open:?}",
                        language.name
                    );
                }
            }
        }
    }
}

#[test]
fn one_line_of_30_mb_is_too_large() {
    let text = "x=1;".repeat(30 << 18);
    for language in LANGUAGES {
        assert_eq!(
            tags(language, &text, &Limits::default()),
            Err(Skip::TooLarge),
            "{}",
            language.name
        );
    }
}

#[test]
fn one_line_of_half_a_megabyte_is_minified() {
    let text = "var x=1;".repeat(60_000);
    for name in ["javascript", "python", "rust"] {
        let language = languages::by_name(name).unwrap();
        assert_eq!(tags(language, &text, &Limits::default()), Err(Skip::Minified), "{name}");
    }
}

#[test]
fn random_bytes_are_skipped_as_binary() {
    let mut state = 42u64;
    let bytes: Vec<u8> = (0..20_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        })
        .collect();
    let text = String::from_utf8_lossy(&bytes);
    for language in LANGUAGES {
        assert_eq!(
            tags(language, &text, &Limits::default()),
            Err(Skip::Binary),
            "{}",
            language.name
        );
    }
    // Printable noise is text; reading it must only end.
    let noise: String = bytes.iter().map(|b| (b' ' + b % 95) as char).collect();
    let lines: String = noise
        .as_bytes()
        .chunks(80)
        .map(|line| String::from_utf8_lossy(line) + "\n")
        .collect();
    for language in LANGUAGES {
        let _ = tags(language, &lines, &Limits::default());
    }
}

#[test]
fn unterminated_strings_and_comments_end() {
    for language in LANGUAGES {
        for open in [
            "\"", "'", "`", "\"\"\"", "/*", "<!--", "#|", "{-", "(*", "<<EOF\n", "r#\"", "$(", "${",
        ] {
            let text = format!("{open}{}", "some words here\n".repeat(250));
            let _ = tags(language, &text, &Limits::default());
        }
    }
}

#[test]
fn a_cancelled_parse_stops_and_leaves_the_parser_clean() {
    let language = languages::by_name("rust").unwrap();
    let text = "fn f(x: u32) -> u32 { x + 1 }\n".repeat(20_000);
    let flag = AtomicBool::new(true);
    let cancelled = Limits {
        cancelled: Some(&flag),
        ..Limits::default()
    };
    assert_eq!(tags(language, &text, &cancelled), Err(Skip::Cancelled));
    let next = tags(language, "fn g() {}\n", &Limits::default()).unwrap();
    assert_eq!(next.defs.len(), 1);
}

#[test]
fn tags_survive_the_cache_format() {
    for language in LANGUAGES {
        let text = fs::read_to_string(sample(&support::fixtures("languages").join(language.name))).unwrap();
        let found = tags(language, &text, &Limits::default()).unwrap();
        let bytes = postcard::to_stdvec(&found).unwrap();
        assert_eq!(
            postcard::from_bytes::<FileTags>(&bytes).unwrap(),
            found,
            "{}",
            language.name
        );
    }
}
