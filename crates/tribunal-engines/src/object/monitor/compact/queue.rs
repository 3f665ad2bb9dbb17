//! Queues.

use super::{Container, ended_before};
use crate::object::monitor::window::Window;

/// Drops values that were enqueued and dequeued before `T'`, and dequeues that found nothing before `T`; `T'` is `T`, or the
/// earliest call of a dequeue that found nothing and returned after `T`.
///
/// A history with distinct values is not linearizable iff in all its completions there is one of these (Henzinger, Sezgin and Vafeiadis,
/// Aspect-oriented linearizability proofs, 2013): a value dequeued and not enqueued, or dequeued twice, or before its enqueue; enq(x) before enq(y) while
/// deq(y) is before deq(x), or x is never dequeued; a dequeue that finds nothing while values that follow on one another are inside
/// all along. Let x be dropped. If enq(y) is before enq(x), then y's dequeue is not after deq(x): H is linearizable, and
/// whatever F dequeues is called after deq(x) returned, so y has been dequeued in H. If enq(x) is before enq(y), no dequeue
/// of F is before deq(x). Last, let e find nothing. If it returned before `T`, then what is inside during e was
/// settled in H, for no removal that is still open was called by then. Otherwise it was called at or after `T'`, when x was gone.
pub(super) fn compact(window: &mut Window) {
    let container = Container::new(window);
    let t = container.t;
    let mut gone_by = t;
    for &slot in &container.empty {
        if ended_before(window, slot, t) {
            window.remove(slot);
        } else if let Some(operation) = window.get(slot) {
            gone_by = gone_by.min(operation.call);
        }
    }
    for gone in container.gone(window) {
        if gone.remove.1 < gone_by && gone.insert.1 < gone_by {
            for slot in gone.slots {
                window.remove(slot);
            }
        }
    }
}
