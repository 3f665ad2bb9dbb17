//! Threads that wait for a write, and what it means if no thread can go on.

use super::memory::Memory;
use super::run::{Failed, Outcome, State, Worker};
use crate::graph::{Event, EventId, Source};
use crate::program::{Action, Place, Program, Request};
use crate::report::Problem;
use tribunal::memory::{LocId, ThreadId};

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Whether an event goes on if it reads from a write.
    pub(super) fn lets_go_on(&self, event: &Event, source: Source) -> bool {
        match event.action {
            Action::Await { until, .. } => source != Source::Nothing && until.of(self.value(event, source)),
            Action::AwaitRmw { update, .. } => update.of(self.value(event, source)).is_some(),
            _ => true,
        }
    }

    /// Whether an RMW may wait behind a write: it may read from it, though it cannot go on, and neither another RMW nor the
    /// write's own thread overwrites it.
    pub(super) fn may_wait_behind(&mut self, event: &Event, source: Source) -> bool {
        let (Some(loc), Some(order)) = (event.loc(), event.order()) else { return false };
        !self.lets_go_on(event, source)
            && self.taker(loc, source).is_none()
            && !self.is_overwritten(loc, source)
            && self.memory.admits(event.thread, loc, source, order, false)
    }

    /// Whether an event might wait forever although something lets it go on: mo may end with a write that does not.
    pub(super) fn may_wait_for_ever(&self, event: &Event) -> bool {
        let Some(loc) = event.loc() else { return false };
        let mut writes = self.graph.accesses(loc).writes.iter().map(|&write| Source::Event(write));
        writes.any(|source| !self.lets_go_on(event, source) && self.might_be_last(loc, source))
    }

    /// Whether mo might end with a write, as far as one sees at once.
    fn might_be_last(&self, loc: LocId, source: Source) -> bool {
        match source {
            Source::Event(_) => self.taker(loc, source).is_none() && !self.is_overwritten(loc, source),
            _ => self.graph.accesses(loc).writes.is_empty(),
        }
    }

    /// Whether the thread of a write has written the location again.
    pub(super) fn is_overwritten(&self, loc: LocId, source: Source) -> bool {
        let Source::Event(write) = source else { return false };
        let write = self.graph.event(write);
        self.graph.accesses(loc).writes.iter().any(|&other| {
            let other = self.graph.event(other);
            other.thread == write.thread && other.index > write.index
        })
    }

    /// The RMW that reads from a write.
    pub(super) fn taker(&self, loc: LocId, source: Source) -> Option<EventId> {
        let mut reads = self.graph.accesses(loc).reads.iter().copied();
        reads.find(|&read| {
            let reader = self.graph.event(read);
            reader.source == source && reader.written.is_some()
        })
    }

    /// Whether a thread may read from a write whatever others do: each write of the location that happens before the thread's next event comes before it
    /// in mo, by program order and RMWs alone.
    pub(super) fn stays_readable(&self, event: &Event, source: Source) -> bool {
        let Some(loc) = event.loc() else { return false };
        let mut before = Vec::new();
        let mut at = source;
        while let Source::Event(write) = at {
            before.push(write);
            let written = self.graph.event(write);
            at = match written.action {
                Action::Store { .. } => {
                    let writes = self.graph.accesses(loc).writes.iter().copied();
                    let mut own = writes.filter(|&other| {
                        let other = self.graph.event(other);
                        other.thread == written.thread && other.index < written.index
                    });
                    own.next_back().map_or(Source::Init, Source::Event)
                }
                _ => written.source,
            };
        }
        self.graph.accesses(loc).writes.iter().all(|&write| {
            let by = self.graph.event(write).thread;
            before.contains(&write) || !self.memory.happens_before(write, by, event.thread)
        })
    }

    /// How an event waits, if it does.
    pub(super) fn preferred_wait(&mut self, event: &Event) -> Option<Source> {
        match event.action {
            Action::AwaitRmw { loc, .. } => {
                let mut writes = std::mem::take(&mut self.preference);
                self.by_preference(loc, &mut writes);
                let found = writes.iter().copied().find(|&source| self.may_wait_behind(event, source));
                self.preference = writes;
                found
            }
            _ => Some(Source::Nothing),
        }
    }

    /// No thread can go on.
    pub(super) fn end(&mut self) -> Result<Outcome, Failed> {
        let state = |thread: &ThreadId| self.runners[thread.index()].as_ref().map(|runner| runner.state);
        if self.order.iter().all(|thread| state(thread) == Some(State::Ended)) {
            return match self.program.finish(&self.graph) {
                Ok(()) => Ok(Outcome::Complete),
                Err(problem) => Err((problem, Place::default(), None)),
            };
        }
        let claims = |state| matches!(state, Some(State::Stopped | State::Claiming(_)));
        if self.order.iter().any(|thread| claims(state(thread))) || !self.is_stuck() {
            return Ok(Outcome::Blocked);
        }
        let mut waiting = Vec::new();
        let mut spinning = true;
        for &thread in &self.order {
            let Some(runner) = &self.runners[thread.index()] else { continue };
            match runner.state {
                State::Waiting(place) => (waiting.push((thread, place)), spinning = false).0,
                State::Spinning(place) => waiting.push((thread, place)),
                State::Ended => {}
                _ => {
                    let pending = runner.pending.as_ref();
                    // In guided executions what waits is not an event.
                    let waits = |request: &Request| {
                        matches!(request.action, Action::Await { .. } | Action::AwaitRmw { .. })
                    };
                    spinning &= !pending.is_some_and(waits);
                    waiting.push((thread, pending.map_or(Place::default(), |request| request.place)));
                }
            }
        }
        waiting.sort_by(|(a, _), (b, _)| self.threads.compare(*a, *b));
        let (thread, place) = waiting[waiting.len() - 1];
        let problem = if spinning { Problem::Livelock { waiting } } else { Problem::Deadlock { waiting } };
        Err((problem, place, Some(thread)))
    }

    /// Whether what threads wait for will never come, however long they look: mo may end with what they have seen.
    pub(super) fn is_stuck(&mut self) -> bool {
        // For each location that is waited for, the writes that are no help.
        let mut seen: Vec<(LocId, Vec<Source>)> = Vec::new();
        for &thread in &self.order {
            let Some(runner) = &self.runners[thread.index()] else { continue };
            let events = self.graph.thread(thread);
            match runner.state {
                State::Spinning(_) => {
                    for &id in &events[runner.since as usize..] {
                        let event = self.graph.event(id);
                        if let (true, Some(loc)) = (event.is_read(), event.loc()) {
                            let last = if event.written.is_some() { Source::Event(id) } else { event.source };
                            seen.push((loc, vec![last]));
                        }
                    }
                }
                State::Waiting(_) => {
                    let Some(&id) = events.last() else { continue };
                    let event = self.graph.event(id);
                    let Some(loc) = event.loc() else { continue };
                    let writes = self.graph.accesses(loc).writes.iter().map(|&write| Source::Event(write));
                    let useless =
                        writes.chain([Source::Init]).filter(|&source| !self.lets_go_on(event, source));
                    let useless: Vec<Source> = useless.collect();
                    seen.push((loc, useless));
                }
                _ => {}
            }
        }
        for (loc, sources) in &mut seen {
            sources.retain(|&source| self.might_be_last(*loc, source));
        }
        if seen.iter().any(|(_, sources)| sources.is_empty()) {
            return false;
        }
        let mut chosen = Vec::with_capacity(seen.len());
        self.may_end_with(&seen, &mut chosen)
    }

    pub(super) fn may_end_with(
        &mut self,
        seen: &[(LocId, Vec<Source>)],
        chosen: &mut Vec<(LocId, Source)>,
    ) -> bool {
        let Some((loc, sources)) = seen.get(chosen.len()) else { return true };
        for &source in sources {
            chosen.push((*loc, source));
            if self.poll().is_some() {
                return false;
            }
            if self.memory.may_be_last(chosen) && self.may_end_with(seen, chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }
}
