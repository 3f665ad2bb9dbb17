//! Futures: `loom::future`.

use crate::alloc::Debt;
use crate::sync::{Mutex, Notify, PoisonError};
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

struct Wakes {
    notify: Notify,
    #[allow(dead_code, reason = "a waker that is left at the end of the execution is a leak")]
    debt: Debt,
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.notify.notify();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.notify.notify();
    }
}

/// Runs a future to completion. A waker that outlives the execution is a leak.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let debt = Debt::new("a waker of block_on", Location::caller());
    let wakes = Arc::new(Wakes { notify: Notify::new(), debt });
    let waker = Waker::from(wakes.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => wakes.notify.wait(),
        }
    }
}

/// A place for a waker.
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// There is none.
    #[track_caller]
    pub const fn new() -> Self {
        AtomicWaker { waker: Mutex::new(None) }
    }

    /// Puts a waker there.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let old = self.waker.lock().unwrap_or_else(PoisonError::into_inner).replace(waker);
        drop(old);
    }

    /// Stores a clone of a waker.
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Takes the waker, if there is one, and wakes it.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Default for AtomicWaker {
    #[track_caller]
    fn default() -> Self {
        AtomicWaker::new()
    }
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWaker").finish_non_exhaustive()
    }
}
