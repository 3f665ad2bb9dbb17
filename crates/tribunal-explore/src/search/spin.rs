//! Loops that wait: a thread that does the same again and again, told the same, sleeps until something that it read changes.
//!
//! **The rule.** An *iteration* is the last events of a thread before it comes back to the same place. It is *pure* if it leaves every location with the value that it
//! found, as far as the thread itself is concerned (what others do between its two halves is undone by them, or is seen from outside, see below), and if the thread, told
//! the same, does the same again. A thread whose last iteration is pure *spins*: it does nothing more, but its events stay, so that a write that comes later revisits
//! what it read, and the thread goes on from there. It is *released*, and goes round once more, if an event outside of the last iterations of spinning threads has read what
//! its iteration wrote in between.
//!
//! **Nothing is left out.** Take an execution E, and in it an iteration I that is pure, is followed by another one of its thread, and whose writes, except for the last
//! to each location, are read by nobody outside. Take I out, with those that spin with it and read what it wrote in between; let what read the last write w' of
//! a location in I read what the first read of I took instead, which has the same value; and let the place of I in mo close, which it can, since I took what
//! it found by RMWs, each the next in mo. Then every other event reads the same value as before, so that each thread does the same. The
//! rest of E is consistent: po and mo lose events, rf is replaced by one from a write that is before w' in mo and next to it, and happens-before becomes smaller, so that no read becomes stale and
//! no race disappears. So a panic, a race or a deadlock of E is one of the execution without I too, and by induction of one without any such
//! iteration. Those are explored: in them each iteration is the last of its thread, or has been read in between from outside, which releases it; or it reads something else than the one before, and
//! then the first of the two reads it at once: a write that is there already is tried when the read is added, and one that comes later revisits it.
//! Others that look at a location between the two halves of an iteration see it, since the events of the last iteration stay.
//!
//! **How purity is known.** A program as text tells its [state](crate::Program::local_state): it must be the same after an iteration. Of Rust code the state is not known: its thread is told
//! the same `ROUNDS` times more, and must do the same each time. A loop that does not say that it waits (by `yield_now`, `spin_loop` or a timed wait)
//! must do so until an execution in which it is told so would have more than the most events allowed, the first time that it is met. In a loop that says so, plain writes of Rust code, whose values are not
//! seen, are taken to leave what they found.
//!
//! **What is not seen**, such as the time or a reference count of std, may end a loop as well. Before a loop counts as a livelock, its thread runs on: all others have ended
//! or are stuck, and it is told the same `RUN_ON` times. If it leaves the loop, the execution goes on from there; that it might have left earlier is not explored.
//!
//! Kokologiannakis, Ren and Vafeiadis, *Dynamic Partial Order Reductions for Spinloops* (FMCAD 2021) take out pure iterations of loads in this way; that an infinite loop counts as a livelock only
//! if it reads what is last in mo is Lahav, Namakonov, Oberhauser, Podkopaev and Vafeiadis, *Making Weak Memory Models Fair* (OOPSLA 2021).

use super::memory::Memory;
use super::run::{State, Worker, answer, operands, same};
use crate::graph::{Event, EventId, Source};
use crate::program::{Action, Answer, Place, Program, Request};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use tribunal_history::memory::{LocId, ThreadId};

/// How often a loop must come round again, having read the same, to be taken for one that waits.
const ROUNDS: usize = 16;

/// The same for a loop that does not say that it waits: how often it did so before it is tried, how often it must then if it is known to wait, and its most
/// events.
const REPEATS: usize = 8;
const UNMARKED_ROUNDS: usize = 100;
const LONGEST_UNMARKED: usize = 8;

/// The most events, and yields in a row, of a round.
const LONGEST: usize = 64;

/// How often a thread goes round a loop when all others have ended or are stuck, before that is a livelock.
const RUN_ON: usize = 100_000;

/// How often a run is begun again because of what was learned of a loop. A loop that is never known again, since addresses go into what its thread is told, is
/// then taken as it is.
const ATTEMPTS: usize = 200;

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Whether a thread goes on from a yield. Not so if it is in a loop: if it does again what it did last, told the same, as often as it is tried,
    /// and this changes nothing. None if that was tried and is not so: then the run is to be begun again.
    pub(super) fn passes(&mut self, thread: ThreadId, place: Place) -> Option<bool> {
        let (since, guided) = (self.runner(thread).since as usize, self.guide.is_some());
        let ids = self.graph.thread(thread);
        let count = ids.len();
        let known = match self.loops.get(&self.history(thread, place)) {
            _ if self.attempts > ATTEMPTS => Some(Loop::Passes),
            _ if guided => None,
            known => known.copied(),
        };
        let found = match known {
            Some(Loop::Passes) => Loop::Passes,
            Some(known @ Loop::Waits { events }) => {
                // What it was told is the same, but not where that came from.
                let ids = &self.graph.thread(thread)[count - events..];
                let events: Vec<Event> = ids.iter().map(|&id| self.graph.event(id).clone()).collect();
                if self.may_be_iteration(thread, &events) { known } else { Loop::Passes }
            }
            untried => {
                // A round may have yields within.
                let since = if guided { since } else { count.saturating_sub(LONGEST) };
                let events: Vec<Event> =
                    ids[since..].iter().map(|&id| self.graph.event(id).clone()).collect();
                let starts = self.starts(thread, &events);
                let skip = if let Some(Loop::Untried { skip }) = untried { skip } else { 0 };
                let found = match starts.first() {
                    None => Loop::Passes,
                    // What comes next cannot be tried: somebody else decides on it.
                    Some(&shortest) if guided => Loop::Waits { events: events.len() - shortest },
                    Some(_) => self.try_round((thread, place), &events, &starts, skip),
                };
                if !guided && !starts.is_empty() {
                    self.loops.insert(self.history(thread, place), found);
                    // If the thread was told nothing, it has only gone on to its next operation.
                    if !matches!(found, Loop::Waits { .. }) && self.runner(thread).pending.is_none() {
                        return None;
                    }
                }
                found
            }
        };
        let waits = matches!(found, Loop::Waits { .. });
        let iteration = if let Loop::Waits { events } = found { events } else { 0 };
        self.runner(thread).since = (count - iteration) as u32;
        Some(!waits)
    }

    /// Where the last iteration of a thread may begin among its last events, the latest first.
    fn starts(&self, thread: ThreadId, events: &[Event]) -> Vec<usize> {
        let may_repeat =
            events.iter().rev().take_while(|event| self.may_be_in_iteration(thread, event)).count();
        let starts = (events.len() - may_repeat..events.len()).rev();
        starts.filter(|&start| self.may_be_iteration(thread, &events[start..])).collect()
    }

    /// Whether events of a thread may be an iteration that changes nothing.
    fn may_be_iteration(&self, thread: ThreadId, events: &[Event]) -> bool {
        events.iter().any(Event::is_read)
            && events.iter().all(|event| self.may_be_in_iteration(thread, event))
            && self.is_pure(events)
    }

    fn may_be_in_iteration(&self, thread: ThreadId, event: &Event) -> bool {
        let unseen = self.program.local_state(thread).is_none();
        may_be_repeated(event) && (unseen || !writes_plainly(event)) && !self.graph.is_settled(event)
    }

    /// Whether an iteration changes nothing: what it writes between is taken back, and nothing but RMWs has come in between.
    fn is_pure(&self, events: &[Event]) -> bool {
        let Some(answers) = alone(events) else { return false };
        debug_assert_eq!(answers.len(), events.len());
        events.iter().enumerate().all(|(i, event)| {
            let mut earlier = events[..i].iter();
            let own = earlier.rfind(|own| own.loc() == event.loc() && own.written.is_some());
            match own {
                Some(own) if event.is_read() && !own.is_plain() => self.is_in_sequence(event.source, own),
                _ => true,
            }
        })
    }

    /// Whether a write is another one, or follows it by RMWs alone.
    fn is_in_sequence(&self, mut source: Source, first: &Event) -> bool {
        while let Source::Event(write) = source {
            let event = self.graph.event(write);
            if (event.thread, event.index) == (first.thread, first.index) {
                return true;
            }
            match event.is_read() {
                true => source = event.source,
                false => return false,
            }
        }
        false
    }

    /// Tells a thread, which is about to do the first of some events, that it did them, again and again: whether it does them each time. It stops before the first.
    fn comes_round(
        &mut self,
        (thread, place): (ThreadId, Place),
        next: &mut Request,
        round: &[(Event, Answer)],
        rounds: usize,
        returns: bool,
    ) -> bool {
        let mut state = self.program.local_state(thread);
        for _ in 0..rounds {
            let mut back = !returns;
            for (event, answer) in round {
                if !repeats(event, next) {
                    return false;
                }
                self.runner(thread).answer = *answer;
                let passed;
                (*next, passed) = self.next_but_yields(thread, place);
                back |= passed;
            }
            let now = self.program.local_state(thread);
            if !back || now != state {
                return false;
            }
            if state.is_some() {
                return true;
            }
            state = now;
        }
        true
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
        let (mut next, _) = self.next_but_yields(thread, place);
        let mut fitting = starts.iter().filter(|&&start| repeats(&events[start], &next));
        let Some(&start) = fitting.nth(skip) else {
            self.fresh += u32::from(next.action.loc() == Some(LocId::from_index(self.fresh as usize)));
            self.runner(thread).pending = Some(next);
            return Loop::Passes;
        };
        let round = round(&events[start..]);
        if !self.comes_round((thread, place), &mut next, &round, ROUNDS, true) {
            return Loop::Untried { skip: skip + 1 };
        }
        let runner = self.runner(thread);
        (runner.pending, runner.tried) = (Some(next), true);
        Loop::Waits { events: round.len() }
    }

    /// The next operation of a thread that is no yield, and whether there is one at this place before it.
    fn next_but_yields(&mut self, thread: ThreadId, place: Place) -> (Request, bool) {
        let fresh = LocId::from_index(self.fresh as usize);
        let mut back = false;
        let mut next = self.resume(thread, fresh);
        for _ in 0..LONGEST {
            if !matches!(next.action, Action::Yield) {
                break;
            }
            back |= next.place == place;
            next = self.resume(thread, fresh);
        }
        (next, back)
    }

    /// A thread that is in a loop that waits without a yield spins. None as for a yield.
    pub(super) fn spins_on(&mut self, thread: ThreadId) -> Option<()> {
        match self.runner(thread).state {
            State::Running => self.spins_unmarked(thread),
            State::Waiting(_) => self.spins_by_timeouts(thread),
            _ => Some(()),
        }
    }

    /// A thread does the same many times in a row, which changes nothing, and does it many times more, told the same.
    fn spins_unmarked(&mut self, thread: ThreadId) -> Option<()> {
        let ids = self.graph.thread(thread);
        let event = |back: usize| self.graph.event(ids[ids.len() - back]);
        let alike =
            |a: &Event, b: &Event| a.source == b.source && a.place == b.place && same(&a.action, &b.action);
        let repeated = |k: usize| (1..=(REPEATS - 1) * k).all(|back| alike(event(back), event(back + k)));
        let found = (1..=LONGEST_UNMARKED).find(|&k| ids.len() >= REPEATS * k && repeated(k));
        let Some(k) = found else { return Some(()) };
        let events: Vec<Event> = (1..=k).rev().map(|back| event(back).clone()).collect();
        let may_repeat =
            |event: &Event| may_be_repeated(event) && !writes_plainly(event) && !self.graph.is_settled(event);
        let reads = events.iter().any(Event::is_read);
        if self.attempts > ATTEMPTS || !reads || !events.iter().all(may_repeat) || !self.is_pure(&events) {
            return Some(());
        }
        let (place, count) = (events[k - 1].place, ids.len());
        let key = self.history(thread, place);
        match self.loops.get(&key) {
            Some(Loop::Waits { .. }) => {}
            Some(_) => return Some(()),
            None => {
                let pending = self.runner(thread).pending.take();
                let mut next = pending.unwrap_or_else(|| self.next_but_yields(thread, place).0);
                let known = self.waiting_places.contains(&(place, k));
                let rounds = if known { UNMARKED_ROUNDS } else { self.options.max_events / k + 1 };
                let waits = self.comes_round((thread, place), &mut next, &round(&events), rounds, false);
                self.loops.insert(key, if waits { Loop::Waits { events: k } } else { Loop::Passes });
                if !waits {
                    return None;
                }
                self.waiting_places.insert((place, k));
                let runner = self.runner(thread);
                (runner.pending, runner.tried) = (Some(next), true);
            }
        }
        let runner = self.runner(thread);
        (runner.state, runner.since) = (State::Spinning(place), (count - k) as u32);
        Some(())
    }

    /// A thread waits as it did before the last timeout, which was its own, and has changed nothing since: it does not time out again before another thread does something.
    fn spins_by_timeouts(&mut self, thread: ThreadId) -> Option<()> {
        let ids = self.graph.thread(thread);
        let (Some(timeout), Some((&last, before))) = (self.graph.last_timeout(), ids.split_last()) else {
            return Some(());
        };
        let wait = self.graph.event(last);
        let start = timeout.index as usize + 1;
        let again =
            wait.action.may_time_out() && wait.place == timeout.place && same(&wait.action, &timeout.action);
        if timeout.thread != thread || !again || self.attempts > ATTEMPTS {
            return Some(());
        }
        let events: Vec<Event> = before[start..].iter().map(|&id| self.graph.event(id).clone()).collect();
        let may_repeat = |event: &Event| may_be_repeated(event) && !writes_plainly(event);
        if events.len() > LONGEST || !events.iter().all(may_repeat) || !self.is_pure(&events) {
            return Some(());
        }
        let (place, wait) = (wait.place, wait.clone());
        let key = self.history(thread, place);
        match self.loops.get(&key) {
            Some(Loop::Waits { .. }) => {}
            Some(_) => return Some(()),
            None => {
                let mut next = Request { action: wait.action.clone(), place };
                let mut again = vec![(wait, Answer::TimedOut)];
                again.extend(round(&events));
                let waits = self.comes_round((thread, place), &mut next, &again, ROUNDS, false);
                self.loops
                    .insert(key, if waits { Loop::Waits { events: events.len() + 1 } } else { Loop::Passes });
                if !waits {
                    return None;
                }
                self.runner(thread).tried = true;
            }
        }
        let runner = self.runner(thread);
        (runner.state, runner.since) = (State::Spinning(place), start as u32);
        Some(())
    }

    /// Whether an event belongs to the last iteration of a thread that spins.
    pub(super) fn is_spinning(&self, event: &Event) -> bool {
        let runner = self.runners.get(event.thread.index()).and_then(Option::as_ref);
        runner.is_some_and(|runner| matches!(runner.state, State::Spinning(_)) && event.index >= runner.since)
    }

    /// Releases a thread that spins, if what its last iteration wrote in between was seen. None if there is no such thread; false if the run is to be begun again.
    pub(super) fn release_observed(&mut self) -> Option<bool> {
        let spins = |thread: &&ThreadId| {
            matches!(
                self.runners[thread.index()].as_ref().map(|runner| runner.state),
                Some(State::Spinning(_))
            )
        };
        let thread = *self.order.iter().filter(spins).find(|&&thread| self.is_observed(thread))?;
        let count = self.graph.thread(thread).len() as u32;
        let runner = self.runner(thread);
        if runner.tried {
            return Some(false);
        }
        (runner.state, runner.since) = (State::Running, count);
        Some(true)
    }

    /// Whether an event outside of what spins has read from the last iteration of a thread what it took back, or may have come in between.
    fn is_observed(&self, thread: ThreadId) -> bool {
        let Some(runner) = &self.runners[thread.index()] else { return false };
        let ids = &self.graph.thread(thread)[runner.since as usize..];
        ids.iter().enumerate().any(|(i, &id)| {
            let event = self.graph.event(id);
            let (Some(loc), Some(_), false) = (event.loc(), event.written, event.is_plain()) else {
                return false;
            };
            let accesses = self.graph.accesses(loc);
            let outside = |other: &EventId| {
                let other = self.graph.event(*other);
                other.thread != thread && !other.waiting && !self.is_spinning(other)
            };
            let is_last = !ids[i + 1..].iter().any(|&later| {
                let later = self.graph.event(later);
                later.loc() == Some(loc) && later.written.is_some()
            });
            if is_last && !event.is_read() {
                return self.may_be_between(thread, ids, id);
            }
            let mut readers = accesses.reads.iter().filter(|reader| outside(reader));
            !is_last && readers.any(|&reader| self.graph.event(reader).source == Source::Event(id))
        })
    }

    /// Whether a store from outside may come in mo between the first write of an iteration to a location and `last`, a store that takes it back, and the thread has not gone
    /// round for it. One more iteration will do for each such store: those between whose halves none comes can be taken out.
    fn may_be_between(&self, thread: ThreadId, ids: &[EventId], last: EventId) -> bool {
        let Some(loc) = self.graph.event(last).loc() else { return false };
        let of_loc = |id: &&EventId| self.graph.event(**id).loc() == Some(loc);
        let Some(&first) = ids.iter().find(of_loc) else { return false };
        let before = self.known_before(loc, self.graph.event(first).source);
        let stores = self.graph.accesses(loc).writes.iter().filter(|&&other| {
            let store = self.graph.event(other);
            store.thread != thread
                && !store.is_read()
                && !self.is_spinning(store)
                && !before.contains(&other)
                && !self.known_before(loc, Source::Event(other)).contains(&last)
        });
        let stores = stores.count();
        let all = self.graph.thread(thread);
        let earlier = all[..all.len() - ids.len()].rchunks_exact(ids.len());
        let is_same = |earlier: &&[EventId]| {
            let mut pairs = earlier.iter().zip(ids);
            pairs.all(|(&a, &b)| same(&self.graph.event(a).action, &self.graph.event(b).action))
        };
        stores > 0 && earlier.take_while(is_same).count() < stores
    }

    /// A thread that spins runs on, told the same: whether it leaves its loop. None if the run is to be begun again for that.
    pub(super) fn run_on(&mut self, thread: ThreadId) -> Option<bool> {
        let (State::Spinning(place), since) = (self.runner(thread).state, self.runner(thread).since) else {
            return Some(false);
        };
        let ids = &self.graph.thread(thread)[since as usize..];
        let events: Vec<Event> = ids.iter().map(|&id| self.graph.event(id).clone()).collect();
        let count = self.graph.thread(thread).len() as u32;
        if let Some((wait, rest)) = events.split_last().filter(|(wait, _)| wait.waiting) {
            let mut next = Request { action: wait.action.clone(), place };
            let mut again = vec![(wait.clone(), Answer::TimedOut)];
            again.extend(round(rest));
            if self.comes_round((thread, place), &mut next, &again, RUN_ON, false) {
                return Some(false);
            }
            let key = self.history(thread, place);
            self.loops.insert(key, Loop::Passes);
            return None;
        }
        let round = round(&events);
        let pending = self.runner(thread).pending.take();
        let mut next = pending.unwrap_or_else(|| self.next_but_yields(thread, place).0);
        if self.comes_round((thread, place), &mut next, &round, RUN_ON, false) {
            self.runner(thread).tried = true;
            return Some(false);
        }
        self.fresh += u32::from(next.action.loc() == Some(LocId::from_index(self.fresh as usize)));
        let runner = self.runner(thread);
        (runner.state, runner.since, runner.tried) = (State::Running, count, false);
        (runner.pending, runner.unseen) = (Some(next), Some(events.len() as u32));
        Some(true)
    }

    /// The same along a graph, up to the event that came behind the loop: its request.
    pub(super) fn run_on_to(&mut self, id: EventId, events: u32, mut request: Request) -> Request {
        let event = self.graph.event(id);
        let (thread, end) = (event.thread, event.index as usize);
        let expected = Request { action: event.action.clone(), place: event.place };
        let ids = &self.graph.thread(thread)[end - events as usize..end];
        let events: Vec<Event> = ids.iter().map(|&id| self.graph.event(id).clone()).collect();
        let round = round(&events);
        let fresh = expected.action.loc().unwrap_or(LocId::from_index(self.fresh as usize));
        for (event, answer) in round.iter().cycle().take(RUN_ON.saturating_mul(round.len())) {
            while let Action::Yield = request.action {
                request = self.resume(thread, fresh);
            }
            let arrived = same(&expected.action, &request.action) && expected.place == request.place;
            if arrived || !repeats(event, &request) {
                break;
            }
            self.runner(thread).answer = *answer;
            request = self.resume(thread, fresh);
        }
        request
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
        Action::Store { .. } | Action::Rmw { .. } | Action::AwaitRmw { .. } => true,
        Action::Release { .. } => event.source == Source::Choice(0),
        Action::Receive { .. } => event.written.is_some() || event.timed_out(),
        _ => false,
    }
}

fn writes_plainly(event: &Event) -> bool {
    event.is_plain() && event.written.is_some()
}

/// What a thread is told if it does these events and no other thread does anything in between. None if a location is then left with another value than it was found with. Plain writes are
/// not looked at.
fn alone(events: &[Event]) -> Option<Vec<Answer>> {
    // By location, the value found and the last one written.
    let mut values: Vec<(LocId, u64, u64)> = Vec::new();
    let mut answers = Vec::with_capacity(events.len());
    for event in events {
        let known = event.loc().and_then(|loc| values.iter().position(|value| value.0 == loc));
        let read = known.map_or(event.read, |known| values[known].2);
        let written = match &event.action {
            Action::Store { .. } if event.is_plain() => None,
            Action::Store { value, .. } => Some(*value),
            Action::Rmw { update, .. } | Action::AwaitRmw { update, .. } => {
                let written = update.of(read);
                if written.is_some() != event.written.is_some() {
                    return None;
                }
                written
            }
            _ => None,
        };
        answers.push(match answer(event) {
            // A receive is not told the number of messages, which it leaves as it is.
            Answer::Value(_) if event.is_read() && !matches!(event.action, Action::Receive { .. }) => {
                Answer::Value(read)
            }
            answer => answer,
        });
        match (known, written, event.loc()) {
            (Some(known), Some(written), _) => values[known].2 = written,
            (None, Some(written), Some(loc)) if event.is_read() => values.push((loc, read, written)),
            (None, Some(_), _) => {
                // It stores what it has read before.
                let found =
                    events.iter().find(|other| other.loc() == event.loc()).filter(|found| found.is_read());
                let (Some(found), Some(loc), Some(written)) = (found, event.loc(), written) else {
                    return None;
                };
                values.push((loc, found.read, written));
            }
            _ => {}
        }
    }
    values.iter().all(|&(_, found, left)| found == left).then_some(answers)
}

/// Events, and what their thread is told if it does them again.
fn round(events: &[Event]) -> Vec<(Event, Answer)> {
    let answers = alone(events).unwrap_or_else(|| events.iter().map(answer).collect());
    events.iter().cloned().zip(answers).collect()
}

/// Whether a request is for what an event did.
fn repeats(event: &Event, request: &Request) -> bool {
    same(&event.action, &request.action) && operands(&event.action) == operands(&request.action)
}
