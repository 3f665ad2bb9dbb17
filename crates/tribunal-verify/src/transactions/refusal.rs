//! The reason why a certificate of transactions is refused.

use std::fmt;
use tribunal_history::transactions::{History, KeyId, Level, Link, Op, OpId, Rel, TxnId};
use tribunal_history::verdict::Limit;

/// An operation as a refusal names it: `T1:0 r x`, the first operation of T1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The operation.
    pub op: OpId,
    text: Box<str>,
}

impl Named {
    pub(super) fn new(history: &History, op: OpId) -> Self {
        if op.index() >= history.ops().len() {
            return Named { op, text: format!("operation {}, which does not exist", op.0).into() };
        }
        let txn = history.txn_of(op);
        let first = history.ops_of(txn).next().unwrap_or(op);
        let (word, key) = match history.op(op) {
            Op::Write(key, _) => ("w", key),
            Op::Append(key, _) => ("append", key),
            Op::Read(key, _) | Op::ReadList(key, _) | Op::Unknown(key) => ("r", key),
        };
        Named { op, text: format!("{txn}:{} {word} {}", op.0 - first.0, history.key_name(key)).into() }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A link as a refusal names it: `T1 -wr-> T2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLink {
    /// The link.
    pub link: Link,
    text: Box<str>,
}

impl NamedLink {
    pub(super) fn new(history: &History, link: Link) -> Self {
        let read = |op: OpId| Named::new(history, op);
        let key = |key: KeyId| history.key_name(key);
        let about = match link.rel {
            Rel::So => "so".to_string(),
            Rel::Rt => "rt".to_string(),
            Rel::Wr(op) => format!("wr by {}", read(op)),
            Rel::Ww(of) => format!("ww of {}", key(of)),
            Rel::Rw(op) => format!("rw by {}", read(op)),
        };
        NamedLink { link, text: format!("{} -{about}-> {}", link.from, link.to).into() }
    }
}

impl fmt::Display for NamedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The reason why a certificate does not prove its verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is nothing to verify.
    #[error("the verdict has no certificate")]
    NoCertificate,
    /// The level does not apply, yet there is an answer.
    #[error("{0} needs times, but the transactions have none")]
    NoTimes(Level),
    /// A read's value repeats, and its source is not given.
    #[error("the source of {0} is missing")]
    Open(Named),
    /// A read cannot be from this transaction.
    #[error("{read} cannot be from {from}")]
    NoSource {
        /// The read.
        read: Named,
        /// Its claimed source.
        from: TxnId,
    },
    /// Not every source of a read is refuted.
    #[error("not every source of {0} is refuted")]
    Sources(Named),
    /// A commit order is not an order of the transactions that count.
    #[error("the commit order does not have every transaction that counts exactly once")]
    NotAnOrder,
    /// A commit order does not contain so, rt or wr.
    #[error("{first} must come before {second} in the commit order")]
    Backward {
        /// The transaction that must come first.
        first: TxnId,
        /// The transaction that must come second.
        second: TxnId,
    },
    /// A list read is not a prefix of what was appended.
    #[error("the commit order does not explain the list that {0} read")]
    List(Named),
    /// The level's relation is not irreflexive.
    #[error("{writer} overwrites what {read} returned and comes before it")]
    Overwritten {
        /// The read.
        read: Named,
        /// The transaction that overwrites it.
        writer: TxnId,
    },
    /// A check of the level's text fails.
    #[error("the check `{0}` of the level fails on the commit order")]
    Text(String),
    /// An impossible read that the level forbids.
    #[error("{0} is an impossible read that the level forbids")]
    Misread(Named),
    /// The history has no such misread, or the level does not forbid it.
    #[error("{0} is not a misread that the level forbids")]
    NoMisread(Named),
    /// The reads of a list are compatible.
    #[error("{0} and {1} are compatible")]
    Compatible(Named, Named),
    /// A link of a path or a cycle does not hold.
    #[error("{0} does not hold")]
    Link(NamedLink),
    /// A step does not follow.
    #[error("it does not follow that {first} comes before {second}")]
    Step {
        /// The first.
        first: TxnId,
        /// The second.
        second: TxnId,
    },
    /// Not a cycle, or not one that the level forbids.
    #[error("the level does not forbid this cycle")]
    Cycle,
    /// A limit was reached.
    #[error("{0}")]
    Limit(Limit),
}

impl From<Limit> for Refusal {
    fn from(limit: Limit) -> Self {
        Refusal::Limit(limit)
    }
}
