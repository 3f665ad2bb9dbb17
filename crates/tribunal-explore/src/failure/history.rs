//! An execution of the explorer as a history.

use crate::Failure;
use crate::graph::{Event, Source};
use crate::program::Action;
use std::collections::HashSet;
use std::io;
use tribunal_formats::{Format, Labels, WriteError, Writer, write_history};
use tribunal_history::memory::{self, Execution, LocId, MalformedHistory, Op, Order, Slot};

/// An execution as a history.
///
/// As in sessions, spawns and joins become a release write to a separate location and an acquire read of it. So
/// do dropped handles: the last one reads what the others wrote. A send writes its message to a location of its own, from which it is received, and
/// then updates the number of messages of its channel. Waiting events and choices are not included.
#[derive(Clone, Debug)]
pub struct History {
    /// The history.
    pub execution: Execution,
}

impl History {
    /// Writes the history, for `tribunal explain` and `tribunal view`.
    pub fn write(&self, out: impl io::Write, format: Format) -> Result<(), WriteError> {
        let mut writer = Writer::new(out, format);
        write_history(&mut writer, &self.execution, &Labels::default())?;
        writer.finish()?;
        Ok(())
    }
}

/// Names that are fit for histories as text, each once.
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn new() -> Self {
        // Words that mean something else there.
        Names { taken: ["threads", "name", "expect", "final", "init"].map(String::from).into() }
    }

    fn fit(&mut self, name: &str) -> String {
        let fits = |c: char| !c.is_whitespace() && !c.is_control() && !":;#=,".contains(c);
        let mut fit: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        if fit.is_empty() {
            fit.push('_');
        }
        let base = fit.clone();
        let mut number = 2;
        while !self.taken.insert(fit.clone()) {
            fit = format!("{base}.{number}");
            number += 1;
        }
        fit
    }
}

/// The first `length` events of an execution as a history, `orders` saying what order each has.
pub(super) fn history_of(
    failure: &Failure,
    length: usize,
    orders: impl Fn(&Event) -> Option<Order>,
) -> Result<History, MalformedHistory> {
    let graph = &failure.graph;
    let mut b = Execution::builder();
    let mut names = Names::new();
    for name in &failure.threads {
        b.thread(&names.fit(name));
    }
    let mut names = Names::new();
    let locs: Vec<LocId> = failure.short_names().iter().map(|name| b.location(&names.fit(name))).collect();
    let events = &graph.events()[..length.min(graph.events().len())];
    for event in events {
        if let (Some(loc), Some(_)) = (event.loc(), event.order()) {
            b.init(locs[loc.index()], event.initial);
        }
    }
    let mut slots: Vec<Option<Slot>> = Vec::with_capacity(events.len());
    // By thread, the write of its spawn that it has not read yet.
    let mut spawned: Vec<Option<(LocId, Slot)>> = vec![None; failure.threads.len()];
    // Handles that were given up: of which location, and the write that says so.
    let mut handles: Vec<(LocId, LocId, Slot)> = Vec::new();
    // By event, the message that it sent.
    let mut messages: Vec<Option<(LocId, Slot)>> = vec![None; events.len()];
    for (i, event) in events.iter().enumerate() {
        let thread = event.thread;
        if let Some((loc, slot)) = spawned[thread.index()].take() {
            b.push(thread, Op::read(loc, 1).from(memory::Source::At(slot)).order(Order::Acquire));
        }
        let slot = match event.action {
            _ if event.waiting => None,
            Action::Spawn => {
                let child = event.read as usize;
                let name = failure.threads.get(child).map_or("?", String::as_str);
                let loc = b.location(&names.fit(&format!("spawn({name})")));
                let slot = b.push(thread, Op::write(loc, 1).order(Order::Release));
                if let Some(spawned) = spawned.get_mut(child) {
                    *spawned = Some((loc, slot));
                }
                Some(slot)
            }
            Action::Join { thread: child } => {
                let name = failure.threads.get(child.index()).map_or("?", String::as_str);
                let loc = b.location(&names.fit(&format!("end({name})")));
                let slot = b.push(child, Op::write(loc, 1).order(Order::Release));
                Some(b.push(thread, Op::read(loc, 1).from(memory::Source::At(slot)).order(Order::Acquire)))
            }
            Action::Receive { after, .. }
                if let Source::Event(send) = event.source
                    && event.written.is_none() =>
            {
                messages[send.index()].map(|(own, slot)| {
                    let read = Op::read(own, after + 1).from(memory::Source::At(slot));
                    b.push(thread, read.order(Order::Acquire))
                })
            }
            Action::Send { loc, message: Some(_), .. } if let Some(number) = event.written => {
                let own = b.location(&names.fit(&format!("message({})", failure.location_name(loc))));
                let slot = b.push(thread, Op::write(own, number).order(Order::Release));
                messages[i] = Some((own, slot));
                access(event, &locs, &slots, &orders).map(|op| b.push(thread, op))
            }
            Action::Release { loc, .. } | Action::Receive { loc, .. }
                if matches!(event.action, Action::Release { .. })
                    || matches!(event.source, Source::Choice(_)) =>
            {
                if let Source::Choice(1..) = event.source {
                    let others = handles.iter().filter(|(of, ..)| *of == loc);
                    let reads: Vec<Op> = others
                        .map(|&(_, own, slot)| Op::read(own, 1).from(memory::Source::At(slot)))
                        .collect();
                    let slots: Vec<Slot> =
                        reads.iter().map(|read| b.push(thread, read.order(Order::Acquire))).collect();
                    slots.first().copied()
                } else {
                    let own = b.location(&names.fit(&format!("drop({})", failure.location_name(loc))));
                    let slot = b.push(thread, Op::write(own, 1).order(Order::Release));
                    handles.push((loc, own, slot));
                    Some(slot)
                }
            }
            Action::Fence { order } => Some(b.push(thread, Op::fence(orders(event).unwrap_or(order)))),
            _ => access(event, &locs, &slots, &orders).map(|op| b.push(thread, op)),
        };
        slots.push(slot);
    }
    let execution = b.build()?;
    Ok(History { execution })
}

/// A load, store or RMW.
fn access(
    event: &Event,
    locs: &[LocId],
    slots: &[Option<Slot>],
    orders: &impl Fn(&Event) -> Option<Order>,
) -> Option<Op> {
    if event.is_read() && (event.source == Source::Nothing || event.timed_out()) {
        // It raced before it read, or read nothing.
        return None;
    }
    let loc = locs[event.loc()?.index()];
    let order = orders(event).or(event.order())?;
    let source = match event.source {
        Source::Event(write) => memory::Source::At(slots[write.index()]?),
        _ => memory::Source::Init,
    };
    let op = match (event.is_read(), event.written) {
        (true, Some(value)) => Op::rmw(loc, event.read, value).from(source),
        (true, None) => Op::read(loc, event.read).from(source),
        (false, Some(value)) => Op::write(loc, value),
        (false, None) => return None,
    };
    Some(op.order(order))
}

impl Failure {
    /// The execution as a history.
    pub fn history(&self) -> Result<History, MalformedHistory> {
        history_of(self, self.graph.events().len(), Event::order)
    }
}
