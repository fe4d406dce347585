//! What the repository's history knows: which files change together, which old commit messages resemble a request, which
//! files changed last. Renames are followed: what an old commit did to a file counts for the name it has now.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::tags::identifiers;
use super::words::{self, WordId};

/// Commits that touch more files are sweeping changes and say nothing about what belongs together.
const MAX_FILES: usize = 30;

/// One commit as the map keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// (sub-word, how often) of the message, sorted by hash.
    pub words: Vec<(WordId, u8)>,
    /// Indices into [`History::paths`], each once.
    pub files: Vec<u32>,
}

/// Commits, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Names that the files have now (or had last).
    pub paths: Vec<String>,
    pub commits: Vec<Commit>,
}

impl History {
    /// Takes (message, files as (path, old name when renamed)) newest first.
    pub fn new<'a>(commits: impl IntoIterator<Item = (&'a str, &'a [(String, Option<String>)])>) -> Self {
        let mut history = Self::default();
        // Name in the commit at hand -> index of the name it has now.
        let mut now: HashMap<String, u32> = HashMap::new();
        for (message, files) in commits {
            let mut touched = Vec::with_capacity(files.len());
            if files.len() <= MAX_FILES {
                for (path, _) in files {
                    touched.push(history.index_of(&mut now, path));
                }
            }
            for (path, old) in files {
                if let Some(old) = old {
                    // Older commits call it by its old name; the new name was another file's, if it was at all.
                    let idx = history.index_of(&mut now, path);
                    now.remove(path);
                    now.insert(old.clone(), idx);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            history.commits.push(Commit {
                words: message_words(message),
                files: touched,
            });
        }
        history
    }

    fn index_of(&mut self, now: &mut HashMap<String, u32>, path: &str) -> u32 {
        if let Some(&idx) = now.get(path) {
            return idx;
        }
        let idx = self.paths.len() as u32;
        self.paths.push(path.to_string());
        now.insert(path.to_string(), idx);
        idx
    }

    /// The corpus file of each path, where it is still there.
    pub fn resolve(&self, corpus: &Corpus) -> Vec<Option<u32>> {
        self.paths
            .iter()
            .map(|path| corpus.find(path).map(|idx| idx as u32))
            .collect()
    }
}

fn message_words(message: &str) -> Vec<(WordId, u8)> {
    let mut counts: HashMap<WordId, u8> = HashMap::new();
    for (identifier, n) in identifiers(message) {
        words::for_each_subword(identifier.as_bytes(), |subword| {
            if !words::is_stop(subword) {
                let count = counts.entry(words::id_of(subword)).or_insert(0);
                *count = count.saturating_add(n.min(255) as u8);
            }
        });
    }
    let mut list: Vec<_> = counts.into_iter().collect();
    list.sort_unstable();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> (String, Option<String>) {
        (path.into(), None)
    }

    #[test]
    fn old_commits_count_for_the_new_name() {
        let renamed = [("b.rs".to_string(), Some("a.rs".to_string())), file("c.rs")];
        let old = [file("a.rs"), file("d.rs")];
        let history = History::new([("move", &renamed[..]), ("old", &old[..])]);
        let names = |commit: &Commit| -> Vec<&str> {
            commit
                .files
                .iter()
                .map(|&f| history.paths[f as usize].as_str())
                .collect()
        };
        assert_eq!(names(&history.commits[0]), ["b.rs", "c.rs"]);
        assert_eq!(names(&history.commits[1]), ["b.rs", "d.rs"]);
    }

    #[test]
    fn a_name_that_was_another_file_before_is_kept_apart() {
        // a.rs -> b.rs, and later a new a.rs.
        let newest = [file("a.rs")];
        let renamed = [("b.rs".to_string(), Some("a.rs".to_string()))];
        let old = [file("a.rs")];
        let history = History::new([("new a", &newest[..]), ("move", &renamed[..]), ("old", &old[..])]);
        assert_ne!(history.commits[0].files, history.commits[2].files);
        assert_eq!(history.commits[1].files, history.commits[2].files);
    }

    #[test]
    fn sweeping_commits_are_kept_without_files() {
        let many: Vec<_> = (0..31).map(|i| file(&format!("f{i}.rs"))).collect();
        let history = History::new([("sweep", &many[..])]);
        assert!(history.commits[0].files.is_empty());
    }
}
