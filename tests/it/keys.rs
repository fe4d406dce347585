//! `codriver keys` with a stand-in for `secret-tool`, and models that stand in for one another, through the real binary.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;

use tempfile::TempDir;

use crate::llm::server::Server;
use crate::llm::server::reply;
use crate::llm::server::response;

const KEY: &str = "sk-the-key-of-the-test-1234567890";

/// Files keys as `secret-tool` does, in the home.
const SECRET_TOOL: &str = r#"#!/bin/sh
case "$1" in
store) cat > "$HOME/ring-$6" ;;
lookup) cat "$HOME/ring-$5" 2>/dev/null ;;
clear) rm "$HOME/ring-$5" ;;
esac
"#;

struct Home(TempDir);

impl Home {
    fn new(with_keyring: bool) -> Self {
        let home = TempDir::new().unwrap();
        let bin = home.path().join("bin");
        fs::create_dir(&bin).unwrap();
        if with_keyring {
            let tool = bin.join("secret-tool");
            fs::write(&tool, SECRET_TOOL).unwrap();
            fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(home)
    }

    fn run(&self, arguments: &[&str], input: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
        let path = if self.0.path().join("bin/secret-tool").exists() {
            format!("{}:/usr/bin:/bin", self.0.path().join("bin").display())
        } else {
            self.0.path().join("bin").display().to_string()
        };
        let mut child = Command::new(env!("CARGO_BIN_EXE_codriver"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.0.path())
            .env("CODRIVER_STATE_DIR", self.0.path().join("state"))
            .env("CODRIVER_CACHE_DIR", self.0.path().join("cache"))
            .env("CODRIVER_CONFIG_DIR", self.0.path().join("config"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A process that ends early does not read it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        (
            status.code(),
            String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr),
        )
    }
}

#[test]
fn a_key_in_the_keyring_is_used_and_never_shown() {
    let home = Home::new(true);
    let (code, told) = home.run(&["keys", "set", "groq"], &format!("{KEY}\n"), &[]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told, "The key for groq is in the system's keyring as GROQ_API_KEY.\n");
    assert_eq!(
        fs::read_to_string(home.0.path().join("ring-GROQ_API_KEY")).unwrap(),
        KEY
    );
    let (_, listed) = home.run(&["keys"], "", &[("MISTRAL_API_KEY", "mistral-key")]);
    assert!(
        listed.contains("groq              GROQ_API_KEY                  keyring\n"),
        "{listed}"
    );
    assert!(
        listed.contains("mistral           MISTRAL_API_KEY               environment\n"),
        "{listed}"
    );
    assert!(!listed.contains(KEY) && !listed.contains("mistral-key"));
    let (_, models) = home.run(&["models", "groq/openai/gpt-oss-120b", "--json"], "", &[]);
    assert!(models.contains(r#""has_key":true"#), "{models}");

    let server = Server::start(vec![reply("hello")]);
    let variables = [("GROQ_API_BASE", server.url.as_str())];
    let arguments = [
        "--no-git",
        "--model",
        "groq/openai/gpt-oss-120b",
        "--chat-mode",
        "ask",
        "-m",
        "hi",
    ];
    let (code, told) = home.run(&arguments, "", &variables);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(server.seen()[0].header("authorization"), Some(format!("Bearer {KEY}")));
    assert!(!told.contains(KEY));

    assert_eq!(home.run(&["keys", "remove", "groq"], "", &[]).0, Some(0));
    assert_eq!(home.run(&["keys", "remove", "groq"], "", &[]).0, Some(1));
    assert!(!home.0.path().join("ring-GROQ_API_KEY").exists());
}

#[test]
fn without_a_keyring_the_way_on_is_told() {
    let home = Home::new(false);
    let (code, told) = home.run(&["keys", "set", "openai"], KEY, &[]);
    assert_eq!(code, Some(2));
    assert!(told.contains("the key for `openai` was not kept"), "{told}");
    let (code, told) = home.run(&["keys", "set", "nobody"], KEY, &[]);
    assert_eq!(code, Some(2));
    assert!(
        told.contains("no provider with a key is called `nobody`") && told.contains("anthropic"),
        "{told}"
    );
    assert!(!told.contains(KEY));
}

#[test]
fn a_model_that_stands_in_is_told_of() {
    let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let server = Server::start(vec![
        response("429 Too Many Requests", "", quota),
        reply("from the other"),
    ]);
    let home = Home::new(false);
    let variables = [("OPENAI_API_BASE", server.url.as_str()), ("OPENAI_API_KEY", KEY)];
    let arguments = [
        "--no-git",
        "--model",
        "openai/gpt-4o",
        "--fallback-model",
        "openai/gpt-4.1",
        "--chat-mode",
        "ask",
        "-m",
        "hi",
    ];
    let (code, told) = home.run(&arguments, "", &variables);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("`openai/gpt-4.1` is asked instead") && told.contains("from the other"),
        "{told}"
    );
    let asked: Vec<_> = server.seen().iter().map(|seen| seen.json()["model"].clone()).collect();
    assert_eq!(asked, ["gpt-4o", "gpt-4.1"]);

    let (code, told) = home.run(
        &[
            "--model",
            "openai/gpt-4o",
            "--fallback-model",
            "nobody/knows",
            "-m",
            "hi",
        ],
        "",
        &variables,
    );
    assert_eq!(code, Some(2));
    assert!(
        told.contains("the fall-back model `nobody/knows` cannot be used"),
        "{told}"
    );
}
