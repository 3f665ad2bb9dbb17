//! Replaying an execution in an order that contains po, rf and any further edges, or finding the cycle that
//! forbids it.

use std::collections::VecDeque;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::Limit;

const NO_ONE: u32 = u32::MAX;

/// The number of events of a thread that are replayed before the next thread has its turn. Threads that advance together keep
/// what they exchange in cache.
const TURN: u32 = 1024;

/// The number of turns that are taken between two looks at the clock.
const CHECK: u32 = 16;

/// One event, as the replay reaches it.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub event: EventId,
    pub thread: ThreadId,
    /// The write it reads from and that write's thread, unless it is an initial write.
    pub source: Option<(EventId, ThreadId)>,
}

/// The reason why a replay did not come to its end.
pub(crate) enum Halt {
    Deadlock(Deadlock),
    Limit(Limit),
}

/// Every thread that has events left waits for an event that is not yet replayed.
pub(crate) struct Deadlock {
    /// For each thread, the event at which it is blocked and the one it waits for.
    blocked: Vec<Option<(EventId, EventId)>>,
}

impl Deadlock {
    /// A cycle of waits: pairs (blocked event, awaited event), where each awaited event is the next pair's blocked
    /// event or po-after it. It visits no thread twice.
    pub(crate) fn cycle(&self, x: &Execution) -> Vec<(EventId, EventId)> {
        let awaited =
            |t: ThreadId| self.blocked[t.index()].expect("a blocked thread waits for a blocked thread");
        let thread_of = |e: EventId| x.thread_of(e).expect("an initial write is never awaited");
        let mut position = vec![usize::MAX; self.blocked.len()];
        let mut trail: Vec<ThreadId> = Vec::new();
        let first = self.blocked.iter().position(Option::is_some).expect("a deadlock has a blocked thread");
        let mut t = ThreadId::from_index(first);
        while position[t.index()] == usize::MAX {
            position[t.index()] = trail.len();
            trail.push(t);
            t = thread_of(awaited(t).1);
        }
        trail[position[t.index()]..].iter().map(|&t| awaited(t)).collect()
    }
}

/// Visits every event after its po-predecessors, its source and `preds` of it. An initial write comes before everything
/// and is not visited; it must not have predecessors.
///
/// O(n + number of predecessors) time, 4 bytes per event.
pub(crate) fn replay<'a>(
    x: &Execution,
    preds: impl Fn(EventId) -> &'a [EventId],
    limits: &Limits<'_>,
    mut visit: impl FnMut(Step) -> Result<(), Limit>,
) -> Result<(), Halt> {
    limits.check_memory(4 * x.len() + 24 * x.thread_count(), 0).map_err(Halt::Limit)?;
    let (n, k) = (x.len() as u32, x.thread_count());
    let labels = x.labels();
    // Invariant: thread t has replayed exactly its events below next[t].
    let mut next: Vec<u32> = x.threads().map(|t| x.thread_events(t).start).collect();
    let mut first_waiter = vec![NO_ONE; n as usize];
    let mut next_waiter = vec![NO_ONE; k];
    let mut waits_for: Vec<Option<(EventId, EventId)>> = vec![None; k];
    let mut ready: VecDeque<u32> = (0..k as u32).collect();
    let done = |next: &[u32], e: EventId| x.thread_of(e).is_none_or(|u| e.0 < next[u.index()]);

    let mut turns = 0u32;
    while let Some(t) = ready.pop_front() {
        turns += 1;
        if turns % CHECK == 1 {
            limits.check(0).map_err(Halt::Limit)?;
        }
        let thread = ThreadId(t);
        let end = x.thread_events(thread).end;
        let turn_end = end.min(next[thread.index()].saturating_add(TURN));
        let mut blocked_by = None;
        while next[thread.index()] < turn_end {
            let event = EventId(next[thread.index()]);
            let mut source = None;
            if labels[event.index()].reads()
                && let Some(write) = x.rf(event)
                && let Some(writer) = x.thread_of(write)
            {
                if write.0 >= next[writer.index()] {
                    blocked_by = Some((event, write));
                    break;
                }
                source = Some((write, writer));
            }
            if let Some(&pred) = preds(event).iter().find(|&&pred| !done(&next, pred)) {
                blocked_by = Some((event, pred));
                break;
            }
            next[thread.index()] += 1;
            visit(Step { event, thread, source }).map_err(Halt::Limit)?;
            let mut waiter = std::mem::replace(&mut first_waiter[event.index()], NO_ONE);
            while waiter != NO_ONE {
                ready.push_back(waiter);
                waits_for[waiter as usize] = None;
                waiter = std::mem::replace(&mut next_waiter[waiter as usize], NO_ONE);
            }
        }
        match blocked_by {
            Some((event, awaited)) => {
                waits_for[thread.index()] = Some((event, awaited));
                next_waiter[thread.index()] = std::mem::replace(&mut first_waiter[awaited.index()], t);
            }
            None if next[thread.index()] < end => ready.push_back(t),
            None => {}
        }
    }
    match waits_for.iter().any(Option::is_some) {
        true => Err(Halt::Deadlock(Deadlock { blocked: waits_for })),
        false => Ok(()),
    }
}
