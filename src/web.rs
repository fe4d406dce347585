//! Fetches one page that the user named, as text. No script runs, no link is followed but redirections.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Once;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use tokio_util::sync::CancellationToken;

use crate::text::address::without_login;
use crate::text::html;

/// Bytes of a page that are read.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// For the whole page.
const LIMIT: Duration = Duration::from_secs(60);

/// How connections are made.
#[derive(Debug, Clone)]
pub struct Options {
    /// A PEM file with certificates that are trusted beside the system's.
    pub ca_file: Option<PathBuf>,
    /// False: any certificate is taken.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ca_file: None,
            verify: true,
        }
    }
}

/// Addresses stand in it without what logs in.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{address}` is no web address")]
    Address { address: String },
    #[error("`{address}` cannot be fetched: {why}")]
    Failed { address: String, why: String },
    #[error("`{address}` is no text but {kind}")]
    NotText { address: String, kind: String },
    #[error("stopped")]
    Stopped,
}

/// The text of the page at an address; `https://` may be left out.
///
/// # Errors
/// When the address is none, the server does not answer with a page, it is no text, or `cancel` was tripped.
pub fn fetch(address: &str, options: &Options, cancel: &CancellationToken) -> Result<String, Error> {
    let full = match address.split_once("://") {
        Some(_) => address.to_owned(),
        None => format!("https://{address}"),
    };
    let wrong = || Error::Address {
        address: without_login(address).into_owned(),
    };
    let url = reqwest::Url::parse(&full).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong());
    }
    let failed = |why: String| Error::Failed {
        address: without_login(address).into_owned(),
        why,
    };
    let client = client(options).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let fetched = runtime.block_on(async {
        tokio::select! {
            () = cancel.cancelled() => None,
            page = read(&client, url) => Some(page),
        }
    });
    // A name look-up that hangs must not hold up the prompt.
    runtime.shutdown_background();
    let (kind, bytes) = fetched.ok_or(Error::Stopped)?.map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_html = kind.contains("html") || (kind.is_empty() && text.trim_start().starts_with('<'));
    if is_html {
        return Ok(html::to_text(&text));
    }
    let is_text = kind.is_empty()
        || ["text/", "json", "xml", "javascript", "yaml", "toml"]
            .iter()
            .any(|part| kind.contains(part));
    if is_text && !bytes.contains(&0) {
        return Ok(text.into_owned());
    }
    Err(Error::NotText {
        address: without_login(address).into_owned(),
        kind: if kind.is_empty() { "bytes".to_owned() } else { kind },
    })
}

fn client(options: &Options) -> Result<reqwest::Client, String> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Somebody else may have installed one; any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("codriver/", env!("CARGO_PKG_VERSION")))
        .timeout(LIMIT)
        .redirect(reqwest::redirect::Policy::custom(follow));
    if let Some(path) = &options.ca_file {
        let pem = std::fs::read(path).map_err(|error| format!("failed to read `{}`: {error}", path.display()))?;
        let certificates = reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| error.to_string())?;
        builder = builder.tls_certs_merge(certificates);
    }
    if !options.verify {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    builder.build().map_err(|error| causes(&error))
}

/// Follows a few redirections, but none from elsewhere into this machine or its network: the user named another place.
fn follow(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    const MOST: usize = 5;
    if attempt.previous().len() > MOST {
        return attempt.error("too many redirects");
    }
    let was_near = attempt.previous().first().is_some_and(is_near);
    if is_near(attempt.url()) && !was_near {
        let host = attempt.url().host_str().unwrap_or_default().to_owned();
        return attempt.error(format!("it leads to `{host}`, in your own network"));
    }
    attempt.follow()
}

/// Whether an address says by itself that it is of this machine or its network. Names are not looked up.
fn is_near(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => is_near_v4(ip),
        Ok(IpAddr::V6(ip)) => match ip.to_ipv4_mapped() {
            Some(ip) => is_near_v4(ip),
            None => ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local(),
        },
        Err(_) => {
            host == "localhost"
                || !host.contains('.')
                || [".localhost", ".local", ".internal"]
                    .iter()
                    .any(|end| host.ends_with(end))
        }
    }
}

fn is_near_v4(ip: Ipv4Addr) -> bool {
    ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
}

/// The kind of the answer, in lower case, and its first bytes.
async fn read(client: &reqwest::Client, url: reqwest::Url) -> Result<(String, Vec<u8>), String> {
    let mut response = client.get(url).send().await.map_err(|error| causes(&error))?;
    if !response.status().is_success() {
        return Err(format!("the server answers {}", response.status()));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| causes(&error))? {
        let left = MAX_BYTES - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(left)]);
        if bytes.len() == MAX_BYTES {
            break;
        }
    }
    Ok((kind, bytes))
}

/// The innermost cause of an error: the outer ones only say that there was one.
fn causes(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_own_network_are_known() {
        for near in [
            "http://localhost/x",
            "http://LOCALHOST.:80",
            "http://127.0.0.1",
            "http://2130706433/",
            "http://10.1.2.3/",
            "http://192.168.0.1/",
            "http://169.254.169.254/latest",
            "http://[::1]:8080/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fe80::1]/",
            "http://[fd00::1]/",
            "http://metadata.google.internal/",
            "http://intranet/",
            "http://0.0.0.0/",
        ] {
            assert!(is_near(&reqwest::Url::parse(near).unwrap()), "{near}");
        }
        for far in ["https://example.com/", "http://8.8.8.8/", "http://[2606:4700::1111]/"] {
            assert!(!is_near(&reqwest::Url::parse(far).unwrap()), "{far}");
        }
    }
}
