//! The bytes that the process holds on the heap, and how many of them answers may hold.
//!
//! A program whose global allocator reports to [`count`] has every poll of [`Limits`](super::Limits) also look at the heap: beyond
//! what [`allow`] says, polls end the answer with `Limit::Memory`. So memory is bounded also where an engine does not count what
//! it takes. Without such an allocator nothing is ever held, and polls look at time alone.

use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// A thread reports to the others what has come together in its slot.
const BATCH: isize = 16 << 10;

/// The number of threads that count in slots of their own, without atomic additions; those that come later share the last slot.
const SLOTS: usize = 64;

/// The bytes that a thread has allocated and freed since it last reported. A slot outlives its thread, so nothing is lost.
#[repr(align(64))]
struct Slot(AtomicIsize);

static COUNTED: [Slot; SLOTS] = [const { Slot(AtomicIsize::new(0)) }; SLOTS];
/// The number of threads that have counted so far.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The bytes that the threads have reported.
static HELD: AtomicIsize = AtomicIsize::new(0);
/// The most that answers may let the process hold.
static ALLOWED: AtomicUsize = AtomicUsize::new(usize::MAX);

const NONE: usize = usize::MAX;

thread_local! {
    static SLOT: Cell<usize> = const { Cell::new(NONE) };
    static TRYING: Cell<bool> = const { Cell::new(false) };
}

/// Counts an allocation, or with a negative number what is freed. Once in a while, and for each large allocation, the thread
/// reports: then it is told what the process holds. For the global allocator: it does not allocate.
#[inline]
pub fn count(bytes: isize) -> Option<usize> {
    let slot = SLOT.get();
    if slot >= SLOTS - 1 {
        return count_shared(bytes);
    }
    let counted = &COUNTED[slot].0;
    // Only this thread writes here.
    let sum = counted.load(Ordering::Relaxed).wrapping_add(bytes);
    if -BATCH < sum && sum < BATCH {
        counted.store(sum, Ordering::Relaxed);
        return None;
    }
    counted.store(0, Ordering::Relaxed);
    Some(report(sum))
}

/// The same for a thread's first allocation, and for threads that share a slot.
#[cold]
fn count_shared(bytes: isize) -> Option<usize> {
    if SLOT.get() == NONE {
        SLOT.set(THREADS.fetch_add(1, Ordering::Relaxed).min(SLOTS - 1));
        return count(bytes);
    }
    let counted = &COUNTED[SLOTS - 1].0;
    let sum = counted.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
    if -BATCH < sum && sum < BATCH {
        return None;
    }
    Some(report(counted.swap(0, Ordering::Relaxed)))
}

fn report(sum: isize) -> usize {
    HELD.fetch_add(sum, Ordering::Relaxed).wrapping_add(sum).max(0) as usize
}

/// The number of bytes that the process holds, to within a megabyte: each slot may have 16 kB that are not reported yet.
#[inline]
pub fn held() -> usize {
    HELD.load(Ordering::Relaxed).max(0) as usize
}

/// The number of bytes that the process holds. Exact while no other thread allocates, and slower than [`held`].
pub fn exactly_held() -> usize {
    let counted = COUNTED.iter().map(|slot| slot.0.load(Ordering::Relaxed)).sum::<isize>();
    (HELD.load(Ordering::Relaxed) + counted).max(0) as usize
}

/// Allows the process to hold so many bytes: beyond them every poll of an answer ends it, undecided. By default there is no such
/// limit.
pub fn allow(bytes: usize) {
    ALLOWED.store(bytes, Ordering::Relaxed);
}

/// The number of bytes that the process may hold.
#[inline]
pub fn allowed() -> usize {
    ALLOWED.load(Ordering::Relaxed)
}

/// Whether the process may hold so many bytes more.
#[inline]
pub fn has_room(bytes: usize) -> bool {
    held().saturating_add(bytes) <= allowed()
}

/// Tries something that can do without the memory it asks for, such as `try_reserve`: only then may the global allocator of the
/// command refuse an allocation.
pub fn trying<T>(act: impl FnOnce() -> T) -> T {
    let before = TRYING.replace(true);
    let done = act();
    TRYING.set(before);
    done
}

/// Whether this thread can do without the memory that it asks for.
pub fn is_trying() -> bool {
    TRYING.get()
}
