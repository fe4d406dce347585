//! One look at every folder that holds tracked files: the time stamps of what the index has, and the names that it does not
//! have. A file is looked at from its open folder, which spares the system the way down its path.

use std::path::Path;
use std::sync::Mutex;

use super::list::Stamp;

/// What the folders hold.
pub(super) struct Walked {
    /// For each path of the index the stamp of the file that stands there. None for what was not to be looked at, is no
    /// file, or was not met: it may be gone, be spelled otherwise on disk, or stand behind a link.
    pub(super) stamps: Vec<Option<Stamp>>,
    pub(super) unknown: Vec<Unknown>,
}

/// A name in a folder that is not in the index.
pub(super) struct Unknown {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) is_dir: bool,
}

/// Looks at the folders of these paths, which are sorted; `look` says which files are looked at.
pub(super) fn walk(root: &Path, known: &[&[u8]], look: &(dyn Fn(&str) -> bool + Sync)) -> Walked {
    let mut stamps = vec![None; known.len()];
    let walk = Walk {
        root,
        look,
        unknown: Mutex::default(),
    };
    let all = Part {
        known,
        stamps: &mut stamps,
    };
    rayon::scope(|scope| walk.visit(scope, Vec::new(), all));
    let unknown = walk.unknown.into_inner().unwrap_or_default();
    Walked { stamps, unknown }
}

struct Walk<'a> {
    root: &'a Path,
    look: &'a (dyn Fn(&str) -> bool + Sync),
    unknown: Mutex<Vec<Unknown>>,
}

/// The part of the index that lies in one folder.
struct Part<'a> {
    known: &'a [&'a [u8]],
    stamps: &'a mut [Option<Stamp>],
}

/// The same, taken apart; both lists are sorted by name.
struct Contents<'a> {
    /// Name, path, where its stamp goes.
    files: Vec<(&'a [u8], &'a [u8], &'a mut Option<Stamp>)>,
    /// Name and what is in it; None once it was met.
    folders: Vec<(&'a [u8], Option<Part<'a>>)>,
}

impl<'a> Part<'a> {
    /// `prefix` is the length of the folder's path with its slash.
    fn contents(self, prefix: usize) -> Contents<'a> {
        let Self { mut known, mut stamps } = self;
        let mut contents = Contents {
            files: Vec::new(),
            folders: Vec::new(),
        };
        while let Some(&path) = known.first() {
            let name = &path[prefix..];
            let Some(end) = memchr::memchr(b'/', name) else {
                let (stamp, rest) = stamps.split_at_mut(1);
                contents.files.push((name, path, &mut stamp[0]));
                (known, stamps) = (&known[1..], rest);
                continue;
            };
            let folder = &path[..=prefix + end];
            let n = known.partition_point(|path| path.starts_with(folder));
            let (inside, rest) = stamps.split_at_mut(n);
            let part = Part {
                known: &known[..n],
                stamps: inside,
            };
            contents.folders.push((&name[..end], Some(part)));
            (known, stamps) = (&known[n..], rest);
        }
        // `a-b/` stands before `a/` in the index.
        contents.folders.sort_by_key(|(name, _)| *name);
        contents
    }
}

impl<'a> Walk<'a> {
    fn visit<'s>(&'s self, scope: &rayon::Scope<'s>, dir: Vec<u8>, part: Part<'s>) {
        let Ok(entries) = std::str::from_utf8(&dir)
            .map(|dir| self.root.join(dir))
            .map_err(drop)
            .and_then(|dir| dir.read_dir().map_err(drop))
        else {
            return;
        };
        let prefix = if dir.is_empty() { 0 } else { dir.len() + 1 };
        let mut contents = part.contents(prefix);
        let mut unknown = Vec::new();
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            let file = contents.files.binary_search_by_key(&name, |(name, _, _)| name);
            if kind.is_file() {
                match file {
                    Ok(idx) => {
                        let (_, path, stamp) = &mut contents.files[idx];
                        if std::str::from_utf8(path).is_ok_and(self.look) {
                            **stamp = entry.metadata().ok().map(|found| Stamp::of(&found));
                        }
                    }
                    Err(_) => unknown.extend(self.named(&dir, name, false)),
                }
            } else if kind.is_dir() && name != b".git" {
                let folder = contents.folders.binary_search_by_key(&name, |(name, _)| name);
                match folder.map(|idx| contents.folders[idx].1.take()) {
                    Ok(Some(inside)) => {
                        let dir = [&dir[..], name].join(if dir.is_empty() { &b""[..] } else { &b"/"[..] });
                        scope.spawn(move |scope| self.visit(scope, dir, inside));
                    }
                    Ok(None) => {}
                    // What stands in the index as itself is a submodule.
                    Err(_) if file.is_ok() => {}
                    Err(_) => unknown.extend(self.named(&dir, name, true)),
                }
            }
        }
        if !unknown.is_empty()
            && let Ok(mut all) = self.unknown.lock()
        {
            all.append(&mut unknown);
        }
    }

    /// None for a name that is no text.
    fn named(&self, dir: &[u8], name: &[u8], is_dir: bool) -> Option<Unknown> {
        let mut path = dir.to_vec();
        if !dir.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        Some(Unknown {
            path: String::from_utf8(path).ok()?,
            is_dir,
        })
    }
}
