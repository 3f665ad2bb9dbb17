//! The baseline inside the search: writes-before of release-acquire (Lahav and Vafeiadis 2015), recomputed for every question, the way
//! model checkers that keep no mo do.
//!
//! A write w is before another of its location, w', if w or a reader of w happens before w' or a reader of w'; between
//! rf-chains, the last write of the one is before the first of the other. A read is possible if the closure on bits is irreflexive. Clocks for hb = (po ∪ rf)⁺ are
//! at hand, and only the location that is read is looked at, since a read orders nothing elsewhere.

use tribunal_explore::graph::{Event, EventId, Graph, Source};
use tribunal_explore::program::Action;
use tribunal_explore::search::Memory;
use tribunal_history::memory::{LocId, Order, ThreadId};

#[derive(Clone, Default)]
pub(super) struct WritesBefore {
    /// By event: its thread, how many events that had, its location, what it reads, whether it writes.
    events: Vec<Access>,
    /// By event and thread, how many of the thread's events happen before it, itself included.
    clocks: Vec<Vec<u32>>,
    /// By thread, the events so far.
    threads: Vec<Vec<u32>>,
    /// By thread, its spawn.
    spawns: Vec<Option<u32>>,
}

#[derive(Clone, Copy)]
struct Access {
    thread: usize,
    index: u32,
    loc: Option<LocId>,
    source: Source,
    writes: bool,
    child: Option<usize>,
}

/// A read that is asked for.
struct Question {
    clock: Vec<u32>,
    source: Source,
    rmw: bool,
}

fn at<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

fn join(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(entry, &other)| *entry = (*entry).max(other));
}

impl WritesBefore {
    /// What happens before a thread's next event.
    fn now(&self, thread: usize) -> Vec<u32> {
        let last = self.threads.get(thread).and_then(|events| events.last().copied());
        let last = last.or(self.spawns.get(thread).copied().flatten());
        last.map_or(Vec::new(), |last| self.clocks[last as usize].clone())
    }

    /// What happens before an event, itself not included.
    fn before(&self, event: u32) -> Vec<u32> {
        let access = self.events[event as usize];
        let mut clock = self.clocks[event as usize].clone();
        clock[access.thread] = access.index;
        clock
    }

    fn possible(&self, loc: LocId, question: &Question) -> bool {
        // The initial write is the first.
        let mut writes: Vec<Option<u32>> = vec![None];
        writes.extend(self.of(loc).filter(|&e| self.events[e as usize].writes).map(Some));
        let asked = writes.len();
        let nodes = asked + usize::from(question.rmw);
        let node = |source: Source| match source {
            Source::Event(write) => writes.iter().position(|&other| other == Some(write.index() as u32)),
            _ => Some(0),
        };
        // For each write, the events that access it, and what happens before them.
        let mut accesses: Vec<Vec<(usize, u32)>> = vec![Vec::new(); nodes];
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        let mut tops: Vec<usize> = (0..nodes).collect();
        let mut taken = vec![false; nodes];
        for (i, &write) in writes.iter().enumerate() {
            let Some(write) = write else { continue };
            let access = self.events[write as usize];
            accesses[i].push((access.thread, access.index));
            join(&mut joined[i], &self.before(write));
        }
        for e in self.of(loc) {
            let access = self.events[e as usize];
            let (Source::Event(_) | Source::Init) = access.source else { continue };
            let Some(read) = node(access.source) else { continue };
            accesses[read].push((access.thread, access.index));
            join(&mut joined[read], &self.before(e));
            if access.writes {
                taken[read] = true;
            }
        }
        let Some(read) = node(question.source) else { return false };
        join(&mut joined[read], &question.clock);
        if question.rmw {
            if std::mem::replace(&mut taken[read], true) {
                return false;
            }
            join(&mut joined[asked], &question.clock);
        }
        for (i, &write) in writes.iter().enumerate().skip(1) {
            let access = self.events[write.expect("not initial") as usize];
            if let (Source::Event(_) | Source::Init, Some(source)) = (access.source, node(access.source)) {
                tops[i] = tops[source];
            }
        }
        if question.rmw {
            tops[asked] = tops[read];
        }
        let mut bottoms: Vec<usize> = (0..nodes).collect();
        for i in 0..nodes {
            bottoms[tops[i]] = i;
        }
        let words = nodes.div_ceil(64);
        let mut rows = vec![0u64; nodes * words];
        for head in 0..nodes {
            for tail in (0..nodes).filter(|&tail| tail != head) {
                let known = |&(thread, index): &(usize, u32)| {
                    joined[head].get(thread).is_some_and(|&count| count > index)
                };
                if tail == 0 || accesses[tail].iter().any(known) {
                    let mut insert =
                        |tail: usize, head: usize| rows[tail * words + head / 64] |= 1 << (head % 64);
                    insert(tail, head);
                    if tops[tail] != tops[head] {
                        insert(bottoms[tops[tail]], tops[head]);
                    }
                }
            }
        }
        for middle in 0..nodes {
            let through: Vec<u64> = rows[middle * words..][..words].to_vec();
            for tail in 0..nodes {
                if rows[tail * words + middle / 64] >> (middle % 64) & 1 == 1 {
                    rows[tail * words..][..words]
                        .iter_mut()
                        .zip(&through)
                        .for_each(|(row, &more)| *row |= more);
                }
            }
        }
        (0..nodes).all(|i| rows[i * words + i / 64] >> (i % 64) & 1 == 0)
    }

    fn of(&self, loc: LocId) -> impl Iterator<Item = u32> {
        (0..).zip(&self.events).filter(move |(_, access)| access.loc == Some(loc)).map(|(e, _)| e)
    }

    fn question(&self, thread: ThreadId, source: Source, rmw: bool) -> Question {
        let mut clock = self.now(thread.index());
        if let Source::Event(write) = source {
            join(&mut clock, &self.clocks[write.index()]);
        }
        // Itself: what comes later is not before it.
        let own = self.threads.get(thread.index()).map_or(0, Vec::len) as u32;
        *at(&mut clock, thread.index()) = own;
        Question { clock, source, rmw }
    }
}

impl Memory for WritesBefore {
    fn len(&self) -> usize {
        self.events.len()
    }

    fn push(&mut self, _: &Graph, event: &Event) -> bool {
        let thread = event.thread.index();
        if let (true, Some(loc), false) = (event.is_read(), event.loc(), event.waiting) {
            let question = self.question(event.thread, event.source, event.written.is_some());
            if !self.possible(loc, &question) {
                return false;
            }
        }
        let mut clock = self.now(thread);
        if let Source::Event(source) = event.source {
            join(&mut clock, &self.clocks[source.index()]);
        }
        let index = at(&mut self.threads, thread).len() as u32;
        *at(&mut clock, thread) = index + 1;
        let id = self.events.len() as u32;
        self.threads[thread].push(id);
        let child = matches!(event.action, Action::Spawn).then_some(event.read as usize);
        if let Some(child) = child {
            *at(&mut self.spawns, child) = Some(id);
        }
        self.clocks.push(clock);
        let loc = event.loc().filter(|_| !event.waiting);
        self.events.push(Access {
            thread,
            index,
            loc,
            source: event.source,
            writes: event.written.is_some(),
            child,
        });
        true
    }

    fn truncate(&mut self, _: &Graph, length: usize) {
        while self.events.len() > length {
            let Some(event) = self.events.pop() else { return };
            self.clocks.pop();
            self.threads[event.thread].pop();
            if let Some(child) = event.child {
                self.spawns[child] = None;
            }
        }
    }

    fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        found.clear();
        let writes = self.of(loc).filter(|&e| self.events[e as usize].writes);
        let writes: Vec<Source> =
            writes.map(|e| Source::Event(EventId::from_index(e as usize))).chain([Source::Init]).collect();
        found.extend(writes.into_iter().filter(|&source| self.admits(thread, loc, source, order, false)));
    }

    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, _: Order, rmw: bool) -> bool {
        self.possible(loc, &self.question(thread, source, rmw))
    }

    fn happens_before(&self, event: EventId, by: ThreadId, thread: ThreadId) -> bool {
        let index = self.events[event.index()].index;
        self.now(thread.index()).get(by.index()).is_some_and(|&count| count > index)
    }

    fn may_be_last(&mut self, _: &[(LocId, Source)]) -> bool {
        // No program of the comparison gets stuck.
        false
    }
}
