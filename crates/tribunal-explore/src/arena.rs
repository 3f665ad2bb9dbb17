//! Memory of programs under test, at addresses that are the same in every run of an execution.
//!
//! A worker has a region of address space, and each thread of its program an arena there, from which blocks are taken one behind the
//! other. So an address is a function of the thread and of what that thread has allocated before, whatever the others did in between; it
//! never comes twice in an execution; and of two blocks, the same one is first in the regions of all workers.
//!
//! When an execution begins, its arenas begin anew. Blocks that have outlived their execution stay where they are, and new ones are put
//! around them: for each granule of memory the region knows whether it is in use. Only the worker that owns a region takes memory from it;
//! blocks may be given back by anyone. Regions are never returned to the system, but the next worker takes them over.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};

/// An allocator that gives what a program under test allocates the same addresses in every run of an execution, and none of them twice in
/// one. All else is left to another allocator, by default the system's.
///
/// Without it, an address may depend on the order of events. Comparing pointers may then give different results when
/// an execution is run again, and exploration ends with
/// [`Nondeterminism`](crate::Problem::Nondeterminism). With it, using an atomic or a cell after its memory was freed is also an error.
///
/// ```
/// use tribunal_explore::alloc::Deterministic;
///
/// #[global_allocator]
/// static ALLOCATOR: Deterministic = Deterministic::new();
/// # tribunal_explore::explore(|| drop(Box::new(1)));
/// ```
///
/// The feature `allocator` does just this; the shims that stand in loom's place have it. A test with an allocator of its own is
/// compiled with `--cfg tribunal_no_allocator` in `RUSTFLAGS`, and wraps its own in [`Deterministic::over`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Deterministic<A = System> {
    rest: A,
}

impl Deterministic {
    /// The system's allocator does the rest.
    pub const fn new() -> Self {
        Deterministic { rest: System }
    }
}

impl<A> Deterministic<A> {
    /// Another allocator does the rest.
    pub const fn over(rest: A) -> Self {
        Deterministic { rest }
    }
}

/// The allocator of everything that depends on this crate, unless a test has its own.
#[cfg(feature = "allocator")]
#[allow(unexpected_cfgs, reason = "people set it")]
#[cfg(not(tribunal_no_allocator))]
#[global_allocator]
static ALLOCATOR: Deterministic = Deterministic::new();

/// Blocks begin at multiples of this many bytes.
const GRANULE: usize = 16;
/// Threads with arenas of their own; all others share the last one.
const ARENAS: usize = 64;
/// The number of regions that there may be.
const REGIONS: usize = 128;
/// The bytes of a region, of which the first that can be had is taken. Memory is committed as it is used.
const SIZES: [usize; 3] = [1 << 31, 1 << 28, 1 << 25];

/// What a granule is: free, part of a block, or part of a block that was given back in this execution.
const FREE: u8 = 0;
const LIVE: u8 = 1;
const FREED: u8 = 2;

/// The blocks of a thread.
struct Arena {
    /// What has the first and the last address.
    start: usize,
    end: usize,
    /// Where the next block is looked for.
    next: AtomicUsize,
    /// Below this, all that is in use has outlived its execution.
    first: AtomicUsize,
    /// Behind this, nothing has outlived its execution.
    last: AtomicUsize,
}

/// The memory of a worker's programs.
pub(crate) struct Region {
    start: usize,
    /// By granule.
    granules: *const AtomicU8,
    size: usize,
    arenas: [Arena; ARENAS],
    taken: AtomicBool,
}

static ALL: [AtomicPtr<Region>; REGIONS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; REGIONS];
/// Whether the process allocates by means of [`Deterministic`].
static IN_USE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Where what runs on this thread of the system takes its memory from, if it is a program under test.
    static CURRENT: Cell<*const Arena> = const { Cell::new(null()) };
}

/// A region that belongs to a worker.
pub(crate) struct Owned(&'static Region);

impl Owned {
    /// The first region that no worker has; none if the allocator is not in use or there is no address space.
    pub(crate) fn take() -> Option<Owned> {
        if cfg!(miri) || !is_in_use() {
            return None;
        }
        ALL.iter().find_map(|entry| {
            let region = region_at(entry).or_else(|| Region::publish(entry))?;
            // Only where it was not taken: whoever drops an `Owned` resets the region.
            (!region.taken.swap(true, Ordering::Acquire)).then(|| Owned(region))
        })
    }

    /// What runs on this thread of the system is this thread of the program from now on.
    pub(crate) fn enter(&self, thread: usize) {
        CURRENT.with(|current| current.set(&self.0.arenas[thread.min(ARENAS - 1)]));
    }

    /// A new execution begins, and nothing of the last one runs any more.
    pub(crate) fn reset(&self) {
        self.0.arenas.iter().for_each(|arena| self.0.reset(arena));
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.reset();
        self.0.taken.store(false, Ordering::Release);
    }
}

/// What runs on this thread of the system is no program under test from now on.
pub(crate) fn leave() {
    CURRENT.with(|current| current.set(null()));
}

/// Runs something for which the program under test does not allocate.
#[inline]
pub(crate) fn outside<R>(f: impl FnOnce() -> R) -> R {
    struct Back(*const Arena);
    impl Drop for Back {
        fn drop(&mut self) {
            CURRENT.with(|current| current.set(self.0));
        }
    }
    let _back = Back(CURRENT.with(|current| current.replace(null())));
    f()
}

/// Whether the process allocates by means of [`Deterministic`].
pub(crate) fn is_in_use() -> bool {
    // The first allocation of the process says so; there is one.
    if !IN_USE.load(Ordering::Relaxed) {
        drop(std::hint::black_box(Box::new(0_u8)));
    }
    IN_USE.load(Ordering::Relaxed)
}

/// Whether an address is in a block that was given back in this execution.
#[inline]
pub(crate) fn holds_freed(address: usize) -> bool {
    region_of(address).is_some_and(|region| region.granule(address).load(Ordering::Relaxed) == FREED)
}

fn region_at(entry: &AtomicPtr<Region>) -> Option<&'static Region> {
    let region = entry.load(Ordering::Acquire);
    // SAFETY: regions are leaked, and whole before they are published.
    #[allow(unsafe_code)]
    unsafe {
        region.as_ref()
    }
}

#[inline]
fn region_of(address: usize) -> Option<&'static Region> {
    ALL.iter().map_while(region_at).find(|region| address.wrapping_sub(region.start) < region.size)
}

impl Region {
    /// A new region in an entry that has none.
    fn publish(entry: &AtomicPtr<Region>) -> Option<&'static Region> {
        let region = Box::into_raw(Box::new(SIZES.iter().find_map(|&size| Region::new(size))?));
        let null = std::ptr::null_mut();
        if entry.compare_exchange(null, region, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // Another worker was first. The memory of this one was never touched, and is lost: this happens once.
        }
        region_at(entry)
    }

    #[allow(unsafe_code)]
    fn new(size: usize) -> Option<Region> {
        let granules = size / GRANULE;
        let page = 1 << 16;
        let layout = Layout::from_size_align(size + granules + page, GRANULE).ok()?;
        // SAFETY: it is not of size zero. Zeroed memory of that size comes from the system and is not touched.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if memory.is_null() {
            return None;
        }
        let start = memory.expose_provenance().next_multiple_of(page);
        let arena = |i: usize| {
            let start = start + i * (size / ARENAS);
            let [next, first, last] = [start; 3].map(AtomicUsize::new);
            Arena { start, end: start + size / ARENAS, next, first, last }
        };
        Some(Region {
            start,
            granules: std::ptr::with_exposed_provenance(start + size),
            size,
            arenas: std::array::from_fn(arena),
            taken: AtomicBool::new(false),
        })
    }

    #[allow(unsafe_code)]
    fn granules(&self) -> &[AtomicU8] {
        // SAFETY: they are behind the region's memory, zeroed, and touched in no other way.
        unsafe { std::slice::from_raw_parts(self.granules, self.size / GRANULE) }
    }

    #[inline]
    fn granule(&self, address: usize) -> &AtomicU8 {
        &self.granules()[(address - self.start) / GRANULE]
    }

    fn of_block(&self, address: usize, size: usize) -> &[AtomicU8] {
        let first = (address - self.start) / GRANULE;
        &self.granules()[first..first + size.div_ceil(GRANULE)]
    }

    fn reset(&self, arena: &Arena) {
        let (first, next) = (arena.first.load(Ordering::Relaxed), arena.next.load(Ordering::Relaxed));
        let (mut lowest_free, mut last) = (None, first);
        let top = next.max(arena.last.load(Ordering::Relaxed));
        for (i, granule) in self.of_block(first, top - first).iter().enumerate() {
            let at = first + i * GRANULE;
            if granule.load(Ordering::Acquire) == LIVE {
                last = at + GRANULE;
            } else {
                lowest_free = lowest_free.or(Some(at));
                granule.store(FREE, Ordering::Relaxed);
            }
        }
        let first = lowest_free.unwrap_or(top);
        arena.first.store(first, Ordering::Relaxed);
        arena.next.store(first, Ordering::Relaxed);
        arena.last.store(last, Ordering::Relaxed);
    }

    /// The address of a new block.
    fn take(&self, arena: &Arena, layout: Layout) -> Option<usize> {
        let size = layout.size().checked_next_multiple_of(GRANULE)?;
        let mut at = arena.next.load(Ordering::Relaxed).checked_next_multiple_of(layout.align())?;
        loop {
            let end = at.checked_add(size).filter(|&end| end <= arena.end)?;
            let block = self.of_block(at, size);
            let is_behind = at >= arena.last.load(Ordering::Relaxed);
            let used = |granule: &AtomicU8| granule.load(Ordering::Relaxed) != FREE;
            match if is_behind { None } else { block.iter().rposition(used) } {
                Some(used) => at = (at + (used + 1) * GRANULE).next_multiple_of(layout.align()),
                None => {
                    debug_assert!(!block.iter().any(used), "what is taken is free");
                    block.iter().for_each(|granule| granule.store(LIVE, Ordering::Relaxed));
                    arena.next.store(end, Ordering::Relaxed);
                    return Some(at);
                }
            }
        }
    }
}

/// A block from the arena of what runs, if it is a program under test and its arena has room.
#[inline]
fn take(layout: Layout) -> Option<*mut u8> {
    let arena = CURRENT.try_with(Cell::get).ok().filter(|arena| !arena.is_null())?;
    // SAFETY: it is an arena of a region, and these are leaked.
    #[allow(unsafe_code)]
    let arena = unsafe { &*arena };
    let address = region_of(arena.start)?.take(arena, layout)?;
    Some(std::ptr::with_exposed_provenance_mut(address))
}

#[allow(unsafe_code)]
// SAFETY: a block is either the other allocator's, or of granules of an arena that were in no block. Those that have outlived an execution
// stay in use until they are given back. Which of the two a block is, its address says.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Deterministic<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !IN_USE.load(Ordering::Relaxed) {
            IN_USE.store(true, Ordering::Relaxed);
        }
        // SAFETY: the caller's.
        take(layout).unwrap_or_else(|| unsafe { self.rest.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match take(layout) {
            Some(block) => {
                // SAFETY: the block has so many bytes.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            // SAFETY: the caller's.
            None => unsafe { self.rest.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match region_of(block.addr()) {
            Some(region) => {
                let granules = region.of_block(block.addr(), layout.size());
                granules.iter().for_each(|granule| granule.store(FREED, Ordering::Release));
            }
            // SAFETY: the caller's.
            None => unsafe { self.rest.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if region_of(block.addr()).is_none() && CURRENT.try_with(Cell::get).is_ok_and(<*const Arena>::is_null)
        {
            // SAFETY: the caller's.
            return unsafe { self.rest.realloc(block, layout, size) };
        }
        // SAFETY: the caller's, who says that the size fits; the blocks do not overlap, and both have that many bytes.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                block.copy_to_nonoverlapping(new, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests;
