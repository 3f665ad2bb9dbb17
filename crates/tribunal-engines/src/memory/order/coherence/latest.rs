//! The latest accesses in each event's past.

use crate::memory::order::past::pasts::PastSets;
use crate::memory::order::past::sets::{MOST_OTHERS, SetId, Sets};
use crate::reach::lists::Lists;
use std::ops::Range;
use tribunal_history::memory::{EventId, Execution, LocId, ThreadId};

/// The accesses that other threads may observe: grouped by location, in the order of a replay. 4 bytes each.
pub(crate) struct Latest {
    /// By location, the places of its accesses in the replay.
    places: Lists<u32>,
}

impl Latest {
    /// The accesses for which `observable` holds, in O(n) time.
    pub(crate) fn new(x: &Execution, pasts: &PastSets, observable: impl Fn(EventId) -> bool) -> Self {
        let chosen = |&e: &EventId| !x.labels()[e.index()].is_fence() && observable(e);
        let loc = |e: EventId| x.locs()[e.index()].index();
        let replayed = (0..x.len() as u32).map(|place| (place, pasts.event_at(place)));
        let places = replayed.filter(|(_, e)| chosen(e)).map(|(place, e)| (loc(e), place));
        Latest { places: Lists::new(x.location_count(), x.events().filter(chosen).map(loc), places) }
    }

    /// Calls `visit` for accesses to the location of `e` in the past of `e`, latest first, such that every other such access
    /// comes before one of these, or is in the set `but`, or is one of the events `own`.
    ///
    /// Parts of the replay that `e` has in common with one that was visited are skipped.
    pub(crate) fn before(
        &self,
        x: &Execution,
        pasts: &PastSets,
        e: EventId,
        (but, own): (SetId, Range<u32>),
        mut visit: impl FnMut(EventId),
    ) {
        let loc = x.locs()[e.index()].index();
        let places = self.places.of(loc);
        let events_beside = |e: EventId| x.thread_of(e).map_or(0..0, |thread| x.thread_events(thread));
        let set = pasts.set_of(e);
        // The first few that are found stand for what is before them: to visit more than necessary does no harm.
        let mut passed = [but; MOST_OTHERS];
        // The sets of those need not have what is before them in their own threads.
        let mut threads = [const { 0..0 }; MOST_OTHERS];
        threads[0] = own;
        let mut count = 1;
        let mut left = places.partition_point(|&place| place < pasts.place_of(e));
        while left > 0 {
            let place = places[left - 1];
            match pasts.sets.alone(set, &passed[..count], place) {
                Ok(()) => {
                    left -= 1;
                    let found = pasts.event_at(place);
                    if threads[..count].iter().any(|thread| thread.contains(&found.0)) {
                        continue;
                    }
                    visit(found);
                    if count < MOST_OTHERS {
                        (passed[count], threads[count]) = (pasts.set_of(found), events_beside(found));
                        count += 1;
                    }
                }
                Err(from) => left = before(&places[..left - 1], from),
            }
        }
    }
}

/// The number of places below `from`; fast if that is nearly all.
fn before(places: &[u32], from: u32) -> usize {
    let (mut end, mut step) = (places.len(), 1);
    loop {
        let begin = end.saturating_sub(step);
        if begin == 0 || places[begin - 1] < from {
            return begin + places[begin..end].partition_point(|&place| place < from);
        }
        (end, step) = (begin, step * 2);
    }
}

/// For each location the last access of the thread at hand, threads coming one after the other. 8 bytes per location, and
/// nothing to do between two threads.
pub(crate) struct Previous {
    /// The number of the thread at hand, and of the thread of each access.
    pass: u32,
    accesses: Vec<(u32, EventId)>,
}

impl Previous {
    pub(crate) fn new(x: &Execution) -> Self {
        Previous { pass: 0, accesses: vec![(0, EventId(0)); x.location_count()] }
    }

    /// Begins with a thread.
    pub(crate) fn begin(&mut self) {
        self.pass += 1;
    }

    /// Says that `e` is the last access to `loc`; gives the one before.
    #[inline]
    pub(crate) fn replace(&mut self, loc: LocId, e: EventId) -> Option<EventId> {
        let (pass, previous) = std::mem::replace(&mut self.accesses[loc.index()], (self.pass, e));
        (pass == self.pass).then_some(previous)
    }

    /// The last access to `loc`.
    #[inline]
    pub(crate) fn get(&self, loc: LocId) -> Option<EventId> {
        let (pass, previous) = self.accesses[loc.index()];
        (pass == self.pass).then_some(previous)
    }
}

/// Goes through the accesses of threads one after the other.
pub(crate) struct Walk<'a> {
    x: &'a Execution,
    /// Without them, threads see only their own accesses.
    sight: Option<(&'a Latest, &'a PastSets)>,
    previous: Previous,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(x: &'a Execution, sight: Option<(&'a Latest, &'a PastSets)>) -> Self {
        Walk { x, sight, previous: Previous::new(x) }
    }

    /// Has `thread` observe all it does: for each access e that `observes`, calls `visit(a, e)` for the thread's previous
    /// such access to that location, or the initial write; and for accesses a of other threads before e, such that every
    /// other one comes before one of these.
    pub(crate) fn observe(
        &mut self,
        thread: ThreadId,
        observes: impl Fn(EventId) -> bool,
        mut visit: impl FnMut(EventId, EventId),
    ) {
        let x = self.x;
        self.previous.begin();
        for e in x.thread_events(thread).map(EventId) {
            if x.labels()[e.index()].is_fence() || !observes(e) {
                continue;
            }
            let loc = x.locs()[e.index()];
            let previous = self.previous.replace(loc, e);
            visit(previous.unwrap_or_else(|| x.init_write(loc)), e);
            if let Some((latest, pasts)) = self.sight {
                let known = previous.map_or(Sets::EMPTY, |previous| pasts.set_of(previous));
                if pasts.set_of(e) != known {
                    latest.before(x, pasts, e, (known, x.thread_events(thread)), |a| visit(a, e));
                }
            }
        }
    }
}

/// The threads in teams of at least some thousand events.
pub(crate) fn teams(x: &Execution) -> Vec<Vec<ThreadId>> {
    /// The least number of events of a team, and the greatest number of teams.
    const EVENTS: usize = 1 << 13;
    const TEAMS: usize = 256;
    let least = EVENTS.max(x.len() / TEAMS);
    let (mut teams, mut team, mut events) = (Vec::new(), Vec::new(), 0);
    for thread in x.threads() {
        team.push(thread);
        events += x.thread_events(thread).len();
        if events >= least {
            teams.push(std::mem::take(&mut team));
            events = 0;
        }
    }
    teams.push(team);
    teams
}

#[cfg(test)]
mod tests {
    #[test]
    fn gallops_to_where_partition_point_does() {
        let places: Vec<u32> = (0..100).map(|i| i * 3).collect();
        for len in 0..places.len() {
            for from in 0..310 {
                let expected = places[..len].partition_point(|&place| place < from);
                assert_eq!(super::before(&places[..len], from), expected, "{len} {from}");
            }
        }
    }
}
