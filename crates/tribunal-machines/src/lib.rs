//! Simulated memories with random clients: sources of histories that are consistent by construction.
//!
//! A [`Machine`] executes the operations of [`Clients`]. [`run`] streams the steps, [`execution`] collects them. The same
//! machine, clients and seed give the same history on every platform. Hard and deliberately broken histories
//! are in [`hard`], objects in [`objects`], and stores with transactions in [`transactions`].
//!
//! ```
//! use tribunal_machines::{Clients, Machine, execution};
//! let clients = Clients { events: 10_000, seed: 1, ..Clients::default() };
//! let history = execution(Machine::View, &clients)?;
//! assert_eq!(history.len(), 10_000);
//! # Ok::<(), tribunal_machines::InvalidClients>(())
//! ```

mod atomic;
mod caches;
mod chance;
mod clients;
pub mod hard;
mod machine;
mod memory;
mod mix;
pub mod objects;
mod out_of_order;
mod run;
mod store_buffers;
pub mod transactions;
mod view;

#[cfg(test)]
mod tests;

pub use caches::{Bug, Protocol};
pub use clients::{Clients, InvalidClients};
pub use machine::Machine;
pub use mix::{InvalidMix, Mix};
pub use run::{Run, Step, run};

use tribunal_history::memory::{Execution, LocId, ThreadId};

/// The name of a thread in every history made here: `T0`, `T1`, ...
pub fn thread_name(thread: ThreadId) -> String {
    format!("T{}", thread.0)
}

/// The name of a location in every history made here: `x0`, `x1`, ...
pub fn location_name(loc: LocId) -> String {
    format!("x{}", loc.0)
}

/// Runs clients on a machine and collects their history.
pub fn execution(machine: Machine, clients: &Clients) -> Result<Execution, InvalidClients> {
    let steps = run(machine, clients)?;
    // An execution keeps two ids for itself and needs one for each initial write.
    if clients.events + u64::from(clients.locations) >= u64::from(u32::MAX - 1) {
        return Err(InvalidClients::TooManyEvents { events: clients.events });
    }
    let mut builder = Execution::builder();
    for thread in (0..clients.threads).map(ThreadId) {
        builder.thread(&thread_name(thread));
    }
    for loc in (0..clients.locations).map(LocId) {
        builder.location(&location_name(loc));
    }
    for step in steps {
        let slot = builder.push(step.thread, step.op);
        if let Some(on) = step.depends {
            builder.depends(slot, on);
        }
    }
    Ok(builder.build().expect("every value read was written once"))
}
