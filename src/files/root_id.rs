//! What tells a project's folder from every other one, also from one that is put at the same path later: paths in the
//! journal are relative, so an entry must not be carried out in another folder.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::Deserialize;
use serde::Serialize;

use super::Error;
use super::Root;
use super::changes::reading;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RootId {
    /// As it was then; a folder that was renamed since is still the same. A path that is not UTF-8 is only shown.
    path: String,
    /// Device and inode; None where the file system makes inode numbers up as it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<(u64, u64)>,
    /// Nanoseconds since 1970; None where the file system does not keep it. An inode number may be given anew as soon as
    /// its folder is gone; the time of birth tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born: Option<u64>,
}

impl RootId {
    /// # Errors
    /// The folder cannot be looked at.
    pub(super) fn of(root: &Root) -> Result<Self, Error> {
        Self::read(root.path()).map_err(reading(&root.path().display().to_string()))
    }

    fn read(path: &Path) -> io::Result<Self> {
        let metadata = path.metadata()?;
        let kind = Kind::of(path)?;
        let since = metadata.created().ok().filter(|_| kind == Kind::Usual);
        let since = since.and_then(|born| born.duration_since(SystemTime::UNIX_EPOCH).ok());
        Ok(Self {
            path: path.display().to_string(),
            file: (kind != Kind::Numberless).then(|| (metadata.dev(), metadata.ino())),
            born: since.and_then(|since| u64::try_from(since.as_nanos()).ok()),
        })
    }

    /// Whether both are one folder. Some file systems get another device number each time they are mounted, so that the
    /// number alone does not tell two folders apart.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same_place = self.path == other.path;
        let (Some((device, inode)), Some((other_device, other_inode))) = (self.file, other.file) else {
            return same_place;
        };
        let same_device = device == other_device;
        inode == other_inode
            && match (self.born, other.born) {
                (Some(born), Some(other)) => born == other && (same_place || same_device),
                _ => same_place && same_device,
            }
    }

    /// `of` is what an entry was made for, None when it does not say. `what` names the entry.
    ///
    /// # Errors
    /// [`Error::OtherRoot`] when it was made for another folder.
    pub(super) fn check(&self, of: Option<&Self>, what: &str, journal: &Path) -> Result<(), Error> {
        match of {
            Some(of) if !of.is(self) => Err(Error::OtherRoot {
                what: what.to_owned(),
                theirs: PathBuf::from(&of.path),
                ours: PathBuf::from(&self.path),
                journal: journal.to_path_buf(),
            }),
            _ => Ok(()),
        }
    }
}

/// What a file system's numbers are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux is asked what it is")
)]
enum Kind {
    Usual,
    /// A folder of a lower layer is born again when something in it is first written.
    Layered,
    /// Inode numbers come and go with a cache.
    Numberless,
}

impl Kind {
    #[cfg(target_os = "linux")]
    #[allow(clippy::unnecessary_cast)] // the field's type differs between systems
    fn of(path: &Path) -> io::Result<Self> {
        // Numbers as in linux/magic.h and statfs(2).
        Ok(match rustix::fs::statfs(path)?.f_type as u32 {
            0x794c_7630 => Self::Layered,
            // FUSE, 9p, the three of SMB, VirtualBox's shared folders.
            0x6573_5546 | 0x0102_1997 | 0x517b | 0xff53_4d42 | 0xfe53_4d42 | 0x786f_4256 => Self::Numberless,
            _ => Self::Usual,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_path: &Path) -> io::Result<Self> {
        Ok(Self::Usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(path: &str, device: u64, inode: u64, born: Option<u64>) -> RootId {
        RootId {
            path: path.to_owned(),
            file: Some((device, inode)),
            born,
        }
    }

    #[test]
    fn one_folder_is_known_under_another_name_and_after_a_new_mount() {
        let here = id("/p", 1, 2, Some(3));
        for same in [
            here.clone(),
            id("/q", 1, 2, Some(3)),
            id("/p", 9, 2, Some(3)),
            id("/p", 1, 2, None),
        ] {
            assert!(here.is(&same) && same.is(&here), "{same:?}");
        }
    }

    #[test]
    fn without_numbers_the_path_has_to_do() {
        let numberless = |path: &str| RootId {
            file: None,
            ..id(path, 0, 0, None)
        };
        assert!(numberless("/p").is(&numberless("/p")) && numberless("/p").is(&id("/p", 1, 2, None)));
        assert!(!numberless("/p").is(&numberless("/q")));
    }

    #[test]
    fn another_folder_is_told_apart_also_at_the_same_path_and_with_the_same_inode() {
        let here = id("/p", 1, 2, Some(3));
        for other in [
            id("/p", 1, 5, Some(3)),
            id("/p", 1, 2, Some(4)),
            id("/q", 9, 2, Some(3)),
            id("/q", 1, 2, None),
            id("/p", 9, 2, None),
        ] {
            assert!(!here.is(&other) && !other.is(&here), "{other:?}");
        }
    }
}
