//! Code in other languages as a program under test: what a runtime for it has to supply, and the operations by which it asks the explorer.
//!
//! Its threads run on the stacks of coroutines, and come here at each operation. An execution that is given up is not run to its end: nothing of it is unwound or dropped, and the runtime
//! makes memory what it was [before each](crate::Explorer::before_each). So whoever calls an operation holds nothing that would have to be dropped.
//!
//! Outside executions operations do nothing, and reads give 0.

use crate::program::{Action, Answer, Fork, Place, Update};
use crate::report::Problem;
use crate::runtime::home::Home;
use crate::runtime::{ops, state};
use crate::sync::condvar::{self, Queue};
use crate::sync::{barrier, once};
use tribunal_history::memory::{Order, ThreadId};

pub use crate::runtime::ops::{Access, TIMED_OUT};
pub use crate::sync::condvar::{Notified, Synchronizes};
pub use crate::sync::once::{DONE, NOT_DONE};
pub use crate::sync::rwlock::{GIVE_READ, TAKE_READ, TAKE_WRITE};

/// The code, as its runtime knows it.
#[derive(Debug)]
pub struct Foreign {
    /// Runs a thread, on its own stack, from its beginning to its end. Thread 0 is the main thread.
    pub enter: fn(ThreadId),
    /// A thread that was asked for has a number; called before it runs.
    pub spawned: fn(ThreadId, ThreadId),
    /// Told of what a thread knows, before it goes on; see [`Program::told`](crate::program::Program::told).
    pub told: fn(ThreadId, Option<&[u32]>),
    /// All threads have ended: whether something is wrong with the execution as a whole.
    pub finish: fn() -> Result<(), Problem>,
    /// Forks the process, if there is room for another one; see [`Program::fork`](crate::program::Program::fork).
    pub fork: fn() -> Fork,
    /// Whether it may fork.
    pub may_fork: fn() -> bool,
    /// Whether a thread may wait forever when the main thread has ended.
    pub may_be_left: fn(ThreadId) -> bool,
    /// The name of an object, by its address.
    pub name: fn(usize) -> Option<String>,
    /// The name of a thread.
    pub thread_name: fn(ThreadId) -> Option<String>,
}

/// What a thread of foreign code runs.
pub(crate) fn enter() {
    let thread = state::with(|state| Some((state.enter?, state.current))).flatten();
    if let Some((enter, thread)) = thread {
        enter(thread);
    }
}

/// An object of the program that threads share: an atomic, a lock.
#[derive(Debug)]
pub struct Object(Home);

/// The kind of locks that one thread holds at a time: their word is 0 if they are free.
pub const MUTEX: &str = "Mutex";

/// The kind of atomics.
pub const ATOMIC: &str = "Atomic";

impl Object {
    /// An object at an address. The kind says what it is, to people and to the explorer.
    pub fn new(address: usize, kind: &'static str, place: Place) -> Self {
        Object(Home::at(address, kind, place))
    }

    /// Does something to it; the answer is the value read.
    #[inline]
    pub fn access(&self, initial: u64, access: Access, place: Place) -> u64 {
        ops::access(&self.0, || initial, access, place).unwrap_or(0)
    }

    /// An RMW that need not write.
    pub fn update(&self, order: Order, update: Update, place: Place) -> u64 {
        let failure = if order == Order::Release { Order::Relaxed } else { order };
        self.access(0, Access::Rmw { order, failure, update }, place)
    }

    /// As a condition variable: queues the thread, releases a lock, and waits for a notification. Says whether it ended without one.
    pub fn wait(
        &self,
        synchronizes: Synchronizes,
        release: impl FnOnce(),
        timed: bool,
        place: Place,
    ) -> bool {
        condvar::wait(Queue { home: &self.0, synchronizes }, release, timed, place)
    }

    /// As a condition variable: wakes threads, and says how many.
    pub fn notify(&self, synchronizes: Synchronizes, whom: Notified, place: Place) -> usize {
        condvar::notify(Queue { home: &self.0, synchronizes }, whom, place)
    }

    /// As a barrier: waits until so many threads have arrived. Says whether this one was the last.
    pub fn meet(&self, size: u64, place: Place) -> bool {
        barrier::meet(&self.0, size, place).unwrap_or(false)
    }

    /// As something that is done once: begins, and waits while another does it. Says whether it is the caller's to do, who then [ends](Self::end).
    pub fn begin(&self, initial: u64, place: Place) -> bool {
        once::begin(&self.0, initial, true, place).flatten().is_some()
    }

    /// As something that is done once: it is [`DONE`], or is [to be done](NOT_DONE) again.
    pub fn end(&self, word: u64, place: Place) {
        once::end(&self.0, word, place);
    }
}

/// The thread that runs, if one does.
pub fn current() -> Option<ThreadId> {
    state::with(|state| state.current)
}

/// The thread that runs, and the number of its events so far.
#[inline]
pub fn epoch() -> Option<(ThreadId, u32)> {
    state::with(|state| (state.current, state.me().events))
}

/// Whether the explorer is asked: false outside executions.
pub fn is_inside() -> bool {
    state::is_inside()
}

/// A fence.
pub fn fence(order: Order, place: Place) {
    ops::fence(order, place);
}

/// The end of an iteration of a loop that waits.
pub fn spin(place: Place) {
    ops::spin(place);
}

/// Picks a number below `options`.
pub fn choose(options: u32, place: Place) -> u32 {
    ops::choose(options, place)
}

/// Makes a thread, which runs [`Foreign::enter`].
pub fn spawn(place: Place) -> Option<ThreadId> {
    ops::spawn(Box::new(|| ()), place)
}

/// Waits for the end of a thread.
pub fn join(thread: ThreadId, place: Place) {
    ops::join(thread, place);
}

/// The thread stops, and the execution does not count.
pub fn block(place: Place) {
    loop {
        let answer: Option<Answer> = ops::ask(|_| Action::Block, place);
        debug_assert!(answer.is_none(), "what stops is not resumed");
    }
}

/// The explorer is told of a problem. The thread is not resumed.
pub fn fail(problem: Problem, place: Place) {
    ops::fail(problem, place);
}

/// Whether a wait ends here without cause; see [`Explorer::spurious`](crate::Explorer::spurious).
pub fn wakes_spuriously(place: Place) -> bool {
    ops::wakes_spuriously(place)
}
