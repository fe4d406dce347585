//! Holds the arrows of the drawing in `src/lib.rs`: which module may use which.

use std::fs;
use std::path::Path;

/// (module, modules of this crate that it may use).
const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("tokens", &[]),
    ("edit_format", &["text"]),
    ("apply", &["text", "edit_format"]),
    ("languages", &[]),
    ("repo_map", &["text", "tokens", "languages"]),
    ("lint", &["text", "languages"]),
    ("test_report", &["text"]),
    ("chat", &["text", "tokens"]),
    ("policy", &["text", "languages"]),
    ("models", &["text", "tokens"]),
    ("commit_message", &["text", "chat"]),
    ("files", &["text"]),
    ("git", &["text"]),
    ("llm", &["text", "tokens", "chat", "models"]),
    ("shell", &["text"]),
    ("terminal", &["text", "edit_format"]),
    ("web", &["text"]),
    ("store", &["text", "chat", "repo_map"]),
    (
        "session",
        &[
            "text",
            "tokens",
            "edit_format",
            "apply",
            "languages",
            "repo_map",
            "lint",
            "test_report",
            "chat",
            "policy",
            "models",
            "commit_message",
            "files",
            "git",
            "llm",
            "shell",
            "terminal",
            "store",
            "web",
        ],
    ),
    (
        "commands",
        &[
            "text",
            "tokens",
            "apply",
            "chat",
            "edit_format",
            "models",
            "files",
            "session",
            "terminal",
        ],
    ),
    ("repl", &["text", "commands", "session", "terminal"]),
    // The command line wires everything up.
    (
        "cli",
        &[
            "text",
            "tokens",
            "edit_format",
            "apply",
            "languages",
            "repo_map",
            "chat",
            "models",
            "policy",
            "files",
            "git",
            "llm",
            "shell",
            "terminal",
            "store",
            "web",
            "session",
            "commands",
            "repl",
        ],
    ),
];

#[test]
fn arrows_only_point_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    for file in files {
        let relative = file.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
        let module = relative.split('/').next().unwrap().trim_end_matches(".rs");
        if module == "lib" || module == "main" {
            continue;
        }
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("src/{relative}: module `{module}` has no row in MAY_USE"));
            continue;
        };
        let text = fs::read_to_string(&file).unwrap();
        for (idx, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for used in used_modules(code) {
                if used != module && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("src/{relative}:{}: `{module}` may not use `{used}`", idx + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_that_computes_denies_the_outside() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in [
        "text",
        "edit_format",
        "apply",
        "repo_map",
        "lint",
        "test_report",
        "chat",
        "policy",
        "models",
        "commit_message",
        "languages",
        "tokens",
    ] {
        let file = [src.join(module).join("mod.rs"), src.join(format!("{module}.rs"))]
            .into_iter()
            .find(|path| path.exists())
            .unwrap_or_else(|| panic!("no file for module {module}"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains("#![deny(clippy::disallowed_methods, clippy::disallowed_types)]"),
            "{} must deny the lints that keep it pure",
            file.display()
        );
    }
}

#[test]
fn module_names_are_read_off_code() {
    assert_eq!(used_modules("use crate::git::Repo;"), ["git"]);
    assert_eq!(
        used_modules("let x = crate::files::read(crate::text::f());"),
        ["files", "text"]
    );
    assert!(used_modules("pub(crate) fn f() {}").is_empty());
}

fn used_modules(code: &str) -> Vec<String> {
    code.match_indices("crate::")
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .map(|(at, found)| {
            code[at + found.len()..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

fn rust_files(dir: &Path, out: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            out.push(path);
        }
    }
}
