//! Sources that are forced: all others are eliminated.
//!
//! In rounds: with the order that the known sources make, each open read is left with some sources; where that is one, it is
//! known from then on. An RMW takes its source from all other RMWs at once, without a new round. O(n·k) a round, and
//! O(k²·log n) for each time that a read is looked at: once, and for an RMW whenever one of two sources that it watches is taken.

use super::before::{Before, Rules};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, Observation};
use tribunal_history::verdict::Limit;

/// After so many rounds cases take over: what is forced one by one is found there as well.
const ROUNDS: usize = 64;

/// The sources that are known.
pub(super) struct Forced {
    /// In the order in which they were found.
    pub(super) sources: Vec<(Observation, EventId)>,
    /// The history with these sources.
    pub(super) x: Execution,
    pub(super) next: Next,
}

/// The next step.
pub(super) enum Next {
    /// Nothing is left for this read.
    NoSource(EventId),
    /// This observation has the fewest sources, the latest first.
    Try(Observation, Vec<EventId>),
    /// Everything has its source.
    Known,
}

/// Strikes out what can be eliminated.
pub(super) fn forced(mut x: Execution, rules: Rules, limits: &Limits<'_>) -> Result<Forced, Limit> {
    let mut sources: Vec<(Observation, EventId)> = Vec::new();
    for round in 1.. {
        let known = sources.len();
        let before = Before::new(&x, rules, limits)?;
        let mut this = Round::new(&x, &before, rules.exclusive, &mut sources);
        let without = this.run(limits)?;
        let last = round == ROUNDS || this.sources.len() == known;
        let fewest = if last && without.is_none() { this.fewest(limits)? } else { None };
        if sources.len() > known {
            x = x.choosing(&sources[known..]);
        }
        if let Some(read) = without {
            return Ok(Forced { sources, x, next: Next::NoSource(read) });
        }
        if last {
            let next = fewest.map_or(Next::Known, |(of, sources)| Next::Try(of, sources));
            return Ok(Forced { sources, x, next });
        }
    }
    unreachable!("the last round returns")
}

/// The writes of one value that no RMW is known to read from.
struct Free {
    /// By write, with one more before the first: itself, or one before it that is free or nearer to one that is.
    before: Vec<u32>,
}

impl Free {
    fn new(writers: usize) -> Self {
        Free { before: (0..=writers as u32).collect() }
    }

    fn take(&mut self, at: usize) {
        self.before[at + 1] = at as u32;
    }

    /// The last free one of a stretch.
    fn last(&mut self, stretch: &Range<usize>) -> Option<usize> {
        let mut at = stretch.end as u32;
        while self.before[at as usize] != at {
            let before = self.before[at as usize];
            self.before[at as usize] = self.before[before as usize];
            at = before;
        }
        (at as usize).checked_sub(1).filter(|at| stretch.contains(at))
    }
}

/// A round: the order stays as it is.
struct Round<'a, 'r> {
    x: &'a Execution,
    before: &'r Before<'a>,
    exclusive: bool,
    sources: &'r mut Vec<(Observation, EventId)>,
    /// Reads whose sources became known in this round.
    known: FxHashSet<EventId>,
    /// By the first writer of a value: which of its writers RMWs may read from.
    free: FxHashMap<EventId, Free>,
    /// By write: the RMWs that look again when it is taken.
    watching: FxHashMap<EventId, Vec<EventId>>,
}

impl<'a, 'r> Round<'a, 'r> {
    fn new(
        x: &'a Execution,
        before: &'r Before<'a>,
        exclusive: bool,
        sources: &'r mut Vec<(Observation, EventId)>,
    ) -> Self {
        let (known, free, watching) = Default::default();
        let mut round = Round { x, before, exclusive, sources, known, free, watching };
        if exclusive {
            let mut taken: FxHashSet<EventId> = FxHashSet::default();
            let rmws = x.events().filter(|&event| x.label(event).kind() == Kind::Rmw);
            taken.extend(rmws.filter_map(|rmw| x.rf(rmw)));
            for of in x.open() {
                let writers = x.writers(of);
                if let (true, Some(&first)) = (round.is_rmw(of), writers.first()) {
                    round.free.entry(first).or_insert_with(|| {
                        let mut free = Free::new(writers.len());
                        let is_taken = |at: &usize| taken.contains(&writers[*at]);
                        (0..writers.len()).filter(is_taken).for_each(|at| free.take(at));
                        free
                    });
                }
            }
        }
        round
    }

    /// Whether no other RMW may have the observation's source.
    fn is_rmw(&self, of: Observation) -> bool {
        self.exclusive && matches!(of, Observation::Read(read) if self.x.label(read).kind() == Kind::Rmw)
    }

    /// A read for which nothing is left, if there is one.
    fn run(&mut self, limits: &Limits<'_>) -> Result<Option<EventId>, Limit> {
        let mut queue: Vec<EventId> = reads(self.x).collect();
        queue.reverse();
        let (mut stretches, mut pace) = (Vec::new(), Pace::new(self.x));
        while let Some(read) = queue.pop() {
            pace.look(limits)?;
            if self.known.contains(&read) {
                continue;
            }
            let of = Observation::Read(read);
            self.before.sources(read, &mut stretches);
            match self.latest_two(of, &stretches) {
                [None, _] => return Ok(Some(read)),
                [Some(at), None] => {
                    let source = self.x.writers(of)[at];
                    self.known.insert(read);
                    self.sources.push((of, source));
                    if self.is_rmw(of) {
                        self.free_of(of).expect("an RMW").take(at);
                        queue.extend(self.watching.remove(&source).unwrap_or_default());
                    }
                }
                [Some(first), Some(second)] if self.is_rmw(of) => {
                    for at in [first, second] {
                        self.watching.entry(self.x.writers(of)[at]).or_default().push(read);
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn free_of(&mut self, of: Observation) -> Option<&mut Free> {
        self.free.get_mut(self.x.writers(of).first()?)
    }

    /// The sources in these stretches that are not taken, at most so many.
    fn free(&mut self, of: Observation, stretches: &[Range<usize>], most: usize) -> Vec<usize> {
        let rmw = self.is_rmw(of);
        let mut free = if rmw { self.free_of(of) } else { None };
        let mut found = Vec::new();
        for stretch in stretches {
            let mut rest = stretch.clone();
            while found.len() < most
                && let Some(at) = match &mut free {
                    Some(free) => free.last(&rest),
                    None => rest.clone().last(),
                }
            {
                found.push(at);
                rest.end = at;
            }
        }
        found
    }

    /// The two latest of the sources in these stretches: they are the last to be taken by others.
    fn latest_two(&mut self, of: Observation, stretches: &[Range<usize>]) -> [Option<usize>; 2] {
        let (writers, before, rmw) = (self.x.writers(of), self.before, self.is_rmw(of));
        let mut free = if rmw { self.free_of(of) } else { None };
        let mut last = |stretch: Range<usize>| match &mut free {
            Some(free) => free.last(&stretch),
            None => stretch.last(),
        };
        let mut two = [None; 2];
        for stretch in stretches {
            let latest = last(stretch.clone());
            let next = latest.and_then(|latest| last(stretch.start..latest));
            for at in [latest, next].into_iter().flatten() {
                let position = |at: Option<usize>| at.map(|at| before.position(writers[at]));
                if two[0].is_none() || position(Some(at)) > position(two[0]) {
                    two = [Some(at), two[0]];
                } else if two[1].is_none() || position(Some(at)) > position(two[1]) {
                    two[1] = Some(at);
                }
            }
        }
        two
    }

    /// The open observation with the fewest sources, and those, the latest first. RMWs before reads of as many: they also say what
    /// comes after what they read from.
    fn fewest(&mut self, limits: &Limits<'_>) -> Result<Option<(Observation, Vec<EventId>)>, Limit> {
        let (x, mut stretches, mut pace) = (self.x, Vec::new(), Pace::new(self.x));
        let mut fewest: Option<((usize, bool), Observation)> = None;
        for of in x.open() {
            pace.look(limits)?;
            let count = match of {
                Observation::Read(read) if self.known.contains(&read) => continue,
                Observation::Read(read) => {
                    self.before.sources(read, &mut stretches);
                    (self.free(of, &stretches, MANY).len(), !self.is_rmw(of))
                }
                // Only if there is nothing else.
                Observation::Final { .. } => (usize::MAX, true),
            };
            if fewest.is_none_or(|(least, _)| count < least) {
                fewest = Some((count, of));
            }
        }
        let Some((_, of)) = fewest else { return Ok(None) };
        let Observation::Read(read) = of else { return Ok(Some((of, x.writers(of).to_vec()))) };
        self.before.sources(read, &mut stretches);
        let free = self.free(of, &stretches, usize::MAX);
        let mut sources: Vec<EventId> = free.into_iter().map(|at| x.writers(of)[at]).collect();
        sources.sort_by_key(|&source| Reverse(self.before.position(source)));
        Ok(Some((of, sources)))
    }
}

/// Polls in proportion to the work: a look at a read takes as long as there are threads, and at worst the square of that.
struct Pace {
    threads: usize,
    work: usize,
}

impl Pace {
    fn new(x: &Execution) -> Self {
        Pace { threads: x.thread_count(), work: 0 }
    }

    fn look(&mut self, limits: &Limits<'_>) -> Result<(), Limit> {
        /// The number of threads that are looked at between two polls.
        const MOST: usize = 1 << 14;
        self.work += self.threads + 1;
        if self.work < MOST {
            return Ok(());
        }
        self.work = 0;
        limits.check(0)
    }
}

/// More sources are not counted.
const MANY: usize = 8;

fn reads(x: &Execution) -> impl Iterator<Item = EventId> + '_ {
    x.open().filter_map(|of| match of {
        Observation::Read(read) => Some(read),
        Observation::Final { .. } => None,
    })
}
