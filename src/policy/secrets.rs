//! Secrets: which files look as if they hold some, and hiding the shapes of known ones in text that is stored or shown.
//!
//! Not a scanner for leaks: a file is judged by its name, a text by what keys are known to look like.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;

/// What stands in the place of a secret.
const MASK: &str = "[masked]";

/// Bits per character from which a value after `key=` counts as random. English words have about 2.5 to 3.2, random
/// base64 of 20 characters about 4.
const MIN_ENTROPY: f64 = 3.3;

/// Names (in lower case) that hold secrets wherever they are.
const NAMES: &[(&str, &str)] = &[
    (".env", "environment file"),
    (".envrc", "environment file"),
    (".netrc", "login file"),
    ("_netrc", "login file"),
    (".pgpass", "password file"),
    (".my.cnf", "password file"),
    (".npmrc", "may hold a registry token"),
    (".pypirc", "may hold a registry token"),
    (".yarnrc.yml", "may hold a registry token"),
    (".htpasswd", "password file"),
    (".git-credentials", "login file"),
    (".dockercfg", "login file"),
    (".vault-token", "token"),
    ("kubeconfig", "cluster login"),
    ("credentials", "credentials"),
    ("credentials.json", "credentials"),
    ("credentials.toml", "credentials"),
    ("credentials.yml", "credentials"),
    ("credentials.yaml", "credentials"),
    ("secrets.json", "secrets"),
    ("secrets.toml", "secrets"),
    ("secrets.yml", "secrets"),
    ("secrets.yaml", "secrets"),
    ("secrets.env", "secrets"),
    ("master.key", "key"),
    ("id_rsa", "private key"),
    ("id_dsa", "private key"),
    ("id_ecdsa", "private key"),
    ("id_ed25519", "private key"),
    ("terraform.tfstate", "state with secrets"),
    ("terraform.tfstate.backup", "state with secrets"),
    ("terraform.tfvars", "may hold secrets"),
    ("local.settings.json", "may hold secrets"),
];

const ENDINGS: &[(&str, &str)] = &[
    (".pem", "key or certificate"),
    (".key", "key"),
    (".p12", "key store"),
    (".pfx", "key store"),
    (".jks", "key store"),
    (".keystore", "key store"),
    (".kdbx", "password store"),
    (".ppk", "private key"),
    (".asc", "key"),
    (".gpg", "encrypted file"),
    (".age", "encrypted file"),
    (".auto.tfvars", "may hold secrets"),
];

/// Ends of paths, with folders.
const PATHS: &[(&str, &str)] = &[
    (".aws/config", "credentials"),
    (".docker/config.json", "login file"),
    (".kube/config", "cluster login"),
    (".config/gh/hosts.yml", "token"),
];

/// Examples that are there to be read.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults", "default", "tmpl"];

/// Why the file at `path` probably holds secrets, judged by its name; None when it does not look so. Such a file is
/// read into a prompt only when the user names it.
pub fn looks_secret(path: &str) -> Option<&'static str> {
    let path = path.to_lowercase().replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_example = name.split(['.', '-', '_']).any(|part| EXAMPLES.contains(&part));
    if is_example {
        return None;
    }
    let found = |list: &[(&str, &'static str)], fits: &dyn Fn(&str) -> bool| {
        list.iter().find(|(pattern, _)| fits(pattern)).map(|(_, why)| *why)
    };
    if name.starts_with(".env.") || name.ends_with(".env") {
        return Some("environment file");
    }
    let is_cloud_key = (name.starts_with("client_secret")
        || name.starts_with("service-account")
        || name.starts_with("service_account"))
        && name.ends_with(".json");
    if is_cloud_key {
        return Some("credentials");
    }
    found(NAMES, &|pattern| name == pattern)
        .or_else(|| found(ENDINGS, &|pattern| name.ends_with(pattern)))
        .or_else(|| {
            found(PATHS, &|pattern| {
                path == pattern || path.ends_with(&format!("/{pattern}"))
            })
        })
}

/// Keys by their shape; group 1 is what stays readable, so that one knows which key it was.
static SHAPES: LazyLock<Regex> = LazyLock::new(|| {
    let shapes = [
        r"(sk-(?:ant-|proj-|or-v1-|svcacct-)?)[A-Za-z0-9_-]{16,}",
        r"((?:sk|rk|pk)_(?:live|test)_)[A-Za-z0-9]{16,}",
        r"(gh[pousr]_)[A-Za-z0-9]{30,}",
        r"(github_pat_)[A-Za-z0-9_]{22,}",
        r"(glpat-)[A-Za-z0-9_-]{20,}",
        r"((?:AKIA|ASIA))[0-9A-Z]{16}",
        r"(AIza)[0-9A-Za-z_-]{35}",
        r"(xox[abeprs]-)[A-Za-z0-9-]{10,}",
        r"(hf_)[A-Za-z0-9]{30,}",
        r"(npm_)[A-Za-z0-9]{36}",
        r"(pypi-)[A-Za-z0-9_-]{50,}",
        r"(gsk_)[A-Za-z0-9]{30,}",
        r"(xai-)[A-Za-z0-9]{30,}",
        r"(dop_v1_)[a-f0-9]{40,}",
        r"(ya29\.)[A-Za-z0-9_-]{20,}",
        r"(SG\.)[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"(AGE-SECRET-KEY-)[0-9A-Z]{50,}",
        r"(eyJ)[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ];
    Regex::new(&format!(r"\b(?:{})", shapes.join("|"))).expect("the patterns are constant")
});

static PEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----).*?(-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    )
    .expect("the pattern is constant")
});

/// `name = value` where the name says that the value is secret.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)((?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|pwd|credential|private[_-]?key|auth)[A-Za-z0-9_-]*["']?\s*(?::|=>|=)\s*["']?)([A-Za-z0-9+/_.~=-]{12,})"#,
    )
    .expect("the pattern is constant")
});

static BEARER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b((?:bearer|basic)\s+)([A-Za-z0-9+/_.~=-]{16,})").expect("the pattern is constant")
});

static IN_URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\b[a-z][a-z0-9+.-]*://[^/\s:@]*:)([^/\s@]+)@").expect("the pattern is constant"));

/// Hides keys in a text: known shapes, private-key blocks, passwords in addresses, and random-looking values behind
/// names like `token=`. What stays of each says which it was. A masked text is not changed by masking it again.
pub fn mask(text: &str) -> Cow<'_, str> {
    let text = PEM.replace_all(text, |found: &Captures<'_>| {
        format!("{}\n{MASK}\n{}", &found[1], &found[2])
    });
    let text = then(text, |text| {
        SHAPES.replace_all(text, |found: &Captures<'_>| {
            // A name of many words has the shape of some keys, but no digits.
            if !found[0].bytes().any(|byte| byte.is_ascii_digit()) {
                return found[0].to_string();
            }
            let kept = found.iter().skip(1).flatten().next().map_or("", |kept| kept.as_str());
            format!("{kept}{MASK}")
        })
    });
    let text = then(text, |text| {
        IN_URL.replace_all(text, |found: &Captures<'_>| format!("{}{MASK}@", &found[1]))
    });
    let text = then(text, |text| BEARER.replace_all(text, random_only));
    then(text, |text| NAMED.replace_all(text, random_only))
}

fn random_only(found: &Captures<'_>) -> String {
    let (name, value) = (&found[1], &found[2]);
    if looks_random(value) {
        format!("{name}{MASK}")
    } else {
        found[0].to_string()
    }
}

fn then<'a>(text: Cow<'a, str>, next: impl for<'b> Fn(&'b str) -> Cow<'b, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => next(text),
        Cow::Owned(text) => Cow::Owned(next(&text).into_owned()),
    }
}

/// Letters and digits mixed without pattern: no word, path, number or placeholder.
fn looks_random(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit && has_letter && entropy(value) >= MIN_ENTROPY
}

/// Shannon entropy in bits per character.
fn entropy(value: &str) -> f64 {
    let mut counts = [0usize; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let n = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f64 / n;
            -share * share.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_files_are_known_by_name() {
        for path in [
            ".env",
            "web/.env.production",
            "prod.env",
            "keys/server.pem",
            "home/.ssh/id_ed25519",
            ".aws/credentials",
            "config/master.key",
            "client_secret_123.json",
            ".kube/config",
            "C:\\app\\.env",
            "infra/terraform.tfstate",
        ] {
            assert!(looks_secret(path).is_some(), "{path}");
        }
        for path in [
            ".env.example",
            "env.sample",
            "src/environment.rs",
            "id_ed25519.pub",
            "src/keys.rs",
            "monkey.py",
            "docs/secrets.md",
            "credentials.rs",
            "tokenizer.json",
            "config.json",
            ".env.template",
        ] {
            assert_eq!(looks_secret(path), None, "{path}");
        }
    }

    #[test]
    fn known_shapes_are_masked() {
        // Put together here, so that no scanner takes this file for a leak.
        let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for (prefix, rest) in [
            ("sk-", body),
            ("sk-ant-", body),
            ("ghp_", body),
            ("AKIA", "ABCDEFGH12345678"),
            ("hf_", body),
            ("xoxb-", "123-456-abc"),
        ] {
            let text = format!("before {prefix}{rest} after");
            let masked = mask(&text);
            assert!(!masked.contains(rest), "{masked}");
            assert!(
                masked.starts_with(&format!("before {prefix}[masked]")) && masked.ends_with(" after"),
                "{masked}"
            );
        }
        let pem = format!(
            "x\n-----BEGIN RSA {0} KEY-----\nMIIE\nabc\n-----END RSA {0} KEY-----\ny",
            "PRIVATE"
        );
        assert!(!mask(&pem).contains("MIIE") && mask(&pem).ends_with("\ny"));
        assert_eq!(mask("postgres://me:hunter22@db/x"), "postgres://me:[masked]@db/x");
        assert_eq!(
            mask(&format!("Authorization: Bearer {body}")),
            "Authorization: Bearer [masked]"
        );
        assert_eq!(mask(&format!("API_KEY=\"{body}\"")), "API_KEY=\"[masked]\"");
    }

    #[test]
    fn code_and_prose_stay() {
        for text in [
            "let token = tokenizer.next_token();",
            "password = os.environ[\"DB_PASSWORD\"]",
            "secret: ${{ secrets.GITHUB_TOKEN }}",
            "the task-based API asks-for-a-long-name-of-things",
            "commit 0123456789abcdef0123456789abcdef01234567",
            "auth_token_expiration_seconds = 3600",
            "sk-estimator-checks-of-common-kinds",
            "http://localhost:8080/path",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn masking_twice_is_masking_once(text in "(token=|sk-|[a-zA-Z0-9]{1,40}|://u:|@| |\n|-----BEGIN PRIVATE KEY-----){0,8}") {
            let once = mask(&text).into_owned();
            let twice = mask(&once).into_owned();
            proptest::prop_assert_eq!(twice, once);
        }
    }
}
