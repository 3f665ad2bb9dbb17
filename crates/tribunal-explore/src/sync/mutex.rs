//! A lock.

use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::program::{Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::forgives;
use std::fmt;
use std::ops::{Deref, DerefMut};
use tribunal_history::memory::Order;

/// A lock, like [`std::sync::Mutex`]: 0 if it is free, taken by a waiting RMW, released by a store. A caught panic
/// poisons it.
///
/// ```
/// use tribunal_explore::{explore, sync::{Arc, Mutex}, thread};
/// explore(|| {
///     let sum = Arc::new(Mutex::new(0));
///     let threads = [1, 2].map(|n| {
///         let sum = sum.clone();
///         thread::spawn(move || *sum.lock().unwrap() += n)
///     });
///     threads.into_iter().for_each(|thread| thread.join().unwrap());
///     assert_eq!(*sum.lock().unwrap(), 3);
/// });
/// ```
pub struct Mutex<T: ?Sized> {
    home: Home,
    /// Held by whoever holds the lock, so that it is always free for the one who takes the lock.
    data: std::sync::Mutex<T>,
}

/// Holds the lock until it is dropped.
#[must_use]
pub struct MutexGuard<'a, T: ?Sized> {
    lock: &'a Mutex<T>,
    /// There until the guard is dropped.
    data: Option<std::sync::MutexGuard<'a, T>>,
}

const TAKE: Update = Update { apply: |held, _| (held == 0).then_some(1), operands: [0; 2] };

impl<T> Mutex<T> {
    /// A lock that is free.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Mutex { home: Home::new("Mutex", Place::caller()), data: std::sync::Mutex::new(value) }
    }

    /// The protected value.
    ///
    /// # Errors
    /// If it is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.data.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Takes the lock, waiting until it is free.
    ///
    /// # Errors
    /// If it is poisoned.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.lock_at(Place::caller())
    }

    pub(super) fn lock_at(&self, place: Place) -> LockResult<MutexGuard<'_, T>> {
        let take = Access::AwaitRmw { order: Order::Acquire, update: TAKE };
        match ops::access(&self.home, || 0, take, place) {
            Some(_) => match self.data.try_lock() {
                Err(TryLockError::Poisoned(poisoned)) if forgives() => Ok(self.guard(poisoned.into_inner())),
                Err(TryLockError::WouldBlock) => unreachable!("who takes the lock is alone"),
                Err(TryLockError::Poisoned(poisoned)) => {
                    Err(PoisonError::new(self.guard(poisoned.into_inner())))
                }
                Ok(data) => Ok(self.guard(data)),
            },
            None => match self.data.lock() {
                Err(poisoned) => Err(PoisonError::new(self.guard(poisoned.into_inner()))),
                Ok(data) => Ok(self.guard(data)),
            },
        }
    }

    fn guard<'a>(&'a self, data: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard { lock: self, data: Some(data) }
    }

    /// Takes the lock, if it is free.
    ///
    /// # Errors
    /// If it is not free, or poisoned.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let take = Access::Rmw { order: Order::Acquire, failure: Order::Relaxed, update: TAKE };
        if let Some(1..) = ops::access(&self.home, || 0, take, Place::caller()) {
            return Err(TryLockError::WouldBlock);
        }
        match self.data.try_lock() {
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(poisoned)) if forgives() => Ok(self.guard(poisoned.into_inner())),
            Err(TryLockError::Poisoned(poisoned)) => {
                Err(TryLockError::Poisoned(PoisonError::new(self.guard(poisoned.into_inner()))))
            }
            Ok(data) => Ok(self.guard(data)),
        }
    }

    /// Mutable access to the protected value without locking.
    ///
    /// # Errors
    /// If it is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.data.get_mut()
    }

    /// Whether a thread panicked while holding it.
    pub fn is_poisoned(&self) -> bool {
        self.data.is_poisoned()
    }

    /// Clears the poisoned state.
    pub fn clear_poison(&self) {
        self.data.clear_poison();
    }

    fn unlock(&self, place: Place) {
        ops::access(&self.home, || 0, Access::Store(Order::Release, 0), place);
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The lock that it holds.
    pub(super) fn lock(&self) -> &'a Mutex<T> {
        self.lock
    }

    /// Gives the lock back; says of which lock it was.
    pub(super) fn release(mut self, place: Place) -> &'a Mutex<T> {
        let lock = self.lock;
        // The data first: whoever takes the lock takes them, too.
        self.data = None;
        std::mem::forget(self);
        lock.unlock(place);
        lock
    }

    /// Outside executions: the lock, and std's guard.
    pub(super) fn into_parts(mut self) -> (&'a Mutex<T>, std::sync::MutexGuard<'a, T>) {
        let data = self.data.take().expect("it is there until the guard is dropped");
        let lock = self.lock;
        std::mem::forget(self);
        (lock, data)
    }

    pub(super) fn from_parts(lock: &'a Mutex<T>, data: std::sync::MutexGuard<'a, T>) -> Self {
        lock.guard(data)
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        // The data first: whoever takes the lock takes them, too.
        self.data = None;
        self.lock.unlock(Place::caller());
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.data.as_ref().expect("it is there until the guard is dropped")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.data.as_mut().expect("it is there until the guard is dropped")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.data, f)
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}
