//! The sources of reads, the transactions that count, and the reads that are impossible, found from the operations of a history alone.
//!
//! A read of a value that several transactions wrote is from one of them: the certificate says from which, or refutes each. ru admits all of them; the other levels
//! admit those that did not abort and did not overwrite the value themselves, since all others are G1a or G1b.

use super::poll::Poll;
use super::writes::{NOBODY, Writer, Writes};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_history::transactions::{
    History, INIT, Isolation, KeyId, Level, Misread, Misreading, Op, OpId, Status, TxnId,
};
use tribunal_history::verdict::Limit;

/// No source: not INIT, and no transaction.
const NONE: u32 = u32::MAX - 1;

/// The source of each read.
pub(super) struct Reads {
    /// By operation: a transaction, INIT, or NONE.
    sources: Vec<u32>,
    counts: Vec<bool>,
    misread: Vec<Misread>,
    /// Reads that need a source which is not given.
    open: Vec<OpId>,
}

impl Reads {
    /// With some sources given.
    pub(super) fn of(
        history: &History,
        level: Level,
        writes: &Writes,
        given: &[(OpId, TxnId)],
        poll: &Poll<'_>,
    ) -> Result<Self, Limit> {
        let mut reading = Reading {
            history,
            dirty: level.isolation() == Isolation::Ru,
            writes,
            poll,
            given: given.iter().copied().collect(),
            groups: FxHashMap::default(),
            reads: Reads {
                sources: vec![NONE; history.ops().len()],
                counts: vec![false; history.len()],
                misread: Vec::new(),
                open: Vec::new(),
            },
            pending: Vec::new(),
            own: vec![Own::default(); history.key_count()],
            walks: (0..history.key_count()).map(|_| Walk::default()).collect(),
            places: Vec::new(),
        };
        for txn in history.transactions().filter(|&txn| history.status(txn) == Status::Committed) {
            reading.count(txn);
        }
        while let Some(txn) = reading.pending.pop() {
            reading.transaction(txn)?;
        }
        let mut reads = reading.reads;
        reads.misread.sort_unstable_by_key(|misread| (misread.op, misread.what));
        reads.open.sort_unstable();
        Ok(reads)
    }

    /// The source of a read that counts.
    #[inline]
    pub(super) fn source(&self, op: OpId) -> Option<TxnId> {
        self.sources.get(op.index()).copied().filter(|&source| source != NONE).map(TxnId)
    }

    /// Whether a transaction of the history counts; init is none.
    #[inline]
    pub(super) fn counts(&self, txn: TxnId) -> bool {
        self.counts.get(txn.index()).copied().unwrap_or(false)
    }

    /// The impossible reads.
    pub(super) fn misread(&self) -> &[Misread] {
        &self.misread
    }

    /// The reads that need a source which is not given.
    pub(super) fn open(&self) -> &[OpId] {
        &self.open
    }
}

/// The transactions that a level lets a read of a value be from, without the reader itself.
pub(super) fn admitted(
    history: &History,
    level: Level,
    writes: &Writes,
    reader: TxnId,
    read: OpId,
) -> Vec<TxnId> {
    let Op::Read(key, value) = history.op(read) else { return Vec::new() };
    let writers = value.map_or_else(Vec::new, |value| writes.writers(history, key, value));
    let dirty = level.isolation() == Isolation::Ru;
    let admitted = writers.iter().filter(|writer| writer.txn != reader && (dirty || writer.clean));
    let initial = (value == history.init()).then_some(INIT);
    admitted.map(|writer| writer.txn).chain(initial).collect()
}

/// Those that wrote a value, in their order.
struct Group {
    writers: Vec<Writer>,
    /// The number of them that the level admits, and the first of these.
    admitted: usize,
    firsts: [Option<TxnId>; 2],
    aborted: usize,
}

impl Group {
    fn of(history: &History, writers: Vec<Writer>, dirty: bool) -> Self {
        let mut admitted = writers.iter().filter(|writer| dirty || writer.clean).map(|writer| writer.txn);
        let firsts = [admitted.next(), admitted.next()];
        let count = firsts.iter().flatten().count() + admitted.count();
        let aborted = writers.iter().filter(|writer| history.status(writer.txn) == Status::Aborted).count();
        Group { writers, admitted: count, firsts, aborted }
    }

    fn find(&self, txn: TxnId) -> Option<usize> {
        self.writers.binary_search_by_key(&txn, |writer| writer.txn).ok()
    }
}

/// The changes that a transaction has made to a key so far.
#[derive(Clone)]
struct Own {
    txn: TxnId,
    wrote: Option<i64>,
    appended: Vec<i64>,
    /// The number of elements of others that a read of its returned, and the read.
    read: usize,
    reader: OpId,
}

impl Default for Own {
    fn default() -> Self {
        Own { txn: INIT, wrote: None, appended: Vec::new(), read: 0, reader: OpId(NOBODY) }
    }
}

/// The longest read of a list so far, whose beginnings most others are.
#[derive(Default)]
struct Walk<'h> {
    list: &'h [i64],
    /// By place, who appended the element, or NOBODY.
    appends: Vec<u32>,
    /// The first place of an element that nobody appended, that is there before, and that an aborted transaction appended; or the length.
    unwritten: Option<usize>,
    twice: Option<usize>,
    aborted: Option<usize>,
    /// Those who appended the elements before this place are known to count.
    counted: usize,
}

struct Reading<'h, 'p> {
    history: &'h History,
    /// Whether the level admits reads from aborted transactions, and of overwritten values.
    dirty: bool,
    writes: &'p Writes,
    poll: &'p Poll<'p>,
    given: FxHashMap<OpId, TxnId>,
    groups: FxHashMap<(KeyId, i64), Group>,
    reads: Reads,
    /// Transactions that count and have not been gone through.
    pending: Vec<TxnId>,
    /// By key.
    own: Vec<Own>,
    walks: Vec<Walk<'h>>,
    /// By operation, the place of what it appended in the longest read of its key.
    places: Vec<u32>,
}

impl<'h> Reading<'h, '_> {
    fn count(&mut self, txn: TxnId) {
        if !std::mem::replace(&mut self.reads.counts[txn.index()], true) {
            self.pending.push(txn);
        }
    }

    /// Somebody who counts reads what a transaction wrote.
    fn is_read(&mut self, txn: TxnId) {
        if self.history.status(txn) == Status::Unknown {
            self.count(txn);
        }
    }

    fn misread(&mut self, op: OpId, what: Misreading) {
        self.reads.misread.push(Misread { op, what });
    }

    fn txn(&self, op: u32) -> TxnId {
        self.writes.txn_of[op as usize]
    }

    fn is_aborted(&self, op: u32) -> bool {
        self.history.status(self.txn(op)) == Status::Aborted
    }

    fn transaction(&mut self, txn: TxnId) -> Result<(), Limit> {
        for op in self.history.ops_of(txn) {
            self.poll.step()?;
            let read = self.history.op(op);
            let own = &mut self.own[read.key().index()];
            if own.txn != txn {
                own.appended.clear();
                (own.txn, own.wrote, own.read) = (txn, None, 0);
            }
            match read {
                Op::Write(_, value) => own.wrote = Some(value),
                Op::Append(_, value) => {
                    own.appended.push(value);
                    let (read, reader) = (own.read, own.reader);
                    if self.places.get(op.index()).is_some_and(|&place| (place as usize) < read) {
                        self.misread(reader, Misreading::FutureRead);
                    }
                }
                Op::Read(key, None) if self.history.is_list(key) => self.list(txn, op, key, &[])?,
                Op::Read(key, value) => self.register(txn, op, key, value)?,
                Op::ReadList(key, list) => self.list(txn, op, key, list)?,
                Op::Unknown(_) => {}
            }
        }
        Ok(())
    }

    fn register(&mut self, txn: TxnId, op: OpId, key: KeyId, value: Option<i64>) -> Result<(), Limit> {
        if let Some(own) = self.own[key.index()].wrote {
            if value != Some(own) {
                self.misread(op, Misreading::Internal);
            }
            return Ok(());
        }
        let initial = value == self.history.init();
        let Some((value, first)) = value.and_then(|value| Some((value, self.writes.find(key, value)?)))
        else {
            match initial {
                true => self.reads.sources[op.index()] = INIT.0,
                false => self.misread(op, Misreading::ThinAir),
            }
            return Ok(());
        };
        if !initial && self.writes.is_only(first) {
            match self.txn(first.0) {
                writer if writer == txn => self.misread(op, Misreading::FutureRead),
                _ => self.reads_write(op, first.0),
            }
            return Ok(());
        }
        self.repeated(txn, op, key, value, initial)
    }

    /// A read of a value that several wrote, or that is initial and was written as well.
    fn repeated(&mut self, txn: TxnId, op: OpId, key: KeyId, value: i64, initial: bool) -> Result<(), Limit> {
        if !self.groups.contains_key(&(key, value)) {
            let writers = self.writes.writers(self.history, key, value);
            self.poll.steps(writers.len())?;
            self.groups.insert((key, value), Group::of(self.history, writers, self.dirty));
        }
        let group = &self.groups[&(key, value)];
        let admits = |at: usize| self.dirty || group.writers[at].clean;
        let own = group.find(txn);
        let count = group.admitted - usize::from(own.is_some_and(admits)) + usize::from(initial);
        let others = group.writers.len() - usize::from(own.is_some());
        let aborted = group.aborted;
        // With one, there is no choice.
        let source = match (self.given.get(&op), count) {
            (_, 0) => None,
            (_, 1) if initial => Some(INIT),
            (_, 1) => group.firsts.into_iter().flatten().find(|&first| first != txn),
            (Some(&INIT), _) if initial => Some(INIT),
            (Some(&given), _) if given != txn && group.find(given).is_some_and(admits) => Some(given),
            _ => {
                self.reads.open.push(op);
                return Ok(());
            }
        };
        match source {
            Some(INIT) => self.reads.sources[op.index()] = INIT.0,
            Some(source) => {
                self.reads.sources[op.index()] = source.0;
                self.is_read(source);
            }
            None if others == 0 => self.misread(op, Misreading::FutureRead),
            // All others that wrote it aborted, or overwrote it; the reader is not aborted.
            None => {
                if aborted > 0 {
                    self.misread(op, Misreading::AbortedRead);
                }
                if aborted < others {
                    self.misread(op, Misreading::IntermediateRead);
                }
            }
        }
        Ok(())
    }

    /// A read of what an operation of another transaction wrote.
    fn reads_write(&mut self, op: OpId, write: u32) {
        if self.is_aborted(write) {
            self.misread(op, Misreading::AbortedRead);
        }
        if self.writes.overwritten[write as usize] {
            self.misread(op, Misreading::IntermediateRead);
        }
        self.reads.sources[op.index()] = self.txn(write).0;
        self.is_read(self.txn(write));
    }

    fn list(&mut self, txn: TxnId, op: OpId, key: KeyId, list: &'h [i64]) -> Result<(), Limit> {
        let own = &self.own[key.index()].appended;
        self.poll.steps(list.len() / 64 + own.len() / 64)?;
        if !list.ends_with(own) {
            self.misread(op, Misreading::Internal);
            return Ok(());
        }
        let others = list.len() - own.len();
        let last = if self.walk(key, list)? {
            self.beginning(op, key, list.len(), others)
        } else {
            self.odd(txn, op, key, list, others)?
        };
        match last {
            Last::Wrong => {}
            Last::Initial => self.reads.sources[op.index()] = INIT.0,
            Last::Append(append) if self.txn(append) == txn => {}
            Last::Append(append) => self.reads_write(op, append),
        }
        Ok(())
    }

    /// Whether a list is a beginning of the longest of its key, or the longest of it.
    fn walk(&mut self, key: KeyId, list: &'h [i64]) -> Result<bool, Limit> {
        let history = self.history;
        let walk = &mut self.walks[key.index()];
        let common = walk.list.len().min(list.len());
        if walk.list[..common] != list[..common] {
            return Ok(false);
        }
        if list.len() > common {
            self.places.resize(history.ops().len(), NOBODY);
            walk.list = list;
        }
        for (place, &element) in list.iter().enumerate().skip(common) {
            self.poll.step()?;
            let append = self.writes.find(key, element).map_or(NOBODY, |op| op.0);
            walk.appends.push(append);
            if append == NOBODY {
                walk.unwritten.get_or_insert(place);
                continue;
            }
            if self.places[append as usize] == NOBODY {
                self.places[append as usize] = place as u32;
            } else {
                walk.twice.get_or_insert(place);
            }
            if history.status(self.writes.txn_of[append as usize]) == Status::Aborted {
                walk.aborted.get_or_insert(place);
            }
        }
        Ok(true)
    }

    /// A read of so many of the first elements of the longest, so many of them of others.
    fn beginning(&mut self, op: OpId, key: KeyId, length: usize, others: usize) -> Last {
        let walk = &mut self.walks[key.index()];
        let before = |place: Option<usize>, end: usize| place.is_some_and(|place| place < end);
        let wrong = [
            (before(walk.twice, length), Misreading::DuplicateElements),
            (before(walk.unwritten, others), Misreading::ThinAir),
            (walk.aborted.is_some_and(|place| place + 1 < others), Misreading::DirtyUpdate),
        ];
        let counted = walk.counted;
        walk.counted = counted.max(others);
        let newly = walk.appends.get(counted..others).map_or_else(Vec::new, <[u32]>::to_vec);
        let last = others.checked_sub(1).map(|last| walk.appends[last]);
        newly
            .into_iter()
            .filter(|&append| append != NOBODY)
            .for_each(|append| self.is_read(self.txn(append)));
        wrong.into_iter().filter(|(wrong, _)| *wrong).for_each(|(_, what)| self.misread(op, what));
        let own = &mut self.own[key.index()];
        if own.read < others {
            (own.read, own.reader) = (others, op);
        }
        match last {
            None => Last::Initial,
            Some(_) if wrong[1].0 => Last::Wrong,
            Some(append) => Last::Append(append),
        }
    }

    /// A read that is no beginning of the longest.
    fn odd(&mut self, txn: TxnId, op: OpId, key: KeyId, list: &[i64], others: usize) -> Result<Last, Limit> {
        self.poll.steps(list.len())?;
        let mut seen = FxHashSet::default();
        if !list.iter().all(|element| seen.insert(element)) {
            self.misread(op, Misreading::DuplicateElements);
        }
        let appends: Option<Vec<OpId>> =
            list[..others].iter().map(|&element| self.writes.find(key, element)).collect();
        let Some(appends) = appends else {
            self.misread(op, Misreading::ThinAir);
            return Ok(Last::Wrong);
        };
        if appends.iter().any(|append| self.txn(append.0) == txn) {
            self.misread(op, Misreading::FutureRead);
        }
        let before_last = others.saturating_sub(1);
        if appends[..before_last].iter().any(|append| self.is_aborted(append.0)) {
            self.misread(op, Misreading::DirtyUpdate);
        }
        appends.iter().for_each(|append| self.is_read(self.txn(append.0)));
        Ok(appends.last().map_or(Last::Initial, |append| Last::Append(append.0)))
    }
}

/// The place where a read of a list ends.
enum Last {
    Initial,
    /// At what this operation appended.
    Append(u32),
    /// At what nobody appended.
    Wrong,
}
