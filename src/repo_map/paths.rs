//! What a path alone tells: source, test, documentation, data, generated, vendored, or nothing a map should show.

use std::borrow::Cow;

use super::kinds;
use crate::languages;

/// What a file is by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    Source,
    /// Tests, fixtures, benches, examples.
    Test,
    Docs,
    /// Configuration and data.
    Data,
    /// Third-party code kept in the repository.
    Vendored,
    Generated,
    /// Text of no language that is known.
    Other,
    /// Licences, lists of people, ignore rules, pinned versions: in a map only when the request is about them.
    Aside,
    /// Lock files, minified bundles, pictures, archives: never in a map.
    Noise,
}

/// Whether a path belongs to the tests of a project, their code or their data; examples and benches do not.
pub fn is_of_tests(path: &str) -> bool {
    const SHOWN: [&str; 8] = [
        "example", "examples", "sample", "samples", "demo", "demos", "bench", "benches",
    ];
    let is_shown = |folder: &str| SHOWN.contains(&folder.to_ascii_lowercase().as_str());
    kind(path) == PathKind::Test && !path.split('/').any(is_shown)
}

/// Classifies a path (with `/`). Asked for every file of a project, so it allocates only for a path with capitals.
pub fn kind(path: &str) -> PathKind {
    if has_control(path) {
        return PathKind::Noise;
    }
    let lower = lower(path);
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if is_noise(name, extension) {
        return PathKind::Noise;
    }
    if is_aside(name) {
        return PathKind::Aside;
    }
    let mut test = extension == "feature" || is_test_name(name) || ends_like_a_test_class(stem(path));
    let mut generated = kinds::is_generated(name, "");
    for folder in folders.split('/') {
        match folder {
            "vendor" | "vendors" | "vendored" | "_vendor" | "3rdparty" | "extern" | "pods" | "carthage"
            | "jspm_packages" | "node_modules" | "third_party" | "third-party" | "thirdparty" | "bower_components"
            | "external" | "externals" | "deps" | "site-packages" => return PathKind::Vendored,
            "dist" | "generated" | "__generated__" | "gen" | "autogen" => generated = true,
            _ => test = test || is_test_folder(folder),
        }
    }
    if test {
        return PathKind::Test;
    }
    if generated {
        return PathKind::Generated;
    }
    match extension {
        "md" | "markdown" | "mdx" | "rst" | "adoc" | "asciidoc" | "tex" | "org" | "typ" | "pod" | "man" => {
            return PathKind::Docs;
        }
        "json" | "json5" | "jsonl" | "jsonc" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf" | "csv" | "tsv"
        | "xml" | "plist" | "properties" | "env" | "po" | "pot" | "geojson" | "ipynb" | "dat" | "txt" | "resx"
        | "xlf" | "strings" | "csproj" | "sln" | "vcxproj" | "props" | "targets" | "sum" | "mod" | "htm" | "html"
        | "css" | "scss" | "less" | "sass" | "dic" => {
            return PathKind::Data;
        }
        _ => {}
    }
    match name {
        "readme" | "changelog" | "contributing" => PathKind::Docs,
        _ if name.starts_with('.') => PathKind::Data,
        _ if languages::by_path(path).is_none() => PathKind::Other,
        _ => PathKind::Source,
    }
}

fn lower(path: &str) -> Cow<'_, str> {
    if path.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(path.to_ascii_lowercase())
    } else {
        Cow::Borrowed(path)
    }
}

/// Files that say next to nothing of the code, by name in lower case.
fn is_aside(name: &str) -> bool {
    if let Some(hidden) = name.strip_prefix('.') {
        return hidden.ends_with("ignore")
            || hidden.ends_with("-version")
            || matches!(
                hidden,
                "gitattributes"
                    | "gitkeep"
                    | "keep"
                    | "gitmodules"
                    | "mailmap"
                    | "git-blame-ignore-revs"
                    | "editorconfig"
                    | "npmrc"
                    | "yarnrc"
                    | "nvmrc"
                    | "tool-versions"
            );
    }
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let is_text = matches!(extension, "" | "md" | "txt" | "rst" | "adoc" | "html");
    is_text
        && (matches!(
            stem,
            "authors"
                | "contributors"
                | "maintainers"
                | "codeowners"
                | "owners"
                | "copying"
                | "notice"
                | "patents"
                | "unlicense"
                | "code_of_conduct"
        ) || ["license", "licence"].iter().any(|word| {
            let rest = stem.strip_prefix(word);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
        }))
        || name == "py.typed"
}

fn is_noise(name: &str, extension: &str) -> bool {
    match extension {
        "7z" | "a" | "avi" | "avif" | "bin" | "bmp" | "br" | "bz2" | "class" | "crt" | "db" | "der" | "diff"
        | "dll" | "doc" | "docx" | "dylib" | "eot" | "exe" | "flac" | "gif" | "gz" | "icns" | "ico" | "jar"
        | "jpeg" | "jpg" | "key" | "lib" | "lock" | "log" | "lockb" | "lockfile" | "map" | "mo" | "mov" | "mp3"
        | "mp4" | "npy" | "npz" | "o" | "obj" | "odt" | "ogg" | "orig" | "otf" | "p12" | "parquet" | "patch"
        | "pdf" | "pem" | "pickle" | "pkl" | "png" | "ppt" | "pptx" | "psd" | "pyc" | "rar" | "rej" | "rlib"
        | "snap" | "so" | "sqlite" | "sqlite3" | "svg" | "svgz" | "tar" | "tgz" | "tif" | "tiff" | "ttf" | "wasm"
        | "wav" | "webm" | "webp" | "whl" | "woff" | "woff2" | "xls" | "xlsx" | "xz" | "zip" | "zst" => true,
        "json" | "yaml" | "yml" | "sum" | "toml" | "freeze" | "hcl" | "resolved" => matches!(
            name,
            "package-lock.json"
                | "npm-shrinkwrap.json"
                | "packages.lock.json"
                | "pnpm-lock.yaml"
                | "conda-lock.yml"
                | "go.sum"
                | "go.work.sum"
                | "manifest.toml"
                | "cabal.project.freeze"
                | ".terraform.lock.hcl"
                | "package.resolved"
                | "cartfile.resolved"
        ),
        _ => name.contains(".min.") || name.contains("-min.") || name.contains(".bundle."),
    }
}

fn is_test_folder(folder: &str) -> bool {
    match folder {
        "test" | "tests" | "testing" | "testdata" | "test-data" | "test_data" | "testsuite" | "unittest"
        | "unittests" | "__tests__" | "__mocks__" | "__fixtures__" | "__snapshots__" | "cypress" | "spec" | "specs"
        | "fixture" | "fixtures" | "bench" | "benches" | "benchmark" | "benchmarks" | "example" | "examples"
        | "sample" | "samples" | "demo" | "demos" | "e2e" | "mocks" | "androidtest" => true,
        // Source sets of Gradle.
        "jvmtest" | "commontest" | "nativetest" | "jstest" | "iostest" | "integrationtest" | "functionaltest" => true,
        _ => [
            ["-", "tests"],
            ["_", "tests"],
            [".", "tests"],
            ["-", "test"],
            ["_", "test"],
            [".", "test"],
        ]
        .iter()
        .any(|[mark, word]| {
            folder
                .strip_suffix(word)
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with(mark))
        }),
    }
}

fn is_test_name(name: &str) -> bool {
    let (stem, rest) = name.split_once('.').unwrap_or((name, ""));
    matches!(stem, "test" | "tests" | "conftest")
        || stem.starts_with("test_")
        || stem.starts_with("test-")
        || ["_test", "_tests", "_spec", "-test", "-spec"]
            .iter()
            .any(|end| stem.ends_with(end))
        || rest.starts_with("test.")
        || rest.starts_with("spec.")
        || rest.contains(".test.")
        || rest.contains(".spec.")
}

/// `UserServiceTest`, `UserTests`, `UserSpec`: camel case, not `contest` or `latest`.
fn ends_like_a_test_class(stem: &str) -> bool {
    ["Test", "Tests", "TestCase", "Spec"].iter().any(|ending| {
        stem.strip_suffix(ending)
            .is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
    })
}

/// Whether the text of such a file is worth reading: data deep in the tree (translations, recordings, tables) is named and
/// not read, and nothing that may hold secrets is.
pub fn worth_reading(path: &str) -> bool {
    if is_bulk(path) {
        return false;
    }
    let lower = lower(path);
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let secret = name.starts_with(".env") || name.starts_with("id_rsa") || name.starts_with("id_ed25519");
    !secret && !is_noise(name, extension) && !has_control(path)
}

/// A name with a line break or an escape code would break the map's lines, or the screen, and no reply can name it.
fn has_control(path: &str) -> bool {
    path.bytes().any(|byte| byte.is_ascii_control())
}

/// Data deep in the tree. Cheap: it decides which files are looked at.
pub fn is_bulk(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension,
        "json"
            | "jsonl"
            | "geojson"
            | "csv"
            | "tsv"
            | "xml"
            | "txt"
            | "po"
            | "pot"
            | "dat"
            | "plist"
            | "strings"
            | "resx"
            | "xlf"
    ) && path.bytes().filter(|b| *b == b'/').count() > 1
}

/// The name without folders and extensions: `src/http/header_map.test.ts` gives `header_map`.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let name_start = name.trim_start_matches('.');
    name_start.split_once('.').map_or(name_start, |(stem, _)| stem)
}

/// Steps from one file's folder up and down to the other's.
pub fn distance(a: &str, b: &str) -> usize {
    let folders = |path: &str| path.rfind('/').map_or(0, |end| end);
    let (a, b) = (&a[..folders(a)], &b[..folders(b)]);
    let parts = |folders: &str| {
        if folders.is_empty() {
            0
        } else {
            folders.matches('/').count() + 1
        }
    };
    let common = a
        .split('/')
        .zip(b.split('/'))
        .take_while(|(x, y)| x == y && !x.is_empty())
        .count();
    parts(a) + parts(b) - 2 * common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_kinds() {
        for (path, expected) in [
            ("src/lib.rs", PathKind::Source),
            ("tests/it/main.rs", PathKind::Test),
            ("okhttp/src/jvmTest/kotlin/A.kt", PathKind::Test),
            ("pkg/a_test.go", PathKind::Test),
            ("src/contest/latest.rs", PathKind::Source),
            ("src/main/UserServiceTest.java", PathKind::Test),
            ("Cargo.lock", PathKind::Noise),
            ("web/app.min.js", PathKind::Noise),
            ("web/package-lock.json", PathKind::Noise),
            ("docs/a.md", PathKind::Docs),
            ("Cargo.toml", PathKind::Data),
            ("vendor/x/y.go", PathKind::Vendored),
            ("api/a.pb.go", PathKind::Generated),
            ("src/a.unknown", PathKind::Other),
            ("LICENSE", PathKind::Aside),
            ("LICENSE-APACHE.txt", PathKind::Aside),
            ("web/.prettierignore", PathKind::Aside),
            (".github/CODEOWNERS", PathKind::Aside),
            ("src/license.rs", PathKind::Source),
            ("src/licensed.txt", PathKind::Data),
            ("src/authors.py", PathKind::Source),
            (".eslintrc", PathKind::Data),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
    }

    #[test]
    fn examples_are_no_tests() {
        for path in [
            "tests/a.py",
            "tests/data/b.json",
            "src/__tests__/a.js",
            "pkg/server_test.go",
        ] {
            assert!(is_of_tests(path), "{path}");
        }
        for path in ["src/a.py", "examples/a.rs", "benches/map.rs", "docs/demo/a.py"] {
            assert!(!is_of_tests(path), "{path}");
        }
    }

    #[test]
    fn tells_tests_from_code() {
        for path in [
            "tests/a.py",
            "src/__tests__/a.js",
            "pkg/server_test.go",
            "app/test_views.py",
            "a/user.spec.ts",
            "a/user.test.tsx",
            "src/test/java/a/UserServiceTest.java",
            "UserTests.swift",
            "spec/models/user_spec.rb",
            "conftest.py",
            "Api.Tests/Get.cs",
        ] {
            assert_eq!(kind(path), PathKind::Test, "{path}");
        }
        for path in [
            "src/contest.py",
            "latest.ts",
            "src/testament.rs",
            "attest/key.go",
            "src/AUDIT.md",
            "inspect.py",
        ] {
            assert_ne!(kind(path), PathKind::Test, "{path}");
        }
    }

    #[test]
    fn data_deep_in_the_tree_is_not_read() {
        assert!(worth_reading("package.json"));
        assert!(worth_reading("config/app.json"));
        assert!(!worth_reading("app/locale/de/messages.po"));
        assert!(worth_reading("deploy/base/apps/web.yaml"));
        assert!(!worth_reading(".env.local"));
        assert!(!worth_reading("two\nlines.rs"));
        assert_eq!(kind("src/two\nlines.rs"), PathKind::Noise);
        assert!(!worth_reading("logo.PNG"));
    }

    #[test]
    fn distance_counts_folder_steps() {
        assert_eq!(distance("a/b/c.rs", "a/b/d.rs"), 0);
        assert_eq!(distance("a/b/c.rs", "a/d.rs"), 1);
        assert_eq!(distance("x.rs", "a/b/d.rs"), 2);
        assert_eq!(distance("a/x.rs", "b/d.rs"), 2);
    }

    #[test]
    fn stems_lose_every_extension() {
        assert_eq!(stem("src/http/header_map.test.ts"), "header_map");
        assert_eq!(stem(".eslintrc.js"), "eslintrc");
    }
}
