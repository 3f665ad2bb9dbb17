//! Shared ownership.

use super::atomic::{Ordering, fence};
use crate::program::{Action, Answer, Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::{self, SlotId, State};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use tribunal_history::memory::Order;

/// Shared ownership, like [`std::sync::Arc`]. A handle that remains when an execution ends is a leak.
///
/// Cloning is not an event. Dropping a handle is one only if the value has a destructor: the explorer tries each handle as the last, which runs it,
/// and all others happen before it. If a program inspects the number of handles ([`strong_count`](Self::strong_count),
/// [`get_mut`](Self::get_mut), [`try_unwrap`](Self::try_unwrap), [`downgrade`](Self::downgrade) and the like, once there has been a second
/// handle), exploration restarts with an atomic count, as in std, for objects created at that place in the source. Then every
/// answer that std may give is explored. [`weak_count`](Self::weak_count) returns the current count and is not explored.
pub struct Arc<T: ?Sized> {
    /// There until it is dropped.
    value: Option<std::sync::Arc<T>>,
    shared: std::sync::Arc<Shared<T>>,
}

/// A non-owning handle, like [`std::sync::Weak`].
pub struct Weak<T: ?Sized> {
    value: std::sync::Weak<T>,
    /// Not there if it was made without a value.
    shared: Option<std::sync::Arc<Shared<T>>>,
}

/// The state that the handles of a value share.
struct Shared<T: ?Sized> {
    home: Home,
    /// Handles that were given up; the last to be given up drops them, so that the destructor runs there.
    given_up: Mutex<Vec<std::sync::Arc<T>>>,
}

/// The handles of a value in the present execution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handles {
    /// The number that are left.
    pub(crate) left: u32,
    /// There was more than one.
    shared: bool,
    /// The count is an atomic.
    counted: bool,
    owed: u64,
}

impl<T: ?Sized> Shared<T> {
    #[track_caller]
    fn new() -> std::sync::Arc<Self> {
        let place = Place::caller();
        let shared = Shared { home: Home::new("Arc", place), given_up: Mutex::default() };
        state::with(|state| {
            let slot = shared.home.slot(state, || 1);
            let counted = {
                let needs = state.needs.lock().unwrap_or_else(PoisonError::into_inner);
                !needs.counted.is_empty() && needs.counted.contains(&place)
            };
            let owed = state.owe("an Arc", place);
            state.slot(slot).handles = Handles { left: 1, shared: false, counted, owed };
        });
        std::sync::Arc::new(shared)
    }

    /// The handles, if the value was made in this execution.
    fn handles<R>(&self, f: impl FnOnce(&mut State, SlotId) -> R) -> Option<R> {
        state::with(|state| self.home.known(state).map(|slot| f(state, slot))).flatten()
    }

    fn known(&self) -> Option<Handles> {
        self.handles(|state, slot| state.slot(slot).handles)
    }

    fn rmw(&self, order: Order, apply: fn(u64, [u64; 2]) -> Option<u64>, place: Place) -> u64 {
        let update = Update { apply, operands: [0; 2] };
        let access = Access::Rmw { order, failure: Order::Relaxed, update };
        ops::access(&self.home, || 1, access, place).unwrap_or(1)
    }

    /// Whether the count is an atomic; if it must become one, the execution ends here. `None` if there is nothing to count.
    fn count(&self, place: Place) -> Option<bool> {
        let handles = self.known()?;
        if !handles.counted && handles.shared {
            let problem = state::with(|state| {
                let made = self.home.place();
                crate::runtime::restart(state, |needs| _ = needs.counted.insert(made))
            });
            problem.into_iter().for_each(|problem| ops::fail(problem, place));
        }
        Some(handles.counted)
    }

    /// One more handle.
    fn add(&self, place: Place) {
        if self.known().is_some_and(|handles| handles.counted) {
            self.rmw(Order::Relaxed, |count, _| Some(count + 1), place);
        }
        self.note_added();
    }

    fn note_added(&self) {
        self.handles(|state, slot| {
            let handles = &mut state.slot(slot).handles;
            handles.left += 1;
            handles.shared = true;
        });
    }

    /// Notes that there may be raw pointers to the value at this address.
    fn note_address(&self, address: usize) {
        let shared = std::ptr::from_ref(self).cast::<()>();
        state::with(|state| state.raw.insert(address, shared));
    }

    /// Drops the handles that were given up.
    fn forget_given_up(&self) {
        let given_up = std::mem::take(&mut *self.given_up.lock().unwrap_or_else(PoisonError::into_inner));
        drop(given_up);
    }

    /// One handle less; says whether it was the last.
    fn give_up(&self, value: std::sync::Arc<T>, place: Place) -> bool {
        let noted = self.handles(|state, slot| {
            let handles = &mut state.slot(slot).handles;
            handles.left = handles.left.saturating_sub(1);
            let handles = *handles;
            if handles.left == 0 {
                state.owed.remove(&handles.owed);
                // A weak handle may be an address, which is still to be asked whether the value is there.
                if std::sync::Arc::weak_count(&value) == 0 {
                    state.raw.remove(&std::sync::Arc::as_ptr(&value).addr());
                }
            }
            (slot, handles)
        });
        let Some((slot, handles)) = noted else {
            drop(value);
            return false;
        };
        let is_event = handles.counted || handles.shared && std::mem::needs_drop::<T>();
        if !is_event {
            drop(value);
            return handles.left == 0;
        }
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner).push(value);
        let last = if handles.counted {
            let last = self.rmw(Order::Release, |count, _| count.checked_sub(1), place) == 1;
            if last {
                fence(Ordering::Acquire);
            }
            last
        } else {
            let release =
                |state: &mut State| Action::Release { loc: state.locate(slot), others: handles.left };
            match ops::ask(release, place) {
                Some(answer) => answer == Answer::Value(1),
                None => handles.left == 0,
            }
        };
        if last {
            self.forget_given_up();
        }
        last
    }
}

impl<T> Arc<T> {
    /// The first handle.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Arc::from_std(std::sync::Arc::new(value))
    }

    /// A pinned value in a new handle.
    #[track_caller]
    pub fn pin(value: T) -> Pin<Self> {
        #[allow(unsafe_code)]
        // SAFETY: the value is behind a pointer, and is moved out of it only where all handles are unpinned.
        unsafe {
            Pin::new_unchecked(Arc::new(value))
        }
    }

    /// A value that holds non-owning handles to itself.
    #[track_caller]
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Self {
        let shared = Shared::new();
        shared.handles(|state, slot| state.slot(slot).handles.shared = true);
        shared.count(Place::caller());
        let value = std::sync::Arc::new_cyclic(|weak| {
            make(&Weak { value: weak.clone(), shared: Some(shared.clone()) })
        });
        Arc { value: Some(value), shared }
    }

    /// The value, if this is the only handle.
    ///
    /// # Errors
    /// The handle, if there are others.
    #[track_caller]
    pub fn try_unwrap(mut this: Self) -> Result<T, Self> {
        let place = Place::caller();
        if this.shared.count(place) == Some(true) {
            if this.shared.rmw(Order::Relaxed, |count, _| (count == 1).then_some(0), place) != 1 {
                return Err(this);
            }
            fence(Ordering::Acquire);
        }
        this.shared.forget_given_up();
        match std::sync::Arc::try_unwrap(this.take_value()) {
            Ok(value) => {
                this.shared.handles(|state, slot| {
                    let handles = &mut state.slot(slot).handles;
                    handles.left = 0;
                    let owed = handles.owed;
                    state.owed.remove(&owed);
                });
                Ok(value)
            }
            Err(value) => {
                this.value = Some(value);
                Err(this)
            }
        }
    }

    /// The value, if this is the last handle; otherwise drops the handle.
    #[track_caller]
    pub fn into_inner(mut this: Self) -> Option<T> {
        let place = Place::caller();
        let value = this.take_value();
        if this.shared.count(place).is_none() {
            return std::sync::Arc::into_inner(value);
        }
        // Another handle, so that giving up this one does not drop the value.
        let kept = value.clone();
        let last = this.shared.give_up(value, place);
        if last { std::sync::Arc::into_inner(kept) } else { None }
    }

    /// The value if this is the only handle, otherwise a clone of it.
    #[track_caller]
    pub fn unwrap_or_clone(this: Self) -> T
    where
        T: Clone,
    {
        Arc::try_unwrap(this).unwrap_or_else(|this| T::clone(&this))
    }
}

impl<T: ?Sized> Arc<T> {
    /// A handle for the value of std's handle, which must be the only one.
    #[track_caller]
    pub fn from_std(value: std::sync::Arc<T>) -> Self {
        Arc { value: Some(value), shared: Shared::new() }
    }

    fn value(&self) -> &std::sync::Arc<T> {
        self.value.as_ref().expect("it is there until it is dropped")
    }

    fn take_value(&mut self) -> std::sync::Arc<T> {
        self.value.take().expect("it is there until it is dropped")
    }

    /// The number of handles.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        let place = Place::caller();
        match this.shared.count(place) {
            Some(true) => this.load(Order::Relaxed, place) as usize,
            Some(false) => 1,
            None => std::sync::Arc::strong_count(this.value()),
        }
    }

    fn load(&self, order: Order, place: Place) -> u64 {
        ops::access(&self.shared.home, || 1, Access::Load(order), place).unwrap_or(1)
    }

    /// The current number of non-owning handles.
    pub fn weak_count(this: &Self) -> usize {
        std::sync::Arc::weak_count(this.value())
    }

    /// Mutable access, if this is the only handle.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        let place = Place::caller();
        if this.shared.count(place) == Some(true) && this.load(Order::Acquire, place) != 1 {
            return None;
        }
        this.shared.forget_given_up();
        std::sync::Arc::get_mut(this.value.as_mut()?)
    }

    /// Mutable access; clones the value if there are other handles.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T
    where
        T: Clone,
    {
        if Arc::get_mut(this).is_none() {
            *this = Arc::new(T::clone(this));
        }
        std::sync::Arc::get_mut(this.value.as_mut().expect("it is there until it is dropped"))
            .expect("it is the only handle")
    }

    /// Whether two handles own the same value.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(this.value(), other.value())
    }

    /// A non-owning handle.
    #[track_caller]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.shared.handles(|state, slot| state.slot(slot).handles.shared = true);
        this.shared.count(Place::caller());
        Weak { value: std::sync::Arc::downgrade(this.value()), shared: Some(this.shared.clone()) }
    }

    /// The address of the value.
    pub fn as_ptr(this: &Self) -> *const T {
        let pointer = std::sync::Arc::as_ptr(this.value());
        this.shared.note_address(pointer.addr());
        pointer
    }

    /// The address of the value, without dropping the handle.
    pub fn into_raw(mut this: Self) -> *const T {
        Arc::as_ptr(&this);
        std::mem::forget(this.shared.clone());
        let value = this.take_value();
        std::sync::Arc::into_raw(value)
    }
}

#[allow(unsafe_code)]
impl<T: ?Sized> Arc<T> {
    /// The handle that [`into_raw`](Self::into_raw) turned into an address.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::from_raw`]: each address from `into_raw` is turned into a handle once, of the same type.
    #[track_caller]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let known = state::with(|state| state.raw.get(&pointer.addr()).copied()).flatten();
        // SAFETY: the caller's.
        let value = Some(unsafe { std::sync::Arc::from_raw(pointer) });
        match known {
            // SAFETY: `into_raw` and `increment_strong_count` have each forgotten one, and the type is the same.
            Some(shared) => Arc { value, shared: unsafe { std::sync::Arc::from_raw(shared.cast()) } },
            None => Arc { value, shared: Shared::new() },
        }
    }

    /// Adds a handle in the form of an address.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::increment_strong_count`].
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller has a handle, which is not dropped here.
        let this = std::mem::ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
        std::mem::forget(Arc::clone(&this));
    }

    /// Drops a handle in the form of an address.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::decrement_strong_count`].
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller's.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.shared.add(Place::caller());
        Arc { value: self.value.clone(), shared: self.shared.clone() }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            self.shared.give_up(value, Place::caller());
        }
    }
}

impl<T> Weak<T> {
    /// A handle of nothing.
    pub const fn new() -> Self {
        Weak { value: std::sync::Weak::new(), shared: None }
    }
}

impl<T: ?Sized> Weak<T> {
    /// An owning handle, if the value still exists.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let Some(shared) = &self.shared else {
            // Made without a value, or of an address outside executions.
            return self.value.upgrade().map(Arc::from_std);
        };
        if shared.known().is_some() {
            let add = |count, _: [u64; 2]| (count > 0).then_some(count + 1);
            if shared.rmw(Order::Acquire, add, Place::caller()) == 0 {
                return None;
            }
            shared.note_added();
        }
        Some(Arc { value: Some(self.value.upgrade()?), shared: shared.clone() })
    }

    /// The number of handles that own.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        match &self.shared {
            Some(shared) if shared.known().is_some() => {
                ops::access(&shared.home, || 1, Access::Load(Order::Relaxed), Place::caller()).unwrap_or(0)
                    as usize
            }
            _ => self.value.strong_count(),
        }
    }

    /// The current number of non-owning handles.
    pub fn weak_count(&self) -> usize {
        self.value.weak_count()
    }

    /// Whether two handles refer to the same value.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.value.ptr_eq(&other.value)
    }
}

impl<T> Weak<T> {
    /// The address of the value, which need not be there any more.
    pub fn as_ptr(&self) -> *const T {
        let pointer = self.value.as_ptr();
        if let Some(shared) = self.shared.as_ref().filter(|shared| shared.known().is_some()) {
            shared.note_address(pointer.addr());
        }
        pointer
    }

    /// The address of the value, without dropping the handle.
    pub fn into_raw(self) -> *const T {
        self.as_ptr();
        std::mem::forget(self.shared);
        self.value.into_raw()
    }

    /// The handle that [`into_raw`](Self::into_raw) turned into an address.
    ///
    /// # Safety
    /// As for [`std::sync::Weak::from_raw`]: each address from `into_raw` is turned into a handle once.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let known = state::with(|state| state.raw.get(&pointer.addr()).copied()).flatten();
        // SAFETY: `into_raw` has forgotten one, and the type is the same.
        let shared = known.map(|shared| unsafe { std::sync::Arc::from_raw(shared.cast()) });
        // SAFETY: the caller's.
        Weak { value: unsafe { std::sync::Weak::from_raw(pointer) }, shared }
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    fn clone(&self) -> Self {
        Weak { value: self.value.clone(), shared: self.shared.clone() }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value()
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Arc::new(value)
    }
}

impl<T: ?Sized> From<Box<T>> for Arc<T> {
    #[track_caller]
    fn from(value: Box<T>) -> Self {
        Arc::from_std(value.into())
    }
}

impl<T> From<Vec<T>> for Arc<[T]> {
    #[track_caller]
    fn from(value: Vec<T>) -> Self {
        Arc::from_std(value.into())
    }
}

impl From<&str> for Arc<str> {
    #[track_caller]
    fn from(value: &str) -> Self {
        Arc::from_std(value.into())
    }
}

impl From<String> for Arc<str> {
    #[track_caller]
    fn from(value: String) -> Self {
        Arc::from_std(value.into())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(self.value(), f)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
