//! Writing histories event by event, without holding them.

mod axe;
mod edn;
mod history;
mod json;
mod object;
mod text;
mod transactions;

pub(crate) use history::finals;
pub use history::write_history;
pub(crate) use object::pairs;
pub use object::write_object;
pub use transactions::write_transactions;

use crate::{Format, Labels, Subject};
use std::io;
use tribunal_history::memory::{Interval, Kind, Order};

/// The parts of a history besides its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The history's name.
    pub name: Option<String>,
    /// Initial values other than 0.
    pub init: Vec<(String, u64)>,
    /// Values that must be last in mo.
    pub finals: Vec<(String, u64)>,
    /// The right verdicts.
    pub labels: Labels,
}

/// An event to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The kind of the event.
    pub kind: Kind,
    /// Its C11 order.
    pub order: Order,
    /// Its location; meaningless for a fence.
    pub loc: &'a str,
    /// The value written, or the value read by a read that is not an RMW.
    pub value: u64,
    /// The value an RMW reads; meaningless otherwise.
    pub read: u64,
    /// The write read from, if the value does not determine it.
    pub from: Option<Origin<'a>>,
    /// Indexes of earlier reads of the thread that the event depends on.
    pub deps: &'a [u32],
    /// The times when it began and ended.
    pub interval: Interval,
}

/// The write that an event reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The initial write.
    Init,
    /// An event of a thread.
    At {
        /// The thread's name.
        thread: &'a str,
        /// The event's index in the thread, from 0.
        index: u32,
    },
}

/// The reason why a history cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output failed.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The format cannot express something.
    #[error("the {format} format cannot express {what}")]
    Inexpressible {
        /// The format.
        format: Format,
        /// The thing that it cannot express.
        what: String,
    },
    /// An event of a completed thread: JSON needs the events of a thread together, in the order of the threads.
    #[error("an event of thread `{thread}` comes after events of later threads, which JSON cannot express")]
    Interleaved {
        /// The thread.
        thread: String,
    },
    /// JSON numbers threads, so a thread must be declared before an event reads from it.
    #[error("an event reads from thread `{thread}`, which is not declared yet")]
    UndeclaredThread {
        /// The thread.
        thread: String,
    },
    /// There is no current history.
    #[error("no history was begun")]
    NotBegun,
}

/// Writes a history of any kind.
pub fn write_subject<W: io::Write>(
    writer: &mut Writer<W>,
    subject: &Subject,
    labels: &Labels,
) -> Result<(), WriteError> {
    match subject {
        Subject::Memory(execution) => write_history(writer, execution, labels),
        Subject::Object(object) => write_object(writer, object, labels),
        Subject::Transactions(transactions) => write_transactions(writer, transactions, labels),
    }
}

/// Writes histories event by event.
///
/// Text and Axe accept interleaved threads; JSON needs the threads one after another.
/// What the format cannot express is an error, with two exceptions: Axe has neither orders of accesses nor verdicts
/// and drops them.
///
/// ```
/// use tribunal::memory::{Interval, Kind, Order};
/// use tribunal_formats::{Event, Format, Header, Writer};
/// let write = Event {
///     kind: Kind::Write, order: Order::Release, loc: "x", value: 1, read: 0,
///     from: None, deps: &[], interval: Interval::default(),
/// };
/// let mut writer = Writer::new(Vec::new(), Format::Text);
/// writer.begin(&Header { name: Some("one write".into()), ..Header::default() })?;
/// writer.event("T0", &write)?;
/// writer.end()?;
/// assert_eq!(writer.finish()?, b"name: one write\nT0: W.rel x 1\n");
/// # Ok::<(), tribunal_formats::WriteError>(())
/// ```
pub struct Writer<W: io::Write> {
    out: W,
    pending: Vec<u8>,
    form: Form,
    begun: bool,
}

enum Form {
    Json(json::Form),
    Axe(axe::Form),
    Text(text::Form),
    /// A format without memories.
    Others(Format),
}

/// The thing that a format that is not written cannot express.
const ONLY_READ: &str = "a history to be written: it is only read";

/// Output is passed on in pieces of about this size.
const PIECE: usize = 64 << 10;

impl<W: io::Write> Writer<W> {
    /// Writes to `out`, which need not be buffered.
    pub fn new(out: W, format: Format) -> Self {
        let form = match format {
            Format::Json => Form::Json(json::Form::default()),
            Format::Axe => Form::Axe(axe::Form::default()),
            Format::Text => Form::Text(text::Form::default()),
            _ => Form::Others(format),
        };
        Writer { out, pending: Vec::new(), form, begun: false }
    }

    /// The format written.
    pub fn format(&self) -> Format {
        match self.form {
            Form::Json(_) => Format::Json,
            Form::Axe(_) => Format::Axe,
            Form::Text(_) => Format::Text,
            Form::Others(format) => format,
        }
    }

    /// Begins a history.
    pub fn begin(&mut self, header: &Header) -> Result<(), WriteError> {
        let out = &mut self.pending;
        match &mut self.form {
            Form::Json(form) => form.begin(out, header),
            Form::Axe(form) => form.begin(out, header)?,
            Form::Text(form) => form.begin(out, header)?,
            &mut Form::Others(format) => {
                return Err(WriteError::Inexpressible { format, what: "a history of a memory".into() });
            }
        }
        self.begun = true;
        Ok(())
    }

    /// Declares threads before any event: their order, and threads that may have no events.
    pub fn threads<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<(), WriteError> {
        if !self.begun {
            return Err(WriteError::NotBegun);
        }
        let names = names.into_iter();
        match &mut self.form {
            Form::Json(form) => form.threads(names),
            Form::Axe(_) | Form::Others(_) => {}
            Form::Text(form) => form.threads(&mut self.pending, names)?,
        }
        Ok(())
    }

    /// Writes the next event of a thread.
    pub fn event(&mut self, thread: &str, event: &Event<'_>) -> Result<(), WriteError> {
        if !self.begun {
            return Err(WriteError::NotBegun);
        }
        let out = &mut self.pending;
        match &mut self.form {
            Form::Json(form) => form.event(out, thread, event)?,
            Form::Axe(form) => form.event(out, thread, event)?,
            Form::Text(form) => form.event(out, thread, event)?,
            Form::Others(_) => {}
        }
        if self.pending.len() >= PIECE {
            self.pass_on()?;
        }
        Ok(())
    }

    /// Ends the history and writes it.
    pub fn end(&mut self) -> Result<(), WriteError> {
        if !std::mem::replace(&mut self.begun, false) {
            return Err(WriteError::NotBegun);
        }
        let out = &mut self.pending;
        match &mut self.form {
            Form::Json(form) => form.end(out),
            Form::Axe(form) => form.end(out),
            Form::Text(form) => form.end(out),
            Form::Others(_) => {}
        }
        self.pass_on()?;
        Ok(())
    }

    /// Appends histories that another writer of the same format has written.
    ///
    /// ```
    /// use tribunal_formats::{Format, Writer};
    /// let mut writer = Writer::new(Vec::new(), Format::Text);
    /// writer.append(b"T0: W x 1\n")?;
    /// writer.append(b"T0: W x 2\n")?;
    /// assert_eq!(writer.finish()?, b"T0: W x 1\n---\nT0: W x 2\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn append(&mut self, histories: &[u8]) -> io::Result<()> {
        if let Form::Text(form) = &mut self.form {
            form.separate(&mut self.pending);
        }
        self.pass_on()?;
        self.out.write_all(histories)
    }

    /// The output, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.pass_on()?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.pending)?;
        self.pending.clear();
        Ok(())
    }
}

/// Appends formatted text; a vector takes all of it.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {
        std::io::Write::write_fmt($out, format_args!($($text)*)).expect("a vector takes everything")
    };
}
use put;

/// Appends times as both Axe and the text form write them: ` @ begin:end`.
fn put_times(out: &mut Vec<u8>, interval: Interval) {
    if interval == Interval::default() {
        return;
    }
    out.extend_from_slice(b" @ ");
    if let Some(begin) = interval.begin {
        put!(out, "{begin}");
    }
    out.push(b':');
    if let Some(end) = interval.end {
        put!(out, "{end}");
    }
}
