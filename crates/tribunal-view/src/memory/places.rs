//! The events of a memory that are shown, and their places in the list.

use crate::window::{MOST, around, seeds, widest};
use tribunal_history::memory::{EventId, Execution, ThreadId};

/// The place of an event that is not shown.
const HIDDEN: u32 = u32::MAX;

/// The events shown, in the order of their ids: by thread and index, initial writes last.
pub struct Places {
    events: Vec<EventId>,
    /// By event id.
    places: Vec<u32>,
    threads: Vec<ThreadId>,
    /// By thread id.
    columns: Vec<u32>,
    window: bool,
}

impl Places {
    /// All events, or those around the violations, of which the one of the answer `shown` comes first; without any, the
    /// beginning. Initial writes are shown if something shown reads from them or a violation mentions them.
    pub fn new(x: &Execution, violations: &[Vec<EventId>], shown: usize) -> Self {
        let window = x.len() > MOST;
        let mut events: Vec<u32> =
            if window { part(x, violations, shown) } else { (0..x.len() as u32).collect() };
        let inits = |&event: &u32| x.is_init(EventId(event));
        let read = events.iter().filter_map(|&event| x.rf(EventId(event))).map(|source| source.0);
        let spoken_of = violations.iter().flatten().map(|event| event.0);
        let mut needed: Vec<u32> = read.chain(spoken_of).filter(inits).collect();
        needed.sort_unstable();
        needed.dedup();
        needed.truncate(MOST);
        events.retain(|event| !inits(event));
        events.append(&mut needed);

        let mut places = vec![HIDDEN; x.len() + x.location_count()];
        for (&event, place) in events.iter().zip(0..) {
            places[event as usize] = place;
        }
        let events: Vec<EventId> = events.into_iter().map(EventId).collect();
        let mut threads: Vec<ThreadId> = if window || x.thread_count() > MOST {
            events.iter().filter_map(|&event| x.thread_of(event)).collect()
        } else {
            x.threads().collect()
        };
        threads.dedup();
        let mut columns = vec![HIDDEN; x.thread_count()];
        for (thread, column) in threads.iter().zip(0..) {
            columns[thread.index()] = column;
        }
        Places { events, places, threads, columns, window }
    }

    /// The number that are shown.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether some are not shown.
    pub fn is_window(&self) -> bool {
        self.window
    }

    /// Every place with its event.
    pub fn all(&self) -> impl Iterator<Item = (u32, EventId)> + '_ {
        (0..).zip(self.events.iter().copied())
    }

    /// The event at a place.
    pub fn event(&self, place: u32) -> EventId {
        self.events[place as usize]
    }

    /// The place of an event, if it is shown.
    pub fn of(&self, event: EventId) -> Option<u32> {
        Some(self.places[event.index()]).filter(|&place| place != HIDDEN)
    }

    /// The threads shown, by column.
    pub fn threads(&self) -> &[ThreadId] {
        &self.threads
    }

    /// The column of the event at a place; none for an initial write.
    pub fn column(&self, x: &Execution, place: u32) -> Option<u32> {
        x.thread_of(self.event(place)).map(|thread| self.columns[thread.index()])
    }
}

/// The part of a large history to show.
fn part(x: &Execution, violations: &[Vec<EventId>], shown: usize) -> Vec<u32> {
    let first = violations.get(shown).into_iter().chain(violations);
    let seeds = seeds(first.map(|events| events.iter().map(|event| event.0).collect()), MOST);
    if seeds.is_empty() {
        return beginning(x);
    }
    let bounds = |event: u32| match x.thread_of(EventId(event)) {
        Some(thread) => (x.thread_events(thread).start, x.thread_events(thread).end),
        None => (event, event + 1),
    };
    widest(MOST, |radius| {
        let mut near = around(&seeds, radius, MOST, bounds);
        let sources = near.iter().filter_map(|&event| x.rf(EventId(event))).map(|source| source.0);
        // The seeds stay if there are too many sources: they come first, and what is sorted is cut to what fits.
        let sources: Vec<u32> = sources.collect();
        let room = if radius == 0 { MOST.saturating_sub(near.len()) } else { sources.len() };
        near.extend(sources.into_iter().take(room));
        near.sort_unstable();
        near.dedup();
        near
    })
}

/// A beginning of the history: with each event those before it in its thread and, as far as po ∪ rf has no cycle, the write that
/// it reads from.
fn beginning(x: &Execution) -> Vec<u32> {
    let threads: Vec<ThreadId> = x.threads().take(MOST).collect();
    let mut next: Vec<u32> = threads.iter().map(|&thread| x.thread_events(thread).start).collect();
    let mut taken: Vec<u32> = Vec::with_capacity(MOST);
    let mut held_back = true;
    while taken.len() < MOST {
        let before = taken.len();
        for (at, &thread) in threads.iter().enumerate() {
            let event = EventId(next[at]);
            if event.0 == x.thread_events(thread).end || taken.len() == MOST {
                continue;
            }
            let is_there = |source: EventId| {
                let thread = x.thread_of(source).map(ThreadId::index);
                thread.is_none_or(|thread| next.get(thread).is_some_and(|&next| source.0 < next))
            };
            if held_back && x.rf(event).is_some_and(|source| !is_there(source)) {
                continue;
            }
            taken.push(event.0);
            next[at] += 1;
            if !held_back {
                break;
            }
        }
        // Where all wait for each other one goes ahead.
        match (taken.len() == before, held_back) {
            (true, false) => break,
            (stuck, _) => held_back = !stuck,
        }
    }
    taken.sort_unstable();
    taken
}
