//! What is said of the cause of a failure.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};
use tribunal_explore::failure::{self, Diagnosis, Kind, Repair};
use tribunal_explore::future::{AtomicWaker, block_on};
use tribunal_explore::runtime::Rust;
use tribunal_explore::sync::Arc;
use tribunal_explore::sync::Notify;
use tribunal_explore::sync::atomic::{AtomicU32, Ordering, Ordering::*};
use tribunal_explore::{Explorer, Options, thread};
use tribunal_history::model::Model;

fn diagnose(f: impl Fn() + Send + Sync + 'static) -> Diagnosis {
    Explorer::new().diagnose(&[Model::Sc], Duration::from_secs(60), f).expect("it fails")
}

/// The orders that repair a test: kinds of operations, and orders, sorted.
fn repaired(f: impl Fn() + Send + Sync + 'static) -> Vec<Vec<(Kind, &'static str)>> {
    let diagnosis = diagnose(f);
    let Repair::Orders(sets) = &diagnosis.repair else { panic!("{diagnosis}") };
    let mut found: Vec<Vec<_>> = Vec::new();
    for set in sets {
        let mut set: Vec<_> = set.iter().map(|change| (change.kind, change.to.name())).collect();
        set.sort_unstable();
        found.push(set);
    }
    found
}

/// A flag with a message behind it, and a waiter that goes to sleep until it is set.
fn message(
    set: Ordering,
    sleep: impl Fn() + Send + Sync + Clone + 'static,
    wake: impl Fn(&thread::Thread) + Send + Sync + 'static,
) {
    let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
    let waiter = {
        let shared = shared.clone();
        thread::spawn(move || {
            while shared.1.load(Relaxed) == 0 {
                sleep();
            }
            assert_eq!(shared.0.load(Relaxed), 1);
        })
    };
    shared.0.store(1, Relaxed);
    shared.1.store(1, set);
    wake(waiter.thread());
    waiter.join().expect("no panic");
}

const RELEASE_AND_ACQUIRE: [(Kind, &str); 2] = [(Kind::Load, "acquire"), (Kind::Store, "release")];

#[test]
fn parking_does_not_hide_an_ordering_bug() {
    let found = repaired(|| message(Relaxed, thread::park, thread::Thread::unpark));
    assert_eq!(found, [RELEASE_AND_ACQUIRE]);
}

#[test]
fn notifying_does_not_hide_an_ordering_bug() {
    let found = repaired(|| {
        let notify = Arc::new(Notify::new());
        let other = notify.clone();
        message(Relaxed, move || notify.wait(), move |_| other.notify());
    });
    assert_eq!(found, [RELEASE_AND_ACQUIRE]);
}

#[test]
fn a_future_does_not_hide_an_ordering_bug() {
    let found = repaired(|| {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0), AtomicWaker::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other.0.store(1, Relaxed);
            other.1.store(1, Relaxed);
            other.2.wake();
        });
        block_on(poll_fn(|context| {
            shared.2.register_by_ref(context.waker());
            if shared.1.load(Relaxed) == 1 { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert_eq!(shared.0.load(Relaxed), 1);
        drop(shared.2.take_waker());
        thread.join().unwrap();
    });
    assert_eq!(found, [RELEASE_AND_ACQUIRE]);
}

/// Store buffering; each thread says whether it saw the other.
fn both_enter(fence: Option<Ordering>) {
    let shared = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let enter = |own: usize| {
        let shared = shared.clone();
        thread::spawn(move || {
            shared[own].store(1, Relaxed);
            if let Some(order) = fence {
                tribunal_explore::sync::atomic::fence(order);
            }
            shared[1 - own].load(Relaxed) == 0
        })
    };
    let threads = [enter(0), enter(1)];
    let alone = threads.map(|thread| thread.join().expect("no panic"));
    assert!(!(alone[0] && alone[1]), "both are alone");
}

#[test]
fn a_missing_fence_is_added() {
    // One place in the source, which both threads run.
    let diagnosis = diagnose(|| both_enter(None));
    let Repair::Orders(sets) = &diagnosis.repair else { panic!("{diagnosis}") };
    assert_eq!(sets.len(), 1, "{diagnosis}");
    let [change] = sets[0][..] else { panic!("{diagnosis}") };
    assert_eq!((change.kind, change.to.name()), (Kind::NewFence, "seq_cst"));
    assert!(change.to_string().starts_with("a seq_cst fence behind "), "{change}");
    // It is what repairs it, and nothing weaker is.
    assert!(Explorer::new().check(|| both_enter(Some(SeqCst))).failure.is_none());
    assert!(Explorer::new().check(|| both_enter(Some(AcqRel))).failure.is_some());
}

#[test]
fn a_weak_fence_is_strengthened() {
    assert_eq!(repaired(|| both_enter(Some(AcqRel))), [[(Kind::Fence, "seq_cst")]]);
}

/// Two places: two fences, rather than four accesses.
#[test]
fn two_fences_are_fewer_than_four_accesses() {
    let found = repaired(|| {
        let shared = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other[0].store(1, Relaxed);
            other[1].load(Relaxed)
        });
        shared[1].store(1, Relaxed);
        let seen = shared[0].load(Relaxed);
        assert!(thread.join().unwrap() + seen > 0, "both are alone");
    });
    assert_eq!(found, [[(Kind::NewFence, "seq_cst"); 2]]);
}

#[test]
fn what_fails_under_sc_is_no_ordering_bug() {
    let diagnosis = diagnose(|| {
        let x = Arc::new(AtomicU32::new(0));
        let other = x.clone();
        let thread = thread::spawn(move || {
            let read = other.load(Relaxed);
            other.store(read + 1, Relaxed);
            thread::current().unpark();
            thread::park();
        });
        let read = x.load(Relaxed);
        x.store(read + 1, Relaxed);
        thread.join().unwrap();
        assert_eq!(x.load(Relaxed), 2);
    });
    assert_eq!(diagnosis.repair, Repair::NotOrders);
}

/// Many executions do not fail, so that neither models nor repairs are decided in time.
fn many_executions() {
    let shared = Arc::new([const { AtomicU32::new(0) }; 3]);
    let threads: Vec<_> = (0..5)
        .map(|_| {
            let shared = shared.clone();
            thread::spawn(move || (0..4).map(|_| shared[2].fetch_add(1, Relaxed)).sum::<u32>())
        })
        .collect();
    let other = shared.clone();
    let thread = thread::spawn(move || {
        other[0].store(1, Relaxed);
        other[1].store(1, Relaxed);
    });
    if shared[1].load(Relaxed) == 1 {
        assert_eq!(shared[0].load(Relaxed), 1);
    }
    thread.join().expect("no panic");
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

#[test]
fn a_diagnosis_keeps_to_its_time() {
    let found = Explorer::new().random(1, 10_000).check(many_executions);
    let failure = found.failure.expect("a random execution fails");
    let (models, time) = ([Model::Sc, Model::Ra], Duration::from_secs(2));
    let start = Instant::now();
    let make = || Rust::new(many_executions);
    let diagnosis = failure::diagnose(make, &failure, &models, &Options::default(), time).expect("models");
    // To make the failure small takes at most five seconds more.
    assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
    assert_eq!(diagnosis.repair, Repair::Unknown, "{diagnosis}");
    assert!(diagnosis.to_string().contains("undecided"), "{diagnosis}");
}
