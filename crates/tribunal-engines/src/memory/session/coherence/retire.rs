//! Dropping what no thread can read any more.

use super::super::log::{Log, NONE};
use super::location::{Access, Location};
use super::{Coherence, Link};
use crate::reach::clocks::{EMPTY, Rows, includes};
use tribunal_history::memory::{LocId, ThreadId};

impl Coherence {
    /// Drops the writes that each running thread has seen overwritten, wherever a location has grown much since the last time.
    /// Says of each write, by its place, whether it is left.
    pub(in super::super) fn retire(&mut self, log: &Log) -> Vec<bool> {
        self.look.forget();
        self.trail.forget();
        let mut left = vec![true; log.places()];
        for loc in (0..log.location_count()).map(LocId::from_index) {
            let location = &self.locations[loc.index()];
            let accesses: usize = location.lines.iter().map(|line| line.accesses.len()).sum();
            if accesses >= 2 * location.kept + 32 {
                self.retire_at(log, loc, &mut left);
            }
        }
        // Of what is gone, or was undone, nobody acquires anything.
        for &place in log.free() {
            if let Some(link) = self.links.get_mut(place as usize) {
                link.release = Default::default();
            }
        }
        for (link, &left) in self.links.iter_mut().zip(&left) {
            if !left {
                link.release = Default::default();
            }
        }
        let Coherence { knowledge, links, locations, .. } = self;
        let locations = &mut locations[..log.location_count()];
        let lines = locations.iter_mut().flat_map(|location| &mut location.lines);
        let releases = lines.map(|line| &mut line.state.release);
        if knowledge.retire(links.iter_mut().map(|link| &mut link.release).chain(releases)) {
            // Rows have new numbers: whatever is known is looked at once more.
            for line in self.locations.iter_mut().flat_map(|location| &mut location.lines) {
                line.state.known = NONE;
            }
        }
        left
    }

    fn retire_at(&mut self, log: &Log, loc: LocId, left: &mut [bool]) {
        let mut overwritten = self.overwritten(log, loc);
        let Coherence { mo, locations, links, look, .. } = self;
        let location = &mut locations[loc.index()];
        // Chains of which the first is gone go on with the first that is left.
        overwritten.sort_unstable();
        let is_gone = |write: u32| overwritten.binary_search(&write).is_ok();
        let mut heads: Vec<(u32, u32)> = Vec::new();
        for &write in &overwritten {
            left[write as usize] = false;
            let Link { top, next, .. } = links[write as usize];
            if *mo && next != NONE && !is_gone(next) {
                heads.push((top, next));
            }
        }
        // What is left of each line, with the closure of what is before.
        let mut rows = Rows::default();
        rows.widen(location.width());
        let mut lines = Vec::with_capacity(location.lines.len());
        for (i, line) in location.lines.iter().enumerate() {
            let gone = line.accesses.partition_point(|access| is_gone(access.left));
            let mut last = EMPTY;
            let mut accesses = Vec::with_capacity(line.accesses.len() - gone);
            for (ordinal, &Access { index, left, .. }) in (line.base..).zip(&line.accesses).skip(gone) {
                look.before.clear();
                look.before.resize(location.width(), 0);
                location.join_before(i, ordinal, &mut look.before);
                look.before[i] = look.before[i].max(ordinal);
                look.close_before(location);
                for &(top, head) in &heads {
                    let of_first = top == location.first;
                    if let Some((line, ordinal)) = location.place(log, links, head)
                        && line != i
                        && head != left
                        && !of_first
                        && location.place(log, links, top).is_some_and(|(line, o)| look.before[line] > o)
                    {
                        look.before[line] = look.before[line].max(ordinal + 1);
                    }
                }
                look.before[i] = 0;
                if !includes(rows.row(last), &look.before) {
                    last = rows.push(&look.before);
                }
                accesses.push(Access { index, left, row: last });
            }
            lines.push((line.base + gone as u32, accesses));
        }
        for (line, (base, accesses)) in location.lines.iter_mut().zip(lines) {
            (line.base, line.accesses) = (base, accesses);
            line.late.clear();
            let front = rows.push(location.rows.row(line.state.front));
            line.state.front = front;
            if line.state.left != NONE && is_gone(line.state.left) {
                line.state.left = NONE;
            }
        }
        location.rows = rows;
        location.kept = location.lines.iter().map(|line| line.accesses.len()).sum();
        for (top, head) in heads {
            let followed = links[top as usize].followed;
            links[head as usize].followed = followed;
            if location.first == top {
                location.first = head;
            }
            let mut write = head;
            while write != NONE {
                links[write as usize].top = head;
                write = links[write as usize].next;
            }
        }
        if location.first != NONE && is_gone(location.first) {
            location.first = NONE;
        }
    }

    /// The writes of a location that every running thread has seen overwritten.
    fn overwritten(&mut self, log: &Log, loc: LocId) -> Vec<u32> {
        let mut count: Option<Vec<u32>> = None;
        let mut threads: Vec<ThreadId> = log.running().collect();
        let idle = threads.is_empty();
        if idle {
            // Nobody reads; threads that come later may read the last write.
            threads.push(ThreadId(0));
        }
        for thread in threads {
            if idle {
                self.look_at_ends(loc);
            } else {
                self.look_at(thread, loc);
            }
            let Coherence { locations, links, look, .. } = self;
            let location = &locations[loc.index()];
            look.close(location, log, links);
            let hidden = |write: u32| {
                look.hiding(write, links).is_some()
                    || look.has_before(links[write as usize].top, location, log, links)
            };
            match &mut count {
                None => count = Some(writes_of(location, log, loc).filter(|&write| hidden(write)).collect()),
                Some(writes) => writes.retain(|&write| hidden(write)),
            }
            look.forget();
            if count.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        count.unwrap_or_default()
    }

    /// Sees the last access of each line, as if somebody knew all.
    fn look_at_ends(&mut self, loc: LocId) {
        let Coherence { locations, look, .. } = self;
        let location = &locations[loc.index()];
        look.forget();
        look.closed = false;
        look.seen.clear();
        look.seen.extend(location.lines.iter().filter_map(|line| line.accesses.last()).map(|last| last.left));
    }
}

/// The writes of a location, except for those that are retired.
fn writes_of<'a>(location: &'a Location, log: &'a Log, loc: LocId) -> impl Iterator<Item = u32> + 'a {
    let initial = Some(log.initial(loc).place).filter(|&init| init != NONE);
    let of_lines = location.lines.iter().flat_map(move |line| {
        let own = line.accesses.iter().filter(move |access| log.at(access.left).thread == line.thread.0);
        own.map(|access| access.left)
    });
    initial.into_iter().chain(of_lines)
}
