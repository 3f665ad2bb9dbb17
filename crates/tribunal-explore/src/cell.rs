//! Cells whose non-atomic accesses must not race: `loom::cell`. [`RefCell`], [`OnceCell`] and [`LazyCell`] are std's: one thread has them at a time, and that is
//! not checked where unsafe code says otherwise.

use crate::program::Place;
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::{self, SlotId};
use std::fmt;
use tribunal_history::memory::{Order, ThreadId};

pub use std::cell::{BorrowError, BorrowMutError, LazyCell, OnceCell, Ref, RefCell, RefMut};

/// Non-atomic memory. Two accesses by different threads, at least one a write, that happens-before does not order are a race.
///
/// An access lasts as long as the closure or the guard, up to the last release before the guard is dropped. For creation, see [`atomic`](crate::sync::atomic).
///
/// ```
/// use tribunal_explore::{cell::UnsafeCell, explore, sync::Arc, sync::atomic::{AtomicBool, Ordering::*}, thread};
/// explore(|| {
///     let shared = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
///     let writer = shared.clone();
///     thread::spawn(move || {
///         writer.0.with_mut(|value| unsafe { *value = 1 });
///         writer.1.store(true, Release);
///     });
///     if shared.1.load(Acquire) {
///         assert_eq!(shared.0.with(|value| unsafe { *value }), 1);
///     }
/// });
/// ```
pub struct UnsafeCell<T: ?Sized> {
    home: Home,
    data: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        UnsafeCell { home: Home::new("UnsafeCell", Place::caller()), data: std::cell::UnsafeCell::new(value) }
    }

    /// The content.
    #[track_caller]
    pub fn into_inner(self) -> T {
        if state::with(|state| self.home.known(state).is_some()) == Some(true) {
            // A guard of the same thread may be left; it is of no use any more.
            ops::access(&self.home, || 0, plain(true), Place::caller());
        }
        self.data.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let _open = Open::new(&self.home, false, false, Place::caller());
        f(self.data.get())
    }

    /// Writes.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let _open = Open::new(&self.home, true, false, Place::caller());
        f(self.data.get())
    }

    /// Reads, for as long as the guard lives.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr { open: Open::new(&self.home, false, true, Place::caller()), pointer: self.data.get() }
    }

    /// Writes, for as long as the guard lives.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr { open: Open::new(&self.home, true, true, Place::caller()), pointer: self.data.get() }
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

/// An access that has begun.
struct Open {
    /// Not there outside executions, and while threads unwind.
    access: Option<OpenAccess>,
}

struct OpenAccess {
    slot: SlotId,
    thread: ThreadId,
    writes: bool,
    /// The number of events that the thread had made when it began.
    events: u32,
    /// It ends with a guard, which may be dropped a little later than it is of use: right after a lock is given back, say.
    is_guard: bool,
    place: Place,
}

fn plain(writes: bool) -> Access {
    if writes { Access::Store(Order::NonAtomic, 0) } else { Access::Load(Order::NonAtomic) }
}

impl Open {
    fn new(home: &Home, writes: bool, is_guard: bool, place: Place) -> Self {
        let conflict = state::with(|state| {
            let slot = home.slot(state, || 0);
            let mut open = state.me().open.iter();
            open.find(|(other, wrote)| *other == slot && (writes || *wrote)).map(|(_, wrote)| *wrote)
        });
        if let Some(wrote) = conflict.flatten() {
            ops::misuse(conflict_text(writes, wrote).into(), place);
        }
        if ops::access(home, || 0, plain(writes), place).is_none() {
            return Open { access: None };
        }
        let access = state::with(|state| {
            let slot = home.slot(state, || 0);
            state.me().open.push((slot, writes));
            OpenAccess { slot, thread: state.current, writes, events: state.me().events, is_guard, place }
        });
        Open { access }
    }
}

fn conflict_text(writes: bool, wrote: bool) -> &'static str {
    match writes && wrote {
        true => "Causality violation: Concurrent write accesses to `UnsafeCell`.",
        false => "Causality violation: Concurrent read and write accesses to `UnsafeCell`.",
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let Some(access) = self.access.take() else { return };
        // If something was released meanwhile, the access was still under way: whoever acquired it races with this.
        let lasted = state::with(|state| {
            let thread = state.thread(access.thread);
            let released =
                thread.released > access.events && !(access.is_guard && thread.released == thread.events);
            let open = &mut state.thread(access.thread).open;
            if let Some(at) = open.iter().rposition(|entry| *entry == (access.slot, access.writes)) {
                open.swap_remove(at);
            }
            released
        });
        if lasted == Some(true) {
            ops::access_slot(access.slot, plain(access.writes), access.place);
        }
    }
}

/// A read access to a cell.
pub struct ConstPtr<T: ?Sized> {
    #[allow(dead_code, reason = "the access lasts until it is dropped")]
    open: Open,
    pointer: *const T,
}

/// A write access to a cell.
pub struct MutPtr<T: ?Sized> {
    #[allow(dead_code, reason = "the access lasts until it is dropped")]
    open: Open,
    pointer: *mut T,
}

#[allow(unsafe_code)]
impl<T: ?Sized> ConstPtr<T> {
    /// The contents of the cell.
    ///
    /// # Safety
    /// As for a raw pointer; concurrent writes are detected.
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: the caller's.
        unsafe { &*self.pointer }
    }

    /// Works on the pointer.
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.pointer)
    }
}

#[allow(unsafe_code)]
impl<T: ?Sized> MutPtr<T> {
    /// The contents of the cell.
    ///
    /// # Safety
    /// As for a raw pointer; concurrent accesses are detected.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: the caller's.
        unsafe { &mut *self.pointer }
    }

    /// Works on the pointer.
    pub fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.pointer)
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ConstPtr").field(&self.pointer).finish()
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MutPtr").field(&self.pointer).finish()
    }
}

/// A value that one thread at a time may copy and set.
#[derive(Debug, Default)]
pub struct Cell<T> {
    cell: UnsafeCell<T>,
}

#[allow(unsafe_code)]
// SAFETY of all accesses below: `Cell` is not `Sync`, so that accesses are one after another; none lasts longer than the call, in which
// nothing of the value's own runs.
impl<T> Cell<T> {
    /// A cell with this value.
    #[cfg(not(feature = "making"))]
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Cell { cell: UnsafeCell::new(value) }
    }

    /// A cell with this value.
    #[cfg(feature = "making")]
    #[track_caller]
    pub fn new(value: T) -> Self {
        Cell { cell: UnsafeCell::new(value) }
    }

    /// Sets the value.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Swaps two values.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        if !std::ptr::eq(self, other) {
            let mine = self.cell.get_mut();
            let others = other.cell.get_mut();
            // SAFETY: two cells, and see above.
            unsafe { std::mem::swap(mine.deref(), others.deref()) }
        }
    }

    /// Sets the value and returns the previous one.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        // SAFETY: see above.
        self.cell.with_mut(|pointer| std::mem::replace(unsafe { &mut *pointer }, value))
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: see above.
        self.cell.with(|pointer| unsafe { *pointer })
    }

    /// Sets the value to the result of `f`.
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.set(f(self.get()));
    }

    /// Mutable access without a check: nothing else has the cell.
    #[allow(clippy::mut_from_ref, reason = "it borrows the cell mutably")]
    pub fn get_mut(&mut self) -> &mut T {
        self.cell.data.get_mut()
    }

    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// The value.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.cell.into_inner()
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Cell::new(value)
    }
}
