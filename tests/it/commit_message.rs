//! What models answer when asked for a commit message, and what becomes of it.

use codriver::commit_message::clean;

use crate::support::check_all;
use crate::support::expect_file;

#[test]
fn replies_become_messages() {
    check_all("commit_message", |case| {
        let reply = std::fs::read_to_string(case.join("reply.txt")).map_err(|error| error.to_string())?;
        let message = clean(&reply).unwrap_or_else(|| "(none)".to_string());
        expect_file(&case.join("message.txt"), &format!("{message}\n"))
    });
}
