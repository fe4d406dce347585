//! Records of files by content, shared by all projects, clones and processes: one SQLite database in the cache folder.
//! It can be thrown away at any time. Whatever is wrong with it (damaged, locked, read-only, full), the answer is the same: a new one, or
//! none at all, and one notice; never an error.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

/// Changes with the layout of the tables.
const SCHEMA: i32 = 1;
/// How long another process may hold the database.
const BUSY: Duration = Duration::from_millis(1500);
/// Bytes that records may take; the least recently used half goes when there is more.
const MAX_BYTES: i64 = 1 << 30;
const FILE: &str = "tags.sqlite";

/// The key of a record: a hash of content, language and versions.
pub type Key = [u8; 16];

/// An open cache; without a database it forgets everything at once.
pub struct TagCache {
    connection: Option<Connection>,
    path: PathBuf,
    notice: Option<String>,
    read_only: bool,
}

impl TagCache {
    /// Opens or makes the database in `dir`. Never fails.
    pub fn open(dir: &Path) -> Self {
        let mut cache = Self {
            connection: None,
            path: dir.join(FILE),
            notice: None,
            read_only: false,
        };
        let first = match Self::try_open(&cache.path) {
            Ok(connection) => {
                cache.connection = Some(connection);
                return cache;
            }
            Err(error) => error,
        };
        if is_damaged(&first) && cache.start_anew() {
            return cache;
        }
        if let Ok(connection) = Self::try_read_only(&cache.path) {
            cache.connection = Some(connection);
            cache.read_only = true;
        } else {
            cache.read_only = true;
            cache.notice = Some(format!(
                "the tag cache `{}` cannot be used ({first}); tags are kept in memory",
                cache.path.display()
            ));
        }
        cache
    }

    /// Throws a damaged database away and makes a new one. False when that cannot be done.
    fn start_anew(&mut self) -> bool {
        self.connection = None;
        for suffix in ["", "-wal", "-shm"] {
            let mut name = self.path.clone().into_os_string();
            name.push(suffix);
            let _ = std::fs::remove_file(PathBuf::from(name));
        }
        self.connection = Self::try_open(&self.path).ok();
        if self.connection.is_some() {
            let path = self.path.display();
            self.notice = Some(format!("the tag cache `{path}` was damaged and has been made anew"));
        }
        self.connection.is_some()
    }

    /// A cache that keeps nothing.
    pub fn none() -> Self {
        Self {
            connection: None,
            path: PathBuf::new(),
            notice: None,
            read_only: true,
        }
    }

    fn try_open(path: &Path) -> rusqlite::Result<Connection> {
        if let Some(dir) = path.parent() {
            let _ = std::fs::create_dir_all(dir);
        }
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // Waiting for the disk takes longer than parsing. What a power cut may leave behind is damage like any other.
        connection.pragma_update(None, "synchronous", "OFF")?;
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != SCHEMA {
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE;
                 DROP TABLE IF EXISTS records;
                 DROP TABLE IF EXISTS history;
                 CREATE TABLE records (key BLOB PRIMARY KEY, day INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
                 CREATE TABLE history (head TEXT PRIMARY KEY, day INTEGER NOT NULL, data BLOB NOT NULL);
                 PRAGMA user_version = {SCHEMA};
                 COMMIT;"
            ))?;
        }
        // Touches the tables, so that damage shows now and not in the middle of a scan.
        connection.query_row(
            "SELECT (SELECT count(*) FROM history) + (SELECT 1 FROM records LIMIT 1)",
            [],
            |_| Ok(()),
        )?;
        Ok(connection)
    }

    fn try_read_only(path: &Path) -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(BUSY)?;
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != SCHEMA {
            return Err(rusqlite::Error::QueryReturnedNoRows);
        }
        connection
            .query_row("SELECT 1 FROM records LIMIT 1", [], |_| Ok(()))
            .optional()?;
        Ok(connection)
    }

    /// What the user should know of, once.
    pub fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// The records of these keys, in their order; None for those that are not there.
    pub fn records(&mut self, keys: &[Key]) -> Vec<Option<Vec<u8>>> {
        let result = self.connection.as_ref().map(|connection| -> rusqlite::Result<_> {
            let transaction = connection.unchecked_transaction()?;
            let mut select = transaction.prepare("SELECT data FROM records WHERE key = ?1")?;
            keys.iter()
                .map(|key| select.query_row(params![key], |row| row.get(0)).optional())
                .collect()
        });
        self.or_give_up(result).unwrap_or_else(|| vec![None; keys.len()])
    }

    /// Keeps records. `day` is the date as a number of days; it decides what is dropped first.
    pub fn keep<T: AsRef<[u8]>>(&mut self, records: &[(Key, T)], day: i64) {
        if self.read_only || records.is_empty() {
            return;
        }
        let result = self.connection.as_ref().map(|connection| -> rusqlite::Result<_> {
            let transaction = connection.unchecked_transaction()?;
            {
                let mut insert =
                    transaction.prepare("INSERT OR REPLACE INTO records (key, day, data) VALUES (?1, ?2, ?3)")?;
                for (key, data) in records {
                    insert.execute(params![key, day, data.as_ref()])?;
                }
            }
            transaction.commit()?;
            shrink(connection)
        });
        self.or_give_up(result);
    }

    /// Marks records as used on this day, so that they stay.
    pub fn touch(&mut self, keys: &[Key], day: i64) {
        if self.read_only || keys.is_empty() {
            return;
        }
        let result = self.connection.as_ref().map(|connection| -> rusqlite::Result<_> {
            let transaction = connection.unchecked_transaction()?;
            {
                let mut update = transaction.prepare("UPDATE records SET day = ?2 WHERE key = ?1 AND day < ?2")?;
                for key in keys {
                    update.execute(params![key, day])?;
                }
            }
            transaction.commit()
        });
        self.or_give_up(result);
    }

    /// The history kept under a commit's id.
    pub fn history(&mut self, head: &str) -> Option<Vec<u8>> {
        let result = self.connection.as_ref().map(|connection| {
            connection
                .query_row("SELECT data FROM history WHERE head = ?1", params![head], |row| {
                    row.get(0)
                })
                .optional()
        });
        self.or_give_up(result).flatten()
    }

    pub fn keep_history(&mut self, head: &str, data: &[u8], day: i64) {
        if self.read_only {
            return;
        }
        let result = self.connection.as_ref().map(|connection| -> rusqlite::Result<_> {
            connection.execute(
                "INSERT OR REPLACE INTO history (head, day, data) VALUES (?1, ?2, ?3)",
                params![head, day, data],
            )?;
            connection.execute(
                "DELETE FROM history WHERE head NOT IN (SELECT head FROM history ORDER BY day DESC, rowid DESC LIMIT 500)",
                [],
            )
        });
        self.or_give_up(result);
    }

    /// Damage makes a new database; any other error ends the use of the database for this process. Either is told once.
    fn or_give_up<T>(&mut self, result: Option<rusqlite::Result<T>>) -> Option<T> {
        match result? {
            Ok(value) => Some(value),
            Err(error) if is_damaged(&error) && !self.read_only && self.start_anew() => None,
            Err(error) => {
                self.connection = None;
                self.notice = Some(format!("the tag cache failed ({error}); tags are kept in memory"));
                None
            }
        }
    }
}

/// Drops the least recently used half when there is too much.
fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    let size: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    if (pages - free) * size > MAX_BYTES {
        connection.execute(
            "DELETE FROM records WHERE key IN (SELECT key FROM records ORDER BY day, key LIMIT (SELECT count(*) / 2 FROM records))",
            [],
        )?;
    }
    Ok(())
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Key {
        [n; 16]
    }

    #[test]
    fn damage_anywhere_ends_in_a_usable_database() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let mut cache = TagCache::open(dir.path());
        cache.keep(&(0..60).map(|n| (key(n), [n; 1500])).collect::<Vec<_>>(), 1);
        cache.keep_history("head", b"commits", 1);
        drop(cache);
        let whole = std::fs::read(&path).unwrap();
        for page in 0..whole.len() / 4096 {
            let mut damaged = whole.clone();
            damaged[page * 4096..][..4096].fill(0x55);
            std::fs::write(&path, &damaged).unwrap();
            let mut cache = TagCache::open(dir.path());
            cache.records(&[key(3), key(30)]);
            // The first may be what finds the damage.
            cache.keep(&[(key(77), "new")], 2);
            cache.keep(&[(key(77), "new")], 2);
            drop(cache);
            let mut next = TagCache::open(dir.path());
            assert_eq!(next.take_notice(), None, "page {page}");
            assert_eq!(next.records(&[key(77)]), [Some(b"new".to_vec())], "page {page}");
        }
    }
}
