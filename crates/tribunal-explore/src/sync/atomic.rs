//! Atomics: those of [`std::sync::atomic`] and `loom::sync::atomic`.
//!
//! An atomic may be created by a `const`, live in a static, and be moved. Its creation happens before everything, so passing a pointer to a new atomic
//! without synchronization is not an error. With the feature `making` it is, and `new` is not a `const fn`, as in loom.
//! Outside executions they are std's.

use super::wide;
use crate::program::{Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state;
use std::fmt;
use tribunal_history::memory::Order;

pub use std::sync::atomic::{Ordering, compiler_fence};

/// The atomics that are used outside executions.
mod storage {
    pub(super) use super::super::wide::{AtomicI128, AtomicU128};
    pub(super) use std::sync::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16,
        AtomicU32, AtomicU64, AtomicUsize,
    };
}

/// A type of values that atomics hold.
trait Bits: Copy {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

impl Bits for bool {
    fn bits(self) -> u64 {
        self.into()
    }
    fn of(bits: u64) -> Self {
        bits != 0
    }
}

impl<T> Bits for *mut T {
    fn bits(self) -> u64 {
        self.expose_provenance() as u64
    }
    fn of(bits: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

fn order(order: Ordering) -> Order {
    match order {
        Ordering::Relaxed => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

#[track_caller]
fn order_of_load(given: Ordering) -> Order {
    match given {
        Ordering::Release | Ordering::AcqRel => panic!("there is no such thing as a {given:?} load"),
        given => order(given),
    }
}

#[track_caller]
fn order_of_store(given: Ordering) -> Order {
    match given {
        Ordering::Acquire | Ordering::AcqRel => panic!("there is no such thing as a {given:?} store"),
        given => order(given),
    }
}

/// The order of a load that is what is left of an RMW with this order that fails.
fn order_on_failure(order: Ordering) -> Ordering {
    match order {
        Ordering::Release | Ordering::Relaxed => Ordering::Relaxed,
        Ordering::AcqRel | Ordering::Acquire => Ordering::Acquire,
        _ => Ordering::SeqCst,
    }
}

/// A fence.
///
/// # Panics
/// If the order is [`Ordering::Relaxed`].
#[track_caller]
pub fn fence(order_of_fence: Ordering) {
    assert!(order_of_fence != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    if !ops::fence(order(order_of_fence), Place::caller()) {
        std::sync::atomic::fence(order_of_fence);
    }
}

/// The same as [`hint::spin_loop`](crate::hint::spin_loop).
#[track_caller]
pub fn spin_loop_hint() {
    crate::thread::yield_now();
}

/// Whether a weak compare-and-exchange fails here although it need not.
fn fails_weakly(place: Place) -> bool {
    state::with(|state| state.behavior.weak_failures).unwrap_or(false) && ops::wakes_spuriously(place)
}

macro_rules! atomic {
    ($(#[$doc:meta])* [$($generic:ident)?] $name:ident, $value:ty) => {
        $(#[$doc])*
        pub struct $name $(<$generic>)? {
            /// The value before the first operation in an execution, and outside executions.
            value: storage::$name $(<$generic>)?,
            home: Home,
        }

        impl $(<$generic>)? $name $(<$generic>)? {
            /// An atomic with this value.
            #[cfg(not(feature = "making"))]
            #[track_caller]
            pub const fn new(value: $value) -> Self {
                let home = Home::new(stringify!($name), Place::caller());
                $name { value: storage::$name::new(value), home }
            }

            /// An atomic with this value.
            #[cfg(feature = "making")]
            #[track_caller]
            pub fn new(value: $value) -> Self {
                let home = Home::made_here(stringify!($name), Place::caller());
                $name { value: storage::$name::new(value), home }
            }

            #[inline]
            fn access(&self, access: Access, place: Place) -> Option<$value> {
                let initial = || self.value.load(Ordering::Relaxed).bits();
                ops::access(&self.home, initial, access, place).map(<$value>::of)
            }

            #[inline]
            fn rmw(
                &self,
                given: Ordering,
                apply: fn(u64, [u64; 2]) -> Option<u64>,
                operand: u64,
                place: Place,
            ) -> Option<$value> {
                let update = Update { apply, operands: [operand, 0] };
                self.access(Access::Rmw { order: order(given), failure: Order::Relaxed, update }, place)
            }

            /// The value.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let access = Access::Load(order_of_load(order));
                self.access(access, Place::caller()).unwrap_or_else(|| self.value.load(order))
            }

            /// Sets the value.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let access = Access::Store(order_of_store(order), value.bits());
                if self.access(access, Place::caller()).is_none() {
                    self.value.store(value, order);
                }
            }

            /// Sets the value and returns the previous one.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.rmw(order, |_, [new, _]| Some(new), value.bits(), Place::caller())
                    .unwrap_or_else(|| self.value.swap(value, order))
            }

            /// Sets the value if it is `current`, and returns the previous one: `Ok` if it was set.
            ///
            /// # Errors
            /// The value, if it was not `current`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let update = Update {
                    apply: |read, [current, new]| (read == current).then_some(new),
                    operands: [current.bits(), new.bits()],
                };
                let access = Access::Rmw { order: order(success), failure: order_of_load(failure), update };
                match self.access(access, Place::caller()) {
                    Some(read) if read == current => Ok(read),
                    Some(read) => Err(read),
                    None => self.value.compare_exchange(current, new, success, failure),
                }
            }

            /// The same, but it may fail spuriously, if [enabled](crate::Explorer::weak_failures).
            ///
            /// # Errors
            /// The value, if it was not set.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                match fails_weakly(Place::caller()) {
                    true => Err(self.load(failure)),
                    false => self.compare_exchange(current, new, success, failure),
                }
            }

            /// Sets the value if it is `current`, and returns the previous one.
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let result = self.compare_exchange(current, new, order, order_on_failure(order));
                result.unwrap_or_else(|read| read)
            }

            /// Sets the value to the result of `f`, repeating until no other thread has changed it meanwhile or `f` returns `None`.
            ///
            /// # Errors
            /// The value for which `f` returned `None`.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut read = self.load(fetch_order);
                while let Some(new) = f(read) {
                    match self.compare_exchange_weak(read, new, set_order, fetch_order) {
                        Ok(read) => return Ok(read),
                        Err(other) => read = other,
                    }
                }
                Err(read)
            }

            /// Another name of [`fetch_update`](Self::fetch_update).
            ///
            /// # Errors
            /// The value for which `f` returned `None`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, f)
            }

            /// Sets the value to the result of `f`, repeating until no other thread has changed it meanwhile; returns the previous value.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                let result = self.fetch_update(set_order, fetch_order, |value| Some(f(value)));
                result.unwrap_or_else(|read| read)
            }

            /// Calls `f` with the value, as a non-atomic access that nothing else may race with.
            #[track_caller]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                let place = Place::caller();
                let used = state::with(|state| self.home.known(state).is_some()) == Some(true);
                let read = if used { self.access(Access::Load(Order::NonAtomic), place) } else { None };
                match read {
                    Some(mut value) => {
                        let result = f(&mut value);
                        self.access(Access::Store(Order::NonAtomic, value.bits()), place);
                        result
                    }
                    None => {
                        self.home.remake();
                        f(self.value.get_mut())
                    }
                }
            }

            /// Mutable access. In an execution, this counts as creating a new atomic.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                let mut last = None;
                self.with_mut(|value| last = Some(*value));
                state::with(|state| self.home.forget(state));
                self.home.remake();
                let value = self.value.get_mut();
                if let Some(last) = last {
                    *value = last;
                }
                value
            }

            /// Reads the value by a non-atomic access that no write may race with.
            ///
            /// # Safety
            /// None here; with std's atomics, no write may race with it.
            #[allow(unsafe_code)]
            #[track_caller]
            pub unsafe fn unsync_load(&self) -> $value {
                let access = Access::Load(Order::NonAtomic);
                self.access(access, Place::caller()).unwrap_or_else(|| self.value.load(Ordering::Relaxed))
            }

            /// The value.
            #[track_caller]
            pub fn into_inner(mut self) -> $value {
                self.with_mut(|value| *value)
            }
        }

        impl $(<$generic>)? fmt::Debug for $name $(<$generic>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let last = state::with(|state| {
                    let slot = self.home.known(state)?;
                    Some(<$value>::of(state.slot(slot).value))
                });
                fmt::Debug::fmt(&last.flatten().unwrap_or_else(|| self.value.load(Ordering::Relaxed)), f)
            }
        }

        impl $(<$generic>)? From<$value> for $name $(<$generic>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                $name::new(value)
            }
        }
    };
}

macro_rules! fetch {
    ($name:ident, $value:ty, $($(#[$doc:meta])* $method:ident = $apply:expr;)*) => {
        impl $name {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    fn apply(read: u64, operands: [u64; 2]) -> Option<u64> {
                        let f: fn($value, $value) -> $value = $apply;
                        Some(f(<$value>::of(read), <$value>::of(operands[0])).bits())
                    }
                    self.rmw(order, apply, value.bits(), Place::caller())
                        .unwrap_or_else(|| self.value.$method(value, order))
                }
            )*
        }
    };
}

macro_rules! bits {
    ($($value:ident)*) => {
        $(impl Bits for $value {
            #[inline]
            fn bits(self) -> u64 {
                self as u64
            }
            #[inline]
            fn of(bits: u64) -> Self {
                bits as $value
            }
        })*
    };
}

bits!(usize isize u8 u16 u32 u64 i8 i16 i32 i64);

impl Bits for u128 {
    fn bits(self) -> u64 {
        wide::number(self)
    }
    fn of(bits: u64) -> Self {
        wide::value(bits)
    }
}

impl Bits for i128 {
    fn bits(self) -> u64 {
        wide::number(self as u128)
    }
    fn of(bits: u64) -> Self {
        wide::value(bits) as i128
    }
}

macro_rules! integer {
    ($name:ident, $value:ident) => {
        atomic!(
            #[doc = concat!("An atomic `", stringify!($value), "`.")]
            [] $name, $value
        );

        fetch! { $name, $value,
            /// Adds, wrapping around; returns the previous value.
            fetch_add = |a, b| a.wrapping_add(b);
            /// Subtracts, wrapping around; returns the previous value.
            fetch_sub = |a, b| a.wrapping_sub(b);
            /// Bitwise and; returns the previous value.
            fetch_and = |a, b| a & b;
            /// Bitwise nand; returns the previous value.
            fetch_nand = |a, b| !(a & b);
            /// Bitwise or; returns the previous value.
            fetch_or = |a, b| a | b;
            /// Bitwise exclusive or; returns the previous value.
            fetch_xor = |a, b| a ^ b;
            /// The maximum; returns the previous value.
            fetch_max = |a, b| a.max(b);
            /// The minimum; returns the previous value.
            fetch_min = |a, b| a.min(b);
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                $name::new(0)
            }
        }
    };
}

integer!(AtomicUsize, usize);
integer!(AtomicIsize, isize);
integer!(AtomicU8, u8);
integer!(AtomicU16, u16);
integer!(AtomicU32, u32);
integer!(AtomicU64, u64);
integer!(AtomicI8, i8);
integer!(AtomicI16, i16);
integer!(AtomicI32, i32);
integer!(AtomicI64, i64);
integer!(AtomicU128, u128);
integer!(AtomicI128, i128);

atomic!(
    /// An atomic `bool`.
    [] AtomicBool, bool
);

fetch! { AtomicBool, bool,
    /// Logical and; returns the previous value.
    fetch_and = |a, b| a & b;
    /// Logical nand; returns the previous value.
    fetch_nand = |a, b| !(a & b);
    /// Logical or; returns the previous value.
    fetch_or = |a, b| a | b;
    /// Logical exclusive or; returns the previous value.
    fetch_xor = |a, b| a ^ b;
}

impl AtomicBool {
    /// Logical not; returns the previous value.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        AtomicBool::new(false)
    }
}

atomic!(
    /// An atomic pointer.
    [T] AtomicPtr, *mut T
);

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

macro_rules! change {
    ($name:ident, $($(#[$doc:meta])* $method:ident = $apply:expr;)*) => {
        impl<T> $name<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self, value: usize, order: Ordering) -> *mut T {
                    fn apply(read: u64, operands: [u64; 2]) -> Option<u64> {
                        let f: fn(usize, usize) -> usize = $apply;
                        Some(f(read as usize, operands[0] as usize) as u64)
                    }
                    self.change(order, apply, value, Place::caller())
                }
            )*
        }
    };
}

change! { AtomicPtr,
    /// Adds bytes, wrapping around; returns the previous pointer.
    fetch_byte_add = |a, b| a.wrapping_add(b);
    /// Subtracts bytes, wrapping around; returns the previous pointer.
    fetch_byte_sub = |a, b| a.wrapping_sub(b);
    /// Bitwise and of the address; returns the previous pointer.
    fetch_and = |a, b| a & b;
    /// Bitwise or of the address; returns the previous pointer.
    fetch_or = |a, b| a | b;
    /// Bitwise exclusive or of the address; returns the previous pointer.
    fetch_xor = |a, b| a ^ b;
}

impl<T> AtomicPtr<T> {
    fn change(
        &self,
        order: Ordering,
        apply: fn(u64, [u64; 2]) -> Option<u64>,
        value: usize,
        place: Place,
    ) -> *mut T {
        self.rmw(order, apply, value as u64, place).unwrap_or_else(|| {
            let change = |pointer: *mut T| apply(pointer.bits(), [value as u64, 0]).map(<*mut T>::of);
            let result = self.value.fetch_update(order, order_on_failure(order), change);
            result.unwrap_or_else(|read| read)
        })
    }

    /// Adds elements, wrapping around; returns the previous pointer.
    #[track_caller]
    pub fn fetch_ptr_add(&self, count: usize, order: Ordering) -> *mut T {
        self.fetch_byte_add(count.wrapping_mul(size_of::<T>()), order)
    }

    /// Subtracts elements, wrapping around; returns the previous pointer.
    #[track_caller]
    pub fn fetch_ptr_sub(&self, count: usize, order: Ordering) -> *mut T {
        self.fetch_byte_sub(count.wrapping_mul(size_of::<T>()), order)
    }
}
