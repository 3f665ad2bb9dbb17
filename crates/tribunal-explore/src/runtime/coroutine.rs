//! Coroutines as threads. A thread of the program has the same stack in every execution: addresses of what is on it do not depend on what others did.

use super::state::{self, Body, State};
use super::substrate::{Fiber, Fibers, Progress, Suspender};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use std::cell::RefCell;
use std::rc::Rc;
use tribunal_history::memory::ThreadId;

/// Stacks of threads that do not run.
#[derive(Default)]
struct Stacks {
    /// By thread.
    own: Vec<Option<DefaultStack>>,
    /// Of threads from number [`MOST_OWN`] on.
    shared: Vec<DefaultStack>,
}

/// Threads with stacks of their own; the system has a limit on mappings.
const MOST_OWN: usize = 4_096;

impl Stacks {
    /// Makes stacks in the order of threads, so that they lie in the same order for every worker.
    fn take(&mut self, thread: ThreadId, size: usize) -> DefaultStack {
        let new = || {
            DefaultStack::new(size)
                .unwrap_or_else(|error| panic!("no memory for the stack of a thread: {error}"))
        };
        if thread.index() >= MOST_OWN {
            return self.shared.pop().unwrap_or_else(new);
        }
        while self.own.len() <= thread.index() {
            self.own.push(Some(new()));
        }
        self.own[thread.index()].take().unwrap_or_else(new)
    }

    fn put(&mut self, thread: ThreadId, stack: DefaultStack) {
        match self.own.get_mut(thread.index()) {
            Some(own) => *own = Some(stack),
            None => self.shared.push(stack),
        }
    }
}

/// Makes coroutines.
pub(super) struct Coroutines {
    stack_size: usize,
    stacks: Rc<RefCell<Stacks>>,
}

impl Coroutines {
    pub(super) fn new(stack_size: usize) -> Self {
        Coroutines { stack_size, stacks: Rc::default() }
    }
}

impl Fibers for Coroutines {
    fn fiber(&mut self, thread: ThreadId, body: Body) -> Box<dyn Fiber> {
        let stack = self.stacks.borrow_mut().take(thread, self.stack_size);
        let coroutine = Coroutine::with_stack(stack, |yielder: &corosensei::Yielder<(), ()>, ()| {
            let yielder = Yielder(yielder);
            state::with(|state| state.me().suspender = Some(Suspender::Coroutine(yielder)));
            body();
        });
        Box::new(Running { thread, coroutine: Some(coroutine), stacks: self.stacks.clone() })
    }
}

struct Running {
    thread: ThreadId,
    coroutine: Option<Coroutine<(), (), ()>>,
    stacks: Rc<RefCell<Stacks>>,
}

impl Fiber for Running {
    fn resume(&mut self, state: Box<State>) -> (Box<State>, Progress) {
        let coroutine = self.coroutine.as_mut().expect("what has ended is not resumed");
        state::enter(state);
        let result = coroutine.resume(());
        let state = state::leave();
        match result {
            CoroutineResult::Yield(()) => (state, Progress::Suspended),
            CoroutineResult::Return(()) => {
                if let Some(coroutine) = self.coroutine.take() {
                    self.stacks.borrow_mut().put(self.thread, coroutine.into_stack());
                }
                (state, Progress::Ended)
            }
        }
    }

    #[allow(unsafe_code)]
    fn leak(mut self: Box<Self>) {
        if let Some(mut coroutine) = self.coroutine.take() {
            // SAFETY: nothing of the execution runs any more that could refer to what is on the stack; what that owns is leaked.
            unsafe { coroutine.force_reset() };
            self.stacks.borrow_mut().put(self.thread, coroutine.into_stack());
        }
    }
}

/// The way back from a coroutine.
#[derive(Clone, Copy)]
pub(crate) struct Yielder(*const corosensei::Yielder<(), ()>);

impl Yielder {
    #[allow(unsafe_code)]
    #[inline(never)]
    pub(super) fn suspend(self) {
        // SAFETY: the yielder is on the stack of its coroutine, below everything that the coroutine runs, and only what runs on
        // the coroutine suspends with it.
        unsafe { (*self.0).suspend(()) }
    }
}
