//! Real executions of this machine's memory: what threads on its own cores read and wrote.
//!
//! A [`Recorder`] draws a random program for each history, of loads, stores, swaps and fences on shared atomics, and has threads
//! run it, each pinned to a core. A thread's loop makes an access, keeps what it read, and does nothing else: between the
//! start and the end of a history there is no synchronization that the program does not have, so that what the processor
//! reorders is seen.
//!
//! On x86 every history is tso, and some are not sc; on other processors expect rc20 and no more.
//!
//! ```
//! use tribunal_record::memory::{Layout, Recorder, litmus};
//! let mut recorder = Recorder::new(litmus(), Layout::Mixed)?;
//! for history in recorder.by_ref().take(100) {
//!     let history = history?;
//!     # #[cfg(target_arch = "x86_64")]
//!     assert!(tribunal::check(&history, tribunal::Model::Tso).is_consistent());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod crew;

#[cfg(test)]
mod tests;

pub use crew::Pinning;

use crate::Random;
use access::{Access, WORDS};
use crew::{Crew, Part, Round};
use std::fmt;
use std::io;
use std::str::FromStr;
use tribunal_history::memory::{Execution, Kind, LocId, MalformedHistory, ThreadId};
use tribunal_history::names::{UnknownName, named};
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, Step, location_name, run, thread_name};

/// Bytes between the starts of two lines: that of the largest ones in use.
const LINE: usize = 128;
/// Bytes of a page.
const PAGE: usize = 4096;
const WORD: usize = size_of::<u64>();
/// The number of events that are recorded between two rests, if histories are short: few at first, for those who wait, then more.
const FIRST_BATCH: u64 = 1 << 10;
const BATCH: u64 = 1 << 14;
/// The longest wait after a barrier, in turns of an empty loop.
const SKEW: usize = 64;

/// The layout of locations in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Each on a cache line of its own.
    Line,
    /// Side by side: neighbours share a cache line.
    Packed,
    /// Each on a page of its own, all at the same offset.
    Page,
    /// Each history draws one of the three.
    Mixed,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Layout; 4] = [Layout::Line, Layout::Packed, Layout::Page, Layout::Mixed];

    /// The layout's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Line => "line",
            Layout::Packed => "packed",
            Layout::Page => "page",
            Layout::Mixed => "mixed",
        }
    }

    /// Words between two locations, or the most that there may be.
    const fn stride(self) -> usize {
        match self {
            Layout::Line => LINE / WORD,
            Layout::Packed => 1,
            Layout::Page | Layout::Mixed => PAGE / WORD,
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layout {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("layout", name, &Layout::ALL, Layout::name).map_err(UnknownName::listing)
    }
}

/// The reason why nothing can be recorded.
#[derive(Debug, thiserror::Error)]
pub enum Unrecordable {
    /// The clients make no sense.
    #[error(transparent)]
    Clients(#[from] InvalidClients),
    /// The memory that the threads share is of a fixed size.
    #[error("{locations} locations do not fit: with the layout {layout} there may be {most}")]
    Locations {
        /// The number that were asked for.
        locations: u32,
        /// The layout that they would have.
        layout: Layout,
        /// The number that fit.
        most: usize,
    },
    /// The system gives no more threads.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// The number that were asked for.
        threads: u32,
        /// The error of the system.
        source: io::Error,
    },
}

/// Clients that show what a processor reorders: two threads, and a few accesses of few locations, soon over.
pub fn litmus() -> Clients {
    Clients {
        threads: 2,
        events: 12,
        locations: 3,
        writes: 0.5,
        rmws: 0.02,
        fences: 0.0,
        orders: Mix::default(),
        ..Clients::default()
    }
}

/// Threads that execute programs on this machine's memory: an endless iterator over what they observe.
///
/// The program of the n-th history, its layout and when each thread starts follow from the clients' seed plus n, from 0;
/// what is read does not. RMWs are swaps. As in [`tribunal_machines::run`], a value names its write: the n-th write of a location, in
/// the order in which the program is drawn, writes n.
///
/// An item is an error if a read returned a value that was never written: then the memory is broken.
#[derive(Debug)]
pub struct Recorder {
    clients: Clients,
    layout: Layout,
    crew: Crew,
    parts: Vec<Part>,
    /// By thread, how many accesses of its part have been handed out.
    handed: Vec<usize>,
    /// The number of events that the next batch is to have.
    batch: u64,
    /// Histories of this batch, in all and handed out.
    rounds: u64,
    round: u64,
}

impl Recorder {
    /// Starts the threads.
    pub fn new(clients: Clients, layout: Layout) -> Result<Self, Unrecordable> {
        let &Clients { threads, locations, events, .. } = &clients;
        // Looks at the numbers.
        run(Machine::Atomic, &clients)?;
        if events + u64::from(locations) >= u64::from(u32::MAX - 1) {
            return Err(InvalidClients::TooManyEvents { events }.into());
        }
        let most = WORDS / layout.stride();
        if locations as usize > most {
            return Err(Unrecordable::Locations { locations, layout, most });
        }
        let crew = Crew::new(threads).map_err(|source| Unrecordable::Threads { threads, source })?;
        let parts = (0..threads).map(|_| Part::default()).collect();
        let handed = vec![0; threads as usize];
        Ok(Recorder { clients, layout, crew, parts, handed, batch: FIRST_BATCH, rounds: 0, round: 0 })
    }

    /// The cores of the threads.
    pub fn pinning(&self) -> Pinning {
        self.crew.pinning
    }

    /// Draws programs, as many as fit in memory side by side or make a batch, and has the threads run them.
    fn record(&mut self) {
        self.clients.seed = self.clients.seed.wrapping_add(self.rounds);
        (self.rounds, self.round) = (0, 0);
        self.handed.fill(0);
        self.parts.iter_mut().for_each(Part::clear);
        let locations = self.clients.locations as usize;
        let mut first = 0;
        while first + locations * self.layout.stride() <= WORDS
            && self.rounds * self.clients.events.max(1) < self.batch
        {
            let seed = self.clients.seed.wrapping_add(self.rounds);
            // Another sequence than that of the program.
            let mut rng = Random::new(!seed);
            let layout = match self.layout {
                Layout::Mixed => Layout::ALL[rng.index(3)],
                layout => layout,
            };
            for Step { thread, op, .. } in steps(&self.clients, seed) {
                let place = first + op.loc.index() * layout.stride();
                self.parts[thread.index()].accesses.push(Access::new(&op, place as u32));
            }
            for part in &mut self.parts {
                let skew = if rng.index(2) == 0 { 0 } else { rng.index(SKEW) };
                part.rounds.push(Round { end: part.accesses.len(), skew: skew as u32 });
            }
            for loc in 0..locations {
                let place = first + loc * layout.stride();
                let by = rng.index(self.parts.len());
                self.parts[by].clears.push(place as u32);
            }
            // The next history begins on a line of its own.
            first = (first + locations * layout.stride()).next_multiple_of(Layout::Line.stride());
            self.rounds += 1;
        }
        for part in &mut self.parts {
            part.reads.resize(part.accesses.len(), 0);
        }
        self.crew.run(&mut self.parts);
        self.batch = BATCH.min(2 * self.batch);
    }
}

impl Iterator for Recorder {
    type Item = Result<Execution, MalformedHistory>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.round == self.rounds {
            self.record();
        }
        let seed = self.clients.seed.wrapping_add(self.round);
        self.round += 1;
        let mut builder = Execution::builder();
        builder.name(format!("{} memory, seed {seed}", std::env::consts::ARCH));
        for thread in (0..self.clients.threads).map(ThreadId) {
            builder.thread(&thread_name(thread));
        }
        for loc in (0..self.clients.locations).map(LocId) {
            builder.location(&location_name(loc));
        }
        for Step { thread, mut op, .. } in steps(&self.clients, seed) {
            let at = &mut self.handed[thread.index()];
            let read = self.parts[thread.index()].reads[*at];
            *at += 1;
            match op.kind {
                Kind::Read => op.value = read,
                Kind::Rmw => op.read = read,
                Kind::Write | Kind::Fence => {}
            }
            builder.push(thread, op);
        }
        Some(builder.build())
    }
}

/// The program of a seed: what clients ask of atomic memory. What they read there is of no interest.
fn steps(clients: &Clients, seed: u64) -> impl Iterator<Item = Step> {
    let clients = Clients { seed, ..clients.clone() };
    run(Machine::Atomic, &clients).expect("looked at before the threads were started")
}
