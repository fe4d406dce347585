//! The settings in force and where each came from: flags over `CODRIVER_*` variables over the user's `config.toml` over
//! defaults. Nothing in the repository is read.
//!
//! ```toml
//! model = "openai/gpt-5"
//! auto-commits = false
//! no-stream = true            # the same as stream = false
//!
//! [lint-cmd]
//! python = "ruff check"
//!
//! [api-key]
//! openrouter = "sk-..."
//! ```
//!
//! A key that is unknown or given twice is an error with its line and the nearest name. This module only computes; the
//! caller reads the file and the environment.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::settings::{SETTINGS, Setting, Takes, Values, texts_of};
use crate::policy::secrets;

/// Variables that are no settings but belong to codriver.
const OTHER_VARIABLES: &[&str] = &[
    "CODRIVER_STATE_DIR",
    "CODRIVER_CACHE_DIR",
    "CODRIVER_CONFIG_DIR",
    "CODRIVER_CONFIG",
];

/// A name this close (Jaro-Winkler) is taken for a slip of the pen.
const NEAR: f64 = 0.8;

/// Values with their origins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    pub values: Values,
    origins: BTreeMap<&'static str, Origin>,
    /// What is odd and does not stop the program.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Variable(String),
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag => f.write_str("command line"),
        }
    }
}

/// A setting that cannot be used. Exit code 2.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{place}: {message}")]
pub struct Error {
    pub place: String,
    pub message: String,
    pub hint: Option<String>,
}

impl Config {
    /// Joins all places. `file` is the user's settings file with its text; `variables` the environment; `flags` the
    /// settings given on the command line as (key, texts).
    pub fn load(
        file: Option<(&Path, &str)>,
        variables: &[(String, String)],
        flags: &[(&'static str, Vec<String>)],
    ) -> Result<Self, Error> {
        let mut config = Self::default();
        if let Some((path, text)) = file {
            config.read_file(path, text)?;
        }
        config.read_variables(variables)?;
        for (key, texts) in flags {
            let place = format!("--{key}");
            config.set(key, texts, Origin::Flag, &place)?;
        }
        Ok(config)
    }

    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or(Origin::Default)
    }

    /// Whether the user set it anywhere.
    pub fn is_set(&self, key: &str) -> bool {
        self.origins.contains_key(key)
    }

    /// Every setting with its value and origin, in columns; keys are never shown.
    pub fn show(&self) -> String {
        let rows: Vec<[String; 3]> = SETTINGS
            .iter()
            .map(|setting| {
                let value = self.values.show(setting.key).unwrap_or_else(|| "-".to_string());
                let value = secrets::mask(&value).into_owned();
                [setting.key.to_string(), value, self.origin(setting.key).to_string()]
            })
            .collect();
        let column = |idx: usize| {
            rows.iter()
                .map(|row| row[idx].chars().count())
                .max()
                .unwrap_or(0)
                .min(40)
        };
        let (first, second) = (column(0), column(1));
        rows.iter()
            .map(|[key, value, origin]| format!("{key:first$}  {value:second$}  {origin}\n"))
            .collect()
    }

    /// Variables that settings stand for: keys and addresses, by the names that providers use. They come before the
    /// real environment.
    pub fn provider_variables(&self) -> BTreeMap<String, String> {
        let mut out = self.values.set_env.clone();
        for (provider, key) in &self.values.api_key {
            let name = provider.to_uppercase().replace(['-', '.', ' '], "_");
            out.insert(format!("{name}_API_KEY"), key.clone());
        }
        let openai = [
            ("OPENAI_API_KEY", &self.values.openai_api_key),
            ("OPENAI_API_BASE", &self.values.openai_api_base),
        ];
        for (name, value) in openai {
            if let Some(value) = value {
                out.insert(name.to_string(), value.clone());
            }
        }
        out
    }

    fn set(&mut self, key: &'static str, texts: &[String], origin: Origin, place: &str) -> Result<(), Error> {
        // A flag names its setting already; a line of a file and a variable do not, or not in full.
        let named = matches!(origin, Origin::Flag);
        self.values.read(key, texts).map_err(|message| Error {
            place: place.to_string(),
            message: if named { message } else { format!("`{key}`: {message}") },
            hint: None,
        })?;
        self.origins.insert(key, origin);
        Ok(())
    }

    fn read_file(&mut self, path: &Path, text: &str) -> Result<(), Error> {
        let place = |line: usize| format!("{}:{line}", path.display());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table = DeTable::parse(text).map_err(|error| Error {
            place: place(error.span().map_or(1, |span| line_of(text, span.start))),
            message: error.message().trim_end().replace('\n', ", "),
            hint: None,
        })?;
        let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let line = line_of(text, name.span().start);
            let name = name.get_ref().as_ref();
            let (setting, negated) = find(name).ok_or_else(|| unknown(&place(line), name))?;
            if let Some(earlier) = seen.insert(setting.key, line) {
                return Err(Error {
                    place: place(line),
                    message: format!("`{}` was already set on line {earlier}", setting.key),
                    hint: None,
                });
            }
            let wrong = |message| Error {
                place: place(line),
                message: format!("`{name}`: {message}"),
                hint: None,
            };
            let mut texts = texts_of(value.get_ref(), setting.pair).map_err(wrong)?;
            if setting.takes != Takes::Many && !is_single(value.get_ref()) {
                return Err(wrong("expected one value".to_string()));
            }
            if negated {
                negate(&mut texts).map_err(wrong)?;
            }
            let origin = Origin::File {
                path: path.to_path_buf(),
                line,
            };
            self.set(setting.key, &texts, origin, &place(line))?;
        }
        Ok(())
    }

    fn read_variables(&mut self, variables: &[(String, String)]) -> Result<(), Error> {
        for (name, value) in variables {
            if !name.starts_with("CODRIVER_") || OTHER_VARIABLES.contains(&name.as_str()) || value.is_empty() {
                continue;
            }
            let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == *name) else {
                let known: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
                let near = nearest(name, known.iter().map(String::as_str));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                self.warnings.push(format!("`{name}` is no setting{near}"));
                continue;
            };
            let texts: Vec<String> = match setting.takes {
                Takes::Many => value.lines().map(str::to_string).collect(),
                _ => vec![value.clone()],
            };
            self.set(setting.key, &texts, Origin::Variable(name.clone()), name)?;
        }
        Ok(())
    }
}

/// The setting of that name; true when the name is the negative of a switch.
fn find(name: &str) -> Option<(&'static Setting, bool)> {
    if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == name) {
        return Some((setting, false));
    }
    let positive = name.strip_prefix("no-")?;
    let setting = SETTINGS
        .iter()
        .find(|setting| setting.key == positive && setting.takes == Takes::Switch)?;
    Some((setting, true))
}

fn negate(texts: &mut [String]) -> Result<(), String> {
    for text in texts {
        *text = match text.as_str() {
            "true" => "false".to_string(),
            "false" => "true".to_string(),
            _ => return Err("expected `true` or `false`".to_string()),
        };
    }
    Ok(())
}

fn is_single(value: &toml::de::DeValue) -> bool {
    !value.is_array() && !value.is_table()
}

fn unknown(place: &str, name: &str) -> Error {
    Error {
        place: place.to_string(),
        message: format!("unknown setting `{name}`"),
        hint: nearest(&name.replace('_', "-"), SETTINGS.iter().map(|setting| setting.key))
            .map(|near| format!("did you mean `{near}`?"))
            .or_else(|| Some("`codriver --show-config` lists all settings".to_string())),
    }
}

/// The name that `name` was probably meant to be.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(score, _)| *score >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

/// Line number, from 1, of a byte of `text`.
fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte.min(text.len())]
        .iter()
        .filter(|b| **b == b'\n')
        .count()
        + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<Config, Error> {
        Config::load(Some((Path::new("config.toml"), text)), &[], &[])
    }

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }

    #[test]
    fn later_places_win_and_are_named() {
        let config = Config::load(
            Some((
                Path::new("c.toml"),
                "# mine\nmodel = 'a'\nmax-cost = 1\nstream = false\n",
            )),
            &variables(&[("CODRIVER_MODEL", "b"), ("CODRIVER_MAX_COST", "2.5")]),
            &[("model", vec!["c".to_string()])],
        )
        .unwrap();
        assert_eq!(config.values.model.as_deref(), Some("c"));
        assert_eq!(config.values.max_cost, Some(2.5));
        assert!(!config.values.stream);
        assert_eq!(config.origin("model"), Origin::Flag);
        assert_eq!(config.origin("max-cost").to_string(), "CODRIVER_MAX_COST");
        assert_eq!(config.origin("stream").to_string(), "c.toml:4");
        assert_eq!(config.origin("git"), Origin::Default);
    }

    #[test]
    fn files_are_read_in_every_usual_shape() {
        assert_eq!(file("").unwrap().values, Values::default());
        assert_eq!(file("\u{feff}# only a comment").unwrap().values, Values::default());
        assert!(!file("no-auto-commits = true").unwrap().values.auto_commits);
        assert!(file("no-auto-commits = false").unwrap().values.auto_commits);
        assert_eq!(file("lint-cmd = 'x'").unwrap().values.lint_cmd, ["x"]);
        assert_eq!(
            file("lint-cmd = ['x', 'rust: y']").unwrap().values.lint_cmd,
            ["x", "rust: y"]
        );
        assert_eq!(
            file("[lint-cmd]\npython = 'ruff'").unwrap().values.lint_cmd,
            ["python: ruff"]
        );
        assert_eq!(file("[api-key]\nx-ai = 'k=1'").unwrap().values.api_key["x-ai"], "k=1");
        assert_eq!(file("map-tokens = 8_000").unwrap().values.map_tokens, Some(8000));
        assert_eq!(file("map-tokens = '8k'").unwrap().values.map_tokens, Some(8000));
    }

    #[test]
    fn wrong_files_are_errors_with_line_and_nearest_name() {
        let error = |text: &str| {
            let error = file(text).unwrap_err();
            (error.to_string(), error.hint)
        };
        assert_eq!(
            error("\nauto-comits = true"),
            (
                "config.toml:2: unknown setting `auto-comits`".to_string(),
                Some("did you mean `auto-commits`?".to_string())
            )
        );
        assert_eq!(error("auto_commits = true").1.unwrap(), "did you mean `auto-commits`?");
        assert_eq!(
            error("zzz = 1").1.unwrap(),
            "`codriver --show-config` lists all settings"
        );
        assert!(error("model = 'a'\nmodel = 'b'").0.starts_with("config.toml:2: "));
        assert_eq!(
            error("stream = true\nno-stream = true").0,
            "config.toml:2: `stream` was already set on line 1"
        );
        assert_eq!(
            error("stream = 'maybe'").0,
            "config.toml:1: `stream`: `maybe` is neither `true` nor `false`"
        );
        assert_eq!(
            error("model = ['a', 'b']").0,
            "config.toml:1: `model`: expected one value"
        );
        assert!(error("\n\nmodel = ").0.starts_with("config.toml:3: "));
    }

    #[test]
    fn variables_are_read_and_strange_ones_named() {
        let config = Config::load(
            None,
            &variables(&[
                ("CODRIVER_AUTO_TEST", "yes"),
                ("CODRIVER_LINT_CMD", "python: ruff\nrust: cargo check"),
                ("CODRIVER_STATE_DIR", "/x"),
                ("CODRIVER_MODLE", "x"),
                ("AIDER_MODEL", "x"),
            ]),
            &[],
        )
        .unwrap();
        assert!(config.values.auto_test);
        assert_eq!(config.values.lint_cmd.len(), 2);
        assert_eq!(config.values.model, None);
        assert_eq!(
            config.warnings,
            ["`CODRIVER_MODLE` is no setting; did you mean `CODRIVER_MODEL`?"]
        );
    }

    #[test]
    fn keys_are_never_shown() {
        let config = Config::load(
            Some((Path::new("c.toml"), "[api-key]\ngroq = 'secret-1'")),
            &variables(&[("CODRIVER_OPENAI_API_KEY", "secret-2")]),
            &[("set-env", vec!["TOKEN=secret-3".to_string()])],
        )
        .unwrap();
        let shown = config.show();
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("groq=(hidden)"), "{shown}");
        let error = Config::load(None, &[], &[("api-key", vec!["secret-4".to_string()])]).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
        let variables = config.provider_variables();
        assert_eq!(variables["GROQ_API_KEY"], "secret-1");
        assert_eq!(variables["OPENAI_API_KEY"], "secret-2");
        assert_eq!(variables["TOKEN"], "secret-3");
    }

    #[test]
    fn every_setting_can_be_shown_and_read() {
        for setting in SETTINGS {
            let mut values = Values::default();
            let text = match setting.takes {
                Takes::Switch => "true",
                _ if setting.choices.is_empty() => "5",
                _ => setting.choices[0],
            };
            let text = if ["api-key", "set-env"].contains(&setting.key) {
                "a=b"
            } else {
                text
            };
            values.read(setting.key, &[text.to_string()]).unwrap();
            assert!(values.show(setting.key).is_some(), "{}", setting.key);
        }
    }
}
