//! Manual memory: `loom::alloc`. A block that is not freed is a leak; a double free or a use after free is an error.

use crate::program::Place;
use crate::runtime::ops::{self, Access};
use crate::runtime::state::{self, Owed, SlotId};
use std::collections::BTreeMap;
use tribunal_history::memory::Order;

pub use crate::arena::Deterministic;
pub use std::alloc::Layout;

struct Block {
    layout: Layout,
    owed: Owed,
    freed: Option<Place>,
}

/// The blocks of an execution. Those that were given back stay until its end, so that what uses them is seen.
#[derive(Default)]
pub(crate) struct Memory {
    blocks: BTreeMap<usize, Block>,
    freed: usize,
}

impl Memory {
    /// Whether an address is in a block that was given back.
    #[inline]
    pub(crate) fn is_freed(&self, address: usize) -> bool {
        crate::arena::holds_freed(address)
            || self.freed > 0
                && self.blocks.range(..=address).next_back().is_some_and(|(start, block)| {
                    block.freed.is_some() && address - start < block.layout.size()
                })
    }

    /// A block that was not given back.
    pub(crate) fn unfreed(&self) -> Option<&Owed> {
        self.blocks.values().find(|block| block.freed.is_none()).map(|block| &block.owed)
    }

    /// Gives all blocks back to the system.
    #[allow(unsafe_code)]
    pub(crate) fn clear(&mut self) {
        for (start, block) in std::mem::take(&mut self.blocks) {
            // SAFETY: it was allocated with this layout, and nothing of the execution runs any more.
            unsafe { std::alloc::dealloc(std::ptr::with_exposed_provenance_mut(start), block.layout) };
        }
        self.freed = 0;
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.clear();
    }
}

fn note(pointer: *mut u8, layout: Layout, place: Place) -> *mut u8 {
    if !pointer.is_null() {
        state::with(|state| {
            let block = Block { layout, owed: Owed { what: "memory", place }, freed: None };
            state.memory.blocks.insert(pointer.expose_provenance(), block);
        });
    }
    pointer
}

/// Allocates memory.
///
/// # Safety
/// As for [`std::alloc::alloc`].
#[allow(unsafe_code)]
#[track_caller]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's.
    note(unsafe { std::alloc::alloc(layout) }, layout, Place::caller())
}

/// Allocates zeroed memory.
///
/// # Safety
/// As for [`std::alloc::alloc_zeroed`].
#[allow(unsafe_code)]
#[track_caller]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's.
    note(unsafe { std::alloc::alloc_zeroed(layout) }, layout, Place::caller())
}

/// Frees memory. This must not race with any access to it.
///
/// # Safety
/// As for [`std::alloc::dealloc`].
#[allow(unsafe_code)]
#[track_caller]
pub unsafe fn dealloc(pointer: *mut u8, layout: Layout) {
    let place = Place::caller();
    let start = pointer.addr();
    enum Found {
        Freed(Place),
        Live(Vec<SlotId>),
        Unknown,
    }
    let found = state::with(|state| {
        let Some(block) = state.memory.blocks.get(&start) else { return Found::Unknown };
        if let Some(place) = block.freed {
            return Found::Freed(place);
        }
        let inside = |address: usize| address.wrapping_sub(start) < block.layout.size();
        let used =
            state.slots.iter().enumerate().filter(|(_, slot)| slot.loc.is_some() && inside(slot.address));
        Found::Live(used.map(|(number, _)| SlotId(number as u32)).collect())
    });
    match found {
        Some(Found::Freed(before)) => {
            ops::misuse(format!("Double free: the memory was freed at {before}."), place)
        }
        Some(Found::Live(used)) => {
            for slot in used {
                ops::access_slot(slot, Access::Store(Order::NonAtomic, 0), place);
            }
            state::with(|state| {
                if let Some(block) = state.memory.blocks.get_mut(&start) {
                    block.freed = Some(place);
                    state.memory.freed += 1;
                }
            });
        }
        // SAFETY: the caller's; it was not allocated in this execution.
        Some(Found::Unknown) | None => unsafe { std::alloc::dealloc(pointer, layout) },
    }
}

/// A value that must be dropped before the execution ends.
#[derive(Debug)]
pub struct Track<T> {
    value: T,
    #[allow(dead_code, reason = "it is dropped with the value")]
    debt: Debt,
}

impl<T> Track<T> {
    /// Tracks a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Track { value, debt: Debt::new("a tracked value", Place::caller()) }
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value, for changes.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// Returns the value and stops tracking it.
    pub fn into_inner(self) -> T {
        self.value
    }
}

/// Something that must be dropped before the execution ends.
#[derive(Debug)]
pub(crate) struct Debt(Option<u64>);

impl Debt {
    pub(crate) fn new(what: &'static str, place: Place) -> Self {
        Debt(state::with(|state| state.owe(what, place)))
    }
}

impl Drop for Debt {
    fn drop(&mut self) {
        if let Some(number) = self.0 {
            state::with(|state| state.owed.remove(&number));
        }
    }
}
