//! The substrate that the threads of a program run on: coroutines, or threads of the system.

use super::state::{Body, State};
use tribunal_history::memory::ThreadId;

/// The substrate that the threads of a program under test run on. The executions are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substrate {
    /// Coroutines, all of them on the worker's own thread.
    #[cfg(feature = "coroutines")]
    Coroutines,
    /// A thread of the system for each, of which only one runs at a time. Slow; for Miri, and for where there are no coroutines.
    Threads,
}

impl Default for Substrate {
    fn default() -> Self {
        #[cfg(all(feature = "coroutines", not(miri)))]
        return Substrate::Coroutines;
        #[cfg(not(all(feature = "coroutines", not(miri))))]
        Substrate::Threads
    }
}

/// Whether a thread has more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Suspended,
    Ended,
}

/// Something that runs, gives way, and goes on.
pub(crate) trait Fiber {
    /// Runs it, with the state as that of the execution, until it gives way or ends.
    fn resume(&mut self, state: Box<State>) -> (Box<State>, Progress);

    /// Drops it without unwinding what is on its stack. Nothing else of its execution runs any more.
    fn leak(self: Box<Self>);
}

/// Makes fibers, and uses their stacks again.
pub(crate) trait Fibers {
    /// What runs a thread of the program, on the same stack in every execution where that can be had.
    fn fiber(&mut self, thread: ThreadId, body: Body) -> Box<dyn Fiber>;
}

pub(crate) fn fibers(substrate: Substrate, stack_size: usize) -> Box<dyn Fibers> {
    match substrate {
        #[cfg(feature = "coroutines")]
        Substrate::Coroutines => Box::new(super::coroutine::Coroutines::new(stack_size)),
        Substrate::Threads => Box::new(super::os::OsThreads::new(stack_size)),
    }
}

/// The suspender by which a running thread gives way.
#[derive(Clone, Copy)]
pub(crate) enum Suspender {
    #[cfg(feature = "coroutines")]
    Coroutine(super::coroutine::Yielder),
    Thread,
}

impl Suspender {
    /// Gives way to the explorer until the fiber is resumed. The caller must be the fiber whose suspender this is.
    pub(super) fn suspend(self) {
        match self {
            #[cfg(feature = "coroutines")]
            Suspender::Coroutine(yielder) => yielder.suspend(),
            Suspender::Thread => super::os::suspend(),
        }
    }
}
