//! pram, pipelined random access memory.
//!
//! - For each thread t, the writes of everyone and the events of t have a total order that contains po and in which
//!   every read of t reads the latest write to its location.
//!
//! That is: hb_o is acyclic for the last event o of t, where the base is po and rf into t. (In the reverse of the
//! order in which [`view`](super::view) takes events away, every read comes when all other writes of its location
//! before it are before the one it reads.) Fences are events like any other. O(n·k).

use super::base::{Base, Program, ReadsFrom, Writes};
use super::observers::some_cycle;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Axiom, Limit, Refutation, Verdict, Violation, Witness};

pub(in crate::memory::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let base = Base::new(x, Program::Po, ReadsFrom::Observer);
    Ok(match some_cycle(&base, &Writes::new(x), |_, _| false, 0, limits)? {
        None => Verdict::Consistent(Witness::History),
        Some(cycle) => {
            let refutation = Refutation::Cycle(cycle);
            Verdict::Inconsistent(Violation { axiom: Axiom::Pipelined, refutation })
        }
    })
}
