//! The runtime's own memory, apart from the program's, which is put back between executions.

use crate::only::Only;
use dlmalloc::Dlmalloc;
use std::alloc::{GlobalAlloc, Layout};
use tribunal_history::limits::heap;

static DLMALLOC: Only<Dlmalloc> = Only::new(Dlmalloc::new());

/// Counts a block, if there is one, for the limit of memory.
fn counted(block: *mut u8, size: usize) -> *mut u8 {
    if !block.is_null() {
        heap::count(size.cast_signed());
    }
    block
}

/// Memory for what is not the program's.
pub struct Private;

// SAFETY: dlmalloc keeps the contract; the process has one thread.
unsafe impl GlobalAlloc for Private {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        counted(unsafe { DLMALLOC.get().malloc(layout.size(), layout.align()) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        heap::count(-layout.size().cast_signed());
        unsafe { DLMALLOC.get().free(block, layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        counted(unsafe { DLMALLOC.get().calloc(layout.size(), layout.align()) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let new = unsafe { DLMALLOC.get().realloc(block, layout.size(), layout.align(), size) };
        if !new.is_null() {
            heap::count(size.cast_signed() - layout.size().cast_signed());
        }
        new
    }
}

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: Private = Private;
