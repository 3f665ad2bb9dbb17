//! Why a certificate is refused.

use crate::Model;
use crate::memory::{EventId, Execution};
use crate::verdict::{Axiom, Edge, Limit, Unsupported};
use std::fmt;

/// An event as a refusal names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The event.
    pub event: EventId,
    text: Box<str>,
}

impl Named {
    pub(super) fn new(x: &Execution, event: EventId) -> Self {
        Named { event, text: x.show(event).to_string().into() }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a certificate is refused: what it fails to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is nothing to verify.
    #[error("an undecided verdict claims nothing that could be verified")]
    Undecided,
    /// Checking the certificate takes more than the limits allow.
    #[error("not verified: {0}")]
    Limit(Limit),
    /// A certificate for a model that says nothing about the history.
    #[error("{model} does not apply to the history: {why}")]
    DoesNotApply {
        /// The model.
        model: Model,
        /// Why it does not apply.
        why: Unsupported,
    },
    /// The verdict wrongly says that the model does not apply.
    #[error("the verdict says that {model} does not apply ({claimed}), which is not so")]
    Applies {
        /// The model.
        model: Model,
        /// What the verdict says.
        claimed: Unsupported,
    },
    /// The certificate names an event that the history does not have.
    #[error("the history has no event of id {}", event.0)]
    UnknownEvent {
        /// The id.
        event: EventId,
    },

    /// A witness of mo for a model without mo, or none for a model with mo.
    #[error("{model} has {}, so the witness must be {}", if *.mo { "mo" } else { "no mo" }, if *.mo { "one" } else { "empty" })]
    OtherWitness {
        /// The model.
        model: Model,
        /// Whether the model has mo.
        mo: bool,
    },
    /// mo is given for another number of locations.
    #[error("mo is given for {given} locations, but the history has {expected}")]
    LocationCount {
        /// How many the witness has.
        given: usize,
        /// How many the history has.
        expected: usize,
    },
    /// mo of a location lists something else than its writes.
    #[error("mo of {loc} lists {event}, which is no write of {loc}")]
    NotAWriteOf {
        /// The event.
        event: Named,
        /// The location's name.
        loc: String,
    },
    /// mo lists a write twice.
    #[error("mo of {loc} lists {event} more than once")]
    Repeated {
        /// The write.
        event: Named,
        /// The location's name.
        loc: String,
    },
    /// mo leaves a write out.
    #[error("mo of {loc} does not list {event}")]
    Omitted {
        /// The write.
        event: Named,
        /// The location's name.
        loc: String,
    },
    /// The witness, or the history, does not satisfy an axiom.
    #[error("{axiom} is broken: {breach}")]
    Broken {
        /// The axiom.
        axiom: Axiom,
        /// How it is broken.
        breach: BrokenAxiom,
    },

    /// Sources are chosen for what is not open.
    #[error("every read of the history has its source: there is nothing to choose")]
    NothingOpen,
    /// An open observation without a source.
    #[error("{of} needs a source: more than one write, or none, wrote its value")]
    Unchosen {
        /// The observation.
        of: String,
    },
    /// A source that did not write the value.
    #[error("{write} cannot be the source of {of}: it is no write of that value to that location")]
    NotASource {
        /// The observation.
        of: String,
        /// The event.
        write: Named,
    },
    /// Something wrote the value.
    #[error("{of} is not from thin air: there is a write of its value")]
    Written {
        /// The observation.
        of: String,
    },
    /// A source that is neither refuted nor struck out.
    #[error("nothing says that {write} cannot be the source of {of}")]
    NotStruckOut {
        /// The observation.
        of: String,
        /// The write.
        write: Named,
    },

    /// A refutation of another family of models.
    #[error("{model} cannot be refuted by {refutation}")]
    OtherRefutation {
        /// What the refutation is.
        refutation: &'static str,
        /// The model.
        model: Model,
    },
    /// The violation names an axiom that its steps do not use.
    #[error("the refutation does not rest on {axiom}")]
    NotInvolved {
        /// The axiom.
        axiom: Axiom,
    },
    /// A cycle without edges.
    #[error("a cycle must have edges")]
    EmptyCycle,
    /// A path without edges, where happens-before must be shown.
    #[error("there is no path from {from} to {to}")]
    EmptyPath {
        /// Where the path must begin.
        from: Named,
        /// Where it must end.
        to: Named,
    },
    /// The edges of a cycle or a path do not join.
    #[error("the next edge must begin at {expected}, but it begins at {found}")]
    Gap {
        /// Where the edge must begin.
        expected: Named,
        /// Where it begins.
        found: Named,
    },
    /// A cycle or a path does not end where it must.
    #[error("the last edge must end at {expected}, but it ends at {found}")]
    OtherEnd {
        /// Where the edge must end.
        expected: Named,
        /// Where it ends.
        found: Named,
    },
    /// An edge does not hold, or has no place where it stands.
    #[error("the {because} edge from {from} to {to}: {fault}")]
    Edge {
        /// Where the edge begins.
        from: Named,
        /// Where it ends.
        to: Named,
        /// The name of its reason.
        because: &'static str,
        /// What is wrong with it.
        fault: EdgeFault,
    },
    /// Two events that ought to be RMWs that read from one write are not.
    #[error("{first} and {second} are not two RMWs that read from {write}")]
    NoSharedSource {
        /// One event.
        first: Named,
        /// The other.
        second: Named,
        /// The write.
        write: Named,
    },
    /// An event that ought to be overwritten by another cannot be.
    #[error("{by} is not another write of the location that {read} reads")]
    NotOverwritten {
        /// The read.
        read: Named,
        /// The other event.
        by: Named,
    },
    /// A case distinction on something that mo does not order.
    #[error("mo need not order {first} and {second}: they are not distinct writes of one location")]
    NotOrdered {
        /// One event.
        first: Named,
        /// The other.
        second: Named,
    },
    /// The model's text cannot be evaluated on the history.
    #[error("{0}")]
    Text(String),
    /// A check that the model's text does not have.
    #[error("the model's text has no check {index}, counted from 0, that a history must satisfy")]
    NoSuchCheck {
        /// Its number.
        index: usize,
    },
    /// A check that ought to fail holds.
    #[error("{axiom} holds on these edges of mo")]
    CheckHolds {
        /// The check.
        axiom: Axiom,
    },
    /// An mo edge that the enclosing cases do not have.
    #[error("mo need not have {first} before {second} in this case")]
    NotOfTheCase {
        /// One write.
        first: Named,
        /// The other.
        second: Named,
    },
    /// A check that mo may mend as it grows, on a part of mo.
    #[error("the check is to be evaluated on a whole mo, and {first} and {second} are not ordered")]
    NotWhole {
        /// One write.
        first: Named,
        /// The other.
        second: Named,
    },
    /// The model says nothing of races.
    #[error("{0} says nothing of races")]
    NoRaces(Model),
    /// Two events that are no race.
    #[error("{first} and {second} are no race: {why}")]
    NotARace {
        /// An event.
        first: Named,
        /// Another event.
        second: Named,
        /// Why they are none.
        why: NotARace,
    },
    /// A race of a history that is said to have none.
    #[error("{first} and {second} are a race")]
    Racy {
        /// An access.
        first: Named,
        /// Another one.
        second: Named,
    },
}

/// Why two events are no race, or not the one that is claimed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotARace {
    /// One is an initial write.
    #[error("an initial write happens before everything")]
    Initial,
    /// They do not access one location.
    #[error("they do not access the same location")]
    OtherLocation,
    /// They are of one thread.
    #[error("they are of one thread")]
    SameThread,
    /// Neither writes.
    #[error("neither writes")]
    OnlyReads,
    /// Both are atomic.
    #[error("both are atomic")]
    OnlyAtomic,
    /// One happens before the other.
    #[error("{before} happens before {after}")]
    Ordered {
        /// The one.
        before: Named,
        /// The other.
        after: Named,
    },
    /// What happens before one is not what is claimed.
    #[error("before {event} happen {is} events of the other thread, not {said}")]
    Miscounted {
        /// The one.
        event: Named,
        /// What is claimed.
        said: u32,
        /// What it is.
        is: u32,
    },
}

impl Refusal {
    pub(super) fn edge(x: &Execution, edge: &Edge, fault: EdgeFault) -> Self {
        Refusal::Edge {
            from: Named::new(x, edge.from),
            to: Named::new(x, edge.to),
            because: edge.because.name(),
            fault,
        }
    }
}

/// How a witness breaks an axiom.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenAxiom {
    /// A check of the model's text fails.
    #[error("the check at line {line} of the model's text fails")]
    Check {
        /// The line, from 1.
        line: u32,
    },
    /// An order that every mo has is not in it.
    #[error("mo must have {first} before {second}")]
    NotFirst {
        /// A write.
        first: Named,
        /// Another.
        second: Named,
    },
    /// A relation that must be acyclic is not.
    #[error("a cycle passes through {event}")]
    Cycle {
        /// An event of the cycle.
        event: Named,
    },
    /// A read reads from a write that is too early in mo.
    #[error("{read} reads from {source_write}, but {later} is in its past and later in mo")]
    ReadsTooEarly {
        /// The read.
        read: Named,
        /// The write it reads from.
        source_write: Named,
        /// A write in the read's past, itself or by a read of it.
        later: Named,
    },
    /// A write is too early in mo.
    #[error("{later} is in the past of {write} and later in mo")]
    WrittenTooEarly {
        /// The write.
        write: Named,
        /// A write in its past, itself or by a read of it.
        later: Named,
    },
    /// A write stands between an RMW and its source.
    #[error("{rmw} reads from {source_write}, but {between} is between them in mo")]
    Between {
        /// The RMW.
        rmw: Named,
        /// The write it reads from.
        source_write: Named,
        /// The write between them.
        between: Named,
    },
    /// The final write is not last.
    #[error("{expected} is the final write, but {last} is last in mo")]
    NotLast {
        /// The final write.
        expected: Named,
        /// The last write in mo.
        last: Named,
    },
    /// Two RMWs read from one write.
    #[error("{first} and {second} both read from {write}")]
    SharedSource {
        /// One RMW.
        first: Named,
        /// The other.
        second: Named,
        /// The write.
        write: Named,
    },
    /// A read reads a write that was overwritten in its past.
    #[error("{read} reads from {source_write}, which {by} overwrote in its past")]
    Overwritten {
        /// The read.
        read: Named,
        /// The write it reads from.
        source_write: Named,
        /// The overwriting write.
        by: Named,
    },
}

/// What is wrong with an edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgeFault {
    /// Not a pair of po.
    #[error("program order does not say so")]
    NotPo,
    /// Not a pair of rf.
    #[error("the second event does not read from the first")]
    NotRf,
    /// Not a pair that the model's ppo keeps.
    #[error("the model does not keep these two in program order")]
    NotPpo,
    /// Not a pair of po-loc.
    #[error("they are not in program order on one location that the model keeps")]
    NotPoLoc,
    /// Not a dependency.
    #[error("the second event does not depend on the first")]
    NotDep,
    /// The premise does not give fr.
    #[error("the first event must read from where the premise begins, and the premise end at the second")]
    NotFr,
    /// A read that ought to be from another thread is not.
    #[error("{0} reads from its own thread or from an initial write")]
    ReadsInternally(Named),
    /// The observer need not have seen it.
    #[error("{event} is neither {observer}, which observes, nor before it")]
    NotObserved {
        /// The read or the other observer.
        event: Named,
        /// The observer.
        observer: Named,
    },
    /// The first event of sw does not release.
    #[error("the first event is not a release")]
    NotRelease,
    /// The second event of sw does not acquire.
    #[error("the second event is not an acquire")]
    NotAcquire,
    /// The release sequence does not begin at the releasing event.
    #[error("{0} is neither the first event nor a write after it, if it is a fence")]
    NotReleasedBy(Named),
    /// The release sequence does not end at the acquiring event.
    #[error("{0} is neither the second event nor a read before it, if it is a fence")]
    NotAcquiredBy(Named),
    /// The read at the end does not read from the write at the head.
    #[error("{read} does not read from {write}, not even through RMWs")]
    NotInReleaseSequence {
        /// The read.
        read: Named,
        /// The write.
        write: Named,
    },
    /// The model does not quantify mo.
    #[error("{0} has no mo")]
    NoMo(Model),
    /// mo orders writes of one location only.
    #[error("mo is between distinct writes of one location")]
    NotWritesOfOneLocation,
    /// An mo edge was needed.
    #[error("an mo edge is needed here")]
    NotMo,
    /// The second event does not read from the first through RMWs.
    #[error("the second event is not an RMW that reads from the first, not even through RMWs")]
    NotChain,
    /// A path without the edges it needs.
    #[error("its path needs an edge of happens-before")]
    EmptyPath,
    /// The edge may not stand in this cycle or path.
    #[error("an edge of this kind has no place here")]
    Misplaced,
    /// The read of a read-coherence step reads from something else.
    #[error("{0} does not read from the second event")]
    NotReadFrom(Named),
    /// The RMWs do not lead from the premise to the conclusion.
    #[error("RMWs do not carry mo from {from} to {to} there")]
    NotCarried {
        /// Where the premise begins.
        from: Named,
        /// Where the premise ends.
        to: Named,
    },
    /// The second event is not the final write.
    #[error("the second event is not the final write of its location")]
    NotFinal,
    /// psc is between seq_cst events.
    #[error("{0} is not seq_cst")]
    NotSeqCst(Named),
    /// The steps of a psc edge hold, but do not make one up.
    #[error("its path is not one of psc")]
    NotPsc,
    /// No enclosing case assumes it.
    #[error("no enclosing case assumes it")]
    NotAssumed,
    /// There is no such lemma, or not before this place.
    #[error("lemma {0} is not at hand")]
    NoLemma(usize),
    /// The lemma says something else.
    #[error("lemma {0} is about other events")]
    OtherLemma(usize),
}
