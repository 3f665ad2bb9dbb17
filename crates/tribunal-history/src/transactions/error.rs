//! The reason why a history of transactions is malformed.

use super::{OpId, TxnId};

/// The reason why a history is malformed.
///
/// Every variant names its transaction or operation, so that a reader of a file can name the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedHistory {
    /// A key is used both as a register and as a list.
    #[error("key {key} is {used} here, but was used otherwise before: a key is either a register or a list")]
    BothKinds {
        /// The operation that differs from those before it.
        op: OpId,
        /// The key.
        key: String,
        /// The kind of use there.
        used: &'static str,
    },
    /// An element is appended to a list twice, so its writer is ambiguous.
    #[error("{value} is appended to {key} twice")]
    AppendedTwice {
        /// The second append.
        op: OpId,
        /// The key.
        key: String,
        /// The element.
        value: i64,
    },
    /// A transaction ends before it begins.
    #[error("the transaction ends at {end}, before it begins at {begin}")]
    Backward {
        /// The transaction.
        txn: TxnId,
        /// The time when it begins.
        begin: i64,
        /// The time when it ends.
        end: i64,
    },
    /// A committed or aborted transaction has a begin and no end.
    #[error("the transaction has a begin and no end")]
    Endless {
        /// The transaction.
        txn: TxnId,
    },
    /// Some transactions have times and others have none.
    #[error("the transaction has {}, unlike those before it: give all of them times, or none", if *.timed { "times" } else { "no times" })]
    MixedTimes {
        /// The first that differs.
        txn: TxnId,
        /// Whether it has times.
        timed: bool,
    },
    /// There are more operations, or transactions, than 32 bits can count.
    #[error("a history has at most {most} operations")]
    TooLong {
        /// The greatest number that there may be.
        most: u32,
    },
}
