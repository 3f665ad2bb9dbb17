//! Where output goes: standard output, which may be closed early, and files, which appear whole or not at all.

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Consistent, accepted.
pub const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
/// Inconsistent, refused, mismatched.
pub const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
/// Undecided.
pub const DOUBT: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
/// What is of less interest.
pub const FAINT: Style = Style::new().dimmed();
/// Headings.
pub const STRONG: Style = Style::new().bold();

/// Prints a line on standard error, coloured on a terminal only. If that cannot be written, nobody can be told.
pub fn complain(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Standard output. Once its reader has left, what is written goes nowhere and [`is_closed`](Stdout::is_closed) says
/// so: the work decides for itself whether to go on.
pub struct Stdout {
    buffer: BufWriter<io::Stdout>,
    colour: bool,
    closed: bool,
}

impl Stdout {
    /// Standard output, coloured if it is a terminal and NO_COLOR does not forbid it.
    pub fn new() -> Self {
        let stdout = io::stdout();
        let colour = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Stdout { buffer: BufWriter::new(stdout), colour, closed: false }
    }

    /// Whether the reader has left.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The text in this style, if output is coloured.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// Writes out what is left.
    pub fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.flush()?)
    }

    fn unless_closed<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            result => result,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let written = self.buffer.write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.buffer.flush();
        self.unless_closed(flushed, ())
    }
}

/// Where a command writes histories: standard output or a file of the user's naming.
pub enum Sink<'a> {
    /// Standard output.
    Stdout(&'a mut Stdout),
    /// A file that appears when [`finish`](Sink::finish) is called; until then the one it replaces stays.
    File { path: PathBuf, stream: Stream },
}

/// The bytes on their way to a file, compressed as its name says.
pub enum Stream {
    Plain(BufWriter<NamedTempFile>),
    Gzip(flate2::write::GzEncoder<BufWriter<NamedTempFile>>),
    Zstd(zstd::Encoder<'static, BufWriter<NamedTempFile>>),
    /// A device or a pipe: there is nothing to replace.
    Device(BufWriter<File>),
}

impl<'a> Sink<'a> {
    /// Opens the named file, or standard output for none and for `-`.
    pub fn open(path: Option<&Path>, stdout: &'a mut Stdout) -> Result<Self, Failure> {
        match path {
            None => Ok(Sink::Stdout(stdout)),
            Some(path) if path == Path::new("-") => Ok(Sink::Stdout(stdout)),
            Some(path) => {
                // Through a symbolic link, to replace what it points at rather than the link.
                let path = path.canonicalize().unwrap_or_else(|_| path.into());
                match Stream::open(&path) {
                    Ok(stream) => Ok(Sink::File { path, stream }),
                    Err(source) => Err(Failure::Write { file: path, source }),
                }
            }
        }
    }

    /// Writes out what is left and gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Sink::Stdout(stdout) => stdout.finish(),
            Sink::File { path, stream } => {
                stream.persist(&path).map_err(|source| Failure::Write { file: path, source })
            }
        }
    }
}

/// Unlike [`Stdout`], fails once the reader has left: there is nothing but the output to work for.
impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(stdout) if stdout.is_closed() => Err(io::ErrorKind::BrokenPipe.into()),
            Sink::Stdout(stdout) => stdout.write(bytes),
            Sink::File { stream, .. } => stream.writer().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(stdout) => stdout.flush(),
            Sink::File { stream, .. } => stream.writer().flush(),
        }
    }
}

impl Stream {
    /// Opens a file that appears with [`persist`](Stream::persist), in the directory of that name.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Ok(Stream::Device(BufWriter::new(File::options().write(true).open(path)?)));
        }
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tribunal-");
        // A temporary file is private by default; this one becomes the user's.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = BufWriter::new(builder.tempfile_in(directory)?);
        Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Stream::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default())),
            Some("zst") => Stream::Zstd(zstd::Encoder::new(file, 0)?),
            _ => Stream::Plain(file),
        })
    }

    /// Where the bytes go in.
    pub fn writer(&mut self) -> &mut dyn Write {
        match self {
            Stream::Plain(stream) => stream,
            Stream::Gzip(stream) => stream,
            Stream::Zstd(stream) => stream,
            Stream::Device(stream) => stream,
        }
    }

    /// Writes out what is left and gives the file its name.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        let file = match self {
            Stream::Plain(stream) => stream,
            Stream::Gzip(stream) => stream.finish()?,
            Stream::Zstd(stream) => stream.finish()?,
            Stream::Device(mut stream) => return stream.flush(),
        };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }
}
