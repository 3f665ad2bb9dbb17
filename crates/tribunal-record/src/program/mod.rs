//! Litmus tests on this machine: which final states its own processors come to.
//!
//! A test is laid out many times in memory. Its threads, each pinned to a core, go through these instances together: before each they meet at a
//! barrier, as litmus7's do, and wait a few turns that differ from thread to thread. Accesses are those of `std::sync::atomic`; between two of a thread
//! there is only what it takes to find the next one.

mod compile;
mod crew;
mod micros;
mod steps;
#[cfg(test)]
mod tests;
mod words;

use crate::memory::Layout;
use compile::Code;
use crew::{INSTANCES, Round};
use std::collections::BTreeMap;
use std::io;
use steps::Slot;
use tribunal_litmus::value::Value;
use tribunal_litmus::{Observable, Test, Type};
use words::Words;

/// The reason why a test is not run.
#[derive(Debug, thiserror::Error)]
pub enum Unrunnable {
    /// Its instructions are of another machine.
    #[error("{test}: a test for {arch} is not run here: tests in C are, and for X86 on x86-64")]
    Architecture {
        /// The test.
        test: String,
        /// Its architecture.
        arch: String,
    },
    /// An instruction that has no counterpart.
    #[error("{test}:{line}: {what}")]
    Instruction {
        /// The test.
        test: String,
        /// The line.
        line: u32,
        /// The fault.
        what: String,
    },
    /// The system gives no more threads.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// The number that are needed.
        threads: usize,
        /// The error of the system.
        source: io::Error,
    },
}

/// The number of times that each final state was come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// By state: the values of the places that the test observes.
    pub states: BTreeMap<Vec<Value>, u64>,
    /// Runs that a loop did not let end in time, or that left the test's memory: they count for nothing.
    pub unfinished: u64,
}

impl Histogram {
    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.states.values().sum()
    }
}

/// A test that can be run.
#[derive(Debug)]
pub struct Program<'t> {
    test: &'t Test,
    words: Words,
    threads: Vec<Code>,
}

impl<'t> Program<'t> {
    /// Prepares a test.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use tribunal_record::memory::Layout;
    /// use tribunal_record::program::Program;
    /// let text = "C one\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n\
    ///             P1 (atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (1:r0=1)";
    /// let test = tribunal_litmus::Test::parse("one.litmus", text)?;
    /// let histogram = Program::new(&test)?.run(Layout::Line, |so_far| so_far.runs() < 1000)?;
    /// assert!(histogram.runs() >= 1000 && histogram.states.len() <= 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(test: &'t Test) -> Result<Self, Unrunnable> {
        let x86 = cfg!(target_arch = "x86_64") && test.arch.starts_with("X86");
        let here = test.arch == "C" || x86;
        if !here {
            return Err(Unrunnable::Architecture { test: test.name.clone(), arch: test.arch.clone() });
        }
        let words = Words::of_test(test);
        let threads: Result<_, _> =
            test.threads.iter().map(|thread| Code::of(test, thread, &words)).collect();
        Ok(Program { test, threads: threads?, words })
    }

    /// Runs it as long as the callback says so.
    pub fn run(
        &self,
        layout: Layout,
        mut go_on: impl FnMut(&Histogram) -> bool,
    ) -> Result<Histogram, Unrunnable> {
        let mut histogram = Histogram::default();
        let init: Vec<i64> =
            self.test.memory.iter().map(|(_, value)| self.words.of(*value).unwrap_or(0)).collect();
        let places = self.places();
        crew::rounds(self, layout, &init, |round| {
            for instance in 0..INSTANCES {
                if !round.finished(instance) {
                    histogram.unfinished += 1;
                    continue;
                }
                let state: Vec<Value> =
                    places.iter().map(|place| self.value(place, round, instance)).collect();
                if self.test.filter.as_ref().is_none_or(|filter| filter.holds(&state)) {
                    *histogram.states.entry(state).or_default() += 1;
                }
            }
            go_on(&histogram)
        })?;
        Ok(histogram)
    }

    /// The places of the observed values.
    fn places(&self) -> Vec<(Place, Type)> {
        let place = |observable: &Observable| match observable {
            Observable::Register(thread, register) => {
                let slot = self.threads.get(*thread).and_then(|code| code.slot(*register));
                slot.map_or(Place::Nowhere, |slot| Place::Slot(*thread, slot))
            }
            Observable::Location(location) => {
                let cell = self.test.memory.iter().position(|(known, _)| known == location);
                cell.map_or(Place::Nowhere, Place::Cell)
            }
        };
        self.test.observed.iter().map(|(observable, ty)| (place(observable), *ty)).collect()
    }

    fn value(&self, (place, ty): &(Place, Type), round: &Round<'_>, instance: usize) -> Value {
        let word = match *place {
            Place::Slot(thread, slot) => round.slot(thread, instance, slot),
            Place::Cell(cell) => round.cell(instance, cell),
            Place::Nowhere => 0,
        };
        ty.cast(self.words.value(word))
    }
}

/// The place where an observed value is.
enum Place {
    Slot(usize, Slot),
    Cell(usize),
    /// A register that the thread never uses.
    Nowhere,
}
