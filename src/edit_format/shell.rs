//! Shell blocks: fenced scripts that the model suggests to run. They are never edits.

use super::ShellSuggestion;
use super::lines::Line;

/// Words on a fence line that mean a shell.
#[rustfmt::skip]
const SHELLS: &[&str] = &[
    "bash", "sh", "shell", "zsh", "ksh", "fish", "csh", "tcsh", "dash", "cmd", "bat", "batch", "powershell",
    "pwsh", "ps1", "console", "terminal", "shell-session", "shellsession", "shellscript",
];

/// Of those, the ones that quote a terminal: prompts, commands and their output.
const TRANSCRIPTS: &[&str] = &["console", "terminal", "shell-session", "shellsession"];

/// The shell that a fence line names.
pub(super) fn shell_of(info: &str) -> Option<&str> {
    let word = info
        .split(|c: char| c.is_whitespace() || matches!(c, '{' | ',' | ':'))
        .next()?;
    SHELLS
        .iter()
        .any(|shell| word.eq_ignore_ascii_case(shell))
        .then_some(word)
}

/// One fenced block as one script, comments and here-documents intact. None when it runs nothing.
pub(super) fn suggestion(shell: &str, content: &[Line<'_>]) -> Option<ShellSuggestion> {
    let shell = shell.to_ascii_lowercase();
    let texts: Vec<&str> = content.iter().map(|line| line.text).collect();
    let typed = if TRANSCRIPTS.contains(&shell.as_str()) {
        typed_lines(&texts)
    } else {
        None
    };
    let script = typed.unwrap_or(texts).join("\n");
    let script = script.trim_matches('\n').trim_end();
    let runs_something = script
        .lines()
        .map(str::trim)
        .any(|line| !line.is_empty() && !line.starts_with('#'));
    runs_something.then(|| ShellSuggestion {
        shell,
        script: script.to_string(),
    })
}

/// What was typed in a quoted terminal: the lines behind prompts, with their continuations. None without prompts.
fn typed_lines<'a>(texts: &[&'a str]) -> Option<Vec<&'a str>> {
    let mut typed: Vec<&str> = Vec::new();
    let mut goes_on = false;
    for text in texts {
        let command = ["$ ", "% ", "PS> "]
            .iter()
            .find_map(|prompt| text.trim_start().strip_prefix(prompt));
        let line = match command {
            Some(command) => command,
            None if goes_on => text.strip_prefix("> ").unwrap_or(text),
            None => continue,
        };
        goes_on = line.ends_with('\\');
        typed.push(line);
    }
    (!typed.is_empty()).then_some(typed)
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_fence_line_names_the_shell() {
        assert_eq!(shell_of("bash"), Some("bash"));
        assert_eq!(shell_of("PowerShell"), Some("PowerShell"));
        assert_eq!(shell_of("sh {.numberLines}"), Some("sh"));
        for other in ["", "python", "shader", "bashrc"] {
            assert_eq!(shell_of(other), None, "{other}");
        }
    }

    #[test]
    fn one_block_is_one_script() {
        let content = lines::split("# note\ncat > a <<EOF\nx\nEOF\n\n");
        let suggestion = suggestion("bash", &content).unwrap();
        assert_eq!(suggestion.script, "# note\ncat > a <<EOF\nx\nEOF");
    }

    #[test]
    fn a_transcript_gives_what_was_typed() {
        let content = lines::split("$ cargo test \\\n> --all\nrunning 3 tests\n$ ls\n");
        assert_eq!(
            suggestion("console", &content).unwrap().script,
            "cargo test \\\n--all\nls"
        );
        let plain = lines::split("npm install\n");
        assert_eq!(suggestion("console", &plain).unwrap().script, "npm install");
    }

    #[test]
    fn comments_alone_run_nothing() {
        assert_eq!(suggestion("sh", &lines::split("# nothing\n\n")), None);
    }
}
