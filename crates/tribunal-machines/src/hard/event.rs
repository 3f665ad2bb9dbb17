//! Taking a history apart to make another of its events.

use tribunal::memory::{EventId, Execution, Kind, Op, Slot, Source};

/// The operation that an event, of a thread, was built from, with its source made explicit.
pub(super) fn op(x: &Execution, event: EventId) -> Op {
    let (label, value) = (x.label(event), x.value(event));
    let op = match (label.kind(), x.loc(event)) {
        (Kind::Read, Some(loc)) => Op::read(loc, value),
        (Kind::Write, Some(loc)) => Op::write(loc, value),
        (Kind::Rmw, Some(loc)) => Op::rmw(loc, x.rf(event).map_or(0, |source| x.value(source)), value),
        (Kind::Fence, _) | (_, None) => Op::fence(label.order()),
    };
    op.order(label.order()).from(match x.rf(event) {
        Some(write) => x.slot(write).map_or(Source::Init, Source::At),
        None => Source::ByValue,
    })
}

/// The place of an event of a thread.
pub(super) fn slot(x: &Execution, event: EventId) -> Slot {
    x.slot(event).expect("an event of a thread")
}
