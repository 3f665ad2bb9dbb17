//! The histories of Zennou et al. 2019 and 2020, made again.
//!
//! Theirs came from random clients of gem5's caches, of which they give the number of threads and of operations. Ours are random
//! clients of MI, MESI and MOESI in turn, half writes, on 16 locations.

use crate::bench::cost::timed;
use std::time::Duration;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_machines::hard::mutants;
use tribunal_machines::{Bug, Clients, InvalidClients, Machine, Mix, Protocol, execution};

/// What the histories of an experiment have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Set {
    /// Of caches: consistent with sc.
    Valid,
    /// Every other one is valid, every other one redirected.
    Mixed,
    /// Reads redirected to other writes within 20 places, one read more at a time until the model refuses: a violation
    /// is no larger than it need be.
    Redirected,
    /// Of MI caches in which reads overtake store hits, as far as it shows.
    Reordered,
    /// Of store buffers: consistent with tso.
    Buffered,
}

impl Set {
    pub fn name(self) -> &'static str {
        match self {
            Set::Valid => "valid",
            Set::Mixed => "half valid, half with reads redirected",
            Set::Redirected => "reads redirected",
            Set::Reordered => "MI with store hits reordered",
            Set::Buffered => "of store buffers",
        }
    }

    /// What the model must say about the history of a seed.
    pub fn is_consistent(self, seed: u64) -> bool {
        match self {
            Set::Valid | Set::Buffered => true,
            Set::Mixed => seed.is_multiple_of(2),
            Set::Redirected | Set::Reordered => false,
        }
    }

    /// The history of a seed.
    pub fn history(
        self,
        model: Model,
        threads: u32,
        events: u64,
        seed: u64,
    ) -> Result<Execution, InvalidClients> {
        let clients = clients(threads, 16, events, seed);
        match self {
            Set::Buffered => execution(Machine::Tso, &clients),
            Set::Reordered => reordered(model, &clients),
            _ if self.is_consistent(seed) => execution(caches(seed), &clients),
            _ => Ok(redirected(model, execution(caches(seed), &clients)?, seed)),
        }
    }
}

/// Half writes, half reads.
pub(crate) fn clients(threads: u32, locations: u32, events: u64, seed: u64) -> Clients {
    Clients {
        threads,
        events,
        locations,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        orders: Mix::only(Order::Relaxed),
        seed,
        ..Clients::default()
    }
}

/// The protocols in turn.
pub(crate) fn caches(seed: u64) -> Machine {
    let protocols = Protocol::ALL;
    Machine::Caches(protocols[(seed % protocols.len() as u64) as usize], None)
}

fn redirected(model: Model, valid: Execution, seed: u64) -> Execution {
    let mutant = mutants(&valid, 20, seed).find(|mutant| refused(mutant, model));
    mutant.unwrap_or(valid)
}

fn reordered(model: Model, clients: &Clients) -> Result<Execution, InvalidClients> {
    const TRIES: u64 = 10_000;
    let machine = Machine::Caches(Protocol::Mi, Some(Bug::ReorderedStoreHit));
    let history =
        |again| execution(machine, &Clients { seed: clients.seed * TRIES + again, ..clients.clone() });
    for again in 1..TRIES {
        let x = history(again)?;
        if refused(&x, model) {
            return Ok(x);
        }
    }
    history(0)
}

fn refused(x: &Execution, model: Model) -> bool {
    timed(x, model, None, Duration::from_secs(60)).verdict.is_inconsistent()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_engines::Engine;

    /// Every engine says of every set what is known of it.
    #[test]
    fn engines_agree() -> Result<(), InvalidClients> {
        for (set, model) in [
            (Set::Mixed, Model::Sc),
            (Set::Mixed, Model::Tso),
            (Set::Reordered, Model::Sc),
            (Set::Buffered, Model::Tso),
        ] {
            for seed in 0..50 {
                let x = set.history(model, 3, 60, seed)?;
                agree(&x, model, set.is_consistent(seed), seed);
            }
        }
        Ok(())
    }

    /// pso allows so much that some short histories stay consistent wherever their reads are sent; of longer ones `memoized`
    /// would have too many sets to visit.
    #[test]
    fn engines_agree_on_pso() -> Result<(), InvalidClients> {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..50 {
            let x = Set::Redirected.history(Model::Pso, 3, 45, seed)?;
            let consistent = !refused(&x, Model::Pso);
            agree(&x, Model::Pso, consistent, seed);
            *if consistent { &mut yes } else { &mut no } += 1;
        }
        assert!(yes > 0 && no > 0, "{yes} consistent, {no} not");
        Ok(())
    }

    fn agree(x: &Execution, model: Model, consistent: bool, seed: u64) {
        for engine in [None, Some(Engine::Search), Some(Engine::Sat), Some(Engine::Memoized)] {
            let by = timed(x, model, engine, Duration::from_secs(60));
            let name = engine.map_or("auto", Engine::name);
            assert!(by.decided(), "{model} by {name}: {seed}");
            assert_eq!(by.consistent(), consistent, "{model} by {name}: {seed}");
        }
    }
}
