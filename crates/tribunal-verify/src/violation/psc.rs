//! Steps of psc, for rc20 and rc11: the forms that [`Because::Psc`] may have.

use super::Proof;
use crate::{EdgeFault, Refusal, known};
use tribunal_history::memory::{EventId, Order};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Because, Edge};

impl Proof<'_> {
    /// A closed walk of psc edges.
    pub(super) fn psc_cycle(&mut self, edges: &[Edge], lemmas: &[Edge]) -> Result<(), Refusal> {
        let first = edges.first().ok_or(Refusal::EmptyCycle)?;
        for edge in edges {
            self.psc_edge(edge, lemmas)?;
        }
        self.joined(edges, first.from, first.from)?;
        self.rest_on(Axiom::SeqCst);
        Ok(())
    }

    /// mo(from, to), if the other way around leads to a cycle of psc.
    pub(super) fn unless(&mut self, edge: &Edge, cycle: &[Edge], lemmas: &[Edge]) -> Result<(), Refusal> {
        let supposed = (edge.to, edge.from);
        self.assume(supposed);
        let refuted = self.psc_cycle(cycle, lemmas);
        self.discharge(supposed);
        refuted
    }

    fn psc_edge(&mut self, edge: &Edge, lemmas: &[Edge]) -> Result<(), Refusal> {
        let (from, to) = (known(self.x, edge.from)?, known(self.x, edge.to)?);
        let Because::Psc { path } = &edge.because else { return self.fault(edge, EdgeFault::Misplaced) };
        if !matches!(self.model, Model::Rc20 | Model::Rc11) {
            return self.fault(edge, EdgeFault::Misplaced);
        }
        if let Some(&weaker) = [from, to].iter().find(|&&e| self.x.label(e).order() != Order::SeqCst) {
            return self.fault(edge, EdgeFault::NotSeqCst(self.named(weaker)));
        }
        if path.is_empty() {
            return self.fault(edge, EdgeFault::EmptyPath);
        }
        for step in path {
            self.psc_step(step, lemmas)?;
        }
        self.joined(path, from, to)?;
        if self.is_psc(path, from, to) { Ok(()) } else { self.fault(edge, EdgeFault::NotPsc) }
    }

    /// Checks that a step holds. Whether it may stand where it does is another matter.
    fn psc_step(&mut self, step: &Edge, lemmas: &[Edge]) -> Result<(), Refusal> {
        let mo = match &step.because {
            Because::Po | Because::Sw { .. } | Because::Rf => return self.history_edge(step),
            Because::Fr { premise } => {
                known(self.x, step.from)?;
                known(self.x, step.to)?;
                self.fr_ends(step, premise)?;
                premise
            }
            _ => step,
        };
        known(self.x, mo.from)?;
        known(self.x, mo.to)?;
        if !matches!(mo.because, Because::Lemma(_) | Because::Assumed) {
            return self.fault(mo, EdgeFault::Misplaced);
        }
        self.write_ends(mo)?;
        self.stated(mo, lemmas)
    }

    /// Whether steps that hold make up psc.
    fn is_psc(&self, path: &[Edge], from: EventId, to: EventId) -> bool {
        let hb = |step: &&Edge| matches!(step.because, Because::Po | Because::Sw { .. });
        let before = path.iter().take_while(hb).count();
        if before == path.len() {
            return self.is_psc_hb(path, from, to);
        }
        let after = path.iter().rev().take_while(hb).count();
        let (from_fence, to_fence) = (self.is_fence(from), self.is_fence(to));
        // [F];hb on the one side and hb;[F] on the other.
        if (before > 0) != from_fence || (after > 0) != to_fence {
            return false;
        }
        let eco = &path[before..path.len() - after];
        let order = match eco.split_last() {
            Some((last, order)) if last.because == Because::Rf => {
                if !(from_fence && to_fence) {
                    return false;
                }
                order
            }
            _ => eco,
        };
        let mo = |step: &Edge| matches!(step.because, Because::Lemma(_) | Because::Assumed);
        let fr = |step: &Edge| matches!(step.because, Because::Fr { .. });
        order.iter().enumerate().all(|(i, step)| mo(step) || i == 0 && fr(step))
    }

    /// Whether steps of po and sw make up psc.
    fn is_psc_hb(&self, path: &[Edge], from: EventId, to: EventId) -> bool {
        let (first, last) = (&path[0], &path[path.len() - 1]);
        let po = |step: &Edge| step.because == Because::Po;
        let between = || path[1..].iter().map(|step| step.from);
        // Not two accesses of one location, for rc11; a read that is left out may have been either.
        let left_out = |e: EventId| self.x.label(e).does_nothing();
        let elsewhere = |step: &Edge| {
            !left_out(step.from) && !left_out(step.to) && !self.same_location(step.from, step.to)
        };
        let far = |step: &Edge| po(step) && (self.model == Model::Rc20 || elsewhere(step));
        match (self.is_fence(from), self.is_fence(to)) {
            (true, true) => true,
            (true, false) => po(last) || between().any(|e| self.same_location(e, to)),
            (false, true) => po(first) || between().any(|e| self.same_location(from, e)),
            (false, false) => {
                self.same_location(from, to)
                    || path.iter().all(po)
                    || path.len() > 2 && far(first) && far(last)
            }
        }
    }

    fn is_fence(&self, e: EventId) -> bool {
        self.x.label(e).is_fence()
    }

    /// Whether these are accesses of one location.
    fn same_location(&self, a: EventId, b: EventId) -> bool {
        self.x.loc(a).is_some() && self.x.loc(a) == self.x.loc(b)
    }
}
