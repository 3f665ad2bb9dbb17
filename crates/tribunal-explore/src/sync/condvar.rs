//! A condition variable.

use super::{LockResult, MutexGuard, PoisonError};
use crate::program::{Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::{self, SlotId};
use crate::thread::is;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tribunal_history::memory::{Order, ThreadId};

/// A condition variable, like [`std::sync::Condvar`]. It wakes threads in the order in which they began to wait, after a timeout when no
/// thread can go on, and spuriously, or after a timeout earlier than that, only if [enabled](crate::Explorer::spurious).
///
/// Its word is the queue of waiting threads, which a wait or a notification changes in one step; each waiting thread is notified by a separate store.
pub struct Condvar {
    home: Home,
    outside: std::sync::Condvar,
}

/// Whether a wait timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the wait timed out.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// A wait: a thread and how often it had waited before.
type Waiter = (u32, u32);

/// Queues by number, the same for the same content in every execution; 0 is the empty one.
#[derive(Default)]
struct Queues {
    numbers: FxHashMap<Arc<[Waiter]>, u64>,
    queues: Vec<Arc<[Waiter]>>,
}

static QUEUES: Mutex<Option<Queues>> = Mutex::new(None);

fn queues<R>(f: impl FnOnce(&mut Queues) -> R) -> R {
    let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
    f(queues.get_or_insert_with(Queues::default))
}

impl Queues {
    fn get(&self, number: u64) -> &[Waiter] {
        number.checked_sub(1).and_then(|number| self.queues.get(number as usize)).map_or(&[], |queue| queue)
    }

    fn number(&mut self, queue: &[Waiter]) -> u64 {
        if queue.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(queue) {
            return number;
        }
        let queue: Arc<[Waiter]> = queue.into();
        self.queues.push(queue.clone());
        let number = self.queues.len() as u64;
        self.numbers.insert(queue, number);
        number
    }

    /// The queue's number after a change.
    fn change(&mut self, number: u64, f: impl FnOnce(&mut Vec<Waiter>)) -> u64 {
        let mut queue = self.get(number).to_vec();
        f(&mut queue);
        self.number(&queue)
    }
}

fn waiter(operands: [u64; 2]) -> Waiter {
    (operands[0] as u32, operands[1] as u32)
}

fn push(queue: u64, operands: [u64; 2]) -> Option<u64> {
    Some(queues(|queues| queues.change(queue, |queue| queue.push(waiter(operands)))))
}

fn remove(queue: u64, operands: [u64; 2]) -> Option<u64> {
    queues(|queues| {
        let is_in = queues.get(queue).contains(&waiter(operands));
        is_in.then(|| queues.change(queue, |queue| queue.retain(|other| *other != waiter(operands))))
    })
}

fn pop(queue: u64, _: [u64; 2]) -> Option<u64> {
    (queue != 0).then(|| queues(|queues| queues.change(queue, |queue| _ = queue.remove(0))))
}

fn clear(queue: u64, _: [u64; 2]) -> Option<u64> {
    (queue != 0).then_some(0)
}

/// The location by which a wait is told.
fn token(waiter: Waiter, place: Place) -> Option<SlotId> {
    state::with(|state| {
        let key = (ThreadId(waiter.0), waiter.1);
        let new = || Arc::new(Home::new("a wait for a Condvar", place));
        let home = state.tokens.entry(key).or_insert_with(new).clone();
        let slot = home.slot(state, || 0);
        state.slot(slot).address = home.address();
        slot
    })
}

/// Those that a notification wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notified {
    /// The thread that has waited longest.
    One,
    /// All that wait.
    All,
}

/// A change to the queue.
type Apply = fn(u64, [u64; 2]) -> Option<u64>;

/// Whether a notification happens before what the woken thread does next, and changes of the queue before later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronizes {
    /// No: a lock does that.
    No,
    /// Yes.
    Yes,
}

impl Synchronizes {
    /// The order of an access if it does.
    fn or_relaxed(self, order: Order) -> Order {
        if self == Synchronizes::Yes { order } else { Order::Relaxed }
    }
}

/// A queue of waiting threads.
#[derive(Clone, Copy)]
pub(crate) struct Queue<'a> {
    pub home: &'a Home,
    pub synchronizes: Synchronizes,
}

impl Queue<'_> {
    fn change(self, apply: Apply, (thread, wait): Waiter, place: Place) -> u64 {
        let update = Update { apply, operands: [thread.into(), wait.into()] };
        let (order, failure) =
            (self.synchronizes.or_relaxed(Order::AcqRel), self.synchronizes.or_relaxed(Order::Acquire));
        ops::access(self.home, || 0, Access::Rmw { order, failure, update }, place).unwrap_or(0)
    }
}

/// Joins the queue, releases the lock, and waits for a notification. Says whether it ended without one.
pub(crate) fn wait(queue: Queue, release: impl FnOnce(), timed: bool, place: Place) -> bool {
    let waiter = state::with(|state| {
        let thread = state.current.0;
        let me = state.me();
        me.waits += 1;
        (thread, me.waits)
    })
    .unwrap_or_default();
    queue.change(push, waiter, place);
    release();
    // It may have been notified in the meantime.
    let leaves = || {
        let before = queue.change(remove, waiter, place);
        queues(|queues| queues.get(before).contains(&waiter))
    };
    let mut left = ops::wakes_spuriously(place) && leaves();
    if !left && let Some(token) = token(waiter, place) {
        let (order, until) = (queue.synchronizes.or_relaxed(Order::Acquire), is(1));
        let wait = if timed { Access::TimedAwait { order, until } } else { Access::Await { order, until } };
        left = ops::access_slot(token, wait, place) == Some(ops::TIMED_OUT);
        if left && !leaves() {
            // It is being notified, and the notification is not to be lost.
            left = false;
            ops::access_slot(token, Access::Await { order, until }, place);
        }
    }
    left
}

/// Wakes threads that wait: how many.
pub(crate) fn notify(queue: Queue, whom: Notified, place: Place) -> usize {
    let (apply, count): (Apply, _) = match (whom, queue.synchronizes) {
        (Notified::One, Synchronizes::No) => (pop, 1),
        (Notified::All, Synchronizes::No) => (clear, usize::MAX),
        // Who joins the queue after a notification knows what came before that, also where nobody was waiting: it is a write in any case.
        (Notified::One, Synchronizes::Yes) => (|queue, operands| pop(queue, operands).or(Some(0)), 1),
        (Notified::All, Synchronizes::Yes) => (|_, _| Some(0), usize::MAX),
    };
    let before = queue.change(apply, (0, 0), place);
    if before == 0 {
        return 0;
    }
    let order = queue.synchronizes.or_relaxed(Order::Release);
    let number = queues(|queues| queues.get(before).len()).min(count);
    for at in 0..number {
        let waiter = queues(|queues| queues.get(before)[at]);
        if let Some(token) = token(waiter, place) {
            ops::access_slot(token, Access::Store(order, 1), place);
        }
    }
    number
}

impl Condvar {
    /// Nobody waits for it.
    #[track_caller]
    pub const fn new() -> Self {
        Condvar { home: Home::new("Condvar", Place::caller()), outside: std::sync::Condvar::new() }
    }

    fn queue(&self) -> Queue<'_> {
        Queue { home: &self.home, synchronizes: Synchronizes::No }
    }

    /// Releases the lock, waits for a notification, and takes the lock again.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        if !state::is_inside() {
            let (lock, data) = guard.into_parts();
            return match self.outside.wait(data) {
                Ok(data) => Ok(MutexGuard::from_parts(lock, data)),
                Err(poisoned) => Err(PoisonError::new(MutexGuard::from_parts(lock, poisoned.into_inner()))),
            };
        }
        let place = Place::caller();
        let (guard, _) = self.wait_inside(guard, false, place);
        guard
    }

    /// Says also whether it ended without a notification.
    fn wait_inside<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timed: bool,
        place: Place,
    ) -> (LockResult<MutexGuard<'a, T>>, bool) {
        let lock = guard.lock();
        let left = wait(self.queue(), || _ = guard.release(place), timed, place);
        (lock.lock_at(place), left)
    }

    /// Waits while the condition holds.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits for a notification, or for a timeout: when no thread can go on, and earlier if [enabled](crate::Explorer::spurious).
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        if !state::is_inside() {
            let (lock, data) = guard.into_parts();
            let both = |(data, result): (_, std::sync::WaitTimeoutResult)| {
                (MutexGuard::from_parts(lock, data), WaitTimeoutResult(result.timed_out()))
            };
            return match self.outside.wait_timeout(data, timeout) {
                Ok(result) => Ok(both(result)),
                Err(poisoned) => Err(PoisonError::new(both(poisoned.into_inner()))),
            };
        }
        let (guard, spurious) = self.wait_inside(guard, true, Place::caller());
        let result = WaitTimeoutResult(spurious);
        match guard {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
        }
    }

    /// Waits while the condition holds, or for a timeout, as [`wait_timeout`](Self::wait_timeout) does.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let result;
            (guard, result) = self.wait_timeout(guard, timeout)?;
            if result.timed_out() {
                return Ok((guard, result));
            }
        }
    }

    /// Wakes the thread that has waited longest.
    #[track_caller]
    pub fn notify_one(&self) {
        notify(self.queue(), Notified::One, Place::caller());
        self.outside.notify_one();
    }

    /// Wakes all who wait.
    #[track_caller]
    pub fn notify_all(&self) {
        notify(self.queue(), Notified::All, Place::caller());
        self.outside.notify_all();
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
