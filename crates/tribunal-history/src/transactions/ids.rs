//! Newtype ids of sessions, transactions, keys and operations.

use crate::memory::ids::id;
use std::fmt;

id!(
    /// A session, numbered in the order of its first mention.
    SessionId
);
id!(
    /// A transaction. Those of a session have consecutive ids in session order, session after session. [`INIT`] is none of them.
    TxnId
);
id!(
    /// A key, numbered in the order of its first mention.
    KeyId
);
id!(
    /// An operation. Those of a transaction have consecutive ids, transaction after transaction.
    OpId
);

/// The initial transaction, which writes the initial value of every key and is first in every order.
pub const INIT: TxnId = TxnId(u32::MAX);

/// As every output names it: `T3`, or `init`.
impl fmt::Display for TxnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == INIT { f.write_str("init") } else { write!(f, "T{}", self.0) }
    }
}
