//! Proofs that no commit order explains a history, step by step.

use super::refusal::NamedLink;
use super::{Facts, Read, Refusal};
use rustc_hash::FxHashSet;
use tribunal_history::transactions::{
    Because, End, INIT, Isolation, KeyId, Link, Op, OpId, Proof, Rel, Step, TxnId, Violation,
};

/// ww that is known, by the steps before or by a case.
type Known = FxHashSet<(KeyId, TxnId, TxnId)>;

/// The part of a transaction that a link begins or ends at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Snapshot,
    Commit,
}

/// The elements that were appended to a list, in its order, with who appended each.
type Appended = Vec<(TxnId, i64)>;

/// Violations.
impl Facts<'_> {
    pub(super) fn violation(&self, violation: &Violation) -> Result<(), Refusal> {
        match violation {
            Violation::Misread(misread) => {
                let forbidden = !self.ignores_misreads() || misread.what.breaks_everything();
                let key = (misread.op, misread.what);
                let there = self.known.misread().binary_search_by_key(&key, |known| (known.op, known.what));
                if there.is_ok() && forbidden {
                    Ok(())
                } else {
                    Err(Refusal::NoMisread(self.named(misread.op)))
                }
            }
            Violation::Incompatible(incompatible) => {
                let (op, other) = (incompatible.op, incompatible.other);
                if self.are_incompatible(op, other)? {
                    Ok(())
                } else {
                    Err(Refusal::Compatible(self.named(op), self.named(other)))
                }
            }
            Violation::Proof(proof) => self.proof(proof, &mut Known::default()),
            Violation::Sources { read, .. } => Err(Refusal::Sources(self.named(*read))),
        }
    }

    /// The elements of others that count that a read of a list returned, by the transactions that appended it.
    fn others(&self, read: OpId) -> Result<Option<(KeyId, Appended)>, Refusal> {
        let history = self.history;
        if read.index() >= history.ops().len() {
            return Ok(None);
        }
        let (txn, Op::ReadList(key, list)) = (self.written.txn_of[read.index()], history.op(read)) else {
            return Ok(None);
        };
        if !self.counts(txn) {
            return Ok(None);
        }
        let own = history.ops_of(txn).take_while(|&op| op != read);
        let own = own.filter(|&op| matches!(history.op(op), Op::Append(k, _) if k == key)).count();
        let Some(others) = list.len().checked_sub(own) else { return Ok(None) };
        let mut found = Vec::new();
        for &element in &list[..others] {
            self.poll.step()?;
            if let Some(append) = self.written.find(key, element) {
                let txn = self.written.txn_of[append.index()];
                found.extend(self.counts(txn).then_some((txn, element)));
            }
        }
        Ok(Some((key, found)))
    }

    /// Whether no list begins with both, or with the one if they are the same.
    fn are_incompatible(&self, op: OpId, other: OpId) -> Result<bool, Refusal> {
        let (Some((key, list)), Some((other_key, other_list))) = (self.others(op)?, self.others(other)?)
        else {
            return Ok(false);
        };
        let common = list.len().min(other_list.len());
        Ok(key == other_key && (list[..common] != other_list[..common] || !self.is_appended(key, &list)))
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
        let Proof { steps, end } = proof;
        let mut added = Vec::new();
        for step in steps {
            self.poll.step()?;
            let &Step { key, first, second, .. } = step;
            let writers = first != second
                && self.writes.contains(&(first, key))
                && self.writes.contains(&(second, key));
            if !writers || !self.follows(step, known)? {
                return Err(Refusal::Step { first, second });
            }
            if known.insert((key, first, second)) {
                added.push((key, first, second));
            }
        }
        match end {
            End::Cycle(cycle) => self.cycle(cycle, known)?,
            End::Cases { key, first, second, forward, backward } => {
                let writers = first != second
                    && self.writes.contains(&(*first, *key))
                    && self.writes.contains(&(*second, *key));
                if !writers {
                    return Err(Refusal::Step { first: *first, second: *second });
                }
                for (first, second, proof) in [(first, second, forward), (second, first, backward)] {
                    let assumed = (*key, *first, *second);
                    let new = known.insert(assumed);
                    self.proof(proof, known)?;
                    if new {
                        known.remove(&assumed);
                    }
                }
            }
        }
        // What was found here holds here alone.
        for step in &added {
            known.remove(step);
        }
        Ok(())
    }

    fn follows(&self, step: &Step, known: &Known) -> Result<bool, Refusal> {
        let &Step { key, first, second, ref because } = step;
        match because {
            Because::List(read) => {
                let Some((of, list)) = self.others(*read)? else { return Ok(false) };
                let place = |txn: TxnId| list.iter().position(|(appender, _)| *appender == txn);
                Ok(of == key && place(first).is_some_and(|at| place(second).is_none_or(|other| at < other)))
            }
            Because::Seen { read, path } => {
                let Some(Read { key: of, source, .. }) = self.read(*read) else { return Ok(false) };
                let reader = self.written.txn_of[read.index()];
                Ok((of, source) == (key, second)
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
            self.poll.step()?;
            if link.from != at || !self.holds(link, known) {
                return Err(Refusal::Link(NamedLink::new(self.history, *link)));
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
        let read = |txn: TxnId, op: OpId| self.read(op).filter(|_| self.written.txn_of[op.index()] == txn);
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

    /// An external read of a transaction that counts, from one that counts.
    fn read(&self, op: OpId) -> Option<Read> {
        let source = self.known.source(op).filter(|&source| source == INIT || self.counts(source))?;
        Some(Read { op, key: self.history.op(op).key(), source })
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

    /// The part of a transaction at which a link begins, and the one at which it ends.
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
