//! Values of 128 bits, which the explorer knows by numbers of 64 bits; and what holds them outside executions, where std has no atomics of that width.

use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::sync::{LazyLock, Mutex, PoisonError};

/// From here on, a number stands for a value that does not fit; below, for itself.
const FIRST: u64 = 1 << 63;

/// The values that do not fit, for the whole process: workers hand their executions to each other. None is ever forgotten.
static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Table {
    values: Vec<u128>,
    numbers: FxHashMap<u128, u64>,
}

/// The number of a value. Equal values have equal numbers.
pub(super) fn number(value: u128) -> u64 {
    if value < u128::from(FIRST) {
        return value as u64;
    }
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let next = FIRST + table.values.len() as u64;
    let number = *table.numbers.entry(value).or_insert(next);
    if number == next {
        table.values.push(value);
    }
    number
}

/// The value of a number that [`number`] gave.
pub(super) fn value(number: u64) -> u128 {
    if number < FIRST {
        return number.into();
    }
    let table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    table.values.get((number - FIRST) as usize).copied().unwrap_or_default()
}

macro_rules! locked {
    ($name:ident, $value:ident, $($method:ident = $apply:expr;)*) => {
        /// A value behind a lock, in the form of an atomic.
        pub(super) struct $name(Mutex<$value>);

        impl $name {
            pub(super) const fn new(value: $value) -> Self {
                $name(Mutex::new(value))
            }

            fn change<R>(&self, f: impl FnOnce(&mut $value) -> R) -> R {
                f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
            }

            pub(super) fn load(&self, _order: Ordering) -> $value {
                self.change(|held| *held)
            }

            pub(super) fn store(&self, value: $value, _order: Ordering) {
                self.change(|held| *held = value);
            }

            pub(super) fn swap(&self, value: $value, _order: Ordering) -> $value {
                self.change(|held| std::mem::replace(held, value))
            }

            pub(super) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                _success: Ordering,
                _failure: Ordering,
            ) -> Result<$value, $value> {
                self.change(|held| match *held == current {
                    true => Ok(std::mem::replace(held, new)),
                    false => Err(*held),
                })
            }

            pub(super) fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
            }

            $(
                pub(super) fn $method(&self, value: $value, _order: Ordering) -> $value {
                    let f: fn($value, $value) -> $value = $apply;
                    self.change(|held| std::mem::replace(held, f(*held, value)))
                }
            )*
        }
    };
    ($($name:ident, $value:ident;)*) => {
        $(locked! { $name, $value,
            fetch_add = |a, b| a.wrapping_add(b);
            fetch_sub = |a, b| a.wrapping_sub(b);
            fetch_and = |a, b| a & b;
            fetch_nand = |a, b| !(a & b);
            fetch_or = |a, b| a | b;
            fetch_xor = |a, b| a ^ b;
            fetch_max = |a, b| a.max(b);
            fetch_min = |a, b| a.min(b);
        })*
    };
}

locked! { AtomicU128, u128; AtomicI128, i128; }
