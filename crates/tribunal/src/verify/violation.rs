//! Checks a violation step by step; the rules are those of [`Because`] and [`Refutation`].

use super::chains::Chains;
use super::{EdgeFault, Named, Refusal, applies, known};
use crate::Model;
use crate::memory::{EventId, Execution, Kind};
use crate::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Accepts a violation that proves that no mo satisfies the model's axioms.
///
/// Linear in the violation, and in the history where the violation follows RMWs. Nothing recurses: a violation may
/// nest as deeply as it likes.
pub fn verify_violation(x: &Execution, model: Model, violation: &Violation) -> Result<(), Refusal> {
    applies(x, model)?;
    let mut proof = Proof { x, model, chains: OnceCell::new(), assumed: FxHashMap::default(), axioms: 0 };
    proof.refutation(&violation.refutation)?;
    if proof.rests_on(violation.axiom) {
        Ok(())
    } else {
        Err(Refusal::NotInvolved { axiom: violation.axiom })
    }
}

/// What is left to do when case distinctions nest.
enum Task<'a> {
    Refute(&'a Refutation),
    Assume((EventId, EventId)),
    Discharge((EventId, EventId)),
}

struct Proof<'a> {
    x: &'a Execution,
    model: Model,
    chains: OnceCell<Chains>,
    /// How many of the enclosing cases assume that mo orders these two writes so.
    assumed: FxHashMap<(EventId, EventId), usize>,
    /// The axioms that the steps so far rest on, a bit each.
    axioms: u8,
}

impl<'a> Proof<'a> {
    fn rest_on(&mut self, axiom: Axiom) {
        self.axioms |= 1 << axiom as u8;
    }

    fn rests_on(&self, axiom: Axiom) -> bool {
        self.axioms & (1 << axiom as u8) != 0
    }

    fn named(&self, event: EventId) -> Named {
        Named::new(self.x, event)
    }

    fn refutation(&mut self, refutation: &'a Refutation) -> Result<(), Refusal> {
        let mut tasks = vec![Task::Refute(refutation)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Assume(pair) => *self.assumed.entry(pair).or_insert(0) += 1,
                Task::Discharge(pair) => *self.assumed.entry(pair).or_insert(1) -= 1,
                Task::Refute(Refutation::Cycle(cycle)) => self.cycle(cycle)?,
                Task::Refute(Refutation::SharedSource { write, rmws }) => {
                    self.shared_source(*write, *rmws)?
                }
                Task::Refute(Refutation::Overwritten { read, by, before, after }) => {
                    self.overwritten(*read, *by, before, after)?;
                }
                Task::Refute(Refutation::Split { first, second, forward, backward }) => {
                    self.split(*first, *second)?;
                    for (pair, case) in [((*first, *second), forward), ((*second, *first), backward)] {
                        tasks.extend([Task::Discharge(pair), Task::Refute(case), Task::Assume(pair)]);
                    }
                }
            }
        }
        Ok(())
    }

    fn cycle(&mut self, cycle: &Cycle) -> Result<(), Refusal> {
        for (i, lemma) in cycle.lemmas.iter().enumerate() {
            self.mo_edge(lemma, &cycle.lemmas[..i])?;
        }
        let edges = &cycle.edges;
        let Some(first) = edges.first() else { return Err(Refusal::EmptyCycle) };
        for edge in edges {
            if edge.because.is_mo() { self.mo_edge(edge, &cycle.lemmas)? } else { self.history_edge(edge)? }
        }
        self.joined(edges, first.from, first.from)?;

        let (mo, po_rf) =
            (|e: &Edge| e.because.is_mo(), |e: &Edge| matches!(e.because, Because::Po | Because::Rf));
        if edges.iter().all(po_rf) {
            self.rest_on(Axiom::PoRf);
        } else if self.model == Model::Sra && edges.iter().all(|e| po_rf(e) || mo(e)) {
            // Also where all edges are mo: then the cycle is one of mo alone.
            self.rest_on(Axiom::StrongWriteCoherence);
        } else if let Some(misplaced) = edges.iter().find(|e| !mo(e)) {
            return Err(Refusal::edge(self.x, misplaced, EdgeFault::Misplaced));
        }
        Ok(())
    }

    fn shared_source(&mut self, write: EventId, rmws: [EventId; 2]) -> Result<(), Refusal> {
        let [first, second] = rmws;
        for e in [write, first, second] {
            known(self.x, e)?;
        }
        let reads_it = |e| self.x.label(e).kind() == Kind::Rmw && self.x.rf(e) == Some(write);
        if first == second || !reads_it(first) || !reads_it(second) {
            let (first, second) = (self.named(first), self.named(second));
            return Err(Refusal::NoSharedSource { first, second, write: self.named(write) });
        }
        self.rest_on(if self.has_mo() { Axiom::Atomicity } else { Axiom::WeakAtomicity });
        Ok(())
    }

    fn overwritten(
        &mut self,
        read: EventId,
        by: EventId,
        before: &[Edge],
        after: &[Edge],
    ) -> Result<(), Refusal> {
        if self.model != Model::Wra {
            return Err(Refusal::OtherRefutation { refutation: "an overwritten write", model: self.model });
        }
        let x = self.x;
        known(x, read)?;
        known(x, by)?;
        let source = match x.rf(read) {
            Some(w) if w != by && x.label(by).writes() && x.loc(by) == x.loc(w) => w,
            _ => return Err(Refusal::NotOverwritten { read: self.named(read), by: self.named(by) }),
        };
        self.hb_path(before, source, by)?;
        self.hb_path(after, by, read)?;
        self.rest_on(Axiom::WeakReadCoherence);
        Ok(())
    }

    fn split(&self, first: EventId, second: EventId) -> Result<(), Refusal> {
        if !self.has_mo() {
            return Err(Refusal::OtherRefutation {
                refutation: "a case distinction on mo",
                model: self.model,
            });
        }
        known(self.x, first)?;
        known(self.x, second)?;
        if self.mo_orders(first, second) {
            Ok(())
        } else {
            Err(Refusal::NotOrdered { first: self.named(first), second: self.named(second) })
        }
    }

    /// Checks that an edge of the history, on known events or not, is one.
    fn history_edge(&self, edge: &Edge) -> Result<(), Refusal> {
        let (from, to) = (known(self.x, edge.from)?, known(self.x, edge.to)?);
        let fault = match edge.because {
            Because::Po if !self.po(from, to) => EdgeFault::NotPo,
            Because::Rf if self.x.rf(to) != Some(from) => EdgeFault::NotRf,
            Because::Po | Because::Rf => return Ok(()),
            Because::Sw { write, read } => {
                match self.sw_fault(from, known(self.x, write)?, known(self.x, read)?, to) {
                    Some(fault) => fault,
                    None => return Ok(()),
                }
            }
            _ => EdgeFault::Misplaced,
        };
        Err(Refusal::edge(self.x, edge, fault))
    }

    fn po(&self, a: EventId, b: EventId) -> bool {
        match self.x.thread_of(a) {
            None => !self.x.is_init(b),
            thread => a < b && self.x.thread_of(b) == thread,
        }
    }

    /// Why `from` does not synchronise with `to` by way of `write` and `read`, if it does not.
    fn sw_fault(&self, from: EventId, write: EventId, read: EventId, to: EventId) -> Option<EdgeFault> {
        let x = self.x;
        let (release, acquire) = (x.label(from), x.label(to));
        if !release.order().is_release() {
            Some(EdgeFault::NotRelease)
        } else if !acquire.order().is_acquire() {
            Some(EdgeFault::NotAcquire)
        } else if !(x.label(write).writes() && (write == from || release.is_fence() && self.po(from, write)))
        {
            Some(EdgeFault::NotReleasedBy(self.named(write)))
        } else if !(x.label(read).reads() && (read == to || acquire.is_fence() && self.po(read, to))) {
            Some(EdgeFault::NotAcquiredBy(self.named(read)))
        } else if !x.rf(read).is_some_and(|source| self.behind_or_same(write, source)) {
            Some(EdgeFault::NotInReleaseSequence { read: self.named(read), write: self.named(write) })
        } else {
            None
        }
    }

    /// Checks that an edge is one of mo and that its reason is good. A premise takes the place of its conclusion in
    /// turn, until there is none.
    fn mo_edge(&mut self, edge: &Edge, lemmas: &[Edge]) -> Result<(), Refusal> {
        let mut edge = edge;
        while let Because::Atomic { premise } = &edge.because {
            self.mo_ends(edge)?;
            self.mo_ends(premise)?;
            if !self.carries(premise, edge) {
                let (from, to) = (self.named(premise.from), self.named(premise.to));
                return Err(Refusal::edge(self.x, edge, EdgeFault::NotCarried { from, to }));
            }
            self.rest_on(Axiom::Atomicity);
            edge = premise;
        }
        self.mo_ends(edge)?;
        let fault = |fault| Err(Refusal::edge(self.x, edge, fault));
        let write_coherence =
            if self.model == Model::Sra { Axiom::StrongWriteCoherence } else { Axiom::WriteCoherence };
        match &edge.because {
            Because::Chain if !self.chains().behind(edge.from, edge.to) => fault(EdgeFault::NotChain),
            Because::Chain => {
                self.rest_on(write_coherence);
                Ok(())
            }
            Because::Coherence { path } => {
                if path.is_empty() {
                    return fault(EdgeFault::EmptyPath);
                }
                if self.model == Model::Sra {
                    self.sra_ordering_path(path, edge.from, edge.to, lemmas)?;
                } else {
                    self.rf_hb_path(path, edge.from, edge.to)?;
                }
                self.rest_on(write_coherence);
                Ok(())
            }
            Because::Read { read, path } => {
                if self.x.rf(known(self.x, *read)?) != Some(edge.to) {
                    return fault(EdgeFault::NotReadFrom(self.named(*read)));
                }
                let hb_edges = self.rf_hb_path(path, edge.from, *read)?;
                if hb_edges == 0 {
                    return fault(EdgeFault::EmptyPath);
                }
                self.rest_on(Axiom::ReadCoherence);
                Ok(())
            }
            Because::Final => {
                if !self.x.finals().iter().any(|&(_, last)| last == edge.to) {
                    return fault(EdgeFault::NotFinal);
                }
                self.rest_on(Axiom::FinalValue);
                Ok(())
            }
            Because::Assumed if self.assumed.get(&(edge.from, edge.to)).is_some_and(|&cases| cases > 0) => {
                Ok(())
            }
            Because::Assumed => fault(EdgeFault::NotAssumed),
            Because::Lemma(i) => match lemmas.get(*i) {
                None => fault(EdgeFault::NoLemma(*i)),
                Some(lemma) if (lemma.from, lemma.to) == (edge.from, edge.to) => Ok(()),
                Some(_) => fault(EdgeFault::OtherLemma(*i)),
            },
            Because::Po | Because::Rf | Because::Sw { .. } => fault(EdgeFault::NotMo),
            Because::Atomic { .. } => unreachable!("premises were followed to the last"),
        }
    }

    /// Checks that mo orders the ends of an edge at all.
    fn mo_ends(&self, edge: &Edge) -> Result<(), Refusal> {
        known(self.x, edge.from)?;
        known(self.x, edge.to)?;
        if !self.has_mo() {
            Err(Refusal::edge(self.x, edge, EdgeFault::NoMo(self.model)))
        } else if !self.mo_orders(edge.from, edge.to) {
            Err(Refusal::edge(self.x, edge, EdgeFault::NotWritesOfOneLocation))
        } else {
            Ok(())
        }
    }

    /// Whether mo(a, b), for the premise, gives mo(from, to), for the conclusion: an RMW directly follows its source
    /// in mo. So the RMWs after a, down to `from`, are before b unless b is among them; and the sources of b, up to
    /// `to`, are after `from` unless it is among them.
    fn carries(&self, premise: &Edge, conclusion: &Edge) -> bool {
        let (a, b, from, to) = (premise.from, premise.to, conclusion.from, conclusion.to);
        let meets_b = || self.chains().behind(a, b) && self.behind_or_same(b, from);
        let meets_from = || self.behind_or_same(to, from) && self.chains().behind(from, b);
        self.behind_or_same(a, from) && self.behind_or_same(to, b) && !meets_b() && !meets_from()
    }

    /// An optional rf edge and then edges of hb: how many of the latter.
    fn rf_hb_path(&self, path: &[Edge], from: EventId, to: EventId) -> Result<usize, Refusal> {
        let rf = path.first().is_some_and(|e| e.because == Because::Rf && !self.is_hb(&e.because));
        for (i, edge) in path.iter().enumerate() {
            self.history_edge(edge)?;
            if !(self.is_hb(&edge.because) || rf && i == 0) {
                return Err(Refusal::edge(self.x, edge, EdgeFault::Misplaced));
            }
        }
        self.joined(path, from, to)?;
        Ok(path.len() - usize::from(rf))
    }

    /// Edges of hb, at least one.
    fn hb_path(&self, path: &[Edge], from: EventId, to: EventId) -> Result<(), Refusal> {
        if path.is_empty() {
            return Err(Refusal::EmptyPath { from: self.named(from), to: self.named(to) });
        }
        for edge in path {
            self.history_edge(edge)?;
            if !self.is_hb(&edge.because) {
                return Err(Refusal::edge(self.x, edge, EdgeFault::Misplaced));
            }
        }
        self.joined(path, from, to)
    }

    /// Edges of po and rf, and of mo by lemmas and assumptions.
    fn sra_ordering_path(
        &mut self,
        path: &[Edge],
        from: EventId,
        to: EventId,
        lemmas: &[Edge],
    ) -> Result<(), Refusal> {
        for edge in path {
            match edge.because {
                Because::Po | Because::Rf => self.history_edge(edge)?,
                Because::Lemma(_) | Because::Assumed => self.mo_edge(edge, lemmas)?,
                _ => {
                    known(self.x, edge.from)?;
                    known(self.x, edge.to)?;
                    return Err(Refusal::edge(self.x, edge, EdgeFault::Misplaced));
                }
            }
        }
        self.joined(path, from, to)
    }

    /// Checks that edges between known events lead from `from` to `to`.
    fn joined(&self, edges: &[Edge], from: EventId, to: EventId) -> Result<(), Refusal> {
        let mut at = from;
        for edge in edges {
            if edge.from != at {
                return Err(Refusal::Gap { expected: self.named(at), found: self.named(edge.from) });
            }
            at = edge.to;
        }
        if at == to {
            Ok(())
        } else {
            Err(Refusal::OtherEnd { expected: self.named(to), found: self.named(at) })
        }
    }

    fn has_mo(&self) -> bool {
        match self.model {
            Model::Rc20 | Model::Ra | Model::Sra | Model::Relaxed => true,
            Model::Wra => false,
        }
    }

    /// Whether the model counts an edge of the history as happens-before.
    fn is_hb(&self, because: &Because) -> bool {
        match self.model {
            Model::Rc20 => matches!(because, Because::Po | Because::Sw { .. }),
            Model::Ra | Model::Sra | Model::Wra => matches!(because, Because::Po | Because::Rf),
            Model::Relaxed => matches!(because, Because::Po),
        }
    }

    /// Whether these are two distinct writes of one location.
    fn mo_orders(&self, a: EventId, b: EventId) -> bool {
        let x = self.x;
        a != b && x.label(a).writes() && x.label(b).writes() && x.loc(a) == x.loc(b)
    }

    fn chains(&self) -> &Chains {
        self.chains.get_or_init(|| Chains::new(self.x))
    }

    /// Whether `u` is `w` or an RMW that reads from it through RMWs.
    fn behind_or_same(&self, w: EventId, u: EventId) -> bool {
        w == u || self.chains().behind(w, u)
    }
}
