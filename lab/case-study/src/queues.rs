//! Queues.

use crate::{bounded_queue, sized_queue};
use concurrent_queue::ConcurrentQueue;
use crossbeam_queue::{ArrayQueue, SegQueue};
use tribunal_record::object;

object! {
    pub struct Array(ArrayQueue<i64>) as bounded_queue(), new ArrayQueue::new(2);
    push(v in 1..100) = |queue| queue.push(v).is_ok();
    pop() = |queue| queue.pop();
    size() = |queue| queue.len();
    is_full() = |queue| queue.is_full();
}

object! {
    pub struct Seg(SegQueue<i64>) as sized_queue(), new SegQueue::new();
    push(v in 1..100) = |queue| queue.push(v);
    pop() = |queue| queue.pop();
    size() = |queue| queue.len();
    is_empty() = |queue| queue.is_empty();
}

object! {
    pub struct Bounded(ConcurrentQueue<i64>) as bounded_queue(), new ConcurrentQueue::bounded(2);
    push(v in 1..100) = |queue| queue.push(v).is_ok();
    pop() = |queue| queue.pop().ok();
    size() = |queue| queue.len();
    is_full() = |queue| queue.is_full();
}

object! {
    pub struct Unbounded(ConcurrentQueue<i64>) as sized_queue(), new ConcurrentQueue::unbounded();
    push(v in 1..100) = |queue| queue.push(v).expect("an open queue without bounds");
    pop() = |queue| queue.pop().ok();
    size() = |queue| queue.len();
    is_empty() = |queue| queue.is_empty();
}
