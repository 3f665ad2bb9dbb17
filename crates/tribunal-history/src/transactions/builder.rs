//! Collecting transactions and building a history.

use super::history::Kind;
use super::lists::Lists;
use super::reads::{Admitted, Reads};
use super::{History, KeyId, MalformedHistory, Op, SessionId, Span, Status, TxnId};
use crate::memory::names::Interner;

/// Collects the transactions of a history: in session order within a session, in any order between sessions.
#[derive(Clone, Debug, Default)]
pub struct HistoryBuilder {
    name: Option<String>,
    init: Option<i64>,
    keys: Interner,
    sessions: Interner,
    /// By transaction, as they came.
    session_of: Vec<SessionId>,
    statuses: Vec<Status>,
    spans: Vec<Option<Span>>,
    starts: Vec<u32>,
    /// By operation, as they came.
    kinds: Vec<Kind>,
    op_keys: Vec<KeyId>,
    values: Vec<i64>,
    lists: Lists,
}

impl HistoryBuilder {
    /// Names the history.
    pub fn name(&mut self, name: impl Into<String>) {
        self.name = Some(name.into());
    }

    /// The initial value of every register, if any.
    pub fn init(&mut self, value: Option<i64>) {
        self.init = value;
    }

    /// The session of this name.
    pub fn session(&mut self, name: &str) -> SessionId {
        SessionId(self.sessions.find(name.as_bytes()).unwrap_or_else(|| self.sessions.add(name)))
    }

    /// The key of this name.
    pub fn key(&mut self, name: &str) -> KeyId {
        KeyId(self.keys.find(name.as_bytes()).unwrap_or_else(|| self.keys.add(name)))
    }

    /// Adds the next transaction of a session.
    pub fn transaction(&mut self, session: SessionId, status: Status, span: Option<Span>, ops: &[Op<'_>]) {
        self.begin(session);
        ops.iter().for_each(|&op| self.op(op));
        self.end(status, span);
    }

    /// Begins the next transaction of a session; its operations follow one by one until [`end`](Self::end).
    pub fn begin(&mut self, session: SessionId) {
        self.starts.push(self.kinds.len() as u32);
        self.session_of.push(session);
        self.statuses.push(Status::Unknown);
        self.spans.push(None);
    }

    /// The next operation of the current transaction.
    pub fn op(&mut self, op: Op<'_>) {
        let (kind, value) = match op {
            Op::Write(_, value) => (Kind::Write, value),
            Op::Append(_, value) => (Kind::Append, value),
            Op::Read(_, Some(value)) => (Kind::Read, value),
            Op::Read(_, None) => (Kind::ReadNothing, 0),
            Op::ReadList(key, list) => (Kind::ReadList, self.lists.store(key, list)),
            Op::Unknown(_) => (Kind::Unknown, 0),
        };
        self.kinds.push(kind);
        self.op_keys.push(op.key());
        self.values.push(value);
    }

    /// Ends the current transaction.
    pub fn end(&mut self, status: Status, span: Option<Span>) {
        if let (Some(last), Some(last_span)) = (self.statuses.last_mut(), self.spans.last_mut()) {
            (*last, *last_span) = (status, span);
        }
    }

    /// Gives other times, in the same order.
    pub fn retime(&mut self, time: impl Fn(i64) -> i64) {
        for span in self.spans.iter_mut().flatten() {
            *span = Span { begin: time(span.begin), end: span.end.map(&time) };
        }
    }

    /// The number of operations that have come.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Validates and builds the history.
    pub fn build(mut self) -> Result<History, MalformedHistory> {
        // Numbers above it stand for something else: see `Reads`.
        const MOST: u32 = u32::MAX - 8;
        if self.kinds.len() > MOST as usize || self.session_of.len() > MOST as usize {
            return Err(MalformedHistory::TooLong { most: MOST });
        }
        self.starts.push(self.kinds.len() as u32);
        let mut sessions = vec![0u32; self.sessions.len() + 1];
        self.session_of.iter().for_each(|session| sessions[session.index() + 1] += 1);
        (1..sessions.len()).for_each(|session| sessions[session] += sessions[session - 1]);
        if !self.session_of.is_sorted() {
            self.arrange(&sessions);
        }
        let spans = self.checked_spans()?;
        let mut history = History {
            name: self.name,
            init: self.init,
            is_list: Vec::new(),
            key_names: self.keys.take(false),
            session_names: self.sessions.take(false),
            sessions,
            session_of: self.session_of,
            statuses: self.statuses,
            spans,
            starts: self.starts,
            kinds: self.kinds,
            keys: self.op_keys,
            values: self.values,
            lists: self.lists,
            reads: Reads::default(),
        };
        history.is_list = lists(&history)?;
        history.reads = Reads::of(&history, &[], Admitted::default())?;
        Ok(history)
    }

    /// Brings the transactions of each session together; `sessions` says where each begins.
    fn arrange(&mut self, sessions: &[u32]) {
        let mut next = sessions.to_vec();
        let mut order = vec![0u32; self.session_of.len()];
        for (txn, session) in self.session_of.iter().enumerate() {
            let place = &mut next[session.index()];
            order[*place as usize] = txn as u32;
            *place += 1;
        }
        let range = |txn: &u32| self.starts[*txn as usize] as usize..self.starts[*txn as usize + 1] as usize;
        let ops: Vec<usize> = order.iter().flat_map(range).collect();
        let mut starts = Vec::with_capacity(self.starts.len());
        starts.push(0);
        for txn in &order {
            starts.push(starts[starts.len() - 1] + range(txn).len() as u32);
        }
        self.starts = starts;
        self.kinds = ops.iter().map(|&op| self.kinds[op]).collect();
        self.op_keys = ops.iter().map(|&op| self.op_keys[op]).collect();
        self.values = ops.iter().map(|&op| self.values[op]).collect();
        self.session_of = order.iter().map(|&txn| self.session_of[txn as usize]).collect();
        self.statuses = order.iter().map(|&txn| self.statuses[txn as usize]).collect();
        self.spans = order.iter().map(|&txn| self.spans[txn as usize]).collect();
    }

    /// The times of all transactions, or of none.
    fn checked_spans(&self) -> Result<Vec<Span>, MalformedHistory> {
        let timed = self.spans.first().is_some_and(Option::is_some);
        let mut spans = Vec::with_capacity(if timed { self.spans.len() } else { 0 });
        for (txn, (span, status)) in (0..).map(TxnId).zip(self.spans.iter().zip(&self.statuses)) {
            if span.is_some() != timed {
                return Err(MalformedHistory::MixedTimes { txn, timed: !timed });
            }
            let &Some(Span { begin, end }) = span else { continue };
            match (end, status) {
                // When a client gave up says nothing of when the transaction ended.
                (_, Status::Unknown) => spans.push(Span { begin, end: None }),
                (None, _) => return Err(MalformedHistory::Endless { txn }),
                (Some(end), _) if end < begin => {
                    return Err(MalformedHistory::Backward { txn, begin, end });
                }
                _ => spans.push(Span { begin, end }),
            }
        }
        Ok(spans)
    }
}

/// The keys that are lists; none is both. A read of nothing, or of something unknown, may be of either.
fn lists(history: &History) -> Result<Vec<bool>, MalformedHistory> {
    let mut is_list: Vec<Option<bool>> = vec![None; history.key_count()];
    for op in history.ops() {
        let key = history.keys[op.index()];
        let (list, used) = match history.kinds[op.index()] {
            Kind::Write => (false, "written"),
            Kind::Read => (false, "read as a register"),
            Kind::Append => (true, "appended to"),
            Kind::ReadList => (true, "read as a list"),
            Kind::ReadNothing | Kind::Unknown => continue,
        };
        if *is_list[key.index()].get_or_insert(list) != list {
            let key = history.key_name(key).into();
            return Err(MalformedHistory::BothKinds { op, key, used });
        }
    }
    Ok(is_list.into_iter().map(|list| list == Some(true)).collect())
}
