//! Counts of executions of straight-line programs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{self, AtomicUsize};
use tribunal_explore::graph::Graph;
use tribunal_explore::program::{Action, Answer, Place, Program, Request, Update};
use tribunal_explore::search::search;
use tribunal_explore::{End, Options, Problem};
use tribunal_history::memory::Order::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use tribunal_history::memory::{LocId, ThreadId};

#[derive(Clone, Copy)]
enum Op {
    R(usize, Order),
    W(usize, Order, u64),
    Add(usize, Order, u64),
    Cas(usize, Order, u64, u64),
    F(Order),
    Lock(usize),
    Unlock(usize),
}
use Op::*;

struct Straight {
    threads: Vec<Vec<Op>>,
    at: Vec<usize>,
}

fn loc(x: usize) -> LocId {
    LocId::from_index(x)
}

impl Program for Straight {
    fn start(&mut self) {
        self.at = vec![0; self.threads.len() + 1];
    }

    fn resume(&mut self, thread: ThreadId, _: Answer, _: LocId) -> Request {
        let at = &mut self.at[thread.index()];
        let place = *at;
        *at += 1;
        let action = match thread.index() {
            0 if place < self.threads.len() => Action::Spawn,
            0 => Action::End,
            t => match self.threads[t - 1].get(place) {
                None => Action::End,
                Some(&R(x, order)) => Action::Load { loc: loc(x), order },
                Some(&W(x, order, value)) => Action::Store { loc: loc(x), order, value },
                Some(&Add(x, order, v)) => Action::Rmw {
                    loc: loc(x),
                    order,
                    failure: Relaxed,
                    update: Update { apply: |old, [v, _]| Some(old.wrapping_add(v)), operands: [v, 0] },
                },
                Some(&Cas(x, order, old, new)) => Action::Rmw {
                    loc: loc(x),
                    order,
                    failure: Relaxed,
                    update: Update {
                        apply: |value, [old, new]| (value == old).then_some(new),
                        operands: [old, new],
                    },
                },
                Some(&F(order)) => Action::Fence { order },
                Some(&Lock(x)) => Action::AwaitRmw {
                    loc: loc(x),
                    order: Acquire,
                    update: Update { apply: |value, _| (value == 0).then_some(1), operands: [0, 0] },
                    timed: false,
                },
                Some(&Unlock(x)) => Action::Store { loc: loc(x), order: Release, value: 0 },
            },
        };
        Request { action, place: Place::default() }
    }

    fn initial(&self, _: LocId) -> u64 {
        0
    }

    fn finish(&mut self, _: &Graph) -> Result<(), Problem> {
        Ok(())
    }
}

#[track_caller]
fn counts(threads: Vec<Vec<Op>>, expected: u64) {
    for workers in [1, 3] {
        let options = Options { threads: workers.try_into().expect("not 0"), ..Options::default() };
        let make = || Straight { threads: threads.clone(), at: Vec::new() };
        let (report, _) = search(make, drop, &options).expect("rc20");
        assert_eq!(report.end, End::Complete);
        assert_eq!(report.executions, expected, "blocked {}", report.blocked);
    }
}

#[test]
fn litmus() {
    counts(vec![vec![W(0, Release, 1), R(1, Acquire)], vec![W(1, Release, 1), R(0, Acquire)]], 4);
    counts(vec![vec![W(0, Release, 1), W(1, Release, 2)], vec![W(1, Release, 1), W(0, Release, 2)]], 1);
    counts(vec![vec![W(0, Relaxed, 1), W(1, Release, 1)], vec![R(1, Acquire), R(0, Relaxed)]], 3);
    let corr2 = vec![
        vec![W(0, Release, 1)],
        vec![W(0, Release, 2)],
        vec![R(0, Acquire), R(0, Acquire)],
        vec![R(0, Acquire), R(0, Acquire)],
    ];
    counts(corr2, 47);
    counts(
        vec![
            vec![W(0, Release, 1)],
            vec![R(0, Acquire), R(1, Acquire)],
            vec![R(1, Acquire), R(0, Acquire)],
            vec![W(1, Release, 1)],
        ],
        16,
    );
    counts(
        vec![
            vec![R(0, Acquire), Add(2, AcqRel, 1)],
            vec![Add(2, AcqRel, 1), W(1, Release, 1)],
            vec![R(1, Acquire), Add(3, AcqRel, 1)],
            vec![Add(3, AcqRel, 1), W(0, Release, 1)],
        ],
        15,
    );
    counts(
        vec![
            vec![Add(0, Relaxed, 1), Add(0, Relaxed, 1)],
            vec![Add(0, Acquire, 1), Add(0, Relaxed, 1)],
            vec![Add(0, Release, 1)],
            vec![Add(0, Relaxed, 1)],
        ],
        180,
    );
    counts(
        vec![
            vec![Add(0, Relaxed, 1)],
            vec![Add(0, Relaxed, 1)],
            vec![R(0, Relaxed), R(0, Relaxed)],
            vec![W(0, Relaxed, 42)],
            vec![R(0, Relaxed), R(0, Relaxed)],
        ],
        600,
    );
    counts(
        vec![
            vec![W(0, Release, 5)],
            vec![Cas(0, Relaxed, 1, 2)],
            vec![Add(0, Relaxed, 1)],
            vec![Add(0, Relaxed, 1)],
        ],
        24,
    );
}

#[test]
fn synthetic() {
    for (n, expected) in [(2, 8), (3, 50), (4, 432)] {
        let mut threads = vec![vec![W(0, Release, 1)]];
        threads.extend((0..n).map(|i| vec![R(0, Relaxed), W(0, Release, i)]));
        counts(threads, expected);
    }
    for (n, expected) in [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        counts(vec![vec![Add(0, Relaxed, 1)]; n], expected);
        counts(vec![vec![Lock(0), R(1, Relaxed), W(1, Relaxed, 1), Unlock(0)]; n], expected);
    }
    for (n, expected) in [(2, 2), (3, 5), (4, 14), (5, 43), (6, 144), (7, 523)] {
        counts((1..=n).map(|i| vec![Cas(0, Relaxed, i - 1, i)]).collect(), expected);
    }
    for (n, expected) in [(2, 5), (3, 13), (4, 33), (5, 81), (6, 193)] {
        let mut threads = vec![vec![W(0, Release, 2)]];
        threads.extend((0..n).map(|_| vec![Cas(0, Relaxed, 2, 3)]));
        counts(threads, expected);
    }
    counts(
        vec![
            [0, 1, 2, 3, 0, 1, 2].map(|x| R(x, Acquire)).to_vec(),
            [0, 1, 2].map(|x| R(x, Acquire)).to_vec(),
            (1..4).flat_map(|i| [W(0, Release, i), W(1, Release, i)]).collect(),
            (1..4).flat_map(|i| [W(2, Release, i), W(3, Release, i)]).collect(),
        ],
        82472,
    );
    let _ = (F(SeqCst), SeqCst);
}

/// Whoever finds a failure first, the one that is told is the first in the order of one worker.
#[test]
fn the_first_failure_does_not_depend_on_the_workers() {
    use tribunal_explore::text::{Source, explore};
    let text = "atomic x, y, z @rlx
        thread A { x = 1; y = 1; z = 1 }
        thread B { a = z; b = y; c = x; assert !(a == 1 && b == 1 && c == 0) }
        thread C { d = z; e = x; assert !(d == 1 && e == 0) }
        thread D { f = y; g = x; assert !(f == 1 && g == 0) }";
    let source = Source::parse(text).expect("a program");
    let failures: Vec<_> = [1, 2, 3, 8]
        .map(|workers| {
            let code = std::sync::Arc::new(source.compile(&[]).expect("a program"));
            let options = Options { threads: workers.try_into().expect("not 0"), ..Options::default() };
            let failure = explore(code, &options).expect("rc20").report.failure.expect("a failure");
            let events = failure.graph.events().iter();
            let read: Vec<_> = events.map(|event| (event.thread, event.index, event.source)).collect();
            (failure.place, read)
        })
        .into();
    assert!(failures.iter().all(|failure| *failure == failures[0]), "{failures:?}");
}

/// The panic of a worker is passed on, and no other worker waits for it: whether it has begun to work or not.
#[test]
fn a_panic_of_a_worker_ends_all() {
    struct Panics(Straight, Arc<AtomicUsize>);
    impl Program for Panics {
        fn start(&mut self) {
            self.0.start();
        }

        fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
            self.0.resume(thread, answer, fresh)
        }

        fn initial(&self, loc: LocId) -> u64 {
            self.0.initial(loc)
        }

        fn finish(&mut self, graph: &Graph) -> Result<(), Problem> {
            assert_ne!(self.1.fetch_add(1, atomic::Ordering::Relaxed), 10, "a panic of a program");
            self.0.finish(graph)
        }
    }
    let options = Options { threads: 3.try_into().expect("not 0"), ..Options::default() };
    let panic_of = |work: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let adds = || Straight { threads: vec![vec![Add(0, Relaxed, 1)]; 5], at: Vec::new() };
    let in_execution = panic_of(&|| {
        let finished = Arc::default();
        drop(search(|| Panics(adds(), Arc::clone(&finished)), drop, &options));
    });
    assert!(in_execution.contains("a panic of a program"), "{in_execution}");
    let before = panic_of(&|| {
        let made = AtomicUsize::new(0);
        let make = || {
            assert_ne!(made.fetch_add(1, atomic::Ordering::Relaxed), 2, "no program is made");
            adds()
        };
        drop(search(make, drop, &options));
    });
    assert!(before.contains("no program is made"), "{before}");
}

/// A loop that waits without saying so waits all the same, and one that counts does not.
#[test]
fn loops_without_a_yield() {
    use tribunal_explore::text::{Source, explore};
    let report = |text: &str, workers: usize| {
        let code =
            std::sync::Arc::new(Source::parse(text).expect("a program").compile(&[]).expect("a program"));
        let options = Options { threads: workers.try_into().expect("not 0"), ..Options::default() };
        explore(code, &options).expect("rc20").report
    };
    let waits = "atomic x, y
        thread A { loop { if x @acq == 1 { break } }; r = y @rlx; assert r == 1 }
        thread B { y = 1 @rlx; x = 1 @rel }";
    for workers in [1, 3] {
        let found = report(waits, workers);
        assert_eq!(found.end, End::Complete, "{:?}", found.failure);
        // It may have seen the old value none to seven times.
        assert_eq!(found.executions, 8);
        let never = report("atomic x; thread A { loop { if x @acq == 1 { break } } }", workers);
        assert!(matches!(never.failure.map(|failure| failure.problem), Some(Problem::Livelock { .. })));
    }
    let counts =
        "atomic x; thread A { for i in 0..41 { if x @acq == 1 { break } } }; thread B { x = 1 @rel }";
    assert_eq!(report(counts, 1).executions, 42);
}
