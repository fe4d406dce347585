//! Finds what a running command started, also what left its process group (a server started in a session of its own).
//! On Linux only; elsewhere the group is all that can be ended.

use rustix::process::Pid;

/// Processes whose line of parents leads to `leader`, without itself. Those whose parent has ended are adopted by the
/// system and cannot be told any more.
#[cfg(target_os = "linux")]
pub(super) fn of(leader: Pid) -> Vec<Pid> {
    let parents: Vec<(i32, i32)> = std::fs::read_dir("/proc")
        .map(|entries| {
            entries
                .flatten()
                .filter_map(|entry| with_parent(&entry.path()))
                .collect()
        })
        .unwrap_or_default();
    let mut found = vec![leader.as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found.into_iter().skip(1).filter_map(Pid::from_raw).collect()
}

/// Reads proc(5), `/proc/PID/stat`: `PID (name) state PPID ...`, where the name may hold anything.
#[cfg(target_os = "linux")]
fn with_parent(folder: &std::path::Path) -> Option<(i32, i32)> {
    let pid = folder.file_name()?.to_str()?.parse().ok()?;
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    Some((pid, parent))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn of(_: Pid) -> Vec<Pid> {
    Vec::new()
}
