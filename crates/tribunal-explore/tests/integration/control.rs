//! What a program does not explore.

use tribunal_explore::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use tribunal_explore::sync::{Arc, Mutex};
use tribunal_explore::{End, Explorer, Report, control, hint, nondet, thread};

fn explicit(expect: bool, f: impl Fn() + Send + Sync + 'static) -> Report {
    let report = Explorer::new().expect_explicit_explore(expect).check(f);
    assert!(report.failure.is_none(), "{:?}", report.failure);
    report
}

/// Threads that add to a counter, from which two orders each come.
fn count(threads: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..threads)
        .map(|_| {
            let x = x.clone();
            thread::spawn(move || x.fetch_add(1, AcqRel))
        })
        .collect();
    threads.into_iter().for_each(|thread| _ = thread.join().expect("no thread panics"));
}

#[test]
fn what_is_not_explored_does_not_multiply() {
    // 3! orders of one counter, and those of another.
    let all = explicit(false, || (count(3), count(3)).0);
    assert_eq!((all.executions, all.end), (36, End::Complete));
    let first = explicit(false, || {
        count(3);
        control::stop_exploring();
        count(3);
    });
    assert_eq!((first.executions, first.end), (6, End::Skipped));
    let second = explicit(true, || {
        count(3);
        control::explore();
        count(3);
    });
    assert_eq!((second.executions, second.end), (6, End::Skipped));
    let none = explicit(true, || (count(3), count(3)).0);
    assert_eq!((none.executions, none.end), (1, End::Skipped));
    let between = explicit(false, || {
        count(2);
        control::stop_exploring();
        count(3);
        control::explore();
        count(2);
    });
    assert_eq!((between.executions, between.end), (4, End::Skipped));
}

#[test]
fn a_skipped_branch_stays_skipped() {
    let report = explicit(false, || {
        let x = Arc::new(AtomicUsize::new(0));
        let other = x.clone();
        let thread = thread::spawn(move || other.store(1, Release));
        if x.load(Acquire) == 0 {
            control::skip_branch();
            control::explore();
        }
        count(3);
        thread.join().unwrap();
    });
    // One where it is skipped, 3! where it is not.
    assert_eq!((report.executions, report.end), (7, End::Skipped));
}

#[test]
fn nothing_left_out_is_complete() {
    let report = explicit(false, || {
        control::stop_exploring();
        assert_eq!(AtomicUsize::new(1).load(Relaxed), 1);
    });
    assert_eq!((report.executions, report.end), (1, End::Complete));
}

#[test]
fn threads_that_wait_go_on() {
    let report = explicit(true, || {
        let shared = Arc::new((Mutex::new(0), AtomicBool::new(false)));
        let threads = [0; 3].map(|_| {
            let shared = shared.clone();
            thread::spawn(move || {
                while !shared.1.load(Acquire) {
                    hint::spin_loop();
                }
                *shared.0.lock().unwrap() += 1;
            })
        });
        shared.1.store(true, Release);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*shared.0.lock().unwrap(), 3);
    });
    assert_eq!((report.executions, report.end), (1, End::Skipped));
}

/// A loop's preferred write need not be the one that lets it go on.
#[test]
fn loops_are_tried_otherwise_where_nothing_else_helps() {
    for explored_first in [false, true] {
        let report = explicit(!explored_first, || {
            let x = Arc::new(AtomicUsize::new(0));
            let threads = [1, 2].map(|value| {
                let x = x.clone();
                thread::spawn(move || x.store(value, Release))
            });
            control::stop_exploring();
            while x.load(Acquire) != 1 {
                if x.load(Relaxed) == 2 {
                    break;
                }
                hint::spin_loop();
            }
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert!(report.executions > 0, "{report:?}");
    }
}

#[test]
fn choices_are_tried() {
    let report = explicit(false, || {
        let letter = *nondet::choose_from(&['a', 'b', 'c']);
        assert!(nondet::choose_bool() || letter.is_ascii_lowercase());
    });
    assert_eq!((report.executions, report.end), (6, End::Complete));
    let failed = Explorer::new().check(|| assert_ne!(nondet::choose(7), 5));
    assert_eq!(failed.end, End::Failed);
    let report = explicit(true, || _ = nondet::choose(5));
    assert_eq!((report.executions, report.end), (1, End::Skipped));
}

#[test]
fn hooks_are_called_for_each_execution() {
    use std::sync::atomic::AtomicUsize as Count;
    let counts: std::sync::Arc<[Count; 3]> = Default::default();
    let [before, inside, after] = [0, 1, 2].map(|which| {
        let counts = counts.clone();
        move || _ = counts[which].fetch_add(1, SeqCst)
    });
    let explorer = Explorer::new().before_each(before).after_each(after);
    let report = explorer.check(move || (inside(), count(3)).1);
    assert_eq!(report.executions, 6);
    let [before, inside, after] = [0, 1, 2].map(|which| counts[which].load(SeqCst));
    assert_eq!((before, after), (inside, inside));
    assert!(inside >= 6);
}
