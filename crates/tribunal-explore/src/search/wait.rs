//! Threads that wait, for a lock or in a loop, and what it means if none can go on.

use super::memory::Memory;
use super::run::{Failed, Outcome, State, Worker, operands, same};
use crate::graph::{Event, EventId, Source};
use crate::program::{Action, Answer, Place, Program, Request};
use crate::report::Problem;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use tribunal::memory::{LocId, ThreadId};

/// How often a loop must come round again, having read the same, to be taken for one that waits.
const ROUNDS: usize = 16;

/// The same for a loop that does not say that it waits: how often it did so before it is tried, how often it must then, and its most events.
const REPEATS: usize = 8;
const UNMARKED_ROUNDS: usize = 100;
const LONGEST_UNMARKED: usize = 8;

/// The most events, and yields in a row, of a round.
const LONGEST: usize = 64;

/// How often a run is begun again because of what was learnt of a loop. A loop that is never known again, since addresses go into what its thread is told, is
/// then taken as it is.
const ATTEMPTS: usize = 200;

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

    /// Whether an event might wait for ever although something lets it go on: mo may end with a write that does not.
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

    /// Whether a thread goes on from a yield. Not so if it is in a loop: if it does again what it did last, told the same, as often as it is tried,
    /// and this changes nothing. None if that was tried and is not so: then the run is to be begun again.
    pub(super) fn passes(&mut self, thread: ThreadId, place: Place) -> Option<bool> {
        let (since, guided) = (self.runner(thread).since as usize, self.guide.is_some());
        let ids = self.graph.thread(thread);
        let count = ids.len();
        // A round may have yields within.
        let since = if guided { since } else { count.saturating_sub(LONGEST) };
        let events: Vec<Event> = ids[since..].iter().map(|&id| self.graph.event(id).clone()).collect();
        let may_repeat = events.iter().rev().take_while(|event| may_be_repeated(event)).count();
        let starts =
            (events.len() - may_repeat..events.len()).filter(|&start| changes_nothing(&events[start..]));
        let starts: Vec<usize> = starts.rev().collect();
        let shortest = starts.first().map_or(0, |&start| events.len() - start);
        let found = match self.loops.get(&self.history(thread, place)) {
            _ if starts.is_empty() || self.attempts > ATTEMPTS => Loop::Passes,
            // What comes next cannot be tried: somebody else decides on it.
            _ if guided => Loop::Waits { events: shortest },
            Some(&known) => known,
            None => Loop::Untried { skip: 0 },
        };
        let found = match found {
            Loop::Untried { skip } => {
                let found = self.try_round((thread, place), &events, &starts, skip);
                self.loops.insert(self.history(thread, place), found);
                if !matches!(found, Loop::Waits { .. }) {
                    return None;
                }
                found
            }
            known => known,
        };
        let waits = matches!(found, Loop::Waits { .. });
        let iteration = if let Loop::Waits { events } = found { events } else { 0 };
        self.runner(thread).since = (count - iteration) as u32;
        Some(!waits)
    }

    /// Lets a thread go on from a yield to see whether it comes back to it. Of the events that may be the last iteration, those that begin with its next
    /// operation are tried, the last ones first; `skip` of them were tried before.
    fn try_round(
        &mut self,
        (thread, place): (ThreadId, Place),
        events: &[Event],
        starts: &[usize],
        skip: usize,
    ) -> Loop {
        let fresh = LocId::from_index(self.fresh as usize);
        let mut next = self.resume(thread, fresh);
        // Yields within the round, and at its end if there are several in a row.
        let mut yields = 0;
        while let Action::Yield = next.action
            && yields < LONGEST
        {
            next = self.resume(thread, fresh);
            yields += 1;
        }
        let mut fitting = starts.iter().filter(|&&start| repeats(&events[start], &next));
        let Some(&start) = fitting.nth(skip) else { return Loop::Passes };
        let iteration = &events[start..];
        for _ in 0..ROUNDS {
            let mut back = false;
            for event in iteration {
                if !repeats(event, &next) {
                    return Loop::Untried { skip: skip + 1 };
                }
                self.runner(thread).answer = match event.action {
                    Action::Fence { .. } | Action::Store { .. } => Answer::Done,
                    Action::Release { .. } => Answer::Value(0),
                    _ => Answer::Value(event.read),
                };
                next = self.resume(thread, fresh);
                let mut yields = 0;
                back = false;
                while let Action::Yield = next.action
                    && yields < LONGEST
                {
                    back |= next.place == place;
                    next = self.resume(thread, fresh);
                    yields += 1;
                }
            }
            if !back {
                return Loop::Untried { skip: skip + 1 };
            }
        }
        Loop::Waits { events: iteration.len() }
    }

    /// Whether a thread goes on after a read. Not so if it is in a loop that waits without saying so: if it did the same many times in a row, which
    /// changed nothing, and does it many times more, told the same. None as for a yield.
    pub(super) fn goes_on(&mut self, thread: ThreadId) -> Option<bool> {
        let ids = self.graph.thread(thread);
        let event = |back: usize| self.graph.event(ids[ids.len() - back]);
        let alike =
            |a: &Event, b: &Event| a.source == b.source && a.place == b.place && same(&a.action, &b.action);
        let repeated = |k: usize| (1..=(REPEATS - 1) * k).all(|back| alike(event(back), event(back + k)));
        let found = (1..=LONGEST_UNMARKED).find(|&k| ids.len() >= REPEATS * k && repeated(k));
        let Some(k) = found else { return Some(true) };
        let round: Vec<Event> = (1..=k).rev().map(|back| event(back).clone()).collect();
        if self.attempts > ATTEMPTS || !changes_nothing(&round) || !round.iter().all(may_be_repeated) {
            return Some(true);
        }
        let (key, count) = (self.history(thread, round[k - 1].place), ids.len());
        match self.loops.get(&key) {
            Some(Loop::Waits { .. }) => {}
            Some(_) => return Some(true),
            None => {
                let fresh = LocId::from_index(self.fresh as usize);
                let mut comes_round = true;
                for event in round.iter().cycle().take(UNMARKED_ROUNDS * k) {
                    let next = self.resume(thread, fresh);
                    comes_round = repeats(event, &next);
                    if !comes_round {
                        break;
                    }
                    self.runner(thread).answer = match event.action {
                        Action::Fence { .. } | Action::Store { .. } => Answer::Done,
                        Action::Release { .. } => Answer::Value(0),
                        _ => Answer::Value(event.read),
                    };
                }
                self.loops.insert(key, if comes_round { Loop::Waits { events: k } } else { Loop::Passes });
                if !comes_round {
                    return None;
                }
            }
        }
        self.runner(thread).since = (count - k) as u32;
        Some(false)
    }

    /// What a thread was told until now.
    pub(super) fn history(&self, thread: ThreadId, place: Place) -> u64 {
        // Large values may be addresses, which are not the same in the next run: what matters is where they come from.
        let is_large = |value: u64| value > u64::from(u32::MAX);
        let mut prefixes = None;
        let mut hasher = FxHasher::default();
        (thread, place).hash(&mut hasher);
        for &id in self.graph.thread(thread) {
            let event = self.graph.event(id);
            if is_large(event.read) || event.written.is_some_and(is_large) {
                let prefixes: &Vec<u64> = prefixes.get_or_insert_with(|| self.prefixes());
                (prefixes[id.index()], event.written.is_some(), event.waiting).hash(&mut hasher);
            } else {
                (event.read, event.written, event.waiting).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// For each event, what is before it in program order and reads-from.
    fn prefixes(&self) -> Vec<u64> {
        let mut prefixes: Vec<u64> = Vec::with_capacity(self.graph.len());
        let mut last: FxHashMap<ThreadId, u64> = FxHashMap::default();
        for event in self.graph.events() {
            let mut hasher = FxHasher::default();
            (event.thread, last.get(&event.thread)).hash(&mut hasher);
            match event.source {
                Source::Event(source) => prefixes[source.index()].hash(&mut hasher),
                other => other.hash(&mut hasher),
            }
            let prefix = hasher.finish();
            last.insert(event.thread, prefix);
            prefixes.push(prefix);
        }
        prefixes
    }

    /// In a guided execution, threads that wait in loops look again.
    pub(super) fn stop_spinning(&mut self) {
        for &thread in &self.order {
            let count = self.graph.thread(thread).len() as u32;
            if let Some(runner) = &mut self.runners[thread.index()]
                && let State::Spinning(_) = runner.state
            {
                (runner.state, runner.since) = (State::Running, count);
            }
        }
    }

    /// In a guided execution in which no thread can go on, those that wait in loops look again: a few times, if what they have seen may be
    /// the last word. Says whether there is one.
    pub(super) fn look_again(&mut self) -> bool {
        if self.guide.is_none() || !self.is_any_spinning() {
            return false;
        }
        let stuck = self.is_stuck();
        self.idle_rounds = if stuck { self.idle_rounds + 1 } else { 0 };
        if self.idle_rounds > ROUNDS {
            return false;
        }
        self.stop_spinning();
        true
    }

    pub(super) fn is_any_spinning(&self) -> bool {
        self.runners.iter().flatten().any(|runner| matches!(runner.state, State::Spinning(_)))
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
                    // In guided executions what waits is no event.
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
                    let useless = writes.chain([Source::Init]).filter(|&source| {
                        let value = self.value(event, source);
                        match event.action {
                            Action::Await { until, .. } => !until.of(value),
                            Action::AwaitRmw { update, .. } => update.of(value).is_none(),
                            _ => true,
                        }
                    });
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
            if self.memory.may_be_last(chosen) && self.may_end_with(seen, chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }
}

/// What is known of a yield, by what its thread was told until then.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loop {
    /// It ends an iteration of a loop that waits: the last so many events.
    Waits { events: usize },
    /// It does not.
    Passes,
    /// So many ways in which it might are known not to be.
    Untried { skip: usize },
}

/// Whether an event may be part of an iteration that changes nothing.
fn may_be_repeated(event: &Event) -> bool {
    match event.action {
        Action::Load { .. } | Action::Fence { .. } | Action::Await { .. } => true,
        Action::Rmw { .. } | Action::AwaitRmw { .. } => true,
        Action::Store { .. } => !event.is_plain(),
        Action::Release { .. } => event.source == Source::Choice(0),
        _ => false,
    }
}

/// Whether events read something and leave every location with the value that they found.
fn changes_nothing(events: &[Event]) -> bool {
    let at = |loc| events.iter().filter(move |event| event.loc() == Some(loc));
    events.iter().any(Event::is_read)
        && events.iter().filter(|event| event.written.is_some()).filter_map(Event::loc).all(|loc| {
            let first = at(loc).next().filter(|event| event.is_read()).map(|event| event.read);
            let last = at(loc).rev().find_map(|event| event.written);
            first == last
        })
}

/// Whether a request is for what an event did.
fn repeats(event: &Event, request: &Request) -> bool {
    same(&event.action, &request.action) && operands(&event.action) == operands(&request.action)
}
