//! Amazon Web Services: finds an access key where the AWS tools look for one, and signs requests with it (Signature
//! Version 4, by the AWS SDK's own `aws-sigv4`).
//!
//! Looked for, in this order: `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; the profile
//! (`AWS_PROFILE` or `default`) in `~/.aws/credentials` and `~/.aws/config` with its keys or its `credential_process`; and
//! for everything else (single sign-on, roles, containers) the AWS command line, which can export credentials.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::SignableBody;
use aws_sigv4::http_request::SignableRequest;
use aws_sigv4::http_request::SigningSettings;
use aws_sigv4::sign::v4;
use serde::Deserialize;

use super::Error;
use super::Lookup;
use super::Renewed;
use super::first_set;
use super::home_file;
use super::no_key;
use super::program;
use crate::models::ModelSettings;

/// Where requests go when nothing names a region.
const DEFAULT_REGION: &str = "us-east-1";

/// The name of the service in a signature.
const SERVICE: &str = "bedrock";

/// Credentials of a program that does not say when they run out are asked for again after this.
const UNKNOWN_LIFE: Duration = Duration::from_secs(15 * 60);

/// An account at a region.
pub struct Aws {
    region: String,
    /// None: a key is set, and nothing is signed.
    source: Option<Source>,
    renewed: Renewed<Keys>,
}

enum Source {
    Keys(Keys),
    /// A line for the shell.
    Process(String),
    /// The AWS command line, where it is, and the profile.
    CommandLine(String, Option<String>),
}

/// An access key.
#[derive(Clone)]
pub struct Keys {
    pub id: String,
    pub secret: String,
    pub session_token: Option<String>,
}

impl Aws {
    pub(super) fn find(settings: &ModelSettings, has_key: bool, lookup: Lookup<'_>) -> Result<Self, Error> {
        let profile_name = lookup("AWS_PROFILE");
        let profile = profile(profile_name.as_deref().unwrap_or("default"), lookup);
        let plain = |region: &String| region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let region = first_set(lookup, &["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_REGION_NAME"])
            .or_else(|| profile.get("region").cloned())
            .filter(plain)
            .unwrap_or_else(|| DEFAULT_REGION.to_owned());
        let source = if has_key {
            None
        } else {
            let found = source(&profile, profile_name, lookup);
            Some(found.ok_or_else(|| no_key(settings, &["AWS_ACCESS_KEY_ID", "AWS_PROFILE"]))?)
        };
        Ok(Self {
            region,
            source,
            renewed: Renewed::new(),
        })
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (name == "AWS_REGION").then(|| self.region.clone())
    }

    pub(super) async fn headers(&self, url: &str, body: &[u8]) -> Result<Vec<(String, String)>, Error> {
        let keys = match &self.source {
            None => return Ok(Vec::new()),
            Some(Source::Keys(keys)) => keys.clone(),
            Some(Source::Process(line)) => self.renewed.get(exported("sh", &["-c", line])).await?,
            Some(Source::CommandLine(program, profile)) => {
                let mut args = vec!["configure", "export-credentials", "--format", "process"];
                args.extend(profile.iter().flat_map(|profile| ["--profile", profile.as_str()]));
                self.renewed.get(exported(program, &args)).await?
            }
        };
        let place = Place {
            region: &self.region,
            service: SERVICE,
            time: SystemTime::now(),
        };
        sign("POST", url, &[], body, &keys, &place)
    }
}

fn source(profile: &BTreeMap<String, String>, name: Option<String>, lookup: Lookup<'_>) -> Option<Source> {
    if let (Some(id), Some(secret)) = (lookup("AWS_ACCESS_KEY_ID"), lookup("AWS_SECRET_ACCESS_KEY")) {
        return Some(Source::Keys(Keys {
            id,
            secret,
            session_token: lookup("AWS_SESSION_TOKEN"),
        }));
    }
    if let (Some(id), Some(secret)) = (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key")) {
        return Some(Source::Keys(Keys {
            id: id.clone(),
            secret: secret.clone(),
            session_token: profile.get("aws_session_token").cloned(),
        }));
    }
    if let Some(line) = profile.get("credential_process") {
        return Some(Source::Process(line.clone()));
    }
    let of_tools = [
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ];
    let meant = name.is_some() || !profile.is_empty() || first_set(lookup, &of_tools).is_some();
    let program = program::find("aws", lookup).filter(|_| meant)?;
    Some(Source::CommandLine(program, name))
}

/// The settings of a profile: those of the credentials file over those of the configuration file.
fn profile(name: &str, lookup: Lookup<'_>) -> BTreeMap<String, String> {
    let read = |variable: &str, below_home: &str, section: &str| {
        home_file(lookup, variable, below_home)
            .and_then(|path| std::fs::read_to_string(Path::new(&path)).ok())
            .map(|text| section_of(&text, section))
            .unwrap_or_default()
    };
    let in_config = if name == "default" {
        name.to_owned()
    } else {
        format!("profile {name}")
    };
    let mut settings = read("AWS_CONFIG_FILE", ".aws/config", &in_config);
    settings.extend(read("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", name));
    settings
}

/// The lines of one section of an AWS file. Indented lines belong to a setting above and are left out.
fn section_of(text: &str, wanted: &str) -> BTreeMap<String, String> {
    let mut inside = false;
    let mut settings = BTreeMap::new();
    for line in text.lines() {
        if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let words: Vec<&str> = name.0.split_whitespace().collect();
            inside = words.join(" ") == wanted;
        } else if inside
            && !line.starts_with([' ', '\t', '#', ';'])
            && let Some((name, value)) = line.split_once('=')
        {
            let value = value.split(" #").next().unwrap_or(value);
            settings.insert(name.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    settings
}

/// Credentials as a program prints them.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Exported {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
    expiration: Option<String>,
}

async fn exported(command: &str, args: &[&str]) -> Result<(Keys, SystemTime), Error> {
    let text = program::output(command, args).await?;
    let exported: Exported = serde_json::from_str(&text).map_err(|error| Error::Auth {
        message: format!("`{command} {}` printed no credentials: {error}", args.join(" ")),
    })?;
    let keys = Keys {
        id: exported.access_key_id,
        secret: exported.secret_access_key,
        session_token: exported.session_token,
    };
    let end = exported
        .expiration
        .and_then(|end| end.parse::<jiff::Timestamp>().ok())
        .and_then(|end| u64::try_from(end.as_second()).ok());
    let until = end.map_or_else(
        || SystemTime::now() + UNKNOWN_LIFE,
        |end| SystemTime::UNIX_EPOCH + Duration::from_secs(end),
    );
    Ok((keys, until))
}

/// What else a signature holds for.
pub struct Place<'a> {
    pub region: &'a str,
    pub service: &'a str,
    pub time: SystemTime,
}

/// The headers that sign a request: `authorization`, the time, and the session token where there is one. `headers` are
/// signed with it; the host always is.
pub fn sign(
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: &[u8],
    keys: &Keys,
    place: &Place<'_>,
) -> Result<Vec<(String, String)>, Error> {
    let failed = |error: &dyn std::fmt::Display| Error::BadRequest {
        message: format!("the request to `{url}` cannot be signed: {error}"),
    };
    let identity = Credentials::new(&keys.id, &keys.secret, keys.session_token.clone(), None, "codriver").into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(place.region)
        .name(place.service)
        .time(place.time)
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| failed(&error))?
        .into();
    let request = SignableRequest::new(method, url, headers.iter().copied(), SignableBody::Bytes(body))
        .map_err(|error| failed(&error))?;
    let (instructions, _) = aws_sigv4::http_request::sign(request, &params)
        .map_err(|error| failed(&error))?
        .into_parts();
    Ok(instructions
        .headers()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the test suite that Amazon publishes for Signature Version 4.
    #[test]
    fn signatures_are_those_of_the_published_examples() {
        let keys = |session_token: Option<&str>| Keys {
            id: "AKIDEXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            session_token: session_token.map(str::to_owned),
        };
        let place = Place {
            region: "us-east-1",
            service: "service",
            time: SystemTime::UNIX_EPOCH + Duration::from_secs(1_440_938_160),
        };
        let token = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267";
        for (method, url, keys, expected) in [
            (
                "POST",
                "https://example.amazonaws.com/",
                keys(None),
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                "GET",
                "https://example.amazonaws.com/",
                keys(Some(token)),
                "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
            ),
        ] {
            let headers = sign(method, url, &[], b"", &keys, &place).unwrap();
            let found = |wanted: &str| {
                headers
                    .iter()
                    .find(|(name, _)| name == wanted)
                    .map(|(_, value)| value.as_str())
            };
            assert_eq!(found("x-amz-date"), Some("20150830T123600Z"));
            assert_eq!(found("x-amz-security-token"), keys.session_token.as_deref());
            let authorization = found("authorization").unwrap();
            assert!(
                authorization
                    .starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"),
                "{authorization}"
            );
            assert!(
                authorization.ends_with(&format!("Signature={expected}")),
                "{authorization}"
            );
        }
    }

    #[test]
    fn profiles_as_people_write_them() {
        let text = "# work\n[default]\naws_access_key_id=A\n[profile  dev]\nregion = eu-west-1 # near\ns3 =\n  max_queue = 3\n\
                    aws_access_key_id = B\n; note = x\n[other]\nregion=x\n";
        let dev = section_of(text, "profile dev");
        assert_eq!(dev.get("region").map(String::as_str), Some("eu-west-1"));
        assert_eq!(dev.get("aws_access_key_id").map(String::as_str), Some("B"));
        assert!(!dev.contains_key("max_queue") && !dev.contains_key("note"), "{dev:?}");
        assert!(section_of(text, "nobody").is_empty());
    }
}
