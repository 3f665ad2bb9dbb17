//! An access as the running loop sees it: ready to be made, in twelve bytes.

use std::sync::atomic::{AtomicU64, Ordering, compiler_fence, fence};
use tribunal_history::memory::{Kind, Op, Order};

/// Words of the memory that the threads share. A power of two, so that a masked place needs no check.
pub(super) const WORDS: usize = 1 << 20;
/// The memory that the threads share.
pub(super) type Memory = [AtomicU64; WORDS];

/// The action of an access, with its order: one instruction each.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Does {
    LoadRelaxed,
    LoadAcquire,
    LoadSeqCst,
    StoreRelaxed,
    StoreRelease,
    StoreSeqCst,
    SwapRelaxed,
    SwapAcquire,
    SwapRelease,
    SwapAcqRel,
    SwapSeqCst,
    FenceAcquire,
    FenceRelease,
    FenceAcqRel,
    FenceSeqCst,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    does: Does,
    place: u32,
    /// The value that it writes, if it writes.
    value: u32,
}

impl Access {
    /// The access of an operation, at a place. An order that its kind cannot have, such as a release read, counts for what
    /// it has of one that it can.
    pub(super) fn new(op: &Op, place: u32) -> Self {
        let does = match (op.kind, op.order) {
            (Kind::Read, Order::NonAtomic | Order::Relaxed | Order::Release) => Does::LoadRelaxed,
            (Kind::Read, Order::Acquire | Order::AcqRel) => Does::LoadAcquire,
            (Kind::Read, Order::SeqCst) => Does::LoadSeqCst,
            (Kind::Write, Order::NonAtomic | Order::Relaxed | Order::Acquire) => Does::StoreRelaxed,
            (Kind::Write, Order::Release | Order::AcqRel) => Does::StoreRelease,
            (Kind::Write, Order::SeqCst) => Does::StoreSeqCst,
            (Kind::Rmw, Order::NonAtomic | Order::Relaxed) => Does::SwapRelaxed,
            (Kind::Rmw, Order::Acquire) => Does::SwapAcquire,
            (Kind::Rmw, Order::Release) => Does::SwapRelease,
            (Kind::Rmw, Order::AcqRel) => Does::SwapAcqRel,
            (Kind::Rmw, Order::SeqCst) => Does::SwapSeqCst,
            (Kind::Fence, Order::NonAtomic | Order::Relaxed | Order::Acquire) => Does::FenceAcquire,
            (Kind::Fence, Order::Release) => Does::FenceRelease,
            (Kind::Fence, Order::AcqRel) => Does::FenceAcqRel,
            (Kind::Fence, Order::SeqCst) => Does::FenceSeqCst,
        };
        Access { does, place, value: op.value as u32 }
    }

    /// Makes the access and returns what it read, 0 if it does not read.
    ///
    /// The compiler may not move an access over the one before it: what the trace calls program order is the order of the
    /// instructions. That is all; the processor may do as it likes.
    #[inline(always)]
    pub(super) fn perform(self, memory: &Memory) -> u64 {
        let cell = &memory[self.place as usize % WORDS];
        let value = u64::from(self.value);
        let store = |order| {
            cell.store(value, order);
            0
        };
        let fence = |order| {
            fence(order);
            0
        };
        let read = match self.does {
            Does::LoadRelaxed => cell.load(Ordering::Relaxed),
            Does::LoadAcquire => cell.load(Ordering::Acquire),
            Does::LoadSeqCst => cell.load(Ordering::SeqCst),
            Does::StoreRelaxed => store(Ordering::Relaxed),
            Does::StoreRelease => store(Ordering::Release),
            Does::StoreSeqCst => store(Ordering::SeqCst),
            Does::SwapRelaxed => cell.swap(value, Ordering::Relaxed),
            Does::SwapAcquire => cell.swap(value, Ordering::Acquire),
            Does::SwapRelease => cell.swap(value, Ordering::Release),
            Does::SwapAcqRel => cell.swap(value, Ordering::AcqRel),
            Does::SwapSeqCst => cell.swap(value, Ordering::SeqCst),
            Does::FenceAcquire => fence(Ordering::Acquire),
            Does::FenceRelease => fence(Ordering::Release),
            Does::FenceAcqRel => fence(Ordering::AcqRel),
            Does::FenceSeqCst => fence(Ordering::SeqCst),
        };
        compiler_fence(Ordering::SeqCst);
        read
    }
}
