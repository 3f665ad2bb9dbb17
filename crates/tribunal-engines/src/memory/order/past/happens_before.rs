//! Happens-before as vector clocks (Tunç et al. 2023, Proposition 3.1), and shortest hb paths for explanations.

use super::clocks::{Clocks, Row};
use super::pasts::{PastSets, Pasts, ThreadCursor, comes_before, has_many_threads, heard_of};
use super::replay::{Halt, Step, replay};
use super::sets::{SetId, Sets};
use crate::memory::order::path::shortest_path;
use crate::reach::clocks::join;
use rustc_hash::FxHashMap;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId, Slot, ThreadId};
use tribunal_history::verdict::{Because, Edge};

/// The kinds of synchronization, which make one thread's events happen before another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Synchronization {
    /// hb = po.
    Nothing,
    /// hb = (po ∪ rf)⁺: every read acquires from the write it reads.
    EveryRead,
    /// hb = (po ∪ sw)⁺ with sw = \[E⊒REL\] ; (\[F\];po)? ; \[W⊒rlx\] ; rf⁺ ; \[R⊒rlx\] ; (po;\[F\])? ; \[E⊒ACQ\].
    Annotated,
    /// The same with `[W];po-loc;[W]` before rf⁺: a later write of the same thread to the location continues a release
    /// sequence.
    Continued,
}

/// hb of an execution whose po ∪ rf is acyclic.
pub(crate) struct HappensBefore {
    synchronization: Synchronization,
    /// None for [`Synchronization::Nothing`].
    pub(crate) pasts: Option<Pasts>,
    /// For annotated orders: the reads whose sources do not happen before them.
    unheard: Vec<bool>,
}

impl HappensBefore {
    /// Computes hb in O(n·k) time, or O(n) if nothing synchronizes; the memory is that of [`Pasts`], and for annotated
    /// orders 5 more bytes per event and, with clocks, 4·k² while computing. Fails if po ∪ rf is cyclic.
    pub(crate) fn new(
        x: &Execution,
        synchronization: Synchronization,
        limits: &Limits<'_>,
    ) -> Result<Self, Halt> {
        HappensBefore::of(x, synchronization, has_many_threads(x), limits)
    }

    /// The same with clocks, however many threads there are.
    pub(crate) fn with_clocks(
        x: &Execution,
        synchronization: Synchronization,
        limits: &Limits<'_>,
    ) -> Result<Self, Halt> {
        HappensBefore::of(x, synchronization, false, limits)
    }

    fn of(
        x: &Execution,
        synchronization: Synchronization,
        sets: bool,
        limits: &Limits<'_>,
    ) -> Result<Self, Halt> {
        let mut unheard = Vec::new();
        let continued = synchronization == Synchronization::Continued;
        let pasts = match (synchronization, sets) {
            (Synchronization::Nothing, _) => {
                replay(x, |_| &[], limits, |_| Ok(()))?;
                None
            }
            (Synchronization::EveryRead, _) => Some(Pasts::new(x, |_| &[], limits, |_| {})?),
            (Synchronization::Annotated | Synchronization::Continued, false) => {
                let threads = x.thread_count();
                limits.check_memory(4 * threads * threads + 13 * x.len(), 0).map_err(Halt::Limit)?;
                let annotated = replayed(x, Annotated::new(x, continued), limits)?;
                unheard = annotated.unheard;
                Some(Pasts::Clocks(annotated.clocks))
            }
            (Synchronization::Annotated | Synchronization::Continued, true) => {
                let states = x.thread_count() * size_of::<ManyState>();
                limits.check_memory(states + 26 * x.len(), 0).map_err(Halt::Limit)?;
                let annotated = replayed(x, AnnotatedSets::new(x, continued), limits)?;
                unheard = annotated.unheard;
                Some(Pasts::Sets(annotated.sets))
            }
        };
        Ok(HappensBefore { synchronization, pasts, unheard })
    }

    /// The number of bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.pasts.as_ref().map_or(0, Pasts::bytes) + self.unheard.len()
    }

    /// Whether threads must be able to observe an access of another: a write; or a read, unless its source happens before
    /// it. Without clocks nobody observes another thread.
    pub(crate) fn observable(&self, x: &Execution, access: EventId) -> bool {
        let writes = x.label(access).writes();
        match self.synchronization {
            Synchronization::Nothing => false,
            Synchronization::EveryRead => writes,
            Synchronization::Annotated | Synchronization::Continued => writes || self.unheard[access.index()],
        }
    }

    /// Whether `a` happens before `b`.
    pub(crate) fn before(&self, x: &Execution, a: EventId, b: EventId) -> bool {
        comes_before(x, self.pasts.as_ref(), a, b)
    }
}

/// Knowledge that is carried through a replay.
trait Carried {
    /// Goes past an event.
    fn visit(&mut self, step: Step);

    /// The number of bytes that it takes.
    fn bytes(&self) -> usize;
}

fn replayed<C: Carried>(x: &Execution, mut carried: C, limits: &Limits<'_>) -> Result<C, Halt> {
    let visit = |step| {
        carried.visit(step);
        limits.check_memory(carried.bytes(), 0)
    };
    replay(x, |_| &[], limits, visit)?;
    Ok(carried)
}

/// No event: nothing is released.
const NONE: u32 = u32::MAX;

/// State of the replay for [`Synchronization::Annotated`].
struct Annotated<'a> {
    x: &'a Execution,
    clocks: Clocks,
    threads: Vec<ThreadState>,
    /// The knowledge that a reader of each write may acquire. Below n: all that happened up to and including this event, which is the
    /// write itself or a fence before it. From n: entry `released - n` of `joined`. Or [`NONE`].
    released: Vec<u32>,
    /// Clocks that are no event's, k entries each: what RMWs pass on from several releases.
    joined: Vec<u32>,
    /// The reads whose sources do not happen before them.
    unheard: Vec<bool>,
    continued: Option<Continued<(u32, u32)>>,
}

/// The knowledge that the last release write of each thread to each location released, where later writes of the thread continue its
/// release sequence.
type Continued<R> = FxHashMap<(ThreadId, LocId), R>;

/// The bytes that it takes, while it moves to where there is more room.
fn continued_bytes<R>(continued: Option<&Continued<R>>) -> usize {
    continued.map_or(0, |last| 2 * last.held())
}

struct ThreadState {
    row: Row,
    /// The last release fence.
    fence: u32,
    /// The knowledge that relaxed reads have read and an acquire fence will acquire.
    pending: Box<[u32]>,
}

impl<'a> Annotated<'a> {
    fn new(x: &'a Execution, continued: bool) -> Self {
        let k = x.thread_count();
        let thread = || ThreadState { row: Clocks::EMPTY, fence: NONE, pending: vec![0; k].into() };
        Annotated {
            x,
            clocks: Clocks::new(x.len(), k),
            threads: (0..k).map(|_| thread()).collect(),
            released: vec![NONE; x.len()],
            joined: Vec::new(),
            unheard: vec![false; x.len()],
            continued: continued.then(Continued::default),
        }
    }
}

impl Carried for Annotated<'_> {
    fn bytes(&self) -> usize {
        let pending = self.threads.len() * self.threads.len();
        let columns = 4 * (self.released.len() + self.joined.capacity() + pending);
        self.clocks.bytes() + columns + self.unheard.len() + continued_bytes(self.continued.as_ref())
    }

    #[inline]
    fn visit(&mut self, step: Step) {
        let (event, t) = (step.event, step.thread.index());
        let label = self.x.labels()[event.index()];
        let from_source = step.source.map_or(NONE, |(write, _)| self.released[write.index()]);
        if label.is_fence() && label.acquires() {
            self.threads[t].row = self.clocks.join_slice(self.threads[t].row, &self.threads[t].pending);
        }
        if from_source != NONE {
            if label.acquires() {
                self.acquire(step.thread, from_source);
            } else if label.is_atomic() {
                let Self { x, clocks, joined, threads, .. } = self;
                add_released(x, clocks, joined, from_source, &mut threads[t].pending);
            }
        }
        self.clocks.set_row(event, self.threads[t].row);
        if let Some((write, writer)) = step.source
            && writer != step.thread
        {
            let index = write.0 - self.x.thread_events(writer).start;
            self.unheard[event.index()] = self.clocks.entry(self.threads[t].row, writer) <= index;
        }
        if label.is_fence() && label.releases() {
            self.threads[t].fence = event.0;
        }
        if label.writes() {
            let mut own = match (label.releases(), label.is_atomic()) {
                (true, _) => event.0,
                (false, true) => self.threads[t].fence,
                (false, false) => NONE,
            };
            if let Some(continued) = self.continued.as_mut().filter(|_| label.is_atomic()) {
                let at = (step.thread, self.x.locs()[event.index()]);
                own = continue_release(continued, at, (own, own), event).1;
            }
            // An acquiring RMW's own clock contains what it read; any other passes it on beside its own.
            self.released[event.index()] = match (own, from_source) {
                (own, NONE) => own,
                (NONE, passed_on) => passed_on,
                (own, _) if label.acquires() && label.releases() => own,
                (own, passed_on) => self.join_released(own, passed_on),
            };
        }
    }
}

impl Annotated<'_> {
    fn acquire(&mut self, thread: ThreadId, released: u32) {
        let row = self.threads[thread.index()].row;
        self.threads[thread.index()].row = if released < self.x.len() as u32 {
            let slot = slot_of(self.x, released);
            if slot.thread == thread || self.clocks.entry(row, slot.thread) > slot.index {
                return;
            }
            self.clocks.join(row, self.clocks.row_of(EventId(released)), slot.thread, slot.index + 1)
        } else {
            let joined = joined_clock(&self.joined, released - self.x.len() as u32, self.threads.len());
            self.clocks.join_slice(row, joined)
        };
    }

    fn join_released(&mut self, a: u32, b: u32) -> u32 {
        let (start, k) = (self.joined.len(), self.threads.len());
        self.joined.resize(start + k, 0);
        let (joined, clock) = self.joined.split_at_mut(start);
        add_released(self.x, &self.clocks, joined, a, clock);
        add_released(self.x, &self.clocks, joined, b, clock);
        (self.x.len() + start / k) as u32
    }
}

/// What a write of a thread releases where its last release write to the location counts too: what the later of two events
/// of its thread released. Each comes with that event.
fn continue_release<R: Copy>(
    continued: &mut Continued<(R, u32)>,
    at: (ThreadId, LocId),
    own: (R, u32),
    write: EventId,
) -> (R, u32) {
    if own.1 == write.0 {
        continued.insert(at, own);
        return own;
    }
    match continued.get(&at) {
        Some(&earlier) if own.1 == NONE || earlier.1 > own.1 => earlier,
        _ => own,
    }
}

/// State of the replay for [`Synchronization::Annotated`], where threads are many.
struct AnnotatedSets<'a> {
    x: &'a Execution,
    sets: PastSets,
    threads: Vec<ManyState>,
    /// The knowledge that a reader of each write may acquire, and the event whose past that is, or [`NONE`].
    released: Vec<(SetId, u32)>,
    /// The writes that another thread reads, or an RMW; and the RMWs that are read.
    heard: Vec<bool>,
    /// The reads whose sources do not happen before them.
    unheard: Vec<bool>,
    continued: Option<Continued<(SetId, u32)>>,
}

struct ManyState {
    traveler: ThreadCursor,
    /// The knowledge that the last release fence released, and that fence.
    fence: (SetId, u32),
    /// The knowledge that relaxed reads have read and an acquire fence will acquire.
    pending: SetId,
}

impl<'a> AnnotatedSets<'a> {
    fn new(x: &'a Execution, continued: bool) -> Self {
        let (sets, travelers) = PastSets::new(x);
        let thread = |traveler| ManyState { traveler, fence: (Sets::EMPTY, NONE), pending: Sets::EMPTY };
        let mut heard = heard_of(x);
        // What an RMW reads, it passes on, even within a thread.
        let is_rmw = |e: EventId| x.label(e).reads() && x.label(e).writes();
        for e in x.events() {
            if let Some(write) = x.rf(e).filter(|&write| !x.is_init(write)) {
                heard[write.index()] |= is_rmw(e) || is_rmw(write);
            }
        }
        if continued {
            x.events().filter(|&e| x.label(e).writes()).for_each(|write| heard[write.index()] = true);
        }
        AnnotatedSets {
            x,
            sets,
            threads: travelers.into_iter().map(thread).collect(),
            released: vec![(Sets::EMPTY, NONE); x.len()],
            heard,
            unheard: vec![false; x.len()],
            continued: continued.then(Continued::default),
        }
    }
}

impl Carried for AnnotatedSets<'_> {
    fn bytes(&self) -> usize {
        let states = self.threads.len() * size_of::<ManyState>();
        let columns = 8 * self.released.len() + self.heard.len() + self.unheard.len();
        self.sets.bytes() + states + columns + continued_bytes(self.continued.as_ref())
    }

    #[inline]
    fn visit(&mut self, step: Step) {
        let (event, label) = (step.event, self.x.labels()[step.event.index()]);
        let state = &mut self.threads[step.thread.index()];
        let (from_source, by) =
            step.source.map_or((Sets::EMPTY, NONE), |(write, _)| self.released[write.index()]);
        let event_of = |by: u32| (by != NONE).then_some(EventId(by));
        if label.is_fence() && label.acquires() && state.pending != Sets::EMPTY {
            self.sets.learn_set(&mut state.traveler, state.pending, None);
        }
        if from_source != Sets::EMPTY {
            if label.acquires() {
                self.sets.learn_set(&mut state.traveler, from_source, event_of(by));
            } else if label.is_atomic() {
                state.pending = self.sets.sets.union(state.pending, from_source);
            }
        }
        if let Some((write, writer)) = step.source
            && writer != step.thread
        {
            self.unheard[event.index()] = !self.sets.knows(state.traveler.set, write);
        }
        let releases = label.releases() && (label.is_fence() || self.heard[event.index()]);
        self.sets.replay(event, &mut state.traveler, releases);
        if label.is_fence() && label.releases() {
            state.fence = (state.traveler.set, event.0);
        }
        if label.writes() && self.heard[event.index()] {
            let mut own = match (label.releases(), label.is_atomic()) {
                (true, _) => (state.traveler.set, event.0),
                (false, true) => state.fence,
                (false, false) => (Sets::EMPTY, NONE),
            };
            if let Some(continued) = self.continued.as_mut().filter(|_| label.is_atomic()) {
                let at = (step.thread, self.x.locs()[event.index()]);
                own = continue_release(continued, at, own, event);
            }
            let all = self.sets.sets.union(own.0, from_source);
            self.released[event.index()] = match all {
                _ if all == own.0 => own,
                _ if all == from_source => (all, by),
                _ => (all, NONE),
            };
        }
    }
}

/// The joined clock of this number.
fn joined_clock(joined: &[u32], number: u32, k: usize) -> &[u32] {
    &joined[number as usize * k..][..k]
}

fn slot_of(x: &Execution, event: u32) -> Slot {
    x.slot(EventId(event)).expect("only events of threads release")
}

/// Joins what `released` stands for into `clock`.
fn add_released(x: &Execution, clocks: &Clocks, joined: &[u32], released: u32, clock: &mut [u32]) {
    let n = x.len() as u32;
    if released >= n {
        let k = clock.len();
        return join(clock, joined_clock(joined, released - n, k));
    }
    let slot = slot_of(x, released);
    if clock[slot.thread.index()] > slot.index {
        return;
    }
    join(clock, clocks.row(clocks.row_of(EventId(released))));
    clock[slot.thread.index()] = slot.index + 1;
}

impl HappensBefore {
    /// An hb path with the fewest edges from `from` to `to`, if there is one. O(n).
    pub(crate) fn path(&self, x: &Execution, from: EventId, to: EventId) -> Option<Vec<Edge>> {
        match self.synchronization {
            Synchronization::Nothing => shortest_path(x, from, to, |_, _| {}),
            Synchronization::EveryRead => {
                let rf = |e| x.rf(e).map(|write| (write, Because::Rf));
                shortest_path(x, from, to, |e, edges| edges.extend(rf(e)))
            }
            Synchronization::Annotated | Synchronization::Continued => {
                let mut releases = Releases::new(x, self.synchronization == Synchronization::Continued);
                shortest_path(x, from, to, |e, edges| releases.synchronizing_with(e, edges))
            }
        }
    }
}

/// Finds the events that synchronize with an event. Each is found once: for the first event asked for.
struct Releases<'a> {
    x: &'a Execution,
    /// For each thread, the first event that comes after no acquire fence asked for.
    fenced: Vec<u32>,
    /// Writes whose releases have been found.
    walked: Vec<bool>,
    /// The last release fence before each event, or [`NONE`].
    fence_before: Vec<u32>,
    /// The last release write of the same thread to the same location before each write, or [`NONE`]; empty where it does not
    /// count.
    write_before: Vec<u32>,
}

impl<'a> Releases<'a> {
    fn new(x: &'a Execution, continued: bool) -> Self {
        Releases {
            x,
            fenced: x.threads().map(|t| x.thread_events(t).start).collect(),
            walked: vec![false; x.len()],
            fence_before: x.threads().flat_map(|t| release_fences_before(x, t)).collect(),
            write_before: if continued { release_writes_before(x) } else { Vec::new() },
        }
    }

    fn synchronizing_with(&mut self, e: EventId, edges: &mut Vec<(EventId, Because)>) {
        let label = self.x.label(e);
        if !label.acquires() {
            return;
        }
        self.walk_release_sequence(e, edges);
        if label.is_fence()
            && let Some(thread) = self.x.thread_of(e)
        {
            let begin = std::mem::replace(&mut self.fenced[thread.index()], e.0);
            for read in (begin..e.0).rev() {
                self.walk_release_sequence(EventId(read), edges);
            }
        }
    }

    /// The releases that are acquired through `read`.
    fn walk_release_sequence(&mut self, read: EventId, edges: &mut Vec<(EventId, Because)>) {
        if !self.x.label(read).is_atomic() {
            return;
        }
        let mut at = self.x.rf(read);
        while let Some(write) = at.filter(|&write| !self.x.is_init(write)) {
            if std::mem::replace(&mut self.walked[write.index()], true) {
                return;
            }
            let because = Because::Sw { write, read };
            let label = self.x.label(write);
            if label.releases() {
                edges.push((write, because));
            } else if label.is_atomic() && self.fence_before[write.index()] != NONE {
                edges.push((EventId(self.fence_before[write.index()]), because));
            }
            if let Some(&earlier) = self.write_before.get(write.index()).filter(|&&earlier| earlier != NONE) {
                let earlier = EventId(earlier);
                edges.push((earlier, Because::Sw { write: earlier, read }));
            }
            at = self.x.rf(write);
        }
    }
}

fn release_writes_before(x: &Execution) -> Vec<u32> {
    let mut before = vec![NONE; x.len()];
    let mut last = vec![NONE; x.location_count()];
    for thread in x.threads() {
        let events = x.thread_events(thread);
        for e in events.clone().map(EventId).filter(|&e| x.label(e).writes()) {
            let last = &mut last[x.locs()[e.index()].index()];
            if *last != NONE && events.contains(last) && x.label(e).is_atomic() {
                before[e.index()] = *last;
            }
            if x.label(e).releases() {
                *last = e.0;
            }
        }
    }
    before
}

fn release_fences_before(x: &Execution, thread: ThreadId) -> impl Iterator<Item = u32> + '_ {
    let mut last = NONE;
    x.thread_events(thread).map(move |e| {
        let label = x.label(EventId(e));
        let before = last;
        if label.is_fence() && label.releases() {
            last = e;
        }
        before
    })
}
