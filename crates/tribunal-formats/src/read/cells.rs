//! Histories in the cells of a table: one each, read where they lie.

use super::buffer::Buffer;
use super::input::{is_compressed, start};
use super::{NilReads, Parser, ReadOptions, detect};
use crate::{Error, ErrorKind, Format, History};
use bytes::Bytes;
use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

/// Reads the cells of a table, each of which is to hold one history.
///
/// The cells are ranges of bytes that are lent, and nothing of them is copied but what a history keeps. A reader that is used for many
/// cells keeps room for the next. Compressed cells and those of Jepsen's formats are read as any input is.
///
/// ```
/// use tribunal_formats::{Cells, ErrorKind, ReadOptions};
/// let column = "T0: W x 1T0: W x one---";
/// let mut cells = Cells::new("a", ReadOptions::default());
/// cells.lend(column.as_bytes().to_vec());
/// assert_eq!(cells.history(0..9)?.memory().expect("of a memory").len(), 1);
/// let error = cells.history(9..20).expect_err("not a number");
/// assert_eq!(error.to_string(), "a:1:9: expected the value written, found `one`");
/// assert!(matches!(cells.history(20..23).expect_err("no history").kind(), ErrorKind::Empty));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub struct Cells {
    bytes: Bytes,
    name: Arc<str>,
    options: ReadOptions,
    nil_reads: NilReads,
    /// The parser that read the last cell.
    parser: Option<Parser>,
}

impl Cells {
    /// A reader that has been lent nothing yet; errors name the cells by `name`.
    pub fn new(name: &str, options: impl Into<ReadOptions>) -> Self {
        let (bytes, nil_reads, parser) = Default::default();
        Cells { bytes, name: name.into(), options: options.into(), nil_reads, parser }
    }

    /// The same cells, with the reads of nil in Jepsen's dropped, as they are otherwise, or kept.
    pub fn nil_reads(mut self, nil_reads: NilReads) -> Self {
        self.nil_reads = nil_reads;
        self
    }

    /// Lends it the bytes in which the next cells lie.
    pub fn lend(&mut self, bytes: impl Into<Bytes>) {
        self.bytes = bytes.into();
        if let Some(parser) = &mut self.parser {
            parser.buffer().lend(self.bytes.clone());
        }
    }

    /// The history in a cell.
    ///
    /// # Panics
    ///
    /// If the range is not within what was lent.
    pub fn history(&mut self, cell: Range<usize>) -> Result<History, Error> {
        if is_compressed(&self.bytes[cell.clone()]) {
            return self.apart(cell);
        }
        if !self.begin(cell.clone())? {
            return self.apart(cell);
        }
        let Some(parser) = &mut self.parser else { return self.apart(cell) };
        let history = match parser.next(NilReads::default()) {
            Ok(Some(history)) => match parser.next(NilReads::default()) {
                Ok(None) => return Ok(history),
                Ok(Some(other)) => Err(Error::at(&self.name, other.line, None, ErrorKind::Several)),
                Err(error) => Err(error),
            },
            Ok(None) => return Err(Error::of_input(&self.name, ErrorKind::Empty)),
            Err(error) => Err(error),
        };
        // What is left of the history that was being read must not be taken for a part of the next.
        parser.forget();
        history
    }

    /// Begins a cell; false if it is not of a format that is read where it lies.
    fn begin(&mut self, cell: Range<usize>) -> Result<bool, Error> {
        let mut buffer = None;
        let window = match &mut self.parser {
            Some(parser) => parser.buffer(),
            None => {
                let max_memory = self.options.max_memory;
                buffer.insert(Buffer::lent(self.bytes.clone(), self.name.clone(), max_memory))
            }
        };
        window.begin_at(cell.clone());
        let format = match self.options.format {
            Some(format) => format,
            None => detect::format_of(window)?,
        };
        if matches!(format, Format::Edn | Format::Jepsen) {
            return Ok(false);
        }
        if self.parser.as_ref().is_none_or(|parser| parser.format() != format) {
            let mut buffer = buffer.unwrap_or_else(|| {
                Buffer::lent(self.bytes.clone(), self.name.clone(), self.options.max_memory)
            });
            buffer.begin_at(cell);
            self.parser = Some(Parser::new(buffer, format));
        }
        match &mut self.parser {
            Some(Parser::Json(reader)) => {
                reader.begin();
                Ok(reader.is_of_documents()?)
            }
            _ => Ok(true),
        }
    }

    /// The history of a cell that is an input of its own.
    fn apart(&self, cell: Range<usize>) -> Result<History, Error> {
        let bytes = Cursor::new(self.bytes.slice(cell));
        let reader = start(bytes, self.name.to_string(), self.options, None, None)?;
        let mut histories = reader.nil_reads(self.nil_reads);
        let history =
            histories.next().unwrap_or_else(|| Err(Error::of_input(&self.name, ErrorKind::Empty)))?;
        match histories.next() {
            None => Ok(history),
            Some(Ok(other)) => Err(Error::at(&self.name, other.line, None, ErrorKind::Several)),
            Some(Err(error)) => Err(error),
        }
    }
}
