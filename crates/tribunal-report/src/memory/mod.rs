//! Verdicts on histories of memories in words.

mod definition;
mod difference;
mod explain;
mod inline;
mod kept;
mod listing;
mod monitored;
mod psc;
mod race;
mod shape;
mod sources;
mod story;
#[cfg(test)]
mod tests;
mod witness;

pub use difference::difference;
pub use explain::explain;
pub use listing::listing;
pub use monitored::monitored;
pub use race::{Racy, chosen, show_race};
pub use story::{Story, story};
pub use witness::{show_witness, show_witness_of};

use crate::printable;
use tribunal_history::memory::{EventId, Execution};

/// An event's place alone: `T0:1`, or `init x`.
fn brief(x: &Execution, event: EventId) -> String {
    match x.slot(event) {
        Some(slot) => format!("{}:{}", printable(x.thread_name(slot.thread)), slot.index),
        None => printable(&x.show(event).to_string()).into_owned(),
    }
}
