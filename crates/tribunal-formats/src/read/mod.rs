//! Reading histories one at a time from any input.

mod axe;
mod buffer;
mod cells;
mod cursor;
mod detect;
mod draft;
mod edn;
mod folder;
mod input;
mod jepsen;
mod json;
mod keys;
mod observed;
mod pieces;
mod pull;
mod split;
mod text;
mod transactions;

pub use cells::Cells;
pub(crate) use cursor::in_name;
pub use detect::is_litmus;
pub use folder::open_folder;
pub use input::{Input, ReadAs, ReadOptions, decompressed, events, observations, open, read};
pub use jepsen::{Action, Events, NilReads, ObjectEvent};
pub(crate) use jepsen::{Dialect, Object as JepsenObject, Seen as JepsenSeen, hint, is_tuple, transaction};
pub use observed::{Observations, Observed};
pub use pieces::{Batch, Histories, Piece, Pieces};
pub(crate) use text::KEYWORDS;

use crate::{Error, ErrorKind, Format, History};
use buffer::Buffer;
use input::Progress;
use transactions::awdit::Awdit;
use transactions::cobra::Cobra;
use transactions::dbcop::Dbcop;
use transactions::elle;
use transactions::plume::Plume;

/// The histories of an input, one at a time; made by [`open`] or [`read`].
///
/// The iterator ends after the first error. An input without any history is an error.
pub struct Reader {
    parser: Parser,
    nil_reads: NilReads,
    /// Whether the format is given as Elle's.
    elle: bool,
    progress: Progress,
    /// Whether a history was given.
    any: bool,
    ended: bool,
}

enum Parser {
    Json(json::Reader),
    Axe(axe::Reader),
    Text(text::Reader),
    Edn(Jepsen<jepsen::edn::Edn>),
    Jepsen(Jepsen<jepsen::log::Log>),
    Plume(Plume),
    Dbcop(Dbcop),
    Cobra(Cobra),
    Awdit(Awdit),
}

/// A format of Jepsen's: histories of objects or of transactions.
struct Jepsen<S> {
    source: S,
    read_as: ReadAs,
    /// Whether they are read as transactions; not known before the first event is there.
    transactions: Option<bool>,
}

impl<S> Jepsen<S> {
    fn new(source: S) -> Self {
        Jepsen { source, read_as: ReadAs::Told, transactions: None }
    }

    /// Whether they are to be read as transactions.
    fn is_of_transactions(&mut self, buffer: impl Fn(&mut S) -> &mut Buffer) -> Result<bool, Error> {
        match self.transactions {
            Some(transactions) => Ok(transactions),
            None => {
                let meant = elle::is_meant(buffer(&mut self.source), self.read_as)?;
                Ok(*self.transactions.insert(meant))
            }
        }
    }
}

impl Jepsen<jepsen::edn::Edn> {
    fn next(&mut self, nil_reads: NilReads) -> Result<Option<History>, Error> {
        if self.is_of_transactions(|source| source.pull().buffer_mut())? {
            return elle::history(&mut elle::edn::Edn::new(self.source.pull()), self.read_as);
        }
        jepsen::history(&mut self.source, self.read_as, nil_reads)
    }
}

impl Jepsen<jepsen::log::Log> {
    fn next(&mut self, nil_reads: NilReads) -> Result<Option<History>, Error> {
        if self.is_of_transactions(|source| source.pull().buffer_mut())? {
            return elle::history(&mut elle::edn::Lines(&mut self.source), self.read_as);
        }
        jepsen::history(&mut self.source, self.read_as, nil_reads)
    }
}

impl Parser {
    fn new(buffer: Buffer, format: Format) -> Self {
        match format {
            Format::Json => Parser::Json(json::Reader::new(buffer)),
            Format::Axe => Parser::Axe(axe::Reader::new(buffer)),
            Format::Text => Parser::Text(text::Reader::new(buffer)),
            Format::Edn | Format::Elle => Parser::Edn(Jepsen::new(jepsen::edn::Edn::new(buffer))),
            Format::Jepsen => Parser::Jepsen(Jepsen::new(jepsen::log::Log::new(buffer))),
            Format::Plume => Parser::Plume(Plume::new(buffer)),
            Format::Dbcop => Parser::Dbcop(Dbcop::new(buffer)),
            Format::Cobra => Parser::Cobra(Cobra::new(buffer)),
            Format::Awdit => Parser::Awdit(Awdit::new(buffer)),
        }
    }

    /// Says what Jepsen's events are read as.
    fn read_as(&mut self, read_as: ReadAs) {
        match self {
            Parser::Json(reader) => reader.read_as = read_as,
            Parser::Edn(reader) => reader.read_as = read_as,
            Parser::Jepsen(reader) => reader.read_as = read_as,
            _ => {}
        }
    }

    /// For a part of an input whose shape is known.
    fn of_batch(buffer: Buffer, format: Format, nil_reads: NilReads) -> Self {
        let mut parser = Parser::new(buffer, format);
        if let Parser::Json(reader) = &mut parser {
            reader.nil_reads = nil_reads;
            reader.is_native();
        }
        parser
    }

    fn next(&mut self, nil_reads: NilReads) -> Result<Option<History>, Error> {
        match self {
            Parser::Json(reader) => reader.next(),
            Parser::Axe(reader) => reader.next(),
            Parser::Text(reader) => reader.next(),
            Parser::Edn(reader) => reader.next(nil_reads),
            Parser::Jepsen(reader) => reader.next(nil_reads),
            Parser::Plume(reader) => reader.next(),
            Parser::Dbcop(reader) => reader.next(),
            Parser::Cobra(reader) => reader.next(),
            Parser::Awdit(reader) => reader.next(),
        }
    }

    fn format(&self) -> Format {
        match self {
            Parser::Json(_) => Format::Json,
            Parser::Axe(_) => Format::Axe,
            Parser::Text(_) => Format::Text,
            Parser::Edn(_) => Format::Edn,
            Parser::Jepsen(_) => Format::Jepsen,
            Parser::Plume(_) => Format::Plume,
            Parser::Dbcop(_) => Format::Dbcop,
            Parser::Cobra(_) => Format::Cobra,
            Parser::Awdit(_) => Format::Awdit,
        }
    }

    /// The window onto an input of a format that is cut into histories.
    fn buffer(&mut self) -> &mut Buffer {
        match self {
            Parser::Json(reader) => reader.buffer_mut(),
            Parser::Axe(reader) => &mut reader.buffer,
            Parser::Text(reader) => &mut reader.buffer,
            _ => unreachable!("the other formats are not cut into histories"),
        }
    }

    /// Forgets the history that was being read; says whether its end is still to come.
    fn forget(&mut self) -> bool {
        match self {
            Parser::Json(reader) => reader.forget(),
            Parser::Axe(reader) => reader.forget(),
            Parser::Text(reader) => reader.forget(),
            _ => false,
        }
    }
}

impl Reader {
    fn new(buffer: Buffer, format: Format, progress: Progress, read_as: ReadAs) -> Self {
        let mut parser = Parser::new(buffer, format);
        parser.read_as(read_as);
        Reader::of(parser, progress)
    }

    fn of(parser: Parser, progress: Progress) -> Self {
        Reader { parser, nil_reads: NilReads::default(), elle: false, progress, any: false, ended: false }
    }

    /// The same histories, with Jepsen's reads of nil dropped (the default) or kept.
    ///
    /// ```
    /// use tribunal_formats::{NilReads, read};
    /// let edn = "[{:process 0 :type :invoke :f :read} {:process 0 :type :ok :f :read :value nil}]";
    /// let length = |how| -> Result<_, tribunal_formats::Error> {
    ///     let history = read(edn.as_bytes(), "a.edn", None)?.nil_reads(how).next().expect("a history")?;
    ///     let object = history.object().expect("of an object");
    ///     Ok((object.history.len(), object.notes.nil_reads))
    /// };
    /// assert_eq!((length(NilReads::Drop)?, length(NilReads::Keep)?), ((0, 1), (1, 0)));
    /// # Ok::<(), tribunal_formats::Error>(())
    /// ```
    pub fn nil_reads(mut self, nil_reads: NilReads) -> Self {
        self.nil_reads = nil_reads;
        if let Parser::Json(reader) = &mut self.parser {
            reader.nil_reads = nil_reads;
        }
        self
    }

    /// The same histories, with Jepsen's events read as this; see [`ReadOptions::read_as`]. What is asked for by the format `elle` stays
    /// transactions.
    pub fn read_as(mut self, read_as: ReadAs) -> Self {
        if self.elle {
            return self;
        }
        self.parser.read_as(read_as);
        self
    }

    /// The format, as given or recognized.
    pub fn format(&self) -> Format {
        self.parser.format()
    }

    /// Bytes read from the input so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.progress.bytes_read()
    }

    /// Size of the input, if it is a file.
    pub fn total_bytes(&self) -> Option<u64> {
        self.progress.total
    }
}

impl Iterator for Reader {
    type Item = Result<History, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let history = self.parser.next(self.nil_reads);
        self.ended = !matches!(history, Ok(Some(_)));
        let history = match history {
            Ok(None) if !self.any => Err(Error::of_input(&self.progress.name, ErrorKind::Empty)),
            other => other,
        };
        self.any = true;
        history.transpose()
    }
}
