//! The fence: where a path really leads, and whether codriver may write there. Links are followed one by one by hand,
//! so that a dangling link, or `..` behind a link, is judged by where it would write.
//!
//! What is decided here is a path without any link in it; `tree.rs` walks it without following links, so that a link
//! swapped in after the decision is an error and not a way out.

use std::ffi::OsString;
use std::io;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Where a path leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Absolute, without links, `.` and `..`.
    pub(super) path: PathBuf,
    /// The last component is a link to something that does not exist.
    pub(super) dangling: bool,
    /// A component on the way (also before a link was followed) was a name of git's own folder.
    pub(super) through_git: bool,
}

/// Resolves `path` from the folder `from` (absolute and without links). Components that do not exist are taken as they
/// are. Only names met below `root` are looked at for git's.
pub(super) fn resolve(from: &Path, path: &Path, root: &Path) -> io::Result<Resolved> {
    let mut resolved = Resolved {
        path: from.to_path_buf(),
        dangling: false,
        through_git: false,
    };
    let mut todo: Vec<Step> = steps(path);
    let mut links = 0;
    while let Some(step) = todo.pop() {
        match step {
            Step::Root => resolved.path = PathBuf::from("/"),
            Step::Up => {
                resolved.path.pop();
            }
            Step::Name(name) => {
                let next = resolved.path.join(&name);
                resolved.through_git |= next.starts_with(root) && next != root && is_git_name(&name.to_string_lossy());
                match next.symlink_metadata() {
                    Ok(found) if found.is_symlink() => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(io::Error::other("too many levels of symbolic links"));
                        }
                        let last = todo.is_empty();
                        todo.extend(steps(&next.read_link()?));
                        resolved.dangling |= last && matches!(next.try_exists(), Ok(false));
                    }
                    Ok(_) => resolved.path = next,
                    // The next component of a file, or of nothing: taken as it is; using the path says what is wrong.
                    Err(error) if is_absence(&error) => resolved.path = next,
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(resolved)
}

/// Nothing can be at the path: a component is missing, or one on the way is a file.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

enum Step {
    Root,
    Up,
    Name(OsString),
}

/// The components, last one first.
fn steps(path: &Path) -> Vec<Step> {
    path.components()
        .rev()
        .filter_map(|component| match component {
            Component::RootDir | Component::Prefix(_) => Some(Step::Root),
            Component::ParentDir => Some(Step::Up),
            Component::CurDir => None,
            Component::Normal(name) => Some(Step::Name(name.to_owned())),
        })
        .collect()
}

/// Whether some file system takes `name` for `.git`: in other case, with trailing dots and blanks or a stream name
/// (NTFS), by its short name, with characters that HFS+ ignores, or behind a backslash. The list is that of git's own
/// checks (`is_hfs_dotgit`, `is_ntfs_dotgit` in git's path.c and utf8.c).
pub(super) fn is_git_name(name: &str) -> bool {
    name.split('\\').any(|part| {
        let part: String = part
            .chars()
            .filter(|character| !is_ignored_by_hfs(*character))
            .collect();
        let part = part.split(':').next().unwrap_or_default();
        let part = part.trim_end_matches(['.', ' ']);
        part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1")
    })
}

fn is_ignored_by_hfs(character: char) -> bool {
    matches!(character, '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_names_in_any_spelling() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git. .",
            "git~1",
            "GIT~1",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git\\hooks",
            "a\\.git",
        ] {
            assert!(is_git_name(name), "{name:?}");
        }
        for name in [
            ".gitignore",
            ".github",
            "git",
            ".git2",
            "git~2",
            "x.git",
            ".gitmodules",
            ".gi t",
            "",
        ] {
            assert!(!is_git_name(name), "{name:?}");
        }
    }
}
