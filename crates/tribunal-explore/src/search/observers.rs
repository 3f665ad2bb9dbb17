//! Counting the modification orders of an execution.
//!
//! A session leaves mo open. What fixes it is somebody who reads all writes of a location, each once: coherence has mo in the order of the reads. A thread that does nothing else adds
//! no more to hb and psc, if there is one for each location. So the mos that an execution may have are the ways in which such observers may read.

use tribunal_engines::memory::session::{Session, WriteId};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// A thread that reads the writes of a location in the order of mo.
pub(super) struct Observer {
    pub(super) thread: ThreadId,
    pub(super) loc: LocId,
    /// What it has not yet read, without the initial write.
    pub(super) unread: Vec<WriteId>,
}

/// The number of ways in which they may read all that they have not read; too small once a limit is reached. The session has more marks afterwards.
pub(super) fn count(session: &mut Session, observers: &mut [Observer], limits: &Limits<'_>) -> u64 {
    let Some((observer, others)) = observers.split_first_mut() else { return 1 };
    let (thread, loc) = (observer.thread, observer.loc);
    if observer.unread.is_empty() {
        return count(session, others, limits);
    }
    let mut next = session.candidates(thread, loc, Order::Relaxed).to_vec();
    next.retain(|write| observer.unread.contains(write));
    // A write that cannot be read now is before one that was read, and is never read.
    if next.len() < observer.unread.len() || limits.check(0).is_err() {
        return 0;
    }
    let mark = session.mark();
    let mut sum = 0;
    for write in next {
        if session.read(thread, write, Order::Relaxed).is_ok() {
            let observer = &mut observers[0];
            observer.unread.retain(|&unread| unread != write);
            sum += count(session, observers, limits);
            observers[0].unread.push(write);
        }
        session.undo(mark);
    }
    sum
}
