//! Loops that wait, and waits with a timeout.
#![allow(unsafe_code)]

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use tribunal_explore::cell::UnsafeCell;
use tribunal_explore::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*, fence};
use tribunal_explore::sync::{Arc, Condvar, Mutex, mpsc};
use tribunal_explore::thread::{self, park_timeout, yield_now};
use tribunal_explore::{End, Explorer, Problem, Report};

const SOON: Duration = Duration::from_millis(10);

fn explored(program: impl Fn() + Send + Sync + 'static) -> Report {
    Explorer::new().max_duration(Duration::from_secs(20)).check(program)
}

/// Explored to the end without a failure.
#[track_caller]
fn passes(program: impl Fn() + Send + Sync + 'static) -> u64 {
    let report = explored(program);
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.problem));
    assert_eq!(report.end, End::Complete);
    println!("{} executions, {} blocked", report.executions, report.blocked);
    report.executions
}

#[test]
fn a_polling_loop_takes_and_releases_a_flag() {
    passes(|| {
        let (flag, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let other = {
            let (flag, done) = (flag.clone(), done.clone());
            thread::spawn(move || {
                if !flag.swap(true, Acquire) {
                    flag.store(false, Release);
                }
                done.store(true, Release);
            })
        };
        loop {
            if !flag.swap(true, Acquire) {
                let ready = done.load(Acquire);
                flag.store(false, Release);
                if ready {
                    break;
                }
            }
            yield_now();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_polling_loop_looks_at_what_its_lock_protects() {
    passes(|| {
        let queue = Arc::new((AtomicBool::new(false), UnsafeCell::new(0)));
        let other = {
            let queue = queue.clone();
            thread::spawn(move || {
                while queue.0.swap(true, Acquire) {
                    yield_now()
                }
                queue.1.with_mut(|value| unsafe { *value = 1 });
                queue.0.store(false, Release);
            })
        };
        loop {
            if !queue.0.swap(true, Acquire) {
                let value = queue.1.with_mut(|value| unsafe { *value });
                queue.0.store(false, Release);
                if value == 1 {
                    break;
                }
            }
            yield_now();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_loop_ends_by_a_count_of_std() {
    passes(|| {
        let shared = std::sync::Arc::new(());
        let ready = Arc::new(AtomicUsize::new(0));
        let other = {
            let (shared, ready) = (shared.clone(), ready.clone());
            thread::spawn(move || {
                ready.store(1, Release);
                drop(shared);
            })
        };
        while std::sync::Arc::strong_count(&shared) > 1 {
            ready.load(Acquire);
            yield_now();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_loop_ends_by_the_clock() {
    passes(|| {
        let ready = Arc::new(AtomicUsize::new(0));
        let other = {
            let ready = ready.clone();
            thread::spawn(move || ready.store(1, Release))
        };
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(300) {
            ready.load(Acquire);
            yield_now();
        }
        other.join().unwrap();
    });
}

#[test]
fn readers_of_a_lock_step_back_for_a_writer() {
    for readers in [1, 2] {
        passes(move || {
            let lock = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..readers)
                .map(|_| {
                    let lock = lock.clone();
                    thread::spawn(move || {
                        loop {
                            if lock.fetch_add(2, Acquire) & 1 == 0 {
                                break;
                            }
                            lock.fetch_sub(2, Release);
                            while lock.load(Relaxed) & 1 == 1 {
                                yield_now()
                            }
                        }
                        lock.fetch_sub(2, Release);
                    })
                })
                .collect();
            while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
                yield_now()
            }
            lock.fetch_sub(1, Release);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }
}

#[test]
fn readers_of_a_lock_step_back_and_hint() {
    for readers in [1, 2, 3] {
        passes(move || {
            let lock = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..readers)
                .map(|_| {
                    let lock = lock.clone();
                    thread::spawn(move || {
                        while lock.fetch_add(2, Acquire) & 1 == 1 {
                            lock.fetch_sub(2, Release);
                            tribunal_explore::hint::spin_loop();
                        }
                        lock.fetch_sub(2, Release);
                    })
                })
                .collect();
            while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
                tribunal_explore::hint::spin_loop()
            }
            lock.fetch_sub(1, Release);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }
}

/// Which of these may come of a program. (An execution that is given up is run to its end too, so that outcomes cannot be collected.)
fn possible<T: PartialEq + Copy + Send + Sync + 'static>(
    all: &[T],
    program: impl Fn() -> T + Send + Sync + 'static,
) -> Vec<T> {
    let program = std::sync::Arc::new(program);
    let is_possible = |&outcome: &T| {
        let program = program.clone();
        let report = explored(move || assert!(program() != outcome, "it comes of it"));
        match report.failure {
            Some(failure) => assert!(matches!(failure.problem, Problem::Panic { .. }), "{failure:?}"),
            None => return false,
        }
        true
    };
    all.iter().copied().filter(is_possible).collect()
}

#[test]
fn who_fails_because_of_an_attempt_that_fails_can_end() {
    // The other takes the flag in vain only while the first looks in vain.
    let seen = possible(&[false, true], || {
        let (flag, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let other = {
            let (flag, done) = (flag.clone(), done.clone());
            thread::spawn(move || {
                let vain = flag.swap(true, AcqRel);
                while vain && flag.load(Acquire) {
                    yield_now();
                }
                if !vain {
                    flag.store(false, Release);
                }
                done.store(true, Release);
                vain
            })
        };
        loop {
            if !flag.swap(true, AcqRel) {
                let ready = done.load(Acquire);
                flag.store(false, Release);
                if ready {
                    break;
                }
            }
            yield_now();
        }
        other.join().unwrap()
    });
    assert_eq!(seen, [false, true]);
}

#[test]
fn park_times_out_when_nothing_else_can_go_on() {
    assert_eq!(passes(|| park_timeout(SOON)), 1);
    // Who is unparked does not time out.
    let seen = possible(&[false, true], || {
        let parked = thread::current();
        let ready = Arc::new(AtomicBool::new(false));
        let other = {
            let ready = ready.clone();
            thread::spawn(move || {
                ready.store(true, Release);
                parked.unpark()
            })
        };
        park_timeout(SOON);
        let seen = ready.load(Acquire);
        other.join().unwrap();
        seen
    });
    assert_eq!(seen, [true]);
}

#[test]
fn polling_with_park_timeout_ends_or_is_stuck() {
    let seen = possible(&[0, 1, 2, 3], || {
        let ready = Arc::new(AtomicBool::new(false));
        let other = {
            let ready = ready.clone();
            thread::spawn(move || {
                park_timeout(SOON);
                ready.store(true, Release)
            })
        };
        let mut rounds = 0;
        while !ready.load(Acquire) {
            rounds += 1;
            park_timeout(SOON);
        }
        other.join().unwrap();
        rounds.min(3)
    });
    assert_eq!(seen, [1, 2]);
    let report = explored(|| {
        let ready = AtomicBool::new(false);
        while !ready.load(Acquire) {
            park_timeout(SOON);
        }
    });
    assert!(matches!(report.failure.map(|failure| failure.problem), Some(Problem::Livelock { .. })));
    // A loop that ends by itself is no such loop.
    passes(|| (0..40).for_each(|_| park_timeout(SOON)));
}

#[test]
fn a_condition_variable_times_out() {
    let seen = possible(&[(0, false), (0, true), (1, false), (1, true)], || {
        let pair = Arc::new((Mutex::new(0), Condvar::new()));
        let other = {
            let pair = pair.clone();
            thread::spawn(move || {
                *pair.0.lock().unwrap() = 1;
                pair.1.notify_one();
            })
        };
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair.1.wait_timeout(guard, SOON).unwrap();
        let seen = (*guard, result.timed_out());
        drop(guard);
        other.join().unwrap();
        seen
    });
    // Notified, or too late for it.
    assert_eq!(seen, [(1, false), (1, true)]);
    let seen = possible(&[(0, false), (0, true), (1, false), (1, true)], || {
        let pair = (Mutex::new(0), Condvar::new());
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair.1.wait_timeout_while(guard, SOON, |value| *value == 0).unwrap();
        (*guard, result.timed_out())
    });
    assert_eq!(seen, [(0, true)]);
}

#[test]
fn a_receiver_times_out() {
    const TIMEOUT: Result<i32, RecvTimeoutError> = Err(RecvTimeoutError::Timeout);
    const DISCONNECTED: Result<i32, RecvTimeoutError> = Err(RecvTimeoutError::Disconnected);
    let all = [Ok(1), TIMEOUT, DISCONNECTED]
        .map(|first| [Ok(1), TIMEOUT, DISCONNECTED].map(|second| (first, second)));
    let seen = possible(&all.concat(), || {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || {
            park_timeout(SOON);
            sender.send(1).unwrap();
            park_timeout(SOON);
        });
        let received = (receiver.recv_timeout(SOON), receiver.recv_timeout(SOON));
        other.join().unwrap();
        received
    });
    assert_eq!(seen, [(Ok(1), TIMEOUT), (Ok(1), DISCONNECTED), (TIMEOUT, Ok(1)), (TIMEOUT, TIMEOUT)]);
}

/// All modes know of timeouts.
#[test]
fn timeouts_by_chance() {
    for explorer in [Explorer::new().random(1, 100), Explorer::new().pct(1, 100, 2)] {
        let report = explorer.check(|| {
            let pair = Arc::new((Mutex::new(0), Condvar::new()));
            let other = {
                let pair = pair.clone();
                thread::spawn(move || {
                    park_timeout(SOON);
                    *pair.0.lock().unwrap() = 1;
                    pair.1.notify_one();
                })
            };
            let guard = pair.0.lock().unwrap();
            let _ = pair.1.wait_timeout(guard, SOON).unwrap();
            other.join().unwrap();
        });
        assert!(report.failure.is_none(), "{:?}", report.failure);
        assert_eq!(report.executions, 100);
    }
}

#[test]
fn a_counted_loop_does_not_wait() {
    assert_eq!(
        passes(|| {
            let x = AtomicUsize::new(0);
            (0..1000).for_each(|_| _ = x.load(Relaxed));
        }),
        1
    );
}

#[test]
fn a_counted_loop_of_a_text_does_not_wait() {
    use tribunal_explore::text::{Source, explore};
    let text = "atomic x\nthread A { for i in 0..1000 { r = x @rlx } }";
    let code = Source::parse(text).and_then(|source| source.compile(&[])).expect("a program");
    let found = explore(std::sync::Arc::new(code), &tribunal_explore::Options::default()).expect("a model");
    assert!(found.report.failure.is_none());
    assert_eq!((found.report.executions, found.report.end), (1, End::Complete));
}

/// Each reader of a sequence lock has 2 rounds that end and 9 that do not, which do not multiply with those of the other.
#[test]
fn rounds_of_readers_that_fail_do_not_multiply() {
    #[derive(Default)]
    struct Seqlock {
        number: AtomicUsize,
        data: [AtomicUsize; 2],
    }
    fn read(lock: &Seqlock) {
        loop {
            let before = lock.number.load(Acquire);
            if before.is_multiple_of(2) {
                let [left, right] = [0, 1].map(|i| lock.data[i].load(Relaxed));
                fence(Acquire);
                if lock.number.load(Relaxed) == before {
                    return assert_eq!(left, right);
                }
            }
            yield_now();
        }
    }
    let report = explored(|| {
        let lock = Arc::new(Seqlock::default());
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let lock = lock.clone();
                thread::spawn(move || read(&lock))
            })
            .collect();
        lock.number.store(1, Relaxed);
        fence(Release);
        lock.data.iter().for_each(|data| data.store(1, Relaxed));
        lock.number.store(2, Release);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
    assert_eq!((report.end, report.executions, report.blocked), (End::Complete, 4, 9 + 2 * 9));
}
