//! cm, causal memory.
//!
//! - cc
//! - hb_o is acyclic for every event o
//!
//! where hb_o is the least transitive relation that contains co = (po ∪ rf)⁺ in the past of o, and w1 → w2 for
//! distinct writes of one location if w1 → r and r, which is o or before o in its thread, reads from w2. Decided in
//! O(n·k), as [`view`](super::view) says.

use super::base::{Base, Program, ReadsFrom, Writes};
use super::cc::causal_past;
use super::observers::some_cycle;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Axiom, Limit, Refutation, Verdict, Violation, Witness};

pub(in crate::memory::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let co = match causal_past(x, limits)? {
        Ok(co) => co,
        Err(violation) => return Ok(Verdict::Inconsistent(violation)),
    };
    let base = Base::new(x, Program::Po, ReadsFrom::All);
    let known = |write, other| co.before(x, write, other);
    Ok(match some_cycle(&base, &Writes::new(x), known, co.bytes(), limits)? {
        None => Verdict::Consistent(Witness::History),
        Some(cycle) => {
            let refutation = Refutation::Cycle(cycle);
            Verdict::Inconsistent(Violation { axiom: Axiom::CausalMemory, refutation })
        }
    })
}
