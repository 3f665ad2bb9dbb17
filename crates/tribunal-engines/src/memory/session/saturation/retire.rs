//! Dropping what no future event can have to do with.
//!
//! An event is *settled* if every event to come is behind it: if all running threads have it in their clocks. A write is *live* if
//! a running thread may read it: if the thread knows no write that overwrites it. What comes learns of the past by reading live
//! writes, and the past learns of what comes only if a write is put behind another that it was not known to follow. So an event
//! is *hot*, which means that its clock may still grow, if
//!
//! - it is a live write that is unsettled or has a *rival*: a write of its location that is neither before nor behind it;
//! - it is behind a hot event;
//! - it is unsettled or has a rival, and a hot read reads it.
//!
//! Others are as they will be. Of those, live writes stay for their clocks, and so do writes that some write which stays does not
//! follow, with the last readers of what stays: edges may still be derived from them. The rest is dropped.
//!
//! A thread that is made later knows nothing, and is not counted on here: what it does may be seen to contradict less than it does.

use super::super::knowledge::Release;
use super::super::log::{Log, NONE};
use super::{Entry, Event, Line, Location, NOTHING, Rules, SessionSaturation};
use crate::reach::clocks::Rows;
use tribunal_history::memory::{LocId, ThreadId};

impl SessionSaturation {
    /// Drops what is done with, if there is much more than the last time. Says of each write, by its place, whether it is left.
    pub(in super::super) fn retire(&mut self, log: &Log) -> Vec<bool> {
        self.trail.forget();
        let mut left = vec![true; log.places()];
        if self.events.len() < 2 * self.kept + 256 {
            return left;
        }
        let stays = self.staying(log);
        for event in self.events.iter().zip(&stays).filter(|(event, stays)| !**stays && event.place != NONE) {
            left[event.0.place as usize] = false;
        }
        self.compact(log, &stays);
        for (release, &left) in self.releases.iter_mut().zip(&left) {
            if !left {
                *release = Release::default();
            }
        }
        for &place in log.free() {
            if let Some(release) = self.releases.get_mut(place as usize) {
                *release = Release::default();
            }
        }
        self.knowledge.retire(self.releases.iter_mut());
        self.kept = self.events.len();
        left
    }

    /// The events that stay. Those that are not hot lose their edges.
    fn staying(&mut self, log: &Log) -> Vec<bool> {
        let running: Vec<ThreadId> = log.running().collect();
        let clocks: Vec<Vec<u32>> = running.iter().map(|&thread| self.frontier(thread)).collect();
        let settled: Vec<u32> = (0..self.line_threads.len())
            .map(|line| clocks.iter().map(|clock| clock[line]).min().unwrap_or(u32::MAX))
            .collect();
        let mut stays = vec![false; self.events.len()];
        stays[NOTHING as usize] = true;
        let mut hot = vec![false; self.events.len()];
        let mut open = vec![false; self.events.len()];
        let mut queue = Vec::new();
        for loc in (0..log.location_count()).map(LocId::from_index) {
            let location = &self.locations[loc.index()];
            if location.init != NOTHING {
                stays[location.init as usize] = running
                    .iter()
                    .zip(&clocks)
                    .any(|(&thread, clock)| self.sees_initial(thread, clock, location));
            }
            for entry in location.lines.iter().flat_map(|line| &line.writes) {
                let event = &self.events[entry.event as usize];
                open[entry.event as usize] =
                    settled[event.line as usize] <= event.index || self.has_rival(location, entry.event);
                let is_live = |(&thread, clock): (&ThreadId, &Vec<u32>)| {
                    self.is_live(thread, clock, location, entry.event)
                };
                if running.iter().zip(&clocks).any(is_live) || running.is_empty() {
                    stays[entry.event as usize] = true;
                    if open[entry.event as usize] {
                        queue.push(entry.event);
                    }
                }
            }
        }
        while let Some(event) = queue.pop() {
            if std::mem::replace(&mut hot[event as usize], true) {
                continue;
            }
            stays[event as usize] = true;
            let Event { source, edge, .. } = self.events[event as usize];
            if open[source as usize] {
                queue.push(source);
            }
            let mut next = edge;
            while next != NONE {
                let (end, earlier) = self.edges[next as usize];
                queue.push(end);
                next = earlier;
            }
        }
        self.keep_last(&settled, &mut stays);
        for loc in 0..log.location_count() {
            self.keep_unfollowed(loc, &mut stays);
        }
        self.keep_readers(&mut stays);
        for (event, hot) in self.events.iter_mut().zip(hot) {
            if !hot {
                event.edge = NONE;
            }
        }
        stays
    }

    /// How far each line is before the next event of a thread.
    fn frontier(&self, thread: ThreadId) -> Vec<u32> {
        let read = self.threads[thread.index()].read;
        let mut clock = self.clocks.row(read).to_vec();
        let Event { line, index, .. } = self.events[read as usize];
        if line != NONE {
            clock[line as usize] = clock[line as usize].max(index + 1);
        }
        clock
    }

    /// How many writes of a line happen before the next read of a thread, so that it reads nothing that is before them.
    fn known(&self, thread: ThreadId, clock: &[u32], line: u32) -> u32 {
        match self.rules {
            Rules::Sra if line == thread.0 => u32::MAX,
            Rules::Sra => self.knowledge.now(thread)[line as usize],
            _ => clock[line as usize],
        }
    }

    /// Whether a thread may read the initial write.
    fn sees_initial(&self, thread: ThreadId, clock: &[u32], location: &Location) -> bool {
        let left = location.left.get(thread.index()).is_none_or(|&left| left == NOTHING);
        left && location.lines.iter().all(|line| {
            line.writes.first().is_none_or(|first| first.index >= self.known(thread, clock, line.line))
        })
    }

    /// Whether a thread may read a write: whether it knows none that is behind it.
    fn is_live(&self, thread: ThreadId, clock: &[u32], location: &Location, write: u32) -> bool {
        let Event { line, index, .. } = self.events[write as usize];
        let is_behind =
            |last: &Entry| last.event != write && (self.clocks.row(last.event)[line as usize] > index);
        !location.lines.iter().any(|own| {
            let known = self.known(thread, clock, own.line);
            let count = own.writes.partition_point(|entry| entry.index < known);
            count > 0 && is_behind(&own.writes[count - 1])
        })
    }

    /// Whether a write of the location is neither before nor behind a write.
    fn has_rival(&self, location: &Location, write: u32) -> bool {
        let Event { line, index, .. } = self.events[write as usize];
        location.lines.iter().filter(|own| own.line != line).any(|own| {
            let before = self.clocks.row(write)[own.line as usize];
            let before = own.writes.partition_point(|entry| entry.index < before);
            own.writes.get(before).is_some_and(|next| self.clocks.row(next.event)[line as usize] <= index)
        })
    }

    /// The last events of threads stay, and the writes that a fence has to hold back, except for those that are settled.
    fn keep_last(&mut self, settled: &[u32], stays: &mut [bool]) {
        for thread in 0..self.threads.len() {
            let state = self.threads[thread];
            for event in [state.read, state.write, state.barrier] {
                stays[event as usize] = true;
            }
            if self.rules == Rules::Pso {
                let mut last = state.write;
                while last != NOTHING {
                    stays[last as usize] = true;
                    let mut earlier = self.events[last as usize].earlier;
                    while earlier != NOTHING {
                        let Event { line, index, .. } = self.events[earlier as usize];
                        if settled[line as usize] <= index {
                            break;
                        }
                        earlier = self.events[earlier as usize].earlier;
                    }
                    self.events[last as usize].earlier = earlier;
                    last = earlier;
                }
            }
        }
    }

    /// The writes of a location stay that some write which stays does not follow.
    fn keep_unfollowed(&self, loc: usize, stays: &mut [bool]) {
        let location = &self.locations[loc];
        let from_initial = location.init != NOTHING && stays[location.init as usize];
        let mut moved = true;
        while moved {
            moved = false;
            let first = |line: &Line| {
                let mut events = line.writes.iter().map(|entry| entry.event);
                events.find(|&event| stays[event as usize])
            };
            let firsts: Vec<u32> = location.lines.iter().filter_map(first).collect();
            for own in &location.lines {
                for entry in &own.writes {
                    let unfollowed = |&first: &u32| {
                        first != entry.event && self.clocks.row(first)[own.line as usize] <= entry.index
                    };
                    if !stays[entry.event as usize] && (from_initial || firsts.iter().any(unfollowed)) {
                        stays[entry.event as usize] = true;
                        moved = true;
                    }
                }
            }
        }
    }

    /// The last readers of writes that stay, stay.
    fn keep_readers(&self, stays: &mut [bool]) {
        for (id, event) in self.events.iter().enumerate() {
            if event.writes && stays[id] {
                for &reader in self.readers.row(event.readers) {
                    stays[reader as usize] = true;
                }
            }
        }
    }

    /// Leaves what stays, with new numbers.
    fn compact(&mut self, log: &Log, stays: &[bool]) {
        let mut numbers = vec![NOTHING; self.events.len()];
        let staying = || (0..stays.len()).filter(|&event| stays[event]);
        staying().zip(0..).for_each(|(event, number)| numbers[event] = number);
        let number = |event: u32| numbers[event as usize];
        let (mut clocks, mut readers) = (Rows::default(), Rows::default());
        clocks.widen(self.clocks.width());
        readers.widen(self.readers.width());
        let mut events = Vec::with_capacity(numbers.len());
        let mut edges = Vec::new();
        let mut row = vec![0; self.readers.width()];
        for id in staying() {
            let mut event = self.events[id];
            let mut next = std::mem::replace(&mut event.edge, NONE);
            while next != NONE {
                let (end, earlier) = self.edges[next as usize];
                edges.push((number(end), event.edge));
                event.edge = edges.len() as u32 - 1;
                next = earlier;
            }
            if id != NOTHING as usize {
                clocks.push(self.clocks.row(id as u32));
            }
            if event.writes {
                row.iter_mut()
                    .zip(self.readers.row(event.readers))
                    .for_each(|(new, &old)| *new = number(old));
                event.readers = readers.push(&row);
                if event.place != NONE {
                    self.events_of[event.place as usize] = number(id as u32);
                }
            }
            event.source = number(event.source);
            event.earlier = number(event.earlier);
            events.push(event);
        }
        for state in &mut self.threads {
            for event in [&mut state.read, &mut state.write, &mut state.barrier] {
                *event = number(*event);
            }
        }
        for location in &mut self.locations[..log.location_count()] {
            location.init = number(location.init);
            location.left.iter_mut().for_each(|left| *left = number(*left));
            for line in &mut location.lines {
                line.writes.retain_mut(|entry| {
                    entry.event = number(entry.event);
                    entry.event != NOTHING
                });
            }
        }
        (self.events, self.edges, self.clocks, self.readers) = (events, edges, clocks, readers);
    }
}
