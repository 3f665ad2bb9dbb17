//! Futures: `loom::future` and `shuttle::future`.

use crate::alloc::Debt;
use crate::program::Place;
use crate::runtime::state;
use crate::sync::{Mutex, MutexGuard, Notify, PoisonError};
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
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
    let debt = Debt::new("a waker of block_on", Place::caller());
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

/// A task: what runs it and who waits for it share this.
struct Task<T> {
    state: Mutex<TaskState<T>>,
    wakes: Arc<Wakes>,
}

struct TaskState<T> {
    result: Option<Result<T, JoinError>>,
    finished: bool,
    aborted: bool,
    waiter: Option<Waker>,
}

/// The reason why a task has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum JoinError {
    /// It was aborted.
    Cancelled,
    /// It panicked, and [panics are caught](crate::Explorer::catch_panics).
    Panicked,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JoinError::Cancelled => "the task was aborted",
            JoinError::Panicked => "the task panicked",
        })
    }
}

impl std::error::Error for JoinError {}

impl<T> Task<T> {
    fn state(&self) -> MutexGuard<'_, TaskState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, result: Result<T, JoinError>) {
        let mut state = self.state();
        (state.result, state.finished) = (Some(result), true);
        let waiter = state.waiter.take();
        drop(state);
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }

    /// Runs the future on a thread of its own, up to its end or until it is aborted.
    fn run(&self, future: impl Future<Output = T>) {
        let mut future = Box::pin(future);
        let waker = Waker::from(self.wakes.clone());
        let mut context = Context::from_waker(&waker);
        let result = loop {
            if self.state().aborted {
                break Err(JoinError::Cancelled);
            }
            match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context))) {
                Ok(Poll::Ready(output)) => break Ok(output),
                Ok(Poll::Pending) => self.wakes.notify.wait(),
                Err(payload) => match state::with(|state| state.behavior.catch_panics) {
                    Some(true) => break Err(JoinError::Panicked),
                    _ => resume_unwind(payload),
                },
            }
        };
        drop(future);
        self.finish(result);
    }
}

/// Erases the type of a result.
trait Abort {
    fn abort(&self);
    fn is_finished(&self) -> bool;
}

impl<T> Abort for Task<T> {
    fn abort(&self) {
        self.state().aborted = true;
        self.wakes.notify.notify();
    }

    fn is_finished(&self) -> bool {
        self.state().finished
    }
}

/// A task that was [spawned](spawn). As a future, it waits for the result; the task goes on if this is dropped.
pub struct JoinHandle<T> {
    task: Arc<Task<T>>,
}

/// Aborts a task.
#[derive(Clone)]
pub struct AbortHandle {
    task: Arc<dyn Abort>,
}

impl<T: 'static> JoinHandle<T> {
    /// Drops the future where it next gives way, unless it has finished.
    pub fn abort(&self) {
        self.task.abort();
    }

    /// A handle that can only abort it.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle { task: self.task.clone() }
    }

    /// Whether it has finished.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl AbortHandle {
    /// Drops the future where it next gives way, unless it has finished.
    pub fn abort(&self) {
        self.task.abort();
    }

    /// Whether it has finished.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.task.state();
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                assert!(!state.finished, "a task that was waited for was polled again");
                state.waiter = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Starts a task: a thread that runs the future. It need not be `Send`.
///
/// ```
/// use tribunal_explore::{explore, future};
/// explore(|| {
///     let task = future::spawn(async { 1 });
///     assert_eq!(future::block_on(task), Ok(1));
/// });
/// ```
///
/// # Panics
/// Outside executions.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let debt = Debt::new("a waker of a task", Place::caller());
    let state = TaskState { result: None, finished: false, aborted: false, waiter: None };
    let wakes = Arc::new(Wakes { notify: Notify::new(), debt });
    let task = Arc::new(Task { state: Mutex::new(state), wakes });
    let own = task.clone();
    crate::thread::spawn(move || own.run(future));
    JoinHandle { task }
}

/// The same as [`spawn`].
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    spawn(future)
}

/// Lets other tasks run: each has a thread, so that it is [`thread::yield_now`](crate::thread::yield_now).
pub async fn yield_now() {
    crate::thread::yield_now();
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").finish_non_exhaustive()
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
