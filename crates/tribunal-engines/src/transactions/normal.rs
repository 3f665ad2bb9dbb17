//! The normal form of proofs, on which their names are based.
//!
//! Engines find any cycle. Three steps turn it into one with a name:
//!
//! - If t₁ writes x and comes before a read of t₀'s x, engines conclude that t₁ comes before t₀ (ww), and find a cycle with that edge: t₀ would have to
//!   come before t₁. Equivalently, t₁ overwrites what the reader read and comes before it: a cycle with an rw.
//! - If two transactions miss each other's writes of one key, either order of the two loses an update.
//! - If a cycle depends on an order of two writers that is forced by something worse, the two orders become two cases: a store that
//!   could choose would choose the milder one, and that is what the history shows.
//!
//! Each case has the steps that it needs and no others: they rest on the history and on what the case supposes, not on what is supposed in another case or denied in
//! this one. What comes out is verified like any certificate; if it is refused, the proof stays as it was.

use super::anomaly::{Anomaly, of_cycle};
use super::{
    Because, End, History, INIT, Isolation, KeyId, Level, Link, Op, Proof, Rel, Source, Step, TxnId, Verdict,
    Violation,
};
use std::collections::BTreeMap;
use tribunal_verify::transactions::verify;

/// Cases in more cases than this are not looked at,
const DEEP: usize = 100;
/// nor a proof whose steps times its cases are more than this.
const LARGE: usize = 1_000_000;
/// The number of times that what a cycle depends on is looked at.
const DEEPEST: usize = 4;
/// Of a cycle that depends on more orders of writers, the first are looked at.
const MANY: usize = 12;

/// A pair of writers of a key, in their order.
type Pair = (KeyId, TxnId, TxnId);
/// The steps known so far, with their places in the order of proving.
type Known = BTreeMap<Pair, (usize, Step)>;

/// An equivalent violation in normal form. If sources are chosen, each case is treated separately.
pub fn normal(history: &History, level: Level, violation: &Violation) -> Violation {
    match violation {
        Violation::Misread(_) | Violation::Incompatible(_) | Violation::Sources { .. } => violation.clone(),
        Violation::Proof(proof) if is_large(proof) => violation.clone(),
        Violation::Proof(proof) => {
            let normal = Normal { history, level }.of_proof(proof, &Known::new(), &mut Vec::new());
            if normal == *proof {
                return violation.clone();
            }
            let verdict = Verdict::Inconsistent(Violation::Proof(normal));
            match (verify(history, level, &verdict), verdict) {
                (Ok(()), Verdict::Inconsistent(normal)) => normal,
                _ => violation.clone(),
            }
        }
    }
}

/// Whether a proof is more than anybody reads: it is left as it is.
fn is_large(proof: &Proof) -> bool {
    let (mut nodes, mut steps) = (0, 0);
    let mut pending = vec![(proof, 0)];
    while let Some((Proof { steps: here, end }, depth)) = pending.pop() {
        nodes += 1;
        steps += here.len();
        if depth > DEEP || nodes * steps > LARGE {
            return true;
        }
        if let End::Cases { forward, backward, .. } = end {
            pending.extend([(&**forward, depth + 1), (&**backward, depth + 1)]);
        }
    }
    false
}

struct Normal<'a> {
    history: &'a History,
    level: Level,
}

impl Normal<'_> {
    fn of_proof(&self, proof: &Proof, known: &Known, supposed: &mut Vec<Pair>) -> Proof {
        let mut known = known.clone();
        for step in &proof.steps {
            known.insert((step.key, step.first, step.second), (known.len(), step.clone()));
        }
        match &proof.end {
            End::Cycle(cycle) => {
                let normal = self.of_cycle(cycle.clone(), &known, supposed, 0);
                let normal = normal.or_else(|| self.leaf(cycle.clone(), &known, supposed, false));
                normal.unwrap_or_else(|| proof.clone())
            }
            &End::Cases { key, first, second, ref forward, ref backward } => {
                let mut case = |pair: Pair, case: &Proof| {
                    supposed.push(pair);
                    let normal = self.of_proof(case, &known, supposed);
                    supposed.pop();
                    Box::new(normal)
                };
                let forward = case((key, first, second), forward);
                let backward = case((key, second, first), backward);
                Proof { steps: Vec::new(), end: cases(key, (first, forward), (second, backward)) }
            }
        }
    }

    /// A cycle as people know it, with the steps that it needs; none if they rest on what is denied.
    fn of_cycle(
        &self,
        mut cycle: Vec<Link>,
        known: &Known,
        supposed: &mut Vec<Pair>,
        depth: usize,
    ) -> Option<Proof> {
        let mut known = known.clone();
        while let Some((step, turned)) = self.turned(&known, &cycle) {
            let pair = (step.key, step.first, step.second);
            if !known.contains_key(&pair) {
                known.insert(pair, (known.len(), step));
            }
            cycle = turned;
        }
        if let Some(lost) = self.both_lost(&cycle, &known, supposed) {
            return Some(lost);
        }
        let found = of_cycle(self.history, &cycle).rank();
        let lesser = premises(self.history, &cycle).into_iter().find_map(|pair| {
            let other = self.otherwise(&known, pair)?;
            (self.least(&known, &other, depth + 1) > found).then_some((pair, other))
        });
        if let Some((pair, other)) = lesser.filter(|_| depth < DEEPEST)
            && let Some(split) = self.split(pair, &cycle, other, &known, supposed, depth)
        {
            return Some(split);
        }
        self.leaf(cycle, &known, supposed, true)
    }

    /// Either of two writers comes first: as in a cycle, or the other way around, which leads to another one. None if one of them has been supposed already.
    fn split(
        &self,
        pair: Pair,
        cycle: &[Link],
        other: Vec<Link>,
        known: &Known,
        supposed: &mut Vec<Pair>,
        depth: usize,
    ) -> Option<Proof> {
        let (key, first, second) = pair;
        if supposed.contains(&pair) || supposed.contains(&reversed(pair)) {
            return None;
        }
        supposed.push(pair);
        let forward = self.leaf(cycle.to_vec(), known, supposed, true);
        supposed.pop();
        supposed.push(reversed(pair));
        let backward = self.of_cycle(other, known, supposed, depth + 1);
        supposed.pop();
        let end = cases(key, (first, Box::new(forward?)), (second, Box::new(backward?)));
        Some(Proof { steps: Vec::new(), end })
    }

    /// A cycle with the steps that it needs beside what is supposed. None if one of these is not known or, where that matters, denies what is supposed.
    fn leaf(&self, cycle: Vec<Link>, known: &Known, supposed: &[Pair], strict: bool) -> Option<Proof> {
        let mut needed: BTreeMap<usize, &Step> = BTreeMap::new();
        let mut pending = premises(self.history, &cycle);
        while let Some(pair) = pending.pop() {
            if supposed.contains(&pair) {
                continue;
            }
            let (place, step) = known.get(&pair)?;
            if strict && supposed.contains(&reversed(pair)) {
                return None;
            }
            if needed.insert(*place, step).is_none() {
                match &step.because {
                    Because::List(_) => {}
                    Because::Seen { path, .. } | Because::Otherwise(path) => {
                        pending.extend(premises(self.history, path));
                    }
                }
            }
        }
        Some(Proof { steps: needed.into_values().cloned().collect(), end: End::Cycle(cycle) })
    }

    /// A cycle that has a ww by what a read saw, reversed that read, and the step that it then depends on.
    fn turned(&self, known: &Known, cycle: &[Link]) -> Option<(Step, Vec<Link>)> {
        // Where one rw is all that the level forbids, a cycle that has it is as good as can be.
        let any = matches!(self.level.isolation(), Isolation::Ser | Isolation::Si | Isolation::Pc);
        if !any && cycle.iter().any(|link| matches!(link.rel, Rel::Rw(_))) {
            return None;
        }
        let seen = |at: usize| match cycle[at].rel {
            Rel::Ww(key) => match known.get(&(key, cycle[at].from, cycle[at].to)) {
                Some((place, step)) => match &step.because {
                    // A read that came later makes less of what was seen.
                    Because::Seen { read, path } => {
                        let later = matches!(path[..], [Link { rel: Rel::Wr(op), .. }] if op > *read);
                        Some((!any && later, *place, at, step))
                    }
                    _ => None,
                },
                None => None,
            },
            _ => None,
        };
        // The last that was proved: its path depends on those before it, so that this comes to an end.
        let (.., at, step) =
            (0..cycle.len()).filter_map(seen).max_by_key(|(later, place, ..)| (*later, *place))?;
        let Because::Seen { read, path } = &step.because else { return None };
        let back: Vec<Link> = cycle[at + 1..].iter().chain(&cycle[..at]).copied().collect();
        let rw = Link { from: path.last()?.to, to: step.first, rel: Rel::Rw(*read) };
        let order =
            Step { key: step.key, first: step.second, second: step.first, because: Because::Otherwise(back) };
        Some((order, path.iter().copied().chain([rw]).collect()))
    }

    /// Two transactions that both write a key and each miss what the other writes there, as either order of the two.
    fn both_lost(&self, cycle: &[Link], known: &Known, supposed: &mut Vec<Pair>) -> Option<Proof> {
        let &[Link { from: one, rel: Rel::Rw(read), .. }, Link { from: other, rel: Rel::Rw(again), .. }] =
            cycle
        else {
            return None;
        };
        let key = self.history.op(read).key();
        if self.history.op(again).key() != key {
            return None;
        }
        let writes = |txn: TxnId| {
            let of_key =
                |op| matches!(self.history.op(op), Op::Write(of, _) | Op::Append(of, _) if of == key);
            txn != INIT && self.history.ops_of(txn).any(of_key)
        };
        if !writes(one) || !writes(other) {
            return None;
        }
        let pair = (key, one, other);
        if supposed.contains(&pair) || supposed.contains(&reversed(pair)) {
            return None;
        }
        let mut lost = |pair: Pair, rw: Link| {
            let ww = Link { from: pair.1, to: pair.2, rel: Rel::Ww(key) };
            supposed.push(pair);
            let proof = self.leaf(vec![ww, rw], known, supposed, true);
            supposed.pop();
            proof.map(Box::new)
        };
        let (forward, backward) = (lost(pair, cycle[1])?, lost(reversed(pair), cycle[0])?);
        Some(Proof { steps: Vec::new(), end: cases(key, (one, forward), (other, backward)) })
    }

    /// The rank of the least that can go wrong, with this cycle or with another that what it depends on leads to.
    fn least(&self, known: &Known, cycle: &[Link], depth: usize) -> u8 {
        let mut least = of_cycle(self.history, cycle).rank();
        for pair in premises(self.history, cycle).into_iter().take(MANY) {
            if least == Anomaly::HIGHEST || depth >= DEEPEST {
                break;
            }
            if let Some(other) = self.otherwise(known, pair) {
                least = least.max(self.least(known, &other, depth + 1));
            }
        }
        least
    }

    /// The cycle that there is if two writers come the other way around than a step says.
    fn otherwise(&self, known: &Known, pair: Pair) -> Option<Vec<Link>> {
        let (key, first, second) = pair;
        let (_, step) = known.get(&pair)?;
        let (path, back) = match &step.because {
            Because::List(_) => return None,
            Because::Seen { read, path } => {
                (path, Link { from: path.last()?.to, to: first, rel: Rel::Rw(*read) })
            }
            Because::Otherwise(path) => (path, Link { from: second, to: first, rel: Rel::Ww(key) }),
        };
        // What it depends on must not be what it denies.
        let independent = premises(self.history, path).iter().all(|&other| other != pair);
        independent.then(|| path.iter().copied().chain([back]).collect())
    }
}

/// The other order of two writers.
fn reversed((key, first, second): Pair) -> Pair {
    (key, second, first)
}

/// The orders of writers that links depend on.
fn premises(history: &History, links: &[Link]) -> Vec<Pair> {
    let of = |link: &Link| match link.rel {
        Rel::Ww(key) => Some((key, link.from, link.to)),
        Rel::Rw(op) => match history.reads().source(op) {
            Source::Txn(from) if from != INIT => Some((history.op(op).key(), from, link.to)),
            _ => None,
        },
        Rel::So | Rel::Rt | Rel::Wr(_) => None,
    };
    links.iter().filter_map(of).collect()
}

/// Either of two comes first, each with what then follows: the one with the smaller number is told first.
fn cases(key: KeyId, one: (TxnId, Box<Proof>), other: (TxnId, Box<Proof>)) -> End {
    let ((first, forward), (second, backward)) = if one.0 <= other.0 { (one, other) } else { (other, one) };
    End::Cases { key, first, second, forward, backward }
}
