//! Histories of transactions: how they are collected, whatever they are read from, and the formats that have nothing else.

pub(super) mod awdit;
pub(super) mod binary;
pub(super) mod cobra;
pub(super) mod dbcop;
pub(super) mod elle;
pub(super) mod plume;

use crate::{Error, ErrorKind, History, Labels, Lines, Notes, Subject, Transactions};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::transactions;
use tribunal_history::transactions::{HistoryBuilder, KeyId, MalformedHistory, Op, SessionId, Span, Status};

/// The bytes that an operation takes at most, while it is collected and while the history is built: its columns, which grow by doubling, its place
/// in the table of writes, its source.
const OPERATION: usize = 200;
/// The same of a transaction.
const TRANSACTION: usize = 240;
/// The same of a key or a session, beside three times its name.
const NAME: usize = 200;
/// The same of an element of a list that was read.
const ELEMENT: usize = 64;

/// A history of transactions under construction.
pub(super) struct Draft {
    builder: HistoryBuilder,
    pub(super) labels: Labels,
    /// The notes on what is no transaction.
    pub(super) notes: Notes,
    /// The line where the history begins.
    line: u64,
    /// The transactions begun, as they came.
    begun: Vec<Begun>,
    /// Keys that are whole numbers.
    numbers: FxHashMap<i64, KeyId>,
    /// The number of keys.
    keys: usize,
    sessions: usize,
    /// By key, its longest read.
    longest: Vec<Vec<i64>>,
    /// Elements that are kept.
    elements: usize,
    /// The memory that names take.
    growth: Growth,
    /// Room for a name.
    name: String,
}

/// A transaction that was begun.
#[derive(Clone, Copy)]
struct Begun {
    session: SessionId,
    /// The number of operations that came before.
    start: u32,
    line: u64,
}

impl Draft {
    /// A history that begins at a line.
    pub(super) fn new(line: u64) -> Self {
        let (labels, begun, numbers, keys, sessions, longest) = Default::default();
        let (elements, growth, name, notes) = Default::default();
        let builder = transactions::History::builder();
        Draft {
            builder,
            labels,
            notes,
            line,
            begun,
            numbers,
            keys,
            sessions,
            longest,
            elements,
            growth,
            name,
        }
    }

    /// Names the history.
    pub(super) fn name(&mut self, name: String) {
        self.growth.hold(name.len());
        self.builder.name(name);
    }

    /// The initial value of every register.
    pub(super) fn init(&mut self, value: Option<i64>) {
        self.builder.init(value);
    }

    /// The key of this name.
    pub(super) fn key(&mut self, name: &str) -> KeyId {
        let key = self.builder.key(name);
        if key.index() >= self.keys {
            self.keys = key.index() + 1;
            self.growth.hold(NAME + 3 * name.len());
        }
        key
    }

    /// The key that is this number.
    #[inline]
    pub(super) fn number_key(&mut self, number: i64) -> KeyId {
        if let Some(&key) = self.numbers.get(&number) {
            return key;
        }
        self.new_number_key(number)
    }

    #[cold]
    fn new_number_key(&mut self, number: i64) -> KeyId {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        write!(name, "{number}").expect("a string takes everything");
        let key = self.key(&name);
        self.name = name;
        self.growth.insert(&mut self.numbers, number, key);
        key
    }

    /// The session of this name.
    pub(super) fn session(&mut self, name: &str) -> SessionId {
        let session = self.builder.session(name);
        if session.index() >= self.sessions {
            self.sessions = session.index() + 1;
            self.growth.hold(NAME + 3 * name.len());
        }
        session
    }

    /// A session that is new; none if there is one of this name.
    pub(super) fn new_session(&mut self, name: &str) -> Option<SessionId> {
        let before = self.sessions;
        let session = self.session(name);
        (self.sessions > before).then_some(session)
    }

    /// Begins the next transaction of a session, at a line.
    pub(super) fn begin(&mut self, session: SessionId, line: u64) {
        let start = u32::try_from(self.builder.len()).unwrap_or(u32::MAX);
        self.begun.push(Begun { session, start, line });
        self.builder.begin(session);
    }

    /// Notes what the client of the transaction that was begun last gave as its error, if it gave any.
    pub(super) fn note_error(&mut self, error: Option<Arc<str>>) {
        if let (Some(error), Some(txn)) = (error, self.begun.len().checked_sub(1)) {
            self.growth.push(&mut self.notes.errors_of, (txn as u32, error));
        }
    }

    /// The next operation of the transaction that was begun last.
    #[inline]
    pub(super) fn op(&mut self, op: Op<'_>) {
        if let Op::ReadList(key, list) = op {
            self.note_list(key, list);
        }
        self.builder.op(op);
    }

    /// Counts what is kept of a list: of one that is a beginning of the longest, nothing more is kept.
    fn note_list(&mut self, key: KeyId, list: &[i64]) {
        if self.longest.len() <= key.index() {
            self.longest.resize_with(key.index() + 1, Vec::new);
        }
        let longest = &mut self.longest[key.index()];
        let common = longest.len().min(list.len());
        if longest[..common] == list[..common] {
            longest.extend_from_slice(&list[common..]);
            self.elements += list.len() - common;
        } else {
            self.elements += list.len();
        }
    }

    /// The outcome of the transaction that was begun last.
    pub(super) fn end(&mut self, status: Status, span: Option<Span>) {
        self.builder.end(status, span);
    }

    /// Gives other times, in the same order.
    pub(super) fn retime(&mut self, time: impl Fn(i64) -> i64) {
        self.builder.retime(time);
    }

    /// The number of bytes that the history takes at most, as it is and while it is built.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        OPERATION * self.builder.len()
            + TRANSACTION * self.begun.len()
            + ELEMENT * self.elements
            + self.growth.peak()
    }

    /// The history, if it makes sense.
    pub(super) fn finish(self, file: &str) -> Result<History, Error> {
        let Draft { builder, labels, mut notes, line, mut begun, .. } = self;
        let ops = u32::try_from(builder.len()).unwrap_or(u32::MAX);
        let mut lengths: Vec<u32> = Vec::new();
        if !begun.is_sorted_by_key(|txn| txn.session) {
            let ends = begun.iter().skip(1).map(|txn| txn.start).chain([ops]);
            lengths.extend(begun.iter().zip(ends).map(|(txn, end)| end - txn.start));
            // The history has its transactions session by session.
            let mut order: Vec<u32> = (0..begun.len() as u32).collect();
            order.sort_by_key(|&txn| begun[txn as usize].session);
            lengths = order.iter().map(|&txn| lengths[txn as usize]).collect();
            begun = order.iter().map(|&txn| begun[txn as usize]).collect();
            notes.errors_of = notes.errors_within(order);
            let mut start = 0;
            for (txn, length) in begun.iter_mut().zip(lengths) {
                txn.start = start;
                start += length;
            }
        }
        match builder.build() {
            Ok(history) => {
                let lines = begun.into_iter().map(|txn| txn.line).collect();
                let subject = Subject::Transactions(Transactions { history: history.into(), lines, notes });
                Ok(History { subject, labels, line, lines: Lines::default() })
            }
            Err(why) => Err(malformed(file, line, &begun, why)),
        }
    }
}

/// The error that a history is malformed, at the line of the transaction where that shows.
fn malformed(file: &str, line: u64, begun: &[Begun], why: MalformedHistory) -> Error {
    use MalformedHistory::{AppendedTwice, Backward, BothKinds, Endless, MixedTimes};
    let txn = match &why {
        BothKinds { op, .. } | AppendedTwice { op, .. } => {
            begun.partition_point(|txn| txn.start <= op.0).checked_sub(1)
        }
        Backward { txn, .. } | Endless { txn } | MixedTimes { txn, .. } => Some(txn.index()),
        _ => None,
    };
    let at = txn.and_then(|txn| Some((txn, begun.get(txn)?)));
    let Some((txn, at)) = at else {
        return Error::at(file, line, None, ErrorKind::MalformedTransactions { at: None, why });
    };
    let first = begun.partition_point(|other| other.session < at.session);
    let place = Some((at.session.0, (txn - first) as u32));
    Error::at(file, at.line, None, ErrorKind::MalformedTransactions { at: place, why })
}
