//! Google Cloud: finds the user's login where Google's tools keep it, and gets access tokens for it.
//!
//! Looked for, in this order: the file that `GOOGLE_APPLICATION_CREDENTIALS` names (a service account's key, or a user's
//! login), the one that `gcloud auth application-default login` leaves in the home, and `gcloud` itself. A service account
//! asks for its token with a signed claim (RFC 7523); `ring`, which TLS uses too, signs it.

use std::time::Duration;
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::KeyPair;
use ring::signature::RSA_PKCS1_SHA256;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::Error;
use super::Lookup;
use super::Renewed;
use super::first_set;
use super::home_file;
use super::no_key;
use super::program;
use crate::llm::client::causes;
use crate::llm::failure;
use crate::llm::protocol::percent_encoded;
use crate::models::ModelSettings;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";

/// Serves the newest models first, wherever they run.
const DEFAULT_LOCATION: &str = "global";

/// How long a claim may be used, and what a token without a word about it is taken to last.
const LIFE: Duration = Duration::from_secs(3_600);

/// `gcloud` hands out tokens that may have been in use for a while.
const LIFE_OF_GCLOUD: Duration = Duration::from_secs(5 * 60);

/// An account with a project and a place.
pub struct Google {
    project: Option<String>,
    location: String,
    /// None: a token is set as the key.
    source: Option<Source>,
    renewed: Renewed<String>,
}

enum Source {
    File(Box<Login>),
    /// The command line, where it is.
    Gcloud(String),
}

/// What a file of credentials says.
#[derive(Clone, Deserialize)]
struct Login {
    #[serde(rename = "type")]
    kind: String,
    project_id: Option<String>,
    quota_project_id: Option<String>,
    client_email: Option<String>,
    private_key: Option<String>,
    private_key_id: Option<String>,
    token_uri: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    refresh_token: Option<String>,
}

impl Google {
    pub(super) fn find(settings: &ModelSettings, has_key: bool, lookup: Lookup<'_>) -> Result<Self, Error> {
        let login = login(lookup)?;
        let of_login = login
            .as_ref()
            .and_then(|login| login.project_id.clone().or_else(|| login.quota_project_id.clone()));
        let projects = [
            "VERTEXAI_PROJECT",
            "GOOGLE_CLOUD_PROJECT",
            "ANTHROPIC_VERTEX_PROJECT_ID",
        ];
        let locations = ["VERTEXAI_LOCATION", "GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"];
        let plain = |text: &String| text.chars().all(|c| c.is_ascii_alphanumeric() || "-.:".contains(c));
        let usable = login.filter(|login| matches!(login.kind.as_str(), "service_account" | "authorized_user"));
        let source = if has_key {
            None
        } else {
            let gcloud = || program::find("gcloud", lookup).map(Source::Gcloud);
            let found = usable.map(Box::new).map(Source::File).or_else(gcloud);
            Some(found.ok_or_else(|| no_key(settings, &["GOOGLE_APPLICATION_CREDENTIALS"]))?)
        };
        Ok(Self {
            project: first_set(lookup, &projects).or(of_login).filter(plain),
            location: first_set(lookup, &locations)
                .filter(plain)
                .unwrap_or_else(|| DEFAULT_LOCATION.to_owned()),
            source,
            renewed: Renewed::new(),
        })
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match name {
            "VERTEXAI_PROJECT" => self.project.clone(),
            "VERTEXAI_LOCATION" => Some(self.location.clone()),
            "VERTEXAI_HOST" => Some(host(&self.location)),
            _ => None,
        }
    }

    pub(super) async fn headers(&self, client: &reqwest::Client) -> Result<Vec<(String, String)>, Error> {
        let token = match &self.source {
            None => return Ok(Vec::new()),
            Some(Source::Gcloud(program)) => self.renewed.get(of_gcloud(program)).await?,
            Some(Source::File(login)) => self.renewed.get(of_login(client, login)).await?,
        };
        Ok(vec![("authorization".to_owned(), format!("Bearer {token}"))])
    }
}

/// The server of a place.
fn host(location: &str) -> String {
    match location {
        "global" => "aiplatform.googleapis.com".to_owned(),
        "us" | "eu" => format!("aiplatform.{location}.rep.googleapis.com"),
        region => format!("{region}-aiplatform.googleapis.com"),
    }
}

fn login(lookup: Lookup<'_>) -> Result<Option<Login>, Error> {
    let folder = lookup("CLOUDSDK_CONFIG").map(|folder| format!("{folder}/application_default_credentials.json"));
    let named = lookup("GOOGLE_APPLICATION_CREDENTIALS");
    let path = named
        .clone()
        .or(folder)
        .map(Into::into)
        .or_else(|| home_file(lookup, "", ".config/gcloud/application_default_credentials.json"));
    let Some(path) = path else { return Ok(None) };
    let wrong = |message: String| Error::Auth {
        message: format!("failed to read the credentials in `{}`: {message}", path.display()),
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| wrong(error.to_string())),
        // Only a file that was named must be there.
        Err(error) if named.is_some() => Err(wrong(error.to_string())),
        Err(_) => Ok(None),
    }
}

async fn of_gcloud(program: &str) -> Result<(String, SystemTime), Error> {
    let token = program::output(program, &["auth", "print-access-token"]).await?;
    Ok((token.trim().to_owned(), SystemTime::now() + LIFE_OF_GCLOUD))
}

async fn of_login(client: &reqwest::Client, login: &Login) -> Result<(String, SystemTime), Error> {
    let uri = login.token_uri.as_deref().unwrap_or(TOKEN_URI);
    let form = if login.kind == "service_account" {
        let assertion = claim(login, uri, SystemTime::now())?;
        form(&[
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
            ("assertion", &assertion),
        ])
    } else {
        form(&[
            ("grant_type", "refresh_token"),
            ("client_id", login.client_id.as_deref().unwrap_or("")),
            ("client_secret", login.client_secret.as_deref().unwrap_or("")),
            ("refresh_token", login.refresh_token.as_deref().unwrap_or("")),
        ])
    };
    let unreachable = |error: &reqwest::Error| Error::Unreachable {
        url: uri.to_owned(),
        message: causes(error),
    };
    let response = client
        .post(uri)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form)
        .send()
        .await
        .map_err(|error| unreachable(&error))?;
    let status = response.status().as_u16();
    let text = response.text().await.map_err(|error| unreachable(&error))?;
    let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let token = answer.get("access_token").and_then(Value::as_str);
    match token {
        Some(token) if status == 200 => {
            let life = answer.get("expires_in").and_then(Value::as_u64);
            let life = life.map_or(LIFE, Duration::from_secs);
            Ok((token.to_owned(), SystemTime::now() + life))
        }
        _ => Err(refused(status, &text, &answer)),
    }
}

fn refused(status: u16, text: &str, answer: &Value) -> Error {
    let described = answer.get("error_description").and_then(Value::as_str);
    let message = described.map_or_else(|| failure::Details::read(text).message, str::to_owned);
    if status >= 500 {
        return Error::Server {
            status,
            message,
            retry_after: None,
        };
    }
    Error::Auth {
        message: format!(
            "Google gave no access token: {message} (`gcloud auth application-default login` logs in anew)"
        ),
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", percent_encoded(value)))
        .collect();
    fields.join("&")
}

/// The signed claim with which a service account asks for a token.
fn claim(login: &Login, audience: &str, now: SystemTime) -> Result<String, Error> {
    let wrong = |message: &str| Error::Auth {
        message: format!("the service account's file {message}"),
    };
    let (Some(email), Some(pem)) = (&login.client_email, &login.private_key) else {
        return Err(wrong("holds no `client_email` or `private_key`"));
    };
    let key = key_of(pem).ok_or_else(|| wrong("holds a `private_key` that is no RSA key in PEM form"))?;
    let issued = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(id) = &login.private_key_id {
        header["kid"] = json!(id);
    }
    let claims = json!({"iss": email, "scope": SCOPE, "aud": audience, "iat": issued, "exp": issued + LIFE.as_secs()});
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encoded(&header), encoded(&claims));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        signed.as_bytes(),
        &mut signature,
    )
    .map_err(|_| wrong("holds a `private_key` that does not sign"))?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn key_of(pem: &str) -> Option<KeyPair> {
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let inner = pem.split_once(begin)?.1.split_once(end)?.0;
    let der = STANDARD.decode(inner.split_whitespace().collect::<String>()).ok()?;
    KeyPair::from_pkcs8(&der).ok()
}
