//! From the names that a reply gives to paths of the project.
//!
//! An edit never moves to another file than the one it names: a name that is not quite a path stands for a file only
//! when one file alone can be meant, and a mistyped one only when the text to change is in that file too. New files
//! get plausible names only.

use super::plausible::{is_path, is_plausible};
use crate::edit_format::Hints;

/// A mistyped name must be this much like the real one, from 0 to 1.
const MIN_NAME_SIMILARITY: f64 = 0.8;

/// A name that is shown as similar must be this much like the one given.
const MIN_RESEMBLANCE: f64 = 0.7;

/// What the edit needs of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// Lines of it: the file must be there.
    Change,
    /// Nothing to find: a new file, or text put at the end of this very file.
    Fill,
    /// Its whole text is given; new or old.
    Whole,
    /// It must not be there.
    New,
    /// It must be there and goes away (deleted, moved).
    Remove,
}

/// Why no path could be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NameError {
    Outside {
        name: String,
    },
    Several {
        name: String,
        paths: Vec<String>,
    },
    /// No candidate reads like a path.
    Implausible {
        name: String,
    },
    /// No name stands near the block and none can be concluded.
    Missing {
        candidates: Vec<String>,
    },
}

/// What is known about the files besides the hints.
pub(super) struct Project<'a> {
    pub(super) hints: &'a Hints,
    /// Whether something stands at the path now.
    pub(super) exists: &'a dyn Fn(&str) -> bool,
    /// Whether the text that the edit wants to change (or most of the text it writes) is in the file.
    pub(super) fits: &'a dyn Fn(&str) -> bool,
}

/// The path that a block with these names (best first) is for. It exists, or is plausible for a new file.
pub(super) fn resolve(candidates: &[String], want: Want, project: &Project<'_>) -> Result<String, NameError> {
    let mut names = Vec::new();
    let mut outside = None;
    for raw in candidates {
        match normalise(raw, project.hints, project.exists) {
            Ok(name) if !name.is_empty() => names.push(name),
            Ok(_) => {}
            Err(error) => outside = outside.or(Some(error)),
        }
    }
    let mut several = None;
    for name in &names {
        match existing(name, want, project) {
            Ok(Some(path)) => return Ok(path),
            Ok(None) => {}
            Err(error) => several = several.or(Some(error)),
        }
    }
    if let Some(error) = several.or(outside) {
        return Err(error);
    }
    if want == Want::Change
        && let Some(path) = names.iter().find_map(|name| mistyped(name, project))
    {
        return Ok(path);
    }
    let plausible = |name: &&String| {
        if want == Want::New {
            is_path(name)
        } else {
            is_plausible(name)
        }
    };
    names
        .iter()
        .find(plausible)
        .cloned()
        .ok_or_else(|| NameError::Implausible {
            name: candidates.first().cloned().unwrap_or_default(),
        })
}

/// Every path that [`resolve`] may come to for these names.
pub(super) fn possible_paths(candidates: &[String], hints: &Hints) -> Vec<String> {
    let mut paths = Vec::new();
    for raw in candidates {
        let unknown = |_: &str| false;
        let Ok(name) = normalise(raw, hints, &unknown) else {
            continue;
        };
        let last = base_name(&name).to_lowercase();
        let related = |path: &&String| {
            let path = path.as_str();
            path.eq_ignore_ascii_case(&name) || base_name(path).to_lowercase() == last
        };
        paths.extend(
            hints
                .chat_files
                .iter()
                .chain(&hints.known_files)
                .filter(related)
                .cloned(),
        );
        paths.push(name);
    }
    paths
}

/// The name as a path relative to the root, with `/`.
fn normalise(raw: &str, hints: &Hints, exists: &dyn Fn(&str) -> bool) -> Result<String, NameError> {
    let raw = raw.trim();
    if is_known(raw, hints) || (raw.contains('\\') && exists(raw)) {
        return Ok(raw.to_string());
    }
    let slashed = raw.replace('\\', "/");
    let outside = || NameError::Outside { name: raw.to_string() };
    let relative = if is_absolute(&slashed) {
        let root = hints.root.as_deref().map(|root| root.replace('\\', "/"));
        let root = root.as_deref().map(|root| root.trim_end_matches('/'));
        below(root, &slashed)
            .or_else(|| below_same_name(root, &slashed, hints))
            .ok_or_else(outside)?
    } else {
        slashed
    };
    let mut parts: Vec<&str> = Vec::new();
    let mut climbs = false;
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                climbs = true;
                parts.pop().ok_or_else(outside)?;
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if climbs && !is_known(&path, hints) {
        return Err(outside());
    }
    // A name that ends in a slash is a folder; keeping the slash keeps it from being taken for a file.
    Ok(if relative.ends_with('/') {
        format!("{path}/")
    } else {
        path
    })
}

fn is_known(path: &str, hints: &Hints) -> bool {
    hints
        .chat_files
        .iter()
        .chain(&hints.known_files)
        .any(|known| known == path)
}

fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with('/')
        || path.starts_with("~/")
        || (drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':' && drive[2] == b'/')
}

fn below(root: Option<&str>, path: &str) -> Option<String> {
    path.strip_prefix(root?)?.strip_prefix('/').map(ToString::to_string)
}

/// The part below a folder called as the root is, if that is a file that is known: a model remembers where the project
/// lay when it saw it.
fn below_same_name(root: Option<&str>, path: &str, hints: &Hints) -> Option<String> {
    let name = base_name(root?);
    let (_, rest) = path.split_once(&format!("/{name}/"))?;
    is_known(rest, hints).then(|| rest.to_string())
}

/// The file that `name` stands for, if it is there.
fn existing(name: &str, want: Want, project: &Project<'_>) -> Result<Option<String>, NameError> {
    if is_known(name, project.hints) || (project.exists)(name) {
        return Ok(Some(name.to_string()));
    }
    let Hints {
        chat_files,
        known_files,
        ..
    } = project.hints;
    for files in [chat_files, known_files] {
        if let Some(path) = only(files, name, |path| path.to_lowercase() == name.to_lowercase())? {
            return Ok(Some(path));
        }
    }
    if matches!(want, Want::Fill | Want::New) {
        return Ok(None);
    }
    for files in [chat_files, known_files] {
        let ending = format!("/{name}");
        let Some(path) = only(files, name, |path| path.ends_with(&ending))? else {
            continue;
        };
        if want != Want::Whole || (project.fits)(&path) {
            return Ok(Some(path));
        }
    }
    // The name has folders in front that the project does not have.
    for files in [chat_files, known_files] {
        let longer = |path: &str| path.contains('/') && name.ends_with(&format!("/{path}"));
        let Some(path) = only(files, name, |path| {
            longer(path) || is_under_root_name(name, path, project.hints)
        })?
        else {
            continue;
        };
        if is_under_root_name(name, &path, project.hints) || (project.fits)(&path) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Whether `name` is `path` with the name of the root's own folder, or a diff's `a` or `b`, in front.
fn is_under_root_name(name: &str, path: &str, hints: &Hints) -> bool {
    let root = hints
        .root
        .as_deref()
        .map(|root| base_name(root.trim_end_matches(['/', '\\'])));
    name.split_once('/')
        .is_some_and(|(first, rest)| rest == path && (Some(first) == root || matches!(first, "a" | "b")))
}

/// The one file that `is_meant`; an error when there are several.
fn only(files: &[String], name: &str, is_meant: impl Fn(&str) -> bool) -> Result<Option<String>, NameError> {
    let mut found: Vec<&String> = files.iter().filter(|path| is_meant(path)).collect();
    found.sort_unstable();
    found.dedup();
    match found[..] {
        [] => Ok(None),
        [path] => Ok(Some(path.clone())),
        _ => Err(NameError::Several {
            name: name.to_string(),
            paths: found.into_iter().cloned().collect(),
        }),
    }
}

/// A file of the chat with a similar name, or of the same name in another folder, if it alone holds the text.
fn mistyped(name: &str, project: &Project<'_>) -> Option<String> {
    let similar = |path: &str| {
        let whole = strsim::normalized_levenshtein(name, path);
        let last = strsim::normalized_levenshtein(base_name(name), base_name(path));
        base_name(name) == base_name(path) || (whole >= MIN_NAME_SIMILARITY && last >= MIN_NAME_SIMILARITY)
    };
    let mut fitting = project
        .hints
        .chat_files
        .iter()
        .filter(|path| similar(path) && (project.fits)(path));
    let path = fitting.next()?;
    fitting.next().is_none().then(|| path.clone())
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Files of the project whose names resemble `name`, for the report.
pub(super) fn similar_names(name: &str, hints: &Hints, at_most: usize) -> Vec<String> {
    let mut scored: Vec<(f64, &String)> = hints
        .chat_files
        .iter()
        .chain(&hints.known_files)
        .map(|path| {
            let last = strsim::normalized_levenshtein(base_name(name), base_name(path));
            (last.max(strsim::normalized_levenshtein(name, path)), path)
        })
        .filter(|(score, _)| *score >= MIN_RESEMBLANCE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(at_most).map(|(_, path)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(chat: &[&str], known: &[&str]) -> Hints {
        let owned = |paths: &[&str]| paths.iter().map(ToString::to_string).collect();
        Hints {
            chat_files: owned(chat),
            known_files: owned(known),
            root: Some("/home/me/rally".to_string()),
            ..Hints::default()
        }
    }

    fn path(name: &str, want: Want, hints: &Hints, fits: bool) -> Option<String> {
        let project = Project {
            hints,
            exists: &|_| false,
            fits: &|_| fits,
        };
        resolve(&[name.to_string()], want, &project).ok()
    }

    #[test]
    fn names_that_mean_one_file_alone() {
        let hints = hints(
            &["src/map.rs"],
            &["src/map.rs", "docs/Guide.md", "a/mod.rs", "b/mod.rs"],
        );
        for name in [
            "src/map.rs",
            "./src/map.rs",
            "src\\map.rs",
            "map.rs",
            "SRC/Map.rs",
            "/home/me/rally/src/map.rs",
            "rally/src/map.rs",
        ] {
            assert_eq!(
                path(name, Want::Change, &hints, false).as_deref(),
                Some("src/map.rs"),
                "{name}"
            );
        }
        assert_eq!(
            path("Guide.md", Want::Change, &hints, false).as_deref(),
            Some("docs/Guide.md")
        );
        assert_eq!(path("mod.rs", Want::Change, &hints, true), None);
    }

    #[test]
    fn a_mistyped_name_needs_the_text() {
        let hints = hints(&["src/navigator.rs"], &[]);
        assert_eq!(
            path("src/navigater.rs", Want::Change, &hints, true).as_deref(),
            Some("src/navigator.rs")
        );
        assert_eq!(
            path("src/navigater.rs", Want::Change, &hints, false).as_deref(),
            Some("src/navigater.rs")
        );
        assert_eq!(
            path("src/navigater.rs", Want::Fill, &hints, true).as_deref(),
            Some("src/navigater.rs")
        );
    }

    #[test]
    fn nothing_outside() {
        let hints = hints(&["src/map.rs", "map.rs"], &[]);
        for name in [
            "../map.rs",
            "/tmp/map.rs",
            "src/../../map.rs",
            "~/map.rs",
            "C:\\x\\map.rs",
        ] {
            assert_eq!(path(name, Want::Change, &hints, true), None, "{name}");
            assert_eq!(path(name, Want::New, &hints, true), None, "{name}");
        }
        assert_eq!(
            path("src/../map.rs", Want::Change, &hints, true).as_deref(),
            Some("map.rs")
        );
    }
}
