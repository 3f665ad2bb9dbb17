//! Five bugs, each found, explained, made small and, if orders are to blame, repaired.

use std::time::Duration;
use tribunal_explore::cell::UnsafeCell;
use tribunal_explore::failure::{Diagnosis, Kind, Repair};
use tribunal_explore::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use tribunal_explore::sync::atomic::{AtomicBool, AtomicUsize, fence};
use tribunal_explore::sync::{Arc, Condvar, Mutex};
use tribunal_explore::{Explorer, Problem, thread};
use tribunal_history::memory::Order;
use tribunal_history::model::Model;

fn diagnose(f: impl Fn() + Send + Sync + 'static) -> Diagnosis {
    let models = [Model::Sc, Model::Tso, Model::Rc20];
    let found = Explorer::new().diagnose(&models, Duration::from_secs(30), f).expect("a bug");
    println!("{found}");
    found
}

/// The changes of the only repair: what, from and to.
fn repair(found: &Diagnosis) -> Vec<(Kind, Order, Order)> {
    match &found.repair {
        Repair::Orders(sets) if sets.len() == 1 => {
            sets[0].iter().map(|change| (change.kind, change.from, change.to)).collect()
        }
        other => panic!("{other}"),
    }
}

/// Whether the test fails under each of sc, tso and rc20.
fn fails(found: &Diagnosis) -> Vec<bool> {
    found.models.iter().map(|under| under.failure.is_some()).collect()
}

/// A Dekker lock in which one store is not seq_cst.
#[test]
fn dekker() {
    fn run() {
        let (flags, inside) =
            (Arc::new([AtomicBool::new(false), AtomicBool::new(false)]), Arc::new(AtomicUsize::new(0)));
        let other = {
            let (flags, inside) = (flags.clone(), inside.clone());
            thread::spawn(move || {
                flags[1].store(true, Release);
                if !flags[0].load(SeqCst) {
                    assert_eq!(inside.fetch_add(1, Relaxed), 0, "two are inside");
                }
            })
        };
        flags[0].store(true, SeqCst);
        if !flags[1].load(SeqCst) {
            assert_eq!(inside.fetch_add(1, Relaxed), 0, "two are inside");
        }
        other.join().unwrap();
    }
    let found = diagnose(run);
    assert!(matches!(found.failure.problem, Problem::Panic { .. }));
    assert_eq!(fails(&found), [false, true, true]);
    assert_eq!(repair(&found), [(Kind::Store, Order::Release, Order::SeqCst)]);
    let text = found.to_string();
    assert!(
        text.contains("store buffering: main and T1 each write and then miss the other's write"),
        "{text}"
    );
}

/// A seqlock whose reader has no fence between the data and the second look at the sequence.
#[test]
fn seqlock() {
    #[derive(Default)]
    struct Seqlock {
        sequence: AtomicUsize,
        data: [AtomicUsize; 2],
    }
    fn run() {
        let lock = Arc::new(Seqlock::default());
        let writer = {
            let lock = lock.clone();
            thread::spawn(move || {
                lock.sequence.store(1, Relaxed);
                fence(Release);
                lock.data[0].store(1, Relaxed);
                lock.data[1].store(1, Relaxed);
                lock.sequence.store(2, Release);
            })
        };
        let before = lock.sequence.load(Acquire);
        let data = [lock.data[0].load(Relaxed), lock.data[1].load(Relaxed)];
        let after = lock.sequence.load(Relaxed);
        if before == after && before % 2 == 0 {
            assert_eq!(data[0], data[1], "a torn read");
        }
        writer.join().unwrap();
    }
    let found = diagnose(run);
    assert!(matches!(found.failure.problem, Problem::Panic { .. }));
    assert_eq!(fails(&found), [false, false, true]);
    // One fence, where acquire loads would be two changes: nothing is read after the data that was read before it.
    assert_eq!(repair(&found), [(Kind::NewFence, Order::Relaxed, Order::Acquire)]);
    let text = found.to_string();
    assert!(
        text.contains("message passing: main sees the later write of T1 but misses the earlier one"),
        "{text}"
    );
}

/// Initialization under a lock, looked at first without it, by a relaxed load.
#[test]
fn double_checked_lock() {
    struct Lazy {
        ready: AtomicBool,
        lock: Mutex<()>,
        value: UnsafeCell<usize>,
    }
    // Accesses of the cell are what is checked.
    #[allow(unsafe_code)]
    unsafe impl Sync for Lazy {}
    impl Lazy {
        fn get(&self) -> usize {
            if !self.ready.load(Relaxed) {
                let _guard = self.lock.lock().unwrap();
                if !self.ready.load(Relaxed) {
                    // SAFETY: the lock is held, and nobody reads before `ready` is set.
                    #[allow(unsafe_code)]
                    self.value.with_mut(|value| unsafe { *value = 42 });
                    self.ready.store(true, Relaxed);
                }
            }
            // SAFETY: it is ready.
            #[allow(unsafe_code)]
            self.value.with(|value| unsafe { *value })
        }
    }
    fn run() {
        let lazy =
            Arc::new(Lazy { ready: AtomicBool::new(false), lock: Mutex::new(()), value: UnsafeCell::new(0) });
        let other = {
            let lazy = lazy.clone();
            thread::spawn(move || lazy.get())
        };
        lazy.get();
        other.join().unwrap();
    }
    let found = diagnose(run);
    assert!(matches!(found.failure.problem, Problem::Race { .. }));
    let (load, store) =
        ((Kind::Load, Order::Relaxed, Order::Acquire), (Kind::Store, Order::Relaxed, Order::Release));
    assert_eq!(repair(&found), [load, store]);
    let text = found.to_string();
    assert!(text.contains("But no release is acquired on the way"), "{text}");
}

/// A waiter that looks at the flag before it takes the lock.
#[test]
fn lost_wake_up() {
    fn run() {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let notifier = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.0.store(true, SeqCst);
                shared.2.notify_one();
            })
        };
        if !shared.0.load(SeqCst) {
            let guard = shared.1.lock().unwrap();
            drop(shared.2.wait(guard).unwrap());
        }
        notifier.join().unwrap();
    }
    let found = diagnose(run);
    assert!(matches!(found.failure.problem, Problem::Deadlock { .. }));
    assert_eq!(found.repair, Repair::NotOrders);
    assert_eq!(fails(&found), [true, true, true]);
    assert!(found.to_string().contains("sc allows this execution too"));
}

/// A Treiber stack of nodes that are used again, whose top is a node and no counter.
#[test]
fn treiber_aba() {
    const NONE: usize = 0;
    struct Stack {
        top: AtomicUsize,
        next: [AtomicUsize; 3],
    }
    impl Stack {
        fn pop(&self) -> usize {
            loop {
                let top = self.top.load(Acquire);
                if top == NONE {
                    return NONE;
                }
                let next = self.next[top].load(Relaxed);
                if self.top.compare_exchange(top, next, Acquire, Relaxed).is_ok() {
                    return top;
                }
            }
        }

        fn push(&self, node: usize) {
            loop {
                let top = self.top.load(Relaxed);
                self.next[node].store(top, Relaxed);
                if self.top.compare_exchange(top, node, Release, Relaxed).is_ok() {
                    return;
                }
            }
        }
    }
    fn run() {
        // 1 on top of 2.
        let next = [NONE, 2, NONE].map(AtomicUsize::new);
        let stack = Arc::new(Stack { top: AtomicUsize::new(1), next });
        let other = {
            let stack = stack.clone();
            thread::spawn(move || {
                let (first, second) = (stack.pop(), stack.pop());
                if first != NONE {
                    stack.push(first);
                }
                second
            })
        };
        let mine = stack.pop();
        let theirs = other.join().unwrap();
        let left = stack.pop();
        let mut all = [mine, theirs, left];
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] == NONE || pair[0] != pair[1]), "a node twice: {all:?}");
    }
    let found = diagnose(run);
    assert!(matches!(found.failure.problem, Problem::Panic { .. }));
    assert_eq!(found.repair, Repair::NotOrders);
    assert_eq!(fails(&found), [true, true, true]);
    assert!(found.to_string().contains("sc allows this execution too"));
}

/// What is printed can be run again.
#[test]
fn a_replay_of_rust_code() {
    fn run() {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let other = {
            let (x, y) = (x.clone(), y.clone());
            thread::spawn(move || {
                y.store(1, SeqCst);
                x.load(Relaxed)
            })
        };
        x.store(1, SeqCst);
        let mine = y.load(SeqCst);
        assert!(mine + other.join().unwrap() > 0, "both missed");
    }
    let failure = Explorer::new().check(run).failure.expect("a bug");
    let execution = failure.replay_string().parse().expect("a replay");
    let (guided, divergence) = Explorer::new().replay(&execution, run);
    assert_eq!(divergence, None);
    assert_eq!(guided.failure.expect("it fails again").problem, failure.problem);
}
