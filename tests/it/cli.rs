//! The command line through the real binary: help, settings, exit codes, closed pipes.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// codriver in a folder of its own, without the user's environment.
fn codriver(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codriver"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

fn run(arguments: &[&str]) -> Output {
    codriver(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn settings_file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[test]
fn version_and_help_are_no_errors() {
    let version = run(&["--version"]);
    assert_eq!(stdout(&version), format!("codriver {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(version.status.code(), Some(0));
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    let text = stdout(&help);
    for part in [
        "--model",
        "--no-auto-commits",
        "--yes-always",
        "Exit codes:",
        "130  interrupted",
        "apply",
        "demo",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    // Only the half of a switch that changes something is shown.
    assert!(!text.contains("  --auto-commits"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_misspelt_flag_is_named_with_its_neighbour() {
    let output = run(&["--modle", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--model"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}

#[test]
fn show_config_tells_where_values_come_from_and_no_keys() {
    let file = settings_file("model = 'from-file'\nauto-test = true\n[api-key]\ngroq = 'topsecret1'\n");
    let path = file.path().to_str().unwrap();
    let output = codriver(&[
        "--config",
        path,
        "--show-config",
        "--no-git",
        "--openai-api-key",
        "topsecret2",
    ])
    .env("CODRIVER_MODEL", "from-variable")
    .output()
    .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let line = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{key} "))).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("model"), "model from-variable CODRIVER_MODEL");
    assert_eq!(line("auto-test"), format!("auto-test true {path}:2"));
    assert_eq!(line("git"), "git false command line");
    assert_eq!(line("stream"), "stream true default");
    assert_eq!(line("openai-api-key"), "openai-api-key (hidden) command line");
    assert!(!text.contains("topsecret"), "{text}");
}

#[test]
fn wrong_settings_end_with_code_2_the_line_and_a_hint() {
    let file = settings_file("\n\nmodle = 'x'\n");
    let path = file.path().to_str().unwrap();
    let output = run(&["--config", path, "--show-config"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        format!("error: {path}:3: unknown setting `modle`\nhint: did you mean `model`?\n")
    );
    let missing = run(&["--config", "/does/not/exist", "--show-config"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("`/does/not/exist`") || stderr(&missing).contains("/does/not/exist:"));
}

#[test]
fn completions_and_the_manual_page_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("no-auto-commits"), "{shell}");
    }
    let manual = stdout(&run(&["man"]));
    assert!(
        manual.contains(".TH codriver") || manual.contains(".TH \"codriver\"") || manual.contains(".TH Codriver"),
        "{manual}"
    );
    assert!(manual.contains("dry\\-run"), "{manual}");
}

#[test]
fn bash_takes_the_completion_script() {
    let script = stdout(&run(&["completions", "bash"]));
    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!(
            "set -o pipefail; '{}' man | head -n 1",
            env!("CARGO_BIN_EXE_codriver")
        ))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn what_is_not_there_is_named_with_a_way_on() {
    let home = tempfile::tempdir().unwrap();
    let told = |arguments: &[&str]| {
        let output = codriver(arguments)
            .env("HOME", home.path())
            .current_dir(home.path())
            .output()
            .unwrap();
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    for (arguments, part) in [
        (
            &["--test", "--model", "ollama/x"][..],
            "error: `--test`: no test command is set (`--test-cmd COMMAND`",
        ),
        (&["--load", "nofile"], "error: `--load nofile`: there is no such file"),
        (&["--max-time", "5x"], "error: --max-time: `5x` is not a time"),
        (
            &["--model", "nosuch/foo", "-m", "hi"],
            "hint: models are named `provider/model`",
        ),
        (
            &["--model", "openai/gpt-5", "-m", "hi"],
            "hint: `codriver keys set PROVIDER` keeps a key",
        ),
        (&["keys", "set", "openai"], "error: no key was given for `openai`"),
    ] {
        let (code, text) = told(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(part), "{text}");
    }
    let (code, text) = told(&["keys"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("No key was found"), "{text}");
}

#[test]
fn a_reply_without_edits_is_said_to_hold_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("reply.md"), "Nothing to do.\n").unwrap();
    let output = codriver(&["apply", "reply.md"])
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stderr(&output),
        "warning: the reply holds no edit, so nothing was changed\n"
    );
}

#[test]
fn own_queries_extend_or_replace_ours_and_a_wrong_one_is_named() {
    let place = tempfile::tempdir().unwrap();
    let config = place.path().join("config");
    std::fs::create_dir(place.path().join("repo")).unwrap();
    std::fs::write(
        place.path().join("repo/a.py"),
        "import x\n\nroute('/orders')\n\ndef f(a):\n    pass\n",
    )
    .unwrap();
    std::fs::write(place.path().join("repo/b.pony"), "actor Main\n  be stop() => None\n").unwrap();
    let map = |query: Option<(&str, &str)>| {
        let _ = std::fs::remove_dir_all(&config);
        if let Some((file, text)) = query {
            let path = config.join("queries").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let output = codriver(&["map", "--root", "repo"])
            .current_dir(place.path())
            .env("CODRIVER_CONFIG_DIR", &config)
            .env("CODRIVER_CACHE_DIR", place.path().join("cache"))
            .output()
            .unwrap();
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (_, text, _) = map(None);
    assert!(text.contains("def f(a)") && text.contains("actor Main"), "{text}");
    let route = "((call function: (identifier) @_m arguments: (argument_list . (string) @name)) @definition.function (#eq? @_m \"route\"))";
    let (_, text, _) = map(Some(("python/tags.scm", route)));
    assert!(
        text.contains("route('/orders')") && !text.contains("def f(a)"),
        "{text}"
    );
    let (_, text, _) = map(Some(("python/tags.scm", &format!("; extends\n{route}"))));
    assert!(text.contains("route('/orders')") && text.contains("def f(a)"), "{text}");
    let (_, text, _) = map(Some(("pony/outline.txt", "method \\s+be\\s+(?<name>\\w+)")));
    assert!(text.contains("be stop()") && !text.contains("actor Main"), "{text}");
    for (file, wrong, why) in [
        ("python/tags.scm", "(nonsense) @name", "nonsense"),
        ("python/tags.scm", "(identifier) @nam", "unknown capture `@nam`"),
        ("pony/outline.txt", "# Pony\nklass x", "line 2: unknown kind `klass`"),
        ("klingon/tags.scm", "", "no language is called `klingon`"),
        ("pony/tags.scm", "", "holds no `outline.txt`"),
    ] {
        let (code, _, error) = map(Some((file, wrong)));
        assert_eq!(code, Some(2), "{error}");
        let folder = file.split('/').next().unwrap();
        assert!(error.contains(folder) && error.contains(why), "{file}: {error}");
    }
}
