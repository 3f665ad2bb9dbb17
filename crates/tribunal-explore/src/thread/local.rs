//! Thread-local values, separate in each execution.

use crate::runtime::state;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

/// A thread-local value; see [`thread_local!`](crate::thread_local).
pub struct LocalKey<T: 'static> {
    #[doc(hidden)]
    pub init: fn() -> T,
    #[doc(hidden)]
    pub _p: PhantomData<fn(T)>,
}

/// The value was destroyed because the thread is ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the thread-local value was destroyed")
    }
}

impl std::error::Error for AccessError {}

thread_local! {
    /// Values outside executions.
    static OUTSIDE: RefCell<Vec<(usize, Rc<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

impl<T: 'static> LocalKey<T> {
    fn key(&'static self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The value, made if there is none.
    fn value(&'static self) -> Result<Rc<T>, AccessError> {
        let key = self.key();
        let found = state::with(|state| {
            state.me().locals.iter().find(|(other, _)| *other == key).map(|(_, value)| value.clone())
        });
        let downcast = |value: Rc<dyn Any>| value.downcast().map_err(|_| AccessError);
        match found {
            Some(Some(value)) => value.map_or(Err(AccessError), downcast),
            Some(None) => {
                let value = Rc::new((self.init)());
                state::with(|state| state.me().locals.push((key, Some(value.clone()))));
                Ok(value)
            }
            None => {
                let known = |values: &RefCell<Vec<(usize, Rc<dyn Any>)>>| {
                    values.borrow().iter().find(|(other, _)| *other == key).map(|(_, value)| value.clone())
                };
                if let Some(value) = OUTSIDE.try_with(known).map_err(|_| AccessError)? {
                    return downcast(value);
                }
                let value = Rc::new((self.init)());
                OUTSIDE.with(|values| values.borrow_mut().push((key, value.clone())));
                Ok(value)
            }
        }
    }

    /// Calls `f` with the value.
    ///
    /// # Panics
    /// If it was destroyed.
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        match self.value() {
            Ok(value) => f(&value),
            Err(error) => panic!("{error}"),
        }
    }

    /// Calls `f` with the value.
    ///
    /// # Errors
    /// If it was destroyed.
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        self.value().map(|value| f(&value))
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the value.
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// A copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Replaces the value and returns the previous one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Works on the value.
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Works on the value.
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the value.
    pub fn set(&'static self, value: T) {
        self.with(|cell| drop(cell.replace(value)));
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Replaces the value and returns the previous one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalKey { .. }")
    }
}

/// Destroys the values of the thread that calls this, those too that are made meanwhile.
pub(crate) fn destroy() {
    while let Some(value) =
        state::with(|state| state.me().locals.iter_mut().find_map(|(_, value)| value.take())).flatten()
    {
        drop(value);
    }
}

/// Declares thread-local values like [`std::thread_local!`]. They are separate in each execution; a thread's values are
/// destroyed at its end, within the execution.
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = $init; $($rest)*);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = $init;);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr; $($rest:tt)*) => {
        $(#[$attr])* $vis static $name: $crate::thread::LocalKey<$t> = $crate::thread::LocalKey {
            init: (|| $init) as fn() -> $t,
            _p: ::std::marker::PhantomData,
        };
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = $init;);
    };
}
