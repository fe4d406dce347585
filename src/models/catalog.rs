//! Finds what is known about a model by the name a user gives it.
//!
//! Four layers, later wins: provider, families (patterns on the name), the model's own row, and the same three again
//! from the user's file.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::OnceLock;

use super::CacheMark;
use super::ModelSettings;
use super::Reasoning;
use super::rows::Family;
use super::rows::Fields;
use super::rows::File;
use super::rows::Provider;

const BUILTIN: &str = include_str!("../../model-settings.toml");

/// Near names that are offered for an unknown one.
const MAX_SUGGESTIONS: usize = 5;

/// Lower finds more and stranger suggestions for a mistyped name (0 to 1).
const NEAR_ENOUGH: f64 = 0.72;

/// Why a name or a file of rows was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The name says neither a provider nor a model that is known.
    #[error("no model is known as `{name}`{}", near(.suggestions))]
    UnknownModel { name: String, suggestions: Vec<String> },
    #[error("failed to read the model settings in `{origin}`: {message}")]
    Settings { origin: String, message: String },
}

fn near(suggestions: &[String]) -> String {
    if suggestions.is_empty() {
        return String::new();
    }
    let names: Vec<String> = suggestions.iter().map(|name| format!("`{name}`")).collect();
    format!(" (near: {})", names.join(", "))
}

/// One line of `codriver models`.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub settings: ModelSettings,
    /// Short names for it, sorted.
    pub aliases: Vec<String>,
}

/// All models, providers and aliases that are known. Cheap to make: the built-in file is read when it is first needed.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The user's files, later wins.
    own: Vec<Arc<File>>,
}

impl Catalog {
    /// What codriver comes with.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// Adds the user's rows; they extend or override by field. `origin` names the file in errors.
    pub fn extend(&mut self, toml_text: &str, origin: &str) -> Result<(), Error> {
        let file: File = toml::from_str(toml_text).map_err(|error| Error::Settings {
            origin: origin.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        })?;
        self.own.push(Arc::new(file));
        Ok(())
    }

    /// Finds a model by `provider/model`, alias or bare name.
    ///
    /// Any name after a known provider is accepted: new models appear every week. Its settings are then those of its
    /// provider and of the families it looks like, and `known` is false.
    pub fn resolve(&self, name: &str) -> Result<ModelSettings, Error> {
        let full = self.full_name(name)?;
        let mut settings = self.settings(&full);
        settings.weak_model = self.beside(&full, settings.weak_model);
        settings.editor_model = self.beside(&full, settings.editor_model);
        Ok(settings)
    }

    /// Models whose name or alias holds every word of `text`, by name. An empty text finds all.
    pub fn search(&self, text: &str) -> Vec<Found> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let names: BTreeSet<&str> = self.model_names().collect();
        names
            .into_iter()
            .filter_map(|name| {
                let aliases = self.aliases_of(name);
                let all = format!("{name} {}", aliases.join(" ")).to_lowercase();
                words
                    .iter()
                    .all(|word| all.contains(word.as_str()))
                    .then_some((name, aliases))
            })
            .filter_map(|(name, aliases)| {
                let settings = self.resolve(name).ok()?;
                Some(Found { settings, aliases })
            })
            .collect()
    }

    /// Known names that look like `name`, best first.
    pub fn suggest(&self, name: &str) -> Vec<String> {
        let wanted = name.to_lowercase();
        let wanted_base = base_name(&wanted);
        let mut scored: Vec<(f64, &str)> = self
            .model_names()
            .chain(self.alias_names())
            .filter(|known| *known != name)
            .map(|known| {
                let lower = known.to_lowercase();
                let whole = strsim::jaro_winkler(&wanted, &lower);
                let base = strsim::normalized_levenshtein(wanted_base, base_name(&lower));
                (whole.max(base), known)
            })
            .filter(|(score, _)| *score >= NEAR_ENOUGH)
            .collect();
        scored.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then_with(|| a.1.len().cmp(&b.1.len()))
                .then_with(|| a.1.cmp(b.1))
        });
        scored.dedup_by(|a, b| a.1 == b.1);
        scored
            .into_iter()
            .take(MAX_SUGGESTIONS)
            .map(|(_, known)| known.to_owned())
            .collect()
    }

    /// The model for a user who names none: the default of the first provider (in the file's order, the user's first)
    /// whose key is set. Local servers are not looked for here (see `llm::local`).
    pub fn default_model(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let set = |name: &String| lookup(name).is_some_and(|value| !value.trim().is_empty());
        self.files()
            .rev()
            .flat_map(|file| &file.providers)
            .find(|provider| provider.default_model.is_some() && provider.key_env.iter().any(set))
            .and_then(|provider| provider.default_model.clone())
    }

    /// (provider, its key variables), in the file's order, for help texts.
    pub fn providers(&self) -> Vec<(String, Vec<String>)> {
        let mut seen = BTreeSet::new();
        self.files()
            .flat_map(|file| &file.providers)
            .filter(|provider| seen.insert(provider.name.as_str()))
            .map(|provider| (provider.name.clone(), provider.key_env.clone()))
            .collect()
    }

    /// The variable that a provider's key is looked for in first.
    pub fn key_variable(&self, provider: &str) -> Option<String> {
        self.provider(&provider.to_lowercase())?.key_env.first().cloned()
    }

    /// Built-in file first.
    fn files(&self) -> impl DoubleEndedIterator<Item = &File> {
        std::iter::once(builtin_file()).chain(self.own.iter().map(Arc::as_ref))
    }

    fn model_names(&self) -> impl Iterator<Item = &str> {
        self.files().flat_map(|file| file.models.names())
    }

    fn alias_names(&self) -> impl Iterator<Item = &str> {
        self.files().flat_map(|file| file.aliases.keys().map(String::as_str))
    }

    fn aliases_of(&self, name: &str) -> Vec<String> {
        let found: BTreeSet<&String> = self
            .files()
            .flat_map(|file| &file.aliases)
            .filter(|(_, target)| target.as_str() == name)
            .map(|(alias, _)| alias)
            .collect();
        found.into_iter().cloned().collect()
    }

    fn has_row(&self, full: &str) -> bool {
        self.files().any(|file| file.models.contains(full))
    }

    /// The provider of that name, as the last file that has it says, with gaps filled from the ones before.
    fn provider(&self, name: &str) -> Option<Provider> {
        let mut merged: Option<Provider> = None;
        for found in self.provider_rows(name) {
            merged = Some(match merged {
                None => found.clone(),
                Some(old) => old.overridden_by(found),
            });
        }
        merged
    }

    fn provider_rows<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Provider> {
        self.files()
            .flat_map(|file| &file.providers)
            .filter(move |row| row.name == name || row.also.iter().any(|also| also == name))
    }

    fn full_name(&self, given: &str) -> Result<String, Error> {
        let name = given.trim();
        if self.has_row(name) {
            return Ok(name.to_owned());
        }
        let lower = name.to_lowercase();
        if let Some(target) = self.files().rev().find_map(|file| file.aliases.get(&lower)) {
            return Ok(target.clone());
        }
        if let Some((prefix, rest)) = name.split_once('/') {
            if let Some(provider) = self.provider(&prefix.to_lowercase()) {
                if rest.is_empty() {
                    return Err(self.unknown(name));
                }
                let full = format!("{}/{rest}", provider.name);
                return Ok(self.row_like(&full).unwrap_or(full));
            }
            return Err(self.unknown(name));
        }
        if name.is_empty() {
            return Err(self.unknown(name));
        }
        self.bare_name(&lower).ok_or_else(|| self.unknown(name))
    }

    /// The row whose name differs only in case and in the sign between version numbers (`claude-sonnet-4.5`).
    fn row_like(&self, full: &str) -> Option<String> {
        let wanted = folded(full);
        self.model_names()
            .find(|known| folded(known) == wanted)
            .map(str::to_owned)
    }

    /// A name without a provider: the first provider in the file's order that has a row for it, else the home of its
    /// family.
    fn bare_name(&self, lower: &str) -> Option<String> {
        let candidates: Vec<&str> = self
            .model_names()
            .filter(|full| {
                full.split_once('/')
                    .is_some_and(|(_, rest)| folded(rest) == folded(lower))
            })
            .collect();
        let first = self.files().flat_map(|file| &file.providers).find_map(|provider| {
            candidates
                .iter()
                .find(|full| full.split_once('/').is_some_and(|(prefix, _)| prefix == provider.name))
        });
        if let Some(full) = first {
            return Some((*full).to_owned());
        }
        let home = self
            .families_of(lower)
            .filter_map(|family| family.provider.as_deref())
            .last()?;
        Some(format!("{home}/{lower}"))
    }

    fn unknown(&self, name: &str) -> Error {
        Error::UnknownModel {
            name: name.to_owned(),
            suggestions: self.suggest(name),
        }
    }

    fn families_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Family> {
        self.files()
            .flat_map(|file| &file.families)
            .filter(move |family| family.holds(name))
    }

    fn settings(&self, full: &str) -> ModelSettings {
        let (prefix, rest) = full.split_once('/').unwrap_or(("", full));
        let provider = self.provider(prefix).unwrap_or_default();
        let mut settings = defaults(full, rest, &provider);
        if !self.has_row(full)
            && !settings.local
            && let Some(twin) = self.twin(full)
        {
            twin.facts().apply(&mut settings);
        }
        for row in self.provider_rows(&provider.name) {
            row.settings.apply(&mut settings);
        }
        for file in self.files() {
            for family in file.families.iter().filter(|family| family.holds(full)) {
                family.settings.apply(&mut settings);
            }
            if let Some(row) = file.models.get(full) {
                row.apply(&mut settings);
                settings.known = true;
            }
        }
        // What the host cannot do, no family of models brings with it.
        let no_marks = |row: &Provider| row.settings.cache_marks == Some(false);
        if self.provider_rows(&provider.name).any(no_marks) {
            settings.cache_marks = false;
        }
        settings
    }

    /// The row of the same model at another host, the makers first: what it can do is the same wherever it runs.
    fn twin(&self, full: &str) -> Option<Fields> {
        let wanted = folded(base_name(full));
        let order = |name: &str| {
            self.files()
                .flat_map(|file| &file.providers)
                .position(|provider| name.split('/').next() == Some(provider.name.as_str()))
        };
        self.files()
            .flat_map(|file| file.models.names().map(move |name| (file, name)))
            .filter(|(_, name)| folded(base_name(name)) == wanted)
            .min_by_key(|(_, name)| order(name).unwrap_or(usize::MAX))
            .and_then(|(file, name)| file.models.get(name))
    }

    /// A helper model named by a family (`gpt-5-mini`) is looked for where the model itself lives.
    fn beside(&self, full: &str, helper: Option<String>) -> Option<String> {
        let helper = helper?;
        if self.has_row(&helper) || self.files().any(|file| file.aliases.contains_key(&helper)) {
            return Some(helper);
        }
        let (place, _) = full.rsplit_once('/')?;
        self.row_like(&format!("{place}/{helper}"))
    }
}

impl Provider {
    fn overridden_by(mut self, other: &Provider) -> Provider {
        fn list(old: &mut Vec<String>, new: &[String]) {
            if !new.is_empty() {
                *old = new.to_vec();
            }
        }
        fn some<T: Clone>(old: &mut Option<T>, new: &Option<T>) {
            if new.is_some() {
                old.clone_from(new);
            }
        }
        self.also.extend(other.also.iter().cloned());
        some(&mut self.api, &other.api);
        some(&mut self.base_url, &other.base_url);
        list(&mut self.base_url_env, &other.base_url_env);
        list(&mut self.base_url_suffix, &other.base_url_suffix);
        list(&mut self.key_env, &other.key_env);
        some(&mut self.key_optional, &other.key_optional);
        some(&mut self.key_header, &other.key_header);
        some(&mut self.account, &other.account);
        some(&mut self.local, &other.local);
        some(&mut self.default_model, &other.default_model);
        self
    }
}

impl Family {
    fn holds(&self, full: &str) -> bool {
        let full = full.to_lowercase();
        let base = base_name(&full);
        let matched = self.patterns.iter().any(|pattern| {
            let subject = if pattern.contains('/') { full.as_str() } else { base };
            matches(&pattern.to_lowercase(), subject)
        });
        matched
            && self
                .below_billions
                .is_none_or(|limit| billions(base).is_some_and(|size| size < limit))
    }
}

fn builtin_file() -> &'static File {
    static FILE: OnceLock<File> = OnceLock::new();
    FILE.get_or_init(|| File::builtin(BUILTIN))
}

/// The minimum that every server of the protocol understands.
///
/// The format is `diff`: it fails loudly and costs little, where `whole` on a large file costs much and can lose code.
/// Families of very small models say `whole`.
fn defaults(full: &str, wire_name: &str, provider: &Provider) -> ModelSettings {
    ModelSettings {
        name: full.to_owned(),
        provider: provider.name.clone(),
        api: provider.api.clone().unwrap_or_else(|| "openai".to_owned()),
        wire_name: wire_name.to_owned(),
        base_url: provider.base_url.clone(),
        base_url_env: provider.base_url_env.clone(),
        base_url_suffix: provider.base_url_suffix.clone(),
        key_env: provider.key_env.clone(),
        key_optional: provider.key_optional.unwrap_or(false),
        key_header: provider.key_header.clone(),
        account: provider.account.unwrap_or_default(),
        local: provider.local.unwrap_or(false),
        context_window: None,
        max_output: None,
        prices: None,
        edit_format: "diff".to_owned(),
        weak_model: None,
        editor_model: None,
        fallback_models: Vec::new(),
        temperature: None,
        streaming: true,
        system_role: true,
        examples_in_system: false,
        reminder: true,
        reasoning_tag: None,
        reasoning: Reasoning::None,
        reasoning_effort: None,
        prompt_cache: false,
        cache_marks: false,
        cache_mark: CacheMark::CacheControl,
        vision: false,
        picture_tokens: Default::default(),
        pdf: false,
        prefill: false,
        max_tokens_field: None,
        system_prompt_prefix: None,
        lazy: false,
        overeager: false,
        extra_headers: Vec::new(),
        extra_body: serde_json::Map::new(),
        known: false,
        retires: None,
    }
}

/// A name as it is compared: neither case counts nor the sign between numbers (`4.5`, `4-5`, `4p5`).
fn folded(name: &str) -> String {
    let lower = name.to_lowercase();
    let bytes = lower.as_bytes();
    let digit = |idx: usize| bytes.get(idx).is_some_and(u8::is_ascii_digit);
    lower
        .char_indices()
        .map(|(idx, c)| match c {
            '.' => '-',
            'p' if idx > 0 && digit(idx - 1) && digit(idx + 1) => '-',
            c => c,
        })
        .collect()
}

fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether `subject` is what `pattern` describes; `*` stands for any text.
fn matches(pattern: &str, subject: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = subject.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// The largest `7b`, `1.5b`, ... that stands as a word of its own in a name.
fn billions(name: &str) -> Option<f64> {
    name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .filter_map(|word| {
            word.strip_suffix('b')?
                .trim_start_matches(['a', 'e'])
                .parse::<f64>()
                .ok()
        })
        .filter(|size| *size > 0.0)
        .max_by(f64::total_cmp)
}
