//! The runtime's own memory, apart from the program's, which is put back between executions.

use crate::only::Only;
use dlmalloc::Dlmalloc;
use std::alloc::{GlobalAlloc, Layout};

static DLMALLOC: Only<Dlmalloc> = Only::new(Dlmalloc::new());

/// Memory for what is not the program's.
pub struct Private;

// SAFETY: dlmalloc keeps the contract; the process has one thread.
unsafe impl GlobalAlloc for Private {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { DLMALLOC.get().malloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { DLMALLOC.get().free(block, layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { DLMALLOC.get().calloc(layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { DLMALLOC.get().realloc(block, layout.size(), layout.align(), size) }
    }
}

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: Private = Private;
