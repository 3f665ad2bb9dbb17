//! Verdicts on transaction histories, with their certificates.

use super::{KeyId, Misread, OpId, TxnId};

/// The answer to "does this history satisfy that level?"
pub type Verdict = crate::verdict::Verdict<crate::verdict::Transactions>;

/// The reason why a level does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// It needs real time.
    #[error("the level uses real time, but the transactions have no times")]
    Times,
}

/// The reason why a history satisfies a level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// All transactions that count, in commit order, without init.
    pub commits: Vec<TxnId>,
    /// If values repeat, the source of each such read, in order.
    pub sources: Vec<(OpId, TxnId)>,
}

/// The reason why no commit order explains a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// An impossible read.
    Misread(Misread),
    /// No order explains two list reads.
    Incompatible(Incompatible),
    /// Every order has a cycle.
    Proof(Proof),
    /// Several transactions wrote what this read returned, and it cannot be from any of them.
    Sources {
        /// The read.
        read: OpId,
        /// Each possible source, and the violation it leads to, under the assumptions about other reads so far.
        cases: Vec<(TxnId, Violation)>,
    },
}

/// Two list reads that no order of the transactions explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incompatible {
    /// The list.
    pub key: KeyId,
    /// A read of it.
    pub op: OpId,
    /// The other read, or the same one if it is impossible by itself.
    pub other: OpId,
}

/// A proof that every order of the writers of each key has a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Facts about the order, each derived from the earlier ones.
    pub steps: Vec<Step>,
    /// The contradiction.
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
    /// The reason why it does.
    pub because: Because,
}

/// The reason why a transaction comes before another that writes the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// This read of the list returned both, or the first and not the second.
    List(OpId),
    /// This read returned what the second wrote, and the first comes before the reader by this path.
    Seen {
        /// The read.
        read: OpId,
        /// From the first to the reader.
        path: Vec<Link>,
    },
    /// The opposite order would close a cycle with this path from the first to the second.
    Otherwise(Vec<Link>),
}

/// The end of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A cycle that the level forbids.
    Cycle(Vec<Link>),
    /// Both orders of two writers fail.
    Cases {
        /// A key that both write.
        key: KeyId,
        /// One transaction.
        first: TxnId,
        /// The other.
        second: TxnId,
        /// The proof if the first comes first.
        forward: Box<Proof>,
        /// The proof if the second comes first.
        backward: Box<Proof>,
    },
}

/// A step from one transaction to another in a path or a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The place where it begins.
    pub from: TxnId,
    /// The place where it leads.
    pub to: TxnId,
    /// The relation.
    pub rel: Rel,
}

/// A relation between two transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rel {
    /// so: the first is before the second in their session.
    So,
    /// rt: the first ended before the second began.
    Rt,
    /// wr: this read of the second returned what the first wrote.
    Wr(OpId),
    /// ww: both write the key, in this order by an earlier step.
    Ww(KeyId),
    /// rw: the second overwrites what this read of the first returned.
    Rw(OpId),
}
