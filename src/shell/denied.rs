//! Reads in the output of a command that failed in a sandbox whether the sandbox may be the reason. Values in, values out.

/// What the output speaks of; the sandbox may be the reason, but need not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Denied {
    /// Something was not permitted: a write, or a signal to a process outside.
    pub write: bool,
    /// There was no connection, and none was allowed.
    pub network: bool,
    /// A program that works as another user (`sudo`) could not.
    pub rights: bool,
}

/// How programs say that the system did not permit something, in lower case.
const NOT_PERMITTED: &[&str] = &[
    "permission denied",
    "permissiondenied",
    "permissionerror",
    "accessdenied",
    "access denied",
    "access is denied",
    "access to the path",
    "eacces",
    "errno 13",
    "os error 13",
    "operation not permitted",
    "eperm",
    "read-only file system",
    "erofs",
    // A move into a folder that may not be written is refused like one between disks.
    "cross-device link",
    "exdev",
];

/// How they say that there is no network; many do not tell why a connection failed.
const NO_NETWORK: &[&str] = &["connect", "network", "could not resolve", "offline"];

/// How they say that rights could not be had.
const NO_RIGHTS: &[&str] = &["no new privileges", "effective uid is not 0", "must be setuid"];

/// What the output speaks of; None when it is nothing that a sandbox does.
pub(super) fn read(output: &str, network_was_allowed: bool) -> Option<Denied> {
    let output = output.to_lowercase();
    let speaks_of = |words: &[&str]| words.iter().any(|word| output.contains(word));
    let denied = Denied {
        write: speaks_of(NOT_PERMITTED),
        network: !network_was_allowed && (speaks_of(NO_NETWORK) || speaks_of(NOT_PERMITTED)),
        rights: speaks_of(NO_RIGHTS),
    };
    (denied != Denied::default()).then_some(denied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_usual_programs_are_known() {
        let denied = [
            "sh: 1: cannot create /opt/x: Permission denied",
            "PermissionError: [Errno 13] Permission denied: '/opt/x'",
            "Error: EACCES: permission denied, open '/opt/x'",
            "Os { code: 13, kind: PermissionDenied, message: \"Permission denied\" }",
            "java.nio.file.AccessDeniedException: /opt/x",
            "System.UnauthorizedAccessException: Access to the path '/opt/x' is denied.",
            "open /opt/x: permission denied",
            "Error: EXDEV: cross-device link not permitted, rename 'a' -> '/opt/a'",
            "kill: (1) - Operation not permitted",
        ];
        for output in denied {
            assert!(read(output, true).is_some_and(|denied| denied.write), "{output}");
        }
    }

    #[test]
    fn a_failed_connection_counts_only_where_none_was_allowed() {
        let output = "curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms: Could not connect to server";
        assert_eq!(read(output, true), None);
        let denied = read(output, false).unwrap();
        assert!(denied.network && !denied.write);
        assert!(read("connect EACCES 10.0.0.1:443", false).unwrap().network);
    }

    #[test]
    fn sudo_is_told_apart() {
        let output = "sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.";
        assert!(read(output, true).unwrap().rights);
    }

    #[test]
    fn other_failures_are_none() {
        assert_eq!(read("assert 1 == 2\nFAILED test_a", true), None);
        assert_eq!(read("error[E0308]: mismatched types", false), None);
    }
}
