//! Heads of HTTP requests: any bytes are parsed or refused, and what is parsed is what was sent.
#![no_main]
#![allow(dead_code, reason = "the server's modules, of which only the parser is tried")]

#[path = "../../crates/tribunal-cli/src/serve/request.rs"]
mod request;
#[path = "../../crates/tribunal-cli/src/serve/response.rs"]
mod response;

use libfuzzer_sys::fuzz_target;
use request::{Head, end_of_head};

fuzz_target!(|bytes: &[u8]| {
    let head = match end_of_head(bytes) {
        Some(end) => {
            assert!(bytes[..end].ends_with(b"\r\n\r\n") && end_of_head(&bytes[..end - 1]).is_none());
            &bytes[..end]
        }
        None => bytes,
    };
    let Ok(parsed) = Head::parse(head) else { return };
    assert!(head.starts_with(format!("{} {}", parsed.method, parsed.path).as_bytes()));
    assert!(parsed.path.starts_with('/') && !parsed.path.contains('?'));
    // What would split a request or a response in two never gets through.
    let clean = |text: &str| !text.contains(['\r', '\n', '\0', ' ']);
    assert!(clean(&parsed.method) && clean(&parsed.path));
    for name in ["host", "origin", "expect", "content-length", "transfer-encoding"] {
        if let Ok(Some(value)) = parsed.header(name) {
            assert!(!value.contains(['\r', '\n', '\0']) && value.trim_matches([' ', '\t']) == value);
        }
    }
    if let Ok(Some(length)) = parsed.content_length() {
        let digits = parsed.header("content-length").ok().flatten().expect("it has one");
        assert!(digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse() == Ok(length));
        assert_eq!(parsed.header("transfer-encoding"), Ok(None));
    }
});
