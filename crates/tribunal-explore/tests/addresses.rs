//! With an allocator that does not use an address twice in an execution, programs that compare pointers do the same in each run.

#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::ptr::null_mut;
use std::sync::Mutex;
use tribunal_explore::alloc::Deterministic;
use tribunal_explore::cell::UnsafeCell;
use tribunal_explore::sync::Arc;
use tribunal_explore::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::*};
use tribunal_explore::{End, Explorer, Problem, hint, thread};

#[global_allocator]
static ALLOCATOR: Deterministic = Deterministic::new();

struct Node {
    value: usize,
    next: AtomicPtr<Node>,
}

/// A stack of which nodes are freed as they are taken, all at once: there is no ABA but by the allocator.
#[derive(Default)]
struct Stack(AtomicPtr<Node>);

impl Stack {
    fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(null_mut()) }));
        let mut head = self.0.load(Relaxed);
        loop {
            unsafe { (*node).next.store(head, Relaxed) };
            match self.0.compare_exchange(head, node, Release, Relaxed) {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }

    fn take(&self) -> usize {
        let mut sum = 0;
        let mut next = self.0.swap(null_mut(), Acquire);
        while !next.is_null() {
            let node = unsafe { Box::from_raw(next) };
            sum += node.value;
            next = node.next.load(Relaxed);
        }
        sum
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.take();
    }
}

#[test]
fn pointers_are_compared() {
    let stack = || {
        let stack = Arc::new(Stack::default());
        let threads = [1, 2].map(|value| {
            let stack = stack.clone();
            thread::spawn(move || {
                stack.push(value);
                stack.take()
            })
        });
        let taken: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(taken + stack.take(), 3);
    };
    let report = Explorer::new().check(stack);
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.problem));
    assert_eq!(report.end, End::Complete);
    let other = Explorer::new().threads(2).check(stack);
    assert_eq!((other.executions, other.end), (report.executions, report.end));
}

#[test]
fn memory_of_boxes_is_used_after_free() {
    let report = Explorer::new().check(|| {
        let x = Box::into_raw(Box::new(AtomicUsize::new(0)));
        unsafe { (*x).store(1, Relaxed) };
        drop(unsafe { Box::from_raw(x) });
        unsafe { (*x).load(Relaxed) };
    });
    let problem = report.failure.unwrap().problem;
    assert!(matches!(&problem, Problem::Misuse { message } if message.contains("after free")), "{problem:?}");
}

/// An MCS lock: the nodes that wait are on the stacks of threads, and pointers to them in atomics.
struct Mcs(AtomicPtr<Waiter>);

struct Waiter {
    locked: AtomicBool,
    next: AtomicPtr<Waiter>,
}

impl Mcs {
    fn locked(&self, f: impl FnOnce()) {
        let node = Waiter { locked: AtomicBool::new(true), next: AtomicPtr::new(null_mut()) };
        let own = std::ptr::from_ref(&node).cast_mut();
        let before = self.0.swap(own, AcqRel);
        if !before.is_null() {
            unsafe { (*before).next.store(own, Release) };
            while node.locked.load(Acquire) {
                hint::spin_loop();
            }
        }
        f();
        if node.next.load(Acquire).is_null() {
            if self.0.compare_exchange(own, null_mut(), AcqRel, Relaxed).is_ok() {
                return;
            }
            while node.next.load(Acquire).is_null() {
                hint::spin_loop();
            }
        }
        unsafe { (*node.next.load(Acquire)).locked.store(false, Release) };
    }
}

#[test]
fn an_mcs_lock_with_nodes_on_stacks() {
    let lock = |threads: usize| {
        move || {
            let shared = Arc::new((Mcs(AtomicPtr::new(null_mut())), UnsafeCell::new(0)));
            let threads: Vec<_> = (0..threads)
                .map(|_| {
                    let shared = shared.clone();
                    thread::spawn(move || {
                        shared.0.locked(|| shared.1.with_mut(|count| unsafe { *count += 1 }));
                    })
                })
                .collect();
            let count = threads.len();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(shared.1.with(|count| unsafe { *count }), count);
        }
    };
    for workers in [1, 3] {
        let report = Explorer::new().threads(workers).check(lock(3));
        assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.to_string()));
        assert_eq!(report.end, End::Complete);
    }
}

/// Blocks are ordered by address, as locks sometimes are to avoid deadlocks: control flow depends on which is first.
#[test]
fn the_order_of_addresses_is_the_same_in_every_run_and_for_every_worker() {
    let program = || {
        let head = Arc::new(AtomicPtr::new(null_mut::<usize>()));
        let [x, y] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let threads: Vec<_> = (0..3)
            .map(|i| {
                let (head, x, y) = (head.clone(), x.clone(), y.clone());
                thread::spawn(move || {
                    // Another block, or none, before the one that is compared.
                    let _first = (x.fetch_add(1, Relaxed) == i).then(|| Box::new([i; 5]));
                    let node = Box::into_raw(Box::new(i));
                    let other = head.swap(node, AcqRel);
                    let (low, high) = if other < node { (&x, &y) } else { (&y, &x) };
                    low.store(i, Relaxed);
                    high.load(Relaxed);
                    if !other.is_null() {
                        drop(unsafe { Box::from_raw(other) });
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        drop(unsafe { Box::from_raw(head.load(Relaxed)) });
    };
    let mut executions = Vec::new();
    for workers in [1, 2, 4] {
        let report = Explorer::new().threads(workers).check(program);
        assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.to_string()));
        assert_eq!(report.end, End::Complete);
        executions.push(report.executions);
    }
    assert!(executions.iter().all(|&count| count == executions[0]), "{executions:?}");
}

/// An address seen in one execution is met in every other.
#[test]
fn an_allocation_has_one_address_in_all_executions() {
    static SEEN: Mutex<BTreeSet<(usize, usize)>> = Mutex::new(BTreeSet::new());
    Explorer::new().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|i| {
                let x = x.clone();
                thread::spawn(move || {
                    let block = Box::new(i);
                    x.fetch_add(i, Relaxed);
                    let pair = (i, std::ptr::from_ref(&*block).addr());
                    SEEN.lock().unwrap().insert(pair);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(SEEN.lock().unwrap().len(), 2);
}

/// What a program keeps beyond its execution stays as it is; what came from outside can be dropped inside.
#[test]
fn what_outlives_an_execution_is_kept() {
    #[allow(clippy::vec_box, reason = "each is a block of its own")]
    static KEPT: Mutex<Vec<Box<[usize; 9]>>> = Mutex::new(Vec::new());
    static GIVEN: Mutex<Vec<Vec<usize>>> = Mutex::new(Vec::new());
    *GIVEN.lock().unwrap() = (0..100).map(|i| vec![i; i]).collect();
    let report = Explorer::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let thread = {
            let x = x.clone();
            thread::spawn(move || {
                let before = vec![7_usize; 100];
                let seen = x.load(Relaxed);
                let mut kept = KEPT.lock().unwrap();
                let number = kept.len();
                kept.push(Box::new([number; 9]));
                drop(GIVEN.lock().unwrap().pop());
                assert_eq!(before[seen], 7);
            })
        };
        (0..4).for_each(|i| x.store(i, Relaxed));
        let own = vec![1_u8; 5_000];
        thread.join().unwrap();
        assert!(own.iter().all(|&byte| byte == 1));
    });
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.to_string()));
    assert!(report.executions >= 5);
    let kept = std::mem::take(&mut *KEPT.lock().unwrap());
    assert!(kept.len() >= 5 && kept.iter().enumerate().all(|(i, block)| **block == [i; 9]));
}

/// Memory of a program that leaks in each execution grows by what it leaks, and that of one that does not is used again.
#[test]
fn memory_is_used_again_around_what_is_leaked() {
    static HIGHEST: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    Explorer::new().random(1, 2_000).run(|| {
        let block = Box::new([0_u8; 4_000]);
        HIGHEST.lock().unwrap().insert(std::ptr::from_ref(&*block).addr());
        Box::leak(Box::new(1_u8));
        AtomicUsize::new(0).store(1, Relaxed);
    });
    let seen = HIGHEST.lock().unwrap();
    let [first, last] = [seen.first(), seen.last()].map(|address| *address.unwrap());
    assert!(last - first < 8 * 4_000 + 2_000 * 64, "{}", last - first);
}
