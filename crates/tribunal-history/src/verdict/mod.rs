//! Verdicts, of all kinds of history, and the certificates that those on memories carry.

mod race;
mod violation;
mod witness;

pub use race::Race;
pub use violation::kept;
pub use violation::{Axiom, Because, Check, Cycle, Edge, GivenCheck, Refutation, Violation};
pub use witness::{ModificationOrder, Witness};

use crate::{object, transactions};
use std::fmt;

/// A kind of history, and of what the answers to questions about it carry.
///
/// The proofs of the three kinds have nothing in common, and what does not apply to one says nothing of the others: so each kind has its own
/// types, and matches on them stay exhaustive.
pub trait Kind {
    /// The proof that the answer is yes.
    type Witness: Clone + fmt::Debug + PartialEq;
    /// The proof that it is no.
    type Violation: Clone + fmt::Debug + PartialEq;
    /// The reason why the question does not apply.
    type Unsupported: Clone + fmt::Debug + PartialEq;
}

/// Memories: executions of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {}

impl Kind for Memory {
    type Witness = Witness;
    type Violation = Violation;
    type Unsupported = Unsupported;
}

/// Objects: calls and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {}

impl Kind for Object {
    type Witness = object::AbstractExecution;
    type Violation = object::Violation;
    type Unsupported = object::Unsupported;
}

/// Transactions in sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transactions {}

impl Kind for Transactions {
    type Witness = transactions::Witness;
    type Violation = transactions::Violation;
    type Unsupported = transactions::Unsupported;
}

/// Verdicts of any kind, without their certificates.
impl Kind for () {
    type Witness = ();
    type Violation = ();
    type Unsupported = ();
}

/// The answer to "does this history satisfy that model, criterion or level?", with its certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<K: Kind = Memory> {
    /// Yes, as the witness shows.
    Consistent(K::Witness),
    /// No, as the violation shows.
    Inconsistent(K::Violation),
    /// A limit was reached before the answer was known.
    Undecided(Limit),
    /// The question does not apply to this history.
    Unsupported(K::Unsupported),
}

/// A verdict without its certificate, of any kind of history.
pub type Bare = Verdict<()>;

impl<K: Kind> Verdict<K> {
    /// The verdict's word in every output: `consistent`, `inconsistent`, `undecided` or `unsupported`.
    pub const fn word(&self) -> &'static str {
        match self {
            Verdict::Consistent(_) => "consistent",
            Verdict::Inconsistent(_) => "inconsistent",
            Verdict::Undecided(_) => "undecided",
            Verdict::Unsupported(_) => "unsupported",
        }
    }

    /// Whether the answer is yes.
    ///
    /// ```
    /// use tribunal::{Model, check, memory::{Execution, Op}};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// b.push(t, Op::write(x, 1));
    /// b.push(t, Op::read(x, 1));
    /// assert!(check(&b.build()?, Model::Ra).is_consistent());
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    pub const fn is_consistent(&self) -> bool {
        matches!(self, Verdict::Consistent(_))
    }

    /// Whether the answer is no.
    pub const fn is_inconsistent(&self) -> bool {
        matches!(self, Verdict::Inconsistent(_))
    }

    /// The limit that was reached, if there is no answer for that reason.
    pub const fn limit(&self) -> Option<Limit> {
        match self {
            Verdict::Undecided(limit) => Some(*limit),
            _ => None,
        }
    }

    /// The same without its certificate.
    ///
    /// ```
    /// use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// b.push(t, Op::write(x, 1));
    /// assert_eq!(check(&b.build()?, Model::Ra).bare(), Verdict::Consistent(()));
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    pub const fn bare(&self) -> Bare {
        match self {
            Verdict::Consistent(_) => Verdict::Consistent(()),
            Verdict::Inconsistent(_) => Verdict::Inconsistent(()),
            Verdict::Undecided(limit) => Verdict::Undecided(*limit),
            Verdict::Unsupported(_) => Verdict::Unsupported(()),
        }
    }
}

/// The limit that ended a check, and how far the check had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time allowed ran out.
    Time {
        /// Search states visited.
        states: u64,
    },
    /// The number of search states allowed was reached.
    States {
        /// Search states visited.
        states: u64,
    },
    /// The memory allowed does not suffice.
    Memory {
        /// Bytes allowed.
        bytes: usize,
        /// Search states visited.
        states: u64,
    },
    /// The history has more writes than the engine's sets can hold.
    Writes {
        /// Writes of the history.
        writes: usize,
        /// The most that the engine can hold.
        most: usize,
    },
    /// The history has more operations than the engine's sets can hold.
    Operations {
        /// Operations of the history.
        operations: usize,
        /// The most that the engine can hold.
        most: usize,
    },
    /// A specification creates too large a value, or takes too long for one operation.
    Step,
    /// Only saturation was requested, and it does not decide.
    Saturated,
    /// The caller asked to stop.
    Stopped,
}

impl Limit {
    /// The same, where what was allowed is what is left of so many bytes.
    pub fn out_of(self, bytes: usize) -> Self {
        match self {
            Limit::Memory { states, .. } => Limit::Memory { bytes, states },
            limit => limit,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time { states: 0 } => f.write_str("the time limit was reached"),
            Limit::Time { states } => write!(f, "the time limit was reached after {states} search states"),
            Limit::States { states } => write!(f, "the limit of {states} search states was reached"),
            Limit::Memory { bytes, states: 0 } => {
                write!(f, "the check needs more than the {bytes} bytes of memory allowed")
            }
            Limit::Memory { bytes, states } => {
                write!(f, "the memory limit of {bytes} bytes was reached after {states} search states")
            }
            Limit::Writes { writes, most } => {
                write!(f, "the history has {writes} writes, but the engine supports at most {most}")
            }
            Limit::Operations { operations, most } => {
                write!(f, "the history has {operations} operations, but the engine supports at most {most}")
            }
            Limit::Step => {
                f.write_str("an operation of the specification creates too large a value or takes too long")
            }
            Limit::Saturated => f.write_str("saturation alone does not decide"),
            Limit::Stopped => f.write_str("stopped on request"),
        }
    }
}

/// The reason why a model does not apply to a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// A model without mo does not define the last write.
    Finals,
    /// The causal models and wsc do not define fences.
    Fences,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsupported::Fences => "the model does not define fences",
            Unsupported::Finals => "the model has no modification order, so it does not define final values",
        })
    }
}
