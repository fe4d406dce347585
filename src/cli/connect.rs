//! From a model's name to models that can be asked: keys and addresses come from the settings and the environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::Context;
use anyhow::Result;
use anyhow::bail;

use super::settings::Values;
use crate::chat::modes;
use crate::edit_format;
use crate::edit_format::EditFormat;
use crate::llm;
use crate::llm::ConnectOptions;
use crate::llm::Model;
use crate::llm::Thinking;
use crate::llm::Timeouts;
use crate::llm::fallback;
use crate::llm::fallback::Fallback;
use crate::llm::fallback::Rung;
use crate::llm::scripted::ScriptedModel;
use crate::models::Catalog;
use crate::models::ModelSettings;
use crate::session::Connected;
use crate::session::Seat;
use crate::store::keyring::Keyring;

/// `scripted:FILE` plays a file instead of asking a server.
const SCRIPTED: &str = "scripted:";

/// What is needed to connect; owned, so that `/model` can do it later.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    pub(super) catalog: Catalog,
    pub(super) values: Values,
    /// Variables that the settings stand for; they come before the environment.
    pub(super) variables: BTreeMap<String, String>,
    /// Keys that stand nowhere else.
    pub(super) keyring: Keyring,
    /// What the keyring has said: it is asked once for each.
    pub(super) from_keyring: Arc<Mutex<BTreeMap<String, Option<String>>>>,
}

impl Connector {
    /// A variable of the settings or the environment, or a key of the keyring.
    pub(super) fn lookup(&self, name: &str) -> Option<String> {
        let given = self.variables.get(name).cloned();
        given
            .or_else(|| std::env::var(name).ok())
            .or_else(|| self.in_keyring(name))
    }

    /// Where a key comes from, in words; None when there is none.
    pub(super) fn origin(&self, name: &str) -> Option<&'static str> {
        let is_set = |value: String| !value.trim().is_empty();
        if self.variables.contains_key(name) {
            Some("settings")
        } else if std::env::var(name).is_ok_and(is_set) {
            Some("environment")
        } else {
            self.keyring
                .names()
                .iter()
                .any(|known| known == name)
                .then_some("keyring")
        }
    }

    /// A keyring that cannot be asked holds no key; `codriver keys` tells why.
    fn in_keyring(&self, name: &str) -> Option<String> {
        let mut known = self.from_keyring.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(name.to_owned())
            .or_insert_with(|| self.keyring.get(name).ok().flatten())
            .clone()
    }

    /// The model that is used when none is named: that of the first provider with a key.
    pub(super) fn default_model(&self) -> Option<String> {
        self.catalog.default_model(&|name| self.lookup(name))
    }

    /// How much the settings want models to think.
    pub(super) fn thinking(&self) -> Thinking {
        let budget = self.values.thinking_tokens;
        Thinking {
            effort: self.values.reasoning_effort.clone(),
            budget: budget.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        }
    }

    /// The models for a name: the main one, its helper, and how it writes edits.
    ///
    /// # Errors
    /// When the name leads nowhere, a key is missing or a setting does not fit; nothing is sent yet.
    pub(super) fn connect(&self, name: &str, thinking: &Thinking) -> Result<Connected> {
        if let Some(name) = &self.values.editor_edit_format {
            known_format(name)?;
        }
        let main = match name.starts_with(SCRIPTED) {
            true => self.scripted_seat(name)?,
            false => self.with_fallbacks(self.catalog.resolve(name)?, thinking)?,
        };
        let settings = &main.settings;
        let (weak, editor) = (&self.values.weak_model, &self.values.editor_model);
        Ok(Connected {
            format: self.format(settings)?,
            weak: self.helper(
                "weak",
                weak.as_deref(),
                settings.weak_model.as_deref(),
                settings,
                thinking,
            )?,
            editor: self.helper(
                "editor",
                editor.as_deref(),
                settings.editor_model.as_deref(),
                settings,
                thinking,
            )?,
            main,
        })
    }

    /// A model beside the main one; None: the main one does its work. One that the user named has to be there; the usual
    /// one is done without when it cannot be connected.
    fn helper(
        &self,
        what: &str,
        named: Option<&str>,
        usual: Option<&str>,
        main: &ModelSettings,
        thinking: &Thinking,
    ) -> Result<Option<Seat>> {
        let seat = |name: &str| -> Result<Option<Seat>> {
            if name == main.name {
                return Ok(None);
            }
            if name.starts_with(SCRIPTED) {
                return self.scripted_seat(name).map(Some);
            }
            let settings = self.catalog.resolve(name)?;
            match settings.name == main.name {
                true => Ok(None),
                false => self.seat(settings, thinking).map(Some),
            }
        };
        match named {
            Some(name) => seat(name).with_context(|| format!("the {what} model `{name}` cannot be used")),
            None => Ok(usual.and_then(|name| seat(name).ok().flatten())),
        }
    }

    /// The main model, with those that stand in for it when it fails for good.
    fn with_fallbacks(&self, settings: ModelSettings, thinking: &Thinking) -> Result<Seat> {
        let named = &self.values.fallback_model;
        let names = if named.is_empty() {
            &settings.fallback_models
        } else {
            named
        };
        let mut rungs: Vec<Rung> = Vec::new();
        for name in names {
            let usable = || -> Result<Option<Rung>> {
                let other = self.catalog.resolve(name)?;
                let is_new = other.name != settings.name && rungs.iter().all(|rung| rung.settings.name != other.name);
                let seat = is_new.then(|| self.seat_asked(other, thinking, None)).transpose()?;
                Ok(seat.map(|Seat { model, settings }| Rung { settings, model }))
            };
            rungs.extend(usable().with_context(|| format!("the fall-back model `{name}` cannot be used"))?);
        }
        if rungs.is_empty() {
            return self.seat(settings, thinking);
        }
        let main = self.seat_asked(settings, thinking, Some(fallback::ATTEMPTS))?;
        let settings = main.settings.clone();
        let first = Rung {
            settings: main.settings,
            model: main.model,
        };
        Ok(Seat {
            model: Arc::new(Fallback::new(first, rungs)),
            settings,
        })
    }

    fn seat(&self, settings: ModelSettings, thinking: &Thinking) -> Result<Seat> {
        self.seat_asked(settings, thinking, None)
    }

    /// `attempts`: requests in all while a failure may pass.
    fn seat_asked(&self, mut settings: ModelSettings, thinking: &Thinking, attempts: Option<u32>) -> Result<Seat> {
        settings.streaming &= self.values.stream;
        let lookup = |name: &str| self.lookup(name);
        let mut options = ConnectOptions::new(&lookup);
        options.thinking = thinking.clone();
        options.retries.attempts = attempts.unwrap_or(options.retries.attempts);
        if let Some(seconds) = self.values.timeout {
            let limit = Duration::from_secs(seconds);
            options.timeouts = Timeouts {
                first_byte: limit,
                idle: limit,
                ..Timeouts::default()
            };
        }
        options.ca_file = self.values.ca_file.as_ref().map(PathBuf::from);
        options.verify = self.values.verify_ssl;
        if settings.local
            && let Ok(Some(window)) = llm::local::window(&settings, &options)
        {
            settings.context_window = Some(window);
        }
        let model: Arc<dyn Model> = Arc::from(llm::connect(&settings, &options)?);
        Ok(Seat { model, settings })
    }

    fn format(&self, settings: &ModelSettings) -> Result<&'static dyn EditFormat> {
        // A mode in place of a format is a habit of Aider's users; it says nothing of the format.
        let wanted = self.values.edit_format.as_deref();
        let wanted = wanted.filter(|name| modes::by_name(name).is_none());
        let name = wanted.unwrap_or(&settings.edit_format);
        known_format(name)
    }

    fn scripted_seat(&self, name: &str) -> Result<Seat> {
        let script = name.strip_prefix(SCRIPTED).unwrap_or(name);
        let text = std::fs::read_to_string(script).with_context(|| format!("failed to read the script `{script}`"))?;
        let mut settings = self.catalog.resolve("scripted/script")?;
        name.clone_into(&mut settings.name);
        Ok(Seat {
            model: Arc::new(ScriptedModel::from_script(&text)?),
            settings,
        })
    }
}

fn known_format(name: &str) -> Result<&'static dyn EditFormat> {
    match edit_format::by_name(name).filter(|format| format.prompts().is_some()) {
        Some(format) => Ok(format),
        None => bail!("there is no edit format `{name}` (there are {})", format_names()),
    }
}

/// The formats that a model can be asked for, as text.
pub(super) fn format_names() -> String {
    let names: Vec<String> = edit_format::EDIT_FORMATS
        .iter()
        .filter(|format| format.prompts().is_some())
        .map(|format| format!("`{}`", format.name()))
        .collect();
    names.join(", ")
}
