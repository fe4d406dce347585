//! `codriver map`: prints the repository map. No model, no key.

use std::path::{Path, PathBuf};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::repo_map::MapText;
use crate::session::map::{MapRequest, MapService, MapSource, Skipped};

/// Ceiling without `--tokens` and with `--file`.
pub const TOKENS: usize = 1024;
/// Without files the map is all that the model knows of the project, so it gets more room.
pub const WITHOUT_FILES: usize = 8;

/// What was asked on the command line.
#[derive(Debug, Clone, Default)]
pub struct MapOptions {
    pub root: PathBuf,
    /// Ceiling; None for the usual one.
    pub tokens: Option<usize>,
    /// Relative to the root; they steer the map and are not in it.
    pub files: Vec<String>,
    /// The user's words.
    pub mention: String,
    pub subtree: String,
    pub json: bool,
    /// Lists what was left out.
    pub verbose: bool,
}

/// What is to be printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapOutput {
    pub stdout: String,
    /// Notices and what was left out, one a line.
    pub stderr: String,
}

/// Makes the map.
///
/// # Errors
/// When the root is no folder or the repository cannot be read.
pub fn run(options: &MapOptions, cache_dir: Option<&Path>) -> anyhow::Result<MapOutput> {
    anyhow::ensure!(options.root.is_dir(), "`{}` is no folder", options.root.display());
    let mut service = MapService::new(MapSource {
        root: options.root.clone(),
        cache_dir: cache_dir.map(Path::to_path_buf),
        subtree: options.subtree.clone(),
    });
    let default = if options.files.is_empty() {
        WITHOUT_FILES * TOKENS
    } else {
        TOKENS
    };
    let request = MapRequest {
        chat_files: options.files.iter().map(|file| relative(&options.root, file)).collect(),
        message: options.mention.clone(),
        tokens: options.tokens.unwrap_or(default),
    };
    let map = service.map_and_save(&request, &CancellationToken::new())?;
    let mut stderr: String = service
        .take_notices()
        .iter()
        .map(|notice| format!("{notice}\n"))
        .collect();
    let skipped = service.skipped();
    if options.verbose {
        stderr.extend(
            skipped
                .iter()
                .map(|file| format!("skipped `{}`: {}\n", file.path, file.reason)),
        );
    }
    let stdout = if options.json {
        to_json(&map, &skipped)
    } else {
        map.text
    };
    // The process ends with this: giving back what is known of each file, piece by piece, would only delay the text.
    std::mem::forget(service);
    Ok(MapOutput { stdout, stderr })
}

fn to_json(map: &MapText, skipped: &[Skipped]) -> String {
    let skipped: Vec<_> = skipped
        .iter()
        .map(|file| json!({ "path": file.path, "reason": file.reason }))
        .collect();
    format!(
        "{}\n",
        json!({ "map": map.text, "tokens": map.tokens, "files": map.files, "skipped": skipped })
    )
}

/// As typed, or below the root when it was given in full.
fn relative(root: &Path, file: &str) -> String {
    let path = Path::new(file);
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().trim_start_matches("./").replace('\\', "/")
}
