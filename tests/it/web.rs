//! Pages from a server on this machine.

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::thread;

use codriver::web;
use codriver::web::Error;
use codriver::web::Options;
use tokio_util::sync::CancellationToken;

/// Answers one request with these bytes; returns the address.
fn serve(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/page", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request);
        stream.write_all(answer.as_bytes()).unwrap();
    });
    address
}

fn fetch(address: &str) -> Result<String, Error> {
    web::fetch(address, &Options::default(), &CancellationToken::new())
}

#[test]
fn a_page_is_fetched_as_text() {
    let address =
        serve("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Hello</h1><p>there");
    assert_eq!(fetch(&address).unwrap(), "# Hello\n\nthere");
    let address = serve("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\na <b> c");
    assert_eq!(fetch(&address).unwrap(), "a <b> c");
}

#[test]
fn what_is_no_page_is_told() {
    for address in ["ftp://example.com/x", "file:///etc/passwd", "http://", "not an address"] {
        assert!(matches!(fetch(address), Err(Error::Address { .. })), "{address}");
    }
    let address = serve("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let error = fetch(&address).unwrap_err().to_string();
    assert!(error.contains("404"), "{error}");
    let address = serve("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n\r\n\u{1}");
    assert!(matches!(fetch(&address), Err(Error::NotText { .. })));
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(fetch(&format!("http://{unused}/")), Err(Error::Failed { .. })));
}

#[test]
fn a_fetch_can_be_stopped() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = web::fetch(&address, &Options::default(), &cancel);
    assert!(matches!(stopped, Err(Error::Stopped)));
}
