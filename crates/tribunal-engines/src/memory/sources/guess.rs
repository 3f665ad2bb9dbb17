//! Guessing sources: the threads run on a machine with store buffers, or without, until every read finds its value.
//!
//! A read that finds its value is never better off later, so reads go first; what is chosen is which write reaches memory
//! next. A dead end goes back to the last choice; states that were seen are not entered again. A guess proves nothing: the
//! model's engine decides whether the sources will do.

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Observation, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::Limit;

/// The buffers between a thread and the memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffers {
    None,
    /// One queue a thread.
    Fifo,
    /// One queue for each thread and location.
    PerLocation,
}

/// Sources for all that is open, if a machine finds some.
pub(super) fn guess(
    x: &Execution,
    model: Model,
    limits: &Limits<'_>,
) -> Result<Option<Vec<(Observation, EventId)>>, Limit> {
    let machines: &[Buffers] = match model {
        Model::Sc | Model::Wsc | Model::Ccm => &[Buffers::None],
        Model::Tso
        | Model::Sra
        | Model::Wccm
        | Model::Ccv
        | Model::Cm
        | Model::Cc
        | Model::Ra
        | Model::Wra => &[Buffers::None, Buffers::Fifo],
        _ => &[Buffers::None, Buffers::Fifo, Buffers::PerLocation],
    };
    for &buffers in machines {
        if limits.check_memory(BYTES_PER_EVENT * x.len(), 0).is_ok()
            && let Some(sources) = Machine::new(x, buffers).run(limits)?
        {
            return Ok(Some(sources));
        }
    }
    Ok(None)
}

/// A step that can be taken back.
enum Step {
    /// A thread went on, past a read or a fence, or past a write into its buffer.
    Passed(usize),
    /// A write reached memory, in place of another; from the buffer of its thread, at this place, or directly.
    Written { write: EventId, over: EventId, from: Option<usize> },
}

/// A thread, and the place in its queue of a write that may reach memory; none if it is the thread's next event.
type Flush = (usize, Option<usize>);

/// The bytes that a machine takes beside the states that it has seen.
const BYTES_PER_EVENT: usize = 64;

struct Machine<'a> {
    x: &'a Execution,
    buffers: Buffers,
    next: Vec<u32>,
    /// By location: the write that is in memory.
    memory: Vec<EventId>,
    /// By thread: the writes on their way, oldest first.
    queues: Vec<VecDeque<EventId>>,
    /// By write: how many reads are known to read from it and have not.
    awaited: Vec<u32>,
    /// By read: what it read from.
    sources: Vec<EventId>,
    steps: Vec<Step>,
    /// By thread and location: the next access of the thread to it; empty if there are too many of both.
    upcoming: Vec<u32>,
    /// By event: the next access of its thread to its location.
    following: Vec<u32>,
}

/// The source that an access reads from: a write that is known, or some write of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Wanted {
    Write(EventId),
    Value(u64),
}

/// By what the next accesses of threads to a location read: how many do, and how much that counts.
type Demand = FxHashMap<Wanted, [i32; 2]>;

/// No further access.
const NONE: u32 = u32::MAX;

impl<'a> Machine<'a> {
    fn new(x: &'a Execution, buffers: Buffers) -> Self {
        let mut awaited = vec![0; x.len() + x.location_count()];
        x.events().filter_map(|event| x.rf(event)).for_each(|source| awaited[source.index()] += 1);
        let locations = x.location_count();
        let mut upcoming = match x.thread_count().saturating_mul(locations) {
            pairs if pairs <= 4 * x.len() + 1024 => vec![NONE; pairs],
            _ => Vec::new(),
        };
        let mut following = Vec::new();
        if !upcoming.is_empty() {
            following = vec![NONE; x.len()];
            for thread in x.threads() {
                for event in x.thread_events(thread).rev() {
                    if let Some(loc) = x.loc(EventId(event)) {
                        let next = &mut upcoming[thread.index() * locations + loc.index()];
                        following[event as usize] = std::mem::replace(next, event);
                    }
                }
            }
        }
        Machine {
            x,
            buffers,
            upcoming,
            following,
            next: x.threads().map(|thread| x.thread_events(thread).start).collect(),
            memory: x.locations().map(|loc| x.init_write(loc)).collect(),
            queues: vec![VecDeque::new(); x.thread_count()],
            awaited,
            sources: vec![EventId(u32::MAX); x.len()],
            steps: Vec::new(),
        }
    }

    /// Runs to the end, going back from dead ends as long as that is worth it.
    fn run(&mut self, limits: &Limits<'_>) -> Result<Option<Vec<(Observation, EventId)>>, Limit> {
        let most_steps = 200_000 + 40 * self.x.len();
        let (mut taken, mut work) = (0, 0);
        // Where there was a choice: how many steps had been taken, and what else to do.
        let mut choices: Vec<(usize, Vec<Flush>)> = Vec::new();
        let mut seen: FxHashSet<u64> = FxHashSet::default();
        loop {
            self.read_on();
            if self.is_done() {
                return Ok(Some(self.chosen()));
            }
            let mut writes = self.writes();
            taken += 1;
            // A step looks at every thread.
            work += 16 + self.next.len();
            if work >= 1 << 14 {
                work = 0;
                limits.check(0)?;
                // A state takes a byte beside its hash, and twice as much while there is more room made.
                if limits.check_memory(BYTES_PER_EVENT * self.x.len() + 27 * seen.capacity(), 0).is_err() {
                    return Ok(None);
                }
            }
            if taken > most_steps {
                return Ok(None);
            }
            if !choices.is_empty() && !seen.insert(self.state()) {
                writes.clear();
            }
            let (mark, write) = loop {
                if let Some(write) = writes.pop() {
                    let mark = self.steps.len();
                    if !writes.is_empty() {
                        choices.push((mark, writes));
                    }
                    break (mark, write);
                }
                let Some((mark, alternatives)) = choices.pop() else { return Ok(None) };
                self.undo(mark);
                writes = alternatives;
            };
            debug_assert_eq!(mark, self.steps.len());
            self.write(write);
        }
    }

    fn is_done(&self) -> bool {
        let x = self.x;
        x.threads().all(|thread| self.next[thread.index()] == x.thread_events(thread).end)
            && self.queues.iter().all(VecDeque::is_empty)
    }

    fn chosen(&self) -> Vec<(Observation, EventId)> {
        let source = |of| match of {
            Observation::Read(read) => self.sources[read.index()],
            // The last write, if it will do.
            Observation::Final { loc, .. } => {
                let last = self.memory[loc.index()];
                let writers = self.x.writers(of);
                if writers.contains(&last) { last } else { writers[0] }
            }
        };
        self.x.open().map(|of| (of, source(of))).collect()
    }

    /// A number for the state: where the threads are and what is in memory and on its way there.
    fn state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.next.hash(&mut hasher);
        self.memory.hash(&mut hasher);
        self.queues.iter().for_each(|queue| queue.len().hash(&mut hasher));
        hasher.finish()
    }

    /// The write that a thread sees at a location.
    fn seen(&self, thread: usize, loc: LocId) -> EventId {
        let queued = self.queues[thread].iter().rev().find(|&&write| self.x.loc(write) == Some(loc));
        queued.copied().unwrap_or(self.memory[loc.index()])
    }

    /// Whether an event may read what its thread sees.
    fn finds(&self, thread: usize, event: EventId, loc: LocId) -> Option<EventId> {
        let source = self.seen(thread, loc);
        let found = match self.x.rf(event) {
            Some(known) => known == source,
            None => self.x.value_read(event) == Some(self.x.value(source)),
        };
        found.then_some(source)
    }

    /// Lets every thread go on as far as reads find their values and writes need not reach memory.
    fn read_on(&mut self) {
        let x = self.x;
        for thread in x.threads() {
            let t = thread.index();
            let end = x.thread_events(thread).end;
            while self.next[t] < end {
                let event = EventId(self.next[t]);
                match (x.label(event).kind(), x.loc(event)) {
                    (Kind::Read, Some(loc)) => match self.finds(t, event, loc) {
                        Some(source) => self.read(event, source),
                        None => break,
                    },
                    (Kind::Write, _) if self.buffers != Buffers::None => self.queues[t].push_back(event),
                    (Kind::Fence, _)
                        if self.queues[t].is_empty()
                            || x.label(event).order() == tribunal_history::memory::Order::Relaxed => {}
                    _ => break,
                }
                self.pass(t);
                self.steps.push(Step::Passed(t));
            }
        }
    }

    /// Moves a thread past its next event.
    fn pass(&mut self, thread: usize) {
        let event = self.next[thread];
        self.next[thread] += 1;
        if let (Some(&following), Some(loc)) =
            (self.following.get(event as usize), self.x.loc(EventId(event)))
        {
            self.upcoming[thread * self.memory.len() + loc.index()] = following;
        }
    }

    /// Moves a thread back before its last event, and says which that is.
    fn step_back(&mut self, thread: usize) -> EventId {
        self.next[thread] -= 1;
        let event = self.next[thread];
        if let (false, Some(loc)) = (self.following.is_empty(), self.x.loc(EventId(event))) {
            self.upcoming[thread * self.memory.len() + loc.index()] = event;
        }
        EventId(event)
    }

    fn read(&mut self, event: EventId, source: EventId) {
        self.sources[event.index()] = source;
        if self.x.rf(event).is_some() {
            self.awaited[source.index()] -= 1;
        }
    }

    /// The writes that may reach memory now, the most promising last.
    fn writes(&self) -> Vec<Flush> {
        let x = self.x;
        let mut writes: Vec<Flush> = Vec::new();
        for thread in x.threads() {
            let t = thread.index();
            match self.buffers {
                Buffers::None => {}
                Buffers::Fifo => {
                    writes.extend(
                        self.queues[t].front().filter(|&&w| self.may_overwrite(w)).map(|_| (t, Some(0))),
                    );
                }
                Buffers::PerLocation => {
                    for (at, &write) in self.queues[t].iter().enumerate() {
                        let first =
                            !self.queues[t].range(..at).any(|&earlier| x.loc(earlier) == x.loc(write));
                        if first && self.may_overwrite(write) {
                            writes.push((t, Some(at)));
                        }
                    }
                }
            }
            let event = EventId(self.next[t]);
            if event.0 == x.thread_events(thread).end || !self.queues[t].is_empty() {
                continue;
            }
            let may = match (x.label(event).kind(), x.loc(event)) {
                (Kind::Write, Some(_)) => self.buffers == Buffers::None && self.may_overwrite(event),
                (Kind::Rmw, Some(loc)) => self.finds(t, event, loc).is_some() && self.may_overwrite(event),
                _ => false,
            };
            if may {
                writes.push((t, None));
            }
        }
        let last = match self.steps.last() {
            Some(&Step::Passed(thread)) => Some(thread),
            Some(Step::Written { write, .. }) => x.thread_of(*write).map(|thread| thread.index()),
            None => None,
        };
        if writes.len() > 1 {
            let mut demands: FxHashMap<LocId, Demand> = FxHashMap::default();
            writes.sort_by_cached_key(|&(t, from)| {
                let promise = self.promise(t, self.write_of((t, from)), &mut demands);
                (promise, last == Some(t), std::cmp::Reverse(t))
            });
        }
        writes
    }

    /// The merit of a write now: threads that wait for it speak for it, and so do those whose next access to the location reads it;
    /// those whose next access reads what it replaces speak against it. What the threads ask of a location is looked at once.
    fn promise(&self, writer: usize, write: EventId, demands: &mut FxHashMap<LocId, Demand>) -> i32 {
        let x = self.x;
        let Some(loc) = x.loc(write) else { return 0 };
        let over = self.memory[loc.index()];
        let demand = demands.entry(loc).or_insert_with(|| {
            let mut demand = Demand::default();
            for (wanted, waits) in (0..self.next.len()).filter_map(|t| self.wants(t, loc)) {
                let [count, weight] = demand.entry(wanted).or_default();
                *count += 1;
                *weight += if waits { 4 } else { 1 };
            }
            demand
        });
        let asked = |wanted| demand.get(&wanted).copied().unwrap_or_default();
        let (value, replaced) = (Wanted::Value(x.value(write)), Wanted::Value(x.value(over)));
        let against = asked(Wanted::Write(over))[0] + if value == replaced { 0 } else { asked(replaced)[0] };
        let promise = asked(Wanted::Write(write))[1] + asked(value)[1] - 2 * against;
        // The writer itself does not speak.
        promise
            - match self.wants(writer, loc) {
                Some((wanted, waits)) if wanted == Wanted::Write(write) || wanted == value => {
                    if waits {
                        4
                    } else {
                        1
                    }
                }
                Some((wanted, _)) if wanted == Wanted::Write(over) || wanted == replaced => -2,
                _ => 0,
            }
    }

    /// The source that the next access of a thread to a location reads from, and whether it is the thread's next event.
    fn wants(&self, thread: usize, loc: LocId) -> Option<(Wanted, bool)> {
        let x = self.x;
        let upcoming = match self.upcoming.get(thread * self.memory.len() + loc.index()) {
            Some(&upcoming) => upcoming,
            None => self.next[thread],
        };
        let event = EventId(upcoming);
        if upcoming >= x.thread_events(ThreadId::from_index(thread)).end || x.loc(event) != Some(loc) {
            return None;
        }
        let wanted = match x.rf(event) {
            Some(known) => Wanted::Write(known),
            None => Wanted::Value(x.value_read(event)?),
        };
        Some((wanted, upcoming == self.next[thread]))
    }

    fn write_of(&self, (thread, from): Flush) -> EventId {
        from.map_or(EventId(self.next[thread]), |at| self.queues[thread][at])
    }

    /// Whether nothing that is known to read what the write replaces still has to.
    fn may_overwrite(&self, write: EventId) -> bool {
        let Some(loc) = self.x.loc(write) else { return false };
        let over = self.memory[loc.index()];
        let own = u32::from(self.x.rf(write) == Some(over));
        self.awaited[over.index()] == own
    }

    fn write(&mut self, (thread, from): Flush) {
        let write = self.write_of((thread, from));
        let loc = self.x.loc(write).expect("a write");
        let over = std::mem::replace(&mut self.memory[loc.index()], write);
        match from {
            Some(at) => _ = self.queues[thread].remove(at),
            None => {
                if self.x.label(write).reads() {
                    self.read(write, over);
                }
                self.pass(thread);
            }
        }
        self.steps.push(Step::Written { write, over, from });
    }

    fn undo(&mut self, mark: usize) {
        let x = self.x;
        while self.steps.len() > mark
            && let Some(step) = self.steps.pop()
        {
            let read = match step {
                Step::Passed(thread) => {
                    let event = self.step_back(thread);
                    if x.label(event).kind() == Kind::Write {
                        self.queues[thread].pop_back();
                    }
                    event
                }
                Step::Written { write, over, from } => {
                    let loc = x.loc(write).expect("a write");
                    self.memory[loc.index()] = over;
                    let thread = x.thread_of(write).expect("a write of a thread").index();
                    match from {
                        Some(at) => self.queues[thread].insert(at, write),
                        None => _ = self.step_back(thread),
                    }
                    write
                }
            };
            if x.label(read).reads()
                && let Some(source) = x.rf(read)
            {
                self.awaited[source.index()] += 1;
            }
        }
    }
}
