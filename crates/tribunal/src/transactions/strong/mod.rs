//! psi, pc, si and ser: an order of the writers of each key, found by saturation and, where that leaves choices, by search.
//!
//! With D = b ∪ wr, for an order ww of the writers of each key and rw = wr⁻¹ ; ww:
//!
//! | level | condition | nodes | D | ww | rw |
//! |---|---|---|---|---|---|
//! | ser | acyclic(D ∪ ww ∪ rw) | t | t→t | t→t | t→t |
//! | si | acyclic((D ∪ ww) ; rw?) | S→C | C→S | C→S | S→C |
//! | pc | acyclic((D ; rw?) ∪ ww) | S→C | C→S | C→C | S→C |
//! | psi | irreflexive((D ∪ ww)⁺ ; rw?) | t | t→t | t→t | none |
//!
//! So each is acyclicity of one graph, but for psi, whose rw are never edges: what they forbid is what the first rule says.
//!
//! - A writer w of x that comes before a reader of t₀'s x comes before t₀.
//! - A writer that must come before another does so with all who read from it: they do not see the other.
//!
//! Invariant: a clock says of each chain (a session, or a transaction by itself) how many of its nodes lead to a node; a node that leads to itself
//! is a conflict. When all writers of each key are ordered and there is none, the level holds.
//!
//! Sources: Tan et al. 2020 (Cobra) and Zennou et al. 2020 for the rules, Zhang et al. 2023 (Viper) for the two nodes.

mod proof;
mod saturation;
mod search;

use super::versions::Versions;
use super::{History, KeyId, Level, Proof, TxnId};
use crate::limits::Limits;
use crate::verdict::Limit;
use rustc_hash::FxHashMap;
use saturation::Saturation;
use search::Stop;

/// The commit order, or why there is none. The level is one of those above; misreads and lists have been looked at, and D with what lists tell of ww has no
/// cycle.
pub(super) fn decide(
    history: &History,
    level: Level,
    versions: &FxHashMap<KeyId, Versions>,
    limits: &Limits<'_>,
) -> Result<Result<Vec<TxnId>, Proof>, Limit> {
    let mut saturation = Saturation::new(history, level, limits)?;
    match saturation.solve(versions, limits) {
        Ok(()) => Ok(Ok(saturation.commits())),
        Err(Stop::Refuted(part)) => Ok(Err(part.proof)),
        Err(Stop::Limit(limit)) => Err(limit),
    }
}
