//! Sets up HTTP: certificates, proxies, and the runtime that a call waits in.

use std::path::Path;
use std::sync::Mutex;
use std::sync::Once;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::Error;
use super::options::ConnectOptions;

/// Idle connections are closed after this; servers do so soon after.
const IDLE_CONNECTION: Duration = Duration::from_secs(30);

/// How connections are made, and the workers that no call is using.
pub(super) struct Clients {
    url: String,
    ca: Option<Vec<u8>>,
    verify: bool,
    no_proxy: bool,
    connect_timeout: Duration,
    idle: Mutex<Vec<Worker>>,
}

/// A runtime with its client: several calls may run side by side, each in its own.
pub(super) struct Worker {
    /// None only while it is dropped.
    runtime: Option<Runtime>,
    pub(super) client: reqwest::Client,
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A name look-up that hangs must not hold up whoever ends the program.
            runtime.shutdown_background();
        }
    }
}

impl Worker {
    /// Waits for `work`.
    pub(super) fn block_on<F: Future>(&self, work: F) -> Result<F::Output, Error> {
        let runtime = self.runtime.as_ref().ok_or_else(|| Error::Protocol {
            message: "the connection was closed".to_owned(),
        })?;
        Ok(runtime.block_on(work))
    }
}

/// The bytes of a file with certificates in PEM form.
fn read_certificates(path: &Path, url: &str) -> Result<Vec<u8>, Error> {
    let refused = |message: String| Error::Certificate {
        url: url.to_owned(),
        message,
    };
    let pem = std::fs::read(path).map_err(|error| refused(format!("failed to read `{}`: {error}", path.display())))?;
    match reqwest::Certificate::from_pem_bundle(&pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(pem),
        Ok(_) => Err(refused(format!(
            "`{}` holds no certificate in PEM form",
            path.display()
        ))),
        Err(error) => Err(refused(format!(
            "failed to understand `{}`: {}",
            path.display(),
            causes(&error)
        ))),
    }
}

/// The causes of an error, each told once, without the layers that only say that there was an error.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    const SAYS_NOTHING: &[&str] = &[
        "client error",
        "tcp connect error",
        "dns error",
        "error trying to connect",
    ];
    let mut told: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        let is_news = told.iter().all(|earlier| !earlier.contains(&text));
        if is_news && !SAYS_NOTHING.iter().any(|words| text.starts_with(words)) {
            told.push(text);
        }
        next = cause.source();
    }
    if told.is_empty() {
        error.to_string()
    } else {
        told.join(": ")
    }
}

/// Whether a base URL means this machine: then no proxy stands between.
fn is_loopback(base_url: &str) -> bool {
    let host = base_url.split("://").nth(1).unwrap_or(base_url);
    let host = host.split('/').next().unwrap_or(host);
    host.starts_with("127.") || host.starts_with("[::1]") || host.split(':').next() == Some("localhost")
}

impl Clients {
    /// For the server at `url`. A certificate file is read now.
    pub(super) fn new(url: &str, options: &ConnectOptions<'_>) -> Result<Self, Error> {
        let ca = match &options.ca_file {
            None => None,
            Some(path) => Some(read_certificates(path, url)?),
        };
        Ok(Self {
            url: url.to_owned(),
            ca,
            verify: options.verify,
            no_proxy: is_loopback(url),
            connect_timeout: options.timeouts.connect,
            idle: Mutex::default(),
        })
    }

    /// An idle worker, or a new one.
    pub(super) fn take(&self) -> Result<Worker, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.worker(), Ok)
    }

    /// Keeps a worker, with its open connections, for the next call.
    pub(super) fn put_back(&self, worker: Worker) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }

    fn worker(&self) -> Result<Worker, Error> {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            // Somebody else may have installed one; any will do.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let refused = |message: String| Error::Certificate {
            url: self.url.clone(),
            message,
        };
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("codriver/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE_CONNECTION)
            .tcp_keepalive(Duration::from_secs(30))
            // A compressed stream arrives in lumps.
            .no_gzip()
            // A key must not follow to wherever a server sends us.
            .redirect(reqwest::redirect::Policy::none());
        if self.no_proxy {
            builder = builder.no_proxy();
        }
        if let Some(pem) = &self.ca {
            let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(|error| refused(causes(&error)))?;
            builder = builder.tls_certs_merge(certificates);
        }
        if !self.verify {
            builder = builder.tls_danger_accept_invalid_certs(true);
        }
        let client = builder.build().map_err(|error| refused(causes(&error)))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refused(error.to_string()))?;
        Ok(Worker {
            runtime: Some(runtime),
            client,
        })
    }
}
