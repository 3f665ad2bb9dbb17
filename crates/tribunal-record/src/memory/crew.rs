//! The threads: pinned, alive over all rounds, and meeting at a barrier before each.

use super::access::{Access, Memory, WORDS};
use crate::cores::pin;
use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, available_parallelism, yield_now};

/// Looks at the barrier before a thread that waits there lets others have its core: about a time slice, in which the one
/// it waits for may come to run on another core.
const LOOKS_BEFORE_YIELDING: u32 = 1 << 15;
/// The same if the one it waits for may need this very core.
const LOOKS_IF_CROWDED: u32 = 1 << 6;

/// The accesses of a thread in a number of rounds, and the values that it read. It goes to the thread and comes back.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Places that this thread sets to 0 before the first round: their lines begin in its cache.
    pub(super) clears: Vec<u32>,
    pub(super) rounds: Vec<Round>,
    /// The accesses of all rounds, one after the other.
    pub(super) accesses: Vec<Access>,
    /// By access, what it read.
    pub(super) reads: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// The place where its accesses end; they begin where those of the round before end.
    pub(super) end: usize,
    /// The time for which the thread waits after the barrier.
    pub(super) skew: u32,
}

impl Part {
    pub(super) fn clear(&mut self) {
        self.clears.clear();
        self.rounds.clear();
        self.accesses.clear();
    }

    fn run(&mut self, memory: &Memory, barrier: &mut Barrier) {
        for &place in &self.clears {
            memory[place as usize % WORDS].store(0, Ordering::Relaxed);
        }
        let Part { rounds, accesses, reads, .. } = self;
        let (mut accesses, mut reads) = (&accesses[..], &mut reads[..]);
        let mut begin = 0;
        for &Round { end, skew } in &*rounds {
            let (now, later) = accesses.split_at(end - begin);
            let (read, unread) = std::mem::take(&mut reads).split_at_mut(end - begin);
            (accesses, reads, begin) = (later, unread, end);
            barrier.wait();
            for turn in 0..skew {
                black_box(turn);
            }
            for (access, read) in now.iter().zip(read) {
                *read = access.perform(memory);
            }
        }
    }
}

/// A barrier, where all threads meet: each counts itself once, and waits for the count of all.
struct Barrier {
    arrived: Arc<AtomicU64>,
    threads: u64,
    /// The count when all have arrived.
    full: u64,
    most_looks: u32,
}

impl Barrier {
    #[inline(always)]
    fn wait(&mut self) {
        self.full += self.threads;
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let mut looks = 0;
        while self.arrived.load(Ordering::Acquire) < self.full {
            looks += 1;
            if looks < self.most_looks { spin_loop() } else { yield_now() }
        }
    }
}

/// The assignment of threads to cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinning {
    /// Each has a core for itself.
    Apart,
    /// There are more threads than cores: some never run at the same time.
    Crowded {
        /// The number of threads.
        threads: u32,
        /// On how many cores.
        cores: usize,
    },
    /// The system did not pin them: they may be moved, and two may come to sit on one core.
    Loose,
}

/// A thread of the crew.
#[derive(Debug)]
struct Hand {
    to: Option<Sender<Part>>,
    from: Receiver<Part>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub(super) struct Crew {
    hands: Vec<Hand>,
    pub(super) pinning: Pinning,
}

impl Crew {
    /// Starts the threads, each on a core of its own as far as there are any.
    pub(super) fn new(threads: u32) -> std::io::Result<Self> {
        let memory: Box<[AtomicU64]> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        let memory: Arc<Memory> = Arc::from(Box::<Memory>::try_from(memory).expect("as many words"));
        let arrived = Arc::new(AtomicU64::new(0));
        let (tell, pinned) = channel();
        let available = cores();
        let most_looks = if available < threads as usize { LOOKS_IF_CROWDED } else { LOOKS_BEFORE_YIELDING };
        let hands = (0..threads).map(|number| {
            let (to, parts) = channel::<Part>();
            let (done, from) = channel();
            let (memory, tell) = (Arc::clone(&memory), tell.clone());
            let mut barrier =
                Barrier { arrived: Arc::clone(&arrived), threads: threads.into(), full: 0, most_looks };
            let thread = std::thread::Builder::new().name(format!("record {number}")).spawn(move || {
                pin(number as usize);
                // A pinned thread may use one core.
                let _ = tell.send(cores() == 1);
                for mut part in parts {
                    part.run(&memory, &mut barrier);
                    if done.send(part).is_err() {
                        break;
                    }
                }
            })?;
            Ok(Hand { to: Some(to), from, thread: Some(thread) })
        });
        let hands = hands.collect::<std::io::Result<Vec<_>>>()?;
        let pinned = pinned.iter().take(hands.len()).all(|pinned| pinned);
        let pinning = match available {
            cores if cores < threads as usize => Pinning::Crowded { threads, cores },
            _ if pinned => Pinning::Apart,
            _ => Pinning::Loose,
        };
        Ok(Crew { hands, pinning })
    }

    /// Has every thread do its part: as many rounds each.
    pub(super) fn run(&mut self, parts: &mut [Part]) {
        for (hand, part) in self.hands.iter().zip(&mut *parts) {
            let to = hand.to.as_ref().expect("there until dropped");
            to.send(std::mem::take(part)).expect("a thread waits for its part");
        }
        for (hand, part) in self.hands.iter().zip(parts) {
            *part = hand.from.recv().expect("a thread hands its part back");
        }
    }
}

/// The number of cores that the calling thread may use.
fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

impl Drop for Crew {
    fn drop(&mut self) {
        for hand in &mut self.hands {
            hand.to = None;
        }
        for thread in self.hands.iter_mut().filter_map(|hand| hand.thread.take()) {
            // It cannot have panicked, and if it had there would be nobody to tell.
            let _ = thread.join();
        }
    }
}
