//! What a call takes of the heap: an allocator that counts for the whole process. Tests include this file by `#[path]`.

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// What a test holds while it runs, so that nothing of another is counted.
#[allow(dead_code, reason = "a test that is alone in its process need not wait")]
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `call` gives, and how many bytes it took at most beside what was taken before.
pub fn peak_of<T>(call: impl FnOnce() -> T) -> (T, usize) {
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    let result = call();
    (result, HEAP.peak_usage().saturating_sub(before))
}

/// What `call` gives, and how many bytes are held when it has returned beside what was held before.
#[allow(dead_code, reason = "not every process of tests asks")]
pub fn held_by<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = HEAP.current_usage();
    let result = call();
    (result, HEAP.current_usage().saturating_sub(before))
}
