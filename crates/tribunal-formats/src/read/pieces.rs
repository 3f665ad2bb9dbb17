//! An input in pieces of whole histories, for reading them side by side.

use super::buffer::{Buffer, Mark, Part};
use super::split::{LARGE, Splitter, begins_document, ends_history};
use super::{NilReads, Parser, ReadAs, Reader};
use crate::{Error, ErrorKind, Format, History};
use memchr::memchr;

/// The pieces of an input, in order; made by [`Reader::pieces`].
///
/// The iterator waits for more input only while not a single history is there. Without `keep_going` it ends after a large
/// history that is malformed; an error in a batch shows only when that is read.
///
/// ```
/// use tribunal_formats::{Piece, read};
/// let text = "T0: W x 1\n---\nT0: W x one\n---\nT0: W x 2\n";
/// let mut answers = Vec::new();
/// for piece in read(text.as_bytes(), "a.txt", None)?.pieces(true) {
///     match piece {
///         Piece::Batch(batch) => answers.extend(batch.histories()),
///         Piece::Large(history) => answers.push(*history),
///     }
/// }
/// let errors: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
/// assert_eq!((answers.len(), errors.len()), (3, 1));
/// assert_eq!(errors[0].to_string(), "a.txt:3:9: expected the value written, found `one`");
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub struct Pieces {
    reader: Reader,
    splitter: Splitter,
    keep_going: bool,
}

/// A piece of an input.
pub enum Piece {
    /// Some histories that are not large.
    Batch(Batch),
    /// A large history, or one of a format that is not cut; or why there is none.
    Large(Box<Result<History, Error>>),
}

/// Some histories that have not been read yet.
#[derive(Debug)]
pub struct Batch {
    part: Part,
    /// The place where each ends.
    ends: Vec<usize>,
    format: Format,
    nil_reads: NilReads,
    keep_going: bool,
}

impl Batch {
    /// The number of bytes that they have.
    pub fn bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The histories. After the first that is malformed there are no more, unless the reader is to keep going.
    pub fn histories(self) -> Histories {
        let Batch { part, ends, format, nil_reads, keep_going } = self;
        let parser = Parser::of_batch(Buffer::of_part(part), format, nil_reads);
        Histories { parser, ends, next: 0, begin: Mark::default(), keep_going, ended: false }
    }
}

/// The histories of a [`Batch`].
pub struct Histories {
    parser: Parser,
    ends: Vec<usize>,
    /// The next end to read to.
    next: usize,
    /// The place where the history being read begins.
    begin: Mark,
    keep_going: bool,
    ended: bool,
}

impl Iterator for Histories {
    type Item = Result<History, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.parser.next(NilReads::default()) {
                Ok(Some(history)) => return Some(Ok(history)),
                Ok(None) if self.next < self.ends.len() => {
                    let buffer = self.parser.buffer();
                    self.begin = buffer.mark();
                    buffer.open_to(self.ends[self.next]);
                    self.next += 1;
                }
                Ok(None) => self.ended = true,
                Err(error) => {
                    self.ended = !self.keep_going;
                    self.parser.forget();
                    let buffer = self.parser.buffer();
                    buffer.rewind(self.begin);
                    buffer.pass(buffer.ahead().len());
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl Reader {
    /// The input in pieces, from here on. To keep going is to go on after what is malformed at the next history: after the
    /// `check` of an Axe trace, after `---` in the text form, and in JSON at the next line that begins with `{` and is no more
    /// than that or has the key `kind`. What is compressed and broken ends the input all the same, and so does an error in any other
    /// format.
    pub fn pieces(self, keep_going: bool) -> Pieces {
        let splitter = Splitter::new(self.format(), keep_going);
        Pieces { reader: self, splitter, keep_going }
    }
}

impl Pieces {
    /// Like [`Reader::read_as`].
    pub fn read_as(self, read_as: ReadAs) -> Self {
        Pieces { reader: self.reader.read_as(read_as), ..self }
    }

    /// The format, as forced or recognized.
    pub fn format(&self) -> Format {
        self.reader.format()
    }

    /// The error that there is no history in the input, for a caller who has found none in any piece.
    pub fn empty(name: &str) -> Error {
        Error::of_input(name, ErrorKind::Empty)
    }

    /// The next history by itself, as a reader that reads nothing else would give it.
    fn large(&mut self) -> Option<Piece> {
        let Reader { parser, nil_reads, ended, .. } = &mut self.reader;
        match parser.next(*nil_reads) {
            Ok(history) => {
                *ended = history.is_none();
                history.map(|history| Piece::Large(Box::new(Ok(history))))
            }
            Err(error) => {
                *ended = !self.keep_going || !parser.recover();
                Some(Piece::Large(Box::new(Err(error))))
            }
        }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.reader.ended {
            return None;
        }
        match self.reader.parser.is_cut() {
            Ok(true) => {}
            Ok(false) => return self.large(),
            Err(error) => {
                self.reader.ended = true;
                return Some(Piece::Large(Box::new(Err(error))));
            }
        }
        let buffer = self.reader.parser.buffer();
        let ends = self.splitter.ends(buffer);
        let Some(&length) = ends.last() else { return self.large() };
        let part = buffer.part(length);
        let (format, nil_reads, keep_going) = (self.format(), self.reader.nil_reads, self.keep_going);
        Some(Piece::Batch(Batch { part, ends, format, nil_reads, keep_going }))
    }
}

impl Parser {
    /// Whether the input is cut into histories before they are parsed.
    fn is_cut(&mut self) -> Result<bool, Error> {
        match self {
            Parser::Json(reader) => Ok(reader.is_of_documents()?),
            Parser::Axe(_) | Parser::Text(_) => Ok(true),
            _ => Ok(false),
        }
    }

    /// Goes on to where the next history may begin, after an error; false if there is no such place.
    fn recover(&mut self) -> bool {
        let format = self.format();
        let inside = self.forget();
        match format {
            Format::Json => {}
            Format::Axe | Format::Text if !inside => return true,
            Format::Axe | Format::Text => {}
            _ => return false,
        }
        let buffer = self.buffer();
        // Of the line with the error nothing is left to read in the formats of lines.
        let mut begun = format == Format::Json;
        loop {
            let ahead = buffer.ahead();
            let end = memchr(b'\n', ahead);
            if end.is_none() && ahead.len() < LARGE && buffer.fill() {
                continue;
            }
            let ahead = buffer.ahead();
            let line = &ahead[..end.unwrap_or(ahead.len())];
            if line.is_empty() && end.is_none() {
                return !buffer.is_broken();
            }
            if format == Format::Json && !begun && begins_document(line) {
                return true;
            }
            let ends = format != Format::Json && ends_history(format, line);
            begun = end.is_none();
            let length = line.len() + usize::from(end.is_some());
            buffer.pass(length);
            if ends {
                return true;
            }
        }
    }
}
