//! Tests as people write them for loom.

#![allow(unsafe_code)]

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::*, fence};
use loom::sync::{Arc, Condvar, Mutex, Notify, RwLock};
use loom::thread;

#[test]
fn counter() {
    loom::model(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..loom::MAX_THREADS - 1)
            .map(|_| {
                let count = count.clone();
                thread::spawn(move || count.fetch_add(1, Relaxed))
            })
            .collect();
        threads.into_iter().for_each(|thread| _ = thread.join().unwrap());
        assert_eq!(count.load(Relaxed), 4);
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn race() {
    loom::model(|| {
        let cell = Arc::new(UnsafeCell::new(0));
        let other = cell.clone();
        thread::spawn(move || other.with_mut(|value| unsafe { *value = 1 }));
        cell.with(|value| unsafe { *value });
    });
}

#[test]
#[should_panic(expected = "deadlock")]
fn deadlock() {
    loom::model(|| {
        let lock = Mutex::new(());
        let _guard = lock.lock().unwrap();
        drop(lock.lock());
    });
}

#[test]
#[should_panic(expected = "leak")]
fn leak() {
    loom::model(|| std::mem::forget(Arc::new(1)));
}

#[test]
#[should_panic(expected = "two is not three")]
fn panic() {
    loom::model(|| assert_eq!(2, 3, "two is not three"));
}

/// Hands a new object over by a pointer.
fn publish(order: loom::sync::atomic::Ordering) {
    loom::model(move || {
        let slot = Arc::new(AtomicPtr::new(std::ptr::null_mut::<AtomicUsize>()));
        let other = slot.clone();
        let thread = thread::spawn(move || {
            let made = Box::into_raw(Box::new(AtomicUsize::new(1)));
            other.store(made, order);
        });
        let found = slot.load(Acquire);
        if !found.is_null() {
            assert_eq!(unsafe { &*found }.load(Relaxed), 1);
        }
        thread.join().unwrap();
        let last = slot.load(Relaxed);
        drop(unsafe { Box::from_raw(last) });
    });
}

#[test]
fn publication() {
    publish(Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn publication_without_release() {
    publish(Relaxed);
}

#[test]
fn what_was_made_reaches_others_by_threads() {
    loom::model(|| {
        let first = Arc::new(AtomicUsize::new(0));
        let other = first.clone();
        let thread = thread::spawn(move || {
            let second = Arc::new(AtomicUsize::new(0));
            let (a, b) = (second.clone(), other.clone());
            thread::spawn(move || a.fetch_add(b.load(Relaxed), Relaxed)).join().unwrap();
            second
        });
        let second = thread.join().unwrap();
        let third = Arc::new(UnsafeCell::new(0));
        let cell = third.clone();
        thread::spawn(move || cell.with_mut(|value| unsafe { *value += 1 })).join().unwrap();
        assert_eq!(second.load(Relaxed) + third.with(|value| unsafe { *value }), 1);
    });
}

#[test]
fn seq_cst_is_more_than_acquire_and_release() {
    loom::model(|| {
        let both = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let other = both.clone();
        let thread = thread::spawn(move || {
            other.0.store(true, SeqCst);
            other.1.load(SeqCst)
        });
        both.1.store(true, Relaxed);
        fence(SeqCst);
        let one = both.0.load(Relaxed);
        assert!(one || thread.join().unwrap());
    });
}

#[test]
fn builders() {
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 100;
    builder.preemption_bound = Some(3);
    builder.max_permutations = Some(10);
    builder.max_threads = 3;
    builder.check(|| {
        loom::stop_exploring();
        loom::explore();
        loom::skip_branch();
        let lock = RwLock::new(1);
        *lock.write().unwrap() += 1;
        assert_eq!(*lock.read().unwrap(), 2);
    });
}

/// Two threads take turns; then one of them panics, whatever the bound.
#[test]
fn a_bound_on_preemptions_leaves_no_failure_out() {
    fn ping_pong(end: bool) {
        let turn = Arc::new(AtomicUsize::new(0));
        let other = turn.clone();
        let take_turns = |turn: &AtomicUsize, parity: usize| {
            for round in 0..3 {
                while turn.load(Acquire) != 2 * round + parity {
                    thread::yield_now();
                }
                turn.store(2 * round + parity + 1, Release);
            }
        };
        let thread = thread::spawn(move || take_turns(&other, 1));
        take_turns(&turn, 0);
        thread.join().unwrap();
        assert!(end, "the end of the game");
    }
    for bound in 0..4 {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(bound);
        builder.check(|| ping_pong(true));
        let failed = std::panic::catch_unwind(|| builder.check(|| ping_pong(false))).unwrap_err();
        let said = failed.downcast_ref::<String>().expect("a text");
        assert!(said.contains("the end of the game"), "bound {bound}: {said}");
    }
}

/// Not one execution is complete, and that is no pass.
#[test]
fn a_model_that_shows_nothing_fails() {
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(std::time::Duration::ZERO);
    let failed = std::panic::catch_unwind(|| builder.check(|| ())).unwrap_err();
    let said = failed.downcast_ref::<String>().expect("a text");
    assert!(said.starts_with("no execution is complete; the limit of time was reached"), "{said}");
}

loom::lazy_static! {
    static ref LAZY: AtomicUsize = AtomicUsize::new(7);
}

loom::thread_local! {
    static LOCAL: std::cell::RefCell<usize> = std::cell::RefCell::new(1);
}

#[test]
fn statics_and_waiting() {
    loom::model(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new(), Notify::new()));
        let other = shared.clone();
        thread::spawn(move || {
            LAZY.fetch_add(1, Relaxed);
            LOCAL.with(|local| *local.borrow_mut() += 1);
            *other.0.lock().unwrap() = true;
            other.1.notify_all();
            other.2.notify();
        });
        let mut ready = shared.0.lock().unwrap();
        while !*ready {
            ready = shared.1.wait(ready).unwrap();
        }
        drop(ready);
        shared.2.wait();
        assert_eq!(LAZY.load(Relaxed), 8);
        LOCAL.with(|local| assert_eq!(*local.borrow(), 1));
    });
}

#[test]
fn futures() {
    loom::model(|| {
        let waker = Arc::new((loom::future::AtomicWaker::new(), AtomicBool::new(false)));
        let other = waker.clone();
        thread::spawn(move || {
            other.1.store(true, SeqCst);
            other.0.wake();
        });
        loom::future::block_on(std::future::poll_fn(move |context| {
            waker.0.register_by_ref(context.waker());
            match waker.1.load(SeqCst) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        }));
    });
}

#[test]
fn checkpoints() {
    let file = std::env::temp_dir().join(format!("loom-checkpoint-{}", std::process::id()));
    let check = || {
        let mut builder = loom::model::Builder::new();
        builder.checkpoint_file(&file.display().to_string());
        let caught = std::panic::catch_unwind(move || {
            builder.check(|| {
                let x = Arc::new(AtomicUsize::new(0));
                let other = x.clone();
                thread::spawn(move || other.store(1, Relaxed));
                assert_eq!(x.load(Relaxed), 0, "it was stored");
            });
        });
        *caught.unwrap_err().downcast::<String>().unwrap()
    };
    let first = check();
    assert!(file.exists() && first.contains("it was stored"), "{first}");
    let second = check();
    assert!(second.contains("run again from"), "{second}");
    std::fs::remove_file(file).unwrap();
}

/// What ended early goes on, and counts on.
#[test]
fn checkpoints_resume() {
    let file = std::env::temp_dir().join(format!("loom-resume-{}", std::process::id()));
    let check = |most: Option<usize>| {
        let mut builder = loom::model::Builder::new();
        builder.checkpoint_file(&file.display().to_string());
        (builder.max_permutations, builder.checkpoint_interval) = (most, 2);
        builder.check(|| {
            let x = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let x = x.clone();
                    thread::spawn(move || x.fetch_add(1, Relaxed))
                })
                .collect();
            threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
        });
    };
    check(Some(3));
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("counts 3 "), "{kept}");
    check(Some(5));
    assert!(std::fs::read_to_string(&file).unwrap().contains("counts 5 "));
    check(None);
    assert!(!file.exists(), "all six were explored");
}
