//! Addresses for people to see.

use std::borrow::Cow;

/// The address with `***` in place of a user and a password in it; the scheme may be missing.
pub fn without_login(address: &str) -> Cow<'_, str> {
    let start = address.find("://").map_or(0, |at| at + "://".len());
    let rest = &address[start..];
    let authority = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let end = match rest[..authority].rfind('@') {
        Some(at) => at,
        // A password with a slash in it: what stands there in place of a port is none.
        None if has_odd_port(&rest[..authority]) => match rest.find('@') {
            Some(at) => at,
            None => return Cow::Borrowed(address),
        },
        None => return Cow::Borrowed(address),
    };
    Cow::Owned(format!("{}***{}", &address[..start], &rest[end..]))
}

fn has_odd_port(authority: &str) -> bool {
    let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    match authority.rsplit_once(':') {
        // An address of IPv6 has colons of its own.
        Some((host, port)) => !host.starts_with('[') && !is_number(port),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_logs_in_is_hidden() {
        for (address, shown) in [
            ("https://user:pw@example.com/x", "https://***@example.com/x"),
            ("user:pw@example.com", "***@example.com"),
            ("http://token@10.0.0.1:8080?q=a@b", "http://***@10.0.0.1:8080?q=a@b"),
            ("https://user:p@w@example.com#x", "https://***@example.com#x"),
            ("https://user:p/w@example.com", "https://***@example.com"),
        ] {
            assert_eq!(without_login(address), shown);
        }
    }

    #[test]
    fn other_addresses_stay() {
        for address in [
            "https://example.com/@user/post",
            "example.com:8080/@user",
            "http://[::1]:80/a@b",
            "http://[::1]/a@b",
            "mailto",
            "",
        ] {
            assert_eq!(without_login(address), address);
        }
    }
}
