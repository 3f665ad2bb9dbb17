//! Threads that wait for a write, and what it means if no thread can go on.
//!
//! **What waits tries.** An event that is added tries what lets it go on, and to wait: then it reads nothing and constrains nothing. It does not try to wait if nobody can keep it from
//! going on but an RMW that takes what it reads, and if no write is there behind which it may wait forever. Then each later write that would not let it go on tries that it waits behind
//! it. If what the event could read is no longer to be had with such writes around, a revisit finds it waiting where it should: it may do so behind one of them alone, the
//! [first](Worker::is_first_behind), or executions would come twice. That one always gets its turn: before it there is no write that does not let the event go on, so that it goes on.
//!
//! **Timeouts.** A wait may time out when no thread can go on, and mo may end so that nobody who waits ever can. Each such wait does so in turn, in an execution of its own. What was
//! there before has then happened: a later write revisits no read of it. An execution with timeouts is thus a sequence of phases, each of which begins with the graph of
//! the one before, except for what waits there, and with a timeout. Within a phase the search is the same as without: it is that of a program whose first events are given. Threads
//! that waited wait again, as new events of the phase, and those that spin go round once more. So each phase has each of its graphs once, by the argument of
//! [`search`](super), and each graph in which no thread can go on begins as many phases as there are waits that may time out: nothing is left out, and nothing comes twice. (Graphs that
//! differ in what threads wait for alone count as one: the first that is found goes on.)
//! A thread that times out again and again in a loop that changes nothing does so once for each thing that happens elsewhere, see [`spin`](super::spin).

use super::memory::Memory;
use super::revisit::Try;
use super::run::{Failed, Outcome, State, Worker};
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::{Action, Place, Program, Request};
use crate::report::Problem;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use tribunal_history::memory::{LocId, ThreadId};

/// What comes of an execution in which no thread can go on.
pub(super) enum Standstill {
    /// A thread can, after all.
    GoesOn,
    /// The run is to be begun again, with what was learned.
    Again,
    /// It goes on with timeouts, in other runs.
    Continued,
    /// It does so elsewhere.
    Elsewhere,
    End,
}

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Whether an event goes on if it reads from a write.
    pub(super) fn lets_go_on(&self, event: &Event, source: Source) -> bool {
        match event.action {
            Action::Await { until, .. } => until.of(self.value(event, source)),
            Action::AwaitRmw { update, .. } => update.of(self.value(event, source)).is_some(),
            _ => true,
        }
    }

    /// Whether an event might wait forever although something lets it go on: mo may end with a write that does not.
    pub(super) fn may_wait_for_ever(&self, event: &Event) -> bool {
        let Some(loc) = event.loc() else { return false };
        let mut writes = self.graph.accesses(loc).writes.iter().map(|&write| Source::Event(write));
        writes.any(|source| !self.lets_go_on(event, source) && self.might_be_last(loc, source))
    }

    /// The writes that came later than an event and do not let it go on.
    pub(super) fn later_useless(&self, event: &Event) -> impl Iterator<Item = EventId> {
        let writes = event.loc().map_or(&[][..], |loc| &self.graph.accesses(loc).writes);
        writes.iter().copied().filter(|&write| {
            self.graph.event(write).stamp > event.stamp && !self.lets_go_on(event, Source::Event(write))
        })
    }

    /// Whether an event that waits behind a write does so behind the first of those that came later and that it might wait behind: one that none of the others is before, of the
    /// least thread. So of the executions that differ in this alone, one is gone on from.
    pub(super) fn is_first_behind(&self, event: &Event) -> bool {
        let Source::Event(behind) = event.source else { return true };
        let is_minimal = |write: EventId| {
            !self.later_useless(event).any(|other| other != write && self.graph.is_before(other, write))
        };
        let thread = |write: EventId| self.graph.event(write).thread;
        let is_less = |write: EventId| self.threads.compare(thread(write), thread(behind)).is_lt();
        is_minimal(behind) && !self.later_useless(event).any(|write| is_less(write) && is_minimal(write))
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
        let before = self.known_before(loc, source);
        self.graph.accesses(loc).writes.iter().all(|&write| {
            let by = self.graph.event(write).thread;
            before.contains(&write) || !self.memory.happens_before(write, by, event.thread)
        })
    }

    /// A write, and those that come before it in mo by program order and RMWs alone.
    pub(super) fn known_before(&self, loc: LocId, source: Source) -> Vec<EventId> {
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
        before
    }

    /// No thread can go on: whether one may after all.
    pub(super) fn standstill(&mut self) -> Standstill {
        if self.guide.is_some() {
            let goes_on = self.look_again() || self.time_out();
            return if goes_on { Standstill::GoesOn } else { Standstill::End };
        }
        match self.release_observed() {
            Some(true) => return Standstill::GoesOn,
            Some(false) => return Standstill::Again,
            None => {}
        }
        let state = |thread: &ThreadId| self.runners[thread.index()].as_ref().map(|runner| runner.state);
        let states: Vec<(ThreadId, Option<State>)> =
            self.order.iter().map(|thread| (*thread, state(thread))).collect();
        let stops = |state| matches!(state, Some(State::Stopped | State::Claiming(_)));
        let last = |thread: ThreadId| self.graph.thread(thread).last().copied();
        let waits = states.iter().filter(|(_, state)| matches!(state, Some(State::Waiting(_))));
        let timed = waits
            .filter_map(|&(thread, _)| last(thread))
            .filter(|&wait| self.graph.event(wait).action.may_time_out());
        let mut timed: Vec<EventId> = timed.collect();
        let may_time_out = |request: &Request| request.action.may_time_out();
        let receives =
            self.order.iter().filter(|&&thread| self.waiting_receive(thread).is_some_and(may_time_out));
        let receives: Vec<ThreadId> = receives.copied().collect();
        let idle = timed.is_empty() && receives.is_empty() && !self.is_any_spinning();
        if idle || states.iter().any(|&(_, state)| stops(state)) || !self.is_stuck() {
            return Standstill::End;
        }
        for thread in receives {
            timed.push(EventId(self.graph.len() as u32));
            self.show_waiting_receive(thread);
        }
        if !timed.is_empty() {
            // Executions may differ in what threads wait for alone: one of them goes on.
            if !self.threads.is_first_standstill(self.standstill_key()) {
                return Standstill::Elsewhere;
            }
            self.todo.extend(timed.into_iter().map(|at| Try::Timeout { at }));
            return Standstill::Continued;
        }
        for (thread, _) in states {
            match self.run_on(thread) {
                Some(true) => return Standstill::GoesOn,
                Some(false) => {}
                None => return Standstill::Again,
            }
        }
        Standstill::End
    }

    /// Goes on with a run that is blocked, if what is to be tried next lets a thread go on that waits, and takes back nothing that a thread has gone on from: only events that wait, and
    /// ends of threads, which are added again. `trace` is its graph. Says whether the try was installed; if so, the run stands at it.
    ///
    /// This is what another run would do that is begun for the try. So a blocked execution that leads on is not a run of its own.
    pub(super) fn free(&mut self, trace: &Graph, attempt: Try) -> Option<bool> {
        let (read, gone): (EventId, Vec<Event>) = match attempt {
            Try::Backward { at, source, read } => {
                let (write, wait) = (trace.events().get(at.index())?, trace.event(read));
                if !wait.waiting || write.source != source {
                    return None;
                }
                let stays = |event: &Event| event.time() < wait.stamp || trace.has_before(event, at);
                let (until, behind) = trace.events().split_at(at.index() + 1);
                let gone = until.iter().filter(|event| !stays(event)).chain(behind);
                (read, gone.cloned().collect())
            }
            Try::Free { wait, .. } => (wait, Vec::new()),
            _ => return None,
        };
        let wait = trace.event(read);
        let stands = |event: &Event| {
            let is_last = trace.thread(event.thread).len() == event.index as usize + 1;
            let runner = self.runners[event.thread.index()].as_ref();
            let stands = runner.is_some_and(|runner| {
                let state = matches!(runner.state, State::Waiting(_) | State::Ended);
                state && !runner.tried && runner.pending.is_none()
            });
            is_last && stands
        };
        if !gone.iter().all(stands) {
            return None;
        }
        if !self.install(trace, attempt) {
            return Some(false);
        }
        let (thread, last) = (wait.thread, EventId(self.graph.len() as u32 - 1));
        for event in gone.into_iter().filter(|event| event.thread != thread) {
            let runner = self.runner(event.thread);
            (runner.state, runner.yields, runner.unseen) = (State::Running, event.yields, event.unseen);
            runner.pending = Some(Request { action: event.action, place: event.place });
        }
        self.settle(last);
        self.stamp = self.graph.events().iter().map(|event| event.write_stamp + 1).max().unwrap_or(0);
        Some(true)
    }

    /// What has happened in the execution: what each event that does not wait took, and the timeouts in their order.
    fn standstill_key(&self) -> (u64, u64) {
        let mut hashers = [FxHasher::default(), FxHasher::default()];
        hashers[1].write_u64(1);
        let mut lengths = vec![0_u32; self.runners.len()];
        let place = |id: EventId| (self.graph.event(id).thread, self.graph.event(id).index);
        let mut events: Vec<&Event> = self.graph.events().iter().filter(|event| !event.waiting).collect();
        let mut timeouts = Vec::new();
        for event in &events {
            if event.timed_out() {
                timeouts.push((event.thread, lengths.clone()));
            }
            lengths[event.thread.index()] += 1;
        }
        events.sort_by_key(|event| (event.thread, event.index));
        for hasher in &mut hashers {
            for event in &events {
                event.thread.hash(hasher);
                match event.source {
                    Source::Event(write) => place(write).hash(hasher),
                    other => other.hash(hasher),
                }
            }
            timeouts.hash(hasher);
        }
        (hashers[0].finish(), hashers[1].finish())
    }

    /// No thread can go on.
    pub(super) fn end(&mut self) -> Result<Outcome, Failed> {
        let state = |thread: &ThreadId| self.runners[thread.index()].as_ref().map(|runner| runner.state);
        if self.order.iter().all(|thread| state(thread) == Some(State::Ended)) {
            return self.complete();
        }
        let claims = |state| matches!(state, Some(State::Stopped | State::Claiming(_)));
        if self.order.iter().any(|thread| claims(state(thread))) || !self.is_stuck() {
            return Ok(Outcome::Blocked);
        }
        if self.is_all_left() {
            return self.complete();
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
                    // A receive that waits is not an event; in guided executions nothing is.
                    let waits = |request: &Request| {
                        use Action::{Await, AwaitRmw, Receive};
                        matches!(request.action, Await { .. } | AwaitRmw { .. } | Receive { .. })
                    };
                    spinning &= !pending.is_some_and(waits);
                    waiting.push((thread, pending.map_or(Place::default(), |request| request.place)));
                }
            }
        }
        waiting.sort_by(|(a, _), (b, _)| self.threads.compare(*a, *b));
        // For people.
        (0..self.order.len()).for_each(|i| self.show_waiting_receive(self.order[i]));
        let (thread, place) = waiting[waiting.len() - 1];
        let problem = if spinning { Problem::Livelock { waiting } } else { Problem::Deadlock { waiting } };
        Err((problem, place, Some(thread)))
    }

    /// Whether the main thread has ended, and all that wait may [be left](Program::may_be_left).
    fn is_all_left(&self) -> bool {
        let has_ended = |thread: ThreadId| {
            self.runners[thread.index()].as_ref().is_some_and(|runner| runner.state == State::Ended)
        };
        has_ended(ThreadId::from_index(0))
            && self.order.iter().all(|&thread| has_ended(thread) || self.program.may_be_left(thread))
    }

    /// The receive that a thread waits in: it is no event yet.
    fn waiting_receive(&self, thread: ThreadId) -> Option<&Request> {
        let pending = self.runners[thread.index()].as_ref()?.pending.as_ref();
        pending.filter(|request| matches!(request.action, Action::Receive { .. }))
    }

    /// Makes a receive that waits part of the execution, if a thread waits in one.
    fn show_waiting_receive(&mut self, thread: ThreadId) {
        if let Some(request) = self.waiting_receive(thread).cloned() {
            let mut event = Event { waiting: true, ..self.event_of(thread, &request) };
            self.place(&mut event);
            self.push(event);
        }
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
                        if let Action::Receive { loc, .. } = event.action
                            && self.graph.is_disconnected(loc)
                        {
                            return false;
                        }
                        if let (true, false, Some(loc)) = (event.is_read(), event.timed_out(), event.loc()) {
                            let last = match event.written {
                                _ if event.waiting => self.useless(event, loc),
                                Some(_) => vec![self.behind_spinning(loc, Source::Event(id))],
                                None => {
                                    // What another takes back is not the last word.
                                    let last = self.behind_spinning(loc, event.source);
                                    let stays = self.value(event, last) == event.read;
                                    if stays { vec![last] } else { Vec::new() }
                                }
                            };
                            seen.push((loc, last));
                        }
                    }
                }
                State::Waiting(_) => {
                    let Some(&id) = events.last() else { continue };
                    let event = self.graph.event(id);
                    let Some(loc) = event.loc() else { continue };
                    seen.push((loc, self.useless(event, loc)));
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

    /// The writes that do not let an event go on.
    fn useless(&self, event: &Event, loc: LocId) -> Vec<Source> {
        let writes = self.graph.accesses(loc).writes.iter().map(|&write| Source::Event(write));
        writes.chain([Source::Init]).filter(|&source| !self.lets_go_on(event, source)).collect()
    }

    /// What a write is followed by, as far as threads that spin have overwritten it.
    fn behind_spinning(&self, loc: LocId, mut source: Source) -> Source {
        loop {
            let follows = |id: &EventId| {
                let event = self.graph.event(*id);
                let own = matches!(source, Source::Event(of) if {
                    let of = self.graph.event(of);
                    of.thread == event.thread && event.index > of.index && !event.is_read()
                });
                self.is_spinning(event) && (own || event.is_read() && event.source == source)
            };
            match self.graph.accesses(loc).writes.iter().find(|id| follows(id)) {
                Some(&next) => source = Source::Event(next),
                None => return source,
            }
        }
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
