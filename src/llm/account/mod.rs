//! The accounts of clouds: what a request carries where no key is set. Amazon's requests are signed, Google's carry a token
//! that is fetched and renewed. Both look for credentials where the clouds' own tools keep them.
//!
//! Everything comes from the user's own variables and home, never from a repository.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;
use std::time::SystemTime;

use super::Error;
use crate::models;
use crate::models::ModelSettings;

pub mod aws;
pub mod google;
mod program;

/// Looks up a variable of the user's environment or settings.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A token is renewed so long before it runs out: a request may take a while to be sent.
const BEFORE_ITS_END: Duration = Duration::from_secs(120);

/// What the settings of a model call `account`, with what was found for it.
pub enum Account {
    /// A key header says it all.
    None,
    Aws(aws::Aws),
    Google(google::Google),
}

impl Account {
    /// Looks for the account's credentials; nothing is sent yet. `has_key`: a key is set, which then stands for them.
    ///
    /// # Errors
    /// [`Error::NoKey`] where there are none, [`Error::Auth`] where a file with credentials is not understood.
    pub(super) fn find(settings: &ModelSettings, has_key: bool, lookup: Lookup<'_>) -> Result<Self, Error> {
        let lookup = &|name: &str| set(lookup, name);
        Ok(match settings.account {
            models::Account::None => Self::None,
            models::Account::Aws => Self::Aws(aws::Aws::find(settings, has_key, lookup)?),
            models::Account::Google => Self::Google(google::Google::find(settings, has_key, lookup)?),
        })
    }

    /// What an address may name of the account: its region, project, host.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match self {
            Self::None => None,
            Self::Aws(aws) => aws.variable(name),
            Self::Google(google) => google.variable(name),
        }
    }

    /// The headers that let a request with this body in. May ask a server or a program first.
    pub(super) async fn headers(
        &self,
        client: &reqwest::Client,
        url: &str,
        body: &[u8],
    ) -> Result<Vec<(String, String)>, Error> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Aws(aws) => aws.headers(url, body).await,
            Self::Google(google) => google.headers(client).await,
        }
    }
}

/// Whether the model's provider would be asked with a key or an account of the user; see also
/// [`ModelSettings::has_key`].
pub fn is_there(settings: &ModelSettings, lookup: &dyn Fn(&str) -> Option<String>) -> bool {
    match settings.account {
        models::Account::None => settings.has_key(lookup),
        _ => settings.has_key(lookup) || Account::find(settings, false, lookup).is_ok(),
    }
}

fn set(lookup: Lookup<'_>, name: &str) -> Option<String> {
    lookup(name)
        .map(|value| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

fn first_set(lookup: Lookup<'_>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| lookup(name))
}

/// A file in the user's home, unless a variable names another one.
fn home_file(lookup: Lookup<'_>, variable: &str, below_home: &str) -> Option<PathBuf> {
    lookup(variable)
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(lookup("HOME")?).join(below_home)))
}

fn no_key(settings: &ModelSettings, more: &[&str]) -> Error {
    Error::NoKey {
        provider: settings.provider.clone(),
        variables: settings
            .key_env
            .iter()
            .cloned()
            .chain(more.iter().map(|name| (*name).to_owned()))
            .collect(),
    }
}

/// Something that runs out, kept until shortly before it does.
struct Renewed<T>(tokio::sync::Mutex<Option<(T, SystemTime)>>);

impl<T: Clone> Renewed<T> {
    fn new() -> Self {
        Self(tokio::sync::Mutex::new(None))
    }

    /// What is kept, or else what `fetch` gets and until when it holds.
    async fn get(&self, fetch: impl Future<Output = Result<(T, SystemTime), Error>>) -> Result<T, Error> {
        let mut kept = self.0.lock().await;
        if let Some((value, until)) = &*kept
            && SystemTime::now() + BEFORE_ITS_END < *until
        {
            return Ok(value.clone());
        }
        let (value, until) = fetch.await?;
        *kept = Some((value.clone(), until));
        Ok(value)
    }
}
