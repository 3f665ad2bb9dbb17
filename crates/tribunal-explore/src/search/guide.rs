//! Guided executions: random ones, or replays.

use crate::graph::{Event, Graph, Source};
use tribunal_history::memory::ThreadId;

/// Decides, in one execution, which thread runs and what a read reads.
pub trait Guide {
    /// Orders the threads by priority; the first that can run takes one step. Called before each step, with the order of
    /// the last one; new threads are appended in the order of spawns.
    fn order(&mut self, threads: &mut Vec<ThreadId>, graph: &Graph);

    /// Picks one of the possible sources of an event; there is at least one.
    fn pick(&mut self, event: &Event, sources: &[Source], graph: &Graph) -> Source;

    /// The number of events of the execution, if it is known. Of a long one, the order of seq_cst events is the order in which they are made.
    fn length(&self) -> Option<usize> {
        None
    }
}

/// Chance, with the way in which threads are picked. Reads pick uniformly, as in C11Tester (Luo and Demsky, ASPLOS 2021).
#[derive(Clone, Debug)]
pub(super) struct Random {
    numbers: tribunal_random::Random,
    /// With priorities: the events before which the first thread in order becomes the last.
    changes: Option<Vec<usize>>,
    /// How many threads have their place in the order.
    placed: usize,
}

impl Random {
    /// Any thread that can go on, at each step.
    pub(super) fn uniform(seed: u64) -> Self {
        Random { numbers: tribunal_random::Random::new(seed), changes: None, placed: 0 }
    }

    /// The thread of the highest priority that can go on; priorities change `depth - 1` times within `length` events. (PCT:
    /// Burckhardt et al., *A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010.)
    pub(super) fn priorities(seed: u64, depth: u32, length: usize) -> Self {
        let mut random = Random::uniform(seed);
        let length = length.max(1);
        // There are no more events to change before.
        let changes = (1..depth as usize).take(length);
        let mut changes: Vec<usize> = changes.map(|_| random.numbers.index(length)).collect();
        changes.sort_unstable();
        Random { changes: Some(changes), ..random }
    }
}

impl Guide for Random {
    fn order(&mut self, threads: &mut Vec<ThreadId>, graph: &Graph) {
        match &self.changes {
            None => self.numbers.shuffle(threads),
            Some(changes) => {
                if changes.binary_search(&graph.events().len()).is_ok() {
                    threads.rotate_left(1);
                }
                // A new thread takes a random place.
                while self.placed < threads.len() {
                    self.placed += 1;
                    let place = self.numbers.index(self.placed);
                    threads[place..self.placed].rotate_right(1);
                }
            }
        }
    }

    fn pick(&mut self, _: &Event, sources: &[Source], _: &Graph) -> Source {
        self.numbers.pick(sources)
    }
}
