//! Violations: why a history is inconsistent, step by step.
//!
//! A violation is a small proof. Its atoms are edges between events, each with the reason why it must hold; its
//! conclusion is that some axiom cannot be satisfied by any mo. What each reason requires is said at [`Because`]; it
//! is checked by [`verify`](crate::verify), which shares no code with the engines.

use crate::memory::EventId;
use std::fmt;

/// Why a history is inconsistent with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The axiom that cannot be satisfied.
    pub axiom: Axiom,
    /// Why it cannot.
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
    /// no two RMWs read from one write
    WeakAtomicity,
    /// the given final write is last in mo
    FinalValue,
}

impl Axiom {
    /// Every axiom.
    pub const ALL: [Axiom; 8] = [
        Axiom::PoRf,
        Axiom::WriteCoherence,
        Axiom::StrongWriteCoherence,
        Axiom::ReadCoherence,
        Axiom::WeakReadCoherence,
        Axiom::Atomicity,
        Axiom::WeakAtomicity,
        Axiom::FinalValue,
    ];

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
        }
    }

    /// What the axiom says.
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
        }
    }
}

impl fmt::Display for Axiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the axiom is refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// A cycle in a relation that must be acyclic: po ∪ rf; or mo of one location; or, for sra, hb ∪ mo.
    Cycle(Cycle),
    /// Two RMWs read from one write: whichever mo puts first comes between the write and the other.
    SharedSource {
        /// The write.
        write: EventId,
        /// The two RMWs that read from it.
        rmws: [EventId; 2],
    },
    /// A read reads a write that another write of its location overwrote in the read's past (weak read coherence).
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
    /// mo orders these two writes of one location one way or the other, and neither way works.
    Split {
        /// One write.
        first: EventId,
        /// The other.
        second: EventId,
        /// Why mo(first, second) does not work.
        forward: Box<Refutation>,
        /// Why mo(second, first) does not work.
        backward: Box<Refutation>,
    },
}

/// A closed walk: each edge begins where the one before it ends, and the first where the last ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// Derived edges that reasons below refer to with [`Because::Lemma`]; each refers to earlier ones only.
    pub lemmas: Vec<Edge>,
    /// The cycle.
    pub edges: Vec<Edge>,
}

/// An edge that must hold, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: EventId,
    /// Where it ends.
    pub to: EventId,
    /// Why it holds.
    pub because: Because,
}

/// Why an edge holds. The first three are edges of the history; the others are mo edges between two distinct writes
/// of one location.
///
/// An *hb path* is a sequence of edges, each beginning where the one before it ends, that the model counts as
/// happens-before: po and sw for rc20, po and rf for ra, sra and wra, po for relaxed. A path may be empty where it says
/// so. An *ordering path* is, for sra, a sequence of po, rf and mo edges (the latter as [`Because::Lemma`] or
/// [`Because::Assumed`]); for every other model it is an optional rf edge followed by an hb path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// Program order; an initial write is before every event of every thread.
    Po,
    /// `to` reads from `from`.
    Rf,
    /// `from` synchronises with `to`: `write` is `from` or comes after the fence `from` in its thread, `read` is `to` or
    /// comes before the fence `to` in its thread, and `read` reads from `write` through any number of RMWs.
    Sw {
        /// The write at the head of the release sequence.
        write: EventId,
        /// The read at its end.
        read: EventId,
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
            Because::Chain => "chain",
            Because::Coherence { .. } => "coherence",
            Because::Read { .. } => "read",
            Because::Atomic { .. } => "atomic",
            Because::Final => "final",
            Because::Assumed => "assumed",
            Because::Lemma(_) => "lemma",
        }
    }

    /// Whether the edge is an mo edge rather than one of the history.
    pub const fn is_mo(&self) -> bool {
        !matches!(self, Because::Po | Because::Rf | Because::Sw { .. })
    }
}

impl Violation {
    /// The number of edges it takes to say the violation: the measure of how short it is.
    pub fn weight(&self) -> usize {
        self.refutation.weight()
    }
}

impl Refutation {
    fn weight(&self) -> usize {
        match self {
            Refutation::Cycle(cycle) => cycle.lemmas.iter().chain(&cycle.edges).map(Edge::weight).sum(),
            Refutation::SharedSource { .. } => 2,
            Refutation::Overwritten { before, after, .. } => 1 + before.len() + after.len(),
            Refutation::Split { forward, backward, .. } => 1 + forward.weight() + backward.weight(),
        }
    }
}

impl Edge {
    fn weight(&self) -> usize {
        1 + match &self.because {
            Because::Coherence { path } | Because::Read { path, .. } => path.len(),
            Because::Atomic { premise } => premise.weight(),
            _ => 0,
        }
    }
}
