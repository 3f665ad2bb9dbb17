//! Clients on an implementation of an object.

use super::buggy::Buggy;
use super::calls::{Calls, KEYS, Object as Kind};
use super::delayed::Delayed;
use super::run::{Atomic, Object, Run};
use super::{Bug, Clients};
use std::fmt;
use tribunal_history::object::History;
use tribunal_history::object::specs::{UnknownSpec, named};

/// An implementation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// Each operation takes effect at one moment, for all: histories are linearizable.
    Atomic,
    /// Each client sees the operations of others late, but at the latest when this many operations have taken effect
    /// since. Histories are causal; without a delay they are linearizable.
    Delayed(u32),
    /// Atomic except for a bug.
    Buggy(Bug),
}

/// Random clients on an implementation of an object with a built-in specification.
///
/// ```
/// use tribunal_machines::objects::{Clients, Implementation, Simulation};
/// let clients = Clients { operations: 100, ..Clients::default() };
/// let simulation = Simulation { implementation: Implementation::Delayed(10), ..Simulation::new("set", clients) };
/// assert_eq!(simulation.history()?.len(), 100);
/// # Ok::<(), tribunal_machines::objects::InvalidSimulation>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The specification's name.
    pub spec: String,
    /// The implementation of the object.
    pub implementation: Implementation,
    /// The number of keys, of maps, stores and keyed objects.
    pub keys: u32,
    /// The clients.
    pub clients: Clients,
}

/// The reason why there is no such object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSimulation {
    /// The specification is not built in.
    #[error(transparent)]
    Spec(#[from] UnknownSpec),
    /// The bug needs other methods.
    #[error("{spec} cannot have the bug {bug}, but {}", bugs_of(spec))]
    Bug {
        /// The specification.
        spec: String,
        /// The bug.
        bug: Bug,
    },
    /// A client that acquires a lock must know whether others hold it.
    #[error("{spec} cannot be delayed: a lock must be seen at once")]
    Lock {
        /// The specification.
        spec: String,
    },
}

fn bugs_of(spec: &str) -> String {
    let names: Vec<_> = Bug::ALL.into_iter().filter(|bug| bug.is_of(spec)).map(Bug::name).collect();
    names.join(", ")
}

impl Simulation {
    /// Clients of an atomic object, with 8 keys if it has keys.
    pub fn new(spec: impl Into<String>, clients: Clients) -> Self {
        Simulation { spec: spec.into(), implementation: Implementation::Atomic, keys: KEYS, clients }
    }

    /// The history of the clients, by the simulation's name.
    pub fn history(&self) -> Result<History, InvalidSimulation> {
        let spec = named(&self.spec)?;
        let clients = self.clients.processes.max(1);
        let object: Box<dyn Object + '_> = match self.implementation {
            Implementation::Atomic => Box::new(Atomic(spec.replay())),
            Implementation::Delayed(_) if Kind::of(&self.spec).0 == Kind::Mutex => {
                return Err(InvalidSimulation::Lock { spec: self.spec.clone() });
            }
            Implementation::Delayed(delay) => Box::new(Delayed::new(&*spec, clients, delay)),
            Implementation::Buggy(bug) if !bug.is_of(&self.spec) => {
                return Err(InvalidSimulation::Bug { spec: self.spec.clone(), bug });
            }
            Implementation::Buggy(bug) => {
                Box::new(Buggy::new(bug, &self.spec, &*spec, clients, self.keys.max(1)))
            }
        };
        let calls = Calls::new(&self.spec, &*spec, &self.clients).keys(self.keys.max(1));
        Ok(Run::new(&self.clients, &*spec, calls, object).named(&self.to_string()).history())
    }
}

/// `delayed queue, seed 7`.
impl fmt::Display for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spec, seed) = (&self.spec, self.clients.seed);
        match self.implementation {
            Implementation::Atomic => write!(f, "atomic {spec}, seed {seed}"),
            Implementation::Delayed(_) => write!(f, "delayed {spec}, seed {seed}"),
            Implementation::Buggy(bug) => write!(f, "{spec} with {bug}, seed {seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::Values;
    use tribunal_engines::object::check;
    use tribunal_history::object::Criterion;
    use tribunal_history::object::specs::NAMES;

    fn every_name() -> impl Iterator<Item = String> {
        NAMES.into_iter().flat_map(|name| [name.to_string(), format!("keyed {name}")])
    }

    fn simulation(spec: &str, implementation: Implementation, clients: Clients) -> Simulation {
        Simulation { implementation, ..Simulation::new(spec, clients) }
    }

    /// The shortest delay is none.
    #[test]
    fn without_delay_a_replicated_object_is_atomic() {
        for name in every_name().filter(|name| !name.contains("mutex")) {
            for seed in 0..4 {
                let clients = Clients { operations: 40, pending: 0.05, seed, ..Clients::default() };
                let history =
                    simulation(&name, Implementation::Delayed(0), clients).history().expect("valid");
                let spec = named(&name).expect("a built-in name");
                assert!(
                    check(&history.typed(&*spec).expect("typed"), &Criterion::Linearizable).is_consistent(),
                    "{name}: {seed}"
                );
            }
        }
    }

    #[test]
    fn delayed_objects_are_causal_and_seldom_linearizable() {
        for name in every_name().filter(|name| !name.contains("mutex")) {
            let spec = named(&name).expect("a built-in name");
            let mut late = 0;
            for seed in 0..40 {
                let clients = Clients {
                    processes: 3,
                    operations: 12,
                    values: if seed % 2 == 0 { Values::Distinct } else { Values::Upto(2) },
                    concurrency: 20,
                    pending: if seed % 4 == 3 { 0.1 } else { 0.0 },
                    seed,
                    ..Clients::default()
                };
                let delayed =
                    Simulation { keys: 2, ..simulation(&name, Implementation::Delayed(8), clients) };
                let history = delayed.history().expect("valid");
                assert!(history.typed(&*spec).is_ok(), "{name}");
                let verdict = check(&history.typed(&*spec).expect("typed"), &Criterion::Causal);
                assert!(verdict.is_consistent(), "{name}, seed {seed}: {verdict:?}");
                late += u32::from(
                    check(&history.typed(&*spec).expect("typed"), &Criterion::Linearizable).is_inconsistent(),
                );
            }
            assert!(late >= 20, "{name}: {late} of 40");
        }
    }

    #[test]
    fn every_bug_of_an_object_is_caught() {
        for name in every_name() {
            let spec = named(&name).expect("a built-in name");
            for bug in Bug::ALL.into_iter().filter(|bug| bug.is_of(&name)) {
                let caught = |&seed: &u64| {
                    let clients = Clients { operations: 200, seed, ..Clients::default() };
                    let history = simulation(&name, Implementation::Buggy(bug), clients).history();
                    let history = history.expect("a bug of the object");
                    check(&history.typed(&*spec).expect("typed"), &Criterion::Linearizable).is_inconsistent()
                };
                let first = (0..1_000).find(caught);
                assert!(first.is_some(), "{name}, {bug}");
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let history = |spec: &str, implementation| {
            let refused = simulation(spec, implementation, Clients::default()).history();
            refused.expect_err("refused").to_string()
        };
        assert_eq!(
            history("mutex", Implementation::Delayed(3)),
            "mutex cannot be delayed: a lock must be seen at once"
        );
        assert_eq!(
            history("register", Implementation::Buggy(Bug::TornRead)),
            "register cannot have the bug torn-read, but stale-read, dropped-update, early-return"
        );
        assert!(history("quueue", Implementation::Atomic).starts_with("unknown specification"));
    }
}
