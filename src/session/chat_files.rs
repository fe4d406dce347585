//! The files of a chat: which ones the model may edit, which it only sees, which parts of them, and the text of each that it
//! saw last.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use crate::chat::excerpts;
use crate::chat::excerpts::Excerpt;
use crate::store::sessions::Parts;

/// Files of the chat, each list in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct ChatFiles {
    editable: Vec<String>,
    read_only: Vec<ReadOnly>,
    seen: BTreeMap<String, String>,
    /// Those whose text is another one than when it was seen first, the one that changed last at the end.
    changed: Vec<String>,
    /// The parts that were asked for, of files that are not shown as a whole.
    excerpts: BTreeMap<String, Vec<Excerpt>>,
    /// The lines of the text seen last that went into a request, where these were not all.
    shown: BTreeMap<String, Vec<Range<usize>>>,
}

/// A file that the model sees and may not edit. It may stand outside the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnly {
    /// Relative to the root with `/`, or absolute when outside.
    pub name: String,
    pub path: PathBuf,
}

impl ChatFiles {
    /// Paths relative to the root, with `/`.
    pub fn editable(&self) -> &[String] {
        &self.editable
    }

    pub fn read_only(&self) -> &[ReadOnly] {
        &self.read_only
    }

    pub fn is_editable(&self, path: &str) -> bool {
        self.editable.iter().any(|file| file == path)
    }

    pub fn is_read_only(&self, name: &str) -> bool {
        self.read_only.iter().any(|file| file.name == name)
    }

    /// Makes a file editable; one that was read-only is promoted. Returns false when it was editable already.
    pub fn add(&mut self, path: &str) -> bool {
        if self.is_editable(path) {
            return false;
        }
        self.read_only.retain(|file| file.name != path);
        self.editable.push(path.to_owned());
        true
    }

    /// Makes a file read-only; one that was editable no longer is. Returns false when it was read-only already.
    pub fn add_read_only(&mut self, name: &str, path: PathBuf) -> bool {
        if self.is_read_only(name) {
            return false;
        }
        self.editable.retain(|file| file != name);
        self.read_only.push(ReadOnly {
            name: name.to_owned(),
            path,
        });
        true
    }

    /// Takes a file out of the chat. Returns false when it was not in it.
    pub fn drop_file(&mut self, name: &str) -> bool {
        let before = self.editable.len() + self.read_only.len();
        self.editable.retain(|file| file != name);
        self.read_only.retain(|file| file.name != name);
        self.seen.remove(name);
        self.changed.retain(|file| file != name);
        self.excerpts.remove(name);
        self.shown.remove(name);
        before != self.editable.len() + self.read_only.len()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A file was moved: the chat follows it.
    pub fn rename(&mut self, from: &str, to: &str) {
        for file in self.editable.iter_mut().chain(&mut self.changed) {
            if file == from {
                to.clone_into(file);
            }
        }
        follow(&mut self.seen, from, to);
        follow(&mut self.excerpts, from, to);
        follow(&mut self.shown, from, to);
    }

    /// The parts of a file that were asked for; none of one that is shown as a whole.
    pub fn excerpts(&self, name: &str) -> &[Excerpt] {
        self.excerpts.get(name).map_or(&[], Vec::as_slice)
    }

    /// Those parts as they are typed behind the file's name: a definition, or `120-260`.
    pub fn parts(&self, name: &str) -> Vec<String> {
        self.excerpts(name).iter().map(Excerpt::word).collect()
    }

    /// All of them, by file.
    pub fn all_parts(&self) -> BTreeMap<String, Parts> {
        let of = |name: &String| Parts {
            parts: self.parts(name),
            text: self.seen(name).map_or(0, |text| xxh3_64(text.as_bytes())),
        };
        self.excerpts.keys().map(|name| (name.clone(), of(name))).collect()
    }

    /// Shows a part of a file of the chat, beside the parts that are shown already. One that is shown as a whole is from now on
    /// shown in part. Returns false when this very part is shown.
    pub fn show_part(&mut self, name: &str, excerpt: Excerpt) -> bool {
        let excerpts = self.excerpts.entry(name.to_owned()).or_default();
        let is_new = !excerpts.contains(&excerpt);
        if is_new {
            excerpts.push(excerpt);
        }
        is_new
    }

    /// No longer shows a part, by the word that [`Self::parts`] has for it; with its last part the file leaves the chat. Returns
    /// false when there is no such part.
    pub fn drop_part(&mut self, name: &str, part: &str) -> bool {
        let Some(at) = self.parts(name).iter().position(|one| one == part) else {
            return false;
        };
        let excerpts = self.excerpts.entry(name.to_owned()).or_default();
        excerpts.remove(at);
        if excerpts.is_empty() {
            self.drop_file(name);
        }
        true
    }

    /// Shows all of a file. Returns false when that was so.
    pub fn show_whole(&mut self, name: &str) -> bool {
        self.shown.remove(name);
        self.excerpts.remove(name).is_some()
    }

    /// Notes which lines of the text seen last went into a request (None: all), and where the parts are now.
    pub fn note_shown(&mut self, path: &str, excerpts: Vec<Excerpt>, shown: Option<Vec<Range<usize>>>) {
        if !excerpts.is_empty() {
            self.excerpts.insert(path.to_owned(), excerpts);
        }
        match shown {
            Some(shown) => self.shown.insert(path.to_owned(), shown),
            None => self.shown.remove(path),
        };
    }

    /// By file, the lines of the text seen last that went into a request; files that were shown as a whole are not in it.
    pub fn partly_shown(&self) -> &BTreeMap<String, Vec<Range<usize>>> {
        &self.shown
    }

    /// Notes the text of a file as it went into a request.
    pub fn note_seen(&mut self, path: &str, text: &str) {
        let before = self.seen.insert(path.to_owned(), text.to_owned());
        if let Some(before) = before
            && before != text
        {
            if let Some(parts) = self.excerpts.get_mut(path) {
                *parts = excerpts::carried(parts, &before, text);
            }
            self.changed.retain(|file| file != path);
            self.changed.push(path.to_owned());
        }
    }

    /// The editable files in the order in which requests hold them, so that what changes stands last: those that are as they
    /// were when the model saw them first, and those that changed since.
    pub fn by_last_change(&self) -> (Vec<String>, Vec<String>) {
        let unchanged = self.editable.iter().filter(|file| !self.changed.contains(file));
        let changed = self.changed.iter().filter(|file| self.editable.contains(file));
        (unchanged.cloned().collect(), changed.cloned().collect())
    }

    /// The text that the model saw last.
    pub fn seen(&self, path: &str) -> Option<&str> {
        self.seen.get(path).map(String::as_str)
    }
}

/// What was kept for a file is kept for its new name.
fn follow<T>(map: &mut BTreeMap<String, T>, from: &str, to: &str) {
    if let Some(value) = map.remove(from) {
        map.insert(to.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_editable_or_read_only_never_both() {
        let mut files = ChatFiles::default();
        assert!(files.add_read_only("a.rs", PathBuf::from("/p/a.rs")));
        assert!(files.add("a.rs"));
        assert!(!files.is_read_only("a.rs"));
        assert!(files.add_read_only("a.rs", PathBuf::from("/p/a.rs")));
        assert!(files.editable().is_empty());
    }

    #[test]
    fn files_that_changed_last_stand_last() {
        let mut files = ChatFiles::default();
        for path in ["a", "b", "c"] {
            files.add(path);
            files.note_seen(path, "1");
            files.note_seen(path, "1");
        }
        files.note_seen("b", "2");
        files.note_seen("a", "2");
        let order = |files: &ChatFiles| {
            let (unchanged, changed) = files.by_last_change();
            (unchanged.join(" "), changed.join(" "))
        };
        assert_eq!(order(&files), ("c".to_owned(), "b a".to_owned()));
        files.note_seen("b", "3");
        assert_eq!(order(&files).1, "a b");
        files.drop_file("a");
        files.rename("b", "d");
        assert_eq!(order(&files), ("c".to_owned(), "d".to_owned()));
    }

    #[test]
    fn a_part_follows_its_lines_and_its_file() {
        let mut files = ChatFiles::default();
        files.add("a.rs");
        files.note_seen("a.rs", "1\n2\n3\n4\n");
        let part = Excerpt::lines(1..3);
        assert!(files.show_part("a.rs", part.clone()));
        assert!(!files.show_part("a.rs", part));
        files.note_seen("a.rs", "2\n3\n4\n");
        files.rename("a.rs", "b.rs");
        assert_eq!(files.parts("b.rs"), ["1-2"]);
        assert!(!files.drop_part("b.rs", "1-3"));
        assert!(files.clone().drop_part("b.rs", "1-2"));
        assert!(files.show_whole("b.rs"));
        assert!(files.parts("b.rs").is_empty() && !files.show_whole("b.rs"));
    }

    #[test]
    fn a_moved_file_stays_in_the_chat() {
        let mut files = ChatFiles::default();
        files.add("a.rs");
        files.note_seen("a.rs", "x");
        files.rename("a.rs", "b/c.rs");
        assert_eq!(files.editable(), ["b/c.rs"]);
        assert_eq!(files.seen("b/c.rs"), Some("x"));
    }
}
