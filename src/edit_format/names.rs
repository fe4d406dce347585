//! File names: what can be one, and the paths that a written one may stand for. The decoration around it comes off in
//! `decoration.rs`.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::Hints;

/// Longer texts are no path.
pub(super) const LONGEST: usize = 255;

/// Files without an extension that are a name by themselves.
#[rustfmt::skip]
pub(super) const BARE_NAMES: &[&str] = &[
    "Makefile", "makefile", "GNUmakefile", "Dockerfile", "Containerfile", "Vagrantfile", "Jenkinsfile",
    "Procfile", "Gemfile", "Rakefile", "Podfile", "Fastfile", "Brewfile", "Justfile", "justfile", "Caddyfile",
    "Pipfile", "BUILD", "WORKSPACE", "LICENSE", "LICENCE", "NOTICE", "README", "CHANGELOG", "AUTHORS",
    "CODEOWNERS", "VERSION",
];

/// Names of programs and platforms that look like files.
#[rustfmt::skip]
const NOT_FILES: &[&str] = &[
    "node.js", "vue.js", "next.js", "nuxt.js", "react.js", "express.js", "three.js", "d3.js", "chart.js",
    "asp.net", "socket.io", "angular.js", "ember.js", "backbone.js", "deno.js", "vb.net",
];

/// Extensions that make a word in prose a file name although it has no folder.
#[rustfmt::skip]
const COMMON_EXTENSIONS: &[&str] = &[
    "adoc", "asm", "astro", "bash", "bat", "bzl", "c", "cc", "cfg", "cjs", "clj", "cljs", "cmake", "cmd",
    "conf", "cpp", "cs", "csproj", "css", "csv", "cts", "cu", "cxx", "dart", "diff", "ejs", "el", "elm", "env",
    "erb", "erl", "ex", "exs", "fish", "fs", "fsx", "gd", "gitignore", "gleam", "go", "gql", "gradle",
    "graphql", "groovy", "h", "haml", "hbs", "hcl", "hh", "hpp", "hs", "htm", "html", "hxx", "ini", "ipynb",
    "java", "jinja", "jinja2", "jl", "js", "json", "json5", "jsonc", "jsx", "kt", "kts", "less", "liquid",
    "lisp", "lock", "lua", "m", "mak", "markdown", "md", "mdx", "mjs", "mk", "ml", "mli", "mm", "mts",
    "mustache", "nim", "nix", "patch", "php", "pl", "plist", "pm", "proto", "ps1", "psm1", "pug", "py", "pyi",
    "pyx", "qml", "r", "rake", "rb", "rkt", "rs", "rst", "sass", "sbt", "scala", "scm", "scss", "sh", "sln",
    "sol", "sql", "styl", "sv", "svelte", "svg", "swift", "tcl", "template", "tex", "tf", "tfvars", "toml",
    "tpl", "ts", "tsv", "tsx", "twig", "txt", "v", "vb", "vhd", "vhdl", "vim", "vue", "wat", "xaml", "xhtml",
    "xml", "xsl", "yaml", "yml", "zig", "zsh",
];

/// The project as far as names can be checked against it.
pub(super) struct Project<'a> {
    hints: &'a Hints,
    known: OnceCell<HashSet<&'a str>>,
}

impl<'a> Project<'a> {
    pub(super) fn new(hints: &'a Hints) -> Self {
        Self {
            hints,
            known: OnceCell::new(),
        }
    }

    pub(super) fn chat_files(&self) -> &'a [String] {
        &self.hints.chat_files
    }

    pub(super) fn is_known(&self, path: &str) -> bool {
        self.known().contains(path)
    }

    /// Whether `path` is a known file, or the end of one's path.
    pub(super) fn knows_end_of(&self, path: &str) -> bool {
        let is_end = |known: &String| {
            known
                .strip_suffix(path)
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        self.is_known(path) || self.hints.known_files.iter().chain(&self.hints.chat_files).any(is_end)
    }

    /// Whether the caller said which files there are.
    pub(super) fn lists_files(&self) -> bool {
        !self.known().is_empty()
    }

    fn known(&self) -> &HashSet<&'a str> {
        self.known.get_or_init(|| {
            let files = self.hints.known_files.iter().chain(&self.hints.chat_files);
            files.map(String::as_str).collect()
        })
    }

    pub(super) fn is_chat_base_name(&self, name: &str) -> bool {
        let mut bases = self.hints.chat_files.iter().map(|path| base_name(path));
        bases.any(|base| base == name)
    }

    /// The path relative to the root, when `path` is absolute and below it.
    fn below_root<'p>(&self, path: &'p str) -> Option<&'p str> {
        let root = self.hints.root.as_deref()?.trim_end_matches(['/', '\\']);
        let start = path.get(..root.len())?;
        let same = start == root || (is_windows_absolute(path) && slashed(start).eq_ignore_ascii_case(&slashed(root)));
        let rest = path[root.len()..].strip_prefix(['/', '\\'])?;
        (same && !root.is_empty() && !rest.is_empty()).then_some(rest)
    }

    /// The path without the root's own folder name in front.
    fn without_root_name<'p>(&self, path: &'p str) -> Option<&'p str> {
        let root = self.hints.root.as_deref()?.trim_end_matches(['/', '\\']);
        let name = root.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())?;
        path.strip_prefix(name)?.strip_prefix('/')
    }
}

/// How sure it is that a text is a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    /// A word in a sentence.
    Bare,
    /// Alone in its line.
    Alone,
    /// In backticks, emphasis or quotes, or behind a label.
    Marked,
}

/// Whether a text can be a file's name.
pub(super) fn is_name(name: &str, evidence: Evidence, project: &Project<'_>) -> bool {
    if project.is_known(name) {
        return true;
    }
    let name = without_position(name);
    if name.is_empty() || name.len() > LONGEST || name.contains("://") {
        return false;
    }
    let is_odd =
        |c: char| c.is_control() || matches!(c, '<' | '>' | '|' | '?' | '*' | '"' | '`' | '{' | '}' | ';' | '=');
    if name.contains(is_odd) || name.ends_with(['/', '\\', '.']) || name.contains("...") {
        return false;
    }
    if evidence != Evidence::Marked && name.contains(|c: char| c.is_whitespace() || matches!(c, ',' | '!')) {
        return false;
    }
    let path = slashed(name);
    let base = base_name(&path);
    if !base.contains(|c: char| c.is_alphanumeric()) || NOT_FILES.contains(&name.to_lowercase().as_str()) {
        return false;
    }
    // A call, `f(x)`, is code; `(shop)/view.tsx` and `[id].ts` are names.
    if base.ends_with(')') {
        return false;
    }
    let has_folder = path.contains('/');
    BARE_NAMES.contains(&base)
        || has_extension(base)
        || has_folder && evidence != Evidence::Bare && !path.contains(' ')
        || evidence == Evidence::Marked && project.is_chat_base_name(base)
}

/// A dot with something behind it that begins with a letter: `a.rs`, `.gitignore`, `x.d.ts`; not `1.2` and not `e.g`.
fn has_extension(base: &str) -> bool {
    let Some((stem, extension)) = base.rsplit_once('.') else {
        return false;
    };
    let plausible = extension.len() <= 12
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+'));
    let abbreviation = stem.len() == 1 && extension.len() == 1 && !has_common_extension(base);
    plausible && !abbreviation && !stem.ends_with(' ')
}

pub(super) fn has_common_extension(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| COMMON_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()))
}

/// The paths that a written name may stand for, best first: what the project holds, then the name as it is.
pub(super) fn candidates(name: &str, project: &Project<'_>) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut add = |path: &str| {
        if !path.is_empty() && !paths.iter().any(|other| other == path) {
            paths.push(path.to_string());
        }
    };
    let name = name.trim();
    if project.is_known(name) {
        add(name);
    }
    let name = without_position(name);
    let main = plain_path(name, project);
    let others = [
        main.strip_prefix("a/"),
        main.strip_prefix("b/"),
        main.strip_prefix('/'),
        main.strip_prefix('@'),
        main.strip_prefix("~/"),
        // The stand-in of many instructions, copied along with the file's own name.
        main.strip_prefix("path/to/"),
        project.without_root_name(&main),
    ];
    if project.is_known(&main) {
        add(&main);
    }
    for other in others.into_iter().flatten() {
        if project.is_known(other) {
            add(other);
        }
    }
    add(&main);
    paths
}

/// One spelling for a written path: `/` between folders, no `./`, relative when it is below the root, no Markdown
/// escapes.
fn plain_path(name: &str, project: &Project<'_>) -> String {
    let name = name.strip_prefix("file://").unwrap_or(name);
    let path = match project.below_root(name) {
        Some(below) => slashed(below),
        None => slashed(&without_markdown_escapes(name)),
    };
    let mut path = path.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path.to_string()
}

/// `src/\_\_init\_\_.py` is what a Markdown writer makes of `src/__init__.py`.
fn without_markdown_escapes(name: &str) -> String {
    let is_escape = |at: usize| name[at + 1..].starts_with(['_', '*', '[', ']', '(', ')', '#', '-', ' ']);
    let mut backslashes = name.match_indices('\\').peekable();
    if backslashes.peek().is_some() && backslashes.all(|(at, _)| is_escape(at)) {
        name.replace('\\', "")
    } else {
        name.to_string()
    }
}

/// Without a line number behind it: `src/a.py:12`, `src/a.py:12-20`, `src/a.py#L3`.
fn without_position(name: &str) -> &str {
    let is_position = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '-' | 'L' | ':' | ','))
    };
    for mark in [":", "#L"] {
        if let Some((path, position)) = name.split_once(mark)
            && is_position(position)
            && path.contains(['.', '/'])
        {
            return path;
        }
    }
    name
}

pub(super) fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}

fn is_windows_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\')
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(known: &[&str]) -> Hints {
        Hints {
            known_files: known.iter().map(|path| path.to_string()).collect(),
            root: Some("/home/me/proj".to_string()),
            ..Hints::default()
        }
    }

    #[test]
    fn a_known_file_beats_every_rule() {
        let hints = hints(&["python", "proj/a.py", "src/a.py"]);
        let project = Project::new(&hints);
        assert!(is_name("python", Evidence::Bare, &project));
        assert_eq!(candidates("a/src/a.py", &project)[0], "src/a.py");
        assert_eq!(candidates("proj/src/a.py", &project)[0], "src/a.py");
        assert_eq!(candidates("proj/a.py", &project)[0], "proj/a.py");
        assert_eq!(candidates("/src/a.py", &project), ["src/a.py", "/src/a.py"]);
        assert_eq!(candidates("path/to/src/a.py", &project)[0], "src/a.py");
        assert_eq!(candidates("/etc/passwd", &project), ["/etc/passwd"]);
    }

    #[test]
    fn one_spelling_for_every_way_to_write_a_path() {
        let hints = hints(&[]);
        let project = Project::new(&hints);
        for name in [
            "src/a.py",
            "./src/a.py",
            "src\\a.py",
            ".\\src\\a.py",
            "/home/me/proj/src/a.py",
            "file:///home/me/proj/src/a.py",
            "src/a.py:12",
            "src/a.py#L3",
        ] {
            assert_eq!(candidates(name, &project), ["src/a.py"], "{name}");
        }
        assert_eq!(candidates("../x.py", &project), ["../x.py"]);
        assert_eq!(
            candidates("/home/me/project2/x.py", &project),
            ["/home/me/project2/x.py"]
        );
    }

    #[test]
    fn a_windows_root_is_found_in_any_case() {
        let hints = Hints {
            root: Some("C:\\code\\proj".to_string()),
            ..Hints::default()
        };
        let project = Project::new(&hints);
        assert_eq!(candidates("c:\\Code\\proj\\src\\a.py", &project), ["src/a.py"]);
        assert_eq!(candidates("C:/code/proj/src/a.py", &project), ["src/a.py"]);
    }
}
