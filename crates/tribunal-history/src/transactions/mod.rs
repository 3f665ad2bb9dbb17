//! Histories of transactions: sessions of reads, writes and appends, and the isolation levels they satisfy.
//!
//! A [`History`] is a list of sessions, a session a list of transactions, a transaction a list of operations on keys. A key is either a register,
//! which is written and read, or a list, which is appended to and read as a whole. The initial transaction [`INIT`] writes the initial value
//! of every key and is first in every order.
//!
//! **What counts.** Committed transactions count, and so do those of unknown outcome that a counting transaction reads from. Aborted ones, and their reads, do not.
//!
//! **Relations** between transactions that count:
//!
//! - so, session order: from each committed transaction to the later ones of its session;
//! - rt, real time: from a committed transaction to those that begin after its end;
//! - wr: from the source of a read to the reader. A read that follows a write of its own transaction to the key is internal and has no source;
//! - co, the commit order, which a level requires to exist; see [`Isolation`].
//!
//! Source: Biswas and Enea 2019, extended with the levels of Adya, Elle and Cerone.

mod builder;
pub mod definition;
mod error;
mod history;
mod ids;
mod level;
mod lists;
mod reads;
mod verdict;

pub use builder::HistoryBuilder;
pub use error::MalformedHistory;
pub use history::{History, Op, Span, Status};
pub use ids::{INIT, KeyId, OpId, SessionId, TxnId};
pub use level::{Base, Isolation, Level};
pub use reads::{Candidates, ListRead, Misread, Misreading, Reads, Source};
pub use verdict::{
    Because, End, Incompatible, Link, Proof, Rel, Step, Unsupported, Verdict, Violation, Witness,
};
