//! Simulated stores with random clients: a source of histories of transactions.
//!
//! [`Clients`] run transactions of reads, writes and appends on a [`Store`], step by step and interleaved at random. Without a bug the history
//! satisfies the store's [`level`](Store::level) by construction; with a [`StoreBug`], which strikes now and then, it may break it. Times
//! are step numbers. The same store, bug and clients give the same history on every platform.
//!
//! Histories whose shape is given, large ones and such that are hard to judge, are in [`families`].

mod buffered;
mod causal;
mod clients;
mod committed;
mod drive;
mod engine;
pub mod families;
mod locking;
mod optimistic;
mod serial;
mod snapshot;
mod store;
mod versions;

pub use clients::{Access, Clients, InvalidClients, Plan};
pub use store::{Store, StoreBug};

use tribunal_history::transactions::History;

/// Runs clients on a store, which may have a bug, and collects their history.
///
/// ```
/// use tribunal::transactions::{Verdict, check};
/// use tribunal_machines::transactions::{Clients, Store, run};
/// let clients = Clients { transactions: 100, seed: 1, ..Clients::default() };
/// let history = run(Store::Snapshot, None, &clients)?;
/// assert_eq!(history.len(), 100);
/// let verdict = check(&history, Store::Snapshot.level());
/// assert!(matches!(verdict, Verdict::Consistent(_)));
/// # Ok::<(), tribunal_machines::transactions::InvalidClients>(())
/// ```
pub fn run(store: Store, bug: Option<StoreBug>, clients: &Clients) -> Result<History, InvalidClients> {
    clients.validate()?;
    if let Some(bug) = bug
        && !store.bugs().contains(&bug)
    {
        return Err(InvalidClients::Bug { store, bug });
    }
    let engine: Box<dyn engine::Engine> = match store {
        Store::Serial => Box::new(serial::Serial::new(clients)),
        Store::Locking => Box::new(locking::Locking::new(clients)),
        Store::Optimistic => Box::new(optimistic::Optimistic::new(clients)),
        Store::Snapshot => Box::new(snapshot::Snapshot::new(clients)),
        Store::Causal => Box::new(causal::Causal::new(clients)),
        Store::ReadCommitted => Box::new(committed::ReadCommitted::new(clients)),
    };
    let name = match bug {
        Some(bug) => format!("{store} store with {bug}, seed {}", clients.seed),
        None => format!("{store} store, seed {}", clients.seed),
    };
    Ok(drive::Drive::new(clients, bug, engine).history(&name))
}

#[cfg(test)]
mod tests;
