//! Reading histories one at a time from any input.

mod axe;
mod buffer;
mod cells;
mod cursor;
mod detect;
mod draft;
mod edn;
mod input;
mod jepsen;
mod json;
mod keys;
mod observed;
mod pieces;
mod pull;
mod split;
mod text;

pub use cells::Cells;
pub(crate) use cursor::in_name;
pub use input::{Input, ReadOptions, decompressed, events, observations, open, read};
pub(crate) use jepsen::{Dialect, Object as JepsenObject, is_tuple, transaction};
pub use jepsen::{Events, Happens, NilReads, ObjectEvent};
pub use observed::{Observations, Observed};
pub use pieces::{Batch, Histories, Piece, Pieces};
pub(crate) use text::KEYWORDS;

use crate::{Error, ErrorKind, Format, History};
use buffer::Buffer;
use input::Progress;

/// The histories of an input, one at a time; made by [`open`] or [`read`].
///
/// The iterator ends after the first error. An input without any history is an error.
pub struct Reader {
    parser: Parser,
    nil_reads: NilReads,
    progress: Progress,
    /// Whether a history was given.
    any: bool,
    ended: bool,
}

enum Parser {
    Json(json::Reader),
    Axe(axe::Reader),
    Text(text::Reader),
    Edn(jepsen::edn::Edn),
    Jepsen(jepsen::log::Log),
}

impl Parser {
    fn new(buffer: Buffer, format: Format) -> Self {
        match format {
            Format::Json => Parser::Json(json::Reader::new(buffer)),
            Format::Axe => Parser::Axe(axe::Reader::new(buffer)),
            Format::Text => Parser::Text(text::Reader::new(buffer)),
            Format::Edn => Parser::Edn(jepsen::edn::Edn::new(buffer)),
            Format::Jepsen => Parser::Jepsen(jepsen::log::Log::new(buffer)),
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
            Parser::Edn(source) => jepsen::history(source, nil_reads),
            Parser::Jepsen(source) => jepsen::history(source, nil_reads),
        }
    }

    fn format(&self) -> Format {
        match self {
            Parser::Json(_) => Format::Json,
            Parser::Axe(_) => Format::Axe,
            Parser::Text(_) => Format::Text,
            Parser::Edn(_) => Format::Edn,
            Parser::Jepsen(_) => Format::Jepsen,
        }
    }

    /// The window onto an input of a format that is cut into histories.
    fn buffer(&mut self) -> &mut Buffer {
        match self {
            Parser::Json(reader) => reader.buffer_mut(),
            Parser::Axe(reader) => &mut reader.buffer,
            Parser::Text(reader) => &mut reader.buffer,
            Parser::Edn(_) | Parser::Jepsen(_) => unreachable!("histories of Jepsen's are not cut"),
        }
    }

    /// Forgets the history that was being read; says whether its end is still to come.
    fn forget(&mut self) -> bool {
        match self {
            Parser::Json(reader) => reader.forget(),
            Parser::Axe(reader) => reader.forget(),
            Parser::Text(reader) => reader.forget(),
            Parser::Edn(_) | Parser::Jepsen(_) => false,
        }
    }
}

impl Reader {
    fn new(buffer: Buffer, format: Format, progress: Progress) -> Self {
        let parser = Parser::new(buffer, format);
        Reader { parser, nil_reads: NilReads::default(), progress, any: false, ended: false }
    }

    /// The same histories, with the reads of nil in Jepsen's dropped, as they are otherwise, or kept.
    ///
    /// ```
    /// use tribunal_formats::{NilReads, read};
    /// let edn = "[{:process 0 :type :invoke :f :read} {:process 0 :type :ok :f :read :value nil}]";
    /// let length = |how| -> Result<_, tribunal_formats::Error> {
    ///     let history = read(edn.as_bytes(), "a.edn", None)?.nil_reads(how).next().expect("a history")?;
    ///     let object = history.object().expect("of an object");
    ///     Ok((object.history.len(), object.nil_reads))
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

    /// The format, as forced or recognised.
    pub fn format(&self) -> Format {
        self.parser.format()
    }

    /// Bytes taken so far from the input, compressed as it may be.
    pub fn bytes_read(&self) -> u64 {
        self.progress.bytes_read()
    }

    /// Size of the input where it is a file.
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
