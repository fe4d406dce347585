//! What ignore rules, attributes and settings say about one path.

use std::path::Path;

use git2::AttrCheckFlags;
use git2::AttrValue;
use git2::Repository;

use super::Eol;

pub(super) fn is_ignored(repo: &Repository, path: &str) -> bool {
    // The index is only read for the few that a rule hides.
    repo.is_path_ignored(path).unwrap_or(false)
        && !repo
            .index()
            .is_ok_and(|index| index.get_path(Path::new(path), 0).is_some())
}

/// The rules of gitattributes(5), "End-of-line conversion".
pub(super) fn eol(repo: &Repository, path: &str) -> Option<Eol> {
    let attribute = |name: &str| {
        let value = repo
            .get_attr_bytes(Path::new(path), name, AttrCheckFlags::default())
            .ok()
            .flatten();
        match AttrValue::from_bytes(value) {
            AttrValue::String(text) => text.to_string(),
            AttrValue::True => "set".to_string(),
            AttrValue::False => "unset".to_string(),
            AttrValue::Bytes(_) | AttrValue::Unspecified => String::new(),
        }
    };
    let text = attribute("text");
    if text == "unset" {
        return None;
    }
    match attribute("eol").as_str() {
        "lf" => return Some(Eol::Lf),
        "crlf" => return Some(Eol::CrLf),
        _ => {}
    }
    let config = repo.config().and_then(|mut config| config.snapshot()).ok()?;
    let autocrlf = config.get_string("core.autocrlf").unwrap_or_default().to_lowercase();
    let converts_all = matches!(autocrlf.as_str(), "true" | "yes" | "on" | "1" | "input");
    if text.is_empty() && !converts_all {
        return None;
    }
    match autocrlf.as_str() {
        "input" => return Some(Eol::Lf),
        "true" | "yes" | "on" | "1" => return Some(Eol::CrLf),
        _ => {}
    }
    match config
        .get_string("core.eol")
        .unwrap_or_default()
        .to_lowercase()
        .as_str()
    {
        "lf" => Some(Eol::Lf),
        "crlf" => Some(Eol::CrLf),
        _ if cfg!(windows) => Some(Eol::CrLf),
        _ => Some(Eol::Lf),
    }
}

/// A filter program of the user's settings cleans this file on its way into the repository (as large-file storage
/// does); libgit2 does not run those.
pub(super) fn has_filter_program(repo: &Repository, path: &str) -> bool {
    let value = repo
        .get_attr_bytes(Path::new(path), "filter", AttrCheckFlags::default())
        .ok()
        .flatten();
    let AttrValue::String(name) = AttrValue::from_bytes(value) else {
        return false;
    };
    repo.config()
        .and_then(|mut config| config.snapshot())
        .is_ok_and(|config| {
            ["clean", "process"]
                .iter()
                .any(|kind| config.get_string(&format!("filter.{name}.{kind}")).is_ok())
        })
}
