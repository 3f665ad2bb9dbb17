//! The reason why a certificate is refused.

use std::fmt;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Edge, Limit, Unsupported};

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

/// The reason why a certificate is refused: what it fails to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// An undecided verdict.
    #[error("an undecided verdict claims nothing to verify")]
    Undecided,
    /// Checking the certificate takes more than the limits allow.
    #[error("not verified: {0}")]
    Limit(Limit),
    /// A certificate for a model that does not apply to the history.
    #[error("{model} does not apply to the history: {why}")]
    DoesNotApply {
        /// The model.
        model: Model,
        /// The reason why it does not apply.
        why: Unsupported,
    },
    /// The verdict wrongly says that the model does not apply.
    #[error("the verdict says that {model} does not apply ({claimed}), but it does")]
    Applies {
        /// The model.
        model: Model,
        /// The reason that the verdict gives.
        claimed: Unsupported,
    },
    /// The certificate names an event that is not in the history.
    #[error("the history has no event with id {}", event.0)]
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
        /// The number that the witness has.
        given: usize,
        /// The number that the history has.
        expected: usize,
    },
    /// mo of a location lists something that is not one of its writes.
    #[error("mo of {loc} lists {event}, which is not a write to {loc}")]
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
        /// The way in which it is broken.
        breach: BrokenAxiom,
    },

    /// Sources are chosen although nothing is open.
    #[error("every read of the history has its source, so there is nothing to choose")]
    NothingOpen,
    /// An open observation without a source.
    #[error("{of} needs a source: no write, or more than one, wrote its value")]
    Unchosen {
        /// The observation.
        of: String,
    },
    /// A source that did not write the value.
    #[error("{write} cannot be the source of {of}: it does not write that value to that location")]
    NotASource {
        /// The observation.
        of: String,
        /// The event.
        write: Named,
    },
    /// Something wrote the value.
    #[error("{of} is not from thin air: a write has its value")]
    Written {
        /// The observation.
        of: String,
    },
    /// A source that is neither refuted nor eliminated.
    #[error("nothing shows that {write} cannot be the source of {of}")]
    NotStruckOut {
        /// The observation.
        of: String,
        /// The write.
        write: Named,
    },

    /// A refutation of another family of models.
    #[error("{model} cannot be refuted by {refutation}")]
    OtherRefutation {
        /// The kind of the refutation.
        refutation: &'static str,
        /// The model.
        model: Model,
    },
    /// The violation names an axiom that its steps do not use.
    #[error("the refutation does not use {axiom}")]
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
        /// The place where the path must begin.
        from: Named,
        /// The place where it must end.
        to: Named,
    },
    /// The edges of a cycle or a path do not join.
    #[error("the next edge must begin at {expected}, but it begins at {found}")]
    Gap {
        /// The place where the edge must begin.
        expected: Named,
        /// The place where it begins.
        found: Named,
    },
    /// A cycle or a path does not end where it must.
    #[error("the last edge must end at {expected}, but it ends at {found}")]
    OtherEnd {
        /// The place where the edge must end.
        expected: Named,
        /// The place where it ends.
        found: Named,
    },
    /// An edge does not hold, or is not allowed in its place.
    #[error("the {because} edge from {from} to {to}: {fault}")]
    Edge {
        /// The place where the edge begins.
        from: Named,
        /// The place where it ends.
        to: Named,
        /// The name of its reason.
        because: &'static str,
        /// The fault.
        fault: EdgeFault,
    },
    /// Two events that should be RMWs reading from the same write are not.
    #[error("{first} and {second} are not two RMWs that read from {write}")]
    NoSharedSource {
        /// One event.
        first: Named,
        /// The other.
        second: Named,
        /// The write.
        write: Named,
    },
    /// An event that should overwrite another does not.
    #[error("{by} is not another write of the location that {read} reads")]
    NotOverwritten {
        /// The read.
        read: Named,
        /// The other event.
        by: Named,
    },
    /// A case split on two events that mo does not order.
    #[error("mo does not order {first} and {second}: they are not distinct writes of one location")]
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
    #[error("the model's text has no check {index} (from 0) that a history must satisfy")]
    NoSuchCheck {
        /// Its number.
        index: usize,
    },
    /// A check that should fail holds.
    #[error("{axiom} holds on these mo edges")]
    CheckHolds {
        /// The check.
        axiom: Axiom,
    },
    /// An mo edge that does not follow from the enclosing cases.
    #[error("{first} need not be before {second} in mo in this case")]
    NotOfTheCase {
        /// One write.
        first: Named,
        /// The other.
        second: Named,
    },
    /// A check that is not monotone, on an incomplete mo.
    #[error("this check needs a complete mo, but {first} and {second} are not ordered")]
    NotWhole {
        /// One write.
        first: Named,
        /// The other.
        second: Named,
    },
    /// The model does not define data races.
    #[error("{0} does not define data races")]
    NoRaces(Model),
    /// Two events that are not a race.
    #[error("{first} and {second} are not a race: {why}")]
    NotARace {
        /// An event.
        first: Named,
        /// Another event.
        second: Named,
        /// The reason why they are none.
        why: NotARace,
    },
    /// A race in a history that is claimed to have none.
    #[error("{first} and {second} are a race")]
    Racy {
        /// An access.
        first: Named,
        /// Another one.
        second: Named,
    },
}

/// The reason why two events are not a race, or not the one that is claimed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotARace {
    /// One is an initial write.
    #[error("an initial write happens before everything")]
    Initial,
    /// They do not access one location.
    #[error("they do not access the same location")]
    OtherLocation,
    /// They belong to the same thread.
    #[error("they belong to the same thread")]
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
    /// The number of events that happen before one is not as claimed.
    #[error("{is} events of the other thread happen before {event}, not {said}")]
    Miscounted {
        /// The one.
        event: Named,
        /// The number that is claimed.
        said: u32,
        /// The true number.
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

/// The way in which a witness breaks an axiom.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenAxiom {
    /// A check of the model's text fails.
    #[error("the check at line {line} of the model's text fails")]
    Check {
        /// The line, from 1.
        line: u32,
    },
    /// mo lacks an order that every mo has.
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
        /// A write in the read's past, or read in its past.
        later: Named,
    },
    /// A write is too early in mo.
    #[error("{later} is in the past of {write} and later in mo")]
    WrittenTooEarly {
        /// The write.
        write: Named,
        /// A write in its past, or read in its past.
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

/// The fault in an edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EdgeFault {
    /// Not a pair of po.
    #[error("they are not in program order")]
    NotPo,
    /// Not a pair of rf.
    #[error("the second event does not read from the first")]
    NotRf,
    /// Not a pair of the model's ppo.
    #[error("the model does not preserve their program order")]
    NotPpo,
    /// Not a pair of po-loc.
    #[error("they are not in program order on one location as the model preserves it")]
    NotPoLoc,
    /// Not a dependency.
    #[error("the second event does not depend on the first")]
    NotDep,
    /// The premise does not imply fr.
    #[error("the premise must lead from the write that the first event reads from to the second event")]
    NotFr,
    /// A read that should read from another thread does not.
    #[error("{0} reads from its own thread or from an initial write")]
    ReadsInternally(Named),
    /// An event that the observer need not have seen.
    #[error("{event} is neither the observer {observer} nor before it")]
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
    #[error("{0} is neither the first event nor, if that is a fence, a write after it")]
    NotReleasedBy(Named),
    /// The release sequence does not end at the acquiring event.
    #[error("{0} is neither the second event nor, if that is a fence, a read before it")]
    NotAcquiredBy(Named),
    /// The read at the end does not read from the write at the head.
    #[error("{read} does not read from {write}, directly or through RMWs")]
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
    /// An mo edge was expected.
    #[error("an mo edge is needed here")]
    NotMo,
    /// The second event does not read from the first through RMWs.
    #[error("the second event is not an RMW that reads from the first, directly or through RMWs")]
    NotChain,
    /// A path without the edges it needs.
    #[error("its path needs a happens-before edge")]
    EmptyPath,
    /// The edge is not allowed in this cycle or path.
    #[error("an edge of this kind is not allowed here")]
    Misplaced,
    /// The read of a read-coherence step reads from something else.
    #[error("{0} does not read from the second event")]
    NotReadFrom(Named),
    /// The RMWs do not lead from the premise to the conclusion.
    #[error("no RMWs connect mo from {from} to {to} with the premise")]
    NotCarried {
        /// The place where the premise begins.
        from: Named,
        /// The place where the premise ends.
        to: Named,
    },
    /// The second event is not the final write.
    #[error("the second event is not the final write of its location")]
    NotFinal,
    /// psc is between seq_cst events.
    #[error("{0} is not seq_cst")]
    NotSeqCst(Named),
    /// The steps of a psc edge hold, but do not form one.
    #[error("its path is not a psc path")]
    NotPsc,
    /// No enclosing case assumes it.
    #[error("no enclosing case assumes it")]
    NotAssumed,
    /// There is no such lemma before this point.
    #[error("there is no lemma {0} before this point")]
    NoLemma(usize),
    /// The lemma says something else.
    #[error("lemma {0} is about other events")]
    OtherLemma(usize),
}
