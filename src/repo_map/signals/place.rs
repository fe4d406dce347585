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

/// How unlikely a file of this kind is wanted, unless chat or request are about such files: 1 for a test.
pub(crate) fn unlikely(scene: &Scene) -> Vec<f64> {
    let in_chat = |kind| scene.chat.iter().any(|&file| scene.corpus.kind(file) == kind);
    let asked = |words: &[&str]| {
        words
            .iter()
            .any(|word| scene.query.lower.binary_search_by(|w| w.as_str().cmp(word)).is_ok())
    };
    let about = |kind: PathKind| {
        in_chat(kind)
            || match kind {
                PathKind::Test => asked(&[
                    "test",
                    "tests",
                    "spec",
                    "specs",
                    "fixture",
                    "fixtures",
                    "benchmark",
                    "example",
                    "examples",
                ]),
                PathKind::Docs => asked(&["doc", "docs", "documentation", "readme", "changelog", "documents"]),
                PathKind::Data => asked(&[
                    "config",
                    "configuration",
                    "json",
                    "yaml",
                    "yml",
                    "toml",
                    "workflow",
                    "css",
                    "html",
                ]),
                PathKind::Vendored => asked(&["vendor", "vendored", "dependency", "dependencies"]),
                PathKind::Generated => asked(&["generated", "generate", "codegen"]),
                PathKind::Source | PathKind::Other | PathKind::Noise => true,
            }
    };
    let weight = |kind, value: f64| if about(kind) { value * ABOUT } else { value };
    let weights = [
        (PathKind::Test, weight(PathKind::Test, 1.0)),
        (PathKind::Docs, weight(PathKind::Docs, 1.0)),
        (PathKind::Data, weight(PathKind::Data, 1.0)),
        (PathKind::Vendored, weight(PathKind::Vendored, 1.2)),
        (PathKind::Other, 0.4),
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
