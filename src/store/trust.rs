//! What the user decided about a project once: whether its own rules may steer the model. One small file in the project's
//! state folder; it counts for that folder only, not for another one that is put at the same path later.

use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use serde::Deserialize;
use serde::Serialize;

/// The user's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Trusted,
    Refused,
}

/// Where the decision of one project is kept.
#[derive(Debug, Clone)]
pub struct TrustFile {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    decision: Decision,
    /// Tells the project's folder from others, as `files::Root::identity` does.
    folder: String,
}

impl TrustFile {
    /// `state` is the project's state folder; nothing is created yet.
    pub fn new(state: &Path) -> Self {
        Self {
            path: state.join("trust.toml"),
        }
    }

    /// What was decided, when `is_here` knows the folder. A file that is missing or damaged holds no decision.
    pub fn read(&self, is_here: impl Fn(&str) -> bool) -> Option<Decision> {
        let kept: Kept = toml::from_str(&fs::read_to_string(&self.path).ok()?).ok()?;
        is_here(&kept.folder).then_some(kept.decision)
    }

    /// Keeps a decision for the folder.
    ///
    /// # Errors
    /// When the file cannot be written; the old decision stands then.
    pub fn write(&self, decision: Decision, folder: &str) -> io::Result<()> {
        let kept = Kept {
            decision,
            folder: folder.to_owned(),
        };
        let text = toml::to_string(&kept).map_err(io::Error::other)?;
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent)?;
        }
        let new = self.path.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(&new, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_kept_for_its_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = TrustFile::new(&folder.path().join("projects/p"));
        assert_eq!(file.read(|_| true), None);
        file.write(Decision::Trusted, "here").unwrap();
        assert_eq!(file.read(|folder| folder == "here"), Some(Decision::Trusted));
        assert_eq!(file.read(|folder| folder == "there"), None);
        file.write(Decision::Refused, "here").unwrap();
        assert_eq!(file.read(|_| true), Some(Decision::Refused));
    }

    #[test]
    fn a_damaged_file_decides_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("trust.toml"), "decision = 'trus").unwrap();
        assert_eq!(TrustFile::new(folder.path()).read(|_| true), None);
    }
}
