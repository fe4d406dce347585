//! What codriver keeps for itself, outside the user's repository: sessions, input history, cached tags, what the
//! user decided about a project.

pub mod keyring;
pub mod map_snapshot;
mod session_file;
mod session_log;
pub mod sessions;
pub mod state_dir;
pub mod tag_cache;
pub mod trust;
