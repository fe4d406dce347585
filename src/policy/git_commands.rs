//! Which calls of git throw work away or reach out, for [`super::commands`].

use super::commands::Kind;
use super::commands::Word;

/// Options of git itself that take a value in the next word.
const GIT_OPTIONS_WITH_VALUE: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// Adds what a call of git would do.
pub(super) fn kinds(args: &[Word], found: &mut Vec<Kind>) {
    let mut at = 0;
    while let Some(Some(word)) = args.get(at) {
        if GIT_OPTIONS_WITH_VALUE.contains(&word.as_str()) {
            at += 2;
        } else if word.starts_with('-') {
            at += 1;
        } else {
            break;
        }
    }
    let Some(word) = args.get(at) else { return };
    let Some(word) = word else {
        found.push(Kind::CannotBeRead);
        return;
    };
    let rest: Vec<&str> = args[at + 1..].iter().flatten().map(String::as_str).collect();
    // Options may be written together (`-fd`).
    let has = |long: &[&str], short: char| {
        rest.iter().take_while(|word| **word != "--").any(|word| {
            long.iter()
                .any(|long| *word == *long || word.starts_with(&format!("{long}=")))
                || (short != ' ' && word.starts_with('-') && !word.starts_with("--") && word.contains(short))
        })
    };
    let operands: Vec<&str> = rest.iter().filter(|word| !word.starts_with('-')).copied().collect();
    let destroys = match word.as_str() {
        "reset" => has(&["--hard", "--merge", "--keep"], ' '),
        "clean" => !has(&["--dry-run"], 'n'),
        "checkout" => {
            has(&["--force"], 'f')
                || rest.contains(&"--")
                || operands.iter().any(|word| *word == "." || word.starts_with("./") || word.starts_with(":/"))
                // A tree and a path.
                || (operands.len() > 1 && !has(&[], 'b') && !has(&[], 'B'))
                || has(&[], 'B')
        }
        "restore" => !has(&["--staged"], 'S') || has(&["--worktree"], 'W'),
        "switch" => has(&["--force", "--discard-changes"], 'f') || has(&["--force-create"], 'C'),
        "push" => {
            has(
                &["--force", "--force-with-lease", "--delete", "--mirror", "--prune"],
                'f',
            ) || has(&[], 'd')
                || operands
                    .iter()
                    .any(|word| word.starts_with('+') || word.starts_with(':'))
        }
        "branch" => has(&["--force"], 'D') || has(&["--delete"], 'd') || has(&[], 'f') || has(&[], 'M'),
        "tag" => has(&["--delete", "--force"], 'd') || has(&[], 'f'),
        "stash" => matches!(operands.first(), Some(&"drop" | &"clear")),
        "rm" => !has(&["--cached", "--dry-run"], 'n'),
        "reflog" => matches!(operands.first(), Some(&"expire" | &"delete")),
        "gc" => has(&["--prune"], ' '),
        "prune" | "filter-branch" | "filter-repo" => true,
        "update-ref" => has(&[], 'd'),
        "worktree" => operands.first() == Some(&"remove"),
        "submodule" => operands.first() == Some(&"deinit"),
        "read-tree" | "checkout-index" => true,
        _ => false,
    };
    if destroys {
        found.push(Kind::DestroysGitWork);
    }
    let is_remote_update = word == "remote" && matches!(operands.first(), Some(&"update" | &"prune" | &"show"));
    let is_submodule_fetch = word == "submodule" && matches!(operands.first(), Some(&"update" | &"add" | &"sync"));
    if matches!(word.as_str(), "push" | "fetch" | "pull" | "clone" | "ls-remote" | "lfs")
        || is_remote_update
        || is_submodule_fetch
    {
        found.push(Kind::UsesNetwork);
    }
    // Settings for one call, and aliases, can run any program.
    if args[..at]
        .iter()
        .flatten()
        .any(|word| word.contains("alias.") || word.contains("core.sshCommand") || word.contains("core.fsmonitor"))
    {
        found.push(Kind::CannotBeRead);
    }
}
