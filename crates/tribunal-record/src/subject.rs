//! Objects under test.

use crate::Random;
use tribunal_history::object::{Specification, Value};

/// An object under test: what it promises, how to make a new one, what to call and how. [`object!`](crate::object!) writes this for
/// most objects.
///
/// ```
/// use std::sync::atomic::{AtomicI64, Ordering};
/// use tribunal::object::{Specification, Value, specs};
/// use tribunal_record::{Random, Subject, assert_linearizable};
///
/// struct Counter(AtomicI64);
///
/// impl Subject for Counter {
///     const METHODS: &'static [&'static str] = &["inc", "get"];
///     fn spec() -> Box<dyn Specification> {
///         Box::new(specs::Counter)
///     }
///     fn fresh() -> Self {
///         Counter(AtomicI64::new(0))
///     }
///     fn draw(_method: usize, _rng: &mut Random) -> Vec<Value> {
///         Vec::new()
///     }
///     fn call(&self, method: usize, _args: &[Value]) -> Value {
///         match method {
///             0 => {
///                 self.0.fetch_add(1, Ordering::Relaxed);
///                 Value::Null
///             }
///             _ => Value::Int(self.0.load(Ordering::Relaxed)),
///         }
///     }
/// }
///
/// assert_linearizable!(Counter, runs = 500);
/// ```
pub trait Subject: Send + Sync {
    /// The methods by name, as the specification calls them. Below, a method is its place here. Those that are named first
    /// are trusted most: where one of two must be at fault, it is the later.
    const METHODS: &'static [&'static str];

    /// The specification of the object: what it does when operations come one at a time.
    fn spec() -> Box<dyn Specification>;

    /// A new object, in the state in which the specification begins.
    fn fresh() -> Self;

    /// Random arguments of a method.
    fn draw(method: usize, rng: &mut Random) -> Vec<Value>;

    /// Calls a method. What is done here beside the call makes the operation longer, so it should be little.
    fn call(&self, method: usize, args: &[Value]) -> Value;
}

/// Wraps an object for a test: its type, what it promises, how to make a new one; then its methods as the specification names
/// them, with the range of whole numbers from which each argument is drawn, and how they are called. What they return can be
/// any [`ToValue`](crate::ToValue). A method that the specification does not have, or that takes other arguments there, is an error
/// before anything is run.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use tribunal::object::specs;
/// use tribunal_record::{assert_linearizable, object};
///
/// object! {
///     /// A map behind a lock.
///     struct Locked(Mutex<HashMap<i64, i64>>) as specs::Map, new Mutex::default();
///     put(k in 0..3, v in 1..100) = |map| map.lock().expect("no panic").insert(k, v);
///     remove(k in 0..3) = |map| map.lock().expect("no panic").remove(&k);
///     get(k in 0..3) = |map| map.lock().expect("no panic").get(&k).copied();
///     size() = |map| map.lock().expect("no panic").len();
/// }
///
/// assert_linearizable!(Locked, runs = 1000);
/// ```
#[macro_export]
macro_rules! object {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident($inner:ty) as $spec:expr, new $fresh:expr;
        $($method:ident($($arg:ident in $range:expr),* $(,)?) = |$object:ident| $body:expr;)+
    ) => {
        $(#[$meta])*
        $vis struct $name($inner);

        impl $crate::Subject for $name {
            const METHODS: &'static [&'static str] = &[$(stringify!($method)),+];

            fn spec() -> Box<dyn $crate::object::Specification> {
                Box::new($spec)
            }

            fn fresh() -> Self {
                $name($fresh)
            }

            fn draw(method: usize, rng: &mut $crate::Random) -> Vec<$crate::object::Value> {
                let mut at = 0usize;
                $(
                    if method == at {
                        return vec![$($crate::object::Value::Int(
                            $crate::Random::within(rng, $range)
                        )),*];
                    }
                    at += 1;
                )+
                unreachable!("{method} is none of the {at} methods")
            }

            #[inline]
            fn call(
                &self,
                method: usize,
                args: &[$crate::object::Value],
            ) -> $crate::object::Value {
                let mut at = 0usize;
                let _ = args;
                $(
                    if method == at {
                        let mut args = args.iter();
                        $(let $arg: i64 = args.next().and_then(|arg| arg.as_int()).unwrap_or_default();)*
                        let _ = args.next();
                        let $object = &self.0;
                        return $crate::ToValue::to_value(&$body);
                    }
                    at += 1;
                )+
                unreachable!("{method} is none of the {at} methods")
            }
        }
    };
}
