//! Cycles of the C11 family: of po and rf, of mo, for sra of both, and of psc.

use super::{Chains, Proof, is_po_rf};
use crate::{EdgeFault, Refusal, known};
use tribunal_history::memory::{EventId, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge};

impl Proof<'_> {
    pub(super) fn c11_cycle(&mut self, cycle: &Cycle) -> Result<(), Refusal> {
        for (i, lemma) in cycle.lemmas.iter().enumerate() {
            self.mo_edge(lemma, &cycle.lemmas[..i])?;
        }
        let edges = &cycle.edges;
        if edges.iter().all(|edge| matches!(edge.because, Because::Psc { .. })) {
            return self.psc_cycle(edges, &cycle.lemmas);
        }
        for edge in edges {
            if edge.because.is_mo() { self.mo_edge(edge, &cycle.lemmas)? } else { self.history_edge(edge)? }
        }
        self.joined(edges, edges[0].from, edges[0].from)?;

        let mo = |e: &Edge| e.because.is_mo();
        if edges.iter().all(is_po_rf) {
            self.rest_on(Axiom::PoRf);
        } else if self.model == Model::Sra && edges.iter().all(|e| is_po_rf(e) || mo(e)) {
            // Also where all edges are mo: then the cycle is one of mo alone.
            self.rest_on(Axiom::StrongWriteCoherence);
        } else if let Some(misplaced) = edges.iter().find(|e| !mo(e)) {
            return self.fault(misplaced, EdgeFault::Misplaced);
        }
        Ok(())
    }

    /// The reason why `from` does not synchronize with `to` by way of `write` and `read`, if it does not.
    pub(super) fn sw_fault(
        &self,
        from: EventId,
        write: EventId,
        read: EventId,
        to: EventId,
    ) -> Option<EdgeFault> {
        let x = self.x;
        let po = |a, b| self.program.po(a, b);
        let (release, acquire) = (x.label(from), x.label(to));
        let (wrote, saw) = (x.label(write), x.label(read));
        if !release.order().is_release() {
            Some(EdgeFault::NotRelease)
        } else if !acquire.order().is_acquire() {
            Some(EdgeFault::NotAcquire)
        } else if !(wrote.writes()
            && wrote.is_atomic()
            && (write == from || release.is_fence() && po(from, write)))
        {
            Some(EdgeFault::NotReleasedBy(self.named(write)))
        } else if !(saw.reads() && saw.is_atomic() && (read == to || acquire.is_fence() && po(read, to))) {
            Some(EdgeFault::NotAcquiredBy(self.named(read)))
        } else if !x.rf(read).is_some_and(|source| self.in_release_sequence(write, source)) {
            Some(EdgeFault::NotInReleaseSequence { read: self.named(read), write: self.named(write) })
        } else {
            None
        }
    }

    /// Whether `source` is `write` or an RMW that reads from it through RMWs; for rc11 a later atomic write of the same thread to
    /// the location will do in place of `write`.
    fn in_release_sequence(&self, write: EventId, source: EventId) -> bool {
        self.behind_or_same(write, source)
            || self.model == Model::Rc11
                && self.x.loc(write) == self.x.loc(source)
                && self
                    .x
                    .thread_of(write)
                    .is_some_and(|t| self.last_of(t, source).is_some_and(|last| write < last))
    }

    /// The last atomic write of a thread that `source` is, or reads from through RMWs. What is found is kept for all the RMWs that were
    /// gone through, so that no chain is followed twice for a thread.
    fn last_of(&self, t: ThreadId, source: EventId) -> Option<EventId> {
        if !self.chains().has_head(source) {
            return None;
        }
        let x = self.x;
        let mut found = self.last_of.borrow_mut();
        let (mut through, mut at) = (Vec::new(), source);
        let mut last = loop {
            if let Some(&last) = found.get(&(at, t)) {
                break last;
            }
            through.push(at);
            match x.rf(at) {
                Some(earlier) => at = earlier,
                None => break None,
            }
        };
        for &write in through.iter().rev() {
            if x.thread_of(write) == Some(t) && x.label(write).is_atomic() {
                last = last.max(Some(write));
            }
            found.insert((write, t), last);
        }
        last
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
                return self.fault(edge, EdgeFault::NotCarried { from, to });
            }
            self.rest_on(Axiom::Atomicity);
            edge = premise;
        }
        self.mo_ends(edge)?;
        let write_coherence =
            if self.model == Model::Sra { Axiom::StrongWriteCoherence } else { Axiom::WriteCoherence };
        match &edge.because {
            Because::Chain if !self.chains().behind(edge.from, edge.to) => {
                self.fault(edge, EdgeFault::NotChain)
            }
            Because::Chain => {
                self.rest_on(write_coherence);
                Ok(())
            }
            Because::Coherence { path } => {
                if path.is_empty() {
                    return self.fault(edge, EdgeFault::EmptyPath);
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
                    return self.fault(edge, EdgeFault::NotReadFrom(self.named(*read)));
                }
                let hb_edges = self.rf_hb_path(path, edge.from, *read)?;
                if hb_edges == 0 {
                    return self.fault(edge, EdgeFault::EmptyPath);
                }
                self.rest_on(Axiom::ReadCoherence);
                Ok(())
            }
            Because::Unless { cycle } => self.unless(edge, cycle, lemmas),
            _ => self.stated(edge, lemmas),
        }
    }

    /// Checks that mo orders the ends of an edge at all.
    fn mo_ends(&self, edge: &Edge) -> Result<(), Refusal> {
        known(self.x, edge.from)?;
        known(self.x, edge.to)?;
        if !self.has_mo() {
            return self.fault(edge, EdgeFault::NoMo(self.model));
        }
        self.write_ends(edge)
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
                return self.fault(edge, EdgeFault::Misplaced);
            }
        }
        self.joined(path, from, to)?;
        Ok(path.len() - usize::from(rf))
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
                    return self.fault(edge, EdgeFault::Misplaced);
                }
            }
        }
        self.joined(path, from, to)
    }

    /// Whether the model counts an edge of the history as happens-before.
    fn is_hb(&self, because: &Because) -> bool {
        match self.model {
            Model::Rc20 | Model::Rc11 => matches!(because, Because::Po | Because::Sw { .. }),
            Model::Relaxed => matches!(because, Because::Po),
            _ => matches!(because, Because::Po | Because::Rf),
        }
    }

    fn chains(&self) -> &Chains {
        self.chains.get_or_init(|| Chains::new(self.x))
    }

    /// Whether `u` is `w` or an RMW that reads from it through RMWs.
    fn behind_or_same(&self, w: EventId, u: EventId) -> bool {
        w == u || self.chains().behind(w, u)
    }
}
