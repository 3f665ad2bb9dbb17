//! Events of a memory, for builders and monitors.

use crate::status::{Failure, invalid};
use tribunal_history::memory::{self, LocId, Op, Slot, ThreadId};

/// A thread of a builder, a monitor or a session, numbered from 0 in the order of creation.
pub type ThreadNumber = u32;

/// A location of a builder, a monitor or a session, numbered from 0 in the order of creation.
pub type LocationNumber = u32;

/// A memory order, as in C11.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Synchronizes only through fences.
    Relaxed = 0,
    /// Acquire.
    Acquire = 1,
    /// Release.
    Release = 2,
    /// Acquire and release.
    AcqRel = 3,
    /// Sequentially consistent.
    SeqCst = 4,
    /// A non-atomic access, which may take part in a data race. Not for RMWs and fences.
    NonAtomic = 5,
}

/// What an event does.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It reads.
    Read = 0,
    /// It writes.
    Write = 1,
    /// It reads and writes in one step.
    Rmw = 2,
    /// A fence, which has no location.
    Fence = 3,
}

/// How the source of a read or an RMW is given.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// By the value: the write of that value. If there are several, some choice must be consistent.
    ByValue = 0,
    /// It reads the initial value.
    Initial = 1,
    /// It reads from the event at `from`.
    Event = 2,
}

/// Any number that C passes for an enumerator. In the header it is the enumeration.
macro_rules! any {
    ($any:ident, $of:ident) => {
        #[doc = concat!("What C passes for one of [`", stringify!($of), "`], which may be any number.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $any(u32);

        impl From<$of> for $any {
            fn from(one: $of) -> Self {
                $any(one as u32)
            }
        }
    };
}

any!(AnyOrder, Order);
any!(AnyKind, Kind);
any!(AnySource, Source);

impl AnyOrder {
    /// The order, if it is one.
    #[inline]
    pub(crate) fn of_access(self) -> Result<memory::Order, Failure> {
        Ok(match self.0 {
            0 => memory::Order::Relaxed,
            1 => memory::Order::Acquire,
            2 => memory::Order::Release,
            3 => memory::Order::AcqRel,
            4 => memory::Order::SeqCst,
            5 => memory::Order::NonAtomic,
            other => return Err(no("memory order", other)),
        })
    }

    /// The order, if an RMW may have it.
    #[inline]
    pub(crate) fn of_rmw(self) -> Result<memory::Order, Failure> {
        let order = self.of_access()?;
        if order.is_atomic() {
            Ok(order)
        } else {
            Err(invalid("an RMW is atomic, so its order cannot be na"))
        }
    }

    /// The order, if a fence may have it.
    #[inline]
    pub(crate) fn of_fence(self) -> Result<memory::Order, Failure> {
        let order = self.of_access()?;
        if order.is_acquire() || order.is_release() {
            Ok(order)
        } else {
            Err(invalid("a fence needs an order: acquire, release, acq_rel or seq_cst"))
        }
    }
}

/// The position of an event: its thread, and the number of earlier events of the thread.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The thread.
    pub thread: ThreadNumber,
    /// The position in the thread, from 0.
    pub index: u32,
}

/// An event of a memory. Made by `tribunal_read`, `tribunal_write`, `tribunal_rmw` and `tribunal_fence`, or field by field;
/// all zeros is a relaxed read of 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its thread, whose next event it is.
    pub thread: ThreadNumber,
    /// Its location; ignored for a fence.
    pub location: LocationNumber,
    /// What it does.
    pub kind: AnyKind,
    /// Its memory order.
    pub order: AnyOrder,
    /// The value written, or read by a read that is not an RMW.
    pub value: u64,
    /// The value that an RMW reads; ignored otherwise.
    pub read: u64,
    /// How the source of a read or an RMW is given.
    pub source: AnySource,
    /// The source, if `source` says so.
    pub from: Place,
}

impl Event {
    fn new(kind: Kind, thread: ThreadNumber, location: LocationNumber, order: AnyOrder) -> Self {
        let from = Place { thread: 0, index: 0 };
        let (kind, source) = (kind.into(), Source::ByValue.into());
        Event { thread, location, kind, order, value: 0, read: 0, source, from }
    }

    /// The event as the library has it, where there are so many threads and locations.
    #[inline]
    pub(crate) fn op(&self, threads: u32, locations: u32) -> Result<(ThreadId, Op), Failure> {
        let (kind, order) = match self.kind.0 {
            0 => (memory::Kind::Read, self.order.of_access()?),
            1 => (memory::Kind::Write, self.order.of_access()?),
            2 => (memory::Kind::Rmw, self.order.of_rmw()?),
            3 => (memory::Kind::Fence, self.order.of_fence()?),
            other => return Err(no("kind of event", other)),
        };
        let source = match self.source.0 {
            0 => memory::Source::ByValue,
            1 => memory::Source::Init,
            2 => memory::Source::At(self.from.into()),
            other => return Err(no("source", other)),
        };
        let thread = in_range("thread", self.thread, threads)?;
        let loc = match kind {
            memory::Kind::Fence => 0,
            _ => in_range("location", self.location, locations)?,
        };
        let op = Op { kind, order, loc: LocId(loc), value: self.value, read: self.read, source };
        Ok((ThreadId(thread), op))
    }
}

impl From<Place> for Slot {
    fn from(Place { thread, index }: Place) -> Self {
        Slot { thread: ThreadId(thread), index }
    }
}

impl From<Slot> for Place {
    fn from(Slot { thread, index }: Slot) -> Self {
        Place { thread: thread.0, index }
    }
}

/// An id, if it is one of so many.
#[inline]
pub(crate) fn in_range(what: &str, id: u32, count: u32) -> Result<u32, Failure> {
    if id < count { Ok(id) } else { Err(no(what, id)) }
}

#[cold]
fn no(what: &str, number: u32) -> Failure {
    invalid(format!("there is no {what} {number}"))
}

/// A read of `value`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_read(
    thread: ThreadNumber,
    location: LocationNumber,
    value: u64,
    order: AnyOrder,
) -> Event {
    Event { value, ..Event::new(Kind::Read, thread, location, order) }
}

/// A write of `value`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_write(
    thread: ThreadNumber,
    location: LocationNumber,
    value: u64,
    order: AnyOrder,
) -> Event {
    Event { value, ..Event::new(Kind::Write, thread, location, order) }
}

/// A read-modify-write that reads `read` and writes `value`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_rmw(
    thread: ThreadNumber,
    location: LocationNumber,
    read: u64,
    value: u64,
    order: AnyOrder,
) -> Event {
    Event { value, read, ..Event::new(Kind::Rmw, thread, location, order) }
}

/// A fence, whose order is neither relaxed nor non-atomic.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_fence(thread: ThreadNumber, order: AnyOrder) -> Event {
    Event::new(Kind::Fence, thread, 0, order)
}
