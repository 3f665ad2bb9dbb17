//! Threads that wait for a lock.
//!
//! What is done to a [lock](crate::program::Program::is_lock) has one order. A thread that comes to a lock that is held waits, and constrains nothing. When the lock is given
//! back, the run ends, and goes on in one for each thread that waits: it takes the lock, and all other events stay. So no run ends because a lock is held, unless for good. A
//! thread that comes to a free lock takes it, and tries to take it in place of each that took it before, which then waits.
//!
//! An event that takes a lock thus has two times: when its thread came, and when it took the lock. What a [revisit](super::revisit) takes back counts as preferred if each lock went, as
//! soon as it was free, to the thread that had waited for it longest; so each execution still has one way that leads to it. What takes a lock without waiting for it (a try) is an
//! RMW like any other, except that it prefers no lock that is free while another thread waits for it.

use super::memory::Memory;
use super::revisit::Try;
use super::run::Worker;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::Program;
use tribunal_history::memory::LocId;

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// A thread takes a lock that it waited for: all events stay.
    pub(super) fn install_freed(&mut self, trace: &Graph, source: Source, wait: EventId) -> bool {
        let events = trace.events();
        self.new_places.clear();
        let place = |event: usize| event as u32 - u32::from(event > wait.index());
        self.new_places.extend((0..events.len()).map(place));
        let others = events.iter().enumerate().filter(|&(event, _)| event != wait.index());
        let kept: Vec<Event> = others
            .map(|(_, event)| Event { source: self.kept_source(event.source), ..event.clone() })
            .collect();
        let mut wait = trace.event(wait).clone();
        wait.write_stamp = events.iter().map(|event| event.write_stamp + 1).max().unwrap_or(0);
        let source = self.kept_source(source);
        if !self.adopt(&kept) {
            return false;
        }
        self.redirect(&mut wait, source);
        self.add(wait)
    }

    /// An event that took a lock as it was when it waited for that.
    pub(super) fn waiting(&self, mut event: Event) -> Event {
        self.redirect(&mut event, Source::Nothing);
        event.write_stamp = event.stamp;
        event
    }

    /// Threads that wait for a lock that is free are to take it, in any order. If there are several such locks, that for which a thread has waited longest comes first.
    pub(super) fn free_waiting(&mut self) {
        let events = (0..).map(EventId).zip(self.graph.events());
        let end = self.graph.len();
        let mut freed: Vec<(EventId, &Event)> =
            events.filter(|(_, event)| is_free_for(event, &self.graph, end)).collect();
        freed.sort_by_key(|(_, event)| std::cmp::Reverse(event.stamp));
        let Some(loc) = freed.last().and_then(|(_, event)| event.loc()) else { return };
        let source = last_of_lock(loc, &self.graph, end);
        freed.retain(|(_, event)| event.loc() == Some(loc));
        let tries: Vec<Try> = freed.into_iter().map(|(wait, _)| Try::Free { source, wait }).collect();
        self.frees = true;
        self.todo.extend(tries);
    }
}

/// The last write of a lock among the first events.
fn last_of_lock(loc: LocId, graph: &Graph, events: usize) -> Source {
    let mut writes = graph.accesses(loc).writes.iter().rev();
    writes.find(|write| write.index() < events).map_or(Source::Init, |&last| Source::Event(last))
}

/// Whether an event waits for a lock that nobody holds behind the first events.
pub(super) fn is_free_for(event: &Event, graph: &Graph, events: usize) -> bool {
    let Some(loc) = event.loc().filter(|_| event.of_lock && event.waiting) else { return false };
    let value = match last_of_lock(loc, graph, events) {
        Source::Event(write) => graph.event(write).written.unwrap_or_default(),
        _ => event.initial,
    };
    event.might_take(loc, value)
}

/// Since when an event that takes a lock from there, or another one, has waited for that, if one has. So nobody who came later could take it from there.
pub(super) fn handed(trace: &Graph, at: EventId, source: Source) -> Option<(u32, LocId)> {
    let taker = trace.event(at);
    let loc = taker.loc().filter(|_| taker.took_lock())?;
    let read = match source {
        Source::Event(write) => trace.event(write).written.unwrap_or_default(),
        _ => taker.initial,
    };
    let taker = Event { read, ..taker.clone() };
    let before = trace.events()[..at.index()].iter().filter(|other| other.waiting);
    let waits = before.filter(|other| other.might_overtake(&taker)).map(|other| other.stamp);
    waits.chain(taker.has_waited().then_some(taker.stamp)).min().map(|since| (since, loc))
}
