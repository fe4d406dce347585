//! Whether a name that a reply gives to a new file reads like the path of a file, and not like prose or a language.

use super::names::base_name;

/// Longest path that is taken for one, in bytes.
const MAX_PATH: usize = 250;

/// Words after a fence that say which language follows; never a file.
const LANGUAGE_WORDS: &[&str] = &[
    "bash",
    "c",
    "console",
    "cpp",
    "csharp",
    "css",
    "cs",
    "diff",
    "dockerfile",
    "elixir",
    "go",
    "golang",
    "graphql",
    "haskell",
    "html",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsonc",
    "jsx",
    "kotlin",
    "kt",
    "less",
    "lua",
    "makefile",
    "markdown",
    "md",
    "none",
    "objc",
    "patch",
    "perl",
    "php",
    "plain",
    "plaintext",
    "powershell",
    "ps1",
    "py",
    "python",
    "python3",
    "r",
    "rb",
    "rs",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scss",
    "sh",
    "shell",
    "sql",
    "svelte",
    "swift",
    "text",
    "toml",
    "ts",
    "tsx",
    "txt",
    "typescript",
    "udiff",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Names without a dot or a slash that files do have.
const BARE_NAMES: &[&str] = &[
    "authors",
    "brewfile",
    "build",
    "caddyfile",
    "changelog",
    "changes",
    "codeowners",
    "containerfile",
    "contributing",
    "copying",
    "dockerfile",
    "gemfile",
    "jenkinsfile",
    "justfile",
    "licence",
    "license",
    "makefile",
    "notice",
    "podfile",
    "procfile",
    "rakefile",
    "readme",
    "snakefile",
    "todo",
    "vagrantfile",
    "version",
    "workspace",
];

/// Words that make a run of words prose.
const PROSE_WORDS: &[&str] = &[
    "a",
    "add",
    "all",
    "and",
    "change",
    "code",
    "create",
    "file",
    "following",
    "for",
    "from",
    "here",
    "in",
    "is",
    "modify",
    "new",
    "now",
    "of",
    "on",
    "replace",
    "the",
    "then",
    "this",
    "to",
    "update",
    "with",
];

/// Whether a file that is not there yet may be called so.
pub(super) fn is_plausible(path: &str) -> bool {
    let last = base_name(path);
    let lower = last.to_lowercase();
    if !is_path(path) || (path.contains(' ') && !reads_like_a_name(path)) {
        return false;
    }
    let has_dot = last.trim_start_matches('.').contains('.') || (last.starts_with('.') && last.len() > 2);
    if has_dot {
        // A number such as `1.5` and an abbreviation such as `e.g` are no names.
        let extension = last.rsplit('.').next().unwrap_or("");
        return extension.len() <= 20 && !last.chars().all(|c| c.is_ascii_digit() || c == '.');
    }
    let bare = BARE_NAMES.contains(&lower.as_str()) || (last.chars().all(|c| c.is_ascii_uppercase() || c == '_'));
    if path.contains('/') {
        return !last.contains(' ');
    }
    bare && (last != lower || !LANGUAGE_WORDS.contains(&lower.as_str()))
}

/// Whether a file can be called so at all; enough where the reply says that it is a name.
pub(super) fn is_path(path: &str) -> bool {
    let last = base_name(path);
    let odd = |c: char| c.is_control() || matches!(c, '*' | '?' | '<' | '>' | '|' | '"' | '`' | ':' | '\\');
    !(path.is_empty()
        || path.len() > MAX_PATH
        || path.contains(odd)
        || path
            .split('/')
            .any(|part| part == ".." || part == "." || part.trim() != part)
        || !last.contains(char::is_alphanumeric)
        || last.ends_with(['.', ',', ';', '!']))
}

/// A path with blanks in it that is not a sentence.
fn reads_like_a_name(path: &str) -> bool {
    let words: Vec<String> = path
        .split([' ', '/'])
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let last = base_name(path);
    let has_extension = last
        .rsplit_once('.')
        .is_some_and(|(stem, ext)| !stem.is_empty() && !ext.is_empty() && !ext.contains(' '));
    // `a b.txt`: an article has a word to describe.
    let n_words = path.split(' ').count();
    let is_prose = |word: &String| PROSE_WORDS.contains(&word.as_str()) && !(word == "a" && n_words == 2);
    has_extension && n_words <= 4 && !words.iter().any(is_prose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plausible_names_for_new_files() {
        for name in [
            "src/new.rs",
            "Makefile",
            "LICENSE",
            ".gitignore",
            "docs/My Notes.md",
            "bin/run",
            "a.test.tsx",
        ] {
            assert!(is_plausible(name), "{name}");
        }
        for name in [
            "python",
            "rust",
            "Here is the new file",
            "Update main.py to do it",
            "src/*.rs",
            "a/../b.rs",
            "..",
            "",
            "---",
            "src/",
            "1.5",
            "```",
            "note:",
            "the file.py",
            "makefile",
            "x|y.rs",
        ] {
            assert!(!is_plausible(name), "{name}");
        }
    }
}
