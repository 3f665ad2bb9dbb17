//! The counting allocator: what a program holds on the heap is known to its limits, and bounded.
//!
//! A program takes it with `#[global_allocator] static HEAP: Counting = Counting;`. Polls of [`tribunal_history::limits::Limits`] then end answers
//! once the process holds more than [`tribunal_history::limits::heap::allow`] says. A program that owns its process also sets a bound with
//! [`stop_beyond`]: a thread that asks for memory beyond it never gets an answer, and the program ends in order.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::Duration;
use tribunal_history::limits::heap;

/// The system's allocator, counted.
pub struct Counting;

/// The most that the process may hold; beyond it, allocating threads stop.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether a thread has stopped.
static FULL: AtomicBool = AtomicBool::new(false);
/// The thread that is woken when another stops.
static WATCHDOG: OnceLock<Thread> = OnceLock::new();

/// Names the thread that is woken when another asks for memory that there is not. From then on no allocation fails: whoever cannot
/// go on without it waits, until this thread ends the process.
pub fn watch(thread: Thread) {
    // A second watchdog would have nothing to do.
    let _ = WATCHDOG.set(thread);
}

/// Bounds what the process may hold. It needs a thread that [watches](watch).
pub fn stop_beyond(bytes: usize) {
    MOST.store(bytes, Ordering::Relaxed);
}

/// Whether a thread has asked for more than there is.
pub fn is_full() -> bool {
    FULL.load(Ordering::Relaxed)
}

/// Counts an allocation. False if it is refused: it is too much, and whoever asks can do without.
#[inline]
fn grow(bytes: usize) -> bool {
    // No layout is larger than isize::MAX.
    match heap::count(bytes as isize) {
        Some(held) if held > MOST.load(Ordering::Relaxed) => refuse(bytes),
        _ => true,
    }
}

#[inline]
fn shrink(bytes: usize) {
    heap::count(-(bytes as isize));
}

/// An allocation that there is no memory for. It returns only to who can do without, or if nobody watches.
#[cold]
fn refuse(bytes: usize) -> bool {
    shrink(bytes);
    if let (Some(watchdog), false) = (WATCHDOG.get(), heap::is_trying()) {
        FULL.store(true, Ordering::Relaxed);
        watchdog.unpark();
        // The watchdog itself must go on to its end.
        while std::thread::current().id() != watchdog.id() {
            std::thread::sleep(Duration::MAX);
        }
    }
    false
}

// Counting what the process holds is possible only in the global allocator, which is unsafe to implement. By perf it takes 0.5 % of
// a check of 200,000 transactions, which allocates much, and 0.02 % of a check of a million events of a memory.
//
// SAFETY: every block comes from `System` and goes back to it with the layout it came with.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !grow(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !grow(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller's promise; the block is from `System`.
        unsafe { System.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size.saturating_sub(layout.size());
        if more > 0 && !grow(more) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise; the block is from `System`.
        let moved = given(unsafe { System.realloc(block, layout, size) }, more);
        if !moved.is_null() && size < layout.size() {
            shrink(layout.size() - size);
        }
        moved
    }
}

/// The block, if the system gave one. If not, nobody who cannot do without it is told.
#[inline]
fn given(block: *mut u8, bytes: usize) -> *mut u8 {
    if block.is_null() {
        refuse(bytes);
    }
    block
}
