//! What a call takes of the heap: an allocator that counts, in the tests of limits alone.

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// One call is measured at a time: the counter is the whole process's.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What `call` gives, and how many bytes it took at most beside what was taken before.
pub fn peak_of<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    let result = call();
    (result, HEAP.peak_usage().saturating_sub(before))
}

/// What `call` gives, and how many bytes are held when it has returned beside what was held before.
#[allow(dead_code)]
pub fn held_by<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let before = HEAP.current_usage();
    let result = call();
    (result, HEAP.current_usage().saturating_sub(before))
}
