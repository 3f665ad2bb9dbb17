//! Responses, with the headers that keep a page from everything but its server.

use std::io::{self, Write};
use std::sync::Arc;

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 200,
    BadRequest = 400,
    Forbidden = 403,
    NotFound = 404,
    MethodNotAllowed = 405,
    RequestTimeout = 408,
    LengthRequired = 411,
    ContentTooLarge = 413,
    UnprocessableContent = 422,
    HeaderFieldsTooLarge = 431,
    InternalServerError = 500,
    ServiceUnavailable = 503,
    VersionNotSupported = 505,
}

impl Status {
    /// The status of a worker's answer, by its number.
    pub fn from_code(code: u16) -> Option<Self> {
        use Status::{ContentTooLarge, InternalServerError, Ok, UnprocessableContent};
        [Ok, ContentTooLarge, UnprocessableContent, InternalServerError]
            .into_iter()
            .find(|status| *status as u16 == code)
    }

    fn phrase(self) -> &'static str {
        match self {
            Status::Ok => "OK",
            Status::BadRequest => "Bad Request",
            Status::Forbidden => "Forbidden",
            Status::NotFound => "Not Found",
            Status::MethodNotAllowed => "Method Not Allowed",
            Status::RequestTimeout => "Request Timeout",
            Status::LengthRequired => "Length Required",
            Status::ContentTooLarge => "Content Too Large",
            Status::UnprocessableContent => "Unprocessable Content",
            Status::HeaderFieldsTooLarge => "Request Header Fields Too Large",
            Status::InternalServerError => "Internal Server Error",
            Status::ServiceUnavailable => "Service Unavailable",
            Status::VersionNotSupported => "HTTP Version Not Supported",
        }
    }
}

/// Nothing from elsewhere, and of what is inside: scripts, styles, pictures, workers made of them. Only this server may be
/// asked, and nobody may put the page into a frame.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; \
    worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// An answer to a request.
#[derive(Debug)]
pub struct Response {
    status: Status,
    /// The methods that would be right, if the one asked was not.
    allow: Option<&'static str>,
    kind: &'static str,
    body: Body,
}

/// The body that is sent.
#[derive(Debug)]
enum Body {
    /// The page, of which there is one for all.
    Page(Arc<str>),
    Json(Vec<u8>),
}

impl Body {
    fn bytes(&self) -> &[u8] {
        match self {
            Body::Page(html) => html.as_bytes(),
            Body::Json(json) => json,
        }
    }
}

impl Response {
    /// A page.
    pub fn page(html: &Arc<str>) -> Self {
        let body = Body::Page(html.clone());
        Response { status: Status::Ok, allow: None, kind: "text/html; charset=utf-8", body }
    }

    /// JSON.
    pub fn json(status: Status, json: impl Into<Vec<u8>>) -> Self {
        Response { status, allow: None, kind: "application/json", body: Body::Json(json.into()) }
    }

    /// A refusal: `{"error": ".."}`.
    pub fn error(status: Status, error: &str) -> Self {
        Response::json(status, serde_json::json!({ "error": error }).to_string())
    }

    /// A path that exists, asked by another method than these.
    pub fn not_allowed(methods: &'static str) -> Self {
        let error = format!("allowed here: {methods}");
        Response { allow: Some(methods), ..Response::error(Status::MethodNotAllowed, &error) }
    }

    /// The number of bytes that are kept for this response alone.
    pub fn own_bytes(&self) -> usize {
        match &self.body {
            Body::Page(_) => 0,
            Body::Json(json) => json.len(),
        }
    }

    /// The status and what is sent.
    pub fn parts(&self) -> (Status, &[u8]) {
        (self.status, self.body.bytes())
    }

    /// Writes the response: to `HEAD`, without its body.
    pub fn write(&self, head_only: bool, mut out: impl Write) -> io::Result<()> {
        let Response { status, allow, kind, body } = self;
        let body = body.bytes();
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nContent-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\n",
            *status as u16,
            status.phrase(),
            body.len()
        );
        if let Some(methods) = allow {
            head += &format!("Allow: {methods}\r\n");
        }
        if *status == Status::ServiceUnavailable {
            head += "Retry-After: 1\r\n";
        }
        head += "\r\n";
        out.write_all(head.as_bytes())?;
        if !head_only {
            out.write_all(body)?;
        }
        out.flush()
    }
}
