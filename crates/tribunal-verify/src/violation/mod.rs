//! Checks a violation step by step; the rules are those of [`Because`] and [`Refutation`].
//!
//! What the families of models have in common is here: refutations, edges of the history, and mo edges that need no
//! further proof. Cycles are a matter of the family.

mod c11;
mod causal;
mod psc;
mod views;

use super::chains::Chains;
use super::program::Program;
use super::{EdgeFault, Named, Refusal, applies, known};
use super::{definition, sources};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, Order, ThreadId};
use tribunal_history::model::{Family, Model, Preserved};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Accepts a violation that proves that no mo satisfies the model's axioms.
///
/// Linear in the violation, and in the history where the violation follows RMWs or fences. Nothing recurses: a
/// violation may nest as deeply as it likes.
///
/// Where values repeat, O(n·k) for each time that sources are eliminated with others known, and O(n) for each case.
pub fn verify_violation(x: &Execution, model: Model, violation: &Violation) -> Result<(), Refusal> {
    within(x, model, violation, &Limits::default())
}

/// Like [`verify_violation`], within limits.
pub(super) fn within(
    x: &Execution,
    model: Model,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    applies(x, model)?;
    if x.is_open() {
        sources::refuted(x, model, violation, limits)
    } else {
        proved(x, model, is_sc(x, model), violation, limits)
    }
}

/// Whether the model is sc for this history: where every event is seq_cst, rc20 and rc11 are, with the same mo, since psc and sc's order
/// have the same closure.
pub(super) fn is_sc(x: &Execution, model: Model) -> bool {
    matches!(model, Model::Rc20 | Model::Rc11) && x.events().all(|e| x.label(e).order() == Order::SeqCst)
}

/// Accepts a violation of a history in which every read has its source; if so said, also one of sc.
pub(super) fn proved(
    x: &Execution,
    model: Model,
    sc: bool,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    match proved_of(x, model, violation, limits) {
        Err(refusal) if sc => match proved_of(x, Model::Sc, violation, limits) {
            // What is told is what the violation claims to be.
            Err(of_sc) if violation.axiom == Axiom::Sequential => Err(of_sc),
            as_sc => as_sc.map_err(|_| refusal),
        },
        proved => proved,
    }
}

fn proved_of(x: &Execution, model: Model, violation: &Violation, limits: &Limits<'_>) -> Result<(), Refusal> {
    if violation.refutation.is_of_checks() {
        return definition::refuted(x, model, violation, limits);
    }
    // The pair (po-mm, rf-mm) of sc is sc.
    let model = if model.preserved() == Some(Preserved::SC) { Model::Sc } else { model };
    let mut proof = Proof {
        x,
        model,
        program: Program::new(x),
        chains: OnceCell::new(),
        last_of: RefCell::default(),
        assumed: FxHashMap::default(),
        axioms: Vec::new(),
    };
    proof.refutation(&violation.refutation)?;
    if proof.rests_on(violation.axiom) {
        Ok(())
    } else {
        Err(Refusal::NotInvolved { axiom: violation.axiom })
    }
}

/// The work that is left when case distinctions nest.
enum Task<'a> {
    Refute(&'a Refutation),
    Assume((EventId, EventId)),
    Discharge((EventId, EventId)),
}

struct Proof<'a> {
    x: &'a Execution,
    model: Model,
    program: Program<'a>,
    chains: OnceCell<Chains>,
    /// By write and thread: the last atomic write of the thread that the write is, or reads from through RMWs, as far as asked for.
    last_of: RefCell<FxHashMap<(EventId, ThreadId), Option<EventId>>>,
    /// The number of enclosing cases that assume that mo orders these two writes so.
    assumed: FxHashMap<(EventId, EventId), usize>,
    /// The axioms that the steps so far depend on.
    axioms: Vec<Axiom>,
}

impl<'a> Proof<'a> {
    fn rest_on(&mut self, axiom: Axiom) {
        if !self.rests_on(axiom) {
            self.axioms.push(axiom);
        }
    }

    fn rests_on(&self, axiom: Axiom) -> bool {
        self.axioms.contains(&axiom)
    }

    fn named(&self, event: EventId) -> Named {
        Named::new(self.x, event)
    }

    fn fault<T>(&self, edge: &Edge, fault: EdgeFault) -> Result<T, Refusal> {
        Err(Refusal::edge(self.x, edge, fault))
    }

    /// Whether some mo must satisfy the model's axioms.
    fn has_mo(&self) -> bool {
        match self.model.family() {
            Family::C11 => self.model != Model::Wra,
            Family::Views => self.model != Model::Wsc,
            Family::Causal => false,
            Family::Text => true,
        }
    }

    /// The parts that the model's ppo keeps, if it has one.
    fn preserved(&self) -> Option<Preserved> {
        if self.model == Model::Wccm { Some(Preserved::TSO) } else { self.model.preserved() }
    }

    fn refutation(&mut self, refutation: &'a Refutation) -> Result<(), Refusal> {
        let mut tasks = vec![Task::Refute(refutation)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Assume(pair) => self.assume(pair),
                Task::Discharge(pair) => self.discharge(pair),
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
                // Only where all steps are checks are they looked at.
                Task::Refute(Refutation::Check(_)) => {
                    return Err(Refusal::OtherRefutation {
                        refutation: "a check among other steps",
                        model: self.model,
                    });
                }
                Task::Refute(
                    Refutation::ThinAir(_)
                    | Refutation::NoSource(_)
                    | Refutation::Forced { .. }
                    | Refutation::Sources { .. },
                ) => return Err(Refusal::NothingOpen),
            }
        }
        Ok(())
    }

    fn assume(&mut self, pair: (EventId, EventId)) {
        *self.assumed.entry(pair).or_insert(0) += 1;
    }

    fn discharge(&mut self, pair: (EventId, EventId)) {
        *self.assumed.entry(pair).or_insert(1) -= 1;
    }

    fn cycle(&mut self, cycle: &'a Cycle) -> Result<(), Refusal> {
        if cycle.edges.is_empty() {
            return Err(Refusal::EmptyCycle);
        }
        match self.model.family() {
            Family::C11 => self.c11_cycle(cycle),
            Family::Views => self.view_cycle(cycle),
            Family::Causal => self.causal_cycle(cycle),
            Family::Text => {
                Err(Refusal::OtherRefutation { refutation: "a cycle with reasons", model: self.model })
            }
        }
    }

    fn shared_source(&mut self, write: EventId, rmws: [EventId; 2]) -> Result<(), Refusal> {
        let (axiom, views): (_, &[Axiom]) = match self.model.family() {
            Family::C11 if self.has_mo() => (Axiom::Atomicity, &[]),
            Family::C11 => (Axiom::WeakAtomicity, &[]),
            // mo orders the two RMWs and fr goes back: a cycle in every view with mo.
            Family::Views => (Axiom::Atomicity, self.order_axioms()),
            Family::Causal | Family::Text => {
                return Err(Refusal::OtherRefutation { refutation: "a shared source", model: self.model });
            }
        };
        let [first, second] = rmws;
        for e in [write, first, second] {
            known(self.x, e)?;
        }
        let reads_it = |e| self.x.label(e).kind() == Kind::Rmw && self.x.rf(e) == Some(write);
        if first == second || !reads_it(first) || !reads_it(second) {
            let (first, second) = (self.named(first), self.named(second));
            return Err(Refusal::NoSharedSource { first, second, write: self.named(write) });
        }
        self.rest_on(axiom);
        views.iter().for_each(|&axiom| self.rest_on(axiom));
        Ok(())
    }

    fn overwritten(
        &mut self,
        read: EventId,
        by: EventId,
        before: &[Edge],
        after: &[Edge],
    ) -> Result<(), Refusal> {
        let axiom = match self.model {
            Model::Wra => Axiom::WeakReadCoherence,
            Model::Cc | Model::Ccv | Model::Cm | Model::Ccm => Axiom::CausalPast,
            model => return Err(Refusal::OtherRefutation { refutation: "an overwritten write", model }),
        };
        let x = self.x;
        known(x, read)?;
        known(x, by)?;
        let source = match x.rf(read) {
            Some(w) if w != by && x.label(by).writes() && x.loc(by) == x.loc(w) => w,
            _ => return Err(Refusal::NotOverwritten { read: self.named(read), by: self.named(by) }),
        };
        self.co_path(before, source, by)?;
        self.co_path(after, by, read)?;
        self.rest_on(axiom);
        Ok(())
    }

    /// Edges of po and rf, at least one.
    fn co_path(&self, path: &[Edge], from: EventId, to: EventId) -> Result<(), Refusal> {
        if path.is_empty() {
            return Err(Refusal::EmptyPath { from: self.named(from), to: self.named(to) });
        }
        for edge in path {
            self.history_edge(edge)?;
            if !is_po_rf(edge) {
                return self.fault(edge, EdgeFault::Misplaced);
            }
        }
        self.joined(path, from, to)
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

    /// Checks that an edge of the history, on known events or not, is one. Whether it may stand where it does is
    /// another matter.
    fn history_edge(&self, edge: &Edge) -> Result<(), Refusal> {
        let (from, to) = (known(self.x, edge.from)?, known(self.x, edge.to)?);
        let load_hazards = || self.preserved().is_some_and(|kept| kept.load_hazards);
        let fault = match edge.because {
            Because::Po if !self.program.po(from, to) => EdgeFault::NotPo,
            Because::Rf if self.x.rf(to) != Some(from) => EdgeFault::NotRf,
            Because::PoLoc if !self.program.po_loc(from, to, load_hazards()) => EdgeFault::NotPoLoc,
            Because::Dep if !self.program.dep(from, to) => EdgeFault::NotDep,
            Because::Po | Because::Rf | Because::PoLoc | Because::Dep => return Ok(()),
            Because::Ppo => match self.preserved() {
                Some(kept) if self.program.ppo(&kept, from, to) => return Ok(()),
                Some(_) => EdgeFault::NotPpo,
                None => EdgeFault::Misplaced,
            },
            Because::Sw { write, read } => {
                match self.sw_fault(from, known(self.x, write)?, known(self.x, read)?, to) {
                    Some(fault) => fault,
                    None => return Ok(()),
                }
            }
            _ => EdgeFault::Misplaced,
        };
        self.fault(edge, fault)
    }

    /// Checks an mo edge between writes of one location that is given, supposed or proved before.
    fn stated(&mut self, edge: &Edge, lemmas: &[Edge]) -> Result<(), Refusal> {
        match edge.because {
            Because::Final => {
                if !self.x.finals().iter().any(|&(_, last)| last == edge.to) {
                    return self.fault(edge, EdgeFault::NotFinal);
                }
                self.rest_on(Axiom::FinalValue);
                Ok(())
            }
            Because::Assumed if self.assumed.get(&(edge.from, edge.to)).is_some_and(|&cases| cases > 0) => {
                Ok(())
            }
            Because::Assumed => self.fault(edge, EdgeFault::NotAssumed),
            Because::Lemma(i) => match lemmas.get(i) {
                None => self.fault(edge, EdgeFault::NoLemma(i)),
                Some(lemma) if (lemma.from, lemma.to) == (edge.from, edge.to) => Ok(()),
                Some(_) => self.fault(edge, EdgeFault::OtherLemma(i)),
            },
            _ if edge.because.is_mo() => self.fault(edge, EdgeFault::Misplaced),
            _ => self.fault(edge, EdgeFault::NotMo),
        }
    }

    /// Checks that `from` reads from the beginning of the premise, which ends at `to`.
    fn fr_ends(&self, edge: &Edge, premise: &Edge) -> Result<(), Refusal> {
        if edge.from == edge.to || self.x.rf(edge.from) != Some(premise.from) || edge.to != premise.to {
            self.fault(edge, EdgeFault::NotFr)
        } else {
            Ok(())
        }
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

    /// Whether these are two distinct writes of one location.
    fn mo_orders(&self, a: EventId, b: EventId) -> bool {
        let x = self.x;
        a != b && x.label(a).writes() && x.label(b).writes() && x.loc(a) == x.loc(b)
    }

    /// Checks that an edge joins two distinct writes of one location, as mo does.
    fn write_ends(&self, edge: &Edge) -> Result<(), Refusal> {
        if self.mo_orders(known(self.x, edge.from)?, known(self.x, edge.to)?) {
            Ok(())
        } else {
            self.fault(edge, EdgeFault::NotWritesOfOneLocation)
        }
    }
}

fn is_po_rf(edge: &Edge) -> bool {
    matches!(edge.because, Because::Po | Because::Rf)
}
