//! Histories of memories as transactions.

use tribunal_history::memory::{EventId, Execution, Kind};
use tribunal_history::transactions::{History, KeyId, Op, Status};

/// A history of a memory with one access a transaction; an RMW is a read and a write. Threads are sessions, fences are left out.
///
/// With one operation a transaction session-ser is sc and tcc is ccv. Values are numbered anew, in the order of the writes of a location, so that
/// each names its write.
///
/// Returns nothing if the source of a read is open.
///
/// ```
/// use tribunal_machines::hard::kernel;
/// use tribunal_machines::transactions::families::of_memory;
/// let memory = kernel::ring(2);
/// let history = of_memory(&memory).expect("every source is known");
/// assert_eq!((history.len(), history.session_count()), (memory.len(), memory.thread_count()));
/// ```
pub fn of_memory(memory: &Execution) -> Option<History> {
    let mut b = History::builder();
    if let Some(name) = memory.name() {
        b.name(name);
    }
    let keys: Vec<KeyId> = memory.locations().map(|loc| b.key(memory.location_name(loc))).collect();
    let mut written: Vec<i64> = vec![0; keys.len()];
    // By event, 0 if it does not write. Initial writes come behind all others.
    let mut values: Vec<i64> = vec![0; memory.len()];
    for event in memory.events() {
        if let (Kind::Write | Kind::Rmw, Some(loc)) = (memory.label(event).kind(), memory.loc(event)) {
            written[loc.index()] += 1;
            values[event.index()] = written[loc.index()];
        }
    }
    for thread in memory.threads() {
        let session = b.session(memory.thread_name(thread));
        for event in memory.thread_events(thread).map(EventId) {
            let Some(loc) = memory.loc(event) else { continue };
            let key = keys[loc.index()];
            let kind = memory.label(event).kind();
            b.begin(session);
            if matches!(kind, Kind::Read | Kind::Rmw) {
                let source = memory.rf(event)?;
                b.op(Op::Read(key, values.get(source.index()).copied()));
            }
            if matches!(kind, Kind::Write | Kind::Rmw) {
                b.op(Op::Write(key, values[event.index()]));
            }
            b.end(Status::Committed, None);
        }
    }
    b.build().ok()
}
