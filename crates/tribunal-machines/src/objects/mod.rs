//! Simulated objects with random clients: a source of histories of operations.
//!
//! Each operation takes effect at one random moment between its call and its return. On an atomic object that is all there is to it, so
//! without lies a history is linearizable; a [`Simulation`] also has others, whose effects are seen late or that have a
//! [`Bug`]. Times are event numbers. The same clients give the same history on every platform.

mod bug;
mod buggy;
mod calls;
mod delayed;
mod lies;
mod mutate;
mod run;
mod simulation;
mod walks;

pub use bug::Bug;
pub use mutate::{mutants, mutate, renamed};
pub use simulation::{Implementation, InvalidSimulation, Simulation};
pub use walks::Walks;

use calls::Calls;
use run::{Atomic, Run};
use tribunal_history::object::History;
use tribunal_history::object::specs::{UnknownSpec, named};

/// Random clients of a simulated atomic object.
///
/// ```
/// use tribunal_machines::objects::{Clients, Values};
/// let clients = Clients { processes: 8, operations: 1000, values: Values::Upto(4), ..Clients::default() };
/// assert_eq!(clients.run("queue").len(), 1000);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clients {
    /// The number of processes that call at a time. One whose operation never returns is replaced by a new one.
    pub processes: u32,
    /// The number of operations that are called in all.
    pub operations: u32,
    /// The values that are written and inserted.
    pub values: Values,
    /// The time for which operations stay open, from 0, one operation at a time, to 100, all processes all the time.
    pub concurrency: u32,
    /// The share of operations that never return; about half of them take effect.
    pub pending: f64,
    /// The share of returns replaced by another plausible one, among those where there is one.
    pub lies: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

/// The values that clients write and insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// A new number each time: 1, 2, ...
    Distinct,
    /// Any of this many numbers, from 0.
    Upto(u32),
}

impl Default for Clients {
    /// 4 processes, 1000 operations, distinct values, medium concurrency, all return the truth; seed 0.
    fn default() -> Self {
        Clients {
            processes: 4,
            operations: 1000,
            values: Values::Distinct,
            concurrency: 50,
            pending: 0.0,
            lies: 0.0,
            seed: 0,
        }
    }
}

impl Clients {
    /// The history of these clients on an object with a built-in specification.
    ///
    /// # Panics
    ///
    /// If there is no such specification; [`Clients::history`] says so instead.
    pub fn run(&self, spec: &str) -> History {
        self.history(spec).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`Clients::run`], for names that come from users.
    pub fn history(&self, spec: &str) -> Result<History, UnknownSpec> {
        let object = named(spec)?;
        let calls = Calls::new(spec, &*object, self);
        Ok(Run::new(self, &*object, calls, Box::new(Atomic(object.replay()))).history())
    }
}

#[cfg(test)]
mod tests;
