//! The allocator is called as such here: it is not the one of this process.

#![allow(unsafe_code)]

use super::*;
use std::sync::{Mutex, PoisonError};
use tribunal_random::Random;

static TESTED: Deterministic = Deterministic::new();

/// Workers at a time.
const WORKERS: u64 = 4;

/// A block, each byte of which is the same.
struct Block {
    start: *mut u8,
    layout: Layout,
    byte: u8,
}

// SAFETY: it is memory that has one owner.
unsafe impl Send for Block {}

impl Block {
    fn new(random: &mut Random) -> Block {
        let layout =
            Layout::from_size_align(1 + random.index(200), 1 << random.index(8)).expect("it is small");
        // SAFETY: it is not of size zero.
        let start = unsafe {
            match random.index(2) {
                0 => TESTED.alloc(layout),
                _ => TESTED.alloc_zeroed(layout),
            }
        };
        Block { start, layout, byte: 0 }.filled(random)
    }

    /// Gives it other bytes.
    fn filled(mut self, random: &mut Random) -> Block {
        assert!(!self.start.is_null() && self.start.addr().is_multiple_of(self.layout.align()));
        self.byte = random.index(256) as u8;
        // SAFETY: it has so many bytes, and one owner.
        unsafe { self.start.write_bytes(self.byte, self.layout.size()) };
        self
    }

    /// Nobody else has written to it.
    fn check(&self, size: usize) {
        if let Some(region) = region_of(self.start.addr()) {
            let mut granules = region.of_block(self.start.addr(), size).iter();
            assert!(granules.all(|granule| granule.load(Ordering::Relaxed) == LIVE));
        }
        // SAFETY: it has so many bytes, all of them were written, and it has one owner.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, size) };
        assert!(bytes.iter().all(|&byte| byte == self.byte), "a block is in use twice");
    }

    fn resized(mut self, random: &mut Random) -> Block {
        let (old, new) = (self.layout.size(), 1 + random.index(200));
        self.check(old);
        // SAFETY: the block has that layout, and the size is not zero and small.
        self.start = unsafe { TESTED.realloc(self.start, self.layout, new) };
        self.layout = Layout::from_size_align(new, self.layout.align()).expect("it is small");
        self.check(old.min(new));
        self.filled(random)
    }

    fn free(self) {
        self.check(self.layout.size());
        // SAFETY: the block has that layout.
        unsafe { TESTED.dealloc(self.start, self.layout) };
    }
}

fn take() -> Owned {
    IN_USE.store(true, Ordering::Relaxed);
    Owned::take().expect("there is address space")
}

/// Looking for a region leaves those alone that others have.
#[test]
fn a_region_has_one_owner() {
    let owned = [(); 3].map(|()| take());
    let starts = owned.each_ref().map(|owned| owned.0.start);
    assert!(starts[0] != starts[1] && starts[0] != starts[2] && starts[1] != starts[2], "{starts:?}");
}

/// Workers come and go, and take over regions with blocks in use; what one has allocated, another frees meanwhile.
#[test]
fn no_memory_is_in_two_blocks() {
    let handed_on = Mutex::new(Vec::new());
    let locked = || handed_on.lock().unwrap_or_else(PoisonError::into_inner);
    let execution = |region: &Owned, random: &mut Random| {
        region.reset();
        let mut blocks = Vec::new();
        for _ in 0..random.index(200) {
            region.enter(random.index(3));
            match random.index(8) {
                0..4 => blocks.push(Block::new(random)),
                _ if blocks.is_empty() => {}
                4 => locked().push(blocks.swap_remove(random.index(blocks.len()))),
                5 => {
                    let block = blocks.swap_remove(random.index(blocks.len()));
                    blocks.push(block.resized(random));
                }
                _ => blocks.swap_remove(random.index(blocks.len())).free(),
            }
            let given = Some(locked()).filter(|given| given.len() > 50).map(|mut given| given.swap_remove(0));
            given.into_iter().for_each(Block::free);
        }
        leave();
        // A few outlive the execution.
        locked().extend(blocks.pop());
        blocks.into_iter().for_each(Block::free);
    };
    let work = |number: u64| {
        let mut random = Random::new(number + 1);
        for _ in 0..200 {
            let region = take();
            (0..5).for_each(|_| execution(&region, &mut random));
        }
    };
    std::thread::scope(|scope| (0..WORKERS).for_each(|number| drop(scope.spawn(move || work(number)))));
    handed_on.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().for_each(Block::free);
}
