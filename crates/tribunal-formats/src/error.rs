//! Errors in an input, with their place.

use crate::Format;
use std::fmt;
use std::io;
use tribunal_history::memory::MalformedHistory;
use tribunal_history::object;
use tribunal_history::transactions;

/// An input that cannot be read, with the place of the error.
///
/// ```
/// use tribunal_formats::{Format, read};
/// let mut histories = read("T0: W x 1\nT1: R x one".as_bytes(), "a.txt", None)?;
/// let error = histories.next().expect("an answer").expect_err("not a number");
/// assert_eq!(error.to_string(), "a.txt:2:9: expected the value read, found `one`");
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    file: String,
    line: Option<u64>,
    column: Option<u64>,
    kind: ErrorKind,
}

/// The fault in an input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or a decompressor failed.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// A compressed stream ends in the middle.
    #[error("truncated: the compressed data ends in the middle")]
    Truncated,
    /// The input has no history.
    #[error("empty input: it has no history")]
    Empty,
    /// The content matches no format.
    #[error(
        "not recognized as JSON, EDN, a Jepsen log, an Axe trace, the text form or a history of transactions: found `{found}`; the format can be given"
    )]
    UnknownFormat {
        /// The beginning of the content.
        found: String,
    },
    /// UTF-16 instead of UTF-8.
    #[error("UTF-16: histories are read as UTF-8; `iconv -f UTF-16 -t UTF-8` converts it")]
    Utf16,
    /// A litmus test, which is a program and no history.
    #[error("this is a litmus test, not a history: `tribunal litmus FILE` runs it")]
    Litmus,
    /// Bytes that are not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// A line or a string that is too long.
    #[error("a line or a string of more than {} MiB", .limit >> 20)]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// Reading or building the history exceeds the memory limit.
    #[error("the history takes more than the {} that --max-memory allows", Bytes(*.limit))]
    TooMuchMemory {
        /// The limit in bytes.
        limit: usize,
    },
    /// The values are not those of the object that the methods told.
    #[error("the values are not those of the object that the calls told: {hint}")]
    OtherObject {
        /// The thing that it may be.
        hint: &'static str,
    },
    /// Transactions that may be operations of registers.
    #[error(
        "0 was read of {key}, which nothing wrote: these are transactions (--model ser, for one) of registers without an initial value, or operations of registers that begin with 0 (--spec multi-register): say which"
    )]
    TransactionsOrRegisters {
        /// The key.
        key: String,
    },
    /// A syntax error.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// The text that the grammar allows here.
        expected: &'static str,
        /// The text that was found: a quotation, or `the end of the line`, ...
        found: String,
    },
    /// A number that is not a whole number from 0 to 2^64 - 1, or to 2^32 - 1 for an index.
    #[error("{what} must be a whole number from 0 to {largest}, found `{found}`")]
    OutOfRange {
        /// The thing that is numbered.
        what: &'static str,
        /// The largest number allowed.
        largest: u64,
        /// The number as written.
        found: String,
    },
    /// A JSON object lacks a key.
    #[error("missing key \"{key}\" in {object}")]
    MissingKey {
        /// The key.
        key: &'static str,
        /// The kind of the object.
        object: &'static str,
    },
    /// A JSON object has a duplicate key.
    #[error("duplicate key \"{key}\"")]
    DuplicateKey {
        /// The key.
        key: &'static str,
    },
    /// A JSON value of the wrong type.
    #[error("key \"{key}\": expected {expected}, found {found}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// The type asked for.
        expected: &'static str,
        /// The type found.
        found: &'static str,
    },
    /// A key or a clause that an event of this kind cannot have.
    #[error("`{what}` makes no sense on an event that does not read")]
    Misplaced {
        /// The key.
        what: &'static str,
    },
    /// Two threads of a JSON history have the same name.
    #[error("more than one thread is named `{name}`")]
    DuplicateThread {
        /// The name.
        name: String,
    },
    /// A location has two initial values.
    #[error("more than one initial value of `{loc}`")]
    DuplicateInit {
        /// The location's name.
        loc: String,
    },
    /// JSON nested too deeply.
    #[error("nested more than {limit} levels deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// A value that is not a whole number from -2^63 to 2^63 - 1.
    #[error("{what}: a number must be whole and from -2^63 to 2^63 - 1, found `{found}`")]
    NotAnInteger {
        /// The thing that is numbered.
        what: &'static str,
        /// The number as written.
        found: String,
    },
    /// An unknown kind of JSON history.
    #[error(
        "histories of kind \"{kind}\" are not supported; \"memory\", \"object\" and \"transactions\" are"
    )]
    UnsupportedKind {
        /// The document's kind.
        kind: String,
    },
    /// Operations with times in a history with an explicit order.
    #[error("the operation has \"call\", but the history has \"hb\": give times or hb, not both")]
    TimesAndHb,
    /// An operation ends that was not called or has already ended.
    #[error("process {process} returns, but has no open operation")]
    ReturnWithoutCall {
        /// The process.
        process: String,
    },
    /// A return names another method than the call.
    #[error("a {called} was called, but a {returned} returns")]
    OtherMethod {
        /// The method called.
        called: String,
        /// The method that returns.
        returned: String,
    },
    /// A return says that something else was done than was called.
    #[error(
        "{called} was called, and {done} was done: such a history can be checked as a whole, not event by event"
    )]
    OtherCall {
        /// The operation as called.
        called: String,
        /// The actions that were done according to the return.
        done: String,
    },
    /// More than one history, where one is expected.
    #[error("more than one history, where one is expected")]
    Several,
    /// A second history where events are read one by one.
    #[error("a second history: only the events of one history can be read")]
    AnotherHistory,
    /// A format without calls and returns.
    #[error("the {format} format has no object events; json, edn and jepsen-log have")]
    NoEvents {
        /// The format.
        format: Format,
    },
    /// The history parses, but is not an execution.
    #[error("malformed history: {0}")]
    Malformed(#[source] MalformedHistory),
    /// The history parses, but no processes can have produced it.
    #[error("malformed history: {0}")]
    MalformedObject(#[source] object::MalformedHistory),
    /// The history parses, but no clients can have produced its transactions.
    #[error("malformed history: {}{why}", Transaction(*.at))]
    MalformedTransactions {
        /// The session and the index of the transaction, both from 0, if known.
        at: Option<(u32, u32)>,
        /// The fault.
        #[source]
        why: transactions::MalformedHistory,
    },
    /// Two sessions of a JSON history have the same name.
    #[error("more than one session is named `{name}`")]
    DuplicateSession {
        /// The name.
        name: String,
    },
    /// A transaction is in two sessions.
    #[error(
        "transaction {txn} is in session {first} and in session {second}: its number must be unique in the file"
    )]
    TwoSessions {
        /// The transaction.
        txn: i64,
        /// The session in which it appeared first.
        first: i64,
        /// The session in which it appears here.
        second: i64,
    },
    /// There are more transactions than can be counted.
    #[error("a history has at most {} transactions", 1u32 << 31)]
    TooManyTransactions,
    /// A process begins a transaction while its previous one is open.
    #[error("process {process} begins a transaction while the one of line {open} is open")]
    OverlappingTransactions {
        /// The process.
        process: i64,
        /// The line of the open transaction.
        open: u64,
    },
    /// A syntax error in a binary format.
    #[error("at byte {offset}: expected {expected}, found {found}")]
    Bytes {
        /// The offset in bytes.
        offset: u64,
        /// The text that the format allows there.
        expected: &'static str,
        /// The text that is there.
        found: String,
    },
    /// A folder without a history.
    #[error(
        "a folder with no history in it: expected history.edn, history.txt, history.bincode or T1.log, T2.log, .."
    )]
    NoHistoryInFolder,
}

impl Error {
    /// An error about the whole input.
    pub(crate) fn of_input(file: &str, kind: ErrorKind) -> Self {
        Error(Box::new(Inner { file: file.into(), line: None, column: None, kind }))
    }

    /// An error at a line, or at a column of a line.
    pub(crate) fn at(file: &str, line: u64, column: impl Into<Option<u64>>, kind: ErrorKind) -> Self {
        Error(Box::new(Inner { file: file.into(), line: Some(line), column: column.into(), kind }))
    }

    /// The name of the input; `-` is standard input.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line, from 1; for a malformed history, the line where it begins.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// The column in bytes, from 1.
    pub fn column(&self) -> Option<u64> {
        self.0.column
    }

    /// Whether it concerns the whole input rather than one history, so that nothing more can be read.
    pub fn is_of_input(&self) -> bool {
        matches!(
            self.0.kind,
            ErrorKind::Io(_)
                | ErrorKind::Truncated
                | ErrorKind::Empty
                | ErrorKind::UnknownFormat { .. }
                | ErrorKind::Litmus
        )
    }

    /// The fault.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.file)?;
        if let Some(line) = self.0.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.0.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The text already contains the cause's text, so go on to the cause's own cause.
        std::error::Error::source(&self.0.kind).and_then(std::error::Error::source)
    }
}

/// A transaction, for an error of it.
struct Transaction(Option<(u32, u32)>);

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((session, index)) => write!(f, "session {session}, transaction {index}: "),
            None => Ok(()),
        }
    }
}

/// A number of bytes for people: as much of it as they would give.
struct Bytes(usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 10 << 30 => write!(f, "{} GB", bytes >> 30),
            bytes if bytes >= 10 << 20 => write!(f, "{} MB", bytes >> 20),
            bytes if bytes >= 10 << 10 => write!(f, "{} kB", bytes >> 10),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// Quotes input in an error: the first 40 characters, with nothing a terminal could act on.
pub(crate) fn quote(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(160)];
    let text = String::from_utf8_lossy(head);
    let mut quoted = String::new();
    for c in text.chars().take(40) {
        match c {
            '"' | '\'' | '\\' => quoted.push(c),
            _ => quoted.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(40).is_some() {
        quoted.push_str("...");
    }
    quoted
}
