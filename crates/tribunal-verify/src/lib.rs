//! Verifies certificates against the definitions, without sharing code with the engines that produce them.
//!
//! A witness is checked against the model's axioms; see [`verify_witness`] for the cost. A violation is a proof
//! and is checked step by step; see [`Because`](tribunal_history::verdict::Because) for the rules.
//!
//! If values repeat, a violation considers every source that a read may have, except those that are eliminated:
//! writes that come after the read, writes that are overwritten before the read and, if the read is an RMW, writes that
//! another RMW reads from. "Before" means:
//! - sc, wsc, ra, sra, wra, cc, ccv, cm, ccm: (po ∪ rf)⁺;
//! - rc20, rc11, relaxed: (po ∪ rf)⁺ for "after the read", and program order for "overwritten";
//! - tso, pso: program order within a location, and (ppo ∪ rfe)⁺ with ppo from kinds and seq_cst fences only; a read is before a
//!   write of its own thread only by program order;
//! - the others: program order within a location.
//!
//! ```
//! use tribunal::{Model, verify, memory::{Execution, Op, ModificationOrder, Witness}};
//! let mut b = Execution::builder();
//! let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
//! let one = b.push(t0, Op::write(x, 1));
//! let two = b.push(t1, Op::write(x, 2));
//! b.push(t1, Op::read(x, 1));
//! let h = b.build()?;
//! let witness = |order: [_; 3]| {
//!     let mut mo = ModificationOrder::new();
//!     mo.push_location(order);
//!     Witness::Mo(mo)
//! };
//! let (init, one, two) = (h.init_write(x), h.event(one), h.event(two));
//! assert!(verify::verify_witness(&h, Model::Ra, &witness([init, two, one])).is_ok());
//! let refusal = verify::verify_witness(&h, Model::Ra, &witness([init, one, two])).unwrap_err();
//! assert_eq!(
//!     refusal.to_string(),
//!     "read-coherence is broken: T1:1 R x 1 reads from T0:0 W x 1, but T1:0 W x 2 is in its past and later in mo",
//! );
//! # Ok::<(), tribunal::memory::MalformedHistory>(())
//! ```

mod chains;
mod clocks;
mod definition;
mod graph;
mod maps;
pub mod object;
mod program;
mod races;
mod refusal;
mod sources;
#[cfg(test)]
mod tests;
pub mod transactions;
mod violation;
mod witness;

pub use definition::evaluate;
pub use races::{verify_race_free, verify_races};
pub use refusal::{BrokenAxiom, EdgeFault, Named, NotARace, Refusal};
pub use violation::verify_violation;
pub use witness::verify_witness;

use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Model;
use tribunal_history::verdict::Verdict;

/// Verifies that a verdict's certificate proves it.
///
/// An unsupported verdict is its own certificate. An undecided one claims nothing and is refused.
pub fn verify(x: &Execution, model: Model, verdict: &Verdict) -> Result<(), Refusal> {
    verify_within(x, model, verdict, &Limits::default())
}

/// Like [`verify`], with limits; if they do not suffice, the result is [`Refusal::Limit`].
pub fn verify_within(
    x: &Execution,
    model: Model,
    verdict: &Verdict,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    limits.check(0).map_err(Refusal::Limit)?;
    match verdict {
        Verdict::Consistent(witness) => witness::within(x, model, witness, limits),
        Verdict::Inconsistent(violation) => violation::within(x, model, violation, limits),
        Verdict::Undecided(_) => Err(Refusal::Undecided),
        Verdict::Unsupported(claimed) if model.unsupported(x) == Some(*claimed) => Ok(()),
        Verdict::Unsupported(claimed) => Err(Refusal::Applies { model, claimed: *claimed }),
    }
}

fn applies(x: &Execution, model: Model) -> Result<(), Refusal> {
    match model.unsupported(x) {
        Some(why) => Err(Refusal::DoesNotApply { model, why }),
        None => Ok(()),
    }
}

/// A certificate may come from anywhere: its ids are looked at only after this.
fn known(x: &Execution, event: EventId) -> Result<EventId, Refusal> {
    if event.index() < x.len() + x.location_count() {
        Ok(event)
    } else {
        Err(Refusal::UnknownEvent { event })
    }
}
