//! A lock for many readers or one writer.

use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::program::{Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::forgives;
use std::fmt;
use std::ops::{Deref, DerefMut};
use tribunal_history::memory::Order;

/// A lock for many readers or one writer, like [`std::sync::RwLock`]. Its word counts the readers, or is all ones for a writer. Threads that cannot take it wait,
/// without priority for readers or writers.
pub struct RwLock<T: ?Sized> {
    home: Home,
    /// Held as the lock is, so that it is always free for the one who takes the lock.
    data: std::sync::RwLock<T>,
}

const WRITER: u64 = u64::MAX;
/// Takes the lock for reading, if no writer holds it.
pub const TAKE_READ: Update =
    Update { apply: |word, _| (word != WRITER).then(|| word + 1), operands: [0; 2] };
/// Takes the lock for writing, if it is free.
pub const TAKE_WRITE: Update = Update { apply: |word, _| (word == 0).then_some(WRITER), operands: [0; 2] };
/// A reader gives the lock back. A writer stores 0.
pub const GIVE_READ: Update = Update { apply: |word, _| Some(word.wrapping_sub(1)), operands: [0; 2] };

/// Holds the lock for reading until it is dropped.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    data: Option<std::sync::RwLockReadGuard<'a, T>>,
}

/// Holds the lock for writing until it is dropped.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    data: Option<std::sync::RwLockWriteGuard<'a, T>>,
}

impl<T> RwLock<T> {
    /// A lock that is free.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        RwLock { home: Home::new("RwLock", Place::caller()), data: std::sync::RwLock::new(value) }
    }

    /// The protected value.
    ///
    /// # Errors
    /// If it is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.data.into_inner()
    }
}

/// std's result with a guard of ours in it.
fn guarded<G, H>(result: TryLockResult<G>, guard: impl FnOnce(G) -> H) -> TryLockResult<H> {
    match result {
        Ok(data) => Ok(guard(data)),
        Err(TryLockError::Poisoned(poisoned)) if forgives() => Ok(guard(poisoned.into_inner())),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(guard(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

fn taken<G>(result: TryLockResult<G>) -> LockResult<G> {
    match result {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
        Err(TryLockError::WouldBlock) => unreachable!("the lock was taken, and the data with it"),
    }
}

impl<T: ?Sized> RwLock<T> {
    fn access(&self, access: Access, place: Place) -> Option<u64> {
        ops::access(&self.home, || 0, access, place)
    }

    /// Takes the lock for reading, waiting until no writer holds it.
    ///
    /// # Errors
    /// If it is poisoned.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let take = Access::AwaitRmw { order: Order::Acquire, update: TAKE_READ };
        let result = match self.access(take, Place::caller()) {
            Some(_) => self.data.try_read(),
            None => self.data.read().map_err(TryLockError::Poisoned),
        };
        taken(guarded(result, |data| RwLockReadGuard { lock: self, data: Some(data) }))
    }

    /// Takes the lock for writing, waiting until it is free.
    ///
    /// # Errors
    /// If it is poisoned.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let take = Access::AwaitRmw { order: Order::Acquire, update: TAKE_WRITE };
        let result = match self.access(take, Place::caller()) {
            Some(_) => self.data.try_write(),
            None => self.data.write().map_err(TryLockError::Poisoned),
        };
        taken(guarded(result, |data| RwLockWriteGuard { lock: self, data: Some(data) }))
    }

    /// Takes the lock for reading, if no writer holds it.
    ///
    /// # Errors
    /// If a writer holds it, or it is poisoned.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let take = Access::Rmw { order: Order::Acquire, failure: Order::Relaxed, update: TAKE_READ };
        match self.access(take, Place::caller()) {
            Some(WRITER) => Err(TryLockError::WouldBlock),
            _ => guarded(self.data.try_read(), |data| RwLockReadGuard { lock: self, data: Some(data) }),
        }
    }

    /// Takes the lock for writing, if it is free.
    ///
    /// # Errors
    /// If it is not free, or poisoned.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let take = Access::Rmw { order: Order::Acquire, failure: Order::Relaxed, update: TAKE_WRITE };
        match self.access(take, Place::caller()) {
            Some(1..) => Err(TryLockError::WouldBlock),
            _ => guarded(self.data.try_write(), |data| RwLockWriteGuard { lock: self, data: Some(data) }),
        }
    }

    /// Mutable access to the protected value without locking.
    ///
    /// # Errors
    /// If it is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.data.get_mut()
    }

    /// Whether a writer panicked.
    pub fn is_poisoned(&self) -> bool {
        self.data.is_poisoned()
    }

    /// Forgets that a writer panicked.
    pub fn clear_poison(&self) {
        self.data.clear_poison();
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Goes on with the lock held for reading. In an execution no writer comes between; outside, one may.
    #[track_caller]
    pub fn downgrade(mut this: Self) -> RwLockReadGuard<'a, T> {
        let lock = this.lock;
        this.data = None;
        std::mem::forget(this);
        let data = match lock.data.try_read() {
            Err(TryLockError::WouldBlock) => lock.data.read().unwrap_or_else(PoisonError::into_inner),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Ok(data) => data,
        };
        lock.access(Access::Store(Order::Release, 1), Place::caller());
        RwLockReadGuard { lock, data: Some(data) }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        self.data = None;
        let give = Access::Rmw { order: Order::Release, failure: Order::Relaxed, update: GIVE_READ };
        self.lock.access(give, Place::caller());
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        self.data = None;
        self.lock.access(Access::Store(Order::Release, 0), Place::caller());
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.data.as_ref().expect("it is there until the guard is dropped")
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.data.as_ref().expect("it is there until the guard is dropped")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.data.as_mut().expect("it is there until the guard is dropped")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.data, f)
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        RwLock::new(value)
    }
}
