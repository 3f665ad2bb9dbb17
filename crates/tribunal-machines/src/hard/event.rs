//! Taking a history apart to make another of its events.

use tribunal_history::memory::{EventId, Execution, Kind, Op, Slot, Source};

/// The operation that an event, of a thread, was built from, with its source made explicit.
pub(super) fn op(x: &Execution, event: EventId) -> Op {
    let (label, value) = (x.label(event), x.value(event));
    let op = match (label.kind(), x.loc(event)) {
        (Kind::Read, Some(loc)) => Op::read(loc, value),
        (Kind::Write, Some(loc)) => Op::write(loc, value),
        (Kind::Rmw, Some(loc)) => Op::rmw(loc, x.value_read(event).unwrap_or_default(), value),
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

/// A history with its events changed, and without those that `change` gives nothing for. These must be fences: nothing
/// reads from a fence or depends on it. Sources are places in `x`. Dependencies and times are of the accesses that were made,
/// whatever they read, and stay with them.
pub(super) fn rebuild(
    x: &Execution,
    name: Option<&str>,
    mut change: impl FnMut(EventId, Op) -> Option<Op>,
) -> Execution {
    let changed: Vec<Option<Op>> = x.events().map(|event| change(event, op(x, event))).collect();
    // How many events of its thread are left before each event.
    let mut places = Vec::with_capacity(x.len());
    for thread in x.threads() {
        let mut place = 0;
        for id in x.thread_events(thread) {
            places.push(place);
            place += u32::from(changed[id as usize].is_some());
        }
    }
    let mut b = Execution::builder();
    if let Some(name) = name {
        b.name(name);
    }
    for thread in x.threads() {
        b.thread(x.thread_name(thread));
    }
    for loc in x.locations() {
        let here = b.location(x.location_name(loc));
        b.init(here, x.init_value(loc));
    }
    for (event, op) in x.events().zip(changed) {
        let Some(mut op) = op else { continue };
        if let Source::At(slot) = op.source {
            op.source = Source::At(Slot { index: places[x.event(slot).index()], ..slot });
        }
        let here = b.push(slot(x, event).thread, op);
        for on in x.deps(event) {
            b.depends(here, places[on.index()]);
        }
        if x.features().times {
            b.interval(here, x.interval(event));
        }
    }
    for &(loc, write) in x.finals() {
        b.final_value(loc, x.value(write));
    }
    b.build().expect("what is read from and depended on is still there")
}
