//! A history of transactions: flat columns over all operations.

use super::lists::Lists;
use super::reads::{Admitted, Reads, Stream};
use super::{HistoryBuilder, Isolation, KeyId, Level, OpId, SessionId, TxnId};
use crate::heap::held;
use crate::memory::names::Names;
use std::borrow::Cow;
use std::ops::Range;

/// The outcome of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It committed.
    #[default]
    Committed,
    /// It did not.
    Aborted,
    /// The client was not told.
    Unknown,
}

/// The time when a transaction ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The time when it began.
    pub begin: i64,
    /// The time when it ended; `None` if its outcome is unknown.
    pub end: Option<i64>,
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op<'a> {
    /// Writes a register.
    Write(KeyId, i64),
    /// Appends an element to a list.
    Append(KeyId, i64),
    /// Reads a register or an empty list; `None`: unwritten.
    Read(KeyId, Option<i64>),
    /// Reads a list.
    ReadList(KeyId, &'a [i64]),
    /// Reads something unknown.
    Unknown(KeyId),
}

impl Op<'_> {
    /// The key.
    #[inline]
    pub const fn key(self) -> KeyId {
        match self {
            Op::Write(key, _)
            | Op::Append(key, _)
            | Op::Read(key, _)
            | Op::ReadList(key, _)
            | Op::Unknown(key) => key,
        }
    }
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Write,
    Append,
    Read,
    /// Of a register, or of a list that is empty.
    ReadNothing,
    ReadList,
    Unknown,
}

/// A valid history of transactions: keys are registers or lists, no element is appended twice, times go forward.
///
/// ```
/// use tribunal::transactions::{History, Op, Status};
/// // A lost update: both read the initial value and overwrite it.
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
/// let history = b.build()?;
/// assert_eq!((history.len(), history.ops().len()), (2, 4));
/// assert!(history.reads().misread().is_empty());
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
#[derive(Clone, Debug)]
pub struct History {
    pub(super) name: Option<String>,
    pub(super) init: Option<i64>,
    pub(super) key_names: Names,
    /// By key, whether it is a list.
    pub(super) is_list: Vec<bool>,
    pub(super) session_names: Names,
    /// The places where the transactions of each session begin, and where the last end.
    pub(super) sessions: Vec<u32>,
    /// By transaction, its session.
    pub(super) session_of: Vec<SessionId>,
    pub(super) statuses: Vec<Status>,
    /// By transaction, if they have times.
    pub(super) spans: Vec<Span>,
    /// The places where the operations of each transaction begin, and where the last end.
    pub(super) starts: Vec<u32>,
    pub(super) kinds: Vec<Kind>,
    pub(super) keys: Vec<KeyId>,
    /// Of a list that is read, where [`Lists`] has it.
    pub(super) values: Vec<i64>,
    pub(super) lists: Lists,
    pub(super) reads: Reads,
}

impl History {
    /// A history to be built.
    pub fn builder() -> HistoryBuilder {
        HistoryBuilder::default()
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The initial value of every register; `None`: unwritten.
    #[inline]
    pub fn init(&self) -> Option<i64> {
        self.init
    }

    /// The number of transactions.
    #[inline]
    pub fn len(&self) -> usize {
        self.statuses.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of sessions.
    #[inline]
    pub fn session_count(&self) -> usize {
        self.session_names.len()
    }

    /// The number of keys.
    #[inline]
    pub fn key_count(&self) -> usize {
        self.key_names.len()
    }

    /// The name of a session.
    pub fn session_name(&self, session: SessionId) -> &str {
        self.session_names.get(session.index())
    }

    /// Whether a key is a list.
    #[inline]
    pub fn is_list(&self, key: KeyId) -> bool {
        self.is_list[key.index()]
    }

    /// The name of a key.
    pub fn key_name(&self, key: KeyId) -> &str {
        self.key_names.get(key.index())
    }

    /// The transactions of a session, in session order.
    #[inline]
    pub fn session(&self, session: SessionId) -> impl ExactSizeIterator<Item = TxnId> + Clone + use<> {
        let ends = &self.sessions[session.index()..session.index() + 2];
        (ends[0]..ends[1]).map(TxnId)
    }

    /// All transactions.
    #[inline]
    pub fn transactions(&self) -> impl ExactSizeIterator<Item = TxnId> + Clone + use<> {
        (0..self.len() as u32).map(TxnId)
    }

    /// The session of a transaction.
    #[inline]
    pub fn session_of(&self, txn: TxnId) -> SessionId {
        self.session_of[txn.index()]
    }

    /// The outcome of a transaction.
    #[inline]
    pub fn status(&self, txn: TxnId) -> Status {
        self.statuses[txn.index()]
    }

    /// The times of a transaction, if known.
    #[inline]
    pub fn span(&self, txn: TxnId) -> Option<Span> {
        self.spans.get(txn.index()).copied()
    }

    /// Whether transactions have times. True if there are no transactions.
    #[inline]
    pub fn is_timed(&self) -> bool {
        self.spans.len() == self.len()
    }

    /// All operations.
    #[inline]
    pub fn ops(&self) -> impl ExactSizeIterator<Item = OpId> + Clone + use<> {
        (0..self.kinds.len() as u32).map(OpId)
    }

    /// The operations of a transaction, in order.
    #[inline]
    pub fn ops_of(
        &self,
        txn: TxnId,
    ) -> impl DoubleEndedIterator<Item = OpId> + ExactSizeIterator + Clone + use<> {
        let Range { start, end } = self.range(txn);
        (start as u32..end as u32).map(OpId)
    }

    #[inline]
    pub(super) fn range(&self, txn: TxnId) -> Range<usize> {
        self.starts[txn.index()] as usize..self.starts[txn.index() + 1] as usize
    }

    /// The transaction of an operation.
    #[inline]
    pub fn txn_of(&self, op: OpId) -> TxnId {
        TxnId(self.starts.partition_point(|&start| start <= op.0) as u32 - 1)
    }

    /// The key of an operation.
    #[inline]
    pub fn key(&self, op: OpId) -> KeyId {
        self.keys[op.index()]
    }

    /// Whether an operation writes a register or appends to a list.
    #[inline]
    pub fn writes(&self, op: OpId) -> bool {
        matches!(self.kinds[op.index()], Kind::Write | Kind::Append)
    }

    /// Whether an operation appends to a list.
    #[inline]
    pub fn appends(&self, op: OpId) -> bool {
        self.kinds[op.index()] == Kind::Append
    }

    /// An operation.
    #[inline]
    pub fn op(&self, op: OpId) -> Op<'_> {
        let (key, value) = (self.keys[op.index()], self.values[op.index()]);
        match self.kinds[op.index()] {
            Kind::Write => Op::Write(key, value),
            Kind::Append => Op::Append(key, value),
            Kind::Read => Op::Read(key, Some(value)),
            Kind::ReadNothing => Op::Read(key, None),
            Kind::ReadList => Op::ReadList(key, self.lists.get(key, value)),
            Kind::Unknown => Op::Unknown(key),
        }
    }

    /// The sources of reads, and what is wrong with them.
    #[inline]
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// The history with sources for some of its reads of repeated values. Sources that did not write the value are ignored.
    ///
    /// ```
    /// use tribunal::{transactions::{History, Op, Status}, history::transactions::Source};
    /// let mut b = History::builder();
    /// let (a, x) = (b.session("a"), b.key("x"));
    /// b.transaction(a, Status::Committed, None, &[Op::Write(x, 1)]);
    /// b.transaction(a, Status::Committed, None, &[Op::Write(x, 1)]);
    /// b.transaction(a, Status::Committed, None, &[Op::Read(x, Some(1))]);
    /// let history = b.build()?;
    /// let read = history.reads().open().next().expect("two wrote what it returned");
    /// let first = history.reads().candidates(read).iter().next().expect("two of them");
    /// assert_eq!(history.choosing(&[(read, first)]).reads().source(read), Source::Txn(first));
    /// # Ok::<(), tribunal::transactions::MalformedHistory>(())
    /// ```
    pub fn choosing(&self, sources: &[(OpId, TxnId)]) -> History {
        self.reading(sources, self.reads.admitted())
    }

    /// The history as a monitor of a level sees it, whose times are the order of events: a read is from what was begun before it returned, if there is something, and else from
    /// the first that comes. Unless the events have `ended`, a read of what nobody has written says nothing, since that may yet come. So what is inconsistent
    /// stays so, whatever else comes.
    ///
    /// ```
    /// use tribunal::transactions::{History, Level, Op, Span, Status, check};
    /// let mut b = History::builder();
    /// let (a, x) = (b.session("a"), b.key("x"));
    /// b.transaction(a, Status::Committed, Some(Span { begin: 0, end: Some(1) }), &[Op::Read(x, Some(1))]);
    /// let history = b.build()?;
    /// let judged = |ended| check(&history.monitored(Level::SER, ended), Level::SER);
    /// assert!(judged(false).is_consistent() && judged(true).is_inconsistent());
    /// # Ok::<(), tribunal::transactions::MalformedHistory>(())
    /// ```
    pub fn monitored(&self, level: Level, ended: bool) -> History {
        let stream = if ended { Stream::Ended } else { Stream::Open };
        let mut history = self.clone();
        if level.isolation() == Isolation::Ru && !ended {
            // Under ru one that aborts after all says less than one that may have committed.
            let unknown = history.statuses.iter_mut().filter(|status| **status == Status::Unknown);
            unknown.for_each(|status| *status = Status::Aborted);
        }
        history.reading(&[], Admitted { dirty: false, stream })
    }

    /// The history as a level reads it: under ru, a read of a repeated value may also be from an aborted transaction, or of an overwritten value.
    pub fn under(&self, level: Level) -> Cow<'_, History> {
        let admitted = self.reads.admitted();
        if level.isolation() != Isolation::Ru || admitted.dirty || !self.reads.has_dirty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(self.reading(&[], Admitted { dirty: true, ..admitted }))
    }

    fn reading(&self, sources: &[(OpId, TxnId)], admitted: Admitted) -> History {
        let reads = Reads::of(self, sources, admitted).expect("a history that was built is well-formed");
        History { reads, ..self.clone() }
    }

    /// Bytes that are held.
    pub fn bytes(&self) -> usize {
        let transactions = size_of::<SessionId>() + size_of::<Status>() + size_of::<u32>();
        let operations = size_of::<Kind>() + size_of::<KeyId>() + size_of::<i64>();
        self.len() * transactions
            + self.kinds.len() * operations
            + held(&[&self.spans, &self.sessions])
            + self.key_names.bytes()
            + self.session_names.bytes()
            + self.lists.bytes()
            + self.reads.bytes()
    }
}
