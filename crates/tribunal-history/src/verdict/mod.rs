//! Verdicts and the certificates they carry.

mod race;
mod violation;
mod witness;

pub use race::Race;
pub use violation::kept;
pub use violation::{Axiom, Because, Check, Cycle, Edge, GivenCheck, Refutation, Violation};
pub use witness::{ModificationOrder, Witness};

use std::fmt;

/// The answer to "is this execution consistent with that model?".
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Yes, as the witness shows.
    Consistent(Witness),
    /// No, as the violation shows.
    Inconsistent(Violation),
    /// A limit was reached before the answer was known.
    Undecided(Limit),
    /// The model does not apply to this history.
    Unsupported(Unsupported),
}

impl Verdict {
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
}

/// The limit that ended a check, and how far the check had come.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Why a model does not apply to a history.
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
