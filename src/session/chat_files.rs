//! The files of a chat: which ones the model may edit, which it only sees, and the text of each that it saw last.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Files of the chat, each list in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct ChatFiles {
    editable: Vec<String>,
    read_only: Vec<ReadOnly>,
    seen: BTreeMap<String, String>,
    /// Those whose text is another one than when it was seen first, the one that changed last at the end.
    changed: Vec<String>,
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
        if let Some(text) = self.seen.remove(from) {
            self.seen.insert(to.to_owned(), text);
        }
    }

    /// Notes the text of a file as it went into a request.
    pub fn note_seen(&mut self, path: &str, text: &str) {
        let before = self.seen.insert(path.to_owned(), text.to_owned());
        if before.is_some_and(|before| before != text) {
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
    fn a_moved_file_stays_in_the_chat() {
        let mut files = ChatFiles::default();
        files.add("a.rs");
        files.note_seen("a.rs", "x");
        files.rename("a.rs", "b/c.rs");
        assert_eq!(files.editable(), ["b/c.rs"]);
        assert_eq!(files.seen("b/c.rs"), Some("x"));
    }
}
