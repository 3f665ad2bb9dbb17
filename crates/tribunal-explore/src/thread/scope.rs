//! Scoped threads, which may borrow from their parent.

use super::{Packet, Result, Thread, fill, launch};
use crate::program::Place;
use crate::runtime::ops;
use crate::runtime::state::{self, Body};
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Threads that were not joined.
type Children = Arc<Mutex<Vec<tribunal_history::memory::ThreadId>>>;

/// A scope for threads.
pub struct Scope<'scope, 'env: 'scope> {
    children: Children,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// A handle to join a scoped thread.
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    packet: Packet<T>,
    children: Children,
    scope: PhantomData<&'scope ()>,
}

/// Creates a scope for threads that may borrow what outlives it; they are joined at its end.
///
/// # Panics
/// If `f` panics. A thread that panics without being joined goes unnoticed if [panics are caught](crate::Explorer::catch_panics).
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let place = Place::caller();
    let scope = Scope { children: Children::default(), scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let children = std::mem::take(&mut *scope.children.lock().unwrap_or_else(PoisonError::into_inner));
    if let (Err(payload), false) = (&result, catches_panics()) {
        // A panic is the end of the execution.
        let (problem, place) = crate::runtime::panicked(&**payload);
        ops::fail(problem, place);
    }
    children.iter().for_each(|&child| ops::join(child, place));
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

fn catches_panics() -> bool {
    state::with(|state| state.behavior.catch_panics).unwrap_or(false)
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts a thread.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(None, f)
    }

    #[track_caller]
    pub(super) fn start<F, T>(&'scope self, name: Option<String>, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let packet = Packet::default();
        let body: Box<dyn FnOnce() + 'scope> = Box::new(fill(packet.clone(), f));
        #[allow(unsafe_code)]
        // SAFETY: `scope` does not return before the thread has ended. If that does not come about, the frames of both are given up at once,
        // and never run again.
        let body = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Body>(body) };
        let thread = launch(name, body, Place::caller());
        self.children.lock().unwrap_or_else(PoisonError::into_inner).extend(thread.number());
        ScopedJoinHandle { thread, packet, children: self.children.clone(), scope: PhantomData }
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread and returns its result.
    ///
    /// # Errors
    /// The thread's panic, if it does not end the execution.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        if let Some(number) = self.thread.number() {
            ops::join(number, Place::caller());
            let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
            children.retain(|&child| child != number);
        }
        let result = self.packet.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.unwrap_or_else(|| Err(Box::new("the thread did not come to its end")))
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Whether it has finished.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished(Place::caller())
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").field("thread", &self.thread).finish_non_exhaustive()
    }
}
