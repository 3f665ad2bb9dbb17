//! The values that locations may have in the end: those that are last in some modification order of the execution.

use crate::graph::{Event, EventId, Graph, Source};
use crate::program::Action;
use crate::report::Problem;
use tribunal_engines::memory::judge;
use tribunal_history::memory::{self, Execution, ExecutionBuilder, LocId, Op, Order, Slot, ThreadId};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

/// Computes final values under a model.
#[derive(Clone, Debug)]
pub(super) struct FinalValues {
    model: Model,
}

impl FinalValues {
    pub fn new(model: Model) -> Self {
        FinalValues { model }
    }

    /// Calls `found` with each combination of final values of these locations, until a limit is reached.
    pub fn each(
        &self,
        graph: &Graph,
        locs: &[LocId],
        initial: &[u64],
        limits: &Limits<'_>,
        mut found: impl FnMut(&[u64]) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut candidates: Vec<Vec<u64>> = Vec::with_capacity(locs.len());
        for &loc in locs {
            if limits.check(0).is_err() {
                return Ok(());
            }
            candidates.push(last_values(graph, loc, initial));
        }
        // There is a modification order, so that a value that is the only one is possible.
        if candidates.iter().all(|values| values.len() == 1) {
            return found(&candidates.concat());
        }
        let events = history(graph, initial, self.model);
        let mut digits = vec![0; locs.len()];
        while limits.check(0).is_ok() {
            let values: Vec<u64> = digits.iter().zip(&candidates).map(|(&digit, of)| of[digit]).collect();
            if self.is_possible(events.clone(), locs, &values, limits)? {
                found(&values)?;
            }
            // The next combination, as an odometer turns.
            let turning = (0..digits.len()).find(|&place| digits[place] + 1 < candidates[place].len());
            let Some(place) = turning else { return Ok(()) };
            digits[..place].fill(0);
            digits[place] += 1;
        }
        Ok(())
    }

    /// Whether an execution may end with these values; no if a limit is reached.
    fn is_possible(
        &self,
        mut builder: ExecutionBuilder,
        locs: &[LocId],
        values: &[u64],
        limits: &Limits<'_>,
    ) -> Result<bool, Problem> {
        let misuse = |message: String| Problem::Misuse { message };
        for (&loc, &value) in locs.iter().zip(values) {
            builder.final_value(loc, value);
        }
        let execution = builder.build().map_err(|error| misuse(format!("final values: {error}")))?;
        match judge(&execution, self.model, limits).0 {
            Verdict::Consistent(_) => Ok(true),
            Verdict::Inconsistent(_) => Ok(false),
            Verdict::Undecided(_) if limits.check(0).is_err() => Ok(false),
            Verdict::Undecided(limit) => Err(misuse(format!("final values are undecided: {limit}"))),
            Verdict::Unsupported(why) => Err(misuse(format!("final values: {why}"))),
        }
    }
}

/// The values that may be the last of a location: not those of writes that an RMW or a later write of the thread overwrites.
fn last_values(graph: &Graph, loc: LocId, initial: &[u64]) -> Vec<u64> {
    let writes = || graph.accesses(loc).writes.iter().map(|&id| (id, graph.event(id)));
    let is_last = |&(id, write): &(EventId, &Event)| {
        !writes().any(|(_, other)| {
            other.thread == write.thread && other.index > write.index || other.source == Source::Event(id)
        })
    };
    let mut values: Vec<u64> = writes().filter(is_last).filter_map(|(_, write)| write.written).collect();
    if values.is_empty() {
        values.push(initial[loc.index()]);
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// An execution as a history: its locations have their numbers, and behind them there are those of spawns and joins.
fn history(graph: &Graph, initial: &[u64], model: Model) -> ExecutionBuilder {
    let mut builder = Execution::builder();
    for (number, &value) in initial.iter().enumerate() {
        let loc = builder.location(&format!("l{number}"));
        builder.init(loc, value);
    }
    let threads = graph.events().iter().map(|event| event.thread.index() + 1).max().unwrap_or_default();
    (0..threads).for_each(|thread| _ = builder.thread(&format!("T{thread}")));
    let mut slots: Vec<Slot> = Vec::with_capacity(graph.events().len());
    for (number, event) in graph.events().iter().enumerate() {
        let thread = event.thread;
        // What is read is known by its place.
        let from = match event.source {
            Source::Event(write) => memory::Source::At(slots[write.index()]),
            _ => memory::Source::Init,
        };
        let slot = match (&event.action, event.written) {
            _ if event.timed_out() => Slot { thread, index: 0 },
            (Action::Load { loc, order } | Action::Await { loc, order, .. }, _) => {
                builder.push(thread, Op::read(*loc, event.read).order(*order).from(from))
            }
            (Action::Rmw { loc, failure, .. }, None) => {
                builder.push(thread, Op::read(*loc, event.read).order(*failure).from(from))
            }
            (Action::Rmw { loc, order, .. } | Action::AwaitRmw { loc, order, .. }, Some(value)) => {
                builder.push(thread, Op::rmw(*loc, event.read, value).order(*order).from(from))
            }
            (Action::Store { loc, order, value }, _) => {
                builder.push(thread, Op::write(*loc, *value).order(*order))
            }
            (Action::Fence { order }, _) => builder.push(thread, Op::fence(*order)),
            (Action::Join { thread: child }, _) => {
                hand_over(&mut builder, *child, thread, &format!("join{number}"), model)
            }
            _ => Slot { thread, index: 0 },
        };
        slots.push(slot);
    }
    builder
}

/// One thread tells another all that it knows; see [sessions](tribunal_engines::memory::session).
fn hand_over(builder: &mut ExecutionBuilder, from: ThreadId, to: ThreadId, name: &str, model: Model) -> Slot {
    let (loc, fenced) = (builder.location(name), model == Model::Pso);
    if fenced {
        builder.push(from, Op::fence(Order::Release));
    }
    builder.push(from, Op::write(loc, 1).order(Order::Release));
    let slot = builder.push(to, Op::read(loc, 1).order(Order::Acquire));
    if fenced {
        builder.push(to, Op::fence(Order::Acquire));
    }
    slot
}
