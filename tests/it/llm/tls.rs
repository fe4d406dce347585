//! Certificates of one's own: a server on 127.0.0.1 whose authority nobody knows.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::ServerConnection;
use rustls::StreamOwned;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;

use codriver::chat::message::Message;
use codriver::llm::ConnectOptions;
use codriver::llm::Error;
use codriver::llm::Reply;
use codriver::llm::Request;
use codriver::llm::StreamEvent;
use codriver::llm::connect;
use codriver::models::Catalog;
use tokio_util::sync::CancellationToken;

use super::server::whole_reply;
use crate::support;

/// Answers one request over TLS; the address comes first.
fn start() -> String {
    let folder = support::fixtures("llm-tls");
    let certificates = CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap();
    let certificates = certificates.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("server-key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let (ready, wait) = mpsc::channel();
    std::thread::spawn(move || {
        ready.send(()).unwrap();
        while let Ok((stream, _)) = listener.accept() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            whole_reply(&mut stream, "over TLS");
        }
    });
    wait.recv_timeout(Duration::from_secs(10)).unwrap();
    url
}

fn ask(change: impl FnOnce(&mut ConnectOptions<'_>)) -> (Result<Reply, Error>, Vec<StreamEvent>) {
    let lookup = |_: &str| None;
    let mut options = ConnectOptions::new(&lookup);
    options.base_url = Some(start());
    change(&mut options);
    let settings = Catalog::builtin().resolve("openai/test-model").unwrap();
    let request = Request {
        messages: vec![Message::user("Hello")],
        ..Request::default()
    };
    let mut events = Vec::new();
    let reply = connect(&settings, &options)
        .and_then(|model| model.reply(&request, &CancellationToken::new(), &mut |event| events.push(event)));
    (reply, events)
}

#[test]
fn an_unknown_authority_is_refused_at_once_with_its_way_out() {
    let (reply, events) = ask(|_| {});
    let error = reply.unwrap_err();
    assert!(matches!(error, Error::Certificate { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("`--ca-file`"));
    assert!(events.is_empty(), "it is not tried again: {events:?}");
}

#[test]
fn a_certificate_file_makes_it_trusted() {
    let (reply, _) = ask(|options| options.ca_file = Some(support::fixtures("llm-tls").join("authority.pem")));
    assert_eq!(reply.unwrap().text, "over TLS");
}

#[test]
fn checks_can_be_switched_off() {
    let (reply, _) = ask(|options| options.verify = false);
    assert_eq!(reply.unwrap().text, "over TLS");
}

#[test]
fn a_certificate_file_that_is_none_is_named() {
    for file in ["README.md", "missing.pem"] {
        let (reply, _) = ask(|options| options.ca_file = Some(support::fixtures("llm-tls").join(file)));
        let error = reply.unwrap_err();
        assert!(matches!(error, Error::Certificate { .. }), "{error:?}");
        assert!(error.to_string().contains(file), "{error}");
    }
}
