//! One large history of many small ones.

use super::event::{op, slot};
use tribunal_history::memory::{Execution, LocId, Slot, Source, ThreadId};

/// The threads of a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Threads {
    /// Every part has its own.
    Own,
    /// Thread t of a part goes on where thread t of the part before it ends.
    Shared,
}

/// A history of parts that have no location in common.
///
/// It is consistent with a model if and only if every part is: the parts can be explained one after the other.
///
/// ```
/// use tribunal::{Model, check, memory::{Execution, Op}};
/// use tribunal_machines::hard::{Threads, compose};
/// let mut b = Execution::builder();
/// let (t, x) = (b.thread("T0"), b.location("x"));
/// b.push(t, Op::write(x, 1));
/// b.push(t, Op::read(x, 1));
/// let part = b.build()?;
/// let whole = compose(&[&part; 10], Threads::Shared);
/// assert_eq!((whole.len(), whole.thread_count(), whole.location_count()), (20, 1, 10));
/// assert!(check(&whole, Model::Ra).is_consistent());
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn compose(parts: &[&Execution], threads: Threads) -> Execution {
    let mut b = Execution::builder();
    for (i, part) in parts.iter().enumerate() {
        let locations: Vec<LocId> =
            part.locations().map(|loc| b.location(&format!("{}.{i}", part.location_name(loc)))).collect();
        for (loc, &here) in part.locations().zip(&locations) {
            b.init(here, part.init_value(loc));
        }
        let own: Vec<ThreadId> = part
            .threads()
            .map(|thread| match threads {
                Threads::Own => b.thread(&format!("{}.{i}", part.thread_name(thread))),
                Threads::Shared => b.thread(&crate::thread_name(thread)),
            })
            .collect();
        let starts: Vec<u32> = own.iter().map(|&thread| b.thread_len(thread) as u32).collect();
        let moved = |Slot { thread, index }: Slot| Slot {
            thread: own[thread.index()],
            index: starts[thread.index()] + index,
        };
        for event in part.events() {
            let mut op = op(part, event);
            if let Some(loc) = part.loc(event) {
                op.loc = locations[loc.index()];
            }
            if let Source::At(slot) = op.source {
                op.source = Source::At(moved(slot));
            }
            let here = b.push(moved(slot(part, event)).thread, op);
            for on in part.deps(event) {
                b.depends(here, moved(slot(part, on)).index);
            }
            if part.features().times {
                b.interval(here, part.interval(event));
            }
        }
        for &(loc, write) in part.finals() {
            b.final_value(locations[loc.index()], part.value(write));
        }
    }
    b.build().expect("parts that are valid make a valid whole")
}
