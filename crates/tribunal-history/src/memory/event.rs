//! Events: the kind of each, its C11 order, and the [`Op`] that a builder takes.

use super::{LocId, ThreadId};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic read-modify-write: one event, both read and write.
    Rmw,
    /// A fence; it has no location.
    Fence,
}

/// A C11 memory order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// A non-atomic access, which does not synchronize and may take part in a data race. RMWs and fences cannot have this order.
    NonAtomic,
    /// Synchronizes only through fences.
    #[default]
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

impl Order {
    /// Every order, weakest first.
    pub const ALL: [Order; 6] =
        [Order::NonAtomic, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    /// Every order that a fence may have.
    pub const OF_FENCES: [Order; 4] = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    /// Whether this is relaxed or stronger (⊒rlx).
    #[inline(always)]
    pub const fn is_atomic(self) -> bool {
        !matches!(self, Order::NonAtomic)
    }

    /// Whether this is acquire or stronger (⊒ACQ).
    ///
    /// ```
    /// use tribunal::memory::Order;
    /// assert!(Order::AcqRel.is_acquire() && !Order::Release.is_acquire());
    /// ```
    #[inline(always)]
    pub const fn is_acquire(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether this is release or stronger (⊒REL).
    #[inline(always)]
    pub const fn is_release(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// The order's name in every format: `na`, `relaxed`, `acquire`, `release`, `acq_rel`, `seq_cst`.
    pub const fn name(self) -> &'static str {
        match self {
            Order::NonAtomic => "na",
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        }
    }

    /// The suffix of an event in text: `.na`, nothing for relaxed, `.acq`, `.rel`, `.ar`, `.sc`.
    ///
    /// ```
    /// use tribunal::memory::Order;
    /// assert_eq!(Order::SeqCst.suffix(), ".sc");
    /// ```
    pub const fn suffix(self) -> &'static str {
        match self {
            Order::NonAtomic => ".na",
            Order::Relaxed => "",
            Order::Acquire => ".acq",
            Order::Release => ".rel",
            Order::AcqRel => ".ar",
            Order::SeqCst => ".sc",
        }
    }
}

/// Kind and order of an event in one byte: two bits, three bits, and whether it is the write of an RMW whose read was left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Label(u8);

impl Label {
    const LEFT_OUT: u8 = 1 << 5;

    /// The label of an event of this kind and order.
    #[inline(always)]
    pub const fn new(kind: Kind, order: Order) -> Self {
        Label(kind as u8 | (order as u8) << 2)
    }

    /// The same RMW without its read: a write, which program order is known to keep where it keeps it for a write and for an RMW.
    pub(super) const fn without_read(self) -> Self {
        Label(Label::new(Kind::Write, self.order()).0 | Label::LEFT_OUT)
    }

    /// A read that is left out: a fence without an order orders nothing.
    pub(super) const NOTHING: Label = Label::new(Kind::Fence, Order::Relaxed);

    /// Whether the event is a read that was left out.
    #[inline(always)]
    pub const fn does_nothing(self) -> bool {
        self.0 == Label::NOTHING.0
    }

    /// Whether the event is an RMW, or the write of one whose read was left out.
    #[inline(always)]
    pub const fn is_of_rmw(self) -> bool {
        self.0 & 3 == Kind::Rmw as u8 || self.0 & Label::LEFT_OUT != 0
    }

    /// The event's kind.
    #[inline(always)]
    pub const fn kind(self) -> Kind {
        match self.0 & 3 {
            0 => Kind::Read,
            1 => Kind::Write,
            2 => Kind::Rmw,
            _ => Kind::Fence,
        }
    }

    /// The event's order.
    #[inline(always)]
    pub const fn order(self) -> Order {
        Order::ALL[(self.0 >> 2 & 7) as usize]
    }

    /// Whether the event's order is relaxed or stronger.
    #[inline(always)]
    pub const fn is_atomic(self) -> bool {
        self.0 >> 2 & 7 != Order::NonAtomic as u8
    }

    /// A bit of its own among the labels of histories with all their reads.
    #[inline(always)]
    pub(super) const fn bit(self) -> u32 {
        1 << self.0
    }

    /// Whether the event's order is acquire or stronger.
    #[inline(always)]
    pub const fn acquires(self) -> bool {
        const ACQUIRE: u8 = 1 << Order::Acquire as u8 | 1 << Order::AcqRel as u8 | 1 << Order::SeqCst as u8;
        ACQUIRE >> (self.0 >> 2 & 7) & 1 == 1
    }

    /// Whether the event's order is release or stronger.
    #[inline(always)]
    pub const fn releases(self) -> bool {
        const RELEASE: u8 = 1 << Order::Release as u8 | 1 << Order::AcqRel as u8 | 1 << Order::SeqCst as u8;
        RELEASE >> (self.0 >> 2 & 7) & 1 == 1
    }

    /// Whether the event reads: a read or an RMW.
    #[inline(always)]
    pub const fn reads(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether the event writes: a write or an RMW.
    #[inline(always)]
    pub const fn writes(self) -> bool {
        matches!(self.0 & 3, 1 | 2)
    }

    /// Whether the event is a fence.
    #[inline(always)]
    pub const fn is_fence(self) -> bool {
        self.0 & 3 == 3
    }
}

impl std::fmt::Debug for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}.{}", self.kind(), self.order().name())
    }
}

/// The position of an event in its thread, by which builders refer to events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// The thread.
    pub thread: ThreadId,
    /// The position in program order, from 0.
    pub index: u32,
}

/// The write that a read reads from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The one write of the value read, the initial write included.
    #[default]
    ByValue,
    /// The initial write.
    Init,
    /// The write at this position.
    At(Slot),
}

/// An operation to append to a thread of an [`ExecutionBuilder`](super::ExecutionBuilder).
///
/// ```
/// use tribunal::memory::{LocId, Op, Order};
/// let x = LocId(0);
/// let read = Op::read(x, 1).order(Order::Acquire);
/// let rmw = Op::rmw(x, 1, 2).order(Order::AcqRel);
/// let fence = Op::fence(Order::SeqCst);
/// # let _ = (read, rmw, fence);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The kind of the event.
    pub kind: Kind,
    /// Its C11 order.
    pub order: Order,
    /// Its location; meaningless for a fence.
    pub loc: LocId,
    /// The value written, or the value read by a read that is not an RMW.
    pub value: u64,
    /// The value an RMW reads; meaningless otherwise.
    pub read: u64,
    /// The write read from; meaningless for writes and fences.
    pub source: Source,
}

impl Op {
    const fn new(kind: Kind, loc: LocId, value: u64, read: u64) -> Self {
        Op { kind, order: Order::Relaxed, loc, value, read, source: Source::ByValue }
    }

    /// A relaxed read of `value` from `loc`.
    #[inline]
    pub const fn read(loc: LocId, value: u64) -> Self {
        Op::new(Kind::Read, loc, value, 0)
    }

    /// A relaxed write of `value` to `loc`.
    #[inline]
    pub const fn write(loc: LocId, value: u64) -> Self {
        Op::new(Kind::Write, loc, value, 0)
    }

    /// A relaxed RMW of `loc` that reads `read` and writes `value`.
    #[inline]
    pub const fn rmw(loc: LocId, read: u64, value: u64) -> Self {
        Op::new(Kind::Rmw, loc, value, read)
    }

    /// A fence, of one of the orders [of fences](Order::OF_FENCES).
    #[inline]
    pub const fn fence(order: Order) -> Self {
        Op { order, ..Op::new(Kind::Fence, LocId(0), 0, 0) }
    }

    /// The same operation with this order.
    #[inline]
    pub const fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The same read or RMW, reading from this write even if others wrote the same value.
    #[inline]
    pub const fn from(mut self, source: Source) -> Self {
        self.source = source;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_what_its_kind_and_order_say() {
        for kind in [Kind::Read, Kind::Write, Kind::Rmw, Kind::Fence] {
            for order in Order::ALL {
                let label = Label::new(kind, order);
                assert_eq!((label.kind(), label.order()), (kind, order));
                assert_eq!(label.is_atomic(), order.is_atomic());
                assert_eq!(label.acquires(), order.is_acquire());
                assert_eq!(label.releases(), order.is_release());
                assert_eq!(label.reads(), matches!(kind, Kind::Read | Kind::Rmw));
                assert_eq!(label.writes(), matches!(kind, Kind::Write | Kind::Rmw));
                assert_eq!(label.is_of_rmw(), kind == Kind::Rmw);
                let write = label.without_read();
                assert_eq!((write.kind(), write.order(), write.is_of_rmw()), (Kind::Write, order, true));
                assert_eq!((write.is_atomic(), write.acquires()), (label.is_atomic(), label.acquires()));
                assert_eq!((write.releases(), write.is_fence()), (label.releases(), false));
            }
        }
    }
}
