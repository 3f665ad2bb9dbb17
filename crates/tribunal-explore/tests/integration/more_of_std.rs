//! What std and shuttle have that few programs use.

#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::sync::Mutex as Plain;
use tribunal_explore::cell::{Cell, LazyCell, OnceCell, RefCell};
use tribunal_explore::sync::atomic::{AtomicBool, AtomicI128, AtomicPtr, AtomicU32, AtomicU128, Ordering::*};
use tribunal_explore::sync::{Arc, LazyLock, Once, OnceLock, RwLock, RwLockWriteGuard, Weak};
use tribunal_explore::{Explorer, future, thread};

/// What a closure returns in its executions.
fn outcomes<T: Ord + Send + 'static>(f: impl Fn() -> T + Send + Sync + 'static) -> BTreeSet<T> {
    let seen = std::sync::Arc::new(Plain::new(BTreeSet::new()));
    let all = seen.clone();
    Explorer::new().run(move || {
        let outcome = f();
        all.lock().expect("nobody panics").insert(outcome);
    });
    std::mem::take(&mut *seen.lock().expect("nobody panics"))
}

const WIDE: u128 = 1 << 100;

#[test]
fn atomics_of_128_bits() {
    let seen = outcomes(|| {
        let x = Arc::new(AtomicU128::new(WIDE));
        let other = x.clone();
        let thread = thread::spawn(move || other.fetch_add(WIDE, Relaxed));
        let swapped = x.compare_exchange(WIDE, 7, Relaxed, Relaxed).is_ok();
        let read = thread.join().unwrap();
        (swapped, read, x.load(Relaxed))
    });
    assert_eq!(seen, BTreeSet::from([(true, 7, WIDE + 7), (false, WIDE, 2 * WIDE)]));
    let seen = outcomes(|| {
        let x = AtomicI128::new(-1);
        (x.fetch_min(i128::MIN, Relaxed), x.fetch_max(5, Relaxed), x.swap(i128::MAX, Relaxed), x.into_inner())
    });
    assert_eq!(seen, BTreeSet::from([(-1, i128::MIN, 5, i128::MAX)]));
    // On several cores, whose executions are each other's.
    let report = Explorer::new().threads(2).check(|| {
        let x = Arc::new(AtomicU128::new(WIDE));
        let threads = [1, 2, 3].map(|n| {
            let x = x.clone();
            thread::spawn(move || _ = x.fetch_add(WIDE * n, Relaxed))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert!(report.failure.is_none());
    assert_eq!(report.executions, 6);
    let outside = AtomicU128::new(WIDE);
    assert_eq!((outside.fetch_sub(1, SeqCst), outside.fetch_xor(WIDE, SeqCst)), (WIDE, WIDE - 1));
    assert_eq!(outside.compare_exchange(0, 1, SeqCst, SeqCst), Err((WIDE - 1) ^ WIDE));
}

#[test]
fn pointers_are_changed() {
    fn check() {
        let mut values = [1u32, 2, 3];
        let start = values.as_mut_ptr();
        let x = AtomicPtr::new(start);
        assert_eq!(x.fetch_ptr_add(2, Relaxed), start);
        assert_eq!(x.fetch_byte_sub(4, Relaxed), start.wrapping_add(2));
        assert_eq!(unsafe { *x.load(Relaxed) }, 2);
        assert_eq!(x.fetch_ptr_sub(1, Relaxed), start.wrapping_add(1));
        // A tag in the lowest bit.
        assert_eq!(x.fetch_or(1, AcqRel), start);
        assert_eq!(x.fetch_xor(1, AcqRel).addr(), start.addr() | 1);
        assert_eq!(x.fetch_byte_add(3, AcqRel), start);
        assert_eq!(x.fetch_and(!3, AcqRel).addr(), start.addr() + 3);
        assert_eq!(x.load(Relaxed), start);
        assert_eq!(x.update(Relaxed, Relaxed, |pointer| pointer.wrapping_add(1)), start);
    }
    check();
    tribunal_explore::explore(check);
}

#[test]
fn updates_are_atomic() {
    let seen = outcomes(|| {
        let x = Arc::new(AtomicU32::new(1));
        let other = x.clone();
        let thread = thread::spawn(move || other.update(AcqRel, Acquire, |n| n * 3));
        let tried = x.try_update(AcqRel, Acquire, |n| (n == 3).then_some(10));
        (thread.join().unwrap(), tried, x.load(Relaxed))
    });
    assert_eq!(seen, BTreeSet::from([(1, Err(1), 3), (1, Ok(3), 10)]));
    assert_eq!(outcomes(|| AtomicBool::new(true).fetch_not(Relaxed)), BTreeSet::from([true]));
}

#[test]
fn a_writer_becomes_a_reader_before_others_write() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || *other.write().unwrap() += 10);
        let mut guard = lock.write().unwrap();
        *guard += 1;
        let written = *guard;
        let guard = RwLockWriteGuard::downgrade(guard);
        let readers = lock.try_read().is_ok();
        assert!(lock.try_write().is_err() && readers && *guard == written);
        drop(guard);
        thread.join().unwrap();
        (written, *lock.read().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(1, 11), (11, 11)]));
}

#[test]
fn what_is_done_once_is_waited_for() {
    let seen = outcomes(|| {
        let shared = Arc::new((Once::new(), OnceLock::new(), AtomicU32::new(0)));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other.0.call_once(|| other.2.store(1, Relaxed));
            other.1.set(2).unwrap();
        });
        shared.0.wait();
        shared.0.wait_force();
        let first = shared.2.load(Relaxed);
        let second = *shared.1.wait();
        thread.join().unwrap();
        (first, second)
    });
    assert_eq!(seen, BTreeSet::from([(1, 2)]));
    let mut lazy = LazyLock::new(|| 5);
    assert!(LazyLock::get(&lazy).is_none() && LazyLock::get_mut(&mut lazy).is_none());
    *LazyLock::force_mut(&mut lazy) += 1;
    assert_eq!(LazyLock::get(&lazy), Some(&6));
}

#[test]
fn nobody_does_what_is_waited_for() {
    let report = Explorer::new().check(|| Once::new().wait());
    let problem = report.failure.map(|failure| failure.problem);
    assert!(matches!(problem, Some(tribunal_explore::Problem::Deadlock { .. })), "{problem:?}");
}

#[test]
fn weak_handles_are_addresses() {
    fn check() -> (Option<u32>, bool) {
        let arc = Arc::new(3);
        let weak = Arc::downgrade(&arc);
        assert_eq!(weak.as_ptr(), Arc::as_ptr(&arc));
        let pointer = weak.into_raw();
        let weak = unsafe { Weak::from_raw(pointer) };
        let found = weak.upgrade().map(|arc| *arc);
        let pointer = weak.into_raw();
        drop(arc);
        let gone = unsafe { Weak::from_raw(pointer) }.upgrade().is_none();
        (found, gone && unsafe { Weak::from_raw(Weak::<u32>::new().into_raw()) }.upgrade().is_none())
    }
    assert_eq!(check(), (Some(3), true));
    assert_eq!(outcomes(check), BTreeSet::from([(Some(3), true)]));
}

#[test]
fn a_weak_address_of_another_thread() {
    let seen = outcomes(|| {
        let arc = Arc::new(3);
        let pointer = Arc::downgrade(&arc).into_raw() as usize;
        let thread = thread::spawn(move || {
            let weak = unsafe { Weak::from_raw(pointer as *const i32) };
            weak.upgrade().is_some()
        });
        drop(arc);
        thread.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn cells() {
    tribunal_explore::explore(|| {
        let mut cell = Cell::new(1);
        cell.update(|n| n + 1);
        *cell.get_mut() += 1;
        let (shared, once) = (RefCell::new(cell.get()), OnceCell::new());
        *shared.borrow_mut() += once.get_or_init(|| 4);
        assert_eq!(*shared.borrow() + *LazyCell::new(|| 1), 8);
    });
}

#[test]
fn tasks() {
    let seen = outcomes(|| {
        let x = Arc::new(AtomicU32::new(0));
        let tasks = [1, 2].map(|n| {
            let x = x.clone();
            future::spawn(async move {
                future::yield_now().await;
                x.swap(n, AcqRel)
            })
        });
        future::block_on(async move {
            let [one, two] = tasks;
            (one.await.unwrap(), two.await.unwrap())
        })
    });
    assert_eq!(seen, BTreeSet::from([(0, 1), (2, 0)]));
}

#[test]
fn tasks_are_aborted() {
    let seen = outcomes(|| {
        let task = future::spawn(async { 1 });
        task.abort_handle().abort();
        future::block_on(task)
    });
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [Ok(1), Err(future::JoinError::Cancelled)]);
    let seen = outcomes(|| {
        let task = future::spawn(std::future::pending::<()>());
        task.abort();
        let result = future::block_on(task);
        result.is_err()
    });
    assert_eq!(seen, BTreeSet::from([true]));
}
