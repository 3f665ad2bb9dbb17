//! Certificates too large for a verdict line: each in a compressed file of its own, which the line names.

use crate::case::Case;
use crate::failure::Failure;
use crate::output::OutputFile;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tribunal_report::Question;

/// A directory for the certificates that are larger than a limit.
pub struct Store {
    directory: PathBuf,
    limit: usize,
}

impl Store {
    /// A store in this directory, which is made if need be.
    pub fn open(directory: &Path, limit: usize) -> Result<Self, Failure> {
        // Its name will stand in JSON.
        if directory.to_str().is_none() {
            return Err(Failure::Usage(format!("--certificates {}: expected UTF-8", directory.display())));
        }
        match std::fs::create_dir_all(directory) {
            Ok(()) => Ok(Store { directory: directory.into(), limit }),
            Err(source) => Err(Failure::Write { file: directory.into(), source }),
        }
    }

    /// What stands in the verdict line: the certificate itself or, if that is too large, where it has been stored.
    pub fn put(&self, case: &Case<'_>, question: &Question, certificate: String) -> Result<String, Failure> {
        if certificate.len() <= self.limit {
            return Ok(certificate);
        }
        let name =
            format!("{}-{}-{}.json.zst", escaped(case.file), case.index, escaped(&question.to_string()));
        let file = self.directory.join(name);
        let write = || -> io::Result<()> {
            let mut stored = OutputFile::open(&file)?;
            stored.writer().write_all(certificate.as_bytes())?;
            stored.persist()
        };
        match write() {
            Ok(()) => Ok(json!({"file": file, "bytes": certificate.len()}).to_string()),
            Err(source) => Err(Failure::Write { file, source }),
        }
    }
}

/// The text with everything but letters, digits, `.`, `-` and `_` as %XX: a file name, and another for another text.
fn escaped(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => name.push(byte.into()),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name
}

/// The certificate of a verdict line, read from its file if it was stored; `directory` is where files are now, if
/// they were moved.
pub fn fetch(certificate: Value, directory: Option<&Path>) -> Result<Value, String> {
    let Some(file) = certificate.get("file").and_then(Value::as_str) else { return Ok(certificate) };
    let bytes = certificate.get("bytes").and_then(Value::as_u64).ok_or("expected `bytes`, a whole number")?;
    let file = match (directory, Path::new(file).file_name()) {
        (Some(directory), Some(name)) => directory.join(name),
        _ => file.into(),
    };
    read(&file, bytes).map_err(|problem| format!("{}: {problem}", file.display()))
}

fn read(file: &Path, bytes: u64) -> Result<Value, String> {
    let unread = |error: io::Error| error.to_string();
    let content = tribunal_formats::decompressed(File::open(file).map_err(unread)?).map_err(unread)?;
    let mut text = String::new();
    // One byte more than there should be is enough to know that there is more.
    content.take(bytes.saturating_add(1)).read_to_string(&mut text).map_err(unread)?;
    if text.len() as u64 != bytes {
        return Err(format!("expected a certificate of {bytes} bytes, found one of another length"));
    }
    serde_json::from_str(&text).map_err(|error| format!("expected a certificate: {error}"))
}
