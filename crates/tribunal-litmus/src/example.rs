//! An execution of a test as a history, to be drawn.

use tribunal_history::memory::{Execution, LocId, Op, Order, Slot, Source};

use crate::facts::Candidate;
use crate::paths::Kind;
use crate::test::Location;
use crate::value::Value;

/// Numbers of values that are none: addresses. Tests do not compute with such large ones.
const FIRST_ADDRESS: u64 = 1 << 60;

/// The execution's accesses, and fences where histories have such; none where a value is not known. An instruction that reads and writes is one
/// event. What an event depends on is not told.
pub(crate) fn history(candidate: &Candidate<'_>, known: &[Option<Value>]) -> Option<Execution> {
    let structure = candidate.structure;
    let test = structure.test;
    let value = |cell: Option<usize>| cell.and_then(|cell| known[cell]).map(word);
    let mut b = Execution::builder();
    b.name(test.name.as_str());
    let threads: Vec<_> = test.threads.iter().map(|t| b.thread(&format!("P{}", t.number))).collect();
    // The load of an instruction whose store is the event of both.
    let mut half = vec![None; structure.events.len()];
    for (load, store) in &structure.pairs {
        let (first, second) = (&structure.events[*load], &structure.events[*store]);
        if first.instance == second.instance && candidate.locations[*load] == candidate.locations[*store] {
            half[*store] = Some(*load);
        }
    }
    let drawn = |event: usize| match structure.events[event].kind {
        Some(Kind::Load) => !half.contains(&Some(event)),
        Some(Kind::Store | Kind::Update) => true,
        Some(Kind::Fence) => order(candidate, structure.events[event].sets).is_some(),
        _ => false,
    };
    let mut slots: Vec<Option<Slot>> = vec![None; structure.events.len()];
    let mut lengths = vec![0; threads.len()];
    for event in (0..structure.events.len()).filter(|event| drawn(*event)) {
        let thread = structure.events[event].thread?;
        slots[event] = Some(Slot { thread: threads[thread], index: lengths[thread] });
        lengths[thread] += 1;
    }
    for event in 0..structure.events.len() {
        let Some(slot) = slots[event] else { continue };
        let what = &structure.events[event];
        let read = half[event].unwrap_or(event);
        let order = order(candidate, what.sets | structure.events[read].sets);
        if what.kind == Some(Kind::Fence) {
            b.push(slot.thread, Op::fence(order?));
            continue;
        }
        let loc = location(&mut b, candidate, candidate.locations[event]?);
        let op = match (structure.events[read].read, what.value) {
            (Some(read), None) => Op::read(loc, value(Some(read))?),
            (None, written) => Op::write(loc, value(written)?),
            (Some(read), written) => Op::rmw(loc, value(Some(read))?, value(written)?),
        };
        let source = match candidate.sources[read] {
            Some(write) => slots[write].map_or(Source::Init, Source::At),
            None => Source::ByValue,
        };
        // In C an access without an order is not atomic.
        let atomic = !structure.wide || structure.sets.bit("A").is_some_and(|bit| what.sets & bit != 0);
        let weakest = if atomic { Order::Relaxed } else { Order::NonAtomic };
        b.push(slot.thread, op.order(order.unwrap_or(weakest)).from(source));
    }
    for write in candidate.finals {
        let loc = location(&mut b, candidate, candidate.locations[*write]?);
        b.final_value(loc, value(structure.events[*write].value)?);
    }
    b.build().ok()
}

fn word(value: Value) -> u64 {
    match value {
        Value::Int(number) => number as u64,
        Value::Address(symbol, offset) => FIRST_ADDRESS + (u64::from(symbol.0) << 20) + offset as u64,
        Value::Code(thread, at) => 2 * FIRST_ADDRESS + (u64::from(thread) << 20) + u64::from(at),
        Value::Unknown(number) => 3 * FIRST_ADDRESS + u64::from(number),
    }
}

/// A location under its name, with what it holds at first.
fn location(
    b: &mut tribunal_history::memory::ExecutionBuilder,
    candidate: &Candidate<'_>,
    location: Location,
) -> LocId {
    let test = candidate.structure.test;
    let loc = b.location(&test.value(Value::Address(location.symbol, location.offset)));
    let first = test.memory.binary_search_by(|(there, _)| there.cmp(&location));
    if let Some((_, value)) = first.ok().and_then(|index| test.memory.get(index)) {
        b.init(loc, word(*value));
    }
    loc
}

/// The order of C11 that an event in these sets has in histories; none for a fence that has no counterpart.
fn order(candidate: &Candidate<'_>, sets: u64) -> Option<Order> {
    let orders =
        [("SC", Order::SeqCst), ("ACQ_REL", Order::AcqRel), ("ACQ", Order::Acquire), ("REL", Order::Release)];
    let has = |name: &str| sets & candidate.ordered(name) != 0;
    // A read-modify-write has the orders of both its halves.
    if has("ACQ") && has("REL") {
        return Some(Order::AcqRel);
    }
    orders.into_iter().find(|(name, _)| has(name)).map(|(_, order)| order)
}
