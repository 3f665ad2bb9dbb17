//! Linearizability of collections whose values are inserted once, in log-linear time.
//!
//! Containers (queue, stack, priority queue) share one view of the history, [`container::Container`]; registers and sets
//! have their own. Each algorithm ends in an [`Found`], which is a certificate already.

mod append;
mod completion;
mod container;
mod covered;
mod pieces;
mod priority_queue;
mod queue;
mod register;
mod set;
mod stack;
mod trees;
mod zones;

use super::linearize::Keys;
use super::{
    AbstractExecution, Collection, History, OpId, Specification, Unsupported, Verdict, Violation, Visibility,
};
use container::{Container, Methods};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// The result of an algorithm.
pub(super) enum Found {
    /// The operations that took effect, in order: all completed ones and some pending ones.
    Linearized(Vec<OpId>),
    /// A part that no linearization explains.
    Violated(Violation),
    /// Some keys are put in order; the rest is left to a search.
    Partly(Partly),
    /// The algorithm does not decide such a history.
    Unsupported(Unsupported),
}

/// Linearizations of some keys, and the keys that the algorithm does not decide.
pub(super) struct Partly {
    pub(super) lins: Vec<Vec<OpId>>,
    pub(super) left: Keys,
}

/// The part of the answer that is known without a search.
pub(super) enum Known {
    Verdict(Verdict),
    Partly(Partly),
}

/// The bytes that an algorithm takes for an operation, at most about.
const BYTES_PER_OPERATION: usize = 128;

/// Once in so many operations the limits are looked at.
const POLL: usize = 4096;

pub(super) fn decide(
    history: &History,
    spec: &dyn Specification,
    limits: &Limits<'_>,
) -> Result<Known, Limit> {
    limits.check(0)?;
    limits.check_memory(history.len().saturating_mul(BYTES_PER_OPERATION), 0)?;
    let outcome = match spec.collection() {
        None => Found::Unsupported(Unsupported::NoCollection),
        Some(Collection::Register(initial)) => register::decide(history, &initial, limits)?,
        Some(Collection::Set) => set::decide(history, limits)?,
        Some(collection @ (Collection::List | Collection::KeyedList | Collection::KvStore)) => {
            append::decide(history, spec, &collection, limits)?
        }
        Some(Collection::Queue) => {
            let methods = Methods { insert: "enqueue", remove: "dequeue" };
            of_container(history, methods, queue::decide, limits)?
        }
        Some(Collection::Stack) => {
            let methods = Methods { insert: "push", remove: "pop" };
            of_container(history, methods, stack::decide, limits)?
        }
        Some(Collection::PriorityQueue) => {
            let methods = Methods { insert: "insert", remove: "delete_min" };
            of_container(history, methods, priority_queue::decide, limits)?
        }
    };
    Ok(Known::Verdict(match outcome {
        Found::Partly(partly) => return Ok(Known::Partly(partly)),
        Found::Linearized(lin) => {
            debug_assert!(replays(history, spec, &lin), "a linearization that does not replay");
            Verdict::Consistent(AbstractExecution { lin, vis: Visibility::All })
        }
        Found::Violated(violation) => Verdict::Inconsistent(violation),
        Found::Unsupported(why) => Verdict::Unsupported(why),
    }))
}

fn of_container(
    history: &History,
    methods: Methods,
    algorithm: fn(&Container<'_>, &Limits<'_>) -> Result<Found, Limit>,
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    let container = match Container::new(history, methods, limits)? {
        Ok(container) => container,
        Err(outcome) => return Ok(outcome),
    };
    limits.check(0)?;
    algorithm(&container, limits)
}

/// Whether a linearization gives every completed operation its return.
fn replays(history: &History, spec: &dyn Specification, lin: &[OpId]) -> bool {
    let mut replay = spec.replay();
    lin.iter().all(|&op| {
        let ret = replay.call(history.called(op));
        ret.is_some() && history.result(op).is_none_or(|result| ret.as_ref() == Some(result))
    })
}
