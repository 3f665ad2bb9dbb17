//! Invalid histories from valid ones.

use super::event::{op, slot};
use crate::rng::Rng;
use tribunal::memory::{EventId, Execution, Kind, Source};

/// Which reads of a history to redirect, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// How many reads read from another write than before, as far as there are any that can.
    pub reads: u32,
    /// How far from the read the new write may be: the difference of their places in their threads. Threads go at about the
    /// same pace, so that this is about their distance in time.
    pub distance: u32,
    /// What all random choices follow from.
    pub seed: u64,
}

/// Redirects reads to other writes of their locations (Zennou et al. 2020, section 6). Most mutants of a history that is
/// consistent with a strong model are not.
///
/// A read is not sent to a later write of its own thread, which would be found at once, nor to an initial write. RMWs
/// are left alone.
///
/// ```
/// use tribunal_machines::{Clients, Machine, execution, hard::{Mutation, mutate}};
/// let history = execution(Machine::Atomic, &Clients::default())?;
/// let mutant = mutate(&history, &Mutation { reads: 3, distance: 20, seed: 1 });
/// let changed = history.events().filter(|&event| history.rf(event) != mutant.rf(event)).count();
/// assert_eq!(changed, 3);
/// # Ok::<(), tribunal_machines::InvalidClients>(())
/// ```
pub fn mutate(history: &Execution, mutation: &Mutation) -> Execution {
    let &Mutation { reads, distance, seed } = mutation;
    let mut rng = Rng::new(seed);
    let mut writes = vec![Vec::new(); history.location_count()];
    for write in history.events().filter(|&event| history.label(event).writes()) {
        writes[history.locs()[write.index()].index()].push(write);
    }
    let mut plain: Vec<EventId> =
        history.events().filter(|&event| history.label(event).kind() == Kind::Read).collect();
    let (mut redirected, mut left) = (vec![None; history.len()], reads);
    while left > 0 && !plain.is_empty() {
        let read = plain.swap_remove(rng.index(plain.len()));
        let here = slot(history, read);
        let near = |&write: &EventId| {
            let there = slot(history, write);
            Some(write) != history.rf(read)
                && there.index.abs_diff(here.index) <= distance
                && (there.thread != here.thread || there.index < here.index)
        };
        let candidates: Vec<EventId> =
            writes[history.locs()[read.index()].index()].iter().copied().filter(near).collect();
        if !candidates.is_empty() {
            redirected[read.index()] = Some(candidates[rng.index(candidates.len())]);
            left -= 1;
        }
    }
    let mut b = Execution::builder();
    if let Some(name) = history.name() {
        b.name(name);
    }
    for thread in history.threads() {
        b.thread(history.thread_name(thread));
    }
    for loc in history.locations() {
        let here = b.location(history.location_name(loc));
        b.init(here, history.init_value(loc));
    }
    for event in history.events() {
        let mut op = op(history, event);
        if let Some(write) = redirected[event.index()] {
            op.value = history.value(write);
            op.source = Source::At(slot(history, write));
        }
        let here = b.push(slot(history, event).thread, op);
        for on in history.deps(event) {
            b.depends(here, slot(history, on).index);
        }
        if history.features().times {
            b.interval(here, history.interval(event));
        }
    }
    for &(loc, write) in history.finals() {
        b.final_value(loc, history.value(write));
    }
    b.build().expect("a read was redirected to a write of its location")
}
