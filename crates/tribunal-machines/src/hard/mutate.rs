//! Invalid histories from valid ones: reads are redirected to other writes.

use super::event::{rebuild, slot};
use tribunal_history::memory::{EventId, Execution, Kind, Source};
use tribunal_random::Xoshiro;

/// The reads of a history to redirect, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The number of reads that are redirected, if there are that many that can be.
    pub reads: u32,
    /// The distance from the read at which the new write may be: the difference between their positions in their threads. Threads run at about the
    /// same speed, so this is about their distance in time.
    pub distance: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Redirects reads to other writes of their locations (Zennou et al. 2020, section 6). Most mutants of a history that is
/// consistent with a strong model are not.
///
/// A read is not redirected to a later write of its own thread, which would be trivially inconsistent, nor to an initial write. RMWs
/// are not redirected.
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
    let mut sent = vec![None; history.len()];
    let redirections = Redirections::new(history, mutation.distance, mutation.seed);
    for (read, write) in redirections.take(mutation.reads as usize) {
        sent[read.index()] = Some(write);
    }
    redirected(history, &sent)
}

/// The mutants of a history with one redirected read, with two, and so on while there are reads that can be redirected; the
/// n-th is what [`mutate`] returns for n reads.
///
/// ```
/// use tribunal::{Model, check};
/// use tribunal_machines::{Clients, Machine, execution, hard::mutants};
/// let history = execution(Machine::Atomic, &Clients::default())?;
/// let broken = mutants(&history, 20, 1).find(|mutant| check(mutant, Model::Sc).is_inconsistent());
/// assert!(broken.is_some());
/// # Ok::<(), tribunal_machines::InvalidClients>(())
/// ```
pub fn mutants(history: &Execution, distance: u32, seed: u64) -> impl Iterator<Item = Execution> {
    let mut sent = vec![None; history.len()];
    Redirections::new(history, distance, seed).map(move |(read, write)| {
        sent[read.index()] = Some(write);
        redirected(history, &sent)
    })
}

/// The same history under another name.
pub fn renamed(history: &Execution, name: &str) -> Execution {
    rebuild(history, Some(name), |_, op| Some(op))
}

/// The history with some reads sent to other writes.
fn redirected(history: &Execution, sent: &[Option<EventId>]) -> Execution {
    rebuild(history, history.name(), |event, mut op| {
        if let Some(write) = sent[event.index()] {
            op.value = history.value(write);
            op.source = Source::At(slot(history, write));
        }
        Some(op)
    })
}

/// Random reads, each once, with a write that it could be sent to.
struct Redirections<'a> {
    history: &'a Execution,
    distance: u32,
    rng: Xoshiro,
    /// By location.
    writes: Vec<Vec<EventId>>,
    /// The plain reads not drawn yet.
    reads: Vec<EventId>,
}

impl<'a> Redirections<'a> {
    fn new(history: &'a Execution, distance: u32, seed: u64) -> Self {
        let mut writes = vec![Vec::new(); history.location_count()];
        for write in history.events().filter(|&event| history.label(event).writes()) {
            writes[history.locs()[write.index()].index()].push(write);
        }
        let reads = history.events().filter(|&event| history.label(event).kind() == Kind::Read).collect();
        Redirections { history, distance, rng: Xoshiro::new(seed), writes, reads }
    }
}

impl Iterator for Redirections<'_> {
    type Item = (EventId, EventId);

    fn next(&mut self) -> Option<Self::Item> {
        let history = self.history;
        while !self.reads.is_empty() {
            let read = self.reads.swap_remove(self.rng.index(self.reads.len()));
            let here = slot(history, read);
            let near = |&write: &EventId| {
                let there = slot(history, write);
                Some(write) != history.rf(read)
                    && there.index.abs_diff(here.index) <= self.distance
                    && (there.thread != here.thread || there.index < here.index)
            };
            let writes = &self.writes[history.locs()[read.index()].index()];
            let candidates: Vec<EventId> = writes.iter().copied().filter(near).collect();
            if !candidates.is_empty() {
                return Some((read, candidates[self.rng.index(candidates.len())]));
            }
        }
        None
    }
}
