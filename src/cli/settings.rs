//! Every setting: one row here is its field in [`Config`], its flag, its `CODRIVER_*` variable and its key in
//! `config.toml`. To add one, add a row and use the field.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::de::DeValue;

/// How a setting is given on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// `--key` and `--no-key`.
    Switch,
    /// `--key VALUE`.
    One,
    /// `--key VALUE`, as often as wanted.
    Many,
}

/// The type of a setting: how it is read and shown.
pub trait Kind: Sized {
    const TAKES: Takes;
    /// The words that are allowed, when they are few.
    const CHOICES: &'static [&'static str] = &[];
    /// What stands between name and value when the settings file gives a table.
    const PAIR: &'static str = ": ";

    /// Reads what a flag (one text per use) or a variable (one text per line) gives, on top of what is there.
    fn read(&mut self, texts: &[String]) -> Result<(), String>;

    /// As it is shown; None when it is not set.
    fn show(&self) -> Option<String>;

    /// As it is shown with secrets hidden.
    fn show_hidden(&self) -> Option<String> {
        self.show().map(|_| HIDDEN.to_string())
    }
}

const HIDDEN: &str = "(hidden)";

impl Kind for bool {
    const TAKES: Takes = Takes::Switch;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        let text = single(texts)?;
        *self = match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => true,
            "false" | "no" | "off" | "0" => false,
            _ => return Err(format!("`{text}` is neither `true` nor `false`")),
        };
        Ok(())
    }

    fn show(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Kind for u64 {
    const TAKES: Takes = Takes::One;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        *self = whole_number(single(texts)?)?;
        Ok(())
    }

    fn show(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Kind for Option<u64> {
    const TAKES: Takes = Takes::One;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        *self = Some(whole_number(single(texts)?)?);
        Ok(())
    }

    fn show(&self) -> Option<String> {
        self.map(|n| n.to_string())
    }
}

/// Dollars.
impl Kind for Option<f64> {
    const TAKES: Takes = Takes::One;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        let text = single(texts)?;
        let amount: Option<f64> = text.trim_start_matches('$').parse().ok();
        let valid = amount.filter(|amount| amount.is_finite() && *amount >= 0.0);
        *self = Some(valid.ok_or_else(|| format!("`{text}` is not an amount in dollars"))?);
        Ok(())
    }

    fn show(&self) -> Option<String> {
        self.map(|amount| amount.to_string())
    }
}

/// A time: `90`, `90s`, `10m`, `1h`.
impl Kind for Option<Duration> {
    const TAKES: Takes = Takes::One;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        let text = single(texts)?;
        let (number, unit) = match text.char_indices().next_back() {
            Some((at, 's')) => (&text[..at], 1),
            Some((at, 'm')) => (&text[..at], 60),
            Some((at, 'h')) => (&text[..at], 3600),
            _ => (text, 1),
        };
        let seconds = number.trim().parse::<u64>().ok().and_then(|n| n.checked_mul(unit));
        let seconds = seconds.ok_or_else(|| format!("`{text}` is not a time (`90`, `90s`, `10m`, `1h`)"))?;
        *self = Some(Duration::from_secs(seconds));
        Ok(())
    }

    fn show(&self) -> Option<String> {
        self.map(|time| format!("{}s", time.as_secs()))
    }
}

impl Kind for Option<String> {
    const TAKES: Takes = Takes::One;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        let text = single(texts)?;
        *self = (!text.is_empty()).then(|| text.to_string());
        Ok(())
    }

    fn show(&self) -> Option<String> {
        self.clone()
    }
}

/// A list; given again it replaces what an earlier place gave.
impl Kind for Vec<String> {
    const TAKES: Takes = Takes::Many;

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        *self = texts.iter().filter(|text| !text.is_empty()).cloned().collect();
        Ok(())
    }

    fn show(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.join(", "))
    }
}

/// `name=value` pairs; each place adds to, and overrides, what an earlier one gave.
pub type Pairs = BTreeMap<String, String>;

impl Kind for Pairs {
    const TAKES: Takes = Takes::Many;
    const PAIR: &'static str = "=";

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        for text in texts.iter().filter(|text| !text.is_empty()) {
            let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
            // The text may hold a key, so it is not repeated.
            let (name, value) = pair.ok_or("expected `name=value`")?;
            self.insert(name.trim().to_string(), value.trim().to_string());
        }
        Ok(())
    }

    fn show(&self) -> Option<String> {
        let pairs: Vec<String> = self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join(", "))
    }

    fn show_hidden(&self) -> Option<String> {
        let pairs: Vec<String> = self.keys().map(|name| format!("{name}={HIDDEN}")).collect();
        (!pairs.is_empty()).then(|| pairs.join(", "))
    }
}

/// A way of working: its name in `modes::MODES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatMode(pub &'static str);

impl Kind for ChatMode {
    const TAKES: Takes = Takes::One;
    const CHOICES: &'static [&'static str] = &["code", "ask", "architect", "context", "help"];

    fn read(&mut self, texts: &[String]) -> Result<(), String> {
        let text = single(texts)?;
        let known = Self::CHOICES.iter().find(|name| **name == text);
        *self = ChatMode(known.ok_or_else(|| format!("`{text}` is none of {}", Self::CHOICES.join(", ")))?);
        Ok(())
    }

    fn show(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

fn single(texts: &[String]) -> Result<&str, String> {
    match texts {
        [text] => Ok(text.trim()),
        _ => Err("expected one value".to_string()),
    }
}

/// A whole number, also as `8k` (thousands).
fn whole_number(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a whole number");
    let bare: String = text.chars().filter(|c| *c != '_').collect();
    match bare.strip_suffix(['k', 'K']) {
        Some(thousands) => thousands
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(1000))
            .ok_or_else(wrong),
        None => bare.parse().map_err(|_| wrong()),
    }
}

/// The texts that a value of `config.toml` stands for, as a flag would give them. The rows of a table become
/// `name<pair>value`: `[lint-cmd] python = "ruff check"` is `python: ruff check`.
pub(super) fn texts_of(value: &DeValue, pair: &str) -> Result<Vec<String>, String> {
    match value {
        DeValue::Array(items) => items.iter().map(|item| text_of(item.get_ref())).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(name, value)| Ok(format!("{}{pair}{}", name.get_ref(), text_of(value.get_ref())?)))
            .collect(),
        _ => Ok(vec![text_of(value)?]),
    }
}

fn text_of(value: &DeValue) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.as_str().to_string()),
        DeValue::Float(number) => Ok(number.as_str().to_string()),
        DeValue::Boolean(value) => Ok(value.to_string()),
        _ => Err(format!("expected a text or a number, found a {}", value.type_str())),
    }
}

/// What is known about one setting besides its value.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// As in `--key` and in `config.toml`.
    pub key: &'static str,
    /// Heading in `--help`.
    pub group: &'static str,
    pub takes: Takes,
    pub choices: &'static [&'static str],
    /// Between name and value when the settings file gives a table.
    pub pair: &'static str,
    /// Name of the value in `--help`.
    pub value_name: &'static str,
    /// One letter, or a space.
    pub short: char,
    pub help: &'static str,
    /// Never shown.
    pub secret: bool,
}

impl Setting {
    /// The environment variable.
    pub fn variable(&self) -> String {
        format!("CODRIVER_{}", self.key.replace('-', "_").to_uppercase())
    }
}

macro_rules! settings {
    ($($group:literal { $($field:ident: $type:ty = $default:expr, $key:literal $short:literal $value:literal $secret:literal $help:literal;)* })*) => {
        /// Every setting that is in force. Plain data: what needs it takes its fields.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Values {
            $($(#[doc = $help] pub $field: $type,)*)*
        }

        impl Default for Values {
            fn default() -> Self {
                Self { $($($field: $default,)*)* }
            }
        }

        /// Every setting, in the order of `--help`.
        pub static SETTINGS: &[Setting] = &[
            $($(Setting {
                key: $key,
                group: $group,
                takes: <$type as Kind>::TAKES,
                choices: <$type as Kind>::CHOICES,
                pair: <$type as Kind>::PAIR,
                value_name: $value,
                short: $short,
                help: $help,
                secret: $secret,
            },)*)*
        ];

        impl Values {
            /// Reads the texts into the setting `key`; a key without a row is an error too.
            pub fn read(&mut self, key: &str, texts: &[String]) -> Result<(), String> {
                match key {
                    $($($key => Kind::read(&mut self.$field, texts),)*)*
                    _ => Err("unknown setting".to_string()),
                }
            }

            /// The value as text, secrets hidden; None when it is not set.
            pub fn show(&self, key: &str) -> Option<String> {
                match key {
                    $($($key => if $secret { Kind::show_hidden(&self.$field) } else { Kind::show(&self.$field) },)*)*
                    _ => None,
                }
            }
        }
    };
}

settings! {
    "Model" {
        model: Option<String> = None,
            "model" ' ' "NAME" false "Model to talk to, as `provider/model` (see `codriver models`)";
        weak_model: Option<String> = None,
            "weak-model" ' ' "NAME" false "Cheaper model for commit messages and summaries";
        fallback_model: Vec<String> = Vec::new(),
            "fallback-model" ' ' "NAME" false "Model to ask when the main one fails for good (quota, overload, unknown model); may be given several times";
        edit_format: Option<String> = None,
            "edit-format" ' ' "FORMAT" false "How the model writes edits: diff, diff-fenced, udiff, whole or patch; each model has its best one";
        chat_mode: ChatMode = ChatMode("code"),
            "chat-mode" ' ' "MODE" false "What a message asks for: `code` edits, `ask` answers, `architect` plans, `context` chooses files, `help` tells of codriver";
        architect: bool = false,
            "architect" ' ' "" false "Let the model plan each change and the editor model carry it out (`--chat-mode architect`)";
        editor_model: Option<String> = None,
            "editor-model" ' ' "NAME" false "Model that carries out the architect's plans";
        editor_edit_format: Option<String> = None,
            "editor-edit-format" ' ' "FORMAT" false "How the editor model writes edits";
        auto_accept_architect: bool = false,
            "auto-accept-architect" ' ' "" false "Carry out the architect's plans without asking";
        reasoning_effort: Option<String> = None,
            "reasoning-effort" ' ' "LEVEL" false "How long a reasoning model thinks, in its provider's words (low, medium, high)";
        thinking_tokens: Option<u64> = None,
            "thinking-tokens" ' ' "N" false "How many tokens a reasoning model may think; 0 turns it off where that can be";
        openai_api_key: Option<String> = None,
            "openai-api-key" ' ' "KEY" true "Key for OpenAI; other users of the machine can see flags, so prefer OPENAI_API_KEY";
        openai_api_base: Option<String> = None,
            "openai-api-base" ' ' "URL" false "Address of an OpenAI-compatible server";
        api_key: Pairs = Pairs::new(),
            "api-key" ' ' "PROVIDER=KEY" true "Key for any provider; the same as <PROVIDER>_API_KEY";
        set_env: Pairs = Pairs::new(),
            "set-env" ' ' "NAME=VALUE" true "A variable for codriver itself, as if it were in the environment";
        timeout: Option<u64> = None,
            "timeout" ' ' "SECONDS" false "Give up on a server that sends nothing for so long";
        ca_file: Option<String> = None,
            "ca-file" ' ' "FILE" false "Certificates (PEM) to trust beside the system's, such as a company proxy's";
        verify_ssl: bool = true,
            "verify-ssl" ' ' "" false "Check certificates; off is for servers of your own only";
        stream: bool = true,
            "stream" ' ' "" false "Show the reply as it arrives";
    }
    "Limits" {
        max_reflections: u64 = 3,
            "max-reflections" ' ' "N" false "How often failed edits, lint or tests are handed back to the model in one turn";
        max_requests: Option<u64> = None,
            "max-requests" ' ' "N" false "Requests to the model in one session";
        max_cost: Option<f64> = None,
            "max-cost" ' ' "DOLLARS" false "Cost of one session";
        cache_keepalive_pings: u64 = 0,
            "cache-keepalive-pings" ' ' "N" false "Short requests, one every five minutes, that keep the provider's cache from forgetting while you think";
        max_time: Option<Duration> = None,
            "max-time" ' ' "SECONDS" false "Time of one turn, its commands included; also `10m` or `1h`";
        history_tokens: Option<u64> = None,
            "history-tokens" ' ' "N" false "Size of the conversation in tokens beyond which older turns are summarised; by the model's window when not set";
    }
    "Repository map" {
        map_tokens: Option<u64> = None,
            "map-tokens" ' ' "N" false "Size of the repository map in tokens; 0 leaves it out";
        subtree_only: bool = false,
            "subtree-only" ' ' "" false "Look only at files below the current folder";
    }
    "Files and git" {
        read: Vec<String> = Vec::new(),
            "read" ' ' "FILE" false "File that the model sees and may not edit";
        conventions: Vec<String> = Vec::new(),
            "conventions" ' ' "FILE" false "File of rules that the model follows, beside the project's AGENTS.md";
        convention_names: Vec<String> = vec!["AGENTS.md".to_string()],
            "convention-names" ' ' "NAME" false "Name of the rule files that are looked for in the project, such as CLAUDE.md [default: AGENTS.md]";
        trust: bool = false,
            "trust" ' ' "" false "Follow the project's own rule files without asking";
        git: bool = true,
            "git" ' ' "" false "Use the git repository";
        auto_commits: bool = true,
            "auto-commits" ' ' "" false "Commit what a turn changed";
        attribute_co_authored_by: bool = false,
            "attribute-co-authored-by" ' ' "" false "Name the model as co-author in commit messages";
        git_commit_verify: bool = true,
            "git-commit-verify" ' ' "" false "Run the repository's commit hooks";
        dry_run: bool = false,
            "dry-run" ' ' "" false "Show what would be done and change nothing";
        show_diffs: bool = false,
            "show-diffs" ' ' "" false "Show each change as a diff";
        review: bool = false,
            "review" ' ' "" false "Ask before each change is written, hunk by hunk";
    }
    "Lint and test" {
        lint_cmd: Vec<String> = Vec::new(),
            "lint-cmd" ' ' "[LANGUAGE:] COMMAND" false "Linter for changed files, for all or for one language (`python: ruff check`)";
        auto_lint: bool = true,
            "auto-lint" ' ' "" false "Check files after each change";
        test_cmd: Option<String> = None,
            "test-cmd" ' ' "COMMAND" false "How the tests are run";
        auto_test: bool = true,
            "auto-test" ' ' "" false "Run the test command after each change, where there is one";
        test_baseline: bool = true,
            "test-baseline" ' ' "" false "Run it beside the first request, too, to know what failed before";
        command_timeout: u64 = 600,
            "command-timeout" ' ' "SECONDS" false "Stop linters, tests and other commands after so long";
        sandbox: bool = true,
            "sandbox" ' ' "" false "Confine linters, tests and suggested commands to writing in the project, temporary folders and caches of build tools (Linux)";
        sandbox_write: Vec<String> = Vec::new(),
            "sandbox-write" ' ' "DIR" false "Folder that commands in the sandbox may write to as well; may be given several times";
        suggest_shell_commands: bool = true,
            "suggest-shell-commands" ' ' "" false "Offer to run the commands that the model suggests";
    }
    "Language" {
        chat_language: Option<String> = None,
            "chat-language" ' ' "LANGUAGE" false "Human language that the model answers in; else the one you write in";
        commit_language: Option<String> = None,
            "commit-language" ' ' "LANGUAGE" false "Language of commit messages, if not English";
    }
    "Screen and keys" {
        yes_always: bool = false,
            "yes-always" ' ' "" false "Answer yes to questions about edits; commands still ask";
        pretty: bool = true,
            "pretty" ' ' "" false "Use colours";
        json: bool = false,
            "json" ' ' "" false "Print one JSON object a line";
        vim: bool = false,
            "vim" ' ' "" false "Edit input with vi keys";
        multiline: bool = false,
            "multiline" ' ' "" false "Enter begins a new line, Alt-Enter sends";
        editor: Option<String> = None,
            "editor" ' ' "COMMAND" false "Program that Ctrl-X Ctrl-E opens the message in, instead of $VISUAL or $EDITOR";
        verbose: bool = false,
            "verbose" 'v' "" false "Show the repository map and other details";
    }
}
