//! Choosing an order of writers where saturation leaves it open.

use super::super::{End, KeyId, Proof, TxnId};
use super::proof::Part;
use super::saturation::{CommitSaturation, Ground, Halt};
use super::simulation::Simulated;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// Why there is no order, or no answer.
pub(super) enum Stop {
    Refuted(Box<Part>),
    /// There were too many conflicts.
    Patience,
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// Two writers of a key, one before the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub key: KeyId,
    pub first: TxnId,
    pub second: TxnId,
}

impl Pair {
    /// Itself, or the other way around.
    pub(super) fn directed(self, forward: bool) -> Self {
        let Pair { key, first, second } = self;
        if forward { self } else { Pair { key, first: second, second: first } }
    }
}

/// A choice: a pair as it is, or the other way around if that is refuted.
struct Choice {
    mark: usize,
    pair: Pair,
    forward: Option<Box<Part>>,
}

impl CommitSaturation<'_> {
    /// Chooses pair by pair, as they come in an order of all; a conflict goes back to the last choice that it depends on.
    /// By node, `hint` says what comes first if nothing else does. From time to time `simulated` may come to an order with the
    /// choices made so far; if not, the keys that are in its way are looked at first. After so many conflicts all choices are taken back.
    pub(super) fn search(
        &mut self,
        hint: &[u32],
        patience: u64,
        limits: &Limits<'_>,
        simulated: impl Fn(&Self) -> Result<Simulated, Limit>,
    ) -> Result<Option<Vec<TxnId>>, Stop> {
        let keys: Vec<KeyId> = self.accesses.keys().collect();
        self.notes = true;
        let mut choices: Vec<Choice> = Vec::new();
        let (mut at, mut conflicts) = (0, 0);
        // Keys to look at first, after how many choices to simulate, and how many more the next time unless there is progress.
        let (mut urgent, mut next, mut step): (Vec<KeyId>, usize, usize) = (Vec::new(), 0, 1);
        while at < keys.len() {
            if choices.len() >= next {
                let before = std::mem::take(&mut urgent);
                match simulated(self)? {
                    Ok(commits) => return Ok(Some(commits)),
                    Err(keys) => urgent = keys,
                }
                step = if urgent == before { 2 * step } else { 1 };
                next = choices.len() + step;
            }
            let chosen = urgent.iter().find_map(|&key| Some((key, self.unordered(key, hint)?)));
            let other = || Some((keys[at], self.unordered(keys[at], hint)?));
            let Some((key, (first, second))) = chosen.or_else(other) else {
                at += 1;
                continue;
            };
            limits.check(self.states)?;
            limits.check_memory(self.bytes(), self.states)?;
            let (mark, pair) = (self.mark(), Pair { key, first, second });
            choices.push(Choice { mark, pair, forward: None });
            let mut outcome = self.choose(pair, choices.len() - 1, limits);
            while let Err(halt) = outcome {
                conflicts += 1;
                if let (true, Some(first)) = (conflicts > patience, choices.first()) {
                    self.undo(first.mark);
                    return Err(Stop::Patience);
                }
                let mut part = match halt {
                    Halt::Limit(limit) => return Err(Stop::Limit(limit)),
                    Halt::Conflict(conflict) => Box::new(self.refute(conflict)),
                    Halt::Cyclic(cyclic) => Box::new(self.shortest(&cyclic)),
                };
                at = 0;
                outcome = loop {
                    let Some(mut choice) = choices.pop() else { return Err(Stop::Refuted(part)) };
                    self.undo(choice.mark);
                    let number = choices.len();
                    if !part.uses.remove(&(number as u32)) {
                        continue;
                    }
                    match choice.forward.take() {
                        Some(forward) => part = cases(choice.pair, *forward, *part),
                        None => {
                            let other = choice.pair.directed(false);
                            choices.push(Choice { forward: Some(part), ..choice });
                            break self.choose(other, number, limits);
                        }
                    }
                };
            }
        }
        Ok(None)
    }

    fn choose(&mut self, pair: Pair, number: usize, limits: &Limits<'_>) -> Result<(), Halt> {
        let Pair { key, first, second } = pair;
        self.states += 1;
        self.before(key, first, second, Ground::Assumed(number as u32))?;
        self.saturate(limits)
    }

    /// Two writers of a key neither of which is known to come before the other; none if all are in order.
    pub(super) fn unordered(&self, key: KeyId, hint: &[u32]) -> Option<(TxnId, TxnId)> {
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

/// Neither order can be.
pub(super) fn cases(pair: Pair, forward: Part, backward: Part) -> Box<Part> {
    let Pair { key, first, second } = pair;
    let uses = forward.uses.union(&backward.uses).copied().collect();
    let end = End::Cases {
        key,
        first,
        second,
        forward: Box::new(forward.proof),
        backward: Box::new(backward.proof),
    };
    Box::new(Part { proof: Proof { steps: Vec::new(), end }, uses })
}
