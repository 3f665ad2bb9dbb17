//! The sources of bytes: files, standard input, any stream; compressed or not.

use super::buffer::Buffer;
use super::observed::Observations;
use super::pull::Pull;
use super::{Events, Reader, detect, jepsen};
use crate::{Error, ErrorKind, Format};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tribunal_history::object::specs::NAMES;

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

impl Input {
    /// The input that a command-line argument names: `-` is standard input.
    ///
    /// ```
    /// use tribunal_formats::Input;
    /// assert_eq!(Input::from_arg("-".as_ref()), Input::Stdin);
    /// assert_eq!(Input::from_arg("a.axe".as_ref()).to_string(), "a.axe");
    /// ```
    pub fn from_arg(arg: &OsStr) -> Self {
        if arg == "-" { Input::Stdin } else { Input::Path(arg.into()) }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Path(path) => path.display().fmt(f),
            Input::Stdin => f.write_str("-"),
        }
    }
}

/// Options for reading an input. A format alone is one, too.
///
/// ```
/// use tribunal_formats::{ErrorKind, ReadOptions, read};
/// let threads = (0..10_000).map(|thread| format!("T{thread}:\n")).collect::<String>();
/// let options = ReadOptions { max_memory: 1 << 20, ..ReadOptions::default() };
/// let error = read(std::io::Cursor::new(threads), "many.txt", options)?.next().expect("an answer").expect_err("too large");
/// assert!(matches!(error.kind(), ErrorKind::TooMuchMemory { limit: 0x100000 }));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The format, whatever the input looks like; none: it is recognized.
    pub format: Option<Format>,
    /// The number of bytes that reading and building a history may take; by default there is no limit.
    pub max_memory: usize,
    /// The kind of history that Jepsen's events are read as.
    pub read_as: ReadAs,
}

/// The kind of history that Jepsen's events are read as, where there is a choice.
///
/// ```
/// use tribunal_formats::{ReadAs, read};
/// let edn = "{:process 0 :type :ok :f :txn :value [[:w :x 1]]}";
/// let history = |read_as| read(edn.as_bytes(), "a.edn", None)?.read_as(read_as).next().expect("an answer");
/// assert!(history(ReadAs::Told)?.transactions().is_some());
/// assert_eq!(ReadAs::spec("keyed set"), ReadAs::Object(Some("set")));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadAs {
    /// The kind that they show: lists of micro-operations are transactions, and other calls are of the object that their methods and values tell.
    #[default]
    Told,
    /// Transactions.
    Transactions,
    /// Operations of an object: the one that a built-in specification of this name is of, or else the one that they tell. Those that append
    /// to lists are transactions all the same.
    Object(Option<&'static str>),
}

impl ReadAs {
    /// Operations of the object that a specification is of.
    pub fn spec(spec: &str) -> Self {
        let base = spec.trim_start();
        let base = base.strip_prefix("keyed ").unwrap_or(base);
        let base = base.split('(').next().unwrap_or(base).trim();
        ReadAs::Object(NAMES.into_iter().find(|name| *name == base))
    }

    /// The object that operations are of.
    pub(super) fn object(self, seen: &jepsen::Seen) -> jepsen::Object {
        let named = match self {
            ReadAs::Object(Some(name)) => jepsen::Object::named(name),
            _ => jepsen::Object::Unknown,
        };
        match (named, self) {
            (jepsen::Object::Unknown, ReadAs::Object(_)) if seen.is_of_txn() => jepsen::Object::MultiRegister,
            (jepsen::Object::Unknown, _) => jepsen::Object::shown_by(seen),
            (named, _) => named,
        }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { format: None, max_memory: usize::MAX, read_as: ReadAs::Told }
    }
}

impl From<Option<Format>> for ReadOptions {
    fn from(format: Option<Format>) -> Self {
        ReadOptions { format, ..ReadOptions::default() }
    }
}

/// Opens an input. The format is the one given, else what the file's extension says, else what the content looks like;
/// content also tells JSON, logs and text of others called `.txt` from the text form, and JSON called `.edn` from EDN.
/// gzip and zstd are recognized by content. A folder is read as [`open_folder`](crate::open_folder) says.
pub fn open(input: &Input, options: impl Into<ReadOptions>) -> Result<Reader, Error> {
    let options = options.into();
    let name = input.to_string();
    match input {
        Input::Stdin => start(io::stdin(), name, options, None, None),
        Input::Path(path) if path.is_dir() => {
            let open = |path: &Path| Ok(Box::new(File::open(path)?) as Box<dyn Read + Send>);
            super::open_folder(path, options, open)
        }
        Input::Path(path) => {
            let failed = |e| Error::of_input(&name, ErrorKind::Io(e));
            let file = File::open(path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            let total = metadata.is_file().then_some(metadata.len());
            start(file, name, options, Format::of_path(path), total)
        }
    }
}

/// Like [`open`], for any stream; `name` stands for a file name.
pub fn read(
    bytes: impl Read + Send + 'static,
    name: &str,
    options: impl Into<ReadOptions>,
) -> Result<Reader, Error> {
    start(bytes, name.to_string(), options.into(), Format::of_path(Path::new(name)), None)
}

/// The events of a history of an object, one by one: EDN, Jepsen's JSON or a text log. The format is found as by
/// [`read`].
pub fn events(
    bytes: impl Read + Send + 'static,
    name: &str,
    options: impl Into<ReadOptions>,
) -> Result<Events, Error> {
    let progress = Progress { name: name.into(), read: Arc::default(), total: None };
    let (buffer, format) = begin(bytes, &progress, options.into(), Format::of_path(Path::new(name)))?;
    let source: Box<dyn jepsen::Source> = match format {
        Format::Edn => Box::new(jepsen::edn::Edn::new(buffer)),
        Format::Json => Box::new(jepsen::json::Json::new(Pull::new(buffer))),
        Format::Jepsen => Box::new(jepsen::log::Log::new(buffer)),
        _ => return Err(Error::of_input(name, ErrorKind::NoEvents { format })),
    };
    Ok(Events::new(source))
}

/// The events of a memory, one by one, in the order in which they come: text, native JSON or Axe, an event a line or more. The format is
/// found as by [`read`].
pub fn observations(
    bytes: impl Read + Send + 'static,
    name: &str,
    options: impl Into<ReadOptions>,
) -> Result<Observations, Error> {
    let progress = Progress { name: name.into(), read: Arc::default(), total: None };
    let (buffer, format) = begin(bytes, &progress, options.into(), Format::of_path(Path::new(name)))?;
    match format {
        Format::Text | Format::Axe | Format::Json => Ok(Observations::new(buffer, format)),
        _ => Err(Error::of_input(name, ErrorKind::NoEvents { format })),
    }
}

/// Like [`open`], with the format that a name stands for and the size, where they are known.
pub(super) fn start(
    raw: impl Read + Send + 'static,
    name: String,
    options: ReadOptions,
    by_name: Option<Format>,
    total: Option<u64>,
) -> Result<Reader, Error> {
    let progress = Progress { name: name.into(), read: Arc::default(), total };
    let (buffer, format) = begin(raw, &progress, options, by_name)?;
    let elle = options.format == Some(Format::Elle);
    let read_as = if elle { ReadAs::Transactions } else { options.read_as };
    Ok(Reader { elle, ..Reader::new(buffer, format, progress, read_as) })
}

/// A window onto an input, and its format.
fn begin(
    raw: impl Read + Send + 'static,
    progress: &Progress,
    options: ReadOptions,
    by_name: Option<Format>,
) -> Result<(Buffer, Format), Error> {
    let ReadOptions { format, max_memory, .. } = options;
    let counted = Counted { raw, read: progress.read.clone() };
    let bytes = decompressed_within(counted, max_memory)
        .map_err(|e| Error::of_input(&progress.name, ErrorKind::Io(e)))?;
    let mut buffer = Buffer::new(bytes, progress.name.clone(), max_memory)?;
    detect::refuse_utf16(&mut buffer)?;
    let format = match (format, by_name) {
        (Some(format), _) => format,
        // Logs, JSON and text of others are called .txt too.
        (None, Some(Format::Text)) => match detect::format_of(&mut buffer) {
            Ok(Format::Axe) | Err(_) => Format::Text,
            Ok(format) => format,
        },
        (None, Some(Format::Jepsen)) if detect::is_cobra(&mut buffer)? => Format::Cobra,
        (None, Some(Format::Edn)) if detect::has_json_key(&mut buffer)? => Format::Json,
        (None, Some(format)) => format,
        (None, None) => detect::format_of(&mut buffer)?,
    };
    // dbcop and Elle have JSON too, which is read with the other JSON.
    let format = match format {
        Format::Dbcop if detect::is_json(&mut buffer)? => Format::Json,
        Format::Elle if detect::has_json_key(&mut buffer)? => Format::Json,
        Format::Elle => Format::Edn,
        format => format,
    };
    Ok((buffer, format))
}

/// The part of the input that is read.
pub(super) struct Progress {
    pub(super) name: Arc<str>,
    pub(super) read: Arc<AtomicU64>,
    pub(super) total: Option<u64>,
}

impl Progress {
    pub(super) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    raw: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.raw.read(into)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Whether bytes begin as what is compressed does.
pub(super) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The same bytes without their compression: gzip, of any number of members, or zstd, of any number of frames, is
/// recognized by content.
///
/// ```
/// use std::io::Read;
/// let mut text = String::new();
/// tribunal_formats::decompressed("T0: W x 1\n".as_bytes())?.read_to_string(&mut text)?;
/// assert_eq!(text, "T0: W x 1\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn decompressed(raw: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    decompressed_within(raw, usize::MAX)
}

/// Like [`decompressed`]; a zstd frame that asks for a window of more than a quarter of the memory is an error.
fn decompressed_within(
    mut raw: impl Read + Send + 'static,
    max_memory: usize,
) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(ZSTD.len());
    // Only bytes that could begin a magic number are waited for.
    while head.len() < ZSTD.len() && (GZIP.starts_with(&head) || ZSTD.starts_with(&head)) && head != GZIP {
        let mut byte = [0];
        match raw.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => head.push(byte[0]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let (gzip, zstd) = (head == GZIP, head == ZSTD);
    let whole = io::Cursor::new(head).chain(raw);
    Ok(if gzip {
        Box::new(flate2::read::MultiGzDecoder::new(whole))
    } else if zstd {
        from_zstd(whole, max_memory)?
    } else {
        Box::new(whole)
    })
}

#[cfg(feature = "zstd")]
fn from_zstd(raw: impl Read + Send + 'static, max_memory: usize) -> io::Result<Box<dyn Read + Send>> {
    // From the least that the format knows to what the decoder takes by itself: 128 MB.
    let window = (max_memory / 4).max(1).ilog2().clamp(10, 27);
    let mut decoder = zstd::stream::read::Decoder::new(raw)?;
    decoder.window_log_max(window)?;
    Ok(Box::new(decoder))
}

#[cfg(not(feature = "zstd"))]
fn from_zstd(_: impl Read + Send + 'static, _: usize) -> io::Result<Box<dyn Read + Send>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "zstd is not read here: decompress it, or use gzip"))
}
