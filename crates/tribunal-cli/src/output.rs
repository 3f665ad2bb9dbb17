//! The places where output goes: standard output, which may be closed early, and files.

mod file;

pub use file::{OutputFile, discard};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::watchdog::patiently;
use anstyle::{AnsiColor, Style};
use file::is_same_file;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use tribunal_history::verdict::{Bare, Verdict};

/// Consistent, accepted.
pub const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
/// Inconsistent, refused, mismatched.
pub const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
/// Undecided.
pub const DOUBT: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
/// Text that matters less.
pub const FAINT: Style = Style::new().dimmed();
/// Headings.
pub const STRONG: Style = Style::new().bold();

/// The style of a verdict's word.
pub const fn style(verdict: Bare) -> Style {
    match verdict {
        Verdict::Consistent(()) => GOOD,
        Verdict::Inconsistent(()) => BAD,
        Verdict::Undecided(_) => DOUBT,
        Verdict::Unsupported(()) => FAINT,
    }
}

/// A verdict in a word, as Axe prints it.
pub const fn word(verdict: Bare) -> &'static str {
    match verdict {
        Verdict::Consistent(()) => "OK",
        Verdict::Inconsistent(()) => "NO",
        Verdict::Undecided(_) => "??",
        Verdict::Unsupported(()) => "--",
    }
}

/// The word in its place for a malformed history that is skipped.
pub const MALFORMED: &str = "ERROR";

/// Prints a line on standard error, colored only on a terminal. A failure to write it is ignored.
pub fn complain(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// The size of the output buffer.
const ROOM: usize = 64 << 10;

/// The bytes on their way to standard output. They belong to the process: whoever ends that writes it out.
static BUFFER: LazyLock<Mutex<BufWriter<io::Stdout>>> =
    LazyLock::new(|| Mutex::new(BufWriter::with_capacity(ROOM, io::stdout())));

fn buffer() -> MutexGuard<'static, BufWriter<io::Stdout>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes out what was delivered, for a process that ends at once, unless another thread is held up while it writes.
pub fn flush() {
    if let Some(mut buffer) = patiently(&BUFFER) {
        // There is nobody left to tell.
        let _ = buffer.flush();
    }
}

/// Standard output. Once its reader has left, writes are dropped and [`is_closed`](Stdout::is_closed) is true: the caller
/// decides whether to go on.
pub struct Stdout {
    color: bool,
    closed: bool,
}

impl Stdout {
    /// Standard output, colored if it is a terminal and NO_COLOR does not forbid it.
    pub fn new() -> Self {
        let stdout = io::stdout();
        let color = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Stdout { color, closed: false }
    }

    /// Whether the reader has left.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The text in this style, if output is colored.
    pub fn paint(&self, style: Style, text: &str) -> String {
        painted(self.color, style, text)
    }

    /// Whether output is colored.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Prints a page.
    pub fn print(&mut self, page: &Page) -> io::Result<()> {
        self.write_all(&page.text)?;
        page.asides.iter().for_each(|line| complain(line));
        Ok(())
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
        let written = buffer().write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = buffer().flush();
        self.unless_closed(flushed, ())
    }
}

/// The output for a history, assembled while others are checked.
#[derive(Default)]
pub struct Page {
    /// For standard output.
    pub text: Vec<u8>,
    /// Lines for standard error.
    pub asides: Vec<String>,
    color: bool,
}

impl Page {
    /// An empty page, for an output that is colored or not.
    pub fn new(color: bool) -> Self {
        Page { color, ..Page::default() }
    }

    /// The text in this style, if output is colored.
    pub fn paint(&self, style: Style, text: &str) -> String {
        painted(self.color, style, text)
    }
}

/// Never fails.
impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Prints lines below what they belong to.
pub fn indented(lines: impl IntoIterator<Item = impl fmt::Display>, out: &mut impl Write) -> io::Result<()> {
    lines.into_iter().try_for_each(|line| writeln!(out, "  {line}"))
}

fn painted(color: bool, style: Style, text: &str) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_string() }
}

/// An error if an output is one of the files that are read, by whatever path.
pub fn spare_inputs(output: &Path, inputs: &[impl AsRef<OsStr>]) -> Result<(), Failure> {
    match inputs.iter().any(|input| is_same_file(output, Path::new(input))) {
        true => {
            Err(Failure::Usage(format!("{} is an input: name another file to write to", output.display())))
        }
        false => Ok(()),
    }
}

/// The place where a command writes histories: standard output or a file of the user's naming.
pub enum Sink<'a> {
    /// Standard output.
    Stdout(&'a mut Stdout),
    /// A file that appears when [`finish`](Sink::finish) is called; until then the one it replaces stays.
    File { path: PathBuf, file: Box<OutputFile>, progress: Progress },
}

impl<'a> Sink<'a> {
    /// Opens the named file, or standard output for none, for `-` and for `/dev/stdout`.
    pub fn open(path: Option<&Path>, stdout: &'a mut Stdout) -> Result<Self, Failure> {
        match path {
            None => Ok(Sink::Stdout(stdout)),
            Some(path) if path == Path::new("-") || path == Path::new("/dev/stdout") => {
                Ok(Sink::Stdout(stdout))
            }
            Some(path) => match OutputFile::open(path) {
                Ok(file) => {
                    Ok(Sink::File { path: path.into(), file: Box::new(file), progress: Progress::none() })
                }
                Err(source) => Err(Failure::Write { file: path.into(), source }),
            },
        }
    }

    /// Shows how much is written, if that is to a file and takes long.
    pub fn watched(mut self) -> Self {
        if let Sink::File { path, progress, .. } = &mut self {
            *progress = Progress::new();
            progress.writing(&path.to_string_lossy());
        }
        self
    }

    /// Writes out what is left and gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Sink::Stdout(stdout) => stdout.finish(),
            Sink::File { path, file, .. } => {
                file.persist().map_err(|source| Failure::Write { file: path, source })
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
            Sink::File { file, progress, .. } => {
                let written = file.writer().write(bytes)?;
                progress.wrote(written);
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(stdout) => stdout.flush(),
            Sink::File { file, .. } => file.writer().flush(),
        }
    }
}
