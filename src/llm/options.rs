//! How a model is connected: keys and addresses as values, timeouts, certificates.

use std::path::PathBuf;
use std::time::Duration;

use super::Error;
use super::account::Account;
use super::retry;
use crate::models::ModelSettings;

/// Everything about a connection that is not the model's own. Environment and settings come in as values, so that
/// whoever calls decides which of them to trust.
#[derive(Clone)]
pub struct ConnectOptions<'a> {
    /// Looks up the variables that [`ModelSettings`] names (`OPENAI_API_KEY`, `OPENAI_API_BASE`, ...).
    pub lookup: &'a dyn Fn(&str) -> Option<String>,
    /// Wins over variables and settings.
    pub key: Option<String>,
    pub base_url: Option<String>,
    pub timeouts: Timeouts,
    pub retries: retry::Policy,
    /// A PEM file with certificates that are trusted beside the system's.
    pub ca_file: Option<PathBuf>,
    /// False: any certificate is taken. For tests of one's own servers only.
    pub verify: bool,
    pub extra_headers: Vec<(String, String)>,
    /// Merged into the request's body, over the model's own.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    pub thinking: Thinking,
}

impl std::fmt::Debug for ConnectOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectOptions")
            .field("key", &self.key.as_ref().map(|_| super::secret::MASK))
            .field("base_url", &self.base_url)
            .field("timeouts", &self.timeouts)
            .field("ca_file", &self.ca_file)
            .field("verify", &self.verify)
            .finish_non_exhaustive()
    }
}

impl<'a> ConnectOptions<'a> {
    /// The defaults with that lookup.
    pub fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            lookup,
            key: None,
            base_url: None,
            timeouts: Timeouts::default(),
            retries: retry::Policy::default(),
            ca_file: None,
            verify: true,
            extra_headers: Vec::new(),
            extra_body: serde_json::Map::new(),
            thinking: Thinking::default(),
        }
    }
}

/// How much the user wants a model to think. Each is sent only where the model's settings say that it is understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thinking {
    /// `low`, `medium`, `high`, ...
    pub effort: Option<String>,
    /// Tokens; 0 turns it off.
    pub budget: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first piece of the reply. Models that think in silence take minutes.
    pub first_byte: Duration,
    /// Between two pieces.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_secs(600),
            idle: Duration::from_secs(300),
        }
    }
}

/// Where requests go and what lets them in.
pub struct Endpoint {
    /// Without a slash at the end.
    pub base_url: String,
    pub key: Option<String>,
    /// What stands in where there is no key.
    pub account: Account,
}

/// Finds base URL, key and account: options first, then variables, then the model's settings.
pub fn endpoint(settings: &ModelSettings, options: &ConnectOptions<'_>) -> Result<Endpoint, Error> {
    let set = |name: &str| {
        (options.lookup)(name)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    let given = options
        .base_url
        .clone()
        .or_else(|| settings.base_url_env.iter().find_map(|name| set(name)));
    let is_own_server = given.is_some();
    let key = options
        .key
        .clone()
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty())
        .or_else(|| settings.key_env.iter().find_map(|name| set(name)));
    if key
        .as_deref()
        .is_some_and(|key| key.contains(|c: char| c.is_control() || !c.is_ascii()))
    {
        return Err(Error::Auth {
            message: "the key holds characters that no key has (a line end, a quote from a web page?)".to_owned(),
        });
    }
    let account = match Account::find(settings, key.is_some(), options.lookup) {
        Err(Error::NoKey { .. }) if is_own_server => Account::None,
        found => found?,
    };
    let needs_key = !settings.key_env.is_empty() && !settings.key_optional && matches!(account, Account::None);
    if key.is_none() && needs_key && !is_own_server {
        return Err(Error::NoKey {
            provider: settings.provider.clone(),
            variables: settings.key_env.clone(),
        });
    }
    let variable = |name: &str| {
        account
            .variable(name)
            .or_else(|| set(name).filter(|value| is_plain(value)))
    };
    let no_address = |variables: Vec<String>| Error::NoBaseUrl {
        provider: settings.provider.clone(),
        variables,
    };
    let base_url = match (given, &settings.base_url) {
        (Some(url), _) => with_suffix(normal_url(&url), settings, &variable),
        (None, Some(url)) => normal_url(&filled(url, &variable).map_err(|missing| no_address(vec![missing]))?),
        (None, None) => return Err(no_address(settings.base_url_env.clone())),
    };
    Ok(Endpoint { base_url, key, account })
}

/// A value with other signs would lead to another host.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// A server's address with the end that the provider's row asks for: the first whose variables are all set.
fn with_suffix(mut url: String, settings: &ModelSettings, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let model = settings.wire_name.as_str();
    let variable = |name: &str| match name {
        "model" => Some(model.to_owned()),
        _ => variable(name),
    };
    let suffix = settings
        .base_url_suffix
        .iter()
        .find_map(|suffix| filled(suffix, &variable).ok());
    let Some(suffix) = suffix else { return url };
    // Who pastes the whole address of a deployment means it.
    let (first, query) = suffix
        .split_once('?')
        .map_or((suffix.as_str(), None), |(path, query)| (path, Some(query)));
    let has_path = url.contains("/openai/");
    if !has_path && !url.ends_with(first) {
        url.push_str(first);
    }
    if let Some(query) = query
        && !url.contains('?')
    {
        url = format!("{url}?{query}");
    }
    url
}

/// Puts variables into an address: `${AWS_REGION:us-east-1}` is the variable's value, or what follows the colon. An error
/// is the name of the first that has neither.
fn filled(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let Some((before, rest)) = url.split_once("${") else {
        return Ok(url.to_owned());
    };
    let Some((inside, after)) = rest.split_once('}') else {
        return Ok(url.to_owned());
    };
    let (name, default) = match inside.split_once(':') {
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (inside, None),
    };
    let value = variable(name).or(default).ok_or_else(|| name.to_owned())?;
    Ok(format!("{before}{value}{}", filled(after, variable)?))
}

/// `localhost:11434/` and `0.0.0.0` as people write them, as a URL.
fn normal_url(given: &str) -> String {
    let given = given.trim().trim_end_matches('/');
    let url = if given.contains("://") {
        given.to_owned()
    } else {
        let local = [
            "localhost",
            "127.",
            "0.0.0.0",
            "[::1]",
            "192.168.",
            "10.",
            "host.docker.internal",
        ];
        let scheme = if local.iter().any(|host| given.starts_with(host)) || given.contains(':') {
            "http"
        } else {
            "https"
        };
        format!("{scheme}://{given}")
    };
    // A server listens on every address; nobody can be reached at it.
    url.replacen("://0.0.0.0", "://127.0.0.1", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Catalog;

    fn find(name: &str, variables: &[(&str, &str)]) -> Result<Endpoint, Error> {
        let settings = Catalog::builtin().resolve(name).unwrap();
        let lookup = |wanted: &str| {
            variables
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, value)| (*value).to_owned())
        };
        endpoint(&settings, &ConnectOptions::new(&lookup))
    }

    #[test]
    fn variables_give_key_and_address() {
        let found = find(
            "openai/gpt-5",
            &[("OPENAI_API_KEY", " k "), ("OPENAI_BASE_URL", "http://h:1/v1/")],
        )
        .unwrap();
        assert_eq!(
            (found.base_url.as_str(), found.key.as_deref()),
            ("http://h:1/v1", Some("k"))
        );
    }

    #[test]
    fn an_address_may_hold_a_variable() {
        let at = |variables: &[(&str, &str)]| find("bedrock-mantle/openai.gpt-oss-120b", variables).unwrap().base_url;
        let key = ("AWS_BEARER_TOKEN_BEDROCK", "k");
        assert_eq!(at(&[key]), "https://bedrock-mantle.us-east-1.api.aws/v1");
        assert_eq!(
            at(&[key, ("AWS_REGION", "eu-west-1")]),
            "https://bedrock-mantle.eu-west-1.api.aws/v1"
        );
        assert_eq!(
            at(&[key, ("AWS_REGION", "evil.example/")]),
            "https://bedrock-mantle.us-east-1.api.aws/v1"
        );
    }

    #[test]
    fn a_missing_key_names_the_variables() {
        let error = find("openai/gpt-5", &[]).err().unwrap();
        assert!(error.to_string().contains("`OPENAI_API_KEY`"), "{error}");
        assert!(
            find("openai/gpt-5", &[("OPENAI_API_BASE", "http://127.0.0.1:1/v1")]).is_ok(),
            "an own server may need none"
        );
        assert!(find("ollama/llama3", &[]).is_ok());
    }

    #[test]
    fn addresses_as_people_write_them() {
        for (given, expected) in [
            ("0.0.0.0:11434", "http://127.0.0.1:11434"),
            ("localhost:1/", "http://localhost:1"),
            ("https://h/x/", "https://h/x"),
            ("api.example.com", "https://api.example.com"),
        ] {
            assert_eq!(normal_url(given), expected);
        }
    }

    #[test]
    fn a_key_with_a_line_end_is_refused_before_it_is_sent() {
        let error = find("openai/gpt-5", &[("OPENAI_API_KEY", "ab\u{201c}cdefgh")])
            .err()
            .unwrap();
        assert!(matches!(&error, Error::Auth { .. }));
        assert!(!error.to_string().contains("cdefgh"));
    }
}
