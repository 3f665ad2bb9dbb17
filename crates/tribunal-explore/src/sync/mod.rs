//! Synchronization: [`std::sync`] and `loom::sync`.

pub(crate) mod arc;
pub mod atomic;
pub(crate) mod barrier;
pub(crate) mod condvar;
pub mod mpsc;
mod mutex;
mod notify;
pub(crate) mod once;
pub(crate) mod rwlock;
mod wide;

pub use arc::{Arc, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use notify::Notify;
pub use once::{LazyLock, Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
