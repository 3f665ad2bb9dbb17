//! Caches kept coherent by a directory or by snooping on a bus: MI, MESI and MOESI, with messages that take their time.
//!
//! Each core has a cache and one access under way at most; all others wait their turn, so that a core is in order. Lines hold
//! several locations, caches hold few lines, and messages between two nodes arrive in order, but at any time.
//!
//! A core writes to a line only while nobody else holds it: directory and bus serve one request for a line at a time, and a
//! writer waits until every other holder has said that it dropped its copy. Give each access the time at which it
//! completes: a read then returns the latest write, which is why histories are sc-consistent.
//! With a [`Bug`] that is no longer so.

mod bug;
mod bus;
mod core;
mod directory;
mod network;

pub use bug::Bug;

use self::core::{Core, Waiting};
use crate::clients::{Request, Requests};
use crate::run::Step;
use bus::Bus;
use directory::Directory;
use network::{Network, Node};
use std::collections::VecDeque;
use tribunal_random::Xoshiro;

/// The number of locations that a line holds.
const LINE: usize = 2;
/// The values of a line.
type Values = [u64; LINE];

/// A line of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LineId(u32);

/// The protocol that the caches follow: the states that a cached line can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Modified or not there: a line is in one cache at a time, even to be read.
    Mi,
    /// Also exclusive and shared: what was changed goes back to memory when another core reads it.
    Mesi,
    /// Also owned: what was changed stays with its owner, who serves the readers.
    Moesi,
}

impl Protocol {
    /// Every protocol, the simplest first.
    pub const ALL: [Protocol; 3] = [Protocol::Mi, Protocol::Mesi, Protocol::Moesi];
}

/// The interconnect, by which cores learn what others do with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interconnect {
    /// A directory knows who holds it, and tells them.
    Directory,
    /// They see all requests on a bus.
    Snooping,
}

/// The place where requests arrive.
#[derive(Clone, Debug)]
enum Hub {
    Directory(Directory),
    Bus(Bus),
}

/// The number of accesses of a core that may wait for their turn.
const BACKLOG: usize = 4;

/// Cores with caches, their clients' accesses and what connects them.
#[derive(Clone, Debug)]
pub(crate) struct Caches {
    cores: Vec<Core>,
    hub: Hub,
    network: Network,
    /// The accesses that each core is still to make.
    backlog: Vec<VecDeque<Waiting>>,
    /// The number of accesses that wait in all.
    waiting: usize,
}

impl Caches {
    pub(crate) fn new(
        protocol: Protocol,
        interconnect: Interconnect,
        bug: Option<Bug>,
        threads: u32,
        locations: u32,
    ) -> Self {
        let lines = (locations as usize).div_ceil(LINE);
        // Small enough that lines are evicted, however few there are.
        let capacity = (lines / 2).clamp(1, 64);
        Caches {
            cores: (0..threads).map(|core| Core::new(core, protocol, interconnect, bug, capacity)).collect(),
            hub: match interconnect {
                Interconnect::Directory => Hub::Directory(Directory::new(protocol, bug, lines)),
                Interconnect::Snooping => Hub::Bus(Bus::new(protocol, bug, lines)),
            },
            network: Network::new(threads as usize),
            backlog: vec![VecDeque::with_capacity(BACKLOG); threads as usize],
            waiting: 0,
        }
    }

    pub(crate) fn bytes(threads: u32, locations: u32) -> u64 {
        let (threads, lines) = (u64::from(threads), u64::from(locations).div_ceil(LINE as u64));
        64 * (threads + 1) * (threads + 1) + threads * (512 + 40 * (lines / 2).clamp(1, 64)) + 128 * lines
    }

    /// The next access that completes; `left` requests are still to be drawn.
    pub(crate) fn next(
        &mut self,
        requests: &mut Requests,
        left: &mut u64,
        written: &mut [u64],
        rng: &mut Xoshiro,
    ) -> Option<Step> {
        loop {
            let (choice, core) = rng.pair();
            let core = tribunal_random::scale(core, self.cores.len() as u64) as usize;
            if *left > 0 && self.waiting < BACKLOG * self.cores.len() {
                let request = requests.draw(rng);
                if self.backlog[request.thread.index()].len() < BACKLOG {
                    *left -= 1;
                    self.waiting += 1;
                    self.backlog[request.thread.index()].push_back(Waiting::new(request, written));
                }
            } else if self.waiting == 0 && self.cores.iter().all(Core::is_idle) {
                return None;
            }
            // Cores and messages take turns.
            let done = if choice & 1 == 0 || self.network.is_empty() {
                self.begin(core, rng)
            } else {
                self.deliver(rng)
            };
            if done.is_some() {
                return done;
            }
        }
    }

    /// A core begins its next access, if it can; a hit completes at once.
    fn begin(&mut self, core: usize, rng: &mut Xoshiro) -> Option<Step> {
        let next = *self.backlog[core].front()?;
        if !self.cores[core].prepare(next, &mut self.network, rng) {
            return None;
        }
        self.backlog[core].pop_front();
        self.waiting -= 1;
        self.cores[core].begin(next, &mut self.network, rng)
    }

    /// A message arrives, and may complete an access.
    fn deliver(&mut self, rng: &mut Xoshiro) -> Option<Step> {
        let (to, line, message) = self.network.take(rng)?;
        match to {
            Node::Hub => match &mut self.hub {
                Hub::Directory(directory) => {
                    directory.receive(line, message, &mut self.network, rng);
                    None
                }
                Hub::Bus(bus) => bus.receive(line, message, &mut self.cores, &mut self.network, rng),
            },
            Node::Core(core) => self.cores[core as usize].receive(line, message, &mut self.network, rng),
        }
    }
}

/// The place of a location: its line, and its place there.
fn place(request: Request) -> (LineId, usize) {
    let loc = request.loc.index();
    (LineId((loc / LINE) as u32), loc % LINE)
}
