//! The text of Plume, PolySI and IsoVista, which AWDIT reads too: `w(key,value,session,transaction)`, an operation a line.

use super::Draft;
use crate::error::quote;
use crate::read::buffer::Buffer;
use crate::read::cursor::{Fault, Parsed};
use crate::{Error, ErrorKind, History};
use rustc_hash::FxHashMap;
use tribunal_history::heap::Growth;
use tribunal_history::transactions::{KeyId, Op, Status};

/// The number of transactions that were aborted.
const ABORTED: i64 = -1;
/// Memory is looked at every so many lines.
const OFTEN: u64 = 1 << 6;

/// Reads a file, which is one history.
pub(in crate::read) struct Plume {
    buffer: Buffer,
    ended: bool,
}

impl Plume {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Plume { buffer, ended: false }
    }

    pub(in crate::read) fn next(&mut self) -> Result<Option<History>, Error> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        let mut sheet = Sheet::new();
        while let Some((number, line)) = self.buffer.next_line()? {
            let entry = match entry(line) {
                Some(entry) => Ok(entry),
                None if line.trim_ascii().is_empty() => continue,
                None => slowly(line),
            };
            let taken = entry.and_then(|entry| sheet.take(number, &entry));
            if let Err(fault) = taken {
                return Err(fault.in_line(number, &self.buffer));
            }
            if number.is_multiple_of(OFTEN) {
                self.buffer.hold(sheet.memory())?;
            }
        }
        self.buffer.hold(sheet.memory())?;
        if sheet.records.is_empty() {
            return Ok(None);
        }
        sheet.finish().finish(self.buffer.name()).map(Some)
    }
}

/// The operation of a line.
struct Entry {
    writes: bool,
    key: i64,
    value: i64,
    session: i64,
    txn: i64,
}

/// An operation: the transaction's index, and whether it writes as the lowest bit.
#[derive(Clone, Copy)]
struct Record {
    value: i64,
    key: KeyId,
    what: u32,
}

/// A transaction.
struct Txn {
    number: i64,
    session: i64,
    line: u64,
}

/// The part of a file that was read. Lines of a transaction need not come together.
struct Sheet {
    draft: Draft,
    records: Vec<Record>,
    txns: Vec<Txn>,
    numbers: FxHashMap<i64, u32>,
    /// By session, its aborted transactions, which are one.
    aborted: FxHashMap<i64, u32>,
    /// The transaction of the line before.
    last: Option<u32>,
    /// Whether lines of transactions are mixed.
    mixed: bool,
    growth: Growth,
}

impl Sheet {
    fn new() -> Self {
        let (records, txns, numbers, aborted, last, mixed, growth) = Default::default();
        Sheet { draft: Draft::new(1), records, txns, numbers, aborted, last, mixed, growth }
    }

    /// The number of bytes that it takes at most, as it is and while the history is built.
    fn memory(&self) -> usize {
        let built = super::OPERATION * self.records.len() + super::TRANSACTION * self.txns.len();
        self.draft.memory() + built + self.growth.peak()
    }

    #[inline]
    fn take(&mut self, line: u64, entry: &Entry) -> Parsed<()> {
        let txn = match self.last {
            Some(last) if self.txns[last as usize].is_of(entry) => last,
            _ => self.txn(line, entry)?,
        };
        let key = self.draft.number_key(entry.key);
        let what = txn << 1 | u32::from(entry.writes);
        self.growth.push(&mut self.records, Record { value: entry.value, key, what });
        Ok(())
    }

    /// The transaction of a line, new or not.
    fn txn(&mut self, line: u64, entry: &Entry) -> Parsed<u32> {
        let aborted = entry.txn == ABORTED;
        let known = if aborted { self.aborted.get(&entry.session) } else { self.numbers.get(&entry.txn) };
        let txn = match known.copied() {
            Some(txn) => {
                let session = self.txns[txn as usize].session;
                if session != entry.session {
                    let kind =
                        ErrorKind::TwoSessions { txn: entry.txn, first: session, second: entry.session };
                    return Err(Fault::new(0, kind));
                }
                self.mixed = true;
                txn
            }
            None => {
                // The lowest bit of what is said of an operation is taken.
                let txn = u32::try_from(self.txns.len()).ok().filter(|txn| txn >> 31 == 0);
                let txn = txn.ok_or_else(|| Fault::new(0, ErrorKind::TooManyTransactions))?;
                let of = if aborted { &mut self.aborted } else { &mut self.numbers };
                self.growth.insert(of, if aborted { entry.session } else { entry.txn }, txn);
                let new = Txn { number: entry.txn, session: entry.session, line };
                self.growth.push(&mut self.txns, new);
                txn
            }
        };
        self.last = Some(txn);
        Ok(txn)
    }

    /// The history as a draft. A first transaction of nothing but writes of 0 states the initial values.
    fn finish(self) -> Draft {
        let Sheet { mut draft, mut records, txns, mixed, .. } = self;
        draft.init(Some(0));
        if mixed {
            records.sort_by_key(|record| record.what >> 1);
        }
        let mut sessions = FxHashMap::default();
        for of_txn in records.chunk_by(|a, b| a.what >> 1 == b.what >> 1) {
            let index = of_txn[0].what >> 1;
            let txn = &txns[index as usize];
            let initial = |record: &Record| record.what & 1 == 1 && record.value == 0;
            if index == 0 && txn.number != ABORTED && of_txn.iter().all(initial) {
                continue;
            }
            let session =
                *sessions.entry(txn.session).or_insert_with(|| draft.session(&txn.session.to_string()));
            draft.begin(session, txn.line);
            for &Record { value, key, what } in of_txn {
                draft.op(if what & 1 == 1 { Op::Write(key, value) } else { Op::Read(key, Some(value)) });
            }
            draft.end(if txn.number == ABORTED { Status::Aborted } else { Status::Committed }, None);
        }
        draft
    }
}

impl Txn {
    #[inline]
    fn is_of(&self, entry: &Entry) -> bool {
        self.number == entry.txn && self.session == entry.session
    }
}

/// A line as it is nearly always written; none if it is another.
#[inline]
fn entry(line: &[u8]) -> Option<Entry> {
    let (writes, rest) = match line {
        [b'w', b'(', rest @ ..] => (true, rest),
        [b'r', b'(', rest @ ..] => (false, rest),
        _ => return None,
    };
    let (key, rest) = integer(rest)?;
    let (value, rest) = integer(rest.strip_prefix(b",")?)?;
    let (session, rest) = integer(rest.strip_prefix(b",")?)?;
    let (txn, rest) = integer(rest.strip_prefix(b",")?)?;
    (rest == b")").then_some(Entry { writes, key, value, session, txn })
}

/// A number of at most 18 digits, and what is after it.
#[inline]
fn integer(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    let mut value = 0i64;
    let mut length = 0;
    while let Some(digit @ b'0'..=b'9') = digits.get(length) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
        length += 1;
    }
    (1..=18).contains(&length).then(|| (if negative { -value } else { value }, &digits[length..]))
}

/// A line with blanks in it or with large numbers, or what is wrong with it.
#[cold]
fn slowly(line: &[u8]) -> Parsed<Entry> {
    let mut at = Position { line, at: 0 };
    let writes = match at.word() {
        b"w" => true,
        b"r" => false,
        _ => {
            at.at = 0;
            return Err(at.expected("w(key,value,session,transaction) or r(..)"));
        }
    };
    at.mark(b'(', "`(` after the operation")?;
    let key = at.integer("the key")?;
    at.mark(b',', "`,` after the key")?;
    let value = at.integer("the value")?;
    at.mark(b',', "`,` after the value")?;
    let session = at.integer("the session")?;
    at.mark(b',', "`,` after the session")?;
    let txn = at.integer("the transaction")?;
    at.mark(b')', "`)` after the transaction")?;
    at.end()?;
    Ok(Entry { writes, key, value, session, txn })
}

/// A position in a line of words and whole numbers.
pub(super) struct Position<'a> {
    pub(super) line: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Position<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.rest().first(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Letters and digits, after blanks.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        self.at += length;
        &rest[..length]
    }

    /// This byte, after blanks.
    pub(super) fn mark(&mut self, mark: u8, expected: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.rest().first() != Some(&mark) {
            return Err(self.expected(expected));
        }
        self.at += 1;
        Ok(())
    }

    /// A whole number, after blanks.
    pub(super) fn integer(&mut self, what: &'static str) -> Parsed<i64> {
        self.skip_blanks();
        let rest = self.rest();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Err(self.expected(what));
        }
        let written = &rest[..sign + digits];
        let number = std::str::from_utf8(written).ok().and_then(|written| written.parse().ok());
        let number = number
            .ok_or_else(|| Fault::new(self.at, ErrorKind::NotAnInteger { what, found: quote(written) }))?;
        self.at += written.len();
        Ok(number)
    }

    /// Nothing may be left.
    pub(super) fn end(&mut self) -> Parsed<()> {
        self.skip_blanks();
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// The fault that something else stands here.
    #[cold]
    pub(super) fn expected(&self, expected: &'static str) -> Box<Fault> {
        let found = match self.rest() {
            [] => "the end of the line".into(),
            rest => format!("`{}`", quote(rest)),
        };
        Fault::new(self.at, ErrorKind::Syntax { expected, found })
    }
}
