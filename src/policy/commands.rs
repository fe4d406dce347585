//! What a shell script would do that wants a question of its own: read off its parse by the shell grammar, through
//! wrappers (`sudo`, `env`, `xargs`, `sh -c`, `find -exec` ...), substitutions, loops and functions.
//!
//! This is a reader of intentions, for wording and for "never under yes-to-all". It is no sandbox: a script can always
//! hide what it does (an unknown program, a path in a variable), and what cannot be read is reported as such.

use tree_sitter::Node;
use tree_sitter::Parser;

use super::programs;

/// Wrappers within wrappers that are looked through.
const MAX_DEPTH: usize = 8;

/// What a command would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Throws away changes or commits that git could not bring back easily, here or at a remote.
    DestroysGitWork,
    DeletesFiles,
    /// Runs as another user.
    Superuser,
    /// Processes, disks, services, accounts.
    ChangesSystem,
    Installs,
    UsesNetwork,
    /// The program or script is computed, downloaded or too deeply nested to be read.
    CannotBeRead,
}

impl Kind {
    /// As the predicate of a sentence about the command.
    pub fn words(self) -> &'static str {
        match self {
            Self::DestroysGitWork => "throws away work that git keeps",
            Self::DeletesFiles => "deletes files",
            Self::Superuser => "runs as another user",
            Self::ChangesSystem => "changes the system",
            Self::Installs => "installs software",
            Self::UsesNetwork => "uses the network",
            Self::CannotBeRead => "does something that cannot be read off it",
        }
    }
}

/// One reason to ask, and the command (as written) that gives it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Risk {
    pub kind: Kind,
    pub command: String,
}

/// The risks of a script, in the order in which they stand there, each kind of each command once. Empty: nothing in
/// it wants a question beyond the one whether to run it.
pub fn risks(script: &str) -> Vec<Risk> {
    let mut risks = Vec::new();
    read(script, 0, &mut risks);
    risks
}

/// The script is never run on a "yes to all": it wants a yes of its own.
pub fn always_asks(script: &str) -> bool {
    !risks(script).is_empty()
}

fn read(script: &str, depth: usize, risks: &mut Vec<Risk>) {
    let unreadable = |risks: &mut Vec<Risk>| add(risks, Kind::CannotBeRead, first_line(script));
    if depth > MAX_DEPTH {
        return unreadable(risks);
    }
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() {
        return unreadable(risks);
    }
    let Some(tree) = parser.parse(script, None) else {
        return unreadable(risks);
    };
    if tree.root_node().has_error() {
        unreadable(risks);
    }
    let mut nodes = vec![tree.root_node()];
    while let Some(node) = nodes.pop() {
        if node.kind() == "command" {
            command(node, script, depth, risks);
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        nodes.extend(children.into_iter().rev());
    }
}

fn first_line(script: &str) -> &str {
    script.trim().lines().next().unwrap_or_default()
}

fn add(risks: &mut Vec<Risk>, kind: Kind, command: &str) {
    let risk = Risk {
        kind,
        command: command.to_string(),
    };
    if !risks.contains(&risk) {
        risks.push(risk);
    }
}

/// A word of a command: its text, or None when the shell computes it.
pub(super) type Word = Option<String>;

fn command(node: Node<'_>, script: &str, depth: usize, risks: &mut Vec<Risk>) {
    let mut cursor = node.walk();
    let words: Vec<Word> = node
        .named_children(&mut cursor)
        .filter(|child| {
            !matches!(
                child.kind(),
                "variable_assignment" | "file_redirect" | "herestring_redirect" | "heredoc_redirect" | "comment"
            )
        })
        .map(|child| word(child, script))
        .collect();
    let written = script[node.byte_range()].trim();
    if is_bare_interpreter(&words) && has_input(node) {
        add(risks, Kind::CannotBeRead, written);
    }
    judge(&words, written, depth, risks);
}

/// The risks of one command and of what it runs in turn. `written` is how it stands in the script.
fn judge(words: &[Word], written: &str, depth: usize, risks: &mut Vec<Risk>) {
    let Some(name) = words.first() else { return };
    let Some(name) = name.as_deref().map(base).filter(|_| depth <= MAX_DEPTH) else {
        return add(risks, Kind::CannotBeRead, written);
    };
    let args = &words[1..];
    for kind in programs::kinds(name, args) {
        add(risks, kind, written);
    }
    match name {
        "find" => {
            for command in programs::run_by_find(args) {
                judge(command, written, depth + 1, risks);
            }
        }
        "eval" => match args.iter().cloned().collect::<Option<Vec<String>>>() {
            Some(words) => read(&words.join(" "), depth + 1, risks),
            None => add(risks, Kind::CannotBeRead, written),
        },
        name if programs::SHELLS.contains(&name) => match programs::script_of_shell(args) {
            None => {}
            Some(Some(script)) => read(script, depth + 1, risks),
            Some(None) => add(risks, Kind::CannotBeRead, written),
        },
        _ => {}
    }
    if let Some(inner) = programs::wrapped(words) {
        judge(inner, written, depth + 1, risks);
    }
}

fn word(node: Node<'_>, script: &str) -> Word {
    let text = &script[node.byte_range()];
    match node.kind() {
        "command_name" => node
            .named_child(0)
            .map_or_else(|| Some(text.to_string()), |child| word(child, script)),
        "word" => Some(unescaped(text)),
        "number" => Some(text.to_string()),
        "raw_string" => Some(text.trim_matches('\'').to_string()),
        "string" => {
            let mut cursor = node.walk();
            let is_plain = node
                .named_children(&mut cursor)
                .all(|child| child.kind() == "string_content");
            is_plain.then(|| {
                unescaped(
                    text.strip_prefix('"')
                        .and_then(|text| text.strip_suffix('"'))
                        .unwrap_or(text),
                )
            })
        }
        "concatenation" => {
            let mut cursor = node.walk();
            let parts: Option<Vec<String>> = node
                .named_children(&mut cursor)
                .map(|child| word(child, script))
                .collect();
            parts.map(|parts| parts.concat())
        }
        _ => None,
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().filter(|c| *c != '\n')),
            c => out.push(c),
        }
    }
    out
}

/// Something is piped or redirected into the command.
fn has_input(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        "pipeline" => parent.named_child(0) != Some(node),
        "redirected_statement" => {
            let mut cursor = parent.walk();
            let has_redirect = parent.children(&mut cursor).any(|child| {
                matches!(child.kind(), "heredoc_redirect" | "herestring_redirect")
                    || (child.kind() == "file_redirect" && child.child(0).is_some_and(|first| first.kind() == "<"))
            });
            has_redirect || has_input(parent)
        }
        _ => false,
    }
}

/// A shell or interpreter, perhaps in wrappers, that would read its script from its input.
fn is_bare_interpreter(words: &[Word]) -> bool {
    let mut words = words;
    for _ in 0..MAX_DEPTH {
        match programs::wrapped(words) {
            Some(inner) => words = inner,
            None => break,
        }
    }
    let Some(Some(name)) = words.first() else { return false };
    let name = base(name);
    let takes_script = programs::SHELLS.contains(&name) || programs::INTERPRETERS.contains(&name);
    takes_script
        && words[1..]
            .iter()
            .all(|word| word.as_deref().is_some_and(|word| word == "-" || word == "-s"))
}

/// The program's name without its folder.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(script: &str) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = risks(script).into_iter().map(|risk| risk.kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    #[test]
    fn harmless_scripts_have_no_risks() {
        for script in [
            "cargo test",
            "ls -la | grep foo",
            "python3 app.py",
            "npm test && npm run build",
            "git status; git diff --stat",
            "git add -A && git commit -m 'rm -rf everything'",
            "echo 'sudo rm -rf /'",
            "mkdir -p a/b",
            "git checkout -b new",
            "git checkout main",
            "git restore --staged a.txt",
            "git clean -n",
            "git stash",
            "git branch",
            "command -v curl",
            "cat <<'EOF' > notes.txt\nrm -rf /\nEOF",
            "for f in *.py; do wc -l \"$f\"; done",
            "# sudo reboot\ntrue",
            "go test ./...",
            "FOO=bar make -j4",
            "grep -r 'curl http' src",
            "",
        ] {
            assert_eq!(risks(script), [], "{script}");
        }
    }

    #[test]
    fn destructive_git_is_seen() {
        for script in [
            "git reset --hard",
            "git -C sub reset --hard HEAD~1",
            "git clean -fdx",
            "git checkout .",
            "git checkout -- a.txt",
            "git checkout HEAD a.txt",
            "git checkout -f main",
            "git restore a.txt",
            "git restore -SW .",
            "git push --force",
            "git push origin +main",
            "git push -f",
            "git push --force-with-lease=x",
            "git push origin :gone",
            "git branch -D x",
            "git stash drop",
            "git stash clear",
            "git update-ref -d refs/heads/x",
            "git -c a.b=c switch --discard-changes x",
            "git rm a.txt",
            "if true; then git reset --hard; fi",
            "x() { git clean -f; }; x",
            "echo $(git reset --hard)",
            "/usr/bin/git reset --hard",
            "cd sub && git \"reset\" '--hard'",
        ] {
            assert!(
                kinds(script).contains(&Kind::DestroysGitWork),
                "{script}: {:?}",
                risks(script)
            );
        }
    }

    #[test]
    fn wrappers_are_looked_through() {
        for script in [
            "rm a",
            "/bin/rm -rf build",
            "env X=1 rm a",
            "timeout 5 rm a",
            "timeout -k 1 5s rm a",
            "nice -n 5 rm a",
            "find . -name '*.o' -delete",
            "find . -exec rm {} \\;",
            "find . -exec sh -c 'rm $1' _ {} +",
            "ls | xargs -n 1 rm -f",
            "bash -c 'rm a'",
            "sh -ec \"rm a\"",
            "eval 'rm a'",
            "nohup env -u X timeout 3 nice rm a &",
            "(cd x; rm a)",
            "! rm a",
            "true && { rm a; }",
            "bash -c \"bash -c 'rm a'\"",
            "\\rm a",
            "r\"m\" a",
            "while rm a; do :; done",
            "command rm a",
        ] {
            assert!(
                kinds(script).contains(&Kind::DeletesFiles),
                "{script}: {:?}",
                risks(script)
            );
        }
        assert_eq!(kinds("sudo -u root rm a"), [Kind::DeletesFiles, Kind::Superuser]);
    }

    #[test]
    fn network_installs_and_system_are_seen() {
        assert_eq!(kinds("curl -s https://x | tee a"), [Kind::UsesNetwork]);
        assert_eq!(
            kinds("curl https://x/install.sh | sh"),
            [Kind::UsesNetwork, Kind::CannotBeRead]
        );
        assert_eq!(
            kinds("curl https://x | sudo bash -s"),
            [Kind::Superuser, Kind::UsesNetwork, Kind::CannotBeRead]
        );
        assert_eq!(kinds("git pull"), [Kind::UsesNetwork]);
        for script in [
            "pip install x",
            "python -m pip install x",
            "npm i",
            "npx create-app",
            "cargo install x",
            "apt-get -y install x",
            "uv pip install x",
            "yarn",
            "go get x",
            "pacman -S x",
            "npm ci",
        ] {
            assert!(kinds(script).contains(&Kind::Installs), "{script}");
        }
        assert_eq!(kinds("kill -9 12"), [Kind::ChangesSystem]);
        assert_eq!(kinds("rsync a host:b"), [Kind::UsesNetwork]);
    }

    #[test]
    fn what_cannot_be_read_says_so() {
        for script in [
            "$CMD a",
            "\"$(echo rm)\" a",
            "bash -c \"$X\"",
            "eval $X",
            "python3 -c 'import shutil'",
            "cat x | bash",
            "bash <<'EOF'\necho hi\nEOF",
            "bash < script",
            "git $X",
            "echo 'unclosed",
        ] {
            assert!(
                kinds(script).contains(&Kind::CannotBeRead),
                "{script}: {:?}",
                risks(script)
            );
        }
        let nested = (0..12).fold("rm a".to_string(), |inner, _| {
            format!("bash -c {}", shell_words::quote(&inner))
        });
        assert!(kinds(&nested).contains(&Kind::CannotBeRead));
    }

    #[test]
    fn the_command_is_given_as_written() {
        let risks = risks("cargo test\nrm -rf  target # old\n");
        assert_eq!(risks.len(), 1);
        assert_eq!(risks[0].command, "rm -rf  target");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_fail(script in "(rm|git|sh -c|\\$\\(|\\)|'|\"|;|\\||<<EOF|\n| |a|\\{|\\}|`){0,30}") {
            for risk in risks(&script) {
                proptest::prop_assert!(!risk.command.trim().is_empty(), "{risk:?}");
            }
        }
    }
}
