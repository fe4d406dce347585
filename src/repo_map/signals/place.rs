//! What a file's path says.

use crate::repo_map::paths::{self, PathKind};
use crate::repo_map::scene::Scene;

/// Nearness to the closest chat file by folder steps: 1 in the same folder.
pub(crate) fn near(scene: &Scene) -> Vec<f64> {
    (0..scene.len())
        .map(|file| {
            let path = &scene.corpus.entry(file).path;
            let steps = scene
                .chat
                .iter()
                .map(|&chat| paths::distance(&scene.corpus.entry(chat).path, path))
                .min();
            steps.map_or(0.0, |steps| 1.0 / (1.0 + steps as f64))
        })
        .collect()
}

/// Words of a request that is about files of a kind.
fn words_of(kind: PathKind) -> &'static [&'static str] {
    match kind {
        PathKind::Test => &[
            "test",
            "tests",
            "spec",
            "specs",
            "fixture",
            "fixtures",
            "benchmark",
            "example",
            "examples",
        ],
        PathKind::Docs => &["doc", "docs", "documentation", "readme", "changelog", "documents"],
        PathKind::Data => &[
            "config",
            "configuration",
            "json",
            "yaml",
            "yml",
            "toml",
            "workflow",
            "css",
            "html",
        ],
        PathKind::Vendored => &["vendor", "vendored", "dependency", "dependencies"],
        PathKind::Generated => &["generated", "generate", "codegen"],
        PathKind::Aside => &[
            "authors",
            "codeowners",
            "contributors",
            "copying",
            "copyright",
            "editorconfig",
            "gitattributes",
            "gitignore",
            "gitmodules",
            "ignore",
            "ignored",
            "ignores",
            "licence",
            "license",
            "licensed",
            "licenses",
            "mailmap",
            "maintainers",
            "npmrc",
            "submodule",
            "submodules",
        ],
        PathKind::Source | PathKind::Other | PathKind::Noise => &[],
    }
}

/// Whether chat or request are about files of a kind.
fn is_about(scene: &Scene, kind: PathKind) -> bool {
    let in_chat = || scene.chat.iter().any(|&file| scene.corpus.kind(file) == kind);
    let is_asked = |word: &&str| scene.query.lower.binary_search_by(|w| w.as_str().cmp(word)).is_ok();
    words_of(kind).iter().any(is_asked) || in_chat()
}

/// Kinds of files that are not shown.
pub(crate) fn is_hidden(scene: &Scene) -> impl Fn(usize) -> bool {
    let hides = !is_about(scene, PathKind::Aside);
    let named = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        scene.query.paths.iter().any(|asked| asked.ends_with(name))
    };
    move |file| hides && scene.corpus.kind(file) == PathKind::Aside && !named(&scene.corpus.entry(file).path)
}

/// How unlikely a file of this kind is wanted, unless chat or request are about such files: 1 for a test.
pub(crate) fn unlikely(scene: &Scene) -> Vec<f64> {
    let weight = |kind, value: f64| if is_about(scene, kind) { value * ABOUT } else { value };
    let weights = [
        (PathKind::Test, weight(PathKind::Test, 1.0)),
        (PathKind::Docs, weight(PathKind::Docs, 1.0)),
        (PathKind::Data, weight(PathKind::Data, 1.0)),
        (PathKind::Vendored, weight(PathKind::Vendored, 1.2)),
        (PathKind::Other, 0.4),
        (PathKind::Aside, weight(PathKind::Aside, 1.2)),
        (PathKind::Generated, weight(PathKind::Generated, 1.2)),
    ];
    (0..scene.len())
        .map(|file| {
            let kind = scene.corpus.kind(file);
            weights
                .iter()
                .find(|(of, _)| *of == kind)
                .map_or(0.0, |(_, weight)| *weight)
        })
        .collect()
}

/// What is left of the reserve when chat or request are about such files.
const ABOUT: f64 = 0.25;
