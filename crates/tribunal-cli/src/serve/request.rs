//! Parsing HTTP/1.1 requests (RFC 9112), strictly.

use super::response::Status;

/// The first line and the headers of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    /// `GET`, `POST`, ...
    pub method: String,
    /// The path, as it was sent.
    pub path: String,
    /// The text after the `?`, decoded.
    pub query: Vec<(String, String)>,
    /// The names in lower case, in the order sent.
    headers: Vec<(String, String)>,
}

/// A request that is refused, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(pub Status, pub &'static str);

/// The end of the head of a request in these bytes, if it ends there: after its empty line.
pub fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

impl Head {
    /// Parses a head, with or without the empty line that ends it.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        let bad = |why| Refused(Status::BadRequest, why);
        let text = std::str::from_utf8(bytes).map_err(|_| bad("the head of the request is not UTF-8"))?;
        let mut lines = text.trim_end_matches("\r\n").split("\r\n");
        let first = lines.next().unwrap_or_default();
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(bad("expected a method, a target and a version"));
        };
        if !version.starts_with("HTTP/") {
            return Err(bad("expected a version of HTTP"));
        }
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Refused(Status::VersionNotSupported, "only HTTP/1.0 and HTTP/1.1 are supported"));
        }
        if method.is_empty() || !method.bytes().all(is_token) {
            return Err(bad("the method is not a token"));
        }
        if !target.starts_with('/') || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("expected a target that begins with `/`, in ASCII"));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = pairs(query).ok_or(bad("the query is not properly percent-encoded"))?;
        let headers = lines.map(header).collect::<Option<_>>().ok_or(bad("a header is malformed"))?;
        Ok(Head { method: method.into(), path: path.into(), query, headers })
    }

    /// The value of a header: refused if it is there more than once.
    pub fn header(&self, name: &str) -> Result<Option<&str>, Refused> {
        let mut values = self.headers.iter().filter(|(given, _)| given == name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value.map(|(_, value)| value.as_str())),
            _ => Err(Refused(Status::BadRequest, "a header is there more than once")),
        }
    }

    /// The number of bytes that follow the head.
    pub fn content_length(&self) -> Result<Option<u64>, Refused> {
        if self.header("transfer-encoding")?.is_some() {
            return Err(Refused(Status::LengthRequired, "send the body whole, with Content-Length"));
        }
        let Some(length) = self.header("content-length")? else { return Ok(None) };
        // `parse` alone would take a sign.
        let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        match length.parse() {
            Ok(length) if digits => Ok(Some(length)),
            _ => Err(Refused(Status::BadRequest, "Content-Length is not a number of bytes")),
        }
    }
}

fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let value = value.trim_matches([' ', '\t']);
    let fine =
        !name.is_empty() && name.bytes().all(is_token) && !value.chars().any(|c| c.is_control() && c != '\t');
    fine.then(|| (name.to_ascii_lowercase(), value.to_string()))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// `a=1&b=2` with its escapes, as forms and `URLSearchParams` write it.
fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(key)?, decoded(value)?))
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                (high << 4 | low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(head: &str) -> Status {
        Head::parse(head.as_bytes()).and_then(|head| head.content_length()).expect_err("refused").0
    }

    #[test]
    fn a_request_is_parsed() {
        let head = "POST /check?name=a%20b+%C3%A9.txt&models=sc%2Ctso&empty HTTP/1.1\r\n\
                    Host: localhost:1\r\nCONTENT-length: \t17 \r\n\r\n";
        assert_eq!(end_of_head(head.as_bytes()), Some(head.len()));
        let head = Head::parse(head.as_bytes()).expect("a request");
        assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/check"));
        let query: Vec<_> = head.query.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(query, [("name", "a b é.txt"), ("models", "sc,tso"), ("empty", "")]);
        assert_eq!(head.header("host"), Ok(Some("localhost:1")));
        assert_eq!(head.header("origin"), Ok(None));
        assert_eq!(head.content_length(), Ok(Some(17)));
    }

    #[test]
    fn what_is_not_clearly_right_is_refused() {
        for head in [
            "",
            "GET",
            "GET /",
            "GET  / HTTP/1.1",
            "GET / HTTP/1.1 x",
            "GET / HTTX/1.1",
            "G\u{e9}T / HTTP/1.1",
            "GET http://localhost/ HTTP/1.1",
            "GET * HTTP/1.1",
            "GET /\u{e9} HTTP/1.1",
            "GET /\nHost: x HTTP/1.1",
            "GET /?a=%4 HTTP/1.1",
            "GET /?a=%zz HTTP/1.1",
            "GET /?a=%ff HTTP/1.1",
            "GET / HTTP/1.1\r\nHost",
            "GET / HTTP/1.1\r\nHost : a",
            "GET / HTTP/1.1\r\n: a",
            "GET / HTTP/1.1\r\nA: b\r\n folded",
            "GET / HTTP/1.1\r\nA: b\nc: d",
            "GET / HTTP/1.1\r\nA: b\0",
            "POST / HTTP/1.1\r\nContent-Length: -1",
            "POST / HTTP/1.1\r\nContent-Length: +1",
            "POST / HTTP/1.1\r\nContent-Length: 1, 1",
            "POST / HTTP/1.1\r\nContent-Length: 0x10",
            "POST / HTTP/1.1\r\nContent-Length: 18446744073709551616",
            "POST / HTTP/1.1\r\nContent-Length: ",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1",
        ] {
            assert_eq!(refused(head), Status::BadRequest, "{head:?}");
        }
        assert_eq!(refused("GET / HTTP/2.0"), Status::VersionNotSupported);
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3";
        assert_eq!(refused(chunked), Status::LengthRequired);
    }

    #[test]
    fn garbage_is_refused_without_a_panic() {
        let mut random = tribunal_random::Random::new(1);
        let pieces: [&[u8]; 12] = [
            b"GET",
            b" ",
            b"/",
            b"?",
            b"%",
            b"=&",
            b" HTTP/1.1",
            b"\r\n",
            b":",
            b"Content-Length: 9",
            b"\xff",
            b"\0",
        ];
        for _ in 0..20_000 {
            let length = random.index(24);
            let bytes: Vec<u8> = (0..length).flat_map(|_| random.pick(&pieces)).copied().collect();
            let _ = Head::parse(&bytes).and_then(|head| head.content_length());
        }
    }
}
