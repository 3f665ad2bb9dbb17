//! Violations: why a history is inconsistent, step by step.
//!
//! A violation is a small proof. It consists of edges between events, each with the reason why it must hold, and
//! concludes that no mo can satisfy some axiom. [`Because`] states what each reason requires;
//! `tribunal-verify`, which shares no code with the engines, checks it.

use crate::memory::{EventId, Observation};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The reason why a history is inconsistent with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The axiom that cannot be satisfied.
    pub axiom: Axiom,
    /// The reason why it cannot.
    pub refutation: Refutation,
}

/// The axioms of the models, by the papers' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axiom {
    /// acyclic(po ∪ rf)
    PoRf,
    /// irr(mo ; rf? ; hb?)
    WriteCoherence,
    /// acyclic(hb ∪ mo)
    StrongWriteCoherence,
    /// irr(fr ; rf? ; hb)
    ReadCoherence,
    /// irr(hbloc ; \[W\] ; hb ; rf⁻¹)
    WeakReadCoherence,
    /// irr(fr ; mo)
    Atomicity,
    /// no two RMWs read from the same write
    WeakAtomicity,
    /// the given final write is last in mo
    FinalValue,
    /// acyclic(po ∪ rf ∪ mo ∪ fr)
    Sequential,
    /// acyclic(po-loc ∪ rf ∪ mo ∪ fr): the local view
    PerLocation,
    /// acyclic(ppo ∪ rfe ∪ mo ∪ fr), with rf in place of rfe where rf-mm is rf: the global view
    Global,
    /// acyclic(deps ∪ rf)
    ThinAir,
    /// irr(rw\[co\] ; co)
    CausalPast,
    /// acyclic(po ∪ rf ∪ cf\[co\])
    CausalConflict,
    /// hb_o is acyclic
    CausalMemory,
    /// acyclic(po ∪ rf ∪ pww ∪ rw\[pww\])
    CausalConvergence,
    /// acyclic(po-loc ∪ rf)
    PoLocRf,
    /// acyclic(π ∪ rfe ∪ wpww ∪ rw\[wpww\]), π = ppo or po-loc
    WeakCausalConvergence,
    /// a total order of all writes and a thread's events explains the thread's reads
    Pipelined,
    /// the saturation of sc is acyclic
    SaturatedSequential,
    /// every read and every final value has a source with which the other axioms hold
    Sources,
    /// acyclic(psc): the order of seq_cst events
    SeqCst,
    /// A check of a model that is given as text.
    Given(&'static GivenCheck),
}

/// The name and the formula of a check in a model's text.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct GivenCheck {
    name: String,
    formula: String,
}

/// Names of checks and relations of models' texts, once each.
static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The checks of models' texts, once each.
static CHECKS: Mutex<Vec<Axiom>> = Mutex::new(Vec::new());

/// A name of a model's text, kept as long as the program runs.
pub fn kept(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.iter().copied().find(|&known| known == name).unwrap_or_else(|| {
        let new: &'static str = String::from(name).leak();
        names.push(new);
        new
    })
}

impl Axiom {
    /// Every axiom of the named models.
    pub const ALL: [Axiom; 22] = [
        Axiom::PoRf,
        Axiom::WriteCoherence,
        Axiom::StrongWriteCoherence,
        Axiom::ReadCoherence,
        Axiom::WeakReadCoherence,
        Axiom::Atomicity,
        Axiom::WeakAtomicity,
        Axiom::FinalValue,
        Axiom::Sequential,
        Axiom::PerLocation,
        Axiom::Global,
        Axiom::ThinAir,
        Axiom::CausalPast,
        Axiom::CausalConflict,
        Axiom::CausalMemory,
        Axiom::CausalConvergence,
        Axiom::PoLocRf,
        Axiom::WeakCausalConvergence,
        Axiom::Pipelined,
        Axiom::SaturatedSequential,
        Axiom::Sources,
        Axiom::SeqCst,
    ];

    /// The axiom with this name, or the latest check of that name in a model given as text.
    pub fn known(name: &str) -> Option<Axiom> {
        let axiom = Axiom::ALL.into_iter().find(|axiom| axiom.name() == name);
        axiom.or_else(|| {
            let checks = CHECKS.lock().unwrap_or_else(PoisonError::into_inner);
            checks.iter().rev().copied().find(|check| check.name() == name)
        })
    }

    /// The axiom of a name, or else a check of that name, which is kept as long as the program runs.
    pub fn named(name: &str, formula: &str) -> Axiom {
        if let Some(axiom) = Axiom::ALL.into_iter().find(|axiom| axiom.name() == name) {
            return axiom;
        }
        let mut checks = CHECKS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = checks.iter().find(|axiom| axiom.name() == name && axiom.formula() == formula);
        known.copied().unwrap_or_else(|| {
            let new = Box::leak(Box::new(GivenCheck { name: name.into(), formula: formula.into() }));
            checks.push(Axiom::Given(new));
            Axiom::Given(new)
        })
    }

    /// The axiom's name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Axiom::PoRf => "po-rf",
            Axiom::WriteCoherence => "write-coherence",
            Axiom::StrongWriteCoherence => "strong-write-coherence",
            Axiom::ReadCoherence => "read-coherence",
            Axiom::WeakReadCoherence => "weak-read-coherence",
            Axiom::Atomicity => "atomicity",
            Axiom::WeakAtomicity => "weak-atomicity",
            Axiom::FinalValue => "final-value",
            Axiom::Sequential => "sequential",
            Axiom::PerLocation => "per-location",
            Axiom::Global => "global",
            Axiom::ThinAir => "thin-air",
            Axiom::CausalPast => "causal-past",
            Axiom::CausalConflict => "causal-conflict",
            Axiom::CausalMemory => "causal-memory",
            Axiom::CausalConvergence => "causal-convergence",
            Axiom::PoLocRf => "po-loc-rf",
            Axiom::WeakCausalConvergence => "weak-causal-convergence",
            Axiom::Pipelined => "pipelined",
            Axiom::SaturatedSequential => "saturated-sequential",
            Axiom::Sources => "sources",
            Axiom::SeqCst => "seq-cst",
            Axiom::Given(check) => check.name.as_str(),
        }
    }

    /// The formula of the axiom.
    pub const fn formula(self) -> &'static str {
        match self {
            Axiom::PoRf => "acyclic(po ∪ rf)",
            Axiom::WriteCoherence => "irr(mo;rf?;hb?)",
            Axiom::StrongWriteCoherence => "acyclic(hb ∪ mo)",
            Axiom::ReadCoherence => "irr(fr;rf?;hb)",
            Axiom::WeakReadCoherence => "irr(hbloc;[W];hb;rf⁻¹)",
            Axiom::Atomicity => "irr(fr;mo)",
            Axiom::WeakAtomicity => "no two RMWs read from one write",
            Axiom::FinalValue => "the final write is last in mo",
            Axiom::Sequential => "acyclic(po ∪ rf ∪ mo ∪ fr)",
            Axiom::PerLocation => "acyclic(po-loc ∪ rf ∪ mo ∪ fr)",
            Axiom::Global => "acyclic(ppo ∪ rfe ∪ mo ∪ fr)",
            Axiom::ThinAir => "acyclic(deps ∪ rf)",
            Axiom::CausalPast => "irr(rw[co];co)",
            Axiom::CausalConflict => "acyclic(po ∪ rf ∪ cf[co])",
            Axiom::CausalMemory => "hb_o acyclic for every o",
            Axiom::CausalConvergence => "acyclic(po ∪ rf ∪ pww ∪ rw[pww])",
            Axiom::PoLocRf => "acyclic(po-loc ∪ rf)",
            Axiom::WeakCausalConvergence => "acyclic(π ∪ rfe ∪ wpww ∪ rw[wpww])",
            Axiom::Pipelined => "a total order for each thread",
            Axiom::SaturatedSequential => "acyclic(hb), hb the saturation",
            Axiom::Sources => "every read has a source with which the axioms hold",
            Axiom::SeqCst => "acyclic(psc)",
            Axiom::Given(check) => check.formula.as_str(),
        }
    }
}

impl fmt::Display for Axiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refutation of the axiom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// A cycle in a relation that must be acyclic: po ∪ rf; mo of one location; for sra, hb ∪ mo; for the
    /// multiprocessor and causal models, a cycle as described at [`Because`].
    Cycle(Cycle),
    /// Two RMWs read from the same write: whichever is first in mo comes between the write and the other. Not for the causal
    /// models, except wra.
    SharedSource {
        /// The write.
        write: EventId,
        /// The two RMWs that read from it.
        rmws: [EventId; 2],
    },
    /// A read reads a write that another write of the location overwrote in the read's past (weak read coherence; for
    /// cc, ccv, cm and ccm, the causal past).
    Overwritten {
        /// The read.
        read: EventId,
        /// The overwriting write.
        by: EventId,
        /// An hb path from the write that `read` reads from to `by`.
        before: Vec<Edge>,
        /// An hb path from `by` to `read`.
        after: Vec<Edge>,
    },
    /// mo orders these two writes of one location one way or the other, and both ways fail.
    Split {
        /// One write.
        first: EventId,
        /// The other.
        second: EventId,
        /// The reason why mo(first, second) fails.
        forward: Box<Refutation>,
        /// The reason why mo(second, first) fails.
        backward: Box<Refutation>,
    },
    /// Nothing wrote the value that is read.
    ThinAir(Observation),
    /// Each of these observations, in this order, has only this source left: every other write of its value is
    /// [eliminated](Refutation::NoSource). With these sources, the violation holds.
    Forced {
        /// The remaining sources, in the order in which they are found.
        sources: Vec<(Observation, EventId)>,
        /// The violation of the history with these sources.
        then: Box<Violation>,
    },
    /// Every write of the value is eliminated. A write w is *eliminated* as a source of a read r if
    /// - r comes before w, or is w;
    /// - another write of the location comes after w and before r;
    /// - r is an RMW, and another RMW reads from w (not for the causal models, except wra).
    ///
    /// `tribunal-verify` defines "before": the part of happens-before, or of the global view, that does not depend on
    /// mo, with the sources known so far.
    NoSource(EventId),
    /// Each remaining source of an open observation leads to a violation.
    Sources {
        /// The read or final value that is open.
        of: Observation,
        /// Each write of its value that is not [eliminated](Refutation::NoSource), with the violation it leads to.
        cases: Vec<(EventId, Violation)>,
    },
    /// A check of the model's text fails on every mo that has these edges. The edges follow by transitivity from those of the enclosing cases,
    /// with initial writes first and final writes last. The check is evaluated on these edges alone if it is monotone (a larger mo can only make it fail),
    /// and otherwise on a complete mo, which the edges then are.
    Check(Check),
}

/// A check of a model's text that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its index in the text, from 0.
    pub index: usize,
    /// The mo edges that it depends on.
    pub mo: Vec<(EventId, EventId)>,
    /// The events of the cycle, the ends of the pair, or the event that breaks it.
    pub events: Vec<EventId>,
}

/// A cycle: each edge begins where the previous one ends, and the first where the last ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// Derived edges that reasons refer to with [`Because::Lemma`]; each refers only to earlier ones.
    pub lemmas: Vec<Edge>,
    /// The cycle.
    pub edges: Vec<Edge>,
}

/// An edge that must hold, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The place where it begins.
    pub from: EventId,
    /// The place where it ends.
    pub to: EventId,
    /// The reason why it holds.
    pub because: Because,
}

/// The reason why an edge holds. Po, Rf, Sw, Ppo, PoLoc and Dep are edges of the history; Fr leads from a read to a write; the others
/// are mo edges (in the causal models: similar edges) between two distinct writes of one location.
///
/// An *hb path* is a sequence of edges, each beginning where the previous one ends, that the model counts as
/// happens-before: po and sw for rc20, po and rf for ra, sra and wra, po for relaxed. A path may be empty only where
/// stated. An *ordering path* is, for sra, a sequence of po, rf and mo edges (the latter as [`Because::Lemma`] or
/// [`Because::Assumed`]); for every other C11 model it is an optional rf edge followed by an hb path.
///
/// For sc, wsc, coherence, tso, pso, rmo, wmo and a given (po-mm, rf-mm), hb paths and ordering paths are paths *in one
/// view*, and so is a cycle. The *local* view (all but sc and wsc) has [`PoLoc`](Because::PoLoc), [`Rf`](Because::Rf),
/// fr and mo edges; the *global* view (all but coherence) has [`Po`](Because::Po) edges for sc and wsc, otherwise
/// [`Ppo`](Because::Ppo), [`Rf`](Because::Rf) between events that po does not relate (any, where rf-mm is rf), fr and mo
/// edges. A third, for rmo or where dependencies count, has [`Dep`](Because::Dep) and [`Rf`](Because::Rf) edges only.
/// [`Chain`](Because::Chain), [`Atomic`](Because::Atomic) and [`Sw`](Because::Sw) are not used. wsc is sc without
/// [`Final`](Because::Final) and without cases; the (po-mm, rf-mm) of sc is sc.
///
/// For the causal models:
/// - a *co path* has po and rf edges; an *hb_o path* has po, rf and [`Seen`](Because::Seen) edges whose observers are o or
///   before o in its thread (for pram: rf edges into o's thread only); an *hb path* is one whose observers are any.
/// - cc: an overwritten write by co paths. ccv: that, or a cycle of po, rf and [`Read`](Because::Read) edges with co paths.
/// - cm, pram: a cycle that is an hb_o path for some o; po edges of pram join writes and events of o's thread.
/// - ccm: a cycle of po, rf, fr and pww edges; a pww edge is [`Read`](Because::Read) or
///   [`Coherence`](Because::Coherence) with an hb path.
/// - wccm: as ccm, with [`Ppo`](Because::Ppo) (tso's) or else [`PoLoc`](Because::PoLoc) edges in place of po, the same
///   in the whole cycle, and rf between events that po does not relate. The path of a Seen edge uses one of the two, its
///   observer is the read or after it by it, and the observers of the Seen edges in its path are the observer or before it by it. The path of
///   [`Read`](Because::Read) uses one of the two and its read does not read from its own thread or from an initial
///   write; the path of [`Coherence`](Because::Coherence) may use both. A cycle of [`PoLoc`](Because::PoLoc) and
///   [`Rf`](Because::Rf) edges, any rf, breaks the first axiom.
/// - For all of these a cycle of po and rf edges will do, except for pram and wccm.
/// - A lemma has the observer, the path and the place of the edge that it repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// Program order; an initial write is before every event of every thread.
    Po,
    /// `to` reads from `from`.
    Rf,
    /// `from` synchronizes with `to`: `write` is `from` or comes after the fence `from` in its thread, `read` is `to` or
    /// comes before the fence `to` in its thread, and `read` reads from `write` through any number of RMWs.
    Sw {
        /// The write at the head of the release sequence.
        write: EventId,
        /// The read at its end.
        read: EventId,
    },
    /// Program order that the model preserves: by the kinds of the ends, a fence between, a dependency or times.
    Ppo,
    /// Program order between accesses of one location; for rmo not between two plain reads. An initial write is before
    /// every access of its location.
    PoLoc,
    /// `to` depends on the read `from`.
    Dep,
    /// fr, since `from`, which is not `to`, reads from a write that is before `to`.
    Fr {
        /// The mo edge (for ccm and wccm: the pww edge) from the write that `from` reads from to `to`.
        premise: Box<Edge>,
    },
    /// The two writes are of one location, and the observer sees them in this order: `read`, which is the observer or
    /// before it, reads from `to` though `from` is before it in the observer's hb.
    Seen {
        /// The observer.
        observer: EventId,
        /// The read.
        read: EventId,
        /// A path in the observer's hb from `from` to `read`; not empty.
        path: Vec<Edge>,
    },
    /// mo, since `to` is an RMW that reads from `from` through any number of RMWs.
    Chain,
    /// mo, since an ordering path leads from `from` to `to` (write coherence).
    Coherence {
        /// The path; not empty.
        path: Vec<Edge>,
    },
    /// mo, since `read` reads from `to` though `from` is in its past (read coherence): an optional rf edge and then a
    /// non-empty hb path lead from `from` to `read`.
    Read {
        /// The read.
        read: EventId,
        /// The path.
        path: Vec<Edge>,
    },
    /// mo, since nothing comes between an RMW and the write it reads from (atomicity): the premise is an mo edge from
    /// a to b; `from` is a or reads from a through RMWs; b is `to` or reads from `to` through RMWs; and the RMWs walked
    /// through do not include the other end.
    Atomic {
        /// The mo edge that is carried along the RMWs.
        premise: Box<Edge>,
    },
    /// psc, between two seq_cst events (rc20 and rc11). The path is one of
    /// - po and sw edges that make up happens-before in a way that psc has: between two fences any; from a fence to an
    ///   access, the last edge is po or an event before the last is an access of its location; from an access to a fence, the
    ///   first edge is po or an event behind the first is an access of its location; between two accesses, they are of one
    ///   location, or all edges are po, or the first and the last edge are po (for rc11, such that they do not join two
    ///   accesses of one location);
    /// - po and sw edges, at least one if `from` is a fence and none if not; an fr edge or an mo edge; any number of mo
    ///   edges; and po and sw edges, at least one if `to` is a fence and none if not;
    /// - between two fences, the same with an rf edge behind the mo edges, or with an rf edge alone in place of fr and mo.
    ///
    /// mo edges in it, and premises of fr, are by [`Because::Lemma`] or [`Because::Assumed`].
    Psc {
        /// The path; not empty.
        path: Vec<Edge>,
    },
    /// mo, since the other way around it would close a cycle of [psc](Because::Psc) edges.
    Unless {
        /// The cycle, in which mo edges from `to` to `from` may be [assumed](Because::Assumed).
        cycle: Vec<Edge>,
    },
    /// mo, since `to` is the given final write of its location.
    Final,
    /// mo, by the case that an enclosing [`Refutation::Split`] distinguishes.
    Assumed,
    /// mo, by the lemma of this index in the same [`Cycle`], which has the same ends.
    Lemma(usize),
}

impl Because {
    /// The name of the reason in every output.
    pub const fn name(&self) -> &'static str {
        match self {
            Because::Po => "po",
            Because::Rf => "rf",
            Because::Sw { .. } => "sw",
            Because::Ppo => "ppo",
            Because::PoLoc => "po-loc",
            Because::Dep => "dep",
            Because::Fr { .. } => "fr",
            Because::Seen { .. } => "seen",
            Because::Chain => "chain",
            Because::Coherence { .. } => "coherence",
            Because::Read { .. } => "read",
            Because::Atomic { .. } => "atomic",
            Because::Psc { .. } => "psc",
            Because::Unless { .. } => "unless",
            Because::Final => "final",
            Because::Assumed => "assumed",
            Because::Lemma(_) => "lemma",
        }
    }

    /// Whether the edge is one of the history alone.
    pub const fn is_history(&self) -> bool {
        matches!(
            self,
            Because::Po | Because::Rf | Because::Sw { .. } | Because::Ppo | Because::PoLoc | Because::Dep
        )
    }

    /// Whether the edge joins two writes of one location.
    pub const fn is_mo(&self) -> bool {
        !self.is_history() && !matches!(self, Because::Fr { .. } | Because::Psc { .. })
    }
}

impl Cycle {
    /// Leaves out the lemmas that nothing refers to.
    pub fn drop_idle_lemmas(&mut self) {
        let mut used = vec![false; self.lemmas.len()];
        self.edges.iter().for_each(|edge| edge.each_lemma(&mut |i| used[i] = true));
        // Each refers to earlier ones only.
        for i in (0..self.lemmas.len()).rev() {
            if used[i] {
                self.lemmas[i].each_lemma(&mut |earlier| used[earlier] = true);
            }
        }
        let mut kept = 0;
        let renamed: Vec<usize> = used
            .iter()
            .map(|&used| {
                kept += usize::from(used);
                kept.saturating_sub(1)
            })
            .collect();
        let mut used = used.into_iter();
        self.lemmas.retain(|_| used.next().unwrap_or(false));
        self.lemmas.iter_mut().chain(&mut self.edges).for_each(|edge| edge.rename_lemmas(&renamed));
    }
}

impl Edge {
    /// The edges that the reason of this one depends on.
    fn grounds(&self) -> &[Edge] {
        match &self.because {
            Because::Coherence { path }
            | Because::Read { path, .. }
            | Because::Seen { path, .. }
            | Because::Psc { path }
            | Because::Unless { cycle: path } => path,
            Because::Atomic { premise } | Because::Fr { premise } => std::slice::from_ref(premise),
            _ => &[],
        }
    }

    fn each_lemma(&self, visit: &mut impl FnMut(usize)) {
        if let Because::Lemma(i) = self.because {
            visit(i);
        }
        self.grounds().iter().for_each(|edge| edge.each_lemma(visit));
    }

    fn rename_lemmas(&mut self, renamed: &[usize]) {
        match &mut self.because {
            Because::Lemma(i) => *i = renamed[*i],
            Because::Coherence { path }
            | Because::Read { path, .. }
            | Because::Seen { path, .. }
            | Because::Psc { path }
            | Because::Unless { cycle: path } => {
                path.iter_mut().for_each(|edge| edge.rename_lemmas(renamed));
            }
            Because::Atomic { premise } | Because::Fr { premise } => premise.rename_lemmas(renamed),
            _ => {}
        }
    }
}

impl Violation {
    /// The number of edges it takes to say the violation: the measure of how short it is.
    pub fn weight(&self) -> usize {
        self.refutation.weight()
    }

    /// The events that the violation mentions, each once.
    pub fn events(&self) -> Vec<EventId> {
        let mut events = Vec::new();
        self.refutation.each_event(&mut |event| events.push(event));
        events.sort_unstable();
        events.dedup();
        events
    }
}

impl Refutation {
    /// Whether it ends in [checks](Refutation::Check) of the model's text: all of its steps do, or none.
    pub fn is_of_checks(&self) -> bool {
        let mut refutation = self;
        while let Refutation::Split { forward, .. } = refutation {
            refutation = forward;
        }
        matches!(refutation, Refutation::Check(_))
    }

    fn each_event(&self, visit: &mut impl FnMut(EventId)) {
        match self {
            Refutation::Cycle(Cycle { lemmas, edges }) => {
                lemmas.iter().chain(edges).for_each(|edge| edge.each_event(visit));
            }
            Refutation::SharedSource { write, rmws: [a, b] } => {
                [write, a, b].into_iter().for_each(|event| visit(*event))
            }
            Refutation::Overwritten { read, by, before, after } => {
                visit(*read);
                visit(*by);
                before.iter().chain(after).for_each(|edge| edge.each_event(visit));
            }
            Refutation::Split { first, second, forward, backward } => {
                visit(*first);
                visit(*second);
                forward.each_event(visit);
                backward.each_event(visit);
            }
            Refutation::ThinAir(observation) => visit_read(*observation, visit),
            Refutation::NoSource(read) => visit(*read),
            Refutation::Check(check) => {
                check.mo.iter().for_each(|&(from, to)| {
                    visit(from);
                    visit(to);
                });
                check.events.iter().for_each(|&event| visit(event));
            }
            Refutation::Forced { sources, then } => {
                for &(observation, source) in sources {
                    visit_read(observation, visit);
                    visit(source);
                }
                then.refutation.each_event(visit);
            }
            Refutation::Sources { of, cases } => {
                visit_read(*of, visit);
                for (source, case) in cases {
                    visit(*source);
                    case.refutation.each_event(visit);
                }
            }
        }
    }

    fn weight(&self) -> usize {
        match self {
            Refutation::Cycle(cycle) => cycle.lemmas.iter().chain(&cycle.edges).map(Edge::weight).sum(),
            Refutation::SharedSource { .. } => 2,
            Refutation::Overwritten { before, after, .. } => 1 + before.len() + after.len(),
            Refutation::Split { forward, backward, .. } => 1 + forward.weight() + backward.weight(),
            Refutation::ThinAir(_) | Refutation::NoSource(_) => 1,
            Refutation::Check(check) => 1 + check.mo.len() + check.events.len(),
            Refutation::Forced { sources, then } => sources.len() + then.weight(),
            Refutation::Sources { cases, .. } => {
                1 + cases.iter().map(|(_, case)| 1 + case.weight()).sum::<usize>()
            }
        }
    }
}

fn visit_read(observation: Observation, visit: &mut impl FnMut(EventId)) {
    if let Observation::Read(read) = observation {
        visit(read);
    }
}

impl Cycle {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let edges: usize = self.lemmas.iter().chain(&self.edges).map(Edge::weight).sum();
        // A path has room for as many edges again.
        size_of::<Cycle>() + 2 * edges * size_of::<Edge>()
    }
}

impl Edge {
    fn each_event(&self, visit: &mut impl FnMut(EventId)) {
        visit(self.from);
        visit(self.to);
        match self.because {
            Because::Sw { write, read } => {
                visit(write);
                visit(read);
            }
            Because::Seen { observer, read, .. } => {
                visit(observer);
                visit(read);
            }
            Because::Read { read, .. } => visit(read),
            _ => {}
        }
        self.grounds().iter().for_each(|edge| edge.each_event(visit));
    }

    fn weight(&self) -> usize {
        1 + self.grounds().iter().map(Edge::weight).sum::<usize>()
    }
}
