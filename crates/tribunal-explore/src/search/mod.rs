//! Exploration modulo reads-from.
//!
//! After TruSt (Kokologiannakis, Marmanis, Gladstein and Vafeiadis, *Truly Stateless, Optimal Dynamic Partial Order Reduction*,
//! POPL 2022). An execution grows event by event; the next one is that of the first thread, in the order of spawns, that can
//! go on. A read tries every write that it may read from. A write tries every read r of its location, not before it in po ∪ rf,
//! that may read from it instead: what came after r goes, except for what is before the write, and r reads from the write. Of the
//! executions that lead to the same one in this way, only one may do so: the one in which everything that goes, and r itself,
//! reads what it *prefers* to read.
//!
//! **What was changed.** TruSt keeps mo in its graphs, and what a read prefers is the write that is last in mo. Here mo stays open: a
//! graph stands for all executions with its po and rf, and a [session](tribunal_engines::memory::session) says whether there is one. So a read
//! prefers the first write that it may read from in an order of the writes that depends on nothing but their place in the
//! program: the last thread's last write first. All that the argument of TruSt needs is that what is preferred is a function of
//! the graph before the read, and that it is consistent. It exists since the write that is last in a witness's mo can always be read;
//! and graphs without the last event of a thread are consistent (rc20 is closed under prefixes of po ∪ rf). So each
//! class of reads-from comes once, and no class is left out.
//!
//! **RMWs** are one event of two parts. An RMW has read before it writes: what is preferred to what it is to revisit is asked with that read in place. If it reads
//! from a write that another RMW reads from already, then only an execution in which that one has gone, or reads from the new one, is
//! consistent. An RMW that comes to read from another write writes anew, and tries what a new write tries. Under sra alone an RMW
//! also orders what its read does not: there, executions with RMWs may be left out.
//!
//! **Waiting.** An event that waits (for a lock, say) tries only what lets it go on. If there is nothing, it waits, and its thread with
//! it, until a write comes that will do and tries it as any other read. It prefers what lets it go on, and else to wait. One that can go on whatever
//! others do does not try to wait when it is added, but when a write comes behind which it may wait forever (`wait`). If the last try of a blocked run lets such a thread go on and takes back nothing that another thread has gone on from, the run goes on with it in place (`wait`).
//! An execution in which a thread waits forever does not count; if what it has seen may be the last word, it is a deadlock.
//!
//! **Locks** are handed to each of the threads that wait for them, so that no run ends because a lock is held (`lock`).
//!
//! **Handles** of a shared object are given up in some order, of which only the last one matters. The last one in the order of events is the last; it then tries
//! every other one in its place, which waits until the rest is given up.
//!
//! **Channels.** A send is an RMW of the number of messages of its channel, so that sends have a total order, and writes its message to a location of its own. The
//! n-th receive reads the n-th message: what it prefers is all that it may read, and a function of the graph before it. If the message is not there, it is not
//! the receive's turn, as for a join, so that it never waits inside an execution and is never revisited; if a send
//! comes to stand elsewhere, what was received from it goes with it. A receive that does not wait and finds no message is an RMW that leaves the number
//! as it is. It stands between two sends, prefers the message if there is one, and is revisited like any RMW. Drops of senders have no order among each other. A receive
//! that finds no sender reads from all of them, as if an event came behind the last one that reads all drops and that the receive reads from; this
//! event, which is never added, tries every receive that found the channel empty and is not before a drop.
//!
//! **Models as text.** A model that is given as text is asked of the execution as it is, after each event. Its checks must go on failing when events come, so that
//! parts of executions are consistent; and there must always be a write that can be read, else executions are left out, as are those in which po ∪ rf has a cycle.
//!
//! A state of a Rust program cannot be copied, so that what is to be tried is kept as a trace, and the program is run again for it. Each run ends
//! with an execution of its own, or with one that is blocked. The session goes back no further than to where the two differ.

mod cat;
mod checkpoint;
mod guide;
mod lock;
mod memory;
mod model;
mod observers;
mod pool;
mod preemptions;
mod probe;
mod revisit;
mod run;
mod session;
mod spin;
mod stale;
mod step;
mod threads;
mod wait;

use crate::options::Options;
use crate::program::Program;
use crate::report::{Guided, Report};
use model::InModel;
use tribunal_engines::memory::session::NoSession;

pub use guide::Guide;
pub use memory::Memory;

/// Explores a program. `make` is called once on each core that takes part; `collect` receives the program it made, with
/// what it has seen.
pub fn search<P: Program, R: Send>(
    make: impl Fn() -> P + Sync,
    collect: impl Fn(P) -> R + Sync,
    options: &Options,
) -> Result<(Report, Vec<R>), NoSession> {
    let memory = InModel::new(options.model)?;
    Ok(search_with(|| (make(), memory.clone()), collect, options))
}

/// Explores a program with a custom memory, which replaces `options.model`.
pub fn search_with<P: Program, M: Memory, R: Send>(
    make: impl Fn() -> (P, M) + Sync,
    collect: impl Fn(P) -> R + Sync,
    options: &Options,
) -> (Report, Vec<R>) {
    pool::explore(make, collect, options)
}

/// Runs one execution, controlled by a guide. Waiting threads do nothing until they can continue.
pub fn guided<P: Program>(
    program: P,
    guide: impl Guide,
    options: &Options,
) -> Result<(Guided, P), NoSession> {
    Ok(pool::guided(program, InModel::new(options.model)?, guide, options))
}
