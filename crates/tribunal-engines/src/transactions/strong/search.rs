//! The order of writers where saturation leaves it open: [splits](split) of pairs of writers, saturating after each.
//!
//! A search chooses pair by pair, as they come in an order of all; from time to time a simulation may come to an order with the choices made so far,
//! and if not, the keys that are in its way are looked at first. A SAT solver is given pairs a few at a time, those of such keys first.

use super::super::{End, KeyId, Proof, TxnId};
use super::commits;
use super::saturation::{CommitSaturation, Ground, Halt};
use super::simulation::Simulated;
use crate::split::{self, Next, Open, Pairs, Refuted, Theory};
use std::iter::once;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// How deep cases of a proof may nest: certificates are read recursively.
const DEEPEST: usize = 500;

/// How many pairs a solver is given at once.
const PAIRS: usize = 16;

/// Two writers of a key, one before the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    key: KeyId,
    first: TxnId,
    second: TxnId,
}

impl Pair {
    fn reversed(self) -> Self {
        Pair { first: self.second, second: self.first, ..self }
    }
}

/// The order of writers as a theory: a case puts one before another. `F` comes to a commit order by a simulation, or to the keys that are in its way.
pub(super) struct Writers<'a, 'h, F> {
    saturation: &'a mut CommitSaturation<'h>,
    /// By node, what comes first if nothing else says so.
    hint: &'a [u32],
    simulated: F,
    limits: &'a Limits<'a>,
    keys: Vec<KeyId>,
    /// The writers of keys before this one are ordered.
    at: usize,
    /// Keys to look at first.
    urgent: Vec<KeyId>,
    /// After how many choices to simulate, and after how many more the next time unless there is progress.
    next: usize,
    step: usize,
    /// Where to go back to from each open case.
    marks: Vec<usize>,
}

impl<'a, 'h, F: Fn(&CommitSaturation<'_>) -> Result<Simulated, Limit>> Writers<'a, 'h, F> {
    pub(super) fn new(
        saturation: &'a mut CommitSaturation<'h>,
        hint: &'a [u32],
        limits: &'a Limits<'a>,
        simulated: F,
    ) -> Self {
        let keys = saturation.accesses.keys().collect();
        saturation.notes = true;
        let (urgent, marks) = (Vec::new(), Vec::new());
        Writers { saturation, hint, simulated, limits, keys, at: 0, urgent, next: 0, step: 1, marks }
    }

    fn unordered(&self, key: KeyId) -> Option<Pair> {
        let (first, second) = self.saturation.unordered(key, self.hint)?;
        Some(Pair { key, first, second })
    }
}

impl<F: Fn(&CommitSaturation<'_>) -> Result<Simulated, Limit>> Theory for Writers<'_, '_, F> {
    type Case = Pair;
    type Proof = Proof;
    type Solution = Vec<TxnId>;
    type Limit = Limit;

    fn count(&mut self, bytes: usize) -> Result<(), Limit> {
        self.saturation.states += 1;
        self.limits.check(self.saturation.states)?;
        self.limits.check_memory(self.saturation.bytes() + bytes, self.saturation.states)
    }

    fn next(&mut self) -> Result<Next<Self>, Limit> {
        while self.at < self.keys.len() {
            if self.marks.len() >= self.next {
                let before = std::mem::take(&mut self.urgent);
                match (self.simulated)(self.saturation)? {
                    Ok(commits) => return Ok(Next::Solved(commits)),
                    Err(keys) => self.urgent = keys,
                }
                self.step = if self.urgent == before { 2 * self.step } else { 1 };
                self.next = self.marks.len() + self.step;
            }
            let urgent = self.urgent.iter().find_map(|&key| self.unordered(key));
            match urgent.or_else(|| self.unordered(self.keys[self.at])) {
                Some(pair) => return Ok(Next::Split(vec![pair.reversed(), pair])),
                None => self.at += 1,
            }
        }
        Ok(Next::Solved(commits(self.saturation)))
    }

    fn assume(&mut self, Pair { key, first, second }: Pair) -> Result<Option<Refuted<Proof>>, Limit> {
        let number = self.marks.len() as u32;
        self.marks.push(self.saturation.mark());
        let assumed = self.saturation.before(key, first, second, Ground::Assumed(number));
        match assumed.and_then(|()| self.saturation.saturate(self.limits)) {
            Ok(()) => Ok(None),
            Err(Halt::Conflict(conflict)) => Ok(Some(self.saturation.refute(conflict))),
            Err(Halt::Cyclic(cyclic)) => Ok(Some(self.saturation.shortest(&cyclic))),
            Err(Halt::Limit(limit)) => Err(limit),
        }
    }

    fn retract(&mut self) {
        self.at = 0;
        if let Some(mark) = self.marks.pop() {
            self.saturation.undo(mark);
        }
    }

    fn join(&mut self, cases: Vec<(Pair, Proof)>) -> Proof {
        let (Pair { key, first, second }, forward, backward) = split::two(cases);
        let (forward, backward) = (Box::new(forward), Box::new(backward));
        Proof { steps: Vec::new(), end: End::Cases { key, first, second, forward, backward } }
    }
}

impl<F: Fn(&CommitSaturation<'_>) -> Result<Simulated, Limit>> Pairs for Writers<'_, '_, F> {
    fn pairs(&mut self) -> Result<Open<Self>, Limit> {
        let in_the_way = match (self.simulated)(self.saturation)? {
            Ok(commits) => return Ok(Ok(commits)),
            Err(keys) => keys,
        };
        let mut unordered = in_the_way.iter().chain(&self.keys).filter_map(|&key| self.unordered(key));
        let Some(pair) = unordered.next() else { return Ok(Ok(commits(self.saturation))) };
        let more = unordered.take(PAIRS - 1).filter(|&other| other != pair);
        Ok(Err(once(pair).chain(more).map(|pair| (pair, pair.reversed())).collect()))
    }

    fn deepen(&mut self, depth: usize) -> Result<(), Limit> {
        if depth < DEEPEST { Ok(()) } else { Err(Limit::States { states: self.saturation.states }) }
    }
}

impl CommitSaturation<'_> {
    /// Two writers of a key neither of which is known to come before the other; none if all are in order.
    fn unordered(&self, key: KeyId, hint: &[u32]) -> Option<(TxnId, TxnId)> {
        let mut writers: Vec<TxnId> = self.writers(key).iter().map(|writer| writer.txn).collect();
        writers.sort_unstable_by_key(|&txn| hint[self.nodes.commit(txn) as usize]);
        let leads =
            |first: TxnId, second: TxnId| self.leads(self.nodes.commit(first), self.nodes.target(second));
        // In order: each leads to the next.
        let mut ordered: Vec<TxnId> = Vec::with_capacity(writers.len());
        for writer in writers {
            let mut place = ordered.len();
            while place > 0 && leads(writer, ordered[place - 1]) {
                place -= 1;
            }
            if place > 0 && !leads(ordered[place - 1], writer) {
                return Some((ordered[place - 1], writer));
            }
            ordered.insert(place, writer);
        }
        None
    }
}
