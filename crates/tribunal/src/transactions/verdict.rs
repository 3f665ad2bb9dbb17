//! Verdicts on histories of transactions, and the certificates they carry.

use super::{Incompatible, KeyId, Misread, OpId, TxnId};
use crate::verdict::Limit;

/// The answer to "does this history satisfy that level?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, as the witness shows.
    Consistent(Witness),
    /// No, as the violation shows.
    Inconsistent(Violation),
    /// A limit was reached before an answer was.
    Undecided(Limit),
    /// The level says nothing about such a history.
    Unsupported(Unsupported),
}

impl Verdict {
    /// The answer in a word, as every output has it.
    pub const fn word(&self) -> &'static str {
        match self {
            Verdict::Consistent(_) => "consistent",
            Verdict::Inconsistent(_) => "inconsistent",
            Verdict::Undecided(_) => "undecided",
            Verdict::Unsupported(_) => "unsupported",
        }
    }

    /// Whether the answer is yes.
    pub const fn is_consistent(&self) -> bool {
        matches!(self, Verdict::Consistent(_))
    }

    /// Whether the answer is no.
    pub const fn is_inconsistent(&self) -> bool {
        matches!(self, Verdict::Inconsistent(_))
    }
}

/// Why a level does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// It speaks of real time.
    #[error("the level speaks of real time, and the transactions have no times")]
    Times,
}

/// Why a history satisfies a level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// All transactions that count, in the order of their commits; init is left out.
    pub commits: Vec<TxnId>,
    /// Where values repeat, what each such read reads from, in the order of reads.
    pub sources: Vec<(OpId, TxnId)>,
}

/// Why no commit order explains a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A read cannot be, whatever the order.
    Misread(Misread),
    /// No order explains what was read of a list.
    Incompatible(Incompatible),
    /// Every order has a cycle.
    Proof(Proof),
    /// Several transactions wrote what this read returned, and it can be from none of them.
    Sources {
        /// The read.
        read: OpId,
        /// Each that it may be from, and why it is not: with what was assumed of other reads so far.
        cases: Vec<(TxnId, Violation)>,
    },
}

/// That every order of the writers of each key has a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What must hold of the order, each by what is before it.
    pub steps: Vec<Step>,
    /// What cannot be.
    pub end: End,
}

/// `first` comes before `second`, and both write the key: ww.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The key.
    pub key: KeyId,
    /// The transaction that comes first.
    pub first: TxnId,
    /// The one that comes second.
    pub second: TxnId,
    /// Why it does.
    pub because: Because,
}

/// Why a transaction comes before another that writes the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// This read of the list returned both, or the first and not the second.
    List(OpId),
    /// This read returned what the second wrote, and the first comes before it by this path.
    Seen {
        /// The read.
        read: OpId,
        /// From the first to the reader.
        path: Vec<Link>,
    },
    /// The other way round there would be a cycle with this path, from the first to the second.
    Otherwise(Vec<Link>),
}

/// The end of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A cycle that the level forbids.
    Cycle(Vec<Link>),
    /// Either of two orders cannot be.
    Cases {
        /// A key that both write.
        key: KeyId,
        /// One transaction.
        first: TxnId,
        /// The other.
        second: TxnId,
        /// What follows if the one comes first.
        forward: Box<Proof>,
        /// What follows if the other does.
        backward: Box<Proof>,
    },
}

/// A step from one transaction to another in a path or a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it begins.
    pub from: TxnId,
    /// Where it leads.
    pub to: TxnId,
    /// The relation.
    pub rel: Rel,
}

/// What relates two transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rel {
    /// so: the one is before the other in their session.
    So,
    /// rt: the one has ended before the other begins.
    Rt,
    /// wr: this read of the other returned what the one wrote.
    Wr(OpId),
    /// ww: both write the key, in this order by a step before.
    Ww(KeyId),
    /// rw: what this read of the one returned, the other overwrites.
    Rw(OpId),
}
