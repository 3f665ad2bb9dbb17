//! The sources of reads, which transactions count, and reads that are impossible at every level, or from rc on.

use super::history::Kind;
use super::{History, INIT, KeyId, MalformedHistory, OpId, Status, TxnId};
use crate::heap::held;
use rustc_hash::FxHashMap;
use std::fmt;

/// The source of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Another transaction, or [`INIT`]: the read is external.
    Txn(TxnId),
    /// One of these: several wrote its value. An open read has no effect until its source is chosen.
    Open(Candidates<'a>),
    /// None: it is not a read, is internal, its value is unknown, its transaction does not count, or it is a misread.
    None,
}

/// The transactions that an open read may be from, the initial one last.
///
/// Reads of one value share them; a reader that writes the value itself is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidates<'a> {
    before: &'a [TxnId],
    after: &'a [TxnId],
    initial: bool,
}

impl<'a> Candidates<'a> {
    /// All of `all` but the one at a place; and the initial one, if the value is initial.
    #[inline]
    fn without(all: &'a [TxnId], place: Option<usize>, initial: bool) -> Self {
        let (before, after) = place.map_or((all, &[][..]), |place| (&all[..place], &all[place + 1..]));
        Candidates { before, after, initial }
    }

    /// The number of candidates.
    #[inline]
    pub const fn len(&self) -> usize {
        self.before.len() + self.after.len() + self.initial as usize
    }

    /// Whether there is none: the read is not open.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them, in order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = TxnId> + Clone + use<'a> {
        self.before.iter().chain(self.after).copied().chain(self.initial.then_some(INIT))
    }
}

/// The sources that a read of a repeated value may have, and the fate of a read that has none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Admitted {
    /// Whether aborted transactions and overwritten values are as good as others: under ru.
    pub dirty: bool,
    pub stream: Stream,
}

/// Whether the order of events says what a read may be from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stream {
    /// It says nothing.
    #[default]
    No,
    /// A read is from what was begun before it returned, if there is something; else from the first that comes. What nobody has written may yet come.
    Open,
    /// The same, and nothing comes any more.
    Ended,
}

/// A read that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The read.
    pub op: OpId,
    /// The fault.
    pub what: Misreading,
}

/// A fault of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Misreading {
    /// It returns what nobody wrote.
    ThinAir,
    /// It does not return what its own transaction wrote earlier; a list read does not end in its appends.
    Internal,
    /// It returns what its own transaction writes later.
    FutureRead,
    /// A list contains an element twice.
    DuplicateElements,
    /// It returns a write of an aborted transaction: G1a.
    AbortedRead,
    /// It returns a value that its writer overwrote: G1b.
    IntermediateRead,
    /// A list contains an element of an aborted transaction that is not the last.
    DirtyUpdate,
}

impl Misreading {
    /// Whether every level forbids it; the others are forbidden by rc and stronger levels.
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

/// The sources of all reads.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// By operation: a transaction, INIT, NONE or OPEN.
    sources: Vec<u32>,
    counts: Vec<bool>,
    misread: Vec<Misread>,
    /// Reads with several possible sources, by operation.
    open: Vec<OpenRead>,
    /// By value that several wrote, where those begin among `candidates`, and where the last end.
    groups: Vec<usize>,
    candidates: Vec<TxnId>,
    admitted: Admitted,
    /// Whether some value that several wrote was written by a transaction that aborted or overwrote it.
    has_dirty: bool,
    /// Of each list, what was read of it: the longest beginning of its longest read, and those that are none.
    lists: Vec<ListRead>,
    /// By element of what those returned, the append.
    appends: Vec<OpId>,
}

/// A read with several possible sources.
#[derive(Clone, Copy, Debug)]
struct OpenRead {
    op: OpId,
    group: u32,
    /// The place where the candidates end in the group.
    end: u32,
    /// The place of the reader among them, or NOBODY.
    own: u32,
    /// Whether the initial transaction is another candidate.
    initial: bool,
}

/// A read of a list by a transaction that counts: so many elements of others, and behind them its own.
#[derive(Clone, Copy, Debug)]
pub struct ListRead {
    /// The list.
    pub key: KeyId,
    /// The read.
    pub op: OpId,
    /// The number of elements of others that it returned.
    pub others: u32,
    /// The place where the appends of what it returned begin.
    appends: usize,
}

impl Reads {
    /// Reads of repeated values that are among `chosen` read from what stands there, if that wrote the value; the others say nothing.
    pub(super) fn of(
        history: &History,
        chosen: &[(OpId, TxnId)],
        admitted: Admitted,
    ) -> Result<Self, MalformedHistory> {
        let writes = Writes::of(history)?;
        let chosen: FxHashMap<OpId, TxnId> = chosen.iter().copied().collect();
        let mut reading = Reading::new(history, &writes, &chosen, admitted);
        let committed = history.transactions().filter(|&txn| history.status(txn) == Status::Committed);
        committed.for_each(|txn| reading.count(txn));
        while let Some(txn) = reading.pending.pop() {
            reading.transaction(txn);
        }
        let Reading { mut reads, heads, longest, .. } = reading;
        reads.lists.extend(heads.into_values());
        reads.lists.sort_by_key(|read| (read.key, read.op));
        for read in &mut reads.lists {
            read.appends = reads.appends.len();
            let others = read.others as usize;
            match history.values[read.op.index()] {
                0.. => {
                    reads.appends.extend(longest[&read.key].appenders[..others].iter().map(|&op| OpId(op)))
                }
                stored => {
                    let list = &history.lists.get(read.key, stored)[..others];
                    let appends = list.iter().filter_map(|&element| writes.find(read.key, element));
                    reads.appends.extend(appends.map(OpId));
                }
            }
        }
        reads.misread.sort_by_key(|misread| (misread.op, misread.what));
        reads.open.sort_unstable_by_key(|open| open.op);
        Ok(reads)
    }

    /// The source of an operation.
    #[inline]
    pub fn source(&self, op: OpId) -> Source<'_> {
        match self.sources[op.index()] {
            NONE => Source::None,
            OPEN => Source::Open(self.candidates(op)),
            txn => Source::Txn(TxnId(txn)),
        }
    }

    /// The possible sources of an open read; none for others.
    pub fn candidates(&self, op: OpId) -> Candidates<'_> {
        let Ok(at) = self.open.binary_search_by_key(&op, |open| open.op) else {
            return Candidates::default();
        };
        let OpenRead { group, end, own, initial, .. } = self.open[at];
        let own = (own != NOBODY).then_some(own as usize);
        Candidates::without(&self.group(group)[..end as usize], own, initial)
    }

    /// The group that the candidates of an open read are a part of, which reads of the same value share if they return the same: a number for it, and all of them, the reader
    /// among them if it wrote the value.
    pub fn group_of(&self, op: OpId) -> Option<((u32, u32), Candidates<'_>)> {
        let at = self.open.binary_search_by_key(&op, |open| open.op).ok()?;
        let OpenRead { group, end, initial, .. } = self.open[at];
        Some(((group, end), Candidates::without(&self.group(group)[..end as usize], None, initial)))
    }

    #[inline]
    fn group(&self, group: u32) -> &[TxnId] {
        &self.candidates[self.groups[group as usize]..self.groups[group as usize + 1]]
    }

    pub(super) fn admitted(&self) -> Admitted {
        self.admitted
    }

    /// Whether some read has more sources where dirty ones are admitted.
    pub(super) fn has_dirty(&self) -> bool {
        self.has_dirty
    }

    /// Whether the source of some read is open because several transactions wrote its value.
    #[inline]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The reads whose source is open, in order.
    pub fn open(&self) -> impl ExactSizeIterator<Item = OpId> + '_ {
        self.open.iter().map(|open| open.op)
    }

    /// Whether a transaction counts: it is committed, or a transaction that counts reads from it.
    #[inline]
    pub fn counts(&self, txn: TxnId) -> bool {
        txn == INIT || self.counts[txn.index()]
    }

    /// The impossible reads, in order.
    #[inline]
    pub fn misread(&self) -> &[Misread] {
        &self.misread
    }

    /// The reads of lists, by key.
    #[inline]
    pub fn lists(&self) -> &[ListRead] {
        &self.lists
    }

    /// The appends of others whose elements a read returned.
    #[inline]
    pub fn appends(&self, read: &ListRead) -> &[OpId] {
        &self.appends[read.appends..][..read.others as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        let Reads { appends, lists, sources, counts, misread, open, groups, candidates, .. } = self;
        held(&[appends, lists, sources, counts, misread, open, groups, candidates])
    }
}

/// The writes of each value.
struct Writes {
    /// By key, where its writes begin, and where the last end: values with their operations, in order.
    starts: Vec<u32>,
    writes: Vec<(i64, u32)>,
    /// By operation, whether its transaction wrote the key again later.
    overwritten: Vec<bool>,
    /// By operation, its transaction.
    txn_of: Vec<u32>,
}

impl Writes {
    fn of(history: &History) -> Result<Self, MalformedHistory> {
        let count = history.kinds.len();
        let (mut overwritten, mut txn_of) = (vec![false; count], vec![0; count]);
        // By key, the transaction that was last seen to write it.
        let mut writer = vec![NOBODY; history.key_count()];
        let mut starts = vec![0u32; history.key_count() + 1];
        let is_write = |op: usize| matches!(history.kinds[op], Kind::Write | Kind::Append);
        for txn in history.transactions() {
            for op in history.range(txn).rev() {
                txn_of[op] = txn.0;
                if is_write(op) {
                    let key = history.keys[op].index();
                    overwritten[op] = std::mem::replace(&mut writer[key], txn.0) == txn.0;
                    starts[key + 1] += 1;
                }
            }
        }
        (1..starts.len()).for_each(|key| starts[key] += starts[key - 1]);
        let mut next = starts.clone();
        let mut writes = vec![(0, 0); starts.last().copied().unwrap_or(0) as usize];
        for op in (0..count).filter(|&op| is_write(op)) {
            let place = &mut next[history.keys[op].index()];
            writes[*place as usize] = (history.values[op], op as u32);
            *place += 1;
        }
        let mut twice = NOBODY;
        for (key, range) in starts.windows(2).enumerate() {
            let writes = &mut writes[range[0] as usize..range[1] as usize];
            if !writes.is_sorted() {
                writes.sort_unstable();
            }
            if history.is_list[key] {
                let repeated = writes.windows(2).filter(|pair| pair[0].0 == pair[1].0);
                twice = repeated.map(|pair| pair[1].1).fold(twice, u32::min);
            }
        }
        if twice != NOBODY {
            let op = OpId(twice);
            let key = history.key_name(history.keys[op.index()]).into();
            return Err(MalformedHistory::AppendedTwice { op, key, value: history.values[op.index()] });
        }
        Ok(Writes { starts, writes, overwritten, txn_of })
    }

    /// The writes of a key that write a value or a larger one, with their operations, in order.
    fn at_least(&self, key: KeyId, value: i64) -> &[(i64, u32)] {
        /// Of so few, going through them is quicker.
        const FEW: usize = 8;
        let writes = &self.writes[self.starts[key.index()] as usize..self.starts[key.index() + 1] as usize];
        let first = if writes.len() <= FEW {
            writes.iter().take_while(|write| write.0 < value).count()
        } else {
            writes.partition_point(|write| write.0 < value)
        };
        &writes[first..]
    }

    /// All operations that wrote a value to a key, in their order.
    fn all(&self, key: KeyId, value: i64) -> impl Iterator<Item = u32> + '_ {
        self.at_least(key, value).iter().take_while(move |write| write.0 == value).map(|write| write.1)
    }

    /// The first operation that wrote a value to a key.
    fn find(&self, key: KeyId, value: i64) -> Option<u32> {
        self.all(key, value).next()
    }
}

/// The longest read of a list, whose beginnings the others are. Each is a place, or the length.
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

/// The changes that a transaction under way has made to a key.
#[derive(Clone, Copy)]
struct Own {
    txn: u32,
    /// Its last write.
    write: u32,
    /// The number of elements that it has appended, the first of them among those of the transaction.
    appended: u32,
    /// The number of elements of others that a read of its has returned, and the read.
    read: u32,
    reader: u32,
}

/// Goes through the transactions that count.
struct Reading<'h> {
    history: &'h History,
    writes: &'h Writes,
    chosen: &'h FxHashMap<OpId, TxnId>,
    reads: Reads,
    /// By key and value that several wrote, its group of candidates, and the first writes of two transactions.
    groups: FxHashMap<(KeyId, Option<i64>), (u32, [u32; 2])>,
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
    fn new(
        history: &'h History,
        writes: &'h Writes,
        chosen: &'h FxHashMap<OpId, TxnId>,
        admitted: Admitted,
    ) -> Self {
        let untouched = Own { txn: NOBODY, write: NOBODY, appended: 0, read: 0, reader: NOBODY };
        let mut reading = Reading {
            history,
            writes,
            chosen,
            reads: Reads {
                sources: vec![NONE; history.kinds.len()],
                counts: vec![false; history.len()],
                groups: vec![0],
                admitted,
                ..Reads::default()
            },
            groups: FxHashMap::default(),
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
        let mut writes = value.into_iter().flat_map(|value| self.writes.all(key, value));
        let (first, again) = (writes.next(), writes.next().is_some());
        let source = match first {
            None if initial => INIT.0,
            None => return self.nowhere(op, Misreading::ThinAir),
            Some(_) if initial || again => return self.repeated(txn, op, key, value),
            Some(only) if self.txn(only) == txn => return self.nowhere(op, Misreading::FutureRead),
            Some(only) => {
                self.look_at(op, only);
                self.txn(only).0
            }
        };
        self.reads.sources[op] = source;
    }

    /// The fault in reading the last of what an operation's transaction wrote, if anything is.
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
        if let Some(&source) = self.chosen.get(&OpId(op as u32))
            && self.chose(txn, op, (key, value), source)
        {
            return;
        }
        let (group, firsts) = self.group(key, value);
        let initial = value == self.history.init;
        let returned = self.returned(txn);
        let all = self.reads.group(group);
        let end = all.partition_point(|&writer| self.began(writer) < returned);
        let own =
            all[..end].binary_search_by_key(&(self.began(txn), txn), |&writer| (self.began(writer), writer));
        let own = own.ok();
        let candidates = Candidates::without(&all[..end], own, initial);
        let (count, first) = (candidates.len(), candidates.iter().next());
        match first {
            Some(only) if count == 1 => self.read_from(op, only),
            None => match firsts.into_iter().find(|&write| write != NOBODY && self.txn(write) != txn) {
                None => self.nowhere(op, Misreading::FutureRead),
                Some(write) => {
                    self.look_at(op, write);
                    self.reads.sources[op] = self.txn(write).0;
                }
            },
            Some(_) => {
                self.reads.sources[op] = OPEN;
                let own = own.map_or(NOBODY, |own| own as u32);
                self.reads.open.push(OpenRead { op: OpId(op as u32), group, end: end as u32, own, initial });
            }
        }
    }

    /// A read of what nobody else has written.
    fn nowhere(&mut self, op: usize, what: Misreading) {
        if self.reads.admitted.stream != Stream::Open {
            self.misread(op, what);
        }
    }

    /// The times when a transaction began and returned, where the order of events matters; else everything began before anything returned.
    fn began(&self, txn: TxnId) -> i64 {
        let ordered = self.reads.admitted.stream != Stream::No;
        self.history.span(txn).filter(|_| ordered).map_or(i64::MIN, |span| span.begin)
    }

    fn returned(&self, txn: TxnId) -> i64 {
        let ordered = self.reads.admitted.stream != Stream::No;
        self.history.span(txn).filter(|_| ordered).and_then(|span| span.end).unwrap_or(i64::MAX)
    }

    /// The group of those that wrote a value, in the order in which they began, and the first writes of the first two of all.
    fn group(&mut self, key: KeyId, value: Option<i64>) -> (u32, [u32; 2]) {
        if let Some(&group) = self.groups.get(&(key, value)) {
            return group;
        }
        let group = self.reads.groups.len() as u32 - 1;
        let mut writes: Vec<(i64, u32)> = value
            .into_iter()
            .flat_map(|value| self.writes.all(key, value))
            .map(|write| (self.began(self.txn(write)), write))
            .collect();
        if !writes.is_sorted() {
            writes.sort_unstable();
        }
        let (mut firsts, mut last) = ([NOBODY; 2], None);
        for &(_, write) in &writes {
            let (txn, fine) = (self.txn(write), self.is_fine(write));
            if firsts[0] == NOBODY {
                firsts[0] = write;
            } else if firsts[1] == NOBODY && self.txn(firsts[0]) != txn {
                firsts[1] = write;
            }
            self.reads.has_dirty |= !fine;
            if (fine || self.reads.admitted.dirty) && last != Some(txn) {
                self.reads.candidates.push(txn);
                last = Some(txn);
            }
        }
        self.reads.groups.push(self.reads.candidates.len());
        self.groups.insert((key, value), (group, firsts));
        (group, firsts)
    }

    /// Whether what an operation wrote may be read under every level.
    fn is_fine(&self, write: u32) -> bool {
        self.status(write) != Status::Aborted && !self.writes.overwritten[write as usize]
    }

    /// Reads from a source that was chosen; false if that did not write the value.
    fn chose(&mut self, txn: TxnId, op: usize, wrote: (KeyId, Option<i64>), source: TxnId) -> bool {
        let (key, value) = wrote;
        if source == INIT {
            let initial = value == self.history.init;
            if initial {
                self.read_from(op, INIT);
            }
            return initial;
        }
        if source == txn || source.index() >= self.history.len() {
            return false;
        }
        let (range, writes) = (self.history.range(source), self.writes);
        let Some(value) = value else { return false };
        // Its last write of the value is the one that may be fine.
        let after = writes.at_least(key, value).partition_point(|&write| write < (value, range.end as u32));
        let write = after.checked_sub(1).map(|last| writes.at_least(key, value)[last].1);
        let Some(write) = write.filter(|&write| range.contains(&(write as usize))) else { return false };
        self.look_at(op, write);
        self.reads.sources[op] = source.0;
        true
    }

    fn read_from(&mut self, op: usize, source: TxnId) {
        self.reads.sources[op] = source.0;
        if source != INIT && self.history.status(source) == Status::Unknown {
            self.count(source);
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
            return self.nowhere(op, Misreading::ThinAir);
        }
        if aborted + 1 < others {
            self.misread(op, Misreading::DirtyUpdate);
        }
        let read = ListRead { key, op: OpId(op as u32), others: others as u32, appends: 0 };
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
        let Some(appenders) = appenders else { return self.nowhere(op, Misreading::ThinAir) };
        if appenders.iter().any(|&appender| self.txn(appender) == txn) {
            self.misread(op, Misreading::FutureRead);
        }
        let before_last = appenders.len().saturating_sub(1);
        if appenders[..before_last].iter().any(|&appender| self.status(appender) == Status::Aborted) {
            self.misread(op, Misreading::DirtyUpdate);
        }
        appenders.iter().for_each(|&appender| self.is_read(appender));
        let read = ListRead { key, op: OpId(op as u32), others: others.len() as u32, appends: 0 };
        self.reads.lists.push(read);
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
