//! Histories of transactions: sessions of reads, writes and appends, and the isolation levels they satisfy.
//!
//! A [`History`] is a list of sessions, a session a list of transactions, a transaction a list of operations on keys. A key is a register,
//! which is written and read, or a list, which is appended to and read whole. The initial transaction [`INIT`] writes the initial value
//! of every key and is first in every order.
//!
//! **What counts.** Committed transactions count, and so does each of unknown outcome from which one that counts reads. Aborted ones, and what they read, do not.
//!
//! **Relations**, all of transactions that count:
//!
//! - so, session order: from each committed transaction to the later ones of its session;
//! - rt, real time: from a committed transaction to those that begin after its end;
//! - wr: from the source of a read to the reader. A read after a write of its own transaction to the key is internal and has none;
//! - co, the commit order: what a level asks for, see [`Isolation`].
//!
//! Source: Biswas and Enea 2019, with Adya's, Elle's and Cerone's levels beside theirs.

mod builder;
mod error;
mod graph;
mod history;
mod ids;
mod level;
mod lists;
mod reads;
mod relations;
mod strong;
mod verdict;
mod versions;
mod weak;

use crate::limits::Limits;
use crate::verdict::Limit;

pub use builder::HistoryBuilder;
pub use error::MalformedHistory;
pub use history::{History, Op, Span, Status};
pub use ids::{INIT, KeyId, OpId, SessionId, TxnId};
pub use level::{Base, Isolation, Level};
pub use reads::{Misread, Misreading, Reads, Source};
pub use verdict::{Because, End, Link, Proof, Rel, Step, Unsupported, Verdict, Violation};
pub use versions::Incompatible;

/// Whether a history satisfies a level, whose base must apply to it.
pub fn satisfies(history: &History, level: Level, limits: &Limits<'_>) -> Result<bool, Limit> {
    let weakest = Level::new(Isolation::Rc, level.base()).filter(|rc| rc.includes(level));
    match (level.isolation(), weakest) {
        (Isolation::Psi | Isolation::Pc | Isolation::Si | Isolation::Ser, Some(rc)) => {
            if weak::decide(history, rc).is_err() {
                return Ok(false);
            }
            let Ok(versions) = versions::versions(history) else { return Ok(false) };
            Ok(strong::decide(history, level, &versions, limits)?.is_ok())
        }
        _ => Ok(weak::decide(history, level).is_ok()),
    }
}
