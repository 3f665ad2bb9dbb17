//! Assertions for tests.

use crate::saved::saved;
use crate::stress::{Outcome, Stress};
use crate::{Counts, Subject};
use tribunal_history::object::Criterion;

/// The body of the assertions: panics if a run of the object breaks the criterion, if a call panics, or if the options are
/// invalid. Returns how much was run.
#[track_caller]
pub fn assert_holds<S: Subject>(criterion: &Criterion, stress: &Stress) -> Counts {
    match stress.seek::<S>(criterion) {
        Ok(Outcome::Held(counts)) => counts,
        Ok(Outcome::Broken(evidence, counts)) => {
            let saved = saved(&evidence, std::any::type_name::<S>());
            panic!("{evidence}\n\n({counts}; seed {})\n\n{saved}", stress.seed)
        }
        Err(error) => panic!("{error}"),
    }
}

/// Asserts that operations of a [`Subject`](crate::Subject) take effect one at a time between call and return, as far as random
/// clients can tell. After the subject may come options, which are fields of [`Stress`](crate::Stress).
///
/// ```
/// use std::sync::Mutex;
/// use tribunal::object::specs;
/// use tribunal_record::{assert_linearizable, object};
///
/// object! {
///     struct Stack(Mutex<Vec<i64>>) as specs::Stack, new Mutex::default();
///     push(v in 1..1000) = |stack| stack.lock().expect("no panic").push(v);
///     pop() = |stack| stack.lock().expect("no panic").pop();
/// }
///
/// assert_linearizable!(Stack, runs = 1000, operations = 3);
/// ```
///
/// A test that fails prints the run, why no order of its operations explains it, and where it is saved, with the commands that
/// explain and draw it:
///
/// ```should_panic
/// use std::sync::atomic::{AtomicI64, Ordering};
/// use tribunal::object::specs;
/// use tribunal_record::{assert_linearizable, object};
///
/// object! {
///     struct Lossy(AtomicI64) as specs::Counter, new AtomicI64::new(0);
///     inc() = |n| {
///         let seen = n.load(Ordering::Relaxed);
///         std::hint::spin_loop();
///         n.store(seen + 1, Ordering::Relaxed)
///     };
///     get() = |n| n.load(Ordering::Relaxed);
/// }
///
/// assert_linearizable!(Lossy, runs = 20_000);
/// ```
#[macro_export]
macro_rules! assert_linearizable {
    ($subject:ty $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::assert_consistent!(
            $subject,
            $crate::object::Criterion::Linearizable
            $(, $option = $value)*
        )
    };
}

/// Asserts that operations of a [`Subject`](crate::Subject) take effect one at a time, each thread's in its order, though not
/// necessarily between call and return; otherwise as [`assert_linearizable!`].
///
/// ```
/// # use std::sync::Mutex;
/// # use tribunal::object::specs;
/// # use tribunal_record::{assert_sequential, object};
/// # object! {
/// #     struct Stack(Mutex<Vec<i64>>) as specs::Stack, new Mutex::default();
/// #     push(v in 1..1000) = |stack| stack.lock().expect("no panic").push(v);
/// #     pop() = |stack| stack.lock().expect("no panic").pop();
/// # }
/// assert_sequential!(Stack, runs = 1000);
/// ```
#[macro_export]
macro_rules! assert_sequential {
    ($subject:ty $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::assert_consistent!($subject, $crate::object::Criterion::Sequential $(, $option = $value)*)
    };
}

/// Asserts that runs of a [`Subject`](crate::Subject) satisfy a [`Criterion`]; otherwise as [`assert_linearizable!`].
///
/// ```
/// # use std::sync::Mutex;
/// # use tribunal::object::{Criterion, specs};
/// # use tribunal_record::{assert_consistent, object};
/// # object! {
/// #     struct Stack(Mutex<Vec<i64>>) as specs::Stack, new Mutex::default();
/// #     push(v in 1..1000) = |stack| stack.lock().expect("no panic").push(v);
/// #     pop() = |stack| stack.lock().expect("no panic").pop();
/// # }
/// assert_consistent!(Stack, Criterion::Hbvis, runs = 1000);
/// ```
#[macro_export]
macro_rules! assert_consistent {
    ($subject:ty, $criterion:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::assert_holds::<$subject>(
            &$criterion,
            &$crate::Stress { $($option: $value,)* ..$crate::Stress::default() },
        )
    };
}
