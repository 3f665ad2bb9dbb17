//! Loops that wait: a thread that does the same again and again, told the same, sleeps until something that it read changes.

use super::memory::Memory;
use super::run::{State, Worker, answer, operands, same};
use crate::graph::{Event, Source};
use crate::program::{Action, Place, Program, Request};
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
        let (mut next, _) = self.next_but_yields(thread, place);
        let mut fitting = starts.iter().filter(|&&start| repeats(&events[start], &next));
        let Some(&start) = fitting.nth(skip) else { return Loop::Passes };
        let iteration = &events[start..];
        for _ in 0..ROUNDS {
            let mut back = false;
            for event in iteration {
                if !repeats(event, &next) {
                    return Loop::Untried { skip: skip + 1 };
                }
                self.runner(thread).answer = answer(event);
                (next, back) = self.next_but_yields(thread, place);
            }
            if !back {
                return Loop::Untried { skip: skip + 1 };
            }
        }
        Loop::Waits { events: iteration.len() }
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

    /// A thread that is in a loop that waits without saying so waits: if it did the same many times in a row, which changed nothing, and does it many
    /// times more, told the same. None as for a yield.
    pub(super) fn spins_on(&mut self, thread: ThreadId) -> Option<()> {
        let ids = self.graph.thread(thread);
        let event = |back: usize| self.graph.event(ids[ids.len() - back]);
        let alike =
            |a: &Event, b: &Event| a.source == b.source && a.place == b.place && same(&a.action, &b.action);
        let repeated = |k: usize| (1..=(REPEATS - 1) * k).all(|back| alike(event(back), event(back + k)));
        let found = (1..=LONGEST_UNMARKED).find(|&k| ids.len() >= REPEATS * k && repeated(k));
        let Some(k) = found else { return Some(()) };
        let round: Vec<Event> = (1..=k).rev().map(|back| event(back).clone()).collect();
        if self.attempts > ATTEMPTS || !changes_nothing(&round) || !round.iter().all(may_be_repeated) {
            return Some(());
        }
        let (place, count) = (round[k - 1].place, ids.len());
        let key = self.history(thread, place);
        match self.loops.get(&key) {
            Some(Loop::Waits { .. }) => {}
            Some(_) => return Some(()),
            None => {
                let fresh = LocId::from_index(self.fresh as usize);
                let mut comes_round = true;
                for event in round.iter().cycle().take(UNMARKED_ROUNDS * k) {
                    let pending = self.runner(thread).pending.take();
                    let next = pending.unwrap_or_else(|| self.resume(thread, fresh));
                    comes_round = repeats(event, &next);
                    if !comes_round {
                        break;
                    }
                    self.runner(thread).answer = answer(event);
                }
                self.loops.insert(key, if comes_round { Loop::Waits { events: k } } else { Loop::Passes });
                if !comes_round {
                    return None;
                }
            }
        }
        let runner = self.runner(thread);
        (runner.state, runner.since) = (State::Spinning(place), (count - k) as u32);
        Some(())
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
