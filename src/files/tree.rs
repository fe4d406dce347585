//! Single operations on the user's tree, by paths that hold no link, walked from the root's own handle without following
//! any: whatever is swapped in meanwhile, nothing outside the root is touched.

use std::fs::File;
use std::io;
use std::io::Read;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::Access;
use rustix::fs::AtFlags;
use rustix::fs::FileType;
use rustix::fs::Gid;
use rustix::fs::Mode;
use rustix::fs::OFlags;
use rustix::fs::Stat;
use rustix::fs::Uid;
use rustix::io::Errno;

/// Permission bits with set-user-id, set-group-id and sticky.
const MODE_BITS: u32 = 0o7777;

/// Syncing waits for the disk, not for the processor.
const MAX_THREADS: usize = 32;
const PATHS_PER_THREAD: usize = 4;

/// The root's folder, held open.
pub(super) struct Tree {
    root: OwnedFd,
}

/// What stands at a path, links not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Absent,
    File {
        bytes: Vec<u8>,
        stamp: Stamp,
    },
    Folder,
    /// A link, device, socket or pipe.
    Other,
}

/// A file's metadata: equal stamps mean that the file was not touched in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) mode: u32,
    pub(super) links: u64,
    device: u64,
    inode: u64,
    length: i64,
    modified: (i64, i64),
    changed: (i64, i64),
    pub(super) owner: (u32, u32),
}

impl Tree {
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let root = rustix::fs::open(root, folder_flags() & !OFlags::NOFOLLOW, Mode::empty())?;
        Ok(Self { root })
    }

    /// The handle of the folder that holds `path`, and the last name.
    fn parent<'p>(&self, path: &'p str) -> io::Result<(OwnedFd, &'p str)> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.folder(folder)?, name))
    }

    fn folder(&self, path: &str) -> io::Result<OwnedFd> {
        let mut handle = rustix::fs::openat(&self.root, ".", folder_flags(), Mode::empty())?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            handle = rustix::fs::openat(&handle, name, folder_flags(), Mode::empty())?;
        }
        Ok(handle)
    }

    /// The deepest folder on the way to `path` that exists ("" is the root).
    pub(super) fn deepest_folder<'p>(&self, path: &'p str) -> io::Result<&'p str> {
        let mut folder = path;
        loop {
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            match self.folder(folder) {
                Ok(_) => return Ok(folder),
                Err(error) if folder.is_empty() || !super::fence::is_absence(&error) => return Err(error),
                Err(_) => {}
            }
        }
    }

    pub(super) fn state(&self, path: &str) -> io::Result<State> {
        let (folder, name) = match self.parent(path) {
            Ok(found) => found,
            Err(error) if super::fence::is_absence(&error) => return Ok(State::Absent),
            Err(error) => return Err(error),
        };
        let stat = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(State::Absent),
            Err(error) => return Err(error.into()),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Ok(State::Folder),
            _ => return Ok(State::Other),
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&folder, name, flags, Mode::empty())?);
        let stamp = Stamp::from(&rustix::fs::fstat(&file)?);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(State::File { bytes, stamp })
    }

    /// The stamp of a file without reading it; None when there is no file.
    pub(super) fn stamp(&self, path: &str) -> io::Result<Option<Stamp>> {
        let (folder, name) = match self.parent(path) {
            Ok(found) => found,
            Err(error) if super::fence::is_absence(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => Ok(Some(Stamp::from(&stat))),
            Ok(_) | Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a file that must not exist, without syncing it. `mode` None leaves the umask its say. `owner` (user, group) is given
    /// to it where that is allowed.
    pub(super) fn create(
        &self,
        path: &str,
        bytes: &[u8],
        mode: Option<u32>,
        owner: Option<(u32, u32)>,
    ) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let created = if mode.is_some() { 0o600 } else { 0o666 };
        let mut file = File::from(rustix::fs::openat(&folder, name, flags, Mode::from_raw_mode(created))?);
        file.write_all(bytes)?;
        if let Some((user, group)) = owner
            && Stamp::from(&rustix::fs::fstat(&file)?).owner != (user, group)
        {
            // `must_overwrite` has seen to it that a file whose owner cannot be kept is not replaced; what is left is
            // putting back a deleted one, where its bytes are worth more than its owner.
            let _ = rustix::fs::fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)));
        }
        if let Some(mode) = mode {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        Ok(())
    }

    /// Makes the bytes of many files durable, several at once: file systems do that in one go.
    pub(super) fn sync_files(&self, paths: &[&str]) -> io::Result<()> {
        at_once(paths, |path| {
            let (folder, name) = self.parent(path)?;
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            Ok(rustix::fs::fsync(rustix::fs::openat(
                &folder,
                name,
                flags,
                Mode::empty(),
            )?)?)
        })
    }

    /// Makes the names in many folders durable, several at once.
    pub(super) fn sync_folders(&self, paths: &[&str]) -> io::Result<()> {
        at_once(paths, |path| self.sync_folder(path))
    }

    /// Whether a file must keep its inode: it has several names, or an owner, an access list or attributes that a new
    /// file would not get, or its folder takes no new file.
    pub(super) fn must_overwrite(&self, path: &str, stamp: Stamp) -> io::Result<bool> {
        let (user, group) = stamp.owner;
        if stamp.links > 1 || user != rustix::process::geteuid().as_raw() {
            return Ok(true);
        }
        if group != rustix::process::getegid().as_raw() {
            let groups = rustix::process::getgroups()?;
            if !groups.iter().any(|ours| ours.as_raw() == group) {
                return Ok(true);
            }
        }
        let (folder, name) = self.parent(path)?;
        if rustix::fs::accessat(&folder, ".", Access::WRITE_OK, AtFlags::EACCESS).is_err() {
            return Ok(true);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        has_attributes(&rustix::fs::openat(&folder, name, flags, Mode::empty())?)
    }

    /// Whether we may write the file; without any write bit not even root may.
    pub(super) fn check_writable(&self, path: &str, stamp: Stamp) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        if stamp.mode & 0o222 == 0 {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        Ok(rustix::fs::accessat(&folder, name, Access::WRITE_OK, AtFlags::EACCESS)?)
    }

    /// Replaces the bytes of a file in place and syncs it: every hard link sees them, owner and access list stay. False,
    /// and nothing is done, when the file is not what it was when it had the stamp `expected`.
    ///
    /// The file is never shorter than the shorter of both texts, and at every instant each of its bytes is that of the
    /// old or of the new text at the same place.
    pub(super) fn overwrite(
        &self,
        path: &str,
        bytes: &[u8],
        mode: Option<u32>,
        expected: Option<Stamp>,
    ) -> io::Result<bool> {
        let (folder, name) = self.parent(path)?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&folder, name, flags, Mode::empty())?);
        let found = Stamp::from(&rustix::fs::fstat(&file)?);
        if expected.is_some_and(|expected| !expected.same_content(&found)) {
            return Ok(false);
        }
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        // Writing takes the set-user-id bit away, for instance.
        if let Some(mode) = mode
            && Stamp::from(&rustix::fs::fstat(&file)?).mode != mode
        {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        file.sync_all()?;
        Ok(true)
    }

    pub(super) fn chmod(&self, path: &str, mode: u32) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, name, flags, Mode::empty())?;
        Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?)
    }

    /// Moves a file over whatever is at `to`.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from_folder, from_name) = self.parent(from)?;
        let (to_folder, to_name) = self.parent(to)?;
        Ok(rustix::fs::renameat(&from_folder, from_name, &to_folder, to_name)?)
    }

    /// Moves a file to where nothing is.
    pub(super) fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        match self.rename_with(from, to, Rename::New) {
            Err(error) if is_unsupported(&error) => match self.state(to)? {
                State::Absent => self.rename(from, to),
                _ => Err(io::ErrorKind::AlreadyExists.into()),
            },
            result => result,
        }
    }

    /// Moves a file over another, which is then found at `from`. Where the file system cannot do that the other is gone;
    /// false says so.
    pub(super) fn swap(&self, from: &str, to: &str) -> io::Result<bool> {
        match self.rename_with(from, to, Rename::Swap) {
            Err(error) if is_unsupported(&error) => self.rename(from, to).map(|()| false),
            result => result.map(|()| true),
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    fn rename_with(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        if super::fault::renames_are_plain() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (from_folder, from_name) = self.parent(from)?;
        let (to_folder, to_name) = self.parent(to)?;
        let flags = match how {
            Rename::New => rustix::fs::RenameFlags::NOREPLACE,
            Rename::Swap => rustix::fs::RenameFlags::EXCHANGE,
        };
        Ok(rustix::fs::renameat_with(
            &from_folder,
            from_name,
            &to_folder,
            to_name,
            flags,
        )?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    fn rename_with(&self, _from: &str, _to: &str, _how: Rename) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Removes a file; that there is none is fine.
    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        self.unlink(path, AtFlags::empty())
    }

    /// Removes a folder if it is empty; that there is none, or something in it, is fine.
    pub(super) fn remove_empty_folder(&self, path: &str) -> io::Result<()> {
        match self.unlink(path, AtFlags::REMOVEDIR) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            // Some systems say that it exists.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        }
    }

    fn unlink(&self, path: &str, flags: AtFlags) -> io::Result<()> {
        let result = self
            .parent(path)
            .and_then(|(folder, name)| Ok(rustix::fs::unlinkat(&folder, name, flags)?));
        match result {
            Err(error) if super::fence::is_absence(&error) => Ok(()),
            result => result,
        }
    }

    /// Makes one folder; that it exists is fine.
    pub(super) fn make_folder(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the names in a folder durable; a folder that is gone has none.
    fn sync_folder(&self, path: &str) -> io::Result<()> {
        match self.folder(path) {
            Ok(folder) => sync_handle(&folder),
            Err(error) if super::fence::is_absence(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Stamp {
    /// The same file with the same bytes; renaming it and linking to it may have come in between.
    pub(super) fn same_content(&self, other: &Self) -> bool {
        self.file() == other.file() && (self.length, self.modified) == (other.length, other.modified)
    }

    /// What tells the file from all others: device and inode.
    pub(super) fn file(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

impl From<&Stat> for Stamp {
    #[allow(clippy::unnecessary_cast)] // the fields' types differ between systems
    fn from(stat: &Stat) -> Self {
        Self {
            mode: stat.st_mode as u32 & MODE_BITS,
            links: stat.st_nlink as u64,
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            length: stat.st_size as i64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            owner: (stat.st_uid as u32, stat.st_gid as u32),
        }
    }
}

/// Does something to all paths on as many threads as are worth while; the first error in their order counts.
fn at_once(paths: &[&str], act: impl Fn(&str) -> io::Result<()> + Sync) -> io::Result<()> {
    let share = paths.len().div_ceil(MAX_THREADS).max(PATHS_PER_THREAD);
    if paths.len() <= share {
        return paths.iter().try_for_each(|path| act(path));
    }
    let act = &act;
    std::thread::scope(|scope| {
        let shares = paths.chunks(share);
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().try_for_each(|path| act(path))))
            .collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect::<Vec<_>>().into_iter().collect()
    })
}

#[derive(Debug, Clone, Copy)]
enum Rename {
    New,
    Swap,
}

/// The file system, or the system, does not know the operation.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error().map(Errno::from_raw_os_error),
        None | Some(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)
    )
}

/// Whether the file has extended attributes that a new file in its place would lack. What the system itself gives to
/// files (`security.`, `com.apple.`) does not count.
fn has_attributes(file: impl AsFd) -> io::Result<bool> {
    let mut names = vec![0; 4096];
    let n_bytes = match rustix::fs::flistxattr(file, &mut names[..]) {
        Ok(n_bytes) => n_bytes,
        Err(Errno::NOTSUP) => 0,
        // More names than anybody gives by chance.
        Err(Errno::RANGE) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    Ok(names[..n_bytes]
        .split(|byte| *byte == 0)
        .any(|name| !name.is_empty() && !name.starts_with(b"security.") && !name.starts_with(b"com.apple.")))
}

/// Syncs a folder; file systems that cannot do that say so with EINVAL.
pub(super) fn sync_handle(folder: impl AsFd) -> io::Result<()> {
    match rustix::fs::fsync(folder) {
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}
