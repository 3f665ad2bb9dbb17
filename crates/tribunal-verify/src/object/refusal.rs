//! The reason why a certificate of an object history is refused.

use super::hints::Hints;
use std::fmt;
use tribunal_history::object::{Axiom, History, MalformedHistory, OpId, Value};
use tribunal_history::verdict::Limit;

/// An operation as a refusal names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The operation.
    pub op: OpId,
    text: Box<str>,
}

impl Named {
    pub(super) fn new(history: &History, op: OpId) -> Self {
        Named { op, text: history.show(op).into() }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {} ({})", self.op.0, self.text)
    }
}

/// The reason why a certificate is refused: what it fails to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The verdict claims nothing.
    #[error("an {word} verdict claims nothing to verify")]
    NoClaim {
        /// The verdict's word.
        word: &'static str,
    },
    /// The history does not match the specification, so no verdict on it is meaningful.
    #[error("malformed history: {0}")]
    Malformed(MalformedHistory),
    /// The certificate names an operation that is not in the history.
    #[error("there is no operation {}: the history has {operations}", op.0)]
    UnknownOperation {
        /// The id.
        op: OpId,
        /// The number of operations.
        operations: usize,
    },

    /// lin lists an operation twice.
    #[error("lin lists {op} more than once")]
    Repeated {
        /// The operation.
        op: Named,
    },
    /// lin omits an operation that returned.
    #[error("lin does not list {op}, which returned")]
    Omitted {
        /// The operation.
        op: Named,
    },
    /// lin does not contain hb, or po for `sequential`.
    #[error("lin has {later} before {earlier}, but {order} orders them the other way")]
    AgainstOrder {
        /// The operation that must come first.
        earlier: Named,
        /// The operation that lin has before it.
        later: Named,
        /// `hb` or `po`.
        order: &'static str,
    },
    /// vis is given for another number of operations.
    #[error("vis is given for {given} operations, but lin has {expected}")]
    VisibilityCount {
        /// The number that the witness has.
        given: usize,
        /// The number that are in lin.
        expected: usize,
    },
    /// vis is not within lin.
    #[error("{viewer} sees {seen}, which is not before it in lin")]
    NotBefore {
        /// The operation that is seen.
        seen: Named,
        /// The operation that sees it.
        viewer: Named,
    },
    /// The set that an operation sees is not in lin order, each operation once.
    #[error("what {viewer} sees is not in lin order at {seen}")]
    NotInLinOrder {
        /// The operation out of order.
        seen: Named,
        /// The operation that sees it.
        viewer: Named,
    },
    /// An axiom does not hold.
    #[error("{axiom} is broken: it relates {from} to {to}, and {} does not", axiom.left.name())]
    Broken {
        /// The axiom.
        axiom: Axiom,
        /// The place where the pair begins.
        from: Named,
        /// The place where it ends.
        to: Named,
    },
    /// An operation, or one that it sees, cannot take effect.
    #[error("{op} cannot return: {stuck} cannot take effect")]
    Stuck {
        /// The operation that returned.
        op: Named,
        /// The operation without effect.
        stuck: Named,
    },
    /// An operation returns something else after what it sees.
    #[error("{op} would return {found} after what it sees")]
    OtherReturn {
        /// The operation.
        op: Named,
        /// The value that its invocation returns.
        found: Value,
    },

    /// The operations of a violation are not in the order of their ids, each once.
    #[error("the part lists {op} out of order")]
    Unsorted {
        /// The operation.
        op: Named,
    },
    /// A cut of a history without times.
    #[error("the history has no sequence of events to cut")]
    NoEvents,
    /// A cut after more events than there are.
    #[error("the cut is after {cut} events, but there are {events}")]
    CutTooLate {
        /// The cut.
        cut: u32,
        /// The number of events.
        events: usize,
    },
    /// The part has an operation that was called after the cut.
    #[error("the part has {op}, which was called after the cut")]
    NotCalled {
        /// The operation.
        op: Named,
    },
    /// An omitted operation may matter.
    #[error("the part omits {op}, which may matter")]
    Missing {
        /// The operation.
        op: Named,
    },
    /// The part can be explained.
    #[error("the part of {operations} operations satisfies the criterion")]
    Satisfied {
        /// The number of operations that the part has.
        operations: usize,
    },
    /// The proof depends on a hint that does not hold.
    #[error("the hints {hints} of the specification do not match its steps")]
    Misled {
        /// The hints that it gives.
        hints: Hints,
    },
    /// Verification exceeds the limits.
    #[error("{0}")]
    Limit(Limit),
}
