//! The clients: wire formats as data (`fixtures/llm/`), everything else against a server on 127.0.0.1.

mod account;
mod bodies;
mod fallback;
mod http;
pub(crate) mod server;
mod streams;
mod tls;
