//! Cycles of the causal models: of what each observer must have seen.

use super::{Proof, is_po_rf};
use crate::{EdgeFault, Refusal, known};
use tribunal_history::memory::EventId;
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge};

/// The part of program order, π, that an observer's hb is built on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    Po,
    Ppo,
    PoLoc,
}

impl Along {
    const fn is_edge(self, because: &Because) -> bool {
        match self {
            Along::Po => matches!(because, Because::Po),
            Along::Ppo => matches!(because, Because::Ppo),
            Along::PoLoc => matches!(because, Because::PoLoc),
        }
    }
}

/// An edge proved, lemmas followed to what they stand for.
#[derive(Clone, Copy)]
struct Proved<'a> {
    edge: &'a Edge,
    /// Of a Seen edge: whether it is one along the first and along the second of the model's π.
    along: [bool; 2],
}

impl<'a> Proof<'a> {
    pub(super) fn causal_cycle(&mut self, cycle: &'a Cycle) -> Result<(), Refusal> {
        let mut lemmas = Vec::with_capacity(cycle.lemmas.len());
        for lemma in &cycle.lemmas {
            let proved = self.derived(lemma, &lemmas)?;
            lemmas.push(proved);
        }
        let edges = &cycle.edges;
        for edge in edges {
            known(self.x, edge.from)?;
            known(self.x, edge.to)?;
        }
        self.joined(edges, edges[0].from, edges[0].from)?;
        let po_rf = edges.iter().all(is_po_rf);
        match self.model {
            Model::Cm | Model::Pram => {
                self.observers_cycle(edges, &lemmas)?;
                let pram = self.model == Model::Pram;
                self.rest_on(if pram { Axiom::Pipelined } else { Axiom::CausalMemory });
            }
            Model::Wccm => self.weak_cycle(edges, &lemmas)?,
            _ => {
                self.convergent_cycle(edges, Along::Po, &lemmas)?;
                match self.model {
                    Model::Ccv => self.rest_on(Axiom::CausalConflict),
                    Model::Ccm => self.rest_on(Axiom::CausalConvergence),
                    _ => {}
                }
            }
        }
        if po_rf && self.model != Model::Pram {
            self.rest_on(Axiom::PoRf);
        }
        Ok(())
    }

    fn lines(&self) -> &'static [Along] {
        if self.model == Model::Wccm { &[Along::Ppo, Along::PoLoc] } else { &[Along::Po] }
    }

    /// cm, pram: the cycle is in the hb of the last of its observers.
    fn observers_cycle(&self, edges: &'a [Edge], lemmas: &[Proved<'a>]) -> Result<(), Refusal> {
        let mut observer = None;
        for edge in edges {
            if let Because::Seen { observer: other, .. } = self.resolved(edge, lemmas)?.edge.because {
                observer = observer.max(Some(known(self.x, other)?));
            }
        }
        // Without one, any observer does; for pram it must be in the thread that reads.
        let reader = || edges.iter().find(|edge| edge.because == Because::Rf).map(|edge| edge.to);
        self.hb_path(edges, Along::Po, observer.or_else(reader), lemmas)
    }

    /// wccm: a cycle along one π, or one of po-loc and rf.
    fn weak_cycle(&mut self, edges: &'a [Edge], lemmas: &[Proved<'a>]) -> Result<(), Refusal> {
        if edges.iter().all(|edge| matches!(edge.because, Because::PoLoc | Because::Rf)) {
            edges.iter().try_for_each(|edge| self.history_edge(edge))?;
            self.rest_on(Axiom::PoLocRf);
            let external =
                |edge: &Edge| edge.because != Because::Rf || self.program.reads_externally(edge.to);
            if edges.iter().all(external) {
                self.rest_on(Axiom::WeakCausalConvergence);
            }
            return Ok(());
        }
        let along = self.lines_of(edges)[0];
        self.convergent_cycle(edges, along, lemmas)?;
        self.rest_on(Axiom::WeakCausalConvergence);
        Ok(())
    }

    /// Edges of π, rf, fr and pww, as far as the model has them; for wccm rf only from outside.
    fn convergent_cycle(
        &self,
        edges: &'a [Edge],
        along: Along,
        lemmas: &[Proved<'a>],
    ) -> Result<(), Refusal> {
        for edge in edges {
            match &edge.because {
                Because::Rf => self.rf_edge(edge, along, None)?,
                because if along.is_edge(because) => self.history_edge(edge)?,
                Because::Fr { premise } if matches!(self.model, Model::Ccm | Model::Wccm) => {
                    self.fr_ends(edge, premise)?;
                    self.convergent_edge(premise, lemmas)?;
                }
                because if because.is_mo() => self.convergent_edge(edge, lemmas)?,
                _ => return self.fault(edge, EdgeFault::Misplaced),
            }
        }
        Ok(())
    }

    /// An edge of pww (ccm, wccm) or of cf (ccv).
    fn convergent_edge(&self, edge: &'a Edge, lemmas: &[Proved<'a>]) -> Result<(), Refusal> {
        let proved = self.derived(edge, lemmas)?.edge;
        if matches!(proved.because, Because::Read { .. } | Because::Coherence { .. }) {
            Ok(())
        } else {
            self.fault(edge, EdgeFault::Misplaced)
        }
    }

    /// The edge that an edge stands for: the lemma's, or itself.
    fn resolved(&self, edge: &'a Edge, lemmas: &[Proved<'a>]) -> Result<Proved<'a>, Refusal> {
        let Because::Lemma(i) = edge.because else {
            return Ok(Proved { edge, along: [false; 2] });
        };
        match lemmas.get(i) {
            None => self.fault(edge, EdgeFault::NoLemma(i)),
            Some(lemma) if (lemma.edge.from, lemma.edge.to) == (edge.from, edge.to) => Ok(*lemma),
            Some(_) => self.fault(edge, EdgeFault::OtherLemma(i)),
        }
    }

    /// Checks an edge between two writes: one that an observer has seen, or one of pww or cf.
    fn derived(&self, edge: &'a Edge, lemmas: &[Proved<'a>]) -> Result<Proved<'a>, Refusal> {
        self.write_ends(edge)?;
        let mut along = [false; 2];
        match &edge.because {
            Because::Lemma(_) => return self.resolved(edge, lemmas),
            Because::Seen { path, .. } if self.observes() => {
                let mut refused = None;
                for &line in self.lines_of(path) {
                    match self.seen(edge, line, lemmas) {
                        Ok(()) => along[usize::from(line == Along::PoLoc)] = true,
                        Err(refusal) => refused = refused.or(Some(refusal)),
                    }
                }
                if let Some(refusal) = refused
                    && along == [false; 2]
                {
                    return Err(refusal);
                }
            }
            // cf
            Because::Read { read, path } if !matches!(self.model, Model::Cc | Model::Cm | Model::Pram) => {
                if self.x.rf(known(self.x, *read)?) != Some(edge.to) {
                    return self.fault(edge, EdgeFault::NotReadFrom(self.named(*read)));
                }
                if self.model == Model::Wccm && !self.program.reads_externally(*read) {
                    return self.fault(edge, EdgeFault::ReadsInternally(self.named(*read)));
                }
                self.path_of(edge, path, *read)?;
                self.along_some(path, lemmas)?;
            }
            // hb between writes of one location
            Because::Coherence { path } if matches!(self.model, Model::Ccm | Model::Wccm) => {
                self.path_of(edge, path, edge.to)?;
                path.iter().try_for_each(|step| self.along_some(std::slice::from_ref(step), lemmas))?;
            }
            because if because.is_mo() => return self.fault(edge, EdgeFault::Misplaced),
            _ => return self.fault(edge, EdgeFault::NotMo),
        }
        Ok(Proved { edge, along })
    }

    /// Whether the model has observers.
    fn observes(&self) -> bool {
        matches!(self.model, Model::Cm | Model::Pram | Model::Ccm | Model::Wccm)
    }

    /// The πs that a path can be along by the look of it; where it fits none, the one to say so.
    fn lines_of(&self, path: &[Edge]) -> &'static [Along] {
        let lines = self.lines();
        let uses = |line: Along| path.iter().any(|edge| line.is_edge(&edge.because));
        let first = lines.iter().position(|&line| uses(line));
        first.map_or(lines, |at| &lines[at..=at])
    }

    /// Checks that a path is one of hb along one π, whoever observes.
    fn along_some(&self, path: &'a [Edge], lemmas: &[Proved<'a>]) -> Result<(), Refusal> {
        let mut refused = None;
        for &line in self.lines_of(path) {
            match self.hb_path(path, line, None, lemmas) {
                Ok(()) => return Ok(()),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Checks that the path of a reason leads from the beginning of its edge to `to`.
    fn path_of(&self, edge: &Edge, path: &[Edge], to: EventId) -> Result<(), Refusal> {
        if path.is_empty() {
            return self.fault(edge, EdgeFault::EmptyPath);
        }
        for step in path {
            known(self.x, step.from)?;
            known(self.x, step.to)?;
        }
        self.joined(path, edge.from, to)
    }

    /// Checks a Seen edge along π, and the Seen edges that it depends on.
    fn seen(&self, edge: &'a Edge, along: Along, lemmas: &[Proved<'a>]) -> Result<(), Refusal> {
        self.all_seen(vec![edge], along, lemmas)
    }

    fn all_seen(
        &self,
        mut pending: Vec<&'a Edge>,
        along: Along,
        lemmas: &[Proved<'a>],
    ) -> Result<(), Refusal> {
        while let Some(edge) = pending.pop() {
            let Because::Seen { observer, read, path } = &edge.because else { continue };
            self.write_ends(edge)?;
            let (observer, read) = (known(self.x, *observer)?, known(self.x, *read)?);
            if self.x.rf(read) != Some(edge.to) {
                return self.fault(edge, EdgeFault::NotReadFrom(self.named(read)));
            }
            if !self.up_to(read, observer, along) {
                let (event, observer) = (self.named(read), self.named(observer));
                return self.fault(edge, EdgeFault::NotObserved { event, observer });
            }
            self.path_of(edge, path, read)?;
            self.hb_steps(path, along, Some(observer), lemmas, &mut pending)?;
        }
        Ok(())
    }

    /// Checks that edges between known events are of hb_o along π, or of hb where there is no observer o.
    fn hb_path(
        &self,
        path: &'a [Edge],
        along: Along,
        observer: Option<EventId>,
        lemmas: &[Proved<'a>],
    ) -> Result<(), Refusal> {
        let mut pending = Vec::new();
        self.hb_steps(path, along, observer, lemmas, &mut pending)?;
        self.all_seen(pending, along, lemmas)
    }

    /// Like [`hb_path`](Self::hb_path), but leaves the Seen edges to be checked.
    fn hb_steps(
        &self,
        path: &'a [Edge],
        along: Along,
        observer: Option<EventId>,
        lemmas: &[Proved<'a>],
        pending: &mut Vec<&'a Edge>,
    ) -> Result<(), Refusal> {
        for edge in path {
            match &edge.because {
                Because::Rf => self.rf_edge(edge, along, observer)?,
                because if along.is_edge(because) => {
                    self.history_edge(edge)?;
                    if self.model == Model::Pram
                        && ![edge.from, edge.to].into_iter().all(|e| self.pram_orders(e, observer))
                    {
                        return self.fault(edge, EdgeFault::Misplaced);
                    }
                }
                Because::Seen { .. } | Because::Lemma(_) if self.observes() => {
                    let proved = self.resolved(edge, lemmas)?;
                    let Because::Seen { observer: earlier, .. } = proved.edge.because else {
                        return self.fault(edge, EdgeFault::Misplaced);
                    };
                    known(self.x, earlier)?;
                    if let Some(observer) = observer
                        && !self.up_to(earlier, observer, along)
                    {
                        let (event, observer) = (self.named(earlier), self.named(observer));
                        return self.fault(edge, EdgeFault::NotObserved { event, observer });
                    }
                    if matches!(edge.because, Because::Seen { .. }) {
                        pending.push(edge);
                    } else if !proved.along[usize::from(along == Along::PoLoc)] {
                        return self.fault(edge, EdgeFault::Misplaced);
                    }
                }
                _ => return self.fault(edge, EdgeFault::Misplaced),
            }
        }
        Ok(())
    }

    /// An rf edge: for wccm from outside the thread, for pram into the observer's.
    fn rf_edge(&self, edge: &Edge, along: Along, observer: Option<EventId>) -> Result<(), Refusal> {
        self.history_edge(edge)?;
        let foreign = || observer.and_then(|o| self.x.thread_of(o)) != self.x.thread_of(edge.to);
        if along != Along::Po && !self.program.reads_externally(edge.to) {
            self.fault(edge, EdgeFault::ReadsInternally(self.named(edge.to)))
        } else if self.model == Model::Pram && foreign() {
            self.fault(edge, EdgeFault::Misplaced)
        } else {
            Ok(())
        }
    }

    /// Whether the order that pram asks for has an event: a write, or an event of the observer's thread.
    fn pram_orders(&self, event: EventId, observer: Option<EventId>) -> bool {
        self.x.label(event).writes()
            || observer.is_some_and(|o| self.x.thread_of(o) == self.x.thread_of(event))
    }

    /// Whether `first` is `second` or before it by π, so that as an observer it has seen no more.
    fn up_to(&self, first: EventId, second: EventId, along: Along) -> bool {
        let x = self.x;
        first == second
            || match along {
                Along::Po => self.program.po(first, second),
                Along::PoLoc => self.program.po_loc(first, second, false),
                // tso's, in one step.
                Along::Ppo => {
                    self.program.po(first, second) && (x.label(first).reads() || x.label(second).writes())
                }
            }
    }
}
