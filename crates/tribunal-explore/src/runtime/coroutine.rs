//! Coroutines as threads, with stacks that are used again.

use super::state::{self, Body, State};
use super::substrate::{Fiber, Fibers, Progress, Suspender};
use crate::quarantine;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use std::cell::RefCell;
use std::rc::Rc;

type Stacks = Rc<RefCell<Vec<DefaultStack>>>;

/// Makes coroutines.
pub(super) struct Coroutines {
    stack_size: usize,
    stacks: Stacks,
}

impl Coroutines {
    pub(super) fn new(stack_size: usize) -> Self {
        Coroutines { stack_size, stacks: Stacks::default() }
    }
}

impl Fibers for Coroutines {
    fn fiber(&mut self, body: Body) -> Box<dyn Fiber> {
        let stack = self.stacks.borrow_mut().pop().unwrap_or_else(|| {
            DefaultStack::new(self.stack_size)
                .unwrap_or_else(|error| panic!("no memory for the stack of a thread: {error}"))
        });
        let coroutine = Coroutine::with_stack(stack, |yielder: &corosensei::Yielder<(), ()>, ()| {
            let yielder = Yielder(yielder);
            state::with(|state| state.me().suspender = Some(Suspender::Coroutine(yielder)));
            body();
        });
        Box::new(Running { coroutine: Some(coroutine), stacks: self.stacks.clone() })
    }
}

struct Running {
    coroutine: Option<Coroutine<(), (), ()>>,
    stacks: Stacks,
}

impl Fiber for Running {
    fn resume(&mut self, state: Box<State>) -> (Box<State>, Progress) {
        let coroutine = self.coroutine.as_mut().expect("what has ended is not resumed");
        state::enter(state);
        quarantine::keep(true);
        let result = coroutine.resume(());
        quarantine::keep(false);
        let state = state::leave();
        match result {
            CoroutineResult::Yield(()) => (state, Progress::Suspended),
            CoroutineResult::Return(()) => {
                self.stacks.borrow_mut().extend(self.coroutine.take().map(Coroutine::into_stack));
                (state, Progress::Ended)
            }
        }
    }

    #[allow(unsafe_code)]
    fn leak(mut self: Box<Self>) {
        if let Some(mut coroutine) = self.coroutine.take() {
            // SAFETY: nothing of the execution runs any more that could refer to what is on the stack; what that owns is leaked.
            unsafe { coroutine.force_reset() };
            self.stacks.borrow_mut().push(coroutine.into_stack());
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
