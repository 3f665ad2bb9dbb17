//! The past of each event in an order that contains program order: as clocks or, where threads are many, as sets.

use super::clocks::Clocks;
use super::replay::{Halt, replay};
use super::sets::{SetId, Sets};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Slot, ThreadId};
use tribunal_history::verdict::Limit;

/// The past of each event.
pub(crate) enum Pasts {
    /// 4 bytes per event and 4·k bytes for each event that learns something.
    Clocks(Clocks),
    /// Some hundred bytes for each event that learns something or is heard of, whatever k is.
    Sets(PastSets),
}

/// Whether a history has so many threads that clocks of all of them are too much for an event to have.
pub(crate) fn has_many_threads(x: &Execution) -> bool {
    /// Up to so many threads, a clock is smaller than what of a set is new.
    const FEW: usize = 64;
    /// A set of all events is smaller than a clock if threads are shorter than this.
    const SHORT: usize = 32;
    /// From so many threads on, clocks are larger than what sets do not share.
    const MANY: usize = 1024;
    let threads = x.thread_count();
    threads > MANY || (threads > FEW && x.len() / SHORT < threads)
}

impl Pasts {
    /// The pasts in (po ∪ rf ∪ preds)⁺, which [`replay`] visits; O(n·k) time. Initial writes are left out.
    pub(crate) fn new<'a>(
        x: &Execution,
        preds: impl Fn(EventId) -> &'a [EventId],
        limits: &Limits<'_>,
        mut visit: impl FnMut(EventId),
    ) -> Result<Self, Halt> {
        if has_many_threads(x) {
            return PastSets::replayed(x, preds, limits, visit).map(Pasts::Sets);
        }
        let mut clocks = Clocks::new(x.len(), x.thread_count());
        let mut rows = vec![Clocks::EMPTY; x.thread_count()];
        replay(x, &preds, limits, |step| {
            let row = &mut rows[step.thread.index()];
            let source = step.source.map(|(write, _)| write);
            for &pred in preds(step.event).iter().chain(&source) {
                // Having heard of an event, a thread has heard of all that came before it.
                if let Some(slot) = x.slot(pred)
                    && slot.thread != step.thread
                    && clocks.entry(*row, slot.thread) <= slot.index
                {
                    *row = clocks.join(*row, clocks.row_of(pred), slot.thread, slot.index + 1);
                }
            }
            clocks.set_row(step.event, *row);
            visit(step.event);
            limits.check_memory(clocks.bytes(), 0)
        })?;
        Ok(Pasts::Clocks(clocks))
    }

    /// The number of bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Pasts::Clocks(clocks) => clocks.bytes(),
            Pasts::Sets(sets) => sets.bytes(),
        }
    }

    /// Whether `earlier`, whose place in another thread is `slot`, comes before `event`.
    #[inline]
    fn has(&self, event: EventId, earlier: EventId, slot: Slot) -> bool {
        match self {
            Pasts::Clocks(clocks) => clocks.known(event, slot.thread) > slot.index,
            Pasts::Sets(sets) => sets.has(event, earlier),
        }
    }
}

/// Whether `a` comes before `b` in the order that the pasts tell, or in po alone if there are none.
pub(crate) fn comes_before(x: &Execution, pasts: Option<&Pasts>, a: EventId, b: EventId) -> bool {
    match (x.slot(a), x.slot(b)) {
        (None, b) => b.is_some(),
        (_, None) => false,
        (Some(a), Some(b)) if a.thread == b.thread => a.index < b.index,
        (Some(slot), Some(_)) => pasts.is_some_and(|pasts| pasts.has(b, a, slot)),
    }
}

/// The past of each event as a set of places in a replay, so that what happened at about the same time is near in number.
///
/// The set of an event has all events of other threads before it. Of its own thread it may have earlier events, and has the
/// event itself and all earlier ones if others hear of the event.
pub(crate) struct PastSets {
    pub(in crate::memory::order) sets: Sets,
    set_of: Vec<SetId>,
    place_of: Vec<u32>,
    event_at: Vec<EventId>,
    threads: usize,
}

/// A thread on its way through a replay.
#[derive(Clone, Copy)]
pub(crate) struct ThreadCursor {
    pub set: SetId,
    first: u32,
    /// The thread's first event that is not in its set.
    unheard: u32,
    /// The set is what came before these and these, and own events; unless there were too many to say.
    sources: [EventId; SOURCES],
    count: u8,
}

/// The number of events that a thread may have learned from such that it is known that none of the others matters.
const SOURCES: usize = 3;

/// More sources than are kept.
const UNSAID: u8 = u8::MAX;

impl ThreadCursor {
    /// All that the thread has learned is a set: that of an event, if one is given.
    fn set_to(&mut self, set: SetId, event: Option<EventId>) {
        self.set = set;
        self.count = UNSAID;
        if let Some(event) = event {
            (self.sources[0], self.count) = (event, 1);
        }
    }
}

impl PastSets {
    fn replayed<'a>(
        x: &Execution,
        preds: impl Fn(EventId) -> &'a [EventId],
        limits: &Limits<'_>,
        mut visit: impl FnMut(EventId),
    ) -> Result<Self, Halt> {
        let before = 13 * x.len() + size_of::<ThreadCursor>() * x.thread_count();
        limits.check_memory(before, 0).map_err(Halt::Limit)?;
        let mut heard = heard_of(x);
        for e in x.events() {
            let elsewhere =
                |pred: &&EventId| x.slot(**pred).is_some() && x.thread_of(**pred) != x.thread_of(e);
            preds(e).iter().filter(elsewhere).for_each(|pred| heard[pred.index()] = true);
        }
        let (mut sets, mut threads) = PastSets::new(x);
        replay(x, &preds, limits, |step| {
            let thread = &mut threads[step.thread.index()];
            let source = step.source.map(|(write, _)| write);
            for &pred in preds(step.event).iter().chain(&source) {
                if x.thread_of(pred).is_some_and(|other| other != step.thread) {
                    sets.learn(thread, pred);
                }
            }
            sets.replay(step.event, thread, heard[step.event.index()]);
            visit(step.event);
            limits.check_memory(sets.bytes() + heard.len(), 0)
        })?;
        Ok(sets)
    }

    /// For a history with many events, of which none has been replayed, and its threads.
    pub(crate) fn new(x: &Execution) -> (Self, Vec<ThreadCursor>) {
        let sets = PastSets {
            sets: Sets::new(x.len()),
            set_of: vec![Sets::EMPTY; x.len()],
            place_of: vec![0; x.len()],
            event_at: Vec::with_capacity(x.len()),
            threads: x.thread_count(),
        };
        let traveler = |t: ThreadId| {
            let first = x.thread_events(t).start;
            ThreadCursor { set: Sets::EMPTY, first, unheard: first, sources: [EventId(0); SOURCES], count: 0 }
        };
        (sets, x.threads().map(traveler).collect())
    }

    /// The writes before each event in a relation, given the events in an order that agrees with it and those right before
    /// each; at least the writes of a thread to one location must be in line.
    pub(crate) fn of_writes(
        x: &Execution,
        order: &[u32],
        before: impl Fn(u32, &mut dyn FnMut(u32)),
        limits: &Limits<'_>,
    ) -> Result<Self, Limit> {
        let (mut pasts, _) = PastSets::new(x);
        for (place, &e) in (0..).zip(order) {
            let mut set = Sets::EMPTY;
            before(e, &mut |before| {
                set = pasts.sets.union(set, pasts.set_of[before as usize]);
                if x.labels()[before as usize].writes() {
                    set = pasts.sets.with(set, &[pasts.place_of[before as usize]]);
                }
            });
            pasts.set_of[e as usize] = set;
            pasts.place_of[e as usize] = place;
            pasts.event_at.push(EventId(e));
            limits.check_memory(pasts.bytes(), 0)?;
            if place.is_multiple_of(1 << 12) {
                limits.check(0)?;
            }
        }
        Ok(pasts)
    }

    /// The number of bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        let columns = 4 * (self.set_of.len() + self.place_of.len() + self.event_at.capacity());
        self.sets.bytes() + columns + self.threads * size_of::<ThreadCursor>()
    }

    /// A thread learns of `event`, of which others hear, and of all that comes before it.
    #[inline]
    pub(crate) fn learn(&mut self, thread: &mut ThreadCursor, event: EventId) {
        if !self.knows(thread.set, event) {
            self.learn_set(thread, self.set_of(event), Some(event));
        }
    }

    /// A thread learns a set: if an event is given, that event and all that comes before it.
    ///
    /// A set with an event has all that comes before the event. So if all that the thread has learned from is in the new set,
    /// and its own events are, the new set is all there is, and nothing has to be joined. That is usual where threads are
    /// many: each has been away for long.
    pub(crate) fn learn_set(&mut self, thread: &mut ThreadCursor, new: SetId, event: Option<EventId>) {
        /// Up to so many own events are rather said again.
        const SHORT: u32 = 64;
        let known = |e: EventId| self.knows(new, e);
        let sources = thread.sources.get(..thread.count as usize);
        if sources.is_some_and(|sources| sources.iter().all(|&source| known(source))) {
            if thread.unheard == thread.first || known(EventId(thread.unheard - 1)) {
                return thread.set_to(new, event);
            }
            if thread.unheard - thread.first <= SHORT {
                thread.unheard = thread.first;
                return thread.set_to(new, event);
            }
        }
        let joined = self.sets.union(thread.set, new);
        if joined == new {
            return thread.set_to(new, event);
        }
        if joined != thread.set {
            thread.set = joined;
            match (event, thread.sources.get_mut(thread.count as usize)) {
                (Some(event), Some(source)) => {
                    *source = event;
                    thread.count += 1;
                }
                _ => thread.count = UNSAID,
            }
        }
    }

    /// Replays `event`, with all that its thread has learned; `heard`: whether others hear of it.
    #[inline]
    pub(crate) fn replay(&mut self, event: EventId, thread: &mut ThreadCursor, heard: bool) {
        self.place_of[event.index()] = self.event_at.len() as u32;
        self.event_at.push(event);
        if heard {
            let own = &self.place_of[thread.unheard as usize..=event.index()];
            thread.set = self.sets.with(thread.set, own);
            thread.unheard = event.0 + 1;
        }
        self.set_of[event.index()] = thread.set;
    }

    #[inline]
    pub(crate) fn set_of(&self, event: EventId) -> SetId {
        self.set_of[event.index()]
    }

    /// The event's place in the replay.
    #[inline]
    pub(crate) fn place_of(&self, event: EventId) -> u32 {
        self.place_of[event.index()]
    }

    /// The event at a place in the replay.
    #[inline]
    pub(crate) fn event_at(&self, place: u32) -> EventId {
        self.event_at[place as usize]
    }

    /// Whether `earlier`, an event of another thread, comes before `event`.
    #[inline]
    pub(crate) fn has(&self, event: EventId, earlier: EventId) -> bool {
        self.knows(self.set_of(event), earlier)
    }

    /// Whether an event is in a set.
    #[inline]
    pub(crate) fn knows(&self, set: SetId, event: EventId) -> bool {
        self.sets.contains(set, self.place_of(event))
    }
}

/// The events that other threads hear of by reading from them.
pub(crate) fn heard_of(x: &Execution) -> Vec<bool> {
    let mut heard = vec![false; x.len()];
    for thread in x.threads() {
        let own = x.thread_events(thread);
        for write in own.clone().filter_map(|e| x.rf(EventId(e))).filter(|w| !x.is_init(*w)) {
            heard[write.index()] |= !own.contains(&write.0);
        }
    }
    heard
}
