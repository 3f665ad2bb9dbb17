//! Commit orders, against the definitions of the levels.

use super::past::Past;
use super::{EVALUATED, Facts, Read, Refusal};
use rustc_hash::FxHashMap;
use tribunal_history::transactions::{Base, INIT, Isolation, KeyId, Op, SessionId, Status, TxnId};

/// By transaction, its place in a commit order, from 1 on; 0 for init, which is before all, and for what is not there.
pub(super) struct Places(Vec<u32>);

impl Places {
    #[inline]
    pub(super) fn of(&self, txn: TxnId) -> usize {
        self.0.get(txn.index()).map_or(0, |&place| place as usize)
    }
}

/// A commit order.
impl Facts<'_> {
    pub(super) fn witness(&self, commits: &[TxnId]) -> Result<(), Refusal> {
        let mut misread = self.known.misread().iter();
        if let Some(misread) =
            misread.find(|misread| !self.ignores_misreads() || misread.what.breaks_everything())
        {
            return Err(Refusal::Misread(self.named(misread.op)));
        }
        let place = self.places(commits)?;
        self.lists(commits)?;
        if self.level.isolation() != Isolation::Ru {
            Order::new(self, commits, place)?.check()?;
        }
        if self.events() <= EVALUATED { self.text(commits) } else { Ok(()) }
    }

    /// The places in the order of the transactions that count.
    pub(super) fn places(&self, commits: &[TxnId]) -> Result<Places, Refusal> {
        let mut places = vec![0; self.history.len()];
        for (&txn, place) in commits.iter().zip(1..) {
            if !self.counts(txn) || std::mem::replace(&mut places[txn.index()], place) != 0 {
                return Err(Refusal::NotAnOrder);
            }
        }
        if commits.len() == self.counted { Ok(Places(places)) } else { Err(Refusal::NotAnOrder) }
    }

    /// Checks that reads of lists returned what transactions that count had appended so far.
    fn lists(&self, commits: &[TxnId]) -> Result<(), Refusal> {
        let history = self.history;
        let mut whole: Vec<Vec<i64>> = vec![Vec::new(); history.key_count()];
        for &txn in commits {
            for op in history.ops_of(txn) {
                if let Op::Append(key, element) = history.op(op) {
                    whole[key.index()].push(element);
                }
            }
        }
        let counts = |key: KeyId, element: i64| {
            let append = self.written.find(key, element);
            append.is_some_and(|append| self.counts(self.written.txn_of[append.index()]))
        };
        let mut own: FxHashMap<KeyId, usize> = FxHashMap::default();
        for &txn in commits {
            own.clear();
            for op in history.ops_of(txn) {
                self.poll.step()?;
                match history.op(op) {
                    Op::Append(key, _) => *own.entry(key).or_default() += 1,
                    Op::ReadList(key, list) => {
                        let others = list.len().saturating_sub(own.get(&key).copied().unwrap_or(0));
                        let (others, whole) = (&list[..others], &whole[key.index()]);
                        self.poll.steps(others.len() / 64)?;
                        if whole.starts_with(others) {
                            continue;
                        }
                        // Aborted elements are in nobody's list.
                        self.poll.steps(others.len())?;
                        let others = others.iter().filter(|&&element| counts(key, element));
                        let mut appended = whole.iter();
                        if !others.into_iter().all(|element| appended.next() == Some(element)) {
                            return Err(Refusal::List(self.named(op)));
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
pub(super) struct Order<'f, 'h> {
    pub facts: &'f Facts<'h>,
    pub commits: &'f [TxnId],
    pub place: Places,
    /// By key, its writers in the order.
    writers: Vec<Vec<TxnId>>,
    /// By transaction, the latest that is before it by so or rt, as its place in the order; 0 if none is.
    before: Vec<usize>,
}

impl<'f, 'h> Order<'f, 'h> {
    /// Also checks that it contains b and wr.
    fn new(facts: &'f Facts<'h>, commits: &'f [TxnId], place: Places) -> Result<Self, Refusal> {
        let history = facts.history;
        let mut writers = facts.writers.clone();
        writers.iter_mut().for_each(|writers| writers.sort_unstable_by_key(|&txn| place.of(txn)));
        let mut before = vec![0; history.len()];
        if facts.level.base() != Base::None {
            for session in (0..history.session_count() as u32).map(SessionId) {
                let mut latest = 0;
                for txn in history.session(session).filter(|&txn| place.of(txn) > 0) {
                    before[txn.index()] = latest;
                    if history.status(txn) == Status::Committed {
                        latest = latest.max(place.of(txn));
                    }
                }
            }
        }
        if facts.level.base() == Base::Strict {
            let committed = commits.iter().filter(|&&txn| history.status(txn) == Status::Committed);
            let mut ends: Vec<(i64, usize)> =
                committed.filter_map(|&txn| Some((history.span(txn)?.end?, place.of(txn)))).collect();
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
                let before = &mut before[txn.index()];
                *before = (*before).max(by_time);
            }
        }
        for &txn in commits {
            let sources = facts.reads(txn).iter().map(|read| place.of(read.source));
            let latest = sources.max().unwrap_or(0).max(before[txn.index()]);
            if latest >= place.of(txn) {
                return Err(Refusal::Backward { first: commits[latest - 1], second: txn });
            }
        }
        Ok(Order { facts, commits, place, writers, before })
    }

    /// The writers of what a read returned that come after its source.
    fn after(&self, read: &Read) -> &[TxnId] {
        let writers = &self.writers[read.key.index()];
        &writers[writers.partition_point(|&txn| self.place.of(txn) <= self.place.of(read.source))..]
    }

    /// The first transaction that overwrites what a read returned, but the reader itself.
    fn overwrites(&self, reader: TxnId, read: &Read) -> Option<TxnId> {
        self.after(read).iter().copied().find(|&txn| txn != reader)
    }

    /// The level's relation is irreflexive.
    fn check(&self) -> Result<(), Refusal> {
        let isolation = self.facts.level.isolation();
        // What psi forbids is in what si forbids, for co contains b, wr and ww, and so it is with what is weaker. Of si one pass tells.
        let weaker = matches!(isolation, Isolation::Mav | Isolation::Rat | Isolation::Tcc | Isolation::Psi);
        if weaker && self.check_as(Isolation::Si).is_ok() {
            return Ok(());
        }
        self.check_as(isolation)
    }

    /// The relation of an isolation, over the level's base, is irreflexive.
    fn check_as(&self, isolation: Isolation) -> Result<(), Refusal> {
        let past = match isolation {
            Isolation::Tcc => Some(Past::of(self, false)?),
            Isolation::Psi => Some(Past::of(self, true)?),
            _ => None,
        };
        for &txn in self.commits {
            self.facts.poll.step()?;
            let place = self.place.of(txn);
            let latest = match isolation {
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
                    let sources = self.facts.reads(txn).iter().map(|read| self.place.of(read.source));
                    let latest = sources.max().unwrap_or(0).max(self.before[txn.index()]);
                    if isolation == Isolation::Pc { latest } else { latest.max(self.last_overwritten(txn)) }
                }
            };
            for read in self.facts.reads(txn) {
                self.facts.poll.step()?;
                if let Some(writer) = self.overwrites(txn, read)
                    && self.place.of(writer) <= latest
                {
                    return Err(self.overwritten(read, writer));
                }
            }
        }
        Ok(())
    }

    /// The latest writer before a transaction of something that it writes.
    fn last_overwritten(&self, txn: TxnId) -> usize {
        self.previous_writers(txn).map(|writer| self.place.of(writer)).max().unwrap_or(0)
    }

    /// Of each key that a transaction writes, the writer before it.
    pub(super) fn previous_writers(&self, txn: TxnId) -> impl Iterator<Item = TxnId> + '_ {
        let keys = self.facts.history.ops_of(txn).map(|op| self.facts.history.op(op).key());
        keys.filter(move |&key| self.facts.writes.contains(&(txn, key))).filter_map(move |key| {
            let writers = &self.writers[key.index()];
            let at = writers.partition_point(|&other| self.place.of(other) < self.place.of(txn));
            at.checked_sub(1).map(|before| writers[before])
        })
    }

    fn overwritten(&self, read: &Read, writer: TxnId) -> Refusal {
        Refusal::Overwritten { read: self.facts.named(read.op), writer }
    }

    /// No transaction that is before this one, in the level's sense, overwrites what it read: a source of its reads, of mav only of those before, of rat also what
    /// is before it by b.
    fn check_weak(&self, txn: TxnId) -> Result<(), Refusal> {
        let (facts, reads) = (self.facts, self.facts.reads(txn));
        let in_order = facts.level.isolation() == Isolation::Mav;
        let overwrites = |read: &Read, writer: TxnId| {
            writer != txn
                && facts.writes.contains(&(writer, read.key))
                && self.place.of(writer) > self.place.of(read.source)
        };
        // Its sources, each by its first read.
        let mut sources: Vec<(TxnId, usize)> =
            reads.iter().enumerate().map(|(at, read)| (read.source, at)).collect();
        sources.sort_unstable();
        sources.dedup_by_key(|(source, _)| *source);
        sources.retain(|(source, _)| *source != INIT);
        sources.sort_unstable_by_key(|&(_, at)| at);
        for (at, read) in reads.iter().enumerate() {
            for &(source, _) in sources.iter().take_while(|&&(_, first)| !in_order || first < at) {
                facts.poll.step()?;
                if overwrites(read, source) {
                    return Err(self.overwritten(read, source));
                }
            }
            if in_order || facts.level.base() == Base::None {
                continue;
            }
            let before = |&&writer: &&TxnId| self.place.of(writer) <= self.before[txn.index()];
            for &writer in self.after(read).iter().take_while(before) {
                facts.poll.step()?;
                if writer != txn && (facts.so(writer, txn) || facts.rt(writer, txn)) {
                    return Err(self.overwritten(read, writer));
                }
            }
        }
        Ok(())
    }

    /// No transaction of its past overwrites what a transaction read.
    fn check_past(&self, txn: TxnId, past: &Past) -> Result<(), Refusal> {
        for read in self.facts.reads(txn) {
            let before = |&&writer: &&TxnId| self.place.of(writer) < self.place.of(txn);
            for &writer in self.after(read).iter().take_while(before) {
                self.facts.poll.step()?;
                if writer != txn && past.contains(self.place.of(writer), self.place.of(txn)) {
                    return Err(self.overwritten(read, writer));
                }
            }
        }
        Ok(())
    }
}
