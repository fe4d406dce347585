//! What single programs do, as far as it matters to [`super::commands`]: tables, and the few whose options decide.

use super::commands::Kind;
use super::commands::Word;
use super::git_commands;

/// Programs that run a shell script.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];

/// Programs that run a script which is not shell.
pub(super) const INTERPRETERS: &[&str] = &[
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "osascript",
    "pwsh",
    "powershell",
];

/// Wrappers with their options that take a value in the next word.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("env", &["-u", "-C", "--unset", "--chdir"]),
    (
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group",
        ],
    ),
    ("doas", &["-u", "-C"]),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"]),
    ("nice", &["-n", "--adjustment"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("time", &["-f", "-o"]),
    ("watch", &["-n", "--interval"]),
    (
        "xargs",
        &[
            "-n",
            "-I",
            "-P",
            "-L",
            "-d",
            "-s",
            "-a",
            "-E",
            "--max-args",
            "--max-procs",
            "--delimiter",
        ],
    ),
    ("parallel", &["-j", "--jobs"]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("command", &[]),
    ("builtin", &[]),
    ("exec", &["-a"]),
    ("unbuffer", &[]),
    ("strace", &["-o", "-e", "-p"]),
    ("caffeinate", &["-t", "-w"]),
];

const NETWORK: &[&str] = &[
    "curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "sftp", "ftp", "telnet", "http", "https", "xh", "aria2c",
    "aws", "gcloud", "az", "gh", "glab", "kubectl", "helm", "lynx", "socat", "rclone", "ping", "dig", "nslookup",
];

const SYSTEM: &[&str] = &[
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "kill",
    "killall",
    "pkill",
    "systemctl",
    "service",
    "launchctl",
    "mkfs",
    "fdisk",
    "parted",
    "mount",
    "umount",
    "crontab",
    "useradd",
    "userdel",
    "usermod",
    "passwd",
    "visudo",
    "iptables",
    "ufw",
    "sysctl",
    "dd",
    "chown",
    "chgrp",
    "insmod",
    "modprobe",
    "defaults",
];

/// Package tools, and their words that bring software in.
const INSTALLERS: &[(&str, &[&str])] = &[
    ("pip", &["install", "download"]),
    ("pip3", &["install", "download"]),
    ("pipx", &["install", "run", "inject"]),
    ("uv", &["add", "pip", "sync", "tool", "python"]),
    ("uvx", &[]),
    ("poetry", &["add", "install", "update", "self"]),
    ("conda", &["install", "create", "update", "env"]),
    ("mamba", &["install", "create", "update", "env"]),
    (
        "npm",
        &["install", "i", "add", "ci", "update", "exec", "x", "init", "create"],
    ),
    ("pnpm", &["install", "i", "add", "update", "dlx", "create"]),
    ("yarn", &["install", "add", "up", "upgrade", "dlx", "global", "create"]),
    ("bun", &["install", "i", "add", "update", "x", "create"]),
    ("npx", &[]),
    ("bunx", &[]),
    ("pnpx", &[]),
    ("cargo", &["install", "add", "update", "binstall"]),
    ("rustup", &[]),
    ("go", &["install", "get"]),
    ("gem", &["install", "update"]),
    ("bundle", &["install", "update", "add"]),
    ("composer", &["install", "require", "update", "global"]),
    ("dotnet", &["add", "restore", "tool", "workload"]),
    ("brew", &["install", "upgrade", "tap", "reinstall"]),
    ("apt", &["install", "upgrade", "update", "full-upgrade"]),
    ("apt-get", &["install", "upgrade", "update", "dist-upgrade"]),
    ("dnf", &["install", "upgrade", "update"]),
    ("yum", &["install", "upgrade", "update"]),
    ("zypper", &["install", "in", "update", "up"]),
    ("apk", &["add", "upgrade"]),
    ("pacman", &["-S", "-Sy", "-Syu", "-U"]),
    ("snap", &["install", "refresh"]),
    ("flatpak", &["install", "update"]),
    ("nix-env", &[]),
    ("nix", &["profile", "run", "shell"]),
    ("asdf", &["install", "plugin"]),
    ("make", &["install"]),
    ("choco", &["install", "upgrade"]),
    ("winget", &["install", "upgrade"]),
    ("scoop", &["install", "update"]),
];

/// The kinds of one program with its arguments, wrapped commands left out. `name` comes without its folder.
pub(super) fn kinds(name: &str, args: &[Word]) -> Vec<Kind> {
    let mut found = Vec::new();
    let plain: Vec<&str> = args.iter().flatten().map(String::as_str).collect();
    let first = plain
        .iter()
        .find(|word| !word.starts_with('-'))
        .copied()
        .unwrap_or_default();
    match name {
        "rm" | "unlink" | "shred" | "rmdir" | "trash" | "truncate" => found.push(Kind::DeletesFiles),
        "git" => git_commands::kinds(args, &mut found),
        "find" if plain.contains(&"-delete") => found.push(Kind::DeletesFiles),
        "sudo" | "doas" | "su" | "pkexec" | "runas" => found.push(Kind::Superuser),
        "rsync" => {
            if plain.iter().any(|word| word.starts_with("--delete")) {
                found.push(Kind::DeletesFiles);
            }
            if plain.iter().any(|word| !word.starts_with('-') && word.contains(':')) {
                found.push(Kind::UsesNetwork);
            }
        }
        "docker" | "podman" => {
            if matches!(
                first,
                "pull" | "push" | "login" | "build" | "run" | "compose" | "buildx"
            ) {
                found.push(Kind::UsesNetwork);
            }
            if matches!(first, "rm" | "rmi" | "prune" | "system" | "volume") {
                found.push(Kind::ChangesSystem);
            }
        }
        "python" | "python3"
            if plain
                .windows(3)
                .any(|w| w[0] == "-m" && w[1] == "pip" && w[2] != "list") =>
        {
            found.push(Kind::Installs);
        }
        _ => {}
    }
    if INTERPRETERS.contains(&name) && plain.iter().any(|word| matches!(*word, "-c" | "-e" | "-r" | "--eval")) {
        found.push(Kind::CannotBeRead);
    }
    if NETWORK.contains(&name) {
        found.push(Kind::UsesNetwork);
    }
    if SYSTEM.contains(&name) || name.starts_with("mkfs.") {
        found.push(Kind::ChangesSystem);
    }
    if let Some((_, words)) = INSTALLERS.iter().find(|(tool, _)| *tool == name) {
        let is_bare_yarn = name == "yarn" && plain.is_empty();
        let by_option = words.iter().any(|word| word.starts_with('-') && plain.contains(word));
        if words.is_empty() || words.contains(&first) || by_option || is_bare_yarn {
            found.push(Kind::Installs);
        }
    }
    found
}

/// The commands that `find` runs on what it finds.
pub(super) fn run_by_find(args: &[Word]) -> Vec<&[Word]> {
    let mut commands = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        if matches!(arg.as_deref(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
            let rest = &args[at + 1..];
            let end = rest.iter().position(|word| matches!(word.as_deref(), Some(";" | "+")));
            commands.push(&rest[..end.unwrap_or(rest.len())]);
        }
    }
    commands
}

/// The script in `sh -c SCRIPT`; None without `-c`, None inside when it is computed.
pub(super) fn script_of_shell(args: &[Word]) -> Option<Option<&str>> {
    let at = args.iter().position(|word| {
        word.as_deref()
            .is_some_and(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))
    })?;
    args.get(at + 1).map(Option::as_deref)
}

/// The command that a wrapper runs; None when the first word is no wrapper or wraps nothing.
pub(super) fn wrapped(words: &[Word]) -> Option<&[Word]> {
    let name = words.first()?.as_deref()?;
    let (wrapper, takes_value) = WRAPPERS
        .iter()
        .find(|(wrapper, _)| *wrapper == name.rsplit('/').next().unwrap_or(name))?;
    let mut at = 1;
    while let Some(Some(word)) = words.get(at) {
        if takes_value.contains(&word.as_str()) {
            at += 2;
        } else if (word.starts_with('-') && word.len() > 1)
            || (matches!(*wrapper, "env" | "sudo" | "doas") && word.contains('='))
        {
            at += 1;
        } else {
            break;
        }
    }
    // `command -v x` only asks.
    let only_asks = *wrapper == "command" && words[1..at].iter().flatten().any(|word| word == "-v" || word == "-V");
    if only_asks {
        return None;
    }
    if *wrapper == "timeout" {
        at += 1;
    }
    words.get(at..).filter(|inner| !inner.is_empty())
}
