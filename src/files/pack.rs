//! The journal's entry files: the images that a transaction brings, and the manifest that says what it does, in one file
//! and made durable by one sync.
//!
//! ```text
//! images, one after the other
//! manifest (JSON)
//! footer: length of the manifest (u64), xxh3-128 of the manifest (u128), both little-endian, then FOOTER_MARK
//! ```
//!
//! A file without its footer, or whose manifest does not fit the sum, was cut by a crash: then nothing that it would
//! describe has begun.

use std::fs::File;
use std::io;
use std::io::Read;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::Deserialize;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

const FOOTER_MARK: &[u8; 8] = b"codriv1\n";
const FOOTER_LEN: u64 = 8 + 16 + 8;

/// Where the bytes of an image are: entry, first byte, length, xxh3-128 in hex.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ImageRef(pub(super) String, pub(super) u64, pub(super) u64, pub(super) String);

impl ImageRef {
    pub(super) fn entry(&self) -> &str {
        &self.0
    }

    pub(super) fn len(&self) -> u64 {
        self.2
    }

    pub(super) fn hash(&self) -> &str {
        &self.3
    }

    /// Whether `bytes` are the image's.
    pub(super) fn is(&self, bytes: &[u8]) -> bool {
        self.2 == bytes.len() as u64 && self.3 == hash(bytes)
    }
}

pub(super) fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

/// Writes an entry and syncs the file (not its folder).
pub(super) fn write(path: &Path, images: &[&[u8]], manifest: &[u8]) -> io::Result<()> {
    let mut file = io::BufWriter::new(File::create(path)?);
    for image in images {
        file.write_all(image)?;
    }
    file.write_all(manifest)?;
    file.write_all(&(manifest.len() as u64).to_le_bytes())?;
    file.write_all(&xxh3_128(manifest).to_le_bytes())?;
    file.write_all(FOOTER_MARK)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// The manifest; None when the file was cut.
pub(super) fn read_manifest(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let Some(rest) = file.metadata()?.len().checked_sub(FOOTER_LEN) else {
        return Ok(None);
    };
    let mut len = [0; 8];
    let mut sum = [0; 16];
    let mut mark = [0; 8];
    file.read_exact_at(&mut len, rest)?;
    file.read_exact_at(&mut sum, rest + 8)?;
    file.read_exact_at(&mut mark, rest + 24)?;
    let len = u64::from_le_bytes(len);
    let Some(start) = rest.checked_sub(len).filter(|_| mark == *FOOTER_MARK) else {
        return Ok(None);
    };
    let mut manifest = Vec::new();
    let mut reader = &file;
    io::Seek::seek(&mut reader, io::SeekFrom::Start(start))?;
    reader.take(len).read_to_end(&mut manifest)?;
    Ok((xxh3_128(&manifest) == u128::from_le_bytes(sum)).then_some(manifest))
}

/// The bytes of an image in the entry file at `path`, checked against its hash.
pub(super) fn read_image(path: &Path, image: &ImageRef) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.len() < image.1.saturating_add(image.2) {
        return Err(damaged(image));
    }
    let mut bytes = vec![0; usize::try_from(image.2).map_err(|_| damaged(image))?];
    file.read_exact_at(&mut bytes, image.1)?;
    if image.is(&bytes) {
        Ok(bytes)
    } else {
        Err(damaged(image))
    }
}

fn damaged(image: &ImageRef) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the entry `{}` is damaged", image.entry()),
    )
}
