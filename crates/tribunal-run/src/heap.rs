//! The program's heap, in libc's place: blocks at addresses that are the same in every run of an execution.
//!
//! Each thread has an arena, and takes its blocks there one behind the other, so that an address depends on the thread and on what that has allocated before, and none comes twice in an
//! execution. When one begins, the arenas begin anew, behind what was allocated before `main`. What is in a new block is zero, so that a program that reads what it has not written does the same in each run.
//!
//! `tribunal_explore::alloc::Deterministic` does the same for Rust's allocator; this one knows the size of a block and where it was allocated, as C asks for it.

use crate::control::{caller, is_in_program, outside, thread};
use crate::only::Only;
use crate::private::Private;
use crate::{entries, plain, threads};
use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_int, c_void};
use std::ops::Range;

/// Where the arenas are, the size of each, and how many there are. Threads with higher numbers share them.
const BASE: usize = 0x2000_0000_0000;
const ARENA: usize = 1 << 32;
const ARENAS: usize = 64;

/// Of a freed block, as its size.
const FREED: usize = 1 << 63;
/// Of longer blocks, so much counts as written where they are allocated: an access that this does not happen before is a race.
const MOST_TOLD: usize = 1 << 16;
/// Behind a block's header.
const HEADER: usize = 16;

/// What stands before each block.
struct Header {
    /// How many bytes were asked for, and whether they were given back.
    size: usize,
    /// Where they were asked for.
    site: usize,
}

struct Heap {
    is_mapped: bool,
    /// By arena: where the next block is looked for.
    next: [usize; ARENAS],
    /// Where the first arena began when `main` was called.
    start: usize,
    /// Blocks of this execution.
    blocks: Vec<usize>,
    /// Blocks are for the thread-local storage of threads, which outlives executions.
    for_storage: bool,
}

static HEAP: Only<Heap> = Only::new(Heap {
    is_mapped: false,
    next: [0; ARENAS],
    start: BASE,
    blocks: Vec::new(),
    for_storage: false,
});

const fn arena(number: usize) -> usize {
    BASE + number * ARENA
}

impl Heap {
    fn map(&mut self) -> bool {
        if !self.is_mapped {
            let flags =
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: nothing else is there, or it fails.
            let mapped = unsafe { libc::mmap(BASE as *mut c_void, ARENA * ARENAS, rights, flags, -1, 0) };
            self.is_mapped = mapped.addr() == BASE;
            for number in 0..ARENAS {
                self.next[number] = arena(number);
            }
        }
        self.is_mapped
    }

    /// A new block, of zeros; null if there is no room.
    fn take(&mut self, number: usize, size: usize, align: usize, site: usize) -> *mut u8 {
        let number = number % ARENAS;
        let start = (self.next[number] + HEADER).next_multiple_of(align.max(HEADER));
        let end = start.saturating_add(size.max(1));
        if end > arena(number + 1) {
            return std::ptr::null_mut();
        }
        self.next[number] = end;
        // SAFETY: it is in the arena, and nobody has it.
        unsafe { *((start - HEADER) as *mut Header) = Header { size, site } };
        start as *mut u8
    }
}

/// Whether an address is in the heap.
pub fn contains(address: usize) -> bool {
    (BASE..BASE + ARENA * ARENAS).contains(&address)
}

fn header(block: usize) -> &'static mut Header {
    // SAFETY: each block has one.
    unsafe { &mut *((block - HEADER) as *mut Header) }
}

/// What was allocated before `main`.
pub fn first() -> Range<usize> {
    let heap = HEAP.get();
    heap.map();
    heap.start = heap.next[0];
    BASE..heap.next[0]
}

/// An execution begins: what was allocated in the last one is not there.
pub fn begin() {
    /// What is faster to unmap than to write.
    const MUCH: usize = 1 << 17;
    let heap = HEAP.get();
    heap.blocks.clear();
    for number in 0..ARENAS {
        let start = if number == 0 { heap.start } else { arena(number) };
        let used = heap.next[number] - start;
        if used > MUCH {
            let whole = start.next_multiple_of(4096);
            // SAFETY: the blocks of an execution of which nothing runs.
            unsafe {
                std::ptr::write_bytes(start as *mut u8, 0, whole - start);
                libc::madvise(whole as *mut c_void, heap.next[number] - whole, libc::MADV_DONTNEED);
            }
        } else if used > 0 {
            // SAFETY: the same.
            unsafe { std::ptr::write_bytes(start as *mut u8, 0, used) };
        }
        heap.next[number] = start;
    }
}

/// Runs something whose allocations outlive executions.
pub fn for_storage<R>(f: impl FnOnce() -> R) -> R {
    HEAP.get().for_storage = true;
    let result = f();
    HEAP.get().for_storage = false;
    result
}

/// The block at an address, if there is one: where it begins, and where it was allocated.
pub fn block(address: usize) -> Option<(usize, usize)> {
    let blocks = &HEAP.get().blocks;
    // Blocks of a thread are in the order of their addresses, those of all are not.
    let block = *blocks.iter().filter(|&&block| block <= address).max()?;
    let header = header(block);
    let size = header.size & !FREED;
    (address < block + size.max(1)).then_some((block, header.site))
}

/// Blocks that were not given back and that no pointer in memory leads to: how many, and where the first was allocated.
pub fn leaks() -> Option<(usize, usize, usize)> {
    let live = |block: &usize| header(*block).size & FREED == 0;
    let mut blocks: Vec<usize> = HEAP.get().blocks.iter().copied().filter(live).collect();
    if blocks.is_empty() {
        return None;
    }
    blocks.sort_unstable();
    let mut reached = vec![false; blocks.len()];
    let mut ranges: Vec<Range<usize>> = crate::memory::pieces().collect();
    while let Some(range) = ranges.pop() {
        let words = range.start.next_multiple_of(8)..range.end & !7;
        for at in words.step_by(8) {
            // SAFETY: it is the program's.
            let word = unsafe { *(at as *const usize) };
            if !contains(word) {
                continue;
            }
            let Some(found) = blocks.partition_point(|&block| block <= word).checked_sub(1) else { continue };
            let size = header(blocks[found]).size.max(1);
            if word < blocks[found] + size && !std::mem::replace(&mut reached[found], true) {
                ranges.push(blocks[found]..blocks[found] + size);
            }
        }
    }
    let mut lost = blocks.iter().zip(&reached).filter(|(_, reached)| !**reached).map(|(&block, _)| block);
    let first = lost.next()?;
    Some((1 + lost.count(), header(first).size, header(first).site))
}

/// Allocates for who calls: for the program, or for the runtime.
fn allocate(size: usize, align: usize) -> *mut u8 {
    let heap = HEAP.get();
    if is_in_program() {
        let block = heap.take(thread().index(), size, align, caller());
        if !block.is_null() {
            outside(|| HEAP.get().blocks.push(block.addr()));
            plain::allocated(block.addr(), size.min(MOST_TOLD), caller());
        }
        return block;
    }
    if threads::has_begun() || heap.for_storage {
        return keep(size, align);
    }
    if !heap.map() {
        return std::ptr::null_mut();
    }
    heap.take(0, size, align, 0)
}

/// What libc allocates while control is in the runtime: the size stands before it.
fn keep(size: usize, align: usize) -> *mut u8 {
    let align = align.max(HEADER);
    let Some(layout) = size.checked_add(align).and_then(|whole| Layout::from_size_align(whole, align).ok())
    else {
        return std::ptr::null_mut();
    };
    // SAFETY: its size is not zero.
    let block = unsafe { Private.alloc_zeroed(layout) };
    if block.is_null() {
        return block;
    }
    // SAFETY: there is room for as much as the alignment before the block.
    unsafe {
        let block = block.add(align);
        *block.cast::<usize>().sub(2) = size;
        *block.cast::<usize>().sub(1) = align;
        block
    }
}

fn release(block: *mut u8) {
    if block.is_null() {
        return;
    }
    let address = block.addr();
    if !contains(address) {
        // SAFETY: it is one of `keep`'s, which has these two words before it.
        unsafe {
            let (size, align) = (*block.cast::<usize>().sub(2), *block.cast::<usize>().sub(1));
            if let Ok(layout) = Layout::from_size_align(size + align, align) {
                Private.dealloc(block.sub(align), layout);
            }
        }
        return;
    }
    if !is_in_program() {
        return;
    }
    let pc = caller();
    if header(address).size & FREED != 0 {
        plain::misuse("a block is freed twice", address, pc);
    }
    let known = HEAP.get().blocks.contains(&address) || address < HEAP.get().start;
    if !known {
        plain::misuse("what is freed is not a block", address, pc);
    }
    let size = header(address).size;
    plain::freed(address, size, pc);
    header(address).size |= FREED;
}

fn size_of(block: *mut u8) -> usize {
    match contains(block.addr()) {
        true => header(block.addr()).size & !FREED,
        // SAFETY: it is one of `keep`'s.
        false => unsafe { *block.cast::<usize>().sub(2) },
    }
}

pub extern "C" fn malloc(size: usize) -> *mut u8 {
    allocate(size, HEADER)
}

extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    // What is new is zero.
    count.checked_mul(size).map_or(std::ptr::null_mut(), |size| allocate(size, HEADER))
}

extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        return allocate(size, HEADER);
    }
    let new = allocate(size, HEADER);
    if !new.is_null() {
        // SAFETY: both are as long.
        unsafe { std::ptr::copy_nonoverlapping(block, new, size.min(size_of(block))) };
        release(block);
    }
    new
}

extern "C" fn reallocarray(block: *mut u8, count: usize, size: usize) -> *mut u8 {
    count.checked_mul(size).map_or(std::ptr::null_mut(), |size| realloc(block, size))
}

extern "C" fn free(block: *mut u8) {
    release(block);
}

extern "C" fn memalign(align: usize, size: usize) -> *mut u8 {
    if align.is_power_of_two() { allocate(size, align) } else { std::ptr::null_mut() }
}

extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
    if is_in_program() && !align.is_power_of_two() {
        plain::misuse("aligned_alloc is asked for an alignment that is no power of two", 0, caller());
    }
    if is_in_program() && !size.is_multiple_of(align) {
        plain::misuse("aligned_alloc is asked for a size that is no multiple of the alignment", 0, caller());
    }
    memalign(align, size)
}

extern "C" fn posix_memalign(out: *mut *mut u8, align: usize, size: usize) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(8) {
        return libc::EINVAL;
    }
    let block = allocate(size, align);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller gives a place for it.
    unsafe { *out = block };
    0
}

extern "C" fn valloc(size: usize) -> *mut u8 {
    allocate(size, 4096)
}

extern "C" fn malloc_usable_size(block: *mut u8) -> usize {
    if block.is_null() { 0 } else { size_of(block) }
}

/// `operator new`.
extern "C" fn new(size: usize) -> *mut u8 {
    let block = allocate(size, HEADER);
    if block.is_null() {
        // SAFETY: the program cannot go on without it.
        unsafe { libc::abort() };
    }
    block
}

extern "C" fn new_aligned(size: usize, align: usize) -> *mut u8 {
    memalign(align, size)
}

entries! {
    _Znwm = self::new;
    _Znam = self::new;
    _ZnwmRKSt9nothrow_t = self::malloc;
    _ZnamRKSt9nothrow_t = self::malloc;
    _ZnwmSt11align_val_t = self::new_aligned;
    _ZnamSt11align_val_t = self::new_aligned;
    _ZnwmSt11align_val_tRKSt9nothrow_t = self::new_aligned;
    _ZnamSt11align_val_tRKSt9nothrow_t = self::new_aligned;
    _ZdlPv = self::free;
    _ZdaPv = self::free;
    _ZdlPvm = self::free;
    _ZdaPvm = self::free;
    _ZdlPvRKSt9nothrow_t = self::free;
    _ZdaPvRKSt9nothrow_t = self::free;
    _ZdlPvSt11align_val_t = self::free;
    _ZdaPvSt11align_val_t = self::free;
    _ZdlPvmSt11align_val_t = self::free;
    _ZdaPvmSt11align_val_t = self::free;
    malloc = self::malloc;
    calloc = self::calloc;
    realloc = self::realloc;
    reallocarray = self::reallocarray;
    free = self::free;
    cfree = self::free;
    memalign = self::memalign;
    aligned_alloc = self::aligned_alloc;
    posix_memalign = self::posix_memalign;
    valloc = self::valloc;
    pvalloc = self::valloc;
    malloc_usable_size = self::malloc_usable_size;
}
