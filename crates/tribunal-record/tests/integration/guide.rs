//! Two queues: the first is linearizable, the second is not.

use std::collections::VecDeque;
use std::sync::Mutex;
use tribunal::object::specs;
use tribunal_record::{assert_linearizable, object};

object! {
    /// A queue behind a lock.
    struct Locked(Mutex<VecDeque<i64>>) as specs::Queue, new Mutex::default();
    enqueue(v in 1..100) = |queue| queue.lock().expect("no panic").push_back(v);
    dequeue() = |queue| queue.lock().expect("no panic").pop_front();
}

#[test]
fn the_locked_queue_is_linearizable() {
    assert_linearizable!(Locked, runs = 1000);
}

object! {
    /// Looks at its first element under the lock, but removes it later.
    struct Racy(Mutex<VecDeque<i64>>) as specs::Queue, new Mutex::default();
    enqueue(v in 1..100) = |queue| queue.lock().expect("no panic").push_back(v);
    dequeue() = |queue| {
        let first = queue.lock().expect("no panic").front().copied();
        std::thread::yield_now();
        queue.lock().expect("no panic").pop_front();
        first
    };
}

#[test]
#[should_panic(expected = "not linearizable")]
fn the_racy_queue_is_not() {
    assert_linearizable!(Racy);
}
