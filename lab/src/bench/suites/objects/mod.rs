//! Linearizability of objects: collections in log-linear time, everything else by search, and logs by others.

mod collections;
pub(super) mod cost;
pub(crate) mod explosions;
mod logs;
mod search;

use crate::bench::{Error, Session};
use std::time::Duration;
use tribunal_history::object::Specification;
use tribunal_history::object::specs::named;

/// The time that an engine may take over one history.
const ENGINE_TIME: Duration = Duration::from_secs(10);

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    collections::report(session)?;
    explosions::report(session)?;
    search::report(session)?;
    logs::report(session)
}

/// A specification of the library.
fn object(name: &str) -> Box<dyn Specification> {
    named(name).expect("a built-in specification")
}
