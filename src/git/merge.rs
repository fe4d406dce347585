//! Merges a commit's change of one file into the index entry in which the user has staged changes of his own.

use git2::ErrorCode;
use git2::MergeFileInput;
use git2::Oid;
use git2::Repository;

use super::Error;
use super::doing;
use super::tree;
use super::tree::Entry;

/// The id of the empty blob: what `git add --intent-to-add` puts into the index without storing it.
const EMPTY_BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/// What comes out of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Merged {
    /// Both sides' changes; None when the file is gone.
    Clean(Option<Entry>),
    /// Both sides changed the same lines.
    Overlap,
}

/// The entry `ours` with what changed from `before` to `after`. Text merges by lines; anything else only when one side
/// left it alone.
pub(super) fn entry(
    repo: &Repository,
    before: Option<Entry>,
    ours: Option<Entry>,
    after: Option<Entry>,
) -> Result<Merged, Error> {
    if ours == before {
        return Ok(Merged::Clean(after));
    }
    if after == before || ours == after {
        return Ok(Merged::Clean(ours));
    }
    let (Some((our_id, our_mode)), Some((their_id, their_mode))) = (ours, after) else {
        return Ok(Merged::Overlap);
    };
    let base_mode = before.map_or(tree::FILE, |(_, mode)| mode);
    let is_file = |mode: u32| mode == tree::FILE || mode == tree::EXECUTABLE;
    if ![base_mode, our_mode, their_mode].into_iter().all(is_file) {
        return Ok(Merged::Overlap);
    }
    // There are but two modes: when both sides differ from the base they agree.
    let mode = if our_mode == base_mode { their_mode } else { our_mode };
    let base_id = before.map(|(id, _)| id);
    if our_id == their_id || base_id == Some(their_id) {
        return Ok(Merged::Clean(Some((our_id, mode))));
    }
    if base_id == Some(our_id) {
        return Ok(Merged::Clean(Some((their_id, mode))));
    }
    let base = base_id.map_or(Ok(Vec::new()), |id| content(repo, id))?;
    let (ours, theirs) = (content(repo, our_id)?, content(repo, their_id)?);
    if ours == base {
        return Ok(Merged::Clean(Some((their_id, mode))));
    }
    match lines(&base, &ours, &theirs)? {
        None => Ok(Merged::Overlap),
        Some(text) => {
            let id = repo.blob(&text).map_err(doing("store a file"))?;
            Ok(Merged::Clean(Some((id, mode))))
        }
    }
}

fn content(repo: &Repository, id: Oid) -> Result<Vec<u8>, Error> {
    match repo.find_blob(id) {
        Ok(blob) => Ok(blob.content().to_vec()),
        Err(error) if error.code() == ErrorCode::NotFound && id.to_string() == EMPTY_BLOB => Ok(Vec::new()),
        Err(error) => Err(doing("read a staged file")(error)),
    }
}

/// None when the changes overlap or one of the three is not text.
fn lines(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    if [base, ours, theirs].iter().any(|side| side.contains(&0)) {
        return Ok(None);
    }
    let [mut from, mut left, mut right] = [(); 3].map(|()| MergeFileInput::new());
    let merged = git2::merge_file(from.content(base), left.content(ours), right.content(theirs), None)
        .map_err(doing("merge with what is staged"))?;
    Ok(merged.is_automergeable().then(|| merged.content().to_vec()))
}
