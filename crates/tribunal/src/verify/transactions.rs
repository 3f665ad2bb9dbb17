//! Verifies certificates of transaction histories against the definitions of the levels.
//!
//! A commit order is checked against the relation of the level's [`Isolation`]. A proof is checked step by step: a step may use so, rt, wr, ww from
//! earlier steps, and rw derived from those. The edges of paths and cycles:
//!
//! | level | a path to a read, `Seen` | a cycle |
//! |---|---|---|
//! | ru | | ww |
//! | rc | | b, wr, ww |
//! | mav | one wr, of a read before it | the same; or a path and the rw back |
//! | rat | one of b or wr | the same |
//! | tcc | b and wr | the same |
//! | psi | b, wr and ww | the same |
//! | pc | (b ∪ wr) ; rw? and ww; not an rw first or last, nor ww before rw | the same |
//! | si | (b ∪ wr ∪ ww) ; rw?, not an rw first or last | the same, no two rw in a row |
//! | ser | b, wr, ww and rw | the same |
//!
//! A path between two writers, `Otherwise`, excludes the opposite order.
//!
//! The commit order of a small history is also checked by evaluating the [text](Level::text) of the level.

use crate::limits::Limits;
use crate::transactions::definition;
use crate::transactions::{
    Base, Because, End, History, INIT, Isolation, KeyId, Level, Link, Op, OpId, Proof, Rel, SessionId,
    Source, Status, Step, TxnId, Unsupported, Verdict, Violation, Witness,
};
use crate::verdict::Limit;
use rustc_hash::{FxHashMap, FxHashSet};

/// Of how many transactions and reads together the text of a level is evaluated: its relations are matrices.
const EVALUATED: usize = 256;

/// Why a certificate does not prove its verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is nothing to verify.
    #[error("the verdict has no certificate")]
    NoCertificate,
    /// The level does not apply, yet there is an answer.
    #[error("{0} needs times, but the transactions have none")]
    NoTimes(Level),
    /// A read's value repeats, and its source is not given.
    #[error("the source of {0:?} is missing")]
    Open(OpId),
    /// A read cannot be from this transaction.
    #[error("{read:?} cannot be from {from:?}")]
    NoSource {
        /// The read.
        read: OpId,
        /// Its claimed source.
        from: TxnId,
    },
    /// Not every source of a read is refuted.
    #[error("not every source of {0:?} is refuted")]
    Sources(OpId),
    /// A commit order is not an order of the transactions that count.
    #[error("the commit order does not have every transaction that counts exactly once")]
    NotAnOrder,
    /// A commit order does not contain so, rt or wr.
    #[error("{first:?} must come before {second:?} in the commit order")]
    Backward {
        /// What must come first.
        first: TxnId,
        /// What must come second.
        second: TxnId,
    },
    /// A list read is not a prefix of what was appended.
    #[error("the commit order does not explain the list that {0:?} read")]
    List(OpId),
    /// The level's relation is not irreflexive.
    #[error("{writer:?} overwrites what {read:?} returned and comes before it")]
    Overwritten {
        /// The read.
        read: OpId,
        /// The transaction that overwrites it.
        writer: TxnId,
    },
    /// A check of the level's text fails.
    #[error("the check `{0}` of the level fails on the commit order")]
    Text(String),
    /// An impossible read that the level forbids.
    #[error("{0:?} is an impossible read that the level forbids")]
    Misread(OpId),
    /// The history has no such misread, or the level does not forbid it.
    #[error("{0:?} is not a misread that the level forbids")]
    NoMisread(OpId),
    /// The reads of a list are compatible.
    #[error("{0:?} and {1:?} are compatible")]
    Compatible(OpId, OpId),
    /// A link of a path or a cycle does not hold.
    #[error("{0:?} does not hold")]
    Link(Link),
    /// A step does not follow.
    #[error("it does not follow that {first:?} comes before {second:?}")]
    Step {
        /// The first.
        first: TxnId,
        /// The second.
        second: TxnId,
    },
    /// Not a cycle, or not one that the level forbids.
    #[error("the level does not forbid this cycle")]
    Cycle,
    /// A limit was reached.
    #[error("{0}")]
    Limit(Limit),
}

impl From<Limit> for Refusal {
    fn from(limit: Limit) -> Self {
        Refusal::Limit(limit)
    }
}

/// Verifies a verdict.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::transactions::{History, Level, Op, Status, judge};
/// use tribunal::verify::transactions::verify;
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
/// let history = b.build()?;
/// for level in Level::ALL.into_iter().filter(|level| !level.needs_times()) {
///     verify(&history, level, &judge(&history, level, &Limits::default()))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(history: &History, level: Level, verdict: &Verdict) -> Result<(), Refusal> {
    verify_within(history, level, verdict, &Limits::default())
}

/// Verifies a verdict, with limits.
pub fn verify_within(
    history: &History,
    level: Level,
    verdict: &Verdict,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    if level.needs_times() && !history.is_timed() {
        let said = matches!(verdict, Verdict::Unsupported(Unsupported::Times));
        return if said { Ok(()) } else { Err(Refusal::NoTimes(level)) };
    }
    match verdict {
        Verdict::Consistent(Witness { commits, sources }) => {
            let history = &choosing(history, sources)?;
            match history.reads().open().next() {
                Some(read) => Err(Refusal::Open(read)),
                None => Facts::of(history, level, limits).witness(commits),
            }
        }
        Verdict::Inconsistent(violation) => refuted(history, level, violation, &mut Vec::new(), limits),
        Verdict::Undecided(_) | Verdict::Unsupported(_) => Err(Refusal::NoCertificate),
    }
}

/// Accepts a commit order on which every check of the level's [text](Level::text) holds. Sources must not be open, and the order must have every transaction
/// that counts once.
///
/// A relation on n transactions and reads is a matrix of n² bits: this is for histories of at most some thousands.
pub fn evaluate(
    history: &History,
    level: Level,
    commits: &[TxnId],
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    if let Some(read) = history.reads().open().next() {
        return Err(Refusal::Open(read));
    }
    limits.check_memory(definition::bytes(history), 0)?;
    let facts = Facts::of(history, level, limits);
    facts.places(commits)?;
    definition::broken(history, level, commits).map_or(Ok(()), |check| Err(Refusal::Text(check)))
}

/// The history with sources, each of which is possible.
fn choosing(history: &History, sources: &[(OpId, TxnId)]) -> Result<History, Refusal> {
    let chosen = history.choosing(sources);
    for &(read, source) in sources {
        let known = read.index() < history.ops().len();
        if !known || chosen.reads().source(read) != Source::Txn(source) {
            return Err(Refusal::NoSource { read, from: source });
        }
    }
    Ok(chosen)
}

/// A violation of the history with what is assumed of its open reads.
fn refuted(
    history: &History,
    level: Level,
    violation: &Violation,
    assumed: &mut Vec<(OpId, TxnId)>,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    limits.check(0)?;
    let chosen = choosing(history, assumed)?;
    let Violation::Sources { read, cases } = violation else {
        return Facts::of(&chosen, level, limits).violation(violation);
    };
    let candidates = chosen.reads().candidates(*read);
    let every = |source: &TxnId| cases.iter().any(|(case, _)| case == source);
    if candidates.is_empty() || !candidates.iter().all(every) {
        return Err(Refusal::Sources(*read));
    }
    for (source, violation) in cases {
        assumed.push((*read, *source));
        refuted(history, level, violation, assumed, limits)?;
        assumed.pop();
    }
    Ok(())
}

/// An external read.
#[derive(Clone, Copy)]
struct Read {
    op: OpId,
    key: KeyId,
    source: TxnId,
}

/// What the definitions mention.
struct Facts<'h> {
    history: &'h History,
    level: Level,
    limits: &'h Limits<'h>,
    /// By transaction that counts, its external reads in their order.
    reads: FxHashMap<TxnId, Vec<Read>>,
    /// Who writes what.
    writers: FxHashMap<KeyId, Vec<TxnId>>,
    writes: FxHashSet<(TxnId, KeyId)>,
}

impl<'h> Facts<'h> {
    fn of(history: &'h History, level: Level, limits: &'h Limits<'h>) -> Self {
        let (mut reads, mut writers) = (FxHashMap::default(), FxHashMap::default());
        let mut writes = FxHashSet::default();
        for txn in history.transactions().filter(|&txn| history.reads().counts(txn)) {
            let mut its_reads = Vec::new();
            for op in history.ops_of(txn) {
                match (history.op(op), history.reads().source(op)) {
                    (Op::Write(key, _) | Op::Append(key, _), _) if writes.insert((txn, key)) => {
                        writers.entry(key).or_insert_with(Vec::new).push(txn);
                    }
                    (read, Source::Txn(source)) if history.reads().counts(source) => {
                        its_reads.push(Read { op, key: read.key(), source });
                    }
                    _ => {}
                }
            }
            reads.insert(txn, its_reads);
        }
        Facts { history, level, limits, reads, writers, writes }
    }

    fn counts(&self, txn: TxnId) -> bool {
        txn != INIT && txn.index() < self.history.len() && self.history.reads().counts(txn)
    }

    fn reads(&self, txn: TxnId) -> &[Read] {
        self.reads.get(&txn).map_or(&[], Vec::as_slice)
    }

    fn so(&self, first: TxnId, second: TxnId) -> bool {
        self.level.base() != Base::None
            && self.history.session_of(first) == self.history.session_of(second)
            && first < second
            && self.history.status(first) == Status::Committed
    }

    fn rt(&self, first: TxnId, second: TxnId) -> bool {
        let end = self.history.span(first).and_then(|span| span.end);
        let begin = self.history.span(second).map(|span| span.begin);
        self.level.base() == Base::Strict
            && self.history.status(first) == Status::Committed
            && end.zip(begin).is_some_and(|(end, begin)| end < begin)
    }

    fn ignores_misreads(&self) -> bool {
        self.level.isolation() == Isolation::Ru
    }
}

/// A commit order.
impl Facts<'_> {
    fn witness(&self, commits: &[TxnId]) -> Result<(), Refusal> {
        let misread = self.history.reads().misread().iter();
        if let Some(misread) =
            misread.clone().find(|misread| !self.ignores_misreads() || misread.what.breaks_everything())
        {
            return Err(Refusal::Misread(misread.op));
        }
        let place = self.places(commits)?;
        self.lists(commits)?;
        if self.level.isolation() != Isolation::Ru {
            Order::new(self, commits, place)?.check()?;
        }
        let small = definition::events(self.history) <= EVALUATED;
        let broken = || definition::broken(self.history, self.level, commits);
        small.then(broken).flatten().map_or(Ok(()), |check| Err(Refusal::Text(check)))
    }

    /// By transaction that counts, its place in the order; the initial one is before all.
    fn places(&self, commits: &[TxnId]) -> Result<FxHashMap<TxnId, usize>, Refusal> {
        let mut place: FxHashMap<TxnId, usize> = FxHashMap::default();
        for (at, &txn) in commits.iter().enumerate() {
            if !self.counts(txn) || place.insert(txn, at + 1).is_some() {
                return Err(Refusal::NotAnOrder);
            }
        }
        if place.len() != self.reads.len() {
            return Err(Refusal::NotAnOrder);
        }
        place.insert(INIT, 0);
        Ok(place)
    }

    /// What was read of lists is what was appended so far, by transactions that count.
    fn lists(&self, commits: &[TxnId]) -> Result<(), Refusal> {
        let history = self.history;
        let mut whole: FxHashMap<KeyId, Vec<i64>> = FxHashMap::default();
        for &txn in commits {
            for op in history.ops_of(txn) {
                if let Op::Append(key, element) = history.op(op) {
                    whole.entry(key).or_default().push(element);
                }
            }
        }
        let elements: FxHashSet<(KeyId, i64)> =
            whole.iter().flat_map(|(&key, list)| list.iter().map(move |&element| (key, element))).collect();
        for &txn in commits {
            let mut own: FxHashMap<KeyId, usize> = FxHashMap::default();
            for op in history.ops_of(txn) {
                match history.op(op) {
                    Op::Append(key, _) => *own.entry(key).or_default() += 1,
                    Op::ReadList(key, list) => {
                        let others = list.len().saturating_sub(own.get(&key).copied().unwrap_or(0));
                        let others =
                            list[..others].iter().filter(|&&element| elements.contains(&(key, element)));
                        let mut appended = whole.get(&key).into_iter().flatten();
                        if !others.into_iter().all(|element| appended.next() == Some(element)) {
                            return Err(Refusal::List(op));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// A commit order with what the relations are under it.
struct Order<'f, 'h> {
    facts: &'f Facts<'h>,
    commits: &'f [TxnId],
    place: FxHashMap<TxnId, usize>,
    /// By key, its writers in the order.
    writers: FxHashMap<KeyId, Vec<TxnId>>,
    /// By transaction, the latest that is before it by so or rt, as its place in the order; 0 if none is.
    before: FxHashMap<TxnId, usize>,
}

impl<'f, 'h> Order<'f, 'h> {
    /// Also checks that it contains b and wr.
    fn new(
        facts: &'f Facts<'h>,
        commits: &'f [TxnId],
        place: FxHashMap<TxnId, usize>,
    ) -> Result<Self, Refusal> {
        let history = facts.history;
        let mut writers = facts.writers.clone();
        writers.values_mut().for_each(|writers| writers.sort_unstable_by_key(|txn| place[txn]));
        let mut before: FxHashMap<TxnId, usize> = FxHashMap::default();
        if facts.level.base() != Base::None {
            for session in (0..history.session_count() as u32).map(SessionId) {
                let mut latest = 0;
                for txn in history.session(session).filter(|txn| place.contains_key(txn)) {
                    before.insert(txn, latest);
                    if history.status(txn) == Status::Committed {
                        latest = latest.max(place[&txn]);
                    }
                }
            }
        }
        if facts.level.base() == Base::Strict {
            let committed = commits.iter().filter(|&&txn| history.status(txn) == Status::Committed);
            let mut ends: Vec<(i64, usize)> =
                committed.filter_map(|&txn| Some((history.span(txn)?.end?, place[&txn]))).collect();
            ends.sort_unstable();
            // The latest of all that end by then.
            let mut latest = 0;
            for (_, place) in &mut ends {
                latest = latest.max(*place);
                *place = latest;
            }
            for &txn in commits {
                let Some(span) = history.span(txn) else { continue };
                let count = ends.partition_point(|&(end, _)| end < span.begin);
                let by_time = if count == 0 { 0 } else { ends[count - 1].1 };
                let before = before.entry(txn).or_default();
                *before = (*before).max(by_time);
            }
        }
        for &txn in commits {
            let latest = before.get(&txn).copied().unwrap_or(0);
            let sources = facts.reads(txn).iter().map(|read| place[&read.source]);
            let latest = sources.max().unwrap_or(0).max(latest);
            if latest >= place[&txn] {
                return Err(Refusal::Backward { first: commits[latest - 1], second: txn });
            }
        }
        Ok(Order { facts, commits, place, writers, before })
    }

    /// The first transaction that overwrites what a read returned, but the reader itself.
    fn overwrites(&self, reader: TxnId, read: &Read) -> Option<TxnId> {
        let writers = self.writers.get(&read.key)?;
        let after = writers.partition_point(|txn| self.place[txn] <= self.place[&read.source]);
        writers[after..].iter().copied().find(|&txn| txn != reader)
    }

    /// The level's relation is irreflexive.
    fn check(&self) -> Result<(), Refusal> {
        let past = match self.facts.level.isolation() {
            Isolation::Tcc => Some(Past::of(self, false)?),
            Isolation::Psi => Some(Past::of(self, true)?),
            _ => None,
        };
        for (at, &txn) in self.commits.iter().enumerate() {
            if at.is_multiple_of(1024) {
                self.facts.limits.check(0)?;
            }
            let place = self.place[&txn];
            let latest = match self.facts.level.isolation() {
                Isolation::Ru | Isolation::Rc => return Ok(()),
                Isolation::Mav | Isolation::Rat => {
                    self.check_weak(txn)?;
                    continue;
                }
                Isolation::Tcc | Isolation::Psi => {
                    past.iter().try_for_each(|past| self.check_past(txn, past))?;
                    continue;
                }
                // co ; rw
                Isolation::Ser => place.saturating_sub(1),
                // co? ; (b ∪ wr) ; rw, and for si also ww.
                isolation => {
                    let sources = self.facts.reads(txn).iter().map(|read| self.place[&read.source]);
                    let latest = sources.max().unwrap_or(0).max(self.before.get(&txn).copied().unwrap_or(0));
                    if isolation == Isolation::Pc { latest } else { latest.max(self.last_overwritten(txn)) }
                }
            };
            for read in self.facts.reads(txn) {
                if let Some(writer) = self.overwrites(txn, read)
                    && self.place[&writer] <= latest
                {
                    return Err(Refusal::Overwritten { read: read.op, writer });
                }
            }
        }
        Ok(())
    }

    /// The latest writer before a transaction of something that it writes.
    fn last_overwritten(&self, txn: TxnId) -> usize {
        self.previous_writers(txn).map(|writer| self.place[&writer]).max().unwrap_or(0)
    }

    /// Of each key that a transaction writes, the writer before it.
    fn previous_writers(&self, txn: TxnId) -> impl Iterator<Item = TxnId> + '_ {
        let keys = self.facts.history.ops_of(txn).map(|op| self.facts.history.op(op).key());
        keys.filter(move |&key| self.facts.writes.contains(&(txn, key))).filter_map(move |key| {
            let writers = &self.writers[&key];
            let at = writers.partition_point(|other| self.place[other] < self.place[&txn]);
            at.checked_sub(1).map(|before| writers[before])
        })
    }

    /// No transaction that is before this one, in the level's sense, overwrites what it read.
    fn check_weak(&self, txn: TxnId) -> Result<(), Refusal> {
        let reads = self.facts.reads(txn);
        let isolation = self.facts.level.isolation();
        let is_overwritten = |read: &Read, writer: TxnId| {
            writer != txn
                && self.facts.writes.contains(&(writer, read.key))
                && self.place[&writer] > self.place[&read.source]
        };
        for read in reads {
            let before: Vec<TxnId> = match isolation {
                Isolation::Mav => {
                    reads.iter().take_while(|other| other.op != read.op).map(|other| other.source).collect()
                }
                _ => {
                    let earlier = self.writers.get(&read.key).into_iter().flatten().copied();
                    let base =
                        earlier.filter(|&other| self.facts.so(other, txn) || self.facts.rt(other, txn));
                    reads.iter().map(|other| other.source).chain(base).collect()
                }
            };
            if let Some(&writer) =
                before.iter().find(|&&writer| writer != INIT && is_overwritten(read, writer))
            {
                return Err(Refusal::Overwritten { read: read.op, writer });
            }
        }
        Ok(())
    }

    /// No transaction of its past overwrites what a transaction read.
    fn check_past(&self, txn: TxnId, past: &Past) -> Result<(), Refusal> {
        for read in self.facts.reads(txn) {
            let writers = self.writers.get(&read.key).map_or(&[][..], Vec::as_slice);
            let after = writers.partition_point(|writer| self.place[writer] <= self.place[&read.source]);
            let overwrites =
                |&&writer: &&TxnId| writer != txn && past.contains(self.place[&writer], self.place[&txn]);
            if let Some(&writer) = writers[after..].iter().find(overwrites) {
                return Err(Refusal::Overwritten { read: read.op, writer });
            }
        }
        Ok(())
    }
}

/// What comes before each transaction by (b ∪ wr)⁺, or (b ∪ wr ∪ ww)⁺: how many of each column do.
///
/// Those of a session that committed are a column, where b has so: who comes after one of them comes after those before it. Everybody else is a column of his own.
struct Past {
    width: usize,
    /// By place in the order, from 1: column and number there.
    columns: Vec<(u32, u32)>,
    rows: Vec<u32>,
}

impl Past {
    fn of(order: &Order<'_, '_>, ww: bool) -> Result<Self, Refusal> {
        let Facts { history, level, limits, .. } = *order.facts;
        let count = order.commits.len();
        let mut columns = vec![(u32::MAX, 0); count + 1];
        let mut width = 0;
        // By place, that of the committed transaction before it in its session.
        let mut previous = vec![0; count + 1];
        if level.base() != Base::None {
            for session in (0..history.session_count() as u32).map(SessionId) {
                let (mut number, mut latest) = (0, 0);
                for txn in history.session(session) {
                    let Some(&place) = order.place.get(&txn) else { continue };
                    previous[place] = latest;
                    if history.status(txn) == Status::Committed {
                        columns[place] = (width, number);
                        (number, latest) = (number + 1, place);
                    }
                }
                width += 1;
            }
        }
        for column in columns.iter_mut().skip(1).filter(|(column, _)| *column == u32::MAX) {
            *column = (width, 0);
            width += 1;
        }
        let width = width as usize;
        let timed = level.base() == Base::Strict;
        let rows = if timed { 2 * count + 1 } else { count + 1 };
        limits.check_memory(rows.saturating_mul(width).saturating_mul(size_of::<u32>()), 0)?;
        let mut past = Past { width, columns, rows: vec![0; (count + 1) * width] };
        let mut times = if timed { Times::of(order, width) } else { Times::default() };
        for (at, &txn) in order.commits.iter().enumerate() {
            if at.is_multiple_of(256) {
                limits.check(0)?;
            }
            let mut row = vec![0; width];
            let sources = order.facts.reads(txn).iter().map(|read| order.place[&read.source]);
            let overwritten = order.previous_writers(txn).filter(|_| ww).map(|writer| order.place[&writer]);
            for before in sources.chain(overwritten).chain([previous[at + 1]]).filter(|&place| place > 0) {
                past.join(before, &mut row);
            }
            if let Some(span) = history.span(txn).filter(|_| timed) {
                times.join(span.begin, &past, &mut row);
            }
            past.rows[(at + 1) * width..][..width].copy_from_slice(&row);
        }
        Ok(past)
    }

    /// What comes before the transaction at a place, and itself, comes before whatever has the row.
    fn join(&self, place: usize, row: &mut [u32]) {
        let its = &self.rows[place * self.width..][..self.width];
        row.iter_mut().zip(its).for_each(|(row, its)| *row = (*row).max(*its));
        let (column, number) = self.columns[place];
        row[column as usize] = row[column as usize].max(number + 1);
    }

    /// Whether the transaction at one place comes before the one at another.
    fn contains(&self, before: usize, place: usize) -> bool {
        let (column, number) = self.columns[before];
        self.rows[place * self.width + column as usize] > number
    }
}

/// What comes before a moment: all committed transactions that have ended by then, and what comes before them.
#[derive(Default)]
struct Times {
    /// When they end, and their places in the order; in the order of ends.
    ends: Vec<(i64, usize)>,
    /// By end, the row of all up to it; as far as they have been asked for.
    rows: Vec<u32>,
    width: usize,
}

impl Times {
    fn of(order: &Order<'_, '_>, width: usize) -> Self {
        let history = order.facts.history;
        let committed = order.commits.iter().filter(|&&txn| history.status(txn) == Status::Committed);
        let ends = committed.filter_map(|txn| Some((history.span(*txn)?.end?, order.place[txn])));
        let mut ends: Vec<(i64, usize)> = ends.collect();
        ends.sort_unstable();
        Times { ends, rows: Vec::new(), width }
    }

    /// All that has ended before a time comes before whatever has the row. They are in the order already.
    fn join(&mut self, begin: i64, past: &Past, row: &mut [u32]) {
        let ended = self.ends.partition_point(|&(end, _)| end < begin);
        while self.rows.len() < ended * self.width {
            let (_, place) = self.ends[self.rows.len() / self.width];
            let start = self.rows.len().saturating_sub(self.width);
            let mut next = self.rows[start..].to_vec();
            next.resize(self.width, 0);
            past.join(place, &mut next);
            self.rows.extend(next);
        }
        if let Some(last) = ended.checked_sub(1) {
            let its = &self.rows[last * self.width..][..self.width];
            row.iter_mut().zip(its).for_each(|(row, its)| *row = (*row).max(*its));
        }
    }
}

/// ww that is known, by the steps before or by a case.
type Known = FxHashSet<(KeyId, TxnId, TxnId)>;

/// The part of a transaction that a link begins or ends at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Snapshot,
    Commit,
}

/// Violations.
impl Facts<'_> {
    fn violation(&self, violation: &Violation) -> Result<(), Refusal> {
        match violation {
            Violation::Misread(misread) => {
                let forbidden = !self.ignores_misreads() || misread.what.breaks_everything();
                let there = self.history.reads().misread().contains(misread);
                if there && forbidden { Ok(()) } else { Err(Refusal::NoMisread(misread.op)) }
            }
            Violation::Incompatible(incompatible) => {
                let (op, other) = (incompatible.op, incompatible.other);
                if self.are_incompatible(op, other) { Ok(()) } else { Err(Refusal::Compatible(op, other)) }
            }
            Violation::Proof(proof) => self.proof(proof, &mut Known::default()),
            Violation::Sources { read, .. } => Err(Refusal::Sources(*read)),
        }
    }

    /// What a read of a list returned of others that count, by the transactions that appended it.
    fn others(&self, read: OpId) -> Option<(KeyId, Vec<(TxnId, i64)>)> {
        let history = self.history;
        let (txn, Op::ReadList(key, list)) = (history.txn_of(read), history.op(read)) else { return None };
        if !self.counts(txn) {
            return None;
        }
        let own = history.ops_of(txn).take_while(|&op| op != read);
        let own = own.filter(|&op| matches!(history.op(op), Op::Append(k, _) if k == key)).count();
        let mut appender = FxHashMap::default();
        for &writer in self.writers.get(&key).into_iter().flatten() {
            for op in history.ops_of(writer) {
                if let Op::Append(k, element) = history.op(op)
                    && k == key
                {
                    appender.insert(element, writer);
                }
            }
        }
        let others = &list[..list.len().checked_sub(own)?];
        let others = others.iter().filter_map(|element| Some((*appender.get(element)?, *element)));
        Some((key, others.collect()))
    }

    /// Whether no list begins with both, or with the one if they are the same.
    fn are_incompatible(&self, op: OpId, other: OpId) -> bool {
        if op.index() >= self.history.ops().len() || other.index() >= self.history.ops().len() {
            return false;
        }
        let (Some((key, list)), Some((other_key, other_list))) = (self.others(op), self.others(other)) else {
            return false;
        };
        let common = list.len().min(other_list.len());
        key == other_key && (list[..common] != other_list[..common] || !self.is_appended(key, &list))
    }

    /// Whether transactions append so, each all at once; the last may not have come to its end.
    fn is_appended(&self, key: KeyId, list: &[(TxnId, i64)]) -> bool {
        let mut done = FxHashSet::default();
        list.chunk_by(|a, b| a.0 == b.0).all(|group| {
            let (txn, is_last) = (group[0].0, group.last() == list.last());
            let appended = self.history.ops_of(txn).filter_map(|op| match self.history.op(op) {
                Op::Append(k, element) if k == key => Some(element),
                _ => None,
            });
            let appended: Vec<i64> = appended.collect();
            let read: Vec<i64> = group.iter().map(|(_, element)| *element).collect();
            done.insert(txn) && appended.starts_with(&read) && (is_last || appended.len() == read.len())
        })
    }

    fn proof(&self, proof: &Proof, known: &mut Known) -> Result<(), Refusal> {
        self.limits.check(0)?;
        let Proof { steps, end } = proof;
        for step in steps {
            let &Step { key, first, second, .. } = step;
            let writers = first != second
                && self.writes.contains(&(first, key))
                && self.writes.contains(&(second, key));
            if !writers || !self.follows(step, known)? {
                return Err(Refusal::Step { first, second });
            }
            known.insert((key, first, second));
        }
        match end {
            End::Cycle(cycle) => self.cycle(cycle, known),
            End::Cases { key, first, second, forward, backward } => {
                let writers = first != second
                    && self.writes.contains(&(*first, *key))
                    && self.writes.contains(&(*second, *key));
                if !writers {
                    return Err(Refusal::Step { first: *first, second: *second });
                }
                for (first, second, proof) in [(first, second, forward), (second, first, backward)] {
                    let mut assumed = known.clone();
                    assumed.insert((*key, *first, *second));
                    self.proof(proof, &mut assumed)?;
                }
                Ok(())
            }
        }
    }

    fn follows(&self, step: &Step, known: &Known) -> Result<bool, Refusal> {
        let &Step { key, first, second, ref because } = step;
        match because {
            Because::List(read) => {
                if read.index() >= self.history.ops().len() {
                    return Ok(false);
                }
                let Some((of, list)) = self.others(*read) else { return Ok(false) };
                let place = |txn: TxnId| list.iter().position(|(appender, _)| *appender == txn);
                Ok(of == key && place(first).is_some_and(|at| place(second).is_none_or(|other| at < other)))
            }
            Because::Seen { read, path } => {
                if read.index() >= self.history.ops().len() {
                    return Ok(false);
                }
                let reader = self.history.txn_of(*read);
                let reads =
                    self.reads(reader).iter().any(|r| (r.op, r.key, r.source) == (*read, key, second));
                Ok(reads
                    && first != reader
                    && self.is_path(first, reader, path, known)?
                    && self.is_seen(*read, path))
            }
            Because::Otherwise(path) => {
                let ww = Link { from: second, to: first, rel: Rel::Ww(key) };
                let closed: Vec<Link> = path.iter().copied().chain([ww]).collect();
                Ok(self.is_path(first, second, path, known)? && self.is_forbidden(&closed))
            }
        }
    }

    /// Whether links hold and lead from one transaction to another.
    fn is_path(&self, from: TxnId, to: TxnId, path: &[Link], known: &Known) -> Result<bool, Refusal> {
        let mut at = from;
        for link in path {
            if link.from != at || !self.holds(link, known) {
                return Err(Refusal::Link(*link));
            }
            at = link.to;
        }
        Ok(!path.is_empty() && at == to)
    }

    fn holds(&self, link: &Link, known: &Known) -> bool {
        let &Link { from, to, rel } = link;
        if !self.counts(from) || !self.counts(to) {
            return false;
        }
        let read = |txn: TxnId, op: OpId| self.reads(txn).iter().find(|read| read.op == op);
        match rel {
            Rel::So => self.so(from, to),
            Rel::Rt => self.rt(from, to),
            Rel::Wr(op) => read(to, op).is_some_and(|read| read.source == from),
            Rel::Ww(key) => known.contains(&(key, from, to)),
            Rel::Rw(op) => read(from, op).is_some_and(|read| {
                let overwritten = match read.source {
                    INIT => self.writes.contains(&(to, read.key)),
                    source => known.contains(&(read.key, source, to)),
                };
                from != to && overwritten
            }),
        }
    }

    fn cycle(&self, cycle: &[Link], known: &Known) -> Result<(), Refusal> {
        let Some(first) = cycle.first() else { return Err(Refusal::Cycle) };
        if !self.is_path(first.from, first.from, cycle, known)? {
            return Err(Refusal::Cycle);
        }
        let one_rw = matches!(
            self.level.isolation(),
            Isolation::Mav | Isolation::Rat | Isolation::Tcc | Isolation::Psi
        );
        let rw = cycle.iter().position(|link| one_rw && matches!(link.rel, Rel::Rw(_)));
        let forbidden = match rw.map(|at| (at, cycle[at].rel)) {
            Some((at, Rel::Rw(read))) => {
                let path: Vec<Link> = cycle[at + 1..].iter().chain(&cycle[..at]).copied().collect();
                self.is_seen(read, &path)
            }
            _ => self.is_forbidden(cycle),
        };
        if forbidden { Ok(()) } else { Err(Refusal::Cycle) }
    }

    /// Whether a path to a read is one by which a transaction is before it, in the level's sense.
    fn is_seen(&self, read: OpId, path: &[Link]) -> bool {
        let base = |link: &Link| matches!(link.rel, Rel::So | Rel::Rt | Rel::Wr(_));
        match (self.level.isolation(), path) {
            (Isolation::Ru | Isolation::Rc, _) | (_, []) => false,
            (Isolation::Mav, &[Link { rel: Rel::Wr(op), .. }]) => op < read,
            (Isolation::Mav, _) => false,
            (Isolation::Rat, path) => path.len() == 1 && path.iter().all(base),
            (Isolation::Tcc, path) => path.iter().all(base),
            (Isolation::Psi, path) => path.iter().all(|link| !matches!(link.rel, Rel::Rw(_))),
            (Isolation::Ser, _) => true,
            (Isolation::Pc | Isolation::Si, path) => {
                let sides = |link: &Link| self.sides(link.rel);
                let (first, last) = (sides(&path[0]), sides(&path[path.len() - 1]));
                first.0 == Side::Commit && last.1 == Side::Snapshot && self.fits(path)
            }
        }
    }

    /// Whether the level forbids a cycle of these.
    fn is_forbidden(&self, cycle: &[Link]) -> bool {
        match self.level.isolation() {
            Isolation::Ru => cycle.iter().all(|link| matches!(link.rel, Rel::Ww(_))),
            Isolation::Ser => true,
            Isolation::Pc | Isolation::Si => {
                let around: Vec<Link> = cycle.iter().chain(cycle.first()).copied().collect();
                self.fits(&around)
            }
            _ => cycle.iter().all(|link| !matches!(link.rel, Rel::Rw(_))),
        }
    }

    /// Which part of a transaction a link begins at, and which it ends at.
    fn sides(&self, rel: Rel) -> (Side, Side) {
        match (rel, self.level.isolation()) {
            (Rel::Rw(_), _) => (Side::Snapshot, Side::Commit),
            (Rel::Ww(_), Isolation::Pc) => (Side::Commit, Side::Commit),
            _ => (Side::Commit, Side::Snapshot),
        }
    }

    /// Whether each link can follow the one before: a snapshot comes before its commit, and not the other way around.
    fn fits(&self, path: &[Link]) -> bool {
        path.windows(2).all(|pair| {
            let (ends, begins) = (self.sides(pair[0].rel).1, self.sides(pair[1].rel).0);
            ends == begins || ends == Side::Snapshot
        })
    }
}
