//! Programs with known numbers of executions, as Rust code.

#![allow(unsafe_code)]

use std::sync::Arc as StdArc;
use tribunal_explore::cell::UnsafeCell;
use tribunal_explore::hint::spin_loop;
use tribunal_explore::runtime::Substrate;
use tribunal_explore::sync::atomic::Ordering::{self, *};
use tribunal_explore::sync::atomic::{AtomicU32, AtomicUsize, fence};
use tribunal_explore::sync::{Arc, Mutex};
use tribunal_explore::{End, Explorer, Problem, Report, thread};

/// Locations that all threads share.
type X = [AtomicU32; 6];
type Thread = StdArc<dyn Fn(&X) + Send + Sync>;

fn thread(f: impl Fn(&X) + Send + Sync + 'static) -> Thread {
    StdArc::new(f)
}

fn program(threads: Vec<Thread>, join: bool) -> impl Fn() + Clone + Send + Sync + 'static {
    move || {
        let x: Arc<X> = Arc::new(std::array::from_fn(|_| AtomicU32::new(0)));
        let handles: Vec<_> = threads
            .iter()
            .map(|thread| {
                let (thread, x) = (thread.clone(), x.clone());
                thread::spawn(move || thread(&x))
            })
            .collect();
        if join {
            handles.into_iter().for_each(|handle| handle.join().expect("it does not panic"));
        }
    }
}

fn check(f: impl Fn() + Clone + Send + Sync + 'static) -> Report {
    let report = Explorer::new().check(f.clone());
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.problem));
    assert_eq!(report.end, End::Complete);
    for explorer in [Explorer::new().threads(2), Explorer::new().substrate(Substrate::Threads)] {
        if report.executions < 3000 {
            let other = explorer.check(f.clone());
            assert_eq!((other.executions, other.end), (report.executions, report.end));
        }
    }
    report
}

fn count(threads: Vec<Thread>) -> u64 {
    check(program(threads, false)).executions
}

fn store(at: usize, value: u32, order: Ordering) -> impl Fn(&X) {
    move |x| x[at].store(value, order)
}

fn load(at: usize, order: Ordering) -> impl Fn(&X) {
    move |x| _ = x[at].load(order)
}

macro_rules! threads {
    ($([$($step:expr),* $(,)?]),* $(,)?) => {
        vec![$(thread({
            let steps: Vec<Box<dyn Fn(&X) + Send + Sync>> = vec![$(Box::new($step)),*];
            move |x| steps.iter().for_each(|step| step(x))
        })),*]
    };
}

#[test]
fn store_buffering() {
    let sb = |a, b, c, d| count(threads![[store(0, 1, a), load(1, b)], [store(1, 1, c), load(0, d)]]);
    assert_eq!(sb(Relaxed, Relaxed, Relaxed, Relaxed), 4);
    assert_eq!(sb(SeqCst, SeqCst, SeqCst, SeqCst), 3);
    assert_eq!(sb(SeqCst, SeqCst, SeqCst, Acquire), 4);
    assert_eq!(sb(SeqCst, SeqCst, Release, SeqCst), 4);
}

#[test]
fn message_passing_and_load_buffering() {
    let mp = |a, b| count(threads![[store(0, 1, Relaxed), store(1, 1, a)], [load(1, b), load(0, Relaxed)]]);
    assert_eq!(mp(Relaxed, Relaxed), 4);
    assert_eq!(mp(Release, Acquire), 3);
    let lb = threads![[load(0, Relaxed), store(1, 1, Relaxed)], [load(1, Relaxed), store(0, 1, Relaxed)]];
    assert_eq!(count(lb), 3);
}

#[test]
fn iriw() {
    let iriw = |first, second| {
        count(threads![
            [store(0, 1, SeqCst)],
            [load(0, first), load(1, second)],
            [load(1, first), load(0, second)],
            [store(1, 1, SeqCst)],
        ])
    };
    assert_eq!(iriw(Acquire, SeqCst), 16);
    assert_eq!(iriw(SeqCst, SeqCst), 15);
}

#[test]
fn two_plus_two_writes_are_one() {
    for order in [Relaxed, Release, SeqCst] {
        let w = threads![[store(0, 1, order), store(1, 2, order)], [store(1, 1, order), store(0, 2, order)]];
        assert_eq!(count(w), 1);
    }
}

#[test]
fn coherence() {
    let corr1 = threads![
        [store(0, 1, Release)],
        [store(0, 2, Release)],
        [load(0, Acquire), load(0, Acquire)],
        [load(0, Acquire)],
    ];
    assert_eq!(count(corr1), 21);
    let corr2 = threads![
        [store(0, 1, Release)],
        [store(0, 2, Release)],
        [load(0, Acquire), load(0, Acquire)],
        [load(0, Acquire), load(0, Acquire)],
    ];
    assert_eq!(count(corr2), 47);
}

#[test]
fn increments_and_exchanges() {
    let inc = || thread(|x| _ = x[0].fetch_add(1, Relaxed));
    for (n, executions) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        assert_eq!(count((0..n).map(|_| inc()).collect()), executions);
    }
    let casrot = |n: u32| {
        (1..=n)
            .map(|i| thread(move |x| _ = x[0].compare_exchange(i - 1, i, Relaxed, Relaxed)))
            .collect::<Vec<_>>()
    };
    for (n, executions) in [(2, 2), (3, 5), (4, 14), (5, 43), (6, 144)] {
        assert_eq!(count(casrot(n)), executions);
    }
    let wcas = |n| {
        let mut threads = threads![[store(0, 2, Release)]];
        threads.extend((0..n).map(|_| thread(|x| _ = x[0].compare_exchange(2, 3, Relaxed, Relaxed))));
        threads
    };
    for (n, executions) in [(2, 5), (3, 13), (4, 33), (5, 81)] {
        assert_eq!(count(wcas(n)), executions);
    }
}

#[test]
fn writers_and_readers() {
    let wrw = |n| {
        let mut threads = threads![[store(0, 1, Release)]];
        threads.extend((0..n).map(|i| {
            thread(move |x| {
                x[0].load(Relaxed);
                x[0].store(i, Release);
            })
        }));
        threads
    };
    for (n, executions) in [(2, 8), (3, 50), (4, 432)] {
        assert_eq!(count(wrw(n)), executions);
    }
    let mut readers = threads![[store(0, 42, Release)]];
    readers.extend((0..8).map(|_| thread(|x| _ = x[0].load(Acquire))));
    assert_eq!(check(program(readers, true)).executions, 256);
}

#[test]
fn fibonacci() {
    let fib = |rounds: u32, bound: u32| {
        move || {
            let x: Arc<[AtomicU32; 2]> = Arc::new([AtomicU32::new(1), AtomicU32::new(1)]);
            for at in 0..2 {
                let x = x.clone();
                thread::spawn(move || {
                    for _ in 0..rounds {
                        let sum = x[0].load(Acquire) + x[1].load(Acquire);
                        x[at].store(sum, Release);
                    }
                });
            }
            thread::spawn(move || assert!(!(x[0].load(Acquire) > bound || x[1].load(Acquire) > bound)));
        }
    };
    assert_eq!(check(fib(2, 8)).executions, 153);
    assert_eq!(check(fib(3, 21)).executions, 2258);
    let report = Explorer::new().check(fib(2, 7));
    assert!(matches!(report.failure.unwrap().problem, Problem::Panic { .. }));
}

#[test]
fn locks_count_as_acquisitions() {
    for (n, executions) in [(2, 2), (3, 6), (4, 24)] {
        let lockinc = move || {
            let sum = Arc::new(Mutex::new(0));
            for _ in 0..n {
                let sum = sum.clone();
                thread::spawn(move || *sum.lock().unwrap() += 1);
            }
        };
        // The data have no destructor, so that handles do not count.
        assert_eq!(check(lockinc).executions, executions);
    }
}

#[test]
fn ticket_lock() {
    let report = check(|| {
        let lock = Arc::new((AtomicU32::new(0), AtomicU32::new(0), UnsafeCell::new(0)));
        for _ in 0..2 {
            let lock = lock.clone();
            thread::spawn(move || {
                let ticket = lock.0.fetch_add(1, Relaxed);
                while lock.1.load(Acquire) != ticket {
                    spin_loop();
                }
                lock.2.with_mut(|data| unsafe { *data = 0 });
                assert_eq!(lock.2.with(|data| unsafe { *data }), 0);
                let owner = lock.1.load(Relaxed);
                lock.1.store(owner + 1, Release);
            });
        }
    });
    assert_eq!(report.executions, 2);
}

#[test]
fn barrier_by_hand() {
    fn wait(count: &AtomicUsize, step: &AtomicUsize) {
        let now = step.load(SeqCst);
        if count.fetch_add(1, SeqCst) == 1 {
            count.store(0, SeqCst);
            step.fetch_add(1, SeqCst);
        } else {
            while step.load(SeqCst) == now {
                spin_loop();
            }
        }
    }
    let report = check(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0), UnsafeCell::new(0)));
        let other = shared.clone();
        thread::spawn(move || {
            other.2.with_mut(|data| unsafe { *data = 42 });
            wait(&other.0, &other.1);
        });
        thread::spawn(move || {
            wait(&shared.0, &shared.1);
            assert_eq!(shared.2.with(|data| unsafe { *data }), 42);
        });
    });
    assert_eq!(report.executions, 2);
}

#[test]
fn dekker() {
    let dekker = |fences: bool| {
        move || {
            let x = Arc::new((AtomicU32::new(0), AtomicU32::new(0), UnsafeCell::new(0)));
            let y = x.clone();
            thread::spawn(move || {
                x.0.store(1, Relaxed);
                if fences {
                    fence(SeqCst);
                }
                if x.1.load(Relaxed) == 0 {
                    x.2.with_mut(|data| unsafe { *data = 1 });
                }
            });
            thread::spawn(move || {
                y.1.store(1, Relaxed);
                if fences {
                    fence(SeqCst);
                }
                if y.0.load(Relaxed) == 0 {
                    y.2.with_mut(|data| unsafe { *data = 2 });
                }
            });
        }
    };
    assert_eq!(check(dekker(true)).executions, 3);
    let report = Explorer::new().check(dekker(false));
    assert!(matches!(report.failure.unwrap().problem, Problem::Race { .. }));
}

/// Under sc nothing races: a plain read that comes first is tried again with a write that comes later, and reads what was written.
#[test]
fn cells_under_models_without_races() {
    use std::sync::Mutex as StdMutex;
    let seen = StdArc::new(StdMutex::new(Vec::new()));
    let noted = seen.clone();
    let report = Explorer::new().model(tribunal_history::model::Model::Sc).check(move || {
        let cell = Arc::new((UnsafeCell::new(0), AtomicU32::new(0)));
        let other = cell.clone();
        let writer = thread::spawn(move || {
            other.0.with_mut(|value| unsafe { *value = 1 });
            other.1.store(1, Relaxed);
        });
        let read = cell.0.with(|value| unsafe { *value });
        let flag = cell.1.load(Relaxed);
        writer.join().expect("it does not panic");
        noted.lock().expect("nobody panics").push((read, flag));
    });
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.problem));
    let mut seen = seen.lock().expect("nobody panics").clone();
    seen.sort_unstable();
    assert_eq!(seen, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(report.executions, 4);
}
