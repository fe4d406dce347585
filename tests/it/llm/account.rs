//! Clouds: credentials from where their tools keep them, signed requests, tokens. Each against a server on 127.0.0.1.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use codriver::chat::message::Message;
use codriver::llm::ConnectOptions;
use codriver::llm::Error;
use codriver::llm::Reply;
use codriver::llm::Request;
use codriver::llm::connect;
use codriver::models::Catalog;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::server::Answer;
use super::server::Seen;
use super::server::Server;
use super::server::Step;
use super::server::response;
use crate::support;

/// Asks a model once, with these variables and nothing else of the environment.
fn ask(name: &str, base_url: Option<&str>, variables: &[(&str, &str)]) -> Result<Reply, Error> {
    let lookup = |wanted: &str| {
        variables
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| (*value).to_owned())
    };
    let mut options = ConnectOptions::new(&lookup);
    options.base_url = base_url.map(str::to_owned);
    options.retries.attempts = 1;
    let model = connect(&Catalog::builtin().resolve(name).unwrap(), &options)?;
    let request = Request {
        messages: vec![Message::system("Be brief."), Message::user("Hello")],
        ..Request::default()
    };
    model.reply(&request, &CancellationToken::new(), &mut |_| {})
}

/// A recorded stream as a response.
fn recorded(case: &str) -> Answer {
    let folder = support::fixtures("llm").join(case);
    let body = fs::read(folder.join("stream.bin"))
        .or_else(|_| fs::read(folder.join("stream.txt")))
        .unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    vec![Step::Send([head.into_bytes(), body].concat())]
}

fn first(server: &Server) -> Seen {
    server.seen().into_iter().next().unwrap()
}

fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

const BEDROCK: &str = "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0";

#[test]
fn bedrock_requests_are_signed_with_the_keys_of_the_environment() {
    let server = Server::start(vec![recorded("bedrock/normal")]);
    let variables = [
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_SESSION_TOKEN", "the-session-token"),
        ("AWS_DEFAULT_REGION", "eu-central-1"),
    ];
    let reply = ask(BEDROCK, Some(&server.url), &variables).unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.input), ("Hello, Grüße 🚗", 152));
    let seen = first(&server);
    assert!(
        seen.head
            .starts_with("POST /model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream HTTP/1.1"),
        "{}",
        seen.head
    );
    let authorization = seen.header("authorization").unwrap();
    assert!(
        authorization.starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"),
        "{authorization}"
    );
    assert!(
        authorization.contains("/eu-central-1/bedrock/aws4_request"),
        "{authorization}"
    );
    assert!(
        authorization.contains("SignedHeaders=host;x-amz-date;x-amz-security-token"),
        "{authorization}"
    );
    assert_eq!(
        seen.header("x-amz-security-token").as_deref(),
        Some("the-session-token")
    );
    assert_eq!(seen.json()["messages"][0]["content"][0]["text"], "Hello");
}

#[test]
fn a_bedrock_key_is_sent_as_it_is() {
    let server = Server::start(vec![recorded("bedrock/normal")]);
    ask(
        BEDROCK,
        Some(&server.url),
        &[("AWS_BEARER_TOKEN_BEDROCK", "bedrock-key")],
    )
    .unwrap();
    let seen = first(&server);
    assert_eq!(seen.header("authorization").as_deref(), Some("Bearer bedrock-key"));
    assert_eq!(seen.header("x-amz-date"), None);
}

#[test]
fn profiles_hold_keys_regions_and_programs() {
    let home = TempDir::new().unwrap();
    let aws = home.path().join(".aws");
    fs::create_dir(&aws).unwrap();
    fs::write(
        aws.join("credentials"),
        "[default]\naws_access_key_id = OFFILE\naws_secret_access_key = s\n",
    )
    .unwrap();
    let exported = r#"{"Version":1,"AccessKeyId":"OFPROGRAM","SecretAccessKey":"s","SessionToken":"t","Expiration":"2099-01-01T00:00:00Z"}"#;
    fs::write(
        aws.join("config"),
        format!(
            "[default]\nregion = us-west-2\n[profile tool]\nregion=eu-north-1\ncredential_process = echo '{exported}'\n\
             [profile sso]\nsso_session = x\n"
        ),
    )
    .unwrap();
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let home = home.path().to_str().unwrap();
    for (profile, expected) in [("", "OFFILE/"), ("tool", "OFPROGRAM/")] {
        let server = Server::start(vec![recorded("bedrock/normal")]);
        ask(BEDROCK, Some(&server.url), &[("HOME", home), ("AWS_PROFILE", profile)]).unwrap();
        let authorization = first(&server).header("authorization").unwrap();
        assert!(
            authorization.contains(&format!("Credential={expected}")),
            "{authorization}"
        );
        let region = if profile.is_empty() { "us-west-2" } else { "eu-north-1" };
        assert!(authorization.contains(region), "{authorization}");
    }
    // Single sign-on is the AWS command line's, which is not there.
    let path = bin.to_str().unwrap();
    let error = ask(BEDROCK, None, &[("HOME", home), ("AWS_PROFILE", "sso"), ("PATH", path)]).unwrap_err();
    assert!(
        matches!(&error, Error::NoKey { variables, .. } if variables.contains(&"AWS_PROFILE".to_owned())),
        "{error}"
    );
}

#[test]
fn a_program_without_credentials_is_told_with_its_words() {
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join(".aws")).unwrap();
    fs::write(
        home.path().join(".aws/config"),
        "[default]\ncredential_process = echo 'Session expired, log in again' >&2; exit 3\n",
    )
    .unwrap();
    let server = Server::start(vec![]);
    let error = ask(BEDROCK, Some(&server.url), &[("HOME", home.path().to_str().unwrap())]).unwrap_err();
    assert!(
        matches!(&error, Error::Auth { message } if message.contains("Session expired")),
        "{error}"
    );
    assert!(server.seen().is_empty());
}

#[test]
fn amazons_kind_of_failure_stands_in_a_header() {
    let kind = "x-amzn-ErrorType: AccessDeniedException:http://internal.amazon.com/\r\n";
    let server = Server::start(vec![response("400 Bad Request", kind, r#"{"message":"no"}"#)]);
    let error = ask(
        BEDROCK,
        Some(&server.url),
        &[("AWS_BEARER_TOKEN_BEDROCK", "bedrock-key")],
    )
    .unwrap_err();
    assert!(matches!(error, Error::Auth { .. }), "{error}");
}

#[test]
fn no_account_names_what_could_be_set() {
    for (name, expected) in [
        (
            BEDROCK,
            "`AWS_BEARER_TOKEN_BEDROCK` or `AWS_ACCESS_KEY_ID` or `AWS_PROFILE`",
        ),
        (
            "vertex/gemini-3.8-flash",
            "`GOOGLE_ACCESS_TOKEN` or `CLOUDSDK_AUTH_ACCESS_TOKEN` or `GOOGLE_APPLICATION_CREDENTIALS`",
        ),
    ] {
        let error = ask(name, None, &[]).unwrap_err();
        assert!(error.to_string().ends_with(&format!("set {expected}")), "{error}");
    }
    let error = ask(
        "vertex/gemini-3.8-flash",
        None,
        &[("GOOGLE_ACCESS_TOKEN", "ya29.token")],
    )
    .unwrap_err();
    assert!(error.to_string().contains("set `VERTEXAI_PROJECT`"), "{error}");
}

/// A file of credentials whose tokens come from this server.
fn login(folder: &Path, mut login: serde_json::Value, server: &Server) -> String {
    login["token_uri"] = format!("{}/token", server.url).into();
    let path = folder.join("login.json");
    fs::write(&path, login.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_service_account_asks_for_a_token_with_a_signed_claim() {
    let text = fs::read_to_string(support::fixtures("llm/service_account.json")).unwrap();
    let account: serde_json::Value = serde_json::from_str(&text).unwrap();
    let server = Server::start(vec![
        response(
            "200 OK",
            "",
            r#"{"access_token":"ya29.fresh","expires_in":3599,"token_type":"Bearer"}"#,
        ),
        recorded("vertex-gemini/normal"),
    ]);
    let folder = TempDir::new().unwrap();
    let file = login(folder.path(), account, &server);
    let base = format!("{}/v1/projects/p/locations/global", server.url);
    ask(
        "vertex/gemini-3.8-flash",
        Some(&base),
        &[("GOOGLE_APPLICATION_CREDENTIALS", &file)],
    )
    .unwrap();
    let seen = server.seen();
    let assertion = seen[0].body.rsplit('=').next().unwrap();
    assert!(
        seen[0]
            .body
            .starts_with("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=")
    );
    check_claim(assertion, &text, &format!("{}/token", server.url));
    assert!(
        seen[1].head.starts_with(
            "POST /v1/projects/p/locations/global/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse "
        ),
        "{}",
        seen[1].head
    );
    assert_eq!(seen[1].header("authorization").as_deref(), Some("Bearer ya29.fresh"));
}

/// Verifies the signature with the public half of the key, and reads the claim.
fn check_claim(assertion: &str, account: &str, audience: &str) {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let account: serde_json::Value = serde_json::from_str(account).unwrap();
    let pem = account["private_key"].as_str().unwrap();
    let inner: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let key = ring::rsa::KeyPair::from_pkcs8(&STANDARD.decode(inner).unwrap()).unwrap();
    let (signed, signature) = assertion.rsplit_once('.').unwrap();
    ring::signature::UnparsedPublicKey::new(&ring::signature::RSA_PKCS1_2048_8192_SHA256, key.public().as_ref())
        .verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap())
        .unwrap();
    let parts: Vec<serde_json::Value> = signed
        .split('.')
        .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
        .collect();
    assert_eq!(
        (&parts[0]["alg"], &parts[0]["kid"]),
        (&"RS256".into(), &account["private_key_id"])
    );
    assert_eq!(
        (&parts[1]["iss"], &parts[1]["aud"]),
        (&account["client_email"], &audience.into())
    );
    assert_eq!(
        parts[1]["exp"].as_u64().unwrap() - parts[1]["iat"].as_u64().unwrap(),
        3_600
    );
}

#[test]
fn a_users_login_is_renewed_once_for_many_requests() {
    let user = serde_json::json!({
        "type": "authorized_user", "client_id": "id", "client_secret": "s&s", "refresh_token": "1//r", "quota_project_id": "q",
    });
    let server = Server::start(vec![
        response("200 OK", "", r#"{"access_token":"ya29.user","expires_in":3599}"#),
        recorded("vertex-anthropic/normal"),
        recorded("vertex-anthropic/normal"),
    ]);
    let folder = TempDir::new().unwrap();
    let file = login(folder.path(), user, &server);
    let lookup = |name: &str| (name == "GOOGLE_APPLICATION_CREDENTIALS").then(|| file.clone());
    let mut options = ConnectOptions::new(&lookup);
    options.base_url = Some(server.url.clone());
    let settings = Catalog::builtin().resolve("vertex_ai/claude-sonnet-5-5").unwrap();
    let model = connect(&settings, &options).unwrap();
    let request = Request {
        messages: vec![Message::user("Hello")],
        ..Request::default()
    };
    for _ in 0..2 {
        model.reply(&request, &CancellationToken::new(), &mut |_| {}).unwrap();
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert_eq!(
        seen[0].body,
        "grant_type=refresh_token&client_id=id&client_secret=s%26s&refresh_token=1%2F%2Fr"
    );
    assert!(
        seen[1]
            .head
            .contains("/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict ")
    );
    assert_eq!(seen[2].header("authorization").as_deref(), Some("Bearer ya29.user"));
    let body = seen[1].json();
    assert_eq!(body["anthropic_version"], "vertex-2023-10-16");
    assert!(body.get("model").is_none());
}

#[test]
fn a_login_that_ran_out_says_how_to_log_in_again() {
    let server = Server::start(vec![response(
        "400 Bad Request",
        "",
        r#"{"error":"invalid_grant","error_description":"Token has been expired or revoked."}"#,
    )]);
    let folder = TempDir::new().unwrap();
    let file = login(folder.path(), serde_json::json!({"type": "authorized_user"}), &server);
    let variables = [("GOOGLE_APPLICATION_CREDENTIALS", file.as_str())];
    let error = ask("vertex/gemini-3.8-flash", Some(&server.url), &variables).unwrap_err();
    assert!(error.to_string().contains("expired or revoked"), "{error}");
    assert!(
        error.to_string().contains("gcloud auth application-default login"),
        "{error}"
    );
}

#[test]
fn without_a_file_gcloud_is_asked() {
    let folder = TempDir::new().unwrap();
    program(
        folder.path(),
        "gcloud",
        "[ \"$*\" = 'auth print-access-token' ] && echo ya29.gcloud",
    );
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let server = Server::start(vec![recorded("vertex-gemini/normal")]);
    ask("vertex/gemini-3.8-flash", Some(&server.url), &[("PATH", &path)]).unwrap();
    assert_eq!(
        first(&server).header("authorization").as_deref(),
        Some("Bearer ya29.gcloud")
    );
}

#[test]
fn addresses_follow_region_and_project() {
    use codriver::llm::options::endpoint;
    let at = |name: &str, variables: &[(&str, &str)]| {
        let lookup = |wanted: &str| {
            let found = variables.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        };
        let settings = Catalog::builtin().resolve(name).unwrap();
        endpoint(&settings, &ConnectOptions::new(&lookup))
            .map(|found| found.base_url)
            .unwrap()
    };
    let key = ("AWS_BEARER_TOKEN_BEDROCK", "key");
    assert_eq!(at(BEDROCK, &[key]), "https://bedrock-runtime.us-east-1.amazonaws.com");
    assert_eq!(
        at(BEDROCK, &[key, ("AWS_REGION_NAME", "ap-south-1")]),
        "https://bedrock-runtime.ap-south-1.amazonaws.com"
    );
    let token = ("GOOGLE_ACCESS_TOKEN", "t");
    let project = ("GOOGLE_CLOUD_PROJECT", "my-project");
    for (location, host) in [
        ("", "aiplatform.googleapis.com"),
        ("us-east5", "us-east5-aiplatform.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
    ] {
        let place = if location.is_empty() { "global" } else { location };
        let variables = [token, project, ("VERTEXAI_LOCATION", location)];
        assert_eq!(
            at("vertex/claude-sonnet-5-5", &variables),
            format!("https://{host}/v1/projects/my-project/locations/{place}")
        );
        assert!(at("vertex/meta/llama-4", &variables).ends_with(&format!("/locations/{place}/endpoints/openapi")));
    }
    let azure = |variables: &[(&str, &str)]| {
        let key = [("AZURE_API_KEY", "k")];
        at("azure/my-gpt", &[variables, &key[..]].concat())
    };
    let base = ("AZURE_API_BASE", "https://x.openai.azure.com/");
    assert_eq!(azure(&[base]), "https://x.openai.azure.com/openai/v1");
    assert_eq!(
        azure(&[base, ("AZURE_API_VERSION", "2024-10-21")]),
        "https://x.openai.azure.com/openai/deployments/my-gpt?api-version=2024-10-21"
    );
    assert_eq!(
        azure(&[
            ("AZURE_OPENAI_ENDPOINT", "https://gw/openai/deployments/d"),
            ("AZURE_API_VERSION", "1")
        ]),
        "https://gw/openai/deployments/d?api-version=1"
    );
}
