//! Threads: those of [`std::thread`] and `loom::thread`.

pub(crate) mod local;
mod scope;

pub use local::{AccessError, LocalKey};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use std::thread::{Result, panicking};

use crate::program::{Condition, Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::{self, Body, State};
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tribunal_history::memory::Order;

/// A handle to a thread.
#[derive(Clone)]
pub struct Thread(Handle);

#[derive(Clone)]
enum Handle {
    /// Of an execution.
    Explored(Arc<Inner>),
    /// Outside executions.
    System(std::thread::Thread),
}

struct Inner {
    name: Option<String>,
    number: OnceLock<tribunal_history::memory::ThreadId>,
    /// 1 if it was unparked since it last parked.
    token: Home,
    /// 1 once it has finished; written only if somebody asks.
    finished: Home,
}

/// The thread that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Id {
    Explored(u32),
    System(std::thread::ThreadId),
}

impl Thread {
    #[track_caller]
    fn new(name: Option<String>) -> Self {
        let place = Place::caller();
        Thread(Handle::Explored(Arc::new(Inner {
            name,
            number: OnceLock::new(),
            token: Home::new("thread::park", place),
            finished: Home::new("the end of a thread", place),
        })))
    }

    fn explored(&self) -> Option<&Arc<Inner>> {
        match &self.0 {
            Handle::Explored(inner) => Some(inner),
            Handle::System(_) => None,
        }
    }

    fn number(&self) -> Option<tribunal_history::memory::ThreadId> {
        self.explored()?.number.get().copied()
    }

    /// The thread that it is.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            Handle::Explored(inner) => Id::Explored(inner.number.get().map_or(u32::MAX, |number| number.0)),
            Handle::System(thread) => Id::System(thread.id()),
        })
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Handle::Explored(inner) => inner.name.as_deref(),
            Handle::System(thread) => thread.name(),
        }
    }

    /// Wakes the thread if it is parked; otherwise its next park returns at once.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Handle::Explored(inner) => {
                let update = Update { apply: |_, _| Some(1), operands: [0; 2] };
                let give = Access::Rmw { order: Order::Release, failure: Order::Relaxed, update };
                ops::access(&inner.token, || 0, give, Place::caller());
            }
            Handle::System(thread) => thread.unpark(),
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

fn own_handle(state: &mut State) -> Thread {
    let number = state.current;
    let handle = &mut state.me().handle;
    handle
        .get_or_insert_with(|| {
            let thread = Thread::new(Some("main".into()));
            thread.explored().map(|inner| inner.number.set(number));
            thread
        })
        .clone()
}

/// The thread that calls this.
pub fn current() -> Thread {
    state::with(own_handle).unwrap_or_else(|| Thread(Handle::System(std::thread::current())))
}

/// Waits until the thread is unparked.
#[track_caller]
pub fn park() {
    let place = Place::caller();
    match current().0 {
        Handle::Explored(inner) => {
            inner.park(Access::AwaitRmw { order: Order::Acquire, update: UNPARKED }, place)
        }
        Handle::System(_) => std::thread::park(),
    }
}

/// Takes the token.
const UNPARKED: Update = Update { apply: |token, _| (token == 1).then_some(0), operands: [0; 2] };

impl Inner {
    fn park(&self, wait: Access, place: Place) {
        if !ops::wakes_spuriously(place) {
            ops::access(&self.token, || 0, wait, place);
        }
    }
}

/// Waits until the thread is unparked, or until it times out: when no thread can go on, and earlier if
/// [spurious wake-ups](crate::Explorer::spurious) are enabled.
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    let place = Place::caller();
    match current().0 {
        Handle::Explored(inner) => {
            inner.park(Access::TimedAwaitRmw { order: Order::Acquire, update: UNPARKED }, place);
        }
        Handle::System(_) => std::thread::park_timeout(timeout),
    }
}

/// Lets other threads run: ends an iteration of a loop that waits for another thread.
#[track_caller]
pub fn yield_now() {
    if !ops::spin(Place::caller()) {
        std::thread::yield_now();
    }
}

/// Time does not pass in an execution: the same as [`yield_now`].
#[track_caller]
pub fn sleep(duration: Duration) {
    if !ops::spin(Place::caller()) {
        std::thread::sleep(duration);
    }
}

/// The number of threads that can run at once: 2 in executions.
///
/// # Errors
/// Those of [`std::thread::available_parallelism`], outside executions.
pub fn available_parallelism() -> io::Result<NonZeroUsize> {
    match state::is_inside() {
        true => Ok(NonZeroUsize::MIN.saturating_add(1)),
        false => std::thread::available_parallelism(),
    }
}

type Packet<T> = Arc<Mutex<Option<Result<T>>>>;

/// A handle to join a thread.
pub struct JoinHandle<T> {
    thread: Thread,
    packet: Packet<T>,
}

impl<T> JoinHandle<T> {
    /// Waits for the thread and returns its result. If the thread panicked, this is an error if
    /// [panics are caught](crate::Explorer::catch_panics); otherwise the panic ends the execution.
    ///
    /// # Errors
    /// What the thread panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        if let Some(number) = self.thread.number() {
            ops::join(number, Place::caller());
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

impl Thread {
    fn is_finished(&self, place: Place) -> bool {
        let Some(inner) = self.explored() else { return false };
        let problem = state::with(|state| match finishes_are_events(state) {
            true => None,
            false => Some(crate::runtime::restart(state, |needs| needs.finished = true)),
        });
        if let Some(problem) = problem.flatten() {
            ops::fail(problem, place);
        }
        ops::access(&inner.finished, || 0, Access::Load(Order::Acquire), place) == Some(1)
    }
}

fn finishes_are_events(state: &State) -> bool {
    state.needs.lock().unwrap_or_else(PoisonError::into_inner).finished
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("thread", &self.thread).finish_non_exhaustive()
    }
}

/// Starts a thread. Unlike in std, the closure need not be `Send`.
///
/// # Panics
/// Outside executions.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    start(None, f)
}

#[track_caller]
fn start<F, T>(name: Option<String>, f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let packet = Packet::default();
    let thread = launch(name, Box::new(fill(packet.clone(), f)), Place::caller());
    JoinHandle { thread, packet }
}

/// Runs something and keeps what it returned, or what it panicked with if that is not the end of the execution.
fn fill<T>(packet: Packet<T>, f: impl FnOnce() -> T) -> impl FnOnce() {
    move || {
        let result = catch_unwind(AssertUnwindSafe(f));
        let caught = || state::with(|state| state.behavior.catch_panics).unwrap_or(false);
        match result {
            Err(payload) if !caught() => resume_unwind(payload),
            result => *packet.lock().unwrap_or_else(PoisonError::into_inner) = Some(result),
        }
    }
}

/// Starts a thread that runs the body.
fn launch(name: Option<String>, body: Body, place: Place) -> Thread {
    assert!(state::is_inside(), "threads can only be spawned inside `explore`");
    let thread = Thread::new(name);
    let child = thread.clone();
    let body: Body = Box::new(move || {
        state::with(|state| {
            child.explored().map(|inner| inner.number.set(state.current));
            state.me().handle = Some(child.clone());
        });
        body();
        if let Some(inner) =
            child.explored().filter(|_| state::with(|state| finishes_are_events(state)) == Some(true))
        {
            ops::access(&inner.finished, || 0, Access::Store(Order::Release, 1), place);
        }
    });
    if let (Some(number), Some(inner)) = (ops::spawn(body, place), thread.explored()) {
        // The thread itself may have set it before.
        let _ = inner.number.set(number);
    }
    thread
}

/// Makes threads with names.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// A thread without a name.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Names it.
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Does nothing: all stacks have the same size; see [`Explorer::stack_size`](crate::Explorer::stack_size).
    pub fn stack_size(self, _size: usize) -> Self {
        self
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// None, unlike in std.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        Ok(start(self.name, f))
    }

    /// Starts a scoped thread.
    ///
    /// # Errors
    /// None, unlike in std.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Ok(scope.start(self.name, f))
    }
}

/// A condition that a value is what is wanted.
pub(crate) fn is(value: u64) -> Condition {
    Condition { holds: |read, wanted| read == wanted, operand: value }
}
