//! The shape of `model-settings.toml` and of the user's own file, which has the same one.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Account;
use super::CacheMark;
use super::ModelSettings;
use super::Prices;
use super::Reasoning;
use crate::tokens::pictures;

/// One file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default, rename = "provider")]
    pub providers: Vec<Provider>,
    /// Applied in order, later ones win.
    #[serde(default, rename = "family")]
    pub families: Vec<Family>,
    /// Short name to full name.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// `provider/name` to what differs from provider and family.
    #[serde(default)]
    pub models: Models,
}

/// The rows of `[models]`, by full name.
///
/// The built-in file has hundreds, one a line, and a start needs one or two: its lines are read when they are asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "BTreeMap<String, Fields>")]
pub(super) struct Models(BTreeMap<String, Row>);

#[derive(Debug, Clone)]
enum Row {
    Read(Box<Fields>),
    /// The inline table behind the equals sign.
    Unread(&'static str),
}

impl From<BTreeMap<String, Fields>> for Models {
    fn from(rows: BTreeMap<String, Fields>) -> Self {
        let read = |(name, fields)| (name, Row::Read(Box::new(fields)));
        Self(rows.into_iter().map(read).collect())
    }
}

impl Models {
    pub(super) fn get(&self, name: &str) -> Option<Fields> {
        match self.0.get(name)? {
            Row::Read(fields) => Some(fields.as_ref().clone()),
            Row::Unread(text) => {
                /// The value needs a name to be a document.
                #[derive(Deserialize)]
                struct Document {
                    row: Fields,
                }
                let document: Document =
                    toml::from_str(&format!("row = {text}")).expect("a test reads every built-in row");
                Some(document.row)
            }
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl File {
    /// Reads the file that codriver comes with; its `[models]` are its end, one a line.
    pub(super) fn builtin(text: &'static str) -> Self {
        let (head, rows) = text.split_once("\n[models]\n").unwrap_or((text, ""));
        let mut file: Self = toml::from_str(head).expect("a test reads the built-in model settings");
        let row = |line: &'static str| {
            let (name, value) = line.strip_prefix('"')?.split_once("\" = ")?;
            Some((name.to_owned(), Row::Unread(value)))
        };
        file.models = Models(rows.lines().filter_map(row).collect());
        file
    }
}

/// A host that serves models.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    pub name: String,
    /// Other names that people write before the slash.
    #[serde(default)]
    pub also: Vec<String>,
    #[serde(default)]
    pub api: Option<String>,
    #[serde(default)]
    pub base_url: Option<String>,
    #[serde(default)]
    pub base_url_env: Vec<String>,
    #[serde(default)]
    pub base_url_suffix: Vec<String>,
    #[serde(default)]
    pub key_env: Vec<String>,
    #[serde(default)]
    pub key_optional: Option<bool>,
    #[serde(default)]
    pub key_header: Option<String>,
    #[serde(default)]
    pub account: Option<Account>,
    #[serde(default)]
    pub local: Option<bool>,
    /// Taken when the user names no model and has this provider's key.
    #[serde(default)]
    pub default_model: Option<String>,
    /// For all its models.
    #[serde(default)]
    pub settings: Fields,
}

/// What models have in common whose names look alike, whoever serves them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    /// Patterns with `*`. One with a slash is matched against the whole name, else against what follows the last
    /// slash; case does not count.
    #[serde(rename = "match")]
    pub patterns: Vec<String>,
    /// Only models whose name tells fewer billions of parameters (`llama3.2:3b`).
    #[serde(default)]
    pub below_billions: Option<f64>,
    /// Where a bare name of this family is looked for.
    #[serde(default)]
    pub provider: Option<String>,
    #[serde(default)]
    pub settings: Fields,
}

/// Everything that can be set for a model; what is absent is left as it was.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Fields {
    pub api: Option<String>,
    pub wire_name: Option<String>,
    pub base_url: Option<String>,
    pub window: Option<u32>,
    pub output: Option<u32>,
    pub price: Option<Prices>,
    pub edit_format: Option<String>,
    /// Looked for beside the model: the same provider and prefix, unless it is a full name.
    pub weak_model: Option<String>,
    pub editor_model: Option<String>,
    pub fallback_models: Option<Vec<String>>,
    pub temperature: Option<Temperature>,
    pub streaming: Option<bool>,
    pub system_role: Option<bool>,
    pub examples_in_system: Option<bool>,
    pub reminder: Option<bool>,
    pub reasoning_tag: Option<String>,
    pub reasoning: Option<Reasoning>,
    pub reasoning_effort: Option<String>,
    pub prompt_cache: Option<bool>,
    pub cache_marks: Option<bool>,
    pub cache_mark: Option<CacheMark>,
    pub vision: Option<bool>,
    pub picture_tokens: Option<pictures::Rule>,
    pub pdf: Option<bool>,
    pub prefill: Option<bool>,
    pub max_tokens_field: Option<String>,
    pub system_prompt_prefix: Option<String>,
    pub lazy: Option<bool>,
    pub overeager: Option<bool>,
    pub extra_headers: Option<BTreeMap<String, String>>,
    pub extra_body: Option<serde_json::Map<String, serde_json::Value>>,
    pub retires: Option<String>,
}

/// `temperature = 0.6`, or `false` where the parameter must not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Temperature {
    Value(f32),
    Sent(bool),
}

impl Fields {
    /// What holds for the model wherever it runs: no price, no name, no protocol.
    pub(super) fn facts(&self) -> Fields {
        Fields {
            window: self.window,
            output: self.output,
            reasoning: self.reasoning,
            vision: self.vision,
            picture_tokens: self.picture_tokens,
            pdf: self.pdf,
            ..Fields::default()
        }
    }

    /// Puts what is set here over `settings`.
    pub(super) fn apply(&self, settings: &mut ModelSettings) {
        fn set<T: Clone>(from: &Option<T>, to: &mut T) {
            if let Some(value) = from {
                *to = value.clone();
            }
        }
        fn set_some<T: Clone>(from: &Option<T>, to: &mut Option<T>) {
            if from.is_some() {
                to.clone_from(from);
            }
        }
        set(&self.api, &mut settings.api);
        set(&self.wire_name, &mut settings.wire_name);
        set_some(&self.base_url, &mut settings.base_url);
        set_some(&self.window, &mut settings.context_window);
        set_some(&self.output, &mut settings.max_output);
        set_some(&self.price, &mut settings.prices);
        set(&self.edit_format, &mut settings.edit_format);
        set_some(&self.weak_model, &mut settings.weak_model);
        set_some(&self.editor_model, &mut settings.editor_model);
        set(&self.fallback_models, &mut settings.fallback_models);
        match self.temperature {
            Some(Temperature::Value(value)) => settings.temperature = Some(value),
            Some(Temperature::Sent(sent)) => settings.temperature = sent.then_some(0.0),
            None => {}
        }
        set(&self.streaming, &mut settings.streaming);
        set(&self.system_role, &mut settings.system_role);
        set(&self.examples_in_system, &mut settings.examples_in_system);
        set(&self.reminder, &mut settings.reminder);
        set_some(&self.reasoning_tag, &mut settings.reasoning_tag);
        set(&self.reasoning, &mut settings.reasoning);
        set_some(&self.reasoning_effort, &mut settings.reasoning_effort);
        set(&self.prompt_cache, &mut settings.prompt_cache);
        set(&self.cache_marks, &mut settings.cache_marks);
        set(&self.cache_mark, &mut settings.cache_mark);
        set(&self.vision, &mut settings.vision);
        set(&self.picture_tokens, &mut settings.picture_tokens);
        set(&self.pdf, &mut settings.pdf);
        set(&self.prefill, &mut settings.prefill);
        set_some(&self.max_tokens_field, &mut settings.max_tokens_field);
        set_some(&self.system_prompt_prefix, &mut settings.system_prompt_prefix);
        set(&self.lazy, &mut settings.lazy);
        set(&self.overeager, &mut settings.overeager);
        for (name, value) in self.extra_headers.iter().flatten() {
            settings
                .extra_headers
                .retain(|(old, _)| !old.eq_ignore_ascii_case(name));
            settings.extra_headers.push((name.clone(), value.clone()));
        }
        for (name, value) in self.extra_body.iter().flatten() {
            settings.extra_body.insert(name.clone(), value.clone());
        }
        set_some(&self.retires, &mut settings.retires);
    }
}
