//! An allocator that never reuses an address within an execution.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;

/// An allocator that keeps freed memory until the end of an execution.
///
/// Without it, whether an allocation reuses an address may depend on the order of events. Comparing
/// pointers may then give different results when an execution is run again, and exploration ends with
/// [`Nondeterminism`](crate::Problem::Nondeterminism). With it, using an atomic or a cell after its memory was freed is also an error.
///
/// ```
/// use tribunal_explore::alloc::Quarantine;
///
/// #[global_allocator]
/// static ALLOCATOR: Quarantine = Quarantine;
/// # tribunal_explore::explore(|| drop(Box::new(1)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Quarantine;

/// What a thread of the system has kept. Nothing of it is dropped with the thread: allocators must not need that.
struct Kept {
    /// Whether what is given back is kept.
    keeps: Cell<bool>,
    /// By address.
    blocks: RefCell<ManuallyDrop<BTreeMap<usize, Layout>>>,
}

thread_local! {
    static KEPT: Kept = const {
        Kept { keeps: Cell::new(false), blocks: RefCell::new(ManuallyDrop::new(BTreeMap::new())) }
    };
}

/// Whether what is given back from now on is kept.
pub(crate) fn keep(keeps: bool) {
    KEPT.with(|kept| kept.keeps.set(keeps));
}

/// Whether an address is in a block that was given back.
#[inline]
pub(crate) fn holds(address: usize) -> bool {
    KEPT.with(|kept| {
        let blocks = kept.blocks.borrow();
        let before = blocks.range(..=address).next_back();
        before.is_some_and(|(start, layout)| address - start < layout.size())
    })
}

/// Gives back to the system what was kept.
#[allow(unsafe_code)]
pub(crate) fn release() {
    let blocks = KEPT.with(|kept| std::mem::take(&mut **kept.blocks.borrow_mut()));
    for (start, layout) in blocks {
        // SAFETY: it came from the system's allocator with this layout, and was given back by the program.
        unsafe { System.dealloc(std::ptr::with_exposed_provenance_mut(start), layout) };
    }
}

/// Keeps a block, if that is what is done now.
fn is_kept(pointer: *mut u8, layout: Layout) -> bool {
    KEPT.with(|kept| {
        // Not what the map itself gives back.
        kept.keeps.get()
            && kept.blocks.try_borrow_mut().is_ok_and(|mut blocks| {
                blocks.insert(pointer.expose_provenance(), layout);
                true
            })
    })
}

#[allow(unsafe_code)]
// SAFETY: it is the system's allocator except for the time at which blocks are given back.
unsafe impl GlobalAlloc for Quarantine {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if !is_kept(pointer, layout) {
            // SAFETY: the caller's.
            unsafe { System.dealloc(pointer, layout) };
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !KEPT.with(|kept| kept.keeps.get()) {
            // SAFETY: the caller's.
            return unsafe { System.realloc(pointer, layout, size) };
        }
        // SAFETY: the caller's, who says that the size fits; the blocks do not overlap, and both have that many bytes.
        unsafe {
            let new = System.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                pointer.copy_to_nonoverlapping(new, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
            new
        }
    }
}
