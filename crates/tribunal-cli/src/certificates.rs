//! Certificates too large for a verdict line: each in a compressed file of its own, which the line names.

use crate::failure::Failure;
use crate::output::OutputFile;
use serde_json::{Value, json};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use tribunal_formats::certificate;
use tribunal_report::Case;
use tribunal_report::{Question, printable};

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

    /// The text in the verdict line: the certificate itself or, if that is too large, where it is to be stored; then
    /// that is also noted.
    pub fn put(
        &self,
        case: &Case<'_>,
        question: &Question,
        certificate: String,
        stored: &mut Vec<Stored>,
    ) -> String {
        if certificate.len() <= self.limit {
            return certificate;
        }
        let name =
            format!("{}-{}-{}.json.zst", escaped(case.file), case.index, escaped(&question.to_string()));
        let file = self.directory.join(name);
        let line = json!({"file": file, "bytes": certificate.len()}).to_string();
        stored.push(Stored { file, certificate });
        line
    }
}

/// A certificate to be stored.
pub struct Stored {
    file: PathBuf,
    certificate: String,
}

impl Stored {
    /// Stores it.
    pub fn write(self) -> Result<(), Failure> {
        let Stored { file, certificate } = self;
        let write = || -> io::Result<()> {
            let mut stored = OutputFile::open(&file)?;
            stored.writer().write_all(certificate.as_bytes())?;
            stored.persist()
        };
        write().map_err(|source| Failure::Write { file, source })
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

/// The place where stored certificates are looked for.
pub struct Shelf {
    /// The folder that was named: of the path in a line only the file's name counts then.
    named: Option<PathBuf>,
    /// The most bytes that a certificate may take, as JSON and as what is read of it.
    max_memory: usize,
}

impl Shelf {
    /// Certificates in this folder or, without one, in the current folder and below it.
    pub fn new(named: Option<PathBuf>, max_memory: usize) -> Self {
        Shelf { named, max_memory }
    }

    /// The certificate of a verdict line, read from its file if it was stored.
    pub fn fetch(&self, certificate: Value) -> Result<Value, String> {
        let Some(file) = certificate.get("file").and_then(Value::as_str) else { return Ok(certificate) };
        let bytes =
            certificate.get("bytes").and_then(Value::as_u64).ok_or("expected `bytes`, a whole number")?;
        let read = self.place(Path::new(file)).and_then(|(path, folder)| {
            let read = self.read(&path, &folder, bytes);
            read.map_err(|problem| format!("{}: {problem}", path.display()))
        });
        read.map_err(|problem| printable(&problem).into_owned())
    }

    /// The path of a certificate, and the folder that it must not lead out of.
    fn place(&self, file: &Path) -> Result<(PathBuf, PathBuf), String> {
        match (&self.named, file.file_name()) {
            (Some(folder), Some(name)) => Ok((folder.join(name), folder.clone())),
            (None, Some(_)) if file.components().all(|part| matches!(part, Component::Normal(_))) => {
                Ok((file.into(), Path::new(".").into()))
            }
            _ => Err(format!(
                "{}: expected a path below the current folder; --certificates says where others are",
                file.display()
            )),
        }
    }

    fn read(&self, path: &Path, folder: &Path, bytes: u64) -> Result<Value, String> {
        let unread = |error: io::Error| error.to_string();
        let real = path.canonicalize().map_err(unread)?;
        if !real.starts_with(folder.canonicalize().map_err(unread)?) {
            return Err(format!("a symbolic link that leads out of the folder, to {}", real.display()));
        }
        let regular = |meta: Metadata| match meta.is_file() {
            true => Ok(meta.len()),
            false => Err("expected a regular file".to_string()),
        };
        // Before it is opened, which may have effects of its own; and after, since it may be another by now.
        regular(real.metadata().map_err(unread)?)?;
        let file = open(&real).map_err(unread)?;
        let compressed = regular(file.metadata().map_err(unread)?)?;
        let most = self.max_memory as u64 / 2;
        if bytes.max(compressed) > most {
            return Err(format!("a certificate of more than {most} bytes, half of what --max-memory allows"));
        }
        let content = tribunal_formats::decompressed(file).map_err(unread)?;
        let mut text = String::new();
        // One byte more than there should be is enough to know that there is more.
        content.take(bytes.saturating_add(1)).read_to_string(&mut text).map_err(unread)?;
        if text.len() as u64 != bytes {
            return Err(format!("expected a certificate of {bytes} bytes, found one of another length"));
        }
        let left = self.max_memory.saturating_sub(text.capacity());
        certificate::parse(&text, left).map_err(|error| format!("expected a certificate: {error}"))
    }
}

/// Opens a file without waiting, should it be a pipe by now.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    options.open(path)
}
