//! Both versions in one program, as where a crate asks for loom 0.7 and one of its dependencies for 0.5.
//!
//! With `RUSTFLAGS="--cfg tribunal_no_allocator"` this test has an allocator of its own, as any test may.

use loom05::sync::atomic::AtomicUsize as Old;
use loom07::sync::Arc;
use loom07::sync::atomic::{AtomicPtr, AtomicUsize as New, Ordering::*};
use std::ptr::null_mut;

#[cfg(tribunal_no_allocator)]
mod own {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tribunal_explore::alloc::Deterministic;

    pub static BLOCKS: AtomicUsize = AtomicUsize::new(0);

    /// Counts blocks.
    pub struct Counting;

    // SAFETY: it is the system's.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            BLOCKS.fetch_add(1, Ordering::Relaxed);
            // SAFETY: the caller's.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: the caller's.
            unsafe { System.dealloc(block, layout) }
        }
    }

    #[global_allocator]
    static ALLOCATOR: Deterministic<Counting> = Deterministic::over(Counting);
}

#[test]
fn both_are_in_one_execution() {
    loom07::model(|| {
        let shared = Arc::new((New::new(0), Old::new(0)));
        let other = shared.clone();
        let thread = loom05::thread::spawn(move || {
            other.0.fetch_add(1, Relaxed);
            other.1.fetch_add(1, Relaxed);
        });
        shared.1.fetch_add(1, Relaxed);
        thread.join().unwrap();
        assert_eq!(shared.0.load(Relaxed) + shared.1.load(Relaxed), 3);
    });
    #[cfg(tribunal_no_allocator)]
    assert!(own::BLOCKS.load(Relaxed) > 0);
}

/// Addresses are never used twice in an execution: what was freed is not met again.
#[test]
fn the_allocator_is_there() {
    loom05::model(|| {
        let slot = Arc::new(AtomicPtr::new(null_mut::<u64>()));
        let threads = [1, 2].map(|value| {
            let slot = slot.clone();
            loom07::thread::spawn(move || {
                let block = Box::into_raw(Box::new(value));
                let before = slot.swap(block, AcqRel);
                assert_ne!(before, block);
                if slot.compare_exchange(block, null_mut(), AcqRel, Relaxed).is_ok() {
                    // SAFETY: it was taken out, and is nobody else's.
                    drop(unsafe { Box::from_raw(block) });
                }
                let next = Box::new(value);
                assert_ne!(std::ptr::from_ref(&*next).cast_mut(), block);
                if !before.is_null() {
                    // SAFETY: it was taken out, and is nobody else's.
                    drop(unsafe { Box::from_raw(before) });
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
