//! What reads read: their sources, which transactions count, and reads that no level, or none from rc on, allows.

use super::history::Kind;
use super::{History, INIT, KeyId, MalformedHistory, OpId, Status, TxnId};
use rustc_hash::FxHashMap;
use std::fmt;

/// What a read reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Another transaction, or [`INIT`]: the read is external.
    Txn(TxnId),
    /// One of these: several wrote its value. Those of which reading is no mistake, where there are such.
    Open(&'a [TxnId]),
    /// Nothing: it is no read, is internal, its value is not known, its transaction does not count, or it is a mistake.
    None,
}

/// A read that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The read.
    pub op: OpId,
    /// What is wrong with it.
    pub what: Misreading,
}

/// What a read does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Misreading {
    /// It returns what nobody wrote.
    ThinAir,
    /// It does not return what its own transaction wrote before; of a list: does not end in its appends.
    Internal,
    /// It returns what its own transaction writes later.
    FutureRead,
    /// A list has an element twice.
    DuplicateElements,
    /// It returns a write of an aborted transaction: G1a.
    AbortedRead,
    /// It returns a write that its transaction overwrote: G1b.
    IntermediateRead,
    /// A list has an element of an aborted transaction, and that is not the last.
    DirtyUpdate,
}

impl Misreading {
    /// Whether every level forbids it; the others are forbidden by rc and stronger.
    pub const fn breaks_everything(self) -> bool {
        match self {
            Misreading::ThinAir
            | Misreading::Internal
            | Misreading::FutureRead
            | Misreading::DuplicateElements => true,
            Misreading::AbortedRead | Misreading::IntermediateRead | Misreading::DirtyUpdate => false,
        }
    }

    /// Its name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Misreading::ThinAir => "thin air",
            Misreading::Internal => "internal",
            Misreading::FutureRead => "future read",
            Misreading::DuplicateElements => "duplicate elements",
            Misreading::AbortedRead => "G1a",
            Misreading::IntermediateRead => "G1b",
            Misreading::DirtyUpdate => "dirty update",
        }
    }
}

impl fmt::Display for Misreading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No source.
const NONE: u32 = u32::MAX - 1;
/// A source that is one of several.
const OPEN: u32 = u32::MAX - 2;
/// No operation, or no transaction so far.
const NOBODY: u32 = u32::MAX;

/// What reads read.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// By operation: a transaction, INIT, NONE or OPEN.
    sources: Vec<u32>,
    counts: Vec<bool>,
    misread: Vec<Misread>,
    /// Reads with several possible sources, by operation; where theirs end among `candidates`.
    open: Vec<(OpId, u32)>,
    candidates: Vec<TxnId>,
    /// Of each list, what was read of it: the longest beginning of its longest read, and those that are none.
    lists: Vec<ListRead>,
}

/// What a transaction that counts read of a list: so many elements of others, and behind them its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListRead {
    pub key: KeyId,
    pub op: OpId,
    pub others: u32,
}

impl Reads {
    pub(super) fn of(history: &History) -> Result<Self, MalformedHistory> {
        let writes = Writes::of(history)?;
        let mut reading = Reading::new(history, &writes);
        let committed = history.transactions().filter(|&txn| history.status(txn) == Status::Committed);
        committed.for_each(|txn| reading.count(txn));
        while let Some(txn) = reading.pending.pop() {
            reading.transaction(txn);
        }
        let Reading { mut reads, mut open, heads, .. } = reading;
        reads.lists.extend(heads.into_values());
        reads.lists.sort_by_key(|read| (read.key, read.op));
        reads.misread.sort_by_key(|misread| (misread.op, misread.what));
        open.sort_by_key(|(op, _)| *op);
        for (op, candidates) in open {
            reads.candidates.extend(candidates);
            reads.open.push((op, reads.candidates.len() as u32));
        }
        Ok(reads)
    }

    /// What an operation reads from.
    #[inline]
    pub fn source(&self, op: OpId) -> Source<'_> {
        match self.sources[op.index()] {
            NONE => Source::None,
            OPEN => Source::Open(self.candidates(op)),
            txn => Source::Txn(TxnId(txn)),
        }
    }

    fn candidates(&self, op: OpId) -> &[TxnId] {
        let Ok(at) = self.open.binary_search_by_key(&op, |(op, _)| *op) else { return &[] };
        let start = if at == 0 { 0 } else { self.open[at - 1].1 };
        &self.candidates[start as usize..self.open[at].1 as usize]
    }

    /// Whether the source of some read is open: several transactions wrote its value.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether a transaction counts: it is committed, or somebody who counts reads from it.
    #[inline]
    pub fn counts(&self, txn: TxnId) -> bool {
        txn == INIT || self.counts[txn.index()]
    }

    /// What cannot be, in the order of operations.
    pub fn misread(&self) -> &[Misread] {
        &self.misread
    }

    /// What was read of lists, by key.
    pub(super) fn lists(&self) -> &[ListRead] {
        &self.lists
    }

    pub(super) fn bytes(&self) -> usize {
        self.lists.capacity() * size_of::<ListRead>()
            + self.sources.capacity() * size_of::<u32>()
            + self.counts.capacity()
            + self.misread.capacity() * size_of::<Misread>()
            + self.open.capacity() * size_of::<(OpId, u32)>()
            + self.candidates.capacity() * size_of::<TxnId>()
    }
}

/// Who wrote what.
struct Writes {
    /// The first operation that wrote a value to a key.
    first: FxHashMap<(KeyId, i64), u32>,
    /// By operation, the next that wrote the same; empty if no value is written twice.
    next: Vec<u32>,
    /// By operation, whether its transaction wrote the key again later.
    overwritten: Vec<bool>,
    /// By operation, its transaction.
    txn_of: Vec<u32>,
}

impl Writes {
    fn of(history: &History) -> Result<Self, MalformedHistory> {
        let count = history.kinds.len();
        let mut first = FxHashMap::default();
        let (mut next, mut last_same): (Vec<u32>, FxHashMap<(KeyId, i64), u32>) = Default::default();
        let (mut overwritten, mut txn_of) = (vec![false; count], vec![0; count]);
        // By key, the transaction that was last seen to write it.
        let mut writer = vec![NOBODY; history.key_count()];
        for txn in history.transactions() {
            for op in history.range(txn).rev() {
                txn_of[op] = txn.0;
                if matches!(history.kinds[op], Kind::Write | Kind::Append) {
                    let writer = &mut writer[history.keys[op].index()];
                    overwritten[op] = *writer == txn.0;
                    *writer = txn.0;
                }
            }
        }
        for op in history.ops() {
            let (kind, key, value) =
                (history.kinds[op.index()], history.keys[op.index()], history.values[op.index()]);
            if !matches!(kind, Kind::Write | Kind::Append) {
                continue;
            }
            let before = *first.entry((key, value)).or_insert(op.0);
            if before == op.0 {
                continue;
            }
            if kind == Kind::Append {
                let key = history.key_name(key).into();
                return Err(MalformedHistory::AppendedTwice { op, key, value });
            }
            next.resize(count, NOBODY);
            let last = last_same.insert((key, value), op.0).unwrap_or(before);
            next[last as usize] = op.0;
        }
        Ok(Writes { first, next, overwritten, txn_of })
    }

    fn find(&self, key: KeyId, value: i64) -> Option<u32> {
        self.first.get(&(key, value)).copied()
    }

    /// All operations that wrote a value to a key.
    fn all(&self, key: KeyId, value: i64) -> impl Iterator<Item = u32> + '_ {
        let after = |op: &u32| self.next.get(*op as usize).copied().filter(|&next| next != NOBODY);
        std::iter::successors(self.find(key, value), after)
    }
}

/// What is known of the longest read of a list, whose beginnings the others are. Each is a place, or the length.
struct Longest {
    /// By place, who appended the element.
    appenders: Vec<u32>,
    /// The first element that nobody appended, that is there before, and that an aborted transaction appended.
    unwritten: usize,
    twice: usize,
    aborted: usize,
    /// Those before this place are known to count.
    counted: usize,
}

/// What a transaction under way has done to a key.
#[derive(Clone, Copy)]
struct Own {
    txn: u32,
    /// Its last write.
    write: u32,
    /// How many elements it has appended, the first of them among those of the transaction.
    appended: u32,
    /// How many elements of others a read of its has returned, and the read.
    read: u32,
    reader: u32,
}

/// Goes through the transactions that count.
struct Reading<'h> {
    history: &'h History,
    writes: &'h Writes,
    reads: Reads,
    open: Vec<(OpId, Vec<TxnId>)>,
    /// Transactions that count and have not been gone through.
    pending: Vec<TxnId>,
    /// By key.
    own: Vec<Own>,
    longest: FxHashMap<KeyId, Longest>,
    /// By operation, the place of what it appended in the longest read of its key.
    places: Vec<u32>,
    /// Of each list, the longest of those reads that are beginnings of its longest read.
    heads: FxHashMap<KeyId, ListRead>,
}

impl<'h> Reading<'h> {
    fn new(history: &'h History, writes: &'h Writes) -> Self {
        let untouched = Own { txn: NOBODY, write: NOBODY, appended: 0, read: 0, reader: NOBODY };
        let mut reading = Reading {
            history,
            writes,
            reads: Reads {
                sources: vec![NONE; history.kinds.len()],
                counts: vec![false; history.len()],
                ..Reads::default()
            },
            open: Vec::new(),
            pending: Vec::new(),
            own: vec![untouched; history.key_count()],
            longest: FxHashMap::default(),
            places: Vec::new(),
            heads: FxHashMap::default(),
        };
        for key in (0..history.key_count() as u32).map(KeyId) {
            reading.examine(key);
        }
        reading
    }

    /// Looks at the longest read of a key, if that is a list.
    fn examine(&mut self, key: KeyId) {
        let list = self.history.lists.longest(key);
        if list.is_empty() {
            return;
        }
        self.places.resize(self.history.kinds.len(), NOBODY);
        let length = list.len();
        let (mut unwritten, mut twice, mut aborted) = (length, length, length);
        let mut appenders = Vec::with_capacity(length);
        for (place, &element) in list.iter().enumerate() {
            let appender = self.writes.find(key, element).unwrap_or(NOBODY);
            appenders.push(appender);
            if appender == NOBODY {
                unwritten = unwritten.min(place);
                continue;
            }
            if self.places[appender as usize] == NOBODY {
                self.places[appender as usize] = place as u32;
            } else {
                twice = twice.min(place);
            }
            if self.status(appender) == Status::Aborted {
                aborted = aborted.min(place);
            }
        }
        self.longest.insert(key, Longest { appenders, unwritten, twice, aborted, counted: 0 });
    }

    fn txn(&self, op: u32) -> TxnId {
        TxnId(self.writes.txn_of[op as usize])
    }

    fn status(&self, op: u32) -> Status {
        self.history.status(self.txn(op))
    }

    /// A transaction counts.
    fn count(&mut self, txn: TxnId) {
        if !std::mem::replace(&mut self.reads.counts[txn.index()], true) {
            self.pending.push(txn);
        }
    }

    /// Somebody who counts reads what an operation wrote.
    fn is_read(&mut self, op: u32) {
        if self.status(op) == Status::Unknown {
            self.count(self.txn(op));
        }
    }

    fn misread(&mut self, op: usize, what: Misreading) {
        self.reads.misread.push(Misread { op: OpId(op as u32), what });
    }

    fn transaction(&mut self, txn: TxnId) {
        for op in self.history.range(txn) {
            let (key, value) = (self.history.keys[op], self.history.values[op]);
            let own = &mut self.own[key.index()];
            if own.txn != txn.0 {
                *own = Own { txn: txn.0, write: NOBODY, appended: 0, read: 0, reader: NOBODY };
            }
            match self.history.kinds[op] {
                Kind::Write => own.write = op as u32,
                Kind::Append => {
                    own.write = op as u32;
                    own.appended += 1;
                    let (read, reader) = (own.read, own.reader);
                    if self.places.get(op).is_some_and(|&place| place < read) {
                        self.misread(reader as usize, Misreading::FutureRead);
                    }
                }
                Kind::Read => self.register(txn, op, key, Some(value)),
                Kind::ReadNothing if own.appended > 0 => self.misread(op, Misreading::Internal),
                Kind::ReadNothing if self.is_list(key) => self.reads.sources[op] = INIT.0,
                Kind::ReadNothing => self.register(txn, op, key, None),
                Kind::ReadList if value >= 0 => self.beginning(txn, op, key, value as usize),
                Kind::ReadList => self.odd(txn, op, key),
                Kind::Unknown => {}
            }
        }
    }

    fn is_list(&self, key: KeyId) -> bool {
        self.history.is_list[key.index()]
    }

    /// A read of a register.
    fn register(&mut self, txn: TxnId, op: usize, key: KeyId, value: Option<i64>) {
        let own = self.own[key.index()].write;
        if own != NOBODY {
            if value != Some(self.history.values[own as usize]) {
                self.misread(op, Misreading::Internal);
            }
            return;
        }
        let initial = value == self.history.init;
        let first = value.and_then(|value| self.writes.find(key, value));
        let source = match first {
            None if initial => INIT.0,
            None => return self.misread(op, Misreading::ThinAir),
            Some(first)
                if initial || self.writes.next.get(first as usize).is_some_and(|&next| next != NOBODY) =>
            {
                return self.repeated(txn, op, key, value);
            }
            Some(only) if self.txn(only) == txn => return self.misread(op, Misreading::FutureRead),
            Some(only) => {
                self.look_at(op, only);
                self.txn(only).0
            }
        };
        self.reads.sources[op] = source;
    }

    /// What is wrong with reading the last of what an operation's transaction wrote, if anything is.
    fn look_at(&mut self, op: usize, write: u32) {
        if self.status(write) == Status::Aborted {
            self.misread(op, Misreading::AbortedRead);
        }
        if self.writes.overwritten[write as usize] {
            self.misread(op, Misreading::IntermediateRead);
        }
        self.is_read(write);
    }

    /// A read of a value that several wrote, or that is initial and was written as well.
    fn repeated(&mut self, txn: TxnId, op: usize, key: KeyId, value: Option<i64>) {
        let written = value.into_iter().flat_map(|value| self.writes.all(key, value));
        let others: Vec<u32> = written.filter(|&write| self.txn(write) != txn).collect();
        let fine = |&&write: &&u32| {
            self.status(write) != Status::Aborted && !self.writes.overwritten[write as usize]
        };
        let mut candidates: Vec<TxnId> = others.iter().filter(fine).map(|&write| self.txn(write)).collect();
        if value == self.history.init {
            candidates.push(INIT);
        }
        match (&candidates[..], others.first()) {
            (&[only], _) => self.reads.sources[op] = only.0,
            ([], None) => self.misread(op, Misreading::FutureRead),
            ([], Some(&write)) => {
                self.look_at(op, write);
                self.reads.sources[op] = self.txn(write).0;
            }
            _ => {
                self.reads.sources[op] = OPEN;
                self.open.push((OpId(op as u32), candidates.clone()));
            }
        }
        for candidate in candidates {
            if candidate != INIT && self.history.status(candidate) == Status::Unknown {
                self.count(candidate);
            }
        }
    }

    /// A read of a list that returned so many of the first elements of the longest.
    fn beginning(&mut self, txn: TxnId, op: usize, key: KeyId, length: usize) {
        let own = self.own[key.index()].appended as usize;
        let list = &self.history.lists.longest(key)[..length];
        if !self.ends_in_own(txn, op, key, list, own) {
            return self.misread(op, Misreading::Internal);
        }
        let others = length - own;
        let Some(longest) = self.longest.get_mut(&key) else {
            self.reads.sources[op] = INIT.0;
            return;
        };
        let (twice, unwritten, aborted) = (longest.twice, longest.unwritten, longest.aborted);
        let counted = longest.counted;
        longest.counted = counted.max(others);
        let newly: Vec<u32> = longest.appenders.get(counted..others).unwrap_or(&[]).to_vec();
        let last = others.checked_sub(1).map(|last| longest.appenders[last]);
        newly.into_iter().filter(|&appender| appender != NOBODY).for_each(|appender| self.is_read(appender));
        if twice < length {
            self.misread(op, Misreading::DuplicateElements);
        }
        if unwritten < others {
            return self.misread(op, Misreading::ThinAir);
        }
        if aborted + 1 < others {
            self.misread(op, Misreading::DirtyUpdate);
        }
        let read = ListRead { key, op: OpId(op as u32), others: others as u32 };
        let head = self.heads.entry(key).or_insert(read);
        if head.others < read.others {
            *head = read;
        }
        let touched = &mut self.own[key.index()];
        if touched.read < others as u32 {
            (touched.read, touched.reader) = (others as u32, op as u32);
        }
        self.list_source(txn, op, last);
    }

    /// A read of a list that is no beginning of the longest.
    fn odd(&mut self, txn: TxnId, op: usize, key: KeyId) {
        let own = self.own[key.index()].appended as usize;
        let list = self.history.lists.get(key, self.history.values[op]);
        if !self.ends_in_own(txn, op, key, list, own) {
            return self.misread(op, Misreading::Internal);
        }
        let others = &list[..list.len() - own];
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            self.misread(op, Misreading::DuplicateElements);
        }
        let appenders: Option<Vec<u32>> =
            others.iter().map(|&element| self.writes.find(key, element)).collect();
        let Some(appenders) = appenders else { return self.misread(op, Misreading::ThinAir) };
        if appenders.iter().any(|&appender| self.txn(appender) == txn) {
            self.misread(op, Misreading::FutureRead);
        }
        let before_last = appenders.len().saturating_sub(1);
        if appenders[..before_last].iter().any(|&appender| self.status(appender) == Status::Aborted) {
            self.misread(op, Misreading::DirtyUpdate);
        }
        appenders.iter().for_each(|&appender| self.is_read(appender));
        self.reads.lists.push(ListRead { key, op: OpId(op as u32), others: others.len() as u32 });
        self.list_source(txn, op, appenders.last().copied());
    }

    /// Whether a read of a list ends in what its transaction has appended so far.
    fn ends_in_own(&self, txn: TxnId, op: usize, key: KeyId, list: &[i64], own: usize) -> bool {
        if own == 0 {
            return true;
        }
        let History { kinds, keys, values, .. } = self.history;
        let before = self.history.range(txn).start..op;
        let appended = before.rev().filter(|&op| kinds[op] == Kind::Append && keys[op] == key);
        list.len() >= own && appended.zip(list.iter().rev()).all(|(op, element)| values[op] == *element)
    }

    /// The source of a read of a list: who appended the last element of others.
    fn list_source(&mut self, txn: TxnId, op: usize, last: Option<u32>) {
        self.reads.sources[op] = match last {
            None => INIT.0,
            Some(NOBODY) => NONE,
            // A later append of its own: told where that comes.
            Some(last) if self.txn(last) == txn => NONE,
            Some(last) => {
                self.look_at(op, last);
                self.txn(last).0
            }
        };
    }
}
