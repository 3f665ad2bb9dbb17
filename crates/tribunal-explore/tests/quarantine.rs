//! With an allocator that does not use an address twice in an execution, programs that compare pointers do the same in each run.

#![allow(unsafe_code)]

use std::ptr::null_mut;
use tribunal_explore::alloc::Quarantine;
use tribunal_explore::sync::Arc;
use tribunal_explore::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use tribunal_explore::{End, Explorer, Problem, thread};

#[global_allocator]
static ALLOCATOR: Quarantine = Quarantine;

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
